"""Model files as estimators."""

from __future__ import annotations

import os

from surefoot._base import settings_of
from surefoot._classifier import SurefootClassifier
from surefoot._errors import translated
from surefoot._regressor import SurefootRegressor
from surefoot._settings import parameters
from surefoot._surefoot import Model
from surefoot._trained import Trained


def load(path: str | os.PathLike[str]) -> SurefootClassifier | SurefootRegressor:
    """Read a model file, of this package or of the command, as an estimator.

    Parameters
    ----------
    path : path
        File that `save`, or `surefoot fit`, has written.

    Returns
    -------
    SurefootClassifier or SurefootRegressor
        It predicts at once, and `partial_fit` goes on from the model. Its parameters are those that the file tells: the
        loss, penalties, bounds, weights of classes, a ball, how tables are read; a penalty that was chosen is a number.
        Labels are texts or numbers: booleans come back as 0 and 1.

    Raises
    ------
    ValueError
        A file that is damaged or no model.
    OSError
        A file that cannot be read.

    """
    if not os.path.lexists(path):
        raise FileNotFoundError(f"{os.fspath(path)}: there is no such file")
    with translated():
        model = Model.load(os.fspath(path))
    kind = SurefootClassifier if model.classifies else SurefootRegressor
    estimator = kind(model.loss, **parameters(settings_of(model)))
    estimator._trained = Trained(model)
    estimator._is_table = model.is_table
    estimator._take_labels()
    estimator._take_columns()
    return estimator
