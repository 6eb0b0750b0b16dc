"""Learners for losses with curvature and for penalties that are minimised exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from surefoot.online import _checks, _core
from surefoot.online._domains import WholeSpace
from surefoot.online._learner import Learner, OnBall, OnDomain


@dataclass(frozen=True, eq=False)
class Leader(OnDomain):
    """Follow the leader on strongly convex losses, for Algorithm 2 of arXiv 1903.00974.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : domain
        Where its iterates lie; it may be written in Python.
    curvature : float
        The constant of strong convexity of the loss.

    Examples
    --------
    >>> from surefoot.online import Ball, General, Leader, Linear
    >>> method = General(Leader(1, Ball(5.0), 1.0), Linear())
    >>> for _ in range(100):
    ...     method.tell(method.query() - 1.0)
    >>> bool(abs(method.output()[0] - 1.0) < 0.01)
    True

    """

    dim: int
    domain: Any
    curvature: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("curvature")

    def _build(self) -> _core.Learner:
        return _core.Learner.leader(*self._place(), self.curvature)


@dataclass(frozen=True, eq=False)
class OnlineNewton(OnBall):
    """The online Newton step, for exp-concave losses, in O(d²) per step.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : Ball or WholeSpace
        Where its iterates lie.
    gamma : float
        Curvature of the loss along its gradients.
    epsilon : float
        Strength of the initial quadratic term.

    Examples
    --------
    >>> from surefoot.online import Ball, General, OnlineNewton
    >>> method = General(OnlineNewton(1, Ball(5.0), 0.5, 1.0))
    >>> for _ in range(1000):
    ...     method.tell(method.query() - 1.0)
    >>> bool(abs(method.output()[0] - 1.0) < 0.05)
    True

    """

    dim: int
    domain: Any
    gamma: float
    epsilon: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(dim=_checks.dimension(self.dim, squared=True))
        self._positive("gamma", "epsilon")

    def _build(self) -> _core.Learner:
        return _core.Learner.online_newton(*self._place(), self.gamma, self.epsilon)


@dataclass(frozen=True, eq=False)
class Ridge(OnBall):
    """Follow the leader with a squared penalty in every round, minimised exactly.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : Ball or WholeSpace
        Where its iterates lie.
    strength : float
        The factor s of the penalty (s/2)‖w − centre‖².

    Examples
    --------
    >>> from surefoot.online import Anytime, Linear, Ridge, WholeSpace
    >>> method = Anytime(Ridge(1, WholeSpace(1.0), 0.5), Linear())
    >>> for _ in range(200):  # the loss is 2(w - 1.5)**2, the penalty w**2 / 4
    ...     method.tell(4.0 * (method.query() - 1.5))
    >>> bool(abs(method.output()[0] - 6.0 / 4.5) < 1e-2)
    True

    """

    dim: int
    domain: Any
    strength: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("strength")

    def _build(self) -> _core.Learner:
        return _core.Learner.ridge(*self._place(), self.strength)


@dataclass(frozen=True, eq=False)
class CompositeAveraging(Learner):
    """Dual averaging with an elastic net minimised exactly: iterates have exact zeros.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    l1, l2 : float
        Factors of the penalty l1·‖w‖₁ + (l2/2)·‖w‖².
    reach : float, default inf
        Estimate of the distance of the solution from 0; may be infinite if `l2` is positive.
    bound : float, default 0.0
        A bound on the norm of weighted gradients, if one is known.

    Examples
    --------
    >>> from surefoot.online import CompositeAnytime, CompositeAveraging, Linear
    >>> method = CompositeAnytime(CompositeAveraging(2, l1=0.5, reach=1.0), Linear())
    >>> for _ in range(500):
    ...     method.tell(method.query() - [1.25, 0.25])
    >>> method.output().round(1)
    array([0.7, 0. ])

    """

    dim: int
    l1: float = 0.0
    l2: float = 0.0
    reach: float = float("inf")
    bound: float = 0.0

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim))
        self._not_negative("l1", "l2", "bound")
        endless = self.l2 > 0.0 and self.reach == math.inf
        self._set(reach=math.inf if endless else _checks.length(self.reach, "reach"))

    @property
    def domain(self) -> Any:
        """The whole space."""
        return WholeSpace(min(self.reach, _checks.FARTHEST))

    def _build(self) -> _core.Learner:
        return _core.Learner.composite_averaging(self.dim, self.l1, self.l2, self.reach, self.bound)
