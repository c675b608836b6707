"""Zwicker: see docs/rules/zwicker.md. The code cites its clauses (ZWI-1, …).

Seats:       2 to 8
Table forms: 1v1, ffa3, ffa4, ffa5, ffa6, ffa7, ffa8
Variants:    grupp, christiansen
Formats:     10, with 8 options
Cards:       56 to 116
Hidden:      other hands, the stock
Chance:      the shuffle of each deal
Length:      216 moves per match (median of random play at zwicker/grupp/1v1)
Version:     1

Versions of the rules:

- 1 (2026-11-21): The first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engine.assembly import AssembledGame, Assembly
from engine.cards import CardGroup
from engine.declarations import Change, Levels, Option, Value, Variant
from engine.figures import Figure
from engine.fishing_parts import table_groups
from engine.game import Format
from engine.games.zwicker import position, scoring, telling
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.move_builder import ZwickerComposer
from engine.games.zwicker.options import OPTIONS, VARIANTS, ZwickerRules, check_options

if TYPE_CHECKING:
    from engine.encoding_protocol import Encoding
    from engine.json_types import JsonTypes


class Zwicker(AssembledGame):
    name: ClassVar[str] = "zwicker"
    title: ClassVar[str] = "Zwicker"
    summary: ClassVar[str] = (
        "Everybody plays alone: take cards of your card's rank or sets that add up to it, "
        "and clear the table for a zwick."
    )
    document: ClassVar[str] = "zwicker.md"
    variants: ClassVar[tuple[Variant, ...]] = VARIANTS
    options: ClassVar[tuple[Option, ...]] = OPTIONS
    version: ClassVar[int] = 1
    history: ClassVar[tuple[Change, ...]] = (Change(1, "2026-11-21", "The first version."),)
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("zwicks", "Zwicks per match", "match", points=scoring.ZWICK),
        Figure("ten_of_diamonds", "Ten of diamonds captured", "share"),
        Figure("aces", "Aces per deal", "deal"),
        Figure("cards", "Most cards", "share"),
    )
    lead_sd: ClassVar[tuple[float, float]] = (11.4, 11.4)
    levels: ClassVar[Levels] = Levels(rating_steps=(636, 127, 183, 120, 161, 0))
    assembly: ClassVar[Assembly] = Assembly(
        rules=ZwickerRules,
        deal=ZwickerDeal,
        from_state=position.from_state,
        restore=position.restore,
        tell=telling.tell,
        tally=scoring.tally,
        composer=ZwickerComposer,
    )

    def check_options(self, variant: str, table: str, options: Mapping[str, Value]) -> None:  # noqa: ARG002 - the same for all variants and tables
        """Raise ValueError if an option needs a target and there is none (ZWI-43)."""
        check_options(options)

    def pack(self, fmt: Format) -> list[int]:
        """One or two packs, each with jokers (ZWI-2)."""
        return position.full_pack(fmt.rules)

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        return [*view["captured"], *(item["cards"] for item in view["table"])]

    def json_types(self) -> JsonTypes:
        from engine.games.zwicker.json_types import TYPES

        return TYPES

    def encoding(self, fmt: Format) -> Encoding:
        from engine.games.zwicker.encoding import ZwickerEncoding

        return ZwickerEncoding(fmt)

    def preview(self, view: Mapping[str, Any]) -> list[CardGroup]:
        return table_groups(view)

    def worth(self, view: Mapping[str, Any], side: int) -> float:
        """The score of a side's captured cards and zwicks, plus a small value for each card."""
        return scoring.view_worth(view, side)


GAME = Zwicker()
