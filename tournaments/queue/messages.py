"""The names of tasks that other packages announce, so that they need not import the tasks."""

PLAY_TASK = "tournaments.tasks.play_matches"
ADVANCE_TASK = "tournaments.tasks.advance_tournament"
"""For the housekeeper, like the ratings: move a tournament on."""
ANALYSE_TASK = "tournaments.tasks.analyse_matches"
RATINGS_TASK = "tournaments.tasks.refresh_ratings"
