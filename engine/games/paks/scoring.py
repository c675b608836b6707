"""The end of a deal and of the match (PAK-33 to PAK-41)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine import results
from engine.cards import SUIT_NAMES, SUITS, parse_cards
from engine.games.paks.options import PaksRules
from engine.score_sheet import ScoreLine, listing

if TYPE_CHECKING:
    from engine.games.paks.json_types import PaksSheet, Thrown

# By rank: the final value of a card in a pak. An ace counts 20, eight to king 10, two to seven 5
# (PAK-36); special pairs do not count (PAK-10).
FINAL: Final[tuple[int, ...]] = (20, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10)


class Count:
    """The points of a deal.

    `thrown`: by suit, the number of paks that each side throws off (PAK-33). `suit_points`: by side
    and suit, the points of the remaining paks. `points`: by side, the points in all suits.
    """

    __slots__ = ("points", "suit_points", "thrown")

    def __init__(self, thrown: list[int], suit_points: list[list[int]], points: list[int]) -> None:
        self.thrown: list[int] = thrown
        self.suit_points: list[list[int]] = suit_points
        self.points: list[int] = points


def worth(pak: list[int]) -> int:
    """The points of a pak at the end of the deal (PAK-36)."""
    value = 0
    for card in pak:
        value += FINAL[card >> 2]
    return value


def view_worth(view: Mapping[str, Any], side: int) -> float:
    """The final value of a side's paks, plus 1.1 times that of the cards in the viewer's hand."""
    paks = [worth(parse_cards(pak)) for seat in view["sides"][side] for pak in view["paks"][seat]]
    return sum(paks) + 1.1 * worth(parse_cards(view["hand"]))


def thefts(event: Mapping[str, Any]) -> float:
    """The number of paks that a logged move steals; the text lists several as ``1+3``."""
    move: str = event["move"]
    return 1.0 + move.rpartition(":")[2].count("+") if move.startswith("steal:") else 0.0


def count(rules: PaksRules, paks: list[list[list[int]]]) -> Count:
    """Throw off paks, and count the points of the others.

    `paks`: by seat. The paks of a side's seats count together (PAK-34).
    """
    values: list[list[list[int]]] = [[[] for _ in rules.sides] for _ in SUITS]  # by suit, side
    for side, seats in enumerate(rules.sides):
        for seat in seats:
            for pak in paks[seat]:
                values[pak[0] & 3][side].append(worth(pak))
    thrown = []
    scoring: list[list[int]] = [[] for _ in rules.sides]
    for suit_values in values:
        number = min([len(row) for row in suit_values])  # PAK-33
        thrown.append(number)
        for side, row in enumerate(suit_values):
            row.sort()
            scoring[side].append(sum(row[number:]))  # PAK-35, PAK-37: the cheapest are thrown off
    return Count(thrown, scoring, [sum(row) for row in scoring])


def by_suit(thrown: Sequence[int]) -> Thrown:
    """Numbers by suit as JSON."""
    clubs, diamonds, hearts, spades = thrown
    return {"C": clubs, "D": diamonds, "H": hearts, "S": spades}


def tally(rules: PaksRules, view: Mapping[str, Any]) -> list[ScoreLine]:
    """The score sheet if the deal ended now: the points that each side keeps, by suit (PAK-37)."""
    scored = count(rules, [[parse_cards(pak) for pak in row] for row in view["paks"]])
    return [
        ScoreLine(name, "PAK-37", f"{name} kept", [row[suit] for row in scored.suit_points])
        for suit, name in enumerate(SUIT_NAMES)
    ]


def sheet(scored: Count, totals: Sequence[int]) -> PaksSheet:
    """The score sheet of a deal: ``points``, ``lines`` with clauses, ``thrown``, ``scores``."""
    lines: list[ScoreLine] = []
    for suit, number in enumerate(scored.thrown):
        points = [row[suit] for row in scored.suit_points]
        if any(points):
            name = SUIT_NAMES[suit]
            text = f"{name} kept ({number} thrown off by each)"
            lines.append(ScoreLine(name, "PAK-37", text, points))
    return {
        "points": scored.points[:],
        "lines": listing(lines),
        "thrown": by_suit(scored.thrown),
        "scores": list(totals),
    }


def outcome(
    rules: PaksRules, number: int, scores: Sequence[int], stop: str
) -> dict[str, Any] | None:
    """The match's result after deal `number` (from 0); None if another deal follows.

    A side wins if it has reached the target (PAK-38) and no other side has as many points (PAK-39).
    If sides with the most points tie after the last deal, they draw (PAK-41). `stop`: the reason
    why no deal can follow; empty if one can.
    """
    top = max(scores)
    reached = top >= rules.target and list(scores).count(top) == 1
    reason = results.reason(stop, reached=reached, last=number + 1 >= rules.deals)
    return results.result(scores, results.ranks(scores), reason) if reason else None
