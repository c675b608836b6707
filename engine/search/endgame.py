"""Solve the end of a two-player deal in which no card is hidden.

The method is alpha-beta search (Knuth and Moore 1975, "An Analysis of Alpha-Beta Pruning") to the
end of the deal. It tries the moves with the highest weights of the adviser first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.search.belief_sampling import Beliefs
from engine.search.tree import best_moves, count_of, leads_of, play_at, weight_of

POSITIONS: Final = 6
"""Number of positions that the solver may examine for each playout that the search may make."""
MAX_NARROW_MOVES: Final = 4
"""If a search of all moves takes too many positions, only this many moves of each are searched:
those with the highest weights of the adviser."""
_EXTRA_GUESSES: Final = 3
"""A deal counts as known if this many more guesses equal the first."""
_ALL_MOVES: Final = 1_000_000
_MAX_LEAD: Final = 1e18


class EndgameSolver:
    """Solves a two-player deal whose cards are all known. `side`: the side of the deciding seat.

    `exact`: whether the last `solve` searched all moves, not only `MAX_NARROW_MOVES`.
    """

    def __init__(
        self,
        adviser: Any,
        side: int,
        sides: Sequence[int],
        before: Sequence[int],
        stop: Callable[[], bool],
    ) -> None:
        self.adviser: Any = adviser
        self.side: int = side
        self.sides: list[int] = list(sides)
        self.before: list[int] = list(before)
        self.stop: Callable[[], bool] = stop
        self.positions_left: int = 0
        self.width: int = _ALL_MOVES
        self.exact: bool = False

    def solve(self, deal: Any, places: Sequence[int], positions: int) -> list[float]:
        """The side's final lead after each of the moves with the indices `places`.

        Empty if the search takes more than `positions` positions.
        """
        for width in (_ALL_MOVES, MAX_NARROW_MOVES):
            self.positions_left = positions
            self.width = width
            values: list[float] = []
            for place in places:
                next_deal = deal.copy([])
                play_at(next_deal, place)
                values.append(self._value(next_deal, -_MAX_LEAD, _MAX_LEAD))
                if self.positions_left < 0:
                    break
            if self.positions_left >= 0:
                self.exact = width == _ALL_MOVES
                return values
        return []

    def _value(self, deal: Any, lower: float, upper: float) -> float:
        """The side's final lead, if it is between the bounds; otherwise a bound beyond them."""
        if deal.to_act < 0:
            return leads_of(self.adviser.worth(deal, self.before))[self.side]
        self.positions_left -= 1
        if self.positions_left < 0 or (self.positions_left % 64 == 0 and self.stop()):
            self.positions_left = -1
            return 0.0
        own_turn = self.sides[deal.to_act] == self.side
        best_value = -_MAX_LEAD if own_turn else _MAX_LEAD
        moves = best_moves(self.adviser, deal, count_of(deal), self.width)
        moves.sort(key=weight_of, reverse=True)
        for place, _ in moves:
            next_deal = deal.copy([])
            play_at(next_deal, place)
            value = self._value(next_deal, lower, upper)
            if own_turn:
                best_value = max(best_value, value)
                lower = max(lower, value)
            else:
                best_value = min(best_value, value)
                upper = min(upper, value)
            if lower >= upper or self.positions_left < 0:
                break
        return best_value


def known_deal(view: Mapping[str, Any], guesses: Beliefs) -> Any:
    """The deal, if two seats play and the seat can infer all cards; else None."""
    if len(view["hand_sizes"]) != 2 or view["stock"]:
        return None
    deal: Any = guesses.deal()
    open_view = deal.view(-1)
    for _ in range(_EXTRA_GUESSES):
        if guesses.deal().view(-1) != open_view:
            return None
    return deal
