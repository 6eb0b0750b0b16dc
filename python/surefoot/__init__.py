"""Linear models in one pass, with no learning rate and with certificates."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "minimize":
        from surefoot._minimize import minimize

        return minimize
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
