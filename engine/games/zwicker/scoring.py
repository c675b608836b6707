"""Zwicker's points, the end of the match and its settlement (ZWI-38 to ZWI-46)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine import results
from engine.cards import CODE, TEXT, name, parse_cards
from engine.games.zwicker.options import ZwickerRules
from engine.score_sheet import ScoreLine

# the key, name, card and points of each score for a single card (ZWI-38)
_CARDS: Final[tuple[tuple[str, str, int, int], ...]] = tuple(
    (key, name(CODE[text]), CODE[text], points)
    for key, text, points in (
        ("seven_of_diamonds", "7D", 1),
        ("seven_of_spades", "7S", 1),
        ("ten_of_diamonds", "TD", 10),
    )
)
_ACES: Final = 4  # aces are the cards below this number
# by card: the points of a joker with a printed value (ZWI-40)
_JOKERS: Final = {CODE["X30"]: 7, CODE["X25"]: 6, CODE["X20"]: 5, CODE["X15"]: 4}
ZWICK: Final = 3  # the points for a zwick (ZWI-38)


def lines(rules: ZwickerRules, captured: list[list[int]], zwicks: list[int]) -> list[ScoreLine]:
    """The score sheet of a deal; if there are two packs, both copies of a card count (ZWI-38).

    `captured`: each seat's cards. `zwicks`: the seat that made each zwick.
    """
    sheet = [
        ScoreLine(key, "ZWI-38", what, [points * _count(pile, card) for pile in captured])
        for key, what, card, points in _CARDS
    ]
    aces = [2 * _ace_count(pile) for pile in captured]
    sheet.append(ScoreLine("aces", "ZWI-38", "aces", aces))
    majority = _majority_points([len(pile) for pile in captured])
    sheet.append(ScoreLine("cards", "ZWI-39", "most cards", majority))
    if not rules.wild:
        jokers = [sum([_JOKERS.get(card, 0) for card in pile]) for pile in captured]
        sheet.append(ScoreLine("jokers", "ZWI-40", "jokers", jokers))
    zwick_points = [ZWICK * zwicks.count(seat) for seat in range(len(captured))]
    sheet.append(ScoreLine("zwicks", "ZWI-38", "zwicks", zwick_points))
    return sheet


def tally(rules: ZwickerRules, view: Mapping[str, Any]) -> list[ScoreLine]:
    """The score sheet of the cards captured so far."""
    return lines(rules, [parse_cards(pile) for pile in view["captured"]], view["zwicks"])


def _count(pile: list[int], card: int) -> int:
    """How often a pile contains a card. (Compiled, faster than `pile.count`.)"""
    count = 0
    for other in pile:
        if other == card:
            count += 1
    return count


def _ace_count(pile: list[int]) -> int:
    count = 0
    for card in pile:
        if card < _ACES:
            count += 1
    return count


def _majority_points(counts: list[int]) -> list[int]:
    """By seat: one point for the most cards; none if two seats tie (ZWI-39)."""
    best = max(counts)
    if counts.count(best) > 1:
        return [0] * len(counts)
    return [int(count == best) for count in counts]


def view_worth(view: Mapping[str, Any], side: int) -> float:
    """The score of a seat's captured cards and zwicks, plus 0.04 per card towards most cards."""
    points = [_WORTH.get(card, 0) + 0.04 for card in view["captured"][side]]
    zwicks: list[int] = view["zwicks"]
    return sum(points) + ZWICK * zwicks.count(side)


_WORTH: Final = {
    **{TEXT[card]: points for _, _, card, points in _CARDS},
    **{TEXT[card]: 2 for card in range(_ACES)},
    **{TEXT[card]: points for card, points in _JOKERS.items()},
}


def outcome(
    rules: ZwickerRules, number: int, totals: list[int], stop: str
) -> dict[str, Any] | None:
    """The match's result after deal `number` (from 0); None if another deal follows.

    ZWI-41 to ZWI-43 say when the match ends. `stop`: the reason why no deal can follow; empty if
    one can.
    """
    best = max(totals)
    is_single = totals.count(best) == 1
    # ZWI-41, ZWI-42
    reached = rules.target > 0 and best >= rules.target and (is_single or rules.draw)
    reason = results.reason(stop, reached=reached, last=number + 1 >= rules.deals)  # ZWI-43
    if not reason:
        return None
    return results.result(totals, results.ranks(totals), reason, settlement(rules, totals))


def settlement(rules: ZwickerRules, totals: Sequence[int]) -> list[int] | None:
    """The amount that each seat receives at the end (negative: pays); the sum is 0.

    None if the format settles nothing (ZWI-46).
    """
    seats = len(totals)
    if rules.settle == "differences":  # ZWI-44
        return results.differences(totals)
    if rules.settle == "last-pays":  # ZWI-45
        last = min(totals)
        payers = list(totals).count(last)
        return [payers - seats if score == last else payers for score in totals]
    return None
