"""Tests that the pages show what their code prints, and that the reference follows the docstrings."""

import doctest
import importlib
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python/surefoot"


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"python/tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


pages = tool("pages")


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_page_shows_what_its_code_prints(page):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    for output in pages.run(page):
        place = f"{page.relative_to(ROOT)}:{output.last}"
        assert pages.alike(output.shown, output.printed), f"{place}: printed is\n{output.printed}"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("loss 0.1234", "loss 0.1240\n", True),
        ("loss 0.1234", "loss 0.2\n", False),
        ("R² 0.5, 58 weights", "R² 0.5, 58 features\n", False),
        ("a 1 ... c 1,000", "a 1 b 7\nc 1001", True),
        ("no gap above 3e-16", "no gap above 8.1e-15", True),
        ("", "something", False),
        ("hr=4", "hr=9", False),
    ],
)
def test_comparison_finds_what_differs(shown, printed, same):
    assert pages.alike(shown, printed) == same


def test_pages_have_code():
    shown = {page.name: len(pages._blocks(page)) for page in pages.pages() if not page.stem.startswith("reference")}
    assert all(shown.values()), shown


def modules():
    own = [path.stem for path in PACKAGE.glob("*.py")]
    engines = [f"surefoot.distributed.{path.stem}" for path in PACKAGE.glob("distributed/_[a-z]*.py")]
    return sorted(["surefoot" if name == "__init__" else f"surefoot.{name}" for name in own] + engines)


@pytest.mark.parametrize("name", modules())
def test_doctests(name):
    if name == "surefoot.torch":
        pytest.importorskip("torch")
    path = PACKAGE / "__init__.py" if name == "surefoot" else PACKAGE.parent / f"{name.replace('.', '/')}.py"
    for optional in re.findall(r"^(?:import|from) (ray|mpi4py)\b", path.read_text(), re.MULTILINE):
        pytest.importorskip(optional)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_reference_is_up_to_date():
    for path, text in tool("reference").pages().items():
        assert path.read_text() == text, f"{path.name}: run python/tools/reference.py"


def test_reference_names_all_parameters():
    """Each parameter of an estimator stands in its docstring."""
    import inspect

    import surefoot

    text = surefoot.SurefootClassifier.__doc__ + surefoot.SurefootRegressor.__doc__
    for estimator in (surefoot.SurefootClassifier, surefoot.SurefootRegressor):
        for name in inspect.signature(estimator).parameters:
            assert re.search(rf"\b{name}\b", text), name


def test_page_of_the_package_has_no_relative_links():
    text = (ROOT / "python/README.md").read_text()
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert all(target.startswith("https://") for target in targets), targets
