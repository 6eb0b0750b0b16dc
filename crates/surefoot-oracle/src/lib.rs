//! Dense reference implementations ("twins") of every learner and conversion and of the more complex certificates, for tests only.
//!
//! Each line of code is one line of the pseudo-code: vectors of a [`Number`] (`f64` or a type with more digits) are dense, and every sum is
//! recomputed or accumulated directly, without regard to speed, sparsity, extreme magnitudes or memory. The crate does not depend on the core
//! crate, so that agreement between the two is evidence that both are correct.
#![forbid(unsafe_code)]

pub mod certificates;
pub mod classes;
pub mod conversions;
pub mod domains;
pub mod experts;
pub mod hostile_ids;
pub mod learners;
pub mod number;
pub mod parameter_free;
pub mod proximal;
pub mod public;
mod stacking;
pub mod trainer;
pub mod vectors;

pub use domains::Domain;
pub use hostile_ids::hostile_ids;
pub use learners::Learner;
pub use number::Number;
