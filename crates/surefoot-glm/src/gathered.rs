//! All rows in memory, and the search for the model that is the best of all on them.

use crate::{
    Batch, Certificate, Fault, Labels, Model, Part, Row, Settings,
    certificate::{Bound, Subject},
    coordinate::NEGLIGIBLE,
    numbering::Numbering,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
};

/// Rows that are kept in memory, with their labels as they are: 12 bytes a pair, 32 a row.
///
/// ```
/// use surefoot_glm::{Batch, Gathered, Penalty, Plan, Settings, Trainer};
/// let mut batch = Batch::default();
/// for t in 0..100 {
///     let x = f64::from(t % 7) - 3.0;
///     batch.push(Some(f64::from(x + f64::from(t % 3) > 1.0)), 1.0, &[(1, x)]);
/// }
/// let penalty = Penalty { l2: 0.01, ..Penalty::default() };
/// let mut trainer = Trainer::new(Settings { penalty, ..Settings::default() }, Plan::ONE_PASS);
/// trainer.learn(&batch, 0, batch.len()).unwrap();
/// let mut gathered = Gathered::default();
/// gathered.add(&batch, 0, batch.len()).unwrap();
/// let mut model = trainer.model();
/// let problem = gathered.problem(&model);
/// let found = problem.search(1e-9, 1, &|| false, &mut |_| ()).unwrap();
/// problem.place(&found, &mut model);
/// assert!(model.certificates[0].bound().unwrap().relative.unwrap() <= 1e-9);
/// ```
#[derive(Debug, Default)]
pub struct Gathered {
    numbering: Numbering,
    examples: Examples,
    pairs: Vec<(u32, f64)>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Gathered {
    /// Adds rows `from..to` of a batch; those of weight 0 and without label leave no trace.
    ///
    /// # Errors
    /// The position of the first row for which there is no memory.
    pub fn add(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        (from..to).try_for_each(|r| self.row(&batch.row(r)).map_err(|fault| (r, fault)))
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let (Some(label), true) = (row.label, row.weight > 0.0) else { return Ok(()) };
        self.pairs.clear();
        for (pair, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                self.pairs.push((self.numbering.meet(id, pair)? - 1, value));
            }
        }
        // Features are numbered as they come.
        self.pairs.sort_unstable_by_key(|pair| pair.0);
        self.columns.clear();
        self.columns.extend(self.pairs.iter().map(|pair| pair.0));
        self.values.clear();
        self.values.extend(self.pairs.iter().map(|pair| pair.1));
        if !self.examples.reserve(self.pairs.len()) {
            let says = "no memory is left to keep all rows, as --passes auto does: a number of passes keeps none";
            return Err(Fault::new(Part::Row, says));
        }
        self.examples.push(label, row.weight, row.offset, &self.columns, &self.values);
        Ok(())
    }

    /// The search on these rows for a model with the settings, labels and features of this one, whose vector it starts from.
    #[must_use]
    pub fn problem(self, model: &Model) -> Problem {
        let Gathered { numbering, mut examples, .. } = self;
        let (settings, labels) = (model.settings.clone(), model.labels.clone());
        let classifies = settings.loss.classifies();
        examples.code(|label| if classifies { labels.code(label).unwrap_or(f64::NAN) } else { label });
        let mut position = vec![0; numbering.dim() - 1];
        for (id, number) in numbering.features() {
            // A learner meets every feature of a row that it does not refuse.
            position[number as usize - 1] = model.index.partition_point(|&known| known < id);
        }
        let width = model.intercept.len();
        let weights = position.iter().flat_map(|&at| model.weight[at * width..][..width].iter().copied()).collect();
        Problem { start: (weights, model.intercept.clone()), settings, labels, examples, position }
    }
}

/// The search for the least objective on rows in memory: see [`Gathered`].
#[derive(Debug)]
pub struct Problem {
    settings: Settings,
    labels: Labels,
    examples: Examples,
    /// Where the feature of each column stands in the model.
    position: Vec<usize>,
    start: (Vec<f64>, Vec<f64>),
}

impl Problem {
    /// Searches until the relative gap is certified to be within the tolerance, or there is a reason to end; what that reason
    /// is, and what `stop` and `each` are, [`optimise`] says. `None` if no row has weight.
    #[must_use]
    pub fn search(
        &self,
        tolerance: f64,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(&Optimum),
    ) -> Option<Optimum> {
        let penalty = self.settings.penalty;
        let goal = Goal {
            loss: self.settings.loss,
            classes: self.labels.classes.len(),
            l1: penalty.l1,
            l2: penalty.l2,
            nonnegative: penalty.nonnegative,
            intercept: self.settings.intercept,
            tolerance,
            threads,
        };
        optimise(&self.examples, &goal, (&self.start.0, &self.start.1), stop, each)
    }

    /// Puts what was found into the model that the search began with: its vector, and what is known of it. Features that
    /// are not on the rows keep their weights.
    pub fn place(&self, found: &Optimum, model: &mut Model) {
        let width = model.intercept.len();
        for (weights, &at) in found.weights.chunks(width.max(1)).zip(&self.position) {
            model.weight[at * width..][..width].copy_from_slice(weights);
        }
        model.intercept.copy_from_slice(&found.intercept);
        model.certificates = vec![certificate(found, &self.settings)];
    }
}

/// What the end of a search says of its model.
fn certificate(found: &Optimum, settings: &Settings) -> Certificate {
    let penalty = settings.penalty;
    if let Some(gap) = found.gap {
        let over = if penalty.nonnegative { "every model with weights of at least 0" } else { "every model" };
        return Certificate::Deterministic(Bound {
            subject: Subject::Excess,
            value: gap,
            relative: found.relative_gap(),
            delta: None,
            weighted: false,
            comparator: Some(over.to_owned()),
            assumptions: Vec::new(),
        });
    }
    let unpenalised = penalty.l1 == 0.0 && penalty.l2 == 0.0;
    Certificate::none(match found.ended {
        Ended::Unattained => "the labels are separated: the loss falls for ever as weights grow, and no model has the least; \
                              --l2 X holds them"
            .to_owned(),
        Ended::Decrement => "without a penalty the search ends where another Newton step would gain less than --tol; --l2 X gives \
                             a certificate"
            .to_owned(),
        _ if unpenalised => "without a penalty no dual point bounds the objective; --l2 X gives a certificate".to_owned(),
        _ => "the search ended before a dual point bounded the objective".to_owned(),
    })
}
