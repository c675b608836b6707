"""What follows from results, is stored, and can be thrown away and computed again.

Live ratings are kept in `Rating` and `RatingChange`, the batch fit in `Rating`. `rebuild` computes
all of it again.
"""

from tournaments.projections.fits import refresh_fit
from tournaments.projections.live import OVERALL, pools_of, take_in
from tournaments.projections.rebuilding import rebuild, refresh, refresh_turn

__all__ = [
    "OVERALL",
    "pools_of",
    "rebuild",
    "refresh",
    "refresh_fit",
    "refresh_turn",
    "take_in",
]
