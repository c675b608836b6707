"""The search bot: plays every format, and the same match again."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Format, Match, all_formats
from tests.seeds.playing import module


def searcher(fmt: Format, seat: int, move_ms: int) -> Any:
    bot = module("search").Bot()
    clock = {"move_ms": move_ms, "bank_ms": 0}
    bot.start({"format": str(fmt), "seat": seat, "rng": f"search-{seat}", "clock": clock})
    return bot


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_answers_in_every_format(fmt: Format) -> None:
    match = Match(fmt, "every")
    bots = [searcher(fmt, seat, 50) for seat in range(fmt.seats)]
    for _ in range(4):
        if match.turn is None:
            break
        move = bots[match.turn].choose(match.view(match.turn), match.legal_moves())
        match.play(move)


def test_answers_the_same_again() -> None:
    fmt = Format.parse("cassino/standard/1v1")
    match = Match(fmt, "again")
    assert match.turn is not None
    view, legal = match.view(match.turn), match.legal_moves()
    bots = [searcher(fmt, match.turn, 500) for _ in range(2)]
    for bot in bots:
        bot.seconds = 60  # the number of playouts ends the search, however slow the machine
    first, second = ([bot.choose(view, legal) for _ in range(2)] for bot in bots)
    assert first == second


def test_takes_what_decides_the_last_move() -> None:
    """With nothing hidden and one move to go, the capture of points is found."""
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    match = Match(fmt, "last")
    while match.turn is not None and sum(match.view(0)["hand_sizes"]) + match.view(0)["stock"] > 2:
        match.play(match.legal_moves()[0])
    assert match.turn is not None
    seat, gains = match.turn, {}
    for move in match.legal_moves():
        after = match.copy()
        after.step(move)
        while after.turn is not None:
            after.step(after.legal_moves()[0])
        gains[move] = after.scores[seat] - after.scores[1 - seat]
    chosen = searcher(fmt, seat, 1000).choose(match.view(seat), match.legal_moves())
    assert gains[chosen] == max(gains.values())
