"""Data and programs that several tests use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the data of the repository."""
    return ROOT / "data"


@pytest.fixture(scope="session")
def command():
    """Run the command `surefoot` of the same build in a folder, and return what it printed."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = target / "debug" / "surefoot"
    if not program.exists():
        subprocess.run(["cargo", "build", "--package", "surefoot-cli"], cwd=ROOT, check=True)

    def run(*words: object, folder: Path = ROOT, status: int = 0) -> str:
        done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stderr + done.stdout

    return run


def two_classes(rows: int = 200, columns: int = 5, seed: int = 0):
    """Return rows with labels 0 and 1 that a linear model tells apart, but for noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    margin = X @ np.linspace(-1.0, 2.0, columns) + 0.3
    return X, (margin + random.logistic(size=rows) > 0).astype(int)


def numbers(loss: str, rows: int = 200, seed: int = 0):
    """Return rows with labels that suit the loss."""
    X, _ = two_classes(rows, seed=seed)
    random = np.random.default_rng(seed + 1)
    mean = np.exp(0.4 * X[:, 0] - 0.2)
    labels = {
        "poisson": random.poisson(mean).astype(float),
        "gamma": random.gamma(2.0, mean / 2.0),
        "tweedie": random.poisson(mean) * random.gamma(1.0, 1.0, rows),
    }
    return X, labels.get(loss, X @ np.arange(5.0) + random.normal(size=rows))
