"""What scikit-learn asks of estimators: its own checks, and its tools with ours in them."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import numbers, two_classes
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from surefoot import SurefootClassifier, SurefootRegressor

CLASSIFIERS = ["auto", "logistic", "softmax", "ovr", "hinge", "squared_hinge", "smoothed_hinge"]
REGRESSORS = ["squared", "huber", "absolute", "quantile", "poisson", "gamma", "tweedie"]
# A row that is learnt once with the weight 2 is another experience than one that is learnt twice: no learner of one
# pass can make them equal.
ONE_PASS = {
    "check_sample_weight_equivalence_on_dense_data": "one pass learns a row of weight 2 once",
    "check_sample_weight_equivalence_on_sparse_data": "one pass learns a row of weight 2 once",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (SurefootClassifier(), {}),
        (SurefootRegressor(), {}),
        (SurefootClassifier("ovr"), {}),
        (SurefootClassifier("hinge"), {}),
        (SurefootRegressor("huber"), {}),
        (SurefootRegressor("poisson"), {}),
        (SurefootClassifier(passes=1), ONE_PASS),
        (SurefootRegressor(passes=1), ONE_PASS),
    ],
    ids=repr,
)
def test_the_checks_of_scikit_learn_pass(estimator, expected):
    results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    assert len(results) > 50
    failed = [(one["check_name"], one["exception"]) for one in results if one["status"] == "failed"]
    assert failed == []
    # What is expected to fail does fail: the list is not longer than it has to be.
    assert {one["check_name"] for one in results if one["status"] == "xfail"} == set(expected)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_classifiers_work_in_pipelines_searches_and_joblib(loss):
    X, y = two_classes()
    pipeline = make_pipeline(StandardScaler(), SurefootClassifier(loss))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7
    search = GridSearchCV(
        SurefootClassifier(loss), {"l2": [1e-3, 1e-1], "fit_intercept": [True, False]}, cv=2, n_jobs=2
    )
    search.fit(X, y)
    assert search.best_score_ > 0.7
    twins = joblib.Parallel(n_jobs=2, prefer="threads")(
        joblib.delayed(SurefootClassifier(loss).fit)(X, y) for _ in range(2)
    )
    assert np.array_equal(twins[0].coef_, twins[1].coef_)


@pytest.mark.parametrize("estimator", [SurefootClassifier, SurefootRegressor])
def test_parameters_survive_clone_and_set_params(estimator):
    one = estimator(passes=3, l2=0.25, bounds={"a": (0, None)}, random_state=7)
    assert clone(one).get_params() == one.get_params()
    assert one.set_params(passes="auto").passes == "auto"


@pytest.mark.parametrize(
    ("estimator", "loss"), [(SurefootClassifier, x) for x in CLASSIFIERS] + [(SurefootRegressor, x) for x in REGRESSORS]
)
@pytest.mark.parametrize("passes", [1, "auto"])
def test_pickles_are_equal_to_the_byte_and_predict_the_same(estimator, loss, passes, tmp_path):
    X, y = two_classes() if estimator is SurefootClassifier else numbers(loss)
    model = estimator(loss, passes=passes).fit(X, y)
    pickled = pickle.dumps(model)
    again = pickle.loads(pickled)
    assert pickle.dumps(again) == pickled
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.loss_ == model.loss_
    assert again.model_.to_bytes() == model.model_.to_bytes()
    joblib.dump(model, tmp_path / "model.joblib")
    assert np.array_equal(joblib.load(tmp_path / "model.joblib").predict(X), model.predict(X))


def test_a_column_transformer_feeds_the_classifier():
    table = pd.DataFrame({"city": ["a", "b", "c", "a"] * 25, "age": np.arange(100.0)})
    y = (table["city"] == "a").astype(int)
    encode = make_column_transformer((OneHotEncoder(), ["city"]), (StandardScaler(), ["age"]))
    assert make_pipeline(encode, SurefootClassifier()).fit(table, y).score(table, y) == 1.0


@pytest.mark.parametrize(
    "labels", [[0, 1], [-1, 1], ["no", "yes"], [False, True], [1.0, 2.0], [2**60, 2**60 + 1], [2019, 2020], [-500, 500]]
)
def test_labels_of_all_types_come_back(labels):
    X, y = two_classes()
    names = np.array(labels)[y]
    model = SurefootClassifier().fit(X, names)
    assert model.classes_.tolist() == labels
    assert model.predict(X).dtype == names.dtype
    reference = SurefootClassifier().fit(X, y)
    assert np.allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-9)
    assert np.array_equal(model.predict(X) == labels[1], reference.predict(X) == 1)


@pytest.mark.parametrize("loss", ["softmax", "ovr"])
@pytest.mark.parametrize("names", [[3, 5, 11], ["b", "a", "zz"], ["10", "9", "8"]])
def test_many_classes_keep_their_columns(loss, names):
    X, _ = two_classes(300)
    y = np.array(names)[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = SurefootClassifier(loss).fit(X, y)
    assert model.classes_.tolist() == sorted(names)
    probabilities = model.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert np.allclose(model.predict_log_proba(X), np.log(probabilities))
    assert model.score(X, y) > 0.8
    assert model.coef_.shape == (3, 5)
    margins = X @ model.coef_.T + model.intercept_
    assert np.allclose(margins, model.decision_function(X), atol=1e-9)


def test_probabilities_are_exact_where_they_nearly_vanish():
    X = np.array([[1.0], [-1.0]] * 20)
    model = SurefootClassifier(l2=1e-3).fit(X, X[:, 0] > 0)
    far = np.array([[100.0]])
    assert 0.0 < model.predict_proba(far)[0, 0] < 1e-100
    assert model.predict_log_proba(far)[0, 0] == pytest.approx(-model.decision_function(far)[0])


def test_losses_without_probabilities_have_no_such_method():
    assert not hasattr(SurefootClassifier("hinge"), "predict_proba")
    assert hasattr(SurefootClassifier(), "predict_proba")
