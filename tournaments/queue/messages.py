"""The tasks that other rooms announce, by name: whoever announces one need not import it."""

PLAY_TASK = "tournaments.tasks.play_matches"
ADVANCE_TASK = "tournaments.tasks.advance_tournament"
"""For the housekeeper, like the ratings: a tournament is to be moved on."""
RATINGS_TASK = "tournaments.tasks.refresh_ratings"
