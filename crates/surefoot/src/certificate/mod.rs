//! Bounds that can be read off the numbers of a run, and the reasons why there may be none.
//!
//! A certificate bounds how far a point is from the best one, or what its loss is, from a few sums that cost O(nnz) a
//! step. It does not trust the learner: a bad one makes the number larger, not false.
//!
//! | when | what to keep | how it is true |
//! | --- | --- | --- |
//! | any run over a bounded domain | [`Ledger`]: S and Z | for certain, or in expectation |
//! | and the values of L are known | [`Cuts`]: lower bounds, for any point | for certain |
//! | a penalty instead of a domain | [`Composite`] | for certain, or in expectation |
//! | L is μ-strongly convex, with a domain or without | [`Curved`], O(d) a step | for certain, or in expectation |
//! | Algorithm 4 | [`Coupled`] | for certain, or in expectation |
//! | noisy gradients of bounded length | [`Stream`], tighter with [`Operator`], in many dimensions [`Sketch`] | with probability 1 − δ |
//! | the loss itself, without a hold-out set | [`Risk`] | with probability 1 − δ, or in expectation |
//! | a generalised linear model, one full pass | [`fenchel()`]; [`FullPass`] where rows are not kept | for certain |
//!
//! What holds with probability 1 − δ holds at all steps at once, so one may stop whenever one likes what one sees.
//!
//! What breaks certificates, and what is done about it: rows of a second pass and shuffled epochs are not unbiased
//! given the past ([`Gradients::Reused`] is refused; [`fenchel()`] does not mind); gradients that were clipped before
//! they were told are gradients of something else, and nothing can notice; a weight may not depend on its round's
//! gradient, so trackers are told it first; in Algorithm 4 values from the batch of the gradient flatter
//! ([`Rise::SameBatch`] is refused). Hints and interpolation are harmless.
//!
//! ```
//! use surefoot::certificate::{Gradients, Kind};
//! use surefoot::{Anytime, AskTell, Ball, Linear, OgdNorm, Whole};
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
//! let why = method.certificate(&Whole::new(1.0), Gradients::Exact).unwrap_err();
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
