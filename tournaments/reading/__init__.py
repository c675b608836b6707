"""Queries behind pages and REST: course, standings, brackets, luck, trials, bots' results.

Expensive ones are cached: call `content_cache.read` with one of `kinds`.
"""

from tournaments.reading.standings_tables import (
    Stages,
    cross_table_of,
    group_results,
    paired_stages,
    standings_of,
    tournament_cross_table,
    tournament_standings,
)

__all__ = [
    "Stages",
    "cross_table_of",
    "group_results",
    "paired_stages",
    "standings_of",
    "tournament_cross_table",
    "tournament_standings",
]
