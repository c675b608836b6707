"""How sure it is that one bot is better than another, from the last fit of a pool."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from bots.models import Bot, BotVersion
from tournaments.models import PoolFit, Rating
from tournaments.ratings.elo import Z95
from tournaments.ratings.fit import above_zero, deviation


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions in one pool."""

    a: BotVersion
    b: BotVersion
    probability: float | None
    """Chance that a's true rating is above b's; None where no chain of matches connects them."""
    difference: float
    """By how many Elo points a is above b."""
    low: float
    high: float
    """Ends of the 95 % interval of the difference."""


def compare(a: Bot, b: Bot, pool: str) -> Comparison | None:
    """The bots' active versions, or else their newest rated ones; None until both have a fit."""
    first, second = _rating(a, pool), _rating(b, pool)
    pool_fit = PoolFit.objects.filter(pool=pool).first()
    if first is None or second is None or pool_fit is None:
        return None
    place = {version: i for i, version in enumerate(pool_fit.entrants)}
    i, j = place.get(first.version_id), place.get(second.version_id)
    if i is None or j is None or first.fitted is None or second.fitted is None:
        return None
    flat = np.frombuffer(zlib.decompress(pool_fit.covariance), dtype="<f4").astype(np.float64)
    sd = deviation(flat.reshape(len(place), len(place)), i, j)
    points = first.fitted - second.fitted
    connected = pool_fit.parts[i] == pool_fit.parts[j]
    return Comparison(
        a=first.version,
        b=second.version,
        probability=above_zero(points, sd) if connected else None,
        difference=points,
        low=points - Z95 * sd,
        high=points + Z95 * sd,
    )


def _rating(bot: Bot, pool: str) -> Rating | None:
    fitted = Rating.objects.filter(
        pool=pool, kind=Rating.Kind.ALL, version__bot=bot, fitted__isnull=False
    ).select_related("version")
    active = fitted.filter(version=bot.active_version_id).first()
    return active or fitted.order_by("-version__number").first()
