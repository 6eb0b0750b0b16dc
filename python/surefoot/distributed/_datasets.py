"""Ray Datasets: their rows are written to Parquet files, which the workers read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def is_dataset(data: Any) -> bool:
    """Return whether data are a Ray Dataset."""
    return hasattr(data, "write_parquet") and hasattr(data, "materialize")


@contextmanager
def written(dataset: Any, engine: Any, checkpoint: Any) -> Iterator[list[str]]:
    """Write a dataset to a folder that lasts as long as the fit, and return its name.

    Raises
    ------
    ValueError
        A dataset that the workers could not read, or not find again.

    """
    if checkpoint is not None:
        raise ValueError(
            "checkpoint: a Ray Dataset has other files in each run: write it with write_parquet, and give the folder"
        )
    storage = getattr(engine, "storage_path", None)
    if storage is None and _nodes() > 1:
        raise ValueError(
            "data: the cluster has several nodes: give RayEngine(storage_path=...), a folder that all of them see"
        )
    if storage is not None:
        os.makedirs(storage, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="surefoot-rows-", dir=storage, ignore_cleanup_errors=True) as folder:
        dataset.write_parquet(folder)
        yield [os.path.abspath(folder)]


def _nodes() -> int:
    """Return the number of nodes of the cluster to which this program is connected."""
    import ray

    return sum(1 for node in ray.nodes() if node["Alive"]) if ray.is_initialized() else 1
