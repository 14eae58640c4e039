"""Rules about networks and embeddings."""
