//! All rows in memory, and the search for the model that is the best of all on them.

use crate::{
    Axis, Batch, Bounds, Certificate, Fault, Labels, Model, Part, PathPoint, Penalty, Row, Rule, Settings,
    balance::Balance,
    certificate::{Bound, Subject},
    coordinate::NEGLIGIBLE,
    grouping,
    numbering::Numbering,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
    scaling::Scaling,
    sums::Mean,
};

/// Rows that are kept, with their labels as they are: 12 bytes a pair, 32 a row.
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
    /// No rows yet, of whose pairs at most so many bytes are to be kept in memory; the others will be in a temporary file.
    #[must_use]
    pub fn with_memory(memory: usize) -> Gathered {
        Gathered { examples: Examples::with_memory(memory), ..Gathered::default() }
    }

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
        self.examples.reserve(self.pairs.len()).map_err(|error| {
            let says = "all rows are kept for the optimum, in memory or else in a temporary file (TMPDIR)";
            Fault::new(Part::Row, format!("{says}: {error}"))
        })?;
        self.examples.push(label, row.weight, row.offset, &self.columns, &self.values);
        Ok(())
    }

    /// The search on these rows for a model with the settings, labels and features of this one, whose vector it starts from.
    #[must_use]
    pub fn problem(self, model: &Model) -> Problem {
        let Gathered { numbering, mut examples, .. } = self;
        let (settings, labels) = (model.settings.clone(), model.labels.clone());
        if let Some(weights) = &settings.class_weights {
            let (mut balance, texts) = (Balance::default(), &settings.reading.classes);
            examples.each_weight(|label, weight| balance.add(label, *weight));
            examples.each_weight(|label, weight| *weight *= balance.factor_of_all(weights, label, texts));
        }
        let classifies = settings.loss.classifies();
        examples.code(|label| if classifies { labels.code(label).unwrap_or(f64::NAN) } else { label });
        let mut position = vec![0; numbering.dim() - 1];
        for (id, number) in numbering.features() {
            // A learner meets every feature of a row that it does not refuse.
            position[number as usize - 1] = model.index.partition_point(|&known| known < id);
        }
        let width = model.intercept.len();
        let mut rules = grouping::rules(model, &position);
        let mut weights: Vec<f64> =
            position.iter().flat_map(|&at| model.weight[at * width..][..width].iter().copied()).collect();
        let (mut intercept, mut scaling, raw_rules) = (model.intercept.clone(), None, rules.clone());
        if settings.penalty.standardize {
            let units = Scaling::apply(&mut examples);
            let free = Rule { factor: 1.0, bounds: settings.penalty.bounds };
            let of = |column| units.rule(column, rules.get(column).copied().unwrap_or(free));
            rules = (0..position.len()).map(of).collect();
            // Nothing of how lanes met the columns, so that what is found depends neither on their units, nor on how the
            // penalty was come by.
            weights.fill(0.0);
            intercept.fill(0.0);
            scaling = Some(units);
        }
        let start = (weights, intercept);
        Problem { start, settings, labels, examples, position, rules, scaling, raw_rules, tried: Vec::new() }
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
    /// What holds for each, where not all are alike; in the units of the search.
    rules: Vec<Rule>,
    /// Those units, where they are not those of the rows; and rules in the units of the rows.
    scaling: Option<Scaling>,
    raw_rules: Vec<Rule>,
    start: (Vec<f64>, Vec<f64>),
    /// Penalties that were tried.
    tried: Vec<PathPoint>,
}

/// Of a path: every how many rows one is held out, how near to each optimum to go, and how many in a row may do clearly worse than the best.
const HELD_OUT: usize = 10;
const ROUGHLY: f64 = 1e-3;
const PATIENCE: usize = 4;
const CLEARLY: f64 = 1e-3;

impl Problem {
    /// What is sought, with the penalty that was chosen.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Which penalty is to be chosen, if one is.
    #[must_use]
    pub fn path(&self) -> Option<Axis> {
        self.settings.penalty.path
    }

    /// Chooses the penalty of a path: every 10th row is held out while the optimum over the others is sought for one
    /// penalty after the other, from the largest on, each from the one before; taken is that of the least loss on the
    /// held-out rows. Ends early where smaller ones do ever worse, and where `stop` says so. `each` is shown each.
    ///
    /// Without held-out rows (fewer than 10 in all) the penalty stays what it was.
    pub fn choose(&mut self, threads: usize, stop: &(dyn Fn() -> bool + Sync), each: &mut dyn FnMut(&PathPoint)) {
        let Some(axis) = self.settings.penalty.path else { return };
        let held = self.examples.hold_out(HELD_OUT);
        let mut start = (vec![0.0; self.start.0.len()], vec![0.0; self.start.1.len()]);
        let (unit, mut least, mut worse) = (self.unit(axis), f64::INFINITY, 0);
        for share in Axis::shares() {
            if held.is_empty() || stop() || worse == PATIENCE {
                break;
            }
            let penalty = axis.of(self.settings.penalty, unit * share);
            let goal = self.goal(&penalty, ROUGHLY, threads);
            let Some(found) = optimise(&self.examples, &goal, (&start.0, &start.1), stop, &mut |_| ()) else { break };
            let loss = self.held_out_loss(&held, &found);
            let point = PathPoint { l1: penalty.l1, l2: penalty.l2, loss };
            each(&point);
            self.tried.push(point);
            // Where penalties are so large that all are the same, nothing is worse.
            worse += usize::from(loss > least + CLEARLY * least.abs());
            if loss < least {
                (worse, least, self.settings.penalty) = (0, loss, penalty);
                if self.scaling.is_none() {
                    self.start = (found.weights.clone(), found.intercept.clone());
                }
            }
            start = (found.weights, found.intercept);
        }
        self.examples.put_back(&held);
    }

    /// The largest penalty that may be worth a try: the trace of the mean curvature, or, for l1, the root mean square of
    /// gradients, at margins of 0.
    fn unit(&self, axis: Axis) -> f64 {
        let (loss, mut sum) = (self.settings.loss, Mean::default());
        for i in (0..self.examples.len()).filter(|&i| self.examples.weight(i) > 0.0) {
            let (y, offset) = self.examples.label(i);
            let length: f64 = self.examples.row(i).1.iter().map(|x| x * x).sum();
            let size = match axis {
                // With margins of 0 all classes are as likely, and squares of slopes and bends have the same sum.
                _ if loss.has_margins() => 1.0 - 1.0 / self.labels.classes.len().max(2) as f64,
                Axis::L1 => loss.slope(y, offset).powi(2),
                Axis::L2 => loss.bend(y, offset).unwrap_or(loss.slope(y, offset).powi(2)),
            };
            sum.add(size * length, self.examples.weight(i));
        }
        let mean = sum.value().filter(|mean| mean.is_finite() && *mean > 0.0).unwrap_or(1.0);
        if axis == Axis::L1 { mean.sqrt() } else { mean }
    }

    /// The mean loss on held-out rows of what was found on the others.
    fn held_out_loss(&self, held: &[(usize, f64)], found: &Optimum) -> f64 {
        let (loss, width, mut mean) = (self.settings.loss, found.intercept.len(), Mean::default());
        let mut margins = vec![0.0; width];
        for &(i, weight) in held {
            let ((y, offset), (columns, values)) = (self.examples.label(i), self.examples.row(i));
            margins.copy_from_slice(&found.intercept);
            for (&column, value) in columns.iter().zip(values) {
                let weights = &found.weights[column as usize * width..][..width];
                margins.iter_mut().zip(weights).for_each(|(margin, weight)| *margin += weight * value);
            }
            let value = match loss.has_margins() {
                true => loss.value_of(y as usize, &margins),
                false => loss.value(y, margins[0] + offset),
            };
            mean.add(value, weight);
        }
        mean.value().unwrap_or(f64::INFINITY)
    }

    /// Of the columns the one whose mean is farthest from 0 for its spread, which rounding troubles most: where it stands in the
    /// model, and the ratio of the two. O(pairs).
    #[must_use]
    pub fn farthest_column(&self) -> Option<(usize, f64)> {
        let mut sums = vec![(0.0, 0.0); self.position.len()];
        let mut total = 0.0;
        for i in 0..self.examples.len() {
            let (weight, (columns, values)) = (self.examples.weight(i), self.examples.row(i));
            total += weight;
            for (&column, x) in columns.iter().zip(values) {
                let (first, second) = &mut sums[column as usize];
                *first += weight * x;
                *second += weight * x * x;
            }
        }
        let ratio = |(first, second): (f64, f64)| {
            let mean = first / total;
            mean.abs() / (second / total - mean * mean).max(0.0).sqrt()
        };
        let ratios = self.position.iter().zip(&sums).map(|(&at, &sums)| (at, ratio(sums)));
        ratios.filter(|(_, ratio)| !ratio.is_nan()).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn goal(&self, penalty: &Penalty, tolerance: f64, threads: usize) -> Goal<'_> {
        Goal {
            loss: self.settings.loss,
            classes: self.labels.classes.len(),
            l1: penalty.l1,
            l2: penalty.l2,
            bounds: penalty.bounds,
            rules: &self.rules,
            intercept: self.settings.intercept,
            tolerance,
            threads,
        }
    }

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
        let goal = self.goal(&self.settings.penalty, tolerance, threads);
        optimise(&self.examples, &goal, (&self.start.0, &self.start.1), stop, each)
    }

    /// Puts what was found into the model that the search began with: its vector, and what is known of it. Features that
    /// are not on the rows keep their weights, unless there is a penalty, at whose optimum they are 0.
    pub fn place(&self, found: &Optimum, model: &mut Model) {
        let width = model.intercept.len();
        if !self.settings.is_unpenalised() {
            // Of a model that is taken further, features that are not on these rows: at the optimum they are 0.
            model.weight.fill(0.0);
        }
        for (column, (weights, &at)) in found.weights.chunks(width.max(1)).zip(&self.position).enumerate() {
            let bounds = self.raw_rules.get(column).map_or(self.settings.penalty.bounds, |rule| rule.bounds);
            let raw = |w: f64| self.scaling.as_ref().map_or(w, |scaling| scaling.weight(column, w, bounds));
            model.weight[at * width..][..width].iter_mut().zip(weights).for_each(|(to, w)| *to = raw(*w));
        }
        model.intercept.copy_from_slice(&found.intercept);
        model.certificates = vec![certificate(found, &self.settings)];
        model.settings.penalty = self.settings.penalty;
        model.summary.path.clone_from(&self.tried);
    }
}

/// What a certificate says of a standardized penalty.
const STANDARDIZED: &str = ", penalties of weights times the largest |x| of their columns";

/// What the end of a search says of its model.
fn certificate(found: &Optimum, settings: &Settings) -> Certificate {
    let penalty = settings.penalty;
    if let Some(gap) = found.gap {
        let bounded = !penalty.bounds.is_free() || !settings.groups.bounds.is_empty();
        let over = match (bounded, penalty.bounds == Bounds::NONNEGATIVE && settings.groups.bounds.is_empty()) {
            (_, true) => "every model with weights of at least 0",
            (true, false) => "every model with weights within their bounds",
            (false, false) => "every model",
        };
        let units = if penalty.standardize && penalty.l1 + penalty.l2 > 0.0 { STANDARDIZED } else { "" };
        return Certificate::Deterministic(Bound {
            subject: Subject::Excess,
            value: gap,
            relative: found.relative_gap(),
            delta: None,
            weighted: false,
            comparator: Some(format!("{over}{units}")),
            assumptions: Vec::new(),
        });
    }
    let unpenalised = penalty.l1 == 0.0 && penalty.l2 == 0.0;
    Certificate::none(match found.ended {
        Ended::Unattained => {
            "the labels are separable: the loss falls for ever as weights grow, and no model has the least; \
                              --l2 X holds them"
                .to_owned()
        }
        Ended::Decrement if unpenalised => {
            "without a penalty the search ends where another Newton step would gain less than --tol; --l2 X gives \
                             a certificate"
                .to_owned()
        }
        Ended::Decrement => {
            "weights that nothing holds (--penalty-factor 0) have no certificate here: the search ends where another \
                             Newton step would gain less than --tol; a factor above 0 gives one"
                .to_owned()
        }
        _ if unpenalised => {
            "without a penalty no dual point bounds the objective; --l2 X gives a certificate".to_owned()
        }
        _ => "the search ended before a dual point bounded the objective".to_owned(),
    })
}
