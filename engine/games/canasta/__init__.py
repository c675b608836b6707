"""Canasta: see docs/rules/canasta.md. Clauses are cited where they are implemented.

Seats:       2 to 6
Table forms: 1v1, ffa3, 2v2, 3v3, 2v2v2, 1v2, 3v2-rest, 3v3-rest
Variants:    classic, pre-1951, english, us-official, draw-two, windows-2.5, as-four
Formats:     36, with 26 options
Cards:       108 to 162
Hidden:      other hands, the stock, of the pile what was not seen to go there (CAN-95)
Chance:      the shuffle of each deal
Length:      799 moves a match (median of random play at canasta/classic/2v2)
Version:     2

Versions of the rules:

- 1 (2026-11-21): The first version.
- 2 (2026-11-22): After a taking whose first meld needs several melds, asking is offered again
  once the pile has come to hand (CAN-56).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from engine import cards
from engine.assembly import AssembledGame, Assembly
from engine.declarations import Change, Option, Variant
from engine.game import Format
from engine.games.canasta import options, position, scoring, telling
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.move_builder import CanastaComposer
from engine.games.canasta.options import Rules


class Canasta(AssembledGame):
    """The game's definition."""

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
            "After a taking whose first meld needs several melds, asking is offered again once the "
            "pile has come to hand (CAN-56).",
        ),
    )
    assembly: ClassVar[Assembly] = Assembly(
        Rules,
        CanastaDeal,
        position.from_state,
        position.restore,
        telling.tell,
        scoring.tally,
        CanastaComposer,
    )

    def pack(self, fmt: Format) -> list[int]:
        """CAN-1: packs of 52 cards with two jokers each."""
        rules: Rules = fmt.rules
        return cards.pack(["X", "X"]) * rules.packs

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """The discard pile, tabled red threes, melds."""
        melds = [meld["cards"] for melds in view["melds"] for meld in melds]
        return [view["pile"]["cards"], *view["red3_cards"], *melds]


GAME = Canasta()
