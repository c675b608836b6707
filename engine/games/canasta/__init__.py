"""Canasta: see docs/rules/canasta.md. Clauses are cited where they are implemented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from engine import cards
from engine.events import Event
from engine.formats import Format, Option, Variant
from engine.game import Deal, Game, Telling
from engine.games.canasta import options, position, words
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.options import Rules


class Canasta(Game):
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

    def rules(self, fmt: Format) -> Rules:
        """The format's numbers and switches."""
        return Rules(fmt)

    def pack(self, fmt: Format) -> list[int]:
        """CAN-1: packs of 52 cards with two jokers each."""
        rules: Rules = fmt.rules
        return cards.pack(["X", "X"]) * rules.packs

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """CAN-5: chair 0 acts first."""
        deal = CanastaDeal(fmt.rules, log, 0)
        deal.start(deck)
        return deal

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """A `state` of section 12."""
        return position.from_state(fmt.rules, state, log)

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that looks the same as a view of CAN-94."""
        return position.restore(fmt.rules, view, rng, log)

    def tell(self, fmt: Format, event: Event) -> Telling:
        """An event of CAN-97 in words."""
        return words.tell(fmt, event)

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view."""
        piles = [*view["hands"], view["stock_cards"], view["pile"]["cards"], *view["red3_cards"]]
        piles += [meld["cards"] for melds in view["melds"] for meld in melds]
        return [card for pile in piles for card in pile]


GAME = Canasta()
