"""What a learner is: written in Python, at work on its own, or by its parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.online import _checks, _core
from surefoot.online import _domains as domains
from surefoot.online._domains import WholeSpace
from surefoot.online._spec import Spec
from surefoot.online._vectors import Row, parse

#: Learners with sparse steps, which fit every conversion.
SPARSE = (
    "AdaGrad, CoinBetting, DiagonalFreeGrad, DiagonalProximal, DualAdaGrad, DualAveraging, FreeGrad, "
    "OgdNorm, Ridge, and Magnitude over one of them"
)
#: Learners that take hints.
HINTED = "AdaHedge, DiagonalProximal, DualAveraging, Hedge, PNorm, Proximal, SignedHedge, and your own with hint()"
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
        return self._core.regret_bound(None if distance is None else _checks.not_negative(distance, "distance"))

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

    def _learners(self) -> tuple[Any, ...]:
        """Return the learners that this one is made of."""
        return ()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _positive(self, *names: str) -> None:
        self._set(**{name: _checks.positive(getattr(self, name), name) for name in names})

    def _not_negative(self, *names: str) -> None:
        self._set(**{name: _checks.not_negative(getattr(self, name), name) for name in names})


class OnDomain(Learner):
    """A learner on a domain."""

    def __post_init__(self) -> None:
        self._set(dim=_checks.dimension(self.dim))
        self._check_domain(domains.build(self.domain, self.dim))

    def _check_domain(self, core: _core.Domain) -> None:
        """Raise TypeError if the learner cannot project onto the domain."""

    def _place(self) -> tuple[int, _core.Domain]:
        return self.dim, domains.build(self.domain, self.dim)


class WithReach(OnDomain):
    """A learner on any domain whose step sizes are set by the reach of the domain."""

    def _check_domain(self, core: _core.Domain) -> None:
        if not math.isfinite(core.reach()):
            raise ValueError(
                f"{type(self).__name__} needs a domain with a finite reach, "
                "an upper bound on the distance from its centre to any of its points"
            )


class OnBall(OnDomain):
    """A learner on a ball or the whole space."""

    def _check_domain(self, core: _core.Domain) -> None:
        if not core.radial():
            raise TypeError(
                f"{type(self).__name__} needs a Ball or WholeSpace; "
                "in a BoxDomain AdaGrad and DiagonalProximal run, "
                f"on any domain Descent and Proximal, and any learner in Constrained; not {self.domain!r}"
            )


class OnBox(OnDomain):
    """A learner in a box or the whole space."""

    def _check_domain(self, core: _core.Domain) -> None:
        if not core.separable():
            raise TypeError(
                f"{type(self).__name__} needs a BoxDomain or WholeSpace; "
                "on a Ball OgdNorm and DualAveraging run, "
                f"on any domain Descent and Proximal, and any learner in Constrained; not {self.domain!r}"
            )


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
    return not isinstance(learner, Learner) or any(is_own(part) for part in learner._learners())


def domain_of(learner: Any) -> Any:
    """Return the domain of a learner; the whole space if it has none."""
    domain = getattr(learner, "domain", None)
    return WholeSpace(1.0) if domain is None else domain
