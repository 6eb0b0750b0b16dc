"""Rows in every form that NumPy and SciPy have, and rows at fault."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import two_classes

from surefoot import SurefootClassifier, SurefootRegressor, SurefootWarning


def rows():
    X, y = two_classes()
    X[np.abs(X) < 0.3] = 0.0
    return X, y


def model_bytes(X, y, **parameters):
    return SurefootClassifier(passes=1, **parameters).fit(X, y).model_.to_bytes()


LAYOUTS = {
    "column-major": np.asfortranarray,
    "reversed twice": lambda X: X[::-1][::-1],
    "reversed": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "transposed": lambda X: np.ascontiguousarray(X.T).T,
    "big-endian": lambda X: X.astype(">f8"),
    "lists": lambda X: X.tolist(),
    "not aligned": lambda X: np.frombuffer(b"\0" + X.tobytes(), dtype=np.float64, offset=1).reshape(X.shape),
    "CSR": sp.csr_matrix,
    "CSR array": sp.csr_array,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_array,
    "LIL": sp.lil_matrix,
    "CSR of 64-bit indices": lambda X: _with_indices(sp.csr_array(X), np.int64),
    "unsorted CSR": lambda X: _shuffled(sp.csr_array(X)),
    "CSR with duplicates": lambda X: _split(sp.csr_array(X)),
}


def _with_indices(X, dtype):
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return X


def _shuffled(X):
    random = np.random.default_rng(0)
    for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        order = start + random.permutation(end - start)
        X.indices[start:end], X.data[start:end] = X.indices[order], X.data[order]
    X.has_sorted_indices = False
    return X


def _split(X):
    """Return a matrix in which each number is the sum of two entries that add up exactly."""
    return sp.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_layouts_give_the_same_model_and_are_left_alone(layout):
    X, y = rows()
    given = LAYOUTS[layout](X)
    before = given.copy() if hasattr(given, "copy") else given
    assert model_bytes(given, y) == model_bytes(X, y)
    differ = (abs(before - given)).sum() if sp.issparse(given) else np.abs(np.asarray(before) - np.asarray(given)).sum()
    assert differ == 0


@pytest.mark.parametrize("sparse", [False, True])
def test_read_only_memory_and_files_mapped_into_memory(sparse, tmp_path):
    X, y = rows()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    fixed = X.copy()
    fixed.flags.writeable = False
    for one in (mapped, fixed):
        if sparse:
            one = sp.csr_array(one)
            for part in (one.data, one.indices, one.indptr):
                part.flags.writeable = False
        assert model_bytes(one, y) == model_bytes(X, y)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.int64, np.uint8, bool])
def test_other_types_of_numbers_are_the_same_numbers(dtype):
    X, y = rows()
    X = np.round(X * 4)
    if dtype in (bool, np.uint8):
        X = np.abs(X) > 1 if dtype is bool else np.abs(X)
    given = X.astype(dtype)
    # SciPy has no matrices of float16.
    for form in (np.asarray,) if dtype is np.float16 else (np.asarray, sp.csr_array):
        assert model_bytes(form(given), y) == model_bytes(form(given.astype(np.float64)), y)


def test_singles_give_the_optimum_of_the_same_numbers():
    X, y = rows()
    single = X.astype(np.float32)
    ours = SurefootClassifier().fit(single, y)
    reference = SurefootClassifier().fit(single.astype(np.float64), y)
    assert ours.coef_.dtype == ours.predict_proba(single).dtype == np.float64
    assert np.array_equal(ours.coef_, reference.coef_)


@pytest.mark.parametrize(
    "form",
    [list, np.array, pd.Series, lambda y: pd.Series(y, index=np.arange(len(y))[::-1]), lambda y: np.array(y, np.int8)],
)
def test_labels_go_by_position(form):
    X, y = rows()
    assert model_bytes(X, form(y)) == model_bytes(X, y)
    with pytest.warns(UserWarning, match="column-vector"):
        assert model_bytes(X, np.array(y)[:, None]) == model_bytes(X, y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(200), "1D array"),
        (np.zeros((200, 2, 2)), "dim"),
        (np.array([["a", "b"]] * 200, dtype=object), "could not convert string"),
        (np.zeros((200, 2), complex), "Complex data"),
        (np.zeros((0, 5)), "0 sample"),
        (np.zeros((200, 0)), "0 feature"),
        (np.zeros((100, 5)), "inconsistent numbers of samples"),
        (None, "Expected 2D array"),
    ],
)
def test_arrays_of_other_shapes_and_types_are_refused(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SurefootClassifier().fit(X, rows()[1])


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("passes", [1, 3, "auto"])
def test_a_number_that_is_not_finite_is_named_with_row_and_column(form, bad, passes):
    X, y = rows()
    X[17, 3] = bad
    name = str(np.float64(bad)).replace("nan", "NaN")
    with pytest.raises(ValueError, match=rf"X: row 17, column '3': '{name}'"):
        SurefootClassifier(passes=passes).fit(form(X), y)
    good = SurefootClassifier().fit(*rows())
    with pytest.raises(ValueError, match=r"row 17, column '3'"):
        good.predict(form(X))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sample_weight": -np.ones(200)}, "Negative values in data passed to `sample_weight`"),
        ({"sample_weight": np.full(200, np.nan)}, "NaN"),
        ({"sample_weight": np.ones(3)}, "sample_weight"),
        ({"offset": np.full(200, np.inf)}, "offset: a finite number"),
        ({"offset": np.ones(3)}, "inconsistent numbers"),
        ({"exposure": np.zeros(200)}, "exposure: a number above 0"),
        ({"exposure": np.ones(200), "offset": np.ones(200)}, "exclude each other"),
    ],
)
def test_weights_exposures_and_offsets_are_checked(given, message):
    X, y = rows()
    with pytest.raises(ValueError, match=message):
        SurefootRegressor("poisson").fit(X, y, **given)


@pytest.mark.parametrize(
    "arrays",
    [
        {"indices": np.array([0, 7])},
        {"indices": np.array([0, -1])},
        {"indptr": np.array([0, 1, 5])},
        {"indptr": np.array([0, 9, 2])},
        {"indptr": np.array([0, -1, 2])},
    ],
)
def test_damaged_sparse_matrices_never_read_elsewhere(arrays):
    X = sp.csr_array((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    for name, array in arrays.items():
        setattr(X, name, array.astype(np.int32))
    with pytest.raises((ValueError, IndexError), match=r"sparse matrix|column index|indptr|indices"):
        SurefootClassifier().fit(X, [0, 1])


def test_huge_and_tiny_numbers():
    X, y = rows()
    for scale in (1e-150, 1e150):
        model = SurefootClassifier(passes=1).fit(X * scale, y)
        assert np.isfinite(model.coef_).all()
        assert model.score(X * scale, y) > 0.7


def test_all_weights_zero_and_one_class_are_told():
    X, y = rows()
    with pytest.raises(ValueError, match="weight"):
        SurefootClassifier().fit(X, y, sample_weight=np.zeros(200))
    with pytest.warns(SurefootWarning, match="only one class"):
        only = SurefootClassifier().fit(X, np.ones(200))
    assert (only.predict(X) == 1.0).all()
    assert only.predict_proba(X).shape == (200, 1)
