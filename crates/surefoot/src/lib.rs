//! Online learners and the reductions that turn them into stochastic convex optimisers.
//!
//! An online learner needs no assumption about where its gradients come from, and the best ones need no learning rate.
//! A *conversion* turns any of them into a method that minimises a convex function L from (stochastic) gradients. The
//! *anytime* conversion takes the gradients at the running average of the learner's iterates, and so its last point is
//! as good as the learner's regret says, whenever one stops.
//!
//! The caller owns the loop: *ask* where to take a gradient, *tell* it. Asking is reading single coordinates or inner
//! products, and telling takes dense, sparse or scaled rows, so a step costs as much as its row has nonzeros, exactly
//! and not approximately. Nothing allocates once built, nothing can fail, no constant has units.
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
//! | classic conversion (introduction) | [`classic`] |
//! | weights α_t, sums A_t = α_1 + … + α_t (α_{1:t} in print) | [`Weights`], [`Rounds`] |
//! | online learner, regret R_T(u) | [`Learner`] and its refinements |
//! | losses with curvature of Algorithm 2 | [`Quadratic`] |
//! | hint of Algorithm 3 | [`Hinted`], [`LazyHinted`] |
//! | output y_T of Algorithm 4 | [`AskTell::output`] |
//! | adaptive regret B·√(2Σ‖α_t g_t‖²) | [`OgdNorm`], [`Descent`]; per coordinate [`AdaGrad`] |
//! | optimistic regret of Algorithm 3 | [`DualAveraging`] |
//! | Theorem 1 after the fact | [`Ledger`], [`Certificate`] and all of [`certificate`] |
//! | all theorems and corollaries beforehand | [`bound`] |
//!
//! # Symbols
//!
//! | doc maths | code | meaning |
//! | --- | --- | --- |
//! | α_t, A_t, τ_t | `weight`, `total`, `share` | weight of a round, sum of weights, α_t/A_t |
//! | w_t | `iterate` | the learner's point |
//! | x_t, y_t | `query`, `output`, `average` | where gradients are taken; what the theorem bounds |
//! | β | `interpolation` | share of x_t, against w_t, in the query point |
//! | g_t, G_t = α_t g_t | `gradient` | gradient, weighted gradient |
//! | Z_t = ΣG, V_t = Σ‖G‖² | `sum`, `gradients`, `errors` | sums over gradients |
//! | h_t, δ_t = G_t − h_t | `hint`, `error` | hint and what it missed |
//! | D, B, r | `domain`, twice `reach`, `reach` | domain, its diameter, its radius |
//! | Γ_t | `largest` | bound on ‖δ_t‖ |
//! | θ_j, S_j, c | `theta`, `squares`, `damping` | a coordinate's sums and damping |
//!
//! # Where this differs from the paper's print
//!
//! * Algorithm 1 prints Σ α_i w_t for the sum; it is Σ α_i w_i.
//! * The weight in the hint of Algorithm 3 is that of the new round, and the hint comes before the iterate.
//! * Algorithm 4 returns x_T in print, but its theorem bounds y_T; the output point is what the theorem bounds.
#![forbid(unsafe_code)]

mod average;
pub mod bound;
pub mod certificate;
mod convert;
mod domain;
mod float;
pub mod kernel;
mod learner;
mod point;
mod rounds;
mod squares;
mod vector;
mod weights;

pub use average::Average;
pub use certificate::{Certificate, Certified, Gradients, Ledger, Uncertified};
pub use convert::{Anytime, AskTell, DenseAnytime, classic};
pub use domain::{Ball, Cuboid, Domain, Project, Radial, Separable, Whole};
pub use float::{Float, Real};
pub use learner::{
    AdaGrad, Descent, DualAdaGrad, DualAveraging, Hinted, Lazy, LazyHinted, Learner, OgdNorm, Quadratic, Rescale,
};
pub use point::{Point, View};
pub use rounds::{Rounds, Status};
pub use squares::Squares;
pub use vector::{Sparse, Times, Vector};
pub use weights::{Linear, Power, Uniform, Weights};
