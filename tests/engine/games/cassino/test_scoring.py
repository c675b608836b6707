from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Format, Match
from engine.cards import CODE, mask_of
from engine.games.cassino import scoring
from engine.score_sheet import total


def rules(text: Any = "cassino/standard/1v1") -> Any:
    return Format.parse(text).rules


def pile(*texts: Any) -> Any:
    return mask_of(CODE[text] for text in texts)


def points(fmt: Any, piles: Any, sweeps: Any = ()) -> Any:
    return total(scoring.lines(rules(fmt), piles, list(sweeps)), len(piles))


def test_each_line_of_the_sheet_cites_its_clause() -> None:
    # CAS-29, CAS-30, CAS-32
    piles = [pile("TD", "2S", "AC"), pile("AS", "KS")]
    sheet = scoring.lines(rules(), piles, [1])
    assert {line.clause for line in sheet} == {"CAS-29"}
    assert [(line.key, line.what, line.points) for line in sheet] == [
        ("cards", "most cards", [3, 0]),
        ("big_cassino", "Big Cassino", [2, 0]),
        ("little_cassino", "Little Cassino", [1, 0]),
        ("spades", "most spades", [0, 1]),
        ("aces", "aces", [1, 1]),
        ("sweeps", "sweeps", [0, 1]),
    ]
    assert points("cassino/standard/1v1?sweeps=false", piles, [1]) == [7, 2]


def test_no_side_has_most_of_zero_cards() -> None:
    # CAS-30
    assert points("cassino/standard/ffa3", [0, 0, 0]) == [0, 0, 0]
    assert points("cassino/standard/1v1", [pile("3C"), 0]) == [3, 0]


def test_spades_of_the_spade_game() -> None:
    # CAS-31: 24 points a deal, 26 with spade_plus
    all_cards = (1 << 52) - 1
    assert points("cassino/spade/1v1", [all_cards, 0]) == [24, 0]
    assert points("cassino/spade/1v1?spade_plus=true", [all_cards, 0]) == [26, 0]
    assert points("cassino/standard/1v1", [all_cards, 0]) == [11, 0]


def end(
    fmt: Any, earlier: Any, totals: Any, number: Any = 3, stop: Any = "", piles: Any = ((0, 0), ())
) -> Any:
    piles = (list(piles[0]), list(piles[1]))
    return scoring.outcome(rules(fmt), number, earlier, totals, piles, stop)


def test_the_end_of_the_match() -> None:
    fmt = "cassino/standard/1v1"
    assert end(fmt, [0, 0], [20, 3]) is None
    result = end(fmt, [0, 0], [21, 24])  # CAS-33
    assert (result["winners"], result["reason"], result["settlement"]) == ([1], "target", None)
    assert end(fmt, [0, 0], [24, 24]) is None  # CAS-34
    assert end(fmt + "?tie=draw", [0, 0], [24, 24])["ranks"] == [1, 1]
    result = end(fmt, [0, 0], [24, 24], number=49)  # CAS-39: tie notwithstanding
    assert (result["winners"], result["reason"]) == ([0, 1], "deals")
    assert end(fmt + "?target=0&deals=2", [0, 0], [90, 3], number=0) is None
    assert end(fmt + "?target=0&deals=2", [0, 0], [90, 3], number=1)["reason"] == "deals"
    for stop in ("decks", "position"):  # CAS-50
        assert end(fmt, [0, 0], [4, 9], stop=stop)["reason"] == stop
        assert end(fmt, [0, 0], [4, 21], stop=stop)["reason"] == "target"


def test_the_recount_counts_card_by_card() -> None:
    # CAS-35: cards, spades, ten, two, aces S H D C, sweeps in order
    fmt = "cassino/standard/1v1?end=count"
    aces = [pile("AH", "3C"), pile("AD", "4C")]
    result = end(fmt, [20, 20], [21, 21], piles=(aces, ()))
    assert (result["winners"], result["reason"]) == ([0], "count")
    assert end(fmt, [20, 20], [21, 21], piles=((0, 0), (1, 0)))["winners"] == [1]
    assert end(fmt, [20, 0], [21, 3])["reason"] == "target"  # only one has it
    late = end(fmt, [20, 18], [21, 21], number=49, piles=((pile("2S", "3C"), pile("TD", "AC")), ()))
    assert (late["winners"], late["ranks"], late["reason"]) == ([0], [1, 2], "count")  # CAS-39


def test_the_recount_of_the_spade_game_takes_the_spades_in_order() -> None:
    # CAS-35, CAS-31
    fmt = "cassino/spade/1v1?end=count"
    piles = [pile("3S", "KS"), pile("2S", "4S")]
    assert scoring.recount(rules(fmt), [60, 59], piles, []) == 1  # 2S gives two at once
    assert scoring.recount(rules(fmt), [60, 58], piles, []) == 0  # 2S: 60; 3S: 61
    plus = rules(fmt + "&spade_plus=true")
    assert scoring.recount(plus, [50, 58], [pile("3C", "5C"), pile("2S")], []) == 1


@pytest.mark.parametrize("options", ["spade/1v1", "spade/1v1?spade_plus=true", "standard/ffa3"])
@given(data=st.data())
def test_recount_and_sheet_give_equal_points(options: str, data: st.DataObject) -> None:
    # CAS-35 names the order in which the points of CAS-29 to CAS-32 are counted
    fmt = rules(f"cassino/{options}")
    sides = 3 if "ffa3" in options else 2
    holders = data.draw(st.lists(st.integers(-1, sides - 1), min_size=52, max_size=52))
    piles = [
        mask_of(c for c, holder in enumerate(holders) if holder == side) for side in range(sides)
    ]
    sweeps = data.draw(st.lists(st.integers(0, sides - 1), max_size=4))
    recounted = [0] * sides
    for side, points in scoring._steps(fmt, piles, sweeps):
        recounted[side] += points
    assert recounted == total(scoring.lines(fmt, piles, sweeps), sides)


def test_at_first_no_card_is_captured() -> None:
    assert scoring.uncaptured([0, 0]) == mask_of(range(52))
    assert scoring.uncaptured([pile("AC"), pile("KS")]) == mask_of(range(1, 51))


def test_certain_points_cannot_be_overtaken() -> None:
    # CAS-37
    half = mask_of(range(26))
    one_more = mask_of(range(27))
    # four aces and the two of spades; 26 cards are still left, then 25
    assert scoring.certain_totals(rules(), [0, 0], [half, 0], []) == [5, 0]
    assert scoring.certain_totals(rules(), [0, 0], [one_more, 0], []) == [8, 0]
    assert scoring.certain_totals(rules(), [4, 5], [0, 0], [1, 1]) == [4, 7]


def test_valid_and_invalid_claims() -> None:
    # CAS-36, CAS-38, CAS-40, CAS-50
    fmt = rules("cassino/standard/ffa3?end=declare&settle=stakes")
    valid = scoring.claim(fmt, 2, [21, 25, 3], 0)
    assert (valid["ranks"], valid["reason"]) == ([1, 2, 3], "claim")  # though another has more
    assert valid["settlement"] == [2 * 21 - 25 + 2 * 21 - 3, -17, -39]
    invalid = scoring.claim(fmt, 2, [20, 12, 16], 0)
    assert (invalid["ranks"], invalid["reason"]) == ([3, 2, 1], "false_claim")
    assert invalid["settlement"] == [-(42 - 20), -(42 - 12), 22 + 30]  # W is the target
    shared = scoring.claim(fmt, 2, [20, 12, 12], 0)
    assert (shared["ranks"], shared["settlement"]) == ([3, 1, 1], [0, 0, 0])


def test_stakes_double_when_the_match_ends_in_its_first_deal() -> None:
    # CAS-40
    fmt = rules("cassino/standard/1v1?end=declare&settle=stakes")
    assert scoring.claim(fmt, 0, [21, 3], 0)["settlement"] == [4 * 21 - 3, -(4 * 21 - 3)]
    assert scoring.claim(fmt, 1, [21, 3], 0)["settlement"] == [2 * 21 - 3, -(2 * 21 - 3)]
    assert scoring.claim(fmt, 0, [20, 3], 0)["settlement"] == [20 - 4 * 21, 4 * 21 - 20]
    assert scoring.stopped(fmt, 0, [9, 4])["settlement"] == [4 * 9 - 4, 4 - 4 * 9]
    assert scoring.stopped(fmt, 1, [9, 4])["settlement"] == [2 * 9 - 4, 4 - 2 * 9]


def test_stakes_are_never_negative_and_sum_to_zero() -> None:
    # CAS-40
    fmt = rules("cassino/standard/ffa3?settle=stakes&target=11")
    paid = scoring.settlement(fmt, [11, 40, 3], [0], one_deal=False)
    assert paid == [19, 0, -19]
    assert scoring.settlement(fmt, [11, 11, 3], [0, 1], one_deal=True) == [0, 0, 0]


def test_a_stopped_match_is_ranked_by_scores() -> None:
    assert scoring.stopped(rules(), 3, [4, 9])["ranks"] == [2, 1]


def test_the_tally_is_the_sheet_of_the_piles_so_far() -> None:
    # CAS-29, CAS-30: most cards and spades as they are now
    state = {
        "hands": [["6C"], ["9D"]],
        "table": ["6D", "9C"],
        "captured": [["AS", "TD"], ["2S", "3S", "4C"]],
        "sweeps": [1],
    }
    match = Match.from_position("cassino/standard/1v1", state)

    def counted() -> dict[str, list[int]]:
        tally = match.format.spec.tally(match.format, match.view(None))
        return {line.key: line.points for line in tally}

    expected = {
        "cards": [0, 3],
        "big_cassino": [2, 0],
        "little_cassino": [0, 1],
        "spades": [0, 1],
        "aces": [1, 0],
        "sweeps": [0, 1],
    }
    assert counted() == expected
    match.play("6Cx6D")
    assert counted() == {**expected, "cards": [3, 0]}
