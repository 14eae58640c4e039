"""What a picture says about itself: the record, its layouts in files, and the reading of them. No torch here."""
