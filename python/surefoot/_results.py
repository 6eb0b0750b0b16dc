"""What a fitted estimator tells: weights, losses, certificates, pictures, its file."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from surefoot import _pictures
from surefoot._surefoot import Model
from surefoot._trained import Certificate, Trained, certificates


class Results(BaseEstimator):
    """Attributes of a fitted estimator, all taken from its model and from what its training told."""

    _trained: Trained
    _is_table: bool

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_trained")

    def _fitted(self) -> Trained:
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "estimator."
            )
        return self._trained

    @property
    def model_(self) -> Model:
        """The trained model, as the command would have saved it."""
        return self._fitted().model

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Intercept: an array of one number, or of one for each class."""
        return self._per_class(self.model_.intercept)

    def _per_class(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers whose last axis is the outputs of the model in the order of `classes_`."""
        return numbers

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights: of shape (features,) for a regressor, (1, features) or (classes, features) for a classifier.

        For a matrix, features are its columns. For a table they are those that `coef_names_` lists.
        """
        weight = self._weights()
        return self._shaped(weight)

    def _shaped(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        return weight.T

    def _weights(self) -> NDArray[np.float64]:
        """Return the weights, of shape (features, outputs)."""
        model = self.model_
        if self._is_table:
            return self._per_class(model.weight[self._order()])
        index, weight = model.index, self._per_class(model.weight)
        dense = np.zeros((self._columns_of_matrix(), weight.shape[1]))
        dense[index.astype(np.intp)] = weight
        return dense

    def _columns_of_matrix(self) -> int:
        """Return the number of columns of a matrix: that of training, or as many as the model has weights of."""
        index = self.model_.index
        seen = int(index[-1]) + 1 if len(index) else 0
        return int(getattr(self, "n_features_in_", seen))

    def _order(self) -> NDArray[np.intp]:
        """Return the places of the features in the order of the columns of the table."""
        model = self.model_
        if not model.is_table:
            return np.arange(len(model.index), dtype=np.intp)
        columns = {name: n for n, (name, _) in enumerate(model.columns)}
        keys = []
        for n, names in enumerate(model.names):
            name = names[0] if names else ""
            keys.append((_place(name, columns), name, n))
        return np.array([key[-1] for key in sorted(keys)], dtype=np.intp)

    @property
    def coef_names_(self) -> NDArray[np.object_]:
        """Names of the features that `coef_` has weights of, such as `age` or `city=Paris`."""
        model = self.model_
        if not self._is_table:
            return np.array([f"x{n}" for n in range(self._columns_of_matrix())], dtype=object)
        names, index = model.names, model.index
        return np.array([" | ".join(names[n]) or str(index[n]) for n in self._order()], dtype=object)

    @property
    def loss_(self) -> float:
        """The objective that was minimised, with `passes="auto"`; else `progressive_loss_`."""
        objective = self._fitted().results.get("objective")
        return self.progressive_loss_ if objective is None else float(objective)

    @property
    def progressive_loss_(self) -> float:
        """Mean loss of the rows, each scored before it was learnt (with several passes, of the held-out rows)."""
        loss = self._fitted().summary["loss"]
        return float("nan") if loss is None else float(loss)

    @property
    def loss_curve_(self) -> dict[str, NDArray[np.float64]]:
        """Losses while rows were learnt: arrays `rows`, `seconds`, `loss`, `recent` and `constant`."""
        return self._fitted().arrays()

    @property
    def search_curve_(self) -> dict[str, NDArray[np.float64]]:
        """Objectives while the optimum was sought: arrays `passes`, `seconds`, `objective` and `gap`."""
        return self._fitted().search()

    @property
    def certificate_(self) -> Certificate:
        """How far the model can be from the best one, or why that is not known."""
        return self._fitted().certificate

    @property
    def certificates_(self) -> list[Certificate]:
        """All bounds on the distance to the best model, and on the loss on new rows; or why there are none."""
        return certificates(self._fitted().about["certificates"])

    @property
    def lanes_(self) -> list[dict[str, float]]:
        """The learners of different step-size scales whose mixture is the model of one pass, with their shares."""
        lanes: list[dict[str, float]] = self._fitted().summary["lanes"]
        return lanes

    @property
    def penalty_(self) -> dict[str, Any]:
        """Factors `l1` and `l2` of the objective, also where they were chosen."""
        settings: dict[str, Any] = self._fitted().about["settings"]
        return {name: float(settings.get(name, 0.0)) for name in ("l1", "l2")}

    @property
    def n_iter_(self) -> int:
        """Number of passes over the rows, those of the search for the optimum included."""
        return max(1, int(self._fitted().results.get("passes", 1)))

    @property
    def results_(self) -> dict[str, Any]:
        """All results of the last `fit`, with the fields of the last line of the command's `--json`."""
        return self._fitted().results

    @property
    def notes_(self) -> list[str]:
        """Remarks of the last `fit` that need no action."""
        return self._fitted().notes

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses of the training with matplotlib, and return their axes.

        After `passes="auto"` the certified gap to the optimum is drawn beside them, unless `ax` is given.
        """
        return _pictures.plot(self._fitted(), ax)

    def report_html(self) -> str:
        """Return the page with plots, numbers and weights; `fit` has to have been called with `report=True` set."""
        page = self._fitted().page
        if page is None:
            raise ValueError("there is no report page: set report=True before fit")
        # The page says how to have test rows in it, which score is for here.
        return page.replace("; --test FILE would show it", "")

    def _repr_html_inner(self) -> str:
        html: str = super()._repr_html_inner()
        return html + (_pictures.curve_html(self._trained) if self.__sklearn_is_fitted__() else "")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that the command and `surefoot.load` read; a file there is replaced as a whole."""
        self.model_.save(path)

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        if self.__sklearn_is_fitted__():
            # A trainer belongs to one estimator: the copy makes its own from the model when it learns on.
            twin._trained = self._trained.apart()
        return twin


def _place(name: str, columns: dict[str, int]) -> int:
    """Return the number of the column that a feature belongs to; products and others come last."""
    for end in range(len(name), 0, -1):
        if (end == len(name) or name[end] in "=[") and name[:end] in columns:
            return columns[name[:end]]
    return len(columns)
