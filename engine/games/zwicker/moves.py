"""Zwicker's moves: `legal` lists them (ZWI-49), `read` checks a single one (ZWI-47)."""

from __future__ import annotations

from typing import Final

from engine.cards import CODE, TEXT
from engine.deals import LISTED
from engine.errors import IllegalMove
from engine.fishing import (
    BUILD,
    CAPTURE,
    NUMBER_SHIFT,
    TRAIL,
    absent_item_error,
    add_first_captures,
    add_later_captures,
    add_walked_captures,
    build_code,
    build_text,
    capture_code,
    capture_text,
    card_of,
    coded,
    kind_of,
    mask_of_places,
    place_of,
    trail_code,
)
from engine.games.zwicker.capture import Captures, capture_lists
from engine.games.zwicker.items import CARD, HIGHEST, ZwickerItem, parse_build
from engine.games.zwicker.options import JOKER, TOP, ZwickerRules


def legal(rules: ZwickerRules, hand: list[int], table: list[ZwickerItem]) -> tuple[list[int], bool]:
    """The first 512 legal moves of a hand as coded moves, and whether there are more (ZWI-49).

    `hand`: cards in card order.
    """
    codes: list[int] = []
    cards = _without_copies(hand)
    captures = capture_lists(rules, table, cards)
    if captures is None:
        _add_lazy_captures(codes, Captures(rules, table), cards)
    else:
        _add_listed_captures(codes, captures, cards, forced=rules.forced)
    for card in cards:  # 4
        if len(codes) > LISTED:
            break
        _add_builds(codes, rules, table, card, values_left(rules, hand, card))
    if len(codes) > LISTED:
        return codes[:LISTED], True
    return codes, False


def _without_copies(hand: list[int]) -> list[int]:
    """The cards of a hand without duplicates; `hand` itself if there are none."""
    previous = -1
    for card in hand:
        if card == previous:
            return sorted(set(hand))
        previous = card
    return hand


def spell(table: list[ZwickerItem], codes: list[int]) -> list[str]:
    """The texts of coded moves (ZWI-47)."""
    return [_text_of(table, code) for code in codes]


def _text_of(table: list[ZwickerItem], code: int) -> str:
    kind = kind_of(code)
    if kind == TRAIL:
        return TEXT[card_of(code)]
    return capture_text(table, code) if kind == CAPTURE else build_text(table, code)


def _add_listed_captures(
    codes: list[int], captures: list[list[int]], cards: list[int], *, forced: bool
) -> None:
    """Add the trails, and the captures from lists by card, which may be empty."""
    max_captures = add_first_captures(codes, cards, captures)  # 1
    for index, card in enumerate(cards):  # 2
        # ZWI-15: with `trail=forced`, a card that captures cannot trail
        if not (forced and captures and captures[index]):
            codes.append(trail_code(card))
    add_later_captures(codes, cards, captures, max_captures)  # 3


def _add_lazy_captures(codes: list[int], captures: Captures, cards: list[int]) -> None:
    """Add the trails, and captures that are too many to store: one walk per card (ZWI-50)."""
    walks = [(card, captures.walk(card)) for card in cards]
    walks = add_walked_captures(codes, walks)
    capturing = [card for card, _ in walks] if captures.rules.forced else []
    codes += [trail_code(card) for card in cards if card not in capturing]
    while walks and len(codes) <= LISTED:
        walks = add_walked_captures(codes, walks)


def _add_builds(
    codes: list[int], rules: ZwickerRules, table: list[ZwickerItem], card: int, allowed: int
) -> None:
    """Add the builds with one card, ordered by item and value.

    `allowed`: the values that the builds may have, as bits.
    """
    wild = rules.wild
    buildable = 0  # the values of items on which the card can be laid, as bits
    for card_value in rules.values[card]:
        buildable |= allowed >> card_value
        if not wild:
            buildable |= allowed << card_value
    if not buildable:
        return
    value = rules.loose[card].value
    last_id = ""
    place = -1
    for item in table:
        place += 1
        if not item.bits & buildable or item.id == last_id:
            continue  # ZWI-48: equal items are interchangeable
        last_id = item.id
        laying = build_code(card, place)
        if wild and value and item.value:  # only one sum is possible
            codes.append(laying | (value + item.value) << NUMBER_SHIFT)
            continue
        values = build_values(rules, card, item) & allowed
        while values:
            lowest = values & -values
            values ^= lowest
            codes.append(laying | (lowest.bit_length() - 1) << NUMBER_SHIFT)


def build_values(rules: ZwickerRules, card: int, item: ZwickerItem) -> int:
    """The values that a build of `card` on `item` can have, whatever the hand contains, as bits.

    In Grupp's game the value is the sum, at most 14 (ZWI-17, ZWI-22); in the Christiansen family's
    game, the sum or the difference (ZWI-35).
    """
    if rules.wild and item.value:
        return rules.loose[card].bits << item.value & rules.builds
    values = 0
    for card_value in rules.values[card]:
        values |= item.bits << card_value
        if not rules.wild:
            values |= item.bits >> card_value
    return values & rules.builds


def values_left(rules: ZwickerRules, hand: list[int], card: int) -> int:
    """The values that a build may have when `card` is played from the hand, as bits.

    The hand must keep a card that can have the value of the build (ZWI-36). In Grupp's game it need
    not (ZWI-18), so all values are allowed.
    """
    if rules.wild:
        return rules.builds
    values = 0
    was_skipped = False
    for held_card in hand:
        if held_card == card and not was_skipped:
            was_skipped = True  # skip only the played card, not an equal one
        else:
            values |= rules.loose[held_card].bits
    return values


def read(rules: ZwickerRules, hand: list[int], table: list[ZwickerItem], move: str) -> int:
    """The coded move for the text of a legal move; IllegalMove with the clause that forbids it."""
    card_match = CARD.match(move)
    if card_match is None:
        raise IllegalMove(move, "ZWI-47", "it does not begin with a card")
    card = CODE[card_match[0]]
    body = move[card_match.end() :]
    if body and body[0] not in "x>":
        raise IllegalMove(
            move, "ZWI-47", "after the card, write x (capture), > (build) or nothing (trail)"
        )
    if card not in hand:
        raise IllegalMove(move, "ZWI-8", f"{TEXT[card]} is not in the hand of the seat to move")
    if not body:
        if rules.forced and next(Captures(rules, table).walk(card), 0):
            raise IllegalMove(
                move, "ZWI-15", f"with trail=forced, {TEXT[card]} must capture if it can"
            )
        return trail_code(card)
    if body[0] == "x":
        return _read_capture(rules, table, card, body[1:], move)
    return _read_build(rules, hand, table, card, body[1:], move)


def _read_capture(
    rules: ZwickerRules, table: list[ZwickerItem], card: int, body: str, move: str
) -> int:
    places: list[int] = []
    for item in body.split(","):
        repeated = bool(places) and table[places[-1]].id == item
        place = places[-1] + 1 if repeated else place_of(table, item)
        if repeated and (place == len(table) or table[place].id != item):
            raise IllegalMove(move, "ZWI-48", f"{item} is named more often than it is on the table")
        if place < 0:
            raise _absent_item(move, item)
        if places and place <= places[-1]:
            raise IllegalMove(move, "ZWI-48", "name the items in item order")
        places.append(place)
    for place in places:
        if table[place].joker and not rules.takes_joker(card):
            clause = "ZWI-24" if rules.joker_table == "never" else "ZWI-25"
            reason = f"{table[place].id} contains a joker, so {TEXT[card]} cannot take it"
            raise IllegalMove(move, clause, reason)
    if card == JOKER and rules.joker_single and len(places) > 1:
        raise IllegalMove(move, "ZWI-27", "a played joker takes exactly one item")
    if not Captures(rules, [table[place] for place in places]).allows(card, [*range(len(places))]):
        reason = f"these items cannot be divided into groups that {TEXT[card]} takes"
        raise IllegalMove(move, "ZWI-10", reason)
    return capture_code(card, mask_of_places(places, len(table)))


def _read_build(
    rules: ZwickerRules, hand: list[int], table: list[ZwickerItem], card: int, body: str, move: str
) -> int:
    target, equals, number = body.rpartition("=")
    if not equals or not _is_number(number):
        raise IllegalMove(move, "ZWI-47", "a build ends with = and its value, 1 to 30")
    if "," in target:
        raise IllegalMove(move, "ZWI-16", "a card can be laid on only one item")
    place = place_of(table, target)
    if place < 0:
        raise _absent_item(move, target)
    value = int(number)
    item = table[place]
    if not build_values(rules, card, item) >> value & 1:
        if not rules.wild:
            reason = f"neither the sum nor the difference of {TEXT[card]} and {item.id} is {value}"
            raise IllegalMove(move, "ZWI-35", reason)
        if value > TOP:
            raise IllegalMove(move, "ZWI-17", f"builds go up to {TOP}")
        wild = card == JOKER or JOKER in item.cards
        clause = "ZWI-22" if wild else "ZWI-17"
        raise IllegalMove(move, clause, f"{TEXT[card]} and {item.id} do not make {value}")
    if not values_left(rules, hand, card) >> value & 1:
        raise IllegalMove(move, "ZWI-36", f"no card that can be {value} would remain in hand")
    return coded(BUILD, card, place, value)


def _is_number(number: str) -> bool:
    """Whether the text is a whole number from 1 to 30 without a leading zero (ZWI-47)."""
    return len(number) < 3 and number in _NUMBERS


_NUMBERS: Final = frozenset(map(str, range(1, HIGHEST + 1)))


def _absent_item(move: str, text: str) -> IllegalMove:
    card, build = text in CODE, parse_build(text) is not None
    return absent_item_error(move, text, card=card, build=build, missing="ZWI-9", grammar="ZWI-47")
