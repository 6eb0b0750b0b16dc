//! Events that a running fit reports to its observer.

use crate::{rows::Rows, unmet::UnmetName};
use surefoot_glm::{Certificate, Fault, Labels, Settings, Step, Summary, Trainer, optimum::Optimum};
use surefoot_io::Options;

/// Event of a running fit, passed to [`Observer::event`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Standard input is being copied to a temporary file, so that it can be read several times.
    Spooling,
    /// All rows are being read once to compute column means, before the first row is learnt.
    ReadingMeans,
    /// The first rows were read, so that the format and the columns of the data are known.
    Opened(&'a Options),
    /// Rows were read, or the fit waited for rows; reported every few milliseconds.
    Reading(&'a Rows),
    /// A pass over the data has ended.
    PassEnded(&'a Rows),
    /// A few rows were learnt; reported every few microseconds.
    RowsLearnt {
        /// Number of rows learnt so far, including those before the run was resumed.
        rows: u64,
        /// Trainer, after it learnt these rows.
        trainer: &'a mut Trainer,
    },
    /// The number of rows learnt has reached a power of two, at which progress is reported.
    Milestone {
        /// Trainer, after it learnt these rows.
        trainer: &'a mut Trainer,
        /// Reader of the rows, which provides the progress.
        rows: &'a Rows,
    },
    /// Rows of the shards of this process were read.
    ShardRead {
        /// Number of rows since the previous such event.
        rows: u64,
        /// Number of stored bytes since the previous such event.
        bytes: u64,
    },
    /// The number of rows learnt in rounds over shards has passed a power of two, or grown by a tenth, or
    /// all rows are learnt.
    Round {
        /// Summary of the run so far.
        summary: &'a Summary,
        /// Mean loss of the rows since the power of two before; `None` if none was passed.
        recent: Option<f64>,
        /// Number of bytes that all processes have read, estimated from those of this one.
        bytes: u64,
    },
    /// Some of the feature names given by the caller, for instance names to keep, occur in none of the first rows.
    UnmetNames {
        /// Number of rows that this run has read so far.
        rows: u64,
        /// Names given by the caller that occur in none of these rows.
        names: Vec<UnmetName>,
    },
    /// Shuffled rows no longer fit in the memory limit; further rows go to a temporary file.
    Spilled,
    /// All rows are being read once more, to certify a bound on the excess loss of the model.
    Certifying,
    /// The current model was certified: its excess loss was bounded.
    Certified {
        /// Certificates of the current model, each a bound on its excess loss or a reason why there is none.
        certificates: &'a [Certificate],
        /// Mean loss over all rows; `None` if it was not computed.
        objective: Option<f64>,
        /// Trainer that contains the certified model.
        trainer: &'a Trainer,
    },
    /// The choice of the strength of a penalty along a regularisation path starts.
    ChoosingPenalty,
    /// One step of the choice of a penalty is complete.
    PenaltyStep(Step<'a>),
    /// The search for the optimum over all rows starts.
    Searching {
        /// Settings of the model, whose loss and penalty form the objective to minimise.
        settings: &'a Settings,
        /// Relative duality gap at which the search ends.
        tolerance: f64,
    },
    /// The search for the optimum has completed an iteration.
    Iteration {
        /// Best model found so far, with its certified gap.
        found: &'a Optimum,
        /// Number of rows learnt so far, including those before the run was resumed.
        rows: u64,
    },
    /// Training has ended or was stopped, and the model is about to be saved.
    TrainingEnded(&'a mut Trainer),
    /// The loss overflows, so that no optimum can be computed. The model of the first pass is kept.
    NoOptimum,
}

/// Observer of a fit, which receives its events and words its messages. By default it ignores events, and an
/// unlearnable row gets the message of its fault.
pub trait Observer: Send {
    /// Receives an event, on the thread of the fit, which waits until this method returns.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// Words the message for a row that cannot be learnt. By default returns the message of the fault.
    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        let _ = (labels, options);
        fault.message.clone()
    }
}

/// Observer that ignores all events.
impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }

    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        (**self).explain(fault, labels, options)
    }
}

/// Observer that calls a closure with each event.
pub(crate) struct ClosureObserver<F>(pub(crate) F);

impl<F: FnMut(Event<'_>) + Send> Observer for ClosureObserver<F> {
    fn event(&mut self, event: Event<'_>) {
        (self.0)(event);
    }
}
