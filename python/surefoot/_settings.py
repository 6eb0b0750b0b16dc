"""Parameters of an estimator from the settings that a model file has."""

from __future__ import annotations

from typing import Any

Pair = tuple[float | None, float | None]


def parameters(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with which `fit` would train such a model; a chosen penalty is the number chosen."""
    names = ("l1", "l2", "standardize", "bits", "delta", "tau", "power", "keep")
    found = {name: settings[name] for name in names if settings.get(name)}
    found["fit_intercept"] = bool(settings["intercept"])
    found |= _groups(settings) | _ball(settings) | _table(settings.get("table", {}))
    if pairs := settings.get("interact"):
        found["interact"] = [tuple(pair) for pair in pairs]
    weights = settings.get("class_weights")
    if weights is not None:
        found["class_weight"] = weights if isinstance(weights, str) else dict(weights["given"])
    return found


def _groups(settings: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if factors := settings.get("penalty_factors"):
        found["penalty_factor"] = dict(factors)
    if groups := settings.get("group_bounds"):
        found["bounds"] = {name: _pair(bounds) for name, bounds in groups}
    elif bounds := settings.get("bounds"):
        found["bounds"] = _pair(bounds)
    return found


def _pair(bounds: list[float | None]) -> Pair:
    return bounds[0], bounds[1]


def _ball(settings: dict[str, Any]) -> dict[str, Any]:
    ball = settings.get("ball")
    if ball is None:
        return {}
    found = {"radius": ball["radius"], "passes": 1}
    if ball.get("row_norm") is not None:
        found |= {"row_norm": ball["row_norm"], "error_probability": ball["delta"]}
    return found


def _table(table: dict[str, Any]) -> dict[str, Any]:
    found = {name: table[name] for name in ("missing", "na", "no_default_na") if table.get(name)}
    texts = [column["name"] for column in table.get("columns", []) if column["role"] == "text"]
    return found | ({"text": texts} if texts else {})
