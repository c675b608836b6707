"""The list of moves compared with a slow one from section 4; large hands."""

from itertools import combinations
from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import SUITS, TEXT, pack
from engine.deals import LISTED
from engine.games.paks.force import force, price
from engine.games.paks.moves import PaksSituation, can_make_pak, legal, read


def expected_moves(situation: PaksSituation) -> list[str]:
    """PAK-18, PAK-26, PAK-29 by trying every subset; sorted as section 4 says."""
    if situation.stealing:
        targets = [
            (
                suit,
                sum(price(situation.paks[owner][index]) for index in indices),
                f"{owner}:{numbers(indices)}",
            )
            for suit in range(4)
            if suit not in situation.used
            for owner in clockwise(situation)
            for several in range(1, len(situation.paks[owner]) + 1)
            for indices in combinations(range(len(situation.paks[owner])), several)
            if all(situation.paks[owner][index][0] & 3 == suit for index in indices)
        ]
    else:
        targets = [(card & 3, price([card]), TEXT[card]) for card in sorted(set(situation.board))]
    groups = {
        group
        for size in range(1, len(situation.hand) + 1)
        for group in combinations(situation.hand, size)
        if len({card & 3 for card in group}) == 1
    }
    entries = [
        (len(group), group, number)
        for number, (suit, cost, _) in enumerate(targets)
        for group in groups
        if group[0] & 3 == suit and force(group) > cost
    ]
    cheapest = []
    for number in range(len(targets)):
        choices = [entry for entry in entries if entry[2] == number]
        cheapest += sorted(choices, key=lambda entry: (entry[0], force(entry[1]), entry[1]))[:1]
    others = sorted(entry for entry in entries if entry not in cheapest)
    head = "steal:" if situation.stealing else "pak:"
    moves = [
        f"{head}{'+'.join(TEXT[card] for card in group)}>{targets[number][2]}"
        for _, group, number in cheapest + others
    ]
    end = [] if situation.compulsory and not situation.stealing else ["end"]
    return end + moves or ["pass"]


def numbers(indices: tuple[int, ...]) -> str:
    return "+".join(str(index + 1) for index in indices)


def clockwise(situation: PaksSituation) -> list[int]:
    seats = len(situation.paks)
    return [(situation.seat + step) % seats for step in range(1, seats)]


def random_stand(rng: Random, seats: int) -> PaksSituation:
    cards = rng.sample(pack() * (1 if seats == 2 else 2), 52)
    hand = sorted(cards[: rng.randint(0, 9)])
    board = sorted(cards[9 : 9 + rng.randint(0, 7)])
    remaining = sorted(cards[16:], key=lambda card: card & 3)
    paks: list[list[list[int]]] = [[] for _ in range(seats)]
    for at in range(0, len(remaining) - 3, 4):
        pak = [
            card for card in remaining[at : at + rng.randint(2, 3)] if card & 3 == remaining[at] & 3
        ]
        if len(pak) > 1:
            paks[rng.randrange(seats)].append(sorted(pak))
    owners = rng.sample(range(4), rng.randint(1, 3))
    seat = rng.randrange(seats)
    return PaksSituation(seat, rng.random() < 0.6, rng.random() < 0.4, hand, board, paks, owners)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_the_list_is_complete_and_in_order(seats: Any) -> None:
    rng = Random(f"lists {seats}")
    for _ in range(150):
        situation = random_stand(rng, seats)
        expected = expected_moves(situation)
        actual, truncated = legal(situation)
        assert ([play.text for play in actual], truncated) == (
            expected[:LISTED],
            len(expected) > LISTED,
        )
        for move in expected:
            read(situation, move)
        situation.stealing = situation.compulsory = False
        assert can_make_pak(situation) == bool(legal(situation)[0][1:])


@pytest.mark.parametrize("compulsory", [False, True])
def test_a_hand_of_all_cards_of_a_suit(compulsory: Any) -> None:
    """Section 4: 512 are listed, the cheapest first; others are legal none the less."""
    board = ["2S", "KS"]
    hand = sorted(card for card in pack() * 2 if card & 3 == 3)
    for text in board:
        hand.remove(TEXT.index(text))
    texts = [TEXT[card] for card in hand]
    state = {"hands": [texts], "board": board, "compulsory": compulsory}
    match = Match.from_position("paks/standard/ffa3", state)
    legal = match.legal_moves()
    assert match.truncated
    assert len(legal) == LISTED
    start = 0 if compulsory else 1
    assert legal[start : start + 2] == ["pak:3S>2S", "pak:AS>KS"]
    assert match.is_legal(f"pak:{'+'.join(texts)}>KS")


def test_very_many_thefts() -> None:
    """Nine paks of one suit and owner make 511 thefts; for each, the cheapest move comes first."""
    spades = sorted(card for card in pack() * 2 if card & 3 == 3)
    low_cards = [card for card in spades if 1 <= card >> 2 <= 4]
    high_cards = [card for card in spades if card not in low_cards]
    paks = [[TEXT[card] for card in high_cards[index : index + 2]] for index in range(0, 18, 2)]
    state = {
        "phase": "steal",
        "used_suits": [SUITS[0]],
        "hands": [[TEXT[card] for card in low_cards]],
        "paks": [[], paks],
    }
    match = Match.from_position("paks/standard/ffa3", state)
    legal = match.legal_moves()
    assert match.truncated
    assert len({move.split(">")[1] for move in legal[1:]}) == 511
