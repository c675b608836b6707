"""Tournaments at home: the site's pairing, deal groups, referee and ratings, without a database.

`HomeTournament` lists the next matches, `play_matches` plays them, `report` computes the results.
"""

from tournaments.home.course import HomeTournament, Report, report
from tournaments.home.playing import Lineup, RecordFolder, lineups, play_matches, players_of
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
    "lineups",
    "play_matches",
    "players_of",
    "report",
]
