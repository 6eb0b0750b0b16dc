"""Run the Python code of documentation pages and compare what it prints with what the pages show.

A page is Markdown. Its blocks marked `python` share a namespace and run in order, in a temporary folder that
has the `data` of the repository. What a top-level statement prints stands behind it: as a comment on its last
line, or as comment lines directly below it. `python python/tools/pages.py` writes these comments anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 110

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d*)?(?:e[-+]?\d+)?(?!\w)")
#: Numbers below this are rounding errors, which differ between machines.
_TINY = 1e-9


def pages() -> list[Path]:
    """Return the pages whose Python code is run."""
    return [ROOT / "README.md", ROOT / "python/README.md", *sorted((ROOT / "docs/python").glob("*.md"))]


@dataclass
class Output:
    """What a statement printed, and what the page shows."""

    #: Numbers of the lines of the page: the last one of the statement, and the end of the comments below it.
    last: int
    end: int
    #: Column of the comment on the last line; -1 if there is none.
    column: int
    shown: str
    printed: str


def run(page: Path) -> list[Output]:
    """Run the code of a page and return what each statement printed."""
    found: list[Output] = []
    names: dict[str, Any] = {"__name__": "__page__"}
    with _folder(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for start, source in _blocks(page):
            found += _run_block(source, start, names, page)
    return found


def alike(shown: str, printed: str) -> bool:
    """Return whether texts are equal, but for spaces and 2 % of numbers; `...` stands for any text."""
    shown, printed = " ".join(shown.split()), " ".join(printed.split())
    parts = [_NUMBER.sub("\0", part) for part in shown.split("...")]
    pattern = ".*".join(re.escape(part).replace("\0", f"({_NUMBER.pattern})") for part in parts)
    match = re.fullmatch(pattern, printed)
    if match is None:
        return False
    wanted = [number for part in shown.split("...") for number in _NUMBER.findall(part)]
    return all(_near(_value(a), _value(b)) for a, b in zip(wanted, match.groups(), strict=True))


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= max(0.02 * abs(a), _TINY)


@contextlib.contextmanager
def _folder() -> Any:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data").symlink_to(ROOT / "data")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _blocks(page: Path) -> list[tuple[int, str]]:
    """Return the Python blocks of a page, each with the number of the line before its first one."""
    found, start, lines = [], None, page.read_text().splitlines()
    for number, line in enumerate(lines, start=1):
        if start is None:
            start = number if line == "```python" else -number if line.startswith("```") else None
        elif line == "```":
            if start > 0:
                found.append((start, "\n".join(lines[start : number - 1]) + "\n"))
            start = None
    return found


def _run_block(source: str, start: int, names: dict[str, Any], page: Path) -> list[Output]:
    lines = source.splitlines()
    comments = {
        token.start[0]: token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found = []
    for node in ast.parse(source).body:
        out = io.StringIO()
        ast.increment_lineno(node, start)
        code = compile(ast.Module([node], []), str(page), "exec")
        with contextlib.redirect_stdout(out):
            exec(code, names)
        if not out.getvalue():
            continue
        last = (node.end_lineno or 0) - start
        end = last
        while end < len(lines) and lines[end].startswith("#"):
            end += 1
        column = comments[last].start[1] if last in comments else -1
        texts = [comments[line].string for line in range(last, end + 1) if line in comments]
        shown = "\n".join(text.removeprefix("#").removeprefix(" ") for text in texts)
        found.append(Output(start + last, start + end, column, shown, out.getvalue()))
    return found


def write(page: Path) -> None:
    """Write the outputs of a page anew, those that are not alike."""
    lines = page.read_text().splitlines()
    for output in reversed(run(page)):
        if alike(output.shown, output.printed):
            continue
        printed = output.printed.rstrip("\n").splitlines()
        statement = lines[output.last - 1]
        if output.column >= 0:
            statement = statement[: output.column].rstrip()
        if len(printed) == 1 and len(statement) + len(printed[0]) + 4 <= WIDTH:
            new = [f"{statement}  # {printed[0]}"]
        else:
            new = [statement, *(f"# {line}".rstrip() for line in printed)]
        lines[output.last - 1 : output.end] = new
    page.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        write(path)
