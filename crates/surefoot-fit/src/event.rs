//! Events of a running fit.

use crate::{rows::Rows, unmet::UnmetName};
use surefoot_glm::{Certificate, Fault, Labels, Settings, Step, Trainer, optimum::Optimum};
use surefoot_io::Options;

/// An event of a running fit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Standard input is copied to a file, to be read several times.
    Spooling,
    /// All rows are read once before the first is learnt, for the means of the columns.
    ReadingMeans,
    /// The first rows were read: readers know the format and the columns.
    Opened(&'a Options),
    /// Some rows were read, or waited for. Comes every few milliseconds.
    Reading(&'a Rows),
    /// A pass over the data is over.
    PassOver(&'a Rows),
    /// A few rows were learnt. Comes every few microseconds.
    Learnt {
        /// Rows counted by the trainer.
        rows: u64,
        /// The trainer.
        trainer: &'a mut Trainer,
    },
    /// The number of rows is a power of two.
    Milestone {
        /// The trainer.
        trainer: &'a mut Trainer,
        /// The rows.
        rows: &'a Rows,
    },
    /// None of the first rows has one of these names.
    Unmet {
        /// Number of rows read.
        rows: u64,
        /// The names.
        names: Vec<UnmetName>,
    },
    /// Shuffled rows do not fit in memory, and go to a temporary file.
    Spilled,
    /// All rows are read once more for a certificate.
    Certifying,
    /// A certificate of the model as of now is known.
    Certified {
        /// The certificates.
        certificates: &'a [Certificate],
        /// The mean loss over all rows, if it was computed.
        objective: Option<f64>,
        /// The trainer.
        trainer: &'a Trainer,
    },
    /// The choice of a penalty begins.
    ChoosingPenalty,
    /// A step of that choice.
    Chosen(Step<'a>),
    /// The search for the optimum begins.
    Searching {
        /// The settings, of which the loss and the penalty are minimised.
        settings: &'a Settings,
        /// The relative gap that ends it.
        tolerance: f64,
    },
    /// The search has found a better model, or a better certificate.
    Iteration {
        /// The best so far.
        found: &'a Optimum,
        /// Rows counted by the trainer.
        rows: u64,
    },
    /// All is learnt, or the run was stopped: the model is about to be saved.
    Learned(&'a mut Trainer),
    /// Losses are too large to be added up, so that there is no optimum to be found; the model of the first pass stays.
    NoOptimum,
}

/// An observer of a fit. Default methods do nothing.
pub trait Observer: Send {
    /// Called on the thread of the fit, which waits for it.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// The words for a row that cannot be learnt; by default those of the fault.
    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        let _ = (labels, options);
        fault.message.clone()
    }
}

/// An observer that does nothing.
impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }

    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        (**self).explain(fault, labels, options)
    }
}

/// An observer made of a function.
pub(crate) struct ClosureObserver<F>(pub(crate) F);

impl<F: FnMut(Event<'_>) + Send> Observer for ClosureObserver<F> {
    fn event(&mut self, event: Event<'_>) {
        (self.0)(event);
    }
}
