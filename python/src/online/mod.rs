//! Learners, conversions, domains, weights and certificates for Python: the submodule `surefoot._surefoot.online`.
//!
//! The library is generic; Python is not. So every part is erased to one type of its kind ([`domain::AnyDomain`],
//! [`weights::AnyWeights`], [`learner::AnyLearner`], [`method::DynMethod`]), which holds a part of the library or one
//! written in Python. Whether parts fit each other is decided when they are put together, not by the compiler.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

mod build;
mod certificate;
mod check;
mod composite;
mod coupled;
mod curved;
mod cuts;
mod domain;
mod fault;
mod learner;
mod ledger;
mod method;
mod methods;
mod own;
mod risk;
mod row;
mod stream;
mod weights;

use pyo3::prelude::*;

/// Adds the submodule to the extension module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let online = PyModule::new(module.py(), "online")?;
    online.add_class::<domain::Domain>()?;
    online.add_class::<weights::Weights>()?;
    online.add_class::<build::Learner>()?;
    online.add_class::<methods::Method>()?;
    online.add_class::<certificate::Certificate>()?;
    online.add_class::<ledger::Ledger>()?;
    online.add_class::<cuts::Cuts>()?;
    online.add_class::<curved::Curved>()?;
    online.add_class::<composite::Composite>()?;
    online.add_class::<coupled::Coupled>()?;
    online.add_class::<risk::Risk>()?;
    online.add_class::<stream::Stream>()?;
    module.add_submodule(&online)
}
