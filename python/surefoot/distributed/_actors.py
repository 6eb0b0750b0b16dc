"""The actors of one run on a Ray cluster. Imported once Ray is known to be there."""

from __future__ import annotations

import os
import time
import uuid
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import ray
import ray.util.metrics
from ray.exceptions import ActorDiedError, ActorUnavailableError, ObjectStoreFullError, RayError
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from surefoot._surefoot import Worker, memory
from surefoot.distributed._engine import Event, Joined, Lost, Received, WorkersFailed
from surefoot.distributed._metrics import Metrics
from surefoot.distributed._pulses import Pulses
from surefoot.distributed._watch import Status

if TYPE_CHECKING:
    from surefoot.distributed._ray import RayEngine

#: Number of bytes from which a message goes through the object store.
_LARGE = 100_000
#: Seconds between two attempts to reach an actor.
_PAUSE = 0.3
#: Number of attempts in a row to start an actor.
_ATTEMPTS = 5


class SurefootWorker:
    """What an actor runs: a worker."""

    def __init__(self, folder: str, share: int) -> None:
        # Names of files are relative to the folder of the coordinator, where there is one.
        if os.path.isdir(folder):
            os.chdir(folder)
        os.environ.setdefault("SUREFOOT_MEMORY", str(memory() // share))
        self._worker = Worker()
        self._name = uuid.uuid4().hex

    def ready(self) -> str:
        """Return a name that is another one after a restart, which Ray may have made without telling."""
        return self._name

    def handle(self, name: str, head: bytes, body: Any) -> list[Any] | None:
        """Return the messages in return for one, large ones as arrays, which Ray does not copy.

        `None` if the message is for one before a restart.
        """
        if name != self._name:
            return None
        answers = self._worker.handle(head, body)
        return [np.frombuffer(one, np.uint8) if len(one) >= _LARGE else one for one in answers]

    @ray.method(concurrency_group="pulse")  # type: ignore[untyped-decorator,unused-ignore]  # Ray is untyped, if there
    def pulse(self) -> bytes | None:
        """Return a message about progress, also while `handle` runs; `None` if there is no news."""
        return self._worker.pulse()


@dataclass
class _Slot:
    """An actor, and the number under which it is known to the coordinator; `None` before it is ready."""

    place: int
    actor: Any
    worker: int | None = None
    name: str = ""
    attempts: int = 0


class Actors:
    """The actors of one run."""

    def __init__(self, engine: RayEngine, workers: int, reserved: int) -> None:
        self.workers, self.patience = workers, engine.patience
        self._engine, self._reserved = engine, reserved
        self._group: Any = None
        self._slots: list[_Slot] = []
        self._calls: dict[Any, tuple[_Slot, int | None]] = {}
        self._later: deque[tuple[float, _Slot]] = deque()
        self._waiting: list[Event] = []
        self._last: tuple[bytes, Any] = (b"", b"")
        self._next = self._lost = 0
        self._metrics, self._pulses = Metrics(ray.util.metrics), Pulses()

    def begin(self) -> None:
        """Ask for the actors; those that have no room yet come when there is."""
        bundle = {name: amount for name, amount in self._engine.resources.items() if amount > 0}
        self._group = placement_group([bundle] * self._reserved, strategy="SPREAD")
        for place in range(self.workers):
            slot = _Slot(place, self._create(place))
            self._slots.append(slot)
            self._greet(slot)

    def _create(self, place: int) -> Any:
        others = dict(self._engine.resources)
        known = {"num_cpus": others.pop("CPU", 0), "num_gpus": others.pop("GPU", 0)}
        known |= {"memory": others.pop("memory")} if "memory" in others else {}
        strategy: Any = "SPREAD"
        if place < self._reserved:
            strategy = PlacementGroupSchedulingStrategy(self._group, placement_group_bundle_index=place)
        remote: Any = ray.remote(concurrency_groups={"pulse": 1})  # type: ignore[call-overload,unused-ignore]
        kind = remote(SurefootWorker).options(
            **known, resources=others, scheduling_strategy=strategy, max_restarts=-1, max_task_retries=0
        )
        nodes = sum(1 for node in ray.nodes() if node["Alive"])
        return kind.remote(os.getcwd(), -(-self.workers // max(1, nodes)))

    def _greet(self, slot: _Slot) -> None:
        self._calls[slot.actor.ready.remote()] = (slot, None)

    def send(self, worker: int, head: bytes, body: bytes) -> None:
        """Send a message; the same body to several workers is stored once."""
        slot = next((slot for slot in self._slots if slot.worker == worker), None)
        if slot is None:
            return
        part: Any = body
        if len(body) >= _LARGE:
            if self._last[0] is not body:
                self._last = (body, _stored(body))
            part = self._last[1]
        self._calls[slot.actor.handle.remote(slot.name, head, part)] = (slot, worker)

    def receive(self, timeout: float) -> list[Event]:
        """Return what the calls of actors have returned since."""
        while self._later and self._later[0][0] <= time.monotonic():
            self._greet(self._later.popleft()[1])
        if not self._calls:
            time.sleep(timeout)
            return []
        calls = list(self._calls)
        ready, _ = ray.wait(calls, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = ray.wait(calls, num_returns=len(calls), timeout=0)
        found: list[Event] = []
        for call in ready:
            found += self._returned(call, *self._calls.pop(call))
        found += self._pulses.ask((slot.worker, slot.actor) for slot in self._slots if slot.worker is not None)
        return self._released(found)

    def _returned(self, call: Any, slot: _Slot, worker: int | None) -> list[Event]:
        try:
            answer = ray.get(call)
        # Beside a lost actor, its answer may be lost with the node that kept it.
        except RayError as error:
            return self._failed(slot, worker, error)
        if worker is None:
            slot.worker, slot.name, slot.attempts = self._next, answer, 0
            self._next += 1
            return [Joined(slot.worker)]
        if worker != slot.worker:
            return []
        if answer is None:
            return self._failed(slot, worker, None)
        return [Received(worker, message) for message in answer]

    def _failed(self, slot: _Slot, worker: int | None, error: Exception | None) -> list[Event]:
        """Have an actor that failed start anew; its other calls fail too, and are of no interest then."""
        if worker != slot.worker:
            return []
        how = "it was restarted" if error is None else _first_line(error)
        slot.worker = None
        # One that is unavailable is being restarted by Ray, which may take until there is room for it.
        if error is not None and not isinstance(error, ActorUnavailableError):
            slot.attempts += 1
            if slot.attempts > _ATTEMPTS:
                remedy = "is this version of surefoot on all nodes?"
                raise WorkersFailed(f"an actor cannot be started: {how}: {remedy}")
            if not isinstance(error, ActorDiedError):
                ray.kill(slot.actor)
            slot.actor = self._create(slot.place)
        self._later.append((time.monotonic() + _PAUSE, slot))
        if worker is None:
            return []
        self._lost += 1
        if 0 <= self._engine.max_failures < self._lost:
            limit = self._engine.max_failures
            raise WorkersFailed(
                f"{self._lost} workers were lost, more than max_failures={limit} allows; the last: {how}"
            )
        return [Lost(worker, how)]

    def _released(self, found: list[Event]) -> list[Event]:
        """Hold events back until as many workers are ready as the run begins with."""
        self._waiting += found
        if self._next < self._reserved:
            return []
        released, self._waiting = self._waiting, []
        return released

    def watch(self, status: Status) -> None:
        """Report where the run stands to the dashboard."""
        self._metrics(status)

    def close(self) -> None:
        """End the actors, and free their room."""
        for slot in self._slots:
            ray.kill(slot.actor)
        if self._group is not None:
            remove_placement_group(self._group)
        self._slots.clear()
        self._calls.clear()
        self._last = (b"", b"")


def _stored(body: bytes) -> Any:
    try:
        return ray.put(np.frombuffer(body, np.uint8))
    except ObjectStoreFullError:
        size = len(body) >> 20
        remedy = "give object_store_memory a larger number where the cluster is started"
        raise WorkersFailed(f"the object store of Ray has no room for a message of {size} MiB: {remedy}") from None


def _first_line(error: Exception) -> str:
    """Return what an error says, in a line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__
