//! Online learners and the reductions that turn them into stochastic convex optimisers.
//!
//! An online learner needs no assumption about the origin of its gradients, and the best ones need no learning rate. A
//! *conversion* turns any of them into a method that minimises a convex function L from (stochastic) gradients. The
//! *anytime* conversion takes the gradients at the running average of the learner's iterates, so its last point has the
//! guarantee of the learner's regret, whenever the run stops.
//!
//! The caller owns the loop: *ask* for the point of the next gradient, *tell* that gradient. Asking reads single
//! coordinates or inner products, and telling accepts dense, sparse or scaled rows, so a step costs exactly as much as
//! its row has nonzeros. After construction nothing allocates, nothing can fail, and no constant depends on the scale
//! of the data.
//!
//! ```
//! use surefoot::{Anytime, AskTell, DualAdaGrad, Point, Sparse, Uniform, Vector};
//!
//! // Least squares, one row at a time: label = 2·x_0 − x_5.
//! let mut method = Anytime::new(DualAdaGrad::<f64>::new(6, 1.0), Uniform);
//! for t in 0..2000_u32 {
//!     let values = [f64::from(t % 3), f64::from(t % 5) - 2.0];
//!     let row = Sparse::new(&[0_u32, 5], &values);
//!     let label = 2.0 * values[0] - values[1];
//!     let slope = method.dot(&row) - label;               // ask
//!     method.tell(&row.times(slope));         // tell
//! }
//! let output = method.output();
//! assert!((output.at(0) - 2.0).abs() < 0.05 && (output.at(5) + 1.0).abs() < 0.05);
//! ```
//!
//! # From the paper to the code
//!
//! The paper is Cutkosky, "Anytime Online-to-Batch Conversions, Optimism, and Acceleration", arXiv 1903.00974.
//!
//! | paper | here |
//! | --- | --- |
//! | Algorithm 1, Theorem 1 | [`Anytime`] in O(nnz), [`DenseAnytime`] in O(d) |
//! | classic conversion (introduction) | [`classic`]; [`linear_decay`], the other baseline |
//! | Algorithm 2, Theorem 2 | [`General`] for any [`Quadratic`] learner, in O(d); [`StronglyConvex`] in O(nnz) |
//! | follow the leader, exp-concave losses | [`Leader`], [`OnlineNewton`] |
//! | Algorithm 3, Theorem 3 | [`Optimistic`]; a caller's own hints: [`AskHintTell`] |
//! | Algorithm 4, Theorems 4 and 5 | [`Accelerated`], in O(nnz) and O(d) |
//! | penalties, minimised exactly | [`Penalised`] learners: [`Ridge`], [`CompositeAveraging`]; [`CompositeAnytime`] |
//! | weights α_t, sums A_t = α_1 + … + α_t (α_{1:t} in the paper) | [`Weights`], [`Rounds`] |
//! | online learner, regret R_T(u) | [`Learner`] and its refinements |
//! | hint of Algorithm 3 | [`Hinted`], [`LazyHinted`] |
//! | adaptive regret B·√(2Σ‖α_t g_t‖²) | [`OgdNorm`], [`Descent`]; per coordinate [`AdaGrad`] |
//! | optimistic regret of Algorithm 3 | [`DualAveraging`], [`Proximal`]; per coordinate [`DiagonalProximal`] |
//! | regret without a radius | [`FreeGrad`], [`CoinBetting`], per coordinate [`DiagonalFreeGrad`] |
//! | reductions | [`Constrained`] to a domain, [`Magnitude`] and direction |
//! | simplex and L1 ball | [`Hedge`], [`AdaHedge`], [`SignedHedge`] (EG±), [`PNorm`] |
//! | Theorem 1, a posteriori | [`Ledger`], [`Certificate`] and all of [`certificate`] |
//! | all theorems and corollaries, a priori | [`bound`] |
//!
//! # Symbols
//!
//! | doc maths | code | meaning |
//! | --- | --- | --- |
//! | α_t, A_t, τ_t | `weight`, `total`, `share` | weight of a round, sum of weights, α_t/A_t |
//! | w_t | `iterate` | the learner's point |
//! | x_t, y_t | `query`, `output`, `average` | query point of the gradient; point that the theorem bounds |
//! | β | `interpolation` | share of x_t, against w_t, in the query point |
//! | g_t, G_t = α_t g_t | `gradient` | gradient, weighted gradient |
//! | Z_t = ΣG, V_t = Σ‖G‖² | `sum`, `gradients`, `errors` | sums over gradients |
//! | h_t, δ_t = G_t − h_t | `hint`, `error` | hint, hint error |
//! | D, B, r | `domain`, twice `reach`, `reach` | domain, its diameter, its radius |
//! | Γ_t | `largest` | bound on ‖δ_t‖ |
//! | μ, γ | `curvature`, `gamma` | strong convexity, curvature along gradients |
//! | Ω, Ω* | `penalty`, `conjugate` | penalty that is not linearised |
//! | η_t, Λ_T, κ, ε | `rate`, `growth`, `kappa`, `epsilon` | learning rate and constants of Algorithm 4 |
//! | θ_j, S_j, c | `theta`, `squares`, `damping` | gradient sums of a coordinate, damping |
//!
//! [`guide`] says which of all these to use; [`errata`] lists errors in the text of arXiv 1903.00974 and their
//! treatment here.
#![forbid(unsafe_code)]

mod average;
pub mod bound;
pub mod certificate;
mod convert;
mod domain;
mod float;
pub mod kernel;
mod learner;
mod memory;
mod point;
mod promise;
mod rounds;
mod squares;
mod vector;
mod weights;

#[doc = include_str!("../docs/guide.md")]
pub mod guide {}

#[doc = include_str!("../docs/errata.md")]
pub mod errata {}

pub use average::Average;
pub use certificate::{Certificate, Certified, ElasticNet, Gradients, Ledger, Penalty, Uncertified};
pub use convert::{
    Accelerated, Anytime, AskHintTell, AskTell, CompositeAnytime, DenseAnytime, General, Optimistic, SkipError,
    StronglyConvex, classic, linear_decay,
};
pub use domain::{Ball, BoxDomain, Domain, L1Ball, Project, Radial, Separable, Simplex, WholeSpace};
pub use float::{Float, Real};
pub use learner::{
    AdaGrad, AdaHedge, CoinBetting, CompositeAveraging, Constrained, Descent, DiagonalFreeGrad, DiagonalProximal,
    DualAdaGrad, DualAveraging, FreeGrad, Hedge, Hinted, Lazy, LazyHinted, Leader, Learner, Magnitude, OgdNorm,
    OnlineNewton, PNorm, Penalised, Proximal, Quadratic, Ridge, SignedHedge,
};
pub use memory::{Grow, Memory};
pub use point::{Point, View};
pub use rounds::{Rounds, Status};
pub use squares::Squares;
pub use vector::{Sparse, Times, Vector};
pub use weights::{Linear, Power, Uniform, Weights};
