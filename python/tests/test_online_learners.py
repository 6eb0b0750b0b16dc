"""All learners, in all conversions that they fit: the optimum is reached, regret stays below its bound."""

import copy
import pickle
import time

import numpy as np
import pytest
import scipy.sparse

from surefoot import online
from surefoot.online import Ball, BoxDomain, L1Ball, Linear, Power, Simplex, Uniform, WholeSpace

DIM = 4
BALL, CUBE, WHOLE = Ball(2.0), BoxDomain.cube(DIM, 2.0), WholeSpace(1.0)
FREE = online.FreeGrad(DIM, WHOLE)

LEARNERS = {
    "OgdNorm, ball": online.OgdNorm(DIM, BALL),
    "OgdNorm, whole space": online.OgdNorm(DIM, WHOLE),
    "Descent, ball": online.Descent(DIM, BALL),
    "Descent, box": online.Descent(DIM, CUBE),
    "Descent, simplex": online.Descent(DIM, Simplex(DIM)),
    "Descent, L1 ball": online.Descent(DIM, L1Ball(2.0)),
    "AdaGrad, box": online.AdaGrad(DIM, CUBE),
    "AdaGrad, whole space": online.AdaGrad(DIM, WHOLE),
    "DualAdaGrad": online.DualAdaGrad(DIM, 1.0, 0.5),
    "DualAveraging, ball": online.DualAveraging(DIM, BALL),
    "DualAveraging, whole space": online.DualAveraging(DIM, WHOLE),
    "Proximal, ball": online.Proximal(DIM, BALL),
    "Proximal, simplex": online.Proximal(DIM, Simplex(DIM)),
    "DiagonalProximal, box": online.DiagonalProximal(DIM, CUBE),
    "FreeGrad, whole space": FREE,
    "FreeGrad, ball": online.FreeGrad(DIM, BALL),
    "DiagonalFreeGrad, whole space": online.DiagonalFreeGrad(DIM, WHOLE),
    "CoinBetting, box": online.CoinBetting(DIM, CUBE, 5.0),
    "Hedge": online.Hedge(DIM),
    "AdaHedge": online.AdaHedge(DIM),
    "SignedHedge": online.SignedHedge(DIM, 2.0),
    "PNorm": online.PNorm(DIM, 2.0),
    "Leader, ball": online.Leader(DIM, BALL, 1.0),
    "OnlineNewton, ball": online.OnlineNewton(DIM, BALL, 0.1, 1.0),
    "Ridge, ball": online.Ridge(DIM, BALL, 1e-6),
    "CompositeAveraging": online.CompositeAveraging(DIM, 1e-9, 1e-9, reach=1.0),
    "Constrained, simplex": online.Constrained(FREE, Simplex(DIM)),
    "Constrained, box": online.Constrained(online.DualAdaGrad(DIM), CUBE),
    "Magnitude": online.Magnitude(online.FreeGrad(1, WHOLE), online.DualAveraging(DIM, Ball(1.0))),
}
CONVERSIONS = {
    "Anytime": lambda learner: online.Anytime(learner, Power(0.5), certified=True),
    "DenseAnytime": lambda learner: online.DenseAnytime(learner, Power(0.5), certified=True),
    "classic": lambda learner: online.classic(learner, Uniform(), certified=True),
    "linear_decay": lambda learner: online.linear_decay(learner, Uniform(), 3000, certified=True),
    "Optimistic": lambda learner: online.Optimistic(learner, Linear(), certified=True),
    "Optimistic, dense": lambda learner: online.Optimistic(learner, Linear(), dense=True, certified=True),
    "Optimistic, shrunk": lambda learner: online.Optimistic(learner, Linear(), shrunk=True, certified=True),
    "General": lambda learner: online.General(learner, Linear(), certified=True),
    "Accelerated": lambda learner: online.Accelerated(learner),
    "CompositeAnytime": lambda learner: online.CompositeAnytime(learner, certified=True),
}
#: In the simplex, the L1 ball, the ball and the box.
TARGET = np.array([0.5, 0.25, 0.2, 0.05])
STRETCH = np.array([1.0, 2.0, 1.5, 1.0])


def pairs():
    """All learners with all conversions that they fit."""
    for name, learner in LEARNERS.items():
        for conversion, make in CONVERSIONS.items():
            try:
                make(learner)
            except TypeError:
                continue
            yield pytest.param(make, learner, id=f"{conversion}, {name}")


PAIRS = list(pairs())


def test_enough_pairs_fit():
    assert len(PAIRS) > 120


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_optimum_is_reached(make, learner):
    method = make(learner)
    for _ in range(3000):
        method.tell(STRETCH * (method.query() - TARGET))
    output = method.output()
    assert STRETCH @ (output - TARGET) ** 2 / 2 < 2e-2
    assert method.steps == 3000
    assert method.status.kind == "sound"


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_certificate_is_never_below_the_excess(make, learner):
    method = make(learner)
    for step in range(1, 200):
        method.tell(STRETCH * np.sign(method.query() - TARGET))
        if step % 20:
            continue
        try:
            certificate = method.certificate()
        except online.Uncertified:
            return
        assert certificate.kind == "deterministic"
        assert certificate.value >= STRETCH @ np.abs(method.output() - TARGET) * (1.0 - 1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_regret_is_below_its_bound(name):
    learner = LEARNERS[name].start()
    ledger, rng = online.Ledger(DIM), np.random.default_rng(3)
    for _ in range(200):
        gradient = rng.normal(size=DIM) + 0.3
        ledger.record(1.0, gradient, learner.iterate())
        learner.learn(gradient)
    bound, regret = learner.regret_bound(), ledger.regret(learner.domain)
    if bound is not None and np.isfinite(regret):
        assert regret <= bound * (1.0 + 1e-9)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_hostile_sizes_stay_finite(name, size):
    kind = online.General if name.startswith("Leader") else online.DenseAnytime
    method = kind(LEARNERS[name], Linear())
    rng = np.random.default_rng(5)
    for _ in range(50):
        gradient = size * rng.normal(size=DIM)
        method.tell(gradient)
        assert np.isfinite(method.query()).all()
        assert np.isfinite(method.output()).all()


@pytest.mark.parametrize(
    "name",
    [
        "OgdNorm, ball",
        "AdaGrad, box",
        "DualAveraging, ball",
        "Proximal, ball",
        "FreeGrad, whole space",
        "Hedge",
    ],
)
def test_scale_of_gradients_does_not_matter(name):
    methods = [online.DenseAnytime(LEARNERS[name], Linear()) for _ in range(3)]
    for _ in range(100):
        for method, scale in zip(methods, (1.0, 2.0**-480, 2.0**480), strict=True):
            method.tell(scale * STRETCH * (method.query() - TARGET))
    for method in methods[1:]:
        np.testing.assert_array_equal(method.output(), methods[0].output())


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_sparse_and_dense_rows_are_the_same(make, learner):
    rng = np.random.default_rng(7)
    methods = [make(learner) for _ in range(7)]
    for _ in range(30):
        row = rng.normal(size=DIM) * (rng.random(DIM) < 0.5)
        csr, index = scipy.sparse.csr_matrix(row[None]), np.flatnonzero(row)
        forms = [
            row,
            csr,
            scipy.sparse.csc_array(row[None]),
            scipy.sparse.coo_matrix(row[None]),
            scipy.sparse.coo_array(row),
            (index[::-1].astype(np.int32), row[index][::-1]),
            row.tolist(),
        ]
        margins = [method.dot(form) for method, form in zip(methods, forms, strict=True)]
        np.testing.assert_allclose(margins, margins[0], rtol=1e-12, atol=1e-13)
        for method, form in zip(methods, forms, strict=True):
            method.tell_scaled(form, margins[0] - 0.5)
    for method in methods[1:]:
        np.testing.assert_allclose(method.output(), methods[0].output(), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_points_agree_with_their_coordinates(make, learner):
    method = make(learner)
    assert method.dim == DIM
    for _ in range(3):
        method.tell(STRETCH * (method.query() - TARGET))
    np.testing.assert_array_equal(method.query_at([3, 1]), method.query()[[3, 1]])
    np.testing.assert_array_equal(method.output_at(2), method.output()[[2]])
    row = np.array([1.0, -2.0, 0.5, 3.0])
    assert method.output_dot(row) == pytest.approx(method.output() @ row, rel=1e-12)
    assert method.dot(([1], [2.0])) == pytest.approx(2.0 * method.query()[1], rel=1e-12)


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_copies_go_their_own_way(make, learner):
    method = make(learner)
    for _ in range(10):
        method.tell(STRETCH * (method.query() - TARGET))
    twin, before = copy.deepcopy(method), method.output()
    for _ in range(10):
        twin.tell(np.ones(DIM))
    np.testing.assert_array_equal(method.output(), before)
    assert (method.steps, twin.steps) == (10, 20)
    for _ in range(10):
        method.tell(np.ones(DIM))
    np.testing.assert_array_equal(method.output(), twin.output())


@pytest.mark.parametrize("name", LEARNERS)
def test_parts_are_values(name):
    learner = LEARNERS[name]
    assert pickle.loads(pickle.dumps(learner)) == learner
    assert copy.deepcopy(learner) == learner
    assert type(learner).__name__ in repr(learner)
    assert learner != LEARNERS["Hedge" if name != "Hedge" else "PNorm"]
    for part in (learner.domain, Linear(), Power(2.0)):
        assert pickle.loads(pickle.dumps(part)) == part


def test_a_saved_method_goes_on_as_if_nothing_had_happened():
    method = online.Anytime(online.DualAveraging(DIM, BALL), Linear(), certified=True)
    for _ in range(25):
        method.tell(STRETCH * (method.query() - TARGET))
    twin = pickle.loads(pickle.dumps(method))
    other = online.Anytime(online.DualAveraging(DIM, BALL), Linear(), certified=True)
    other.restore(method.state())
    for copied in (twin, other):
        assert copied.steps == 25
        assert copied.certificate() == method.certificate()
    for _ in range(25):
        for each in (method, twin, other):
            each.tell(STRETCH * (each.query() - TARGET))
    np.testing.assert_array_equal(method.output(), twin.output())
    np.testing.assert_array_equal(method.output(), other.output())


def test_what_cannot_be_saved_says_so():
    with pytest.raises(TypeError, match=r"only Anytime over DualAveraging can; copy\.deepcopy"):
        pickle.dumps(online.Anytime(online.OgdNorm(DIM, BALL)))
    method = online.Anytime(online.DualAveraging(DIM, BALL))
    state = method.state()
    with pytest.raises(ValueError, match="other parts"):
        method.restore({name: values for name, values in state.items() if name != "numbers"})
    with pytest.raises(ValueError, match="other parts"):
        online.Anytime(online.DualAveraging(DIM + 1, BALL)).restore(state)
    method.hint(np.ones(DIM))
    with pytest.raises(ValueError, match="has a hint"):
        method.state()


@pytest.mark.parametrize(
    "make",
    [
        lambda dim: online.Anytime(online.DualAveraging(dim, BALL), Linear(), certified=True),
        lambda dim: online.Optimistic(online.DualAveraging(dim, BALL), shrunk=True, certified=True),
        lambda dim: online.StronglyConvex(dim, BALL, 1.0, Power(0.1)),
        lambda dim: online.Accelerated(online.OgdNorm(dim, BALL)),
    ],
)
def test_a_sparse_step_costs_its_nonzeros(make):
    dim, rng = 4_000_000, np.random.default_rng(1)
    method = make(dim)
    rows = rng.integers(0, dim, size=(2000, 2))
    start = time.perf_counter()
    for pair in rows:
        row = (np.unique(pair), np.ones(np.unique(pair).size))
        method.tell_scaled(row, method.dot(row) - 1.0)
        method.output_at(pair)
    assert time.perf_counter() - start < 5.0  # a copy of all coordinates in each step takes more than ten times that
