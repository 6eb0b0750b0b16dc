"""Metrics for the dashboard of Ray, by a module that stands for `ray.util.metrics`."""

from collections import defaultdict
from types import SimpleNamespace
from typing import ClassVar

import pytest
from workers import Threadless, svmlight

from surefoot import SurefootClassifier
from surefoot.distributed import LocalEngine, fit_distributed
from surefoot.distributed._metrics import Metrics


class Metric:
    """A metric that keeps its values, by the worker that they belong to."""

    known: ClassVar[dict[str, "Metric"]] = {}

    def __init__(self, name: str, description: str = "", tag_keys: tuple[str, ...] = ()) -> None:
        assert description
        self.tag_keys, self.values = tag_keys, defaultdict(float)
        self.known[name] = self

    def place(self, tags):
        assert set(tags or ()) == set(self.tag_keys)
        return tags["worker"] if tags else None


class Counter(Metric):
    def inc(self, value, tags=None):
        assert value > 0  # as Ray wants it
        self.values[self.place(tags)] += value


class Gauge(Metric):
    def set(self, value, tags=None):
        assert isinstance(value, float)
        self.values[self.place(tags)] = value


class Watching(Threadless):
    """An engine whose workers have metrics."""

    def open(self, workers, shards):
        self.metrics = Metrics(SimpleNamespace(Counter=Counter, Gauge=Gauge))
        return super().open(workers, shards)

    def watch(self, status):
        self.metrics(status)


@pytest.mark.parametrize("passes", ["auto", 1])
def test_metrics_of_a_run(tmp_path, passes):
    rows = svmlight(tmp_path / "rows.svm")
    model = SurefootClassifier(l2=0.01 if passes == "auto" else None, passes=passes)
    fit_distributed(model, rows, engine=Watching(2, patience=10.0), shards=4)
    metrics = Metric.known
    assert sum(metrics["surefoot_rows"].values.values()) == 1500
    assert set(metrics["surefoot_rows"].values) == {"0", "1"}
    assert sum(metrics["surefoot_bytes_read"].values.values()) == rows.stat().st_size
    assert min(metrics["surefoot_rows_per_second"].values.values()) > 0
    assert min(metrics["surefoot_bytes_sent"].values.values()) > 0
    assert min(metrics["surefoot_bytes_received"].values.values()) > 0
    assert metrics["surefoot_workers"].values[None] == 2
    assert metrics["surefoot_share_read"].values[None] == 1.0
    if passes == "auto":
        assert metrics["surefoot_objective"].values[None] == pytest.approx(model.loss_, rel=1e-6)
        assert metrics["surefoot_gap"].values[None] >= 0
    else:
        assert metrics["surefoot_loss"].values[None] == pytest.approx(model.progressive_loss_, rel=0.2)


def test_a_status_adds_nothing_twice(tmp_path):
    seen = []
    fit_distributed(
        SurefootClassifier(l2=0.01), svmlight(tmp_path / "rows.svm"), engine=LocalEngine(1), progress=seen.append
    )
    metrics = Metrics(SimpleNamespace(Counter=Counter, Gauge=Gauge))
    for status in [seen[0], seen[-1], seen[-1]]:
        metrics(status)
    assert Metric.known["surefoot_rows"].values["0"] == 1500
