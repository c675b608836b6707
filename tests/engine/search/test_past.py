"""What others played tells what they hold."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from engine import Match
from engine.search.advice import adviser_of
from engine.search.belief_sampling import Beliefs
from engine.search.expert import Ablation, consider
from engine.search.opponent_model import IMPOSSIBLE, OpponentModel

FORMATS = [
    "cassino/standard/1v1",
    "cassino/royal/2v2?deals=1",
    "cassino/spade/ffa3?deals=1",
]


def played(text: str, seed: int, moves: int) -> Match:
    """A match after so many moves, each what looks best to its adviser or any other."""
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
def test_what_happened_is_never_impossible(text: str) -> None:
    asked = 0
    for seed in range(12):
        match = played(text, seed, 3 + 5 * seed)
        if match.turn is None:
            continue
        past = past_of(match)
        asked += len(past.observations)
        regrets = [
            observation.regret(past.adviser, match.sketch()._deal)
            for observation in past.observations
        ]
        assert all(0.0 <= regret < IMPOSSIBLE for regret in regrets)
        assert all(observation.deal.turn != match.turn for observation in past.observations)
    assert asked > 12


@pytest.mark.parametrize("text", FORMATS)
def test_it_tells_of_the_moves_since_hands_were_dealt(text: str) -> None:
    match = played(text, 3, 11)
    seat = match.turn
    events = match.events(seat)
    last = max(n for n, event in enumerate(events) if event["type"] in ("deal", "redeal"))
    others = [e for e in events[last:] if e["type"] == "move" and e["seat"] != seat]
    assert len(past_of(match).observations) == len(others) > 0


def test_a_builder_is_guessed_to_hold_a_card_for_the_build() -> None:
    """After every build of another seat that still lies there."""
    without = seen = 0
    for seed in range(60):
        match = played("cassino/standard/1v1?deals=1", seed, 4 + seed % 30)
        if match.turn is None:
            continue
        past, rng = past_of(match), Random(seed)
        fair, sure = Beliefs(match.view(match.turn), rng), Beliefs(match.view(match.turn), rng)
        sure.opponents = past if past.observations else None
        for _ in range(4):
            without += past.regret(fair.deal(), IMPOSSIBLE) >= IMPOSSIBLE
            seen += past.regret(sure.deal(), IMPOSSIBLE) >= IMPOSSIBLE
    assert 4 * seen < without


def test_the_truth_is_likelier_than_a_fair_guess() -> None:
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


def test_nothing_is_told_of_a_position_or_without_events() -> None:
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


def test_the_answer_depends_on_it_and_can_do_without() -> None:
    match = played("cassino/standard/1v1?deals=1", 5, 9)
    seat = match.turn
    assert seat is not None
    view, legal, seen = match.view(seat), match.legal_moves(), match.events(seat)
    whole = consider(view, legal, Random(1), 60, seen=seen)
    assert whole == consider(view, legal, Random(1), 60, seen=seen)
    blind = consider(view, legal, Random(1), 60, seen=seen, ablation=Ablation(blind=True))
    assert blind == consider(view, legal, Random(1), 60)
    assert whole != blind
