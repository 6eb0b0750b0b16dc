"""`minimize`: the optimum is reached, the certificate holds, and what cannot be done is said."""

import inspect
import itertools
import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from surefoot import online
from surefoot._minimize import minimize
from surefoot.online import Ball, BoxDomain, L1Ball, Simplex
from surefoot.online._choice import METHODS

TARGET = np.array([0.5, 0.3, 0.2])
SHAPES = {
    "square": (lambda x: float((x - TARGET) @ (x - TARGET)), lambda x: 2.0 * (x - TARGET)),
    "steep": (
        lambda x: float(np.array([1.0, 5.0, 25.0]) @ (x - TARGET) ** 2),
        lambda x: 2.0 * np.array([1.0, 5.0, 25.0]) * (x - TARGET),
    ),
    "absolute": (lambda x: float(np.abs(x - TARGET).sum()), lambda x: np.sign(x - TARGET)),
    "logistic": (
        lambda x: float(np.logaddexp(0.0, x - TARGET).sum() + np.logaddexp(0.0, TARGET - x).sum()),
        lambda x: np.tanh((x - TARGET) / 2.0),
    ),
}
PLACES = {
    "radius": {"radius": 2.0},
    "bounds": {"bounds": [(-1.0, 1.5)] * 3},
    "SciPy's bounds": {"bounds": scipy.optimize.Bounds([-1.0] * 3, [1.5] * 3)},
    "ball elsewhere": {"domain": Ball(1.0, [0.1, 0.1, 0.1])},
    "simplex": {"domain": Simplex(3)},
    "L1 ball": {"domain": L1Ball(2.0)},
    "nothing": {},
}
START = np.array([0.2, 0.2, 0.6])


def least(value):
    return value(TARGET)


def combinations():
    """All methods with the functions and the domains that they are for."""
    for method, shape, place in itertools.product(METHODS, SHAPES, PLACES):
        curved = shape in ("square", "steep")
        free = place != "nothing" or method not in ("optimistic", "accelerated")
        if free and (curved or method != "strongly_convex"):
            yield method, shape, place


@pytest.mark.parametrize("values", [True, False])
@pytest.mark.parametrize(("method", "shape", "place"), list(combinations()))
def test_the_minimum_is_found_and_certified(method, shape, place, values):
    value, gradient = SHAPES[shape]
    options = dict(PLACES[place])
    if method == "strongly_convex":
        options["curvature"] = 2.0
    oracle = (lambda x: (value(x), gradient(x))) if values else gradient
    result = minimize(oracle, START, method=method, max_steps=1500, **options)
    gap = value(result.x) - least(value)
    assert gap < 0.05 * max(1.0, value(START) - least(value))
    assert result.nit <= 1500
    assert result.success
    if values:
        assert result.fun == pytest.approx(value(result.x), rel=1e-9, abs=1e-12)
    if result.certificate is not None:
        assert gap <= result.certificate.value * (1.0 + 1e-12)
    else:
        assert "no bound" in result.message
    assert (result.certificate is not None) or place == "nothing" or (method == "accelerated" and not values)


@pytest.mark.parametrize("place", [place for place in PLACES if place != "nothing"])
def test_it_stops_at_the_tolerance(place):
    value, gradient = SHAPES["steep"]
    result = minimize(lambda x: (value(x), gradient(x)), START, tol=1e-3, max_steps=20000, **PLACES[place])
    assert (result.success, result.status) == (True, 0)
    assert value(result.x) <= result.certificate.value <= 1e-3
    assert result.nit < 3000
    assert result.nfev == result.nit


def test_a_tolerance_that_is_not_reached():
    result = minimize(SHAPES["absolute"][1], START, radius=2.0, tol=1e-9, max_steps=50)
    assert (result.success, result.status, result.nit) == (False, 1, 50)
    assert result.certificate.value > 1e-9
    assert result.fun is None


def test_without_a_bound_the_message_says_so():
    result = minimize(SHAPES["absolute"][1], START, tol=1e-3, max_steps=50)
    assert not result.success
    assert result.certificate is None
    assert "no bound: neither domain nor penalty bounds the minimiser; give a radius" in result.message


def test_the_best_point_is_returned_if_values_are_exact():
    seen = []

    def oracle(x):
        seen.append(float(np.abs(x - 0.3).sum()))
        return seen[-1], np.sign(x - 0.3)

    result = minimize(oracle, [0.0], radius=1.0, max_steps=37)
    assert result.fun == min(seen)
    assert np.abs(result.x - 0.3).sum() == result.fun
    np.testing.assert_array_equal(result.jac, np.sign(result.x - 0.3))


def test_a_gradient_of_zero_ends_the_run():
    result = minimize(lambda x: 0.0 * x, [1.0, 2.0])
    assert (result.nit, result.success, result.message) == (1, True, "the gradient is zero")
    assert result.certificate.value == 0.0
    np.testing.assert_array_equal(result.x, [1.0, 2.0])


def test_noisy_gradients_have_a_bound_in_expectation():
    def oracle(x, rng):
        return 2.0 * (x - TARGET) + rng.normal(size=3)

    first, second = (minimize(oracle, START, radius=2.0, gradients="fresh", seed=3, max_steps=500) for _ in range(2))
    np.testing.assert_array_equal(first.x, second.x)
    assert first.certificate.kind == "expectation"
    assert SHAPES["square"][0](first.x) < first.certificate.value
    assert minimize(oracle, START, radius=2.0, gradients="reused", seed=3, max_steps=5).certificate is None


def rare(x, rng):
    """Return a gradient of (x - 1)**2 that is 0 in nine of ten cases, and ten times as large in the tenth."""
    return 20.0 * (x - 1.0) if rng.random() < 0.1 else 0.0 * x


@pytest.mark.parametrize("method", ["anytime", "optimistic", "strongly_convex"])
def test_the_bound_in_expectation_holds_on_average(method):
    options = {"curvature": 2.0} if method == "strongly_convex" else {}
    for steps in (3, 30, 300):
        runs = [
            minimize(rare, [0.0], radius=3.0, gradients="fresh", method=method, max_steps=steps, seed=seed, **options)
            for seed in range(150)
        ]
        excess = [(run.x[0] - 1.0) ** 2 for run in runs]
        assert {run.certificate.kind for run in runs} == {"expectation"}
        noise = 3.0 * np.std(excess) / np.sqrt(len(runs))
        assert np.mean(excess) <= np.mean([run.certificate.value for run in runs]) + noise


@pytest.mark.parametrize("gradients", ["fresh", "drawn", "reused"])
def test_a_run_with_noisy_gradients_does_not_stop_by_a_bound_in_expectation(gradients):
    words = "rows used before" if gradients == "reused" else "give gradient_bound, or max_steps alone"
    with pytest.raises(ValueError, match=words):
        minimize(rare, [0.0], radius=3.0, gradients=gradients, tol=1e-3, seed=0)

    def still(state):
        """Stop where nothing has moved yet, so that the bound is 0."""
        return state.nit == 5 and not state.x.any()

    ends = []
    for seed in range(20):
        run = minimize(rare, [0.0], radius=3.0, gradients=gradients, max_steps=20, seed=seed, callback=still)
        ends.append(run.status)
        assert (run.certificate is None) == (run.status == 3 or gradients == "reused")
        assert run.status == 1 or gradients == "reused" or "after a number of steps fixed beforehand" in run.message
    assert {1, 3} <= set(ends)


@pytest.mark.parametrize("method", ["anytime", "optimistic", "strongly_convex"])
@pytest.mark.parametrize("gradients", ["fresh", "drawn"])
def test_a_gradient_that_is_refused_ends_what_holds_in_expectation(method, gradients):
    options = {"curvature": 2.0} if method == "strongly_convex" else {}

    def oracle(x, rng):
        return rare(x, rng) if rng.random() < 0.9 else np.array([np.nan])

    result = minimize(oracle, [0.0], radius=3.0, gradients=gradients, method=method, seed=0, **options)
    assert (result.status, result.certificate) == (2, None)


def test_noisy_gradients_with_a_bound_stop_by_what_holds_at_all_steps():
    def oracle(x, rng):
        return np.sign(x - (rng.random() < 0.8))

    def excess(run):
        return 0.8 * (1.0 - run.x[0]) + 0.2 * run.x[0] - 0.2

    options = {"radius": 1.0, "gradients": "fresh", "gradient_bound": 1.0, "delta": 0.1}
    runs = [minimize(oracle, [0.0], tol=0.3, max_steps=20000, seed=seed, **options) for seed in range(40)]
    assert all(run.success and run.status == 0 and run.nit < 20000 for run in runs)
    assert {(run.certificate.kind, run.certificate.delta) for run in runs} == {("probability", 0.1)}
    assert runs[0].message == "the excess is at most 0.3 with probability 0.9"
    assert all(excess(run) <= run.certificate.value <= 0.3 for run in runs)
    stopped = minimize(oracle, [0.0], seed=0, callback=lambda state: state.nit == 50, **options)
    assert (stopped.status, stopped.certificate.kind) == (3, "probability")

    broken = minimize(oracle, [0.0], tol=0.3, max_steps=50, seed=0, **{**options, "gradient_bound": 0.5})
    assert (broken.success, broken.certificate) == (False, None)
    assert "no bound: " in broken.message


def test_domains_of_any_kind_take_a_bound_of_noisy_gradients():
    class Disc:
        reach = 1.0

        def project(self, x):
            return x / max(1.0, np.linalg.norm(x))

    def oracle(x, rng):
        return np.sign(x - TARGET - rng.normal(size=3))

    for place in (*[PLACES[name] for name in PLACES if name != "nothing"], {"domain": Disc()}):
        for method in ("anytime", "optimistic", "classic"):
            result = minimize(
                oracle, START, method=method, gradients="fresh", gradient_bound=2.0, max_steps=300, seed=0, **place
            )
            assert result.certificate.kind == "probability"
            mean = result.method.certificate(gradients="fresh")
            assert mean.value < result.certificate.value < np.inf


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_nothing_is_certified_by_a_value_that_is_not_finite(value, slope):
    result = minimize(lambda x: (value, np.full(3, slope)), START, radius=2.0, max_steps=20, tol=1e-3)
    assert (result.success, result.certificate, result.nit) == (False, None, 20)
    assert f"the value of step 1 is {value}" in result.message


def test_gradients_may_be_sparse_or_scalar_or_tuples():
    dense = minimize(lambda x: 2.0 * (x - TARGET), START, radius=2.0, max_steps=40)
    for form in (
        lambda g: scipy.sparse.csr_matrix(g[None]),
        lambda g: (np.arange(3), g),
        lambda g: list(g),
        lambda g: tuple(g),
    ):
        result = minimize(lambda x, form=form: form(2.0 * (x - TARGET)), START, radius=2.0, max_steps=40)
        np.testing.assert_allclose(result.x, dense.x, rtol=1e-12)
    for oracle in (lambda x: 2.0 * (x[0] - 0.5), lambda x: ((x[0] - 0.5) ** 2, 2.0 * (x[0] - 0.5))):
        assert minimize(oracle, 0.0, radius=2.0).x[0] == pytest.approx(0.5, abs=1e-3)
    both = minimize(lambda x: (2.0 * (x[0] - 0.5), 2.0 * (x[1] - 0.5)), [0.0, 0.0], radius=2.0)
    np.testing.assert_allclose(both.x, 0.5, atol=1e-3)


def test_further_arguments_reach_the_oracle():
    result = minimize(lambda x, centre, scale: scale * (x - centre), START, args=(TARGET, 2.0), radius=2.0)
    np.testing.assert_allclose(result.x, TARGET, atol=1e-3)


def test_a_learner_of_the_callers():
    class Steps:
        domain = Ball(2.0)

        def __init__(self):
            self.w = np.zeros(3)

        def iterate(self):
            return self.w

        def learn(self, gradient, weight):
            w = self.w - 0.1 * gradient
            self.w = w / max(1.0, np.linalg.norm(w) / 2.0)

    for learner in (Steps(), online.OgdNorm(3, Ball(2.0)), online.AdaGrad(3, BoxDomain.cube(3, 1.0))):
        result = minimize(SHAPES["square"][1], START, learner=learner, max_steps=500)
        np.testing.assert_allclose(result.x, TARGET, atol=0.05)
        assert result.certificate.value < 0.1


def test_a_refused_gradient_ends_the_run_with_what_is_known():
    calls = []

    def oracle(x):
        calls.append(x)
        return 2.0 * (x - TARGET) if len(calls) < 20 else np.array([0.0, np.nan, 0.0])

    result = minimize(oracle, START, radius=2.0)
    assert (result.success, result.status, result.nit, result.nfev) == (False, 2, 19, 20)
    assert "gradient of step 20 refused: coordinate 1 is NaN" in result.message
    assert np.isfinite(result.x).all()
    assert result.certificate is not None


def test_the_callback_sees_each_step_and_may_stop():
    seen = []

    def callback(state):
        seen.append((state.nit, state.x.copy()))
        return state.nit == 7

    result = minimize(SHAPES["square"][1], START, radius=2.0, callback=callback)
    assert [nit for nit, _ in seen] == list(range(1, 8))
    assert (result.status, result.nit, result.success) == (3, 7, False)

    def stop(state):
        raise StopIteration

    assert minimize(SHAPES["square"][1], START, radius=2.0, callback=stop).nit == 1


@pytest.mark.parametrize(
    ("oracle", "named"),
    [
        (lambda x: (float((x - 1) @ (x - 1)), 2 * (x - 1)), {"method": "strongly_convex", "curvature": 50.0}),
        (lambda x: (float(x @ x), -2 * x), {}),
    ],
)
def test_what_contradicts_itself_is_no_success(oracle, named):
    result = minimize(oracle, [0.5, 0.5], radius=3.0, tol=1e-9, max_steps=300, **named)
    assert result.certificate is None or result.certificate.value >= 0.0
    assert not (result.success and result.certificate is None)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_exceptions_pass_through(error):
    def fail(*_):
        raise error

    with pytest.raises(error):
        minimize(SHAPES["square"][1], START, radius=2.0, callback=fail)
    with pytest.raises(error):
        minimize(fail, START, radius=2.0)


def test_the_oracle_cannot_move_the_point():
    def oracle(x):
        x += 1.0
        return x

    with pytest.raises(ValueError, match="read-only"):
        minimize(oracle, START, radius=2.0)


@pytest.mark.parametrize("size", [1e-150, 1e-8, 1e8, 1e150])
def test_the_unit_of_the_function_does_not_matter(size):
    value, gradient = SHAPES["square"]
    plain = minimize(lambda x: (value(x), gradient(x)), START, radius=2.0, max_steps=60)
    scaled = minimize(lambda x: (size * value(x), size * gradient(x)), START, radius=2.0, max_steps=60)
    np.testing.assert_allclose(scaled.x, plain.x, rtol=1e-6, atol=1e-9)


WRONG = [
    ({"method": "newton"}, "no method"),
    ({"radius": -1.0}, "radius"),
    ({"radius": np.nan}, "radius"),
    ({"radius": 1.0, "bounds": [(0, 1)] * 3}, "radius and bounds, not both"),
    ({"radius": 1.0, "learner": online.OgdNorm(3, Ball(1.0))}, "radius and learner, not both"),
    ({"learner": online.OgdNorm(2, Ball(1.0))}, "2 coordinates for 3"),
    ({"bounds": [(0, 1)] * 2}, "3 pairs"),
    ({"bounds": [(0, None)] * 3}, "finite"),
    ({"bounds": [(1, 0)] * 3}, "empty"),
    ({"bounds": [(2, 3)] * 3}, "x0 does not lie in the domain"),
    ({"domain": Ball(0.1)}, "x0 does not lie in the domain"),
    ({"method": "optimistic"}, "needs a domain"),
    ({"method": "accelerated"}, "needs a domain"),
    ({"method": "strongly_convex"}, "needs curvature"),
    ({"method": "strongly_convex", "curvature": 0.0}, "curvature"),
    ({"curvature": 1.0}, "strongly_convex"),
    ({"max_steps": 0}, "max_steps"),
    ({"tol": -1.0}, "tol"),
    ({"gradients": "rough"}, "not 'rough'"),
    ({"gradients": "fresh", "radius": 1.0, "tol": 1e-3}, "tol needs gradient_bound"),
    ({"gradient_bound": 1.0}, "gradient_bound is for"),
    ({"gradients": "reused", "gradient_bound": 1.0}, "gradient_bound is for"),
    ({"gradients": "fresh", "radius": 1.0, "gradient_bound": -1.0}, "gradient_bound"),
    ({"gradients": "fresh", "radius": 1.0, "gradient_bound": 1.0, "delta": 1.0}, "delta"),
]


@pytest.mark.parametrize(("options", "words"), WRONG)
def test_arguments_that_contradict_each_other(options, words):
    with pytest.raises(ValueError, match=words):
        minimize(SHAPES["square"][1], START, **options)
    with pytest.raises(ValueError, match="coordinate 0 of x0 is nan"):
        minimize(SHAPES["square"][1], [np.nan])


def test_the_result_is_like_that_of_scipy():
    result = minimize(SHAPES["square"][1], START, radius=2.0, max_steps=5)
    assert result["x"] is result.x
    assert {"x", "fun", "jac", "nit", "nfev", "success", "status", "message"} <= set(result.keys())
    assert dict(result)["nit"] == 5
    with pytest.raises(KeyError):
        result["y"]
    assert result.method.steps == 5
    result.method.tell(np.ones(3))
    assert pickle.loads(pickle.dumps(result.certificate)) == result.certificate


def test_there_is_no_learning_rate():
    names = inspect.signature(minimize).parameters
    assert not {"lr", "learning_rate", "step_size", "eta"} & set(names)


def test_a_domain_in_python():
    class Disc:
        reach = 1.0

        def project(self, x):
            return x / max(1.0, np.linalg.norm(x))

    value, gradient = SHAPES["square"]
    for method in METHODS[:-1]:
        result = minimize(lambda x: (value(x), gradient(x)), START, domain=Disc(), method=method, max_steps=500)
        assert value(result.x) <= result.certificate.value < 0.1


def test_the_accelerated_method_stays_in_the_domain_if_values_are_known():
    ball, start = Ball(0.3), [0.0, 0.0]
    result = minimize(
        lambda x: (float((x - 1.0) @ (x - 1.0)), 2.0 * (x - 1.0)), start, domain=ball, method="accelerated"
    )
    assert ball.contains(result.x)
    # Points of the domain are so up to rounding.
    assert -1e-6 <= result.fun - (np.sqrt(2.0) - 0.3) ** 2 <= result.certificate.value + 1e-6

    def flat_outside(x):
        return (0.0, np.zeros(2)) if x[0] > 0.3 else (1.0, -np.ones(2))

    assert ball.contains(minimize(flat_outside, start, domain=ball, method="accelerated", max_steps=50).x)
