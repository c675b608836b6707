"""The tasks that other rooms announce, by name: whoever announces one need not import it."""

PLAY_TASK = "tournaments.tasks.play_matches"
RATINGS_TASK = "tournaments.tasks.refresh_ratings"
