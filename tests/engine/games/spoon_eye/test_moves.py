"""Legal moves compared with a simple search over all spellings (section 4)."""

from itertools import product
from random import Random
from typing import Any

import pytest

from engine import IllegalMove, Match
from engine.cards import pack, texts
from engine.games.spoon_eye.moves import legal, parse

BASIC, STANDARD = "spoon-eye/basic/1v1", "spoon-eye/standard/1v1"


def worth(mast: list[str]) -> int:
    total = last_value = 0
    for index, card in enumerate(mast):
        rank = card[0]
        if rank == "J":
            last_value = last_value if index else 10
        else:
            last_value = {"A": 1, "T": 10, "Q": 10, "K": 10}.get(rank) or int(rank)
        total += last_value
    return total


def allowed(view: dict[str, Any], hand: list[str], move: str) -> bool:
    """Whether a move is legal, by a simple form of SPO-10, SPO-12, SPO-15, SPO-27, SPO-37."""
    seat, masts = view["turn"], view["masts"]
    side_of = {s: side for side, seats in enumerate(view["sides"]) for s in seats}
    source, _, target = move.partition(">")
    row, end = int(target[0]), target[2]
    if source.startswith(("move:", "steal:")):
        kind, owner, number = source.split(":")
        if int(number) > len(masts[int(owner)]):
            return False
        card = masts[int(owner)][int(number) - 1][-1]
        if kind == "move":
            if int(owner) != seat or row != seat or f"{owner}:{number}" == target or end in "LR":
                return False
        elif side_of[int(owner)] == side_of[seat] or row != seat:
            return False
    else:
        card = source
        if card not in hand:
            return False
    if end in "LR":
        return row == seat and len(masts[row]) < 4 and (end == "R" or bool(masts[row]))
    return int(end) <= len(masts[row]) and worth([*masts[row][int(end) - 1], card]) <= 21


def all_spellings(seats: int, phase: str) -> list[str]:
    places = [f"{s}:{n}" for s, n in product(range(seats), "1234")]
    ends = [f"{s}:{n}" for s, n in product(range(seats), "LR")]
    if phase == "play":
        return [f"{c}>{p}" for c, p in product(texts(pack()), places + ends)]
    kind = {"start": "move", "steal": "steal"}[phase]
    return [f"{kind}:{p}>{q}" for p, q in product(places, places + ends)]


@pytest.mark.parametrize("table", ["1v1", "ffa3", "ffa4", "2v2"])
def test_legal_moves_equal_a_search_over_all_spellings(table: Any) -> None:
    rng = Random(table)
    counts = {"play": 0, "start": 0, "steal": 0}
    for seed in range(4):
        match = Match(f"spoon-eye/standard/{table}?deals=1", seed=f"brute {seed}")
        while match.turn is not None:
            view = match.view(match.turn)
            if view["phase"] in counts and counts[view["phase"]] < 25:
                counts[view["phase"]] += 1
                spellings = all_spellings(match.format.seats, view["phase"])
                expected = {move for move in spellings if allowed(view, view["hand"], move)}
                assert set(match.legal_moves()) - {"draw", "pass"} == expected
                assert {move for move in spellings if match.is_legal(move)} == expected
                assert ("pass" in match.legal_moves()) == (not expected)  # SPO-16
            match.play(rng.choice(match.legal_moves()))
    assert min(counts.values()) > 5


OWN_ROW = [["KS", "6D"], ["2H"], ["3H"], ["4H"]]


@pytest.mark.parametrize(
    ("state", "move", "clause"),
    [
        ({}, "7X", ""),
        ({}, "draw", "SPO-13"),
        ({}, "take:1:1", "SPO-13"),
        ({}, "pass", "SPO-16"),
        ({}, "9C>0:1", "SPO-13"),
        ({}, "7D>0:1", "SPO-10"),
        ({}, "7D>0:R", "SPO-12"),
        ({}, "7D>1:R", "SPO-12"),
        ({}, "7D>2:1", "SPO-1"),
        ({}, "7D>1:2", "SPO-11"),
        ({"masts": [[], [["AC"]]]}, "7D>0:L", "SPO-12"),
        ({"phase": "steal", "masts": [[], [["AC"]]]}, "7D>0:R", "SPO-27"),
        ({"phase": "steal", "masts": [[["5C"]], [["AC"]]]}, "steal:0:1>0:R", "SPO-27"),
        ({"phase": "steal", "masts": [[["5C"]], [["AC"]]]}, "steal:1:1>1:1", "SPO-27"),
        ({"phase": "start", "stock": ["QC"]}, "7D>0:2", "SPO-37"),
        ({"phase": "start", "stock": ["QC"]}, "move:0:2>0:2", "SPO-37"),
        ({"phase": "start", "stock": ["QC"]}, "move:1:1>0:2", "SPO-37"),
        ({"phase": "start", "stock": ["QC"]}, "move:0:1>0:R", ""),  # SPO-38: no such move
    ],
)
def test_illegal_moves_name_their_clause(state: Any, move: Any, clause: Any) -> None:
    position = {"hands": [["7D"], ["2C"]], "masts": [OWN_ROW, [["AC"]]], **state}
    match = Match.from_position(STANDARD, position)
    with pytest.raises(IllegalMove) as caught:
        match.play(move)
    assert caught.value.clause == clause


def test_a_take_after_another_seats_play_cannot_be_declined() -> None:
    # SPO-21, SPO-54
    state = {
        "phase": "take",
        "turn": 0,
        "to_act": 1,
        "hands": [["KD"], ["2C"], ["3C"]],
        "masts": [[["2S"]], [["AC"]], [["TD"]]],
        "raised": {"seat": 1, "by": 0, "cards": ["7H", "6D", "8S"]},
    }
    match = Match.from_position("spoon-eye/basic/ffa3", state)
    assert match.legal_moves() == ["take:0:1"]
    for move, clause in (("take:none", "SPO-21"), ("take:2:1", "SPO-54"), ("take:1:1", "SPO-54")):
        with pytest.raises(IllegalMove) as caught:
            match.check(move)
        assert caught.value.clause == clause


def test_lists_are_cut_at_the_limit() -> None:
    # section 4: every card fits on each of 15 masts and twice into the own row
    low_rows = [[[f"{rank}{suit}"] for rank in "A234"] for suit in "CDHS"]
    used_cards = {card for row in low_rows for (card,) in row}
    hand = [card for card in texts(pack()) if card not in used_cards]
    state = {"hands": [hand, [], [], []], "masts": [low_rows[0][:3], *low_rows[1:]]}
    match = Match.from_position("spoon-eye/basic/ffa4", state)
    assert len(hand) * 17 > 512
    assert len(match.legal_moves()) == 512
    assert match.truncated
    assert match.legal_moves()[:6] == [
        f"{hand[0]}>{p}" for p in ("0:1", "0:2", "0:3", "0:L", "0:R", "1:1")
    ]
    assert match.is_legal(f"{hand[-1]}>3:4")
    assert f"{hand[-1]}>3:4" not in match.legal_moves()


def test_the_cached_list_equals_a_new_list() -> None:
    """SPO-27, SPO-37: only the list itself shows whether there is a choice."""
    rng = Random("remembered")
    counts = {"start": 0, "steal": 0}
    match = Match("spoon-eye/standard/ffa3", seed="remembered")
    while match.turn is not None and min(counts.values()) < 5:
        phase = match.view(None)["phase"]
        if phase in counts:
            counts[phase] += 1
            moves, truncated = legal(match._deal)  # type: ignore[arg-type]
            texts_of = [move.text for move in moves]
            assert (match.legal_moves(), match.truncated) == (texts_of, truncated)
        match.play(rng.choice(match.legal_moves()))
    assert min(counts.values()) == 5


def test_a_text_is_parsed_once() -> None:
    assert parse("7D>1:2") is parse("7D>1:2")
    assert parse("7D>4:2") is None
