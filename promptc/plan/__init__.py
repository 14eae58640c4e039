"""The plan: a small typed IR in SSA form."""
