"""Play, clause by clause, beyond the document's examples."""

from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import pack, texts

BASIC, STANDARD = "spoon-eye/basic/1v1", "spoon-eye/standard/1v1"


def kinds(match: Match, seat: int | None = None) -> list[str]:
    return [event["type"] for event in match.events(seat)]


def turn(match: Match) -> int | None:
    return match.turn


def play_out(match: Match, seed: int = 1) -> Match:
    rng = Random(seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return match


def test_the_deal() -> None:
    # SPO-3, SPO-5, SPO-6: 36, 28, 20 cards of stock, one of them drawn (SPO-14)
    for table, stock in (("1v1", 35), ("ffa3", 27), ("ffa4", 19), ("2v2", 19)):
        match = Match(f"spoon-eye/basic/{table}", decks=[texts(pack())])
        view = match.view(0)
        assert (view["dealer"], view["turn"], view["stock"]) == (match.format.seats - 1, 0, stock)
        assert view["hand_sizes"] == [5] + [4] * (match.format.seats - 1)
        assert kinds(match) == ["deal_start", "draw"]


def test_the_deal_passes_clockwise() -> None:
    # SPO-4, SPO-6
    match = play_out(Match("spoon-eye/basic/ffa3?deals=4", seed="dealers"))
    assert [deal["dealer"] for deal in match.deals] == [2, 0, 1, 2]
    starts = [event["dealer"] for event in match.events(None) if event["type"] == "deal_start"]
    assert starts == [2, 0, 1, 2]


def test_only_the_drawing_seat_sees_the_card() -> None:
    match = Match(BASIC, decks=[texts(pack())])
    assert match.events(0)[1] == {"type": "draw", "seat": 0, "card": "4D"}
    assert match.events(1)[1] == {"type": "draw", "seat": 0}


def test_rows_close_up_and_are_renumbered() -> None:
    # SPO-11, SPO-12
    state = {"hands": [["6S", "2D"], ["2C"]], "masts": [[["5C"], ["KS", "5D"], ["3C"]], []]}
    match = Match.from_position(BASIC, state)
    match.play("6S>0:2")
    assert match.view(0)["masts"][0] == [["5C"], ["3C"]]
    assert kinds(match) == ["move", "raise"]  # SPO-20: no opponent's mast, nothing is asked


def test_a_card_put_down_next_may_open_a_mast() -> None:
    # SPO-12: from the next card put down on, here the extra card of a four (SPO-26)
    full_masts = [["KS", "7D"], ["KC"], ["KD"], ["KH"]]
    match = Match.from_position(BASIC, {"hands": [["4S", "2D"], ["2C"]], "masts": [full_masts, []]})
    assert "2D>0:L" not in match.legal_moves()
    match.play("4S>0:1")
    assert turn(match) == 0
    assert "2D>0:L" in match.legal_moves()


def test_a_four_on_a_four_draws_again() -> None:
    # SPO-23, SPO-26
    state = {"hands": [["4S", "4D", "2D"], ["2C"]], "masts": [[["AC"]], []]}
    match = Match.from_position(BASIC, state)
    for move in ("4S>0:1", "4D>0:1"):
        match.play(move)
        assert turn(match) == 0
    match.play("2D>0:1")
    assert turn(match) == 1


def test_a_four_without_another_card_lapses() -> None:
    # SPO-26
    match = Match.from_position(BASIC, {"hands": [["4S"], ["2C"]], "masts": [[["AC"]], []]})
    match.play("4S>0:1")
    assert turn(match) == 1


def test_a_three_that_raises_draws_after_the_raising() -> None:
    # SPO-22, SPO-25, SPO-30
    state = {
        "hands": [["3C"], ["2C"]],
        "masts": [[["KS", "8D"]], [["AC"]]],
        "stock": ["5H", "6H"],
    }
    match = Match.from_position(BASIC, state)
    match.play("3C>0:1")
    assert match.view(0)["pending"] == "3"
    assert match.view(0)["hand"] == []
    match.play("take:none")
    assert match.view(0)["hand"] == ["5H"]
    assert kinds(match) == ["move", "raise", "move", "draw", "draw"]


def test_the_nine_may_be_taken_back_itself() -> None:
    # SPO-27
    state = {"hands": [["9C", "KD"], ["2C"]], "masts": [[["2S"]], [["5H"]]]}
    match = Match.from_position(BASIC, state)
    match.play("9C>1:1")
    match.play("steal:1:1>0:1")
    assert match.view(0)["masts"] == [[["2S", "9C"]], [["5H"]]]
    assert turn(match) == 1  # SPO-24: no effect the second time


def test_a_jack_copies_a_value_not_an_effect() -> None:
    # SPO-8, SPO-24
    state = {"hands": [["JC", "KD"], ["2C"]], "masts": [[["4S"]], [["5H"]]]}
    match = Match.from_position(BASIC, state)
    match.play("JC>0:1")
    assert turn(match) == 1
    assert match.view(0)["values"] == [[8], [5]]


def test_without_stock_play_continues_until_hands_are_empty() -> None:
    # SPO-17, SPO-18, SPO-31: the choice after a raising comes before the end
    state = {"hands": [["AC"], []], "masts": [[["KS", "KD"]], [["5H", "6H"]]]}
    match = Match.from_position(BASIC, state)
    match.play("AC>0:1")
    assert turn(match) == 0
    match.play("take:1:1")
    assert turn(match) is None
    assert match.deals[0]["sheet"]["base"] == [5, 0]  # SPO-34
    assert kinds(match)[-2:] == ["deal_end", "end"]


def test_a_blocked_seat_draws_and_passes_while_there_is_a_stock() -> None:
    # SPO-14, SPO-16, SPO-32
    full_masts = [["KS", "TD"], ["KC", "TC"], ["KD", "TS"], ["KH", "TH"]]
    other = [["QS", "9D"], ["QC", "9C"], ["QD", "9S"], ["QH", "9H"]]
    state = {"hands": [["7C"], ["7D"]], "masts": [full_masts, other], "stock": ["8C", "8D"]}
    match = Match.from_position(BASIC, state)
    for seat in (0, 1):
        assert turn(match) == seat
        assert match.legal_moves() == ["pass"]
        match.play("pass")
    assert turn(match) == 0
    match.play("pass")
    assert turn(match) is None  # the stock is empty, nobody can play
    assert match.view(None)["hands"] == [["7C", "8D"], ["7D", "8C"]]  # SPO-33


def test_won_piles_are_kept_by_side_and_open() -> None:
    # SPO-36, SPO-56: the partner's raising; the partner chooses among all opponents' masts
    state = {
        "hands": [["6S"], ["2C"], ["3C"], ["5C"]],
        "masts": [[["2S"]], [["AC"]], [["7H", "8D"]], [["TD"]]],
    }
    match = Match.from_position("spoon-eye/basic/2v2", state)
    assert "6S>2:R" not in match.legal_moves()
    match.play("6S>2:1")
    assert (match.turn, match.legal_moves()) == (2, ["take:3:1", "take:1:1", "take:none"])
    match.play("take:1:1")
    for seat in range(4):
        assert match.view(seat)["won"][0]["single"] == ["AC", "6S", "7H", "8D"]


def test_moving_a_nest_closes_the_row_and_may_raise() -> None:
    # SPO-19, SPO-37: the last card of the first mast goes to the third
    state = {
        "phase": "start",
        "hands": [["KD"], ["2C"]],
        "masts": [[["6C"], ["5S"], ["KC", "5H"]], []],
        "stock": ["8D"],
    }
    match = Match.from_position(STANDARD, state)
    match.play("move:0:1>0:3")
    view = match.view(0)
    assert view["masts"][0] == [["5S"]]
    assert view["won"][0]["single"] == ["5H", "6C", "KC"]
    assert view["hand"] == ["KD"]
    assert view["turn"] == 1


@pytest.mark.parametrize(("options", "acts"), [("", True), ("?opening=false", False)])
def test_a_four_moved_in_the_first_turn(options: Any, acts: Any) -> None:
    # SPO-39: with no draw before the four's card
    state = {
        "phase": "start",
        "first": True,
        "hands": [["KD", "2H"], ["2C"]],
        "stock": ["8D", "8S"],
        "masts": [[["4C"], ["5S"]], [["AC"]]],
    }
    match = Match.from_position(STANDARD + options, state)
    match.play("move:0:1>0:2")
    assert (match.turn == 0) == acts
    assert ("draw" in kinds(match)) != acts
    if acts:
        assert match.view(0)["phase"] == "play"
        match.play("KD>0:L")
    assert match.view(0)["first"] is False


def test_after_four_moves_in_a_row_a_seat_must_draw() -> None:
    # SPO-38, SPO-40
    match = Match(STANDARD + "?run=2", seed="run")
    turns = {0: 0, 1: 0}
    for _ in range(8):
        seat = match.turn
        assert seat is not None
        nests = [move for move in match.legal_moves() if move.startswith("move:")]
        assert not (nests and turns[seat] >= 2)
        if match.view(seat)["phase"] != "start":
            break
        turns[seat] += 1
        assert match.view(seat)["nest_run"][seat] == turns[seat] - 1
        match.play(nests[0])
    assert 2 in turns.values()


SWAP = {
    "turn": 0,
    "phase": "take",
    "hands": [["KD", "2H"], ["2C", "4C", "6C"]],
    "masts": [[["2S"]], [["AC"], ["TD"]]],
    "stock": ["AH", "2D", "3S", "5S"],
    "raised": {"seat": 0, "by": 0, "cards": ["7H", "7D", "7S"]},
}


def test_after_a_swap_each_seat_knows_its_former_hand() -> None:
    # SPO-45, SPO-57
    match = Match.from_position(STANDARD + "?nest=false", SWAP)
    match.play("take:none")  # SPO-45: also if no mast was taken
    assert {"type": "swap", "seats": [0, 1]} in match.events(1)
    assert match.view(0)["hand"] == ["2C", "4C", "6C"]
    assert match.view(1)["hand"] == ["AH", "2H", "KD"]
    assert match.view(0)["known"] == [[], ["2H", "KD"]]
    assert match.view(1)["known"] == [["2C", "4C", "6C"], []]
    match.play("KD>0:1")  # what is played is known no longer
    assert match.view(0)["known"] == [[], ["2H"]]
    match.play("4C>0:R")
    assert match.view(1)["known"] == [["2C", "6C"], []]


def test_known_cards_move_with_the_hand_in_a_later_swap() -> None:
    # SPO-57: seat 2 knows a card of seat 1; seats 0 and 1 swap; SPO-55: with the one who lost
    state = {
        "phase": "take",
        "hands": [["KD"], ["2C", "4C"], ["3C"]],
        "masts": [[["2S"]], [["AC"]], [["TD"]]],
        "raised": SWAP["raised"],
        "known": [[], [], [[], ["4C"], []]],
    }
    match = Match.from_position("spoon-eye/standard/ffa3", state)
    match.play("take:1:1")
    assert match.view(2)["known"] == [["4C"], [], []]
    assert match.view(0)["known"] == [[], ["KD"], []]
    assert match.view(1)["known"] == [["2C", "4C"], [], []]


@pytest.mark.parametrize(
    ("fmt", "by", "masts", "partner"),
    [
        ("spoon-eye/standard/ffa3", 2, [[["2S"]], [], []], 2),  # the seat that played
        ("spoon-eye/standard/ffa3", 0, [[["2S"]], [], []], 1),  # the next opponent
        ("spoon-eye/standard/2v2", 2, [[["2S"]], [], [], []], 1),  # a partner played
    ],
)
def test_whose_hand_is_swapped_when_no_mast_was_taken(
    fmt: Any, by: Any, masts: Any, partner: Any
) -> None:
    # SPO-55
    rows = [row[:] for row in masts]
    rows[0] = [["7C", "7D"], ["2S"]]
    hands = [["8C"], ["9C"], ["TC"], ["QC"]][: len(rows)]
    hands[by] = [*hands[by], "7S"]
    match = Match.from_position(fmt, {"turn": by, "hands": hands, "masts": rows})
    match.play("7S>0:1")
    assert {"type": "swap", "seats": [0, partner]} in match.events(None)


def test_doubled_cards_are_kept_separately() -> None:
    # SPO-41, SPO-44: with `double` off nothing is doubled
    state = {"hands": [["4H", "KD"], ["2C"]], "masts": [[["2H", "AD", "8C", "6S"]], []]}
    for fmt, double in ((STANDARD, ["4H", "6S"]), (STANDARD + "?double=false", [])):
        match = Match.from_position(fmt, state)
        match.play("4H>0:1")
        assert match.view(1)["won"][0]["double"] == double


def test_scores_equal_those_of_a_match_that_ends_now() -> None:
    # SPO-47, SPO-48, SPO-49, SPO-58: base while a match with a target runs
    match = Match(STANDARD + "?target=15", seed="scores")
    rng = Random(5)
    while match.turn is not None:
        sheet = match.view(0)["sheet"]
        assert match.scores == [side["base"] for side in sheet]
        match.play(rng.choice(match.legal_moves()))
    sheet = match.view(0)["sheet"]
    expected = [s["base"] + (s["bonus"] if s["base"] >= 15 else 0) for s in sheet]
    assert match.scores == expected
    assert match.result
    assert match.result["scores"] == expected
    assert match.result["reason"] == "target"


def test_without_a_target_all_bonuses_count() -> None:
    # SPO-51
    match = play_out(Match(STANDARD + "?deals=2&target=0", seed="bonus"))
    sheet = match.view(0)["sheet"]
    assert match.scores == [side["base"] + side["bonus"] for side in sheet]
    assert len(match.deals) == 2


def test_a_nine_steals_from_any_opponent_and_may_take_a_last_card() -> None:
    # SPO-28, SPO-29, SPO-53
    state = {
        "hands": [["9C", "KD"], ["2C"], ["3C"]],
        "masts": [[["KS", "8H"]], [["AC", "4C"]], [["2D"]]],
    }
    match = Match.from_position("spoon-eye/basic/ffa3", state)
    match.play("9C>0:R")
    legal = match.legal_moves()
    assert {move[:9] for move in legal} == {"steal:1:1", "steal:2:1"}
    assert "steal:1:1>0:1" not in legal  # 18 and 4
    match.play("steal:2:1>0:1")
    assert match.view(0)["masts"] == [[["KS", "8H", "2D"], ["9C"]], [["AC", "4C"]], []]
    assert turn(match) == 1
