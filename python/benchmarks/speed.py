"""Speed and memory of `fit` on a CSR matrix, beside the command and SGDClassifier; and the time of the import.

    python benchmarks/speed.py [ROWS] [NONZEROS PER ROW] [ROUNDS]

Each round runs all sides in turn; the table gives the median of their seconds and of the ratios within a round, with
the least and the greatest. Needs a release build: the installed wheel, and its command on the PATH (`surefoot`).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss

from surefoot import SurefootClassifier

WIDTH = 1 << 18


def problem(rows: int, nonzeros: int, seed: int) -> tuple[sp.csr_array, np.ndarray]:
    """Return sparse rows with columns of very different frequency, and their labels."""
    random = np.random.default_rng(seed)
    columns = np.minimum((random.pareto(0.6, size=(rows, nonzeros))).astype(np.int64), WIDTH - 1)
    columns.sort(axis=1)
    indptr = np.arange(0, rows * nonzeros + 1, nonzeros, dtype=np.int32)
    X = sp.csr_array((np.ones(rows * nonzeros), columns.ravel().astype(np.int32), indptr), shape=(rows, WIDTH))
    X.sum_duplicates()
    X.data[:] = 1.0
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    weights = np.random.default_rng(1).normal(size=WIDTH) * 0.5
    margin = X @ weights
    return X, (random.random(rows) < 1 / (1 + np.exp(-(margin - margin.mean())))).astype(int)


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def added(work: Callable[[], object]) -> int:
    """Return the bytes by which the process grows at most while a call runs (Linux)."""

    def status(field: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(field)).split()[1]) * 1024

    # Sets the peak of the resident memory back to what is resident now.
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    work()
    return status("VmHWM") - before


def spread(values: list[float], digits: int = 2) -> str:
    """Return the median with the least and the greatest."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def main() -> None:
    """Print the table."""
    given = [int(word) for word in sys.argv[1:]]
    rows, nonzeros, rounds = given + [300_000, 40, 8][len(given) :]
    X, y = problem(rows, nonzeros, 2)
    test, labels = problem(rows // 10, nonzeros, 3)
    ours = SurefootClassifier(passes=1, threads=2)
    grown = added(lambda: ours.fit(X, y))
    optimum = added(lambda: SurefootClassifier(tol=1e-3).fit(X, y))
    held = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    theirs = SGDClassifier(loss="log_loss", max_iter=1, tol=None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.svm"
        dump_svmlight_file(X, y, str(path), zero_based=True)
        line = ["surefoot", "fit", str(path), "-o", str(Path(folder) / "model"), "--quiet"]
        times: dict[str, list[float]] = {"fit": [], "command": [], "SGDClassifier": []}
        for _ in range(rounds):
            times["fit"].append(seconds(lambda: ours.fit(X, y)))
            times["command"].append(seconds(lambda: subprocess.run(line, check=True)))
            times["SGDClassifier"].append(seconds(lambda: theirs.fit(X, y)))
        imports = [
            seconds(lambda: subprocess.run([sys.executable, "-c", "import surefoot"], check=True))
            - seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
            for _ in range(rounds)
        ]
    count = X.nnz
    print(f"{rows:,} rows, {count:,} nonzeros, {rounds} rounds")
    print("| side | seconds | ns per nonzero | seconds of the side / seconds of fit | test log loss |")
    print("| --- | --- | --- | --- | --- |")
    losses = {
        "fit": log_loss(labels, ours.predict_proba(test)),
        "SGDClassifier": log_loss(labels, theirs.predict_proba(test)),
    }
    for side, taken in times.items():
        ratios = [one / fit for one, fit in zip(taken, times["fit"], strict=True)]
        loss = f"{losses[side]:.4f}" if side in losses else "as fit"
        print(
            f"| {side} | {spread(taken)} | {1e9 * statistics.median(taken) / count:.0f} | {spread(ratios)} | {loss} |"
        )
    print(f"a matrix of {held / 2**20:.0f} MiB; memory that one pass added at its peak: {grown / 2**20:.0f} MiB,")
    print(f"and passes='auto', which keeps the rows in a form of its own: {optimum / 2**20:.0f} MiB")
    print(f"import surefoot: {spread(imports, 3)} s")


if __name__ == "__main__":
    main()
