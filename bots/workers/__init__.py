"""Workers as they judge themselves: whether one is well enough to take work."""
