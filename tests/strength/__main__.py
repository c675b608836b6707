"""`make strength`: deal groups between two players, how many the first won.

Examples: ``cassino/standard/1v1?deals=1 expert:300 house:cassino --groups 60``;
``expert:300 expert:300,plain`` says what the advice of a game is worth, ``expert:300,seeing`` how
well one could play who sees all cards.
"""

from __future__ import annotations

import argparse
import sys

from engine import match
from tests.strength.games import Tally, play


def main() -> None:
    parser = argparse.ArgumentParser(prog="make strength", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--groups", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", default="strength")
    asked = parser.parse_args()
    tally = Tally([])
    for group in play(
        asked.format, asked.one, asked.other, groups=asked.groups, jobs=asked.jobs, seed=asked.seed
    ):
        tally.add(group)
        if sys.stderr.isatty():
            print(f"{len(tally.ahead)} groups, {tally.won:g} won", end="\r", file=sys.stderr)
    low, high = tally.interval
    elo, least, most = [f"{tally.elo(share):+.0f}" for share in (tally.share, low, high)]
    way = "interpreted" if (match.__file__ or "").endswith(".py") else "compiled"
    print(
        f"{asked.format}  {asked.one} against {asked.other}: {tally.won:g} of {asked.groups} groups"
        f" won, {tally.share:.0%} [{low:.0%}, {high:.0%}], Elo {elo} [{least}, {most}]"
        f"; {tally.mean:+.2f} ± {tally.error:.2f}"
        f" points a group; {1000 * tally.seconds / max(tally.decisions, 1):.0f} ms a decision"
        f" ({way})"
    )


if __name__ == "__main__":
    main()
