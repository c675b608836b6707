"""Hostile programs, played against a good one the way the site plays its matches."""
