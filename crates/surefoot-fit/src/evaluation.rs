//! Evaluation of a trained model on labelled rows.

use crate::{
    bad_rows::BadRows,
    data::Data,
    error::FitError,
    rows::{Next, Rows},
    stop::{Interrupt, StopConditions},
};
use std::collections::BTreeMap;
use surefoot_glm::{Batch, Labels, Loss, Measured, Model, Part, PlotData, Row, Tally};
use surefoot_io::{ColumnMeans, Options};

/// Result of evaluating a model on labelled rows.
#[derive(Debug)]
pub struct Evaluation {
    /// Mean losses and metrics over the rows.
    pub measured: Measured,
    /// Points of the curves (such as ROC and calibration) for plots of the evaluation.
    pub plot_data: PlotData,
}

/// Reason why a label cannot be used with a loss or a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LabelFault {
    /// Label outside the domain of the loss, with the message of the loss.
    Range(String),
    /// Label outside the interval from 0 to 1, where a proportion of successes is expected.
    Share,
    /// Third distinct label, where the loss supports two classes.
    Third {
        /// The two labels found first.
        known: [f64; 2],
        /// Loss of the model, which supports two classes.
        loss: Loss,
    },
    /// Label that does not occur in the training data of the model.
    Unknown {
        /// Labels that occur in the training data of the model.
        known: Vec<f64>,
    },
}

/// Labelled rows to evaluate a model on, with the options for reading them.
#[derive(Debug)]
pub struct Labelled<'a> {
    /// Source of the rows.
    pub data: &'a Data,
    /// Options for reading the rows.
    pub options: Options,
    /// Conditions that stop the evaluation early.
    pub stop: StopConditions,
    /// Counter of the bad rows (rows that cannot be parsed or whose label cannot be used) that are skipped, with a limit on their number.
    pub bad_rows: BadRows,
    /// Number of threads: with 1, files are read on the thread that evaluates.
    pub threads: u16,
    /// Function that words the error message for a label that cannot be used. The options contain the class names.
    pub explain: fn(&LabelFault, &Options) -> String,
}

impl<'a> Labelled<'a> {
    /// Builds labelled rows read with these options, of which no bad row may be skipped.
    #[must_use]
    pub fn new(data: &'a Data, options: Options) -> Labelled<'a> {
        let (stop, bad_rows) = Default::default();
        Labelled { data, options, stop, bad_rows, threads: 2, explain: |fault, _| fault.to_string() }
    }

    /// Evaluates the model on the rows. O(nnz) per row. Calls `visit` with each row, the number of its unseen features (features that do
    /// not occur in the training data), the metrics so far, and the options.
    ///
    /// # Errors
    /// A bad row if no more may be skipped; data without rows; a request to stop.
    pub fn evaluate(
        &mut self,
        model: &Model,
        visit: impl FnMut(&Row<'_>, usize, &Tally, &Options),
    ) -> Result<Evaluation, Interrupt> {
        let mut tally = Tally::new(model);
        self.add_to(&mut tally, model, visit)?;
        let measured = tally.measured();
        if measured.rows == 0 {
            return Err(FitError::NoRows { data: self.data.to_string() }.into());
        }
        Ok(Evaluation { measured, plot_data: tally.plot_data() })
    }

    /// Adds the rows to an evaluation of the model, such as that of a shard; there may be none. O(nnz) per row. Calls `visit` as
    /// [`evaluate`](Labelled::evaluate) does.
    ///
    /// # Errors
    /// A bad row if no more may be skipped; a request to stop.
    pub fn add_to(
        &mut self,
        tally: &mut Tally,
        model: &Model,
        mut visit: impl FnMut(&Row<'_>, usize, &Tally, &Options),
    ) -> Result<(), Interrupt> {
        self.each(|batch, r, options| {
            let row = batch.row(r);
            // A row of weight 0 is counted whatever its label is.
            let label = if row.weight == 0.0 { Ok(0.0) } else { code(model, row.label) };
            let label = label.map_err(Fault::Label)?;
            let unseen = tally.add(label, &row).map_err(|fault| Fault::Row(fault.part, fault.message))?;
            visit(&row, unseen, tally, options);
            Ok(())
        })
    }

    /// Computes the mean of each numeric column, by column name. Skips bad rows without counting them.
    pub(crate) fn means(&self) -> Result<BTreeMap<String, f64>, Interrupt> {
        let options = ColumnMeans::options(&self.options);
        let mut means = ColumnMeans::default();
        self.skim(&options, |batch| {
            means.add(batch, &options);
            true
        })?;
        Ok(means.by_name())
    }

    /// Reads only the first rows, from which the readers infer properties of the data such as the format. Later calls read these rows
    /// again.
    ///
    /// # Errors
    /// An input that cannot be read; a request to stop.
    pub fn begin(&self) -> Result<(), Interrupt> {
        self.skim(&self.options, |_| false)
    }

    /// Reads the rows and calls `look` with each batch until `look` returns false. Ignores bad rows, which a later pass over the data
    /// reports.
    fn skim(&self, options: &Options, mut look: impl FnMut(&Batch) -> bool) -> Result<(), Interrupt> {
        let mut rows = Rows::open(self.data, options, self.threads)?;
        let mut batch = Batch::default();
        loop {
            self.stop.check()?;
            match rows.next(&mut batch) {
                Ok(Next::End) => return Ok(()),
                Ok(Next::Rows) if !look(&batch) => return Ok(()),
                Ok(Next::Rows | Next::Waiting) => {}
                Err(error) if error.is_row() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads all rows before a model is trained, and checks that they can be read and that their labels suit the loss. `known` holds the
    /// labels of an existing model to be trained further, and is empty for a new model.
    ///
    /// # Errors
    /// The errors of [`evaluate`](Labelled::evaluate).
    pub fn check(&mut self, loss: Loss, known: &Labels) -> Result<(), Interrupt> {
        let mut classes = known.all();
        let shares = self.options.wanted.trials.is_some() || known.shares;
        self.each(|batch, r, _| {
            let row = batch.row(r);
            row.check().map_err(|fault| Fault::Row(fault.part, fault.message))?;
            let Some(label) = row.label else { return Ok(()) };
            loss.check(label).map_err(|fault| Fault::Row(fault.part, fault.message))?;
            if shares {
                return if (0.0..=1.0).contains(&label) { Ok(()) } else { Err(Fault::Label(LabelFault::Share)) };
            }
            // The classes of a multiclass loss are known only after training.
            if !loss.classifies() || loss.is_multiclass() || classes.contains(&label) {
                return Ok(());
            }
            if let [a, b] = classes[..] {
                return Err(Fault::Label(LabelFault::Third { known: [a, b], loss }));
            }
            classes.push(label);
            Ok(())
        })
    }

    /// Reads all rows, and calls `look` with each row: its batch, its index in the batch, and the options. Converts each fault that
    /// `look` returns to an error with the location of the row.
    fn each(&mut self, mut look: impl FnMut(&Batch, usize, &Options) -> Result<(), Fault>) -> Result<(), Interrupt> {
        let mut rows = Rows::open(self.data, &self.options, self.threads)?;
        let mut batch = Batch::default();
        loop {
            self.stop.check()?;
            let next = match rows.next(&mut batch) {
                Err(error) if error.is_row() => {
                    self.bad_rows.pass_over(|| error, true)?;
                    continue;
                }
                next => next?,
            };
            match next {
                Next::End => return Ok(()),
                Next::Waiting => {}
                Next::Rows => {
                    for r in 0..batch.len() {
                        if let Err(fault) = look(&batch, r, &self.options) {
                            let (part, message) = match fault {
                                Fault::Label(fault) => (Part::Label, (self.explain)(&fault, &self.options)),
                                Fault::Row(part, message) => (part, message),
                            };
                            let error = || self.data.locate(&self.options, &batch, r, part, false).error(message);
                            self.bad_rows.pass_over(error, true)?;
                        }
                    }
                }
            }
        }
    }
}

/// Fault of a row whose location is not yet known: a label that cannot be used, or a faulty part of the row with a message.
enum Fault {
    Label(LabelFault),
    Row(Part, String),
}

/// Encodes a label for the loss: −1 or +1 for two classes, the index of the class for more, or the unchanged label for a regression loss.
fn code(model: &Model, label: Option<f64>) -> Result<f64, LabelFault> {
    let (label, loss) = (label.unwrap_or(f64::NAN), model.settings.loss);
    if !loss.classifies() {
        return loss.check(label).map(|()| label).map_err(|fault| LabelFault::Range(fault.message));
    }
    let unknown = || match model.labels.shares {
        true => LabelFault::Share,
        false => LabelFault::Unknown { known: model.labels.all() },
    };
    model.labels.encode(label).ok_or_else(unknown)
}

impl std::fmt::Display for LabelFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LabelFault::Range(message) => f.write_str(message),
            LabelFault::Share => f.write_str("a share of successes is needed, between 0 and 1"),
            LabelFault::Third { known: [a, b], loss } => {
                write!(f, "a third label beside {a} and {b}: the {} loss takes two classes", loss.name())
            }
            LabelFault::Unknown { known } => write!(f, "not a label that the model was trained on ({known:?})"),
        }
    }
}
