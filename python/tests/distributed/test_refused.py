"""What cannot be fitted: one error that names the file and says what to do."""

import re
import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from workers import Threadless, children, svmlight, table

from surefoot import SurefootClassifier, SurefootRegressor
from surefoot.distributed import LocalEngine, MpiEngine, RayEngine, fit_distributed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with four Parquet files."""
    folder = tmp_path_factory.mktemp("parts")
    for n in range(4):
        table(200, seed=n).to_parquet(folder / f"part-{n}.parquet")
    return folder


@pytest.fixture
def parts(folder, tmp_path):
    """Folder of the test's own with the same four files."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def refusal(data, engine=None, **named) -> str:
    """Return the message of the one error that a fit ends with."""
    with pytest.raises((ValueError, OSError)) as raised:
        fit_distributed(SurefootRegressor(l2=0.1, ignore=["class"]), data, engine=engine, label="price", **named)
    message = str(raised.value)
    assert "\n" not in message
    assert not re.search(r"--[a-z]", message), message
    assert children() == []
    return message


@pytest.mark.parametrize("engine", [LocalEngine(2), Threadless(2)], ids=["processes", "within"])
def test_a_damaged_file(parts, engine):
    path = parts / "part-2.parquet"
    whole = bytearray(path.read_bytes())
    whole[4:400] = bytes(396)
    path.write_bytes(whole)
    assert "part-2.parquet" in refusal(parts, engine)


def test_a_file_that_is_cut_off(parts):
    path = parts / "part-3.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    assert "part-3.parquet" in refusal(parts)


def test_a_column_of_another_type(parts):
    table(200).assign(age="young").to_parquet(parts / "part-1.parquet")
    message = refusal(parts)
    assert "part-1.parquet" in message
    assert "age" in message


def test_a_column_that_is_not_there(parts):
    table(200).drop(columns="size").to_parquet(parts / "part-3.parquet")
    message = refusal(parts)
    assert "part-3.parquet" in message
    assert "size" in message


def test_a_file_that_goes_once_the_run_has_begun(parts):
    class Removing(LocalEngine):
        def open(self, workers, shards):
            (parts / "part-3.parquet").unlink()
            return super().open(workers, shards)

    assert "part-3.parquet" in refusal(parts, Removing(2))


def test_a_row_at_fault(tmp_path):
    svmlight(tmp_path / "a.svm")
    (tmp_path / "b.svm").write_text("1 1:0.5\n" * 700 + "1 1:half\n" + "0 1:0.5\n" * 700)
    with pytest.raises(ValueError, match=r"b\.svm:701:.*half"):
        fit_distributed(SurefootClassifier(l2=0.1), [tmp_path / "a.svm", tmp_path / "b.svm"], engine=LocalEngine(2))
    model = SurefootClassifier(l2=0.1)
    fit_distributed(model, [tmp_path / "a.svm", tmp_path / "b.svm"], engine=LocalEngine(2), skip_bad_rows=1)
    assert model.results_["rows_skipped"] == 1


def test_names_that_stand_for_nothing(tmp_path):
    assert "nosuch.csv: there is no such file" in refusal(tmp_path / "nosuch.csv")
    assert "no*.csv" in refusal(str(tmp_path / "no*.csv"))
    assert "nosuch://there/rows.csv" in refusal("nosuch://there/rows.csv")
    assert "standard input cannot be divided" in refusal("-")
    assert "the path of a file" in refusal([b"a"])
    assert "the path of a file" in refusal(3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"passes": 2}, "passes=2: workers make one pass, or compute the optimum: set passes=1 or passes='auto'"),
        ({"l2": None}, "needs a penalty: l2='auto', or l2=1/n"),
        ({"shuffle": True}, "set shuffle=False"),
        ({"l2": -1.0}, "l2"),
        ({"loss": "poisson"}, "use SurefootRegressor"),
    ],
)
def test_estimators_that_cannot_be_trained(folder, parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fit_distributed(SurefootClassifier(**{"l2": 0.1, **parameters}), folder, label="class")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"shards": 0}, "shards: a whole number from 1 to 65535"),
        ({"shards": 2.5}, "shards"),
        ({"engine": LocalEngine(0)}, "workers: a whole number of at least 1 is needed, 0 was given"),
        ({"engine": LocalEngine(True)}, "workers"),
        ({"max_time": float("inf")}, "budget: a finite number of seconds"),
        ({"format": "nosuch"}, "nosuch"),
    ],
)
def test_settings_of_a_run(folder, named, message):
    assert message in refusal(folder, **named)


def test_words_that_no_fit_knows(folder):
    with pytest.raises(TypeError, match="unexpected keyword argument 'epochs'"):
        fit_distributed(SurefootClassifier(l2=0.1), folder, label="class", epochs=3)
    with pytest.raises(ValueError, match="a SurefootClassifier or SurefootRegressor is needed"):
        fit_distributed(object(), folder)


def test_an_estimator_stays_as_it_was(folder):
    model = SurefootRegressor(l2=0.1, ignore=["class"])
    fit_distributed(model, folder, label="price", engine=Threadless(1))
    before = model.model_.to_bytes()
    with pytest.raises(ValueError, match="nosuch"):
        fit_distributed(model, folder, label="nosuch", engine=Threadless(1))
    assert model.model_.to_bytes() == before


def test_processes_that_end_again_and_again(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    said = refusal(folder, checkpoint=tmp_path / "checkpoint")
    assert "workers end again and again (status 1)" in said
    assert "kept in the checkpoint" in said
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nosuch"))
    assert "workers cannot be started" in refusal(folder)
    monkeypatch.setattr(sys, "executable", "")
    assert "does not know its Python interpreter" in refusal(folder)


@pytest.mark.parametrize(("engine", "package"), [(RayEngine(), "ray"), (MpiEngine(), "mpi4py")])
def test_an_engine_that_is_not_installed(folder, engine, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'pip install "surefoot\[{package.removesuffix("4py")}\]"'):
        fit_distributed(SurefootClassifier(l2=0.1), folder, label="class", engine=engine)


class Dataset:
    """What a Ray Dataset is, as far as a fit looks at it."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.folders = frame, []

    def materialize(self):
        return self

    def write_parquet(self, folder):
        self.folders.append(folder)
        for n, start in enumerate(range(0, len(self.frame), 100)):
            self.frame.iloc[start : start + 100].to_parquet(f"{folder}/{n}.parquet")


def test_a_dataset_is_written_to_a_folder_that_goes_away(tmp_path):
    from pathlib import Path

    data = Dataset(table())
    model = SurefootRegressor(l2=0.1, ignore=["class"])
    engine = Threadless(2)
    engine.storage_path = tmp_path / "storage"
    fit_distributed(model, data, label="price", engine=engine)
    plain = SurefootRegressor(l2=0.1, ignore=["class"]).fit(data.frame, "price")
    assert abs(model.coef_ - plain.coef_).max() < 1e-6
    assert Path(data.folders[0]).parent == tmp_path / "storage"
    assert list((tmp_path / "storage").iterdir()) == []
    assert "write it with write_parquet" in refusal(data, engine, checkpoint=tmp_path / "checkpoint")


def scaling(**named):
    return SimpleNamespace(**{"num_workers": 4, "use_gpu": False, "resources_per_worker": None, **named})


def test_settings_of_ray_train(tmp_path):
    run = SimpleNamespace(
        storage_path=str(tmp_path),
        name="trial",
        failure_config=SimpleNamespace(max_failures=3),
        checkpoint_config=SimpleNamespace(num_to_keep=1, checkpoint_score_attribute=None),
    )
    engine = RayEngine.from_train(scaling(resources_per_worker={"CPU": 2}), run, patience=1.0)
    assert (engine.workers, engine.min_workers, engine.resources) == (4, 4, {"CPU": 2})
    assert engine.checkpoint == str(tmp_path / "trial")
    assert (engine.max_failures, engine.patience) == (3, 1.0)
    elastic = RayEngine.from_train(scaling(num_workers=(2, 8)))
    assert (elastic.min_workers, elastic.workers, elastic.max_failures) == (2, 8, -1)


@pytest.mark.parametrize(
    ("settings", "run", "message"),
    [
        ({"use_gpu": True}, None, "use_gpu=True"),
        ({"num_workers": 0}, None, "num_workers=0"),
        ({"num_workers": None}, None, "num_workers=None"),
        ({"accelerator_type": "A100"}, None, "accelerator_type"),
        ({}, SimpleNamespace(storage_path="s3://bucket/folder"), "a folder that all nodes see is needed, no address"),
        ({}, SimpleNamespace(storage_filesystem=object()), "storage_filesystem"),
        (
            {},
            SimpleNamespace(checkpoint_config=SimpleNamespace(checkpoint_score_attribute="loss")),
            "checkpoint_score_attribute",
        ),
    ],
)
def test_settings_of_ray_train_that_mean_nothing_here(settings, run, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        RayEngine.from_train(scaling(**settings), run)
