"""`python -m tests.strength.gap`: the share of what seeing all cards is worth that the expert has.

Both play the same deal groups against the game's own house bot, with the same number of playouts.
The share is what the expert was ahead divided by what the seeing player was ahead.

Example: ``cassino/standard/1v1?deals=1 --playouts 300 --groups 60``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import sqrt

from engine import Format
from tests.strength.games import play
from tests.strength.players import SEEING


def ahead(fmt: str, one: str, other: str, groups: int, jobs: int) -> list[float]:
    """By group, how far `one` was ahead of `other`."""
    found = play(fmt, one, other, groups=groups, jobs=jobs)
    return [group.ahead for group in sorted(found, key=lambda group: group.number)]


def share(own: Sequence[float], seeing: Sequence[float]) -> tuple[float, float]:
    """The share of the gap and its standard error (jackknife over groups, two at least).

    ValueError where who sees all cards was not ahead: then there is no gap to measure.
    """
    n, whole, gap = len(own), sum(own), sum(seeing)
    if gap <= 0:
        raise ValueError("Who sees all cards was not ahead: more groups, or more playouts.")
    without = [
        (whole - a) / (gap - b) if gap > b else float("inf")
        for a, b in zip(own, seeing, strict=True)
    ]
    mean = sum(without) / n
    return whole / gap, sqrt((n - 1) / n * sum((each - mean) ** 2 for each in without))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.gap", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--playouts", type=int, default=300)
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    house, expert = f"house:{Format.parse(asked.format).game}", f"expert:{asked.playouts}"
    own, seeing = [
        ahead(asked.format, one, house, asked.groups, asked.jobs)
        for one in (expert, f"{expert},{SEEING}")
    ]
    part, error = share(own, seeing)
    print(
        f"{asked.format}  {expert} is {sum(own) / len(own):+.2f} points a group ahead of {house}, "
        f"who sees all cards {sum(seeing) / len(seeing):+.2f}: "
        f"{part:.0%} ± {1.96 * error:.0%} of the gap, {asked.groups} groups"
    )


if __name__ == "__main__":
    main()
