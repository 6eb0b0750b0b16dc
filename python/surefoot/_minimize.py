"""`minimize`: one call for a convex function that is given by its (sub)gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.online import _checks, _choice, _noise
from surefoot.online._oracle import Oracle
from surefoot.online._run import MinimizeResult, Run
from surefoot.online._weights import AnyWeights


def minimize(
    oracle: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    *,
    method: str | None = None,
    domain: Any = None,
    radius: float | None = None,
    bounds: Any = None,
    learner: Any = None,
    weights: AnyWeights | None = None,
    curvature: float | None = None,
    gradients: str = "exact",
    max_steps: int = 1000,
    tol: float | None = None,
    callback: Callable[[MinimizeResult], object] | None = None,
    seed: Any = None,
    gradient_bound: float | None = None,
    delta: float = 0.05,
) -> MinimizeResult:
    """Minimise a convex function, given its gradients, without a learning rate.

    Parameters
    ----------
    oracle : callable
        ``oracle(x, *args)`` returns a (sub)gradient at `x`, or a pair ``(value, gradient)``. Gradients may
        be noisy (see `gradients`) or sparse. `x` cannot be written to.
    x0 : array_like
        A point of the domain. With `radius` and without any domain it is where the run starts; otherwise the
        run starts at the centre of the domain.
    args : tuple
        Further arguments of the oracle.
    method : str, optional
        ``"optimistic"`` (Algorithm 3 of arXiv 1903.00974, the default on bounded domains), ``"anytime"``
        (Algorithm 1, the default without a domain), ``"accelerated"`` (Algorithm 4), ``"strongly_convex"``
        (Algorithm 2, needs `curvature`), and, to compare with, ``"classic"`` and ``"linear_decay"``.
    domain : domain, optional
        Where the minimum is looked for: a domain of `surefoot.online`, or an object with ``project(x)``.
    radius : float, optional
        Short for the ball of this radius around `x0`.
    bounds : sequence of pairs or scipy.optimize.Bounds, optional
        Short for a box: a finite interval for each coordinate.
    learner : learner, optional
        The online learner, with its own domain; by default one that suits method and domain. Without a
        domain it is `FreeGrad` around `x0`, which tries the distance 0.001 first.
    weights : weights, optional
        Weights of rounds; by default `Linear` on bounded domains, ``Power(0.5)`` without one, and `Uniform`
        with a `learner`.
    curvature : float, optional
        The constant of strong convexity, for ``"strongly_convex"``. Without a domain, one gradient at `x0`
        gives a ball that holds the minimiser.
    gradients : {"exact", "fresh", "drawn", "reused"}
        How gradients are obtained: exact; of independent rows, each used once; of rows drawn with
        replacement; of rows used before. It decides which certificate there is. Values are taken to be exact
        if gradients are.
    max_steps : int, default 1000
        Largest number of steps.
    tol : float, optional
        Stop when the excess of the point is certified to be at most this. With noisy gradients it needs
        `gradient_bound`: what bounds the excess in expectation does so after a number of steps fixed
        beforehand, not when a run stops by it.
    callback : callable, optional
        Called after each step with a `MinimizeResult`; StopIteration or a true answer ends the run, and any
        other exception, KeyboardInterrupt too, is passed on. A run with noisy gradients that it ends has a
        certificate only with `gradient_bound`.
    seed : int, numpy.random.Generator, optional
        If given, the oracle is called as ``oracle(x, rng, *args)`` with a random generator made of it.
    gradient_bound : float, optional
        For gradients ``"fresh"`` and ``"drawn"`` on a bounded domain: a bound on the norm of every gradient
        that the oracle may return. The certificate then holds at all steps at once with probability
        1 - `delta`, in place of one in expectation; there is none if a gradient exceeds it.
    delta : float, default 0.05
        The probability that the certificate with `gradient_bound` does not hold.

    Returns
    -------
    MinimizeResult
        The point with its certificate, if there is one. It is the output of the method; with exact values,
        the best point seen. It lies in the domain: the output of the accelerated method, which may not, is
        projected.

    Raises
    ------
    ValueError
        If arguments contradict each other or `x0` does not lie in the domain.

    Examples
    --------
    >>> from surefoot import minimize
    >>> result = minimize(lambda x: ((x - 1) @ (x - 1), 2 * (x - 1)), [0.0, 0.0], radius=3.0, tol=1e-6)
    >>> result.success, result.x.round(3), result.certificate.value <= 1e-6
    (True, array([1., 1.]), True)

    Without a radius there is no certificate, and the message says so:

    >>> import numpy as np
    >>> result = minimize(lambda x: np.sign(x - 300.5), [0.0], max_steps=20000)
    >>> bool(abs(result.x[0] - 300.5) < 3.0), result.certificate
    (True, None)
    >>> print(result.message.split("; ")[1])
    no bound: neither domain nor penalty bounds the minimiser

    """
    x0 = _checks.point(x0, "x0")
    if tol is not None:
        tol = _checks.not_negative(tol, "tol")
    if _checks.whole(max_steps, "max_steps") < 1:
        raise ValueError(f"max_steps must be positive, not {max_steps}")
    if gradients not in ("exact", "fresh", "drawn", "reused"):
        raise ValueError(f'gradients are "exact", "fresh", "drawn" or "reused", not {gradients!r}')
    calls = Oracle(oracle, args, x0.shape[0], seed)
    place = _choice.place(x0, domain, radius, bounds, learner)
    if method == "strongly_convex" and place is None and learner is None:
        place = _choice.strong_ball(calls, x0, curvature)
    shift = x0 if place is None and learner is None else np.zeros_like(x0)
    conversion = _choice.conversion(method, x0.shape[0], place, learner, weights, curvature, max_steps)
    if shift is not x0 and not _choice.contains(conversion.domain, x0):
        raise ValueError("x0 does not lie in the domain")
    noise = _noise.of(gradients, tol, gradient_bound, delta, conversion.domain, x0.shape[0])
    run = Run(conversion, calls, shift, gradients, curvature if method == "strongly_convex" else None, noise)
    return run.go(max_steps, tol, callback)
