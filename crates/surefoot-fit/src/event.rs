//! Events of a running fit.

use crate::{rows::Rows, unmet::UnmetName};
use surefoot_glm::{Certificate, Fault, Labels, Settings, Step, Trainer, optimum::Optimum};
use surefoot_io::Options;

/// An event of a running fit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Copying standard input to a file, to read it several times.
    Spooling,
    /// Reading all rows once for the means of columns, before the first is learnt.
    ReadingMeans,
    /// The first rows were read: format and columns are known.
    Opened(&'a Options),
    /// Rows were read or waited for. Every few milliseconds.
    Reading(&'a Rows),
    /// A pass over the data has ended.
    PassEnded(&'a Rows),
    /// A few rows were learnt. Every few microseconds.
    RowsLearnt {
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
    /// Names given by the caller that none of the first rows has.
    UnmetNames {
        /// Number of rows read.
        rows: u64,
        /// The names.
        names: Vec<UnmetName>,
    },
    /// Shuffled rows exceed their memory, and go to a temporary file.
    Spilled,
    /// Reading all rows once more for a certificate.
    Certifying,
    /// The current model was certified.
    Certified {
        /// The certificates.
        certificates: &'a [Certificate],
        /// Mean loss over all rows, if it was computed.
        objective: Option<f64>,
        /// The trainer.
        trainer: &'a Trainer,
    },
    /// The choice of a penalty starts.
    ChoosingPenalty,
    /// A step of the choice of a penalty.
    PenaltyStep(Step<'a>),
    /// The search for the optimum starts.
    Searching {
        /// The settings: loss and penalty of the objective.
        settings: &'a Settings,
        /// Relative gap at which it ends.
        tolerance: f64,
    },
    /// The search has found a better model, or a better certificate.
    Iteration {
        /// The best model so far.
        found: &'a Optimum,
        /// Rows counted by the trainer.
        rows: u64,
    },
    /// Training has ended, or was stopped: the model is about to be saved.
    TrainingEnded(&'a mut Trainer),
    /// Losses overflow, so that no optimum can be computed; the model of the first pass is kept.
    NoOptimum,
}

/// An observer of a fit. Default methods do nothing.
pub trait Observer: Send {
    /// Called on the thread of the fit, which waits for it to return.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// Message for a row that cannot be learnt; by default that of the fault.
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
