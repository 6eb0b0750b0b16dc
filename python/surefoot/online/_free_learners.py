"""Learners that need no radius, and reductions from one learner to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surefoot.online import _core
from surefoot.online import _domains as domains
from surefoot.online._domains import WholeSpace
from surefoot.online._learner import Learner, OnBall, OnBox, build, dim_of


@dataclass(frozen=True, eq=False)
class FreeGrad(OnBall):
    """A learner that needs no radius: its regret grows with the distance of the comparator.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : Ball or WholeSpace
        In the whole space its reach is a first guess of the distance, on which the bound depends
        logarithmically.

    Examples
    --------
    >>> from surefoot.online import Anytime, FreeGrad, Uniform, WholeSpace
    >>> method = Anytime(FreeGrad(1, WholeSpace(1e-3)), Uniform())
    >>> for _ in range(2000):
    ...     method.tell([1.0 if method.query()[0] > 40.0 else -1.0])
    >>> bool(abs(method.output()[0] - 40.0) < 2.0)
    True

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.free_grad(*self._place())


@dataclass(frozen=True, eq=False)
class DiagonalFreeGrad(OnBox):
    """`FreeGrad` for each coordinate on its own.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : BoxDomain or WholeSpace
        In the whole space its reach is a first guess of the size of each coordinate.

    Examples
    --------
    >>> from surefoot.online import DiagonalFreeGrad, WholeSpace
    >>> learner = DiagonalFreeGrad(2, WholeSpace(1.0)).start()
    >>> for _ in range(60):
    ...     learner.learn([-1.0, 0.0])
    >>> bool(learner.iterate()[0] > 100.0), float(learner.iterate()[1])
    (True, 0.0)

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.diagonal_free_grad(*self._place())


@dataclass(frozen=True, eq=False)
class CoinBetting(OnBox):
    """Coin betting for each coordinate: no radius, but a bound on gradients.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : BoxDomain or WholeSpace
        In the whole space its reach is the wealth that each coordinate starts with.
    bound : float
        A bound on the absolute values of weighted gradients.

    Examples
    --------
    >>> from surefoot.online import CoinBetting, WholeSpace
    >>> learner = CoinBetting(1, WholeSpace(1.0), 1.0).start()
    >>> learner.learn([-1.0])
    >>> learner.iterate()
    array([0.5])

    """

    dim: int
    domain: Any
    bound: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("bound")

    def _build(self) -> _core.Learner:
        return _core.Learner.coin_betting(*self._place(), self.bound)


@dataclass(frozen=True, eq=False)
class Constrained(Learner):
    """A learner for the whole space, made into one for a domain, in O(d) per step.

    Parameters
    ----------
    base : learner
        The learner; it may be written in Python.
    domain : domain
        Where its iterates shall lie; it may be written in Python.

    Examples
    --------
    >>> from surefoot.online import Constrained, FreeGrad, Simplex, WholeSpace
    >>> learner = Constrained(FreeGrad(3, WholeSpace(1.0)), Simplex(3)).start()
    >>> for _ in range(20):
    ...     learner.learn([1.0, 0.0, 1.0])
    >>> learner.iterate().round(6) + 0.0
    array([0., 1., 0.])

    """

    base: Any
    domain: Any

    def __post_init__(self) -> None:
        domains.build(self.domain, self.dim)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return dim_of(self.base)

    def _learners(self) -> tuple[Any, ...]:
        return (self.base,)

    def _build(self) -> _core.Learner:
        return _core.Learner.constrained(build(self.base), domains.build(self.domain, self.dim))


@dataclass(frozen=True, eq=False)
class Magnitude(Learner):
    """A learner for the whole space: a learner of one number, times a learner in the unit ball.

    Parameters
    ----------
    magnitude : learner
        A learner of one coordinate.
    direction : learner
        A learner in a ball of radius 1 around 0.

    Examples
    --------
    >>> from surefoot.online import Ball, DualAveraging, FreeGrad, Magnitude, WholeSpace
    >>> size, direction = FreeGrad(1, WholeSpace(1.0)), DualAveraging(2, Ball(1.0))
    >>> learner = Magnitude(size, direction).start()
    >>> for _ in range(60):
    ...     learner.learn([0.0, 1.0])
    >>> bool(learner.iterate()[1] < -10.0)
    True

    """

    magnitude: Any
    direction: Any

    def __post_init__(self) -> None:
        if dim_of(self.magnitude) != 1:
            raise ValueError(f"a magnitude is one number; this learner has {dim_of(self.magnitude)} coordinates")
        dim_of(self.direction)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return dim_of(self.direction)

    @property
    def domain(self) -> Any:
        """The whole space."""
        return WholeSpace(1.0)

    def _learners(self) -> tuple[Any, ...]:
        return self.magnitude, self.direction

    def _build(self) -> _core.Learner:
        return _core.Learner.magnitude(build(self.magnitude), build(self.direction))
