"""`make strength`: plays deal groups between two players and prints how many the first one won.

Examples: ``cassino/standard/1v1?deals=1 expert:300 house:cassino --groups 60``;
``expert:300 expert:300,plain`` measures the value of a game's adviser, ``expert:300,seeing`` the
strength of a player that sees all cards.
"""

from __future__ import annotations

import argparse
import sys

from engine import match
from tests.strength.games import GroupTotals, play


def main() -> None:
    parser = argparse.ArgumentParser(prog="make strength", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--groups", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", default="strength")
    arguments = parser.parse_args()
    tally = GroupTotals([])
    for group in play(
        arguments.format,
        arguments.one,
        arguments.other,
        groups=arguments.groups,
        jobs=arguments.jobs,
        seed=arguments.seed,
    ):
        tally.add(group)
        if sys.stderr.isatty():
            print(f"{len(tally.ahead)} groups, {tally.won:g} won", end="\r", file=sys.stderr)
    low, high = tally.interval
    elo, least, most = [f"{tally.elo(share):+.0f}" for share in (tally.share, low, high)]
    mode = "interpreted" if (match.__file__ or "").endswith(".py") else "compiled"
    print(
        f"{arguments.format}  {arguments.one} against {arguments.other}: "
        f"{tally.won:g} of {arguments.groups} groups won, "
        f"{tally.share:.0%} [{low:.0%}, {high:.0%}], Elo {elo} [{least}, {most}]"
        f"; {tally.mean:+.2f} ± {tally.error:.2f}"
        f" points a group; {1000 * tally.seconds / max(tally.decisions, 1):.0f} ms a decision"
        f" ({mode})"
    )


if __name__ == "__main__":
    main()
