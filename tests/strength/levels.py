"""`python -m tests.strength.levels`: how far apart the expert's levels are.

Each plays deal groups against the next weaker. Printed is what the rating of the better one is
above the other's (a group is won by who is ahead over all its matches), with 95 %. With `--ladder`
others than the levels play, each written as playouts and the share of moves overlooked, the weakest
first: so the shares of a game are found.

Examples: ``cassino/standard/1v1?deals=1 --groups 100``; ``paks/standard/1v1?deals=1 --ladder 20,0.6
60,0.3 200,0.1``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise

from engine.search import LEVELS
from tests.strength.games import Tally, play


def measured(fmt: str, weaker: str, better: str, groups: int, jobs: int) -> Tally:
    """The groups of one step."""
    tally = Tally([])
    for group in play(fmt, better, weaker, groups=groups, jobs=jobs, seed="levels"):
        tally.add(group)
    return tally


def players(ladder: Sequence[str]) -> list[str]:
    """As `tests.strength.players` reads them; without a ladder the levels."""
    if ladder:
        return [f"expert:{each.removesuffix(',0')}" for each in ladder]
    return [f"house:expert-{number}" for number in LEVELS]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.levels", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ladder", nargs="+", default=[], metavar="PLAYOUTS,SHARE")
    asked = parser.parse_args()
    for weaker, better in pairwise(players(asked.ladder)):
        tally = measured(asked.format, weaker, better, asked.groups, asked.jobs)
        elo, least, most = [f"{tally.elo(share):+.0f}" for share in (tally.share, *tally.interval)]
        took = 1000 * tally.seconds / max(tally.decisions, 1)
        print(
            f"{asked.format}  {better} above {weaker}: {elo} [{least}, {most}], "
            f"{tally.won:g} of {asked.groups} groups; {took:.0f} ms a decision",
            flush=True,
        )


if __name__ == "__main__":
    main()
