//! Collection of labelled rows in memory, from which, together with a model, a batch training [`Problem`] is built.

use super::{optimum::Examples, problem::Problem, scaling::Scaling};
use crate::{
    data::{
        fault::{Fault, Part},
        feature_groups::Rule,
        rows::{Batch, Row, check_weight},
    },
    labels::{class_weights::ClassBalance, label_set::Labels},
    memory::feature_index::FeatureIndex,
    model::{group_index, trained_model::Model},
    numeric::check::{NEGLIGIBLE, need},
    shards::{Interrupted, Partial, Shards},
};

/// Labelled rows stored for batch training, with labels as they were read: 12 bytes per nonzero and 32 bytes per row.
///
/// [`Gathered::with_memory`] limits the memory for nonzeros; further nonzeros go to a temporary file. Features are
/// numbered in order of first appearance.
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
/// let problem = gathered.problem(&model).unwrap();
/// let found = problem.search(1e-9, 1, &|| false, &mut |_| ()).unwrap();
/// problem.place(&found, &mut model).unwrap();
/// assert!(model.certificates[0].bound().unwrap().relative.unwrap() <= 1e-9);
/// ```
#[derive(Debug, Default)]
pub struct Gathered {
    pub(super) feature_index: FeatureIndex,
    /// Group number of each column, as far as columns have other groups than 0.
    pub(super) groups: Vec<u32>,
    examples: Examples,
    pairs: Vec<(u32, f64)>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Gathered {
    /// Creates an empty collection for the rows of some shards of a data set. The optimum is then that over the rows of
    /// all shards; all processes have to search from the same model. At most `memory` bytes of nonzeros are kept in
    /// memory, the rest in a temporary file.
    #[must_use]
    pub fn of_shards(shards: Shards, memory: usize) -> Gathered {
        Gathered { examples: Examples::of_shards(shards, 0, memory), ..Gathered::default() }
    }

    /// Replaces every label y of the rows of a shard of this process by `number(y)`.
    pub fn relabel(&mut self, shard: usize, number: impl Fn(f64) -> f64) {
        self.examples.code_shard(shard, number);
    }

    /// Declares that the rows added from now on are those of the shard with this number, counted from 0.
    ///
    /// # Panics
    /// If the numbers of the shards are not strictly ascending.
    pub fn begin_shard(&mut self, number: usize) {
        self.examples.begin_shard(number);
    }

    /// Creates an empty collection that keeps at most `memory` bytes of nonzeros in memory and the rest in a temporary
    /// file.
    #[must_use]
    pub fn with_memory(memory: usize) -> Gathered {
        Gathered { examples: Examples::with_memory(memory), ..Gathered::default() }
    }

    /// Adds rows `from..to` of a batch. Skips rows of weight 0 and rows without a label.
    ///
    /// # Errors
    /// The index of the first row that cannot be added, with the reason: the row is invalid, its label is not finite,
    /// or neither memory nor disk space is left. Rows before it have been added.
    pub fn add(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        (from..to).try_for_each(|r| self.row(&batch.row(r)).map_err(|fault| (r, fault)))
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        row.check()?;
        let (Some(label), true) = (row.label, row.weight > 0.0) else { return Ok(()) };
        if !label.is_finite() {
            return Err(Fault::new(Part::Label, "a label is a finite number"));
        }
        self.pairs.clear();
        for (pair, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                let column = self.feature_index.find_or_insert(id, pair)? - 1;
                self.pairs.push((column, value));
                if let Some(&group) = row.group.get(pair).filter(|group| **group > 0) {
                    self.put_in_group(column as usize, group);
                }
            }
        }
        // Columns are numbered in order of first appearance, so a row has to be sorted by column.
        self.pairs.sort_unstable_by_key(|pair| pair.0);
        self.columns.clear();
        self.columns.extend(self.pairs.iter().map(|pair| pair.0));
        self.values.clear();
        self.values.extend(self.pairs.iter().map(|pair| pair.1));
        self.examples.reserve(self.pairs.len()).map_err(|error| {
            let says = "all rows are kept for the optimum, in memory or else in a temporary file (TMPDIR)";
            Fault::new(Part::Row, format!("{says}: {error}"))
        })?;
        self.examples.push(label, row.weight, row.offset, &self.columns, &self.values);
        Ok(())
    }

    /// Of several groups of a feature, the one with the largest number counts, as in training row by row.
    fn put_in_group(&mut self, column: usize, group: u32) {
        if self.groups.len() <= column {
            self.groups.resize(column + 1, 0);
        }
        self.groups[column] = self.groups[column].max(group);
    }

    /// Builds the batch training problem on these rows, with the settings, labels and features of `model`. The search
    /// starts from the weights of the model, or, under a standardised penalty, from weights of 0.
    ///
    /// *Cost*: O(nonzeros); the nonzeros are not copied.
    ///
    /// # Errors
    /// A message, if a row has a label or a feature that the model has not seen, or if the model is inconsistent
    /// ([`Model::check`], except that its weights need not be finite).
    pub fn problem(self, model: &Model) -> Result<Problem, String> {
        model.check_start()?;
        let Gathered { feature_index, mut examples, .. } = self;
        let (settings, labels) = (model.settings.clone(), model.labels.clone());
        if let Some(weights) = &settings.class_weights {
            let (balance, texts) =
                (balance(&examples, &labels).map_err(|stop| stop.to_string())?, &settings.reading.classes);
            let mut within = Ok(());
            examples.each_weight(|label, weight| {
                *weight *= balance.factor_of_all(weights, label, texts);
                within = std::mem::replace(&mut within, Ok(())).and_then(|()| check_weight(*weight));
            });
            within.map_err(|fault| format!("by its class weight a row is out of range: {}", fault.message))?;
        }
        let rows = examples.combine(|rows| {
            let count = examples.weighted(rows).count() as f64;
            Partial { sums: vec![count], ..Partial::default() }
        });
        let rows = rows.map_err(|stop| stop.to_string())?.sums[0] as usize;
        let classifies = settings.loss.classifies();
        examples.code(|label| if classifies { labels.encode(label).unwrap_or(f64::NAN) } else { label });
        let takes = |y| settings.loss.takes(y, labels.classes.len());
        need(
            (0..examples.len()).all(|i| takes(examples.label(i).0)),
            "the rows have a label that the model has not met",
        )?;
        for i in 0..examples.len() {
            let (y, offset) = examples.label(i);
            settings.loss.check_offset(y, offset).map_err(|fault| fault.message)?;
        }
        let mut position = vec![0; feature_index.dim() - 1];
        for (id, number) in feature_index.features() {
            let known = model.index.binary_search(&id);
            position[number as usize - 1] =
                known.map_err(|_| format!("the model has not met feature {id} of the rows"))?;
        }
        let width = model.intercept.len();
        if examples.is_in_shards() {
            // The numbers of the features have to be the same in all processes: those of the model.
            examples.renumber(&position, model.index.len());
            position = (0..model.index.len()).collect();
        }
        let mut rules = group_index::rules(model, &position);
        let mut weights: Vec<f64> =
            position.iter().flat_map(|&at| model.weight[at * width..][..width].iter().copied()).collect();
        let (mut intercept, mut scaling, raw_rules) = (model.intercept.clone(), None, rules.clone());
        if settings.penalty.standardize {
            let units = Scaling::apply(&mut examples).map_err(|stop| stop.to_string())?;
            let free = Rule { factor: 1.0, bounds: settings.penalty.bounds };
            let of = |column| units.rule(column, rules.get(column).copied().unwrap_or(free));
            rules = (0..position.len()).map(of).collect();
            // Start from 0 and not from the online learner's weights, so that the result depends neither on the units
            // of the columns nor on the penalties tried before.
            weights.fill(0.0);
            intercept.fill(0.0);
            scaling = Some(units);
        }
        let start = (weights, intercept);
        Ok(Problem { start, settings, labels, examples, rows, position, rules, scaling, raw_rules, tried: Vec::new() })
    }
}

/// Adds up the row weights of each class, over all shards.
fn balance(examples: &Examples, labels: &Labels) -> Result<ClassBalance, Interrupted> {
    let classes = labels.all();
    let total = examples.combine(|rows| {
        let mut balance = ClassBalance::default();
        examples.weighted(rows).for_each(|i| balance.add(examples.label(i).0, examples.weight(i)));
        Partial { compensated: balance.totals(&classes), ..Partial::default() }
    })?;
    let mut balance = ClassBalance::default();
    let totals = total.compensated_sums();
    let with = classes.iter().zip(totals).filter(|(_, total)| *total > 0.0);
    with.for_each(|(label, total)| balance.add(*label, total));
    Ok(balance)
}
