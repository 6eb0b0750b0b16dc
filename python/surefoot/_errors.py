"""Warnings, and errors of the extension module in the words of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from surefoot._words import translate


class SurefootWarning(UserWarning):
    """A warning about data or a model, with what to do."""


@contextmanager
def translated(words: Callable[[str], str] = str) -> Iterator[None]:
    """Put the flags in a message of the extension module in Python's words."""
    try:
        yield
    except ValueError as error:
        raise type(error)(words(translate(str(error)))) from None


_OF_MATRIX = (
    (
        "'NaN': a value is a finite number",
        '\'NaN\': a value is a finite number; give a DataFrame and missing="indicator" or "mean", or fill it in before',
    ),
    ("svmlight data", "a matrix"),
    (
        "is no index of svmlight, such as 3, or range of indices",
        "is no number of a column, such as 3, or range",
    ),
    ("rows have no columns beside the label and the pairs index:value; use csv or vw", "give a DataFrame"),
    (
        " what a row does not name is 0, and nothing is missing;",
        " its columns have no name; give a DataFrame, or",
    ),
    (
        " all values are numbers; a category is a pair index:1 for each of its values;",
        " all values are numbers;",
    ),
    ("; leave it out, or say --format if the data are another format", "; leave it out"),
)


def of_matrix(message: str) -> str:
    """Return a message about svmlight data as one about a matrix."""
    for said, instead in _OF_MATRIX:
        message = message.replace(said, instead)
    return message
