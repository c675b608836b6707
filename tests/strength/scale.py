"""`python -m tests.strength.scale`: the scale of opponents, step by step, in one game or in all.

Each bot of the scale (`cardroom_tables.strength`) plays deal groups of one deal, for two players,
against the one before it. It prints by how much rating the bot is above that one, with 95 %, and at
the end the `steps` of the game's levels. `--only` measures some steps, counted from 1. The hardest
thinks as long as it may, so its step takes most of the time; `--top 4000` limits its playouts.

Examples: ``--games cassino paks --groups 100 --jobs 2``; ``--games canasta --only 1 6``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise

from cardroom_base.core.names import LEVELS
from engine.registry import BUILT_IN
from tests.strength.levels import measured

FORMATS = {
    "canasta": "canasta/classic/1v1?deals=1",
    "cassino": "cassino/standard/1v1?deals=1",
    "paks": "paks/standard/1v1?deals=1",
    "spoon-eye": "spoon-eye/standard/1v1?deals=1&target=0",
    "zwicker": "zwicker/grupp/1v1?deals=1",
}
"""One deal of each game; at Spoon Eye without a target, so that the bonus counts."""


def players(top: int) -> list[str]:
    """The scale, as players are written; `top`: playouts of the hardest, 0: by time."""
    *levels, hardest = LEVELS
    return [*levels, f"expert:{top}" if top else hardest]


def steps(
    fmt: str, scale: Sequence[str], groups: int, jobs: int, only: Sequence[int] = ()
) -> list[int | None]:
    """By how much each of `scale` is above the one before it; None: not measured."""
    found: list[int | None] = []
    for number, (weaker, better) in enumerate(pairwise(scale), 1):
        if only and number not in only:
            found.append(None)
            continue
        tally = measured(fmt, weaker, better, groups, jobs)
        low, high = tally.interval
        found.append(round(tally.elo(tally.share)))
        print(
            f"{fmt}  {better} above {weaker}: {found[-1]:+d} "
            f"[{tally.elo(low):+.0f}, {tally.elo(high):+.0f}], {tally.won:g} of {groups} groups",
            flush=True,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.scale", description=__doc__)
    parser.add_argument("--games", nargs="+", default=list(BUILT_IN), choices=sorted(FORMATS))
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--top", type=int, default=0, metavar="PLAYOUTS")
    parser.add_argument("--only", type=int, nargs="+", default=[], metavar="STEP")
    asked = parser.parse_args()
    for game in asked.games:
        row = steps(FORMATS[game], players(asked.top), asked.groups, asked.jobs, asked.only)
        order = "in order" if all(step is None or step > 0 for step in row) else "NOT in order"
        print(f'"{game}": {tuple(row)},  # {order}', flush=True)


if __name__ == "__main__":
    main()
