"""Cassino: see docs/rules/cassino.md. Clauses are cited where they are implemented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from engine import cards
from engine.events import Event
from engine.formats import Format, Option, Value, Variant
from engine.game import Deal, Game, Telling
from engine.games.cassino import options, position, words
from engine.games.cassino.deal import CassinoDeal
from engine.games.cassino.options import Rules


class Cassino(Game):
    """The game's definition."""

    name: ClassVar[str] = "cassino"
    title: ClassVar[str] = "Cassino"
    summary: ClassVar[str] = (
        "Play one card a turn, take cards of the same rank or sets that add up to it, "
        "or build on the table for a later turn."
    )
    document: ClassVar[str] = "cassino.md"
    variants: ClassVar[tuple[Variant, ...]] = options.VARIANTS
    options: ClassVar[tuple[Option, ...]] = options.OPTIONS

    def check_options(self, variant: str, table: str, options: Mapping[str, Value]) -> None:  # noqa: ARG002 - the same for all variants and tables
        """CAS-39, CAS-40: without a target, nothing that needs one."""
        check(options)

    def rules(self, fmt: Format) -> Rules:
        """The format's numbers, limits and scores."""
        return Rules(fmt)

    def pack(self, fmt: Format) -> list[int]:  # noqa: ARG002 - every format has the same pack
        """CAS-2: one pack of 52, no jokers."""
        return cards.pack()

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """CAS-5: seat n-1 deals first."""
        deal = CassinoDeal(fmt.rules, log)
        deal.start(deck)
        return deal

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """A `state` of section 6."""
        return position.from_state(fmt.rules, state, log)

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that looks the same as a view of CAS-48."""
        return position.restore(fmt.rules, view, rng, log)

    def tell(self, fmt: Format, event: Event) -> Telling:
        """An event of CAS-51 in words."""
        return words.tell(fmt, event)

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view."""
        piles = [*view["hands"], view["stock_cards"], *view["captured"]]
        piles += [item["cards"] for item in view["table"]]
        return [card for pile in piles for card in pile]


check = options.check_options
GAME = Cassino()
