"""Hostile programs play against a good bot, as in the site's matches."""
