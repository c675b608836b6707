"""Ratings on the Elo scale: a live update at each result, and a batch fit with intervals."""
