"""Spoon Eye: see docs/rules/spoon-eye.md. The code cites its clauses (SPO-1, …).

Seats:       2 to 4
Table forms: 1v1, ffa3, ffa4, 2v2
Variants:    basic, standard
Formats:     8, with 8 options
Cards:       52
Hidden:      the stock; other hands, except those seen before a swap (SPO-57)
Chance:      the shuffle of each deal
Length:      52 moves per match (median of random play at spoon-eye/basic/1v1)
Version:     1

Versions of the rules:

- 1 (2026-11-21): The first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engine import cards
from engine.assembly import AssembledGame, Assembly
from engine.cards import MAX_PICTURED, CardGroup
from engine.declarations import Change, Levels, Option, Variant
from engine.figures import Figure, moves_starting
from engine.game import Format
from engine.games.spoon_eye import options, position, scoring, telling
from engine.games.spoon_eye.deal import SpoonEyeDeal
from engine.games.spoon_eye.move_builder import SpoonEyeComposer
from engine.games.spoon_eye.options import SpoonEyeRules

if TYPE_CHECKING:
    from engine.encoding_protocol import Encoding
    from engine.json_types import JsonTypes


class SpoonEye(AssembledGame):
    name: ClassVar[str] = "spoon-eye"
    title: ClassVar[str] = "Spoon Eye"
    summary: ClassVar[str] = (
        "Lay cards on any player's masts. When a mast reaches exactly 21, "
        "its owner wins its cards and may plunder an opponent's mast."
    )
    goal_text: ClassVar[str] = "Most points for won cards"
    beginner_tip: ClassVar[str] = "Bring a mast to exactly 21 to win it and a second one."
    document: ClassVar[str] = "spoon-eye.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS
    version: ClassVar[int] = 1
    history: ClassVar[tuple[Change, ...]] = (Change(1, "2026-11-21", "The first version."),)
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("raised", "Masts raised per deal", "deal", event="raise"),
        Figure("cards", "Cards won per deal", "deal"),
        Figure(
            "stolen",
            "Crow’s nests stolen per deal",
            "deal",
            event="move",
            worth=moves_starting("steal"),
        ),
    )
    lead_sd: ClassVar[tuple[float, float]] = (29.0, 29.0)
    levels: ClassVar[Levels] = Levels(
        overlooks=(0.32, 0.24, 0.16, 0.08, 0.0), rating_steps=(636, 137, 197, 197, 103, 0)
    )
    assembly: ClassVar[Assembly] = Assembly(
        rules=SpoonEyeRules,
        deal=SpoonEyeDeal,
        from_state=position.from_state,
        restore=position.restore,
        tell=telling.tell,
        tally=scoring.tally,
        composer=SpoonEyeComposer,
    )

    def standing(self, fmt: Format, view: Mapping[str, Any]) -> list[int]:
        """The scores by side if deal and match ended now.

        A bonus counts only then, and only for a side that has reached the target (SPO-49).
        """
        return scoring.standing(fmt.rules, view)

    def pack(self, fmt: Format) -> list[int]:  # noqa: ARG002 - every format has the same pack
        """One pack of 52 cards, without jokers (SPO-1)."""
        return cards.pack()

    def known(self, view: Mapping[str, Any]) -> list[str]:
        """The cards in other hands that the viewer gave away in a swap of hands (SPO-57)."""
        return [card for row in view["known"] for card in row]

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Masts, including a raised one, and won cards."""
        raised = [view["raised"]["cards"]] if view["raised"] else []
        won = [pile[kind] for pile in view["won"] for kind in ("single", "double")]
        return [*(mast for row in view["masts"] for mast in row), *won, *raised]

    def json_types(self) -> JsonTypes:
        from engine.games.spoon_eye.json_types import TYPES

        return TYPES

    def encoding(self, fmt: Format) -> Encoding:
        from engine.games.spoon_eye.encoding import SpoonEyeEncoding

        return SpoonEyeEncoding(fmt)

    def preview(self, view: Mapping[str, Any]) -> list[CardGroup]:
        """The masts of the highest value, each with that value."""
        masts = [
            (value, tuple(mast))
            for row, values in zip(view["masts"], view["values"], strict=True)
            for mast, value in zip(row, values, strict=True)
        ]
        highest = sorted(masts, key=lambda mast: -mast[0])[:MAX_PICTURED]
        return [CardGroup(str(value), mast, fanned=True) for value, mast in highest]

    def worth(self, view: Mapping[str, Any], side: int) -> float:
        """A side's lead in won cards, plus small values for cards in its masts and in the hand."""
        return scoring.view_worth(view, side)


GAME = SpoonEye()
