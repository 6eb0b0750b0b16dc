//! Learning rows part by part, as a program receives them.

use crate::{
    bad_rows::BadRows,
    data::Data,
    error::FitError,
    evaluation::{LabelFault, Labelled},
    fit::Fit,
    rows::{Next, Rows},
    session::model_with_findings,
    stop::{Interrupt, StopConditions},
};
use std::fmt;
use surefoot_glm::{Batch, Fault, Labels, Model, Summary, Trainer};
use surefoot_io::Options;

/// Fit in one pass that learns rows part by part, without an end: after each part there is a model.
///
/// ```
/// use surefoot_fit::{Data, Fit, StopConditions};
/// use surefoot_glm::{Batch, Loss};
/// let mut fit = Fit::new(Loss::Squared).incremental()?;
/// for day in 0..10_u32 {
///     let mut rows = Batch::default();
///     (0..7_u32).for_each(|hour| rows.push(Some(f64::from(day + hour)), 1.0, &[(u64::from(hour), 1.0)]));
///     fit.learn(&Data::from(rows), &StopConditions::default()).unwrap();
/// }
/// assert_eq!(fit.model().summary.rows, 70);
/// # Ok::<(), surefoot_fit::FitError>(())
/// ```
pub struct Incremental {
    trainer: Trainer,
    options: Options,
    words: Words,
}

/// Functions that word the error messages for a label and for a row that cannot be learnt.
type Words = (fn(&LabelFault, &Options) -> String, fn(&Fault, &Labels, &Options) -> String);

impl fmt::Debug for Incremental {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incremental").field("rows", &self.trainer.summary().rows).finish_non_exhaustive()
    }
}

impl Fit<'_> {
    /// Starts a fit that learns rows part by part. Its plan has to be one pass; files, snapshots, an observer and stop conditions of the
    /// fit are not used.
    ///
    /// # Errors
    /// Contradictory settings; a model that cannot be trained further; a plan of several passes.
    pub fn incremental(self) -> Result<Incremental, FitError> {
        self.check(&Data::from(Batch::default()))?;
        let trainer = self.trainer()?;
        let words: Words = (|fault, _| fault.to_string(), |fault, _, _| fault.message.clone());
        Ok(Incremental { trainer, options: self.options, words })
    }
}

impl Incremental {
    /// Sets the functions that word the error messages for a label, and for a row, that cannot be learnt.
    #[must_use]
    pub fn explain(
        self,
        label: fn(&LabelFault, &Options) -> String,
        row: fn(&Fault, &Labels, &Options) -> String,
    ) -> Incremental {
        Incremental { words: (label, row), ..self }
    }

    /// Learns one part of the rows. O(nnz). All rows of the part are checked first, so that a part with a bad row changes nothing.
    ///
    /// # Errors
    /// The first row that cannot be learnt. A request to stop, after which the rows up to some row of the part are learnt.
    pub fn learn(&mut self, data: &Data, stop: &StopConditions) -> Result<(), Interrupt> {
        let bad_rows = BadRows::default();
        let (checked, options, explain) = (stop.clone(), self.options.clone(), self.words.0);
        let (loss, labels) = (self.trainer.settings().loss, self.trainer.labels());
        Labelled { stop: checked, bad_rows, explain, ..Labelled::new(data, options) }.check(loss, &labels)?;
        let (mut rows, mut batch) = (Rows::open(data, &self.options, 2)?, Batch::default());
        loop {
            stop.check()?;
            match rows.next(&mut batch)? {
                Next::End => return Ok(()),
                Next::Waiting => {}
                Next::Rows => self.learn_batch(data, &batch)?,
            }
        }
    }

    fn learn_batch(&mut self, data: &Data, batch: &Batch) -> Result<(), FitError> {
        if self.options.found.has_text_labels() {
            self.trainer.treat_labels_as_class_names(|| self.options.found.classes());
        }
        self.trainer.learn(batch, 0, batch.len()).map_err(|(row, fault)| {
            let message = (self.words.1)(&fault, &self.trainer.labels(), &self.options);
            data.locate(&self.options, batch, row, fault.part, false).error(message).into()
        })
    }

    /// Returns the options for reading rows, with the properties inferred so far.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the summary of all rows learnt so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.trainer.summary()
    }

    /// Returns the current model, from which [`Fit::resume`] goes on. O(features).
    #[must_use]
    pub fn model(&self) -> Model {
        model_with_findings(self.trainer.model(), &self.options, false)
    }
}
