"""Compute standings and cross tables from the results of deal groups, finished or running.

Pure and deterministic: the same results in any order give the same rows.
"""

from tournaments.standings.cross_table import Cell, cross_table
from tournaments.standings.ranking import Row, standings
from tournaments.standings.scores import SitOuts, VoidCounts
from tournaments.standings.tie_breaks import DEFAULT, TIE_BREAKS, TieBreak

__all__ = [
    "DEFAULT",
    "TIE_BREAKS",
    "Cell",
    "Row",
    "SitOuts",
    "TieBreak",
    "VoidCounts",
    "cross_table",
    "standings",
]
