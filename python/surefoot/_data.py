"""Rows for the extension module: matrices, tables and files, taken as they are."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from surefoot._surefoot import Rows

Vector = NDArray[np.float64]


def is_table(X: Any) -> bool:
    """Return whether X is a table with named columns.

    Raises
    ------
    ValueError
        A single column of pandas or Polars.

    """
    if hasattr(X, "to_frame") and hasattr(X, "name") and not hasattr(X, "columns"):
        raise ValueError("X: a table is needed, this is one of its columns: give X.to_frame()")
    is_lazy = hasattr(X, "collect_schema") and hasattr(X, "collect")
    return hasattr(X, "__arrow_c_stream__") or is_lazy or _is_pandas(X)


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def names_are_checked(X: Any) -> bool:
    """Return whether scikit-learn knows the names of the columns of a table."""
    return _is_pandas(X) or type(X).__module__.partition(".")[0] == "polars"


def is_files(X: Any) -> bool:
    """Return whether X is the name of a file, or a list of names."""
    one = isinstance(X, str | os.PathLike)
    several = isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(x, str | os.PathLike) for x in X)
    return one or several


def column_names(X: Any) -> list[str]:
    """Return the names of the columns of a table."""
    if hasattr(X, "schema") and hasattr(X.schema, "names") and callable(getattr(X.schema, "field", None)):
        return list(X.schema.names)
    return [str(name) for name in X.columns]


def select(X: Any, names: Sequence[str]) -> Any:
    """Return a table with those of its columns that have one of these names."""
    given = column_names(X)
    kept = [name for name in given if name in set(names)]
    if len(kept) == len(given) or not kept:
        return X
    if _is_pandas(X):
        return X.loc[:, [str(name) in set(names) for name in X.columns]]
    return X.select(kept)


def has_text_names(X: Any) -> bool:
    """Return whether all names of columns are texts."""
    return not _is_pandas(X) or all(isinstance(name, str) for name in X.columns)


def column(X: Any, name: str) -> Any:
    """Return the cells of a column of a table that are not missing, as an array.

    Raises
    ------
    ValueError
        A name that no column has.

    """
    if name not in column_names(X):
        raise ValueError(f"X has no column {name!r}; it has {', '.join(column_names(X))}")
    cells = X.iloc[:, column_names(X).index(name)] if _is_pandas(X) else X[name]
    cells = cells.drop_nulls() if hasattr(cells, "drop_nulls") else cells
    cells = cells.drop_null() if hasattr(cells, "drop_null") else cells
    cells = cells.dropna() if hasattr(cells, "dropna") else cells
    return np.asarray(cells)


def length(X: Any) -> int:
    """Return the number of rows."""
    if hasattr(X, "shape"):
        return int(X.shape[0])
    return int(X.num_rows) if hasattr(X, "num_rows") else len(X)


def matrix(X: Any) -> Any:
    """Return X as an array or a CSR matrix of floats, without a copy where it is one already."""
    return check_array(
        X,
        accept_sparse="csr",
        accept_large_sparse=True,
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
    )


def check_array_kind(X: Any) -> None:
    """Refuse arrays whose numbers are not what they seem.

    Raises
    ------
    ValueError
        A masked array; times.

    """
    if np.ma.isMaskedArray(X):
        raise ValueError("X: a masked array: fill the masked entries, or give a DataFrame with missing cells")
    if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError("X: times are no numbers: give a difference in the unit that you mean, as floats")


def weights(sample_weight: Any, X: Any) -> Vector | None:
    """Return one weight per row as doubles; `None` if all are 1."""
    if sample_weight is None:
        return None
    _refuse_name("sample_weight", sample_weight)
    shape = np.empty((length(X), 0))
    checked: Vector = _check_sample_weight(sample_weight, shape, dtype=np.float64, ensure_non_negative=True)
    return checked


def offsets(exposure: Any, offset: Any, X: Any) -> Vector | None:
    """Return what is added to the margin of each row; `None` if nothing is.

    Raises
    ------
    ValueError
        An exposure that is not above 0; both exposures and offsets; a wrong number of them.

    """
    if exposure is not None and offset is not None:
        raise ValueError("exposure and offset exclude each other: add log(exposure) to the offset")
    if exposure is not None:
        exposures = numbers("exposure", exposure, X)
        if not np.all(exposures > 0):
            raise ValueError("exposure: a number above 0 is needed for each row")
        logs: Vector = np.log(exposures)
        return logs
    return None if offset is None else numbers("offset", offset, X)


def numbers(name: str, values: Any, X: Any) -> Vector:
    """Return one finite double per row."""
    _refuse_name(name, values)
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0:
        array = np.full(length(X), array)
    if array.ndim != 1:
        raise ValueError(f"{name}: one number for each row is needed, the shape is {array.shape}")
    check_consistent_length(X, array)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: a finite number is needed for each row")
    return array


def _refuse_name(name: str, values: Any) -> None:
    if isinstance(values, str):
        raise ValueError(f"{name}: a column of X goes by name where y does too; give one number for each row")


def rows(
    X: Any,
    label: Vector | None = None,
    weight: Vector | None = None,
    offset: Vector | None = None,
    classes: Sequence[str] = (),
) -> Rows:
    """Return the rows of a table, or of what `matrix` returned."""
    beside = (label, weight, offset, list(classes))
    if is_table(X):
        return table_rows(X, *beside)
    if sp.issparse(X):
        indices, indptr = (_positions(part) for part in (X.indices, X.indptr))
        return Rows.sparse((X.data, indices, indptr), X.shape[1], *beside)
    return Rows.dense(X, *beside)


def _positions(part: Any) -> Any:
    """Return positions of a sparse matrix as 32-bit or 64-bit numbers; SciPy also has others where it is told to."""
    return part if part.dtype in (np.int32, np.int64) else part.astype(np.int64)


def table_rows(X: Any, label: Vector | None, weight: Vector | None, offset: Vector | None, classes: list[str]) -> Rows:
    """Return the rows of a table, by the Arrow C stream interface."""
    return Rows.table(_arrow(X), label, weight, offset, classes)


def _arrow(X: Any) -> Any:
    """Return a table with the C stream interface of Arrow; one of pandas without its index and with texts as names."""
    if not _is_pandas(X):
        return X
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            'tables of pandas are read by way of PyArrow: pip install "surefoot[pandas]", or give a table of Polars'
        ) from None
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if str(dtype).startswith("period"):
            raise ValueError(f"X: column {name!r} holds times: give its start or end, as a number, or leave it out")
    plain = X.set_axis([str(name) for name in X.columns], axis=1)
    try:
        return pyarrow.Table.from_pandas(plain, preserve_index=False)
    except pyarrow.ArrowException as error:
        raise ValueError(f"X: {'; '.join(map(str, error.args))}") from None


def numbered_categories(X: Any) -> list[str]:
    """Return the columns of pandas whose type is a category although their categories are numbers."""
    if not _is_pandas(X):
        return []
    kinds = [(str(name), dtype) for name, dtype in zip(X.columns, X.dtypes, strict=True)]
    return [name for name, dtype in kinds if hasattr(dtype, "categories") and dtype.categories.dtype.kind in "biuf"]


def table(X: Any) -> Any:
    """Return a table that can be read more than once.

    Raises
    ------
    ValueError
        A query that is not computed yet.

    """
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "iter_rows"):
        raise ValueError("X: a LazyFrame is not computed yet: give X.collect()")
    if type(X).__module__.partition(".")[0] == "polars":
        for name, dtype in X.schema.items():
            if str(dtype) == "Object":
                raise ValueError(f"X: column {name!r} holds objects of Python, which have no value to learn from")
    return X.read_all() if hasattr(X, "read_all") and not hasattr(X, "num_rows") else X


def file_names(names: Any) -> list[str | bytes]:
    """Return one or several names of files, folders, glob patterns and addresses as a list.

    Raises
    ------
    FileNotFoundError
        A name that stands for nothing.

    """
    if not is_files(names):
        raise ValueError("files: the path of a file, or a list of them, is needed")
    listed = [names] if isinstance(names, str | os.PathLike) else list(names)
    paths = [os.fspath(name) for name in listed]
    for path in paths:
        name = os.fsdecode(path)
        stands_for_others = glob.has_magic(name) or is_address(name) or name == "-"
        if not stands_for_others and not os.path.lexists(path):
            raise FileNotFoundError(f"{name}: there is no such file")
    return paths


def is_address(name: str) -> bool:
    """Return whether a name is an address, such as `s3://bucket/folder`."""
    return "://" in name


def files(names: Any) -> Rows:
    """Return the rows of files, folders and glob patterns.

    Raises
    ------
    FileNotFoundError
        A name that stands for nothing.

    """
    return Rows.files(file_names(names))
