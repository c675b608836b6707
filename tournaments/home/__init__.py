"""Tournaments at home: the site's pairing, deal groups, referee and ratings, without a database.

`HomeTournament` lists the next matches, `play` plays them, `report` computes the results.
"""

from tournaments.home.course import HomeTournament, Report, report
from tournaments.home.playing import Lineup, RecordFolder, enter, play, players_of
from tournaments.home.setup import MAX_ROUNDS, PlannedMatch, PlayedMatch, Setup

__all__ = [
    "MAX_ROUNDS",
    "HomeTournament",
    "Lineup",
    "PlannedMatch",
    "PlayedMatch",
    "RecordFolder",
    "Report",
    "Setup",
    "enter",
    "play",
    "players_of",
    "report",
]
