"""`python -m tests.strength.lead_sd`: measures `Game.lead_sd`, the deviation of a deal's lead.

In each format, the game's own house bot plays `--deals` deals on both sides. It prints the standard
deviation of the lead.
"""

from __future__ import annotations

import argparse
from statistics import fmean, stdev

from engine import Format
from tests.strength.games import GroupMatch

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
    """The first side's lead over the second in each deal."""
    fmt = Format.parse(fmt_text)
    seats = tuple(fmt.side(seat) for seat in range(fmt.seats))
    differences: list[float] = []
    for number in range(deals):
        table = GroupMatch(fmt, seats, bot, bot, "spread", number)
        table.play()
        scores = table.match.scores
        differences.append(float(scores[0] - scores[1]))
    return differences


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.lead_sd", description=__doc__)
    parser.add_argument("--deals", type=int, default=200)
    arguments = parser.parse_args()
    for fmt, bot in FORMATS.items():
        differences = leads(fmt, bot, arguments.deals)
        print(
            f"{fmt:45s} {stdev(differences):8.1f} "
            f"(mean {fmean(differences):+.1f}, {arguments.deals} deals)"
        )


if __name__ == "__main__":
    main()
