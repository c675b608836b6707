"""Cassino's points, the recount, the end of the match and the stakes (CAS-29 to CAS-40)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine import results
from engine.cards import CODE, mask_of, parse_cards
from engine.games.cassino.options import CassinoRules
from engine.score_sheet import ScoreLine, added, total

BIG: Final = CODE["TD"]
LITTLE: Final = CODE["2S"]
ACES: Final = (CODE["AS"], CODE["AH"], CODE["AD"], CODE["AC"])  # in the order of CAS-35
SPADES: Final = mask_of(rank * 4 + 3 for rank in range(13))
_DOUBLED: Final = mask_of((CODE["AS"], CODE["JS"], CODE["2S"]))  # spades that count 2 (CAS-31)


def lines(
    rules: CassinoRules, captured: list[int], sweeps: list[int], uncaptured: int = 0
) -> list[ScoreLine]:
    """The score sheet of a deal (CAS-29 to CAS-32).

    `captured`: each side's pile, as a bit mask of cards. `sweeps`: the side that made each sweep.
    `uncaptured`: a bit mask of cards that may still go to any side; a majority that they could
    change scores nothing (CAS-37).
    """
    sheet = [
        ScoreLine("cards", "CAS-29", "most cards", _majority_points(captured, uncaptured, 3)),
        ScoreLine("big_cassino", "CAS-29", "Big Cassino", _points_for_card(captured, BIG, 2)),
    ]
    if not rules.spade or rules.spade_plus:
        little_points = _points_for_card(captured, LITTLE, 1)
        sheet.append(ScoreLine("little_cassino", "CAS-29", "Little Cassino", little_points))
    if rules.spade:
        points = [(pile & SPADES).bit_count() + (pile & _DOUBLED).bit_count() for pile in captured]
        sheet.append(ScoreLine("spades", "CAS-31", "spades", points))
    else:
        spades = [pile & SPADES for pile in captured]
        majority = _majority_points(spades, uncaptured & SPADES, 1)
        sheet.append(ScoreLine("spades", "CAS-29", "most spades", majority))
    aces = mask_of(_counted_aces(rules))
    points = [(pile & aces).bit_count() for pile in captured]
    sheet.append(ScoreLine("aces", "CAS-29", "aces", points))
    if rules.sweeps:  # CAS-32
        sweep_counts = [sweeps.count(side) for side in range(len(captured))]
        sheet.append(ScoreLine("sweeps", "CAS-29", "sweeps", sweep_counts))
    return sheet


def tally(rules: CassinoRules, view: Mapping[str, Any]) -> list[ScoreLine]:
    """The score sheet of the cards captured so far.

    After a claim in the middle of a deal, only points that are certain count (CAS-37).
    """
    captured = [mask_of(parse_cards(pile)) for pile in view["captured"]]
    claimed = view["to_act"] is None and any(view["hand_sizes"])
    return lines(rules, captured, view["sweeps"], uncaptured(captured) if claimed else 0)


def _majority_points(piles: list[int], uncaptured: int, points: int) -> list[int]:
    """By side: `points` for the side with the most cards; 0 for all if two sides tie (CAS-30).

    The side must have the most even if another side captured all of `uncaptured`.
    """
    counts = [pile.bit_count() for pile in piles]
    open_count = uncaptured.bit_count()
    best = max(counts)
    possible_winners = [n for n in counts if n + open_count >= best]
    if len(possible_winners) > 1:
        return [0] * len(piles)
    return [points if count == best else 0 for count in counts]


def _points_for_card(captured: list[int], card: int, points: int) -> list[int]:
    return [points if pile >> card & 1 else 0 for pile in captured]


def _counted_aces(rules: CassinoRules) -> list[int]:
    """The aces that score as aces: in spade variants, AS only with `spade_plus` (CAS-31)."""
    return [ace for ace in ACES if not rules.spade or rules.spade_plus or ace != ACES[0]]


def recount(
    rules: CassinoRules, totals_before: list[int], captured: list[int], sweeps: list[int]
) -> int:
    """The side that reaches the target first if the last deal is counted item by item (CAS-35)."""
    scores = list(totals_before)
    for side, points in _steps(rules, captured, sweeps):
        scores[side] += points
        if scores[side] >= rules.target:
            return side
    raise AssertionError("a recount is made only when a side has reached the target")


def view_worth(view: Mapping[str, Any], side: int) -> float:
    """The likely points of a side's captured cards and sweeps.

    Each card counts 0.2 towards most cards, and a spade 0.1 more towards most spades.
    """
    points: list[float] = [
        0.2 + 0.1 * (card[-1] == "S") + _WORTH.get(card, 0.0) for card in view["captured"][side]
    ]
    sweeps: list[int] = view["sweeps"]
    return sum(points) + sweeps.count(side)


_WORTH: Final = {"TD": 2.0, "2S": 1.0, "AC": 1.0, "AD": 1.0, "AH": 1.0, "AS": 1.0}


def _steps(rules: CassinoRules, captured: list[int], sweeps: list[int]) -> list[tuple[int, int]]:
    """The steps of a recount in order: the side that scores, and its points."""
    steps: list[tuple[int, int]] = []

    def give(points: list[int]) -> None:
        steps.extend([(side, count) for side, count in enumerate(points) if count])

    give(_majority_points(captured, 0, 3))
    if rules.spade:
        for spade in range(3, 52, 4):
            give(_points_for_card(captured, spade, 1 + (_DOUBLED >> spade & 1)))
    else:
        give(_majority_points([pile & SPADES for pile in captured], 0, 1))
    give(_points_for_card(captured, BIG, 2))
    if not rules.spade or rules.spade_plus:
        give(_points_for_card(captured, LITTLE, 1))
    for ace in _counted_aces(rules):
        give(_points_for_card(captured, ace, 1))
    if rules.sweeps:
        steps.extend([(side, 1) for side in sweeps])
    return steps


def certain_totals(
    rules: CassinoRules, totals_before: list[int], captured: list[int], sweeps: list[int]
) -> list[int]:
    """The totals by side that a claim in the middle of a deal counts (CAS-37)."""
    points = total(lines(rules, captured, sweeps, uncaptured(captured)), len(captured))
    return added(totals_before, points)


def uncaptured(captured: list[int]) -> int:
    """A bit mask of the cards that no side has captured."""
    cards = (1 << 52) - 1
    for pile in captured:
        cards &= ~pile
    return cards


def outcome(
    rules: CassinoRules,
    number: int,
    totals_before: list[int],
    totals: list[int],
    piles: tuple[list[int], list[int]],
    stop: str,
) -> dict[str, Any] | None:
    """The match's result after deal `number` (from 0); None if another deal follows.

    `piles`: the captured cards and the sweeps of the deal, for a recount. `stop`: the reason why no
    deal can follow; empty if one can.
    """
    reached = [side for side, score in enumerate(totals) if score >= rules.target]
    best = max(totals)
    top = [side for side, score in enumerate(totals) if score == best]
    winners: list[int] = []
    reason = "target"
    if rules.target and reached:
        if rules.end == "highest":  # CAS-33, CAS-34
            winners = top if len(top) == 1 or rules.draw else []
        elif len(reached) == 1:
            winners = reached
        else:
            winners = [recount(rules, totals_before, piles[0], piles[1])]
            reason = "count"
    if not winners and number + 1 >= rules.deals:  # CAS-39
        winners, reason = top, "deals"
    if not winners and stop:
        winners, reason = top, stop
    if not winners:
        return None
    return _result(rules, number, totals, winners, reason, -1)


def stopped(rules: CassinoRules, number: int, totals: list[int]) -> dict[str, Any]:
    """The result of a match that ends with these totals: the highest total wins."""
    winners = [side for side, score in enumerate(totals) if score == max(totals)]
    return _result(rules, number, totals, winners, "position", -1)


def claim(rules: CassinoRules, number: int, totals: list[int], side: int) -> dict[str, Any]:
    """The result of a claim by `side`, right (CAS-36) or wrong (CAS-38).

    `totals`: the totals by side that count in a claim (CAS-37).
    """
    if totals[side] >= rules.target:
        return _result(rules, number, totals, [side], "claim", -1)
    others = [other for other in range(len(totals)) if other != side]
    best = max([totals[other] for other in others])
    winners = [other for other in others if totals[other] == best]
    return _result(rules, number, totals, winners, "false_claim", side)


def _result(
    rules: CassinoRules, number: int, totals: list[int], winners: list[int], reason: str, last: int
) -> dict[str, Any]:
    """The result of the match, with payments if they are settled (CAS-50). `last`: a false claimer.

    The side `last` ranks last; -1 if there is none.
    """
    payments = settlement(rules, totals, winners, number == 0, last) if rules.stakes else None
    return results.result(totals, results.ranks(totals, winners, last), reason, payments)


def settlement(
    rules: CassinoRules,
    totals: list[int],
    winners: list[int],
    one_deal: bool,  # noqa: FBT001 - the condition of CAS-40, passed on by keyword or comparison
    false_claimer: int = -1,
) -> list[int]:
    """What each side receives at the end (negative: pays); the sum is 0 (CAS-40)."""
    payments = [0] * len(totals)
    if len(winners) != 1:
        return payments
    winner = winners[0]
    winner_score = totals[winner]
    if false_claimer >= 0:
        winner_score = max(rules.target, winner_score)
    factor = 4 if one_deal else 2
    for side, loser_score in enumerate(totals):
        if side != winner:
            stake = max(0, factor * winner_score - loser_score)
            payments[side] -= stake
            payments[winner] += stake
    return payments
