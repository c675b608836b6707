"""Workers as the site sees them: whether one is well, and which layers isolate its bots."""
