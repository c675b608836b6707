"""The scale: the mean rating of a pool's bots.

Results determine only differences of ratings; their common shift is a convention. It must not
depend on the choice of opponents. So in each connected component the bots that are no anchors
average `elo.START`. Anchors (the expert's levels and `house:random`) pull this average a little
towards their nominal ratings, because its prior is narrow (`LOOSE`) and the nominal ratings share
an error (`COMMON`). The shift δ is the posterior mean of

    nominal rating of anchor k = fitted rating + δ + error,    δ ~ N(0, LOOSE²),

where the errors' covariance V is the sum of three: that of the fit, that of each nominal rating
(`Anchor.spread`) and that of the common error. So δ = 1ᵀV⁻¹d / (1ᵀV⁻¹1 + LOOSE⁻²), with d the
nominal less the fitted ratings. As the fit's part of V is large for an anchor that has hardly
played, δ moves smoothly. In a component of anchors alone there is no average to keep: LOOSE is
infinite.

`levels.json` holds the steps between anchors and their standard errors, in Elo points of a standard
match, by pool: from `house:random` to level 1, to level 2, and so on. The empty name is for all
pools that are not listed. `python -m tests.strength.scale` measures steps.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import sqrt
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bots.referee.house import LEVELED
from cardroom_base.core.names import HOUSE, RANDOM
from engine.search import LEVELS
from tournaments.ratings.blocks import Floats
from tournaments.ratings.elo import START

E = TypeVar("E")

MIDDLE_LEVEL = 1500.0
"""The nominal rating of the expert's middle level."""

LOOSE = 25.0
"""Standard deviation, in Elo points, of the average of a component's bots around `elo.START`."""

COMMON = 100.0
"""Standard deviation of the error that a pool's nominal ratings share, in Elo points."""

FILE = Path(__file__).with_name("levels.json")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A bot with a nominal rating."""

    points: float
    """The nominal rating, in Elo points."""

    spread: float
    """Standard deviation of its distance from the middle level, in Elo points."""


Anchors = Mapping[Any, Anchor]
"""By entrant (`tournaments.deal_groups.Entrant`), or by the bot's name."""


@cache
def anchors_by_name(pool: str = "") -> Anchors:
    """The anchors of a pool by the bot's name."""
    table = json.loads(FILE.read_text())
    row = table.get(pool, table[""])
    names = [RANDOM, *(f"{HOUSE}{LEVELED}-{level}" for level in LEVELS)]
    middle = (len(names)) // 2
    heights = list(accumulate(row["steps"], initial=0.0))
    variances = list(accumulate((error**2 for error in row["errors"]), initial=0.0))
    return {
        name: Anchor(
            MIDDLE_LEVEL + heights[number] - heights[middle],
            sqrt(abs(variances[number] - variances[middle])),
        )
        for number, name in enumerate(names)
    }


def anchors_of_entrants(names: Mapping[E, str], pool: str = "") -> dict[E, Anchor]:
    """The anchors of a pool by entrant; `names`: the bot's name of each entrant."""
    anchors = anchors_by_name(pool)
    return {entrant: anchors[name] for entrant, name in names.items() if name in anchors}


def scale_shift(points: Floats, covariance: Floats, anchors: Mapping[int, Anchor]) -> float:
    """Elo points to add to all ratings of a component.

    `points` [entrants] and `covariance` [entrants, entrants] are those of the fit up to a common
    shift; `anchors` by index.
    """
    indices = sorted(anchors)
    others = np.ones(len(points), dtype=bool)
    others[indices] = False
    if not indices:
        return START - float(points.mean())
    nominal = np.array([anchors[i].points for i in indices])
    contrasts = np.zeros((len(indices), len(points)))
    contrasts[np.arange(len(indices)), indices] = 1
    base, loose = 0.0, 0.0
    if others.any():
        contrasts -= others / others.sum()
        base, loose = START - float(points[others].mean()), LOOSE**-2
    spread = contrasts @ covariance @ contrasts.T + COMMON**2
    spread += np.diag([anchors[i].spread ** 2 for i in indices])
    # Nominal ratings that are all known exactly would make the matrix singular.
    spread += 1e-6 * np.eye(len(indices))
    weights = np.linalg.solve(spread, np.ones(len(indices)))
    return base + float(weights @ (nominal - points[indices] - base) / (weights.sum() + loose))
