"""An estimator that workers have trained is as one that was trained in one process."""

import numpy as np
import pytest
from workers import svmlight, table

from surefoot import SurefootClassifier, SurefootRegressor
from surefoot.distributed import LocalEngine, fit_distributed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for n in range(3):
        table(300, seed=n).to_parquet(folder / f"part-{n}.parquet")
    return folder


def same(one, other):
    """Assert that two fitted estimators are the same, but for what their training told on the way."""
    assert type(one) is type(other)
    assert abs(one.coef_ - other.coef_).max() < 1e-6
    assert abs(one.intercept_ - other.intercept_).max() < 1e-6
    assert one.coef_names_.tolist() == other.coef_names_.tolist()
    assert one.loss_ == pytest.approx(other.loss_, rel=1e-9)
    assert one.penalty_ == other.penalty_
    assert one.certificate_.holds
    assert one.certificate_.relative < 1e-10
    for name in ("feature_names_in_", "n_features_in_", "classes_", "_is_table"):
        assert np.array_equal(getattr(one, name, None), getattr(other, name, None)), name
    for field in ("rows", "features", "rows_skipped"):
        assert one.results_[field] == other.results_[field], field
    assert one.n_iter_ >= 1
    assert len(one.search_curve_["gap"]) > 0


@pytest.mark.parametrize(
    "estimator",
    [
        SurefootClassifier("softmax", l2=0.01, ignore=["price"]),
        SurefootClassifier("ovr", l2=0.01, ignore=["price"]),
    ],
    ids=["softmax", "ovr"],
)
def test_classes_of_a_table(folder, estimator):
    plain = type(estimator)(**estimator.get_params()).fit_file(folder, label="class", passes="auto")
    found = fit_distributed(estimator, folder, label="class", engine=LocalEngine(2))
    assert found is estimator
    same(found, plain)
    new = table(50, seed=9).drop(columns=["class", "price"])
    assert found.predict(new).tolist() == plain.predict(new).tolist()


@pytest.mark.parametrize(
    "estimator",
    [
        SurefootRegressor(l2=0.01, ignore=["class"]),
        SurefootRegressor("huber", l2=0.01, delta=0.5, ignore=["class"], standardize=True),
        SurefootRegressor(l1=0.01, keep=["age", "size"], fit_intercept=False),
    ],
    ids=["squared", "huber", "l1"],
)
def test_numbers_of_a_table(folder, estimator):
    plain = type(estimator)(**estimator.get_params()).fit_file(folder, label="price", passes="auto")
    same(fit_distributed(estimator, str(folder / "*.parquet"), label="price", engine=LocalEngine(2)), plain)


def test_one_pass(tmp_path):
    rows = svmlight(tmp_path / "rows.svm", rows=12_000)
    models = [
        fit_distributed(SurefootClassifier(passes=1), rows, engine=LocalEngine(workers), shards=4) for workers in (1, 3)
    ]
    assert models[0].model_.to_bytes() == models[1].model_.to_bytes()
    plain = SurefootClassifier(passes=1).fit_file(rows)
    assert models[0].n_iter_ == 1
    assert models[0].classes_.tolist() == [0, 1]
    assert models[0].progressive_loss_ == pytest.approx(plain.progressive_loss_, rel=0.2)
    curve = models[0].loss_curve_
    assert len(curve["rows"]) >= 5
    assert list(curve["rows"]) == sorted(curve["rows"])
    assert curve["rows"][-1] == 12_000
    assert curve["loss"][-1] == pytest.approx(models[0].progressive_loss_)
    assert len(models[0].lanes_) > 1


def test_rows_without_names(tmp_path):
    paths = [svmlight(tmp_path / f"{n}.svm", seed=n) for n in range(2)]
    plain = SurefootClassifier(l2=0.01).fit_file(paths, passes="auto")
    found = fit_distributed(SurefootClassifier(l2=0.01), paths)
    same(found, plain)
    found.save(tmp_path / "model")
    assert found.evaluate_file(paths)["accuracy"] == plain.evaluate_file(paths)["accuracy"]


def test_options_of_reading(tmp_path):
    (tmp_path / "rows.csv").write_text("y;x\n" + "".join(f"{2 * n},5;{n}\n" for n in range(50)))
    named = {"delimiter": ";", "decimal": ",", "label": "y"}
    model = SurefootRegressor(l2=1e-9)
    fit_distributed(model, tmp_path / "rows.csv", engine=LocalEngine(2), **named)
    assert model.coef_[0] == pytest.approx(2.0, abs=1e-4)


def test_progress_is_told(tmp_path, capsys):
    rows = svmlight(tmp_path / "rows.svm")
    seen = []
    fit_distributed(SurefootClassifier(l2=0.01, verbose=2), rows, engine=LocalEngine(1), progress=seen.append)
    assert seen[-1].working == 1
    assert [status.exchanges for status in seen] == sorted(status.exchanges for status in seen)
    assert "1 workers" in str(seen[-1])
    printed = capsys.readouterr().out
    assert "objective" in printed
    assert "--" not in printed
    rows_of_workers = [worker.rows for worker in seen[-1].each]
    assert (sum(rows_of_workers), seen[-1].rows, seen[-1].share) == (1500, 1500, 1.0)
    assert seen[-1].each[0].shards == (1, 16)
    assert "worker 0: joined" in printed


def test_the_report_page(tmp_path):
    rows = svmlight(tmp_path / "rows.svm")
    for passes in ("auto", 1):
        model = SurefootClassifier(l2=0.01 if passes == "auto" else None, passes=passes, report=True)
        page = fit_distributed(model, rows, engine=LocalEngine(2), shards=4).report_html()
        assert page.startswith("<!doctype html>")
        assert "<h2>Workers</h2>" in page
        assert "rows.svm" in page
    assert [path.name for path in tmp_path.iterdir()] == ["rows.svm"]
