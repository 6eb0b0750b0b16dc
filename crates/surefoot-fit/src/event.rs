//! Events that a running fit reports to its observer.

use crate::{rows::Rows, unmet::UnmetName};
use surefoot_glm::{Certificate, Fault, Labels, Settings, Step, Trainer, optimum::Optimum};
use surefoot_io::Options;

/// Event of a running fit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Standard input is being copied to a file, so that it can be read several times.
    Spooling,
    /// All rows are being read once to compute column means, before the first row is learnt.
    ReadingMeans,
    /// The first rows were read: the format and the columns are known.
    Opened(&'a Options),
    /// Rows were read or waited for; reported every few milliseconds.
    Reading(&'a Rows),
    /// A pass over the data has ended.
    PassEnded(&'a Rows),
    /// Several rows were learnt; reported every few microseconds.
    RowsLearnt {
        /// Number of rows counted by the trainer, including those before a resume.
        rows: u64,
        /// The trainer, after these rows.
        trainer: &'a mut Trainer,
    },
    /// The number of rows learnt has reached a power of two.
    Milestone {
        /// The trainer, after these rows.
        trainer: &'a mut Trainer,
        /// Reader of the rows.
        rows: &'a Rows,
    },
    /// Some of the feature names given by the caller occur in none of the first rows.
    UnmetNames {
        /// Number of rows read in this run.
        rows: u64,
        /// Names that occur in none of these rows.
        names: Vec<UnmetName>,
    },
    /// Shuffled rows no longer fit in their memory, and further rows go to a temporary file.
    Spilled,
    /// All rows are being read once more, for a certificate.
    Certifying,
    /// The current model was certified.
    Certified {
        /// Certificates of the current model.
        certificates: &'a [Certificate],
        /// Mean loss over all rows, if it was computed.
        objective: Option<f64>,
        /// The trainer of the model.
        trainer: &'a Trainer,
    },
    /// The choice of a penalty along a path starts.
    ChoosingPenalty,
    /// One step of the choice of a penalty is done.
    PenaltyStep(Step<'a>),
    /// The search for the optimum starts.
    Searching {
        /// Settings of the model, whose loss and penalty form the objective.
        settings: &'a Settings,
        /// Relative gap at which the search ends.
        tolerance: f64,
    },
    /// The search has found a better model, or a better certificate.
    Iteration {
        /// Best model so far.
        found: &'a Optimum,
        /// Number of rows counted by the trainer.
        rows: u64,
    },
    /// Training has ended or was stopped, and the model is about to be saved.
    TrainingEnded(&'a mut Trainer),
    /// Losses overflow, so that no optimum can be computed. The model of the first pass is kept.
    NoOptimum,
}

/// Observer of a fit. The default methods ignore events and use the message of a fault.
pub trait Observer: Send {
    /// Receives an event, on the thread of the fit, which waits until this method returns.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// Words the message for a row that cannot be learnt; by default the message of the fault.
    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        let _ = (labels, options);
        fault.message.clone()
    }
}

/// An observer that ignores all events.
impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }

    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        (**self).explain(fault, labels, options)
    }
}

/// Observer that calls a function with each event.
pub(crate) struct ClosureObserver<F>(pub(crate) F);

impl<F: FnMut(Event<'_>) + Send> Observer for ClosureObserver<F> {
    fn event(&mut self, event: Event<'_>) {
        (self.0)(event);
    }
}
