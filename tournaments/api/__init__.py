"""REST: tournaments, matches and ratings."""
