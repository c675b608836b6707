"""Paks: see docs/rules/paks.md. The code cites its clauses (PAK-1, …).

Seats:       2 to 6
Table forms: 1v1, ffa3, 2v2, 3v3
Variants:    standard
Formats:     4, with 2 options
Cards:       52 to 104
Hidden:      the stock; other hands, except cards that were shown
Chance:      the shuffle of each deal
Length:      286 moves per match (median of random play at paks/standard/1v1)
Version:     1

Versions of the rules:

- 1 (2026-11-21): The first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engine import cards
from engine.assembly import AssembledGame, Assembly
from engine.cards import CardGroup, longest
from engine.declarations import Change, Levels, Option, Variant
from engine.figures import Figure, moves_starting
from engine.game import Format
from engine.games.paks import options, position, scoring, telling
from engine.games.paks.deal import PaksDeal
from engine.games.paks.move_builder import PaksComposer
from engine.games.paks.options import PaksRules

if TYPE_CHECKING:
    from engine.encoding_protocol import Encoding
    from engine.json_types import JsonTypes


class Paks(AssembledGame):
    name: ClassVar[str] = "paks"
    title: ClassVar[str] = "Paks"
    summary: ClassVar[str] = (
        "Draw a card, take a board card with cards of its suit that are worth more, "
        "then steal other players' paks."
    )
    goal_text: ClassVar[str] = "Most points in paks"
    document: ClassVar[str] = "paks.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS
    version: ClassVar[int] = 1
    history: ClassVar[tuple[Change, ...]] = (Change(1, "2026-11-21", "The first version."),)
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("paks", "Paks made per deal", "deal", event="move", worth=moves_starting("pak:")),
        Figure("stolen", "Paks stolen per deal", "deal", event="move", worth=scoring.thefts),
        Figure("fed", "Cards fed to the table per deal", "deal", event="feed"),
    )
    lead_sd: ClassVar[tuple[float, float]] = (120.0, 215.0)
    levels: ClassVar[Levels] = Levels(
        playouts=(4, 10, 30, 80, 200),  # each takes 5 to 30 times as long as in other games
        overlooks=(0.78, 0.58, 0.41, 0.24, 0.0),
        rating_steps=(84, 160, 112, 137, 152, 0),
    )
    assembly: ClassVar[Assembly] = Assembly(
        rules=PaksRules,
        deal=PaksDeal,
        from_state=position.from_state,
        restore=position.restore,
        tell=telling.tell,
        tally=scoring.tally,
        composer=PaksComposer,
    )

    def pack(self, fmt: Format) -> list[int]:
        """One pack for two players, otherwise two (PAK-2); equal cards are alike (PAK-3)."""
        return cards.pack() * (1 if fmt.seats == 2 else 2)

    def known(self, view: Mapping[str, Any]) -> list[str]:
        """The cards in other hands that all seats have seen (PAK-42)."""
        return [card for hand in view["shown"] for card in hand]

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        return [view["board"], *(pak for row in view["paks"] for pak in row)]

    def json_types(self) -> JsonTypes:
        from engine.games.paks.json_types import TYPES

        return TYPES

    def encoding(self, fmt: Format) -> Encoding:
        from engine.games.paks.encoding import PaksEncoding

        return PaksEncoding(fmt)

    def preview(self, view: Mapping[str, Any]) -> list[CardGroup]:
        paks = [tuple(pak) for row in view["paks"] for pak in row]
        return [CardGroup("board", tuple(view["board"])), *longest("pak", paks)]

    def worth(self, view: Mapping[str, Any], side: int) -> float:
        """The final values of the cards in paks and in the hand.

        A card in the hand counts more, because it can still take others.
        """
        return scoring.view_worth(view, side)


GAME = Paks()
