"""The Canasta bot plays all formats and options, beats greedy, and chooses good moves."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Format, Match, all_formats
from tests.seeds.playing import load_module, mean_points, play

FORMATS = [fmt for fmt in all_formats() if fmt.game == "canasta"]
CLASSIC = "canasta/classic/2v2"
NINES = ["9C", "9C", "9D", "9D", "9H", "9H", "9S"]


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_plays_every_format(fmt: Format) -> None:
    one_deal = Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": 1})
    names = ["canasta", "greedy", "canasta", "random", "canasta", "greedy"][: fmt.seats]
    assert play(one_deal, "every", names).result


@pytest.mark.parametrize(
    "options",
    [
        "tworank=true",
        "wildcanasta=true&wildblack3=true",
        "endstock=stop&last3=normal",
        "last3=meld&red3draw=false",
        "red3discard=true&red3minus=true",
        "red3discard=true&red3draw=false&last3=untabled",
        "startfrozen=false&topcounts=false&pair=always&lay=false",
        "nocanasta=true&canastas=2&hand=1",
        "packs=3&draw=2&concealed=own&concexempt=true&onecard=false&direction=ccw",
    ],
)
def test_plays_every_option(options: str) -> None:
    for table in ("1v2", "2v2"):
        fmt = Format.parse(f"canasta/classic/{table}?deals=1&{options}")
        assert play(fmt, "options", ["canasta", "greedy", "canasta", "greedy"][: fmt.seats]).result


def test_beats_greedy() -> None:
    short = "deals=3&target=1000000"  # matches to 5000 take longer, with less influence of luck
    assert (
        mean_points(Format.parse(f"canasta/classic/1v1?{short}"), ["canasta", "greedy"], 4) >= 0.75
    )
    assert mean_points(Format.parse(f"{CLASSIC}?{short}"), ["canasta", "greedy"], 4) >= 0.75


def test_matches_are_repeatable() -> None:
    fmt = Format.parse(f"{CLASSIC}?deals=1")
    first, second = (play(fmt, "again", ["canasta"] * 4).moves for _ in range(2))
    assert first == second


def decide(fmt: str = CLASSIC, *first: str, **state: Any) -> str:
    """The bot's move in a position, after the moves `first` of its turn."""
    match = Match.from_position(Format.parse(fmt), {"stock": 40, **state})
    for first_move in first:
        match.play(first_move)
    assert match.turn is not None
    bot = load_module("canasta").Bot()
    bot.start({"format": fmt, "seat": match.turn, "rng": "x"})
    move: str = bot.choose(match.view(match.turn), match.legal_moves())
    assert match.is_legal(move)
    return move


BOTH = {"0": [["9C", "9D", "9H"]], "1": [["7C", "7D", "7H"]]}


def test_takes_a_large_pile_with_a_pair() -> None:
    pile = ["4C", "5D", "8H", "QC", "JC", "6D", "KH"]
    hand = ["KC", "KD", "4D", "6S", "TC", "AC"]
    assert decide(hand=hand, melds=BOTH, pile=pile) == "take:KK"


def test_spends_no_wild_card_on_a_poor_pile() -> None:
    hand = ["4C", "6S", "TC", "AC", "KD", "X"]
    assert decide(hand=hand, melds=BOTH, pile=["4H"]) == "draw"


def test_discards_no_card_that_the_next_opponent_lays_off() -> None:
    hand = ["7S", "TC", "QC", "8D", "AD"]  # the seven is worth least
    move = decide(CLASSIC, "draw", hand=hand, melds=BOTH, pile=["5C", "6C"], stock_top=["JD"])
    assert move[0] == "-"
    assert move != "-7"
    # The other side cannot lay off a seven from a frozen pile.
    bot = load_module("canasta")
    match = Match.from_position(
        Format.parse(CLASSIC), {"hand": hand, "melds": BOTH, "pile": ["X", "6C"], "stock": 40}
    )
    knowledge = bot.Knowledge(match.format.options, match.view(0), bot.Memory())
    assert knowledge.chance_of_taking("7") < 0.5


def test_stops_a_large_pile_with_a_black_three() -> None:
    pile = ["4C", "5D", "8H", "QC", "JC", "6D", "TH", "TD", "5H"]
    hand = ["3S", "3C", "7S", "QS"]
    melds = {"0": [["9C", "9D", "9H"]], "1": [[f"{rank}{s}" for s in "CDH"] for rank in "7QK"]}
    state: Any = {"hand": hand, "stock_top": ["KS"]}
    assert decide(CLASSIC, "draw", pile=pile, melds=melds, **state) == "-3"


def test_finishes_a_canasta_with_wild_cards() -> None:
    melds = {"0": [["9C", "9C", "9D", "9H", "2C"]], "1": BOTH["1"]}
    hand = ["2D", "X", "4C", "5C", "TD", "QS"]
    assert decide(CLASSIC, "draw", hand=hand, melds=melds, stock_top=["JD"]) in ("9:2", "9:X")


def test_adds_no_wild_card_to_an_incomplete_natural_canasta() -> None:
    melds = {"0": [NINES[:5]], "1": BOTH["1"]}
    hand = ["2D", "4C", "5C", "TD", "QS", "KS"]
    assert decide(CLASSIC, "draw", hand=hand, melds=melds, stock_top=["JD"])[0] == "-"


def test_goes_out() -> None:
    melds = {"0": [NINES, ["KC", "KD", "KH"]], "1": BOTH["1"]}
    state: Any = {"hand": ["KS", "4C"], "melds": melds, "stock_top": ["KS"], "hands": {"2": ["4D"]}}
    match = Match.from_position(Format.parse(CLASSIC), {"stock": 40, **state})
    bot = load_module("canasta").Bot()
    bot.start({"format": CLASSIC, "seat": 0, "rng": "x"})
    for _ in range(4):
        if match.turn == 0 and match.deals == []:
            match.play(bot.choose(match.view(0), match.legal_moves()))
    assert match.deals[0]["sheet"]["out"] == 0


@pytest.mark.parametrize(("hand", "answer"), [(["4D", "5D"], "yes"), (["X", "X", "AC"], "no")])
def test_answers_its_partner_by_the_cost_of_its_hand(hand: list[str], answer: str) -> None:
    melds = {"0": [NINES, ["KC", "KD", "KH"]], "1": []}
    own: Any = {"hand": ["KS", "4C"], "stock_top": ["KS"], "hands": {"2": hand}, "pile": ["5C"]}
    assert decide(CLASSIC, "draw", "ask", melds=melds, **own) == answer


def test_first_melds_reach_the_minimum() -> None:
    """A poor hand cannot meld the required 120 points; a rich one melds its cheapest cards."""
    scores, poor = [3000, 0], ["KC", "KD", "KH", "4C", "4D", "5S"]
    state: Any = {"scores": scores, "melds": {"0": [], "1": BOTH["1"]}, "stock_top": ["8S"]}
    assert decide(CLASSIC, "draw", hand=poor, **state)[0] == "-"
    bot = load_module("canasta")
    rich = ["AC", "AD", "AH", "KC", "KD", "KH", "2C", "X", "4C", "8S"]
    match = Match.from_position(Format.parse(CLASSIC), {"hand": rich, "stock": 40, **state})
    judge = bot.Judge(match.format.options, match.view(0), bot.Memory())
    _, steps = bot.FirstMeld(judge, judge.hand, {}, 120).best
    assert sorted(rank for rank, _, _ in steps) == ["A", "K"]
    assert [wild for _, _, wild in steps if wild] in (["X"], ["2"], ["X2"], ["2X"])
    value = sum(n * {"A": 20, "K": 10}[rank] + 50 * wild.count("X") + 20 * wild.count("2")
               for rank, n, wild in steps)  # fmt: skip
    assert value >= 120
    assert bot.FirstMeld(judge, judge.hand, {}, 400).best is None


def test_remembers_the_pile_and_its_taker() -> None:
    bot = load_module("canasta")
    fmt = Format.parse(CLASSIC)
    state: Any = {"seat": 1, "hand": ["KC", "KD", "4C", "5C"], "pile": ["QC", "QD", "8H", "KH"]}
    match = Match.from_position(fmt, {"stock": 40, "melds": BOTH, **state})
    memory = bot.Memory()
    memory.pile = ["Q", "Q", "8", "K"]
    for move in ("take:KK", "-8"):
        match.play(move)
    for event in match.events(0):
        memory.event(event)
    assert memory.pile == ["8"]
    assert memory.taken[1] == {"Q": 2}
    assert memory.discards[1] == {"8"}
    view = {**match.view(0), "turn": 0, "phase": "meld"}
    knowledge = bot.Knowledge(fmt.options, view, memory)
    assert knowledge.next_seat == 1
    assert knowledge.chance_to_hold("Q", 2) == 1.0
    assert knowledge.chance_to_hold("Q", 3) < 1.0


def test_counts_the_chance_of_a_pair() -> None:
    """Eight cards are hidden, three of them aces; the hand has two of the eight."""
    bot = load_module("canasta")
    fmt = Format.parse(CLASSIC)
    match = Match.from_position(
        fmt, {"hand": ["KC", "KD"], "stock": 40, "hands": {"1": ["4C", "4D"]}}
    )
    knowledge = bot.Knowledge(fmt.options, match.view(0), bot.Memory())
    knowledge.unseen.clear()
    knowledge.unseen.update({"A": 3, "K": 5})
    knowledge.hidden = 8
    assert knowledge.chance_to_hold("A", 1) == pytest.approx(1 - 10 / 28)
    assert knowledge.chance_to_hold("A", 2) == pytest.approx(3 / 28)
    assert knowledge.chance_to_hold("A", 3) == pytest.approx(0)
