"""Canasta's points, minimum and settlement (CAN-22, CAN-23, CAN-44, CAN-51, CAN-65 to CAN-68)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine import results
from engine.cards import parse_cards
from engine.games.canasta.card_kinds import KIND, RED, points
from engine.games.canasta.melds import Meld, parse_meld
from engine.games.canasta.options import CanastaRules
from engine.score_sheet import ScoreLine

OUT: Final = 100  # for going out (CAN-51)
CONCEALED: Final = 200  # for going out concealed (CAN-52)
BONUS: Final = {"natural": 500, "mixed": 300}  # for a canasta (CAN-44)
# By number of red threes: the bonus with `red3=four` and with `red3=six` (CAN-22).
_RED3_FOUR: Final[tuple[int, ...]] = (0, 100, 200, 300, 800, 1000, 1200)
_RED3_SIX: Final[tuple[int, ...]] = (0, 100, 200, 300, 400, 1000, 1200)
KEYS: Final = ("melds", "canastas", "red3", "out", "hands")


class FinishedDeal:
    """The facts about a finished deal that its score depends on."""

    __slots__ = ("concealed", "hands", "melds", "out", "red3", "sides")

    def __init__(
        self,
        sides: list[list[int]],
        melds: list[list[Meld]],
        hands: list[list[int]],
        red3: list[int],
        out: int,
        concealed: int,
    ) -> None:
        self.sides: list[list[int]] = sides
        self.melds: list[list[Meld]] = melds  # by side
        self.hands: list[list[int]] = hands  # by seat
        self.red3: list[int] = red3  # by seat: the number of red threes on the table
        self.out: int = out  # the seat that went out; -1 if none did
        self.concealed: int = concealed  # 1 if the seat went out concealed, else 0


def red3_bonus(rules: CanastaRules, count: int) -> int:
    """The points for a side's `count` red threes on the table (CAN-22)."""
    return (_RED3_SIX if rules.red3_six else _RED3_FOUR)[count]


def score(rules: CanastaRules, finished: FinishedDeal) -> list[dict[str, int]]:
    """The points of a deal by side (CAN-65); in table form `1v2`, by seat (CAN-74).

    Each entry has the keys `KEYS` and ``total``.
    """
    sides = finished.sides  # three if nobody took the pile (CAN-75)
    if rules.finds_sides and len(sides) == 3 and finished.out >= 0:  # CAN-71
        sides = [[finished.out], [seat for seat in range(3) if seat != finished.out]]
    owner = {seat: index for index, side in enumerate(finished.sides) for seat in side}
    entries: list[dict[str, int]] = [{} for _ in range(3 if rules.finds_sides else len(sides))]
    for index, side in enumerate(sides):
        melds = [
            meld
            for old_side in sorted({owner[seat] for seat in side})
            for meld in finished.melds[old_side]
        ]
        common = _common(rules, finished, side, melds)
        for seat in side:
            entry = common.copy()
            sharers = [seat] if rules.finds_sides else side
            entry["red3"] = _red3(rules, finished, sharers, melds)
            entry["total"] = sum(entry.values())
            entries[seat if rules.finds_sides else index] = entry
    return entries


def _common(
    rules: CanastaRules, finished: FinishedDeal, side: Sequence[int], melds: Sequence[Meld]
) -> dict[str, int]:
    """The points of a side, with 0 for red threes."""
    kinds = [meld.canasta for meld in melds]
    value = sum([meld.points for meld in melds])
    if rules.nocanasta and not any(kinds):  # CAN-65
        value = -value  # without a canasta, the melds count against the side
    out = 0
    if finished.out in side:
        out = CONCEALED if finished.concealed else OUT
    return {
        "melds": value,
        "canastas": sum([BONUS[kind] for kind in kinds if kind]),
        "red3": 0,
        "out": out,
        "hands": -sum([points(finished.hands[seat]) for seat in side]),
    }


def _red3(
    rules: CanastaRules, finished: FinishedDeal, seats: Sequence[int], melds: Sequence[Meld]
) -> int:
    """The points for red threes on the table (CAN-22, CAN-23).

    With `red3discard`, red threes left in hands cost 100 each.
    """
    bonus = red3_bonus(rules, sum([finished.red3[seat] for seat in seats]))
    if rules.red3minus and not melds:
        bonus = -bonus
    if rules.red3discard:
        bonus -= 100 * sum([KIND[card] == RED for seat in seats for card in finished.hands[seat]])
    return bonus


def tally(rules: CanastaRules, view: Mapping[str, Any]) -> list[ScoreLine]:
    """The score sheet if the deal ended now, with the hands that the view shows.

    It has no points for going out, because a view does not show whether it was concealed (CAN-52).
    """
    melds = [[parse_meld(parse_cards(meld["cards"]), 0) for meld in row] for row in view["melds"]]
    hands = [parse_cards(hand) for hand in view["hands"]]
    empty = [seat for seat in view["chairs"] if not hands[seat]]
    out = empty[0] if empty and view["to_act"] is None else -1
    entries = score(rules, FinishedDeal(view["sides"], melds, hands, view["red3"], out, 0))
    return [line for line in lines(entries, 0) if line.key != "out"]


def view_worth(view: Mapping[str, Any], side: int) -> float:
    """An estimate of a side's points: card points of its melds, and 100 for each red three.

    A meld of n cards, up to 7, also counts (n/7)² of a canasta's bonus.
    """
    total = float(100 * sum([view["red3"][seat] for seat in view["sides"][side]]))
    for meld in view["melds"][side]:
        bonus = BONUS["mixed" if meld["wild"] else "natural"]
        total += points(parse_cards(meld["cards"]))
        total += bonus * min(len(meld["cards"]) / 7, 1.0) ** 2
    return total


def lines(entries: Sequence[dict[str, int]], concealed: int) -> list[ScoreLine]:
    """The score sheet for the results of `score`."""
    items = (
        ("melds", "CAN-65", "cards melded"),
        ("canastas", "CAN-44", "canastas"),
        ("red3", "CAN-22", "red threes"),
        ("out", "CAN-52" if concealed else "CAN-51", "going out"),
        ("hands", "CAN-65", "cards left in hands"),
    )
    return [
        ScoreLine(key, clause, text, [entry[key] for entry in entries])
        for key, clause, text in items
    ]


def outcome(
    rules: CanastaRules, number: int, totals: Sequence[int], stop: str
) -> dict[str, Any] | None:
    """The match's result after deal `number` (from 0); None if another deal follows.

    CAN-66 and CAN-67 say when the match ends. `stop`: the reason why no deal can follow; empty if
    one can.
    """
    reached = max(totals) >= rules.target
    reason = results.reason(stop, reached=reached, last=number + 1 >= rules.deals)
    if not reason:
        return None
    payments = results.differences(totals)  # CAN-68
    return results.result(totals, results.ranks(totals), reason, payments)
