"""Conversions: what makes an optimiser of an online learner."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from surefoot.online import _checks, _core, _weights
from surefoot.online import _domains as domains
from surefoot.online import _learner as learners
from surefoot.online._curved_learners import CompositeAveraging, Leader
from surefoot.online._method import HintTaking, Method
from surefoot.online._weights import AnyWeights, Linear, Uniform

#: More rounds than are summed one by one beforehand.
MOST_ROUNDS = 10**8
#: Weights unless others are given.
UNIFORM, LINEAR = Uniform(), Linear()


def _sparse(name: str, learner: Any) -> _core.Learner:
    """Return a learner with sparse steps."""
    core = learners.build(learner)
    if not core.traits()[0]:
        raise TypeError(
            f"{name} needs a learner with sparse steps: {learners.SPARSE}; "
            f"for {learner!r} take DenseAnytime, or dense=True where there is such a choice"
        )
    return core


def _linear(name: str, learner: Any) -> _core.Learner:
    """Return a learner that can do with linear losses."""
    if isinstance(learner, Leader):
        raise TypeError(f"{name} has no curvature to tell Leader, which would never move; General has")
    return learners.build(learner)


class _Averaging(HintTaking):
    """Anytime conversions, sparse and dense."""

    def __init__(
        self,
        learner: Any,
        weights: AnyWeights = UNIFORM,
        *,
        interpolation: float = 1.0,
        rise: int = 0,
        certified: bool = False,
        gradient_bound: SupportsFloat = math.inf,
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.interpolation = _checks.share(interpolation, "interpolation")
        self.rise = _checks.whole(rise, "rise")
        if not 0 <= self.rise <= MOST_ROUNDS:
            raise ValueError(f"rise is a number of rounds from 0 to {MOST_ROUNDS}, not {rise}")
        self.certified = bool(certified)
        self.gradient_bound = _checks.positive(gradient_bound, "gradient_bound", infinite=True)
        super().__init__()

    def _arguments(self) -> dict[str, Any]:
        names = ("learner", "weights", "interpolation", "rise", "certified", "gradient_bound")
        return {name: getattr(self, name) for name in names}

    def _options(self) -> tuple[_core.Weights, float, int, bool, float]:
        weights = _weights.build(self.weights)
        return weights, self.interpolation, self.rise, self.certified, self.gradient_bound


class Anytime(_Averaging):
    """Gradients are taken at the running average of the learner's iterates, in O(nnz) per step.

    With weights α_t and A_T = α_1 + … + α_T, the loss of the output after T rounds exceeds that of any point
    u by at most R_T(u)/A_T, with R_T(u) the regret of the learner, for every T at once: arXiv 1903.00974,
    Algorithm 1 and Theorem 1.

    Parameters
    ----------
    learner : learner
        A learner with sparse steps.
    weights : weights, default Uniform()
        Weights of rounds: `Uniform`, `Linear`, `Power` or a function of the number of the round.
    interpolation : float, default 1.0
        The share β of the average, against the iterate, in the query point; 0 is the classic conversion.
    rise : int, default 0
        If positive, β rises over so many rounds as A_t/A_T, and `interpolation` is not used.
    certified : bool, default False
        Whether to keep the sums for `certificate`.
    gradient_bound : float, default inf
        Gradients with a larger norm are refused like those that are not finite. One spoilt gradient of 1e200
        is finite, and would make all later steps tiny.

    Examples
    --------
    Least squares, one sparse row at a time: the label is 2·x_0 − x_5.

    >>> from surefoot.online import Anytime, DualAdaGrad
    >>> method = Anytime(DualAdaGrad(6, 1.0))
    >>> for t in range(2000):
    ...     values = [float(t % 3), t % 5 - 2.0]
    ...     row = ([0, 5], values)
    ...     slope = method.dot(row) - (2.0 * values[0] - values[1])  # ask
    ...     method.tell_scaled(row, slope)  # tell
    >>> method.output_at([0, 5]).round(1)
    array([ 2., -1.])

    A certificate, with exact gradients on a bounded domain:

    >>> from surefoot.online import Ball, Linear, OgdNorm
    >>> method = Anytime(OgdNorm(1, Ball(1.0)), Linear(), certified=True)
    >>> for _ in range(1000):
    ...     method.tell([1.0 if method.query()[0] > 0.3 else -1.0])
    >>> bool(method.certificate().value < 0.1)
    True

    """

    def _make(self) -> _core.Method:
        return _core.Method.anytime(_sparse("Anytime", self.learner), *self._options())

    def skip(self, steps: int, weight: float) -> None:
        """Complete `steps` rounds of total weight `weight` with gradients of 0, in O(1)."""
        steps = _checks.whole(steps, "steps")
        if not 0 <= steps < 2**63:
            raise ValueError(f"steps must not be negative or above 2**63, not {steps}")
        self._core.skip(steps, _checks.not_negative(weight, "weight"))


class DenseAnytime(_Averaging):
    """`Anytime` for any learner, also one written in Python, in O(d) per step.

    Parameters
    ----------
    learner : learner
        Any learner, or an object with `iterate()` and `learn(gradient, weight)`; see `OwnLearner`.
    weights, interpolation, rise, certified, gradient_bound
        As in `Anytime`.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.online import DenseAnytime
    >>> class Constant:
    ...     def __init__(self):
    ...         self.w = np.zeros(2)
    ...     def iterate(self):
    ...         return self.w
    ...     def learn(self, gradient, weight):
    ...         self.w = self.w - 0.5 * weight * gradient
    >>> method = DenseAnytime(Constant())
    >>> for _ in range(100):
    ...     method.tell(method.query() - 1.0)
    >>> method.output().round(1)
    array([1., 1.])

    """

    def _make(self) -> _core.Method:
        return _core.Method.dense_anytime(_linear("DenseAnytime", self.learner), *self._options())


def classic(learner: Any, weights: AnyWeights = UNIFORM, **options: Any) -> Anytime:
    """Return the classic conversion: gradients at the iterates, and their average as the output.

    Examples
    --------
    >>> from surefoot.online import Ball, OgdNorm, classic
    >>> classic(OgdNorm(1, Ball(1.0))).interpolation
    0.0

    """
    return Anytime(learner, weights, interpolation=0.0, **options)


def linear_decay(learner: Any, weights: AnyWeights, rounds: int, **options: Any) -> Anytime:
    """Return the method whose last iterate has a guarantee after `rounds` rounds.

    Examples
    --------
    >>> from surefoot.online import Ball, OgdNorm, Uniform, linear_decay
    >>> linear_decay(OgdNorm(1, Ball(1.0)), Uniform(), 100).rise
    100

    """
    if _checks.whole(rounds, "rounds") < 1:
        raise ValueError(f"rounds must be positive, not {rounds}")
    return Anytime(learner, weights, rise=rounds, **options)


class Optimistic(Method):
    """`Anytime` with the last gradient as the hint for the next: arXiv 1903.00974, Algorithm 3 and Theorem 3.

    Parameters
    ----------
    learner : learner
        A learner that takes hints.
    weights : weights, default Linear()
        As in `Anytime`; weights that grow give the accelerated rate on smooth losses.
    dense : bool, optional
        Whether steps cost O(d); by default only if the learner has no sparse steps.
    shrunk : bool, default False
        Whether hints are multiplied by what they have been worth so far.
    certified, gradient_bound
        As in `Anytime`.

    Examples
    --------
    >>> from surefoot.online import Ball, DualAveraging, Optimistic
    >>> method = Optimistic(DualAveraging(2, Ball(3.0)), certified=True)
    >>> for _ in range(200):
    ...     method.tell(method.query() - [1.0, -1.0])
    >>> bool(method.certificate().value < 1e-3)
    True

    """

    def __init__(
        self,
        learner: Any,
        weights: AnyWeights = LINEAR,
        *,
        dense: bool | None = None,
        shrunk: bool = False,
        certified: bool = False,
        gradient_bound: SupportsFloat = math.inf,
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.dense = dense
        self.shrunk = bool(shrunk)
        self.certified = bool(certified)
        self.gradient_bound = _checks.positive(gradient_bound, "gradient_bound", infinite=True)
        super().__init__()

    def _arguments(self) -> dict[str, Any]:
        names = ("learner", "weights", "dense", "shrunk", "certified", "gradient_bound")
        return {name: getattr(self, name) for name in names}

    def _make(self) -> _core.Method:
        core = learners.build(self.learner)
        sparse, hinted, _, _ = core.traits()
        if not hinted:
            raise TypeError(f"Optimistic needs a learner that takes hints: {learners.HINTED}; not {self.learner!r}")
        dense = not sparse if self.dense is None else self.dense
        core = core if dense else _sparse("Optimistic with dense=False", self.learner)
        make = _core.Method.dense_optimistic if dense else _core.Method.optimistic
        return make(core, _weights.build(self.weights), self.shrunk, self.certified, self.gradient_bound)

    @property
    def shrinkage(self) -> float:
        """The factor of hints: 1 unless `shrunk`."""
        return self._core.number("shrinkage") or 0.0


class General(Method):
    """The conversion for losses with curvature, in O(d) per step: arXiv 1903.00974, Algorithm 2.

    Parameters
    ----------
    learner : Leader or OnlineNewton
        A learner for losses with curvature.
    weights : weights, default Uniform()
        As in `Anytime`.
    certified, gradient_bound
        As in `Anytime`.

    Examples
    --------
    >>> from surefoot.online import Ball, General, Leader
    >>> method = General(Leader(1, Ball(1.0), curvature=2.0))
    >>> for _ in range(100):
    ...     method.tell(2.0 * method.query() - 1.0)
    >>> method.output().round(2)
    array([0.5])

    """

    def __init__(
        self,
        learner: Any,
        weights: AnyWeights = UNIFORM,
        *,
        certified: bool = False,
        gradient_bound: SupportsFloat = math.inf,
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.certified = bool(certified)
        self.gradient_bound = _checks.positive(gradient_bound, "gradient_bound", infinite=True)
        super().__init__()

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("learner", "weights", "certified", "gradient_bound")}

    def _make(self) -> _core.Method:
        core = learners.build(self.learner)
        if not core.traits()[2]:
            raise TypeError(
                f"General needs a learner for losses with curvature, {learners.QUADRATIC}; not {self.learner!r}"
            )
        return _core.Method.general(core, _weights.build(self.weights), self.certified, self.gradient_bound)


class StronglyConvex(Method):
    """Algorithm 2 of arXiv 1903.00974 over follow-the-leader, for strongly convex losses, in O(nnz) per step.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : Ball or WholeSpace
        Where iterates lie. In the whole space first steps may be much too long; `status` says so.
    curvature : float
        The constant of strong convexity of the loss.
    weights : weights, default Linear()
        As in `Anytime`.
    certified, gradient_bound
        As in `Anytime`.

    Examples
    --------
    >>> from surefoot.online import Ball, StronglyConvex
    >>> method = StronglyConvex(1, Ball(2.0), curvature=1.0)
    >>> for _ in range(100):
    ...     method.tell(3.0 * (method.query() - 1.0))
    >>> method.output().round(2)
    array([1.])

    """

    def __init__(
        self,
        dim: int,
        domain: Any,
        curvature: float,
        weights: AnyWeights = LINEAR,
        *,
        certified: bool = False,
        gradient_bound: SupportsFloat = math.inf,
    ) -> None:
        self.learner = Leader(dim, domain, curvature)
        self.weights = weights
        self.certified = bool(certified)
        self.gradient_bound = _checks.positive(gradient_bound, "gradient_bound", infinite=True)
        super().__init__()

    @property
    def curvature(self) -> float:
        """The constant of strong convexity."""
        return float(self.learner.curvature)

    @property
    def promised(self) -> float:
        """The bound of the theorem on the excess of the output, which holds in expectation."""
        return self._core.number("promised") or 0.0

    def _arguments(self) -> dict[str, Any]:
        own = {"dim": self.learner.dim, "domain": self.domain, "curvature": self.curvature}
        return {**own, **{name: getattr(self, name) for name in ("weights", "certified", "gradient_bound")}}

    def _make(self) -> _core.Method:
        dim, domain = self.learner.dim, domains.build(self.learner.domain, self.learner.dim)
        if not domain.radial():
            raise TypeError(
                f"StronglyConvex needs a Ball or WholeSpace; General over Leader takes any domain, "
                f"also {self.learner.domain!r}"
            )
        weights = _weights.build(self.weights)
        return _core.Method.strongly_convex(dim, domain, self.curvature, weights, self.certified, self.gradient_bound)


class Accelerated(Method):
    """The accelerated method: a gradient step in each round. arXiv 1903.00974, Algorithm 4.

    Weights are those of `Linear`. The certificate needs the changes in loss from query to output, which the
    method is not told, so there is none.

    Parameters
    ----------
    learner : learner
        A learner on a bounded domain.
    diameter : float, optional
        The diameter of the domain; by default twice its reach.
    kappa : float, default sqrt(2)
        The constant of the learner's regret: sqrt(2) for `OgdNorm` and `Descent`, 2 for `DualAveraging`.
    epsilon : float, default 0.0
        Damping of first steps, in units of gradients.
    dense : bool, optional
        Whether steps cost O(d); by default only if the learner has no sparse steps.
    gradient_bound : float, default inf
        As in `Anytime`.

    Examples
    --------
    >>> from surefoot.online import Accelerated, Ball, OgdNorm
    >>> method = Accelerated(OgdNorm(2, Ball(2.0)))
    >>> for _ in range(200):
    ...     method.tell(method.query() - [1.0, -1.0])
    >>> method.output().round(4)
    array([ 1., -1.])

    """

    weights = LINEAR

    def __init__(
        self,
        learner: Any,
        diameter: float | None = None,
        *,
        kappa: float = math.sqrt(2.0),
        epsilon: float = 0.0,
        dense: bool | None = None,
        gradient_bound: SupportsFloat = math.inf,
    ) -> None:
        self.learner = learner
        if diameter is None and getattr(learner, "domain", None) is None:
            raise TypeError("Accelerated needs the diameter of the domain, since the learner has no domain")
        reach = domains.build(self.domain, learners.dim_of(learner)).reach
        self.diameter = _checks.positive(2.0 * reach() if diameter is None else diameter, "diameter")
        self.kappa = _checks.positive(kappa, "kappa")
        self.epsilon = _checks.not_negative(epsilon, "epsilon")
        self.dense = dense
        self.gradient_bound = _checks.positive(gradient_bound, "gradient_bound", infinite=True)
        super().__init__()

    @property
    def rate(self) -> float:
        """The length of the last gradient step, as a multiple of its gradient."""
        return self._core.number("rate") or 0.0

    @property
    def growth(self) -> float:
        """The sum that the theorem calls logarithmic."""
        return self._core.number("growth") or 0.0

    def _arguments(self) -> dict[str, Any]:
        names = ("learner", "diameter", "kappa", "epsilon", "dense", "gradient_bound")
        return {name: getattr(self, name) for name in names}

    def _make(self) -> _core.Method:
        core = _linear("Accelerated", self.learner)
        dense = not core.traits()[0] if self.dense is None else self.dense
        core = core if dense else _sparse("Accelerated with dense=False", self.learner)
        make = _core.Method.dense_accelerated if dense else _core.Method.accelerated
        return make(core, self.diameter, self.kappa, self.epsilon, False, self.gradient_bound)


class CompositeAnytime(Method):
    """`Anytime` over `CompositeAveraging`: an elastic net minimised exactly, in O(nnz log d) per step.

    Parameters
    ----------
    learner : CompositeAveraging
        The learner with the penalty.
    weights : weights, default Linear()
        As in `Anytime`.
    certified, gradient_bound
        As in `Anytime`. The certificate is one for loss and penalty together.

    Examples
    --------
    >>> from surefoot.online import CompositeAnytime, CompositeAveraging
    >>> method = CompositeAnytime(CompositeAveraging(2, l1=0.5, l2=1.0), certified=True)
    >>> for _ in range(300):
    ...     method.tell(method.query() - [2.5, 0.25])
    >>> method.output().round(2)
    array([1., 0.])
    >>> bool(method.certificate().value < 1e-2)
    True

    """

    def __init__(
        self,
        learner: CompositeAveraging,
        weights: AnyWeights = LINEAR,
        *,
        certified: bool = False,
        gradient_bound: SupportsFloat = math.inf,
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.certified = bool(certified)
        self.gradient_bound = _checks.positive(gradient_bound, "gradient_bound", infinite=True)
        super().__init__()

    @property
    def penalties(self) -> float | None:
        """The sum of the weighted penalties at the iterates; None without `certified`."""
        return self._core.number("penalties")

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("learner", "weights", "certified", "gradient_bound")}

    def _make(self) -> _core.Method:
        if not isinstance(self.learner, CompositeAveraging):
            raise TypeError(f"CompositeAnytime needs CompositeAveraging; DenseAnytime takes any; not {self.learner!r}")
        core = self.learner._build()
        return _core.Method.composite_anytime(core, _weights.build(self.weights), self.certified, self.gradient_bound)
