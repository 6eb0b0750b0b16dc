"""What the classifier and the regressor share: training and prediction."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from surefoot import _data
from surefoot._data import Vector
from surefoot._errors import SurefootWarning, of_matrix, translated
from surefoot._flags import flags
from surefoot._outcome import Outcome
from surefoot._progress import Progress
from surefoot._reading import Reading
from surefoot._surefoot import Incremental, Model, Rows
from surefoot._surefoot import fit as _fit
from surefoot._trained import Trained
from surefoot._words import translate

#: Relative duality gap of `passes="auto"`: weights are then equal to about seven digits on any path to them.
TOLERANCE = 1e-12

#: Parameters of every estimator that stand for a flag of the command as they are.
_SETTINGS = [
    "passes",
    "tol",
    "l1",
    "l2",
    "standardize",
    "select",
    "penalty_factor",
    "bounds",
    "fit_intercept",
    "radius",
    "row_norm",
    "error_probability",
    "until_gap",
    "holdout",
    "budget",
    "threads",
    "missing",
    "categorical",
    "text",
    "numeric",
    "ignore",
    "keep",
    "interact",
    "bits",
    "na",
    "no_default_na",
]
#: Those of them that a trainer of rows part by part takes too.
_INCREMENTAL = [name for name in _SETTINGS if name not in ("passes", "tol", "select", "holdout", "budget")]


class SurefootBase(Reading):
    """Common part of the estimators."""

    def _target(self, y: Any, reset: bool) -> tuple[NDArray[Any], Vector, list[str]]:
        """Return labels as an array, one number for each, and the sorted texts of labels that are texts."""
        raise NotImplementedError

    def _loss(self) -> dict[str, Any]:
        """Return the parameters about the loss."""
        raise NotImplementedError

    def _effective_weights(self, weight: Vector | None, y: NDArray[Any]) -> float:
        """Return the sum of the weights of rows with which the objective is a mean."""
        return float(len(y)) if weight is None else float(weight.sum())

    def _usual_l2(self, weight: Vector | None, y: NDArray[Any]) -> float:
        """Return the penalty of `C=1` in scikit-learn."""
        total = self._effective_weights(weight, y)
        # Rows without any weight are refused later, with their own message.
        return 1.0 / total if total > 0.0 else 1.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, exposure: Any = None, offset: Any = None) -> Self:
        """Train a model.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (rows, columns)
            A NumPy array of any layout, a SciPy matrix or array, or a table of pandas, Polars or PyArrow. Arrays of
            doubles and singles, CSR matrices and Arrow tables are read where they are.
        y : array of shape (rows,), or str
            Labels; or, for a table, the name of the column that holds them.
        sample_weight : array of shape (rows,), optional
            Weight of each row.
        exposure : array of shape (rows,), optional
            Exposures, whose logarithms are added to the margin (losses with a log link).
        offset : array of shape (rows,), optional
            Numbers that are added to the margins.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter, a row or a label at fault; the message says where and what to do.

        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        with self._or_as_before():
            if isinstance(y, str):
                self._fit_named(X, y, sample_weight, exposure, offset)
            else:
                self._fit_array(X, y, sample_weight, exposure, offset)
        return self

    @contextmanager
    def _or_as_before(self) -> Iterator[None]:
        """Restore all attributes if training fails; an interruption keeps the model that it left."""
        before = dict(self.__dict__)
        try:
            yield
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit_array(self, X: Any, y: Any, sample_weight: Any, exposure: Any, offset: Any) -> None:
        before = getattr(self, "n_features_in_", None)
        X = self._checked(X, reset=True)
        if self._goes_on() and before not in (None, self.n_features_in_):
            raise ValueError(
                f"warm_start: X has {self.n_features_in_} columns, the model was trained on {before}: "
                "set warm_start=False"
            )
        y, label, classes = self._target(y, reset=True)
        self._check_lengths(X, y)
        self._check_exposure(exposure)
        weight, offset = _data.weights(sample_weight, X), _data.offsets(exposure, offset, X)
        values = self._with_kinds(self._values(lambda: self._usual_l2(weight, y)), X)
        values["format"] = "arrow" if self._is_table else "svmlight"
        with translated(str if self._is_table else of_matrix):
            self._train(flags(values), self._rows(X, label, weight, offset, classes=classes))

    def _check_exposure(self, exposure: Any) -> None:
        if exposure is not None and self.loss not in ("poisson", "gamma", "tweedie"):
            raise ValueError(f"exposure is for losses with a log link; with loss={self.loss!r} give an offset")

    def _fit_named(self, X: Any, y: str, sample_weight: Any, exposure: Any, offset: Any) -> None:
        """Train on a table that holds the labels."""
        if not _data.is_table(X):
            raise ValueError("y: the name of a column is for tables; give an array of labels")
        for name, column in (("sample_weight", sample_weight), ("exposure", exposure), ("offset", offset)):
            if column is not None and not isinstance(column, str):
                raise ValueError(f"{name}: name a column of X, as y does")
        X = _data.table(X)
        self._check_columns(X, reset=True)
        labels = self._look_at(_data.column(X, y))
        if self._go_by_text() and sample_weight is None and exposure is None and offset is None:
            # Large numbers are classes only by their text, which a column of numbers has not.
            rest = [name for name in _data.column_names(X) if name != y]
            self._fit_array(_data.select(X, rest), labels, None, None, None)
            return
        weight = None if sample_weight is None else _data.column(X, sample_weight).astype(np.float64)
        columns = {"label": y, "sample_weight": sample_weight, "exposure": exposure, "offset": offset}
        values = self._with_kinds(self._values(lambda: self._usual_l2(weight, labels)), X)
        with translated():
            words = flags({**values, **columns, "format": "arrow"})
            self._train(words, _data.rows(X), self._take_columns)

    def fit_file(
        self,
        files: Any,
        *,
        label: str | None = None,
        sample_weight: str | None = None,
        exposure: str | None = None,
        offset: str | None = None,
        trials: str | None = None,
        passes: int | str = 1,
        skip_bad_rows: int | None = None,
        format: str | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
        quote: str | None = None,
        decimal: str | None = None,
        index_base: int | None = None,
    ) -> Self:
        """Train a model on files, which are read as a stream: they may be larger than the memory.

        Parameters
        ----------
        files : path or list of paths
            Files of svmlight, CSV, TSV, Parquet, Arrow or Vowpal Wabbit text, compressed or not; folders and glob
            patterns such as `"data/*.parquet"`.
        label, sample_weight, exposure, offset, trials : str, optional
            Names of columns, for tables.
        passes : int or "auto"
            Number of passes over the files, one by default whatever the estimator's `passes` is. `"auto"` goes to the
            optimum, for which rows are kept in memory or a temporary file.
        skip_bad_rows : int, optional
            Number of rows at fault that may be skipped.
        format, header, delimiter, quote, decimal, index_base : optional
            How the files are read, where that is not to be guessed: see the flags of the same names.

        Notes
        -----
        The features of svmlight files are columns by their index as it stands: files that count from 1 have an unused
        column 0, as `load_svmlight_file(..., zero_based=True)` reads them.

        Returns
        -------
        self

        """
        with self._or_as_before():
            self._forget_columns()
            rows = self._files(files)
            values = self._values(None, passes=passes)
            values |= {"label": label, "sample_weight": sample_weight, "exposure": exposure, "offset": offset}
            values |= {"trials": trials, "skip_bad_rows": skip_bad_rows, "format": format, "header": header}
            values |= {"delimiter": delimiter, "quote": quote, "decimal": decimal, "index_base": index_base}
            with translated():
                self._train(flags(values), rows, self._take_columns)
        return self

    def _forget_columns(self) -> None:
        """Forget labels and columns of an earlier training, before those of files are known."""
        for name in ("classes_", "feature_names_in_", "n_features_in_", "_is_table", "_names"):
            self.__dict__.pop(name, None)

    def _values(self, l2: Callable[[], float] | None, passes: int | str | None = None) -> dict[str, Any]:
        """Return the parameters for the flags, with defaults that depend on others; `l2` gives the usual penalty."""
        values = {name: getattr(self, name) for name in _SETTINGS} | self._loss()
        if passes is not None:
            values["passes"] = passes
        if values["passes"] is None:
            raise ValueError("passes: a whole number of at least 1, or 'auto', is needed, None was given")
        if values["passes"] == "auto":
            # A penalty that is chosen from many is not known to that precision: the command's default is enough.
            if values["tol"] is None and "auto" not in (values["l1"], values["l2"]):
                values["tol"] = TOLERANCE
            is_free = values["l1"] is None and values["l2"] is None and values["radius"] is None
            if is_free and l2 is None:
                raise ValueError("passes='auto' with files needs a penalty: l2='auto', or l2=1/n for n rows")
            if is_free and l2 is not None:
                values["l2"] = l2()
        values["shuffle"] = self.shuffle
        if self.shuffle:
            values["random_state"] = self._seed()
        return values

    def _seed(self) -> int:
        given = self.random_state
        if given is None or isinstance(given, int | np.integer):
            return 0 if given is None else int(given)
        return int(check_random_state(given).randint(np.iinfo(np.int32).max))

    def _train(self, words: list[str], rows: Rows, take: Callable[[], None] | None = None) -> None:
        """Run a fit, keep its model, and pass on its warnings; a Ctrl-C is raised once the model is kept.

        `take` then takes the columns of the model.
        """
        start = self._start()
        progress = Progress(self.verbose) if self.verbose else None
        report = bool(self.report)
        fitted = Outcome.of(_fit(words, rows, start, report, progress))
        if progress is not None:
            progress.close()
        self._take_outcome(fitted, words, take)

    def _take_outcome(self, fitted: Outcome, words: list[str], take: Callable[[], None] | None) -> None:
        """Keep the model of a fit with these flags, and pass on its warnings and the exception that ended it."""
        if fitted.model is not None:
            self._trained = Trained.of_fit(fitted)
            if take is not None:
                take()
            self._take_labels()
        elif fitted.raised is None:
            raise ValueError("budget: the time was over before a row was learnt")
        for kind, message in fitted.messages:
            if kind == "warning":
                warnings.warn(translate(message), SurefootWarning, stacklevel=4)
        if fitted.stop == "budget" and self._trained.results.get("objective") is None and "--passes=auto" in words:
            text = "budget: the time was over before the optimum was sought: the model is that of one pass, unpenalised"
            warnings.warn(text, SurefootWarning, stacklevel=4)
        if fitted.raised is not None:
            raise fitted.raised

    def _start(self) -> Model | None:
        """Return the model to go on from; `None` to begin anew. An optimum does not depend on its start."""
        if not self._goes_on():
            return None
        self._check_start(self._trained.model)
        return self._trained.model

    def _goes_on(self) -> bool:
        return bool(self.warm_start) and self.passes != "auto" and self.__sklearn_is_fitted__()

    def _check_start(self, start: Model) -> None:
        """Check that the labels of a model to go on from are among those of the rows."""

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        exposure: Any = None,
        offset: Any = None,
    ) -> Self:
        """Learn rows in one pass and keep all that was learnt before; part by part, in any sizes.

        The model is that of one pass over all parts, whatever `passes` is. A part with a row at fault changes nothing.

        Parameters
        ----------
        X, y, sample_weight, exposure, offset
            As for `fit`.
        classes : array, optional
            All labels that will come, for a classifier; without it those of the first part are all.

        Returns
        -------
        self

        """
        if isinstance(y, str):
            raise ValueError("y: partial_fit takes an array of labels; X[y] is one, and X is then to be without it")
        first = not self.__sklearn_is_fitted__()
        if not first and _data.length(X) == 0:
            return self
        with self._or_as_before():
            X = self._checked(X, reset=first)
            y, label, texts = self._part_target(y, classes, first)
            self._check_lengths(X, y)
            weight, offset = _data.weights(sample_weight, X), _data.offsets(exposure, offset, X)
            with translated(str if self._is_table else of_matrix):
                self._learn_part(X, self._rows(X, label, weight, offset, classes=texts), first)
        return self

    def _learn_part(self, X: Any, rows: Rows, first: bool) -> None:
        trainer = None if first else self._trained.incremental
        if trainer is None:
            self._warn_of_optimum()
            trainer = self._trainer(rows, None if first else self._trained.model, X)
        try:
            trainer.learn(rows)
        finally:
            if not first or trainer.rows() > 0:
                self._keep(trainer)

    def _warn_of_optimum(self) -> None:
        if self.__sklearn_is_fitted__() and self._trained.results.get("objective") is not None:
            warnings.warn(
                "partial_fit goes on from the one pass that preceded the optimum, and gives the optimum up: fit all "
                "rows again, or learn in parts from the start",
                SurefootWarning,
                stacklevel=3,
            )

    def _part_target(self, y: Any, classes: Any, first: bool) -> tuple[NDArray[Any], Vector, list[str]]:
        return self._target(y, reset=first)

    def _trainer(self, rows: Rows, start: Model | None, X: Any) -> Incremental:
        # A model to go on from has settings of its own.
        values = {name: getattr(self, name) for name in _INCREMENTAL} | self._loss() if start is None else {}
        if start is None:
            values = self._with_kinds(values, X)
        values["format"] = "arrow" if self._is_table else "svmlight"
        return Incremental(flags(values), rows, start)

    def _keep(self, trainer: Incremental) -> None:
        if not hasattr(self, "_trained") or self._trained.incremental is not trainer:
            self._trained = Trained(None, trainer)
        self._trained.has_changed()

    def _predicted(self, X: Any, response: str, exposure: Any, offset: Any, rates: bool) -> NDArray[np.float64]:
        """Return the predicted numbers, of shape (rows, outputs)."""
        model = self._fitted().model
        if _data.is_files(X):
            if exposure is not None or offset is not None:
                raise ValueError("exposure and offset: files have columns of their own; name them in fit_file")
            with translated():
                return model.predict(self._files(X), response, rates)
        X = self._checked(X, reset=False)
        if _data.length(X) == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        offset = _data.offsets(exposure, offset, X)
        # Numbers that are given stand for the column that the model was trained with.
        rates = rates or (offset is not None and any(role in ("offset", "exposure") for _, role in model.columns))
        if _data.is_table(X):
            X = _data.select(X, [name for name, _ in model.columns])
        with translated(str if self._is_table else of_matrix):
            rows = self._rows(X, None, None, offset)
            return model.predict(rows, response, rates)

    def evaluate_file(self, files: Any, *, label: str | None = None) -> dict[str, Any]:
        """Measure the model on files with labels, read as those of `fit_file`.

        Parameters
        ----------
        files : path or list of paths
            As for `fit_file`.
        label : str, optional
            Name of the column of the labels, for tables and a model that was trained with labels beside its table.

        Returns
        -------
        dict
            Metrics with the names of the command's `eval --json`: `loss`, `accuracy`, `auc`, `rmse`, `r2` and more;
            those that do not apply are None.

        """
        model = self._fitted().model
        with translated(str if label else _with_label):
            measured: dict[str, Any] = json.loads(model.evaluate(self._files(files), label))
        return measured

    def _go_by_text(self) -> bool:
        """Return whether labels are numbers that have to go by their text."""
        return False

    def _look_at(self, y: Any) -> NDArray[Any]:
        """Look at the labels in a column of a table before training, and return them as an array."""
        return np.asarray(y)

    def _take_labels(self) -> None:
        """Take the labels of a model that was trained on rows with labels of their own."""

    def _take_columns(self) -> None:
        """Take the columns of a model that was trained on files."""
        model = self._trained.model
        self._is_table = model.is_table
        if model.is_table:
            roles = ("label", "weight", "offset", "exposure", "trials", "ignored")
            names = [name for name, role in model.columns if role not in roles]
            self.feature_names_in_ = np.array(names, dtype=object)
            self.n_features_in_ = len(names)
            self._names = names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _with_label(message: str) -> str:
    """Return a message about a column that the model does not know with the remedy of `evaluate_file`."""
    return re.sub(r'ignore=\["([^"]*)"\] passes over it', r'if it holds the labels, give label="\1"', message)


def settings_of(model: Model) -> dict[str, Any]:
    """Return the settings of a model as JSON has them."""
    settings: dict[str, Any] = json.loads(model.about())["settings"]
    return settings
