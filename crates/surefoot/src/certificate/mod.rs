//! Certificates: upper bounds on the excess loss or the expected loss of a point, computed from sums kept during a run.
//!
//! A certificate bounds the excess loss of a point (its loss minus that of the best point), or its expected loss, from
//! a few sums that cost O(nnz) per step. Its validity does not depend on the learner: a bad learner makes the number
//! larger, not false.
//!
//! | situation | sums to keep | sense of the bound |
//! | --- | --- | --- |
//! | any run over a bounded domain | [`Ledger`]: sums of weighted gradients and of their products with iterates | for certain, or in expectation |
//! | as above, and values of the loss L are known | [`Cuts`]: lower bounds, for any point | for certain |
//! | a penalty instead of a domain | [`Composite`] | for certain, or in expectation |
//! | L is μ-strongly convex, with or without a domain | [`Curved`], O(d) per step | for certain, or in expectation |
//! | Algorithm 4 of arXiv 1903.00974 | [`Coupled`] | for certain, or in expectation |
//! | noisy gradients of bounded length | [`Stream`], tighter with [`Operator`], in many dimensions [`Sketch`] | with probability 1 − δ |
//! | the expected loss itself, without held-out data | [`Risk`] | with probability 1 − δ, or in expectation |
//! | a generalised linear model, one full pass | [`fenchel()`]; [`FullPass`] if rows are not stored | for certain |
//!
//! A bound that holds with probability 1 − δ holds at all steps simultaneously, so it stays valid for any
//! data-dependent stopping time.
//!
//! Certificates can be invalidated in the following ways. Rows of a second pass and of shuffled epochs give gradients
//! that are biased given the past: [`Gradients::Reused`] is refused, while [`fenchel()`] is not affected. Gradients
//! that were clipped before they were passed on belong to another objective, which cannot be detected. A weight must
//! not depend on the gradient of its round, so it is announced before the gradient. In Algorithm 4, values measured on
//! the batch of the gradient are biased downwards: [`Rise::SameBatch`] is refused. Gradient hints (Algorithm 3) and
//! queries between iterate and average (interpolation) do not invalidate a certificate.
//!
//! ```
//! use surefoot::certificate::{Gradients, Kind};
//! use surefoot::{Anytime, AskTell, Ball, Linear, OgdNorm, WholeSpace};
//!
//! // Minimise |x − 0.3| on the interval from −1 to 1.
//! let mut method = Anytime::new(OgdNorm::<f64, _>::new(1, Ball::new(1.0)), Linear).certified();
//! for _ in 0..1000 {
//!     let slope = (method.at(0) - 0.3).signum();
//!     method.tell(&[slope]);
//! }
//! let certificate = method.certificate(&Ball::new(1.0), Gradients::Exact)?;
//! assert_eq!(certificate.kind, Kind::Deterministic);
//! assert!(certificate.value < 0.1);
//! let why = method.certificate(&WholeSpace::new(1.0), Gradients::Exact).unwrap_err();
//! assert_eq!(why.reason(), "neither domain nor penalty bounds the minimiser");
//! # Ok::<(), surefoot::certificate::Uncertified>(())
//! ```
//!
//! Source: arXiv 1903.00974, Theorem 1, kept a posteriori.

mod assumption;
mod boundary;
mod composite;
mod coupled;
mod curved;
mod cuts;
mod eigen;
mod fenchel;
mod full_pass;
mod ledger;
mod operator;
mod penalty;
mod risk;
mod sketch;
mod slopes;
mod stream;
mod sum;
mod uncertified;
mod value;

pub use assumption::{Assumption, Assumptions, Gradients};
pub use boundary::boundary;
pub use composite::Composite;
pub use coupled::{Coupled, Rise};
pub use curved::Curved;
pub use cuts::Cuts;
pub use fenchel::{Balance, Glm, Optimality, fenchel, margin_error};
pub use full_pass::FullPass;
pub use ledger::Ledger;
pub(crate) use ledger::vouch;
pub use operator::Operator;
pub use penalty::{ElasticNet, Inside, Penalty};
pub use risk::Risk;
pub use sketch::Sketch;
pub use stream::Stream;
pub use uncertified::{Certified, Uncertified};
pub use value::{Certificate, Comparator, Kind, Minimiser, Subject};
