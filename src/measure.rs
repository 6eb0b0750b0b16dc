//! Measuring a model on labelled rows: what `eval` and `fit --test` share.

use crate::{
    reading,
    rows::{self, Next, Rows},
    session::Halt,
    skips::Skips,
    unseen::{Told, Unseen},
    watch::Watch,
};
use std::{cell::RefCell, collections::BTreeMap};
use surefoot_glm::{Batch, Labels, Loss, Measured, Model, Part, Picture, Tally};
use surefoot_io::{ColumnMeans, InputName, Options};

/// The result of scoring a model on rows.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) measured: Measured,
    /// Curves to draw.
    pub(crate) picture: Picture,
    /// Values and gaps that training never saw.
    pub(crate) unseen: Told,
}

/// Rows to measure on.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) inputs: &'a [InputName],
    pub(crate) options: Options,
    pub(crate) watch: &'a Watch,
    /// Rows at fault that are passed over.
    pub(crate) skips: RefCell<Skips>,
}

impl Sample<'_> {
    /// How good the model is on these rows.
    pub(crate) fn measure(&self, model: &Model) -> Result<Findings, Halt> {
        let found = &self.options.found;
        let (mut tally, mut unseen) = (Tally::new(model), Unseen::new(model, found));
        self.each(|batch, r| {
            let row = batch.row(r);
            // One of weight 0 is counted, whatever its label is.
            let label = if row.weight == 0.0 { Ok(0.0) } else { code(model, row.label, &self.options) };
            let label = label.map_err(|says| (Part::Label, says))?;
            let count = tally.add(label, &row).map_err(|fault| (fault.part, fault.message))?;
            unseen.add(&row, count, |id| tally.knows(id), found);
            Ok(())
        })?;
        let measured = tally.measured();
        if measured.rows == 0 {
            return Err(rows::absent(self.inputs).into());
        }
        Ok(Findings { measured, picture: tally.picture(), unseen: unseen.told(found) })
    }

    /// The means of the columns of numbers, by their names. Rows at fault do not count.
    pub(crate) fn means(&self) -> Result<BTreeMap<String, f64>, Halt> {
        let options = ColumnMeans::options(&self.options);
        let mut rows = Rows::open(self.inputs, options.clone(), 2)?;
        let (mut batch, mut means) = (Batch::default(), ColumnMeans::default());
        loop {
            self.watch.check()?;
            match rows.next(&mut batch) {
                Ok(Next::End) => return Ok(means.by_name()),
                Ok(Next::Rows) => means.add(&batch, &options),
                Ok(Next::Waiting) => {}
                // They are met again.
                Err(error) if error.is_row() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads the first rows, after which it is known how all are read. Rows at fault are met again.
    pub(crate) fn begin(&self) -> Result<(), Halt> {
        let mut rows = Rows::open(self.inputs, self.options.clone(), 2)?;
        let mut batch = Batch::default();
        loop {
            self.watch.check()?;
            match rows.next(&mut batch) {
                Ok(Next::End | Next::Rows) => return Ok(()),
                Ok(Next::Waiting) => {}
                Err(error) if error.is_row() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads the rows before there is a model: whether they can be read, and whether their labels are those
    /// of two classes. `known` are the labels of a model that will be trained further.
    pub(crate) fn check(&self, loss: Loss, known: &Labels) -> Result<(), Halt> {
        let mut classes = known.all();
        self.each(|batch, r| {
            let Some(label) = batch.row(r).label else { return Ok(()) };
            loss.check(label).map_err(|fault| (fault.part, fault.message))?;
            if self.options.wanted.trials.is_some() || known.shares {
                let says = "a share of successes is needed, between 0 and 1, as --trials has it";
                return if (0.0..=1.0).contains(&label) { Ok(()) } else { Err((Part::Label, says.to_owned())) };
            }
            // Which of many classes training will show is not known.
            if !loss.classifies() || loss.has_margins() || classes.contains(&label) {
                return Ok(());
            }
            if classes.len() == 2 {
                let texts = self.options.found.classes();
                let [a, b] = [classes[0], classes[1]].map(|label| reading::label(label, &texts));
                return Err((Part::Label, format!("a third label beside {a} and {b}; {}", remedy(loss))));
            }
            classes.push(label);
            Ok(())
        })
    }

    /// Hands every row to `look`, whose complaints are given their place.
    fn each(&self, mut look: impl FnMut(&Batch, usize) -> Result<(), (Part, String)>) -> Result<(), Halt> {
        let mut rows = Rows::open(self.inputs, self.options.clone(), 2)?;
        let mut batch = Batch::default();
        loop {
            self.watch.check()?;
            let next = match rows.next(&mut batch) {
                Err(error) if error.is_row() => {
                    self.skips.borrow_mut().pass_over(error.into(), true)?;
                    continue;
                }
                next => next?,
            };
            match next {
                Next::End => return Ok(()),
                Next::Waiting => {}
                Next::Rows => {
                    for r in 0..batch.len() {
                        if let Err((part, says)) = look(&batch, r) {
                            let error = self.options.describe(self.inputs, &batch, r, part).error(says);
                            self.skips.borrow_mut().pass_over(error.into(), true)?;
                        }
                    }
                }
            }
        }
    }
}

/// The label as the loss wants it: −1 or +1, or the position of one of many classes, else as it is.
fn code(model: &Model, label: Option<f64>, options: &Options) -> Result<f64, String> {
    let label = label.unwrap_or(f64::NAN);
    if !model.settings.loss.classifies() {
        return model.settings.loss.check(label).map(|()| label).map_err(|fault| fault.message);
    }
    model.labels.code(label).ok_or_else(|| {
        if model.labels.shares {
            return "a share of successes is needed, between 0 and 1: the model has --trials".to_owned();
        }
        let classes = options.found.classes();
        let known = reading::list_of(&model.labels.all(), &classes);
        format!("not a label that the model was trained on ({known})")
    })
}

fn remedy(loss: Loss) -> String {
    format!("--loss {} knows two classes; for more use --loss softmax, for numbers --loss squared", loss.name())
}
