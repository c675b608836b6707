"""Common parts of Cassino and Zwicker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CODE
from engine.fishing import (
    TRAIL,
    FishingDeal,
    TableItem,
    absent_item_error,
    card_of,
    coded,
    kind_of,
    mask_of_places,
    number_of,
    place_of,
    target_of,
    trail_code,
)
from engine.score_sheet import ScoreLine

TABLE = [TableItem([CODE[text]], text, -1) for text in ("2H", "6D", "6D", "KS")]


@given(st.integers(0, 7), st.integers(0, 56), st.integers(0, 1 << 60), st.integers(0, 31))
def test_a_coded_move_is_decoded_again(kind: int, card: int, target: int, number: int) -> None:
    code = coded(kind, card, target, number)
    decoded = (kind_of(code), card_of(code), target_of(code), number_of(code))
    assert decoded == (kind, card, target, number)
    assert trail_code(card) == coded(TRAIL, card)


def test_items_are_found_by_text_first_equal_item_first() -> None:
    assert [place_of(TABLE, text) for text in ("2H", "6D", "KS", "KC")] == [0, 1, 3, -1]
    assert mask_of_places([0, 3], len(TABLE)) == 0b1001


@pytest.mark.parametrize(
    ("card", "build", "clause", "reason"),
    [
        (True, False, "CAS-7", "is not a loose card"),
        (False, True, "CAS-7", "the build KC is not"),
        (False, False, "CAS-45", "is not the text of"),
    ],
)
def test_missing_items_are_refused_with_a_clause(
    card: bool, build: bool, clause: str, reason: str
) -> None:
    error = absent_item_error(
        "6Cx" + "KC", "KC", card=card, build=build, missing="CAS-7", grammar="CAS-45"
    )
    assert error.clause == clause
    assert reason in error.reason


def test_a_copy_shares_no_mutable_state_and_a_scored_deal_is_over() -> None:
    deal, other = FishingDeal(2, 2, []), FishingDeal(2, 2, [])
    deal.totals = [3, 4]
    deal.copy_fishing(other)
    other.cleared.append(1)
    other.score_deal([ScoreLine("aces", "CAS-29", "aces", [1, 2])], "sweeps")
    assert (other.scores(), other.to_act) == ([4, 6], -1)
    assert (deal.scores(), deal.cleared, deal.to_act) == ([3, 4], [], 0)
    assert other.log == [("score", {"points": [1, 2], "sweeps": [1], "scores": [4, 6]}, None)]
    assert other.sheet_json([5, 6], "sweeps")["captured_counts"] == [5, 6]
