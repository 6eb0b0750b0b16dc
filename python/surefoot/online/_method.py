"""What every conversion has: asking, telling, certificates, copies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.online import _checks
from surefoot.online import _domains as domains
from surefoot.online import _learner as learners
from surefoot.online._certificates import Ledger
from surefoot.online._core import Certificate
from surefoot.online._core import Method as CoreMethod
from surefoot.online._vectors import Row, parse, read_indices


@dataclass(frozen=True)
class Status:
    """Whether a run is sound.

    Attributes
    ----------
    kind : {"sound", "refused", "strayed"}
        ``"refused"`` once a gradient has been refused; ``"strayed"`` while the theorem of Algorithm 2
        guarantees less than the first gradient alone did.
    step, index : int or None
        The step and the coordinate of the first refusal.

    """

    kind: str
    step: int | None = None
    index: int | None = None

    def __str__(self) -> str:
        """Return the status in words."""
        if self.kind == "refused":
            place = "the weight" if self.index is None else f"coordinate {self.index}"
            return f"refused a gradient at step {self.step}, because of {place}"
        return self.kind


class Method:
    """A method that is asked for the point of the next gradient and told that gradient.

    This is the base of all conversions; see `Anytime`.
    """

    learner: Any
    _core: CoreMethod

    def __init__(self) -> None:
        self._core = self._make()

    def _make(self) -> CoreMethod:
        """Make the method of the library at its first round."""
        raise NotImplementedError

    def _arguments(self) -> dict[str, Any]:
        """Return what the class has to be called with to make the method anew."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the parts and the number of steps."""
        parts = ", ".join(f"{name}={value!r}" for name, value in self._arguments().items())
        return f"<{type(self).__name__}({parts}) after {self.steps} steps>"

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self._core.dim()

    @property
    def domain(self) -> Any:
        """The learner's domain; `certificate` compares with its best point by default."""
        return learners.domain_of(self.learner)

    @property
    def steps(self) -> int:
        """Number of completed rounds."""
        return self._core.steps()

    @property
    def total_weight(self) -> float:
        """Sum of the weights of completed rounds."""
        return self._core.total_weight()

    @property
    def next_weight(self) -> float:
        """Weight of the current round."""
        return self._core.next_weight()

    @property
    def status(self) -> Status:
        """Whether all gradients could be used, and the first refusal otherwise."""
        return Status(*self._core.status())

    def query(self) -> NDArray[np.float64]:
        """Return the point where the next gradient is to be taken, in O(d)."""
        return self._core.point("query")

    def query_at(self, indices: ArrayLike) -> NDArray[np.float64]:
        """Return some coordinates of the query point, in O(1) each."""
        return self._core.point_at("query", read_indices(indices))

    def output(self) -> NDArray[np.float64]:
        """Return the point that the guarantee bounds, in O(d)."""
        return self._core.point("output")

    def output_at(self, indices: ArrayLike) -> NDArray[np.float64]:
        """Return some coordinates of the output, in O(1) each."""
        return self._core.point_at("output", read_indices(indices))

    def iterate(self) -> NDArray[np.float64]:
        """Return the learner's own point, in O(d)."""
        return self._core.point("iterate")

    def dot(self, row: Row) -> float:
        """Return the inner product of the query point and `row`, at a cost of its nonzeros."""
        return self._core.dot("query", *parse(row, self.dim), 1.0)

    def output_dot(self, row: Row) -> float:
        """Return the inner product of the output and `row`, at a cost of its nonzeros."""
        return self._core.dot("output", *parse(row, self.dim), 1.0)

    def tell(self, gradient: Row, scale: SupportsFloat = 1.0) -> None:
        """Complete the round with a gradient taken at the query point.

        Parameters
        ----------
        gradient : array_like, SciPy row, or tuple of indices and values
            The gradient.
        scale : float, default 1.0
            A factor of the gradient: for a linear model, `gradient` is the row and `scale` the slope of the
            loss.

        Raises
        ------
        ValueError
            If the gradient is refused: a coordinate is not finite, is outside of the dimension, is given
            twice, or is so large that sums would overflow. The message names coordinate and step. Nothing
            has changed but `status`; certificates from noisy gradients are not given any more, because
            leaving out what was refused biases the rest.

        """
        self._core.tell(*parse(gradient, self.dim), float(scale))

    def tell_scaled(self, row: Row, slope: SupportsFloat) -> None:
        """Complete the round with the gradient `slope * row`, that of a linear model."""
        self.tell(row, slope)

    def certificate(self, domain: Any = None, gradients: str = "exact") -> Certificate:
        """Return a bound on the excess of the output over a domain (arXiv 1903.00974, Theorem 1).

        The excess is the loss of the output minus the smallest loss over the domain.

        Parameters
        ----------
        domain : domain, optional
            Where the best point is looked for; by default the learner's domain.
        gradients : {"exact", "fresh", "drawn", "reused"}
            How gradients were obtained: exact subgradients of the loss; those of rows that are independent
            draws; of rows drawn with replacement; or of rows used before, for which there is no certificate.

        Raises
        ------
        Uncertified
            If there is no certificate, with the reason and a remedy.

        """
        domain = self.domain if domain is None else domain
        return self._core.certificate(domains.build(domain, self.dim), gradients)

    @property
    def ledger(self) -> Ledger | None:
        """A copy of the sums for a certificate; None without ``certified=True``."""
        core = self._core.ledger()
        return None if core is None else Ledger._of(core)

    def regret_bound(self, distance: float | None = None) -> float | None:
        """Return the learner's bound on its regret so far, or None; see `Running.regret_bound`."""
        return self._core.regret_bound(None if distance is None else _checks.not_negative(distance, "distance"))

    def state(self) -> dict[str, NDArray[np.float64]]:
        """Return what is needed to go on later: `restore` of a method of the same parts takes it.

        Raises
        ------
        TypeError
            If the learner does not keep its state as numbers; `copy.deepcopy` copies any method.

        """
        saved = self._core.state()
        if saved is None:
            raise TypeError(
                f"{type(self).__name__} over {self.learner!r} cannot be saved: "
                "only Anytime over DualAveraging can; copy.deepcopy copies any method"
            )
        numbers, arrays = saved
        return {"numbers": numbers, **dict(arrays)}

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """Go on from what `state` has returned; all but `status` is as it was then."""
        arrays = {name: _checks.point(values, name, math.inf) for name, values in state.items() if np.size(values)}
        empty = np.zeros(0)
        numbers = arrays.get("numbers", empty)
        self._core.restore(numbers, [(name, arrays.get(name, empty)) for name in state if name != "numbers"])

    def __copy__(self) -> Self:
        """Return a method that goes its own way from here."""
        if learners.is_own(self.learner):
            raise TypeError("a method over a learner written in Python cannot be copied: only you know its state")
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._core = self._core.copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy; domains and weights written in Python are shared with it."""
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts and the state."""
        return _rebuild, (type(self), self._arguments(), self.state())


def _rebuild(kind: type[Method], arguments: dict[str, Any], state: dict[str, NDArray[np.float64]]) -> Method:
    method = kind(**arguments)
    method.restore(state)
    return method


class HintTaking(Method):
    """A method that takes hints from its caller."""

    def hint(self, gradient: Row, scale: SupportsFloat = 1.0) -> None:
        """Announce a prediction of the round's gradient, before the query is asked for; one per round.

        Raises
        ------
        ValueError
            If the round has a hint already, or this one cannot be used; nothing has changed.
        TypeError
            If the learner takes none.

        """
        self._core.hint(*parse(gradient, self.dim), float(scale))
