"""Sums from which certificates follow, kept by a caller's own loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.online import _checks, _core
from surefoot.online import _domains as domains
from surefoot.online._core import Certificate
from surefoot.online._vectors import Row, parse, read_point


class Ledger:
    """The sums of Theorem 1 of arXiv 1903.00974: they bound the excess of the average of any iterates.

    A method with ``certified=True`` keeps them itself; this is for a loop of one's own.

    Parameters
    ----------
    dim : int
        Number of coordinates.

    Examples
    --------
    >>> from surefoot.online import Ball, Ledger
    >>> ledger = Ledger(1)
    >>> ledger.record(1.0, gradient=[0.5], iterate=[0.0])
    >>> round(ledger.certificate(1.0, Ball(2.0), output=[0.0]).value, 12)
    1.0

    """

    def __init__(self, dim: int) -> None:
        self._core = _core.Ledger(_checks.dimension(dim))

    @classmethod
    def _of(cls, core: _core.Ledger) -> Ledger:
        ledger = cls.__new__(cls)
        ledger._core = core
        return ledger

    @property
    def linear(self) -> float:
        """Sum of the products of weighted gradients with iterates."""
        return self._core.linear()

    @property
    def gradients(self) -> NDArray[np.float64]:
        """Sum of the weighted gradients."""
        return self._core.gradients()

    def record(self, weight: float, gradient: Row, iterate: ArrayLike) -> None:
        """Record a round: its weight, its gradient at the query point, and the learner's iterate."""
        dim = self._core.dim()
        point = read_point(iterate, dim, "the iterate")
        self._core.record(_checks.not_negative(weight, "weight"), *parse(gradient, dim), 1.0, point)

    def regret(self, domain: Any) -> float:
        """Return the largest regret so far against any point of `domain`; inf if it is not bounded."""
        return self._core.regret(domains.build(domain, self._core.dim()))

    def certificate(self, total: float, domain: Any, output: ArrayLike, gradients: str = "exact") -> Certificate:
        """Return a bound on the excess of `output`, the weighted average of the iterates, over `domain`.

        Parameters
        ----------
        total : float
            The sum of the weights.
        domain : domain
            Where the best point is looked for.
        output : array_like
            The average of the iterates.
        gradients : {"exact", "fresh", "drawn", "reused"}
            How gradients were obtained.

        Raises
        ------
        Uncertified
            If there is none.

        """
        dim = self._core.dim()
        point = read_point(output, dim, "the output")
        return self._core.certificate(_checks.positive(total, "total"), domains.build(domain, dim), point, gradients)

    def __deepcopy__(self, memo: dict[int, Any]) -> Ledger:
        """Return sums of their own."""
        return Ledger._of(self._core.copy())


class Cuts:
    """Lower bounds on the minimum over a domain, from values and exact gradients: they certify any point.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    domain : domain
        Where the minimum is looked for.

    Examples
    --------
    >>> from surefoot.online import Ball, Cuts
    >>> cuts = Cuts(1, Ball(2.0))
    >>> cuts.record(1.0, value=1.0, gradient=[2.0], query=[1.0])  # of x**2 at 1
    >>> cuts.record(1.0, value=1.0, gradient=[-2.0], query=[-1.0])
    >>> round(cuts.tighten(), 12)
    -1.0
    >>> round(cuts.certificate(value=0.25).value, 12)
    1.25

    """

    def __init__(self, dim: int, domain: Any) -> None:
        self._dim = _checks.dimension(dim)
        self._core = _core.Cuts(self._dim, domains.build(domain, self._dim))

    @property
    def floor(self) -> float:
        """The best lower bound on the minimum that `tighten` has found; -inf if none."""
        return self._core.floor()

    def record(self, weight: float, value: float, gradient: Row, query: ArrayLike) -> None:
        """Record a round: its weight, and value and gradient of the loss at the point `query`."""
        point = read_point(query, self._dim, "the query")
        value = _checks.number(value, "value")
        weight = _checks.not_negative(weight, "weight")
        self._core.record(weight, value, *parse(gradient, self._dim), 1.0, point)

    def tighten(self) -> float:
        """Compute the lower bound that all cuts so far give, in O(d), and keep the best."""
        return self._core.tighten()

    def certificate(self, value: float) -> Certificate:
        """Return a bound on the excess of any point whose loss is `value`."""
        return self._core.certificate(_checks.number(value, "value"))


class Curved:
    """The certificate for strongly convex losses, which needs no bounded domain.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    curvature : float
        The constant of strong convexity.

    Examples
    --------
    >>> from surefoot.online import Curved
    >>> sums = Curved(1, 1.0)
    >>> sums.record(1.0, gradient=[1.0], query=[1.0])  # of x**2 / 2
    >>> round(sums.certificate().value, 12)
    0.5

    """

    def __init__(self, dim: int, curvature: float) -> None:
        self._dim = _checks.dimension(dim)
        self._core = _core.Curved(self._dim, _checks.positive(curvature, "curvature"))

    def record(self, weight: float, gradient: Row, query: ArrayLike) -> None:
        """Record a round: its weight, and the gradient at the average `query` of the iterates."""
        point = read_point(query, self._dim, "the query")
        self._core.record(_checks.not_negative(weight, "weight"), *parse(gradient, self._dim), 1.0, point)

    def certificate(self, gradients: str = "exact") -> Certificate:
        """Return a bound on the excess of the last query point over the best point of the whole space."""
        return self._core.certificate(gradients)
