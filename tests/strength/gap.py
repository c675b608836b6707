"""`python -m tests.strength.gap`: compares the expert with a player that sees all cards.

Both play the same deal groups against the game's own house bot, with the same number of playouts.
It prints the expert's lead as a share of the seeing player's lead.

Example: ``cassino/standard/1v1?deals=1 --playouts 300 --groups 60``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import sqrt

from engine import Format
from tests.strength.games import play
from tests.strength.players import SEEING


def leads(fmt: str, one: str, other: str, groups: int, jobs: int) -> list[float]:
    """The lead of `one` over `other` in each group."""
    played_groups = play(fmt, one, other, groups=groups, jobs=jobs)
    return [group.ahead for group in sorted(played_groups, key=lambda group: group.number)]


def share(own: Sequence[float], seeing: Sequence[float]) -> tuple[float, float]:
    """The share of the gap and its standard error (jackknife over at least two groups).

    Raises ValueError if the seeing player was not ahead, because then there is no gap to measure.
    """
    n, own_sum, gap = len(own), sum(own), sum(seeing)
    if gap <= 0:
        raise ValueError("The seeing player was not ahead: use more groups or more playouts.")
    estimates = [
        (own_sum - a) / (gap - b) if gap > b else float("inf")
        for a, b in zip(own, seeing, strict=True)
    ]
    mean = sum(estimates) / n
    variance = (n - 1) / n * sum((estimate - mean) ** 2 for estimate in estimates)
    return own_sum / gap, sqrt(variance)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.gap", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--playouts", type=int, default=300)
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    house, expert = f"house:{Format.parse(arguments.format).game}", f"expert:{arguments.playouts}"
    own, seeing = [
        leads(arguments.format, one, house, arguments.groups, arguments.jobs)
        for one in (expert, f"{expert},{SEEING}")
    ]
    part, error = share(own, seeing)
    print(
        f"{arguments.format}  {expert} is {sum(own) / len(own):+.2f} points a group ahead "
        f"of {house}, a player that sees all cards {sum(seeing) / len(seeing):+.2f}: "
        f"{part:.0%} ± {1.96 * error:.0%} of the gap, {arguments.groups} groups"
    )


if __name__ == "__main__":
    main()
