"""The list of moves against a slow one straight from section 4; large hands."""

from itertools import combinations
from random import Random
from typing import Any

import pytest

from engine import Match
from engine.cards import SUITS, TEXT, pack
from engine.deals import LISTED
from engine.games.paks.force import force, price
from engine.games.paks.moves import PaksSituation, can_make_pak, legal, read


def slow(situation: PaksSituation) -> list[str]:
    """PAK-18, PAK-26, PAK-29 by trying every subset; sorted as section 4 says."""
    if situation.stealing:
        targets = [
            (
                suit,
                sum(price(situation.paks[owner][at]) for at in chosen),
                f"{owner}:{numbers(chosen)}",
            )
            for suit in range(4)
            if suit not in situation.used
            for owner in clockwise(situation)
            for several in range(1, len(situation.paks[owner]) + 1)
            for chosen in combinations(range(len(situation.paks[owner])), several)
            if all(situation.paks[owner][at][0] & 3 == suit for at in chosen)
        ]
    else:
        targets = [(card & 3, price([card]), TEXT[card]) for card in sorted(set(situation.board))]
    groups = {
        group
        for size in range(1, len(situation.hand) + 1)
        for group in combinations(situation.hand, size)
        if len({card & 3 for card in group}) == 1
    }
    found = [
        (len(group), group, number)
        for number, (suit, cost, _) in enumerate(targets)
        for group in groups
        if group[0] & 3 == suit and force(group) > cost
    ]
    lean = []
    for number in range(len(targets)):
        means = [entry for entry in found if entry[2] == number]
        lean += sorted(means, key=lambda entry: (entry[0], force(entry[1]), entry[1]))[:1]
    rest = sorted(entry for entry in found if entry not in lean)
    head = "steal:" if situation.stealing else "pak:"
    moves = [
        f"{head}{'+'.join(TEXT[card] for card in group)}>{targets[number][2]}"
        for _, group, number in lean + rest
    ]
    end = [] if situation.compulsory and not situation.stealing else ["end"]
    return end + moves or ["pass"]


def numbers(chosen: tuple[int, ...]) -> str:
    return "+".join(str(at + 1) for at in chosen)


def clockwise(situation: PaksSituation) -> list[int]:
    seats = len(situation.paks)
    return [(situation.seat + step) % seats for step in range(1, seats)]


def random_stand(rng: Random, seats: int) -> PaksSituation:
    cards = rng.sample(pack() * (1 if seats == 2 else 2), 52)
    hand = sorted(cards[: rng.randint(0, 9)])
    board = sorted(cards[9 : 9 + rng.randint(0, 7)])
    rest = sorted(cards[16:], key=lambda card: card & 3)
    paks: list[list[list[int]]] = [[] for _ in range(seats)]
    for at in range(0, len(rest) - 3, 4):
        pak = [card for card in rest[at : at + rng.randint(2, 3)] if card & 3 == rest[at] & 3]
        if len(pak) > 1:
            paks[rng.randrange(seats)].append(sorted(pak))
    used = rng.sample(range(4), rng.randint(1, 3))
    seat = rng.randrange(seats)
    return PaksSituation(seat, rng.random() < 0.6, rng.random() < 0.4, hand, board, paks, used)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_the_list_is_complete_and_in_order(seats: Any) -> None:
    rng = Random(f"lists {seats}")
    for _ in range(150):
        situation = random_stand(rng, seats)
        wanted = slow(situation)
        listed, more = legal(situation)
        assert ([play.text for play in listed], more) == (wanted[:LISTED], len(wanted) > LISTED)
        for move in wanted:
            read(situation, move)
        situation.stealing = situation.compulsory = False
        assert can_make_pak(situation) == bool(legal(situation)[0][1:])


@pytest.mark.parametrize("compulsory", [False, True])
def test_a_hand_of_all_cards_of_a_suit(compulsory: Any) -> None:
    """Section 4: 512 are listed, the lean ones first; others are legal none the less."""
    board = ["2S", "KS"]
    hand = sorted(card for card in pack() * 2 if card & 3 == 3)
    for text in board:
        hand.remove(TEXT.index(text))
    texts = [TEXT[card] for card in hand]
    state = {"hands": [texts], "board": board, "compulsory": compulsory}
    match = Match.from_position("paks/standard/ffa3", state)
    listed = match.legal_moves()
    assert match.truncated
    assert len(listed) == LISTED
    first = 0 if compulsory else 1
    assert listed[first : first + 2] == ["pak:3S>2S", "pak:AS>KS"]
    assert match.is_legal(f"pak:{'+'.join(texts)}>KS")


def test_very_many_thefts() -> None:
    """Nine paks of one suit and owner make 511 thefts; each comes with its lean means first."""
    spades = sorted(card for card in pack() * 2 if card & 3 == 3)
    low = [card for card in spades if 1 <= card >> 2 <= 4]
    rest = [card for card in spades if card not in low]
    paks = [[TEXT[card] for card in rest[at : at + 2]] for at in range(0, 18, 2)]
    state = {
        "phase": "steal",
        "used_suits": [SUITS[0]],
        "hands": [[TEXT[card] for card in low]],
        "paks": [[], paks],
    }
    match = Match.from_position("paks/standard/ffa3", state)
    listed = match.legal_moves()
    assert match.truncated
    assert len({move.split(">")[1] for move in listed[1:]}) == 511
