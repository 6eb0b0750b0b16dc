"""Anytime against its dense twin, and against what the theory says of both."""

from __future__ import annotations

import numpy as np
import pytest
from twin import Twin

torch = pytest.importorskip("torch")

from surefoot.torch import Anytime  # noqa: E402

SHAPES = [[()], [(1,)], [(7,)], [(3, 4), (3,)], [(2, 3, 4), (5,), (), (0,)]]
SETTINGS = [
    {},
    {"interpolation": 0.0},
    {"interpolation": 1.0},
    {"beta2": 1.0},
    {"beta2": 0.0, "interpolation": 0.5},
    {"weight_decay": 0.3, "lr": 0.5},
    {"lr": 0.0},
]


def problem(shapes, seed):
    """Return starts, and a noisy gradient of a smooth convex loss with the minimiser at random."""
    rng = np.random.default_rng(seed)
    starts = [rng.normal(size=shape) for shape in shapes]
    goals = [rng.normal(size=shape) for shape in shapes]

    def gradient(i, point):
        return np.tanh(point - goals[i]) + 0.3 * rng.normal(size=shapes[i])

    return starts, gradient


def differences(optimizer, parameters, twin):
    """Return the largest relative difference to the twin of query points, averages and distance."""
    worst = abs(optimizer.distance - twin.d) / twin.d
    pairs = [(p.detach(), twin.point(i)) for i, p in enumerate(parameters)]
    pairs += [(x, twin.average(i)) for i, x in enumerate(optimizer.averaged_parameters())]
    for ours, theirs in pairs:
        if theirs.size:
            assert ours.dtype == torch.float64
            worst = max(worst, np.max(np.abs(ours.numpy() - theirs)) / max(np.max(np.abs(theirs)), 1e-3))
    return worst


def compare(shapes, groups, rounds=150, planted=None, missing=lambda t, i: False, late=0, **options):
    """Run both from the same gradients, taken at the point of the twin; return the largest difference."""
    starts, gradient = problem(shapes, 1)
    parameters = [torch.tensor(start, requires_grad=True) for start in starts]
    twin, optimizer, worst = Twin(planted=planted), None, 0.0
    for start, group in zip(starts, groups, strict=True):
        twin.add(start, **group)
    sets = [{"params": [p], **group} for p, group in zip(parameters, groups, strict=True)]
    first = len(sets) - 1 if late else len(sets)
    optimizer = Anytime(sets[:first], **options)
    for t in range(rounds):
        if late and t == late:
            optimizer.add_param_group(sets[-1])
        gone = [missing(t, i) or (i >= first and t < late) for i in range(len(shapes))]
        gradients = [None if out else gradient(i, twin.point(i)) for i, out in enumerate(gone)]
        for p, g in zip(parameters, gradients, strict=True):
            p.grad = None if g is None else torch.as_tensor(g, dtype=torch.float64)
        optimizer.step()
        twin.step(gradients)
        if len(optimizer.param_groups) == len(shapes):
            worst = max(worst, differences(optimizer, parameters, twin) / twin.condition)
    assert twin.d > 1e-3 or any(group.get("lr") == 0 for group in groups) or sum(map(np.size, starts)) < 2
    return worst


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_agrees_with_the_twin(shapes, settings):
    assert compare(shapes, [settings] * len(shapes)) < 1e-12


@pytest.mark.parametrize("foreach", [True, False])
def test_groups_with_their_own_settings_agree(foreach):
    groups = [{"weight_decay": 0.1}, {"beta2": 0.9}, {"beta2": 1.0, "lr": 0.1}, {"interpolation": 0.3}]
    assert compare([(4,), (3, 2), (5,), (2,)], groups, foreach=foreach) < 1e-12


@pytest.mark.parametrize("foreach", [True, False])
def test_parameters_without_gradient_in_some_rounds_agree(foreach):
    missing = lambda t, i: (t + i) % 3 == 0 or (i == 2 and t < 20)  # noqa: E731
    assert compare([(4,), (3, 2), (5,)], [{}] * 3, missing=missing, foreach=foreach) < 1e-12


def test_a_group_added_later_agrees():
    assert compare([(4,), (3, 2), (5,)], [{}, {}, {"weight_decay": 0.1}], late=40) < 1e-12


@pytest.mark.parametrize("distance", [1e-9, 1e-3])
def test_another_first_distance_agrees(distance):
    starts, gradient = problem([(6,)], 2)
    parameter, twin = torch.tensor(starts[0], requires_grad=True), Twin(distance)
    optimizer = Anytime([parameter], initial_distance=distance)
    twin.add(starts[0])
    for _ in range(100):
        g = gradient(0, twin.point(0))
        parameter.grad = torch.tensor(g)
        optimizer.step()
        twin.step([g])
        assert differences(optimizer, [parameter], twin) < 1e-12


@pytest.mark.parametrize("planted", ["weight", "point", "decay", "average"])
def test_a_planted_error_is_found(planted):
    assert compare([(3, 4), (3,)], [{"weight_decay": 0.1}] * 2, planted=planted) > 1e-6


def path(factor, rounds=300, dtype=torch.float64, **options):
    """Return the averages of a run whose loss is multiplied by ``factor``."""
    torch.manual_seed(0)
    inputs, labels = torch.randn(50, 4, dtype=dtype), (torch.arange(50) % 2).to(dtype)
    weight = torch.zeros(4, dtype=dtype, requires_grad=True)
    optimizer, points = Anytime([weight], **options), []
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(inputs @ weight, labels)
        (loss * factor).backward()
        optimizer.step()
        points.append(next(optimizer.averaged_parameters()))
    return torch.stack(points)


@pytest.mark.parametrize("beta2", [0.999, 1.0])
@pytest.mark.parametrize("factor", [1e30, 1e-30])
def test_the_scale_of_the_loss_is_of_no_matter(factor, beta2):
    ours, theirs = path(factor, beta2=beta2), path(1.0, beta2=beta2)
    assert bool(((ours - theirs).abs().amax(1) < 1e-9 * theirs.abs().amax(1)).all())


@pytest.mark.parametrize("factor", [2.0**100, 2.0**-100])
def test_a_power_of_two_changes_no_bit(factor):
    assert torch.equal(path(factor), path(1.0))


@pytest.mark.parametrize("factor", [2.0**30, 2.0**-10])
def test_a_power_of_two_changes_no_bit_in_32_bits(factor):
    assert torch.equal(path(factor, dtype=torch.float32), path(1.0, dtype=torch.float32))


def test_gradients_whose_squares_underflow_make_no_long_steps():
    tiny = torch.zeros(3, requires_grad=True)
    optimizer = Anytime([tiny])
    for exponent in range(50):
        tiny.grad = torch.full((3,), 10.0 ** -(exponent % 45))
        optimizer.step()
    assert bool(tiny.isfinite().all())
    assert float(tiny.detach().abs().max()) <= 50 * 30 * optimizer.distance


def quadratic(seed, dim=12):
    """Return the loss and the minimiser of least squares with columns of very different sizes."""
    rng = np.random.default_rng(seed)
    rows = torch.tensor(rng.normal(size=(40, dim)) * np.logspace(0, -2, dim))
    goal = torch.tensor(rng.normal(size=dim))
    return (lambda point: 0.5 * ((rows @ (point - goal)) ** 2).mean()), goal


def absolute(seed, dim=12):
    """Return a loss with kinks, and its minimiser."""
    rng = np.random.default_rng(seed)
    slopes, goal = torch.tensor(rng.uniform(0.1, 10, dim)), torch.tensor(rng.normal(size=dim))
    return (lambda point: (slopes * (point - goal).abs()).sum()), goal


def minimise(loss, dim, rounds, watch=lambda optimizer, point: None, **options):
    """Return the optimiser after some rounds with exact gradients from the origin."""
    point = torch.zeros(dim, dtype=torch.float64, requires_grad=True)
    optimizer = Anytime([point], **options)
    for _ in range(rounds):
        optimizer.zero_grad()
        loss(point).backward()
        watch(optimizer, point)
        optimizer.step()
    return optimizer


@pytest.mark.parametrize("interpolation", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("beta2", [0.999, 1.0])
@pytest.mark.parametrize("make", [quadratic, absolute])
def test_the_distance_never_exceeds_the_true_one(make, beta2, interpolation):
    for seed in range(3):
        loss, goal = make(seed)
        optimizer = minimise(loss, len(goal), 400, beta2=beta2, interpolation=interpolation)
        assert 1e-2 < optimizer.distance <= float(goal.abs().max())


@pytest.mark.parametrize("interpolation", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("make", [quadratic, absolute])
def test_the_theorem_of_the_conversion_holds(make, interpolation):
    """A_T(L(x_T) − L(u)) ≤ Σα_t⟨g_t, w_t − u⟩, with the gradients at y_t."""
    loss, goal = make(5)
    sums = {"regret": 0.0, "weight": 0.0}

    def watch(optimizer, point):
        shift = optimizer.state[point]["shift"] if optimizer.state else torch.zeros_like(goal)
        weight = optimizer.distance**2
        sums["regret"] += weight * float(point.grad @ (shift - goal))
        sums["weight"] += weight
        if optimizer.state:
            gap = float(loss(next(optimizer.averaged_parameters())) - loss(goal))
            assert sums["weight"] * gap <= sums["regret"] * (1 + 1e-9)

    minimise(loss, len(goal), 300, watch, interpolation=interpolation)


@pytest.mark.parametrize("beta2", [0.999, 1.0])
def test_a_smooth_convex_problem_reaches_its_optimum(beta2):
    loss, goal = quadratic(0)
    optimizer = minimise(loss, len(goal), 5000, beta2=beta2)
    start = float(loss(torch.zeros_like(goal)))
    assert float(loss(next(optimizer.averaged_parameters()))) < 1e-5 * start


def test_a_problem_with_kinks_reaches_its_optimum():
    loss, goal = absolute(0)
    optimizer = minimise(loss, len(goal), 5000, beta2=1.0)
    assert float(loss(next(optimizer.averaged_parameters()))) < 1e-2 * float(loss(torch.zeros_like(goal)))


def test_single_noisy_rows_reach_the_optimum_with_sums_of_squares():
    """Rows one at a time: with beta2=1 the loss ends within a percent of the minimum, by closed form."""
    rng = np.random.default_rng(0)
    rows, goal = torch.tensor(rng.normal(size=(4000, 5))), torch.tensor(rng.normal(size=5))
    labels = rows @ goal + torch.tensor(rng.normal(size=4000))
    best = torch.linalg.lstsq(rows, labels[:, None]).solution[:, 0]
    loss = lambda point: ((rows @ point - labels) ** 2).mean()  # noqa: E731
    point = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    optimizer = Anytime([point], beta2=1.0)
    for row, label in zip(rows, labels, strict=True):
        optimizer.zero_grad()
        ((row @ point - label) ** 2).backward()
        optimizer.step()
    assert float(loss(next(optimizer.averaged_parameters())) / loss(best)) < 1.01
