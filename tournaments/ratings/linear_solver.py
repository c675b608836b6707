"""Linear systems with the posterior's Hessian, most of whose parameters may be interactions.

The matrix is bordered: a small dense block of entrants and effects (the *base*), a large block of
interactions, and the coupling of the two. An interaction's prior is narrow beside a rating's, and
two teams share few matches, so the large block has most of its weight on the diagonal. With a
diagonal in its place the system is solved by the Schur complement of the base; that is the
preconditioner of conjugate gradients (Hestenes & Stiefel 1952), which then need a few products with
the matrix. Without teams they end after one.

Where an inverse is asked for, teams that never met each other are eliminated first, without a loss
(`Reduced`): with thousands of teams who played little, what is left is a few hundred wide.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.blocks import Floats, Ints
from tournaments.ratings.coupling import Coupling
from tournaments.ratings.information import Information

_MAX_STEPS = 500
"""Steps at most; a dozen do."""

_TOLERANCE = 1e-5
"""The error at the end beside that at the start, in the preconditioner's norm."""

_EXACT = 1000
"""Parameters up to which a trace is always computed exactly."""

_PROBES = 16
"""Random vectors of a trace's estimate."""

_LEAF = 64
"""Triangles up to this size are inverted at once."""


@dataclass(frozen=True, slots=True)
class Hessian:
    """Minus that of a log posterior: weight × information + diag(precision)."""

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
    schur_inverse: Floats
    """[base, base]: the inverse of the Schur complement of the preconditioner's diagonal."""

    coupling: Coupling
    """[teams, base]: the interactions' rows of the base's columns, divided by `diagonal`."""

    diagonal: Floats
    """[teams]: what stands for the interactions' block."""

    @classmethod
    def factorize(cls, matrix: Hessian) -> "Solver":
        """With sums of absolute rows for the interactions' block.

        They are not less than the block, so the preconditioner is positive definite, too.
        """
        base = matrix.information.jacobian.base
        columns = matrix.weight * matrix.information.base_columns()
        row_sums = matrix.information.interaction_row_sums()
        diagonal = matrix.weight * row_sums + matrix.precision[base:]
        block, below = columns[:base], columns[base:]
        block.flat[:: base + 1] += matrix.precision[:base]
        schur, coupling = _eliminated(block, below, diagonal)
        root = inverse_root(schur)
        return cls(matrix, root.T @ root, coupling, diagonal)

    def solve(self, right: Floats) -> Floats:
        """The solution for one right-hand side, up to `_TOLERANCE`."""
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
            before, error = error, float(residual @ scaled)
            direction = scaled + error / before * direction
        return solution

    def trace(self, other: Information) -> float:
        """That of the inverse times another matrix, nearly.

        The preconditioner's own is known; the difference is estimated with a few vectors of random
        signs (Hutchinson 1989), whose noise is that of the small difference alone.
        """
        eye = np.eye(len(self.schur_inverse))
        rows = np.concatenate([eye, -self.coupling.dense.T], axis=1)
        known = other.weighted_trace(self.schur_inverse, rows)
        known += float((other.interaction_diagonal() / self.diagonal).sum())
        rng = np.random.default_rng(0)
        signs = rng.choice([-1.0, 1.0], (_PROBES, len(self.matrix.precision)))
        images = [other.matvec(sign) for sign in signs]
        off = [self.solve(image) - self._precondition(image) for image in images]
        return known + float((signs * off).sum()) / _PROBES

    def _precondition(self, right: Floats) -> Floats:
        """The solution with the diagonal for the interactions' block."""
        base = len(self.schur_inverse)
        upper, lower = right[:base], right[base:]
        solved = self.schur_inverse @ (upper - self.coupling.rmatvec(lower))
        return np.concatenate([solved, lower / self.diagonal - self.coupling.matvec(solved)])


@dataclass(frozen=True, slots=True)
class Reduced:
    """A matrix without interactions of teams none of which met another of them.

    Their block is diagonal, so Gauss's elimination of all of them is one product. Where thousands
    of teams played little these are nearly all, and what is left is a few hundred wide.
    """

    kept: Ints
    """Parameters that are left: interactions, ascending, then the base."""

    gone: Ints
    """The others."""

    schur: Floats
    """[kept, kept]: the Schur complement."""

    coupling: Coupling
    """[gone, kept]: the rows of those eliminated, divided by `diagonal`."""

    diagonal: Floats
    """[gone]"""

    @classmethod
    def eliminate(cls, matrix: Hessian, asked: Ints | None = None) -> "Reduced":
        """Eliminate as many as are easily found; `asked` are teams that are to stay."""
        information, base = matrix.information, matrix.information.jacobian.base
        diagonal = matrix.weight * information.interaction_diagonal() + matrix.precision[base:]
        alone = _unacquainted(len(diagonal), *information.acquaintances(), asked)
        teams, gone = np.flatnonzero(~alone), base + np.flatnonzero(alone)
        kept = np.concatenate([base + teams, np.arange(base)])
        columns = information.columns(teams)
        columns *= matrix.weight
        columns[kept, np.arange(len(kept))] += matrix.precision[kept]
        schur, coupling = _eliminated(columns[kept], columns[gone], diagonal[alone])
        return cls(kept, gone, schur, coupling, diagonal[alone])


def _eliminated(block: Floats, below: Floats, diagonal: Floats) -> tuple[Floats, Coupling]:
    """(the Schur complement of a diagonal in `block`, the rows `below` divided by it)."""
    half = Coupling.from_dense(below).divided(np.sqrt(diagonal))
    return block - half.gram(), half.divided(np.sqrt(diagonal))


def _unacquainted(teams: int, a: Ints, b: Ints, asked: Ints | None) -> NDArray[np.bool_]:
    """[teams]: a set of which no two met, without those asked for; a[i] and b[i] met.

    In it is whoever met fewer than each of those that it met (as in Luby 1986).
    """
    degree = np.bincount(a, minlength=teams)
    left = np.zeros(teams, dtype=bool)
    if asked is not None:
        degree[asked], left[asked] = len(a) + 1, True
    rank = np.empty(teams, dtype=np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(teams)
    left[a[rank[a] > rank[b]]] = True
    return ~left


def trace(matrix: Hessian, other: Information) -> float:
    """That of the inverse times another matrix.

    Exact but where there are thousands of teams who played little: the estimate is close there, and
    half of a fit would be spent for the inverse.
    """
    sparse = matrix.information.sparse is not None and other.sparse is not None
    if sparse and len(matrix.precision) > _EXACT:
        return Solver.factorize(matrix).trace(other)
    return other.trace(inverse_root(matrix.to_dense()))


def covariance_factors(matrix: Hessian) -> tuple[Floats, Floats]:
    """(F [base, parameters], v [teams]): the inverse is FᵀF, but for its interactions' block.

    To the diagonal of FᵀF in that block v is to be added; the rest of the block is not computed.
    """
    reduced, base = Reduced.eliminate(matrix), matrix.information.jacobian.base
    root = inverse_root(reduced.schur)
    factor = np.empty((len(root), len(matrix.precision)))
    factor[:, reduced.kept] = root
    factor[:, reduced.gone] = -root @ reduced.coupling.dense.T
    # The interactions kept come first: the last rows of the triangle are all that others need.
    teams = len(root) - base
    variances = (factor[:teams, base:] ** 2).sum(axis=0)
    variances[reduced.gone - base] += 1 / reduced.diagonal
    return factor[teams:], variances


def inverse_root(matrix: Floats) -> Floats:
    """A lower triangle R with RᵀR the inverse of a positive definite matrix (by Cholesky)."""
    return _inverse(np.linalg.cholesky(matrix).astype(np.float64, copy=False))


def _inverse(lower: Floats) -> Floats:
    """The inverse of a lower triangle: halves of it, so that most of the work is products."""
    size = len(lower)
    if size <= _LEAF:
        return np.asarray(np.linalg.inv(lower), dtype=np.float64)
    half = size // 2
    result = np.zeros_like(lower)
    result[:half, :half] = _inverse(lower[:half, :half])
    result[half:, half:] = _inverse(lower[half:, half:])
    result[half:, :half] = -result[half:, half:] @ (lower[half:, :half] @ result[:half, :half])
    return result
