"""Learners on the simplex and on the ball of the 1-norm."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.online import _checks, _core
from surefoot.online._domains import L1Ball, Simplex
from surefoot.online._learner import Learner


class _OnSimplex(Learner):
    @property
    def domain(self) -> Simplex:
        """The simplex."""
        return Simplex(self.dim)


@dataclass(frozen=True, eq=False)
class Hedge(_OnSimplex):
    """Exponential weights on the simplex, with hints.

    Parameters
    ----------
    dim : int
        Number of experts.
    range : float, default 0.0
        A bound on the range of weighted hint errors, if one is known.

    Examples
    --------
    >>> from surefoot.online import Hedge
    >>> Hedge(4).start().iterate()
    array([0.25, 0.25, 0.25, 0.25])

    """

    dim: int
    range: float = 0.0

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim))
        self._not_negative("range")

    def _build(self) -> _core.Learner:
        return _core.Learner.hedge(self.dim, self.range)


@dataclass(frozen=True, eq=False)
class AdaHedge(_OnSimplex):
    """Exponential weights on the simplex with a rate that adapts to the losses; no range is needed.

    Parameters
    ----------
    dim : int
        Number of experts.

    Examples
    --------
    >>> from surefoot.online import AdaHedge
    >>> learner = AdaHedge(2).start()
    >>> for _ in range(50):
    ...     learner.learn([1.0, 0.0])
    >>> bool(learner.iterate()[1] > 0.99)
    True

    """

    dim: int

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim))

    def _build(self) -> _core.Learner:
        return _core.Learner.ada_hedge(self.dim)


class _OnL1Ball(Learner):
    radius: float

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim), radius=_checks.length(self.radius, "radius"))

    @property
    def domain(self) -> L1Ball:
        """The ball of the 1-norm."""
        return L1Ball(self.radius)


@dataclass(frozen=True, eq=False)
class SignedHedge(_OnL1Ball):
    """Exponential weights for both signs of each coordinate, on the ball of the 1-norm (EG±).

    Parameters
    ----------
    dim : int
        Number of coordinates.
    radius : float
        Radius of the ball.

    Examples
    --------
    >>> from surefoot.online import SignedHedge
    >>> SignedHedge(2, 3.0).start().iterate()
    array([0., 0.])

    """

    dim: int
    radius: float

    def _build(self) -> _core.Learner:
        return _core.Learner.signed_hedge(self.dim, self.radius)


@dataclass(frozen=True, eq=False)
class PNorm(_OnL1Ball):
    """Dual averaging with a p-norm, on the ball of the 1-norm.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    radius : float
        Radius of the ball.

    Examples
    --------
    >>> from surefoot.online import PNorm
    >>> learner = PNorm(3, 2.0).start()
    >>> for _ in range(100):
    ...     learner.learn([0.0, 0.0, 1.0])
    >>> bool(learner.iterate()[2] < -1.9)
    True

    """

    dim: int
    radius: float

    def _build(self) -> _core.Learner:
        return _core.Learner.p_norm(self.dim, self.radius)
