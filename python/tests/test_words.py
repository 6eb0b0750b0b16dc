"""Messages of the command in Python's words, and parameters as flags."""

import re

import numpy as np
import pytest
from conftest import ROOT, two_classes

from surefoot import SurefootClassifier, SurefootRegressor
from surefoot._flags import BY_FLAG, PARAMETERS, flags
from surefoot._words import translate


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("--missing indicator makes them features", 'missing="indicator" makes them features'),
        ("for more than two use --loss softmax", 'for more than two use loss="softmax"'),
        ("try --passes auto --l2 auto", 'try passes="auto" l2="auto"'),
        ("--l2 X --passes auto", 'l2=X passes="auto"'),
        ("give --l1 or --l2 a number", "give l1 or l2 a number"),
        ("--ignore city leaves it out", 'ignore=["city"] leaves it out'),
        ("--ignore a,b leaves them out", 'ignore=["a", "b"] leaves them out'),
        ("'--ignore \"a,b\",c' leaves them out", 'ignore=["a,b", "c"] leaves them out'),
        ("--interact a:b", 'interact=[("a", "b")]'),
        ("--penalty-factor age=0.5", 'penalty_factor={"age": 0.5}'),
        ("--bounds 0, keeps it", "bounds=(0, None) keeps it"),
        ("--bounds age=0,1", 'bounds={"age": (0, 1)}'),
        ("leave --no-intercept out", "leave fit_intercept=False out"),
        ("--shuffle helps", "shuffle=True helps"),
        ("--shuffle --seed 3", "shuffle=True random_state=3"),
        ("--weight gives rows weights", "sample_weight gives rows weights"),
        ("--delimiter ';'", 'delimiter=";"'),
        ("say --header no", "say header=False"),
        ("--passes 2 or more", "passes=2 or more"),
        ("--tol 0.001", "tol=0.001"),
        ("a --resume away", "a warm_start=True away"),
        ("--engine starts from no model", "fit_distributed starts from no model"),
        ("a run with --checkpoint DIR goes on", "a run with checkpoint goes on"),
        ("--test FILE would show it", "score(X, y) would show it"),
        ("no flag at all - or -- alone", "no flag at all - or -- alone"),
    ],
)
def test_flags_become_parameters(said, expected):
    assert translate(said) == expected


def test_no_message_in_the_sources_keeps_a_flag_that_is_a_parameter():
    messages = set()
    for folder in ("src", "crates/surefoot-glm/src", "crates/surefoot-io/src", "crates/surefoot-fit/src"):
        for file in (ROOT / folder).rglob("*.rs"):
            text = file.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
            lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
            messages |= set(re.findall(r'"((?:[^"\\\n]|\\.)*--[a-z][^"\n]*)"', "\n".join(lines)))
    assert len(messages) > 100
    known = "|".join(map(re.escape, BY_FLAG))
    kept = [translate(message) for message in messages]
    assert [message for message in kept if re.search(rf"--(?:{known})(?![\w-])", message)] == []


def test_every_flag_of_fit_is_a_parameter_or_known_to_have_none(command):
    # Files, output and messages are the program's own in Python; `nonneg` is a case of `bounds`.
    without = {"output", "test", "resume", "report", "snapshot", "json", "quiet", "nonneg", "memory", "help", "version"}
    # These are parameters of `fit_distributed` and of its engines.
    without |= {"engine", "workers", "shards", "checkpoint"}
    found = set(
        re.findall(r"--([a-z0-9-]+)", "\n".join(re.findall(r"(?m)^ +(?:-\w, )?(--[a-z0-9-]+)", command("help", "fit"))))
    )
    assert len(found) > 40
    assert found - without == set(BY_FLAG)


def test_every_parameter_is_one_of_an_estimator_or_of_fit_file():
    import inspect

    names = set(SurefootClassifier().get_params()) | set(SurefootRegressor().get_params())
    names |= set(inspect.signature(SurefootClassifier.fit_file).parameters) | {"sample_weight"}
    assert {parameter.name for parameter in PARAMETERS} <= names


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"l2": 0.1, "passes": "auto"}, ["--l2=0.1", "--passes=auto"]),
        ({"l2": np.float32(0.5), "passes": np.int64(3)}, ["--l2=0.5", "--passes=3"]),
        ({"fit_intercept": True, "shuffle": False}, []),
        ({"fit_intercept": False, "shuffle": True}, ["--no-intercept", "--shuffle"]),
        ({"ignore": "a", "keep": ["b,c", "d"]}, ["--ignore=a", '--keep="b,c",d']),
        ({"bounds": (0, None)}, ["--bounds=0,"]),
        ({"bounds": {"a": (-np.inf, 1.5)}}, ["--bounds=a=,1.5"]),
        ({"class_weight": {"a,b": 2, True: 1.0}}, ['--class-weight="a,b=2",1=1.0']),
        ({"budget": 1.5}, ["--budget=1.500000000s"]),
        ({"interact": ("a", "b")}, ["--interact=a:b"]),
        ({"l1": None}, []),
    ],
)
def test_parameters_become_flags(values, expected):
    assert flags(values) == expected


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "nosuch"}, "invalid value 'nosuch' for loss"),
        ({"loss": 3}, "loss: a text is needed"),
        ({"loss": "poisson"}, "is for numbers: use SurefootRegressor"),
        ({"passes": None}, "passes: a whole number"),
        ({"l2": {}}, "l2: a number is needed"),
        ({"categorical": 1}, "categorical: a list of names"),
        ({"l2": -1.0}, "l2"),
        ({"l2": "much"}, "l2: a number of at least 0, or 'auto'"),
        ({"l2": np.nan}, "l2: a number is needed"),
        ({"l2": True}, "l2: a number is needed"),
        ({"passes": 0}, "passes"),
        ({"passes": 1, "tol": 1e-3}, 'tol is how near to the optimum to go: add passes="auto"'),
        ({"l1": "auto", "l2": "auto"}, "one penalty can be chosen: give l1 or l2 a number"),
        ({"radius": 2.0}, "passes"),
        ({"passes": 1, "radius": 2.0, "l2": 0.1}, "radius and a penalty .*exclude each other"),
        ({"until_gap": 0.1, "passes": 1}, "until_gap"),
        ({"missing": "indicator"}, "missing does nothing with a matrix"),
        ({"categorical": ["a"]}, "categorical does nothing with a matrix"),
        ({"bounds": {"age": (0, 1)}}, "'age' is no number of a column"),
        ({"bounds": (1, 2)}, "0 must lie between the bounds"),
        ({"bounds": 3}, "bounds: a pair"),
        ({"penalty_factor": 3}, "penalty_factor: a dict"),
        ({"class_weight": "heavy"}, "class_weight: 'balanced' or a dict"),
        ({"fit_intercept": "yes"}, "fit_intercept: True or False"),
        ({"interact": ["a:b"]}, "interact: a list of pairs"),
        ({"bits": 99}, "bits"),
        ({"holdout": 5}, "holdout"),
        ({"threads": 0.5}, "threads: a whole number of at least 0 is needed"),
        ({"threads": -1}, "threads: a number from 1 to 65535 is needed"),
        ({"bits": 10**30}, "bits: the number is too large"),
        ({"standardize": True, "l2": None, "passes": 1}, "standardize"),
    ],
)
def test_parameters_at_fault_are_told_in_the_words_of_python(parameters, message):
    X, y = two_classes(50)
    with pytest.raises(ValueError, match=message) as raised:
        SurefootClassifier(**parameters).fit(X, y)
    assert not re.search(r"--[a-z]", str(raised.value)), raised.value


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "logistic"}, "use SurefootClassifier"),
        ({"loss": "nosuch"}, "is none of squared, huber"),
        ({"delta": 2.0}, 'delta is a parameter of loss="huber"'),
        ({"loss": "poisson"}, "a Poisson label must be 0 or more"),
    ],
)
def test_regressors_tell_it_too(parameters, message):
    X, _ = two_classes(50)
    with pytest.raises(ValueError, match=message):
        SurefootRegressor(**parameters).fit(X, np.linspace(-1, 1, 50))
