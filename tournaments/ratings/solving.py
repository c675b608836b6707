"""Equations with the posterior's Hessian, when most of its parameters are bonds of teams.

A bond has a prior that is narrow beside that of a rating, and two teams share few matches: the part
of the matrix that is for bonds is large, with most of its weight on the diagonal. Conjugate
gradients (Hestenes & Stiefel 1952) then need a few products with the matrix in place of its
inverse; where there are no teams they are over after one.
"""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import Floats
from tournaments.ratings.curvature import Curvature

_MOST = 500
"""Steps at most; a dozen do."""

_NEAR = 1e-5
"""What is left of the error at the end, as the matrix measures it."""

_EXACT = 1000
"""Parameters up to which the inverse is always made."""

_PROBES = 16
"""Vectors on which an estimate is measured."""

_LEAF = 64
"""Triangles up to this size are inverted at once."""


@dataclass(frozen=True, slots=True)
class Hessian:
    """Minus that of a log posterior: the likelihood's, so many times, and the prior's."""

    curvature: Curvature
    weight: float
    precision: Floats
    """[parameters]: the prior's diagonal."""

    def times(self, theta: Floats) -> Floats:
        """The product with a vector."""
        return self.weight * self.curvature.times(theta) + self.precision * theta

    def full(self) -> Floats:
        """[parameters, parameters]"""
        result = self.curvature.full()
        result *= self.weight
        result.flat[:: len(result) + 1] += self.precision
        return result


@dataclass(frozen=True, slots=True)
class Solver:
    """Of equations with one such matrix."""

    matrix: Hessian
    corner: Floats
    """The inverse of what the other parameters' part is with the bonds out of the way."""

    border: Floats
    """[bonds, others]: the bonds' part of the matrix beside the others', by `diagonal`."""

    diagonal: Floats
    """[bonds]: not less than the bonds' part of the matrix."""

    @classmethod
    def of(cls, matrix: Hessian) -> "Solver":
        """Where there are bonds an estimate is solved exactly: the rows' sums on the diagonal.

        These are never too small, so what is estimated is positive definite, too.
        """
        first = matrix.curvature.units.first
        beside = matrix.weight * matrix.curvature.border()
        diagonal = matrix.weight * matrix.curvature.bonds() + matrix.precision[first:]
        corner, beside = beside[:first], beside[first:]
        corner.flat[:: first + 1] += matrix.precision[:first]
        border = beside / diagonal[:, None]
        inverse = np.linalg.inv(corner - border.T @ beside).astype(np.float64, copy=False)
        return cls(matrix, inverse, border, diagonal)

    def solve(self, right: Floats) -> Floats:
        """The solution for one right side, nearly."""
        found = np.zeros_like(right)
        left = right.copy()
        way = step = self._estimated(left)
        size = start = float(left @ step)
        for _ in range(_MOST):
            if size <= _NEAR**2 * start:
                break
            shadow = self.matrix.times(way)
            length = size / float(way @ shadow)
            found += length * way
            left -= length * shadow
            step = self._estimated(left)
            before, size = size, float(left @ step)
            way = step + size / before * way
        return found

    def trace(self, other: Curvature) -> float:
        """That of the inverse times another matrix, nearly.

        The estimate's own is known; how far it is off is measured on a few vectors of signs
        (Hutchinson 1989), whose noise is that of the small difference alone.
        """
        lengths, axes = np.linalg.eigh(self.corner)
        roots = (axes * np.sqrt(np.maximum(lengths, 0.0))).T
        ways = np.concatenate([roots, -roots @ self.border.T], axis=1)
        known = sum(float(way @ other.times(way)) for way in ways)
        known += float((other.diagonal() / self.diagonal).sum())
        chance = np.random.default_rng(0)
        signs = chance.choice([-1.0, 1.0], (_PROBES, len(self.matrix.precision)))
        seen = [other.times(each) for each in signs]
        off = [self.solve(each) - self._estimated(each) for each in seen]
        return known + float((signs * off).sum()) / _PROBES

    def _estimated(self, right: Floats) -> Floats:
        first = len(self.corner)
        few, many = right[:first], right[first:]
        others = self.corner @ (few - many @ self.border)
        return np.concatenate([others, many / self.diagonal - self.border @ others])


def trace(matrix: Hessian, other: Curvature) -> float:
    """That of the inverse times another matrix.

    Exact but where there are thousands of teams who played little: the estimate is near there, and
    half of a fit would be spent for the inverse.
    """
    few = matrix.curvature.cells is not None and other.cells is not None
    if few and len(matrix.precision) > _EXACT:
        return Solver.of(matrix).trace(other)
    triangle = root(matrix.full())
    return float(((triangle.T @ triangle) * other.full()).sum())


def root(matrix: Floats) -> Floats:
    """A lower triangle R with RᵀR the inverse of a positive definite matrix."""
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
