"""Read rows in every form that the extension module reads through addresses, for a run in which each access is watched.

`.ci/full` runs it under valgrind. It imports NumPy and the extension module alone, since other libraries take minutes
there, and gives the module arrays of all layouts, the last number of each at the very end of its memory.
"""

from __future__ import annotations

import numpy as np

from surefoot._surefoot import Incremental, Rows, fit

FLAGS = ["--loss=logistic", "--passes=1", "--format=svmlight"]


def at_the_end(array: np.ndarray) -> np.ndarray:
    """Return a copy of an array in memory of its own that ends with it."""
    own = np.empty(array.size, array.dtype)
    own[:] = array.ravel(order="K")
    return own.reshape(array.shape, order="F" if array.flags.f_contiguous and array.ndim > 1 else "C")


def main() -> None:
    """Train and predict on each form."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    label = (X[:, 0] > 0).astype(float)
    layouts = [X, np.asfortranarray(X), X[::-1], X.astype(np.float32), np.repeat(X, 2, axis=1)[:, ::2]]
    weight, offset = np.ones(60), np.zeros(60)
    for array in layouts:
        rows = Rows.dense(array if array.base is not None else at_the_end(array), at_the_end(label), weight, offset)
        model = fit(FLAGS, rows).model
        assert model is not None
        assert model.predict(Rows.dense(array), "margin").shape == (60, 1)
        Incremental(FLAGS, rows).learn(rows)
    for numbers, indices in ((np.float64, np.int32), (np.float32, np.int64)):
        parts = (
            at_the_end(X.ravel().astype(numbers)),
            at_the_end(np.tile(np.arange(3), 60).astype(indices)),
            at_the_end(np.arange(0, 181, 3).astype(indices)),
        )
        assert fit(FLAGS, Rows.sparse(parts, 3, label, classes=["no", "yes"])).model is not None
    print("read")


if __name__ == "__main__":
    main()
