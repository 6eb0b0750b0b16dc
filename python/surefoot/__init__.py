"""Linear models in one pass, with no learning rate and with certificates.

| name | what it is |
| --- | --- |
| `SurefootClassifier`, `SurefootRegressor` | estimators for scikit-learn |
| `load` | reads a model file as an estimator |
| `fit_distributed` | trains an estimator with worker processes, of this machine or of a cluster |
| `evaluate_distributed`, `predict_distributed` | apply a trained one to files, likewise |
| `distributed` | the engines for that: processes, Ray, MPI |
| `online` | learners, conversions, domains and certificates for researchers |
| `minimize` | minimises a convex function given by its (stochastic) gradients |
| `torch` | an optimizer for PyTorch |
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from surefoot._surefoot import __version__

if TYPE_CHECKING:
    from surefoot import distributed, online
    from surefoot._classifier import SurefootClassifier
    from surefoot._errors import SurefootWarning
    from surefoot._load import load
    from surefoot._minimize import minimize
    from surefoot._regressor import SurefootRegressor
    from surefoot._trained import Certificate
    from surefoot.distributed._apply import evaluate_distributed, predict_distributed
    from surefoot.distributed._fit import fit_distributed
    from surefoot.online._run import MinimizeResult

# Names are imported when they are first used: scikit-learn takes a second, and `online` does not need it.
_PLACES = {
    "SurefootClassifier": "surefoot._classifier",
    "SurefootRegressor": "surefoot._regressor",
    "SurefootWarning": "surefoot._errors",
    "Certificate": "surefoot._trained",
    "load": "surefoot._load",
    "evaluate_distributed": "surefoot.distributed._apply",
    "fit_distributed": "surefoot.distributed._fit",
    "predict_distributed": "surefoot.distributed._apply",
    "MinimizeResult": "surefoot.online._run",
    "minimize": "surefoot._minimize",
}
_MODULES = ("distributed", "online", "torch")

__all__ = [
    "Certificate",
    "MinimizeResult",
    "SurefootClassifier",
    "SurefootRegressor",
    "SurefootWarning",
    "__version__",
    "distributed",
    "evaluate_distributed",
    "fit_distributed",
    "load",
    "minimize",
    "online",
    "predict_distributed",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"surefoot.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    value = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
