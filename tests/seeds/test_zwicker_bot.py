"""The Zwicker bot plays all formats and options, beats greedy, and chooses good moves."""

from __future__ import annotations

import time
from collections import Counter
from random import Random
from typing import Any

import pytest

from bots.referee import house
from engine import Format, Match, all_formats
from tests.seeds.playing import load_module, mean_points, minimax_value, play

FORMATS = [fmt for fmt in all_formats() if fmt.game == "zwicker"]
DUEL = "zwicker/grupp/1v1?deals=1&target=0"


def position(hand: str, table: str, fmt: str = DUEL, captured: str = "") -> Match:
    """A position in which seat 0 of two is to move.

    Of all other cards, the opponent has four and the rest is the stock.
    """
    parsed = Format.parse(fmt)
    hands = [hand.split(), []]
    state = {"hands": hands, "table": table.split(), "captured": [[], captured.split()]}
    named = Counter([*hand.split(), *captured.split()])
    for item in table.split():
        named.update(item.strip("[]").partition("=")[0].split("+"))
    pack = Counter(Match(parsed, "pack").format.spec.cards(Match(parsed, "pack").view(None)))
    rest = sorted((pack - named).elements())
    Random("position").shuffle(rest)
    hands[1], stock = rest[:4], rest[4:]
    if parsed.variant != "grupp":
        stock = stock[: len(stock) // 16 * 16]
    return Match.from_position(parsed, {**state, "stock": stock})


def decide(match: Match) -> str:
    """The bot's move."""
    assert match.turn is not None
    bot = load_module("zwicker").Bot()
    bot.start({"format": str(match.format), "seat": match.turn, "rng": "decide"})
    return str(bot.choose(match.view(match.turn), match.legal_moves()))


def judge(match: Match) -> Any:
    return load_module("zwicker").Judge(match.format, match.view(match.turn))


def judged_table(match: Match) -> tuple[Any, ...]:
    """The table as the bot's judge sees it."""
    return tuple(item[1:] for item in judge(match).table_items())


def short(fmt: Format, **options: Any) -> Format:
    return Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": 1, **options})


def test_is_a_package_for_zwicker() -> None:
    assert house.load("zwicker").manifest.formats == ("zwicker/*/*",)


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_plays_every_format(fmt: Format) -> None:
    names = (["zwicker", "greedy", "random"] * 3)[: fmt.seats]
    assert play(short(fmt), "every", names).result


@pytest.mark.parametrize(
    "options",
    [
        "joker_single=true",
        "joker_single=true&joker_table=joker&trail=forced",
        "joker_table=never",
        "joker_table=joker&joker_zwick=false",
        "trail=forced&settle=differences",
    ],
)
def test_plays_every_option(options: str) -> None:
    fmt = Format.parse(f"zwicker/grupp/1v1?deals=1&{options}")
    assert play(fmt, "options", ["zwicker", "random"]).result


def test_matches_are_repeatable() -> None:
    fmt = Format.parse("zwicker/grupp/ffa3?deals=1")
    first, second = (play(fmt, "again", ["zwicker"] * 3).moves for _ in range(2))
    assert first == second


def test_beats_greedy() -> None:
    assert mean_points(Format.parse("zwicker/grupp/1v1"), ["zwicker", "greedy"], 3) >= 0.75
    assert mean_points(Format.parse("zwicker/christiansen/1v1"), ["zwicker", "greedy"], 1) >= 0.75


def test_is_fast_with_a_large_table() -> None:
    pack = [rank + suit for rank in "23456789TJQK" for suit in "CDHS"]
    match = position("AC AD X 2C", f"{' '.join(pack[1:38])} X X", DUEL)
    view, legal = match.view(0), match.legal_moves()
    assert len(view["table"]) == 39
    bot = load_module("zwicker").Bot()
    bot.start({"format": str(match.format), "seat": 0, "rng": "large"})
    start = time.process_time()
    assert match.is_legal(bot.choose(view, legal))
    assert time.process_time() - start < 0.8


@pytest.mark.parametrize(
    "variant",
    [
        "christiansen/1v1?deals=1",
        "grupp/1v1?deals=1",
        "grupp/1v1?deals=1&joker_table=joker&joker_zwick=false",
        "grupp/1v1?deals=1&joker_single=true",
    ],
)
def test_knows_the_best_capture(variant: str) -> None:
    """The gain of a card equals the gain of its best legal capture."""
    match, rng = Match(Format.parse(f"zwicker/{variant}"), "gain"), Random("gain")
    count = 0
    while match.turn is not None:
        bot_judge, table, legal = judge(match), judged_table(match), match.legal_moves()
        gains = dict[str, float]()
        for move in legal if len(table) <= 6 else []:
            gain, card, _ = bot_judge.outcome(bot_judge.table_items(), move)
            if "x" in move:
                gains[card] = max(gain, gains.get(card, 0.0))
        for card, gain in gains.items():
            assert bot_judge.card_gain(table, card) == pytest.approx(gain), (card, table)
            count += 1
        match.play(max(rng.choices(legal, k=2), key=len))
    assert count >= 10


def test_counts_captured_cards() -> None:
    bot_judge = judge(position("KC 5D", "KD 2S", captured="KH AC X X"))
    assert bot_judge.unseen["K"] == 1
    assert bot_judge.unseen["X"] == 4
    assert bot_judge.hidden == 58 - 8
    assert bot_judge.chance_to_hold(0, 4) == 0
    # The chance that a hand of four has a given card, or one of two, of 50 hidden ones.
    assert bot_judge.chance_to_hold(1, 4) == pytest.approx(4 / 50)
    assert bot_judge.chance_to_hold(2, 4) == pytest.approx(1 - 46 * 45 / (50 * 49))


def test_takes_the_ten_of_diamonds_before_more_cards() -> None:
    assert decide(position("TC 9C", "TD 4H 5S 9D 9H")) == "TCxTD"


def test_takes_a_zwick() -> None:
    assert decide(position("9S 4H KC", "4C 5D")) == "9Sx4C,5D"


def test_saves_its_joker_if_another_card_captures() -> None:
    assert decide(position("X 9S 6H", "9D 3C KH")) == "9Sx9D"


def test_leaves_no_zwick() -> None:
    # A two or three beside the nine makes eleven or twelve, which one card could capture.
    assert decide(position("2C 3C KD", "9H")) == "KD"


def test_trails_a_card_that_no_opponent_can_capture() -> None:
    gone = "X X X X X X 8C 8D 8H"
    assert decide(position("7C 8S 6C", "", captured=gone)) == "8S"


def test_makes_a_build_that_only_its_joker_captures() -> None:
    fmt = "zwicker/christiansen/1v1?deals=1&target=0"
    assert decide(position("X20 6C 2D", "KH 9S", fmt)) == "6C>KH=20"


@pytest.mark.parametrize("seed", range(4))
def test_plays_the_end_perfectly(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With open cards its search finds the minimax value."""
    zwicker = load_module("zwicker")
    match, rng = Match(Format.parse(DUEL), f"end-{seed}"), Random(seed)
    while match.turn is not None and (
        match.view(0)["stock"] or sum(match.view(0)["hand_sizes"]) > 3
    ):
        match.play(rng.choice(match.legal_moves()))
    assert match.turn is not None
    search = zwicker.EndSearch(match.turn)
    search.nodes_left = 10**6
    monkeypatch.setattr(zwicker, "WIDTH", 10**6)
    value, move = search.solve(match, -1e9, 1e9)
    assert value == minimax_value(match, match.turn)
    assert match.is_legal(move)
