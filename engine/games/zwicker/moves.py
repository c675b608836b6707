"""Zwicker's moves: their listing in the order of ZWI-49, and the direct test of one (ZWI-47)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from engine.cards import CODE, TEXT
from engine.errors import IllegalMove
from engine.games.zwicker.capture import Captures
from engine.games.zwicker.items import CARD, Item, parse_build
from engine.games.zwicker.options import JOKER, TOP, Rules

TRAIL: Final = 0
CAPTURE: Final = 1
BUILD: Final = 2

LISTED: Final = 512
_HIGHEST: Final = 30  # the largest number of the grammar (ZWI-47)


class Move(NamedTuple):
    """A legal move: `what` is the set of items captured, or the place of the item built on."""

    kind: int
    card: int
    what: int = 0
    value: int = 0


Coded = tuple[list[str], list[Move], bool]  # texts, moves, whether there are more
Walk = tuple[int, Iterator[int]]  # a card, its captures to come


def legal(rules: Rules, hand: list[int], table: list[Item]) -> Coded:
    """The moves of a hand, in the order of ZWI-49, the first 512 of them."""
    listed = Listing(table)
    cards = sorted(set(hand))
    walks = _walks(rules, cards, table)
    walks = listed.captures(walks)  # 1: the first capture of each card
    capturing = {move.card for move in listed.moves} if rules.forced else set()  # ZWI-15
    for card in cards:  # 2
        if card not in capturing:
            listed.add(TEXT[card], Move(TRAIL, card))
    while walks and len(listed.moves) <= LISTED:  # 3: the second of each, the third of each, …
        walks = listed.captures(walks)
    if len(listed.moves) <= LISTED:
        for card in cards:  # 4
            listed.builds(rules, card, None if rules.wild else kept(rules, hand, card))
    more = len(listed.moves) > LISTED
    return listed.texts[:LISTED], listed.moves[:LISTED], more


def _walks(rules: Rules, cards: list[int], table: list[Item]) -> list[Walk]:
    """The captures of each card."""
    if not table:
        return []
    captures = Captures(rules, table)
    few = captures.few(cards)
    if few is None:
        return [(card, captures.walk(card)) for card in cards]
    return [(card, iter(masks)) for card, masks in zip(cards, few, strict=True) if masks]


class Listing:
    """A list of moves that grows: their texts (ZWI-47, ZWI-48) and what they stand for."""

    def __init__(self, table: list[Item]) -> None:
        self.table: list[Item] = table
        self.ids: list[str] = [item.id for item in table]
        self.texts: list[str] = []
        self.moves: list[Move] = []

    def add(self, text: str, move: Move) -> None:
        self.texts.append(text)
        self.moves.append(move)

    def captures(self, walks: list[Walk]) -> list[Walk]:
        """One more capture of each card that has one; gives the walks that go on (ZWI-50)."""
        going: list[Walk] = []
        for card, walk in walks:
            if len(self.moves) > LISTED:
                break
            mask = next(walk, 0)
            if mask:
                taken = ",".join([self.ids[at] for at in places(self.table, mask)])
                self.add(f"{TEXT[card]}x{taken}", Move(CAPTURE, card, mask))
                going.append((card, walk))
        return going

    def builds(self, rules: Rules, card: int, keep: set[int] | None) -> None:
        """The builds of one card: by item, declared value. `keep`: the values allowed (ZWI-36)."""
        before = None
        own = rules.values[card]
        for place, item in enumerate(self.table):
            if item.key == before:
                continue  # ZWI-48: equal items are interchangeable
            before = item.key
            for value in _made(rules.wild, own, item.values):
                if keep is None or value in keep:
                    self.add(f"{TEXT[card]}>{item.id}={value}", Move(BUILD, card, place, value))


def places(table: list[Item], mask: int) -> list[int]:
    """The places of a set of items, in item order."""
    found: list[int] = []
    count = len(table)
    while mask:
        length = mask.bit_length()
        found.append(count - length)
        mask ^= 1 << (length - 1)
    return found


def made(rules: Rules, card: int, item: Item) -> tuple[int, ...]:
    """The values that a build of `card` laid on `item` can have, whatever is left in hand."""
    return _made(rules.wild, rules.values[card], item.values)


@cache
def _made(wild: bool, above: tuple[int, ...], under: tuple[int, ...]) -> tuple[int, ...]:  # noqa: FBT001 - a memo wants plain arguments
    """ZWI-17, ZWI-18, ZWI-22: the sum, at most 14, always allowed. ZWI-35: also the difference."""
    top = TOP if wild else _HIGHEST
    found = {one + own for own in above for one in under}
    if not wild:
        found |= {one - own for own in above for one in under}
    return tuple(sorted([value for value in found if 0 < value <= top]))


def kept(rules: Rules, hand: list[int], card: int) -> set[int]:
    """ZWI-36: the values that the cards left in hand can have once `card` is played."""
    rest = hand[:]
    rest.remove(card)
    return {value for other in rest for value in rules.values[other]}


def read(rules: Rules, hand: list[int], table: list[Item], move: str) -> Move:
    """A legal move; IllegalMove names the clause that forbids any other."""
    begin = CARD.match(move)
    if begin is None:
        raise IllegalMove(move, "ZWI-47", "it does not begin with a card")
    card = CODE[begin[0]]
    rest = move[begin.end() :]
    if rest and rest[0] not in "x>":
        raise IllegalMove(move, "ZWI-47", "after the card comes nothing, x (capture) or > (build)")
    if card not in hand:
        raise IllegalMove(move, "ZWI-8", f"{TEXT[card]} is not in the hand of the seat to move")
    if not rest:
        if rules.forced and next(Captures(rules, table).walk(card), 0):
            raise IllegalMove(move, "ZWI-15", f"{TEXT[card]} can capture: trail=forced")
        return Move(TRAIL, card)
    if rest[0] == "x":
        return _read_capture(rules, table, card, rest[1:], move)
    return _read_build(rules, hand, table, card, rest[1:], move)


def _read_capture(rules: Rules, table: list[Item], card: int, body: str, move: str) -> Move:
    taken: list[int] = []
    for item in body.split(","):
        again = bool(taken) and table[taken[-1]].id == item
        place = taken[-1] + 1 if again else _find(table, item)
        if again and (place == len(table) or table[place].id != item):
            raise IllegalMove(move, "ZWI-48", f"{item} is named more often than it is there")
        if place < 0:
            raise _absent(move, item)
        if taken and place <= taken[-1]:
            raise IllegalMove(move, "ZWI-48", "items are named in item order")
        taken.append(place)
    for place in taken:
        if table[place].joker and not rules.takes_joker(card):
            clause = "ZWI-24" if rules.joker_table == "never" else "ZWI-25"
            raise IllegalMove(move, clause, f"{table[place].id} has a joker: it cannot be taken so")
    if card == JOKER and rules.joker_single and len(taken) > 1:
        raise IllegalMove(move, "ZWI-27", "a played joker takes exactly one item")
    if not Captures(rules, [table[place] for place in taken]).allows(card, [*range(len(taken))]):
        why = f"{TEXT[card]} cannot take these items, divided into groups, all of them"
        raise IllegalMove(move, "ZWI-10", why)
    return Move(CAPTURE, card, sum([1 << (len(table) - 1 - place) for place in taken]))


def _read_build(
    rules: Rules, hand: list[int], table: list[Item], card: int, body: str, move: str
) -> Move:
    target, equals, number = body.rpartition("=")
    if not equals or not _is_number(number):
        raise IllegalMove(move, "ZWI-47", "a build ends with = and its value, 1 to 30")
    if "," in target:
        raise IllegalMove(move, "ZWI-16", "a card is never laid on two items at once")
    place = _find(table, target)
    if place < 0:
        raise _absent(move, target)
    value = int(number)
    item = table[place]
    if value not in made(rules, card, item):
        if not rules.wild:
            why = f"{TEXT[card]} and {item.id} make no {value}, neither added nor subtracted"
            raise IllegalMove(move, "ZWI-35", why)
        if value > TOP:
            raise IllegalMove(move, "ZWI-17", f"builds go up to {TOP}")
        wild = card == JOKER or JOKER in item.cards
        clause = "ZWI-22" if wild else "ZWI-17"
        raise IllegalMove(move, clause, f"{TEXT[card]} and {item.id} do not make {value}")
    if not rules.wild and value not in kept(rules, hand, card):
        raise IllegalMove(move, "ZWI-36", f"no card that can be {value} would remain in hand")
    return Move(BUILD, card, place, value)


def _is_number(number: str) -> bool:
    """Decimal, without leading zero, 1 to 30 (ZWI-47)."""
    return len(number) < 3 and number in _NUMBERS


_NUMBERS: Final = frozenset(map(str, range(1, _HIGHEST + 1)))


def _find(table: list[Item], name: str) -> int:
    """The place of the first item written `name`, -1 if it is not there."""
    for place, item in enumerate(table):
        if item.id == name:
            return place
    return -1


def _absent(move: str, name: str) -> IllegalMove:
    """Why there is no item `name`: it is not one, it is misspelt, or it is not on the table."""
    if name in CODE:
        return IllegalMove(move, "ZWI-9", f"{name} does not lie loose on the table")
    if parse_build(name):
        return IllegalMove(move, "ZWI-9", f"the build {name} is not on the table")
    return IllegalMove(move, "ZWI-47", f"{name[:60]!r} is not the text of a card or a build")
