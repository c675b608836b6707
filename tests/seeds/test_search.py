"""The search bot plays every format, is repeatable, and beats greedy."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Format, Match, all_formats
from tests.seeds.playing import load_module


def start_bot(fmt: Format, seat: int, move_ms: int, name: str = "search") -> Any:
    bot = load_module(name).Bot()
    clock = {"move_ms": move_ms, "bank_ms": 0}
    bot.start({"format": str(fmt), "seat": seat, "rng": f"search-{seat}", "clock": clock})
    return bot


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_plays_every_format(fmt: Format) -> None:
    match = Match(fmt, "every")
    bots = [start_bot(fmt, seat, 50) for seat in range(fmt.seats)]
    for _ in range(4):
        if match.turn is None:
            break
        move = bots[match.turn].choose(match.view(match.turn), match.legal_moves())
        match.play(move)


def test_moves_are_repeatable() -> None:
    fmt = Format.parse("cassino/standard/1v1")
    match = Match(fmt, "again")
    assert match.turn is not None
    view, legal = match.view(match.turn), match.legal_moves()
    bots = [start_bot(fmt, match.turn, 500) for _ in range(2)]
    for bot in bots:
        bot.seconds = 60  # so that the number of playouts ends the search on any machine
    first, second = ([bot.choose(view, legal) for _ in range(2)] for bot in bots)
    assert first == second


def test_finds_the_best_last_move() -> None:
    """Without hidden cards, the last move captures the most points."""
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
    move = start_bot(fmt, seat, 1000).choose(match.view(seat), match.legal_moves())
    assert gains[move] == max(gains.values())


def test_plays_to_the_end_of_the_deal_in_games_without_a_tally(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A game may have no tally, so only the end of a deal shows the value of a move."""
    fmt = Format.parse("cassino/standard/1v1")
    monkeypatch.setattr(type(fmt.spec), "tally", lambda _self, _fmt, _view: [])
    match = Match(fmt, "blind")
    assert match.turn is not None
    bot = start_bot(fmt, match.turn, 50)
    bot.seconds = 60
    ends: list[int | None] = []
    lead = bot.lead

    def recording_lead(match: Match, seat: int) -> Any:
        ends.append(match.turn)
        return lead(match, seat)

    bot.lead = recording_lead
    assert bot.choose(match.view(match.turn), match.legal_moves()) in match.legal_moves()
    assert ends
    assert set(ends) == {None}


def test_beats_greedy() -> None:
    """Both play each deal on each side; the number of playouts limits the search, not time."""
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    ahead = 0
    for seed in ("a", "b"):
        for side in (0, 1):
            match = Match(fmt, seed)
            bots = [
                start_bot(fmt, seat, 100, ("search", "greedy")[seat != side]) for seat in (0, 1)
            ]
            bots[side].seconds = 60
            while match.turn is not None:
                match.play(bots[match.turn].choose(match.view(match.turn), match.legal_moves()))
            ahead += match.scores[side] - match.scores[1 - side]
    assert ahead > 0
