"""The engine of worker processes on this machine."""

from __future__ import annotations

import os
import queue
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from surefoot._surefoot import memory
from surefoot.distributed._engine import Event, Joined, Lost, Received, T, WorkersFailed, worker_count

#: Program of a worker, which finds the package where this process has found it.
_PROGRAM = "import sys; sys.path[:] = {path!r}; from surefoot._command import main; sys.exit(main())"
#: Seconds that workers get to end on their own.
_FAREWELL = 2.0


@dataclass(frozen=True)
class LocalEngine:
    """Worker processes on this machine, which need nothing but the package.

    A process that is lost, such as one that the system ends for want of memory, is replaced.

    Parameters
    ----------
    workers : int, optional
        Number of processes; by default one for each core.

    Examples
    --------
    >>> from surefoot.distributed import LocalEngine
    >>> LocalEngine(workers=2)
    LocalEngine(workers=2)

    """

    workers: int | None = None

    def lead(self, work: Callable[[], T]) -> T:
        """Return what `work` returns."""
        return work()

    def open(self, workers: int | None, shards: int) -> _Processes:
        """Return the processes of a run."""
        wanted = workers if self.workers is None else self.workers
        return _Processes(worker_count(wanted, cores(), shards))


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Processes:
    #: A process takes the place of a lost one within less.
    patience = 5.0

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._running: dict[int, _Process] = {}
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._next = 0
        self._memory = memory() // workers

    def begin(self) -> None:
        for _ in range(self.workers):
            self._start()

    def _start(self) -> None:
        self._running[self._next] = _Process(self._next, self._events, self._memory)
        self._events.put(Joined(self._next))
        self._next += 1

    def send(self, worker: int, head: bytes, body: bytes) -> None:
        if worker in self._running:
            self._running[worker].outbox.put((head, body))

    def receive(self, timeout: float) -> list[Event]:
        found: list[Event] = []
        with suppress(queue.Empty):
            found.append(self._events.get(timeout=timeout))
            while True:
                found.append(self._events.get_nowait())
        for event in found:
            if isinstance(event, Lost):
                self._running.pop(event.worker).close()
                self._start()
        return found

    def close(self) -> None:
        until = time.monotonic() + _FAREWELL
        for process in self._running.values():
            process.outbox.put(None)
        for process in self._running.values():
            process.close(until)
        self._running.clear()


class _Process:
    """A process, with a thread that writes to it and one that reads from it."""

    def __init__(self, worker: int, events: queue.SimpleQueue[Event], memory: int) -> None:
        if not sys.executable:
            raise WorkersFailed("workers cannot be started: this program does not know its Python interpreter")
        program = _PROGRAM.format(path=[os.path.abspath(place) for place in sys.path])
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, "worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "SUREFOOT_MEMORY": str(memory)},
                # Ctrl-C is for the coordinator, which then asks the workers to stop.
                process_group=0,
            )
        except OSError as error:
            raise WorkersFailed(f"workers cannot be started: {error}") from error
        self.outbox: queue.SimpleQueue[tuple[bytes, bytes] | None] = queue.SimpleQueue()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        threading.Thread(target=self._write, args=(self._process.stdin,), daemon=True).start()
        threading.Thread(target=self._read, args=(self._process.stdout, worker, events), daemon=True).start()

    def _write(self, pipe: IO[bytes]) -> None:
        # A process that does not read any more is found out by the other thread.
        with suppress(OSError, ValueError), pipe:
            while (letter := self.outbox.get()) is not None:
                head, body = letter
                pipe.write(struct.pack("<Q", len(head) + len(body)) + head)
                pipe.write(body)
                pipe.flush()

    def _read(self, pipe: IO[bytes], worker: int, events: queue.SimpleQueue[Event]) -> None:
        with suppress(OSError, ValueError), pipe:
            while len(size := pipe.read(8)) == 8:
                length = struct.unpack("<Q", size)[0]
                message = pipe.read(length)
                if len(message) < length:
                    break
                events.put(Received(worker, message))
        status = self._process.wait()
        events.put(Lost(worker, f"signal {-status}" if status < 0 else f"status {status}"))

    def close(self, until: float = 0.0) -> None:
        """End the process, by force if it has not ended by itself until then."""
        self.outbox.put(None)
        try:
            self._process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
