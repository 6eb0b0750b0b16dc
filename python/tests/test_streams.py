"""Rows that come part by part, and files larger than a part."""

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import numbers, two_classes
from sklearn.datasets import dump_svmlight_file

from surefoot import SurefootClassifier, SurefootRegressor, SurefootWarning, load


def test_parts_are_one_pass_to_the_bit():
    X, y = two_classes(500)
    whole = SurefootClassifier(passes=1).fit(X, y)
    for size in (1, 7, 64, 499):
        parts = SurefootClassifier()
        for start in range(0, 500, size):
            parts.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
        assert np.array_equal(parts.coef_, whole.coef_)
        assert parts.progressive_loss_ == whole.progressive_loss_
        assert parts.model_.to_bytes() == whole.model_.to_bytes()


@pytest.mark.parametrize("loss", ["squared", "huber", "absolute", "quantile", "poisson", "gamma", "tweedie"])
def test_regressors_learn_part_by_part(loss):
    X, y = numbers(loss)
    exposure = np.linspace(0.5, 2.0, len(y)) if loss in ("poisson", "gamma", "tweedie") else None
    whole = SurefootRegressor(loss, passes=1).fit(X, y, exposure=exposure)
    parts = SurefootRegressor(loss)
    for part in np.array_split(np.arange(len(y)), 5):
        parts.partial_fit(X[part], y[part], exposure=None if exposure is None else exposure[part])
    assert np.array_equal(parts.coef_, whole.coef_)


def test_classes_are_known_from_the_first_part_on():
    X, y = two_classes(200)
    model = SurefootClassifier().partial_fit(X[:50], y[:50], classes=[1, 0])
    assert model.classes_.tolist() == [0, 1]
    ones = np.flatnonzero(y[50:] == 1)[:10] + 50
    model.partial_fit(X[ones], y[ones])
    assert model.predict_proba(X).shape == (200, 2)
    before = model.model_.to_bytes()
    with pytest.raises(ValueError, match=r"y has the label .*2.*, which is not among classes=\[0, 1\]"):
        model.partial_fit(X[:2], [1, 2])
    with pytest.raises(ValueError, match="is not the same as on last call"):
        model.partial_fit(X[:2], y[:2], classes=[0, 1, 2])
    assert model.model_.to_bytes() == before


@pytest.mark.parametrize("names", [["no", "yes"], ["a", "b", "c"], [0, 1, 2]])
def test_a_first_part_of_few_classes_has_columns_for_all(names):
    X, y = two_classes(200)
    labels = np.array(names)[y]
    model = SurefootClassifier().partial_fit(X[y == 0], labels[y == 0], classes=names)
    assert model.predict_proba(X).shape == (200, len(names))
    assert model.decision_function(X).shape == ((200,) if len(names) == 2 else (200, len(names)))
    assert (model.predict(X) == names[0]).all()
    model.partial_fit(X, labels)
    assert model.score(X, labels) > 0.7
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("names", [[1, 2], [3, 5], ["a", "b"], ["a", "b", "c"], [2, 4, 9]])
@pytest.mark.parametrize("loss", ["auto", "hinge", "ovr"])
@pytest.mark.parametrize("only", [0, 1])
def test_probabilities_margins_and_predictions_agree_while_classes_are_missing(names, loss, only):
    if loss == "hinge" and len(names) > 2:
        pytest.skip("the hinge loss is for two classes")
    X, y = two_classes(100)
    model = SurefootClassifier(loss).partial_fit(X, np.array(names)[np.full(100, only)], classes=names)
    assert (model.predict(X) == names[only]).all()
    margins = model.decision_function(X)
    likeliest = (margins > 0).astype(int) if len(names) == 2 else margins.argmax(axis=1)
    assert (likeliest == only).all()
    if loss != "hinge":
        assert (model.predict_proba(X).argmax(axis=1) == only).all()
        assert (model.predict_log_proba(X).argmax(axis=1) == only).all()
    if len(names) > 2 or loss == "ovr":
        assert model.coef_.shape == (len(names), 5)
        assert model.intercept_.shape == (len(names),)
        model.partial_fit(X, np.array(names)[y])
        margins = X @ model.coef_.T + model.intercept_
        ours = model.decision_function(X)
        if len(names) > 2:
            seen = np.isfinite(ours[0])
            assert np.allclose(margins[:, seen], ours[:, seen])


@pytest.mark.parametrize("names", [["zz", "aa"], ["zz", "mm", "aa"], [7, 3], [7, 3, 5]])
@pytest.mark.parametrize("start", ["array", "named", "file", "loaded"])
def test_learning_on_keeps_the_labels_of_every_beginning(names, start, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = np.array(names)[X[:, : len(names)].argmax(axis=1)]
    table = pd.DataFrame(X, columns=list("abc"))
    model = SurefootClassifier("softmax" if len(names) > 2 else "logistic", passes=1)
    if start == "array":
        model.fit(table, y)
    elif start == "named":
        model.fit(table.assign(y=y), "y")
    else:
        table.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
        model.fit_file(tmp_path / "rows.csv", label="y")
    if start == "loaded":
        model.save(tmp_path / "m")
        model = load(tmp_path / "m")
    before = model.score(table, y)
    assert before > 0.9
    for _ in range(3):
        model.partial_fit(table, y)
    assert model.score(table, y) > 0.9
    assert sorted(model.classes_.tolist()) == sorted(names)
    assert len(model.model_.labels) == len(names)


def test_warm_start_with_other_labels():
    X, _ = two_classes(300)
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 4], [-0.5, 0.5])]
    model = SurefootClassifier("softmax", passes=1, warm_start=True).fit(X[y != "a"], y[y != "a"])
    model.fit(X, y)
    assert model.score(X, y) > 0.7
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="warm_start: the model knows the label 'a', of which y has no row"):
        model.fit(X[y != "a"], y[y != "a"])
    assert model.score(X, y) > 0.7


def test_warm_start_with_other_columns():
    X, y = two_classes(100)
    model = SurefootClassifier(passes=1, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="warm_start: X has 2 columns, the model was trained on 5"):
        model.fit(X[:, :2], y)
    with pytest.raises(ValueError, match="set it back, or set warm_start=False"):
        model.set_params(l2=3.0).fit(X, y)


def test_weights_of_classes_that_are_not_there_are_warned_of():
    X, y = two_classes(100)
    with pytest.warns(SurefootWarning, match="class_weight: no row has the label 'spma'"):
        SurefootClassifier(class_weight={"spma": 5}).fit(X, np.array(["ham", "spam"])[y])


def test_exposures_need_a_log_link():
    X, y = two_classes(100)
    with pytest.raises(ValueError, match="exposure is for losses with a log link"):
        SurefootClassifier().fit(X, y, exposure=np.ones(100))


def test_a_copy_learns_on_apart():
    X, y = two_classes(200)
    model = SurefootClassifier().partial_fit(X[:100], y[:100])
    before = model.model_.to_bytes()
    twin = copy.copy(model).partial_fit(X[100:], y[100:])
    assert model.model_.to_bytes() == before
    assert twin.model_.to_bytes() != before


def test_no_rows_change_nothing():
    X, y = two_classes(100)
    model = SurefootClassifier().partial_fit(X, y)
    before = model.model_.to_bytes()
    assert model.partial_fit(X[:0], y[:0]).model_.to_bytes() == before


def test_a_failed_fit_leaves_the_estimator_as_it_was(tmp_path):
    X, y = two_classes(200)
    model = SurefootClassifier().fit(X, y + 1)
    expected = model.predict(X)
    bad = X.copy()
    bad[0, 0] = np.inf
    (tmp_path / "bad.svm").write_text("1 0:x\n")
    failing = [
        lambda: model.fit(bad, np.arange(200) % 3),
        lambda: model.fit(np.full((200, 2), np.nan), np.array(["u", "v"])[y]),
        lambda: model.fit(pd.DataFrame(bad), "nosuch"),
        lambda: model.fit_file(tmp_path / "bad.svm"),
        lambda: model.partial_fit(bad, y + 1),
    ]
    for fail in failing:
        with pytest.raises(ValueError, match=r"\w"):
            fail()
        assert np.array_equal(model.predict(X), expected)
        assert model.coef_.shape == (1, 5)


def test_fit_file_forgets_an_earlier_fit(tmp_path):
    X, y = two_classes(200)
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=True)
    model = SurefootClassifier().fit(pd.DataFrame(X[:, :3], columns=list("abc")), np.arange(200) % 3)
    model.fit_file(tmp_path / "rows.svm")
    assert model.model_.loss == "logistic"
    assert not hasattr(model, "feature_names_in_")
    assert model.classes_.tolist() == [0, 1]


def test_columns_of_zeros_at_the_end_may_be_there_or_not(tmp_path):
    X, y = two_classes(200)
    wide = np.column_stack([X, np.zeros(200)])
    SurefootClassifier().fit(wide, y).save(tmp_path / "m")
    assert load(tmp_path / "m").predict(wide).shape == (200,)
    assert load(tmp_path / "m").coef_.shape == (1, 5)


def test_files_take_no_exposures_of_their_own(tmp_path):
    X, y = numbers("poisson")
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=True)
    model = SurefootRegressor("poisson").fit(X, y)
    with pytest.raises(ValueError, match="files have columns of their own"):
        model.predict(tmp_path / "rows.svm", exposure=2.0)


def test_without_classes_those_of_the_first_part_are_all():
    X, y = two_classes(200)
    model = SurefootClassifier().partial_fit(X[:50], y[:50])
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="name all classes in the first call"):
        model.partial_fit(X[:1], [7])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_part_with_a_row_at_fault_changes_nothing(bad):
    X, y = two_classes(200)
    model = SurefootClassifier().partial_fit(X[:100], y[:100])
    before = model.model_.to_bytes()
    part = X[100:].copy()
    part[60, 2] = bad
    with pytest.raises(ValueError, match="row 60, column '2'"):
        model.partial_fit(part, y[100:])
    assert model.model_.to_bytes() == before
    model.partial_fit(X[100:], y[100:])
    assert np.array_equal(model.coef_, SurefootClassifier(passes=1).fit(X, y).coef_)


def test_a_first_part_at_fault_leaves_no_model():
    X, y = two_classes(50)
    X[3, 1] = np.nan
    model = SurefootClassifier()
    with pytest.raises(ValueError, match="row 3"):
        model.partial_fit(X, y)
    assert not hasattr(model, "model_")


def test_warm_start_goes_on_where_passes_are_counted():
    X, y = two_classes(400)
    warm = SurefootClassifier(passes=1, warm_start=True).fit(X[:200], y[:200]).fit(X[200:], y[200:])
    assert np.allclose(warm.coef_, SurefootClassifier(passes=1).fit(X, y).coef_, rtol=1e-6)
    optimum = SurefootClassifier(warm_start=True).fit(X[:200], y[:200]).fit(X, y)
    assert np.allclose(optimum.coef_, SurefootClassifier().fit(X, y).coef_, rtol=1e-9)
    with pytest.raises(ValueError, match=r"trained with l2=.*set it back"):
        SurefootClassifier(passes=1, warm_start=True, l2=0.1).fit(X, y).set_params(l2=0.2).fit(X, y)


def test_parts_after_an_optimum_are_warned_of():
    X, y = two_classes(200)
    with pytest.warns(SurefootWarning, match="gives the optimum up"):
        SurefootClassifier().fit(X, y).partial_fit(X, y)


def test_folders_and_patterns_are_read_in_order(tmp_path):
    X, y = two_classes(300)
    X = np.round(X * 64) / 64
    for part in range(3):
        rows = slice(100 * part, 100 * part + 100)
        dump_svmlight_file(sp.csr_matrix(X[rows]), y[rows], str(tmp_path / f"part{part}.svm"), zero_based=True)
    expected = SurefootClassifier(passes=1).fit(sp.csr_matrix(X), y).coef_
    for names in (tmp_path, str(tmp_path / "part*.svm"), sorted(tmp_path.iterdir())):
        assert np.array_equal(SurefootClassifier().fit_file(names).coef_, expected)


def test_rows_at_fault_in_files_are_named_or_skipped(tmp_path):
    (tmp_path / "rows.svm").write_text("1 0:1\n0 0:x\n1 0:2\n0 0:-1\n")
    with pytest.raises(ValueError, match=r"rows\.svm:2:3: '0:x'"):
        SurefootClassifier().fit_file(tmp_path / "rows.svm")
    model = SurefootClassifier().fit_file(tmp_path / "rows.svm", skip_bad_rows=1)
    assert model.results_["rows_skipped"] == 1
    with pytest.raises(ValueError, match="l2='auto'"):
        SurefootClassifier().fit_file(tmp_path / "rows.svm", passes="auto")
