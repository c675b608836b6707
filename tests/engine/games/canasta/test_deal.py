"""A deal in play: dealing, turns, the pile, going out, the log."""

from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import pack, texts

PACKS = texts(pack(["X", "X"])) * 2


def position(fmt: Any = "canasta/classic/2v2", **state: Any) -> Any:
    return Match.from_position(fmt, {"stock": 40, **state})


def deck_of(*top: str) -> list[str]:
    """A deck of two packs that begins with these cards."""
    remaining = list(PACKS)
    for card in top:
        remaining.remove(card)
    return [*top, *remaining]


def plain(count: int, *but: str) -> list[str]:
    """Naturals to deal, without the cards `but`."""
    naturals = [card for card in PACKS if card[0] not in "X23"]
    for card in but:
        naturals.remove(card)
    return naturals[:count]


def kinds(match: Any) -> list[str]:
    return [event["type"] for event in match.events(0)]


def test_cards_are_dealt_one_at_a_time_from_the_first_seat() -> None:
    # CAN-1, CAN-5, CAN-8, CAN-9
    dealt = plain(45)
    match = Match("canasta/classic/2v2?deals=1", decks=[deck_of(*dealt)])
    view = match.view(None)
    assert view["hand_sizes"] == [11] * 4
    assert view["hands"][1] == sorted(dealt[1:44:4], key=texts(range(53)).index)
    assert view["pile"]["cards"] == [dealt[44]]
    assert view["stock"] == 108 - 45
    assert (view["dealer"], match.turn) == (3, 0)


def test_hands_of_all_formats_are_of_the_size_of_the_table() -> None:
    # CAN-1, CAN-4, CAN-6, CAN-8, CAN-78
    sizes = {"2v2": (11, 108), "1v1": (15, 108), "ffa3": (13, 108), "3v3": (13, 162)}
    for table, (hand, cards) in sizes.items():
        view = Match(f"canasta/classic/{table}", seed="sizes").view(None)
        assert len(match_cards(view)) == cards
        assert view["hand_sizes"][-1] == hand
    resting = Match("canasta/classic/3v3-rest", seed="sizes").view(None)
    assert resting["hand_sizes"][4:] == [0, 0]


def test_partners_are_not_drawn_by_cards() -> None:
    # CAN-7: seats are settled before the match, whatever its seed
    for seed in ("a", "b"):
        match = Match("canasta/classic/2v2", seed=seed)
        assert match.view(None)["sides"] == [[0, 2], [1, 3]]
        assert match.turn == 0
        assert match.events(None)[0]["type"] == "deal"


def match_cards(view: Any) -> list[str]:
    piles = [*view["hands"], view["stock_cards"], view["pile"]["cards"], *view["red3_cards"]]
    return [card for pile in piles for card in pile]


@pytest.mark.parametrize(
    ("variant", "turned", "pile"),
    [
        ("classic", ["2C", "3H", "3S", "9C"], 4),  # CAN-9
        ("classic", ["3S", "9C"], 2),
        ("english", ["3S", "9C"], 1),  # CAN-80
        ("english", ["2C", "3S", "9C"], 2),
    ],
)
def test_the_up_card_is_covered(variant: Any, turned: Any, pile: Any) -> None:
    # CAN-9, CAN-10: what is covered stays, and a wild card or a red three freezes
    deck = deck_of(*plain(44, "9C"), *turned)
    view = Match(f"canasta/{variant}/2v2", decks=[deck]).view(0)
    assert view["pile"]["cards"] == turned[:pile]
    assert view["pile"]["frozen"] == (turned[0] != "3S")


def test_turning_stops_without_a_card_to_cover_with() -> None:
    # CAN-10, CAN-60
    undealt = [card for card in PACKS if card[0] in "X2" or card in ("3D", "3H")] + ["3C", "3S"]
    deck = deck_of(*reversed(undealt))[::-1]
    match = Match("canasta/as-four/3v3?deals=1&hand=15", decks=[deck])
    view = match.view(None)
    assert sorted(view["pile"]["cards"]) == sorted(undealt)
    assert view["stock"] == 0
    assert view["pile"]["frozen"]
    assert {"type": "end", "reason": "stock"} in match.events(0)  # CAN-31: nobody can take


def test_a_turn_draws_or_takes_melds_and_discards() -> None:
    # CAN-12, CAN-13, CAN-14, CAN-15, CAN-86
    match = position(
        hand=["KC", "KD", "KS", "4C", "5C", "6C"], melds={"0": [["9C", "9D", "9H"]]}, pile=["TC"],
        stock_top=["8S"],
    )  # fmt: skip
    assert match.view(0)["phase"] == "choose"
    with pytest.raises(ValueError, match="CAN-12"):
        match.play("-4")
    match.play("draw")
    with pytest.raises(ValueError, match="CAN-12"):
        match.play("draw")
    match.play("K:KKK")
    assert "pass" not in match.legal_moves()
    match.play("-8")
    assert match.turn == 1
    assert match.view(1)["pile"] == {
        "size": 2,
        "top": "8S",
        "frozen": False,
        "frozen_for_me": True,
        "cards": ["TC", "8S"],
    }
    assert kinds(match) == ["draw", "meld", "discard"]


def test_wild_cards_and_black_threes_may_be_discarded_red_threes_not() -> None:
    # CAN-2, CAN-13, CAN-25, CAN-31
    match = position(hand=["2C", "3S", "X", "4C"], pile=["TC"], stock_top=["9S"])
    match.play("draw")
    assert match.legal_moves() == ["-2", "-3", "-4", "-9", "-X"]
    with pytest.raises(ValueError, match="CAN-13"):
        match.play("-R")
    match.play("-X")
    assert match.events(1)[-1] == {"type": "discard", "seat": 0, "card": "X", "frozen": True}


def test_the_whole_pile_is_taken_and_its_cards_may_be_used() -> None:
    # CAN-17, CAN-18, CAN-43, CAN-84
    match = position(
        hand=["9C", "9S", "4C", "4D", "5C"], melds={"0": [["KC", "KD", "KH"]]},
        pile=["4H", "KS", "9D"],
    )  # fmt: skip
    match.play("take:99")
    assert match.view(0)["hand"] == ["4C", "4D", "4H", "5C", "KS"]
    match.play("4:444")
    assert "K:K" not in match.legal_moves()  # a card must stay for after the discard (CAN-45)
    match.play("-5")
    assert match.view(1)["pile"]["size"] == 1
    take = match.events(1)[0]
    assert take == {
        "type": "take", "seat": 0, "top": "9D", "with": ["9C", "9S"], "size": 3, "rank": "9",
        "number": 1,
    }  # fmt: skip


def test_melded_cards_stay_and_belong_to_the_side() -> None:
    # CAN-4, CAN-36, CAN-42: the partner lays off on them, nobody takes them back
    match = position(
        hand=["4C", "5C", "6C"], hands={"2": ["KS", "5D", "7D"]},
        melds={"0": [["KC", "KD", "KH"]], "1": [["QC", "QD", "QH"]]}, pile=["TC"],
        stock_top=["8C", "8D", "QS"],
    )  # fmt: skip
    for move in ("draw", "-4", "draw", match.legal_moves()[0]):
        if move in match.legal_moves():
            match.play(move)
    while match.turn != 2:
        discards = [move for move in match.legal_moves() if move[0] == "-"]
        match.play(discards[0])
    match.play("draw")
    assert match.legal_moves()[0] == "K:K"
    assert not any(move.startswith("Q:") for move in match.legal_moves())
    match.play("K:K")
    assert match.view(2)["melds"][0][0]["cards"] == ["KC", "KD", "KH", "KS"]


def test_wild_cards_and_red_threes_make_no_meld() -> None:
    # CAN-21, CAN-37, CAN-39
    match = position(
        hand=["2C", "2D", "2H", "X", "4C"], melds={"0": [["KC", "KD", "KH"]]}, pile=["TC"],
        stock_top=["9S"],
    )  # fmt: skip
    match.play("draw")
    for move in ("2:222", "X:XXX", "R:RRR", "4:422", "3:222", "K:22X"):
        with pytest.raises(ValueError, match=r"CAN-\d+"):
            match.play(move)


def test_two_cards_are_kept_until_the_discard() -> None:
    # CAN-45, CAN-46, CAN-47
    match = position(
        hand=["KS", "KS", "5C"], melds={"0": [["KC", "KD", "KH"]]}, pile=["TC"], stock_top=["8C"]
    )
    match.play("draw")
    assert match.legal_moves() == ["K:K", "-5", "-8", "-K"]
    match.play("K:K")
    assert match.legal_moves() == ["K:K", "-5", "-8", "-K"]
    match.play("K:K")
    assert match.legal_moves() == ["-5", "-8"]
    match.play("-5")
    assert len(match.view(0)["hand"]) == 1


def test_without_a_discard_one_card_is_kept() -> None:
    # CAN-48, CAN-63
    match = position(
        "canasta/classic/2v2?last3=meld",
        hand=["KS", "KS", "5C"], melds={"0": [["KC", "KD", "KH"]]}, pile=["TC"], stock=1,
        stock_top=["3D"],
    )  # fmt: skip
    match.play("draw")
    match.play("K:K")
    match.play("K:K")
    assert match.legal_moves() == ["pass"]
    match.step("pass")
    ends = [event for event in match.events(0) if event["type"] == "end"]
    assert ends == [{"type": "end", "reason": "red3"}]


def test_an_answer_holds_for_that_turn_only() -> None:
    # CAN-56, CAN-57, CAN-59
    canasta = ["KC", "KC", "KD", "KD", "KH", "KS", "2C"]
    match = position(hand=["QC", "QD", "5C"], melds={"0": [canasta]}, pile=["TC"], stock_top=["QS"])
    match.play("draw")
    match.play("ask")
    assert (match.view(1)["turn"], match.turn) == (0, 2)
    match.play("no")
    assert match.view(3)["step"]["refused"]
    assert "ask" not in match.legal_moves()
    match.play("-5")
    assert not match.view(0)["step"]["refused"]
    assert not match.view(0)["step"]["asked"]
    rng = Random(3)
    while match.turn != 0:
        match.play(rng.choice([move for move in match.legal_moves() if move[0] in "-d"]))
    match.play("draw")
    assert match.is_legal("ask")


def test_melds_for_a_pending_pile_leave_the_question_open() -> None:
    # CAN-35, CAN-56
    kings = ["KC", "KC", "KD", "KD", "KH", "KH", "KS"]
    aces = ["AS", "AH", "2C"]
    match = position(hand=["5C", "5H", *aces, *kings], pile=["QS", "5D"])
    match.play("take:55")
    assert not match.is_legal("ask")  # the queen still waits
    match.play("A:AA2")
    restored = Match.from_view(match.view(0), Random(1))
    assert match.is_legal("ask")
    assert restored.is_legal("ask")
    match.play("K:KKK")
    restored = Match.from_view(match.view(0), Random(1))
    assert not match.is_legal("ask")
    assert not restored.is_legal("ask")


def test_the_deal_passes_in_the_direction_of_play() -> None:
    # CAN-5, CAN-6, CAN-69
    for table, dealers in (
        ("2v2", [3, 0, 1, 2]),
        ("2v2?direction=ccw", [1, 0, 3, 2]),
        ("3v2-rest", [3, 0, 1, 2]),
    ):
        mark = "&" if "?" in table else "?"
        match = Match(f"canasta/classic/{table}{mark}deals=4", seed="dealers")
        rng = Random(1)
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
        assert [deal["dealer"] for deal in match.deals] == dealers[: len(match.deals)]


def test_play_runs_counter_clockwise_with_ccw() -> None:
    # CAN-5, CAN-79
    match = position("canasta/classic/2v2?direction=ccw", hand=["4C", "5C"], pile=["TC"])
    turns = []
    for _ in range(4):
        turns.append(match.turn)
        match.play("draw")
        match.play(next(move for move in match.legal_moves() if move[0] == "-"))
    assert turns == [0, 3, 2, 1]


def test_the_deal_ends_when_the_stock_is_empty() -> None:
    # CAN-60, CAN-62
    for fmt in ("canasta/classic/2v2", "canasta/classic/2v2?endstock=stop"):
        match = position(fmt, hand=["4C", "5C"], pile=["TC"], stock=1, stock_top=["6C"])
        match.play("draw")
        match.step("-6")
        assert kinds(match)[-2:] == ["end", "score"]
        assert match.turn is None


def test_after_the_stock_the_next_seat_may_take_only_with_chain() -> None:
    # CAN-60, CAN-75
    state = {
        "hand": ["4C", "5C"], "hands": {"1": ["6C", "6D", "8C", "9C"]}, "pile": ["TC"],
        "melds": {"1": [["KC", "KD", "KH"]]}, "stock": 1, "stock_top": ["6H"],
    }  # fmt: skip
    match = position(**state)
    match.play("draw")
    match.play("-6")
    assert match.turn == 1
    assert match.legal_moves() == ["take:66", "pass"]
    match.step("pass")
    assert kinds(match)[-3:] == ["pass", "end", "score"]
    match = position("canasta/classic/2v2?endstock=stop", **state)
    match.play("draw")
    match.step("-6")
    assert match.turn is None


def test_the_first_taker_plays_alone_and_melds_of_the_pair_are_joined() -> None:
    # CAN-71, CAN-72, CAN-76
    melds = {"0": [["KC", "KD", "2C", "2D"]], "1": [], "2": [["KH", "KS", "2H", "2S"]]}
    state = {
        "seat": 1, "hand": ["9C", "9D", "QC", "QD", "QH", "AC", "AD", "AH"], "pile": ["TC", "9H"],
        "melds": melds, "sides": [[0], [1], [2]], "scores": [0, 0, 0],
    }  # fmt: skip
    match = position("canasta/classic/1v2", **state)
    match.play("take:99")
    view = match.view(0)
    assert view["sides"] == [[0, 2], [1]]
    assert view["melds"][0] == [
        {
            "rank": "K",
            "cards": ["2C", "2D", "2H", "2S", "KC", "KD", "KH", "KS"],
            "wild": 4,
            "canasta": "mixed",
        }
    ]
    assert view["opened"] == [True, True]
    assert view["step"]["counted"] == 30
    assert kinds(match) == ["take", "sides", "canasta"]
    match = position("canasta/classic/1v2?tworank=true", **state)
    match.play("take:99")
    assert [meld["wild"] for meld in match.view(0)["melds"][0]] == [2, 2]


def test_the_log_of_a_whole_deal() -> None:
    # CAN-49, CAN-52, CAN-97
    canasta = ["KC", "KC", "KD", "KD", "KH", "KS", "2C"]
    match = position(
        "canasta/classic/1v1?target=500",
        hand=["QC", "QD"], hands={"1": ["4C", "3D"]}, melds={"0": [canasta]}, pile=["TC"],
        stock_top=["3H", "QS"],
    )  # fmt: skip
    match.play("draw")
    match.play("Q:QQQ")
    total = 80 + 300 + 30 + 100 + 200 - 0
    assert match.events(0) == [
        {"type": "red3", "seat": 0, "cards": ["3H"], "from": "draw"},
        {"type": "draw", "seat": 0, "count": 1, "cards": ["QS"]},
        {"type": "meld", "seat": 0, "rank": "Q", "number": 1, "cards": ["QC", "QD", "QS"]},
        {"type": "out", "seat": 0, "concealed": True},
        {"type": "end", "reason": "out"},
        {
            "type": "score",
            "sides": [
                {"melds": 110, "canastas": 300, "red3": 100, "out": 200, "hands": 0, "total": 710},
                {"melds": 0, "canastas": 0, "red3": 0, "out": 0, "hands": -5, "total": -5},
            ],
            "hands": [[], ["3D", "4C"]],
            "scores": [total, -5],
        },
        {
            "type": "match",
            "scores": [710, -5],
            "winner": 0,
            "settlement": [715, -715],
            "reason": "target",
        },
    ]
    assert "cards" not in match.events(1)[1]  # CAN-95: a draw shows nothing but that it happened
    assert match.result is not None
    assert match.result["winners"] == [0]
    sheet = match.deals[0]["sheet"]
    assert sheet["points"] == [710, -5]
    assert [line["clause"] for line in sheet["lines"]] == [
        *("CAN-65", "CAN-44", "CAN-22", "CAN-52", "CAN-65"),
    ]
