"""Online learners, and the conversions that turn them into stochastic convex optimisers.

A method is a *conversion* over a *learner* on a *domain*, with *weights* of rounds. The caller owns the
loop: *ask* for the point of the next gradient, *tell* that gradient. No part has a learning rate. Rows and
gradients are NumPy arrays, SciPy rows, or tuples of indices and values; a step of a conversion with sparse
steps costs what its row has nonzeros. Learners, domains and weights may be written in Python; see
`OwnLearner` and `OwnDomain`.

The conversions are those of Cutkosky, "Anytime Online-to-Batch Conversions, Optimism, and Acceleration",
arXiv 1903.00974.
"""

from surefoot.online._certificates import Curved, Cuts, Ledger
from surefoot.online._conversions import (
    Accelerated,
    Anytime,
    CompositeAnytime,
    DenseAnytime,
    General,
    Optimistic,
    StronglyConvex,
    classic,
    linear_decay,
)
from surefoot.online._core import Certificate
from surefoot.online._curved_learners import CompositeAveraging, Leader, OnlineNewton, Ridge
from surefoot.online._domains import Ball, BoxDomain, Domain, L1Ball, OwnDomain, Simplex, WholeSpace
from surefoot.online._errors import Uncertified
from surefoot.online._free_learners import CoinBetting, Constrained, DiagonalFreeGrad, FreeGrad, Magnitude
from surefoot.online._gradient_learners import (
    AdaGrad,
    Descent,
    DiagonalProximal,
    DualAdaGrad,
    DualAveraging,
    OgdNorm,
    Proximal,
)
from surefoot.online._learner import Learner, OwnLearner, Running
from surefoot.online._method import Method, Status
from surefoot.online._more_certificates import Composite, Coupled, Risk, Stream
from surefoot.online._simplex_learners import AdaHedge, Hedge, PNorm, SignedHedge
from surefoot.online._weights import Linear, Power, Uniform, Weights

__all__ = [
    "Accelerated",
    "AdaGrad",
    "AdaHedge",
    "Anytime",
    "Ball",
    "BoxDomain",
    "Certificate",
    "CoinBetting",
    "Composite",
    "CompositeAnytime",
    "CompositeAveraging",
    "Constrained",
    "Coupled",
    "Curved",
    "Cuts",
    "DenseAnytime",
    "Descent",
    "DiagonalFreeGrad",
    "DiagonalProximal",
    "Domain",
    "DualAdaGrad",
    "DualAveraging",
    "FreeGrad",
    "General",
    "Hedge",
    "L1Ball",
    "Leader",
    "Learner",
    "Ledger",
    "Linear",
    "Magnitude",
    "Method",
    "OgdNorm",
    "OnlineNewton",
    "Optimistic",
    "OwnDomain",
    "OwnLearner",
    "PNorm",
    "Power",
    "Proximal",
    "Ridge",
    "Risk",
    "Running",
    "SignedHedge",
    "Simplex",
    "Status",
    "Stream",
    "StronglyConvex",
    "Uncertified",
    "Uniform",
    "Weights",
    "WholeSpace",
    "classic",
    "linear_decay",
]
