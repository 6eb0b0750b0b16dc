r"""An optimiser for PyTorch without a learning rate: the interpolated anytime conversion over adaptive steps.

:class:`Anytime` trains a network as ``torch.optim.AdamW`` does, with two differences. The size of its steps
comes from the gradients and from the distance moved, so there is no learning rate to tune. And the model is
the average of its iterates, as in Schedule-Free, so there is no schedule to plan and no last step to know.

>>> import torch
>>> from surefoot.torch import Anytime
>>> _ = torch.manual_seed(0)
>>> model = torch.nn.Linear(2, 1)
>>> optimizer = Anytime(model.parameters())
>>> inputs = torch.randn(256, 2)
>>> labels = inputs @ torch.tensor([[2.0], [-1.0]])
>>> for _ in range(500):
...     optimizer.zero_grad()
...     torch.nn.functional.mse_loss(model(inputs), labels).backward()
...     optimizer.step()
>>> with optimizer.averaged():  # evaluate and save here
...     bool(torch.nn.functional.mse_loss(model(inputs), labels) < 1e-3)
True

Three points
------------
Of each parameter the method has three, in the notation of the library:

========  ============================================  =======================================
w_t       iterate of the learner                        nowhere; the state has w_t − x_0
x_t       weighted average of the iterates, the model   :meth:`Anytime.averaged`; the state has x_t − x_0
y_t       query point βx_t + (1 − β)w_t                 the parameter itself, where gradients are taken
========  ============================================  =======================================

**Evaluate and export x_t**, within ``with optimizer.averaged():`` or from
:meth:`Anytime.averaged_state_dict`. **Train and resume at y_t**, which the parameters hold at any other
time, so training needs no switch. (A network with dropout or batch normalisation needs its own
``model.train()`` and ``model.eval()``, as ever.) What is written into the parameters from outside, by
clipping weights or loading others, is undone by the next step: make a new optimiser then.

Batch normalisation collects its running statistics at y_t; collect them again at x_t before evaluating::

    with optimizer.averaged():
        torch.optim.swa_utils.update_bn(batches, model)
        model.eval()
        ...
    model.train()

The update
----------
With d_t the current distance, α_t = d_t² the weight of a round, and g_t the gradient at y_t, for each
coordinate

* S_t = β₂S_{t−1} + α_t g_t², N_t = β₂N_{t−1} + α_t, so √(S_t/N_t) is the usual size of its gradient;
* Z_t = Z_{t−1} + α_t g_t, and C_t = C_{t−1} + Σ α_t⟨g_t, x_0 − w_t⟩ over all coordinates;
* d_{t+1} = max(d_t, C_t/‖Z_t‖₁), one number for the whole model;
* w_{t+1} = w_t − lr·d_{t+1}·(g_t/√(S_t/N_t) + weight_decay·y_t);
* x_{t+1} = average of w_1 … w_{t+1} with weights (lr·d_i)², and y_{t+1} = βx_{t+1} + (1 − β)w_{t+1}.

C_t/‖Z_t‖₁ is what is known of the distance to go. For a convex loss with minimiser u, exact gradients, lr
= 1 and no decay, the theorem of the interpolated conversion says Σα_t⟨g_t, w_t − u⟩ ≥ 0, so C_t/‖Z_t‖₁ ≤
max_j|x_{0,j} − u_j|: the method never thinks the minimiser farther than it is. For deep networks that is a
heuristic, as in D-Adaptation and Prodigy, which it comes from. The first distance, 1e-6, grows by itself
within some tens of steps.

``beta2=1`` takes sums in place of the moving average: N_t = α_t, so steps fall as in AdaGrad, with 1/√t.
Take it for convex losses, and for batches of one or a few rows, where steps that do not fall end at the
level of the noise.

Multiplying the loss by a constant changes nothing, as long as squares of gradients neither overflow nor
underflow: in 32 bits sizes from 1e-15 to 1e16. Smaller ones count less than they should, larger ones are
refused.

What it costs
-------------
Five numbers a parameter in 32 bits (64 for ``float64``), where AdamW has two: the start x_0, ``shift`` w_t
− x_0, ``average_shift`` x_t − x_0, ``squares`` S_t and ``sum`` Z_t. A parameter is y_t rounded once, in
half precision too, so steps below its resolution add up all the same.

On an accelerator a step waits for the device, as it looks at sums over all gradients: to refuse what is not
finite before anything changes, and to learn the distance. So it cannot be part of a captured graph.

Sparse gradients (``torch.nn.Embedding(..., sparse=True)``) give the path of dense ones, at the price of
dense ones: the query point of a row moves towards its iterate even in rounds without a gradient, and what
reads the row reads it before the optimiser is asked.

Sources
-------
Cutkosky (2019), Anytime online-to-batch conversions; Defazio et al. (2024), The road less scheduled, for the
interpolation; Mishchenko and Defazio (2024), Prodigy, for the distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, overload

try:
    import torch
except ImportError as error:
    raise ImportError("surefoot.torch needs PyTorch: pip install 'surefoot[torch]'") from error

__all__ = ["Anytime"]

_TENSORS = ("start", "shift", "average_shift", "squares", "sum")
_SCALARS = ("scale", "count", "total", "length")
_FARTHEST = 1e18  # steps of this size add up to numbers of 32 bits
_SHARED = ("distance", "correlation", "rounds", "skipped")


class Anytime(torch.optim.Optimizer):
    """Optimiser without a learning rate: adaptive steps under the interpolated anytime conversion.

    The page of the module has the method, and which of its points to evaluate.

    Parameters
    ----------
    params
        Parameters, named parameters, or dictionaries of parameter groups, as for any optimiser of PyTorch.
        A group may have its own ``lr``, ``interpolation``, ``beta2`` and ``weight_decay``. All groups share
        one distance.
    lr
        Factor of all steps, for schedulers and for layers that shall move less than others; not a learning
        rate, and not to be tuned. May be 0.
    interpolation
        β, the share of the average in the query point, from 0 (gradients at the iterate) to 1 (at the
        average).
    beta2
        Memory of the squares of gradients, as in Adam; 1 keeps all, as AdaGrad does.
    weight_decay
        Decay of each step, decoupled from the gradient and times the current distance: as in
        ``torch.optim.AdamW`` with the distance for a learning rate.
    initial_distance
        First guess of the largest distance of a parameter from its start. Of no matter if far below the
        truth.
    nonfinite
        What to do with a gradient that is not finite, or whose square is not: ``"raise"`` an error that
        names the parameter, or ``"skip"`` the step and count it in :attr:`skipped`. Nothing has changed in
        either case. ``torch.amp.GradScaler`` skips such steps before the optimiser sees them, and needs
        neither.
    foreach
        Update all parameters of a kind at once, which is faster, or one after the other, which takes less
        memory.

    Raises
    ------
    ValueError
        For a setting out of its range.
    TypeError
        For a parameter that is not a real floating-point tensor.

    Examples
    --------
    >>> import torch
    >>> weight = torch.nn.Parameter(torch.tensor([0.0, 0.0]))
    >>> optimizer = Anytime([weight], beta2=1)
    >>> for _ in range(1000):
    ...     optimizer.zero_grad()
    ...     (weight - torch.tensor([3.0, -0.5])).abs().sum().backward()
    ...     optimizer.step()
    >>> [round(number, 1) for number in next(optimizer.averaged_parameters()).tolist()]
    [3.0, -0.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        *,
        lr: float = 1.0,
        interpolation: float = 0.9,
        beta2: float = 0.999,
        weight_decay: float = 0.0,
        initial_distance: float = 1e-6,
        nonfinite: Literal["raise", "skip"] = "raise",
        foreach: bool = True,
    ) -> None:
        """Take the parameters and the settings."""
        if nonfinite not in ("raise", "skip"):
            raise ValueError(f"nonfinite must be 'raise' or 'skip', not {nonfinite!r}")
        if not 0 < initial_distance < math.inf:
            raise ValueError(f"initial_distance must be positive and finite, not {initial_distance!r}")
        settings = {"lr": lr, "interpolation": interpolation, "beta2": beta2, "weight_decay": weight_decay}
        shared = {"distance": float(initial_distance), "correlation": 0.0, "rounds": 0, "skipped": 0}
        self._inside = False
        super().__init__(params, {**settings, "nonfinite": nonfinite, "foreach": foreach, **shared})

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore from a pickle or a copy, which holds no open :meth:`averaged`."""
        super().__setstate__(state)
        self.__dict__.setdefault("_inside", False)

    @property
    def distance(self) -> float:
        """The distance d_t, how far the method thinks that a parameter has to go: the size of a step."""
        return float(self.param_groups[0]["distance"])

    @property
    def skipped(self) -> int:
        """Number of steps that were skipped as their gradient was not finite."""
        return int(self.param_groups[0]["skipped"])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, which joins the distance of the others and starts its own average.

        Parameters
        ----------
        param_group
            The parameters under ``"params"``, and settings that differ from the defaults.

        Examples
        --------
        >>> import torch
        >>> optimizer = Anytime([torch.zeros(2, requires_grad=True)])
        >>> optimizer.add_param_group({"params": [torch.zeros(3, requires_grad=True)], "weight_decay": 0.1})
        >>> [group["weight_decay"] for group in optimizer.param_groups]
        [0.0, 0.1]

        """
        group = dict(param_group)
        if not isinstance(group["params"], torch.Tensor | set):
            group["params"] = list(group["params"])
        first = self.param_groups[0] if self.param_groups else self.defaults
        group.update({name: first[name] for name in _SHARED})
        _check_settings({**self.defaults, **group})
        _check_parameters(group["params"])
        super().add_param_group(group)

    @overload
    def step(self, closure: None = None) -> None: ...

    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Take one step from the gradients of the parameters; those without a gradient stay as they are.

        Parameters
        ----------
        closure
            Function that computes the loss and its gradients, and returns the loss.

        Returns
        -------
        The loss, if there is a closure.

        Raises
        ------
        FloatingPointError
            For a gradient that is not finite or whose square is not, unless ``nonfinite="skip"``; and where
            the distance grows without end, as it does if the loss has no minimum.
        RuntimeError
            Within :meth:`averaged`.

        """
        if self._inside:
            raise RuntimeError("step() within averaged(): the parameters hold the average, leave the block first")
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        buckets = self._buckets()
        if buckets:
            self._advance(buckets)
        return loss

    def _advance(self, buckets: list[_Bucket]) -> None:
        """Do all of a step: look at the gradients, learn the distance from them, move."""
        correlation = self._look(buckets)
        if correlation is None:
            self._share(skipped=self.skipped + 1)
            return
        before = self.distance
        for bucket in buckets:
            bucket.add(before)
        _measure(buckets)
        correlation += self.param_groups[0]["correlation"]
        after = max(before, self._estimate(correlation))
        if after > _FARTHEST:
            raise FloatingPointError(f"the distance has grown beyond {_FARTHEST:.0e}: the loss has no minimum")
        for bucket in buckets:
            bucket.move(after)
        rounds = self.param_groups[0]["rounds"] + 1
        self._share(distance=after, correlation=correlation * (before / after) ** 2, rounds=rounds)

    def _look(self, buckets: list[_Bucket]) -> float | None:
        """Return Σ⟨g, x_0 − w⟩, or None where the step is to be skipped. Nothing changes."""
        correlation = 0.0
        for bucket in buckets:
            largest, products = bucket.look()
            for parameter, size in zip(bucket.parameters, largest, strict=True):
                if not size <= bucket.limit:
                    if bucket.group["nonfinite"] == "skip":
                        return None
                    raise FloatingPointError(_describe_gradient(self._name(parameter), size, bucket.limit))
            correlation += math.fsum(products)
        return correlation

    def _estimate(self, correlation: float) -> float:
        """Return C/‖Z‖₁ over all parameters that ever had a gradient; 0 if unknown."""
        states = (self.state[p] for group in self.param_groups for p in group["params"] if p in self.state)
        length = math.fsum(state["length"] * (state["scale"] / self.distance) ** 2 for state in states)
        ratio = correlation / length if length > 0 else 0.0
        return ratio if math.isfinite(ratio) else 0.0

    def _share(self, **values: float) -> None:
        """Set numbers that all groups have in common."""
        for group in self.param_groups:
            group.update(values)

    def _buckets(self) -> list[_Bucket]:
        """Return all parameters that have a gradient, those with the same settings and history together."""
        buckets: dict[tuple[Any, ...], _Bucket] = {}
        for index, group in enumerate(self.param_groups):
            _check_settings(group)
            for place, parameter in enumerate(group["params"]):
                if parameter.grad is None:
                    continue
                state = self._state_of(group, parameter)
                kind = (index, parameter.device, parameter.dtype, *(state[name] for name in _SCALARS[:3]))
                key = kind if group["foreach"] else (*kind, place)
                buckets.setdefault(key, _Bucket(group)).take(parameter, state)
        return list(buckets.values())

    def _state_of(self, group: dict[str, Any], parameter: torch.Tensor) -> dict[str, Any]:
        """Return the state of a parameter, which starts at its first gradient."""
        state: dict[str, Any] = self.state[parameter]
        if not state:
            start = parameter.detach().to(_state_dtype(parameter), copy=True)
            if not bool(torch.isfinite(start).all()):
                del self.state[parameter]
                raise FloatingPointError(f"{self._name(parameter)} is not finite before its first step")
            first = (float(group["lr"]) * self.distance) ** 2
            state |= {"start": start, **{name: torch.zeros_like(start) for name in _TENSORS[1:]}}
            state |= {"scale": self.distance, "count": 0.0, "total": first, "length": 0.0}
        return state

    def _name(self, parameter: torch.Tensor) -> str:
        """Return how a message calls a parameter."""
        for index, group in enumerate(self.param_groups):
            for place, other in enumerate(group["params"]):
                if other is parameter:
                    shape = tuple(parameter.shape)
                    if "param_names" in group:
                        return f"parameter '{group['param_names'][place]}' of shape {shape}"
                    return f"parameter {place} of group {index}, of shape {shape},"
        return "a parameter"

    @torch.no_grad()
    def averaged_parameters(self) -> Iterator[torch.Tensor]:
        """Iterate over copies of the averages x_t, in the order of the groups and the type of the parameters.

        Returns
        -------
        An iterator over tensors; a parameter that has not had a gradient is its own average.

        Examples
        --------
        >>> import torch
        >>> weight = torch.zeros(2, requires_grad=True)
        >>> [average.tolist() for average in Anytime([weight]).averaged_parameters()]
        [[0.0, 0.0]]

        """
        averages = [self._average(p) for group in self.param_groups for p in group["params"]]
        return iter(averages)

    def _average(self, parameter: torch.Tensor) -> torch.Tensor:
        """Return a copy of the average of a parameter."""
        if parameter not in self.state:
            return parameter.detach().clone()
        state = self.state[parameter]
        average: torch.Tensor = state["start"] + state["average_shift"]
        return average.to(parameter.dtype)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Put the averages x_t, which are the model, into the parameters for the length of a ``with`` block.

        On leaving, by an exception too, the parameters get back their bits. No step can be taken within the
        block.

        Raises
        ------
        RuntimeError
            Within another such block of the same optimiser.

        Examples
        --------
        >>> import torch
        >>> weight = torch.ones(1, requires_grad=True)
        >>> optimizer = Anytime([weight], interpolation=0)
        >>> for _ in range(100):
        ...     optimizer.zero_grad()
        ...     weight.square().backward()
        ...     optimizer.step()
        >>> before = weight.item()
        >>> with optimizer.averaged():
        ...     weight.item() == before
        False
        >>> weight.item() == before
        True

        """
        if self._inside:
            raise RuntimeError("averaged() within averaged(): the parameters hold the average already")
        parameters = [p for group in self.param_groups for p in group["params"] if p in self.state]
        kept = [p.detach().clone() for p in parameters]
        self._inside = True
        try:
            with torch.no_grad():
                for parameter in parameters:
                    parameter.copy_(self._average(parameter))
            yield
        finally:
            with torch.no_grad():
                for parameter, value in zip(parameters, kept, strict=True):
                    parameter.copy_(value)
            self._inside = False

    def averaged_state_dict(self, model: torch.nn.Module) -> dict[str, Any]:
        """Return a copy of the ``state_dict`` of a model, with the averages for its parameters.

        Parameters
        ----------
        model
            The module that holds the parameters. What the optimiser does not train is copied as it is,
            running statistics of batch normalisation included.

        Examples
        --------
        >>> import torch
        >>> model = torch.nn.Linear(2, 1)
        >>> sorted(Anytime(model.parameters()).averaged_state_dict(model))
        ['bias', 'weight']

        """
        if self._inside:
            return _copy_all(model.state_dict())
        with self.averaged():
            return _copy_all(model.state_dict())

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what ``state_dict`` returned; with the parameters of that moment, training goes on to the bit.

        Keeps the precision of the state, also for half-precision parameters, and copies it. The parameters
        are the model's: save them outside :meth:`averaged` to resume.

        Parameters
        ----------
        state_dict
            What ``state_dict`` returned, or a copy of it from a file.

        Raises
        ------
        ValueError
            For the state of another optimiser or other parameters. Nothing has changed then.
        RuntimeError
            Within :meth:`averaged`.

        Examples
        --------
        >>> import torch
        >>> first, second = (Anytime([torch.zeros(2, requires_grad=True)]) for _ in range(2))
        >>> second.load_state_dict(first.state_dict())

        """
        if self._inside:
            raise RuntimeError("load_state_dict() within averaged(): leave the block first")
        saved = self._match(state_dict)
        super().load_state_dict(state_dict)
        for parameter, state in saved:
            place = {"device": parameter.device, "dtype": _state_dtype(parameter), "copy": True}
            exact = {name: state[name].detach().to(**place) for name in _TENSORS}
            self.state[parameter] = {**state, **exact}

    def _match(self, state_dict: dict[str, Any]) -> list[tuple[torch.Tensor, dict[str, Any]]]:
        """Return each parameter with its saved state; refuses what is not the state of these parameters."""
        groups = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in groups]
        if sizes != [len(group["params"]) for group in self.param_groups]:
            raise ValueError(f"the state is that of groups of {sizes} parameters, these are others")
        for group in groups:
            missing = [name for name in self.defaults if name not in group and name != "differentiable"]
            if missing:
                raise ValueError(f"not the state of Anytime: a group has no {', '.join(missing)}")
            _check_settings(group)
            if not 0 < group["distance"] < math.inf:
                raise ValueError(f"the distance of the state must be positive, not {group['distance']!r}")
        numbers = [number for group in groups for number in group["params"]]
        parameters = [p for group in self.param_groups for p in group["params"]]
        pairs = zip(numbers, parameters, strict=True)
        saved = [(p, state_dict["state"][number]) for number, p in pairs if number in state_dict["state"]]
        for parameter, state in saved:
            _check_state(self._name(parameter), parameter, state)
        return saved


@dataclass
class _Bucket:
    """Parameters with the same settings, types and history, which are updated together."""

    group: dict[str, Any]
    parameters: list[torch.Tensor] = field(default_factory=list)
    gradients: list[torch.Tensor] = field(default_factory=list)
    states: list[dict[str, Any]] = field(default_factory=list)

    def take(self, parameter: torch.Tensor, state: dict[str, Any]) -> None:
        """Add a parameter that has a gradient."""
        gradient = parameter.grad
        assert gradient is not None
        dense = gradient if gradient.layout == torch.strided else gradient.to_dense()
        self.parameters.append(parameter)
        self.gradients.append(dense.detach().to(_state_dtype(parameter)))
        self.states.append(state)

    @property
    def limit(self) -> float:
        """The largest size of a gradient for which squares and their sums stay finite."""
        return 1e-3 * math.sqrt(torch.finfo(_state_dtype(self.parameters[0])).max)

    def tensors(self, name: str) -> list[torch.Tensor]:
        """Return one tensor of the state of each parameter."""
        return [state[name] for state in self.states]

    def set(self, **values: float) -> None:
        """Set numbers of the state of each parameter."""
        for state in self.states:
            state.update(values)

    def look(self) -> tuple[list[float], list[float]]:
        """Return for each parameter the largest size of a gradient entry, and ⟨g, x_0 − w⟩."""
        ends = [torch.stack(torch.aminmax(g)) if g.numel() else g.new_zeros(2) for g in self.gradients]
        pairs = zip(self.tensors("shift"), self.gradients, strict=True)
        products = [torch.dot(shift.reshape(-1), gradient.reshape(-1)) for shift, gradient in pairs]
        numbers = torch.cat([*ends, torch.stack(products)]).tolist()
        count = len(products)
        largest = [max(-numbers[i], numbers[i + 1]) for i in range(0, 2 * count, 2)]
        return largest, [-product for product in numbers[2 * count :]]

    def add(self, distance: float) -> None:
        """Add the gradients to the sums, which are kept in units of the weight of the current round."""
        squares, sums = self.tensors("squares"), self.tensors("sum")
        state, beta2 = self.states[0], float(self.group["beta2"])
        ratio = (state["scale"] / distance) ** 2
        if beta2 * ratio != 1:
            torch._foreach_mul_(squares, beta2 * ratio)
        if ratio != 1:
            torch._foreach_mul_(sums, ratio)
        torch._foreach_addcmul_(squares, self.gradients, self.gradients)
        torch._foreach_add_(sums, self.gradients)
        self.set(scale=distance, count=1.0 if beta2 == 1 else beta2 * ratio * state["count"] + 1)

    def lengths(self) -> torch.Tensor:
        """Return ‖Z‖₁ of each parameter."""
        return torch.stack([total.abs().sum() for total in self.tensors("sum")])

    def move(self, distance: float) -> None:
        """Move iterates, averages and parameters."""
        shifts, averages = self.tensors("shift"), self.tensors("average_shift")
        rate, decay = float(self.group["lr"]) * distance, float(self.group["weight_decay"])
        if decay != 0:
            torch._foreach_add_(shifts, self._queries(), alpha=-rate * decay)
        roots = torch._foreach_sqrt(self.tensors("squares"))
        torch._foreach_add_(roots, math.sqrt(torch.finfo(roots[0].dtype).tiny))  # where squares underflow
        unit = math.sqrt(self.states[0]["count"])
        torch._foreach_addcdiv_(shifts, self.gradients, roots, value=-rate * unit)
        total = self.states[0]["total"] + rate**2
        torch._foreach_lerp_(averages, shifts, rate**2 / total if total > 0 else 1.0)
        self.set(total=total)
        self._write()

    def _write(self) -> None:
        """Write the query points, rounded once; half precision ends at its largest number."""
        kind = self.parameters[0].dtype
        same = kind == _state_dtype(self.parameters[0])
        queries = self._queries(self.parameters if same else None)
        if not same:
            torch._foreach_clamp_max_(queries, torch.finfo(kind).max)
            torch._foreach_clamp_min_(queries, torch.finfo(kind).min)
            torch._foreach_copy_(self.parameters, queries)

    def _queries(self, into: list[torch.Tensor] | None = None) -> list[torch.Tensor]:
        """Return the query points, in the type of the state and in the tensors given, if any."""
        shifts, share = self.tensors("shift"), float(self.group["interpolation"])
        queries = [torch.empty_like(shift) for shift in shifts] if into is None else into
        torch._foreach_copy_(queries, shifts)
        torch._foreach_lerp_(queries, self.tensors("average_shift"), share)
        torch._foreach_add_(queries, self.tensors("start"))
        return queries


def _measure(buckets: list[_Bucket]) -> None:
    """Store ‖Z‖₁ of each parameter in its state; reads them together."""
    for bucket in buckets:
        for state, length in zip(bucket.states, bucket.lengths().tolist(), strict=True):
            state["length"] = length


def _state_dtype(parameter: torch.Tensor) -> torch.dtype:
    """Return the type of the state of a parameter: its own, but at least 32 bits."""
    return torch.promote_types(parameter.dtype, torch.float32)


def _check_settings(group: dict[str, Any]) -> None:
    """Refuse settings of a group that are out of their range."""
    for name, low, high in (
        ("interpolation", 0, 1),
        ("beta2", 0, 1),
        ("lr", 0, None),
        ("weight_decay", 0, None),
    ):
        value = float(group[name])
        if not (low <= value < math.inf and (high is None or value <= high)):
            top = "finite" if high is None else f"at most {high}"
            raise ValueError(f"{name} must be at least {low} and {top}, not {group[name]!r}")


def _check_parameters(params: Any) -> None:
    """Refuse parameters that are not real floating-point tensors, by name where there is one."""
    for place, item in enumerate([params] if isinstance(params, torch.Tensor) else params):
        name, parameter = item if isinstance(item, tuple) else (place, item)
        if isinstance(parameter, torch.Tensor) and not parameter.is_floating_point():
            kind = str(parameter.dtype).removeprefix("torch.")
            advice = "; train torch.view_as_real of it" if parameter.is_complex() else ""
            raise TypeError(f"parameter {name!r} is {kind}: Anytime trains real floating-point tensors{advice}")


def _check_state(name: str, parameter: torch.Tensor, state: dict[str, Any]) -> None:
    """Refuse a saved state that is not that of Anytime for this parameter."""
    missing = [key for key in (*_TENSORS, *_SCALARS) if key not in state]
    if missing:
        raise ValueError(f"not the state of Anytime: {name} has no {', '.join(missing)}")
    for key in _TENSORS:
        if state[key].shape != parameter.shape:
            shape = tuple(state[key].shape)
            raise ValueError(f"the state of {name} has shape {shape}: it is that of another model")
        if not bool(torch.isfinite(state[key]).all()):
            raise ValueError(f"the state of {name} is damaged: {key} is not finite")


def _describe_gradient(name: str, size: float, limit: float) -> str:
    """Return the message for a gradient that is refused."""
    kind = f"as large as {size:.1e}, above {limit:.1e}" if math.isfinite(size) else "not finite"
    return f"the gradient of {name} is {kind}; nothing has changed (nonfinite='skip' skips such steps)"


def _copy_all(values: dict[str, Any]) -> dict[str, Any]:
    """Return a dictionary with a copy of each tensor."""
    return {
        name: value.detach().clone() if isinstance(value, torch.Tensor) else value for name, value in values.items()
    }
