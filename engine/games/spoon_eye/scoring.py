"""The values of won cards, and the settlement of a match (SPO-34, SPO-35, SPO-41 to SPO-51)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine import results
from engine.cards import mask_of, parse_cards
from engine.games.spoon_eye.masts import Cards
from engine.games.spoon_eye.options import SpoonEyeRules
from engine.score_sheet import ScoreLine, added

# SPO-47: clubs, diamonds, hearts, spades
_SUIT_BONUS: Final[tuple[int, ...]] = (-1, 2, 0, 1)
_SUIT_CARDS: Final = [mask_of(range(suit, 52, 4)) for suit in range(4)]


def doubled_cards(raised: Cards, taken: Cards, *, rows_empty: bool) -> int:
    """The cards that count 2 if a seat raises one mast and takes another, as a bit mask.

    A card that several rules double still counts 2 (SPO-44). `rows_empty`: neither the winner nor
    the owner of the `taken` mast has a mast left (SPO-43).
    """
    if rows_empty and taken:
        return mask_of(raised) | mask_of(taken)
    if all(card & 3 == raised[0] & 3 for card in raised):
        return mask_of(raised)  # SPO-42
    return mask_of(raised[3:])  # SPO-41


def suit_counts(pile: int) -> list[int]:
    """The number of clubs, diamonds, hearts and spades in a bit mask."""
    return [(pile & cards).bit_count() for cards in _SUIT_CARDS]


def base(single: Sequence[int], double: Sequence[int]) -> list[int]:
    """The base score by side: 1 for each single card won, 2 for each doubled one (SPO-34, SPO-46).

    `single` and `double` have a bit mask of cards for each side, here and below.
    """
    masks = zip(single, double, strict=True)
    return [singles.bit_count() + 2 * doubles.bit_count() for singles, doubles in masks]


def bonus(rules: SpoonEyeRules, single: Sequence[int], double: Sequence[int]) -> list[int]:
    """The bonus by side: each card won counts by its suit, doubled or not (SPO-47)."""
    if not rules.bonus:
        return [0] * len(single)
    masks = zip(single, double, strict=True)
    return [_suit_bonus(singles | doubles) for singles, doubles in masks]


def _suit_bonus(pile: int) -> int:
    value = 0
    for suit, count in enumerate(suit_counts(pile)):
        value += count * _SUIT_BONUS[suit]
    return value


def lines(rules: SpoonEyeRules, single: Sequence[int], double: Sequence[int]) -> list[ScoreLine]:
    """The score sheet of a deal. Its bonus stays apart from the base score (SPO-47)."""
    won = [pile.bit_count() for pile in single]
    sheet = [ScoreLine("cards", "SPO-46" if rules.double else "SPO-34", "cards won", won)]
    if rules.double:
        double_points = [2 * pile.bit_count() for pile in double]
        sheet.append(ScoreLine("doubled", "SPO-46", "doubled cards", double_points))
    if rules.bonus:
        bonuses = bonus(rules, single, double)
        sheet.append(ScoreLine("bonus", "SPO-47", "suit bonus, above the line", bonuses))
    return sheet


def tally(rules: SpoonEyeRules, view: Mapping[str, Any]) -> list[ScoreLine]:
    """The sheet of the cards won so far; other cards count for nobody (SPO-33)."""
    return lines(rules, *_won_masks(view))


def standing(rules: SpoonEyeRules, view: Mapping[str, Any]) -> list[int]:
    """The final scores by side if the deal and the match ended now (SPO-49).

    `view` is a spectators' view.
    """
    below = [side["base"] for side in view["sheet"]]
    above = [side["bonus"] for side in view["sheet"]]
    if view["phase"] != "deal_over":  # afterwards the sheet includes this deal
        single, double = _won_masks(view)
        below = added(below, base(single, double))
        above = added(above, bonus(rules, single, double))
    return final_scores(rules, below, above)


def _won_masks(view: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """By side, the single and the doubled cards of a view's won piles."""
    single, double = (
        [mask_of(parse_cards(pile[kind])) for pile in view["won"]] for kind in ("single", "double")
    )
    return single, double


def view_worth(view: Mapping[str, Any], side: int) -> float:
    """A side's lead in points of cards won, plus 0.1 for each card of its masts and 0.2 for each
    card in its hand.

    The cards of a mast that has just been raised count for its owner.
    """
    won = [len(pile["single"]) + 2 * len(pile["double"]) for pile in view["won"]]
    if view["raised"]:
        seat = view["raised"]["seat"]
        owner = [seat in seats for seats in view["sides"]].index(True)
        won[owner] += len(view["raised"]["cards"])
    masts = sum([len(mast) for seat in view["sides"][side] for mast in view["masts"][seat]])
    own_cards = won.pop(side)
    return own_cards - max(won) + 0.1 * masts + 0.2 * len(view["hand"])


def final_scores(rules: SpoonEyeRules, below: list[int], above: list[int]) -> list[int]:
    """SPO-49, SPO-58: the scores by side if the match ended now.

    The bonus counts for sides that reached the target; without a target, for all (SPO-51).
    """
    return [
        points + above[side] if points >= rules.target else points
        for side, points in enumerate(below)
    ]


def outcome(
    rules: SpoonEyeRules, number: int, below: list[int], above: list[int], stop: str
) -> dict[str, Any] | None:
    """The result after deal `number` (from 0), or None: another deal follows.

    `stop`: why no deal can follow; empty if one can.
    """
    reached = rules.target > 0 and max(below) >= rules.target  # SPO-48
    last = number + 1 >= rules.deals  # SPO-35, SPO-51
    reason = results.reason(stop, reached=reached, last=last)
    if not reason:
        return None
    scores = final_scores(rules, below, above)
    return results.result(scores, results.ranks(scores), reason)  # SPO-50: ties are drawn
