"""Code shared by pages of several nouns: queries, forms, messages, plots, numbers, current user."""
