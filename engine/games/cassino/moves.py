"""Cassino's moves: `legal` lists them (CAS-46), `read` checks a single one (CAS-45)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.cards import CODE, RANKS, TEXT
from engine.deals import LISTED
from engine.errors import IllegalMove
from engine.fishing import (
    BUILD,
    CAPTURE,
    TRAIL,
    absent_item_error,
    add_first_captures,
    add_later_captures,
    add_walked_captures,
    build_text,
    capture_code,
    capture_text,
    card_of,
    coded,
    kind_of,
    laying_text,
    mask_of_places,
    place_of,
    trail_code,
)
from engine.games.cassino import capture
from engine.games.cassino.items import PAIR, CassinoItem, parse_build, parse_number
from engine.games.cassino.options import FACES, CassinoRules
from engine.sums import NO_SETS

BUILD_SUM: Final = BUILD
BUILD_PAIR: Final = 3
OUT: Final = 4

_PAIRS: Final = [f":{rank}" for rank in RANKS]  # by rank


def legal(rules: CassinoRules, hand: list[int], table: list[CassinoItem]) -> tuple[list[int], bool]:
    """The first 512 legal moves of a hand as coded moves, and whether there are more (CAS-46)."""
    capture_lists = _capture_lists(rules, hand, table)
    if capture_lists is None:
        return _legal_by_walks(rules, hand, table)
    codes: list[int] = []
    max_captures = add_first_captures(codes, hand, capture_lists)  # CAS-46.1
    _add_trails(rules, hand, codes)
    add_later_captures(codes, hand, capture_lists, max_captures)  # CAS-46.4
    _add_builds(rules, hand, table, codes)
    if len(codes) > LISTED:
        return codes[:LISTED], True
    return codes, False


def spell(table: list[CassinoItem], codes: list[int]) -> list[str]:
    """The texts of coded moves (CAS-45)."""
    return [_text_of(table, code) for code in codes]


def _text_of(table: list[CassinoItem], code: int) -> str:
    kind = kind_of(code)
    if kind == TRAIL:
        return TEXT[card_of(code)]
    if kind == CAPTURE:
        return capture_text(table, code)
    if kind == BUILD_SUM:
        return build_text(table, code)
    if kind == BUILD_PAIR:
        return laying_text(table, code, _PAIRS[card_of(code) >> 2])
    return "out"


def _capture_lists(
    rules: CassinoRules, hand: list[int], table: list[CassinoItem]
) -> list[list[int]] | None:
    """The captures of each card in the hand, as sets; None if there are too many to store.

    Empty if the table is empty.
    """
    if not table:
        return []
    sets = capture.sets_adding_up(table, capture.wanted_numbers(rules, hand))
    if sets is None:
        return None
    pair_count = capture.pair_builds(table)
    reached = capture.reached_numbers(sets)
    capture_lists: list[list[int]] = []
    last_rank = -1
    for card in hand:
        rank = card >> 2
        if rank == last_rank:  # cards of equal rank capture the same items (CAS-8)
            capture_lists.append(capture_lists[-1])
            continue
        last_rank = rank
        if not (pair_count or capture.may_take(rules, rank, reached)):
            capture_lists.append(NO_SETS)
            continue
        masks = capture.all_captures(rules, table, rank, sets, pair_count)
        if masks is None:
            return None
        capture_lists.append(masks)
    return capture_lists


def _legal_by_walks(
    rules: CassinoRules, hand: list[int], table: list[CassinoItem]
) -> tuple[list[int], bool]:
    """The result of `legal` if there are too many captures to store (CAS-47).

    For each card of the hand, a walk finds the captures one by one.
    """
    walks: list[tuple[int, Iterator[int]]] = [
        (card, capture.walk_captures(rules, table, card >> 2)) for card in hand
    ]
    codes: list[int] = []
    walks = add_walked_captures(codes, walks)
    _add_trails(rules, hand, codes)
    while walks and len(codes) <= LISTED:
        walks = add_walked_captures(codes, walks)
    _add_builds(rules, hand, table, codes)
    return codes[:LISTED], len(codes) > LISTED


def _add_trails(rules: CassinoRules, hand: list[int], codes: list[int]) -> None:
    """Add the trails, which are always legal (CAS-26), and ``out``, if allowed (CAS-36)."""
    for card in hand:
        codes.append(trail_code(card))  # noqa: PERF401 - compiled, quicker than another list
    if rules.end == "declare":
        codes.append(coded(OUT, 0))


def _add_builds(
    rules: CassinoRules, hand: list[int], table: list[CassinoItem], codes: list[int]
) -> None:
    """Add the builds, ordered by hand card and item; a sum comes before a pair (CAS-46.5).

    The same card on the same item can make a sum or a pair, which are two moves (CAS-23). A seat
    can raise any seat's builds (CAS-24).
    """
    if not table or len(hand) < 2:
        return
    numbers = rules.number
    takes = rules.takes
    held_ranks = paired_ranks = 0  # ranks of which the hand has at least one card, or two, as bits
    highest = 0  # the highest number that a card in the hand takes
    for card in hand:
        rank = card >> 2
        paired_ranks |= held_ranks & 1 << rank
        held_ranks |= 1 << rank
        if takes[rank] > highest:
            highest = takes[rank]
    highest_sum = rules.top if rules.top < highest else highest
    for card in hand:
        rank = card >> 2
        card_number = numbers[rank]
        has_pair = paired_ranks >> rank & 1 == 1
        highest_value = highest_sum - card_number if card_number else 0  # of an item, for a sum
        if not has_pair and highest_value < 1:
            continue
        place = -1
        for item in table:
            place += 1
            value = item.value
            if 0 < value <= highest_value:  # CAS-18, CAS-20
                total = card_number + value
                taker_rank = 0 if total == 14 else total - 1
                if (paired_ranks if taker_rank == rank else held_ranks) >> taker_rank & 1:  # CAS-16
                    codes.append(coded(BUILD_SUM, card, place, total))
            if (
                has_pair
                and (item.rank == rank or (item.rank < 0 and value == takes[rank]))
                and (rules.face_pairs or rank < FACES or item.count(rank) != 1)
            ):  # CAS-17, CAS-19, CAS-21, except moves that CAS-13 forbids
                codes.append(coded(BUILD_PAIR, card, place))


def read(rules: CassinoRules, hand: list[int], table: list[CassinoItem], move: str) -> int:
    """The coded move for the text of a legal move; IllegalMove with the clause that forbids it."""
    if move == "out":
        if rules.end == "declare":
            return coded(OUT, 0)
        raise IllegalMove(move, "CAS-36", "the win can be claimed only with end=declare")
    card = CODE.get(move[:2], 99)
    if card >= 52:
        raise IllegalMove(move, "CAS-45", "it does not begin with a card of the pack")
    body = move[2:]
    if body and body[0] not in "x>":
        raise IllegalMove(
            move, "CAS-45", "after the card, write x (capture), > (build) or nothing (trail)"
        )
    if card not in hand:
        raise IllegalMove(move, "CAS-6", f"{TEXT[card]} is not in the hand of the seat to move")
    if not body:
        return trail_code(card)
    if body[0] == "x":
        return _read_capture(rules, table, card, move)
    return _read_build(rules, hand, table, card, move)


def _read_capture(rules: CassinoRules, table: list[CassinoItem], card: int, move: str) -> int:
    places: list[int] = []
    for text in move[3:].split(","):
        place = place_of(table, text)
        if place < 0:
            raise _absent_item(move, text)
        if places and place <= places[-1]:
            raise IllegalMove(move, "CAS-45", "name each item once, in item order")
        places.append(place)
    items = [table[place] for place in places]
    if not capture.can_take(rules, items, card >> 2):
        reason = f"these items cannot be divided into groups that {TEXT[card]} takes"
        raise IllegalMove(move, "CAS-9", reason)
    mask = mask_of_places(places, len(table))
    rank = card >> 2
    if rank >= FACES and not rules.face_pairs and not capture.faces_allowed(table, mask, rank):
        raise IllegalMove(move, "CAS-13", "a face may not take exactly two faces of its rank")
    return capture_code(card, mask)


def _read_build(
    rules: CassinoRules, hand: list[int], table: list[CassinoItem], card: int, move: str
) -> int:
    body = move[3:]
    if "," in body:
        raise IllegalMove(move, "CAS-22", "a card can be laid on only one item")
    item_end = body.rfind("]") + 1 or 2
    place = place_of(table, body[:item_end])
    if place < 0:
        raise _absent_item(move, body[:item_end])
    declared = body[item_end:]
    item = table[place]
    if len(declared) == 2 and declared[0] == ":" and declared[1] in RANKS:
        _check_pair(rules, hand, item, card, RANKS.index(declared[1]), move)
        return coded(BUILD_PAIR, card, place)
    total = parse_number(declared[1:]) if declared[:1] == "=" else 0
    if not total:
        raise IllegalMove(move, "CAS-45", "a build ends with =number (2 to 14) or :rank")
    _check_sum(rules, hand, item, card, total, move)
    return coded(BUILD_SUM, card, place, total)


def _check_pair(
    rules: CassinoRules, hand: list[int], item: CassinoItem, card: int, rank: int, move: str
) -> None:
    if card >> 2 != rank:
        raise IllegalMove(move, "CAS-17", f"{TEXT[card]} is not of the declared rank")
    if item.rank != rank and not (item.rank < 0 and item.value == rules.takes[rank]):
        clause = "CAS-17" if item.kind != PAIR else "CAS-22"
        clause = "CAS-21" if item.rank < 0 else clause
        raise IllegalMove(move, clause, f"{item.id} does not count as the declared rank")
    if sum([held_card >> 2 == rank for held_card in hand]) < 2:
        raise IllegalMove(move, "CAS-16", "no other card of that rank would remain in hand")
    if not rules.face_pairs and rank >= FACES and item.count(rank) == 1:
        raise IllegalMove(
            move,
            "CAS-13",
            "a face may not take exactly two faces of its rank, so it could not take this build",
        )


def _check_sum(
    rules: CassinoRules, hand: list[int], item: CassinoItem, card: int, total: int, move: str
) -> None:
    if item.kind == PAIR:
        raise IllegalMove(move, "CAS-22", "a pair build cannot become a sum build")
    card_number = rules.number[card >> 2]
    if not card_number or not item.value:
        raise IllegalMove(move, "CAS-18", "a card without a number cannot be in a sum")
    if card_number + item.value != total:
        raise IllegalMove(move, "CAS-18", f"the sum is {card_number + item.value}, not {total}")
    if total > rules.top:
        raise IllegalMove(move, "CAS-43", f"sum builds go up to {rules.top} here")
    taker_rank = rules.holder(total)
    if not any(held_card >> 2 == taker_rank and held_card != card for held_card in hand):
        raise IllegalMove(move, "CAS-16", f"no card that takes {total} would remain in hand")


def _absent_item(move: str, text: str) -> IllegalMove:
    card, build = CODE.get(text, 99) < 52, parse_build(text) is not None
    return absent_item_error(move, text, card=card, build=build, missing="CAS-7", grammar="CAS-45")
