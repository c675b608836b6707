"""Changes of state of the site as a whole: accounts and their tokens."""
