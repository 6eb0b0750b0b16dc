"""What `minimize` runs: the domain, the conversion and the learner that suit what was given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.online import _checks, _domains, _learner
from surefoot.online._conversions import (
    Accelerated,
    Anytime,
    DenseAnytime,
    General,
    Optimistic,
    StronglyConvex,
)
from surefoot.online._curved_learners import Leader
from surefoot.online._domains import Ball, BoxDomain, WholeSpace
from surefoot.online._free_learners import FreeGrad
from surefoot.online._gradient_learners import (
    AdaGrad,
    Descent,
    DiagonalProximal,
    DualAveraging,
    OgdNorm,
    Proximal,
)
from surefoot.online._method import Method
from surefoot.online._oracle import Oracle
from surefoot.online._vectors import parse
from surefoot.online._weights import AnyWeights, Linear, Power, Uniform

#: The distance that is tried first where none is known; the number of steps depends on it logarithmically.
FIRST_GUESS = 1e-3
#: Weights where no distance is known. Equal ones remember the first iterates, which are far off, for long;
#: with weights t the first guess is tiny against what comes, and it takes long to leave it.
FREE_WEIGHTS = Power(0.5)

METHODS = ("anytime", "optimistic", "accelerated", "classic", "linear_decay", "strongly_convex")


def place(x0: NDArray[np.float64], domain: Any, radius: float | None, bounds: Any, learner: Any) -> Any:
    """Return the domain that the caller has given in one way or another; None if none."""
    names = ("domain", "radius", "bounds", "learner")
    given = [name for name, part in zip(names, (domain, radius, bounds, learner), strict=True) if part is not None]
    if len(given) > 1:
        raise ValueError(f"give one of {' and '.join(given)}, not {'both' if len(given) == 2 else 'all'}")
    if radius is not None:
        return Ball(radius, x0)
    if bounds is not None:
        return _box(bounds, x0.shape[0])
    return domain


def _box(bounds: Any, dim: int) -> BoxDomain:
    """Return the box of SciPy's bounds."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        lower, upper = (np.broadcast_to(np.asarray(end, dtype=float), (dim,)) for end in (bounds.lb, bounds.ub))
    else:
        pairs: Sequence[Any] = list(bounds)
        if len(pairs) != dim or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"bounds are {dim} pairs of a lower and an upper end")
        ends = [[math.nan if end is None else float(end) for end in pair] for pair in pairs]
        lower, upper = np.array(ends).T
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise ValueError("bounds must be finite for all coordinates; without them, give a radius, or nothing")
    return BoxDomain(lower, upper)


def strong_ball(calls: Oracle, x0: NDArray[np.float64], curvature: float | None) -> Ball:
    """Return the ball around `x0` that holds the minimiser of a strongly convex function."""
    curvature = _curvature(curvature)
    _, gradient = calls(np.array(x0))
    _, values = parse(gradient, x0.shape[0])
    size = math.hypot(*values.tolist())
    if not math.isfinite(size):
        raise ValueError(f"the gradient at x0 has the norm {size}")
    return Ball(max(size / curvature, np.finfo(float).tiny), x0)


def _curvature(curvature: float | None) -> float:
    if curvature is None:
        raise ValueError('method "strongly_convex" needs curvature, the constant of strong convexity')
    return _checks.positive(curvature, "curvature")


def contains(domain: Any, x: NDArray[np.float64]) -> bool:
    return _domains.build(domain, x.shape[0]).contains(x)


def project(domain: Any, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point of the domain nearest to `x`."""
    return _domains.build(domain, x.shape[0]).project(x)


def conversion(
    name: str | None,
    dim: int,
    domain: Any,
    learner: Any,
    weights: AnyWeights | None,
    curvature: float | None,
    max_steps: int,
) -> Method:
    """Return the conversion with the learner that suits it."""
    whole = domain is None and learner is None
    name = ("anytime" if whole or learner is not None else "optimistic") if name is None else name
    if name not in METHODS:
        raise ValueError(f"no method {name!r}; there are {', '.join(METHODS)}")
    if curvature is not None and name != "strongly_convex":
        raise ValueError('curvature is for method "strongly_convex"')
    if learner is not None and _learner.dim_of(learner) != dim:
        raise ValueError(f"a learner of {_learner.dim_of(learner)} coordinates for {dim} coordinates")
    if weights is None:
        weights = FREE_WEIGHTS if whole else Uniform() if learner is not None else Linear()
    if name == "strongly_convex":
        if learner is not None:
            return General(learner, weights, certified=True)
        return _leader(dim, domain, _curvature(curvature), weights)
    learner = learner if learner is not None else _suiting(name, dim, domain)
    if name == "accelerated":
        return Accelerated(learner)
    if name == "optimistic":
        return Optimistic(learner, weights, certified=True)
    kind = Anytime if _learner.build(learner).traits()[0] else DenseAnytime
    rise = max_steps if name == "linear_decay" else 0
    return kind(learner, weights, interpolation=float(name != "classic"), rise=rise, certified=True)


def _leader(dim: int, domain: Any, curvature: float, weights: AnyWeights) -> Method:
    """Return Algorithm 2 on a domain."""
    if isinstance(domain, Ball | WholeSpace):
        return StronglyConvex(dim, domain, curvature, weights, certified=True)
    return General(Leader(dim, domain, curvature), weights, certified=True)


def _suiting(name: str, dim: int, domain: Any) -> Any:
    """Return the learner that suits a method and a domain."""
    if domain is None:
        if name in ("optimistic", "accelerated"):
            raise ValueError(f"method {name!r} needs a domain: give radius, bounds or domain")
        return FreeGrad(dim, WholeSpace(FIRST_GUESS))
    hinted = name in ("optimistic", "anytime")
    if isinstance(domain, Ball | WholeSpace):
        return DualAveraging(dim, domain) if hinted else OgdNorm(dim, domain)
    if isinstance(domain, BoxDomain) and name != "accelerated":
        return DiagonalProximal(dim, domain) if hinted else AdaGrad(dim, domain)
    return Proximal(dim, domain) if hinted else Descent(dim, domain)
