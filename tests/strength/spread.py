"""`python -m tests.strength.spread`: how far a side is ahead in one deal, equally strong bots.

For each format the standard deviation over `--deals` deals, both sides played by the game's own
house bot: the values of `Game.spread`.
"""

from __future__ import annotations

import argparse
from statistics import fmean, stdev

from engine import Format
from tests.strength.games import Table

FORMATS = {
    "cassino/standard/1v1?deals=1": "house:cassino",
    "cassino/standard/2v2?deals=1": "house:cassino",
    "canasta/classic/1v1?deals=1": "house:canasta",
    "canasta/classic/2v2?deals=1": "house:canasta",
    "paks/standard/1v1?deals=1": "house:paks",
    "paks/standard/2v2?deals=1": "house:paks",
    "spoon-eye/standard/1v1?deals=1&target=0": "house:spoon-eye",
    "spoon-eye/standard/2v2?deals=1&target=0": "house:spoon-eye",
    "zwicker/grupp/1v1?deals=1": "house:zwicker",
}


def leads(fmt_text: str, bot: str, deals: int) -> list[float]:
    """By deal, how far the first side was ahead of the second."""
    fmt = Format.parse(fmt_text)
    seats = tuple(fmt.side(seat) for seat in range(fmt.seats))
    found: list[float] = []
    for number in range(deals):
        table = Table(fmt, seats, bot, bot, "spread", number)
        table.play()
        scores = table.match.scores
        found.append(float(scores[0] - scores[1]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.spread", description=__doc__)
    parser.add_argument("--deals", type=int, default=200)
    asked = parser.parse_args()
    for fmt, bot in FORMATS.items():
        found = leads(fmt, bot, asked.deals)
        print(f"{fmt:45s} {stdev(found):8.1f} (mean {fmean(found):+.1f}, {asked.deals} deals)")


if __name__ == "__main__":
    main()
