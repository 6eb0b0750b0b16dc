"""Data and helpers of the tests of distributed fits, for those that need Ray."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray")

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "distributed")]
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Actors find the package where the tests do.
os.environ["PYTHONPATH"] = str(TESTS.parent)


@pytest.fixture(scope="session")
def rows(tmp_path_factory):
    """File of rows of two classes."""
    from workers import svmlight

    return svmlight(tmp_path_factory.mktemp("rows") / "rows.svm")


@pytest.fixture(scope="session")
def expected(rows):
    """Bytes of the model that one process finds."""
    from workers import model

    from surefoot.distributed import LocalEngine

    return model(rows, LocalEngine(1))


def actors() -> list[int]:
    """Return the processes of actors, in the order in which they were started."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::SurefootWorker" in line.read_bytes():
                found.append(int(line.parent.name))
        except OSError:
            continue
    return sorted(found)
