"""Fits under MPI: the same model in all processes, errors in all of them, and a job that goes on after it was lost."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "distributed")]

from workers import FLAGS, model, svmlight, train  # noqa: E402

from surefoot import load  # noqa: E402
from surefoot.distributed import LocalEngine, evaluate_distributed, predict_distributed  # noqa: E402

HERE = Path(sys.executable).parent / "mpiexec"
MPIEXEC = str(HERE) if HERE.exists() else shutil.which("mpiexec")
pytestmark = pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec")

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS / "distributed")]),
    # Tests run as root in containers, with more processes than cores.
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}

#: Prints the digest of the model in each process; twice, since the engine may be used again.
PROGRAM = """
import hashlib, sys
from surefoot.distributed import MpiEngine
from workers import model
for _ in range(2):
    print(hashlib.md5(model(sys.argv[1], MpiEngine())).hexdigest(), flush=True)
"""

#: Prints the digest of metrics and predictions in each process.
APPLIED = """
import hashlib, sys
from surefoot import evaluate_distributed, load, predict_distributed
from surefoot.distributed import MpiEngine
model, how = load(sys.argv[1]), {"engine": MpiEngine(), "shards": 7}
measured = evaluate_distributed(model, sys.argv[2], **how)
files = predict_distributed(model, sys.argv[2], sys.argv[3], **how)
lines = "".join(file.read_text() for file in files)
print(hashlib.md5((repr(measured) + lines).encode()).hexdigest(), flush=True)
"""

#: Ends a process after so many messages.
KILLED = """
import os, signal, sys
from mpi4py import MPI
from surefoot.distributed import MpiEngine
from workers import Scripted, model
act = lambda: os.kill(os.getpid(), signal.SIGKILL)
model(sys.argv[1], Scripted(MpiEngine(), int(sys.argv[3]), act), checkpoint=sys.argv[2])
"""

#: A worker, not the first process, is killed while it works.
WORKER_KILLED = """
import os, signal, sys, threading
from mpi4py import MPI
from surefoot._surefoot import Worker
from surefoot.distributed import MpiEngine, _mpi
from workers import model

class Dying:
    def __init__(self):
        self.worker, self.count = Worker(), 0
    def handle(self, head, body):
        self.count += 1
        if MPI.COMM_WORLD.rank == 1 and self.count == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        return self.worker.handle(head, body)

_mpi.Worker = Dying
model(sys.argv[1], MpiEngine(), checkpoint=sys.argv[2])
"""


def job(processes: int, *words: object, **named) -> subprocess.CompletedProcess[str]:
    line = [MPIEXEC, "-n", str(processes), sys.executable, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, timeout=100, **named)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return svmlight(tmp_path_factory.mktemp("rows") / "rows.svm")


@pytest.fixture(scope="module")
def expected(rows):
    return model(rows, LocalEngine(1))


def digests(done):
    """Return the digests that processes have printed, whose lines MPI may put together."""
    return re.findall("[0-9a-f]{32}", done.stdout)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_all_processes_have_the_same_model(rows, expected, processes):
    done = job(processes, "-c", PROGRAM, rows)
    assert done.returncode == 0, done.stderr
    assert digests(done) == [hashlib.md5(expected).hexdigest()] * 2 * processes


@pytest.mark.parametrize("processes", [1, 3])
def test_a_model_is_applied(rows, processes, tmp_path):
    trained, how = train(rows), {"engine": LocalEngine(1), "shards": 7}
    trained.save(tmp_path / "model")
    measured = evaluate_distributed(trained, rows, **how)
    files = predict_distributed(trained, rows, tmp_path / "one", **how)
    text = repr(measured) + "".join(file.read_text() for file in files)
    done = job(processes, "-c", APPLIED, tmp_path / "model", rows, tmp_path / "several")
    assert digests(done) == [hashlib.md5(text.encode()).hexdigest()] * processes, done.stderr


def test_more_processes_than_shards(rows, expected):
    done = job(9, "-c", PROGRAM, rows)
    assert set(done.stdout.split()) == {hashlib.md5(expected).hexdigest()}, done.stderr


def test_without_mpiexec_there_is_one_process(rows, expected):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, rows], capture_output=True, text=True, env=ENVIRONMENT, timeout=60
    )
    assert set(done.stdout.split()) == {hashlib.md5(expected).hexdigest()}, done.stderr


@pytest.mark.parametrize("program", [KILLED, WORKER_KILLED], ids=["first", "other"])
@pytest.mark.parametrize("messages", [3, 30])
def test_a_job_that_was_lost_goes_on(rows, expected, program, messages, tmp_path):
    folder = tmp_path / "checkpoint"
    killed = job(2, "-c", program, rows, folder, messages)
    assert killed.returncode != 0
    assert (folder / "job.json").exists()
    assert model(rows, LocalEngine(1), checkpoint=folder) == expected


def test_an_error_is_one_of_all_processes(tmp_path):
    svmlight(tmp_path / "a.svm")
    (tmp_path / "b.svm").write_text("1 1:0.5\n" * 700 + "1 1:half\n" + "0 1:0.5\n" * 700)
    program = f"""
from surefoot.distributed import MpiEngine
from workers import train
for files in (["{tmp_path}/a.svm", "{tmp_path}/b.svm"], ["{tmp_path}/nosuch.svm"]):
    try:
        train(files, MpiEngine())
    except (ValueError, OSError) as error:
        print(error, flush=True)
"""
    done = job(2, "-c", program)
    assert done.returncode == 0, done.stderr
    # Lines of the processes may be put together.
    assert done.stdout.count("b.svm:701:") == 2, done.stdout
    assert done.stdout.count("nosuch.svm: there is no such file") == 2, done.stdout


def test_the_command(rows, expected, tmp_path):
    line = ["-m", "surefoot", "fit", rows, *FLAGS, "--engine", "mpi", "-o", tmp_path / "m"]
    done = job(2, *line)
    assert done.returncode == 0, done.stderr
    assert load(tmp_path / "m").model_.to_bytes() == expected
    # One process speaks for all.
    assert done.stderr.count("certificate") == 1
    wrong = job(2, "-m", "surefoot", "fit", "nosuch.svm", *FLAGS, "--engine=mpi")
    assert wrong.returncode == 1
    assert wrong.stderr.count("nosuch.svm: No such file or directory") == 1


def test_time_that_is_over(rows, tmp_path):
    began = time.monotonic()
    line = ["-m", "surefoot", "fit", rows, *FLAGS, "--engine=mpi", "--budget=1ms", "-o", tmp_path / "m"]
    done = job(2, *line)
    assert done.returncode in (0, 1), done.stderr
    assert time.monotonic() - began < 60
