"""`python -m tests.strength.scale`: measures the opponent scale, step by step, in one or all games.

Each bot of the scale (`cardroom_tables.strength`) plays deal groups of one deal, for two players,
against the bot before it. It prints the difference of their ratings with its 95 % interval, and at
the end the `steps` of the game's levels. `--only` selects steps, counted from 1. The strongest bot
thinks as long as it may, so its step takes most of the time; `--top 4000` limits its playouts.

Examples: ``--games cassino paks --groups 100 --jobs 2``; ``--games canasta --only 1 6``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise

from cardroom_base.core.names import LEVELS
from engine.registry import BUILT_IN
from tests.strength.levels import play_pair

FORMATS = {
    "canasta": "canasta/classic/1v1?deals=1",
    "cassino": "cassino/standard/1v1?deals=1",
    "paks": "paks/standard/1v1?deals=1",
    "spoon-eye": "spoon-eye/standard/1v1?deals=1&target=0",
    "zwicker": "zwicker/grupp/1v1?deals=1",
}
"""One deal of each game; Spoon Eye has no target, so that the bonus counts."""


def players(top: int) -> list[str]:
    """The scale as texts for `players.player`; `top`: playouts of the strongest, 0 for no limit."""
    *levels, strongest = LEVELS
    return [*levels, f"expert:{top}" if top else strongest]


def steps(
    fmt: str, scale: Sequence[str], groups: int, jobs: int, only: Sequence[int] = ()
) -> list[int | None]:
    """The Elo of each player of `scale` above the previous one; None: not measured."""
    differences: list[int | None] = []
    for number, (weaker, better) in enumerate(pairwise(scale), 1):
        if only and number not in only:
            differences.append(None)
            continue
        tally = play_pair(fmt, weaker, better, groups, jobs)
        low, high = tally.interval
        differences.append(round(tally.elo(tally.share)))
        print(
            f"{fmt}  {better} above {weaker}: {differences[-1]:+d} "
            f"[{tally.elo(low):+.0f}, {tally.elo(high):+.0f}], {tally.won:g} of {groups} groups",
            flush=True,
        )
    return differences


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.scale", description=__doc__)
    parser.add_argument("--games", nargs="+", default=list(BUILT_IN), choices=sorted(FORMATS))
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--top", type=int, default=0, metavar="PLAYOUTS")
    parser.add_argument("--only", type=int, nargs="+", default=[], metavar="STEP")
    arguments = parser.parse_args()
    for game in arguments.games:
        row = steps(
            FORMATS[game], players(arguments.top), arguments.groups, arguments.jobs, arguments.only
        )
        order = "in order" if all(step is None or step > 0 for step in row) else "NOT in order"
        print(f'"{game}": {tuple(row)},  # {order}', flush=True)


if __name__ == "__main__":
    main()
