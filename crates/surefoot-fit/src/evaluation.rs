//! Evaluation of a model on labelled rows.

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

/// Metrics of a model on labelled rows.
#[derive(Debug)]
pub struct Evaluation {
    /// Losses and metrics.
    pub measured: Measured,
    /// Curves and points to plot.
    pub plot_data: PlotData,
}

/// A label outside the domain of the loss, or unknown to the model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LabelFault {
    /// Out of the range of the loss; with its words.
    Range(String),
    /// Not a proportion of successes, between 0 and 1.
    Share,
    /// A third label beside two, of a loss of two classes.
    Third {
        /// The two labels.
        known: [f64; 2],
        /// The loss.
        loss: Loss,
    },
    /// Not a label that the model was trained on.
    Unknown {
        /// Labels that it was trained on.
        known: Vec<f64>,
    },
}

/// Labelled rows for an evaluation, and the options to read them.
#[derive(Debug)]
pub struct Labelled<'a> {
    /// The rows.
    pub data: &'a Data,
    /// Options of the readers.
    pub options: Options,
    /// Conditions that stop the evaluation early.
    pub stop: StopConditions,
    /// Counter of skipped rows at fault.
    pub bad_rows: BadRows,
    /// Message for a label at fault; class names are in the options.
    pub explain: fn(&LabelFault, &Options) -> String,
}

impl<'a> Labelled<'a> {
    /// Rows read with these options; a row at fault is an error.
    #[must_use]
    pub fn new(data: &'a Data, options: Options) -> Labelled<'a> {
        let (stop, bad_rows) = Default::default();
        Labelled { data, options, stop, bad_rows, explain: |fault, _| fault.to_string() }
    }

    /// Evaluates the model on these rows. O(nnz) per row. `visit` is called with each row and the number of its features that were not
    /// encountered in training.
    ///
    /// # Errors
    /// A row at fault beyond those that may be passed over; no rows; a request to stop.
    pub fn evaluate(
        &mut self,
        model: &Model,
        mut visit: impl FnMut(&Row<'_>, usize, &Tally, &Options),
    ) -> Result<Evaluation, Interrupt> {
        let mut tally = Tally::new(model);
        self.each(|batch, r, options| {
            let row = batch.row(r);
            // One of weight 0 is counted, whatever its label is.
            let label = if row.weight == 0.0 { Ok(0.0) } else { code(model, row.label) };
            let label = label.map_err(Fault::Label)?;
            let unseen = tally.add(label, &row).map_err(|fault| Fault::Row(fault.part, fault.message))?;
            visit(&row, unseen, &tally, options);
            Ok(())
        })?;
        let measured = tally.measured();
        if measured.rows == 0 {
            return Err(FitError::NoRows { data: self.data.to_string() }.into());
        }
        Ok(Evaluation { measured, plot_data: tally.plot_data() })
    }

    /// The means of the columns of numbers, by their names. Rows at fault do not count.
    pub(crate) fn means(&self) -> Result<BTreeMap<String, f64>, Interrupt> {
        let options = ColumnMeans::options(&self.options);
        let mut means = ColumnMeans::default();
        self.skim(&options, |batch| {
            means.add(batch, &options);
            true
        })?;
        Ok(means.by_name())
    }

    /// Reads the first rows, so that properties of the data are inferred. Rows are read again by later calls.
    ///
    /// # Errors
    /// An input that cannot be read; a request to stop.
    pub fn begin(&self) -> Result<(), Interrupt> {
        self.skim(&self.options, |_| false)
    }

    /// Shows batches to `look` until it wants no more. Rows at fault are passed over: they are met again.
    fn skim(&self, options: &Options, mut look: impl FnMut(&Batch) -> bool) -> Result<(), Interrupt> {
        let mut rows = Rows::open(self.data, options, 2)?;
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

    /// Reads all rows before there is a model, and checks that they can be read and that their labels suit the loss. `known` are the
    /// labels of a model that will be trained further.
    ///
    /// # Errors
    /// As [`evaluate`](Labelled::evaluate).
    pub fn check(&mut self, loss: Loss, known: &Labels) -> Result<(), Interrupt> {
        let mut classes = known.all();
        let shares = self.options.wanted.trials.is_some() || known.shares;
        self.each(|batch, r, _| {
            let Some(label) = batch.row(r).label else { return Ok(()) };
            loss.check(label).map_err(|fault| Fault::Row(fault.part, fault.message))?;
            if shares {
                return if (0.0..=1.0).contains(&label) { Ok(()) } else { Err(Fault::Label(LabelFault::Share)) };
            }
            // Which of many classes training will show is not known.
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

    /// Hands every row to `look`, whose faults are given their place.
    fn each(&mut self, mut look: impl FnMut(&Batch, usize, &Options) -> Result<(), Fault>) -> Result<(), Interrupt> {
        let mut rows = Rows::open(self.data, &self.options, 2)?;
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

/// A fault of a row: of its label, as data, or in the words of whoever found it.
enum Fault {
    Label(LabelFault),
    Row(Part, String),
}

/// Encodes a label: −1 or +1, the position of its class, or the number itself.
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
