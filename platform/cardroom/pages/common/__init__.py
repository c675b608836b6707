"""Shared by pages of several nouns: queries, forms, messages, plots, numbers, guests."""
