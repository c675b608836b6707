"""Code that pages of several nouns share: queries, forms, messages, plots, numbers, the user."""
