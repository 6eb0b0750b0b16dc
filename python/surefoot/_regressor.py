"""The regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import column_or_1d

from surefoot import _data
from surefoot._base import SurefootBase
from surefoot._data import Vector
from surefoot._losses import NUMBERS, POSITIVE


class SurefootRegressor(RegressorMixin, SurefootBase):
    """Linear regression of numbers, counts and amounts, without a learning rate.

    By default `fit` goes to the optimum of the squared loss with the penalty 1/n, and certifies it. With `passes=1`
    it learns each row once; so do `partial_fit` and `fit_file`.

    Parameters
    ----------
    loss : str, default="squared"
        `"squared"`, `"huber"`, `"absolute"`, `"quantile"`; and with a log link `"poisson"`, `"gamma"`, `"tweedie"`.
    delta : float, optional
        With `loss="huber"`: error beyond which the loss is linear; 1 by default.
    tau : float, optional
        With `loss="quantile"`: share of labels that should be below the prediction; 0.5 by default.
    power : float, optional
        With `loss="tweedie"`: power of the mean to which the variance is proportional; 1.5 by default.
    passes, l1, l2, standardize, select, penalty_factor, bounds, fit_intercept, tol, radius, row_norm, \
error_probability, until_gap, holdout, shuffle, random_state, budget, missing, categorical, text, numeric, ignore, \
keep, interact, bits, na, no_default_na, threads, warm_start, verbose, report
        As for `SurefootClassifier`.

    Attributes
    ----------
    coef_, intercept_, coef_names_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    loss_, progressive_loss_, loss_curve_, search_curve_, certificate_, lanes_, penalty_, results_, notes_, model_
        What the training found.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot import SurefootRegressor
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> claims = np.array([0, 1, 0, 2, 1, 3, 2, 4, 3, 5])
    >>> model = SurefootRegressor("poisson").fit(X, claims, exposure=np.full(10, 2.0))
    >>> model.predict(X[:2], exposure=2.0).shape
    (2,)

    """

    def __init__(
        self,
        loss: str = "squared",
        *,
        delta: float | None = None,
        tau: float | None = None,
        power: float | None = None,
        passes: int | str = "auto",
        l1: float | str | None = None,
        l2: float | str | None = None,
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
        self.delta = delta
        self.tau = tau
        self.power = power
        self.passes = passes
        self.l1 = l1
        self.l2 = l2
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
        classes = ("logistic", "softmax", "ovr", "hinge", "squared_hinge", "smoothed_hinge")
        if self.loss in classes:
            raise ValueError(f"loss={self.loss!r} is for classes: use SurefootClassifier")
        if self.loss not in NUMBERS and isinstance(self.loss, str):
            raise ValueError(f"loss: {self.loss!r} is none of {', '.join(NUMBERS)}")
        return {"loss": self.loss, "delta": self.delta, "tau": self.tau, "power": self.power}

    def _target(self, y: Any, reset: bool) -> tuple[NDArray[Any], Vector, list[str]]:
        y = column_or_1d(y, warn=True)
        if y.dtype.kind not in "biuf":
            missing = [n for n, one in enumerate(y.tolist()) if one is None]
            if missing:
                raise ValueError(f"y: row {missing[0]} has no label; Input y contains NaN")
            y = y.astype(np.float64)
        label = np.ascontiguousarray(y, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(label))
        if len(bad):
            raise ValueError(f"y: row {bad[0]} is {label[bad[0]]}; Input y contains NaN or infinity")
        return y, label, []

    def predict(self, X: Any, *, exposure: Any = None, offset: Any = None, rates: bool = False) -> NDArray[np.float64]:
        """Return the expected label of each row.

        Parameters
        ----------
        X : array, sparse matrix, table, or path or list of paths of shape (rows, columns)
            As for `fit`.
        exposure, offset : array or number, optional
            As for `fit`; without them the prediction is a rate, for an exposure of 1.
        rates : bool, default=False
            Whether a column of exposures or offsets that the model was trained with is left out.

        """
        return self._predicted(X, "mean", exposure, offset, rates)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, exposure: Any = None, offset: Any = None) -> float:
        """Return R², the share of the variance of the labels that is explained.

        Parameters
        ----------
        X, y, sample_weight, exposure, offset
            As for `fit`.

        """
        y = _data.column(X, y) if isinstance(y, str) else y
        predicted = self.predict(X, exposure=exposure, offset=offset)
        return float(r2_score(y, predicted, sample_weight=sample_weight))

    def predict_margin(
        self, X: Any, *, exposure: Any = None, offset: Any = None, rates: bool = False
    ) -> NDArray[np.float64]:
        """Return margins, before the link function. Parameters as for `predict`."""
        return self._predicted(X, "margin", exposure, offset, rates)[:, 0]

    def _shaped(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        return weight[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss in POSITIVE
        return tags
