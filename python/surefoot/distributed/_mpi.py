"""The engine of processes that `mpiexec` has started."""

from __future__ import annotations

import functools
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from surefoot._surefoot import Worker, memory
from surefoot.distributed._engine import Event, Joined, Received, T

#: Tags of messages: one of the run; the end, with what `lead` returns; the answer to that.
LETTER, END, BYE = 1, 2, 3
#: Seconds between two looks for a message.
_PAUSE = 0.0003


@dataclass(frozen=True)
class MpiEngine:
    """The processes of an MPI job, of which the first one coordinates the others and works too.

    All of them have to run the same script, as `mpiexec -n 4 python` with its name has them do; `fit_distributed`
    returns the same estimator in each. If one process is lost, MPI ends them all: with a checkpoint, the same command
    goes on from where they were.

    Examples
    --------
    >>> from surefoot.distributed import MpiEngine
    >>> MpiEngine()
    MpiEngine()

    """

    def lead(self, work: Callable[[], T]) -> T:
        """Return what `work` returns in the first process; the others work for it, and return the same."""
        comm = _comm()
        if comm.rank > 0:
            result: T = _serve_or_abort(comm)
            return result
        _share_memory(comm)
        try:
            result = work()
        except BaseException as error:
            _farewell(comm, (False, f"{error}" or type(error).__name__))
            raise
        _farewell(comm, (True, result))
        return result

    def open(self, workers: int | None, shards: int) -> _Ranks:
        """Return the processes of a run."""
        return _Ranks(_comm(), shards)


@functools.cache
def _comm() -> Any:
    """Return the communicator of the engine, which all processes make together when they first call it."""
    try:
        from mpi4py import MPI
    except ImportError:
        raise ImportError(
            'MpiEngine needs mpi4py: pip install "surefoot[mpi]", and an MPI such as pip install mpich'
        ) from None
    return MPI.COMM_WORLD.Dup()


def _share_memory(comm: Any) -> None:
    """Leave each process its share of the memory of its machine."""
    from mpi4py import MPI

    if "SUREFOOT_MEMORY" not in os.environ:
        here = comm.Split_type(MPI.COMM_TYPE_SHARED)
        os.environ["SUREFOOT_MEMORY"] = str(memory() // here.size)
        here.Free()


class _Ranks:
    #: All processes are there from the start, and none is replaced.
    patience = 1.0

    def __init__(self, comm: Any, shards: int) -> None:
        self._comm = comm
        self.workers = min(comm.size, shards)
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[tuple[bytes, bytes] | None] = queue.SimpleQueue()
        self._sent: list[Any] = []

    def begin(self) -> None:
        threading.Thread(target=self._work, daemon=True).start()
        for rank in range(self.workers):
            self._events.put(Joined(rank))

    def _work(self) -> None:
        """Work as the worker of this process, while its main thread carries messages."""
        worker = Worker()
        while (letter := self._inbox.get()) is not None:
            for answer in worker.handle(*letter):
                self._events.put(Received(0, answer))

    def send(self, worker: int, head: bytes, body: bytes) -> None:
        if worker == 0:
            self._inbox.put((head, body))
        else:
            self._sent.append(_start_sending(self._comm, head + body, worker, LETTER))

    def receive(self, timeout: float) -> list[Event]:
        until = time.monotonic() + timeout
        found: list[Event] = []
        while not found and time.monotonic() < until:
            while (heard := _receive(self._comm)) is not None:
                found.append(Received(heard[0], heard[2]))
            try:
                while True:
                    found.append(self._events.get(timeout=0 if found else _PAUSE))
            except queue.Empty:
                pass
        self._sent = [request for request in self._sent if not request.Test()]
        return found

    def close(self) -> None:
        self._inbox.put(None)


def _start_sending(comm: Any, message: bytes, rank: int, tag: int) -> Any:
    from mpi4py import MPI

    return comm.Isend([message, MPI.BYTE], dest=rank, tag=tag)


def _receive(comm: Any) -> tuple[int, int, bytearray] | None:
    """Return the next message with its sender and tag; `None` if there is none."""
    from mpi4py import MPI

    status = MPI.Status()
    message = comm.Improbe(status=status)
    if message is None:
        return None
    room = bytearray(status.Get_count(MPI.BYTE))
    message.Recv([room, MPI.BYTE])
    return status.source, status.tag, room


def _await(comm: Any) -> tuple[int, int, bytearray]:
    """Return the next message, without keeping a core busy until it comes."""
    while (found := _receive(comm)) is None:
        time.sleep(_PAUSE)
    return found


def _farewell(comm: Any, result: tuple[bool, Any]) -> None:
    """End the others with what `lead` is to return there, and take what they have still sent."""
    import pickle

    packed = pickle.dumps(result)
    requests = [_start_sending(comm, packed, rank, END) for rank in range(1, comm.size)]
    left = len(requests)
    while left > 0:
        left -= _await(comm)[1] == BYE
    for request in requests:
        request.Wait()


def _serve_or_abort(comm: Any) -> Any:
    try:
        return _serve(comm)
    except _Failed as failed:
        raise ValueError(str(failed)) from None
    except BaseException:
        # The first process would wait for this one for ever.
        traceback.print_exc()
        sys.stderr.flush()
        comm.Abort(1)
        raise


class _Failed(Exception):
    """The first process has failed, with this message."""


def _serve(comm: Any) -> Any:
    """Work until the first process says that the run has ended, and return its result."""
    import pickle

    _share_memory(comm)
    worker = Worker()
    while True:
        _, tag, message = _await(comm)
        if tag == END:
            break
        for answer in worker.handle(message, b""):
            _start_sending(comm, answer, 0, LETTER).Wait()
    _start_sending(comm, b"", 0, BYE).Wait()
    succeeded, result = pickle.loads(message)
    if not succeeded:
        raise _Failed(result)
    return result
