"""Leads at home: Elo with its interval, and the sequential test."""

from __future__ import annotations

import random
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.home.elo_lead import ERROR_RATE, EloLead, Hypotheses, first_side_score
from tournaments.ratings.sprt import Scores, bounds, expected, llr, verdict

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=200)


def lead(scores: list[float], hypotheses: Hypotheses | None = None) -> EloLead:
    return EloLead(Scores.from_scores(scores), hypotheses)


def test_a_level_lead_has_no_minus_sign() -> None:
    for scores in ([0.5], [0.5, 0.75, 0.25]):
        assert str(lead(scores)).startswith("Elo +0 ")


def test_a_group_counts_for_the_side_that_is_ahead() -> None:
    assert first_side_score([(1, 2), (1, 2)]) == 1
    assert first_side_score([(1, 2), (2, 1)]) == 0.5
    assert first_side_score([(1, 1), (2, 1)]) == 0.25


@given(SCORES)
def test_the_interval_contains_the_lead_and_is_symmetric(scores: list[float]) -> None:
    own, mirrored = lead(scores), lead([1 - score for score in scores])
    low, high = own.interval
    if own.elo is not None:
        assert low is None or low < own.elo
        assert high is None or own.elo < high
        assert mirrored.elo is not None
        assert isclose(own.elo, -mirrored.elo, abs_tol=1e-6)
    assert isclose(own.superiority, 1 - mirrored.superiority, abs_tol=1e-9)


def test_the_interval_contains_the_true_lead() -> None:
    rng = random.Random(1)
    hits = 0
    for _ in range(400):
        scores = [sum(rng.random() < expected(60) for _ in range(2)) / 2 for _ in range(100)]
        low, high = lead(scores).interval
        assert low is not None
        assert high is not None
        hits += low <= 60 <= high
    assert 0.91 <= hits / 400 <= 0.99


def test_an_unbeaten_lead_has_an_open_end() -> None:
    elo_lead = lead([1.0] * 8)
    low, high = elo_lead.interval
    assert elo_lead.elo is None
    assert high is None
    assert low is not None
    assert low > 0
    assert "at least +" in str(elo_lead)


@given(SCORES)
def test_the_sequential_test_agrees_with_that_of_trials(scores: list[float]) -> None:
    elo_lead = lead(scores, Hypotheses(0, 20))
    value = llr(scores, 0, 20)
    assert isclose(elo_lead.llr, value, abs_tol=1e-9)
    assert elo_lead.verdict == verdict(value, len(scores), bounds(ERROR_RATE, ERROR_RATE))
    assert elo_lead.as_json()["sprt"]["verdict"] == elo_lead.verdict


def test_without_hypotheses_nothing_is_decided() -> None:
    assert lead([1.0] * 100).verdict is None
    assert str(lead([])) == "Elo –"


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_texts_name_an_open_end(score: float) -> None:
    text = str(lead([score] * 3))
    assert ("at least" in text) is (score == 1.0)
    assert ("at most" in text) is (score == 0.0)
