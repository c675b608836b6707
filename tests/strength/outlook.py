"""`python -m tests.strength.outlook`: do sides win as often as their chance to win says?

Matches among the game's own house bot. At each decision of every fifth the expert says the chance
of the seat's side, as analyses do; then it is seen who wins (a draw is half a win). Decisions of
one match are no separate witnesses: the error is that of the matches' means.

Example: ``cassino/standard/1v1 --matches 100``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from math import sqrt
from random import Random

from engine import Format
from engine.search import consider
from tests.strength.games import Table

EVERY = 5
"""Of so many decisions one is asked about."""
TENTHS = 10

Said = tuple[int, float, float]
"""Number of the match, the chance that was said, and what came: 1, 0 or a share of a win."""


def measure(fmt: Format, bot: str, matches: int, playouts: int) -> Iterator[Said]:
    """What was said at decisions of so many matches, and what came of it."""
    for number in range(matches):
        yield from _match(fmt, bot, number, playouts)


def _match(fmt: Format, bot: str, number: int, playouts: int) -> list[Said]:
    seats = tuple(0 for _ in range(fmt.seats))
    table = Table(fmt, seats, bot, bot, "outlook", number)
    match, rng = table.match, Random(f"outlook {number}")
    said: list[tuple[int, float]] = []
    while match.turn is not None:
        seat, legal = match.turn, match.legal_moves()
        if len(legal) > 1 and rng.random() * EVERY < 1:
            seen = match.events(seat)
            found = consider(match.view(seat), legal, rng, playouts, seen=seen)
            said.append((fmt.side(seat), found[0].win))
        match.play(table.choose(seat))
    assert match.result is not None
    winners = match.result["winners"]
    return [(number, chance, (side in winners) / len(winners)) for side, chance in said]


def by_tenths(found: Iterable[Said]) -> list[str]:
    """Rows of a table: chance said, decisions, mean of the chances, how many won."""
    classes: list[list[Said]] = [[] for _ in range(TENTHS)]
    for each in found:
        classes[min(TENTHS - 1, int(each[1] * TENTHS))].append(each)
    return [_row(place, row) for place, row in enumerate(classes) if row]


def _row(place: int, row: list[Said]) -> str:
    said = sum(chance for _, chance, _ in row) / len(row)
    won = sum(came for *_, came in row) / len(row)
    off: dict[int, float] = {}
    for number, _, came in row:
        off[number] = off.get(number, 0.0) + came - won
    half = 1.96 * sqrt(sum(each * each for each in off.values())) / len(row)
    low, high = 100 * place // TENTHS, 100 * (place + 1) // TENTHS
    return f"| {low} to {high} % | {len(row)} | {said:.0%} | {won:.0%} ± {100 * half:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.outlook", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--bot", help="who plays, if not the game's own house bot")
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--playouts", type=int, default=100)
    asked = parser.parse_args()
    fmt = Format.parse(asked.format)
    bot = asked.bot or f"house:{fmt.game}"
    print(f"{fmt}, {bot}, {asked.matches} matches, {asked.playouts} playouts")
    print("| chance said | decisions | mean | won |\n|---|---|---|---|")
    for row in by_tenths(measure(fmt, bot, asked.matches, asked.playouts)):
        print(row)


if __name__ == "__main__":
    main()
