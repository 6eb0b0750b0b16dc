//! Online learners and the reductions that turn them into stochastic convex optimisers.
#![forbid(unsafe_code)]

mod average;
mod certificate;
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
pub use certificate::{Certificate, Ledger};
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
