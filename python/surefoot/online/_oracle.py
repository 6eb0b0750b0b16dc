"""The caller's oracle of `minimize`, and what its answers may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.online._vectors import parse


class Oracle:
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


def dense(gradient: Any, dim: int) -> NDArray[np.float64]:
    """Return a gradient as an array of all coordinates."""
    indices, values = parse(gradient, dim)
    if indices is None:
        return values.copy()
    dense = np.zeros(dim)
    dense[indices] = values
    return dense
