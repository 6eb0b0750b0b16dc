"""Model files both ways between Python and the command, to the byte; and what a model tells."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import two_classes
from sklearn.datasets import dump_svmlight_file

from surefoot import SurefootClassifier, SurefootRegressor, load

SETTINGS = [
    ({}, []),
    ({"l2": 0.01}, ["--l2", "0.01"]),
    ({"l1": 0.003, "fit_intercept": False}, ["--l1", "0.003", "--no-intercept"]),
    ({"passes": 3}, ["--passes", "3"]),
    ({"passes": "auto", "l2": 0.01, "tol": 1e-6}, ["--passes", "auto", "--l2", "0.01"]),
    ({"loss": "hinge", "class_weight": {1: 2.0}}, ["--loss", "hinge", "--class-weight", "1=2.0"]),
    ({"radius": 2.0}, ["--radius", "2"]),
    ({"shuffle": True, "random_state": 5}, ["--shuffle", "--seed", "5"]),
    ({"bounds": {"1": (0, 0.5)}, "l2": 0.1}, ["--bounds", "1=0,0.5", "--l2", "0.1"]),
]


def rows():
    """Return rows of numbers that a text holds in full."""
    X, y = two_classes(300)
    X = np.round(X * 64) / 64
    X[np.abs(X) < 0.4] = 0.0
    return X, y


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the same rows as svmlight, Parquet and CSV."""
    folder = tmp_path_factory.mktemp("rows")
    X, y = rows()
    dump_svmlight_file(sp.csr_matrix(X), y, str(folder / "rows.svm"), zero_based=True)
    table = pd.DataFrame(X, columns=list("abcde")).assign(y=y, city=np.where(X[:, 0] > 0, "x", "z"))
    table.to_parquet(folder / "rows.parquet")
    table.to_csv(folder / "rows.csv", index=False)
    return folder


@pytest.mark.filterwarnings("ignore::surefoot.SurefootWarning")
@pytest.mark.parametrize(("parameters", "flags"), SETTINGS, ids=str)
def test_the_command_writes_the_same_bytes(parameters, flags, folder, command):
    command("fit", "rows.svm", *flags, "-o", "command.surefoot", "--quiet", folder=folder)
    expected = (folder / "command.surefoot").read_bytes()
    passes = parameters.get("passes", 1)
    by_file = SurefootClassifier(**parameters).fit_file(folder / "rows.svm", passes=passes)
    assert by_file.model_.to_bytes() == expected
    X, y = rows()
    in_memory = SurefootClassifier(**{"passes": 1, **parameters}).fit(sp.csr_matrix(X), y)
    if passes == 1 or passes == "auto":
        assert in_memory.model_.to_bytes() == expected
    assert np.array_equal(in_memory.coef_[0], by_file.coef_[0])


@pytest.mark.filterwarnings("ignore::surefoot.SurefootWarning")
@pytest.mark.parametrize("file", ["rows.parquet", "rows.csv"])
@pytest.mark.parametrize(
    ("parameters", "flags"),
    [({}, []), ({"passes": "auto", "l2": 0.01, "tol": 1e-6}, ["--passes", "auto", "--l2", "0.01"])],
)
def test_tables_give_the_command_and_python_the_same_bytes(file, parameters, flags, folder, command):
    command("fit", file, "--label", "y", *flags, "-o", "table.surefoot", "--quiet", folder=folder)
    expected = (folder / "table.surefoot").read_bytes()
    passes = parameters.get("passes", 1)
    by_file = SurefootClassifier(**parameters).fit_file(folder / file, label="y", passes=passes)
    assert by_file.model_.to_bytes() == expected
    if file == "rows.parquet":
        table = pd.read_parquet(folder / file)
        named = SurefootClassifier(loss="logistic", **{"passes": 1, **parameters}).fit(table, "y")
        assert named.model_.to_bytes() == expected


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_files_go_both_ways(loss, folder, command, tmp_path):
    X, y = rows()
    names = np.array(["no", "yes"])[y]
    model = SurefootClassifier(loss).fit(X, names)
    model.save(tmp_path / "python.surefoot")
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=True)
    command("predict", tmp_path / "python.surefoot", tmp_path / "rows.svm", "-o", tmp_path / "p.txt")
    printed = np.loadtxt(tmp_path / "p.txt")
    ours = model.predict_proba(X)
    assert np.allclose(printed, ours if loss == "softmax" else ours[:, 1], rtol=1e-15)
    inspected = json.loads(command("inspect", tmp_path / "python.surefoot", "--json"))
    assert inspected["settings"]["loss"] == loss
    again = load(tmp_path / "python.surefoot")
    assert again.classes_.tolist() == ["no", "yes"]
    assert np.array_equal(again.predict_proba(X), ours)
    assert np.array_equal(again.coef_, model.coef_)
    assert again.certificate_ == model.certificate_


@pytest.mark.filterwarnings("ignore::surefoot.SurefootWarning")
@pytest.mark.parametrize(
    ("loss", "parameter"), [("huber", {"delta": 2.5}), ("quantile", {"tau": 0.9}), ("tweedie", {"power": 1.2})]
)
def test_loaded_estimators_know_their_parameters(loss, parameter, tmp_path):
    X, y = two_classes()
    y = y + 1.0
    SurefootRegressor(loss, l2=0.5, fit_intercept=False, **parameter).fit(X, y).save(tmp_path / "m")
    found = load(tmp_path / "m").get_params()
    assert found["loss"] == loss
    assert found["l2"] == 0.5
    assert found["fit_intercept"] is False
    assert found.items() >= parameter.items()


@pytest.mark.filterwarnings("ignore::surefoot.SurefootWarning")
@pytest.mark.parametrize(
    "parameters",
    [
        {"bounds": {"1": (0.0, None), "2": (-0.5, 0.5)}, "penalty_factor": {"2": 0.5}, "l2": 0.1, "standardize": True},
        {"bounds": (0.0, 1.0), "l1": 0.01, "class_weight": "balanced", "fit_intercept": False},
        {"class_weight": {0: 2.0, 1: 1.0}, "l2": 0.1},
        {"radius": 2.0, "row_norm": 9.0, "error_probability": 0.1, "passes": 1},
    ],
    ids=str,
)
def test_a_loaded_estimator_fits_the_same_model_again(parameters, tmp_path):
    X, y = two_classes(200)
    model = SurefootClassifier(**parameters).fit(X, y)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m").fit(X, y)
    assert again.model_.to_bytes() == model.model_.to_bytes()


@pytest.mark.filterwarnings("ignore::surefoot.SurefootWarning")
def test_a_loaded_estimator_reads_tables_as_before(tmp_path):
    table = pd.DataFrame({"note": ["red car", "blue", "?"] * 40, "size": [1.0, None, 3.0] * 40})
    y = [0, 1, 0] * 40
    model = SurefootClassifier(
        missing="mean", text=["note"], na=["?"], interact=[("note", "size")], bits=20, l2=0.1
    ).fit(table, y)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.fit(table, y).model_.to_bytes() == model.model_.to_bytes()


@pytest.mark.parametrize("labels", [[2019, 2020], [2**60, 2**60 + 1], [0, 1], ["a", "b"], [5, 70, 900]])
def test_labels_come_back_from_a_file(labels, tmp_path):
    X, y = two_classes(300)
    y = np.array(labels)[y if len(labels) == 2 else np.digitize(X[:, 4], [-0.5, 0.5])]
    model = SurefootClassifier().fit(X, y)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.classes_.tolist() == model.classes_.tolist()
    assert np.array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="X has 2 features, but the model has weights of 5 columns"):
        again.predict(X[:, :2])


def test_a_loaded_model_learns_on_as_if_never_saved(tmp_path):
    X, y = two_classes()
    whole = SurefootClassifier().partial_fit(X[:100], y[:100])
    whole.save(tmp_path / "m")
    again = load(tmp_path / "m")
    for model in (whole, again):
        model.partial_fit(X[100:], y[100:])
    assert np.allclose(whole.coef_, again.coef_, rtol=1e-12)


def test_damaged_and_missing_files_are_named(tmp_path):
    X, y = two_classes()
    SurefootClassifier().fit(X, y).save(tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    (tmp_path / "half").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="half"):
        load(tmp_path / "half")
    with pytest.raises(FileNotFoundError, match="nosuch"):
        load(tmp_path / "nosuch")
    with pytest.raises(FileNotFoundError, match="nosuch"):
        SurefootClassifier().fit_file(tmp_path / "nosuch.csv", label="y")
    with pytest.raises(ValueError, match="nosuch"):
        SurefootClassifier().fit_file(str(tmp_path / "nosuch*.csv"), label="y")


def test_files_of_rows_are_predicted_like_their_rows(folder):
    model = SurefootClassifier().fit_file([folder / "rows.svm"])
    X, _ = rows()
    assert np.array_equal(model.predict_proba(folder / "rows.svm"), model.predict_proba(X))
    assert np.array_equal(model.predict([str(folder / "rows.svm")] * 2), np.tile(model.predict(X), 2))


def test_what_a_model_tells():
    X, y = two_classes(500)
    model = SurefootClassifier(passes=1).fit(X, y)
    curve = model.loss_curve_
    assert curve["rows"][-1] == 500
    assert curve["loss"][-1] == model.progressive_loss_ == model.loss_
    steps = np.diff(curve["rows"], prepend=0)
    assert np.allclose(np.cumsum(steps * curve["recent"]) / curve["rows"], curve["loss"])
    assert model.n_iter_ == 1
    assert not model.certificate_.holds
    assert "radius=R" in str(model.certificate_)
    best = SurefootClassifier().fit(X, y)
    assert best.n_iter_ > 1
    assert best.search_curve_["objective"][-1] == pytest.approx(best.loss_)
    assert best.penalty_ == {"l1": 0.0, "l2": 1 / 500}
    assert best.loss_ < best.progressive_loss_


def test_a_ball_gives_a_certificate():
    X, y = two_classes(500)
    model = SurefootClassifier(passes=1, radius=3.0).fit(X, y)
    assert model.certificate_.holds
    assert np.hypot(np.linalg.norm(model.coef_), model.intercept_[0]) <= 3.0 * (1 + 1e-9)


def test_the_loss_on_new_rows_is_no_bound_on_the_distance_to_the_best():
    X, y = two_classes(4000)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    model = SurefootClassifier(passes=1, radius=3.0, row_norm=1.5).fit(X, y)
    kinds = {(one.quantity, one.kind) for one in model.certificates_ if one.holds}
    assert {("excess", "deterministic"), ("risk", "probability")} <= kinds
    assert model.certificate_.quantity == "excess"
    risk = next(one for one in model.certificates_ if one.quantity == "risk")
    assert str(risk).startswith("the expected loss on new rows is at most")
    assert risk.gap > model.progressive_loss_ > 0


def test_files_with_labels_measure_a_model(data, command, tmp_path):
    model = SurefootClassifier().fit_file(data / "a9a.train.svm.gz")
    measured = model.evaluate_file(data / "a9a.test.svm.gz")
    model.save(tmp_path / "m")
    assert measured.items() <= json.loads(command("eval", tmp_path / "m", data / "a9a.test.svm.gz", "--json")).items()
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 10, "kind": ["a", "b"] * 20})
    table.assign(y=[0, 1] * 20).to_csv(tmp_path / "table.csv", index=False)
    beside = SurefootClassifier().fit(table, [0, 1] * 20)
    assert beside.evaluate_file(tmp_path / "table.csv", label="y")["accuracy"] == 1.0
    with pytest.raises(ValueError, match='if it holds the labels, give label="y"'):
        beside.evaluate_file(tmp_path / "table.csv")
    assert measured["accuracy"] == pytest.approx(0.849886, abs=1e-3)


def test_pictures(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = two_classes(500)
    model = SurefootClassifier(report=True).fit(X, y)
    axes = model.plot()
    assert len(axes.lines) == 3
    assert "<polyline" in model._repr_html_()
    assert "<polyline" not in SurefootClassifier()._repr_html_()
    page = model.report_html()
    assert page.startswith("<!doctype html>")
    assert "Learning" in page
    assert "--test" not in page
    with pytest.raises(ValueError, match="report=True"):
        SurefootClassifier().fit(X, y).report_html()
