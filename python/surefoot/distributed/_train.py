"""Settings of Ray Train as settings of the engine, without Ray: they are plain objects with attributes."""

from __future__ import annotations

import os
from typing import Any

#: Settings that ask for what there is not, with what to do.
_REFUSED = {
    "use_gpu": "the fit runs on processors: leave it out",
    "use_tpu": "the fit runs on processors: leave it out",
    "accelerator_type": "the fit runs on processors: leave it out",
    "label_selector": "name a resource of these nodes in resources_per_worker",
}


def settings(scaling: Any, run: Any) -> dict[str, Any]:
    """Return parameters of `RayEngine` for a ScalingConfig and a RunConfig.

    Raises
    ------
    ValueError
        A setting that cannot be heeded.

    """
    for name, remedy in _REFUSED.items():
        if getattr(scaling, name, None):
            raise ValueError(f"ScalingConfig({name}={getattr(scaling, name)!r}): {remedy}")
    found = _workers(scaling)
    if each := getattr(scaling, "resources_per_worker", None):
        found["resources"] = dict(each)
    return found if run is None else found | _run(run)


def _workers(scaling: Any) -> dict[str, Any]:
    number = getattr(scaling, "num_workers", None)
    if isinstance(number, tuple | list):
        least, most = number
        return {"min_workers": int(least), "workers": int(most)}
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"ScalingConfig(num_workers={number!r}): a number of at least 1, or a pair of them, is needed")
    return {"min_workers": number, "workers": number}


def _run(run: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    failures = getattr(getattr(run, "failure_config", None), "max_failures", None)
    if failures is not None:
        found["max_failures"] = int(failures)
    checkpoints = getattr(run, "checkpoint_config", None)
    if getattr(checkpoints, "checkpoint_score_attribute", None):
        raise ValueError("CheckpointConfig(checkpoint_score_attribute=...): a run has one state: leave it out")
    if getattr(run, "storage_filesystem", None) is not None:
        raise ValueError("RunConfig(storage_filesystem=...): give storage_path a folder that all nodes see")
    storage = getattr(run, "storage_path", None)
    if storage is None:
        return found
    if "://" in os.fspath(storage):
        raise ValueError(f"RunConfig(storage_path={storage!r}): a folder that all nodes see is needed, no address")
    name = getattr(run, "name", None) or "surefoot"
    return found | {"storage_path": os.fspath(storage), "checkpoint": os.path.join(storage, name)}
