"""Turn an online learner written in Python into an optimiser with a certificate, and compare it with two others."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from surefoot.online import Ball, DenseAnytime, DualAveraging, Linear, OgdNorm

X, y = load_breast_cancer(return_X_y=True)
X, sign = StandardScaler().fit_transform(X) / np.sqrt(X.shape[1]), 2.0 * y - 1.0
RADIUS, ROUNDS = 10.0, 2000


class Mirror:
    """Mirror descent with p-norms, p = 1.5, on a ball around 0; its steps shrink with the gradients seen."""

    def __init__(self, dim):
        self.dim, self.domain, self.point, self.seen = dim, Ball(RADIUS), np.zeros(dim), 0.0

    def iterate(self):
        """Return the current point."""
        return self.point

    def learn(self, gradient, weight):
        """Take a step in the dual space, and return to the ball."""
        self.seen += weight**2 * float(gradient @ gradient)
        dual = np.sign(self.point) * np.abs(self.point) ** 0.5 - np.sqrt(RADIUS / self.seen) * weight * gradient
        self.point = np.sign(dual) * dual**2
        self.point *= min(1.0, RADIUS / np.linalg.norm(self.point))


for learner in (Mirror(30), OgdNorm(30, Ball(RADIUS)), DualAveraging(30, Ball(RADIUS))):
    method = DenseAnytime(learner, Linear(), certified=True)
    for _ in range(ROUNDS):
        slope = -sign / (1.0 + np.exp(sign * (X @ method.query()))) / len(sign)  # ask
        method.tell(slope @ X)  # tell
    loss, gap = np.mean(np.log1p(np.exp(-sign * (X @ method.output())))), method.certificate().value
    print(f"{type(learner).__name__}: loss {loss:.4f}, no point of the ball is better by more than {gap:.2g}")
