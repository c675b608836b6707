"""Minus the second derivatives of a log-likelihood, kept by units as they come from the results.

Few results beside the parameters fill few cells of the matrix: these are kept as they are. Where
there are many, the matrix is whole. Either way it is only put to parameters when asked.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.units import Units

_FEW = 16
"""Cells are kept alone up to this part of the matrix: then products with them are quicker."""

_MANY = 2
"""Above this part of it they are added up: each time goes over the whole matrix."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Amounts at cells of a symmetric matrix; each counts at its mirror image, too."""

    rows: Ints
    columns: Ints
    amounts: Floats

    def mirrored(self) -> "Cells":
        """The same with the images written out: then each counts once."""
        return Cells(
            np.concatenate([self.rows, self.columns]),
            np.concatenate([self.columns, self.rows]),
            np.concatenate([self.amounts, self.amounts]),
        )


@dataclass(frozen=True, slots=True)
class Curvature:
    """The matrix, symmetric; either `square` or `cells` is there."""

    units: Units
    size: int
    square: Floats | None
    """[units, units]"""
    cells: Cells | None
    """Mirrored."""

    def times(self, theta: Floats) -> Floats:
        """The product with a vector of parameters."""
        strengths = self.units.strengths(theta)
        if self.square is not None:
            return self.units.gathered(self.square @ strengths)
        cells = self._cells()
        put = cells.amounts * strengths.take(cells.columns)
        return self.units.gathered(_summed(cells.rows, put, self.size))

    def full(self) -> Floats:
        """[parameters, parameters]"""
        if self.square is not None:
            return self.units.curved(self.square.copy())
        cells = self._cells()
        flat = _summed(cells.rows * self.size + cells.columns, cells.amounts, self.size**2)
        return self.units.curved(flat.reshape(self.size, self.size))

    def border(self) -> Floats:
        """[parameters, parameters before the bonds]"""
        first = self.units.first
        if self.square is not None:
            result = self.square[:, :first].copy()
            result[:, : self.units.entrants] += self.square[:, first:] @ self.units.shares
        else:
            result = self._border_of_cells()
        result[: self.units.entrants] += self.units.shares.T @ result[first:]
        return result

    def _border_of_cells(self) -> Floats:
        cells, first = self._cells(), self.units.first
        flat = np.zeros(self.size * first)
        for member, part in zip(*(each.T for each in self.units.people), strict=True):
            real = part[cells.columns] > 0
            row, column = cells.rows[real], cells.columns[real]
            put = cells.amounts[real] * part[column]
            flat += _summed(row * first + member[column], put, len(flat))
        return flat.reshape(self.size, first)

    def bonds(self) -> Floats:
        """[teams]: of the bonds' part of the matrix the rows' sums, signs left out."""
        first = self.units.first
        if self.square is not None:
            return np.asarray(np.abs(self.square[first:, first:]).sum(axis=1))
        cells = self._cells()
        here = (cells.rows >= first) & (cells.columns >= first)
        put = np.abs(cells.amounts[here])
        return _summed(cells.rows[here] - first, put, self.size - first)

    def diagonal(self) -> Floats:
        """[teams]: the bonds' part of the diagonal."""
        first = self.units.first
        if self.square is not None:
            return np.diag(self.square)[first:].copy()
        cells = self._cells()
        here = (cells.rows >= first) & (cells.rows == cells.columns)
        return _summed(cells.rows[here] - first, cells.amounts[here], self.size - first)

    def _cells(self) -> Cells:
        if self.cells is None:
            raise ValueError("The matrix is whole.")
        return self.cells


class Adding:
    """A matrix in the making, from halves."""

    def __init__(self, units: Units, size: int) -> None:
        self._units = units
        self._size = size
        # What concerns no team comes back to the same few cells.
        self._corner = _Heap(units.first)
        self._rest = _Heap(size)

    def put(self, rows: Ints, columns: Ints, amounts: Floats) -> None:
        """Add amounts to cells and to their mirror images."""
        if not len(rows):
            return
        alone = max(int(rows.max()), int(columns.max())) < self._units.first
        (self._corner if alone else self._rest).put(Cells(rows, columns, amounts))

    def done(self) -> Curvature:
        """What was added."""
        first = self._units.first
        corner = self._corner.square()
        if self._rest.few(int(np.count_nonzero(corner))):
            rows, columns = np.nonzero(corner)
            self._rest.put(Cells(rows, columns, corner[rows, columns]))
            return Curvature(self._units, self._size, None, self._rest.taken().mirrored())
        half = self._rest.square()
        half[:first, :first] += corner
        return Curvature(self._units, self._size, half + half.T, None)


class _Heap:
    """Cells to be added up: many at a time, as each time goes over the whole matrix."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._sum: Floats | None = None
        self._waiting: list[Cells] = []
        self._many = 0

    def few(self, more: int) -> bool:
        """Whether these and so many more are few beside the matrix, and not added up yet."""
        return self._sum is None and self._many + more <= self._size**2 // _FEW

    def put(self, cells: Cells) -> None:
        """More of them."""
        self._waiting.append(cells)
        self._many += len(cells.amounts)
        if self._many > max(1 << 18, self._size**2 // _MANY):
            self._count()

    def taken(self) -> Cells:
        """What is not added up yet."""
        waiting, self._waiting, self._many = self._waiting, [], 0
        none = Cells(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
        return Cells(
            np.concatenate([none.rows, *(each.rows for each in waiting)]),
            np.concatenate([none.columns, *(each.columns for each in waiting)]),
            np.concatenate([none.amounts, *(each.amounts for each in waiting)]),
        )

    def square(self) -> Floats:
        """The sum of all."""
        self._count()
        flat = np.zeros(self._size**2) if self._sum is None else self._sum
        return flat.reshape(self._size, self._size)

    def _count(self) -> None:
        if self._waiting:
            new = self.taken()
            flat = _summed(new.rows * self._size + new.columns, new.amounts, self._size**2)
            self._sum = flat if self._sum is None else np.add(self._sum, flat, out=self._sum)


def _summed(places: Ints, amounts: Floats, size: int) -> Floats:
    """[size]: the amounts at each place, added up."""
    return np.bincount(places, amounts, minlength=size).astype(np.float64, copy=False)
