//! Trainer of generalised linear models on a stream of rows, which scores each row before it learns it.
//!
//! For row t the order is: find its coordinates; ask for the margin, and score the row with the model that a save
//! after row t − 1 would have stored; compute the gradient at the query point; tell the learner the gradient. Any
//! refusal of the row comes before the first change of state. [`RowLoop`] does the work that all learners share; a
//! [`RowLearner`] learns.

use super::{choice, kept_learner::KeptLearner};
use crate::{
    data::{
        fault::{Fault, Part},
        holdout_store::{HoldoutStore, MemoryHoldout},
        rows::{Batch, Row},
        schema::{Class, FeatureNames},
    },
    labels::{class_weights::ClassWeights, label_set::Labels},
    loss::Loss,
    metrics::{Measured, PlotData, ProgressiveMetrics, Tally},
    model::{
        certificate::Certificate,
        predictor::Predictor,
        settings::{Penalty, Plan, Settings},
        state::State,
        summary::Summary,
        trained_model::Model,
    },
    pass::{
        holdout::RunState,
        judgement::WorseThanConstant,
        learner::RowLearner,
        order::OrderMonitor,
        row_loop::{Counts, RowLoop},
    },
};
use serde_json::{Value, json};
use std::{io, sync::Arc};

/// Trainer of a generalised linear model on a stream of rows.
///
/// A step costs O(nonzeros) time, and a feature 64 bytes of memory; nothing is allocated once pages and buffers have
/// grown to size. With [`Settings::ball`] the model stays in a ball, and certificates say how good it is.
///
/// ```
/// use surefoot_glm::{Batch, Plan, Settings, Trainer};
/// let mut batch = Batch::default();
/// for t in 0..100 {
///     let x = f64::from(t % 7) - 3.0;
///     batch.push(Some(f64::from(x > 0.0)), 1.0, &[(1, x)]);
/// }
/// let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
/// trainer.learn(&batch, 0, batch.len()).unwrap();
/// let summary = trainer.summary();
/// assert!(summary.loss < summary.loss_constant);
/// ```
#[derive(Debug)]
pub struct Trainer {
    pub(crate) row_loop: RowLoop,
    pub(crate) learner: Box<dyn RowLearner>,
    /// Learner of the kept pass, while the current one may still turn out to be worse; `None` in runs of one pass.
    kept: Option<KeptLearner>,
    /// Fault with which every row is refused, because the settings are invalid; `None` if they are valid.
    unfit: Option<Fault>,
}

impl Trainer {
    /// Returns an untrained trainer that keeps held-out rows, if there are several passes, in memory. Settings that
    /// are out of range or contradict each other are reported by [`learn`](Trainer::learn), which then refuses every
    /// row.
    #[must_use]
    pub fn new(settings: Settings, plan: Plan) -> Trainer {
        Trainer::with_holdout_store(settings, plan, Box::<MemoryHoldout>::default())
    }

    /// Returns an untrained trainer that puts held-out rows into the given store.
    #[must_use]
    pub fn with_holdout_store(settings: Settings, plan: Plan, store: Box<dyn HoldoutStore>) -> Trainer {
        let checked = settings.check_ranges();
        let learner = match checked {
            // The optimum is computed from the weights of the lanes, which are nearer to it than a constant.
            Ok(()) => choice::new(&lanes_of(&settings, &plan), plan.optimum.is_none()),
            Err(_) => choice::new(&Settings::default(), true),
        };
        let unfit = checked.and_then(|()| plan.check()).err().map(|message| unfit(&message));
        Trainer { row_loop: RowLoop::new(settings, plan, store), learner, kept: None, unfit }
    }

    /// Processes rows `from..to` of a batch in order: counts and scores each row, then learns it or holds it out.
    ///
    /// # Errors
    /// Returns the position of the first row that cannot be used, with its fault. The rows before it are learnt; the
    /// row itself has changed nothing. With invalid settings this is row `from`.
    ///
    /// # Panics
    /// Panics if the batch has no such rows, as indexing does.
    pub fn learn(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        if let (Some(fault), true) = (&self.unfit, from < to) {
            return Err((from, fault.clone()));
        }
        self.learner.learn(&mut self.row_loop, batch, from, to)
    }

    /// Stores the held-out rows among rows `from..to` of a batch again, without learning, for a resumed run whose
    /// hold-out store is gone. All rows of the data before the position of the run have to be given, in order.
    ///
    /// # Errors
    /// Returns errors of the hold-out store, and an error of kind [`InvalidData`](io::ErrorKind::InvalidData) for a
    /// row that [`learn`](Trainer::learn) would refuse.
    ///
    /// # Panics
    /// Panics if the batch has no such rows, as indexing does.
    pub fn restore_holdout(&mut self, batch: &Batch, from: usize, to: usize) -> io::Result<()> {
        let invalid = |fault: Fault| io::Error::new(io::ErrorKind::InvalidData, fault);
        (from..to).try_for_each(|r| {
            let row = batch.row(r);
            self.unfit.clone().map_or_else(|| row.check(), Err).map_err(invalid)?;
            self.row_loop.restore_holdout(&row)
        })
    }

    /// Declares that labels are proportions of the positive class, between 0 and 1. A row of weight w and label p then
    /// counts as weight w·p of the positive class and w·(1 − p) of the negative class. Must be called before the first
    /// row, and with the logistic loss; otherwise all rows are refused from then on.
    pub fn treat_labels_as_proportions(&mut self) {
        let counts = &mut self.row_loop.counts;
        if self.row_loop.settings.loss == Loss::Logistic && (counts.rows == 0 || counts.encoder.shares) {
            counts.encoder.shares = true;
        } else {
            let message = "labels are shares, which only the logistic loss takes, and from the first row on";
            self.unfit.get_or_insert_with(|| unfit(message));
        }
    }

    /// Declares that label numbers are codes of class names, so that any number may be a class, not only whole
    /// numbers. `texts` gives the names, and is called only if class weights refer to them. Models do not store this
    /// declaration.
    pub fn treat_labels_as_class_names(&mut self, texts: impl FnOnce() -> Vec<Class>) {
        self.row_loop.counts.encoder.texts = true;
        if matches!(self.row_loop.settings.class_weights, Some(ClassWeights::Given(_))) {
            self.row_loop.texts = texts();
        }
    }

    /// Ends a pass over the data; must be called after the last row of each pass, also if there is only one.
    ///
    /// If rows are held out, updates the mixture weights of the lanes (learners trained side by side), and decides
    /// which pass's model is kept. After the last pass, the held-out rows are learnt too, starting from the kept model;
    /// the reported losses stay those from before. Not so if the optimum is computed afterwards.
    ///
    /// # Errors
    /// Returns errors of the hold-out store.
    pub fn end_pass(&mut self) -> io::Result<()> {
        if !self.row_loop.holdout.has_held_out_rows() {
            self.row_loop.holdout.end_pass();
            return Ok(());
        }
        self.learner.end_pass(&mut self.row_loop)?;
        let (loss, encoder) = (self.row_loop.loss(), &self.row_loop.counts.encoder);
        let candidate = self.learner.predictor(encoder);
        let must_be_clear = loss.has_probabilities() && self.row_loop.settings.ball.is_none();
        let is_kept = self.row_loop.holdout.select_model(loss, candidate, encoder, must_be_clear)?;
        let plan = self.row_loop.holdout.plan;
        let is_last = self.row_loop.holdout.run.completed + 1 == plan.passes && plan.optimum.is_none();
        if is_kept {
            // Dropped first, so that there are never two copies of the state.
            self.kept = None;
            if !is_last && plan.optimum.is_none() {
                self.kept = Some(KeptLearner::new(self.learner.save(encoder)));
            }
        }
        self.row_loop.holdout.end_pass();
        if is_last { self.learn_held_out() } else { Ok(()) }
    }

    fn learn_held_out(&mut self) -> io::Result<()> {
        // A class that first occurred in a later pass is unknown to the learner of an earlier one.
        let classes = self.row_loop.counts.encoder.classes().labels().len();
        if let Some(kept) = self.kept.take().filter(|kept| kept.classes().is_none_or(|count| count == classes)) {
            let settings = lanes_of(&self.row_loop.settings, &self.row_loop.holdout.plan);
            self.learner = kept.learner(&settings).map_err(io::Error::other)?;
        }
        self.row_loop.learn_held_out(&mut *self.learner)
    }

    /// Returns the settings of the model that is trained.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.row_loop.settings
    }

    /// Returns a summary of the run so far: counters, losses and lanes (learners trained side by side).
    #[must_use]
    pub fn summary(&self) -> Summary {
        let (counts, losses) = (&self.row_loop.counts, self.row_loop.printed());
        let mixture = self.learner.mixture();
        Summary {
            rows: counts.rows,
            rows_zero_weight: counts.rows_zero_weight,
            nnz: counts.nnz,
            passes: self.row_loop.holdout.run.completed,
            weight: losses.weight(),
            loss: losses.loss(),
            loss_constant: losses.constant(self.row_loop.loss(), counts.encoder.sign()),
            order: None,
            lane: mixture.leader,
            lanes: mixture.lanes,
            constant_lane: mixture.constant,
            path: self.learner.path(),
        }
    }

    /// Returns the mean loss of the rows since the previous call; `None` if no row was scored since then.
    pub fn recent_loss(&mut self) -> Option<f64> {
        std::mem::take(&mut self.row_loop.recent).value()
    }

    /// Enables progressive metrics, which are computed from the prediction for each row before the row is learnt.
    /// Costs a few nanoseconds per row and, for classification, 16 bytes per row for the first
    /// [`Metrics::EXACT`](crate::Metrics::EXACT) rows. Does not change the model.
    pub fn enable_progressive_metrics(&mut self) {
        self.row_loop.progressive = Some(Box::new(ProgressiveMetrics::new(self.row_loop.loss())));
    }

    /// Returns the progressive metrics and their plot data; `None` unless they have been
    /// [enabled](Trainer::enable_progressive_metrics).
    #[must_use]
    pub fn progressive_metrics(&self) -> Option<(Measured, PlotData)> {
        self.row_loop.progressive.as_ref().map(|progressive| progressive.measured(&self.row_loop.counts.encoder))
    }

    /// Returns the mean progressive loss of the rows since the previous call; `None` if progressive metrics are not
    /// enabled, or if no row was scored since then.
    pub fn recent_progressive_loss(&mut self) -> Option<f64> {
        self.row_loop.progressive.as_mut()?.take_recent()
    }

    /// Evaluates the kept model on the held-out rows, as it was before it learnt them; with one pass there are no such
    /// rows.
    ///
    /// # Errors
    /// Returns errors of the hold-out store.
    pub fn measure_held_out(&mut self) -> io::Result<Tally> {
        let labels = self.labels();
        let holdout = &self.row_loop.holdout;
        let model = holdout.judged.as_ref().or(holdout.kept.as_ref()).cloned();
        let model = model.unwrap_or_else(|| Arc::new(self.learner.predictor(&self.row_loop.counts.encoder)));
        let mut tally = Tally::of(self.row_loop.loss(), model);
        let classifies = self.row_loop.loss().classifies();
        self.row_loop.holdout.visit(&mut |row| {
            let label = row.label.and_then(|label| if classifies { labels.encode(label) } else { Some(label) });
            // Rows whose margin overflows were refused before they could be held out.
            if let Some(label) = label {
                let _ = tally.add(label, row);
            }
        })?;
        Ok(tally)
    }

    /// Returns the label of all rows if only one label has been seen; `None` otherwise, and in regression.
    #[must_use]
    pub fn single_label(&self) -> Option<f64> {
        self.row_loop.counts.encoder.only_class()
    }

    /// Returns a finding if the model, or its reported loss, is worse than the best constant prediction by more than
    /// noise explains; `None` otherwise. Costs O(sample), about 10 ms.
    #[must_use]
    pub fn loses_to_constant(&self, model: &Model) -> Option<WorseThanConstant> {
        self.row_loop.loses_to_constant(model)
    }

    /// Visits a uniform sample of the rows of the first pass, in their order (all rows if they are few and short), and
    /// returns the number of rows of positive weight from which they were drawn. Labels are as in the data, not
    /// encoded. O(nonzeros of the sample).
    pub fn each_sampled_row(&self, visit: impl FnMut(&Row<'_>)) -> u64 {
        self.row_loop.order.each_sampled(visit)
    }

    /// Returns the class labels seen so far, by which row labels are encoded.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.row_loop.counts.encoder.labels()
    }

    /// Returns the certificates of [`model`](Trainer::model) that follow from the training run alone, or the reasons
    /// why there are none: see [`Certificate`]. Costs O(features).
    #[must_use]
    pub fn certificates(&self) -> Vec<Certificate> {
        self.learner.certificates()
    }

    /// Returns the trained model: current weights, and the state needed to continue training with more rows. Costs
    /// O(features).
    #[must_use]
    pub fn model(&self) -> Model {
        let encoder = &self.row_loop.counts.encoder;
        let saved = self.learner.save(encoder);
        let (mut intercept, mut weight) = (saved.intercept, saved.weight);
        if let Some(kept) = &self.row_loop.holdout.kept {
            (intercept, weight) = kept.columns(&encoder.classes().labels(), &saved.index);
        }
        let mut settings = self.row_loop.settings.clone();
        let path = settings.penalty.path;
        settings.penalty = Penalty { path, ..self.learner.penalty().unwrap_or(settings.penalty) };
        let mut model = Model {
            settings,
            labels: self.labels(),
            intercept,
            index: saved.index,
            weight,
            names: FeatureNames::default(),
            summary: self.summary(),
            certificates: self.certificates(),
            state: Some(State {
                scalars: json!({ "counts": self.row_loop.counts, "learner": saved.scalars }),
                arrays: saved.arrays,
            }),
            unfinished: None,
        };
        model.summary.order = self.row_loop.order_alarm(&model);
        model
    }

    /// Returns the model of an unfinished run, which also stores the position within the passes, and `place`: a value
    /// in which the caller stores its own position in the input.
    #[must_use]
    pub fn pause(&self, place: Value) -> Model {
        let mut model = self.model();
        if let Some(state) = &mut model.state {
            state.scalars["run"] = json!(self.row_loop.holdout.run);
            self.row_loop.order.pause(state);
            state
                .arrays
                .extend(self.row_loop.holdout.least.iter().flat_map(|least| least.to_arrays(LEAST, &model.index)));
            self.kept.iter().for_each(|kept| kept.pause(state));
        }
        model.unfinished = Some(place);
        model
    }

    /// Restores a trainer from a model with a state, exact to the bit: from a paused model, in the middle of its
    /// passes, or from a finished model, to train on new rows.
    ///
    /// # Errors
    /// Returns a message if the model is slim, if its state does not fit together, or if the plan is out of range.
    pub fn resume(model: &Model, plan: Plan, store: Box<dyn HoldoutStore>) -> Result<Trainer, String> {
        plan.check()?;
        let state = model.state.as_ref().ok_or("the model is slim: it holds no state to go on from")?;
        model.check()?;
        let learner = choice::resume(&taken_up(model, &plan), &model.index, &state.scalars["learner"], state)?;
        let mut row_loop = RowLoop::new(model.settings.clone(), plan, store);
        row_loop.counts = State::parse::<Counts>(&state.scalars["counts"])?;
        let kept = || Arc::new(Predictor::new(model));
        let mut kept_learner = None;
        if model.unfinished.is_some() {
            kept_learner = KeptLearner::resume(state)?;
            let run = State::parse::<RunState>(&state.scalars["run"])?;
            row_loop.holdout.kept = (run.kept_losses.is_some() || run.is_earlier).then(kept);
            row_loop.holdout.run = run;
            row_loop.order = OrderMonitor::resume(state)?;
            row_loop.holdout.least = Predictor::from_arrays(LEAST, &model.index, state)?.map(Arc::new);
        } else {
            row_loop.holdout.start_from(kept());
            row_loop.order = OrderMonitor::continuing_from(model, *row_loop.counts.losses.mean());
            row_loop.holdout.run.before = row_loop.counts.balance.clone();
        }
        row_loop.restored = row_loop.holdout.run.before.clone();
        Ok(Trainer { row_loop, learner, kept: kept_learner, unfit: None })
    }
}

/// Returns the fault with which every row is refused, because the settings are invalid for the reason `message`.
fn unfit(message: &str) -> Fault {
    Fault::new(Part::Row, format!("no row can be learnt with these settings: {message}"))
}

/// Returns the settings for the passes over the rows. If the penalty is to be chosen later, from optima along a path
/// (grid of penalties), the passes have no path, since no optimum has been computed yet.
fn lanes_of(settings: &Settings, plan: &Plan) -> Settings {
    let penalty = Penalty { path: settings.penalty.path.filter(|_| plan.optimum.is_none()), ..settings.penalty };
    Settings { penalty, ..settings.clone() }
}

/// Returns the settings for the learner of a resumed model: a penalty that was chosen from a path is now fixed. If an
/// unfinished run has not yet computed the optima among which it is to be chosen, that penalty is 0 for now.
fn taken_up(model: &Model, plan: &Plan) -> Settings {
    let mut settings = model.settings.clone();
    if let (Some(term), true) = (settings.penalty.path, plan.optimum.is_some() && model.unfinished.is_some()) {
        settings.penalty = Penalty { path: None, ..term.of(settings.penalty, 0.0) };
    }
    settings
}

/// Name under which an unfinished model stores the weights of the model with the least held-out loss.
pub(super) const LEAST: &str = "best_holdout";
