"""Clusters that are started for a fit, that grow and shrink; and the command."""

import os
import signal
import subprocess
import sys

import pytest
import ray
from workers import FLAGS, Scripted, model

from surefoot import load
from surefoot.distributed import RayEngine

HERE = {"_node_ip_address": "127.0.0.1"}


@pytest.fixture(autouse=True)
def _nothing_runs():
    assert not ray.is_initialized()
    yield
    assert not ray.is_initialized()


def test_a_cluster_is_started_and_ended(rows, expected):
    handler = signal.getsignal(signal.SIGTERM)
    assert model(rows, RayEngine(2, init={**HERE, "num_cpus": 2})) == expected
    assert signal.getsignal(signal.SIGTERM) is handler


def test_nodes_come_and_go(rows, expected):
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        nodes = []
        seen = []
        grown = Scripted(RayEngine(3, patience=0.5), 20, lambda: nodes.append(cluster.add_node(num_cpus=2)))
        # The run is held up until the actors of the new node are there.
        waits = Scripted(grown, 21, lambda: _until(lambda: grown._crew._slots[2].worker is not None, grown))

        def shrinks():
            cluster.remove_node(nodes[0], allow_graceful=False)
            # Until the loss is noticed, which the end of the run may precede otherwise.
            _until(lambda: any(slot.worker is None for slot in grown._crew._slots[1:]), grown)

        shrunk = Scripted(waits, 60, shrinks)
        assert model(rows, shrunk, progress=seen.append) == expected
        assert seen[-1].lost >= 1
    finally:
        ray.shutdown()
        cluster.shutdown()


def _until(is_there, engine):
    """Wait for actors, whose events are handed on later."""
    import time

    until = time.monotonic() + 60
    kept = []
    receive = engine._crew.receive
    while not is_there() and time.monotonic() < until:
        kept += receive(0.1)
    assert is_there()

    def handing_on(timeout):
        found, kept[:] = [*kept, *receive(0.0 if kept else timeout)], []
        return found

    engine._crew.receive = handing_on


def line(rows, out, *more):
    return [sys.executable, "-m", "surefoot", "fit", str(rows), *FLAGS, "--engine", "ray", "-o", str(out), *more]


def test_the_command(rows, expected, tmp_path):
    done = subprocess.run(line(rows, tmp_path / "m", "--workers=2"), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "engine: ray, 2 workers, 7 shards" in done.stderr
    assert load(tmp_path / "m").model_.to_bytes() == expected
    wrong = subprocess.run([*line("nosuch.svm", tmp_path / "m")], capture_output=True, text=True, timeout=120)
    assert (wrong.returncode, wrong.stderr) == (1, "surefoot: nosuch.svm: No such file or directory\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command(rows, number, tmp_path):
    work = [*line(rows, tmp_path / "m", "--workers=1"), "--checkpoint", str(tmp_path / "checkpoint")]
    # The signal comes when the search begins; a run that ends before it is looked at is no fault.
    started = subprocess.Popen(work, stderr=subprocess.PIPE, text=True, process_group=0)
    for text in started.stderr:
        if "passes" in text:
            os.kill(started.pid, number)
            break
    rest = started.stderr.read()
    assert started.wait(60) in (0, 130)
    assert started.returncode == 0 or "has the best model so far" in rest or "nothing is written" in rest


def test_an_address_where_nothing_is(rows, tmp_path):
    work = [sys.executable, "-m", "surefoot", "fit", str(rows), *FLAGS, "--engine", "ray://127.0.0.1:1", "-o", "m"]
    done = subprocess.run(work, capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("surefoot: ")
