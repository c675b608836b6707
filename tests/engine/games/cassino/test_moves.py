"""Which clause forbids a move (section 5 of the rules), and the order of the list (CAS-46)."""

from typing import Any

import pytest

from engine import IllegalMove, Match

TABLE = ["2H", "6D", "KC", "[3D+4C=7]", "[JC+JD:J]"]
HAND = ["2S", "4S", "6C", "8C", "9S", "JH", "QC"]


def position(hand: Any = HAND, table: Any = TABLE, fmt: Any = "cassino/standard/1v1") -> Any:
    return Match.from_position(fmt, {"table": table, "hands": [hand]})


@pytest.mark.parametrize(
    ("move", "clause"),
    [
        ("7C", "CAS-6"),  # not in the hand
        ("2Sx3D", "CAS-7"),  # part of a build
        ("2Sx2D", "CAS-7"),
        ("9Sx[2C+7C=9]", "CAS-7"),
        ("9Sx6D", "CAS-9"),
        ("9Sx2H", "CAS-9"),
        ("QCxKC", "CAS-9"),  # CAS-13: faces by rank only
        ("6Cx[JC+JD:J]", "CAS-9"),  # CAS-14: a pair build never enters a sum
        ("2S>6D=8", ""),
        ("2S>[3D+4C=7]=9", ""),  # CAS-20
        ("4S>2H=6", ""),  # CAS-16: another six is in hand
        ("2S>2H=4", ""),
        ("2S>2H:2", "CAS-16"),
        ("6C>2H=8", ""),
        ("8C>2H=10", "CAS-16"),
        ("9S>2H=11", "CAS-43"),  # and CAS-8: nothing above ten
        ("6C>2H=9", "CAS-18"),
        ("QC>2H=14", "CAS-18"),  # no number
        ("2S>KC=12", "CAS-18"),
        ("2S>[JC+JD:J]=13", "CAS-22"),
        ("6C>[JC+JD:J]:6", "CAS-22"),
        ("6C>[3D+4C=7]:6", "CAS-21"),
        ("6C>2H:6", "CAS-17"),
        ("6C>2H:2", "CAS-17"),
        ("JH>[JC+JD:J]:J", "CAS-16"),  # CAS-19: no other jack
        ("4S>2H,6D=12", "CAS-22"),  # two items at once, CAS-15
        ("out", "CAS-36"),
        ("", "CAS-45"),
        ("XX", "CAS-45"),
        ("6C6C", "CAS-45"),
        ("6Cx", "CAS-45"),
        ("6Cx6D,", "CAS-45"),
        ("6Cx6D,6D", "CAS-45"),
        ("8Cx6D,2H", "CAS-45"),
        ("9Sx[4C+3D=7],2H", "CAS-45"),
        ("6C>6D", "CAS-45"),
        ("6C>2H=08", "CAS-45"),
        ("6C>2H=8 ", "CAS-45"),
        ("6C>", "CAS-45"),
        ("6c", "CAS-45"),
    ],
)
def test_the_clause_that_forbids_a_move(move: Any, clause: Any) -> None:
    match = position()
    if not clause:
        assert match.is_legal(move)
        assert move in match.legal_moves()
        return
    assert move not in match.legal_moves()
    view = match.view(None)
    with pytest.raises(IllegalMove) as caught:
        match.play(move)
    assert caught.value.clause == clause
    assert match.view(None) == view


def test_a_face_may_not_take_two_faces() -> None:
    # CAS-13, CAS-19: two jacks in the build, so a third would make three, but two may not be built
    match = position(["JH", "JS"], ["JC", "JD"], "cassino/standard/1v1?face_pairs=false")
    for move in ("JHxJC,JD", "JH>JC:J"):
        with pytest.raises(IllegalMove) as caught:
            match.play(move)
        assert caught.value.clause == "CAS-13"
    assert match.legal_moves() == ["JHxJC", "JSxJC", "JH", "JS", "JHxJD", "JSxJD"]


def test_the_order_of_the_list() -> None:
    # CAS-46: first captures, trails, out, further captures in turn, builds
    match = position(["2C", "3C", "5S"], ["2D", "3D", "3H"], "cassino/standard/1v1?end=declare")
    assert match.legal_moves() == [
        *("2Cx2D", "3Cx3D,3H", "5Sx2D,3D"),
        *("2C", "3C", "5S", "out"),
        *("3Cx3D", "5Sx2D,3H", "3Cx3H"),
        *("2C>3D=5", "2C>3H=5", "3C>2D=5"),
    ]


def test_the_same_card_on_the_same_item_can_be_two_builds() -> None:
    # CAS-23; CAS-24: anybody's build may be added to
    match = Match.from_position(
        "cassino/standard/1v1",
        {"table": ["[AD+3C=4]", "4D"], "by": [1, None], "hands": [["4C", "4H", "8S"]]},
    )
    builds = [move for move in match.legal_moves() if move.startswith("4C>")]
    assert builds == ["4C>[AD+3C=4]=8", "4C>[AD+3C=4]:4", "4C>4D=8", "4C>4D:4"]


def test_a_list_longer_than_512_is_cut_with_builds_last() -> None:
    # CAS-46, CAS-47
    table = [f"{rank}{suit}" for rank in "A2345" for suit in "CDHS"]
    match = position(["9C", "9D", "TS"], table)
    moves = match.legal_moves()
    assert match.truncated
    assert len(moves) == 512
    assert not any(">" in move for move in moves)
    assert match.is_legal("9C>AC=10")
    assert moves[3:6] == ["9C", "9D", "TS"]
