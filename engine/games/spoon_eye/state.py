"""The state of a deal of Spoon Eye."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.deals import BaseDeal
from engine.events import Event
from engine.games.spoon_eye.masts import Cards, Mast
from engine.games.spoon_eye.options import SpoonEyeRules
from engine.games.spoon_eye.spelling import SpoonEyeMove

if TYPE_CHECKING:
    from engine.games.spoon_eye.json_types import Phase


class SpoonEyeState(BaseDeal):
    """The cards, and the phase of the turn.

    `single`, `double` and `known` contain bit masks of cards: `single` and `double` the cards that
    each side has won in this deal, which count once or twice; `known[viewer][seat]` the cards that
    a viewer knows to be in another seat's hand (SPO-57).
    """

    __slots__ = (
        "_legal_moves",
        "_moves",
        "above",
        "below",
        "double",
        "is_first_turn",
        "known",
        "masts",
        "nest_run",
        "pending",
        "phase",
        "raised",
        "rules",
        "single",
    )

    def __init__(self, rules: SpoonEyeRules, log: list[Event]) -> None:
        seats, sides = rules.seats, len(rules.sides)
        super().__init__(seats, log)  # SPO-3: seat n-1 deals first
        self.rules: SpoonEyeRules = rules
        self.phase: Phase = "play"
        self.masts: list[list[Mast]] = [[] for _ in range(seats)]
        self.single: list[int] = [0] * sides  # SPO-36: won piles belong to sides
        self.double: list[int] = [0] * sides
        # the owner's seat, the seat that put the last card, and the cards
        self.raised: tuple[int, int, Cards] | None = None
        self.pending: str = ""  # the effect to apply once a mast is chosen (SPO-22)
        self.is_first_turn: bool = False  # whether this is the first turn of the deal (SPO-39)
        self.nest_run: list[int] = [0] * seats  # crow's nest moves in a row, by seat (SPO-40)
        self.known: list[list[int]] = [[0] * seats for _ in range(seats)]
        self.below: list[int] = [0] * sides  # base of the finished deals (SPO-46)
        self.above: list[int] = [0] * sides  # bonus of the finished deals (SPO-47)
        self._moves: list[SpoonEyeMove] | None = None  # cached legal moves
        self._legal_moves: list[str] | None = None  # their texts

    def copy_into(self, other: SpoonEyeState) -> None:
        """Copy the state to `other`; the copies share only immutable data."""
        self.copy_base(other)
        other.phase = self.phase
        other.masts = [row[:] for row in self.masts]
        other.single = self.single[:]
        other.double = self.double[:]
        other.raised = self.raised
        other.pending = self.pending
        other.is_first_turn = self.is_first_turn
        other.nest_run = self.nest_run[:]
        other.known = [row[:] for row in self.known]
        other.below = self.below  # immutable, only replaced
        other.above = self.above
        other._legal_moves = self._legal_moves
        other._moves = self._moves
