"""A whole tournament at home: the site's pairing, deal groups, referee and ratings, no database.

`Course` says what is to be played next, `play` plays it, `report` sums it up.
"""

from tournaments.local.course import Course
from tournaments.local.part import Part
from tournaments.local.playing import Entry, enter, play
from tournaments.local.reporting import Report, report
from tournaments.local.setup import MAX_ROUNDS, PlannedMatch, PlayedMatch, Setup

__all__ = [
    "MAX_ROUNDS",
    "Course",
    "Entry",
    "Part",
    "PlannedMatch",
    "PlayedMatch",
    "Report",
    "Setup",
    "enter",
    "play",
    "report",
]
