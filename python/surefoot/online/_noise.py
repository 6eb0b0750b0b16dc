"""What `minimize` sums up of noisy gradients, for a bound that holds whenever the run stops."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.online import _checks, _domains
from surefoot.online._core import Certificate
from surefoot.online._more_certificates import Stream, _delta


def of(gradients: str, tol: float | None, bound: float | None, delta: float, domain: Any, dim: int) -> Noise | None:
    """Return the sums for noisy gradients of at most the norm `bound`; None without a bound.

    Raises
    ------
    ValueError
        If the run were to stop at `tol` by a bound that does not hold when it stops.

    """
    delta = _delta(delta)
    noisy = gradients in ("fresh", "drawn")
    if bound is not None:
        bound = _checks.positive(bound, "gradient_bound")
        if not noisy:
            raise ValueError(f'gradient_bound is for gradients "fresh" and "drawn", not {gradients!r}')
        return Noise(domain, dim, bound, delta)
    if tol is not None and noisy:
        raise ValueError(
            "tol needs gradient_bound, a bound on the norms of noisy gradients: without it the excess is bounded "
            "in expectation only, after a number of steps fixed beforehand, so that a run must not stop by it; "
            "give gradient_bound, or max_steps alone"
        )
    if tol is not None and gradients == "reused":
        raise ValueError("tol cannot be reached with gradients of rows used before: give max_steps alone")
    return None


class Noise:
    """The sums of `Stream` over a run with one example per step."""

    def __init__(self, domain: Any, dim: int, bound: float, delta: float) -> None:
        core = _domains.build(domain, dim)
        self._stream = Stream._of(core, bound)
        self._centre = core.centre(dim)
        self.delta = delta

    def record(self, weight: float, iterate: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Record a step: its weight, its iterate, and the coordinates of its gradient that are not 0."""
        self._stream.open(weight, distance=_norm(iterate - self._centre))
        self._stream.example(_norm(values))

    def certificate(self, mean: Certificate, total: float) -> Certificate:
        """Turn the certificate in expectation into one that holds at all steps at once."""
        return self._stream.certificate(mean, total, self.delta)


def _norm(x: NDArray[np.float64]) -> float:
    """Return the Euclidean norm, or the largest number where that overflows."""
    return min(math.hypot(*x.tolist()), sys.float_info.max)
