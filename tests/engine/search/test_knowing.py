"""Knowledge of advisers for their seat, and moves of their policies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import parse_cards
from engine.search.advisers import adviser_of
from engine.search.belief_sampling import Beliefs


@pytest.mark.parametrize("table", ["1v1", "2v2"])
def test_the_adviser_remembers_canastas_pile(table: str) -> None:
    """CAN-94 shows only the top card; the adviser knows all from events, so guesses keep them."""
    match, rng = Match(f"canasta/classic/{table}?deals=2", "pile"), Random("pile")
    adviser = adviser_of(match.format)
    covered = 0
    while match.turn is not None:
        seat = match.turn
        view = match.view(seat)
        hands, pile = adviser.recall(view, match.events(seat, 0))
        assert all(
            len(cards) <= size for cards, size in zip(hands, view["hand_sizes"], strict=True)
        )
        if not view["step"]["pending"]:
            pile_cards = parse_cards(match.view(None)["pile"]["cards"])
            assert pile == pile_cards
            covered += len(pile) > 1 and view["pile"]["cards"] is None
            if len(pile) % 5 == 1:
                guess = Beliefs(view, rng, hands, pile).deal()
                assert guess.pile == pile_cards
                assert sorted(guess.view(-1)["hands"][seat]) == sorted(view["hand"])
        match.play(rng.choice(match.legal_moves()))
    assert covered > 50


@pytest.mark.parametrize("table", ["1v1", "ffa3", "2v2", "3v3"])
def test_replies_at_paks_are_legal_and_best_among_whole_suits(table: str) -> None:
    match, rng = Match(f"paks/standard/{table}?deals=1", "reply"), Random("reply")
    adviser = adviser_of(match.format)
    compared = 0
    while match.turn is not None:
        deal: Any = match._deal
        reply = _reply(adviser, deal)
        deal.check(reply)
        weights = dict(zip(deal.legal(), adviser.weigh(deal), strict=True))
        if reply in weights and deal.phase == "pak":
            for move in _whole_suit_moves(weights, match.view(match.turn)["hand"]):
                assert weights[move] <= weights[reply]
                compared += 1
        match.play(rng.choice(match.legal_moves()))
    assert compared > 20


def _reply(adviser: Any, deal: Any) -> str:
    """The policy's move."""
    log: list[Any] = []
    adviser.reply(deal.copy(log))
    return str(next(event[1]["move"] for event in log if event[0] == "move"))


def _whole_suit_moves(moves: Iterable[str], hand: Sequence[str]) -> list[str]:
    """The moves that play all cards of a suit, and the end of the turn."""
    suits = {
        "+".join(card for card in hand if card[1] == suit) for suit in {card[1] for card in hand}
    }
    return [move for move in moves if move == "end" or move[4:].partition(">")[0] in suits]
