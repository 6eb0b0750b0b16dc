"""Fits with actors of a Ray cluster: the same model, whatever happens to actors."""

import os
import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest
import ray
from conftest import actors
from workers import Scripted, model, svmlight, table, train

from surefoot import SurefootClassifier, SurefootRegressor
from surefoot.distributed import (
    LocalEngine,
    RayEngine,
    _actors,
    evaluate_distributed,
    fit_distributed,
    predict_distributed,
)


@pytest.fixture(scope="module", autouse=True)
def _cluster():
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    yield
    ray.shutdown()


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    assert ray.is_initialized()
    until = time.monotonic() + 20
    while ray.available_resources().get("CPU") != 4 and time.monotonic() < until:
        time.sleep(0.1)
    assert ray.available_resources()["CPU"] == 4


def killing(engine: RayEngine, after: int, which: int) -> Scripted:
    """Return the engine with the process of an actor killed after so many messages."""
    return Scripted(engine, after, lambda: os.kill(actors()[which], signal.SIGKILL))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_actors(rows, expected, workers):
    assert model(rows, RayEngine(workers)) == expected


@pytest.mark.parametrize("workers", [1, 3])
def test_a_model_is_applied(rows, tmp_path, workers):
    trained = train(rows)
    alone = {"engine": LocalEngine(1), "shards": 7}
    expected = evaluate_distributed(trained, rows, **alone)
    lines = [file.read_text() for file in predict_distributed(trained, rows, tmp_path / "one", **alone)]
    engine = killing(RayEngine(workers), 1, 0)
    assert evaluate_distributed(trained, rows, engine=engine, shards=7) == expected
    files = predict_distributed(trained, rows, tmp_path / "several", engine=killing(RayEngine(workers), 1, 0), shards=7)
    assert [file.read_text() for file in files] == lines


@pytest.mark.parametrize(("after", "which"), [(1, 0), (1, 1), (30, 0), (90, 1)])
def test_the_process_of_an_actor_is_killed(rows, expected, after, which):
    assert model(rows, killing(RayEngine(2, min_workers=2), after, which)) == expected


def test_an_actor_is_ended_for_good(rows, expected):
    engine = RayEngine(2, min_workers=2)
    scripted = Scripted(engine, 30, lambda: ray.kill(scripted._crew._slots[0].actor))
    assert model(rows, scripted) == expected


def test_all_actors_are_killed_twice(rows, expected):
    def kill():
        for one in actors():
            os.kill(one, signal.SIGKILL)

    engine = Scripted(Scripted(RayEngine(2, min_workers=2), 10, kill), 60, kill)
    assert model(rows, engine) == expected


def test_too_many_are_lost(rows, tmp_path):
    engine = killing(RayEngine(2, min_workers=2, max_failures=0), 30, 0)
    with pytest.raises(ValueError, match=r"1 workers were lost, more than max_failures=0.*kept in the checkpoint"):
        train(rows, engine, checkpoint=tmp_path / "checkpoint")
    assert (tmp_path / "checkpoint" / "job.json").exists()


def test_large_messages_are_stored_once_for_all_actors(tmp_path, monkeypatch):
    random = np.random.default_rng(0)
    lines = []
    for _ in range(400):
        at = np.sort(random.choice(40_000, 200, replace=False))
        lines.append(f"{int(at[0] % 2)} " + " ".join(f"{n + 1}:1" for n in at))
    path = tmp_path / "wide.svm"
    path.write_text("\n".join(lines) + "\n")
    wide = model(path, LocalEngine(1))
    counted = []
    stored = _actors._stored
    monkeypatch.setattr(_actors, "_stored", lambda body: counted.append(len(body)) or stored(body))
    assert model(path, RayEngine(1)) == wide
    once = len(counted)
    assert once > 10
    counted.clear()
    assert model(path, RayEngine(3, min_workers=3)) == wide
    # A total is stored once; an actor that comes late asks for earlier ones.
    assert len(counted) < 1.5 * once


def test_more_actors_than_there_is_room_for(rows, expected):
    assert model(rows, RayEngine(6, patience=1.0)) == expected


def test_an_error_names_the_file(tmp_path):
    svmlight(tmp_path / "a.svm")
    (tmp_path / "b.svm").write_text("1 1:0.5\n" * 700 + "1 1:half\n" + "0 1:0.5\n" * 700)
    with pytest.raises(ValueError, match=r"b\.svm:701:.*half"):
        train([tmp_path / "a.svm", tmp_path / "b.svm"], RayEngine(2))


def test_ctrl_c_leaves_the_best_model_so_far(rows, expected, tmp_path):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    estimator = SurefootClassifier(l2=0.01)
    engine = Scripted(RayEngine(2), 60, lambda: signal.raise_signal(signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            fit_distributed(estimator, rows, engine=engine, shards=7, checkpoint=tmp_path / "checkpoint")
    finally:
        signal.signal(signal.SIGINT, before)
    assert estimator.certificate_.gap > 0.0
    assert model(rows, LocalEngine(1), checkpoint=tmp_path / "checkpoint") == expected


def test_actors_that_cannot_be_started(rows, monkeypatch):
    class Broken(_actors.SurefootWorker):
        def __init__(self, *given):
            raise RuntimeError("no room in the inn")

    monkeypatch.setattr(_actors, "SurefootWorker", Broken)
    with pytest.raises(ValueError, match="an actor cannot be started"):
        train(rows, RayEngine(1))


def test_a_dataset():
    data = pytest.importorskip("ray.data", exc_type=ImportError)
    frame = table()
    rows = data.from_pandas(frame)
    model = SurefootRegressor(l2=0.1, ignore=["class"])
    fit_distributed(model, rows, label="price", engine=RayEngine(2))
    plain = SurefootRegressor(l2=0.1, ignore=["class"]).fit(frame, "price")
    assert abs(model.coef_ - plain.coef_).max() < 1e-6


def test_settings_of_ray_train(rows, expected, tmp_path):
    config = pytest.importorskip("ray.train", exc_type=ImportError)
    scaling = config.ScalingConfig(num_workers=2, resources_per_worker={"CPU": 1})
    run = config.RunConfig(storage_path=str(tmp_path), name="trial")
    engine = RayEngine.from_train(scaling, run)
    assert (engine.workers, engine.checkpoint) == (2, str(tmp_path / "trial"))
    assert model(rows, engine) == expected


def test_resources_of_an_actor(rows, expected):
    assert model(rows, RayEngine(2, resources={"CPU": 2, "memory": 2**26})) == expected
    assert RayEngine()._room(SimpleNamespace(cluster_resources=lambda: {"CPU": 3.0})) == 3
