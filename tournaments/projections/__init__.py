"""What follows from results: standings, later rounds, live Elo, fitted ratings.

Projections can be thrown away and made anew. Standings and cross tables are computed when asked;
what is to be paired next, too. Live ratings are kept in `Rating` and `RatingChange`, the batch fit
in `Rating`. `rebuild` does all of it again.
"""

from tournaments.projections.fits import refresh_fit
from tournaments.projections.live import ANCHOR_BOT, OVERALL, pools_of, take_in
from tournaments.projections.rebuilding import RATINGS_TASK, rebuild, refresh
from tournaments.projections.tables import (
    Stages,
    cross_table_of,
    group_results,
    stage_standings,
    standings_of,
    tournament_cross_table,
    tournament_standings,
)

__all__ = [
    "ANCHOR_BOT",
    "OVERALL",
    "RATINGS_TASK",
    "Stages",
    "cross_table_of",
    "group_results",
    "pools_of",
    "rebuild",
    "refresh",
    "refresh_fit",
    "stage_standings",
    "standings_of",
    "take_in",
    "tournament_cross_table",
    "tournament_standings",
]
