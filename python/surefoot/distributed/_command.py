"""Engines of the command line: `surefoot fit --engine ray`, `ray://HOST:PORT` or `mpi`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from surefoot import _surefoot
from surefoot._surefoot import Run
from surefoot.distributed._drive import drive
from surefoot.distributed._engine import Engine
from surefoot.distributed._mpi import MpiEngine
from surefoot.distributed._ray import RayEngine


def run(line: list[str]) -> int:
    """Run a command line with an engine of the package, and return its exit status."""
    if not _is_for_mpi(line):
        return _surefoot.command_with_engines(line, _carry_out)
    try:
        return MpiEngine().lead(lambda: _surefoot.command_with_engines(line, _carry_out))
    except ImportError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return 1


def _is_for_mpi(line: list[str]) -> bool:
    pairs = zip(line, [*line[1:], ""], strict=True)
    return any(word == "--engine=mpi" or (word == "--engine" and value == "mpi") for word, value in pairs)


def _carry_out(run: Run) -> None:
    """Carry out the run of a command, which catches signals itself and shows what is to be shown."""
    engine = _engine(run.address)

    def work() -> None:
        drive(run, engine, lambda run: None, lambda: False)

    # All processes of MPI are led by the command as a whole.
    if isinstance(engine, MpiEngine):
        work()
    else:
        engine.lead(lambda: _with_signals(work))


def _with_signals(work: Callable[[], None]) -> None:
    """Have SIGTERM, whose handler Ray has taken from the command, end the run as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: os.kill(os.getpid(), signal.SIGINT))
    try:
        work()
    finally:
        signal.signal(signal.SIGTERM, before)


def _engine(address: str) -> Engine:
    if address == "mpi":
        return MpiEngine()
    return RayEngine(address=None if address == "ray" else address)
