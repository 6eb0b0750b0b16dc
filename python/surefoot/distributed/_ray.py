"""The engine of a Ray cluster: settings, and the connection to the cluster."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from surefoot.distributed._engine import Crew, T, worker_count
from surefoot.distributed._train import settings


@dataclass(frozen=True)
class RayEngine:
    """Workers of a Ray cluster, each an actor.

    The run begins once `min_workers` actors are there and `patience` is over, or at once when all are; actors that come
    later take over part of the work. An actor that is lost is restarted, and repeats its part from the sums that the
    coordinator has kept. A cluster to which the program is connected already is used as it is, and stays connected.

    Parameters
    ----------
    workers : int, optional
        Number of actors that are wanted; by default as many as the cluster has room for when the run begins.
    min_workers : int, default=1
        Number of actors with which the run begins. Their room is reserved as a whole, spread over the nodes.
    resources : dict, default={"CPU": 1}
        What each actor takes: `"CPU"`, `"memory"` in bytes, and others by the names that the cluster gives them.
    address : str, optional
        Address of the cluster, as for `ray.init`: `"auto"`, `"HOST:PORT"` or `"ray://HOST:PORT"`. By default that of a
        cluster which runs on this machine; if there is none, one is started for the run.
    patience : float, default=10
        Seconds to wait for actors that are missing, or lost, before the others share the work.
    max_failures : int, default=-1
        Number of actors that may be lost before the run is given up; -1 for any number.
    storage_path : path, optional
        Folder that all nodes see, where the rows of a Ray Dataset are written.
    checkpoint : path, optional
        Folder for the state of the run, where `fit_distributed` names none.
    init : dict, optional
        Further parameters of `ray.init`.

    Examples
    --------
    >>> from surefoot.distributed import RayEngine
    >>> RayEngine(workers=8, min_workers=2, resources={"CPU": 1, "memory": 2**30}).workers
    8

    """

    workers: int | None = None
    min_workers: int = 1
    resources: Mapping[str, float] = field(default_factory=lambda: {"CPU": 1})
    address: str | None = None
    patience: float = 10.0
    max_failures: int = -1
    storage_path: str | os.PathLike[str] | None = None
    checkpoint: str | os.PathLike[str] | None = None
    init: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_train(cls, scaling_config: Any, run_config: Any = None, **others: Any) -> Self:
        """Return the engine for settings of Ray Train.

        Parameters
        ----------
        scaling_config : ScalingConfig
            Its `num_workers`, a number or a pair of the least and the greatest, and `resources_per_worker` count.
        run_config : RunConfig, optional
            `storage_path` and `name` make the folder of the checkpoint, and `failure_config` says how many workers may
            be lost.
        **others
            Parameters of `RayEngine`.

        Raises
        ------
        ValueError
            A setting that has no meaning here, such as `use_gpu`.

        """
        return cls(**{**settings(scaling_config, run_config), **others})

    def lead(self, work: Callable[[], T]) -> T:
        """Return what `work` returns, with a connection to the cluster."""
        with self._connected():
            return work()

    def open(self, workers: int | None, shards: int) -> Crew:
        """Return the actors of a run."""
        import ray

        from surefoot.distributed._actors import Actors

        wanted = workers if self.workers is None else self.workers
        count = worker_count(wanted, max(self.min_workers, self._room(ray)), shards)
        return Actors(self, count, worker_count(self.min_workers, 1, count))

    def _room(self, ray: Any) -> int:
        """Return the number of actors that the cluster has resources for."""
        there = ray.cluster_resources()
        each = [there.get(name, 0.0) / needed for name, needed in self.resources.items() if needed > 0]
        return max(1, int(min(each, default=1)))

    @contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            import ray
        except ImportError:
            raise ImportError('RayEngine needs Ray: pip install "surefoot[ray]"') from None
        if ray.is_initialized():
            yield
            return
        # Ray takes the handler of SIGTERM, which is given back.
        before = signal.getsignal(signal.SIGTERM)
        quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
        with _without_usage_statistics():
            ray.init(self.address, **{**quiet, **self.init})
        try:
            yield
        finally:
            ray.shutdown()
            if before is not None and signal.getsignal(signal.SIGTERM) is not before:
                signal.signal(signal.SIGTERM, before)


@contextmanager
def _without_usage_statistics() -> Iterator[None]:
    """Keep a cluster that is started from sending statistics, unless the program has decided."""
    name = "RAY_USAGE_STATS_ENABLED"
    if name in os.environ:
        yield
        return
    os.environ[name] = "0"
    try:
        yield
    finally:
        del os.environ[name]
