"""What calls of several processes share: names of files, flags, and the run of a command line."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from surefoot import _data
from surefoot._outcome import Outcome
from surefoot._progress import Progress
from surefoot._surefoot import Run
from surefoot.distributed._drive import drive
from surefoot.distributed._engine import Engine
from surefoot.distributed._interrupt import interruption
from surefoot.distributed._watch import Watch


def of_reading(function: str, reading: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return parameters about reading, once it is clear that the function has them."""
    for name in reading:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    return reading


def file_names(data: Any) -> list[str]:
    """Return the names of files for all workers, whatever their folder is."""
    names = []
    for name in _data.file_names(data):
        if not isinstance(name, str):
            raise ValueError(f"files: a name as text is needed, {name!r} was given")
        if name == "-":
            raise ValueError("files: standard input cannot be divided among workers: save it to a file, and name that")
        names.append(name if _data.is_address(name) else os.path.abspath(name))
    return names


def engine_flags(shards: Any) -> list[str]:
    """Return the flags of the command for a run of so many shards, whatever its engine is."""
    if isinstance(shards, bool) or not isinstance(shards, int) or not 1 <= shards <= 65535:
        raise ValueError(f"shards: a whole number from 1 to 65535 is needed, {shards!r} was given")
    return ["--engine=local", f"--shards={shards}"]


class _Lines:
    """Lines of a verbose run, printed in place of the line of progress, which comes again below them."""

    def __init__(self, verbose: int, show: Watch) -> None:
        self._print, self._show = Progress(verbose), show

    def __call__(self, kind: str, content: Any) -> None:
        """Print one message."""
        self._show.close()
        self._print(kind, content)


def carried_out(line: list[str], verbose: int, engine: Engine, progress: Any) -> Outcome:
    """Run a line of the command with an engine."""
    show = Watch(bool(verbose) if progress is None else progress)
    lines = _Lines(verbose, show) if verbose else None
    with interruption() as interrupted:
        run = Run.prepare(line, lines)
        try:
            drive(run, engine, show, lambda: bool(interrupted))
        finally:
            show.close()
        return Outcome.of(run.conclude(), interrupted.raised)
