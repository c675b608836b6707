"""Names of tasks, for packages that announce them without importing them."""

PLAY_TASK = "tournaments.tasks.play_matches"
ADVANCE_TASK = "tournaments.tasks.advance_tournament"
"""Like `RATINGS_TASK`, a task of the housekeeper."""
ANALYSE_TASK = "tournaments.tasks.analyse_matches"
RATINGS_TASK = "tournaments.tasks.refresh_ratings"
