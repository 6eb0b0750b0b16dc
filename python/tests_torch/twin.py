"""The dense twin of surefoot.torch.Anytime: its formulas, literally, in NumPy and 64 bits."""

from __future__ import annotations

import numpy as np

DEFAULTS = {"lr": 1.0, "interpolation": 0.9, "beta2": 0.999, "weight_decay": 0.0}


class Parameter:
    """One parameter: its points, relative to x0 for the sake of digits, and its sums."""

    def __init__(self, start, settings, distance):
        self.settings = settings
        self.x0 = np.array(start, dtype=np.float64)
        self.w, self.x, self.y, self.S, self.Z = (np.zeros_like(self.x0) for _ in range(5))
        self.N = 0.0
        self.A = (settings["lr"] * distance) ** 2


class Twin:
    """The method; ``planted`` names a deliberate mistake, which the tests have to find."""

    def __init__(self, distance=1e-6, planted=None):
        self.d, self.C, self.parameters, self.planted = distance, 0.0, [], planted
        self.terms, self.condition = 0.0, 1.0  # how much rounding grows where the terms of Z cancel

    def add(self, start, **settings):
        """Add a parameter, whose state begins at its first gradient."""
        self.parameters.append((np.array(start, dtype=np.float64), {**DEFAULTS, **settings}, []))

    def point(self, i):
        """Return y of parameter i."""
        start, _, born = self.parameters[i]
        return born[0].x0 + born[0].y if born else start

    def average(self, i):
        """Return x of parameter i."""
        start, _, born = self.parameters[i]
        return born[0].x0 + born[0].x if born else start

    def step(self, gradients):
        """Take a step; None stands for a parameter without a gradient."""
        alpha = self.d if self.planted == "weight" else self.d**2
        live = []
        for (start, settings, born), g in zip(self.parameters, gradients, strict=True):
            if g is not None:
                if not born:
                    born.append(Parameter(start, settings, self.d))
                live.append((born[0], np.asarray(g, dtype=np.float64)))
        for p, g in live:
            beta2 = p.settings["beta2"]
            self.C -= alpha * np.sum(g * (p.y if self.planted == "point" else p.w))
            p.S = beta2 * p.S + alpha * g * g
            p.N = alpha if beta2 == 1 else beta2 * p.N + alpha
            p.Z = p.Z + alpha * g
            self.terms += alpha * np.sum(np.abs(g))
        length = sum(np.sum(np.abs(born[0].Z)) for _, _, born in self.parameters if born)
        if length > 0 and self.C / length > self.d:
            self.d = self.C / length
            self.condition = max(self.condition, self.terms / length)
        for p, g in live:
            self._move(p, g)

    def _move(self, p, g):
        rate, beta = p.settings["lr"] * self.d, p.settings["interpolation"]
        size = np.sqrt(p.S / p.N)
        unit = np.divide(g, size, out=np.zeros_like(g), where=size > 0)
        decay = p.x0 + (p.w if self.planted == "decay" else p.y)
        p.w = p.w - rate * (unit + p.settings["weight_decay"] * decay)
        share = rate if self.planted == "average" else rate**2
        p.A += share
        if p.A > 0:
            p.x = p.x + share / p.A * (p.w - p.x)
        p.y = beta * p.x + (1 - beta) * p.w
