"""Paks: see docs/rules/paks.md. Clauses are cited where they are implemented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from engine import cards
from engine.events import Event
from engine.formats import Format, Option, Variant
from engine.game import Deal, Game, Telling
from engine.games.paks import options, position, words
from engine.games.paks.deal import PaksDeal
from engine.games.paks.options import Rules


class Paks(Game):
    """The game's definition."""

    name: ClassVar[str] = "paks"
    title: ClassVar[str] = "Paks"
    summary: ClassVar[str] = (
        "Draw a card, take a board card with dearer cards of its suit, "
        "then steal the paks of the others."
    )
    document: ClassVar[str] = "paks.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS

    def rules(self, fmt: Format) -> Rules:
        """The format's numbers and limits."""
        return Rules(fmt)

    def pack(self, fmt: Format) -> list[int]:
        """PAK-2: one pack for two players, else two; PAK-3: equal cards are interchangeable."""
        return cards.pack() * (1 if fmt.seats == 2 else 2)

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """PAK-4: seat n-1 deals first."""
        deal = PaksDeal(fmt.rules, log)
        deal.start(deck)
        return deal

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """A `state` of section 6."""
        return position.from_state(fmt.rules, state, log)

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that looks the same as a view of section 5."""
        return position.restore(fmt.rules, view, rng, log)

    def tell(self, fmt: Format, event: Event) -> Telling:
        """An event in words."""
        return words.tell(fmt, event)

    def known(self, view: Mapping[str, Any]) -> list[str]:
        """PAK-42: cards of other hands that all have seen there."""
        return [card for hand in view["shown"] for card in hand]

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view."""
        piles = [*view["hands"], view["stock_cards"], view["board"]]
        piles += [pak for row in view["paks"] for pak in row]
        return [card for pile in piles for card in pile]


GAME = Paks()
