"""The sequential test: formulas, properties and error rates."""

from __future__ import annotations

from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.ratings.sprt import (
    MIN_GROUPS,
    Scores,
    SprtBounds,
    bounds,
    elo_of,
    expected,
    field_llr,
    llr,
    verdict,
)

SCORES = st.lists(st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0)), min_size=1, max_size=60)
LIMITS = bounds(0.05, 0.05)


def test_bounds_are_wald_s() -> None:
    assert bounds(0.05, 0.1) == pytest.approx((log(0.1 / 0.95), log(0.9 / 0.05)))
    for alpha, beta in ((0.0, 0.1), (0.1, 0.0), (0.5, 0.5)):
        with pytest.raises(ValueError, match="Error rates"):
            bounds(alpha, beta)


def test_elo_and_scores_are_inverse_functions() -> None:
    assert expected(0) == 0.5
    assert expected(400) == pytest.approx(10 / 11)
    assert elo_of(expected(-137.0)) == pytest.approx(-137.0)


def test_a_ratio_worked_out_by_hand() -> None:
    # 20 groups: 10 of ½, 10 of 1; variance 1/16, drawn to (20/16 + 20/8) / 40 = 3/32.
    s1 = expected(30)
    by_hand = (s1 - 0.5) * (2 * 15 - 20 * (0.5 + s1)) / (2 * 3 / 32)
    assert llr([0.5, 1.0] * 10, 0, 30) == pytest.approx(by_hand)


@settings(max_examples=50, deadline=None)
@given(SCORES, st.floats(-50, 50), st.floats(1, 60))
def test_properties_of_the_ratio(scores: list[float], elo0: float, gap: float) -> None:
    elo1 = elo0 + gap
    value = llr(scores, elo0, elo1)
    assert llr(scores[::-1], elo0, elo1) == pytest.approx(value, abs=1e-9)
    assert llr(scores, elo1, elo0) == pytest.approx(-value, abs=1e-9)
    # From the opponent's view, the hypotheses are exchanged.
    assert llr([1 - score for score in scores], -elo0, -elo1) == pytest.approx(value, abs=1e-6)
    # The same spread at a higher level favours the higher Elo.
    assert llr([score / 2 + 0.5 for score in scores], elo0, elo1) > llr(
        [score / 2 for score in scores], elo0, elo1
    )
    sums = Scores()
    for score in scores:
        sums = sums.with_score(score)
    assert llr(sums, elo0, elo1) == pytest.approx(value, abs=1e-9)


def test_few_groups_or_small_ratios_decide_nothing() -> None:
    limits = SprtBounds(-2.0, 3.0)
    assert verdict(9.0, MIN_GROUPS - 1, limits) is None
    assert verdict(9.0, MIN_GROUPS, limits) == "better"
    assert verdict(3.0, 50, limits) == "better"
    assert verdict(2.9, 50, limits) is None
    assert verdict(-2.0, 50, limits) == "not better"


def test_no_groups_give_a_ratio_of_zero() -> None:
    assert llr([], 0, 20) == 0
    assert field_llr([], 0, 20) == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((0.0, 0.5, 1.0)), st.just(0.5)), min_size=1, max_size=40))
def test_the_field_favours_the_version_that_does_better(pairs: list[tuple[float, float]]) -> None:
    swapped = [(stable, candidate) for candidate, stable in pairs]
    assert field_llr(pairs, -20, 20) == pytest.approx(
        -field_llr(swapped, -20, 20), rel=0.2, abs=0.2
    )
    gain = sum(candidate - stable for candidate, stable in pairs)
    if abs(gain) >= 2:
        assert (field_llr(pairs, -20, 20) > 0) == (gain > 0)


def group(lead: float, chance: Random, ties: float) -> float:
    """The mean score of two matches against an opponent that is `lead` Elo points weaker."""
    return sum(match(lead, chance, ties) for _ in range(2)) / 2


def match(lead: float, chance: Random, ties: float) -> float:
    return 0.5 if chance.random() < ties else float(chance.random() < expected(lead))


def simulate_trial(
    lead: float, elo1: float, chance: Random, *, ties: float, field: float | None
) -> str:
    """The test's verdict on a candidate with this lead; every third group is against the field."""
    sums, pairs, groups = Scores(), list[tuple[float, float]](), 0
    while True:
        groups += 1
        if field is not None and groups % 5 == 0:
            pair = group(lead - field, chance, ties), group(-field, chance, ties)
            pairs.append(pair)
        else:
            sums = sums.with_score(group(lead, chance, ties))
        field_part = field_llr(pairs, 0, elo1) if pairs else 0.0
        if decision := verdict(llr(sums, 0, elo1) + field_part, groups, LIMITS):
            return decision


@pytest.mark.parametrize(
    ("ties", "field"), [(0.0, None), (0.0, 60.0), (0.6, None)], ids=("wins", "field", "ties")
)
def test_error_rates_hold(ties: float, field: float | None) -> None:
    runs, elo1 = 300, 90.0
    chance = Random(f"{ties} {field}")
    # Ties halve the value of a lead, so a lead worth elo1 in points is larger.
    lead = elo_of(0.5 + (expected(elo1) - 0.5) / (1 - ties))
    cases = (0.0, "better"), (lead, "not better")
    for true, wrong_verdict in cases:
        errors = sum(
            simulate_trial(true, elo1, chance, ties=ties, field=field) == wrong_verdict
            for _ in range(runs)
        )
        # The aim is 5 %: 15 of 300, plus at most 3.5 standard deviations.
        assert errors <= 28, (true, errors)
