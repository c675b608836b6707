"""Number the pairs of a deal group and an entrant, to add up each entrant's matches of a group."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import EMPTY, Floats, Ints, unique_inverse
from tournaments.ratings.coupling import sum_by_place


@dataclass(frozen=True, slots=True)
class Cells:
    """Pairs of a deal group and an entrant; a cell without matches may repeat another's pair."""

    groups: Ints
    """[cells]: the deal group."""

    players: Ints
    """[cells]: the entrant; `EMPTY` for cells of empty seats."""

    numbers: tuple[Ints, ...]
    """By bucket [seats, games]: the number of the cell."""

    @classmethod
    def from_seats(cls, groups: int, buckets: Sequence[tuple[Ints, Ints]]) -> "Cells":
        """Number the cells; by bucket ([seats, games] entrants or `EMPTY`, [games] groups).

        The matches of a group nearly always have the same entrants. So most cells are found by
        comparing seats with those of one match of the group, which is much faster than sorting.
        """
        width = max((len(seats) for seats, _ in buckets), default=0)
        usual = np.full((width, groups), EMPTY)
        for seats, group_of in buckets:
            game = np.full(groups, EMPTY)
            game[group_of] = np.arange(len(group_of))
            own = np.flatnonzero(game != EMPTY)
            usual[: len(seats), own] = seats[:, game[own]]
        numbers = []
        for seats, group_of in buckets:
            cells = np.full(seats.shape, EMPTY)
            for place in reversed(range(width)):
                usual_seats, usual_cells = usual[place].take(group_of), place * groups + group_of
                for seat, cell in zip(seats, cells, strict=True):
                    np.copyto(cell, usual_cells, where=seat == usual_seats)
            numbers.append(cells)
        owners = np.tile(np.arange(groups), width), usual.reshape(-1)
        if all(cells.min(initial=0) > EMPTY for cells in numbers):
            return cls(*owners, tuple(numbers))
        more = [cells == EMPTY for cells in numbers]
        span = max(int(seats.max(initial=EMPTY)) for seats, _ in buckets) + 2
        codes = np.concatenate(
            [
                (group_of * span + seats + 1)[mask]
                for (seats, group_of), mask in zip(buckets, more, strict=True)
            ]
        )
        first, new_numbers, _ = unique_inverse(codes)
        for cells, mask in zip(numbers, more, strict=True):
            new, new_numbers = np.split(new_numbers, [mask.sum()])
            cells[mask] = usual.size + new
        new_groups, new_players = np.divmod(codes[first], span)
        return cls(
            np.concatenate([owners[0], new_groups]),
            np.concatenate([owners[1], new_players - 1]),
            tuple(numbers),
        )

    def sums(self, values: Sequence[Floats]) -> Floats:
        """[cells]: sums of values, by bucket [seats, games]."""
        result = np.zeros(len(self.groups))
        for numbers, seat_values in zip(self.numbers, values, strict=True):
            result += sum_by_place(numbers.ravel(), seat_values.ravel(), len(result))
        return result

    def groups_by_player(self, size: int) -> Ints:
        """[size]: the number of groups of each entrant."""
        used = np.zeros(len(self.groups), dtype=bool)
        for numbers in self.numbers:
            used[numbers] = True
        used &= self.players != EMPTY
        return np.bincount(self.players[used], minlength=size)
