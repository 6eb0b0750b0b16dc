"""What is refused: parameters, misfits, gradients; and what a part written in Python may do wrong."""

import contextlib
import copy
import math

import numpy as np
import pytest
import scipy.sparse

from surefoot import online
from surefoot.online import Ball, BoxDomain, L1Ball, Linear, Power, Simplex, Uniform, WholeSpace

BALL, CUBE, WHOLE = Ball(1.0), BoxDomain.cube(2, 1.0), WholeSpace(1.0)

BAD_NUMBERS = [0.0, -1.0, math.nan, math.inf]
PARAMETERS = [
    *[lambda x=x: Ball(x) for x in BAD_NUMBERS],
    *[lambda x=x: L1Ball(x) for x in BAD_NUMBERS],
    *[lambda x=x: WholeSpace(x) for x in BAD_NUMBERS],
    lambda: Ball(1e280),
    lambda: Ball(1.0, [1e280]),
    lambda: online.DualAdaGrad(2, 1e280),
    lambda: Ball(1.0, [0.0, math.nan]),
    lambda: Ball(1.0, [[0.0]]),
    lambda: BoxDomain([0.0], [1.0, 1.0]),
    lambda: BoxDomain([1.0], [0.0]),
    lambda: BoxDomain([0.0], [math.inf]),
    lambda: BoxDomain([-1.7e308], [1.7e308]),
    lambda: BoxDomain.cube(2, -1.0),
    lambda: BoxDomain.cube(0, 1.0),
    lambda: Simplex(0),
    lambda: Power(math.nan),
    lambda: Power(math.inf),
    lambda: online.OgdNorm(0, BALL),
    lambda: online.OgdNorm(-3, BALL),
    lambda: online.OgdNorm(2**62, BALL),
    lambda: online.OgdNorm(3, Ball(1.0, [0.0, 0.0])),
    lambda: online.AdaGrad(3, CUBE),
    lambda: online.Descent(3, Simplex(2)),
    *[lambda x=x: online.DualAdaGrad(2, x) for x in BAD_NUMBERS],
    *[lambda x=x: online.DualAdaGrad(2, 1.0, x) for x in BAD_NUMBERS[1:]],
    *[lambda x=x: online.DualAveraging(2, BALL, x) for x in BAD_NUMBERS[1:]],
    *[lambda x=x: online.CoinBetting(2, CUBE, x) for x in BAD_NUMBERS],
    *[lambda x=x: online.Hedge(2, x) for x in BAD_NUMBERS[1:]],
    *[lambda x=x: online.SignedHedge(2, x) for x in BAD_NUMBERS],
    *[lambda x=x: online.PNorm(2, x) for x in BAD_NUMBERS],
    *[lambda x=x: online.Leader(2, BALL, x) for x in BAD_NUMBERS],
    *[lambda x=x: online.OnlineNewton(2, BALL, x, 1.0) for x in BAD_NUMBERS],
    *[lambda x=x: online.OnlineNewton(2, BALL, 1.0, x) for x in BAD_NUMBERS],
    lambda: online.OnlineNewton(2**17, BALL, 1.0, 1.0),
    *[lambda x=x: online.Ridge(2, BALL, x) for x in BAD_NUMBERS],
    lambda: online.CompositeAveraging(2, l1=1.0),
    lambda: online.CompositeAveraging(2, l1=-1.0, reach=1.0),
    lambda: online.CompositeAveraging(2, l2=math.nan),
    lambda: online.Magnitude(online.FreeGrad(2, WHOLE), online.FreeGrad(2, WHOLE)),
    lambda: online.Constrained(online.FreeGrad(2, WHOLE), Simplex(3)),
    lambda: online.Anytime(online.OgdNorm(2, BALL), interpolation=1.5),
    lambda: online.Anytime(online.OgdNorm(2, BALL), interpolation=math.nan),
    lambda: online.Anytime(online.OgdNorm(2, BALL), rise=-1),
    lambda: online.Anytime(online.OgdNorm(2, BALL), gradient_bound=0.0),
    lambda: online.linear_decay(online.OgdNorm(2, BALL), Uniform(), 0),
    lambda: online.linear_decay(online.OgdNorm(2, BALL), Power(400.0), 100),
    lambda: online.Anytime(online.OgdNorm(2, BALL), lambda t: 0.0),
    lambda: online.Anytime(online.OgdNorm(2, BALL), lambda t: math.nan),
    lambda: online.StronglyConvex(2, BALL, 0.0),
    lambda: online.Accelerated(online.OgdNorm(2, BALL), diameter=-1.0),
    lambda: online.Accelerated(online.OgdNorm(2, BALL), kappa=0.0),
    lambda: online.Accelerated(online.OgdNorm(2, BALL), epsilon=math.inf),
    lambda: online.Ledger(0),
    lambda: online.Curved(2, 0.0),
    lambda: online.Cuts(3, CUBE),
    lambda: online.Composite(2, l1=-1.0),
    lambda: online.Risk(loss=0.0),
    lambda: online.Stream(BALL, 0.0),
    lambda: online.Risk().open(1.0, -1),
    lambda: online.Risk().open(-1.0),
    lambda: online.Risk().certificate("fresh", 1.0),
    lambda: online.Stream(BALL, 1.0).example(math.nan),
    lambda: online.Coupled(1).record(1.0, [1.0], [0.0]),
    lambda: online.Coupled(1).record(1.0, [1.0], [0.0], measured=1.0, slope=1.0),
    lambda: online.Coupled(1).record(1.0, [1.0, 2.0], [0.0], measured=1.0),
    lambda: Uniform()(0),
]


@pytest.mark.parametrize("make", PARAMETERS)
def test_parameters_out_of_range_are_value_errors(make):
    with pytest.raises(ValueError, match=r".+"):
        make()


MISFITS = [
    (lambda: online.OgdNorm(2, CUBE), "OgdNorm needs a Ball or WholeSpace.*AdaGrad"),
    (lambda: online.AdaGrad(2, BALL), "AdaGrad needs a BoxDomain or WholeSpace.*OgdNorm"),
    (lambda: online.Ridge(2, Simplex(2), 1.0), "Ridge needs a Ball"),
    (lambda: online.StronglyConvex(2, CUBE, 1.0), "General over Leader"),
    (lambda: online.Anytime(online.Hedge(2)), "sparse steps: AdaGrad.*DenseAnytime"),
    (lambda: online.Anytime(online.Descent(2, BALL)), "sparse steps: AdaGrad.*DenseAnytime"),
    (lambda: online.Optimistic(online.OgdNorm(2, BALL)), "takes hints: AdaHedge"),
    (lambda: online.Optimistic(online.Proximal(2, BALL), dense=False), "sparse steps"),
    (lambda: online.General(online.OgdNorm(2, BALL)), "Leader, OnlineNewton"),
    (lambda: online.CompositeAnytime(online.OgdNorm(2, BALL)), "CompositeAveraging"),
    (lambda: online.DenseAnytime(online.Leader(2, BALL, 1.0)), "General has"),
    (lambda: online.Accelerated(Fragile()), "diameter"),
    (lambda: online.DenseAnytime(3), "iterate\\(\\) and learn\\(\\)"),
    (lambda: online.DenseAnytime(online.OgdNorm), "iterate\\(\\) and learn\\(\\)"),
    (lambda: online.Descent(2, "ball"), "project"),
    (lambda: online.Anytime(online.OgdNorm(2, BALL), 3.0), "Uniform"),
    (lambda: online.Anytime(online.OgdNorm(2, BALL), Uniform), "Uniform"),
    (lambda: online.OgdNorm(2.5, BALL), "integer"),
    (lambda: online.OgdNorm(True, BALL), "integer"),
    (lambda: Ball("wide"), "number"),
]


@pytest.mark.parametrize(("make", "words"), MISFITS)
def test_parts_that_do_not_fit_are_type_errors(make, words):
    with pytest.raises(TypeError, match=words):
        make()


def methods():
    return {
        "Anytime": online.Anytime(online.OgdNorm(3, BALL), Linear(), certified=True),
        "DenseAnytime": online.DenseAnytime(online.Descent(3, BALL), Linear(), certified=True),
        "Optimistic": online.Optimistic(online.DualAveraging(3, BALL), certified=True),
        "General": online.General(online.Leader(3, BALL, 1.0), certified=True),
        "StronglyConvex": online.StronglyConvex(3, BALL, 1.0, certified=True),
        "Accelerated": online.Accelerated(online.OgdNorm(3, BALL)),
        "CompositeAnytime": online.CompositeAnytime(online.CompositeAveraging(3, l1=0.1, l2=1.0), certified=True),
    }


REFUSED = [
    ([0.0, math.nan, 1.0], 1, "coordinate 1 is NaN"),
    ([0.0, 1.0, -math.inf], 2, "coordinate 2 is -inf"),
    (([7], [1.0]), 7, "coordinate 7 is outside of the 3 coordinates"),
    (([-1], [1.0]), None, "coordinate -1 is outside of the 3 coordinates"),
    (([1, 0, 1], [1.0, 1.0, 2.0]), 1, "coordinate 1 is given twice"),
    ([0.0, 1e308, 1.0], 1, "coordinate 1 is 1e308.*(too large|overflows)"),
]


@pytest.mark.parametrize("name", methods())
@pytest.mark.parametrize(("gradient", "index", "words"), REFUSED)
def test_a_refused_gradient_changes_only_the_status(name, gradient, index, words):
    method, twin = methods()[name], methods()[name]
    good = np.array([1.0, -2.0, 0.5])
    for _ in range(2):
        method.tell(good)
        twin.tell(good)
    with pytest.raises(ValueError, match=f"gradient of step 3 refused: {words}"):
        method.tell(gradient)
    assert method.status.kind == "refused"
    assert method.status.step == 3
    assert index is None or method.status.index == index
    assert str(method.status).startswith("refused a gradient at step 3")
    with pytest.raises(ValueError, match="of step 3 refused: coordinate 0 is NaN"):
        method.tell([math.nan, 0.0, 0.0])
    for _ in range(2):
        for each in (method, twin):
            np.testing.assert_array_equal(each.query(), twin.query())
            each.tell(good)
    np.testing.assert_array_equal(method.output(), twin.output())
    assert method.steps == twin.steps == 4


def test_a_noisy_run_with_a_refusal_has_no_certificate():
    method = methods()["Anytime"]
    method.tell([1.0, 0.0, 0.0])
    assert method.certificate(gradients="fresh").kind == "expectation"
    with pytest.raises(ValueError, match="refused"):
        method.tell([math.nan, 0.0, 0.0])
    with pytest.raises(online.Uncertified, match="refused"):
        method.certificate(gradients="fresh")
    assert method.certificate().kind == "deterministic"


@pytest.mark.parametrize(
    "row",
    [
        np.ones(2),
        np.ones((2, 3)),
        np.ones((3, 1)),
        scipy.sparse.csr_matrix(np.ones((2, 3))),
        scipy.sparse.csr_matrix(np.ones((1, 4))),
        ([0, 1], [1.0]),
        np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
        ["a", "b", "c"],
    ],
)
@pytest.mark.parametrize("call", ["tell", "dot", "output_dot"])
def test_rows_of_another_shape_are_value_errors(row, call):
    method = methods()["Anytime"]
    with pytest.raises(ValueError, match=r".+"):
        getattr(method, call)(row)
    assert method.steps == 0


@pytest.mark.parametrize("row", [np.ones(3) * 1j, ([0.5], [1.0])])
def test_rows_of_another_type_are_type_errors(row):
    with pytest.raises(TypeError):
        methods()["Anytime"].tell(row)


def test_reading_outside_of_the_dimension():
    method = methods()["Anytime"]
    for call in (
        lambda: method.query_at([3]),
        lambda: method.output_at(-1),
        lambda: method.dot(([5], [1.0])),
    ):
        with pytest.raises(ValueError, match="outside of the 3 coordinates"):
            call()


def test_a_bound_on_gradients_refuses_longer_ones():
    method = online.Anytime(online.OgdNorm(2, BALL), gradient_bound=10.0)
    method.tell([6.0, 8.0])
    with pytest.raises(ValueError, match=r"step 2 refused: coordinate 0 is 1e200.*bound 1e1"):
        method.tell([1e200, 0.0])
    assert (method.steps, method.status.index) == (1, 0)


def test_a_second_hint_and_a_hint_that_none_takes():
    method = online.Anytime(online.DualAveraging(2, BALL))
    method.hint([1.0, 0.0])
    with pytest.raises(ValueError, match="has a hint"):
        method.hint([1.0, 0.0])
    method.tell([1.0, 0.0])
    assert method.regret_bound() == 0.0
    with pytest.raises(ValueError, match="hint of step 2 refused: coordinate 1 is NaN"):
        method.hint([0.0, math.nan])
    with pytest.raises(TypeError, match="takes no hints"):
        online.Anytime(online.OgdNorm(2, BALL)).hint([1.0, 0.0])
    with pytest.raises(TypeError, match="takes no hints"):
        online.OgdNorm(2, BALL).start().hint([1.0, 0.0])


def test_learners_on_their_own_refuse_too():
    learner = online.OgdNorm(2, BALL).start()
    learner.learn([1.0, 0.0])
    before = learner.iterate()
    for bad, words in (
        ([math.nan, 0.0], "is NaN"),
        (([5], [1.0]), "is outside"),
        (([0, 0], [1.0, 1.0]), "is given twice"),
    ):
        with pytest.raises(ValueError, match=f"step 2 refused: coordinate . {words}"):
            learner.learn(bad)
    with pytest.raises(ValueError, match="too large"):
        learner.learn([1.7e308, 0.0])
    with pytest.raises(ValueError, match="weight"):
        learner.learn([1.0, 0.0], weight=-1.0)
    np.testing.assert_array_equal(learner.iterate(), before)
    twin = copy.deepcopy(learner)
    twin.learn([0.0, 1.0])
    assert (learner.steps, twin.steps) == (1, 2)


def test_skipping_rounds():
    method = online.Anytime(online.OgdNorm(1, BALL))
    method.tell([1.0])
    method.skip(9, 9.0)
    assert (method.steps, method.total_weight) == (10, 10.0)
    for bad in (lambda: method.skip(-1, 1.0), lambda: method.skip(1, -1.0), lambda: method.skip(1, math.nan)):
        with pytest.raises(ValueError, match=r".+"):
            bad()
    ridge = online.Anytime(online.Ridge(1, BALL, 1.0))
    with pytest.raises(ValueError, match="penalty moves the learner"):
        ridge.skip(1, 1.0)


class Fragile:
    """A learner that breaks on demand."""

    def __init__(self):
        self.w, self.breaks = np.zeros(2), None

    def iterate(self):
        return [self.w, [0.0], [math.nan, 0.0], "no"][{"short": 1, "nan": 2, "words": 3}.get(self.breaks, 0)]

    def learn(self, gradient, weight):
        if self.breaks == "raise":
            raise KeyboardInterrupt
        if self.breaks == "own":
            raise LookupError("mine")
        self.w = self.w - weight * gradient


@pytest.mark.parametrize(
    ("breaks", "error"),
    [
        ("raise", KeyboardInterrupt),
        ("own", LookupError),
        ("short", ValueError),
        ("nan", ValueError),
        ("words", ValueError),
    ],
)
def test_an_exception_in_a_learner_is_raised_and_leaves_the_method_as_it_was(breaks, error):
    learner = Fragile()
    method = online.DenseAnytime(learner, certified=True)
    method.tell([1.0, 0.0])
    before, gap = method.query(), method.ledger.linear
    learner.breaks = breaks
    with pytest.raises(error):
        method.tell([1.0, 1.0])
    learner.breaks = None
    assert (method.steps, method.status.kind) == (1, "sound")
    np.testing.assert_array_equal(method.query(), before)
    assert method.ledger.linear == gap
    method.tell([1.0, 1.0])
    assert method.steps == 2


def test_a_learner_that_starts_wrong():
    learner = Fragile()
    learner.breaks = "nan"
    with pytest.raises(ValueError, match=r"coordinate 0 of what iterate\(\) of the learner returned is NaN"):
        online.DenseAnytime(learner)
    learner.breaks = None
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.deepcopy(online.DenseAnytime(learner))


def test_exceptions_in_domains_and_weights():
    class Wall:
        reach = 1.0
        breaks = False

        def project(self, x):
            if self.breaks:
                raise LookupError("mine")
            return x / max(1.0, np.linalg.norm(x))

        def support(self, z):
            raise ArithmeticError("no support")

    wall = Wall()
    method = online.DenseAnytime(online.Descent(2, wall), certified=True)
    method.tell([1.0, 0.0])
    before = method.query()
    wall.breaks = True
    with pytest.raises(LookupError, match="mine"):
        method.tell([1.0, 0.0])
    wall.breaks = False
    np.testing.assert_array_equal(method.query(), before)
    with pytest.raises(ArithmeticError, match="no support"):
        method.certificate()

    def weights(t):
        if t == 3:
            raise LookupError("third")
        return -1.0 if t == 4 else 1.0

    method = online.Anytime(online.OgdNorm(1, BALL), weights)
    method.tell([1.0])
    with pytest.raises(LookupError, match="third"):
        method.tell([1.0])
    assert method.steps == 1
    method = online.Anytime(online.OgdNorm(1, BALL), lambda t: -1.0 if t == 2 else 1.0)
    method.tell([1.0])
    with pytest.raises(ValueError, match="gradient of step 2 refused: the weight of the round is -1"):
        method.tell([1.0])


def test_a_domain_in_python_that_is_none():
    for domain, error in (
        (type("D", (), {"project": lambda s, x: x, "reach": -1.0})(), ValueError),
        (type("D", (), {"project": lambda s, x: x, "centre": [0.0]})(), ValueError),
        (type("D", (), {"project": lambda s, x: x, "reach": "far"})(), TypeError),
        (type("D", (), {"project": lambda s, x: x})(), ValueError),
    ):
        with pytest.raises(error):
            online.Descent(2, domain)


def test_a_part_that_calls_its_own_method_is_told_so():
    class Loop(Fragile):
        method = None

        def learn(self, gradient, weight):
            self.method.tell(gradient)

    learner = Loop()
    learner.method = online.DenseAnytime(learner)
    with pytest.raises(RuntimeError, match="borrowed"):
        learner.method.tell([1.0, 0.0])
    assert learner.method.steps == 0


LENGTHS = [1e-320, 1e-300, 1e-150, 1e-8, 1.0, 1e8, 1e150, 1e270]
EXTREMES = [*LENGTHS, 1e290, 1e308]


def extreme(rng):
    """Return a learner with parameters of any size, and the conversions to try."""
    size, far = rng.choice(LENGTHS, 2)
    other = rng.choice(EXTREMES)
    ball, cube = Ball(size, far * np.ones(3)), BoxDomain(-size * np.ones(3), far * np.ones(3) / 2)
    return [
        online.OgdNorm(3, ball),
        online.AdaGrad(3, cube),
        online.DualAdaGrad(3, size, other),
        online.DualAveraging(3, ball, other),
        online.Proximal(3, cube),
        online.Descent(3, L1Ball(size)),
        online.DiagonalProximal(3, cube),
        online.FreeGrad(3, WholeSpace(size)),
        online.FreeGrad(3, ball),
        online.DiagonalFreeGrad(3, cube),
        online.CoinBetting(3, cube, other),
        online.Hedge(3, size),
        online.AdaHedge(3),
        online.SignedHedge(3, size),
        online.PNorm(3, size),
        online.Leader(3, ball, other),
        online.OnlineNewton(3, Ball(size), other, size),
        online.Ridge(3, ball, size),
        online.CompositeAveraging(3, size, other, reach=size),
        online.Constrained(online.FreeGrad(3, WholeSpace(size)), Simplex(3)),
        online.Magnitude(online.FreeGrad(1, WholeSpace(size)), online.OgdNorm(3, Ball(1.0))),
    ]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("seed", range(40))
def test_nothing_panics_whatever_the_sizes(seed):
    rng = np.random.default_rng(seed)
    kinds = [online.Anytime, online.DenseAnytime, online.Optimistic, online.General, online.Accelerated]
    kinds += [
        online.CompositeAnytime,
        lambda x: online.Optimistic(x, dense=True, shrunk=True, certified=True),
    ]
    for learner in extreme(rng):
        for kind in kinds:
            try:
                method = kind(learner)
            except (TypeError, ValueError):
                continue
            for _ in range(8):
                gradient = rng.normal(size=3) * rng.choice([0.0, *EXTREMES], size=3)
                try:
                    method.tell(gradient)
                except ValueError as error:
                    refusal = str(error)
                    assert "refused" in refusal
                assert np.isfinite(method.query()).all()
                assert np.isfinite(method.output()).all()
            with contextlib.suppress(online.Uncertified):
                method.certificate()
