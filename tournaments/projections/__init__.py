"""Projections: stored data computed from results, such as ratings and bot statistics.

Live ratings are stored in `Rating` and `RatingChange`, batch fits in `Rating`. `rebuild` recomputes
everything.
"""

from tournaments.projections.fits import refresh_fit
from tournaments.projections.live_elo import OVERALL, pools_of, update_live
from tournaments.projections.rebuilding import rebuild, refresh, refresh_next

__all__ = [
    "OVERALL",
    "pools_of",
    "rebuild",
    "refresh",
    "refresh_fit",
    "refresh_next",
    "update_live",
]
