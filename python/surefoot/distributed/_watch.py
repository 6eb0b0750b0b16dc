"""Progress of a distributed fit: one line in a terminal, or calls of a function."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from surefoot._surefoot import Run


@dataclass(frozen=True)
class WorkerStatus:
    """What one worker has done.

    Attributes
    ----------
    worker
        Number of the worker.
    shards
        First and last of the shards that it has, from 1 on; None if it has none.
    rows, bytes
        Rows and stored bytes that it has read.
    visited, rows_per_second
        Rows that it has gone through, in all passes over them, and the speed since it joined.
    sent, received
        Bytes of messages.
    waited_for
        Seconds that all the others have waited for it alone.
    is_lost
        Whether it was lost.

    """

    worker: int
    shards: tuple[int, int] | None
    rows: int
    visited: int
    rows_per_second: float
    bytes: int
    sent: int
    received: int
    waited_for: float
    is_lost: bool


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
    rows, rows_per_second
        Rows that were read, and the speed of the last seconds, in all passes over them.
    share
        Share of the stored bytes that was read; None if their number is not known.
    exchanged
        Bytes of messages in both directions.
    loss
        Mean loss of the rows so far in one pass, each scored before it was learnt; None before it is known.
    passes, objective, gap
        Passes over the rows in the search, the objective, and the bound on how much better the best model could be;
        None before they are known.
    each
        `WorkerStatus` of each worker, also of those that were lost.

    """

    seconds: float
    workers: int
    working: int
    lost: int
    exchanges: int
    rows: int
    rows_per_second: float
    share: float | None
    exchanged: int
    loss: float | None
    passes: float | None
    objective: float | None
    gap: float | None
    each: tuple[WorkerStatus, ...]

    @classmethod
    def of(cls, run: Run) -> Status:
        """Return where a run stands."""
        found = json.loads(run.status())
        each = (
            WorkerStatus(**{**one, "shards": tuple(one["shards"]) if one["shards"] else None}) for one in found["each"]
        )
        return cls(**{**found, "each": tuple(each)})

    def __str__(self) -> str:
        read = f"{self.rows:,} rows" if self.share is None else f"{self.share:.0%}"
        text = f"{self.seconds:.0f} s, {read} read, {self.rows_per_second:,.0f} rows/s, {self.working} workers"
        loss = "" if self.loss is None else f", loss {self.loss:.6g}"
        found = loss if self.objective is None else f", objective {self.objective:.6g}"
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
        status = Status.of(run)
        if self._last is not None and _is_old(status, self._last):
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


def _is_old(status: Status, last: Status) -> bool:
    """Whether a status has no news: time alone, and the speeds that follow from it, are none."""
    each = tuple(replace(one, rows_per_second=0.0) for one in status.each)
    known = tuple(replace(one, rows_per_second=0.0) for one in last.each)
    same = replace(status, seconds=last.seconds, rows_per_second=last.rows_per_second, each=known)
    return each == known and same == replace(last, each=known)
