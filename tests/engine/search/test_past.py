"""Inferring hidden cards from others' moves."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from engine import Match
from engine.search.advisers import adviser_of
from engine.search.belief_sampling import Beliefs
from engine.search.expert import Ablation, consider
from engine.search.opponent_model import IMPOSSIBLE, OpponentModel

FORMATS = [
    "cassino/standard/1v1",
    "cassino/royal/2v2?deals=1",
    "cassino/spade/ffa3?deals=1",
]


def played(text: str, seed: int, moves: int) -> Match:
    """A match after a number of moves, each the adviser's first choice or random."""
    match, rng = Match(text, seed=f"past {seed}"), Random(seed)
    adviser = adviser_of(match.format)
    for _ in range(moves):
        if match.turn is None:
            break
        weights = adviser.weigh(match.sketch()._deal)
        any_place = int(rng.random() * len(weights))
        place = any_place if rng.random() < 0.3 else weights.index(max(weights))
        match.play(match.legal_moves()[place])
    return match


def past_of(match: Match) -> OpponentModel:
    seat = match.turn
    assert seat is not None
    adviser = adviser_of(match.format)
    deal = Beliefs(match.view(seat), Random(1)).deal()
    return OpponentModel(adviser, adviser.observations(deal, match.events(seat)))


@pytest.mark.parametrize("text", FORMATS)
def test_actual_moves_are_never_impossible(text: str) -> None:
    checks = 0
    for seed in range(12):
        match = played(text, seed, 3 + 5 * seed)
        if match.turn is None:
            continue
        past = past_of(match)
        checks += len(past.observations)
        regrets = [
            observation.regret(past.adviser, match.sketch()._deal)
            for observation in past.observations
        ]
        assert all(0.0 <= regret < IMPOSSIBLE for regret in regrets)
        assert all(observation.deal.turn != match.turn for observation in past.observations)
    assert checks > 12


@pytest.mark.parametrize("text", FORMATS)
def test_the_past_starts_at_the_last_deal_of_hands(text: str) -> None:
    match = played(text, 3, 11)
    seat = match.turn
    events = match.events(seat)
    last_deal = max(n for n, event in enumerate(events) if event["type"] in ("deal", "redeal"))
    others = [e for e in events[last_deal:] if e["type"] == "move" and e["seat"] != seat]
    assert len(past_of(match).observations) == len(others) > 0


def test_guesses_give_a_builder_a_card_for_its_build() -> None:
    """This holds for every build of another seat on the table."""
    without_card = guesses = 0
    for seed in range(60):
        match = played("cassino/standard/1v1?deals=1", seed, 4 + seed % 30)
        if match.turn is None:
            continue
        past, rng = past_of(match), Random(seed)
        fair, sure = Beliefs(match.view(match.turn), rng), Beliefs(match.view(match.turn), rng)
        sure.opponents = past if past.observations else None
        for _ in range(4):
            without_card += past.regret(fair.deal(), IMPOSSIBLE) >= IMPOSSIBLE
            guesses += past.regret(sure.deal(), IMPOSSIBLE) >= IMPOSSIBLE
    assert 4 * guesses < without_card


def test_the_true_hands_are_likelier_than_random_ones() -> None:
    true, fair = [], []
    for seed in range(40):
        match = played("cassino/standard/1v1?deals=1", seed, 5 + seed % 24)
        if match.turn is None:
            continue
        past = past_of(match)
        guess = Beliefs(match.view(match.turn), Random(seed)).deal()
        true.append(min(5.0, past.regret(match.sketch()._deal, IMPOSSIBLE)))
        fair.append(min(5.0, past.regret(guess, IMPOSSIBLE)))
    assert fmean(true) < fmean(fair)


def test_positions_and_missing_events_have_no_past() -> None:
    match = played("cassino/standard/1v1", 1, 6)
    seat = match.turn
    assert seat is not None
    adviser = adviser_of(match.format)
    deal = Beliefs(match.view(seat), Random(1)).deal()
    assert adviser.observations(deal, []) == []
    events = match.events(seat)
    assert adviser.observations(deal, events[:-1]) == []
    other = played("cassino/standard/1v1", 2, 6)
    assert adviser.observations(deal, other.events(seat)) == []


def test_the_past_is_optional_and_changes_the_answer() -> None:
    match = played("cassino/standard/1v1?deals=1", 5, 9)
    seat = match.turn
    assert seat is not None
    view, legal, events = match.view(seat), match.legal_moves(), match.events(seat)
    with_events = consider(view, legal, Random(1), 60, seen=events)
    assert with_events == consider(view, legal, Random(1), 60, seen=events)
    blind = consider(view, legal, Random(1), 60, seen=events, ablation=Ablation(blind=True))
    assert blind == consider(view, legal, Random(1), 60)
    assert with_events != blind
