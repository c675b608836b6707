"""Cassino: see docs/rules/cassino.md. The code cites its clauses (CAS-1, …).

Seats:       2 to 4
Table forms: 1v1, ffa3, 2v2
Variants:    standard, royal, spade, royal-spade
Formats:     12, with 9 options
Cards:       52
Hidden:      other hands, the stock
Chance:      the shuffle of each deal
Length:      192 moves per match (median of random play at cassino/standard/1v1)
Version:     1

Versions of the rules:

- 1 (2026-11-21): The first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engine import cards
from engine.assembly import AssembledGame, Assembly
from engine.cards import CardGroup
from engine.declarations import Change, Levels, Option, Value, Variant
from engine.figures import Figure
from engine.fishing_parts import table_groups
from engine.game import Format
from engine.games.cassino import position, scoring, telling
from engine.games.cassino.deal import CassinoDeal
from engine.games.cassino.move_builder import CassinoComposer
from engine.games.cassino.options import OPTIONS, VARIANTS, CassinoRules, check_options

if TYPE_CHECKING:
    from engine.encoding_protocol import Encoding
    from engine.json_types import JsonTypes


class Cassino(AssembledGame):
    name: ClassVar[str] = "cassino"
    title: ClassVar[str] = "Cassino"
    summary: ClassVar[str] = (
        "Play one card per turn: take cards of its rank or sets that add up to it, "
        "or build on the table for a later turn."
    )
    document: ClassVar[str] = "cassino.md"
    variants: ClassVar[tuple[Variant, ...]] = VARIANTS
    options: ClassVar[tuple[Option, ...]] = OPTIONS
    version: ClassVar[int] = 1
    history: ClassVar[tuple[Change, ...]] = (Change(1, "2026-11-21", "The first version."),)
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("sweeps", "Sweeps per match", "match"),
        Figure("big_cassino", "Big Cassino captured", "share"),
        Figure("little_cassino", "Little Cassino captured", "share"),
        Figure("aces", "Aces per deal", "deal"),
        Figure("cards", "Most cards", "share"),
        Figure("spades", "Most spades", "share"),
    )
    lead_sd: ClassVar[tuple[float, float]] = (5.3, 5.6)
    levels: ClassVar[Levels] = Levels(rating_steps=(512, 151, 164, 164, 151, 0))
    assembly: ClassVar[Assembly] = Assembly(
        rules=CassinoRules,
        deal=CassinoDeal,
        from_state=position.from_state,
        restore=position.restore,
        tell=telling.tell,
        tally=scoring.tally,
        composer=CassinoComposer,
    )

    def check_options(self, variant: str, table: str, options: Mapping[str, Value]) -> None:  # noqa: ARG002 - the same for all variants and tables
        """Raise ValueError if an option needs a target and there is none (CAS-39, CAS-40)."""
        check_options(options)

    def pack(self, fmt: Format) -> list[int]:  # noqa: ARG002 - every format has the same pack
        """One pack of 52 cards, without jokers (CAS-2)."""
        return cards.pack()

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        return [*view["captured"], *(item["cards"] for item in view["table"])]

    def json_types(self) -> JsonTypes:
        from engine.games.cassino.json_types import TYPES

        return TYPES

    def encoding(self, fmt: Format) -> Encoding:
        from engine.games.cassino.encoding import CassinoEncoding

        return CassinoEncoding(fmt)

    def preview(self, view: Mapping[str, Any]) -> list[CardGroup]:
        return table_groups(view)

    def worth(self, view: Mapping[str, Any], side: int) -> float:
        """The points that a side's captured cards and sweeps are likely to score."""
        return scoring.view_worth(view, side)


GAME = Cassino()
