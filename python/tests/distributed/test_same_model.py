"""The model is the same to the bit for any engine, any number of workers, and any loss of them."""

import os
import signal
import subprocess
import sys

import pytest
from conftest import ROOT
from workers import FLAGS, Threadless, children, killing, model, svmlight, train

from surefoot import load
from surefoot.distributed import Joined, LocalEngine, Lost

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return svmlight(tmp_path_factory.mktemp("rows") / "rows.svm")


@pytest.fixture(scope="module")
def expected(rows):
    return model(rows, LocalEngine(1))


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_any_number_of_workers(rows, expected, workers):
    assert model(rows, LocalEngine(workers)) == expected
    assert children() == []


def test_the_command_has_the_same_model(rows, expected, command, tmp_path):
    command("fit", rows, *FLAGS, "--engine", "local", "--workers", 2, "-o", tmp_path / "of_command")
    assert load(tmp_path / "of_command").model_.to_bytes() == expected


@pytest.mark.parametrize("module", ["surefoot", "surefoot.distributed"])
def test_the_command_of_the_package_has_the_same_model(rows, expected, module, tmp_path):
    line = ["fit", str(rows), *FLAGS, "--engine=local", "--workers", "2", "-o", str(tmp_path / "of_package")]
    done = subprocess.run([sys.executable, "-m", module, *line], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    assert load(tmp_path / "of_package").model_.to_bytes() == expected


def test_other_shards_give_nearly_the_same_model(rows, expected):
    from surefoot import SurefootClassifier
    from surefoot.distributed import fit_distributed

    other = fit_distributed(SurefootClassifier(l2=0.01), rows, engine=LocalEngine(2), shards=3)
    assert other.model_.to_bytes() != expected
    assert abs(other.coef_ - train(rows).coef_).max() < 1e-6


@pytest.mark.parametrize("after", [0, 1, 2, 9, 40, 90])
@pytest.mark.parametrize("which", [0, 1])
def test_a_worker_is_killed(rows, expected, after, which):
    assert model(rows, killing(LocalEngine(2), after, which)) == expected


def test_both_workers_are_killed(rows, expected):
    engine = killing(killing(LocalEngine(2), 5, 0), 25, 1)
    assert model(rows, engine) == expected


def test_a_worker_is_held_up(rows, expected):
    engine = killing(LocalEngine(2), 10, 0, signal.SIGSTOP)
    engine = killing(engine, 10, 1, signal.SIGTERM)
    waked = []

    def wake(status):
        # Nothing moves before the stopped process goes on.
        for one in children():
            os.kill(one, signal.SIGCONT)
        waked.append(status)

    assert model(rows, engine, progress=wake) == expected
    assert waked


@pytest.mark.parametrize(
    "script",
    [
        [(9, Joined(1))],
        [(9, Joined(1)), (20, Joined(2)), (21, Joined(3))],
        [(9, Joined(1)), (30, Lost(0, ""))],
        [(5, Lost(0, "")), (5, Joined(1)), (12, Lost(1, "")), (12, Joined(2))],
        [(2, Joined(k)) for k in range(1, 10)],
    ],
)
def test_workers_come_and_go(rows, expected, script):
    assert model(rows, Threadless(1, script)) == expected


def test_workers_that_are_left_share_the_work(rows, expected):
    seen = []
    engine = Threadless(3, [(20, Lost(1, "the node has gone")), (30, Lost(2, ""))])
    assert model(rows, engine, progress=seen.append) == expected
    assert seen[-1].lost == 2
    assert seen[-1].workers == 1
    assert max(status.working for status in seen) == 3
