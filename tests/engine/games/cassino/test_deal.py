"""A deal in play: dealing, turns, builds, sweeps, the rest, events (CAS-2 to CAS-28)."""

from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import pack, texts


def position(fmt: Any = "cassino/standard/1v1", **state: Any) -> Any:
    return Match.from_position(fmt, state)


def ids(match: Any) -> Any:
    return [item["id"] for item in match.view(0)["table"]]


@pytest.mark.parametrize(("table", "seats"), [("1v1", 2), ("ffa3", 3), ("2v2", 4)])
def test_four_cards_each_and_four_on_the_table_and_48_turns(table: Any, seats: Any) -> None:
    # CAS-2, CAS-3, CAS-4, CAS-5, CAS-6
    match = Match(f"cassino/standard/{table}?deals=1", seed="demo")
    view = match.view(None)
    assert view["hand_sizes"] == [4] * seats
    assert len(view["table"]) == 4
    assert view["dealer"] == seats - 1
    assert view["stock"] == 52 - 4 - 4 * seats
    rng, turns = Random(1), []
    while match.turn is not None:
        turns.append(match.turn)
        match.play(rng.choice(match.legal_moves()))
    assert turns == [turn % seats for turn in range(48)]
    kinds = [event["type"] for event in match.events(0)]
    assert kinds.count("redeal") == 48 // (4 * seats) - 1


def test_the_deal_passes_clockwise_and_the_next_seat_acts_first() -> None:
    # CAS-5
    match = Match("cassino/standard/ffa3?target=0&deals=4", seed="demo")
    starts = []
    while match.turn is not None:
        view = match.view(0)
        if (
            not any(view["captured_counts"])
            and view["stock"] == 36
            and view["hand_sizes"] == [4] * 3
        ):
            starts.append((view["dealer"], match.turn))
        match.play(match.legal_moves()[-1])
    assert list(dict.fromkeys(starts)) == [(2, 0), (0, 1), (1, 2)]
    assert [deal["dealer"] for deal in match.deals] == [2, 0, 1, 2]


def test_a_capture_takes_card_and_items_for_the_side() -> None:
    # CAS-9, CAS-10, CAS-11, CAS-1: partners pool what they capture
    match = position(
        "cassino/standard/2v2", table=["2C", "3D", "5H", "KC"], hands=[["5S"], ["KD"], ["KH"]]
    )
    match.play("5Sx2C,3D,5H")
    match.play("KD")
    match.play("KHxKC,KD")
    assert match.view(3)["captured"] == [["2C", "3D", "5H", "5S", "KC", "KD", "KH"], []]
    assert match.view(0)["last_capture"] == 0
    assert match.view(0)["sweeps"] == [0]  # CAS-27: also the very last play


def test_any_seat_may_make_extend_and_take_builds() -> None:
    # CAS-15, CAS-16, CAS-17, CAS-18, CAS-20, CAS-21, CAS-24
    match = position(
        table=["3D", "9H"],
        hands=[["4C", "7S", "7H"], ["2S", "9C", "9D"]],
    )
    match.play("4C>3D=7")
    assert match.view(1)["table"][0] == {
        "id": "[3D+4C=7]",
        "kind": "sum",
        "cards": ["3D", "4C"],
        "value": 7,
        "by": 0,
    }
    match.play("2S>[3D+4C=7]=9")
    assert ids(match) == ["[2S+3D+4C=9]", "9H"]
    match.play("7S")
    match.play("9C>[2S+3D+4C=9]:9")
    assert match.view(0)["table"][0]["kind"] == "pair"
    assert match.view(0)["table"][0]["by"] == 1
    match.play("7Hx7S")
    match.play("9Dx[2S+3D+4C+9C:9],9H")
    assert match.view(0)["captured_counts"] == [2, 6]
    assert match.view(0)["sweeps"] == [1]


def test_a_build_binds_no_one_and_trailing_is_always_legal() -> None:
    # CAS-25, CAS-26
    match = position(table=["3D", "6H"], hands=[["4C", "7S", "6S"], ["KC", "KD"]])
    match.play("4C>3D=7")
    match.play("KC")
    assert {"7S", "6S", "6Sx6H", "7Sx[3D+4C=7]"} <= set(match.legal_moves())
    match.play("7S")  # the card kept for it
    assert ids(match) == ["[3D+4C=7]", "6H", "7S", "KC"]


def test_the_rest_goes_to_the_last_capturer_and_is_no_sweep() -> None:
    # CAS-28
    match = position(table=["6D", "[3D+4C=7]", "QH"], hands=[["6C"], ["2C"]])
    match.play("6Cx6D")
    match.play("2C")
    assert match.view(0)["captured"][0] == ["2C", "3D", "4C", "6C", "6D", "QH"]
    assert match.view(0)["sweeps"] == []
    assert match.events(0)[-3] == {"type": "rest", "side": 0, "cards": ["2C", "3D", "4C", "QH"]}


def test_uncaptured_cards_stay_on_the_table() -> None:
    # CAS-28, CAS-48
    match = position(table=["6D"], hands=[["2C"]])
    match.play("2C")
    assert ids(match) == ["2C", "6D"]
    rest_event = next(event for event in match.events(0) if event["type"] == "rest")
    assert rest_event == {"type": "rest", "side": None, "cards": ["2C", "6D"]}
    assert match.scores == [0, 0]


def test_seats_without_cards_are_skipped_in_positions() -> None:
    # CAS-4, CAS-6
    match = position("cassino/standard/ffa3", hands=[["2C", "3C"], [], ["4C"]])
    turns = []
    while match.turn is not None:
        turns.append(match.turn)
        match.play(match.legal_moves()[0])
    assert turns == [0, 2, 0]


def test_claiming_the_win_ends_the_match() -> None:
    # CAS-36, CAS-37, CAS-50: the deal is not scored
    match = position(
        "cassino/standard/1v1?end=declare",
        hands=[["6C"], ["7C"]],
        captured=[["TD"], ["AS"]],
        scores=[19, 3],
    )
    match.play("out")
    assert match.result == {
        "scores": [21, 4],
        "ranks": [1, 2],
        "winners": [0],
        "settlement": None,
        "reason": "claim",
    }
    assert [event["type"] for event in match.events(0)] == ["move", "end"]
    assert match.view(0)["hand"] == ["6C"]
    assert match.deals[0]["sheet"]["points"] == [2, 1]


def test_the_log_shows_each_seat_its_own_hands_only() -> None:
    # CAS-49, CAS-51
    match = Match("cassino/standard/1v1", decks=[texts(pack())])
    deal = match.events(1)[0]
    assert deal == {
        "type": "deal",
        "dealer": 1,
        "table": ["3C", "4C", "9C", "TC"],
        "hand": ["5C", "6C", "JC", "QC"],
    }
    while match.view(0)["stock"] == 40:
        trails = [move for move in match.legal_moves() if len(move) == 2]
        match.play(trails[0])
    assert match.events(0)[-1] == {"type": "redeal", "hand": ["AD", "4D", "5D", "KC"]}
    assert match.events(1)[-1] == {"type": "redeal", "hand": ["2D", "3D", "6D", "7D"]}


def test_the_log_of_a_whole_deal() -> None:
    # CAS-51
    match = position(table=["6D"], hands=[["6C"], ["2C"]], captured=[[], ["AS"]], scores=[1, 2])
    match.play("6Cx6D")
    match.play("2C")
    assert match.events(0) == [
        {"type": "move", "seat": 0, "move": "6Cx6D"},
        {"type": "sweep", "seat": 0},
        {"type": "move", "seat": 1, "move": "2C"},
        {"type": "rest", "side": 0, "cards": ["2C"]},
        {"type": "score", "points": [4, 2], "sweeps": [0], "scores": [5, 4]},
        {"type": "end", "result": match.result},
    ]


def test_the_view_of_the_document() -> None:
    # CAS-48: exactly these keys, in this order
    match = position(
        table=["[3D+4H=7]", "6D", "[JC+JD:J]"],
        by=[1, None, 0],
        hands=[["7C", "JH"], ["QS", "QD"]],
        captured=[["4S", "9S", "5S"]],
        last_capture=0,
        scores=[12, 9],
    )
    assert match.view(0) == {
        "game": "cassino",
        "format": "cassino/standard/1v1",
        "seat": 0,
        "sides": [[0], [1]],
        "deal": 0,
        "dealer": 1,
        "turn": 0,
        "to_act": 0,
        "hand": ["7C", "JH"],
        "hand_sizes": [2, 2],
        "stock": 0,
        "table": [
            {"id": "[3D+4H=7]", "kind": "sum", "cards": ["3D", "4H"], "value": 7, "by": 1},
            {"id": "6D", "kind": "card", "cards": ["6D"], "value": 6, "by": None},
            {"id": "[JC+JD:J]", "kind": "pair", "cards": ["JC", "JD"], "rank": "J", "by": 0},
        ],
        "captured": [["4S", "5S", "9S"], []],
        "captured_counts": [3, 0],
        "sweeps": [],
        "last_capture": 0,
        "scores": [12, 9],
        "target": 21,
        "deals": 50,
    }
