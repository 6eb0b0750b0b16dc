"""The default fit is an optimum: against repeated rows, other solvers, closed forms and certificates."""

import numpy as np
import pytest
from conftest import numbers, two_classes
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge

from surefoot import SurefootClassifier, SurefootRegressor

ALL = [
    (SurefootClassifier, loss) for loss in ("logistic", "softmax", "ovr", "hinge", "squared_hinge", "smoothed_hinge")
]
ALL += [(SurefootRegressor, x) for x in ("squared", "huber", "absolute", "quantile", "poisson", "gamma", "tweedie")]


def rows_for(estimator, loss):
    if loss in ("softmax", "ovr"):
        X, _ = two_classes()
        return X, np.digitize(X[:, 0] + 0.5 * np.random.default_rng(3).normal(size=len(X)), [-0.5, 0.5])
    return two_classes() if estimator is SurefootClassifier else numbers(loss)


@pytest.mark.parametrize(("estimator", "loss"), ALL)
def test_weights_equal_repeated_rows(estimator, loss):
    X, y = rows_for(estimator, loss)
    times = np.random.default_rng(5).integers(0, 4, len(y))
    weighted = estimator(loss).fit(X, y, sample_weight=times)
    repeated = estimator(loss).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-7)
    assert np.allclose(weighted.intercept_, repeated.intercept_, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("estimator", "loss"), ALL)
def test_the_certificate_bounds_the_gap_and_is_small(estimator, loss):
    X, y = rows_for(estimator, loss)
    model = estimator(loss).fit(X, y)
    assert model.certificate_.kind == "deterministic"
    assert 0 <= model.certificate_.relative <= 1e-11
    assert "no model has an objective lower" in str(model.certificate_)
    # An early end is certified too, and the gap to the optimum is within its bound.
    early = estimator(loss, tol=1e-2, l2=1 / len(y)).fit(X, y)
    assert early.loss_ - model.loss_ <= early.certificate_.gap * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_logistic_regression_of_scikit_learn_has_the_same_optimum(C, fit_intercept):
    X, y = two_classes()
    theirs = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-12, max_iter=10_000).fit(X, y)
    ours = SurefootClassifier(l2=1 / (C * len(y)), fit_intercept=fit_intercept).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    if C == 1.0:
        default = SurefootClassifier(fit_intercept=fit_intercept).fit(X, y)
        assert np.allclose(default.coef_, theirs.coef_, atol=1e-6)


def test_ridge_and_poisson_regression_agree():
    X, y = numbers("squared")
    ours, theirs = SurefootRegressor().fit(X, y), Ridge(alpha=1.0).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-8)
    X, y = numbers("poisson")
    theirs = PoissonRegressor(alpha=1 / len(y), tol=1e-12, max_iter=10_000).fit(X, y)
    assert np.allclose(SurefootRegressor("poisson").fit(X, y).coef_, theirs.coef_, atol=1e-6)


def test_exposure_is_a_factor_and_offset_a_summand():
    X, _ = numbers("poisson")
    random = np.random.default_rng(4)
    exposure = random.uniform(0.1, 5.0, len(X))
    y = random.poisson(exposure * np.exp(0.3 * X[:, 0])).astype(float)
    model = SurefootRegressor("poisson", l2=1e-4).fit(X, y, exposure=exposure)
    same = SurefootRegressor("poisson", l2=1e-4).fit(X, y, offset=np.log(exposure))
    assert np.array_equal(model.coef_, same.coef_)
    rates = SurefootRegressor("poisson", l2=1e-4).fit(X, y / exposure, sample_weight=exposure)
    # Rates weighted by exposure have the same likelihood; the mean is over exposures then, and so is the penalty.
    heavier = SurefootRegressor("poisson", l2=1e-4 * len(y) / exposure.sum()).fit(
        X, y / exposure, sample_weight=exposure
    )
    assert np.allclose(model.coef_, heavier.coef_, atol=1e-6)
    assert not np.allclose(model.coef_, rates.coef_, atol=1e-9)
    assert np.allclose(model.predict(X, exposure=2.0), 2.0 * model.predict(X))


def test_class_weights_multiply_row_weights():
    X, y = two_classes()
    weighted = SurefootClassifier(class_weight={0: 1.0, 1: 3.0}).fit(X, y)
    by_rows = SurefootClassifier().fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert np.allclose(weighted.coef_, by_rows.coef_, atol=1e-8)
    theirs = LogisticRegression(class_weight="balanced", tol=1e-12, max_iter=10_000).fit(X, y)
    assert np.allclose(SurefootClassifier(class_weight="balanced").fit(X, y).coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("name", [2, "2", "1-2"])
def test_bounds_and_penalty_factors_of_columns_of_a_matrix(name):
    X, y = two_classes()
    bounded = SurefootClassifier(bounds={str(name): (0, 0.5)}).fit(X, y)
    place = slice(1, 3) if name == "1-2" else 2
    assert np.all(bounded.coef_[0, place] >= 0)
    assert np.all(bounded.coef_[0, place] <= 0.5)
    free = SurefootClassifier(penalty_factor={str(name): 0.0}, l2=10.0).fit(X, y)
    held = SurefootClassifier(l2=10.0).fit(X, y)
    assert np.all(np.abs(free.coef_[0, place]) > np.abs(held.coef_[0, place]))


def test_lasso_matches_a_general_solver():
    X, y = numbers("squared")
    model = SurefootRegressor(l1=0.3).fit(X, y)

    def objective(both):
        positive, negative, intercept = both[:5], both[5:10], both[10]
        error = X @ (positive - negative) + intercept - y
        return 0.5 * np.mean(error**2) + 0.3 * np.sum(positive + negative)

    found = minimize(objective, np.zeros(11), bounds=[(0, None)] * 10 + [(None, None)], tol=1e-14)
    assert model.loss_ <= found.fun + 1e-8
    assert model.loss_ == pytest.approx(found.fun, abs=1e-5)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e150])
def test_units_of_labels_do_not_matter(scale):
    X, y = numbers("squared")
    reference = SurefootRegressor(l2=0.1).fit(X, y)
    scaled = SurefootRegressor(l2=0.1).fit(X, y * scale)
    assert np.allclose(scaled.coef_ / scale, reference.coef_, rtol=1e-6)


def test_the_penalty_is_chosen_on_request():
    X, y = two_classes(400)
    model = SurefootClassifier(l2="auto").fit(X, y)
    assert model.penalty_["l2"] > 0
    assert model.penalty_["l1"] == 0
    assert model.score(X, y) > 0.7
