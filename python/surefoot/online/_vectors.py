"""Rows and gradients: NumPy arrays, SciPy rows and pairs of indices and values, as arrays of the library."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Parsed: TypeAlias = tuple[NDArray[np.int64] | None, NDArray[np.float64]]

#: What is taken for a row: a dense array, a SciPy row (1 x d, or a sparse array with one axis), or a tuple
#: of an array of indices and an array of values.
Row: TypeAlias = Any


def parse(row: Row, dim: int) -> Parsed:
    """Return indices (None for a dense row) and values of `row`."""
    if type(row) is np.ndarray and row.ndim == 1 and row.dtype == np.float64:
        return None, _dense(row, dim)
    if hasattr(row, "tocoo"):
        return _sparse(row, dim)
    if isinstance(row, tuple) and len(row) == 2 and np.ndim(row[0]) == 1 and np.ndim(row[1]) == 1:
        return _indices(row[0]), _floats(row[1])
    return None, _dense(_floats(row), dim)


def _dense(row: NDArray[np.float64], dim: int) -> NDArray[np.float64]:
    if row.ndim == 2 and row.shape[0] == 1:
        row = row[0]
    if row.ndim != 1:
        raise ValueError(f"a dense row has one axis; this has the shape {row.shape}")
    if row.shape[0] != dim:
        raise ValueError(f"a row of {row.shape[0]} values for {dim} coordinates")
    return np.ascontiguousarray(row)


def _sparse(row: Any, dim: int) -> Parsed:
    """Read a SciPy row; a CSR row costs what it has nonzeros."""
    shape = row.shape
    if len(shape) > 2 or (len(shape) == 2 and shape[0] != 1):
        raise ValueError(f"a sparse row has the shape (1, {dim}) or ({dim},); this has {shape}")
    if shape[-1] != dim:
        raise ValueError(f"a sparse row of {shape[-1]} columns for {dim} coordinates")
    if getattr(row, "format", "") == "csr" and len(shape) == 2:
        stop = int(row.indptr[-1])
        return _indices(row.indices[:stop]), _floats(row.data[:stop])
    coordinates = row.tocoo()
    indices = coordinates.coords[-1] if hasattr(coordinates, "coords") else coordinates.col
    return _indices(indices), _floats(coordinates.data)


def _floats(values: Any) -> NDArray[np.float64]:
    if np.ma.is_masked(values):
        raise ValueError("a row with masked values; fill them first")
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise TypeError("a row of complex numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def _indices(values: Any) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"indices are integers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


def read_indices(values: Any) -> NDArray[np.int64]:
    """Return `values` as indices."""
    return np.atleast_1d(_indices(values))


def read_point(values: Any, dim: int, name: str) -> NDArray[np.float64]:
    """Return `values` as the coordinates of a point."""
    array = _floats(values)
    if array.shape != (dim,):
        raise ValueError(f"{name} needs {dim} coordinates; this has the shape {array.shape}")
    return array
