"""Turns, known cards and the end, beyond the examples of section 6."""

from random import Random
from typing import Any

import pytest

from engine import IllegalMove, Match


def position(fmt: str, **state: Any) -> Match:
    return Match.from_position(f"paks/standard/{fmt}", state)


@pytest.mark.parametrize(("fmt", "stock"), [("1v1", 39), ("ffa3", 86), ("2v2", 81), ("3v3", 71)])
def test_the_deal(fmt: Any, stock: Any) -> None:
    """PAK-5: five each, three to the board, the rest is the stock (less the first draws)."""
    match = Match(f"paks/standard/{fmt}", seed="deal")
    draws = [event for event in match.events(None) if event["type"] == "draw"]
    assert match.view(None)["stock"] == stock - len(draws)
    assert len(draws) > 0


@pytest.mark.parametrize(
    ("move", "clause"),
    [
        ("pak:7H>6H", "PAK-21"),
        ("pass", "PAK-17"),
        ("steal:8C>1:1", "PAK-26"),
        ("steal:9S>0:1", "PAK-25"),
        ("steal:9S>2:1", "PAK-25"),
        ("steal:9S>1:3", "PAK-29"),
        ("steal:9S+TS>1:1+1", "PAK-29"),
        ("steal:9S>X", "PAK-29"),
        ("steal:9S+TS>1:2", "PAK-27"),
        ("steal:9S>1:1", "PAK-27"),
        ("steal:9S+9S>1:1", "PAK-18"),
        ("steal:8C+9S>1:1", "PAK-18"),
        ("steal:TS+9S>1:1", ""),
        ("nonsense", ""),
    ],
)
def test_moves_refused_after_a_pak(move: Any, clause: Any) -> None:
    """PAK-21: one pak a turn; the clauses of stealing are named."""
    match = position(
        "1v1",
        phase="steal",
        used_suits=["C"],
        hands=[["7H", "8C", "9S", "TS"], ["AH"]],
        board=["6H"],
        paks=[[], [["2S", "7S"], ["3D", "4D"]]],
    )
    with pytest.raises(IllegalMove) as caught:
        match.play(move)
    assert caught.value.clause == clause
    assert match.is_legal("steal:9S+TS>1:1")


@pytest.mark.parametrize(
    ("move", "clause"),
    [
        ("steal:KH>1:1", "PAK-24"),
        ("pass", "PAK-17"),
        ("end", "PAK-16"),
        ("pak:KH>QS", "PAK-18"),
        ("pak:KH>8H", "PAK-18"),
        ("pak:KH>X", "PAK-18"),
    ],
)
def test_moves_refused_when_a_pak_is_compulsory(move: Any, clause: Any) -> None:
    match = position(
        "1v1",
        compulsory=True,
        hands=[["KH"], []],
        board=["2C", "3D", "9H", "QS"],
        paks=[[], [["2H", "3H"]]],
    )
    assert match.legal_moves() == ["pak:KH>9H"]
    with pytest.raises(IllegalMove) as caught:
        match.play(move)
    assert caught.value.clause == clause


def test_a_turn_needs_an_ending_move_even_with_an_empty_hand() -> None:
    """PAK-23, PAK-6: also when nothing else can be done."""
    match = position("1v1", hands=[["7H"], ["2D"]], board=["6H"], stock=["8D", "9D"])
    match.play("pak:7H>6H")
    assert match.turn == 0
    assert match.legal_moves() == ["end"]
    assert match.view(0)["hand"] == []


def test_only_the_owner_sees_a_hidden_draw() -> None:
    """PAK-16, PAK-42: unknown until it is played; with equal cards the shown one is played."""
    match = position(
        "ffa3",
        phase="steal",
        used_suits=["C"],
        hands=[[], ["9H"], []],
        shown=[[], ["9H"], []],
        board=["2C", "3D", "8H", "QS"],
        stock=["9H", "KD"],
    )
    match.play("end")
    assert match.view(1)["drawn"] == "9H"
    assert match.view(0)["drawn"] is None
    assert match.view(None)["drawn"] == "9H"
    draws = [event for event in match.events(0) if event["type"] == "draw"]
    assert draws == [{"type": "draw", "seat": 1}]
    assert match.view(0)["shown"] == [[], ["9H"], []]
    match.play("pak:9H>8H")
    assert match.view(0)["shown"] == [[], [], []]
    assert match.view(0)["hand_sizes"] == [0, 1, 0]
    assert match.view(0)["compulsory"] is True


def test_scores_add_up_and_the_last_deal_ends_the_match() -> None:
    """PAK-40: the sum of the deals. PAK-41: `deals` at the latest."""
    rng = Random("two deals")
    match = Match("paks/standard/ffa3?deals=2", seed="two deals")
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    points = [deal["sheet"]["points"] for deal in match.deals]
    assert match.scores == [sum(row) for row in zip(*points, strict=True)]
    assert len(points) <= 2
    for deal in match.deals:
        lines = [line["points"] for line in deal["sheet"]["lines"]]
        assert deal["sheet"]["points"] == [sum(row) for row in zip([0] * 3, *lines, strict=True)]
