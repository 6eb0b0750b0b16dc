"""The loop of `minimize`, and its result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.online._certificates import Curved, Cuts
from surefoot.online._choice import contains, project
from surefoot.online._conversions import Accelerated
from surefoot.online._core import Certificate
from surefoot.online._errors import Uncertified
from surefoot.online._method import Method
from surefoot.online._noise import Noise
from surefoot.online._oracle import Oracle, dense
from surefoot.online._vectors import parse

#: The status of a run that took all steps.
_ALL_STEPS = 1


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
        A bound on the excess of `x` over the best point of the domain. From noisy gradients it is one in
        expectation, and only if all steps were taken; with a `gradient_bound` it holds with probability
        1 - delta whenever the run stops.
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


@dataclass(frozen=True)
class _Seen:
    """A point where the oracle was asked."""

    x: NDArray[np.float64]
    value: float
    gradient: Any


class Run:
    """The loop, and what it knows about the minimum."""

    def __init__(
        self,
        method: Method,
        oracle: Oracle,
        shift: NDArray[np.float64],
        gradients: str,
        curvature: float | None,
        noise: Noise | None,
    ) -> None:
        self.method = method
        self.oracle = oracle
        self.shift = shift
        self.gradients = gradients
        self.exact = gradients == "exact"
        # What is recorded in both is relative to the start, as the method is.
        self.cuts = Cuts(method.dim, method.domain) if self.exact else None
        self.curved = None if curvature is None else Curved(method.dim, curvature)
        self.noise = noise
        # Why nothing that follows from the gradients is certified; empty if something may be.
        self.spoilt = ""
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
                return self.result(True, 0, self.reached(tol))
            if callback is not None and self.stops(callback):
                return self.result(False, 3, "the callback stopped the run")
        words = f"all {max_steps} steps were taken"
        last = self.result(tol is None, _ALL_STEPS, words)
        if tol is not None and last.certificate is not None and last.certificate.value <= tol:
            return replace(last, success=True, status=0, message=self.reached(tol))
        return last

    def reached(self, tol: float) -> str:
        """Return in words that the tolerance is reached."""
        words = f"the excess is at most {tol:g}"
        return words if self.noise is None else f"{words} with probability {1.0 - self.noise.delta:g}"

    def step(self) -> MinimizeResult | None:
        """Ask and tell once; return the result if the gradient is 0, so that there is nothing left to do."""
        query = self.method.query()
        x = query + self.shift
        value, gradient = self.oracle(x)
        weight = self.method.next_weight
        iterate = None if self.noise is None else self.method.iterate()
        _, values = parse(gradient, self.method.dim)
        try:
            self.method.tell(gradient)
        except ValueError as error:
            raise _RefusedError(str(error)) from error
        if self.noise is not None and iterate is not None:
            self.noise.record(weight, iterate, values)
        self.record(weight, value, gradient, query, x)
        if self.exact and not values.any() and not self.spoilt and self.is_inside(query):
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
            if value is not None and not self.spoilt:
                self.spoilt = f"the value of step {self.method.steps} is {value}, where there is no subgradient"
            return
        self.last = _Seen(x, value, gradient)
        if (self.best is None or value <= self.best.value) and self.is_inside(query):
            self.best = self.last
        if self.cuts is not None:
            self.cuts.record(weight, value, gradient, query)

    def is_inside(self, query: NDArray[np.float64]) -> bool:
        """Return whether a point lies in the domain, which the steps of Algorithm 4 may leave."""
        return not isinstance(self.method, Accelerated) or contains(self.method.domain, query)

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
        certificate = self.certificate(self.best if self.exact else None, compared=False, early=True)
        return math.inf if certificate is None else certificate.value

    def certificate(self, point: _Seen | None, compared: bool, early: bool) -> Certificate | None:
        """Return the smallest bound on the excess of `point`, or of the output if it is None.

        `point` is the best one that was seen. A bound for the output holds for it too if the value of the
        output is known: because it was the last query, or because it has been `compared`. `early` says that
        what the run has met decides that it ends here, so that no bound in expectation holds.
        """
        if self.spoilt:
            self.why = self.spoilt
            return None
        if not self.exact:
            return self.of_noisy(early)
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
        if any(one.value < 0.0 for one in found):
            # No excess is negative: what the oracle said, or the curvature that was given, contradicts itself.
            self.spoilt = self.why = "the values and gradients contradict a convex function with what was given of it"
            return None
        return min(found, key=lambda certificate: certificate.value, default=None)

    def of_noisy(self, early: bool) -> Certificate | None:
        """Return a bound on the excess of the output from noisy gradients.

        It is the first that there is, not the smallest: the smaller of two bounds in expectation is none.
        """
        if self.noise is not None:
            # Its sums are those of the method's own certificate alone.
            try:
                mean = self.method.certificate(gradients=self.gradients)
                return self.noise.certificate(mean, self.method.total_weight)
            except Uncertified as why:
                self.why = str(why)
                return None
        if early:
            self.why = (
                "from noisy gradients it holds in expectation, after a number of steps fixed beforehand: "
                "take all steps, or give gradient_bound"
            )
            return None
        for request in reversed(self.requests()):
            try:
                return request()
            except Uncertified as why:
                self.why = str(why)
        return None

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
        certificate = self.certificate(point, compared, early=status != _ALL_STEPS)
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
        jac = dense(point.gradient, self.method.dim)
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
        """Return the output, or the nearest point of the domain, in the caller's coordinates."""
        output = self.method.output()
        return (output if self.is_inside(output) else project(self.method.domain, output)) + self.shift


class _RefusedError(Exception):
    """The method has refused a gradient."""


def _is_due(step: int) -> bool:
    """Return whether the certificate is asked for after `step`: at most every 64th part of the run."""
    return step <= 64 or step % (step // 64) == 0
