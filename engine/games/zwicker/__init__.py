"""Zwicker: see docs/rules/zwicker.md. Clauses are cited where they are implemented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from engine.events import Event
from engine.formats import Format, Option, Value, Variant
from engine.game import Deal, Game, Telling
from engine.games.zwicker import options, position, words
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.options import Rules


class Zwicker(Game):
    """The game's definition."""

    name: ClassVar[str] = "zwicker"
    title: ClassVar[str] = "Zwicker"
    summary: ClassVar[str] = (
        "Each alone: take cards of the same rank or sets that add up to your card, "
        "and clear the table for a zwick."
    )
    document: ClassVar[str] = "zwicker.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS

    def check_options(self, variant: str, table: str, options: Mapping[str, Value]) -> None:  # noqa: ARG002 - the same for all variants and tables
        """ZWI-43: without a target, nothing that needs one."""
        check(options)

    def rules(self, fmt: Format) -> Rules:
        """The format's numbers, limits and scores."""
        return Rules(fmt)

    def pack(self, fmt: Format) -> list[int]:
        """ZWI-2: one or two packs, each with its jokers."""
        return position.full_pack(fmt.rules)

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """ZWI-6: seat n-1 deals first."""
        deal = ZwickerDeal(fmt.rules, log)
        deal.start(deck)
        return deal

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """A `state` of section 8."""
        return position.from_state(fmt.rules, state, log)

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that looks the same as a view of ZWI-51."""
        return position.restore(fmt.rules, view, rng, log)

    def tell(self, fmt: Format, event: Event) -> Telling:
        """An event of ZWI-53 in words."""
        return words.tell(fmt, event)

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view."""
        piles = [*view["hands"], view["stock_cards"], *view["captured"]]
        piles += [item["cards"] for item in view["table"]]
        return [card for pile in piles for card in pile]


check = options.check_options
GAME = Zwicker()
