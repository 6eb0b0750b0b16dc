"""`minimize`: one call for a convex function that is given by its (sub)gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.online import _checks, _domains, _learners
from surefoot.online._certificates import Curved, Cuts
from surefoot.online._conversions import (
    Accelerated,
    Anytime,
    DenseAnytime,
    General,
    Optimistic,
    StronglyConvex,
)
from surefoot.online._core import Certificate
from surefoot.online._domains import Ball, BoxDomain, WholeSpace
from surefoot.online._errors import Uncertified
from surefoot.online._learners import (
    AdaGrad,
    Descent,
    DiagonalProximal,
    DualAveraging,
    FreeGrad,
    Leader,
    OgdNorm,
    Proximal,
)
from surefoot.online._method import Method
from surefoot.online._vectors import parse
from surefoot.online._weights import AnyWeights, Linear, Power, Uniform

#: The distance that is tried first where none is known; the number of steps depends on it logarithmically.
FIRST_GUESS = 1e-3
#: Weights where no distance is known. Equal ones remember the first iterates, which are far off, for long;
#: with weights t the first guess is tiny against what comes, and it takes long to leave it.
FREE_WEIGHTS = Power(0.5)

METHODS = ("anytime", "optimistic", "accelerated", "classic", "linear_decay", "strongly_convex")


@dataclass(frozen=True)
class MinimizeResult:
    """What `minimize` has found; fields are those of `scipy.optimize.OptimizeResult`, also by index.

    Attributes
    ----------
    x : ndarray
        The point.
    fun : float or None
        The value of the function there; None if the oracle gives no values.
    jac : ndarray or None
        The gradient there, if it was taken there.
    nit, nfev : int
        Number of steps, and of calls of the oracle.
    success : bool
        Whether the excess is certified to be at most `tol`; without `tol`, whether all steps were taken.
    status : int
        0: the tolerance is reached, or the gradient is 0. 1: all steps were taken. 2: a gradient was refused.
        3: the callback stopped the run.
    message : str
        The status in words, and why there is no certificate if there is none.
    certificate : Certificate or None
        A bound on the excess of `x` over the best point of the domain.
    method : Method
        The method, which can be told more gradients; its coordinates are relative to `x0` if no domain was
        given.

    """

    x: NDArray[np.float64]
    fun: float | None
    jac: NDArray[np.float64] | None
    nit: int
    nfev: int
    success: bool
    status: int
    message: str
    certificate: Certificate | None
    method: Method

    def keys(self) -> list[str]:
        """Return the names of the fields."""
        return [field.name for field in fields(self)]

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the fields."""
        return iter(self.keys())


def minimize(
    oracle: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    *,
    method: str | None = None,
    domain: Any = None,
    radius: float | None = None,
    bounds: Any = None,
    learner: Any = None,
    weights: AnyWeights | None = None,
    curvature: float | None = None,
    gradients: str = "exact",
    max_steps: int = 1000,
    tol: float | None = None,
    callback: Callable[[MinimizeResult], object] | None = None,
    seed: Any = None,
) -> MinimizeResult:
    """Minimise a convex function, given its gradients, without a learning rate.

    Parameters
    ----------
    oracle : callable
        ``oracle(x, *args)`` returns a (sub)gradient at `x`, or a pair ``(value, gradient)``. Gradients may
        be noisy (see `gradients`) or sparse. `x` cannot be written to.
    x0 : array_like
        A point of the domain. With `radius` and without any domain it is where the run starts; otherwise the
        run starts at the centre of the domain.
    args : tuple
        Further arguments of the oracle.
    method : str, optional
        ``"optimistic"`` (Algorithm 3 of arXiv 1903.00974, the default on bounded domains), ``"anytime"``
        (Algorithm 1, the default without a domain), ``"accelerated"`` (Algorithm 4), ``"strongly_convex"``
        (Algorithm 2, needs `curvature`), and, to compare with, ``"classic"`` and ``"linear_decay"``.
    domain : domain, optional
        Where the minimum is looked for: a domain of `surefoot.online`, or an object with ``project(x)``.
    radius : float, optional
        Short for the ball of this radius around `x0`.
    bounds : sequence of pairs or scipy.optimize.Bounds, optional
        Short for a box: a finite interval for each coordinate.
    learner : learner, optional
        The online learner, with its own domain; by default one that suits method and domain. Without a
        domain it is `FreeGrad` around `x0`, which tries the distance 0.001 first.
    weights : weights, optional
        Weights of rounds; by default `Linear` on bounded domains, ``Power(0.5)`` without one, and `Uniform`
        with a `learner`.
    curvature : float, optional
        The constant of strong convexity, for ``"strongly_convex"``. Without a domain, one gradient at `x0`
        gives a ball that holds the minimiser.
    gradients : {"exact", "fresh", "drawn", "reused"}
        How gradients are obtained: exact; of independent rows, each used once; of rows drawn with
        replacement; of rows used before. It decides which certificate there is. Values are taken to be exact
        if gradients are.
    max_steps : int, default 1000
        Largest number of steps.
    tol : float, optional
        Stop when the excess of the point is certified to be at most this.
    callback : callable, optional
        Called after each step with a `MinimizeResult`; StopIteration or a true answer ends the run, and any
        other exception, KeyboardInterrupt too, is passed on.
    seed : int, numpy.random.Generator, optional
        If given, the oracle is called as ``oracle(x, rng, *args)`` with a random generator made of it.

    Returns
    -------
    MinimizeResult
        The point with its certificate. It is the output of the method; with exact values, the best point
        seen.

    Raises
    ------
    ValueError
        If arguments contradict each other or `x0` does not lie in the domain.

    Examples
    --------
    >>> from surefoot import minimize
    >>> result = minimize(lambda x: ((x - 1) @ (x - 1), 2 * (x - 1)), [0.0, 0.0], radius=3.0, tol=1e-6)
    >>> result.success, result.x.round(3), result.certificate.value <= 1e-6
    (True, array([1., 1.]), True)

    Without a radius there is no certificate, and the message says so:

    >>> import numpy as np
    >>> result = minimize(lambda x: np.sign(x - 300.5), [0.0], max_steps=20000)
    >>> bool(abs(result.x[0] - 300.5) < 3.0), result.certificate
    (True, None)
    >>> print(result.message.split("; ")[1])
    no bound: neither domain nor penalty bounds the minimiser

    """
    x0 = _checks.point(x0, "x0")
    if tol is not None:
        tol = _checks.not_negative(tol, "tol")
    if _checks.whole(max_steps, "max_steps") < 1:
        raise ValueError(f"max_steps must be positive, not {max_steps}")
    if gradients not in ("exact", "fresh", "drawn", "reused"):
        raise ValueError(f'gradients are "exact", "fresh", "drawn" or "reused", not {gradients!r}')
    calls = _Oracle(oracle, args, x0.shape[0], seed)
    place = _domain(x0, domain, radius, bounds, learner)
    if method == "strongly_convex" and place is None and learner is None:
        place = _ball(calls, x0, curvature)
    shift = x0 if place is None and learner is None else np.zeros_like(x0)
    conversion = _method(method, x0.shape[0], place, learner, weights, curvature, max_steps)
    if shift is not x0 and not _contains(conversion.domain, x0):
        raise ValueError("x0 does not lie in the domain")
    run = _Run(conversion, calls, shift, gradients, curvature if method == "strongly_convex" else None)
    return run.go(max_steps, tol, callback)


class _Oracle:
    """The caller's oracle, its calls counted, its answers told apart."""

    def __init__(self, oracle: Callable[..., Any], args: tuple[Any, ...], dim: int, seed: Any) -> None:
        self._oracle = oracle
        self._args = tuple(args) if seed is None else (np.random.default_rng(seed), *args)
        self._dim = dim
        self.calls = 0

    def __call__(self, x: NDArray[np.float64]) -> tuple[float | None, Any]:
        """Return value (None if there is none) and gradient at `x`."""
        # Cuts are recorded at this point, so the oracle must not move it.
        x.flags.writeable = False
        answer = self._oracle(x, *self._args)
        self.calls += 1
        if self._is_pair(answer):
            value, gradient = answer
            return float(value), np.atleast_1d(gradient) if np.ndim(gradient) == 0 else gradient
        return None, np.atleast_1d(answer) if np.ndim(answer) == 0 else answer

    def _is_pair(self, answer: Any) -> bool:
        """Return whether the answer is a value with a gradient, not a gradient of two coordinates."""
        if not isinstance(answer, tuple) or len(answer) != 2 or np.ndim(answer[0]) != 0:
            return False
        return isinstance(answer[1], tuple) or np.ndim(answer[1]) > 0 or self._dim == 1


def _domain(x0: NDArray[np.float64], domain: Any, radius: float | None, bounds: Any, learner: Any) -> Any:
    """Return the domain that the caller has given in one way or another; None if none."""
    names = ("domain", "radius", "bounds", "learner")
    given = [
        name for name, part in zip(names, (domain, radius, bounds, learner), strict=True) if part is not None
    ]
    if len(given) > 1:
        raise ValueError(f"give one of {' and '.join(given)}, not {'both' if len(given) == 2 else 'all'}")
    if radius is not None:
        return Ball(radius, x0)
    if bounds is not None:
        return _box(bounds, x0.shape[0])
    return domain


def _box(bounds: Any, dim: int) -> BoxDomain:
    """Return the box of SciPy's bounds."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        lower, upper = (
            np.broadcast_to(np.asarray(end, dtype=float), (dim,)) for end in (bounds.lb, bounds.ub)
        )
    else:
        pairs: Sequence[Any] = list(bounds)
        if len(pairs) != dim or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"bounds are {dim} pairs of a lower and an upper end")
        ends = [[math.nan if end is None else float(end) for end in pair] for pair in pairs]
        lower, upper = np.array(ends).T
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise ValueError("bounds must be finite for all coordinates; without them, give a radius, or nothing")
    return BoxDomain(lower, upper)


def _ball(calls: _Oracle, x0: NDArray[np.float64], curvature: float | None) -> Ball:
    """Return the ball around `x0` that holds the minimiser of a strongly convex function."""
    curvature = _curvature(curvature)
    _, gradient = calls(np.array(x0))
    _, values = parse(gradient, x0.shape[0])
    size = math.hypot(*values.tolist())
    if not math.isfinite(size):
        raise ValueError(f"the gradient at x0 has the norm {size}")
    return Ball(max(size / curvature, np.finfo(float).tiny), x0)


def _curvature(curvature: float | None) -> float:
    if curvature is None:
        raise ValueError('method "strongly_convex" needs curvature, the constant of strong convexity')
    return _checks.positive(curvature, "curvature")


def _contains(domain: Any, x: NDArray[np.float64]) -> bool:
    return _domains.build(domain, x.shape[0]).contains(x)


def _method(
    name: str | None,
    dim: int,
    domain: Any,
    learner: Any,
    weights: AnyWeights | None,
    curvature: float | None,
    max_steps: int,
) -> Method:
    """Return the conversion with the learner that suits it."""
    whole = domain is None and learner is None
    name = ("anytime" if whole or learner is not None else "optimistic") if name is None else name
    if name not in METHODS:
        raise ValueError(f"no method {name!r}; there are {', '.join(METHODS)}")
    if curvature is not None and name != "strongly_convex":
        raise ValueError('curvature is for method "strongly_convex"')
    if learner is not None and _learners.dim_of(learner) != dim:
        raise ValueError(f"a learner of {_learners.dim_of(learner)} coordinates for {dim} coordinates")
    if weights is None:
        weights = FREE_WEIGHTS if whole else Uniform() if learner is not None else Linear()
    if name == "strongly_convex":
        if learner is not None:
            return General(learner, weights, certified=True)
        return _leader(dim, domain, _curvature(curvature), weights)
    learner = learner if learner is not None else _learner(name, dim, domain)
    if name == "accelerated":
        return Accelerated(learner)
    if name == "optimistic":
        return Optimistic(learner, weights, certified=True)
    kind = Anytime if _learners.build(learner).traits()[0] else DenseAnytime
    rise = max_steps if name == "linear_decay" else 0
    return kind(learner, weights, interpolation=float(name != "classic"), rise=rise, certified=True)


def _leader(dim: int, domain: Any, curvature: float, weights: AnyWeights) -> Method:
    """Return Algorithm 2 on a domain."""
    if isinstance(domain, Ball | WholeSpace):
        return StronglyConvex(dim, domain, curvature, weights, certified=True)
    return General(Leader(dim, domain, curvature), weights, certified=True)


def _learner(name: str, dim: int, domain: Any) -> Any:
    """Return the learner that suits a method and a domain."""
    if domain is None:
        if name in ("optimistic", "accelerated"):
            raise ValueError(f"method {name!r} needs a domain: give radius, bounds or domain")
        return FreeGrad(dim, WholeSpace(FIRST_GUESS))
    hinted = name in ("optimistic", "anytime")
    if isinstance(domain, Ball | WholeSpace):
        return DualAveraging(dim, domain) if hinted else OgdNorm(dim, domain)
    if isinstance(domain, BoxDomain) and name != "accelerated":
        return DiagonalProximal(dim, domain) if hinted else AdaGrad(dim, domain)
    return Proximal(dim, domain) if hinted else Descent(dim, domain)


@dataclass(frozen=True)
class _Seen:
    """A point where the oracle was asked."""

    x: NDArray[np.float64]
    value: float
    gradient: Any


class _Run:
    """The loop, and what it knows about the minimum."""

    def __init__(
        self,
        method: Method,
        oracle: _Oracle,
        shift: NDArray[np.float64],
        gradients: str,
        curvature: float | None,
    ) -> None:
        self.method = method
        self.oracle = oracle
        self.shift = shift
        self.gradients = gradients
        self.exact = gradients == "exact"
        # What is recorded in both is relative to the start, as the method is.
        self.cuts = Cuts(method.dim, method.domain) if self.exact else None
        self.curved = None if curvature is None else Curved(method.dim, curvature)
        self.best: _Seen | None = None
        self.last: _Seen | None = None
        self.why = ""

    def go(
        self, max_steps: int, tol: float | None, callback: Callable[[MinimizeResult], object] | None
    ) -> MinimizeResult:
        """Take the steps."""
        for step in range(1, max_steps + 1):
            try:
                flat = self.step()
            except _RefusedError as refused:
                return self.result(False, 2, str(refused))
            if flat is not None:
                return flat
            if tol is not None and _is_due(step) and self.gap() <= tol:
                return self.result(True, 0, f"the excess is at most {tol:g}")
            if callback is not None and self.stops(callback):
                return self.result(False, 3, "the callback stopped the run")
        words = f"all {max_steps} steps were taken"
        last = self.result(tol is None, 1, words)
        if tol is not None and last.certificate is not None and last.certificate.value <= tol:
            return self.result(True, 0, f"the excess is at most {tol:g}")
        return last

    def step(self) -> MinimizeResult | None:
        """Ask and tell once; return the result if the gradient is 0, so that there is nothing left to do."""
        query = self.method.query()
        x = query + self.shift
        value, gradient = self.oracle(x)
        weight = self.method.next_weight
        _, values = parse(gradient, self.method.dim)
        try:
            self.method.tell(gradient)
        except ValueError as error:
            raise _RefusedError(str(error)) from error
        self.record(weight, value, gradient, query, x)
        if self.exact and not values.any():
            return self.flat(x, value)
        return None

    def record(
        self,
        weight: float,
        value: float | None,
        gradient: Any,
        query: NDArray[np.float64],
        x: NDArray[np.float64],
    ) -> None:
        """Keep what a step says about the minimum."""
        if self.curved is not None:
            self.curved.record(weight, gradient, query)
        self.last = None
        if value is None or not math.isfinite(value):
            self.cuts = None
            return
        self.last = _Seen(x, value, gradient)
        if self.best is None or value <= self.best.value:
            self.best = self.last
        if self.cuts is not None:
            self.cuts.record(weight, value, gradient, query)

    def flat(self, x: NDArray[np.float64], value: float | None) -> MinimizeResult:
        """Return the point where the gradient is 0, which minimises a convex function."""
        assumptions = ["the loss is convex", "every gradient is an exact subgradient at its query point"]
        subject = "the excess over the best point of the whole space"
        certificate = Certificate(0.0, "deterministic", None, subject, assumptions)
        words = "the gradient is zero"
        zero = np.zeros(self.method.dim)
        return self.made(np.array(x), value, zero, True, 0, words, certificate)

    def gap(self) -> float:
        """Return the smallest bound on the excess; inf if there is none."""
        certificate = self.certificate(self.best if self.exact else None, compared=False)
        return math.inf if certificate is None else certificate.value

    def certificate(self, point: _Seen | None, compared: bool) -> Certificate | None:
        """Return the smallest bound on the excess of `point`, or of the output if it is None.

        `point` is the best one that was seen. A bound for the output holds for it too if the value of the
        output is known: because it was the last query, or because it has been `compared`.
        """
        found: list[Certificate] = []
        if point is None or compared or self.saw_output():
            for request in self.requests():
                try:
                    found.append(request())
                except Uncertified as why:
                    self.why = str(why)
        if self.cuts is not None and point is not None:
            self.cuts.tighten()
            try:
                found.append(self.cuts.certificate(point.value))
            except Uncertified as why:
                self.why = str(why)
        return min(found, key=lambda certificate: certificate.value, default=None)

    def requests(self) -> list[Callable[[], Certificate]]:
        """Return the ways to a certificate for the output."""
        requests = [lambda: self.method.certificate(gradients=self.gradients)]
        curved = self.curved
        if curved is not None:
            requests.append(lambda: curved.certificate(self.gradients))
        return requests

    def queries_output(self) -> bool:
        """Return whether the output is the last query, so that its value has been seen."""
        rising = getattr(self.method, "rise", 0) or getattr(self.method, "interpolation", 1.0) != 1.0
        return not rising and not isinstance(self.method, Accelerated)

    def saw_output(self) -> bool:
        """Return whether the value of the output is known, so that the best point is not worse."""
        return self.last is not None and self.queries_output()

    def stops(self, callback: Callable[[MinimizeResult], object]) -> bool:
        """Return whether the callback wants the run to stop."""
        try:
            return bool(callback(self.made_of(self.best if self.exact else None, False, 1, "running", None)))
        except StopIteration:
            return True

    def result(self, success: bool, status: int, message: str) -> MinimizeResult:
        """Return the best point that is known, with its certificate."""
        point, compared = (self.best if self.exact else None), False
        if point is not None and not self.saw_output():
            x = self.output()
            value, gradient = self.oracle(x)
            compared = value is not None and math.isfinite(value)
            if value is not None and value <= point.value:
                point = _Seen(x, value, gradient)
        certificate = self.certificate(point, compared)
        if certificate is None:
            message = f"{message}; no bound: {self.why}" if self.why else message
        return self.made_of(point, success, status, message, certificate)

    def made_of(
        self, point: _Seen | None, success: bool, status: int, message: str, certificate: Certificate | None
    ) -> MinimizeResult:
        """Return the result at a point that was seen, or at the output if it is None."""
        if point is None:
            value = self.last.value if self.last is not None and self.saw_output() else None
            return self.made(self.output(), value, None, success, status, message, certificate)
        jac = _dense(point.gradient, self.method.dim)
        return self.made(np.array(point.x), point.value, jac, success, status, message, certificate)

    def made(
        self,
        x: NDArray[np.float64],
        value: float | None,
        jac: NDArray[np.float64] | None,
        success: bool,
        status: int,
        message: str,
        certificate: Certificate | None,
    ) -> MinimizeResult:
        """Return the result with the counts so far."""
        steps, calls = self.method.steps, self.oracle.calls
        return MinimizeResult(x, value, jac, steps, calls, success, status, message, certificate, self.method)

    def output(self) -> NDArray[np.float64]:
        """Return the output of the method in the caller's coordinates."""
        return self.method.output() + self.shift


class _RefusedError(Exception):
    """The method has refused a gradient."""


def _is_due(step: int) -> bool:
    """Return whether the certificate is asked for after `step`: at most every 64th part of the run."""
    return step <= 64 or step % (step // 64) == 0


def _dense(gradient: Any, dim: int) -> NDArray[np.float64]:
    """Return a gradient as an array of all coordinates."""
    indices, values = parse(gradient, dim)
    if indices is None:
        return values.copy()
    dense = np.zeros(dim)
    dense[indices] = values
    return dense
