"""Domains: the sets over which a learner optimises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.online import _checks, _core
from surefoot.online._spec import Spec


@runtime_checkable
class OwnDomain(Protocol):
    """What a domain written in Python must have.

    Beside `project`, which returns the nearest point of the domain, it may have: `centre`, the coordinates
    of the point where learners start (default: zeros); `reach`, an upper bound on the distance from the
    centre to any point of the domain (default: infinity, for an unbounded domain); `support(z)`, the largest
    inner product of `z` with a point of the domain (default: that of the ball with this centre and reach,
    which makes certificates larger, not false); and `contains(x)`, whether a point lies in the domain up to
    rounding (default: whether `project` leaves it where it is).
    """

    def project(self, x: NDArray[np.float64]) -> ArrayLike:
        """Return the point of the domain nearest to `x`."""


class Domain(Spec):
    """A closed convex set with a centre."""

    @property
    def reach(self) -> float:
        """Upper bound on the distance from the centre to any point; in the whole space an estimate."""
        return self._any().reach()

    @property
    def bounded(self) -> bool:
        """Whether the set is bounded."""
        return self._any().bounded()

    def project(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return the point of the domain nearest to `x`."""
        x = _checks.point(x, "x", math.inf)
        return self._build(x.shape[0]).project(x)

    def support(self, z: ArrayLike) -> float:
        """Return the largest inner product of `z` with a point of the domain."""
        z = _checks.point(z, "z", math.inf)
        return self._build(z.shape[0]).support(z)

    def contains(self, x: ArrayLike) -> bool:
        """Return whether `x` lies in the domain, up to rounding."""
        x = _checks.point(x, "x", math.inf)
        return self._build(x.shape[0]).contains(x)

    def centre_in(self, dim: int) -> NDArray[np.float64]:
        """Return the centre in `dim` coordinates, the point where learners start."""
        dim = _checks.dimension(dim)
        return self._build(dim).centre(dim)

    def _any(self) -> _core.Domain:
        """Return the domain in the dimension that it has, or in any."""
        return self._build(1)

    def _build(self, dim: int) -> _core.Domain:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class WholeSpace(Domain):
    """The whole space, with centre 0.

    Parameters
    ----------
    reach : float
        Estimate of the distance of the solution from 0 (for learners with a rate per coordinate: of each of
        its coordinates). Iterates may go beyond it, and there is no certificate.

    Examples
    --------
    >>> from surefoot.online import WholeSpace
    >>> WholeSpace(2.0).bounded
    False

    """

    reach: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "reach", _checks.length(self.reach, "reach"))

    def _build(self, dim: int) -> _core.Domain:
        return _core.Domain.whole(self.reach)


@dataclass(frozen=True, eq=False)
class Ball(Domain):
    """A Euclidean ball.

    Parameters
    ----------
    radius : float
        Its radius.
    centre : array_like, optional
        Its centre; 0 by default.

    Examples
    --------
    >>> from surefoot.online import Ball
    >>> Ball(5.0).project([6.0, 8.0])
    array([3., 4.])

    """

    radius: float
    centre: ArrayLike | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _checks.length(self.radius, "radius"))
        if self.centre is not None:
            object.__setattr__(self, "centre", _checks.point(self.centre, "centre"))

    def _any(self) -> _core.Domain:
        return _core.Domain.ball(np.zeros(0), self.radius)

    def _build(self, dim: int) -> _core.Domain:
        if self.centre is None:
            return self._any()
        centre = np.asarray(self.centre, dtype=np.float64)
        if centre.shape[0] != dim:
            raise ValueError(f"a ball around {centre.shape[0]} coordinates for {dim} coordinates")
        return _core.Domain.ball(centre, self.radius)


@dataclass(frozen=True, eq=False)
class BoxDomain(Domain):
    """A box: an interval for each coordinate.

    Parameters
    ----------
    lower, upper : array_like
        The ends of the intervals. They must be finite, and none may be empty.

    See Also
    --------
    BoxDomain.cube : The same interval around 0 for each coordinate.

    Examples
    --------
    >>> from surefoot.online import BoxDomain
    >>> BoxDomain([0.0, -1.0], [1.0, 1.0]).project([3.0, 0.5])
    array([1. , 0.5])

    """

    lower: ArrayLike
    upper: ArrayLike

    def __post_init__(self) -> None:
        lower, upper = _checks.point(self.lower, "lower"), _checks.point(self.upper, "upper")
        if lower.shape != upper.shape:
            raise ValueError(f"{lower.shape[0]} lower ends and {upper.shape[0]} upper ends")
        with np.errstate(over="ignore"):
            bad = np.flatnonzero(~((lower <= upper) & np.isfinite(upper - lower)))
        if bad.size:
            i = bad[0]
            raise ValueError(f"the interval of coordinate {i}, from {lower[i]} to {upper[i]}, is empty or too long")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @classmethod
    def cube(cls, dim: int, half: float) -> BoxDomain:
        """Return the cube of all points with no coordinate above `half` in absolute value."""
        half = _checks.not_negative(half, "half")
        corner = np.full(_checks.dimension(dim), half)
        return cls(-corner, corner)

    def _any(self) -> _core.Domain:
        return _core.Domain.cuboid(np.asarray(self.lower), np.asarray(self.upper))

    def _build(self, dim: int) -> _core.Domain:
        lower = np.asarray(self.lower)
        if lower.shape[0] != dim:
            raise ValueError(f"a box of {lower.shape[0]} intervals for {dim} coordinates")
        return self._any()


@dataclass(frozen=True, eq=False)
class Simplex(Domain):
    """The probability simplex: no coordinate is negative, and all sum to 1.

    Parameters
    ----------
    dim : int
        The number of coordinates.

    Examples
    --------
    >>> from surefoot.online import Simplex
    >>> Simplex(3).project([0.5, 0.75, -3.0])
    array([0.375, 0.625, 0.   ])

    """

    dim: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "dim", _checks.dimension(self.dim))

    def _any(self) -> _core.Domain:
        return _core.Domain.simplex(self.dim)

    def _build(self, dim: int) -> _core.Domain:
        if self.dim != dim:
            raise ValueError(f"a simplex of {self.dim} coordinates for {dim} coordinates")
        return self._any()


@dataclass(frozen=True, eq=False)
class L1Ball(Domain):
    """The ball of the 1-norm around 0: absolute values sum to at most the radius.

    Parameters
    ----------
    radius : float
        Its radius.

    Examples
    --------
    >>> from surefoot.online import L1Ball
    >>> L1Ball(2.0).project([3.0, -1.5, 0.25])
    array([ 1.75, -0.25,  0.  ])

    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _checks.length(self.radius, "radius"))

    def _build(self, dim: int) -> _core.Domain:
        return _core.Domain.l1(self.radius)


def build(domain: Any, dim: int) -> _core.Domain:
    """Return a domain as the library takes it, in `dim` coordinates."""
    if isinstance(domain, Domain):
        return domain._build(dim)
    if isinstance(domain, OwnDomain) and not isinstance(domain, type):
        return _core.Domain.own(domain, dim)
    raise TypeError(
        f"a domain is WholeSpace, Ball, BoxDomain, Simplex, L1Ball, or an object with project(x), not {domain!r}"
    )


__all__ = ["Ball", "BoxDomain", "Domain", "L1Ball", "OwnDomain", "Simplex", "WholeSpace"]
