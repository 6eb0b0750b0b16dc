"""What domains, weights and learners have in common: they are values, made of numbers and of each other."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


class Spec:
    """A part by its parameters; two parts with equal parameters are equal."""

    def _parameters(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        """Compare parameters."""
        if type(self) is not type(other) or not isinstance(other, Spec):
            return NotImplemented
        pairs = zip(self._parameters(), other._parameters(), strict=True)
        return all(
            np.array_equal(a, b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else a == b for a, b in pairs
        )

    __hash__ = None  # type: ignore[assignment]
