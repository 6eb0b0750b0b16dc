"""Class labels and the numbers by which they go in a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from surefoot._data import Vector
from surefoot._flags import shown

#: Largest number up to which all whole numbers are doubles.
_EXACT = 2**53
#: Numbers from here on are taken for measurements where two classes are meant, unless they go by their text.
_LARGE = 100


def are_numbers(classes: NDArray[Any]) -> bool:
    """Return whether labels go into a model as the numbers that they are; other labels go by their text."""
    kind = classes.dtype.kind
    if kind not in "biuf":
        return False
    sizes = np.abs(classes.astype(np.float64))
    return bool(np.all(sizes <= _EXACT)) and (len(classes) > 2 or bool(np.all(sizes < _LARGE)))


def texts(classes: NDArray[Any]) -> list[str]:
    """Return the texts of labels that are no numbers.

    Raises
    ------
    ValueError
        Two labels with the same text, or a text that is not valid Unicode.

    """
    found = [str(one) for one in classes.tolist()]
    if len(set(found)) < len(found):
        raise ValueError("y has different labels with the same text, such as 1 and '1'")
    for text in found:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"y: the label {text!r} is not valid Unicode") from None
    return found


def encode(classes: NDArray[Any], y: NDArray[Any]) -> tuple[Vector, list[str]]:
    """Return labels as numbers: themselves, or the place of their text in the sorted list that comes with them."""
    places = np.searchsorted(classes, y)
    if are_numbers(classes):
        return classes.astype(np.float64)[places], []
    found = texts(classes)
    ordered = sorted(found)
    ranks = {text: rank for rank, text in enumerate(ordered)}
    return np.array([ranks[text] for text in found], dtype=np.float64)[places], ordered


def places(classes: NDArray[Any], labels: list[tuple[float, str | None]]) -> NDArray[np.intp]:
    """Return the place in `classes` of each label of a model; −1 for one that is not among them."""
    by_text = {str(one): place for place, one in enumerate(classes.tolist())}
    by_number = {_number(one): place for place, one in enumerate(classes.tolist())}
    found = [by_number.get(label, -1) if text is None else by_text.get(text, -1) for label, text in labels]
    return np.array(found, dtype=np.intp)


def _number(label: Any) -> float | None:
    """Return the number that a reader of texts takes a label for; `None` if it is none."""
    if isinstance(label, str):
        label = {"true": 1.0, "false": 0.0}.get(label.strip().lower(), label)
    try:
        return float(label)
    except (TypeError, ValueError):
        return None


def of_model(labels: list[tuple[float, str | None]]) -> NDArray[Any]:
    """Return the labels of a model as sorted classes: texts, or numbers, whole ones as integers."""
    if any(text is not None for _, text in labels):
        found = [text if text is not None else str(label) for label, text in labels]
        # Whole numbers that went by their text come back as numbers.
        is_whole = all(text.removeprefix("-").isdecimal() and str(int(text)) == text for text in found)
        return np.unique([int(text) for text in found]) if is_whole else np.unique(found)
    numbers = np.sort(np.array([label for label, _ in labels], dtype=np.float64))
    whole = np.all(numbers == np.floor(numbers)) and np.all(np.abs(numbers) <= _EXACT)
    return numbers.astype(np.int64) if whole else numbers


def check(y: NDArray[Any]) -> None:
    """Check that labels are classes.

    Raises
    ------
    ValueError
        A label that is missing or not finite, with its row; labels that are measurements.

    """
    if y.dtype.kind == "O":
        missing = [n for n, one in enumerate(y.tolist()) if one is None or one != one]
        if missing:
            raise ValueError(f"y: row {missing[0]} has no label; Input y contains NaN")
    if y.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(y))
        if len(bad):
            raise ValueError(f"y: row {bad[0]} is {y[bad[0]]}; Input y contains NaN or infinity")
    check_classification_targets(y)


def same_label(given: Any, label: Any) -> bool:
    """Return whether a key of `class_weight` names a label, as the command compares them: by text, or as numbers."""
    if isinstance(given, str) == isinstance(label, str):
        return bool(given == label)
    return shown(given) == shown(label)
