"""The Spoon Eye bot plays all formats and options, beats greedy, and chooses good moves."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest

from engine import Format, Match, all_formats
from tests.seeds.playing import load_module, mean_points, play

BOT = "spoon-eye"
DUEL = Format.parse("spoon-eye/standard/1v1")


@pytest.mark.parametrize("fmt", [f for f in all_formats() if f.game == "spoon-eye"], ids=str)
def test_it_plays_every_format(fmt: Format) -> None:
    one_deal = Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": 1})
    names = [BOT, "greedy", "random", "greedy"][: fmt.seats]
    result = play(one_deal, "every", names).result
    assert result is not None
    assert result["reason"] == "deals"


@pytest.mark.parametrize(
    "options",
    [
        "basic/1v1?nest=true&run=9",
        "basic/1v1?bonus=true&double=true",
        "basic/2v2?sevens=true",
        "standard/1v1?deals=1&double=false&opening=false&run=1",
        "standard/1v1?bonus=false&target=20",
        "standard/ffa3?deals=1&nest=false&sevens=false&target=0",
    ],
)
def test_it_plays_every_option(options: str) -> None:
    fmt = Format.parse(f"spoon-eye/{options}")
    assert play(fmt, "options", [BOT, *["greedy"] * (fmt.seats - 1)]).result


def test_it_beats_greedy_and_greedy_beats_random() -> None:
    # Seeds are fixed, so the result is repeatable.
    short = Format.parse("spoon-eye/standard/1v1?deals=2")
    assert mean_points(short, [BOT, "greedy"], 2) >= 0.75
    assert mean_points(short, ["greedy", "random"], 2) >= 0.75


def test_the_same_seed_gives_the_same_match() -> None:
    fmt = Format.parse("spoon-eye/standard/1v1?deals=1")
    assert play(fmt, "again", [BOT, BOT]).moves == play(fmt, "again", [BOT, BOT]).moves


# ── single decisions ─────────────────────────────────────────────────────────────────────────────


def decide(fmt: str = "spoon-eye/standard/1v1", **state: Any) -> str:
    """The move of the seat to act in a position."""
    match = Match.from_position(Format.parse(fmt), state)
    assert match.turn is not None
    bot = load_module(BOT).Bot()
    bot.start({"format": fmt, "seat": match.turn, "rng": "1"})
    move = bot.choose(match.view(match.turn), match.legal_moves())
    assert match.is_legal(move)
    assert isinstance(move, str)
    return move


STOCK = ["2H", "6C", "QD", "8D", "4S", "TH"]


def test_it_raises_the_larger_of_two_masts() -> None:
    move = decide(
        hands=[["6S", "KD"], ["2C", "3C"]],
        masts=[[["5D", "TC"], ["2S", "3S", "5H", "5C"]], [["QH", "JH"], ["AC"]]],
        stock=STOCK,
    )
    assert move == "6S>0:2"


def test_it_plunders_a_mast_that_the_opponent_would_raise() -> None:
    move = decide(
        phase="take",
        hands=[["KD", "8C"], ["2C", "3C"]],
        masts=[[["2S"]], [["QH", "9H"], ["AC", "2D", "4D", "7H"]]],
        raised={"seat": 0, "by": 0, "cards": ["5D", "TC", "6S"]},
        stock=STOCK,
    )
    assert move == "take:1:2"


def test_it_prefers_a_nest_move_that_raises_to_a_draw() -> None:
    move = decide(
        phase="start",
        hands=[["KD", "9C"], ["2C", "3C"]],
        masts=[[["KC", "3S"], ["TS", "8S"], ["AD"]], [["AC", "5D"], ["QH"]]],
        stock=STOCK,
    )
    assert move == "move:0:1>0:2"


def test_it_prefers_a_draw_to_a_useless_nest_move() -> None:
    move = decide(
        phase="start",
        hands=[["KD", "9C"], ["2C", "3C"]],
        masts=[[["KC"], ["TS"]], [["AC", "5D"], ["QH"]]],
        stock=STOCK,
    )
    assert move == "draw"


def test_it_does_not_raise_the_opponents_mast() -> None:
    # There the four only makes 21; in its own row it does no harm.
    move = decide(
        hands=[["4C"], ["2C", "3C"]],
        masts=[[["2S"], ["9D"]], [["QH", "7H"]]],
        stock=STOCK,
    )
    assert move != "4C>1:1"


def test_it_plays_a_four_to_raise_with_the_next_card() -> None:
    # Seven and four make eleven, and the queen then makes 21 in the same turn.
    move = decide(
        hands=[["2D", "4C", "QS"], ["2C", "3C"]],
        masts=[[["5H"], ["7H", "AD"], ["6D", "AH"]], [["7C", "8C", "2S"]]],
        stock=STOCK,
    )
    assert move == "4C>0:3"


def test_it_steals_the_nest_that_raises() -> None:
    move = decide(
        phase="steal",
        hands=[["KD"], ["2C", "3C"]],
        masts=[[["2S"], ["KS", "8H"]], [["5H", "9D"], ["TD", "3D"]]],
        stock=STOCK,
    )
    assert move == "steal:1:2>0:2"


# ── its judge ────────────────────────────────────────────────────────────────────────────────────


def judge(**state: Any) -> tuple[Any, dict[str, Any]]:
    view = Match.from_position(DUEL, state).view(0)
    return load_module(BOT).Judge(DUEL, view), view


def test_it_counts_the_unseen_cards() -> None:
    bot_judge, _ = judge(
        hands=[["KD", "7C"], ["2C", "3C", "AS"]],
        masts=[[["KH"]], [["AC"]]],
        won=[{"single": ["KS"], "double": ["QS"]}, {"single": [], "double": []}],
        stock=STOCK,
    )
    assert bot_judge.hidden == 52 - 6
    assert bot_judge.unseen["K"] == 1
    assert bot_judge.unseen["Q"] == 3
    # Three of 46 hidden cards are drawn, and three of the 46 are aces.
    assert bot_judge.chances_to_hold([], 3)["A"] == pytest.approx(1 - comb(43, 3) / comb(46, 3))
    assert bot_judge.chances_to_hold(["AS"], 0)["A"] == 1
    assert bot_judge.chances_to_hold(["AS"], 0)["K"] == 0


@pytest.mark.parametrize(
    ("cards", "raisers"),
    [
        (["KS", "AD"], "TQK"),
        (["KS", "9D"], "2"),
        (["7S", "7D"], "7J"),
        (["7S", "JD"], "7J"),
        (["JS"], ""),
        (["KS", "2D"], "9"),
    ],
)
def test_it_knows_the_ranks_that_raise_a_mast(cards: list[str], raisers: str) -> None:
    bot_judge, _ = judge(hands=[["KD"], ["2C"]], masts=[[["KH"]], [["AC"]]], stock=STOCK)
    assert bot_judge.mast(cards).raisers == raisers
