"""Metrics of a run for the dashboard of Ray, and for the Prometheus that reads from it."""

from __future__ import annotations

from typing import Any

from surefoot.distributed._watch import Status, WorkerStatus

#: What is counted of each worker: the name of the metric, its description, and where it stands in the status.
_COUNTED = [
    ("surefoot_rows", "Rows that the worker has read", "rows"),
    ("surefoot_bytes_read", "Stored bytes that the worker has read", "bytes"),
    ("surefoot_bytes_sent", "Bytes of messages that the worker has sent", "sent"),
    ("surefoot_bytes_received", "Bytes of messages that the worker has received", "received"),
    ("surefoot_waited_seconds", "Seconds that all the others have waited for the worker alone", "waited_for"),
]
#: What is measured of the run.
_MEASURED = [
    ("surefoot_workers", "Workers that have rows", "working"),
    ("surefoot_lost_workers", "Times that a worker was lost", "lost"),
    ("surefoot_share_read", "Share of the stored bytes that was read", "share"),
    ("surefoot_loss", "Mean loss of the rows so far, each scored before it was learnt", "loss"),
    ("surefoot_objective", "Objective of the best model so far", "objective"),
    ("surefoot_gap", "Bound on how much better the best model could be", "gap"),
]


class Metrics:
    """Reports the status of a run.

    Parameters
    ----------
    module
        `ray.util.metrics`, or what has its `Counter` and `Gauge`.

    """

    def __init__(self, module: Any) -> None:
        tags = ("worker",)
        self._counters = {of: module.Counter(name, description=text, tag_keys=tags) for name, text, of in _COUNTED}
        speed = "Rows that the worker has gone through each second since it joined"
        self._speed = module.Gauge("surefoot_rows_per_second", description=speed, tag_keys=tags)
        self._gauges = {of: module.Gauge(name, description=text) for name, text, of in _MEASURED}
        self._known: dict[tuple[str, int], float] = {}

    def __call__(self, status: Status) -> None:
        """Report a status."""
        for of, gauge in self._gauges.items():
            if (value := getattr(status, of)) is not None:
                gauge.set(float(value))
        for worker in status.each:
            self._report(worker)

    def _report(self, worker: WorkerStatus) -> None:
        tags = {"worker": str(worker.worker)}
        self._speed.set(0.0 if worker.is_lost else worker.rows_per_second, tags=tags)
        for of, counter in self._counters.items():
            value = float(getattr(worker, of))
            # A counter takes what was added, which has to be more than nothing.
            if (added := value - self._known.get((of, worker.worker), 0.0)) > 0.0:
                counter.inc(added, tags=tags)
                self._known[of, worker.worker] = value
