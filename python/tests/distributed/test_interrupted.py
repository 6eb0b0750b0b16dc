"""Runs that end early, or whose coordinator is killed: what they leave, and how they go on."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT
from workers import Scripted, Threadless, children, model, svmlight, train

from surefoot import SurefootClassifier
from surefoot.distributed import LocalEngine, fit_distributed

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}

#: A program that is killed after so many messages.
PROGRAM = """
import os, signal, sys
sys.path.insert(0, sys.argv[4])
from surefoot.distributed import LocalEngine
from workers import Scripted, model

engine = Scripted(LocalEngine(2), int(sys.argv[3]), lambda: os.kill(os.getpid(), signal.SIGKILL))
model(sys.argv[1], engine, checkpoint=sys.argv[2])
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return svmlight(tmp_path_factory.mktemp("rows") / "rows.svm")


@pytest.fixture(scope="module")
def expected(rows):
    return model(rows, LocalEngine(1))


@pytest.fixture(autouse=True)
def _ctrl_c_interrupts():
    """Let Ctrl-C interrupt also where the tests were started in the background, and the shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def interrupted(messages: int, engine=None) -> Scripted:
    """Return an engine whose coordinator is interrupted after so many messages."""
    return Scripted(engine or Threadless(2), messages, interrupt)


@pytest.mark.parametrize("messages", [1, 5, 40, 100])
def test_a_killed_coordinator_is_resumed(rows, expected, messages, tmp_path):
    folder = tmp_path / "checkpoint"
    line = [sys.executable, "-c", PROGRAM, str(rows), str(folder), str(messages), os.path.dirname(__file__)]
    killed = subprocess.run(line, capture_output=True, env=ENVIRONMENT, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert (folder / "job.json").exists()
    seen = []
    assert model(rows, LocalEngine(3), checkpoint=folder, progress=seen.append) == expected
    # Each of two workers sends a message for an exchange, some reports, and its progress.
    assert seen[0].exchanges >= messages // 10
    assert not folder.exists()


def test_another_engine_goes_on_from_a_checkpoint(rows, expected, tmp_path):
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        train(rows, interrupted(20, LocalEngine(2)), checkpoint=folder)
    with pytest.raises(KeyboardInterrupt):
        train(rows, interrupted(60), checkpoint=folder)
    seen = []
    assert model(rows, LocalEngine(3), checkpoint=folder, progress=seen.append) == expected
    assert seen[0].exchanges > 10


@pytest.mark.parametrize("messages", [60, 120])
def test_ctrl_c_leaves_the_best_model_so_far(rows, expected, messages, tmp_path):
    estimator = SurefootClassifier(l2=0.01)
    named = {"shards": 7, "checkpoint": tmp_path / "checkpoint"}
    with pytest.raises(KeyboardInterrupt):
        fit_distributed(estimator, rows, engine=interrupted(messages), **named)
    assert estimator.classes_.tolist() == [0, 1]
    assert estimator.certificate_.gap > 0.0
    assert estimator.evaluate_file(rows)["accuracy"] > 0.5
    assert estimator.model_.to_bytes() != expected
    assert fit_distributed(estimator, rows, engine=Threadless(1), **named).model_.to_bytes() == expected


def test_ctrl_c_before_a_worker_has_rows_ends_without_a_model(rows):
    estimator = SurefootClassifier(l2=0.01)
    with pytest.raises(KeyboardInterrupt):
        fit_distributed(estimator, rows, engine=interrupted(0))
    assert not estimator.__sklearn_is_fitted__()


def test_ctrl_c_without_any_worker_ends_too(rows):
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        train(rows, interrupted(0, Threadless(0)))
    assert time.monotonic() - began > 3.0


def test_a_second_ctrl_c_ends_at_once(rows):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(rows, Scripted(Threadless(0), 0, lambda: (interrupt(), interrupt())))
    assert signal.getsignal(signal.SIGINT) is before
    assert children() == []


def test_time_that_is_over_ends_with_the_best_model(rows, expected, tmp_path):
    folder = tmp_path / "checkpoint"
    slow = Scripted(Threadless(1), 60, lambda: time.sleep(2.5))
    early = train(rows, slow, max_time=2.0, checkpoint=folder)
    assert early.model_.to_bytes() != expected
    assert model(rows, checkpoint=folder, max_time=600) == expected


def test_time_that_is_over_before_there_is_a_model(rows, tmp_path):
    with pytest.raises(ValueError, match="max_time: the time was over before there was a model"):
        train(rows, Scripted(Threadless(1), 0, lambda: time.sleep(0.2)), max_time=0.1)


def test_a_checkpoint_of_another_run_is_refused(rows, tmp_path):
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        train(rows, interrupted(1), checkpoint=folder)
    other = svmlight(tmp_path / "other.svm", seed=1)
    with pytest.raises(ValueError, match="checkpoint: holds the state of another run"):
        train(other, checkpoint=folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("keep me")
    with pytest.raises(ValueError, match="full: give an empty folder"):
        train(rows, checkpoint=tmp_path / "full")
    assert children() == []


def test_an_exception_of_the_watcher_ends_all_workers(rows):
    with pytest.raises(ZeroDivisionError):
        train(rows, progress=lambda status: 1 // 0)
    assert children() == []
