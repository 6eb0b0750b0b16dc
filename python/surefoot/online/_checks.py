"""Checks of numbers before they reach the library, which takes them for granted."""

from __future__ import annotations

import math
import operator
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import NDArray

#: More coordinates than any machine has memory for.
MOST = 2**40
#: Coordinates beyond this may overflow when they are summed over rounds.
FARTHEST = 1e270
#: So many coordinates that their memory is tried first.
LARGE = 2**24


def dimension(dim: SupportsIndex, squared: bool = False) -> int:
    """Return a number of coordinates for which there is memory; `squared` if the learner keeps a matrix."""
    dim = whole(dim, "dim")
    if not 1 <= dim <= MOST:
        raise ValueError(f"dim must be at least 1 and at most 2**40, not {dim}")
    if squared and dim > 2**16:
        raise ValueError(f"a learner with a matrix of dim**2 numbers takes at most 2**16 coordinates, not {dim}")
    if dim > LARGE:
        # Raises MemoryError where the library could only abort the process.
        np.empty(16 * dim)
    return dim


def whole(number: SupportsIndex, name: str) -> int:
    """Return an integer; floats and booleans are none."""
    if isinstance(number, bool | np.bool_):
        raise TypeError(f"{name} must be an integer, not {number!r}")
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {number!r}") from None


def number(value: SupportsFloat, name: str) -> float:
    """Return a float that is not NaN."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    except OverflowError:
        raise ValueError(f"{name} is too large") from None
    if math.isnan(result):
        raise ValueError(f"{name} must be a number, not NaN")
    return result


def positive(value: SupportsFloat, name: str, infinite: bool = False) -> float:
    """Return a number above 0, which is finite unless `infinite`."""
    result = number(value, name)
    if not result > 0.0 or (math.isinf(result) and not infinite):
        raise ValueError(f"{name} must be positive{'' if infinite else ' and finite'}, not {result}")
    return result


def length(value: SupportsFloat, name: str) -> float:
    """Return a positive number that leaves sums over rounds finite if coordinates are so large."""
    result = positive(value, name)
    if result > FARTHEST:
        raise ValueError(f"{name} must be at most {FARTHEST:g}, not {result}")
    return result


def not_negative(value: SupportsFloat, name: str) -> float:
    """Return a finite number that is not below 0."""
    result = number(value, name)
    if not 0.0 <= result < math.inf:
        raise ValueError(f"{name} must be finite and not negative, not {result}")
    return result


def share(value: SupportsFloat, name: str) -> float:
    """Return a number from 0 to 1."""
    result = number(value, name)
    if not 0.0 <= result <= 1.0:
        raise ValueError(f"{name} must be between 0 and 1, not {result}")
    return result


def point(values: Any, name: str, farthest: float = FARTHEST) -> NDArray[np.float64]:
    """Return finite coordinates as an array that cannot be changed."""
    array = np.array(values, dtype=np.float64, ndmin=1)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one axis, not {array.ndim}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(f"coordinate {bad[0]} of {name} is {array[bad[0]]}")
    far = np.flatnonzero(np.abs(array) > farthest)
    if far.size:
        raise ValueError(f"coordinate {far[0]} of {name} is {array[far[0]]}, beyond {farthest:g}")
    array.flags.writeable = False
    return array
