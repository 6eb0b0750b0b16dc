"""Progress of a distributed fit: one line in a terminal, or calls of a function."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from surefoot._surefoot import Run


@dataclass(frozen=True)
class Status:
    """Where a distributed fit stands.

    Attributes
    ----------
    seconds
        Time since the start.
    workers, working
        Number of workers that are there, and of those that have rows.
    lost
        Number of times that a worker was lost.
    exchanges
        Number of sums over all rows so far.
    passes, objective, gap
        Passes over the rows in the search, the objective, and the bound on how much better the best model could be;
        None before they are known.

    """

    seconds: float
    workers: int
    working: int
    lost: int
    exchanges: int
    passes: float | None
    objective: float | None
    gap: float | None

    def __str__(self) -> str:
        text = f"{self.seconds:.0f} s, {self.working} workers, {self.exchanges} exchanges"
        found = "" if self.objective is None else f", objective {self.objective:.6g}"
        return text + found + ("" if self.gap is None else f", gap {self.gap:.2g}")


class Watch:
    """Shows the status of a run; to be called often.

    Parameters
    ----------
    show
        A function that gets each new status, or whether a line is shown in a terminal.

    """

    def __init__(self, show: bool | Callable[[Status], object]) -> None:
        self._call = show if callable(show) else None
        self._draws = show is True and sys.stderr.isatty()
        self._last: Status | None = None
        self._width = 0

    def __call__(self, run: Run) -> None:
        """Show where the run stands, if something has changed."""
        if self._call is None and not self._draws:
            return
        status = Status(**json.loads(run.status()))
        # Time alone is no news.
        if self._last is not None and status == replace(self._last, seconds=status.seconds):
            return
        self._last = status
        if self._call is not None:
            self._call(status)
        else:
            self._draw(str(status))

    def _draw(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        """Remove the line."""
        if self._width:
            self._draw("")
            sys.stderr.write("\r")
            self._width = 0
