//! Bounds on the excess loss that are known before a run: every theorem and corollary of arXiv 1903.00974 as a function
//! of plain numbers.
//!
//! | paper (arXiv 1903.00974) | here | difference from the paper |
//! | --- | --- | --- |
//! | Theorem 1 in expectation, its first corollary, Theorem 2 | [`Anytime::expected`] | only for weights fixed before the run |
//! | Theorem 1, in probability | [`Anytime::probable`] | √2 sharper, and ln(1/δ) for ln(2/δ) |
//! | corollary on weighted regret | [`weighted_regret`], [`root_regret`] | without a logarithm for sums |
//! | corollary on other weights afterwards | [`Reweighted`] | with its constant |
//! | corollaries on strong convexity, Theorem S | [`StronglyConvex`] | no domain needed |
//! | remark on exp-concave losses | [`ExpConcave`] | with its constant |
//! | corollary on smooth losses, Theorem N | [`Smooth`] | one logarithm less; needs 2L in the self-bounding |
//! | Theorem 3, Theorem O | [`Optimistic`] | T^−2 instead of T^−3/2 |
//! | Theorem 4, Theorem A | [`Accelerated`] | bounds y_T; ε with units for the 1; half the constant |
//! | Theorem 5 | [`Accelerated::lipschitz`], [`Accelerated::universal`] | √(log T/T), and c in the constant |
//!
//! The theorems named by letters (N, O, S, A) are strengthenings whose proofs use only the devices of arXiv 1903.00974
//! and the slack that its proof of Theorem 1 discards, Σ A_{t−1}·D_L(x_{t−1}, x_t) with D_L the Bregman gap. N sums the
//! smooth corollary without its logarithms, O pays for the change of gradients with the slack, S completes the square
//! with it, and A keeps ε and c general. All are for convex L; B is the diameter of the domain, G² a bound on E‖g_t‖²,
//! σ² a bound on the variance of g_t, and T the number of rounds. For T = 0, without an output, results are ∞ or NaN.
//!
//! The gradients may be taken between iterate and average (interpolation), and a penalty may be excluded from the
//! linearisation: in both cases Theorem 1 and all consequences of the regret alone still hold. The smooth corollary
//! (Theorem N), Theorem 3 and Theorems O, S and A need gradients at the average itself.
//!
//! ```
//! use surefoot::bound::{Accelerated, Optimistic, StronglyConvex};
//!
//! // Logistic regression on rows no longer than 1 in a ball of radius 3: L = 1/4, G = 1, and σ = 1 at most.
//! let problem = Optimistic { diameter: 6.0, smoothness: 0.25, noise: 1.0, first: 1.0, ..Optimistic::default() };
//! let stream = |steps| Optimistic { steps, ..problem };
//! // One example a step: how many steps for an excess of 0.1 on average?
//! let steps = (0..).map(|k| 1 << k).find(|&steps| stream(steps).expected() < 0.1);
//! assert_eq!(steps, Some(32_768));
//! // With 64 examples a step the variance is 1/64 …
//! let batch = |steps| Optimistic { noise: 0.125, ..stream(steps) };
//! assert_eq!((0..).map(|k| 1 << k).find(|&steps| batch(steps).expected() < 0.1), Some(512));
//! // … and with a penalty of 0.1/2·‖w‖² the strong convexity does better, with no radius at all.
//! let ridge = StronglyConvex { steps: 512, curvature: 0.1, gradient: 1.3 };
//! assert!(ridge.linear() < 0.09);
//! ```

mod accelerated;
mod anytime;
mod curved;
mod optimistic;
mod smooth;

pub use accelerated::Accelerated;
pub use anytime::{Anytime, Reweighted, adaptive_regret, root_regret, weighted_regret};
pub use curved::{ExpConcave, StronglyConvex};
pub use optimistic::{Optimistic, diagonal};
pub use smooth::Smooth;
