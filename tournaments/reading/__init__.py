"""Read a tournament for pages and REST: course, standings, brackets, luck, trials."""

from tournaments.reading.tables import (
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
