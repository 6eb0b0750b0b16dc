//! Measuring a model on labelled rows: what `eval` and `fit --test` share.

use crate::{
    failure::Failure,
    reading,
    rows::{self, Next, Rows},
    session::Halt,
    watch::Watch,
};
use surefoot_glm::{Batch, Labels, Loss, Measured, Metrics, Model, Part, Predictor};
use surefoot_io::{InputName, Options};

/// Rows to measure on.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) inputs: &'a [InputName],
    pub(crate) options: Options,
    pub(crate) watch: &'a Watch,
}

impl Sample<'_> {
    /// How good the model is on these rows.
    pub(crate) fn measure(&self, model: &Model) -> Result<Measured, Halt> {
        let predictor = Predictor::new(model);
        let mut metrics = Metrics::new(model.settings.loss);
        self.each(|batch, r| {
            let row = batch.row(r);
            if row.weight == 0.0 {
                // Counted, whatever its label is.
                metrics.add(0.0, 0.0, 0.0);
                return Ok(());
            }
            let label =
                code(model, row.label.unwrap_or(f64::NAN), &self.options).map_err(|says| (Part::Label, says))?;
            let scored = predictor.score(&row).map_err(|fault| (fault.part, fault.message))?;
            metrics.add(label, row.weight, scored.margin);
            Ok(())
        })?;
        let measured = metrics.measured();
        if measured.rows == 0 {
            return Err(rows::absent(self.inputs).into());
        }
        Ok(measured)
    }

    /// Reads the rows before there is a model: whether they can be read, and whether their labels are those
    /// of two classes. `known` are the labels of a model that will be trained further.
    pub(crate) fn check(&self, loss: Loss, known: Labels) -> Result<(), Halt> {
        let mut classes: Vec<f64> = [known.negative, known.positive].into_iter().flatten().collect();
        self.each(|batch, r| {
            let Some(label) = batch.row(r).label else { return Ok(()) };
            loss.check(label).map_err(|fault| (fault.part, fault.message))?;
            if !loss.classifies() || classes.contains(&label) {
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
            match rows.next(&mut batch)? {
                Next::End => return Ok(()),
                Next::Waiting => {}
                Next::Rows => {
                    for r in 0..batch.len() {
                        look(&batch, r).map_err(|(part, says)| {
                            Failure::from(self.options.describe(self.inputs, &batch, r, part).error(says))
                        })?;
                    }
                }
            }
        }
    }
}

/// The label as the loss wants it: −1 or +1 for classes, else as it is.
fn code(model: &Model, label: f64, options: &Options) -> Result<f64, String> {
    if !model.settings.loss.classifies() {
        return model.settings.loss.check(label).map(|()| label).map_err(|fault| fault.message);
    }
    let known: Vec<_> = [model.labels.negative, model.labels.positive].into_iter().flatten().collect();
    model.labels.code(label).ok_or_else(|| {
        let classes = options.found.classes();
        let known: Vec<_> = known.iter().map(|&label| reading::label(label, &classes)).collect();
        format!("not a label that the model was trained on ({})", known.join(", "))
    })
}

fn remedy(loss: Loss) -> String {
    format!("--loss {} knows two classes; for numbers use --loss squared", loss.name())
}
