"""`python -m tests.strength.levels`: measures the differences between the expert's levels.

Each level plays deal groups against the next weaker one. The player that leads over all matches of
a group wins it. It prints the difference of ratings with its 95 % interval. `--ladder` replaces the
levels by other players, weakest first, each written as playouts and the share of moves that it
overlooks. Use it to choose the shares of a game's levels.

Examples: ``cassino/standard/1v1?deals=1 --groups 100``; ``paks/standard/1v1?deals=1 --ladder 20,0.6
60,0.3 200,0.1``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise

from engine.search import LEVELS
from tests.strength.games import GroupTotals, play


def play_pair(fmt: str, weaker: str, better: str, groups: int, jobs: int) -> GroupTotals:
    """Play the groups of one step."""
    tally = GroupTotals([])
    for group in play(fmt, better, weaker, groups=groups, jobs=jobs, seed="levels"):
        tally.add(group)
    return tally


def players(ladder: Sequence[str]) -> list[str]:
    """The players of a ladder as texts for `players.player`; the levels if it is empty."""
    if ladder:
        return [f"expert:{text.removesuffix(',0')}" for text in ladder]
    return [f"house:expert-{number}" for number in LEVELS]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.levels", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ladder", nargs="+", default=[], metavar="PLAYOUTS,SHARE")
    arguments = parser.parse_args()
    for weaker, better in pairwise(players(arguments.ladder)):
        tally = play_pair(arguments.format, weaker, better, arguments.groups, arguments.jobs)
        elo, least, most = [f"{tally.elo(share):+.0f}" for share in (tally.share, *tally.interval)]
        ms = 1000 * tally.seconds / max(tally.decisions, 1)
        print(
            f"{arguments.format}  {better} above {weaker}: {elo} [{least}, {most}], "
            f"{tally.won:g} of {arguments.groups} groups; {ms:.0f} ms a decision",
            flush=True,
        )


if __name__ == "__main__":
    main()
