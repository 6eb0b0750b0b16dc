"""Predictions and metrics by workers: those of one process, for any engine and workers, whatever happens to them."""

import json
import os
import signal
import subprocess
import sys

import pytest
from conftest import ROOT
from workers import Threadless, children, killing, svmlight, table, train

from surefoot import SurefootClassifier, SurefootRegressor, SurefootWarning, evaluate_distributed, predict_distributed
from surefoot.distributed import Joined, LocalEngine, Lost

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return svmlight(tmp_path_factory.mktemp("rows") / "rows.svm")


@pytest.fixture(scope="module")
def trained(rows):
    return train(rows)


@pytest.fixture(scope="module")
def saved(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model"
    trained.save(path)
    return path


@pytest.fixture(scope="module")
def expected(trained, rows):
    """Metrics of one worker."""
    return evaluate_distributed(trained, rows, engine=LocalEngine(1), shards=7)


@pytest.fixture(scope="module")
def lines(saved, rows, command):
    """Predictions of one process."""
    return command("predict", saved, rows, "-q")


def predicted(trained, rows, folder, engine, **named) -> str:
    files = predict_distributed(trained, rows, folder, engine=engine, **{"shards": 7, **named})
    assert sorted(files) == sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return "".join(file.read_text() for file in files)


def test_metrics_are_those_of_one_process(trained, rows, expected):
    alone = trained.evaluate_file(rows)
    assert expected.keys() == alone.keys()
    assert (expected["rows"], expected["confusion"]) == (alone["rows"], alone["confusion"])
    for name in ("loss", "accuracy", "auc", "pr_auc", "brier", "calibration_error"):
        assert expected[name] == pytest.approx(alone[name], rel=1e-12)


@pytest.mark.parametrize(
    "engine",
    [LocalEngine(2), LocalEngine(7), Threadless(3), Threadless(1, [(2, Joined(1)), (3, Lost(0, ""))])],
    ids=["two", "seven", "within", "changing"],
)
def test_any_engine(trained, rows, expected, lines, engine, tmp_path):
    assert evaluate_distributed(trained, rows, engine=engine, shards=7) == expected
    assert predicted(trained, rows, tmp_path / "folder", engine) == lines
    assert children() == []


@pytest.mark.parametrize("after", [0, 1, 2, 4])
def test_a_worker_is_killed(trained, rows, expected, lines, after, tmp_path):
    assert evaluate_distributed(trained, rows, engine=killing(LocalEngine(2), after), shards=7) == expected
    assert predicted(trained, rows, tmp_path / "folder", killing(LocalEngine(2), after, 1)) == lines


@pytest.mark.parametrize("module", ["surefoot", "surefoot.distributed"])
def test_the_command_of_the_package(saved, rows, expected, lines, module, tmp_path):
    def run(*words):
        line = [sys.executable, "-m", module, *map(str, words), "--engine=local", "--workers=2", "--shards=7"]
        done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    found = json.loads(run("eval", saved, rows, "--json"))
    assert {name: found[name] for name in expected} == expected
    assert run("predict", saved, rows) == lines
    assert run("predict", saved, rows, "-o", f"{tmp_path}/folder/") == ""
    assert "".join(path.read_text() for path in sorted((tmp_path / "folder").iterdir())) == lines


def test_tables_with_names_and_rows_at_fault(tmp_path):
    frame = table(300).drop(columns="class")
    estimator = SurefootRegressor(l2=0.1).fit(frame[["age", "size", "city"]], frame["price"])
    frame["city"] = frame["city"].where(frame.index > 20, "Lima")
    frame["age"] = frame["age"].astype(object).where(frame.index != 100, "old")
    path, unlabelled = tmp_path / "rows.csv", tmp_path / "new.csv"
    frame.to_csv(path, index=False)
    frame.drop(columns="price").to_csv(unlabelled, index=False)
    with pytest.raises(ValueError, match=r"rows\.csv:102.*old"):
        evaluate_distributed(estimator, path, label="price")
    measured = evaluate_distributed(estimator, path, label="price", skip_bad_rows=1)
    assert measured["rows"] == 299
    with pytest.warns(SurefootWarning, match="1 row"):
        text = predicted(estimator, unlabelled, tmp_path / "folder", LocalEngine(2), on_error="empty", id="city")
    assert text.splitlines()[100] == ""
    assert text.splitlines()[0].endswith("\tLima")
    assert len(text.splitlines()) == 300


def test_a_fault_leaves_the_folder_as_it_was(trained, rows, lines, tmp_path):
    folder = tmp_path / "folder"
    assert predicted(trained, rows, folder, LocalEngine(2)) == lines
    bad = tmp_path / "bad.svm"
    bad.write_text(rows.read_text() + "1 1:half\n")
    with pytest.raises(ValueError, match=r"bad\.svm:1501:.*half"):
        predict_distributed(trained, bad, folder, engine=LocalEngine(2), shards=7)
    with pytest.raises(ValueError, match="another number of shards"):
        predict_distributed(trained, rows, folder, shards=3)
    assert "".join(path.read_text() for path in sorted(folder.iterdir())) == lines


def test_what_is_refused(trained, rows, tmp_path):
    with pytest.raises(ValueError, match="estimator"):
        evaluate_distributed(object(), rows)
    with pytest.raises(ValueError, match="shards"):
        evaluate_distributed(trained, rows, shards=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'checkpoint'"):
        predict_distributed(trained, rows, tmp_path / "folder", checkpoint="state")
    with pytest.raises(ValueError, match="standard input"):
        evaluate_distributed(trained, "-")
    with pytest.raises(FileNotFoundError, match=r"missing\.svm"):
        evaluate_distributed(trained, tmp_path / "missing.svm")
    with pytest.raises(Exception, match="not fitted"):
        evaluate_distributed(SurefootClassifier(), rows)
    assert not (tmp_path / "folder").exists()


def test_ctrl_c_ends_the_run(trained, rows, tmp_path):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    class Interrupting(LocalEngine):
        def open(self, workers, shards):
            signal.raise_signal(signal.SIGINT)
            return super().open(workers, shards)

    try:
        with pytest.raises(KeyboardInterrupt):
            predict_distributed(trained, rows, tmp_path / "folder", engine=Interrupting(2), shards=7)
    finally:
        signal.signal(signal.SIGINT, before)
    assert list((tmp_path / "folder").iterdir()) == []
    assert children() == []
