"""Spoon Eye: see docs/rules/spoon-eye.md. Clauses are cited where they are implemented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from engine import cards
from engine.events import Event
from engine.formats import Format, Option, Variant
from engine.game import Deal, Game, Telling
from engine.games.spoon_eye import options, position, words
from engine.games.spoon_eye.deal import SpoonEyeDeal
from engine.games.spoon_eye.options import Rules


class SpoonEye(Game):
    """The game's definition."""

    name: ClassVar[str] = "spoon-eye"
    title: ClassVar[str] = "Spoon Eye"
    summary: ClassVar[str] = (
        "Lay cards on masts, yours or another's; a mast of exactly 21 is raised, "
        "its cards are won, and a mast of the opponent may be plundered."
    )
    document: ClassVar[str] = "spoon-eye.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS

    def rules(self, fmt: Format) -> Rules:
        """The format's numbers and switches."""
        return Rules(fmt)

    def pack(self, fmt: Format) -> list[int]:  # noqa: ARG002 - every format has the same pack
        """SPO-1: one pack of 52, no jokers."""
        return cards.pack()

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """SPO-3: seat n-1 deals first."""
        deal = SpoonEyeDeal(fmt.rules, log)
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
        """An event of section 5 in words."""
        return words.tell(fmt, event)

    def known(self, view: Mapping[str, Any]) -> list[str]:
        """SPO-57: what the viewer saw in a hand that was swapped away."""
        return [card for row in view["known"] for card in row]

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view."""
        piles = [*view["hands"], view["stock_cards"]]
        piles += [mast for row in view["masts"] for mast in row]
        piles += [pile[kind] for pile in view["won"] for kind in ("single", "double")]
        if view["raised"]:
            piles.append(view["raised"]["cards"])
        return [card for pile in piles for card in pile]


GAME = SpoonEye()
