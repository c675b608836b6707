"""Bots: their packages, sandboxes, matches and checks, the command line, and a site's tables."""
