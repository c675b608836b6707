"""The view of a seat (CAN-94 to CAN-96)."""

import json
from random import Random
from typing import Any

from engine import Match


def test_the_view_of_the_document() -> None:
    # CAN-94: these keys in this order, and these values
    match = Match.from_position(
        "canasta/classic/2v2",
        {
            "deal": 3, "seat": 0, "hand": ["4C", "7D", "7S", "KD", "KH"], "stock": 42,
            "stock_top": ["X"], "scores": [1510, 895], "pile": ["TC", "JC", "QC", "8C", "9H"],
            "melds": {"0": [["2C", "KC", "KS"]]}, "red3": [["3D"]],
        },
    )  # fmt: skip
    match.play("draw")
    view = match.view(0)
    assert view.pop("pile") == {
        "size": 5,
        "top": "9H",
        "frozen": False,
        "frozen_for_me": False,
        "cards": ["TC", "JC", "QC", "8C", "9H"],  # no discard of this seat yet (CAN-96 item 1)
    }
    expected = {
        "game": "canasta", "format": "canasta/classic/2v2", "seat": 0, "deal": 3, "dealer": 2,
        "chairs": [0, 1, 2, 3], "turn": 0, "to_act": 0, "phase": "meld",
        "hand": ["4C", "7D", "7S", "KD", "KH", "X"], "hand_sizes": [6, 11, 11, 11], "stock": 41,
        "sides": [[0, 2], [1, 3]],
        "melds": [[{"rank": "K", "cards": ["2C", "KC", "KS"], "wild": 1, "canasta": None}], []],
        "red3": [1, 0, 0, 0], "scores": [1510, 895], "minimum": [90, 50], "opened": [True, False],
        "step": {
            "drew": True, "counted": 0, "need": 0, "pending": 0, "committed": False,
            "refused": False, "asked": False, "melded": False,
            "settled": False, "discard": True,
        },
    }  # fmt: skip
    assert view == expected
    assert list(view) == list(expected)


def test_the_pile_is_visible_until_the_first_discard() -> None:
    # CAN-95, CAN-96 item 1
    match = Match("canasta/classic/2v2", seed="pile")
    match.play("draw")
    assert match.view(0)["pile"]["cards"] is not None
    match.play(next(move for move in match.legal_moves() if move[0] == "-"))
    assert match.view(0)["pile"]["cards"] is None
    assert len(match.view(1)["pile"]["cards"]) == match.view(0)["pile"]["size"]


def test_a_resting_seat_sees_public_cards() -> None:
    # CAN-6
    match = Match("canasta/classic/3v2-rest", seed="rest")
    view = match.view(4)
    assert view["chairs"] == [0, 1, 2, 3]
    assert (view["hand"], view["pile"]["cards"]) == ([], None)
    assert view["hand_sizes"][4] == 0


def test_pending_cards_are_shown_as_the_pile() -> None:
    # CAN-35, CAN-94
    match = Match.from_position(
        "canasta/classic/2v2",
        {
            "hand": ["4C", "5C", "6D", "7S", "7H", "9D", "9S", "KC", "KD", "KH", "X"],
            "pile": ["3H", "KS", "TD", "7D"], "stock": 40,
        },
    )  # fmt: skip
    match.play("take:77")
    view = match.view(0)
    assert view["pile"]["cards"] == ["3H", "KS", "TD"]
    assert (view["pile"]["size"], view["pile"]["top"], view["pile"]["frozen"]) == (3, None, False)
    assert (view["step"]["pending"], view["step"]["counted"], view["step"]["need"]) == (3, 15, 35)
    assert view["red3"] == [0, 0, 0, 0]
    match.play("7:X")
    assert match.view(0)["red3"] == [1, 0, 0, 0]  # CAN-20


def test_other_hands_and_the_stock_are_hidden() -> None:
    # CAN-95
    match = Match("canasta/classic/3v3", seed="hidden")
    rng = Random(5)
    for _ in range(60):
        match.play(rng.choice(match.legal_moves()))
    spectator_view = match.view(None)
    for seat in range(6):
        view = match.view(seat)
        assert set(spectator_view) - set(view) == {"hands", "stock_cards", "red3_cards"}
        assert view["hand"] == spectator_view["hands"][seat]
        public: Any = {key: view[key] for key in view if key not in ("seat", "hand", "pile")}
        assert json.dumps(public) == json.dumps({key: spectator_view[key] for key in public})
