"""Solve linear systems with the posterior's Hessian, whose parameters may be mostly interactions.

The matrix is bordered: a small dense block of entrants and effects (the *base*), a large block of
interactions, and their coupling. An interaction's prior is narrower than a rating's, and two teams
share few matches, so the large block is nearly diagonal. With a diagonal in its place the system is
solved by the Schur complement of the base. That is the preconditioner of conjugate gradients
(Hestenes & Stiefel 1952), which then need a few products with the matrix; without teams, one.

For an inverse, teams that never met each other are first eliminated (`Reduced`): with thousands of
teams of few matches, a few hundred parameters remain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.coupling import Coo, Coupling, sum_by_place
from tournaments.ratings.information import Information, Matrix

_MAX_STEPS = 500
"""Maximum number of steps; usually a dozen suffice."""

_TOLERANCE = 1e-3
"""Final error relative to the initial one, in the preconditioner's norm."""

_EXACT = 1000
"""Up to this many parameters a trace is computed exactly."""

_PROBES = 8
"""Random vectors for the estimate of a trace."""

_WORTHWHILE = 1 / 4
"""Teams that never met are eliminated first if they are at least this share of all."""

_MANY = 500
"""Interactions of more teams are eliminated in single precision, as their prior is narrow."""

_LEAF = 32
"""Triangles of fewer than twice as many rows are inverted directly."""


@dataclass(frozen=True, slots=True)
class Hessian:
    """Minus the Hessian of a log posterior: weight × information + diag(precision)."""

    information: Information
    weight: float
    precision: Floats
    """[parameters]: the prior's, a diagonal."""

    def matvec(self, theta: Floats) -> Floats:
        """The product with a vector."""
        return self.weight * self.information.matvec(theta) + self.precision * theta

    def to_dense(self) -> Floats:
        """[parameters, parameters]"""
        result = self.information.to_dense()
        result *= self.weight
        result.flat[:: len(result) + 1] += self.precision
        return result


@dataclass(frozen=True, slots=True)
class Solver:
    """Preconditioned conjugate gradients for one matrix."""

    matrix: Hessian
    root: Floats
    """[base, base]: `inverse_root` of the Schur complement of the preconditioner's diagonal."""

    coupling: Coupling
    """[teams, base]: the interactions' rows of the base's columns, divided by `diagonal`."""

    diagonal: Floats
    """[teams]: replaces the interactions' block."""

    @classmethod
    def factorize(cls, matrix: Hessian) -> "Solver":
        """Use sums of absolute row values as the diagonal of the interactions' block.

        They dominate the block, so the preconditioner is positive definite.
        """
        information, base = matrix.information, len(matrix.information.base)
        diagonal = matrix.weight * information.interaction_row_sums() + matrix.precision[base:]
        half = information.coupling.scaled(matrix.weight / np.sqrt(diagonal))
        schur = matrix.weight * information.base + np.diag(matrix.precision[:base]) - half.gram()
        coupling = half.scaled(1 / np.sqrt(diagonal))
        return cls(matrix, inverse_root(schur), coupling, diagonal)

    def with_matrix(self, matrix: Hessian) -> "Solver":
        """A solver for a similar matrix with the same preconditioner."""
        return replace(self, matrix=matrix)

    def solve(self, right: Floats) -> Floats:
        """The solution for a right-hand side, up to `_TOLERANCE`."""
        solution = np.zeros_like(right)
        residual = right.copy()
        direction = scaled = self._precondition(residual)
        error = start = float(residual @ scaled)
        for _ in range(_MAX_STEPS):
            if error <= _TOLERANCE**2 * start:
                break
            image = self.matrix.matvec(direction)
            length = error / float(direction @ image)
            solution += length * direction
            residual -= length * image
            scaled = self._precondition(residual)
            last_error, error = error, float(residual @ scaled)
            direction = scaled + error / last_error * direction
        return solution

    def traces(self, others: Sequence[Information]) -> Iterator[float]:
        """Estimates of the traces of the inverse times other matrices.

        The trace with most of the preconditioner's inverse is exact; the small difference is
        estimated with a few vectors of random signs (Hutchinson 1989).
        """
        weight, coupling = self.root.T @ self.root, self.coupling.to_coo()
        # Minus the preconditioner's inverse between interactions and the base; its diagonal.
        across = self.coupling.to_dense() @ weight
        on_diagonal = coupling.values * across[coupling.rows, coupling.columns]
        own = sum_by_place(coupling.rows, on_diagonal, len(self.diagonal)) + 1 / self.diagonal
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (_PROBES, len(self.matrix.precision)))
        off = []
        for sign in signs:
            upper, lower = np.split(sign, [len(weight)])
            known = weight @ upper - across.T @ lower, own * lower - across @ upper
            off.append(self.solve(sign) - np.concatenate(known))
        for other in others:
            among = other.coupling.to_coo()
            exact = float((weight * other.base).sum() + own @ other.diagonal)
            exact -= 2 * float(across[among.rows, among.columns] @ among.values)
            images = [other.matvec(sign) for sign in signs]
            yield exact + float((np.array(images) * off).sum()) / _PROBES

    def _precondition(self, right: Floats) -> Floats:
        """The solution with the preconditioner."""
        base = len(self.root)
        upper, lower = right[:base], right[base:]
        solved = self.root.T @ (self.root @ (upper - self.coupling.rmatvec(lower)))
        return np.concatenate([solved, lower / self.diagonal - self.coupling.matvec(solved)])


@dataclass(frozen=True, slots=True)
class Reduced:
    """A matrix after eliminating interactions of a set of teams that never met each other.

    Their block is diagonal, so the elimination is one product. With thousands of teams of few
    matches, the set has nearly all of them.
    """

    teams: Ints
    """The others, the protected ones last."""

    eliminated: Ints

    block: Matrix
    """[teams, teams]: of the Schur complement; in single precision if they are many."""

    columns: Floats
    """[teams, base]: the same."""

    corner: Floats
    """[base, base]: the same."""

    coupling: Floats
    """[eliminated, teams and base]: rows of the matrix, divided by `diagonal`."""

    diagonal: Floats
    """[eliminated]"""

    @classmethod
    def eliminate(cls, matrix: Hessian, protected: Ints | None = None) -> "Reduced":
        """Eliminate a large set of teams, if any; `protected` teams stay."""
        information, weight, base = matrix.information, matrix.weight, len(matrix.information.base)
        diagonal = weight * information.diagonal + matrix.precision[base:]
        is_eliminated = _unacquainted(len(diagonal), information.met, protected)
        if is_eliminated.sum() < len(diagonal) * _WORTHWHILE:
            is_eliminated[:] = False
        teams, eliminated = np.flatnonzero(~is_eliminated), np.flatnonzero(is_eliminated)
        if protected is not None:
            teams = np.concatenate([np.setdiff1d(teams, protected), protected])
        count, diagonal = len(teams), diagonal[eliminated]
        block, columns, below = information.eliminate_teams(
            teams, np.float64 if count < _MANY else np.float32
        )
        half = below.scaled(weight / np.sqrt(diagonal))
        block *= weight
        block.flat[:: count + 1] += matrix.precision[base:][teams]
        columns, corner = weight * columns, weight * information.base
        corner += np.diag(matrix.precision[:base])
        if len(eliminated):
            gram = half.gram()
            block -= gram[:count, :count]
            columns -= gram[:count, count:]
            corner -= gram[count:, count:]
        coupling = half.scaled(1 / np.sqrt(diagonal)).to_dense()
        return cls(teams, eliminated, block, columns, corner, coupling, diagonal)


def _unacquainted(teams: int, met: Coo, protected: Ints | None) -> NDArray[np.bool_]:
    """[teams]: a set of teams that never met each other, without `protected`.

    It holds each team that met fewer teams than each team it met (as in Luby 1986).
    """
    degree = np.bincount(np.concatenate([met.rows, met.columns]), minlength=teams)
    excluded = np.zeros(teams, dtype=bool)
    if protected is not None:
        degree[protected], excluded[protected] = 2 * teams, True
    rank = np.empty(teams, dtype=np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(teams)
    excluded[np.where(rank[met.rows] > rank[met.columns], met.rows, met.columns)] = True
    return ~excluded


def traces(solver: Solver, others: Sequence[Information]) -> Floats:
    """[others]: the traces of the inverse of the solver's matrix times other matrices.

    With more than `_EXACT` parameters they are estimates: the inverse would take too long.
    """
    matrix = solver.matrix
    if len(matrix.precision) > _EXACT:
        return np.fromiter(solver.traces(others), np.float64, len(others))
    root = inverse_root(matrix.to_dense())
    inverse = root.T @ root
    return np.array([(inverse * other.to_dense()).sum() for other in others])


def covariance_factors(matrix: Hessian) -> tuple[Floats, Floats]:
    """(F [base, parameters], v [teams]): the inverse is FᵀF, except in the interactions' block.

    There the diagonal is that of FᵀF plus v; the rest of the block is not computed.
    """
    reduced, base = Reduced.eliminate(matrix), len(matrix.information.base)
    teams, eliminated = base + reduced.teams, base + reduced.eliminated
    upper = inverse_root(reduced.block)
    solved = upper.T @ (upper @ reduced.columns.astype(upper.dtype))
    explained = reduced.columns.T @ solved
    lower = inverse_root(reduced.corner - (explained + explained.T) / 2)
    coupling, others = np.split(reduced.coupling, [len(teams)], axis=1)
    factor = np.empty((base, len(matrix.precision)))
    factor[:, :base], factor[:, teams] = lower, -lower @ solved.T
    factor[:, eliminated] = -factor[:, teams] @ coupling.T - lower @ others.T
    below = upper @ coupling.T
    variances = np.empty(len(matrix.precision))
    variances[teams] = np.einsum("ij,ij->j", upper, upper)
    variances[eliminated] = (below**2).sum(axis=0) + 1 / reduced.diagonal
    return factor, variances[base:]


def inverse_root(matrix: Matrix) -> Matrix:
    """A lower triangle R, where RᵀR is the inverse of a positive definite matrix.

    `matrix` is overwritten by R, recursively by halves (a blocked Cholesky factor and its inverse),
    mostly by products.
    """
    half = len(matrix) // 2
    if half < _LEAF:
        matrix[:] = np.linalg.inv(np.linalg.cholesky(matrix))
        return matrix
    upper, right = matrix[:half, :half], matrix[:half, half:]
    below, lower = matrix[half:, :half], matrix[half:, half:]
    _multiply_lower(inverse_root(upper), right)
    lower -= right.T @ right
    np.matmul(right.T, -upper, out=below)
    _multiply_lower(inverse_root(lower), below)
    right[:] = 0
    return matrix


def _multiply_lower(lower: Matrix, right: Matrix) -> None:
    """Replace `right` by the product of a lower triangle and it, skipping zeros."""
    half = len(lower) // 2
    if half < _LEAF:
        right[:] = lower @ right
        return
    _multiply_lower(lower[half:, half:], right[half:])
    right[half:] += lower[half:, :half] @ right[:half]
    _multiply_lower(lower[:half, :half], right[:half])
