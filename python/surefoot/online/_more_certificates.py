"""Certificates that are told more than gradients: penalties, changes in loss, losses of examples."""

from __future__ import annotations

from typing import Any, SupportsIndex

from numpy.typing import ArrayLike

from surefoot.online import _checks, _core
from surefoot.online import _domains as domains
from surefoot.online._core import Certificate
from surefoot.online._vectors import Row, parse, read_point


def _count(examples: SupportsIndex) -> int:
    number = _checks.whole(examples, "examples")
    if not 0 <= number < 2**63:
        raise ValueError(f"examples must not be negative or above 2**63, not {examples}")
    return number


def _delta(delta: float) -> float:
    number = _checks.number(delta, "delta")
    if not 0.0 < number < 1.0:
        raise ValueError(f"delta must be between 0 and 1, not {delta}")
    return number


class Composite:
    """The sums of `Ledger` for a loss with an elastic net, which takes the place of a domain.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    l1, l2 : float
        Factors of the penalty l1·‖w‖₁ + (l2/2)·‖w‖².

    Examples
    --------
    >>> from surefoot.online import Composite
    >>> sums = Composite(1, l2=1.0)
    >>> sums.record(1.0, gradient=[1.0], iterate=[0.0])
    >>> round(sums.certificate(1.0).value, 12)
    0.5

    """

    def __init__(self, dim: int, l1: float = 0.0, l2: float = 0.0) -> None:
        self._dim = _checks.dimension(dim)
        l1, l2 = _checks.not_negative(l1, "l1"), _checks.not_negative(l2, "l2")
        self._core = _core.Composite(self._dim, l1, l2)

    def penalty(self, x: ArrayLike) -> float:
        """Return the penalty at `x`."""
        return self._core.penalty(read_point(x, self._dim, "x"))

    def record(self, weight: float, gradient: Row, iterate: ArrayLike) -> None:
        """Record a round: its weight, the gradient of the loss without penalty, and the learner's iterate."""
        point = read_point(iterate, self._dim, "the iterate")
        self._core.record(_checks.not_negative(weight, "weight"), *parse(gradient, self._dim), 1.0, point)

    def certificate(self, total: float, gradients: str = "exact") -> Certificate:
        """Return a bound on the excess of loss and penalty at the average of the iterates.

        `total` is the sum of the weights.
        """
        return self._core.certificate(_checks.positive(total, "total"), gradients)


class Coupled:
    """The certificate of Algorithm 4 of arXiv 1903.00974 (`Accelerated`), from the proof of Theorem 4.

    Parameters
    ----------
    dim : int
        Number of coordinates.

    Examples
    --------
    >>> from surefoot.online import Accelerated, Ball, Coupled, OgdNorm
    >>> method, sums = Accelerated(OgdNorm(1, Ball(2.0))), Coupled(1)
    >>> for _ in range(500):
    ...     x, w, weight = method.query(), method.iterate(), method.next_weight
    ...     method.tell(x - 1.0)
    ...     rise = ((method.output() - 1.0) ** 2 - (x - 1.0) ** 2)[0] / 2
    ...     sums.record(weight, x - 1.0, w, measured=rise)
    >>> bool(sums.certificate(Ball(2.0)).value < 1e-3)
    True

    """

    def __init__(self, dim: int) -> None:
        self._dim = _checks.dimension(dim)
        self._core = _core.Coupled(self._dim)

    def record(
        self,
        weight: float,
        gradient: Row,
        iterate: ArrayLike,
        *,
        measured: float | None = None,
        slope: float | None = None,
        smooth: tuple[float, float, float] | None = None,
    ) -> None:
        """Record a round, with one bound on the change in loss from query to output.

        Parameters
        ----------
        weight : float
            The weight of the round.
        gradient : row
            The gradient at the query.
        iterate : array_like
            The learner's iterate.
        measured : float
            The change itself; with noisy gradients measured on a sample of its own.
        slope : float
            The inner product of a subgradient at the output with the step from query to output.
        smooth : tuple of rate, norm and smoothness
            The rate of the step, the norm of the exact gradient, and the constant of smoothness.

        """
        given = [(kind, value) for kind, value in self._rises(measured, slope, smooth) if value is not None]
        if len(given) != 1:
            raise ValueError("give one of measured, slope and smooth")
        kind, value = given[0]
        a, b, c = (_checks.number(x, kind) for x in (value if isinstance(value, tuple) else (value, 0.0, 0.0)))
        point = read_point(iterate, self._dim, "the iterate")
        weight = _checks.not_negative(weight, "weight")
        self._core.record(weight, *parse(gradient, self._dim), 1.0, point, kind, (a, b, c))

    @staticmethod
    def _rises(measured: Any, slope: Any, smooth: Any) -> list[tuple[str, Any]]:
        return [("measured", measured), ("slope", slope), ("smooth", smooth)]

    def certificate(self, domain: Any, gradients: str = "exact") -> Certificate:
        """Return a bound on the excess of the output over the best point of `domain`; it may be negative."""
        return self._core.certificate(domains.build(domain, self._dim), gradients)


class Risk:
    """A bound on the expected loss of the output itself, from the losses met in a single pass.

    It is one for methods whose output averages their iterates, and so not for `Accelerated`.

    Parameters
    ----------
    loss, slope : float, default inf
        Bounds on the loss and on the norm of the gradient of an example. Without them there is a bound in
        expectation only.

    Examples
    --------
    >>> from surefoot.online import Risk
    >>> risk = Risk(loss=1.0, slope=1.0)
    >>> for _ in range(10_000):
    ...     risk.open(weight=1.0)
    ...     risk.example(loss=0.25)
    >>> round(risk.expectation("fresh").value, 9), risk.certificate("fresh", delta=0.05).value < 0.252
    (0.25, True)

    """

    def __init__(self, loss: float = float("inf"), slope: float = float("inf")) -> None:
        loss = _checks.positive(loss, "loss", infinite=True)
        self._core = _core.Risk(loss, _checks.positive(slope, "slope", infinite=True))

    def open(self, weight: float, examples: int = 1, away: float = 0.0) -> None:
        """Begin a round, before its examples are seen.

        `away` is the distance from iterate to query, or more.
        """
        weight, away = _checks.not_negative(weight, "weight"), _checks.not_negative(away, "away")
        self._core.open(weight, _count(examples), away)

    def example(self, loss: float, lead: float = 0.0) -> None:
        """Record an example: its loss at the query.

        `lead` is the product of its gradient with iterate minus query.
        """
        self._core.example(_checks.number(loss, "loss"), _checks.number(lead, "lead"))

    def expectation(self, gradients: str) -> Certificate:
        """Return the bound in expectation, for weights fixed before the run."""
        return self._core.expectation(gradients)

    def certificate(self, gradients: str, delta: float) -> Certificate:
        """Return the bound that holds at all steps at once with probability 1 - delta."""
        return self._core.certificate(gradients, _delta(delta))


class Stream:
    """Turns a certificate in expectation into one in probability, for gradients of bounded length.

    Parameters
    ----------
    domain : domain
        A bounded domain.
    bound : float
        A bound on the norm of the gradient of an example.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.online import Anytime, Ball, OgdNorm, Stream
    >>> ball, rng = Ball(1.0), np.random.default_rng(0)
    >>> method, stream = Anytime(OgdNorm(1, ball), certified=True), Stream(ball, 1.0)
    >>> for toss in rng.integers(0, 2, size=20_000):
    ...     stream.open(1.0, distance=abs(method.iterate()[0]))
    ...     slope = np.sign(method.query() - toss)
    ...     stream.example(abs(slope[0]))
    ...     method.tell(slope)
    >>> mean = method.certificate(gradients="fresh")
    >>> certificate = stream.certificate(mean, method.total_weight, delta=0.05)
    >>> certificate.kind, bool(mean.value < certificate.value < 0.1)
    ('probability', True)

    """

    def __init__(self, domain: Any, bound: float) -> None:
        dim = getattr(domain, "dim", None)
        core = domain._any() if isinstance(domain, domains.Domain) else domains.build(domain, dim or 1)
        self._core = _core.Stream(core, _checks.positive(bound, "bound", infinite=True))

    @classmethod
    def _of(cls, domain: _core.Domain, bound: float) -> Stream:
        stream = cls.__new__(cls)
        stream._core = _core.Stream(domain, bound)
        return stream

    def open(self, weight: float, examples: int = 1, *, distance: float) -> None:
        """Begin a round, before its examples are seen.

        `distance` is that of the iterate from the centre of the domain, or more.
        """
        weight, distance = _checks.not_negative(weight, "weight"), _checks.not_negative(distance, "distance")
        self._core.open(weight, _count(examples), distance)

    def example(self, norm: float) -> None:
        """Record an example by the norm of its gradient."""
        self._core.example(_checks.not_negative(norm, "norm"))

    def certificate(self, mean: Certificate, total: float, delta: float) -> Certificate:
        """Return the bound that holds at all steps at once with probability 1 - delta.

        `mean` is the certificate in expectation, and `total` the sum of the weights.
        """
        return self._core.certificate(mean, _checks.positive(total, "total"), _delta(delta))
