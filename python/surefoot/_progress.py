"""Progress of a fit: the table of the command, and a bar in a terminal or a notebook."""

from __future__ import annotations

import sys
from typing import Any

from surefoot._words import translate

WIDTH = 30


class Progress:
    """Receiver of the messages of a fit.

    Parameters
    ----------
    verbose
        1 for a bar, 2 for the table of losses too.

    """

    def __init__(self, verbose: int) -> None:
        self._lines = verbose > 1
        self._bar = _bar()

    def __call__(self, kind: str, content: Any) -> None:
        """Show one message."""
        if kind == "line" and self._lines:
            self._bar.clear()
            print(translate(content), flush=True)
        elif kind == "progress":
            self._bar.show(*content)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.clear()


def bar_text(done: int, total: int | None) -> str:
    """Return the bar as text."""
    if not total:
        return f"{done:,} read"
    share = min(1.0, done / total)
    full = round(WIDTH * share)
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {share:4.0%}"


class _NoBar:
    def show(self, done: int, total: int | None) -> None:
        pass

    def clear(self) -> None:
        pass


class _TerminalBar(_NoBar):
    _shown = False

    def show(self, done: int, total: int | None) -> None:
        sys.stderr.write(f"\r{bar_text(done, total)}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * (WIDTH + 10) + "\r")
            sys.stderr.flush()
            self._shown = False


class _NotebookBar(_NoBar):
    def __init__(self) -> None:
        from IPython.display import display

        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, done: int, total: int | None) -> None:
        share = min(1.0, done / total) if total else 0.0
        html = f'<progress max="1" value="{share:.3f}"></progress> {share:.0%}'
        self._handle.update({"text/html": html, "text/plain": bar_text(done, total)}, raw=True)

    def clear(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


def _bar() -> _NoBar:
    """Return the bar for where the program runs."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ == "ZMQInteractiveShell":
        return _NotebookBar()
    return _TerminalBar() if sys.stderr.isatty() else _NoBar()
