"""The search bot: plays every format, the same match again, and better than greedy."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Format, Match, all_formats
from tests.seeds.playing import module


def searcher(fmt: Format, seat: int, move_ms: int, name: str = "search") -> Any:
    bot = module(name).Bot()
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


def test_plays_to_the_end_of_the_deal_where_the_game_keeps_no_tally(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a third party's game may be: then only the end of a deal tells what a move was worth."""
    fmt = Format.parse("cassino/standard/1v1")
    monkeypatch.setattr(type(fmt.spec), "tally", lambda _self, _fmt, _view: [])
    match = Match(fmt, "blind")
    assert match.turn is not None
    bot = searcher(fmt, match.turn, 50)
    bot.seconds = 60
    ends: list[int | None] = []
    lead = bot.lead

    def noted(match: Match, seat: int) -> Any:
        ends.append(match.turn)
        return lead(match, seat)

    bot.lead = noted
    assert bot.choose(match.view(match.turn), match.legal_moves()) in match.legal_moves()
    assert ends
    assert set(ends) == {None}


def test_is_ahead_of_greedy() -> None:
    """Over deals that are played with sides changed; the number of playouts decides, no time."""
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    ahead = 0
    for seed in ("a", "b"):
        for side in (0, 1):
            match = Match(fmt, seed)
            bots = [searcher(fmt, seat, 100, ("search", "greedy")[seat != side]) for seat in (0, 1)]
            bots[side].seconds = 60
            while match.turn is not None:
                match.play(bots[match.turn].choose(match.view(match.turn), match.legal_moves()))
            ahead += match.scores[side] - match.scores[1 - side]
    assert ahead > 0
