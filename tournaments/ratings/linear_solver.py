"""Solve linear systems with the posterior's Hessian, whose parameters may be mostly interactions.

The matrix is bordered: a small dense block of entrants and effects (the *base*), a large block of
interactions, and their coupling. An interaction's prior is narrower than a rating's, and two teams
share few matches, so the large block is nearly diagonal. With a diagonal in its place the system is
solved by the Schur complement of the base. That is the preconditioner of conjugate gradients
(Hestenes & Stiefel 1952), which then need a few products with the matrix; without teams, one.

For an inverse, teams that never met each other are first eliminated exactly (`Reduced`): with
thousands of teams of few matches, a few hundred parameters remain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.coupling import Coupling
from tournaments.ratings.information import Information, WeightedProduct

_MAX_STEPS = 500
"""Maximum number of steps; usually a dozen suffice."""

_TOLERANCE = 1e-5
"""Final error relative to the initial one, in the preconditioner's norm."""

_EXACT = 1000
"""Up to this many parameters a trace is always computed exactly."""

_PROBES = 8
"""Random vectors for the estimate of a trace."""

_LEAF = 128
"""Triangles up to this size are inverted directly."""


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
        information, base = matrix.information, matrix.information.jacobian.base
        block, below = information.eliminate_teams(np.zeros(0, dtype=np.int64))
        diagonal = matrix.weight * information.interaction_row_sums() + matrix.precision[base:]
        schur, coupling = _schur_complement(matrix, block, below, diagonal, matrix.precision[:base])
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

        The trace with the preconditioner is exact; the small difference is estimated with a few
        vectors of random signs (Hutchinson 1989).
        """
        information, base = self.matrix.information, len(self.root)
        # J Rᵀ, where Rᵀ(rootᵀ root)R is the inverse but for the interactions' diagonal
        reach = np.concatenate([np.eye(base), -self.coupling.to_dense()])
        for members, shares in information.jacobian.seats():
            reach[np.arange(base, len(reach)), members] += shares
        product = WeightedProduct.from_terms(reach, self.root.T @ self.root, information)
        rng = np.random.default_rng(0)
        signs = rng.choice([-1.0, 1.0], (_PROBES, len(self.matrix.precision)))
        off = [self.solve(sign) - self._precondition(sign) for sign in signs]
        for other in others:
            exact = product.trace(other)
            exact += float((other.interaction_diagonal() / self.diagonal).sum())
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

    kept: Ints
    """Remaining parameters: interactions, the protected ones last, then the base."""

    eliminated: Ints
    """Eliminated parameters."""

    schur: Floats
    """[kept, kept]: the Schur complement."""

    coupling: Coupling
    """[eliminated, kept]: the rows of the eliminated parameters, divided by `diagonal`."""

    diagonal: Floats
    """[eliminated]"""

    @classmethod
    def eliminate(cls, matrix: Hessian, protected: Ints | None = None) -> "Reduced":
        """Eliminate a large set of teams; `protected` teams stay."""
        information, base = matrix.information, matrix.information.jacobian.base
        diagonal = matrix.weight * information.interaction_diagonal() + matrix.precision[base:]
        is_eliminated = _unacquainted(len(diagonal), *information.met_pairs(), protected)
        teams, eliminated = np.flatnonzero(~is_eliminated), base + np.flatnonzero(is_eliminated)
        if protected is not None:
            teams = np.concatenate([np.setdiff1d(teams, protected), protected])
        kept = np.concatenate([base + teams, np.arange(base)])
        block, below = information.eliminate_teams(teams)
        parts = _schur_complement(
            matrix, block, below, diagonal[is_eliminated], matrix.precision[kept]
        )
        return cls(kept, eliminated, *parts, diagonal[is_eliminated])


def _schur_complement(
    matrix: Hessian, block: Floats, below: Coupling, diagonal: Floats, precision: Floats
) -> tuple[Floats, Coupling]:
    """(the Schur complement of `diagonal`, the rows below `block` divided by it).

    `block`, which is overwritten, and `below`: of the information. `precision`: the prior's of the
    block.
    """
    half = below.scaled(matrix.weight / np.sqrt(diagonal))
    block *= matrix.weight
    block -= half.gram()
    block.flat[:: len(block) + 1] += precision
    return block, half.scaled(1 / np.sqrt(diagonal))


def _unacquainted(teams: int, a: Ints, b: Ints, protected: Ints | None) -> NDArray[np.bool_]:
    """[teams]: a set of teams that never met each other, without `protected`; a[i] and b[i] met.

    It holds each team that met fewer teams than each team it met (as in Luby 1986).
    """
    degree = np.bincount(a, minlength=teams)
    excluded = np.zeros(teams, dtype=bool)
    if protected is not None:
        degree[protected], excluded[protected] = len(a) + 1, True
    rank = np.empty(teams, dtype=np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(teams)
    excluded[a[rank[a] > rank[b]]] = True
    return ~excluded


def traces(solver: Solver, others: Sequence[Information]) -> Floats:
    """[others]: the traces of the inverse of the solver's matrix times other matrices.

    They are exact unless there are thousands of teams of few matches. There the estimates are
    close, and the inverse would take half the time of a fit.
    """
    matrix = solver.matrix
    if len(matrix.precision) > _EXACT and all(
        information.sparse is not None for information in (matrix.information, *others)
    ):
        return np.fromiter(solver.traces(others), np.float64, len(others))
    root = inverse_root(matrix.to_dense())
    return np.array([_trace(root, other.to_dense()) for other in others])


def _trace(lower: Floats, matrix: Floats) -> float:
    """The trace of R M Rᵀ, with R a lower triangle and M symmetric."""
    half = len(lower) // 2
    if half < _LEAF:
        return float(((lower @ matrix) * lower).sum())
    below, last = lower[half:, :half], lower[half:, half:]
    result = _trace(lower[:half, :half], matrix[:half, :half]) + _trace(last, matrix[half:, half:])
    result += float(((below.T @ below) * matrix[:half, :half]).sum())
    return result + 2 * float(((last.T @ below) * matrix[half:, :half]).sum())


def covariance_factors(matrix: Hessian) -> tuple[Floats, Floats]:
    """(F [base, parameters], v [teams]): the inverse is FᵀF, except in the interactions' block.

    There the diagonal is that of FᵀF plus v; the rest of the block is not computed.
    """
    reduced, base = Reduced.eliminate(matrix), matrix.information.jacobian.base
    root, coupling = inverse_root(reduced.schur), reduced.coupling.to_dense()
    # The remaining interactions come first: their rows of the triangle end early.
    teams = len(root) - base
    factor = np.empty((base, len(matrix.precision)))
    factor[:, reduced.kept] = root[teams:]
    factor[:, reduced.eliminated] = -root[teams:] @ coupling.T
    upper = root[:teams, :teams]
    below = upper @ coupling[:, :teams].T
    variances = np.empty(len(matrix.precision) - base)
    variances[reduced.kept[:teams] - base] = np.einsum("ij,ij->j", upper, upper)
    variances[reduced.eliminated - base] = (below**2).sum(axis=0) + 1 / reduced.diagonal
    return factor, variances


def inverse_root(matrix: Floats) -> Floats:
    """A lower triangle R, where RᵀR is the inverse of a positive definite matrix.

    Recursively by halves (a blocked Cholesky factor and its inverse), mostly by products.
    """
    size = len(matrix)
    if size <= _LEAF:
        return np.asarray(np.linalg.inv(np.linalg.cholesky(matrix)), dtype=np.float64)
    half = size // 2
    upper = inverse_root(matrix[:half, :half])
    below = _times_lower(upper, matrix[:half, half:]).T
    lower = inverse_root(matrix[half:, half:] - below @ below.T)
    result = np.zeros((size, size))
    result[:half, :half], result[half:, half:] = upper, lower
    result[half:, :half] = _times_lower(lower, -below @ upper)
    return result


def _times_lower(lower: Floats, right: Floats) -> Floats:
    """The product of a lower triangle and a matrix, skipping zeros."""
    half = len(lower) // 2
    if half < _LEAF:
        return lower @ right
    result = np.empty((len(lower), right.shape[1]))
    result[:half] = _times_lower(lower[:half, :half], right[:half])
    result[half:] = _times_lower(lower[half:, half:], right[half:])
    result[half:] += lower[half:, :half] @ right[:half]
    return result
