"""Block designs for many-sided round robins, and their arrangement into rounds.

A cyclic design over Z_v: a few base blocks of k numbers, each moved round by 1, 2, … v - 1. A pair
of entrants whose numbers differ by ±d then meets as often as ±d is a difference inside a base block
(twice as often for d = v/2). So the pairs meet equally often when the differences are spread
equally, which is a small problem: a perfect difference family where there is one (Bose 1939), and
a spread of λ and λ + 1 elsewhere. A seeded local search finds it; the result is checked before it
is used. Everybody plays the same number of fixtures, by construction.
"""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from tournaments.pairing.types import Fixture, Round

T = TypeVar("T")


def shuffled(items: Sequence[T], rng: random.Random) -> list[T]:
    """The items in random order, the same on every Python version for the same `rng`.

    `random.shuffle` may change between versions; only `random.random` is promised not to.
    """
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        result[i], result[j] = result[j], result[i]
    return result
