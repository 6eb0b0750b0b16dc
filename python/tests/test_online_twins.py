"""Learners and conversions agree with plain NumPy twins, which plug into conversions themselves."""

import numpy as np
import pytest

from surefoot import online

DIM, ROUNDS = 5, 120
CENTRE = np.array([0.25, -0.5, 0.0, 0.5, -0.25])
LOWER, UPPER = np.full(DIM, -0.5), np.linspace(0.5, 2.0, DIM)


def to_ball(radius, centre=0.0):
    def project(x):
        away = np.linalg.norm(x - centre)
        return x if away <= radius else centre + (x - centre) * (radius / away)

    return project


def to_box(x):
    return np.clip(x, LOWER, UPPER)


class Twin:
    """A learner in Python; `dim` is found from its iterate."""

    def __init__(self, start):
        self.w = np.array(start, dtype=float)

    def iterate(self):
        return self.w


class Ogd(Twin):
    def __init__(self, project, centre, reach):
        super().__init__(centre)
        self.project, self.width, self.squares = project, 2.0 * reach, 0.0

    def learn(self, gradient, weight):
        step = weight * gradient
        self.squares += step @ step
        if self.squares > 0.0:
            self.w = self.project(self.w - self.width * step / np.sqrt(2.0 * self.squares))


class AdaGrad(Twin):
    def __init__(self):
        super().__init__((LOWER + UPPER) / 2)
        self.squares = np.zeros(DIM)

    def learn(self, gradient, weight):
        step = weight * gradient
        self.squares += step * step
        root = np.sqrt(2.0 * np.where(self.squares > 0.0, self.squares, 1.0))
        self.w = to_box(self.w - (UPPER - LOWER) * step / root)


class DualAdaGrad(Twin):
    def __init__(self, scale, damping):
        super().__init__(np.zeros(DIM))
        self.scale, self.squares, self.sum = scale, np.full(DIM, damping), np.zeros(DIM)

    def learn(self, gradient, weight):
        self.sum += weight * gradient
        self.squares += (weight * gradient) ** 2
        self.w = -self.scale * self.sum / np.sqrt(np.where(self.squares > 0.0, self.squares, 1.0))


class DualAveraging(Twin):
    def __init__(self, radius, centre, bound=0.0):
        super().__init__(centre)
        self.radius, self.centre, self.project = radius, centre, to_ball(radius, centre)
        self.sum, self.guess = np.zeros(DIM), np.zeros(DIM)
        self.largest, self.squares = bound, 0.0

    def play(self):
        root = np.sqrt(2.0 * (self.largest**2 + self.squares))
        pull = self.sum + self.guess
        if root > 0.0:
            self.w = self.project(self.centre - self.radius * pull / root)
        elif np.any(pull):
            self.w = self.centre - self.radius * pull / np.linalg.norm(pull)

    def hint(self, gradient, weight):
        self.guess = weight * gradient
        self.play()

    def learn(self, gradient, weight):
        error = weight * gradient - self.guess
        size = np.linalg.norm(error)
        kept = error * min(1.0, self.largest / size) if size > 0.0 else error
        self.squares += kept @ kept
        self.largest = max(self.largest, size)
        self.sum += self.guess + kept
        self.guess = np.zeros(DIM)
        self.play()


class Hedge(Twin):
    def __init__(self, bound):
        super().__init__(np.full(DIM, 1.0 / DIM))
        self.sum, self.largest, self.squares = np.zeros(DIM), bound, 0.0

    def learn(self, gradient, weight):
        step = weight * gradient
        size = step.max() - step.min()
        kept = step * min(1.0, self.largest / size)
        self.squares += (kept.max() - kept.min()) ** 2
        self.largest = max(self.largest, size)
        self.sum += kept
        rate = 2.0 * np.sqrt(np.log(DIM) / (self.largest**2 + self.squares))
        power = np.exp(-rate * (self.sum - self.sum.min()))
        self.w = power / power.sum()


TWINS = {
    "ogd, ball": (
        online.OgdNorm(DIM, online.Ball(2.0)),
        lambda: Ogd(to_ball(2.0), np.zeros(DIM), 2.0),
    ),
    "ogd, ball elsewhere": (
        online.OgdNorm(DIM, online.Ball(0.75, CENTRE)),
        lambda: Ogd(to_ball(0.75, CENTRE), CENTRE, 0.75),
    ),
    "ogd, whole space": (
        online.OgdNorm(DIM, online.WholeSpace(0.5)),
        lambda: Ogd(lambda x: x, np.zeros(DIM), 0.5),
    ),
    "descent, box": (
        online.Descent(DIM, online.BoxDomain(LOWER, UPPER)),
        lambda: Ogd(to_box, (LOWER + UPPER) / 2, np.linalg.norm((UPPER - LOWER) / 2)),
    ),
    "adagrad, box": (online.AdaGrad(DIM, online.BoxDomain(LOWER, UPPER)), AdaGrad),
    "dual adagrad": (online.DualAdaGrad(DIM, 0.25), lambda: DualAdaGrad(0.25, 0.0)),
    "dual adagrad, damped": (online.DualAdaGrad(DIM, 0.25, 4.0), lambda: DualAdaGrad(0.25, 4.0)),
    "dual averaging": (
        online.DualAveraging(DIM, online.Ball(0.75, CENTRE)),
        lambda: DualAveraging(0.75, CENTRE),
    ),
    "dual averaging, bound": (
        online.DualAveraging(DIM, online.Ball(2.0), 30.0),
        lambda: DualAveraging(2.0, np.zeros(DIM), 30.0),
    ),
    "hedge": (online.Hedge(DIM), lambda: Hedge(0.0)),
    "hedge, range": (online.Hedge(DIM, 30.0), lambda: Hedge(30.0)),
}
WEIGHTS = {
    "uniform": (online.Uniform(), lambda t: 1.0),
    "linear": (online.Linear(), float),
    "power": (online.Power(0.5), lambda t: t**0.5),
}


def gradients(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ROUNDS, DIM)) * rng.choice([0.1, 1.0, 5.0], size=(ROUNDS, 1))


def slope(x, noise):
    """A noisy gradient of a quadratic, so that where gradients are taken matters."""
    return np.arange(1, DIM + 1) * (x - 0.2) + noise


def close(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TWINS)
def test_learner_is_its_twin(name):
    spec, twin = TWINS[name]
    learner, twin = spec.start(), twin()
    for t, gradient in enumerate(gradients(), 1):
        close(learner.iterate(), twin.iterate())
        learner.learn(gradient, weight=t**0.5)
        twin.learn(gradient, t**0.5)
    close(learner.iterate(), twin.iterate())


def test_hinted_learner_is_its_twin():
    spec, twin = TWINS["dual averaging"]
    learner, twin = spec.start(), twin()
    for t, gradient in enumerate(gradients(), 1):
        guess = gradient + 0.1 * gradients(1)[t - 1]
        assert learner.hint(guess, t)
        twin.hint(guess, t)
        close(learner.iterate(), twin.iterate())
        learner.learn(gradient, t)
        twin.learn(gradient, t)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("beta", [1.0, 0.0, 0.7])
def test_learner_in_python_plugs_into_a_conversion(name, weights, beta):
    spec, twin = TWINS[name]
    ours, own = WEIGHTS[weights]
    method = online.DenseAnytime(spec, ours, interpolation=beta, certified=True)
    mixed = online.DenseAnytime(twin(), own, interpolation=beta, certified=True)
    for noise in gradients():
        close(method.query(), mixed.query())
        method.tell(slope(method.query(), noise))
        mixed.tell(slope(mixed.query(), noise))
    close(method.output(), mixed.output())
    close(method.ledger.linear, mixed.ledger.linear)


def anytime(twin, weight, beta):
    """Algorithm 1, as a generator that yields query and output and is sent gradients."""
    total, average = 0.0, np.zeros(DIM)
    for t in range(1, ROUNDS + 1):
        alpha, w = weight(t), twin.iterate()
        total += alpha
        average = average + alpha / total * (w - average)
        gradient = yield beta * average + (1.0 - beta) * w, average
        twin.learn(gradient, alpha)


def optimistic(twin, weight):
    """Algorithm 3."""
    total, average, last = 0.0, np.zeros(DIM), None
    for t in range(1, ROUNDS + 1):
        alpha = weight(t)
        if last is not None:
            twin.hint(last, alpha)
        total += alpha
        average = average + alpha / total * (twin.iterate() - average)
        last = yield average, average
        twin.learn(last, alpha)


def accelerated(twin, diameter, kappa, epsilon):
    """Algorithm 4, whose output follows its query by a step."""
    total, squares, y = 0.0, epsilon**2, None
    for t in range(1, ROUNDS + 1):
        total, w = total + t, twin.iterate()
        x = w if y is None else y + t / total * (w - y)
        gradient = yield x, None
        squares += total * (gradient @ gradient)
        y = x - np.sqrt(2.0) * kappa * diameter / np.sqrt(squares) * gradient
        twin.learn(gradient, float(t))
        yield None, y


def strongly_convex(curvature, project, weight):
    """Algorithm 2 over follow-the-leader."""
    total, average, pull, w = 0.0, np.zeros(DIM), np.zeros(DIM), np.zeros(DIM)
    for t in range(1, ROUNDS + 1):
        alpha = weight(t)
        total += alpha
        average = average + alpha / total * (w - average)
        gradient = yield average, average
        pull = pull + alpha * (average - gradient / curvature)
        w = project(pull / total)


def run(method, loop):
    """Hold a method against a loop, at every query and output."""
    query, output = next(loop)
    for noise in gradients():
        close(method.query(), query)
        gradient = slope(query, noise)
        method.tell(slope(method.query(), noise))
        if output is not None:
            close(method.output(), output)
        try:
            answer = loop.send(gradient)
            if answer[0] is None:
                close(method.output(), answer[1])
                answer = next(loop)
        except StopIteration:
            return
        query, output = answer


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", ["ogd, ball elsewhere", "adagrad, box", "dual averaging", "dual adagrad"])
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_anytime(name, weights, beta):
    spec, twin = TWINS[name]
    ours, own = WEIGHTS[weights]
    for kind in (online.Anytime, online.DenseAnytime):
        run(kind(spec, ours, interpolation=beta), anytime(twin(), own, beta))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dense", [False, True])
def test_optimistic(weights, dense):
    spec, twin = TWINS["dual averaging"]
    ours, own = WEIGHTS[weights]
    run(online.Optimistic(spec, ours, dense=dense), optimistic(twin(), own))


def test_optimistic_takes_a_learner_in_python():
    twin = TWINS["dual averaging"][1]
    run(online.Optimistic(twin()), optimistic(twin(), float))
    with pytest.raises(TypeError, match="takes hints: AdaHedge"):
        online.Optimistic(AdaGrad())


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize(("kappa", "epsilon"), [(np.sqrt(2.0), 0.0), (1.0, 3.0)])
def test_accelerated(dense, kappa, epsilon):
    spec, twin = TWINS["ogd, ball elsewhere"]
    method = online.Accelerated(spec, kappa=kappa, epsilon=epsilon, dense=dense)
    assert method.diameter == 1.5
    run(method, accelerated(twin(), 1.5, kappa, epsilon))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("radius", [None, 0.3])
def test_strongly_convex(weights, radius):
    ours, own = WEIGHTS[weights]
    domain = online.WholeSpace(1.0) if radius is None else online.Ball(radius)
    project = (lambda x: x) if radius is None else to_ball(radius)
    for method in (
        online.StronglyConvex(DIM, domain, 0.7, ours),
        online.General(online.Leader(DIM, domain, 0.7), ours),
    ):
        run(method, strongly_convex(0.7, project, own))


def test_linear_decay_moves_the_query_to_the_average():
    spec, _ = TWINS["ogd, ball"]
    method = online.linear_decay(spec, online.Linear(), ROUNDS)
    iterates, total = [], ROUNDS * (ROUNDS + 1) / 2
    for t, noise in enumerate(gradients(), 1):
        iterates.append(method.iterate())
        done, now = (t - 1) * t / 2, t * (t + 1) / 2
        average = np.average(iterates[:-1], axis=0, weights=np.arange(1, t)) if t > 1 else 0.0
        share = min(done / total, done / now)
        close(method.query(), share * average + (1.0 - share) * iterates[-1])
        method.tell(slope(method.query(), noise))


class Bare:
    """A ball as a domain in Python, with as little as a domain can have."""

    reach = 0.75

    def __init__(self, centre):
        self.centre = centre

    def project(self, x):
        return to_ball(0.75, self.centre)(x)


class Full(Bare):
    """The same with a support function and a test for its points."""

    def support(self, z):
        return z @ self.centre + 0.75 * np.linalg.norm(z)

    def contains(self, x):
        return np.linalg.norm(x - self.centre) <= 0.75 * (1.0 + 1e-9)


FREE = online.FreeGrad(DIM, online.WholeSpace(0.5))
#: Learners on any domain. The reduction divides by the distance to the projection, which is rounding alone
#: for points in a ball that is not around 0.
ANYWHERE = {
    "descent": (lambda domain: online.Descent(DIM, domain), CENTRE),
    "proximal": (lambda domain: online.Proximal(DIM, domain), CENTRE),
    "constrained": (lambda domain: online.Constrained(FREE, domain), np.zeros(DIM)),
}


def together(first, second):
    """Run two learners side by side and return their methods."""
    methods = [online.DenseAnytime(part, online.Linear(), certified=True) for part in (first, second)]
    for noise in gradients():
        close(methods[0].query(), methods[1].query())
        for method in methods:
            method.tell(slope(method.query(), noise))
    return methods


@pytest.mark.parametrize("own", [Bare, Full])
@pytest.mark.parametrize("name", ANYWHERE)
def test_domain_in_python_is_the_one_in_rust(own, name):
    learner, centre = ANYWHERE[name]
    methods = together(learner(online.Ball(0.75, centre)), learner(own(centre)))
    close(*(method.certificate().value for method in methods))


def test_constrained_takes_a_learner_and_a_domain_in_python():
    zero, whole = np.zeros(DIM), online.WholeSpace(0.5)
    reference = online.Constrained(online.OgdNorm(DIM, whole), online.Ball(0.75))
    together(reference, online.Constrained(Ogd(lambda x: x, zero, 0.5), Bare(zero)))


def test_magnitude_takes_learners_in_python():
    size, direction = online.FreeGrad(1, online.WholeSpace(1.0)), online.OgdNorm(DIM, online.Ball(1.0))
    twin = Ogd(to_ball(1.0), np.zeros(DIM), 1.0)
    together(online.Magnitude(size, direction), online.Magnitude(size.start(), twin))


def test_leader_takes_a_domain_in_python():
    run(
        online.General(online.Leader(DIM, type("Ball", (), {"project": lambda _, x: to_ball(0.3)(x)})(), 0.7)),
        strongly_convex(0.7, to_ball(0.3), lambda t: 1.0),
    )
