"""What a deal in play is made of in every game: seats, hands, a stock, the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.cards import texts
from engine.events import Event

LISTED: Final = 512
"""Moves listed at most (docs/rules/README.md, "Moves")."""


class BaseDeal:
    """The state that all games share. Cards are integers; lists go by seat.

    A game's deal adds its own state and all the play that `engine.game.Deal` asks for.
    """

    __slots__ = (
        "dealer",
        "hands",
        "log",
        "number",
        "stock",
        "stock_at",
        "to_act",
        "truncated",
        "turn",
    )

    def __init__(self, seats: int, log: list[Event]) -> None:
        self.log: list[Event] = log
        self.number: int = 0
        self.dealer: int = seats - 1
        self.turn: int = 0
        self.to_act: int = 0
        self.truncated: bool = False
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.stock: list[int] = []  # never changed: copies share it; `stock_at` is its top
        self.stock_at: int = 0

    @property
    def stock_left(self) -> int:
        """Cards left in the stock."""
        return len(self.stock) - self.stock_at

    def follow(self, before: BaseDeal) -> None:
        """This is the deal after `before`: the next seat clockwise deals."""
        self.number = before.number + 1
        self.dealer = (before.dealer + 1) % len(self.hands)

    def copy_base(self, other: BaseDeal) -> None:
        """Give `other` the same shared state, but its own log, and nothing that changes."""
        other.number = self.number
        other.dealer = self.dealer
        other.turn = self.turn
        other.to_act = self.to_act
        other.truncated = self.truncated
        other.hands = [hand[:] for hand in self.hands]
        other.stock = self.stock
        other.stock_at = self.stock_at

    def own_hands(self) -> dict[int, dict[str, Any]]:
        """The hidden part of an event that deals: every seat sees its own hand only."""
        return {seat: {"hand": texts(hand)} for seat, hand in enumerate(self.hands)}

    def logged(self, ended: dict[str, Any] | None) -> dict[str, Any] | None:
        """The result `ended`, its event logged; None if the match is not over."""
        if ended is not None:
            self.log.append(("end", {"result": ended}, None))
        return ended

    def heading(
        self, game: str, text: str, sides: Sequence[Sequence[int]], seat: int
    ) -> dict[str, Any]:
        """What a view begins with; `text` is the format's, seat -1 are the spectators."""
        over = self.to_act < 0
        return {
            "game": game,
            "format": text,
            "seat": None if seat < 0 else seat,
            "sides": [list(side) for side in sides],
            "deal": self.number,
            "dealer": self.dealer,
            "turn": None if over else self.turn,
            "to_act": None if over else self.to_act,
        }

    def hand_of(self, seat: int) -> list[str]:
        """The hand that a view shows: none to spectators (seat -1)."""
        return [] if seat < 0 else texts(self.hands[seat])

    def show_all(self, shown: dict[str, Any]) -> None:
        """What the spectators' view has on top: every hand, and the stock, top first."""
        shown["hands"] = [texts(hand) for hand in self.hands]
        shown["stock_cards"] = texts(self.stock[self.stock_at :])
