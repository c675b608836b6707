"""Shared by pages of several nouns: queries, forms, messages, guests."""
