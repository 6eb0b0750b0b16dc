"""Progress of actors, which are asked for it while they work. Imported once Ray is known to be there."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import ray
from ray.exceptions import RayError

from surefoot.distributed._engine import Received

#: Seconds between two questions to an actor.
_PAUSE = 0.5


class Pulses:
    """Questions to actors how much they have read. Answers are news only: those that fail are dropped."""

    def __init__(self) -> None:
        self._calls: dict[Any, int] = {}
        self._asked = 0.0

    def ask(self, actors: Iterable[tuple[int, Any]]) -> list[Received]:
        """Return what was answered since, and ask those that have answered again; actors with their numbers."""
        now = time.monotonic()
        if now - self._asked < _PAUSE:
            return []
        self._asked = now
        found = self._answered()
        waiting = set(self._calls.values())
        self._calls |= {actor.pulse.remote(): worker for worker, actor in actors if worker not in waiting}
        return found

    def _answered(self) -> list[Received]:
        if not self._calls:
            return []
        calls = list(self._calls)
        ready, _ = ray.wait(calls, num_returns=len(calls), timeout=0)
        found = []
        for call in ready:
            worker = self._calls.pop(call)
            try:
                message = ray.get(call)
            except RayError:
                continue
            found += [] if message is None else [Received(worker, message)]
        return found
