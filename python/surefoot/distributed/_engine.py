"""What an engine has to have: a way to start workers, to send them messages and to hear from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

T = TypeVar("T")


class Joined(NamedTuple):
    """A worker is ready. Numbers of workers are not used again."""

    worker: int


class Received(NamedTuple):
    """A message of a worker: bytes, or an array of them."""

    worker: int
    message: Any


class Lost(NamedTuple):
    """A worker has gone, with the reason in words if it is known."""

    worker: int
    how: str


Event = Joined | Received | Lost


class WorkersFailed(Exception):
    """No run is possible any more with the workers of an engine; the message says why and what to do."""


class Crew(Protocol):
    """Workers of one run. Each has a `surefoot._surefoot.Worker`, and hands the messages that it gets to `handle`.

    A crew that has a method `watch` gets the `Status` of the run there, about once a second and at its end.
    """

    #: Number of workers that are wanted.
    workers: int
    #: Seconds to wait for workers that are missing, before the others share the work.
    patience: float

    def begin(self) -> None:
        """Start the workers, without waiting for them."""
        ...

    def send(self, worker: int, head: bytes, body: bytes) -> None:
        """Send a message; one to a worker that is lost may be dropped. Equal bodies are one object."""
        ...

    def receive(self, timeout: float) -> list[Event]:
        """Return what has happened, after waiting for it for at most so many seconds."""
        ...

    def close(self) -> None:
        """End all workers, and free what was taken for them."""
        ...


class Engine(Protocol):
    """A way to run workers. An engine holds settings only, and may be used for several fits."""

    def lead(self, work: Callable[[], T]) -> T:
        """Return what `work` returns, which coordinates the workers; in the process that is to do so."""
        ...

    def open(self, workers: int | None, shards: int) -> Crew:
        """Return the workers for a run of so many shards; `workers` is asked for where the engine does not say it."""
        ...


def worker_count(wanted: int | None, usual: int, shards: int) -> int:
    """Return the number of workers, of which each needs at least one shard.

    Raises
    ------
    ValueError
        A number below 1.

    """
    if wanted is not None and (isinstance(wanted, bool) or int(wanted) != wanted or wanted < 1):
        raise ValueError(f"workers: a whole number of at least 1 is needed, {wanted!r} was given")
    return min(usual if wanted is None else int(wanted), shards)
