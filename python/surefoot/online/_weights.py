"""Weights of rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from surefoot.online import _checks, _core
from surefoot.online._spec import Spec


class Weights(Spec):
    """Weights of rounds: a function of the number of the round, counted from 1."""

    def __call__(self, step: int) -> float:
        """Return the weight of round `step`."""
        step = _checks.whole(step, "step")
        if step < 1:
            raise ValueError(f"rounds are counted from 1; there is no round {step}")
        return self._build().weight(step)

    def _build(self) -> _core.Weights:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Uniform(Weights):
    """Weights of 1: all rounds count the same.

    Examples
    --------
    >>> from surefoot.online import Uniform
    >>> Uniform()(7)
    1.0

    """

    def _build(self) -> _core.Weights:
        return _core.Weights.uniform()


@dataclass(frozen=True, eq=False)
class Linear(Weights):
    """Weights that grow with the number of the round, so that early iterates are forgotten.

    Examples
    --------
    >>> from surefoot.online import Linear
    >>> Linear()(7)
    7.0

    """

    def _build(self) -> _core.Weights:
        return _core.Weights.linear()


@dataclass(frozen=True, eq=False)
class Power(Weights):
    """Weights that are a power of the number of the round.

    Parameters
    ----------
    power : float
        The exponent, any finite number.

    Examples
    --------
    >>> from surefoot.online import Power
    >>> Power(2.0)(3)
    9.0

    """

    power: float

    def __post_init__(self) -> None:
        power = _checks.number(self.power, "power")
        if abs(power) == float("inf"):
            raise ValueError("power must be finite")
        object.__setattr__(self, "power", power)

    def _build(self) -> _core.Weights:
        return _core.Weights.power(self.power)


#: Weights of the library, or any function of the number of the round.
AnyWeights: TypeAlias = Weights | Callable[[int], float]


def build(weights: AnyWeights) -> _core.Weights:
    """Return weights as the library takes them."""
    if isinstance(weights, Weights):
        return weights._build()
    is_class = isinstance(weights, type) and issubclass(weights, Weights)
    if is_class or not callable(weights):
        raise TypeError(f"weights are Uniform(), Linear(), Power(p) or a function of the round, not {weights!r}")
    return _core.Weights.own(weights)
