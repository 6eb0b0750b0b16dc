"""Rows, engines and helpers for the tests of distributed fits."""

from __future__ import annotations

import os
import signal
from collections import deque
from pathlib import Path

import numpy as np
import pandas as pd

from surefoot import SurefootClassifier
from surefoot._surefoot import Worker
from surefoot.distributed import Joined, LocalEngine, Lost, Received, fit_distributed

#: Flags of the command for the model that `train` trains.
FLAGS = ("--passes", "auto", "--l2", "0.01", "--tol", "1e-12", "--shards", "7")


def svmlight(path: Path, rows: int = 1500, seed: int = 0) -> Path:
    """Write rows of two classes with sparse features."""
    random = np.random.default_rng(seed)
    weights = random.normal(size=60)
    lines = []
    for _ in range(rows):
        at = np.sort(random.choice(60, 6, replace=False))
        values = random.normal(size=6)
        label = int(values @ weights[at] + random.logistic() > 0)
        lines.append(f"{label} " + " ".join(f"{n + 1}:{v:.5f}" for n, v in zip(at, values, strict=True)))
    path.write_text("\n".join(lines) + "\n")
    return path


def table(rows: int = 600, seed: int = 0) -> pd.DataFrame:
    """Return a table with numbers, texts and three classes."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": random.normal(size=rows), "size": random.normal(size=rows)})
    frame["city"] = np.array(["Oslo", "Rome", "Bern", "Kyiv"])[random.integers(0, 4, rows)]
    frame["price"] = 2.0 * frame["age"] - frame["size"] + (frame["city"] == "Rome") + random.normal(size=rows)
    frame["class"] = np.array(["low", "mid", "top"])[np.digitize(frame["price"], [-1.0, 1.0])]
    return frame


def train(files, engine=None, **named) -> SurefootClassifier:
    """Train the model that the tests compare."""
    return fit_distributed(SurefootClassifier(l2=0.01), files, engine=engine or LocalEngine(2), shards=7, **named)


def model(files, engine=None, **named) -> bytes:
    """Return the bytes of the model that the tests compare."""
    return train(files, engine, **named).model_.to_bytes()


def children() -> list[int]:
    """Return the processes that this one has started and that run."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.append(int(status.parent.name))
    return sorted(found)


class Scripted:
    """An engine around another, which calls a function before the answer of a number of messages is passed on."""

    def __init__(self, inner, after: int, act) -> None:
        self._inner, self._left, self._act = inner, after, act

    def lead(self, work):
        return self._inner.lead(work)

    def open(self, workers, shards):
        self._crew = self._inner.open(workers, shards)
        self.workers, self.patience = self._crew.workers, self._crew.patience
        self.begin, self.send, self.close = self._crew.begin, self._crew.send, self._crew.close
        return self

    def receive(self, timeout):
        found = self._crew.receive(timeout)
        self._left -= sum(isinstance(event, Received) for event in found)
        if self._left <= 0 and self._act is not None:
            act, self._act = self._act, None
            act()
        return found


def killing(engine, after: int, which: int = 0, number: int = signal.SIGKILL) -> Scripted:
    """Return the engine with one of its processes killed after so many messages."""
    before = set(children())
    return Scripted(engine, after, lambda: os.kill([one for one in children() if one not in before][which], number))


class Threadless:
    """An engine within the process, whose workers come and go as told: pairs of a number of messages and an event."""

    def __init__(self, workers: int, script=(), patience: float = 0.0) -> None:
        self.workers, self.patience = workers, patience
        self._script = deque(script)

    def lead(self, work):
        return work()

    def open(self, workers, shards):
        self._workers: dict[int, Worker] = {}
        self._letters: deque = deque()
        self._heard = 0
        return self

    def begin(self):
        self._script.extendleft((0, Joined(n)) for n in reversed(range(self.workers)))

    def send(self, worker, head, body):
        self._letters.append((worker, head, body))

    def receive(self, timeout):
        found = []
        while self._script and self._script[0][0] <= self._heard:
            event = self._script.popleft()[1]
            found.append(event)
            if isinstance(event, Joined):
                self._workers[event.worker] = Worker()
            else:
                assert isinstance(event, Lost)
                del self._workers[event.worker]
        if self._letters:
            worker, head, body = self._letters.popleft()
            answers = self._workers[worker].handle(head, body) if worker in self._workers else []
            self._heard += len(answers)
            found += [Received(worker, answer) for answer in answers]
        return found

    def close(self):
        self._workers.clear()
