"""The examples in the documentation run, and every public class has one."""

import doctest
import importlib
import pkgutil

import pytest

import surefoot.online
from surefoot import _minimize

MODULES = [
    importlib.import_module(f"surefoot.online.{module.name}")
    for module in pkgutil.iter_modules(surefoot.online.__path__)
] + [_minimize]
WITHOUT = {"Domain", "Learner", "Weights", "Method", "OwnDomain", "OwnLearner", "Status", "Certificate"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_run(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", sorted(set(surefoot.online.__all__) - WITHOUT))
def test_example_is_there(name):
    assert ">>>" in getattr(surefoot.online, name).__doc__


@pytest.mark.parametrize("name", surefoot.online.__all__)
def test_documentation_is_there(name):
    assert getattr(surefoot.online, name).__doc__
