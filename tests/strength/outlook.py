"""`python -m tests.strength.outlook`: do sides win as often as the expert forecasts?

The game's own house bot plays matches against itself. At every fifth decision, on average, the
expert estimates the chance of the seat's side to win, as analyses do. The table compares it with
the results (a draw is half a win). Decisions of one match depend on each other, so the error is
computed from the means of matches.

Example: ``cassino/standard/1v1 --matches 100``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from math import sqrt
from random import Random

from engine import Format
from engine.search import consider
from tests.strength.games import GroupMatch

EVERY = 5
"""The expert estimates the chance at one of this number of decisions."""
TENTHS = 10

Forecast = tuple[int, float, float]
"""Number of the match, estimated chance, and result: 1, 0 or a share of a win."""


def measure(fmt: Format, bot: str, matches: int, playouts: int) -> Iterator[Forecast]:
    """Forecasts of this number of matches, with their results."""
    for number in range(matches):
        yield from _match(fmt, bot, number, playouts)


def _match(fmt: Format, bot: str, number: int, playouts: int) -> list[Forecast]:
    seats = tuple(0 for _ in range(fmt.seats))
    table = GroupMatch(fmt, seats, bot, bot, "outlook", number)
    match, rng = table.match, Random(f"outlook {number}")
    chances: list[tuple[int, float]] = []
    while match.turn is not None:
        seat, legal = match.turn, match.legal_moves()
        if len(legal) > 1 and rng.random() * EVERY < 1:
            events = match.events(seat)
            estimates = consider(match.view(seat), legal, rng, playouts, seen=events)
            chances.append((fmt.side(seat), estimates[0].win))
        match.play(table.choose(seat))
    assert match.result is not None
    winners = match.result["winners"]
    return [(number, chance, (side in winners) / len(winners)) for side, chance in chances]


def group_by_tenths(forecasts: Iterable[Forecast]) -> list[str]:
    """Rows of a table: interval of the chance, decisions, mean chance, share of wins."""
    classes: list[list[Forecast]] = [[] for _ in range(TENTHS)]
    for forecast in forecasts:
        classes[min(TENTHS - 1, int(forecast[1] * TENTHS))].append(forecast)
    return [_row(place, group) for place, group in enumerate(classes) if group]


def _row(place: int, forecasts: list[Forecast]) -> str:
    count = len(forecasts)
    mean_chance = sum(chance for _, chance, _ in forecasts) / count
    win_share = sum(result for *_, result in forecasts) / count
    deviations: dict[int, float] = {}
    for number, _, result in forecasts:
        deviations[number] = deviations.get(number, 0.0) + result - win_share
    squares = sum(deviation * deviation for deviation in deviations.values())
    half = 1.96 * sqrt(squares) / count
    low, high = 100 * place // TENTHS, 100 * (place + 1) // TENTHS
    return (
        f"| {low} to {high} % | {count} | {mean_chance:.0%} | {win_share:.0%} ± {100 * half:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.outlook", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--bot", help="the bot that plays, instead of the game's own house bot")
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--playouts", type=int, default=100)
    arguments = parser.parse_args()
    fmt = Format.parse(arguments.format)
    bot = arguments.bot or f"house:{fmt.game}"
    print(f"{fmt}, {bot}, {arguments.matches} matches, {arguments.playouts} playouts")
    print("| chance said | decisions | mean | won |\n|---|---|---|---|")
    for row in group_by_tenths(measure(fmt, bot, arguments.matches, arguments.playouts)):
        print(row)


if __name__ == "__main__":
    main()
