"""Learners that follow gradients, on a ball, in a box or on any domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surefoot.online import _checks, _core
from surefoot.online._domains import WholeSpace
from surefoot.online._learner import Learner, OnBall, OnBox, WithReach


@dataclass(frozen=True, eq=False)
class OgdNorm(OnBall):
    """Projected gradient descent with one step size, set by the gradients so far.

    Its regret on a ball of radius r is at most 2r·sqrt(2 Σ‖g_t‖²), for weighted gradients g_t.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : Ball or WholeSpace
        Where its iterates lie.

    Examples
    --------
    >>> from surefoot.online import Ball, OgdNorm
    >>> learner = OgdNorm(2, Ball(1.0)).start()
    >>> learner.learn([0.0, 3.0])
    >>> learner.regret_bound() == 2 * 18**0.5
    True

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.ogd_norm(*self._place())


@dataclass(frozen=True, eq=False)
class Descent(WithReach):
    """`OgdNorm` on any domain with a projection, in O(d) per step.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : domain
        Where its iterates lie; it may be written in Python (see `OwnDomain`).

    Examples
    --------
    >>> from surefoot.online import DenseAnytime, Descent, Simplex
    >>> method = DenseAnytime(Descent(2, Simplex(2)))
    >>> method.tell([1.0, 0.0])
    >>> method.iterate()
    array([0., 1.])

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.descent(*self._place())


@dataclass(frozen=True, eq=False)
class AdaGrad(OnBox):
    """Projected gradient descent with a step size for each coordinate.

    Its regret in a box is at most Σ_j B_j·sqrt(2 Σ g_tj²), with B_j the width of coordinate j.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : BoxDomain or WholeSpace
        Where its iterates lie.

    Examples
    --------
    >>> from surefoot.online import AdaGrad, BoxDomain
    >>> learner = AdaGrad(2, BoxDomain.cube(2, 1.0)).start()
    >>> learner.learn([2.0, 0.0])
    >>> learner.iterate()
    array([-1.,  0.])

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.ada_grad(*self._place())


@dataclass(frozen=True, eq=False)
class DualAdaGrad(Learner):
    """Dual averaging with a scale for each coordinate, without a domain.

    The iterate is -scale·Z_j/sqrt(damping + Σ g_tj²), with Z_j the sum of gradients of coordinate j.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    scale : float, default 1.0
        The size of the first step.
    damping : float, default 0.0
        Makes first steps smaller, in units of squared gradients.

    Examples
    --------
    >>> from surefoot.online import DualAdaGrad
    >>> learner = DualAdaGrad(1, 0.5).start()
    >>> learner.learn([3.0])
    >>> learner.iterate()
    array([-0.5])

    """

    dim: int
    scale: float = 1.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim))
        self._set(scale=_checks.length(self.scale, "scale"))
        self._not_negative("damping")

    @property
    def domain(self) -> Any:
        """The whole space."""
        return WholeSpace(self.scale)

    def _build(self) -> _core.Learner:
        return _core.Learner.dual_ada_grad(self.dim, self.scale, self.damping)


@dataclass(frozen=True, eq=False)
class DualAveraging(OnBall):
    """Dual averaging with hints: the learner for Algorithm 3 of arXiv 1903.00974 with sparse rows.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : Ball or WholeSpace
        Where its iterates lie.
    bound : float, default 0.0
        A bound on the norm of weighted hint errors, if one is known; it makes first steps smaller.

    Examples
    --------
    >>> from surefoot.online import Ball, DualAveraging, Linear, Optimistic
    >>> method = Optimistic(DualAveraging(1, Ball(2.0)), Linear())
    >>> for _ in range(100):
    ...     method.tell(method.query() - 1.0)
    >>> bool(abs(method.output()[0] - 1.0) < 1e-3)
    True

    """

    dim: int
    domain: Any
    bound: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_negative("bound")

    def _build(self) -> _core.Learner:
        return _core.Learner.dual_averaging(*self._place(), self.bound)


@dataclass(frozen=True, eq=False)
class Proximal(WithReach):
    """Proximal follow-the-leader with hints, on any domain, in O(d) per step.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : domain
        Where its iterates lie; it may be written in Python.

    Examples
    --------
    >>> from surefoot.online import Ball, Proximal
    >>> learner = Proximal(2, Ball(1.0)).start()
    >>> learner.hint([0.0, 5.0])
    True
    >>> learner.iterate()
    array([ 0., -1.])

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.proximal(*self._place())


@dataclass(frozen=True, eq=False)
class DiagonalProximal(OnBox):
    """Proximal follow-the-leader with hints and a step size for each coordinate.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : BoxDomain or WholeSpace
        Where its iterates lie.

    Examples
    --------
    >>> from surefoot.online import BoxDomain, DiagonalProximal
    >>> learner = DiagonalProximal(2, BoxDomain.cube(2, 1.0)).start()
    >>> learner.learn([4.0, 0.0])
    >>> learner.iterate()
    array([-1.,  0.])

    """

    dim: int
    domain: Any

    def _build(self) -> _core.Learner:
        return _core.Learner.diagonal_proximal(*self._place())
