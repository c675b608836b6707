"""The expert's answers: for all moves, repeatable, and from the seat's knowledge alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine import Format, Match, all_formats
from engine.search import SearchResult, consider
from engine.search.belief_sampling import Beliefs
from engine.search.expert import Ablation
from engine.search.tree import STOP_INTERVAL, Tree


def consider_turn(match: Match, playouts: int, seed: int = 1) -> list[SearchResult]:
    assert match.turn is not None
    legal = match.legal_moves()
    return consider(match.view(match.turn), legal, Random(seed), playouts)


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_judges_every_legal_move_in_every_format(fmt: Format) -> None:
    match, rng = Match(fmt, "every"), Random(7)
    for _ in range(3):
        assert match.turn is not None
        choices = consider_turn(match, 6)
        assert sorted(choice.move for choice in choices) == sorted(match.legal_moves())
        assert all(0 <= choice.win <= 1 and choice.error >= 0 for choice in choices)
        match.play(choices[0].move)
        match.play(rng.choice(match.legal_moves()))


def test_answers_are_repeatable() -> None:
    match = Match("cassino/standard/1v1", "again")
    assert consider_turn(match, 40) == consider_turn(match, 40)
    assert consider_turn(match, 40) != consider_turn(match, 40, seed=2)


def test_a_required_move_is_tried() -> None:
    match = Match("paks/standard/1v1", "also")
    assert match.turn is not None
    legal = match.legal_moves()
    view, last_move = match.view(match.turn), legal[-1]
    choices = consider(view, legal, Random(1), 64, also=[last_move])
    assert next(choice.visits for choice in choices if choice.move == last_move) >= 8


def test_the_search_stops_on_request() -> None:
    match = Match("zwicker/grupp/1v1", "stop")
    assert match.turn is not None
    asked_of: list[bool] = []

    def stop() -> bool:
        asked_of.append(True)
        return len(asked_of) > 3

    choices = consider(match.view(match.turn), match.legal_moves(), Random(1), 500, stop=stop)
    assert 1 <= sum(choice.visits for choice in choices) <= 3
    assert len(choices) == len(match.legal_moves())


@pytest.mark.parametrize("text", ["canasta/pre-1951/2v2v2", "paks/standard/2v2"])
def test_a_playout_is_abandoned_at_the_time_limit(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without advice a playout runs to the end of the deal, for hundreds of moves."""
    match = Match(text, "long")
    assert match.turn is not None
    playouts: list[bool] = []
    reply = Tree._reply

    def counted(tree: Tree, deal: Any) -> None:
        playouts.append(True)
        reply(tree, deal)

    monkeypatch.setattr(Tree, "_reply", counted)
    choices = consider(
        match.view(match.turn),
        match.legal_moves(),
        Random(1),
        500,
        stop=lambda: len(playouts) > 20,
        ablation=Ablation(plain=True),
    )
    assert len(playouts) <= 20 + STOP_INTERVAL
    assert sum(choice.visits for choice in choices) == 0
    assert len(choices) == len(match.legal_moves())


def test_refuses_the_view_of_a_seat_that_is_not_to_move() -> None:
    match = Match("cassino/standard/1v1", "turn")
    assert match.turn is not None
    with pytest.raises(ValueError, match="not the turn"):
        consider(match.view(1 - match.turn), match.legal_moves(), Random(1), 1)


def test_finds_the_best_last_move_when_all_is_known() -> None:
    match = Match("cassino/standard/1v1?deals=1", "last")
    while match.turn is not None and sum(match.view(0)["hand_sizes"]) + match.view(0)["stock"] > 2:
        match.play(match.legal_moves()[0])
    assert match.turn is not None
    seat, gains = match.turn, {}
    for move in match.legal_moves():
        next_position = match.copy()
        next_position.step(move)
        while next_position.turn is not None:
            next_position.step(next_position.legal_moves()[0])
        gains[move] = next_position.scores[seat] - next_position.scores[1 - seat]
    choices = consider_turn(match, 200)
    assert gains[choices[0].move] == max(gains.values())
    assert choices[0].points == gains[choices[0].move]


def test_hindsight_uses_the_true_cards() -> None:
    match = Match("cassino/standard/1v1", seed="hindsight")
    view, hands = match.view(0), match.view(None)["hands"]
    guesses = [Beliefs(view, Random(n)).deal().view(-1)["hands"] for n in range(20)]
    assert any(guess != hands for guess in guesses)
    beliefs = Beliefs(view, Random(1), truth=match)
    assert all(beliefs.deal().view(-1)["hands"] == hands for _ in range(20))


@pytest.mark.parametrize("fmt", ["cassino/standard/1v1?deals=1", "zwicker/grupp/1v1?deals=1"])
def test_the_end_of_a_deal_for_two_is_solved(fmt: str) -> None:
    """The values equal those of a full search, without errors."""
    match, rng = Match(fmt, "ends"), Random("ends")
    while match.turn is not None and not _near_the_end(match):
        match.play(rng.choice(match.legal_moves()))
    seat = match.turn
    assert seat is not None, "the seed must leave a choice"
    scores = match.scores
    solution = consider(match.view(seat), match.legal_moves(), rng, 2000)
    for choice in solution:
        assert choice.error == 0.0
        assert choice.points == _worth(match, choice.move, seat, scores)


def _near_the_end(match: Match) -> bool:
    """Whether few cards are left, all are known, and there is a choice."""
    view = match.view(None)
    cards = sum(len(hand) for hand in view["hands"])
    return cards <= 4 and not view["stock"] and len(match.legal_moves()) > 1


def _worth(match: Match, move: str, seat: int, scores: list[int]) -> float:
    """The final gain of a seat after a move, by a full search."""
    next_position = match.copy()
    next_position.play(move)
    if next_position.turn is None:
        gained = [
            final - initial for final, initial in zip(next_position.scores, scores, strict=True)
        ]
        return float(gained[seat] - gained[1 - seat])
    values = [_worth(next_position, reply, seat, scores) for reply in next_position.legal_moves()]
    return max(values) if next_position.turn == seat else min(values)
