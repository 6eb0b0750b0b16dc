"""Certificates kept by hand are those of the methods, and say what they rest on."""

import pickle

import numpy as np
import pytest

from surefoot import online
from surefoot.online import Ball, Linear, Uncertified, WholeSpace


def run(rounds=50):
    """A run over a ball, with its sums kept by hand."""
    method = online.Anytime(online.OgdNorm(2, Ball(1.0)), Linear(), certified=True)
    ledger, cuts = online.Ledger(2), online.Cuts(2, Ball(1.0))
    for _ in range(rounds):
        x = method.query()
        gradient, value = 2.0 * (x - [0.5, 0.0]), float((x - [0.5, 0.0]) @ (x - [0.5, 0.0]))
        ledger.record(method.next_weight, gradient, method.iterate())
        cuts.record(method.next_weight, value, gradient, x)
        method.tell(gradient)
    return method, ledger, cuts


def test_ledger_is_that_of_the_method():
    method, ledger, _ = run()
    assert ledger.linear == method.ledger.linear
    np.testing.assert_array_equal(ledger.gradients, method.ledger.gradients)
    ours = ledger.certificate(method.total_weight, Ball(1.0), method.output())
    assert ours == method.certificate()
    assert ledger.regret(WholeSpace(1.0)) == np.inf
    assert ledger.regret(Ball(1.0)) <= method.regret_bound()


def test_cuts_bound_the_minimum_from_below():
    method, _, cuts = run()
    assert cuts.floor == -np.inf
    assert cuts.tighten() <= 0.0
    value = float(np.sum((method.output() - [0.5, 0.0]) ** 2))
    certificate = cuts.certificate(value)
    assert value <= certificate.value <= method.certificate().value * (1 + 1e-9)
    with pytest.raises(Uncertified, match="no round"):
        online.Cuts(1, Ball(1.0)).certificate(1.0)


def test_curved_needs_no_domain():
    method, sums = online.StronglyConvex(1, WholeSpace(1.0), 1.0), online.Curved(1, 1.0)
    for _ in range(100):
        gradient = method.query() - 3.0
        sums.record(method.next_weight, gradient, method.query())
        method.tell(gradient)
    certificate = sums.certificate()
    assert (method.output()[0] - 3.0) ** 2 / 2 <= certificate.value < 1e-2
    assert certificate.subject == "the excess over the best point of the whole space"
    assert method.promised > 0.0


def test_what_a_certificate_says():
    certificate = run()[0].certificate()
    assert certificate.assumptions == (
        "the loss is convex",
        "every gradient is an exact subgradient at its query point",
    )
    assert str(certificate).startswith("the excess over the best point of the domain is at most")
    assert (certificate.kind, certificate.delta) == ("deterministic", None)
    assert certificate.relative(2.0) == certificate.value / 2.0
    everywhere = certificate.everywhere()
    assert everywhere.subject == "the excess over the best point of the whole space"
    assert "a minimiser over the whole space lies in the domain" in everywhere.assumptions
    for each in (certificate, everywhere):
        assert pickle.loads(pickle.dumps(each)) == each


def test_noise_makes_it_one_in_expectation():
    method = run()[0]
    assert method.certificate(gradients="fresh").kind == "expectation"
    assert (
        "rows are drawn with replacement; the loss is the mean over them"
        in method.certificate(gradients="drawn").assumptions
    )
    with pytest.raises(ValueError, match='not "rough"'):
        method.certificate(gradients="rough")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: online.Anytime(online.OgdNorm(1, Ball(1.0))), "sums for a certificate were not kept"),
        (lambda: online.Anytime(online.OgdNorm(1, WholeSpace(1.0)), certified=True), "bounds the minimiser"),
        (lambda: online.Anytime(online.Ridge(1, Ball(1.0), 1.0), certified=True), "counts a penalty"),
        (lambda: online.Accelerated(online.OgdNorm(1, Ball(1.0))), "nothing is known about the steps"),
    ],
)
def test_reasons_why_there_is_none(make, reason):
    method = make()
    method.tell([1.0])
    with pytest.raises(Uncertified, match=reason) as error:
        method.certificate()
    twin = pickle.loads(pickle.dumps(error.value))
    assert (twin.reason, twin.remedy, str(twin)) == (error.value.reason, error.value.remedy, str(error.value))


def test_reused_rows_and_empty_runs_have_none():
    method = online.Anytime(online.OgdNorm(1, Ball(1.0)), certified=True)
    with pytest.raises(Uncertified, match="no round"):
        method.certificate()
    method.tell([1.0])
    with pytest.raises(Uncertified, match="more than once"):
        method.certificate(gradients="reused")


def test_a_learner_that_leaves_its_domain_has_none():
    class Runaway:
        domain = Ball(1.0)

        def __init__(self):
            self.w = np.zeros(1)

        def iterate(self):
            return self.w

        def learn(self, gradient, weight):
            self.w = self.w - 10.0 * gradient

    method = online.DenseAnytime(Runaway(), certified=True)
    for _ in range(3):
        method.tell([1.0])
    with pytest.raises(Uncertified, match="outside of the domain"):
        method.certificate()


@pytest.mark.parametrize(
    "record",
    [
        lambda: online.Ledger(2).record(-1.0, [1.0, 1.0], [0.0, 0.0]),
        lambda: online.Ledger(2).record(1.0, ([5], [1.0]), [0.0, 0.0]),
        lambda: online.Ledger(2).record(1.0, [1.0, np.nan], [0.0, 0.0]),
        lambda: online.Ledger(2).record(1.0, [1.0, 1.0], [0.0]),
        lambda: online.Cuts(2, Ball(1.0)).record(1.0, np.nan, [1.0, 1.0], [0.0, 0.0]),
        lambda: online.Cuts(2, Ball(1.0)).record(1.0, np.inf, [1.0, 1.0], [0.0, 0.0]),
        lambda: online.Curved(2, 1.0).record(1.0, [1.0], [0.0, 0.0]),
        lambda: online.Certificate(1.0, "likely", None, "the expected loss", []),
        lambda: online.Certificate(1.0, "deterministic", None, "something", []),
        lambda: online.Certificate(1.0, "deterministic", None, "the expected loss", ["all is well"]),
    ],
)
def test_what_sums_refuse(record):
    with pytest.raises(ValueError, match=r".+"):
        record()


def test_composite_certifies_loss_and_penalty():
    learner = online.CompositeAveraging(2, l1=0.5, l2=1.0)
    method, sums = online.CompositeAnytime(learner, certified=True), online.Composite(2, l1=0.5, l2=1.0)
    target = np.array([2.5, 0.25])
    for _ in range(200):
        gradient = method.query() - target
        sums.record(method.next_weight, gradient, method.iterate())
        method.tell(gradient)
    certificate = sums.certificate(method.total_weight)

    def objective(x):
        return np.sum((x - target) ** 2) / 2 + sums.penalty(x)

    assert certificate.value == pytest.approx(method.certificate(WholeSpace(1.0)).value, rel=1e-6)
    assert 0.0 <= objective(method.output()) - objective(np.array([1.0, 0.0])) <= certificate.value < 0.05


@pytest.mark.parametrize("kind", ["measured", "slope", "smooth"])
def test_coupled_certifies_the_accelerated_method(kind):
    method, sums, ball = online.Accelerated(online.OgdNorm(1, Ball(2.0))), online.Coupled(1), Ball(2.0)
    for _ in range(300):
        x, w, weight = method.query(), method.iterate(), method.next_weight
        gradient = x - 1.0
        method.tell(gradient)
        y = method.output()
        rise = {
            "measured": ((y - 1.0) ** 2 - (x - 1.0) ** 2)[0] / 2.0,
            "slope": (y - 1.0) @ (y - x),
            "smooth": (method.rate, np.linalg.norm(gradient), 1.0),
        }
        sums.record(weight, gradient, w, **{kind: rise[kind]})
    certificate = sums.certificate(ball)
    assert (method.output()[0] - 1.0) ** 2 / 2.0 <= certificate.value < 0.01
    assert method.growth > 0.0


def test_stream_and_risk_say_why_they_give_nothing():
    stream, method = (
        online.Stream(Ball(1.0), 1.0),
        online.Anytime(online.OgdNorm(1, Ball(1.0)), certified=True),
    )
    stream.open(1.0, distance=0.0)
    stream.example(2.0)
    method.tell([1.0])
    with pytest.raises(Uncertified, match="above its declared bound"):
        stream.certificate(method.certificate(gradients="fresh"), 1.0, 0.05)
    risk = online.Risk()
    risk.open(1.0)
    with pytest.raises(Uncertified, match="announced"):
        risk.expectation("fresh")
    risk.example(0.5)
    assert risk.expectation("fresh").subject == "the expected loss"
    with pytest.raises(Uncertified, match="bound on the gradients"):
        risk.certificate("fresh", 0.05)
