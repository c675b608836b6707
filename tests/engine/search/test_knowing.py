"""What the advisers of games remember for their seat, and what their policies play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import parse_cards
from engine.search.advice import adviser_of
from engine.search.belief_sampling import Beliefs


@pytest.mark.parametrize("table", ["1v1", "2v2"])
def test_what_lies_in_canastas_pile_is_remembered(table: str) -> None:
    """CAN-94 shows the top alone; who watched knows all of it, and guesses nothing else."""
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
            whole = parse_cards(match.view(None)["pile"]["cards"])
            assert pile == whole
            covered += len(pile) > 1 and view["pile"]["cards"] is None
            if len(pile) % 5 == 1:
                guess = Beliefs(view, rng, hands, pile).deal()
                assert guess.pile == whole
                assert sorted(guess.view(-1)["hands"][seat]) == sorted(view["hand"])
        match.play(rng.choice(match.legal_moves()))
    assert covered > 50


@pytest.mark.parametrize("table", ["1v1", "ffa3", "2v2", "3v3"])
def test_replies_at_paks_are_legal_and_none_with_whole_suits_looks_better(table: str) -> None:
    match, rng = Match(f"paks/standard/{table}?deals=1", "reply"), Random("reply")
    adviser = adviser_of(match.format)
    compared = 0
    while match.turn is not None:
        deal: Any = match._deal
        made = _reply(adviser, deal)
        deal.check(made)
        weights = dict(zip(deal.legal(), adviser.weigh(deal), strict=True))
        if made in weights and deal.phase == "pak":
            for move in _whole(weights, match.view(match.turn)["hand"]):
                assert weights[move] <= weights[made]
                compared += 1
        match.play(rng.choice(match.legal_moves()))
    assert compared > 20


def _reply(adviser: Any, deal: Any) -> str:
    """The move that the policy makes."""
    log: list[Any] = []
    adviser.reply(deal.copy(log))
    return str(next(event[1]["move"] for event in log if event[0] == "move"))


def _whole(moves: Iterable[str], hand: Sequence[str]) -> list[str]:
    """The moves that play all cards of a suit, and the end of the turn."""
    suits = {
        "+".join(card for card in hand if card[1] == suit) for suit in {card[1] for card in hand}
    }
    return [move for move in moves if move == "end" or move[4:].partition(">")[0] in suits]
