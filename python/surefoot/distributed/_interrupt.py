"""Ctrl-C while workers work: the first one ends the run with the best model so far, a second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Interrupted:
    """The exception with which the handler of the program answered Ctrl-C; `None` before."""

    raised: BaseException | None = None

    def __bool__(self) -> bool:
        return self.raised is not None


@contextmanager
def interruption() -> Iterator[Interrupted]:
    """Take note of Ctrl-C instead of raising an exception in the midst of the work."""
    found = Interrupted()
    before: Any = signal.getsignal(signal.SIGINT)
    # Python runs its handlers on the main thread alone; without one there is nothing to take the place of.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield found
        return

    def note(number: int, frame: Any) -> None:
        if found.raised is not None:
            raise found.raised
        try:
            before(number, frame)
        except BaseException as error:
            found.raised = error

    signal.signal(signal.SIGINT, note)
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, before)
