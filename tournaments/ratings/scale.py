"""The scale: the rating that the average of a pool's bots has.

Results determine only differences of ratings; their common shift is a convention. It must not
depend on which opponents happened to be played. So in each connected component the bots that are
no anchors average `elo.START`, and anchors (the expert's levels and `house:random`) only pull this
average towards their nominal places, a little: the prior of the average is narrow (`LOOSE`), and
the places share an error (`COMMON`). The shift δ is the posterior mean of

    nominal place of anchor k = fitted place + δ + error,    δ ~ N(0, LOOSE²),

where the errors' covariance V is that of the fit, of each place (`Anchor.spread`) and of what all
places share: δ = 1ᵀV⁻¹d / (1ᵀV⁻¹1 + LOOSE⁻²), with d the nominal less the fitted places. As the
fit's part of V is large for an anchor that has hardly played, δ moves smoothly. In a component of
anchors alone there is no average to keep: LOOSE is infinite.

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
"""The place of the expert's middle level."""

LOOSE = 25.0
"""Standard deviation, in Elo points, of the average of a component's bots around `elo.START`."""

COMMON = 100.0
"""Standard deviation of the error that the places of all anchors of a pool share, in Elo points."""

FILE = Path(__file__).with_name("levels.json")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A bot with a nominal place on the scale."""

    points: float
    """The nominal place, in Elo points."""

    spread: float
    """Standard deviation of the place relative to that of the middle level, in Elo points."""


Anchors = Mapping[Any, Anchor]
"""By entrant (`tournaments.deal_groups.Entrant`)."""


@cache
def anchors_by_name(pool: str = "") -> Anchors:
    """The anchors of a pool by the bot's name."""
    table = json.loads(FILE.read_text())
    row = table.get(pool, table[""])
    names = [RANDOM, *(f"{HOUSE}{LEVELED}-{level}" for level in LEVELS)]
    middle = (len(names)) // 2
    places = list(accumulate(row["steps"], initial=0.0))
    squares = list(accumulate((error**2 for error in row["errors"]), initial=0.0))
    return {
        name: Anchor(
            MIDDLE_LEVEL + places[number] - places[middle],
            sqrt(abs(squares[number] - squares[middle])),
        )
        for number, name in enumerate(names)
    }


def anchors_of_entrants(names: Mapping[E, str], pool: str = "") -> dict[E, Anchor]:
    """The anchors of a pool by entrant; `names`: the bot's name of each entrant."""
    places = anchors_by_name(pool)
    return {entrant: places[name] for entrant, name in names.items() if name in places}


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
    places = np.array([anchors[i].points for i in indices])
    contrasts = np.zeros((len(indices), len(points)))
    contrasts[np.arange(len(indices)), indices] = 1
    base, loose = 0.0, 0.0
    if others.any():
        contrasts -= others / others.sum()
        base, loose = START - float(points[others].mean()), LOOSE**-2
    spread = contrasts @ covariance @ contrasts.T + COMMON**2
    spread += np.diag([anchors[i].spread ** 2 for i in indices])
    # Places that are all known exactly would make the matrix singular.
    spread += 1e-6 * np.eye(len(indices))
    weights = np.linalg.solve(spread, np.ones(len(indices)))
    return base + float(weights @ (places - points[indices] - base) / (weights.sum() + loose))
