"""What a fit left, as a value that goes from process to process."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot._surefoot import Fitted, Model


@dataclass
class Outcome:
    """The parts of `Fitted`, with the exception that ended the fit, if one did."""

    model: Model | None
    stop: str | None
    results: str
    curve: str
    page: str | None
    messages: list[tuple[str, str]]
    raised: BaseException | None = None

    @classmethod
    def of(cls, fitted: Fitted, raised: BaseException | None = None) -> Outcome:
        """Return what a fit left."""
        raised = fitted.raised if raised is None else raised
        return cls(fitted.model, fitted.stop, fitted.results, fitted.curve, fitted.page, fitted.messages, raised)
