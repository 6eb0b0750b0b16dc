"""Parameters of the estimators and the flags of the command that they stand for.

One table serves both ways: `flags` turns parameters into flags, and `surefoot._words` turns the flags in a
message back into parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Words = list[str]


def _number(name: str, value: Any) -> str:
    """Return a number as the command reads it, to the last bit."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{name}: a number is needed, {value!r} was given")
    return repr(int(value)) if isinstance(value, int | np.integer) else repr(float(value))


def _strength(name: str, value: Any) -> str:
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name}: a number of at least 0, or 'auto', is needed, {value!r} was given")
        return value
    return _number(name, value)


def _passes(name: str, value: Any) -> str:
    if isinstance(value, str) and value != "auto":
        raise ValueError(f"{name}: a whole number of at least 1, or 'auto', is needed, {value!r} was given")
    return _strength(name, value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}: a text is needed, {value!r} was given")
    return value


def _quoted(name: str) -> str:
    """Put a name that would break a comma-separated list into double quotes."""
    return '"' + name.replace('"', '""') + '"' if "," in name or name.startswith('"') else name


def _list(name: str, value: Any) -> str:
    if not isinstance(value, str | list | tuple):
        raise ValueError(f"{name}: a list of names is needed, {value!r} was given")
    names = [value] if isinstance(value, str) else list(value)
    for one in names:
        if not isinstance(one, str):
            raise ValueError(f"{name}: a list of names is needed, it has {one!r}")
    return ",".join(_quoted(one) for one in names)


def _yes(name: str, value: Any) -> str:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}: True or False is needed, {value!r} was given")
    return "yes" if value else "no"


def shown(label: Any) -> str:
    """Return a class label as the command shows it."""
    if isinstance(label, bool | np.bool_):
        return "1" if label else "0"
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return repr(int(label))
    return str(label)


def _class_weight(name: str, value: Any) -> str:
    if isinstance(value, str):
        if value != "balanced":
            raise ValueError(f"{name}: 'balanced' or a dict of weights is needed, {value!r} was given")
        return value
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{name}: 'balanced' or a dict such as {{'spam': 5}} is needed, {value!r} was given")
    pairs = [f"{shown(label)}={_number(name, weight)}" for label, weight in value.items()]
    return ",".join(_quoted(pair) for pair in pairs)


def _seconds(name: str, value: Any) -> str:
    number = float(_number(name, value))
    if not math.isfinite(number):
        raise ValueError(f"{name}: a finite number of seconds is needed, {value!r} was given")
    return f"{number:.9f}s"


def _holdout(name: str, value: Any) -> str:
    return "none" if value == "none" else _number(name, value)


def _pairs(name: str, value: Any) -> list[str]:
    if not isinstance(value, str | list | tuple):
        raise ValueError(f"{name}: a list of pairs of names is needed, {value!r} was given")
    pairs: list[Any] = [value] if isinstance(value, str) or _is_pair(value) else list(value)
    for pair in pairs:
        if not _is_pair(pair):
            raise ValueError(f"{name}: a list of pairs of names is needed, such as [('age', 'sex')]; it has {pair!r}")
    colons = [one for pair in pairs for one in pair if ":" in one]
    if colons:
        raise ValueError(f"{name}: the column {colons[0]!r} has a colon in its name: rename it to multiply it")
    return [f"{a}:{b}" for a, b in pairs]


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(isinstance(name, str) for name in value)


def _factors(name: str, value: Any) -> list[str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: a dict such as {{'age': 0.5}} is needed, {value!r} was given")
    return [f"{group}={_number(name, factor)}" for group, factor in value.items()]


def _range(name: str, value: Any) -> str:
    if not (isinstance(value, Sequence) and len(value) == 2) or isinstance(value, str):
        raise ValueError(f"{name}: a pair (low, high) is needed, None where there is no bound; got {value!r}")
    sides = ["" if side is None else _number(name, side) for side in value]
    return ",".join("" if side in ("inf", "-inf") else side for side in sides)


def _bounds(name: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{group}={_range(name, bounds)}" for group, bounds in value.items()]
    return [_range(name, value)]


@dataclass(frozen=True)
class Parameter:
    """A parameter, its flag, and how a value is written behind the flag."""

    name: str
    flag: str
    #: Writes a value: one word, or a list of words for a flag that is repeated; `None` for a switch.
    write: Callable[[str, Any], str | list[str]] | None
    #: Kind of value for messages: `number`, `text`, `names`, `switch`, `yesno`, `dict` or `pairs`.
    kind: str
    #: The value of a switch that gives the flag.
    on: bool = True


PARAMETERS = (
    Parameter("loss", "loss", _text, "text"),
    Parameter("passes", "passes", _passes, "auto"),
    Parameter("tol", "tol", _number, "number"),
    Parameter("l1", "l1", _strength, "auto"),
    Parameter("l2", "l2", _strength, "auto"),
    Parameter("standardize", "standardize", _yes, "yesno"),
    Parameter("select", "select", _text, "text"),
    Parameter("penalty_factor", "penalty-factor", _factors, "dict"),
    Parameter("bounds", "bounds", _bounds, "bounds"),
    Parameter("class_weight", "class-weight", _class_weight, "text"),
    Parameter("fit_intercept", "no-intercept", None, "switch", on=False),
    Parameter("radius", "radius", _number, "number"),
    Parameter("row_norm", "row-norm", _number, "number"),
    Parameter("error_probability", "error-probability", _number, "number"),
    Parameter("until_gap", "until-gap", _number, "number"),
    Parameter("delta", "delta", _number, "number"),
    Parameter("tau", "tau", _number, "number"),
    Parameter("power", "power", _number, "number"),
    Parameter("shuffle", "shuffle", None, "switch"),
    Parameter("random_state", "seed", _number, "number"),
    Parameter("holdout", "holdout", _holdout, "number"),
    Parameter("budget", "budget", _seconds, "seconds"),
    Parameter("threads", "threads", _number, "number"),
    Parameter("skip_bad_rows", "skip-bad-rows", _number, "number"),
    Parameter("missing", "missing", _text, "text"),
    Parameter("categorical", "categorical", _list, "names"),
    Parameter("text", "text", _list, "names"),
    Parameter("numeric", "numeric", _list, "names"),
    Parameter("ignore", "ignore", _list, "names"),
    Parameter("keep", "keep", _list, "names"),
    Parameter("interact", "interact", _pairs, "pairs"),
    Parameter("bits", "bits", _number, "number"),
    Parameter("na", "na", _list, "names"),
    Parameter("no_default_na", "no-default-na", None, "switch"),
    Parameter("format", "format", _text, "text"),
    Parameter("header", "header", _yes, "yesno"),
    Parameter("delimiter", "delimiter", _text, "text"),
    Parameter("quote", "quote", _text, "text"),
    Parameter("decimal", "decimal", _text, "text"),
    Parameter("index_base", "index-base", _number, "number"),
    Parameter("label", "label", _text, "text"),
    Parameter("sample_weight", "weight", _text, "text"),
    Parameter("trials", "trials", _text, "text"),
    Parameter("offset", "offset", _text, "text"),
    Parameter("exposure", "exposure", _text, "text"),
)

BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
BY_FLAG = {parameter.flag: parameter for parameter in PARAMETERS}


def _is_empty(value: Any) -> bool:
    return isinstance(value, list | tuple | dict) and len(value) == 0


def flags(values: Mapping[str, Any]) -> Words:
    """Return the command's flags for parameters; those that are `None` are left out.

    Raises
    ------
    ValueError
        A value of a type that the parameter cannot have. Ranges are checked by the command.

    """
    words: Words = []
    for name, value in values.items():
        if value is None:
            continue
        parameter = BY_NAME[name]
        if parameter.kind in ("names", "pairs", "dict", "bounds") and _is_empty(value):
            continue
        if parameter.write is None:
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name}: True or False is needed, {value!r} was given")
            if bool(value) == parameter.on:
                words.append(f"--{parameter.flag}")
            continue
        if isinstance(value, float | np.floating) and math.isnan(value):
            raise ValueError(f"{name}: a number is needed, nan was given")
        written = parameter.write(name, value)
        for word in [written] if isinstance(written, str) else written:
            words.append(f"--{parameter.flag}={word}")
    return words
