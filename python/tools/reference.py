"""Write docs/python/reference.md and reference-online.md from the signatures and docstrings of the package."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import surefoot
import surefoot.distributed
import surefoot.online

FOLDER = Path(__file__).resolve().parents[2] / "docs/python"

HEAD = """\
# API reference

Written by `python/tools/reference.py` from the docstrings of the package, version {version}; a test fails if
it is out of date. The estimators also have what they inherit from scikit-learn: `get_params`, `set_params` and
metadata routing. What stands behind `fit_distributed` is of `surefoot.distributed`. Learners and conversions for
researchers, `surefoot.online`, are on [another page](reference-online.md). `help(surefoot.torch)` shows the optimizer
for PyTorch.
"""
#: Sections of a docstring whose entries are a name with a type and a text.
_LISTS = ("Parameters", "Attributes", "Returns", "Raises")


HEAD_ONLINE = """\
# API reference of surefoot.online

Written by `python/tools/reference.py` from the docstrings of `surefoot.online`, version {version}; a test fails if it
is out of date. The estimators are on [another page](reference.md).

{doc}"""


def pages() -> dict[Path, str]:
    """Return the pages and their text."""
    names = [name for name in surefoot.__all__ if not name.startswith("_")]
    things = {name: getattr(surefoot, name) for name in sorted(names, key=_rank)}
    parts = [HEAD.format(version=surefoot.__version__)]
    parts += [_entry(name, thing, "surefoot.") for name, thing in things.items() if not inspect.ismodule(thing)]
    engines = [name for name in surefoot.distributed.__all__ if name not in surefoot.__all__]
    parts += [_entry(name, getattr(surefoot.distributed, name), "surefoot.distributed.") for name in engines]
    online = surefoot.online
    doc = (inspect.getdoc(online) or "") + "\n"
    rest = [HEAD_ONLINE.format(version=surefoot.__version__, doc=doc)]
    rest += [_entry(name, getattr(online, name), "") for name in online.__all__]
    return {FOLDER / "reference.md": "\n".join(parts), FOLDER / "reference-online.md": "\n".join(rest)}


def _rank(name: str) -> tuple[int, str]:
    first = (
        "SurefootClassifier",
        "SurefootRegressor",
        "load",
        "fit_distributed",
        "evaluate_distributed",
        "predict_distributed",
        "Certificate",
        "SurefootWarning",
        "minimize",
    )
    return (first.index(name) if name in first else len(first), name)


def _entry(name: str, thing: Any, place: str) -> str:
    if inspect.isfunction(thing):
        return f"## {name}\n\n{_function(f'{place}{name}', thing)}"
    if not inspect.isclass(thing):
        return f"## {name}\n\n`{thing}`\n"
    parts = [f"## {name}\n"]
    if not issubclass(thing, Exception) and not getattr(thing, "_is_protocol", False) and _has_signature(thing):
        parts.append(f"```text\n{_signature(name, thing)}\n```\n")
    parts.append(_doc(thing))
    known = {own for own in dir(thing) if own[0] != "_" and _is_own(thing, own)}
    methods = [own for own in known if inspect.isroutine(getattr(thing, own))]
    twin = _twin(thing)
    shared = {own for own in known if twin and inspect.getattr_static(twin, own, None) is _static(thing, own)}
    for own in sorted(set(methods) - shared, key=lambda own: _line(thing, own)):
        parts.append(f"### {name}.{own}\n\n{_function(own, getattr(thing, own))}")
    if twin and shared:
        listed = ", ".join(f"`{own}`" for own in sorted(shared))
        parts.append(f"As for [{twin.__name__}](#{twin.__name__.lower()}): {listed}.\n")
    values = sorted(known - set(methods) - shared)
    if values:
        rows = [f"| `{own}` | {_cell(inspect.getdoc(_static(thing, own)) or '')} |" for own in values]
        head = f"### Attributes of {name}\n\n| attribute | what it is |\n| --- | --- |\n"
        parts.append(head + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _has_signature(thing: type) -> bool:
    try:
        inspect.signature(thing)
    except ValueError:
        return False
    return True


def _twin(thing: type) -> Any:
    """Return the class on the same page whose methods a class shares; `None` if there is none."""
    if thing is surefoot.SurefootRegressor:
        return surefoot.SurefootClassifier
    bases = [base for base in thing.__mro__[1:] if getattr(surefoot.online, base.__name__, None) is base]
    return bases[0] if bases else None


def _static(thing: type, name: str) -> Any:
    return inspect.getattr_static(thing, name)


def _is_own(thing: type, name: str) -> bool:
    """Return whether a method or property is one of this package, and none that scikit-learn adds."""
    if re.fullmatch("set_.*_request", name):
        return False
    home = next(base for base in thing.__mro__ if name in vars(base))
    thing_of = _static(thing, name)
    is_shown = inspect.isdatadescriptor(thing_of) or inspect.isroutine(getattr(thing, name, None))
    return home.__module__.startswith("surefoot.") and is_shown and bool(inspect.getdoc(thing_of))


def _line(thing: type, name: str) -> tuple[int, int, str]:
    """Return where a method is defined, for an order in which those that classes share come first."""
    home = next(n for n, base in enumerate(reversed(thing.__mro__)) if name in vars(base))
    code = getattr(inspect.unwrap(getattr(thing, name)), "__code__", None)
    return (home, code.co_firstlineno if code else 0, name)


def _function(name: str, function: Any) -> str:
    return f"```text\n{_signature(name, function)}\n```\n\n{_doc(function)}"


def _signature(name: str, thing: Any) -> str:
    signature = inspect.signature(thing)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return textwrap.fill(f"{name}{text}", 110, subsequent_indent="    ", break_long_words=False)


def _doc(thing: Any) -> str:
    """Return a docstring in the style of NumPy as Markdown."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    parts: list[str] = []
    section, start = "", 0
    for n in range(len(lines) + 1):
        is_heading = n + 1 < len(lines) and re.fullmatch("-{3,}", lines[n + 1]) and lines[n].strip()
        if is_heading or n == len(lines):
            parts.append(_section(section, lines[start:n]))
            if is_heading:
                section, start = lines[n].strip(), n + 2
    return "\n".join(part for part in parts if part)


def _section(name: str, lines: list[str]) -> str:
    text = "\n".join(lines).strip("\n")
    if not name:
        return text + "\n"
    if name in _LISTS:
        body = _entries(lines) + "\n"
    elif name == "Examples":
        return f"*{name}*\n\n```pycon\n{text.strip()}\n```\n"
    else:
        body = text + "\n"
    return f"*{name}*\n\n{body}"


def _entries(lines: list[str]) -> str:
    found: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            head, colon, kind = line.partition(" : ")
            found.append(f"* `{head}`" + (f": {kind}" if colon else ""))
        elif line.strip():
            joint = ". " if found[-1].startswith("* ") and " — " not in found[-1] else " "
            found[-1] += (" — " if joint == ". " else " ") + line.strip()
    return "\n".join(found)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
