"""From what a caller gives to rows that the extension module reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names, validate_data

from surefoot import _data
from surefoot._data import Vector
from surefoot._errors import translated
from surefoot._results import Results
from surefoot._surefoot import Rows


class Reading(Results):
    """Checks of rows, and the names of their columns."""

    def _checked(self, X: Any, reset: bool) -> Any:
        """Return X as rows can be read from it, after the checks of scikit-learn."""
        if _data.is_table(X):
            X = _data.table(X)
            if not reset and not getattr(self, "_is_table", True):
                return self._checked(np.asarray(X), reset)
            self._check_columns(X, reset)
            return X
        if not reset and getattr(self, "_is_table", False):
            return self._as_table(X)
        _data.check_array_kind(X)
        try:
            matrix = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                accept_large_sparse=True,
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
            )
        except ValueError as error:
            if "could not convert string to float" not in str(error):
                raise
            raise ValueError(f"{error}: give a DataFrame, in which columns of text are categories") from None
        if reset:
            self._is_table = False
        elif not hasattr(self, "n_features_in_") and matrix.shape[1] < self._columns_of_matrix():
            least = self._columns_of_matrix()
            raise ValueError(f"X has {matrix.shape[1]} features, but the model has weights of {least} columns")
        return matrix

    def _check_columns(self, X: Any, reset: bool) -> None:
        names = _data.column_names(X)
        known = set(self._column_names() if not reset else ())
        needed = known - self._ignored_columns()
        # Columns go by name: further ones, such as the label, are passed over, and ignored ones are not needed.
        is_other_selection = bool(needed) and needed <= set(names) and known != set(names)
        if _data.names_are_checked(X) and (reset or not is_other_selection):
            _check_feature_names(self, X, reset=reset)
        elif not reset and (missing := [name for name in needed if name not in names]):
            raise ValueError(f"X has no column {missing[0]!r}, which the model was trained with")
        if reset:
            if _data.length(X) == 0:
                raise ValueError("Found array with 0 sample(s): at least one row is needed")
            if not names:
                raise ValueError("Found array with 0 feature(s): at least one column is needed")
            self._is_table, self.n_features_in_ = True, len(names)
            self._names = names
            # As in scikit-learn, columns have names if all of these are texts.
            if _data.has_text_names(X):
                self.feature_names_in_ = np.array(names, dtype=object)
            else:
                self.__dict__.pop("feature_names_in_", None)

    def _column_names(self) -> list[str]:
        """Return the names of the columns of the training table; empty if it was none."""
        names: list[str] = getattr(self, "_names", [])
        return names

    def _ignored_columns(self) -> set[str]:
        """Return the columns of the training that the model leaves out."""
        columns = self._trained.model.columns if self.__sklearn_is_fitted__() else []
        return {name for name, role in columns if role == "ignored"}

    def _as_table(self, X: Any) -> Any:
        """Return an array as a table with the columns of the training data."""
        matrix = _data.matrix(X)
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        names = self._column_names()
        if matrix.shape[1] != len(names):
            width = f"{len(names)} columns"
            raise ValueError(f"X has {matrix.shape[1]} features: the model was trained on a table with {width}")
        return _Columns(names, matrix)

    def _rows(
        self,
        X: Any,
        label: Vector | None,
        weight: Vector | None,
        offset: Vector | None,
        classes: Sequence[str] = (),
    ) -> Rows:
        if isinstance(X, _Columns):
            return Rows.columns(X.columns(), label, weight, offset, list(classes))
        return _data.rows(X, label, weight, offset, classes)

    def _with_kinds(self, values: dict[str, Any], X: Any) -> dict[str, Any]:
        """Return the parameters with the columns that pandas says are categories among the categorical ones."""
        if self._is_table:
            self._check_selectors(values, _data.column_names(X))
        named = _listed(values["categorical"])
        others = {*named, *_listed(values["numeric"]), *_listed(values["text"]), *_listed(values["ignore"])}
        found = [name for name in _data.numbered_categories(X) if name not in others]
        return {**values, "categorical": [*named, *found]} if found else values

    def _check_selectors(self, values: dict[str, Any], names: list[str]) -> None:
        """Refuse numbers as names of columns: the command counts columns from 1, Python from 0."""
        for parameter in ("categorical", "text", "numeric", "ignore", "keep", "bounds", "penalty_factor"):
            given = values[parameter]
            named = isinstance(given, dict) or (isinstance(given, str | list) and parameter != "bounds")
            for key in (given if isinstance(given, dict) else _listed(given)) if named else ():
                is_number = not isinstance(key, str) or key.replace("-", "").isdecimal()
                if is_number and key not in names:
                    raise ValueError(f"{parameter}: X has no column {key!r}; columns of a table go by name")

    def _check_lengths(self, X: Any, y: Any) -> None:
        if len(y) != _data.length(X):
            counts = [_data.length(X), len(y)]
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {counts}")

    def _files(self, files: Any) -> Rows:
        with translated():
            return _data.files(files)


class _Columns:
    """An array as a table: names and one-dimensional columns."""

    def __init__(self, names: Any, matrix: Any) -> None:
        self._names, self._matrix = names, matrix
        self.shape = matrix.shape

    def columns(self) -> list[tuple[str, Any]]:
        matrix = np.asarray(self._matrix, dtype=np.float64)
        return [(str(name), np.ascontiguousarray(matrix[:, n])) for n, name in enumerate(self._names)]


def _listed(names: Any) -> list[str]:
    """Return a parameter that is a name or a list of names as a list."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names) if isinstance(names, list | tuple) else []
