"""The moves of Paks (PAK-13 to PAK-30): `legal` lists them, `read` checks a single one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import combinations
from typing import Final

from engine.cards import CODE, FIRST_JOKER, SUIT_NAMES
from engine.deals import LISTED, random_index
from engine.errors import IllegalMove
from engine.games.paks.force import PLAIN, WEIGHT, Group, Suit, force, price, strength
from engine.games.paks.groups import cheapest_group, extend, groups_of_suit, is_small_search
from engine.games.paks.plays import END, END_PLAY, PASS, PASS_PLAY, Play, Target, play_for

__all__ = ["END", "PASS", "PaksSituation", "Play", "can_make_pak", "legal", "parse", "read"]

_MAX_LISTED_CARDS: Final = 8  # with more cards of a suit, a search finds the cheapest group faster
_BOARD_TARGETS: Final = [Target(card & 3, PLAIN[card >> 2], card) for card in range(FIRST_JOKER)]
_MOVE = re.compile(r"(pak|steal):([A-Z0-9+]+)>([A-Z0-9:+]+)")
_THEFT = re.compile(r"([0-5]):([1-9][0-9]?(?:\+[1-9][0-9]?)*)")


class PaksSituation:
    """The facts on which the legal moves depend."""

    __slots__ = ("board", "compulsory", "hand", "paks", "seat", "stealing", "used")

    def __init__(
        self,
        seat: int,
        stealing: bool,  # noqa: FBT001 - in the order of a deal's fields
        compulsory: bool,  # noqa: FBT001 - likewise
        hand: list[int],
        board: list[int],
        paks: list[list[list[int]]],
        used: list[int],
    ) -> None:
        self.seat: int = seat
        self.stealing: bool = stealing  # the phase after the pak (PAK-23, PAK-24)
        self.compulsory: bool = compulsory  # PAK-16
        self.hand: list[int] = hand
        self.board: list[int] = board
        self.paks: list[list[list[int]]] = paks
        self.used: list[int] = used  # suits of the pak and the thefts of this turn (PAK-26)


def legal(situation: PaksSituation) -> tuple[list[Play], bool]:
    """The legal moves in order, at most `LISTED`, and whether there are more."""
    stealing = situation.stealing
    hand = situation.hand
    listed = [END_PLAY] if stealing or not situation.compulsory else []  # PAK-13, PAK-23
    targets = _affordable_targets(situation)
    if not targets:
        return listed or [PASS_PLAY], False  # PAK-17
    suits = 0
    for target in targets:
        suits |= 1 << target.suit
    cards = [card for card in hand if suits >> (card & 3) & 1]
    if is_small_search(cards, targets):
        return listed, extend(listed, cards, targets)
    for group, target in lazy_plays(cards, targets):
        if len(listed) == LISTED:
            return listed, True
        listed.append(play_for(group, target))
    return listed, False


def cheapest_move(situation: PaksSituation, rand: Callable[[], float]) -> Play:
    """The cheapest move for a random target; without a target, the end of the turn or a pass."""
    weights = _weights(situation.hand)
    if situation.stealing:
        thefts = _thefts(situation, weights)
        if not thefts:
            return END_PLAY
        target = thefts[random_index(rand, len(thefts))]
    else:
        board_cards = _board_cards(situation.board, weights)
        if not board_cards:
            return PASS_PLAY if situation.compulsory else END_PLAY
        target = _BOARD_TARGETS[board_cards[random_index(rand, len(board_cards))]]
    suit = target.suit
    cards = [card for card in situation.hand if card & 3 == suit]
    if len(cards) > _MAX_LISTED_CARDS:
        return play_for(Suit(cards).cheapest_group(target.price), target)
    cheapest = cheapest_group(groups_of_suit(cards), target.price)
    assert cheapest is not None  # noqa: S101 - targets are affordable
    return play_for(cheapest.cards, target)


def _affordable_targets(situation: PaksSituation) -> list[Target]:
    """The board cards or paks that the hand can take in this phase, in the order of the list."""
    weights = _weights(situation.hand)
    if situation.stealing:
        return _thefts(situation, weights)
    return [_BOARD_TARGETS[card] for card in _board_cards(situation.board, weights)]


def _weights(hand: list[int]) -> list[int]:
    """By suit, the weight of all the hand's cards together; no group has more force (PAK-17)."""
    clubs = diamonds = hearts = spades = 0  # compiled, quicker than a list
    for card in hand:
        suit, weight = card & 3, WEIGHT[card]
        if suit == 0:
            clubs += weight
        elif suit == 1:
            diamonds += weight
        elif suit == 2:
            hearts += weight
        else:
            spades += weight
    return [clubs, diamonds, hearts, spades]


def _board_cards(board: list[int], weights: list[int]) -> list[int]:
    """The board cards that the hand can take (PAK-18), in card order and without duplicates."""
    cards: list[int] = []
    previous = -1
    for card in board:
        if card != previous and PLAIN[card >> 2] < strength(weights[card & 3]):
            previous = card
            cards.append(card)
    return cards


def _thefts(situation: PaksSituation, weights: list[int]) -> list[Target]:
    """The paks or sets of paks that the hand can steal from other players (PAK-25).

    A set contains paks of one suit and owner (PAK-29). No suit is used twice in a turn (PAK-26).
    Order: by suit, by owner clockwise from the left, by number of paks, by the numbers of the paks.
    """
    thefts: list[Target] = []
    rows = situation.paks
    seat = situation.seat
    seats = len(rows)
    for suit in range(4):
        if weights[suit] and suit not in situation.used:
            max_force = strength(weights[suit])
            for step in range(1, seats):
                owner = (seat + step) % seats
                _add_thefts(thefts, rows[owner], owner, suit, max_force)
    return thefts


def _add_thefts(
    targets: list[Target], row: list[list[int]], owner: int, suit: int, max_force: int
) -> None:
    """Add the thefts of one suit from one owner that cost less than `max_force`."""
    paks: list[tuple[int, int]] = []
    for index, pak in enumerate(row):
        if pak[0] & 3 == suit:
            cost = price(pak)
            if cost < max_force:
                paks.append((index, cost))
    for index, cost in paks:
        targets.append(Target(suit, cost, -1, owner, (index,)))
    if len(paks) < 2:
        return
    sorted_prices = sorted([cost for _, cost in paks])
    for number in range(2, len(paks) + 1):
        if sum(sorted_prices[:number]) >= max_force:
            return
        for chosen in combinations(paks, number):
            cost = sum([value for _, value in chosen])
            if cost < max_force:
                targets.append(Target(suit, cost, -1, owner, tuple([index for index, _ in chosen])))


def lazy_plays(cards: Sequence[int], targets: Sequence[Target]) -> Iterator[tuple[Group, Target]]:
    """Yield the cheapest group for each target, then all others by size, cards and target."""
    suits = {
        suit: Suit([card for card in cards if card & 3 == suit])
        for suit in {target.suit for target in targets}
    }
    cheapest_groups: dict[Target, Group] = {}
    for target in targets:
        cheapest_groups[target] = suits[target.suit].cheapest_group(target.price)
        yield cheapest_groups[target], target
    targets_by_suit = {
        suit: [target for target in targets if target.suit == suit] for suit in suits
    }
    for size in range(1, max([len(suit.cards) for suit in suits.values()]) + 1):
        streams = [
            suits[suit].groups(size, min([target.price for target in suit_targets]))
            for suit, suit_targets in targets_by_suit.items()
        ]
        for group, group_force in merge(*streams):
            for target in targets_by_suit[group[0] & 3]:
                if target.price < group_force and cheapest_groups[target] != group:
                    yield group, target


def can_make_pak(situation: PaksSituation) -> bool:
    """Whether the hand can make a pak (PAK-17): all its cards of a suit have the most force."""
    return bool(_board_cards(situation.board, _weights(situation.hand)))


def parse(move: str) -> Play:
    """The move with this text, which must be in the game's notation but need not be legal.

    >>> pak = parse("pak:7H>6H")
    >>> pak.kind, pak.cards, pak.card, pak.text  # 26: the seven of hearts
    ('pak', (26,), 22, 'pak:7H>6H')
    """
    if move in (END, PASS):
        return Play(move)
    kind, _, arguments = move.partition(":")
    group, _, target = arguments.partition(">")
    cards = tuple([CODE[text] for text in group.split("+")])
    if kind == "pak":
        return Play(kind, cards, CODE[target])
    owner, _, numbers = target.partition(":")
    paks = tuple([int(number) - 1 for number in numbers.split("+")])
    return Play(kind, cards, -1, int(owner), paks)


def read(situation: PaksSituation, move: str) -> Play:
    """The legal move with this text; IllegalMove with the clause that forbids it."""
    if move == END:
        if situation.compulsory and not situation.stealing:
            raise IllegalMove(
                move,
                "PAK-16",
                "after a hidden draw, the seat must make a pak before it ends its turn",
            )
        return Play(END)
    if move == PASS:
        if not situation.compulsory or situation.stealing or can_make_pak(situation):
            reason = "a seat may pass only if it must make a pak and cannot"
            raise IllegalMove(move, "PAK-17", reason)
        return Play(PASS)
    parts = _MOVE.fullmatch(move)
    if parts is None:
        reason = "a move is end, pass, pak:4H+7H>KH or steal:2C+3C>1:2"
        raise IllegalMove(move, "", reason)
    kind, cards, target = parts.groups()
    if kind == "pak":
        return _read_pak(situation, move, cards, target)
    return _read_steal(situation, move, cards, target)


def _read_pak(situation: PaksSituation, move: str, cards: str, target: str) -> Play:
    """The pak that a move's text describes; IllegalMove if it is not legal (PAK-18, PAK-19)."""
    if situation.stealing:
        raise IllegalMove(
            move, "PAK-21", "the seat has made its pak of this turn; it may only steal or end"
        )
    group = _read_group(situation, move, cards)
    card = CODE.get(target, -1)
    if card not in situation.board:
        raise IllegalMove(move, "PAK-18", f"{target} is not on the board")
    if card & 3 != group[0] & 3:
        raise IllegalMove(move, "PAK-18", f"{target} is not of the same suit as the cards played")
    _check_force(move, group, price([card]), "PAK-18")
    return Play("pak", group, card)


def _read_steal(situation: PaksSituation, move: str, cards: str, target: str) -> Play:
    """The theft that a move's text describes; IllegalMove if it is not legal (PAK-24 to PAK-29)."""
    if not situation.stealing:
        raise IllegalMove(move, "PAK-24", "stealing is possible only after a pak in the same turn")
    group = _read_group(situation, move, cards)
    parts = _THEFT.fullmatch(target)
    if parts is None:
        raise IllegalMove(
            move, "PAK-29", "write the stolen paks as seat:number+number, as in 3:1+4"
        )
    owner = int(parts[1])
    numbers = [int(number) for number in parts[2].split("+")]
    if owner >= len(situation.paks) or owner == situation.seat:
        raise IllegalMove(move, "PAK-25", "paks can be stolen only from another player")
    row = situation.paks[owner]
    if numbers != sorted(set(numbers)) or numbers[-1] > len(row):
        reason = f"name each pak once, in ascending order; seat {owner} has {len(row)}"
        raise IllegalMove(move, "PAK-29", reason)
    suit = group[0] & 3
    if suit in situation.used:
        reason = f"{SUIT_NAMES[suit]} were already used in this turn; steal in another suit"
        raise IllegalMove(move, "PAK-26", reason)
    paks = tuple([number - 1 for number in numbers])
    if any(row[index][0] & 3 != suit for index in paks):
        raise IllegalMove(
            move, "PAK-27", "the cards played must be of the same suit as the stolen pak"
        )
    _check_force(move, group, sum([price(row[index]) for index in paks]), "PAK-27")
    return Play("steal", group, -1, owner, paks)


def _read_group(situation: PaksSituation, move: str, text: str) -> Group:
    """The played cards that `text` names.

    IllegalMove unless they are in the hand, of one suit (PAK-18) and in card order.
    """
    cards = [CODE.get(part, FIRST_JOKER) for part in text.split("+")]
    unused_cards = situation.hand[:]
    for card, part in zip(cards, text.split("+"), strict=True):
        if card not in unused_cards:
            raise IllegalMove(move, "PAK-18", f"{part} is not in the hand, or is named too often")
        unused_cards.remove(card)
    if len({card & 3 for card in cards}) > 1:
        raise IllegalMove(move, "PAK-18", "the cards played must be of one suit")
    if cards != sorted(cards):
        raise IllegalMove(move, "", "write the cards in card order: A 2 … 9 T J Q K")
    return tuple(cards)


def _check_force(move: str, group: Group, cost: int, clause: str) -> None:
    strength = force(group)
    if strength <= cost:
        reason = f"the cards have a force of {strength}; more than {cost} is needed"
        raise IllegalMove(move, clause, reason)
