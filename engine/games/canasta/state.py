"""The state of a deal of Canasta, and values derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.deals import BaseDeal
from engine.events import Event
from engine.games.canasta import moves
from engine.games.canasta.melds import Meld
from engine.games.canasta.options import CanastaRules
from engine.games.canasta.turn_state import NO_CARDS, TurnState

if TYPE_CHECKING:
    from engine.games.canasta.json_types import Phase


class CanastaState(BaseDeal):
    """The state of a deal. Cards are integers; lists are indexed by seat unless noted.

    `truncated` stays false, because every position has far fewer than 512 moves (CAN-83).
    """

    def __init__(self, rules: CanastaRules, log: list[Event], number: int = 0) -> None:
        super().__init__(rules.seats, log)
        self.rules: CanastaRules = rules
        self.number = number
        self.chairs: list[int] = rules.chairs(number)  # the seats that play, in order (CAN-6)
        opener = rules.opener(number)
        self.dealer = self.chairs[(opener - rules.step) % rules.playing]  # CAN-5
        self.turn = self.to_act = self.chairs[opener]
        self.turns: int = 0  # the number of finished turns in the deal
        self.melds_made: int = 0  # the number of melds opened in the deal
        self.sides: list[list[int]] = rules.sides  # replaced, never changed (CAN-72)
        self.totals: list[int] = [0] * len(rules.sides)  # by side; in 1v2 by seat
        self.melds: list[list[Meld]] = [[] for _ in rules.sides]  # by side
        self.red3: list[list[int]] = [[] for _ in range(rules.seats)]  # on the table
        self.drained: bool = True  # whether cards were left for the stock after the deal
        self.pile: list[int] = []
        self.frozen: bool = False  # whether the pile is frozen for everybody (CAN-25)
        self.started: list[bool] = [False] * rules.seats  # the first turn has begun (CAN-11)
        self.discarded: list[bool] = [False] * rules.seats  # the seat has discarded (CAN-96)
        self.melded: list[bool] = [False] * rules.seats  # in an earlier turn (CAN-52)
        self.out: int = -1  # the seat that went out
        self.concealed: int = 0  # 1 if it went out concealed (CAN-52)
        self.reason: str = ""  # why the deal ended
        self.entries: list[dict[str, int]] = []  # the results of `scoring.score`
        self.reset_turn()

    def reset_turn(self) -> None:
        """Set the fields of a turn to their first values. Old answers no longer bind (CAN-59)."""
        self.phase: Phase = moves.PHASE_CHOOSE
        self.had_meld: bool = bool(self.melds[self.side_of(self.turn)])
        self.drew: bool = False
        self.took: bool = False  # the seat took the pile
        self.stepped: bool = False  # the seat has melded in part 2 of the turn
        self.settled: bool = False  # the seat has melded while no cards were pending (CAN-56)
        self.counted: int = 0  # points melded towards the minimum (CAN-34)
        self.pending: list[int] = NO_CARDS  # the pile's rest, until the minimum is reached (CAN-35)
        self.has_discard: bool = True  # the turn has a discard (CAN-63)
        self.asked: bool = False
        self.committed: bool = False  # the seat must go out in this turn
        self.refused: bool = False  # the seat may not go out in this turn
        self.laid_off: bool = False  # the seat laid cards off on a meld from an earlier turn
        self.own_canasta: bool = False  # the seat completed a canasta in this turn (CAN-54)
        self._turn_state: TurnState | None = None
        self._situation: moves.CanastaSituation | None = None
        self._legal_moves: list[moves.CanastaMove] | None = None

    def copy_into(self, other: CanastaState) -> None:
        """Copy the state to `other`; the copies share only immutable data."""
        self.copy_base(other)
        self._copy_turn(other)
        other.chairs = self.chairs
        other.turns = self.turns
        other.melds_made = self.melds_made
        other.drained = self.drained
        other.frozen = self.frozen
        other.out = self.out
        other.concealed = self.concealed
        other.reason = self.reason
        other.entries = self.entries
        other.totals = self.totals  # the deal replaces these two lists, but never changes them
        other.sides = self.sides
        other.melds = [melds[:] for melds in self.melds]
        other.red3 = self.red3[:]  # the deal replaces its rows, but never changes them
        other.pile = self.pile[:]
        other.started = self.started[:]
        other.discarded = self.discarded[:]
        other.melded = self.melded[:]

    def _copy_turn(self, other: CanastaState) -> None:
        """Copy the fields of `reset_turn`; a deal replaces their values, but never changes them."""
        other.phase = self.phase
        other.had_meld = self.had_meld
        other.drew = self.drew
        other.took = self.took
        other.stepped = self.stepped
        other.settled = self.settled
        other.counted = self.counted
        other.pending = self.pending
        other.has_discard = self.has_discard
        other.asked = self.asked
        other.committed = self.committed
        other.refused = self.refused
        other.laid_off = self.laid_off
        other.own_canasta = self.own_canasta
        other._turn_state = self._turn_state
        other._situation = self._situation
        other._legal_moves = self._legal_moves

    def order(self) -> list[int]:
        """The seats that play, in the order of their first turns (CAN-5)."""
        opener, step, playing = self.rules.opener(self.number), self.rules.step, self.rules.playing
        return [self.chairs[(opener + step * index) % playing] for index in range(playing)]

    def side_of(self, seat: int) -> int:
        """The current side of a seat (CAN-76)."""
        if not self.rules.finds_sides:
            return self.rules.side_of[seat]
        for index, side in enumerate(self.sides):
            for other in side:  # compiled, quicker than `in`
                if other == seat:
                    return index
        raise ValueError(f"Seat {seat} is on no side.")

    def partners_of(self, seat: int) -> list[int]:
        """The partners of a seat that play in this deal."""
        if not (self.rules.finds_sides or self.rules.rests):
            return self.rules.partners[seat]
        side = self.sides[self.side_of(seat)]
        return [other for other in side if other != seat and other in self.chairs]

    def minimum(self, side: int, seat: int) -> int:
        """The minimum points of the first meld of a side (CAN-33); in `1v2`, of a seat (CAN-73)."""
        return self.rules.minimum(self.totals[seat if self.rules.finds_sides else side])

    def minimum_of(self, seat: int) -> int:
        """The minimum points of the first meld of a seat's side."""
        return self.minimum(self.side_of(seat), seat)

    def frozen_for(self, side: int) -> bool:
        """Whether the pile is frozen for a side (CAN-25, CAN-26)."""
        return self.frozen or (self.rules.startfrozen and not self.melds[side])
