"""The classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from surefoot import _data, _labels
from surefoot._base import SurefootBase
from surefoot._data import Vector
from surefoot._errors import SurefootWarning
from surefoot._losses import MANY, NUMBERS
from surefoot._surefoot import Model


def _has_probabilities(estimator: SurefootClassifier) -> bool:
    """Return whether the loss gives probabilities; raise the error that hides the method otherwise."""
    if estimator.loss in ("auto", "logistic", "softmax", "ovr"):
        return True
    raise AttributeError(f"loss={estimator.loss!r} gives no probabilities: use decision_function, or another loss")


class SurefootClassifier(ClassifierMixin, SurefootBase):
    """Linear classifier of two or more classes, without a learning rate.

    By default `fit` goes to the optimum of the logistic loss (softmax for more than two classes) with the penalty
    1/n (`C=1` of scikit-learn), and certifies it. With `passes=1` it learns each row once; so do `partial_fit` and
    `fit_file`.

    Parameters
    ----------
    loss : str, default="auto"
        `"auto"` is `"logistic"` for two classes and `"softmax"` for more; with `fit_file`, which does not know the
        labels beforehand, it is `"logistic"`. Others: `"ovr"` (each class against the
        rest), and for two classes `"hinge"`, `"squared_hinge"`, `"smoothed_hinge"`.
    passes : int or "auto", default="auto"
        Number of passes over the rows, or `"auto"`: the optimum, to within `tol`.
    l1, l2 : float or "auto", optional
        Factors of the penalties l1·‖w‖₁ and ½·l2·‖w‖² beside the mean loss; `"auto"` chooses one by held-out rows.
        Without either, `passes="auto"` takes l2 = 1/(sum of weights), and other `passes` take none.
    class_weight : dict or "balanced", optional
        Factors of the weights of rows by label.
    standardize : bool, optional
        Whether penalties count weights in units of their columns; by default with `"auto"` alone.
    select : {"min", "1se"}, optional
        Which penalty of those tried is taken: that of the least held-out loss, or the heaviest within one standard
        error of it.
    penalty_factor : dict, optional
        Factors of the penalties by column.
    bounds : tuple or dict, optional
        `(low, high)` for all weights, or a dict of them by column; `None` is no bound.
    fit_intercept : bool, default=True
        Whether there is an intercept. It is not penalised.
    tol : float, optional
        Relative duality gap at which `passes="auto"` ends; 1e-12 by default, the weights then have seven digits.
    radius, row_norm, error_probability : float, optional
        With `passes` a number: radius of a ball that the weights stay in, in return for certificates while rows
        come; bound on the norm of rows; probability with which such a certificate may fail.
    until_gap : float, optional
        End once no model is certified to be better by more than this; with `passes="auto"` and a penalty, or with
        `radius`.
    holdout : int or "none", optional
        With several passes: every how many rows one is held out; 10 by default.
    shuffle : bool, default=False
        Whether rows are learnt in random order, a new one in each pass.
    random_state : int or RandomState, optional
        Seed of that order.
    budget : float, optional
        Seconds after which `fit` ends and keeps the model.
    missing : {"error", "indicator", "mean"}, optional
        What missing cells of a table are; by default an error.
    categorical, text, numeric, ignore, keep : list of str, optional
        Columns of a table by kind, where it is not to be guessed; columns to leave out, or to use alone.
    interact : list of pairs of str, optional
        Columns of a table whose products are features.
    bits : int, optional
        Number of bits that the names of features are hashed to.
    na : list of str, optional
        More texts that count as missing; `no_default_na=True` leaves only these and empty cells.
    no_default_na : bool, default=False
        See `na`.
    threads : int, optional
        Number of threads, 2 by default; the model does not depend on it.
    warm_start : bool, default=False
        With `passes` a number: whether `fit` goes on from the model of the last one.
    verbose : int, default=0
        1 for a progress bar, 2 for the table of losses too.
    report : bool, default=False
        Whether `fit` makes the page that `report_html` returns.

    Attributes
    ----------
    classes_ : array
        Labels, sorted.
    coef_, intercept_, coef_names_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    loss_, progressive_loss_, loss_curve_, search_curve_, certificate_, lanes_, penalty_, results_, notes_, model_
        What the training found.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from surefoot import SurefootClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SurefootClassifier().fit(X, y)
    >>> bool(model.certificate_.relative < 1e-10), bool(model.score(X, y) > 0.94)
    (True, True)

    """

    def __init__(
        self,
        loss: str = "auto",
        *,
        passes: int | str = "auto",
        l1: float | str | None = None,
        l2: float | str | None = None,
        class_weight: Any = None,
        standardize: bool | None = None,
        select: str | None = None,
        penalty_factor: Any = None,
        bounds: Any = None,
        fit_intercept: bool = True,
        tol: float | None = None,
        radius: float | None = None,
        row_norm: float | None = None,
        error_probability: float | None = None,
        until_gap: float | None = None,
        holdout: int | str | None = None,
        shuffle: bool = False,
        random_state: Any = None,
        budget: float | None = None,
        missing: str | None = None,
        categorical: Any = None,
        text: Any = None,
        numeric: Any = None,
        ignore: Any = None,
        keep: Any = None,
        interact: Any = None,
        bits: int | None = None,
        na: Any = None,
        no_default_na: bool = False,
        threads: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        report: bool = False,
    ) -> None:
        self.loss = loss
        self.passes = passes
        self.l1 = l1
        self.l2 = l2
        self.class_weight = class_weight
        self.standardize = standardize
        self.select = select
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.radius = radius
        self.row_norm = row_norm
        self.error_probability = error_probability
        self.until_gap = until_gap
        self.holdout = holdout
        self.shuffle = shuffle
        self.random_state = random_state
        self.budget = budget
        self.missing = missing
        self.categorical = categorical
        self.text = text
        self.numeric = numeric
        self.ignore = ignore
        self.keep = keep
        self.interact = interact
        self.bits = bits
        self.na = na
        self.no_default_na = no_default_na
        self.threads = threads
        self.warm_start = warm_start
        self.verbose = verbose
        self.report = report

    def _loss(self) -> dict[str, Any]:
        loss = self.loss
        if loss in NUMBERS:
            raise ValueError(f"loss={loss!r} is for numbers: use SurefootRegressor")
        if loss == "auto":
            classes = getattr(self, "classes_", None)
            loss = "softmax" if classes is not None and len(classes) > 2 else "logistic"
        return {"loss": loss, "class_weight": self.class_weight}

    def _effective_weights(self, weight: Vector | None, y: NDArray[Any]) -> float:
        if not isinstance(self.class_weight, dict):
            return super()._effective_weights(weight, y)
        factors = np.ones(len(self.classes_))
        for given, factor in self.class_weight.items():
            for place, label in enumerate(self.classes_.tolist()):
                if _labels.same_label(given, label):
                    factors[place] = factor
        each = factors[np.searchsorted(self.classes_, y)]
        return float(np.sum(each if weight is None else each * weight))

    # Labels ---------------------------------------------------------------------------------------------------

    def _target(self, y: Any, reset: bool) -> tuple[NDArray[Any], Vector, list[str]]:
        y = column_or_1d(y, warn=True)
        _labels.check(y)
        classes = np.unique(y)
        if reset:
            self._check_count(classes)
            self._check_keys(classes)
            self.classes_ = classes
        else:
            unknown = np.setdiff1d(classes, self.classes_)
            if len(unknown):
                raise ValueError(
                    f"y has the label {unknown.tolist()[0]!r}, which is not among classes={self.classes_.tolist()}: "
                    "name all classes in the first call of partial_fit"
                )
        return y, *_labels.encode(self.classes_, y)

    def _part_target(self, y: Any, classes: Any, first: bool) -> tuple[NDArray[Any], Vector, list[str]]:
        if classes is None:
            return self._target(y, reset=first)
        classes = np.unique(np.asarray(classes))
        if first:
            self._check_count(classes)
            self.classes_ = classes
        elif not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"`classes={classes.tolist()}` is not the same as on last call to partial_fit, was: "
                f"{self.classes_.tolist()}"
            )
        return self._target(y, reset=False)

    def _check_keys(self, classes: NDArray[Any]) -> None:
        """Warn of weights for classes that are not among the labels."""
        if not isinstance(self.class_weight, dict):
            return
        for given in self.class_weight:
            if not any(_labels.same_label(given, label) for label in classes.tolist()):
                text = f"class_weight: no row has the label {given!r}; y has {classes.tolist()[:10]}"
                warnings.warn(text, SurefootWarning, stacklevel=4)

    def _check_count(self, classes: NDArray[Any]) -> None:
        if len(classes) > 2 and self.loss not in MANY:
            raise ValueError(
                f"Only binary classification is supported with loss={self.loss!r}, y has {len(classes)} classes: "
                "use loss='softmax' or 'ovr'"
            )

    def _look_at(self, y: Any) -> NDArray[Any]:
        y = column_or_1d(np.asarray(y), warn=True)
        _labels.check(y)
        self.classes_ = np.unique(y)
        self._check_count(self.classes_)
        self._check_keys(self.classes_)
        return y

    def _go_by_text(self) -> bool:
        return self.classes_.dtype.kind in "biuf" and not _labels.are_numbers(self.classes_)

    def _take_labels(self) -> None:
        found = self._trained.model.labels
        known = getattr(self, "classes_", None)
        if known is None or np.any(_labels.places(known, found) < 0):
            self.classes_ = _labels.of_model(found)

    def _check_start(self, start: Model) -> None:
        places = _labels.places(self.classes_, start.labels)
        if np.any(places < 0):
            label, text = start.labels[int(np.flatnonzero(places < 0)[0])]
            name = f"{label:g}" if text is None else repr(text)
            raise ValueError(
                f"warm_start: the model knows the label {name}, of which y has no row: set warm_start=False, or learn "
                "with partial_fit and classes"
            )

    def _known(self) -> NDArray[np.intp]:
        """Return the place in `classes_` of each class that the model knows, in the order of its outputs."""
        return _labels.places(self.classes_, self.model_.labels)

    # Prediction -----------------------------------------------------------------------------------------------

    def decision_function(
        self, X: Any, *, exposure: Any = None, offset: Any = None, rates: bool = False
    ) -> NDArray[np.float64]:
        """Return margins: of the positive class, `classes_[1]`, or of each class.

        Parameters
        ----------
        X : array, sparse matrix, table, or path or list of paths of shape (rows, columns)
            As for `fit`.
        exposure, offset : array, optional
            As for `fit`.
        rates : bool, default=False
            Whether a column of exposures or offsets that the model was trained with is left out.

        Returns
        -------
        array of shape (rows,), or (rows, classes) for more than two classes

        """
        margins = self._predicted(X, "margin", exposure, offset, rates)
        if not self.model_.is_multiclass:
            return self._sign() * margins[:, 0]
        margins = self._spread(margins, -np.inf)
        if len(self.classes_) != 2:
            return margins
        # One number for two classes: the logarithm of the ratio of their probabilities.
        each = log_expit(margins) if self.model_.loss == "ovr" else margins
        return each[:, 1] - each[:, 0]

    def _spread(self, numbers: NDArray[np.float64], absent: float) -> NDArray[np.float64]:
        """Return one column per class of `classes_`, where the model may know fewer or have them in another order."""
        spread = np.full((*numbers.shape[:-1], len(self.classes_)), absent)
        spread[..., self._known()] = numbers
        return spread

    def _sign(self) -> float:
        """Return −1 where a model that met one class alone calls the other one of two classes what that one is."""
        known = self._known()
        if len(known) != 1 or len(self.classes_) != 2:
            return 1.0
        is_positive = self.model_.has_classes[1]
        return 1.0 if is_positive == (known[0] == 1) else -1.0

    def predict(self, X: Any, *, exposure: Any = None, offset: Any = None, rates: bool = False) -> NDArray[Any]:
        """Return the likeliest label of each row. Parameters as for `decision_function`."""
        margins = self._predicted(X, "margin", exposure, offset, rates)
        known = self._known()
        if self.model_.is_multiclass:
            return self.classes_[known[np.argmax(margins, axis=1)]]
        if len(known) < 2:
            return np.full(len(margins), self.classes_[known[0]])
        return self.classes_[np.where(margins[:, 0] > 0, known[1], known[0])]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, exposure: Any = None, offset: Any = None) -> float:
        """Return the accuracy: the share of rows whose predicted label is right.

        Parameters
        ----------
        X, y, sample_weight, exposure, offset
            As for `fit`.

        """
        y = _data.column(X, y) if isinstance(y, str) else y
        predicted = self.predict(X, exposure=exposure, offset=offset)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    @available_if(_has_probabilities)
    def predict_proba(
        self, X: Any, *, exposure: Any = None, offset: Any = None, rates: bool = False
    ) -> NDArray[np.float64]:
        """Return the probability of each class. Parameters as for `decision_function`."""
        if self.model_.is_multiclass:
            return self._spread(self._predicted(X, "mean", exposure, offset, rates), 0.0)
        margins = self._sign() * self._predicted(X, "margin", exposure, offset, rates)
        if len(self.classes_) == 1:
            return np.ones((len(margins), 1))
        return expit(np.column_stack([-margins[:, 0], margins[:, 0]]))

    @available_if(_has_probabilities)
    def predict_log_proba(
        self, X: Any, *, exposure: Any = None, offset: Any = None, rates: bool = False
    ) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class, exact also where it rounds to 0 or 1."""
        if self.model_.loss == "softmax":
            margins = self._predicted(X, "margin", exposure, offset, rates)
            return self._spread(log_softmax(margins, axis=1), -np.inf)
        if self.model_.is_multiclass:
            with np.errstate(divide="ignore"):
                return np.log(self.predict_proba(X, exposure=exposure, offset=offset, rates=rates))
        margins = self._sign() * self._predicted(X, "margin", exposure, offset, rates)
        if len(self.classes_) == 1:
            return np.zeros((len(margins), 1))
        return log_expit(np.column_stack([-margins[:, 0], margins[:, 0]]))

    def _per_class(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.model_.is_multiclass:
            return self._spread(numbers, 0.0)
        return self._sign() * numbers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.loss in MANY
        return tags
