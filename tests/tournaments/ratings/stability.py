"""Moves of ratings of bots without new results.

`python -m tests.tournaments.ratings.stability [pools of each]` prints the table. A pool of bots
plays a round robin. Then some of its bots play levels of the expert, which are truly 80, 150 or 250
points apart (the nominal step is 150). The others have no new results: the table shows the largest
move of their ratings after one deal group, and the largest difference between mixes of levels, none
among them. Bots with few wins or losses (`profile_likelihood.FEW_RESULTS`) have a column of their
own: a bot that lost to nobody but the best opponent moves with what is learned of this opponent,
whatever the scale.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from tests.tournaments.ratings.simulate import NATURAL
from tournaments.ratings.fit import Fit, RatedMatch, fit
from tournaments.ratings.profile_likelihood import FEW_RESULTS, count_wins_and_losses
from tournaments.ratings.result_arrays import Floats, RatingTable, sort_entrants

STEPS = (80, 150, 250)
"""True steps between levels, in Elo points."""
SIZES = (4, 12, 30)
"""Bots in a pool."""
CENTRES = (1065, 1200, 1350)
"""True averages of the bots' ratings, with the middle level at 1500."""
GROUPS = 240
"""Deal groups of a mix."""
MIXES = ((), (1,), (3,), (5,), (1, 2), (4, 5), (1, 2, 3, 4, 5))
"""Levels played."""


@dataclass(frozen=True, slots=True)
class LargestMoves:
    """The largest moves of bots without new results, in Elo points."""

    group: float
    """After one deal group."""
    mix: float
    """Between two mixes of levels."""
    few: float
    """The same for bots with few wins or losses."""
    scale: float
    """The same for the mean of all bots without new results."""


class SimulatedPool:
    """A pool of bots and levels with their true strengths."""

    def __init__(self, size: int, step: float, centre: float, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        strengths = self._rng.normal(0, 200, size)
        self._truth = {
            **{f"bot {i}": centre + s - strengths.mean() for i, s in enumerate(strengths)},
            **{f"house:expert-{k}": 1500 + step * (k - 3) for k in range(1, 6)},
        }
        self.bots = [f"bot {i}" for i in range(size)]
        self._groups = 0
        self.base = [
            g for a, b in combinations(self.bots, 2) for _ in range(10) for g in self.group(a, b)
        ]

    def group(self, a: str, b: str) -> list[RatedMatch]:
        """A deal group of two matches."""
        self._groups += 1
        chance = 1 / (1 + np.exp(NATURAL * (self._truth[b] - self._truth[a])))
        won = self._rng.random(2) < chance
        return [RatedMatch(((a,), (b,)), (1, 2) if w else (2, 1), self._groups) for w in won]

    def mix(self, levels: tuple[int, ...]) -> list[RatedMatch]:
        """Deal groups of the first half of the bots against levels."""
        players = self.bots[: len(self.bots) // 2]
        if not levels:
            return []
        return [
            game
            for n in range(GROUPS)
            for game in self.group(
                players[n % len(players)], f"house:expert-{levels[n // len(players) % len(levels)]}"
            )
        ]

    def idle(self, fitted: Fit) -> Floats:
        """The ratings of the other half."""
        return np.array([fitted.ratings[bot].rating for bot in self.bots[len(self.bots) // 2 :]])

    def few(self) -> NDArray[np.bool_]:
        """Marks of those with few wins or few losses."""
        counts = count_wins_and_losses(RatingTable.from_games(self.base))
        fewest = np.minimum(counts.wins, counts.losses)
        by_name = dict(zip(sort_entrants(self.bots), fewest, strict=True))
        idle = self.bots[len(self.bots) // 2 :]
        return np.array([by_name[bot] < FEW_RESULTS for bot in idle])


def moves(size: int, step: float, centre: float, seed: int) -> LargestMoves:
    """The largest moves in one pool."""
    pool = SimulatedPool(size, step, centre, seed)
    start = pool.idle(fit(pool.base))
    ratings = [
        pool.idle(fit(pool.base + pool.group(pool.bots[0], f"house:expert-{level}")))
        for level in range(1, 6)
    ]
    mixes = np.array([pool.idle(fit(pool.base + pool.mix(levels))) for levels in MIXES])
    spans, is_few = np.ptp(mixes, axis=0), pool.few()
    return LargestMoves(
        group=float(np.abs(np.array(ratings) - start).max()),
        mix=float(spans[~is_few].max(initial=0.0)),
        few=float(spans[is_few].max(initial=0.0)),
        scale=float(np.ptp(mixes.mean(axis=1))),
    )


def largest(size: int, step: float, pools: int) -> list[LargestMoves]:
    """The largest moves in several pools, by the bots' true average."""
    return [
        LargestMoves(
            *(
                max(getattr(m, name) for m in pools_moves)
                for name in ("group", "mix", "few", "scale")
            )
        )
        for centre in CENTRES
        for pools_moves in [[moves(size, step, centre, seed) for seed in range(pools)]]
    ]


def main() -> None:
    pools = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    table = Table(title=f"Largest moves of bots without new results, {pools} pools a line")
    for column in (
        "bots",
        "true step",
        "true average",
        "one group",
        "mix",
        "mix, few",
        "mix, mean",
    ):
        table.add_column(column, justify="right")
    for size in SIZES:
        for step in STEPS:
            for centre, largest_moves in zip(CENTRES, largest(size, step, pools), strict=True):
                ends = (
                    largest_moves.group,
                    largest_moves.mix,
                    largest_moves.few,
                    largest_moves.scale,
                )
                table.add_row(str(size), str(step), str(centre), *(f"{end:.1f}" for end in ends))
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
