"""Learners: what an online learner is, and those of the library by their parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.online import _checks, _core
from surefoot.online import _domains as domains
from surefoot.online._domains import L1Ball, Simplex, WholeSpace
from surefoot.online._spec import Spec
from surefoot.online._vectors import Row, parse

#: Learners with sparse steps, which fit every conversion.
SPARSE = (
    "AdaGrad, CoinBetting, DiagonalFreeGrad, DiagonalProximal, DualAdaGrad, DualAveraging, FreeGrad, "
    "OgdNorm, Ridge, and Magnitude over one of them"
)
#: Learners that take hints.
HINTED = (
    "AdaHedge, DiagonalProximal, DualAveraging, Hedge, PNorm, Proximal, SignedHedge, and your own with hint()"
)
#: Learners for losses with curvature.
QUADRATIC = "Leader, OnlineNewton"


@runtime_checkable
class OwnLearner(Protocol):
    """What a learner written in Python must have.

    It may also have: `dim`, the number of coordinates (default: that of its iterate); `hint(gradient,
    weight)`, told a prediction of the round's gradient before the iterate is asked for; `open(weight)`, told
    the weight of each round beforehand; `regret_bound()`; and `domain`, over which certificates are given.
    An exception in any of them is raised by the method that the learner is a part of, which is then as it
    was before the call; what the learner itself has changed by then is its own affair.
    """

    def iterate(self) -> ArrayLike:
        """Return the current point, which depends on past gradients only."""

    def learn(self, gradient: NDArray[np.float64], weight: float) -> object:
        """Learn from a round whose loss has the gradient `weight * gradient`."""


class Running:
    """A learner at work on its own, without a conversion: `learner.start()` returns one.

    Examples
    --------
    >>> from surefoot.online import Ball, OgdNorm
    >>> learner = OgdNorm(2, Ball(1.0)).start()
    >>> learner.learn([0.0, 3.0])
    >>> learner.iterate()
    array([ 0., -1.])

    """

    def __init__(self, core: _core.Learner, domain: Any) -> None:
        self._core = core
        self.domain = domain

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self._core.dim()

    @property
    def steps(self) -> int:
        """Number of gradients learnt from."""
        return self._core.steps()

    def iterate(self) -> NDArray[np.float64]:
        """Return the current point."""
        return self._core.iterate()

    def open(self, weight: float) -> None:
        """Announce the weight of the round; only learners with a penalty in every round need it."""
        self._core.open(_checks.not_negative(weight, "weight"))

    def learn(self, gradient: Row, weight: float = 1.0) -> None:
        """Learn from a gradient, dense or sparse, times `weight`.

        Raises
        ------
        ValueError
            If a coordinate is not finite, outside of the dimension, given twice or too large; nothing has
            changed.

        """
        self._core.learn(*parse(gradient, self.dim), 1.0, _checks.not_negative(weight, "weight"))

    def hint(self, gradient: Row, weight: float = 1.0) -> bool:
        """Announce a prediction of the round's gradient; return False if the round had one already."""
        return self._core.hint(*parse(gradient, self.dim), 1.0, _checks.not_negative(weight, "weight"))

    def regret_bound(self, distance: float | None = None) -> float | None:
        """Return a bound on the regret so far, or None if no theorem gives one.

        It is one against all points of the domain, or those within `distance` of the first iterate.
        """
        return self._core.regret_bound(
            None if distance is None else _checks.not_negative(distance, "distance")
        )

    def __copy__(self) -> Running:
        """Return a learner that goes its own way from here."""
        return Running(self._core.copy(), self.domain)

    def __deepcopy__(self, memo: dict[int, Any]) -> Running:
        """Return a learner that goes its own way from here."""
        return self.__copy__()


class Learner(Spec):
    """A learner by its parameters; each method made of it has a learner of its own."""

    if TYPE_CHECKING:

        @property
        def dim(self) -> int:
            """Number of coordinates."""

        @property
        def domain(self) -> Any:
            """Where iterates lie."""

    def start(self) -> Running:
        """Return the learner at work on its own, at its first point."""
        return Running(self._build(), self.domain)

    def _build(self) -> _core.Learner:
        raise NotImplementedError

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _positive(self, *names: str) -> None:
        self._set(**{name: _checks.positive(getattr(self, name), name) for name in names})

    def _not_negative(self, *names: str) -> None:
        self._set(**{name: _checks.not_negative(getattr(self, name), name) for name in names})


class _OnDomain(Learner):
    """A learner on a domain."""

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim))
        self._check_domain(domains.build(self.domain, self.dim))

    def _check_domain(self, core: _core.Domain) -> None:
        """Raise TypeError if the learner cannot project onto the domain."""

    def _place(self) -> tuple[int, _core.Domain]:
        return self.dim, domains.build(self.domain, self.dim)


class _WithReach(_OnDomain):
    """A learner on any domain whose step sizes are set by the reach of the domain."""

    def _check_domain(self, core: _core.Domain) -> None:
        if not math.isfinite(core.reach()):
            raise ValueError(
                f"{type(self).__name__} needs a domain with a finite reach, "
                "an upper bound on the distance from its centre to any of its points"
            )


class _OnBall(_OnDomain):
    """A learner on a ball or the whole space."""

    def _check_domain(self, core: _core.Domain) -> None:
        if not core.radial():
            raise TypeError(
                f"{type(self).__name__} needs a Ball or WholeSpace; "
                "in a BoxDomain AdaGrad and DiagonalProximal run, "
                f"on any domain Descent and Proximal, and any learner in Constrained; not {self.domain!r}"
            )


class _OnBox(_OnDomain):
    """A learner in a box or the whole space."""

    def _check_domain(self, core: _core.Domain) -> None:
        if not core.separable():
            raise TypeError(
                f"{type(self).__name__} needs a BoxDomain or WholeSpace; "
                "on a Ball OgdNorm and DualAveraging run, "
                f"on any domain Descent and Proximal, and any learner in Constrained; not {self.domain!r}"
            )


@dataclass(frozen=True, eq=False)
class OgdNorm(_OnBall):
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
class Descent(_WithReach):
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
class AdaGrad(_OnBox):
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
class DualAveraging(_OnBall):
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
class Proximal(_WithReach):
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
class DiagonalProximal(_OnBox):
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


@dataclass(frozen=True, eq=False)
class FreeGrad(_OnBall):
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
class DiagonalFreeGrad(_OnBox):
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
class CoinBetting(_OnBox):
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


@dataclass(frozen=True, eq=False)
class Leader(_OnDomain):
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
class OnlineNewton(_OnBall):
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
class Ridge(_OnBall):
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
            raise ValueError(
                f"a magnitude is one number; this learner has {dim_of(self.magnitude)} coordinates"
            )
        dim_of(self.direction)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return dim_of(self.direction)

    @property
    def domain(self) -> Any:
        """The whole space."""
        return WholeSpace(1.0)

    def _build(self) -> _core.Learner:
        return _core.Learner.magnitude(build(self.magnitude), build(self.direction))


def dim_of(learner: Any) -> int:
    """Return the number of coordinates of a learner, which may be written in Python."""
    if isinstance(learner, Learner):
        return learner.dim
    if not isinstance(learner, OwnLearner) or isinstance(learner, type):
        raise TypeError(
            f"a learner is one of surefoot.online, or an object with iterate() and learn(), not {learner!r}"
        )
    dim = getattr(learner, "dim", None)
    return _checks.dimension(len(np.atleast_1d(np.asarray(learner.iterate()))) if dim is None else dim)


def build(learner: Any) -> _core.Learner:
    """Return a learner as the library takes it, at its first point."""
    dim = dim_of(learner)
    return learner._build() if isinstance(learner, Learner) else _core.Learner.own(learner, dim)


def is_own(learner: Any) -> bool:
    """Return whether a learner, or one that it is made of, is written in Python."""
    if isinstance(learner, Constrained):
        return is_own(learner.base)
    if isinstance(learner, Magnitude):
        return is_own(learner.magnitude) or is_own(learner.direction)
    return not isinstance(learner, Learner)


def domain_of(learner: Any) -> Any:
    """Return the domain of a learner; the whole space if it has none."""
    domain = getattr(learner, "domain", None)
    return WholeSpace(1.0) if domain is None else domain
