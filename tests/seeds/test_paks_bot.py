"""The Paks bot plays all formats and options, beats greedy, and chooses good moves."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from engine import Format, Match, all_formats
from engine.cards import parse_cards
from engine.games.paks.force import force
from tests.seeds.playing import load_module, mean_points, play

RANKS = "A23456789TJQK"
PAKS = load_module("paks")


def position(table: str, hand: str, board: str, stock: int, **state: Any) -> dict[str, Any]:
    """Seat 0's view in its turn; all other cards are in the stock and the other hands."""
    fmt = Format.parse(f"paks/standard/{table}")
    named = [*hand.split(), *board.split()]
    named += [card for row in state.get("paks", []) for pak in row for card in pak]
    packs = Counter({r + s: 1 if fmt.seats == 2 else 2 for r in RANKS for s in "CDHS"})
    rest = sorted((packs - Counter(named)).elements())
    Random(1).shuffle(rest)
    hands = [hand.split(), *(rest[stock + seat :: fmt.seats - 1] for seat in range(fmt.seats - 1))]
    state.update(hands=hands, board=board.split(), stock=rest[:stock])
    return Match.from_position(fmt, state).view(0)


def choice(view: Mapping[str, Any]) -> str:
    """The bot's move; it must be legal."""
    bot = PAKS.Bot()
    bot.start({"format": view["format"], "seat": view["seat"], "rng": "test"})
    match = Match.from_view(view, Random(0))
    move = bot.choose(view, match.legal_moves())
    assert match.is_legal(move)
    assert isinstance(move, str)
    return move


@pytest.mark.parametrize("fmt", [f for f in all_formats() if f.game == "paks"], ids=str)
def test_it_plays_every_format(fmt: Format) -> None:
    one_deal = Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": 1})
    names = ["paks", "greedy", "random", "paks", "paks", "random"][: fmt.seats]
    assert play(one_deal, "every", names).result


@pytest.mark.parametrize("options", ["target=50", "deals=2&target=5000", "deals=200&target=100"])
def test_it_plays_every_option(options: str) -> None:
    assert play(Format.parse(f"paks/standard/1v1?{options}"), "options", ["paks", "paks"]).result


def test_it_beats_greedy_and_greedy_beats_random() -> None:
    # Seeds are fixed, so the result is repeatable.
    assert mean_points(Format.parse("paks/standard/1v1"), ["paks", "greedy"], 3) >= 0.75
    assert mean_points(Format.parse("paks/standard/2v2?deals=2"), ["paks", "greedy"], 2) >= 0.75
    assert mean_points(Format.parse("paks/standard/1v1"), ["greedy", "random"], 4) >= 0.75


def test_it_computes_force_like_the_engine() -> None:
    rng = Random(5)
    for _ in range(300):
        ranks = rng.sample(RANKS * 2, rng.randint(1, 9))  # two packs have two of each
        assert PAKS.force(ranks) == force(parse_cards([rank + "H" for rank in ranks]))


@pytest.mark.parametrize("table", ["1v1", "ffa3", "2v2"])
def test_at_the_end_its_values_equal_the_score_sheet(table: str) -> None:
    fmt, rng = Format.parse(f"paks/standard/{table}"), Random(table)
    for _ in range(20):
        deck = [r + s for r in RANKS for s in "CDHS"]
        rng.shuffle(deck)
        deck.sort(key=lambda card: card[1])
        paks: list[list[list[str]]] = [[] for _ in range(fmt.seats)]
        for at in range(0, 52, 13):
            for first in range(at, at + 12, 2):
                paks[rng.randrange(fmt.seats)].append(deck[first : first + 2])
        state = {"paks": paks, "phase": "steal", "used_suits": ["C"]}
        plan = PAKS.Plan(position(table, "", "", 0, **state), rng)
        match = Match.from_position(fmt, state)
        match.play("end")
        own, *others = match.scores
        ahead = own - sum(others) / len(others)
        assert sum(plan.suit_values.values()) == pytest.approx(ahead, abs=0.01)


def test_it_lays_all_possible_cards_in_its_last_turn() -> None:
    view = position("1v1", "AH 8H 9H TH 2S", "KH", 0)
    assert choice(view) == "pak:AH+8H+9H+TH>KH"


def test_it_keeps_cards_that_a_pak_does_not_need() -> None:
    # The ten suffices for the pak; the five and the four of hearts can steal the opponent's pak.
    paks = [[], [["AH", "JH"]]]
    view = position("1v1", "4H 5H TH AC 2S", "9H", 2, paks=paks)
    assert choice(view) == "pak:TH>9H"


def test_it_makes_the_pak_that_cancels_an_expensive_one() -> None:
    # A club pak cancels the opponent's pak of 50 points (PAK-33); a heart pak scores only 30.
    paks = [[], [["AC", "KC", "QC", "JC"]]]
    view = position("1v1", "3C AH", "2C KH", 0, paks=paks)
    assert choice(view) == "pak:3C>2C"


def test_it_plans_the_theft_before_the_pak() -> None:
    # After the heart pak the diamonds can steal; the diamond pak would spend them.
    paks = [[], [["AD", "KD"]]]
    view = position("1v1", "4D 5D 8H", "2D 7H", 1, paks=paks)
    assert choice(view) == "pak:8H>7H"


def test_it_steals_with_the_cheapest_sufficient_cards() -> None:
    paks = [[["7H", "KH"]], [["8D", "9D", "AD"]]]
    view = position("1v1", "4D 5D KD QD JD", "2S", 20, paks=paks, phase="steal", used_suits=["H"])
    assert choice(view).endswith(">1:1")


def test_it_does_not_rob_its_partner_of_a_lead() -> None:
    # Two paks against one score as one pak; joined into one they would be cancelled.
    paks = [[["2S", "7S"], ["6H", "7H"]], [["8S", "9S"]], [["4S", "5S"]], []]
    view = position("2v2", "TS JS", "", 0, paks=paks, phase="steal", used_suits=["H"])
    legal = Match.from_view(view, Random(0)).legal_moves()
    assert "steal:TS>2:1" in legal
    assert choice({**view}) == "steal:TS+JS>1:1"


def test_it_tracks_unseen_cards() -> None:
    hearts = [[f"{rank}H" for rank in "A23456789T"]]
    view = position("1v1", "JH QH 2S", "KH 3C", 20, paks=[hearts, []])
    plan = PAKS.Plan(view, Random(1))
    assert not [card for card in plan.unseen() if card[1] == "H"]
    assert plan.danger("H", 20) == 0
    assert plan.danger("D", 5) > 0.5


def test_it_is_fast_with_a_large_hand() -> None:
    hand = " ".join(r + s for s in "CDH" for r in "A2345789") + " KS"
    paks: Sequence[object] = [[], [["6C", "9C"], ["6D", "9D"]], [["6H", "9H"]], [["8S", "9S"]]]
    view = position("2v2", hand, "TC TD TH", 40, paks=paks)
    start = time.process_time()
    assert choice(view)
    assert time.process_time() - start < 2
