"""A trained model with all that its training told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot._outcome import Outcome
from surefoot._surefoot import Incremental, Model
from surefoot._words import translate


@dataclass(frozen=True)
class Certificate:
    """A bound on how much better the best model could be, or the reason why there is none.

    Attributes
    ----------
    kind
        `deterministic`, `expectation`, `probability` or `none`.
    quantity
        What is bounded: `excess`, the objective of the model above that of the best one, or `risk`, the expected loss
        on new rows.
    gap
        The bound, in units of the loss; `None` if there is none.
    relative
        The bound divided by the objective; `None` if it is not known.
    delta
        Probability with which a bound of kind `probability` may fail.
    comparator
        The models that are compared with, in words.
    assumptions
        What has to hold, in words.
    reason
        Why there is no bound; empty if there is one.

    """

    kind: str
    quantity: str = "excess"
    gap: float | None = None
    relative: float | None = None
    delta: float | None = None
    comparator: str | None = None
    assumptions: tuple[str, ...] = ()
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether there is a bound."""
        return self.gap is not None

    def __str__(self) -> str:
        if self.gap is None:
            return f"no certificate: {self.reason}"
        relative = "" if self.relative is None else f", {self.relative:.2g} of it"
        chance = "" if self.delta is None else f" with probability {1 - self.delta:g}"
        if self.quantity == "risk":
            return f"the expected loss on new rows is at most {self.gap:.6g}{chance}"
        return f"no model has an objective lower by more than {self.gap:.3g}{relative}{chance}"


def certificates(found: list[dict[str, Any]]) -> list[Certificate]:
    """Return the certificates that a model file holds."""
    return [
        Certificate(
            kind=one["kind"],
            quantity=one.get("subject", "excess"),
            gap=one.get("value"),
            relative=one.get("relative"),
            delta=one.get("delta"),
            comparator=one.get("comparator"),
            assumptions=tuple(one.get("assumptions", ())),
            reason=translate(one.get("reason", "")),
        )
        for one in found
    ]


def _translated(value: Any) -> Any:
    """Return a value of JSON with the flags in its texts as parameters."""
    if isinstance(value, str):
        return translate(value)
    if isinstance(value, list):
        return [_translated(one) for one in value]
    return {name: _translated(one) for name, one in value.items()} if isinstance(value, dict) else value


@dataclass
class Trained:
    """A model, or a trainer whose model is built when it is first asked for."""

    _model: Model | None
    incremental: Incremental | None = None
    results: dict[str, Any] = field(default_factory=dict)
    curve: dict[str, Any] = field(default_factory=dict)
    page: str | None = None
    notes: list[str] = field(default_factory=list)
    _about: dict[str, Any] | None = None

    @classmethod
    def of_fit(cls, fitted: Outcome) -> Trained:
        """Return what a fit left."""
        notes = [translate(text) for kind, text in fitted.messages if kind == "note"]
        results, curve = _translated(json.loads(fitted.results)), json.loads(fitted.curve)
        return cls(fitted.model, None, results, curve, fitted.page, notes)

    @property
    def model(self) -> Model:
        """The model as it is now."""
        if self._model is None:
            assert self.incremental is not None
            self._model = self.incremental.model()
        return self._model

    def has_changed(self) -> None:
        """Forget what was derived from the model before the trainer learnt more."""
        self._model = None
        self._about = None

    @property
    def about(self) -> dict[str, Any]:
        """Settings, summary and certificates."""
        if self._about is None:
            self._about = json.loads(self.model.about())
        return self._about

    @property
    def summary(self) -> dict[str, Any]:
        """Summary of the training."""
        summary: dict[str, Any] = self.about["summary"]
        return summary

    @property
    def certificate(self) -> Certificate:
        """The tightest bound on the distance to the best model, or the reason why there is none."""
        found = certificates(self.about["certificates"])
        bounds = [one for one in found if one.gap is not None and one.quantity == "excess"]
        if bounds:
            return min(bounds, key=lambda one: float(one.gap or 0.0))
        return found[0] if found else Certificate("none", reason="the model was not certified")

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the losses recorded while rows were learnt, as arrays of equal length."""
        lists = {name: values for name, values in self.curve.items() if name != "search"}
        return {name: np.array(values, dtype=np.float64) for name, values in lists.items()}

    def search(self) -> dict[str, NDArray[np.float64]]:
        """Return the objectives recorded while the optimum was sought, as arrays of equal length."""
        found = self.curve.get("search", {})
        return {name: np.array(values, dtype=np.float64) for name, values in found.items()}

    def apart(self) -> Trained:
        """Return a copy that has the model and no trainer."""
        return Trained(self.model, None, self.results, self.curve, self.page, self.notes)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_model": self.model, "incremental": None, "_about": None}
