"""Troubles that users of optimisers have had elsewhere, and what happens here."""

import math

import numpy as np
import pytest

from surefoot import online
from surefoot._minimize import minimize
from surefoot.online import BoxDomain, DiagonalProximal, FreeGrad, Power, Uniform, WholeSpace

# A gradient that is not finite, or far too large, was folded into a shared norm: nothing could mend it.
BAD = {500: (math.nan, 1.0), 600: (math.inf, 0.0), 700: (1e200, 0.0), 800: (1e-320, 1e-320)}


def spoilt(t, x):
    """Gradient of (x1 - 1)^2 + (x2 + 1)^2, spoilt at four steps."""
    return BAD.get(t, (2.0 * (x[0] - 1.0), 2.0 * (x[1] + 1.0)))


def spoilt_run(feed, **options):
    """Run 2000 steps; return the method, and the words with which gradients were refused."""
    method = online.Anytime(DiagonalProximal(2, BoxDomain.cube(2, 5.0)), Power(2.0), **options)
    refused = {}
    for t in range(1, 2001):
        gradient = spoilt(t, method.query())
        if not feed and t in (500, 600):
            continue
        before = method.query()
        try:
            method.tell(gradient)
        except ValueError as error:
            refused[t] = str(error)
            np.testing.assert_array_equal(method.query(), before)
    return method, refused


def test_nan_gradient_is_refused():
    fed, refused = spoilt_run(feed=True, gradient_bound=1e6)
    left_out, others = spoilt_run(feed=False, gradient_bound=1e6)
    assert sorted(refused) == [500, 600, 700]
    assert sorted(others) == [700]
    assert "coordinate 0 is NaN" in refused[500]
    assert "coordinate 0 is inf" in refused[600]
    assert "coordinate 0 is 1e200, and the gradient is longer than its bound 1e6" in refused[700]
    np.testing.assert_array_equal(fed.output(), left_out.output())
    np.testing.assert_array_equal(fed.query(), left_out.query())
    assert (fed.output()[0] - 1.0) ** 2 + (fed.output()[1] + 1.0) ** 2 < 0.01


def test_without_a_bound_a_huge_gradient_leaves_all_numbers_finite():
    method, refused = spoilt_run(feed=True)
    assert sorted(refused) == [500, 600]
    assert np.isfinite(method.query()).all()
    assert np.isfinite(method.output()).all()


# Parameters without a gradient in a step got those of others, or one scale served two groups.
def grads(t, a, b):
    """Return the gradients of two groups; None where a group has none in this step."""
    ga = None if t % 5 == 0 else [1e6 * (u - v) for u, v in zip(a, (1.0, 2.0), strict=True)]
    gb = None if t % 3 == 0 else [1e-6 * (u - v) for u, v in zip(b, (1000.0, 2000.0, 3000.0), strict=True)]
    return ga, gb


UPPER = {"a": [4.0] * 2, "b": [5000.0] * 3}


def group(names):
    """Return a method over the boxes of some groups, one after the other."""
    upper = np.concatenate([UPPER[name] for name in names])
    return online.Anytime(DiagonalProximal(upper.size, BoxDomain(-upper, upper)))


def groups_run(names, rounds=5000, frozen=()):
    """Run groups in one method; what has no gradient is left out of a sparse one."""
    method = group(names)
    places, start = {}, 0
    for name in names:
        places[name] = np.arange(start, start := start + len(UPPER[name]))
    for t in range(1, rounds + 1):
        found = dict(zip("ab", grads(t, *(_part(method, places, name) for name in "ab")), strict=True))
        told = [name for name in names if found[name] is not None and name not in frozen]
        indices = np.concatenate([np.empty(0, dtype=int), *(places[name] for name in told)])
        method.tell((indices, np.concatenate([np.empty(0), *(found[name] for name in told)])))
    return {name: method.output()[places[name]] for name in names}


def _part(method, places, name):
    return method.query()[places[name]] if name in places else np.zeros(len(UPPER[name]))


def test_groups_together_and_alone_are_the_same():
    together, swapped = groups_run("ab"), groups_run("ba")
    for name in "ab":
        alone = groups_run(name)[name]
        np.testing.assert_array_equal(together[name], alone)
        np.testing.assert_array_equal(swapped[name], alone)
    np.testing.assert_allclose(together["a"], (1.0, 2.0), rtol=0.01)
    np.testing.assert_allclose(together["b"], (1000.0, 2000.0, 3000.0), rtol=0.05)


def test_a_frozen_group_stays_bit_for_bit():
    assert not groups_run("ab", 500, frozen="b")["b"].any()
    np.testing.assert_array_equal(groups_run("ab", 500, frozen="b")["a"], groups_run("a", 500)["a"])


# The distance to the optimum is not known.
DISTANCES = (1e-6, 1e-3, 1.0, 1e3, 1e6)
FIRST = 1e-3


def unknown(gradient):
    """Run the default of `minimize` for 20000 steps; return three outputs, and the farthest point."""
    outputs, far = [], 0.0

    def callback(state):
        nonlocal far
        far = max(far, abs(state.method.query()[0]), abs(state.method.iterate()[0]))
        if state.nit in (100, 1000, 20000):
            outputs.append(state.method.output()[0])

    minimize(gradient, [0.0], max_steps=20000, gradients="reused", callback=callback)
    return outputs, far


@pytest.mark.parametrize("distance", DISTANCES)
def test_unknown_distance_of_an_absolute_value(distance):
    outputs, far = unknown(lambda x: np.where(x > distance, 1.0, np.where(x < distance, -1.0, 0.0)))
    gaps = [abs(x - distance) for x in outputs]
    assert gaps[2] <= 0.02 * max(distance, FIRST)
    assert gaps[0] >= gaps[1] >= gaps[2]
    assert far <= 100.0 * max(distance, FIRST)


@pytest.mark.parametrize("distance", DISTANCES)
def test_unknown_distance_and_scale_of_a_square(distance):
    runs = [unknown(lambda x, scale=scale: scale * (x - distance)) for scale in (1e-8, 1.0, 1e8)]
    for outputs, far in runs:
        gaps = [(x - distance) ** 2 / 2.0 for x in outputs]
        assert gaps[2] <= 0.001 * max(distance, FIRST) ** 2 / 2.0
        assert gaps[0] >= gaps[1] >= gaps[2]
        assert far <= 100.0 * max(distance, FIRST)
        np.testing.assert_allclose(outputs, runs[1][0], rtol=1e-6)


def test_free_grad_takes_any_first_guess():
    for guess in (1e-6, 1.0, 1e6):
        method = online.Anytime(FreeGrad(1, WholeSpace(guess)), Uniform())
        for _ in range(5000):
            method.tell(np.sign(method.query() - 40.0))
        assert abs(method.output()[0] - 40.0) < 1.0
