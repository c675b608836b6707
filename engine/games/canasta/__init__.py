"""Canasta: see docs/rules/canasta.md. The code cites its clauses (CAN-1, …).

Seats:       2 to 6
Table forms: 1v1, ffa3, 2v2, 3v3, 2v2v2, 1v2, 3v2-rest, 3v3-rest
Variants:    classic, pre-1951, english, us-official, draw-two, windows-2.5, as-four
Formats:     36, with 26 options
Cards:       108 to 162
Hidden:      other hands, the stock, pile cards that were not seen to go there (CAN-95)
Chance:      the shuffle of each deal
Length:      799 moves per match (median of random play at canasta/classic/2v2)
Version:     2

Versions of the rules:

- 1 (2026-11-21): The first version.
- 2 (2026-11-22): If a seat takes the pile and needs several melds to reach the minimum, it may ask
  once the rest of the pile is in its hand (CAN-56).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engine import cards
from engine.assembly import AssembledGame, Assembly
from engine.cards import CardGroup, longest
from engine.declarations import Change, Levels, Option, Variant
from engine.figures import Figure
from engine.game import Format
from engine.games.canasta import options, position, scoring, telling
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.move_builder import CanastaComposer
from engine.games.canasta.options import CanastaRules

if TYPE_CHECKING:
    from engine.encoding_protocol import Encoding
    from engine.json_types import JsonTypes


class Canasta(AssembledGame):
    name: ClassVar[str] = "canasta"
    title: ClassVar[str] = "Canasta"
    summary: ClassVar[str] = (
        "Rummy for partners: collect sets of equal rank, build canastas of seven, "
        "take the discard pile, and go out."
    )
    document: ClassVar[str] = "canasta.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS
    version: ClassVar[int] = 2
    history: ClassVar[tuple[Change, ...]] = (
        Change(1, "2026-11-21", "The first version."),
        Change(
            2,
            "2026-11-22",
            "If a seat takes the pile and needs several melds to reach the minimum, it may ask "
            "once the rest of the pile is in its hand (CAN-56).",
        ),
    )
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("canastas", "Canastas per deal", "deal", event="canasta"),
        Figure(
            "naturals",
            "Natural canastas per deal",
            "deal",
            event="canasta",
            worth=lambda event: float(event["kind"] == "natural"),
        ),
        Figure("piles", "Piles taken per deal", "deal", event="take"),
        Figure("out", "Went out", "share", event="out"),
        Figure(
            "red3",
            "Red threes per deal",
            "deal",
            event="red3",
            worth=lambda event: float(len(event["cards"])),
        ),
    )
    lead_sd: ClassVar[tuple[float, float]] = (900.0, 1300.0)
    levels: ClassVar[Levels] = Levels(
        playouts=(4, 10, 30, 80, 200),  # each takes 5 to 30 times as long as in other games
        overlooks=(0.82, 0.68, 0.45, 0.22, 0.0),
        rating_steps=(174, 132, 215, 163, 147, 0),
    )
    assembly: ClassVar[Assembly] = Assembly(
        rules=CanastaRules,
        deal=CanastaDeal,
        from_state=position.from_state,
        restore=position.restore,
        tell=telling.tell,
        tally=scoring.tally,
        composer=CanastaComposer,
    )

    def pack(self, fmt: Format) -> list[int]:
        """Two or three packs of 52 cards with two jokers each (CAN-1)."""
        rules: CanastaRules = fmt.rules
        return cards.pack(["X", "X"]) * rules.packs

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        melds = [meld["cards"] for melds in view["melds"] for meld in melds]
        return [view["pile"]["cards"], *view["red3_cards"], *melds]

    def json_types(self) -> JsonTypes:
        from engine.games.canasta.json_types import TYPES

        return TYPES

    def encoding(self, fmt: Format) -> Encoding:
        from engine.games.canasta.encoding import CanastaEncoding

        return CanastaEncoding(fmt)

    def preview(self, view: Mapping[str, Any]) -> list[CardGroup]:
        pile = view["pile"]
        top = (pile["top"],) if pile["top"] else ()
        melds = [tuple(meld["cards"]) for side in view["melds"] for meld in side]
        return [
            CardGroup("frozen pile" if pile["frozen"] else "pile", top),
            *longest("meld", melds),
        ]

    def worth(self, view: Mapping[str, Any], side: int) -> float:
        return scoring.view_worth(view, side)


GAME = Canasta()
