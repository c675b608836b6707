"""The sequential test: formulas, properties, and that its error rates hold."""

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


def test_elo_and_scores_are_each_other_s_inverse() -> None:
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
    # Seen from the other side of the table, the hypotheses change places.
    assert llr([1 - score for score in scores], -elo0, -elo1) == pytest.approx(value, abs=1e-6)
    # The same spread at a higher level speaks more for the higher Elo.
    assert llr([score / 2 + 0.5 for score in scores], elo0, elo1) > llr(
        [score / 2 for score in scores], elo0, elo1
    )
    sums = Scores()
    for score in scores:
        sums = sums.with_score(score)
    assert llr(sums, elo0, elo1) == pytest.approx(value, abs=1e-9)


def test_nothing_is_decided_of_a_few_groups_or_between_the_bounds() -> None:
    limits = SprtBounds(-2.0, 3.0)
    assert verdict(9.0, MIN_GROUPS - 1, limits) is None
    assert verdict(9.0, MIN_GROUPS, limits) == "better"
    assert verdict(3.0, 50, limits) == "better"
    assert verdict(2.9, 50, limits) is None
    assert verdict(-2.0, 50, limits) == "not better"


def test_no_groups_say_nothing() -> None:
    assert llr([], 0, 20) == 0
    assert field_llr([], 0, 20) == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((0.0, 0.5, 1.0)), st.just(0.5)), min_size=1, max_size=40))
def test_the_field_speaks_for_who_does_better_against_it(pairs: list[tuple[float, float]]) -> None:
    swapped = [(stable, candidate) for candidate, stable in pairs]
    assert field_llr(pairs, -20, 20) == pytest.approx(
        -field_llr(swapped, -20, 20), rel=0.2, abs=0.2
    )
    gain = sum(candidate - stable for candidate, stable in pairs)
    if abs(gain) >= 2:
        assert (field_llr(pairs, -20, 20) > 0) == (gain > 0)


def group(lead: float, chance: Random, ties: float) -> float:
    """The mean score of two matches against an opponent so many Elo points weaker."""
    return sum(match(lead, chance, ties) for _ in range(2)) / 2


def match(lead: float, chance: Random, ties: float) -> float:
    return 0.5 if chance.random() < ties else float(chance.random() < expected(lead))


def decided(lead: float, elo1: float, chance: Random, *, ties: float, field: float | None) -> str:
    """What the test says of a candidate of this lead; every third look is at the field."""
    sums, pairs, groups = Scores(), list[tuple[float, float]](), 0
    while True:
        groups += 1
        if field is not None and groups % 5 == 0:
            mine = group(lead - field, chance, ties), group(-field, chance, ties)
            pairs.append(mine)
        else:
            sums = sums.with_score(group(lead, chance, ties))
        beyond = field_llr(pairs, 0, elo1) if pairs else 0.0
        if found := verdict(llr(sums, 0, elo1) + beyond, groups, LIMITS):
            return found


@pytest.mark.parametrize(
    ("ties", "field"), [(0.0, None), (0.0, 60.0), (0.6, None)], ids=("wins", "field", "ties")
)
def test_error_rates_hold(ties: float, field: float | None) -> None:
    runs, elo1 = 300, 90.0
    chance = Random(f"{ties} {field}")
    # A tie halves what a lead is worth, so a lead that is worth elo1 in points is larger.
    lead = elo_of(0.5 + (expected(elo1) - 0.5) / (1 - ties))
    cases = (0.0, "better"), (lead, "not better")
    for true, wrong in cases:
        errors = sum(
            decided(true, elo1, chance, ties=ties, field=field) == wrong for _ in range(runs)
        )
        # 5 % wanted: 15 of 300, and at most 3.5 standard deviations more.
        assert errors <= 28, (true, errors)
