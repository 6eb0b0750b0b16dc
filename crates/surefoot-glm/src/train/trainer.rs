//! The trainer: scores each row, then learns it.
//!
//! For row t the order is: find its coordinates; ask for the margin, and score the row with the model that a save after
//! row t − 1 would have stored; take the gradient at the query point; tell it. Whatever can be refused is refused
//! before anything has changed. [`RowLoop`] does what has to be done with any row; an [`RowLearner`] learns.

use super::choice;
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

/// Learns a generalised linear model from a stream of rows.
///
/// A step costs O(nnz) in time, 64 bytes a feature in memory, and allocates nothing once pages and buffers
/// have grown to size. With [`Settings::ball`] the model stays in a ball, and certificates say how good it is.
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
    row_loop: RowLoop,
    learner: Box<dyn RowLearner>,
    /// What is wrong with what was asked for: no row is taken then.
    unfit: Option<Fault>,
}

impl Trainer {
    /// A trainer that has seen no row; with several passes it keeps held-out rows in memory. With settings that are out of range or
    /// contradict each other it refuses every row, and says why.
    #[must_use]
    pub fn new(settings: Settings, plan: Plan) -> Trainer {
        Trainer::with_holdout_store(settings, plan, Box::<MemoryHoldout>::default())
    }

    /// The same, with held-out rows on a shelf of the caller's.
    #[must_use]
    pub fn with_holdout_store(settings: Settings, plan: Plan, store: Box<dyn HoldoutStore>) -> Trainer {
        let checked = settings.check_ranges();
        let learner = match checked {
            Ok(()) => choice::new(&lanes_of(&settings, &plan)),
            Err(_) => choice::new(&Settings::default()),
        };
        let unfit = checked.and_then(|()| plan.check()).err().map(|message| unfit(&message));
        Trainer { row_loop: RowLoop::new(settings, plan, store), learner, unfit }
    }

    /// Takes rows `from..to` of a batch in order: counts, scores, then learns (or holds out) each.
    ///
    /// # Errors
    /// The position of the first row that cannot be used and why; the rows before it are learnt, the row
    /// itself has changed nothing. The very first one, if the settings are at fault.
    ///
    /// # Panics
    /// If the batch has no such rows, as indexing does.
    pub fn learn(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        if let (Some(fault), true) = (&self.unfit, from < to) {
            return Err((from, fault.clone()));
        }
        self.learner.learn(&mut self.row_loop, batch, from, to)
    }

    /// Puts the held-out rows among rows `from..to` of a batch on the shelf without learning anything: for a
    /// run that is resumed, whose shelf is gone. The rows are counted from the start of the data.
    ///
    /// # Errors
    /// Those of the shelf, and of kind [`InvalidData`](io::ErrorKind::InvalidData) what [`learn`](Trainer::learn) would have said of a row.
    ///
    /// # Panics
    /// If the batch has no such rows, as indexing does.
    pub fn restore_holdout(&mut self, batch: &Batch, from: usize, to: usize) -> io::Result<()> {
        let invalid = |fault: Fault| io::Error::new(io::ErrorKind::InvalidData, fault);
        (from..to).try_for_each(|r| {
            let row = batch.row(r);
            self.unfit.clone().map_or_else(|| row.check(), Err).map_err(invalid)?;
            self.row_loop.restore_holdout(&row)
        })
    }

    /// Says that labels are shares of the positive class, between 0 and 1, of the logistic loss: before the first row. A row is
    /// then as many of each class as its weight and its share say. With another loss, or later, all rows are refused from then on.
    pub fn take_labels_for_shares(&mut self) {
        let counts = &mut self.row_loop.counts;
        if self.row_loop.settings.loss == Loss::Logistic && (counts.rows == 0 || counts.encoder.shares) {
            counts.encoder.shares = true;
        } else {
            let message = "labels are shares, which only the logistic loss takes, and from the first row on";
            self.unfit.get_or_insert_with(|| unfit(message));
        }
    }

    /// Says that the numbers of labels stand for texts, so that any of them may be a class, not only whole numbers; which
    /// texts, is asked only where they matter. Not stored in models.
    pub fn take_texts_for_classes(&mut self, texts: impl FnOnce() -> Vec<Class>) {
        self.row_loop.counts.encoder.texts = true;
        if matches!(self.row_loop.settings.class_weights, Some(ClassWeights::Given(_))) {
            self.row_loop.texts = texts();
        }
    }

    /// To be called after the last row of each pass, the only one included.
    ///
    /// With held-out rows, decides the shares of the lanes and which pass's model is kept.
    ///
    /// # Errors
    /// Those of the shelf.
    pub fn end_pass(&mut self) -> io::Result<()> {
        if self.row_loop.holdout.has_held_out_rows() {
            self.learner.end_pass(&mut self.row_loop)?;
            let (loss, encoder) = (self.row_loop.loss(), &self.row_loop.counts.encoder);
            let candidate = self.learner.predictor(encoder);
            self.row_loop.holdout.select_model(loss, candidate, encoder)?;
        }
        self.row_loop.holdout.end_pass();
        Ok(())
    }

    /// What is learnt, and how.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.row_loop.settings
    }

    /// Counters and losses as of now.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let (counts, losses) = (&self.row_loop.counts, self.row_loop.printed());
        let (lanes, lane) = self.learner.lanes();
        Summary {
            rows: counts.rows,
            rows_zero_weight: counts.rows_zero_weight,
            nnz: counts.nnz,
            passes: self.row_loop.holdout.run.completed,
            weight: losses.weight(),
            loss: losses.loss(),
            loss_constant: losses.constant(self.row_loop.loss(), counts.encoder.sign()),
            order: None,
            lane,
            lanes,
            path: self.learner.path(),
        }
    }

    /// Mean loss since the previous call, and forgets it; `None` if no row was scored since.
    pub fn loss_recent(&mut self) -> Option<f64> {
        std::mem::take(&mut self.row_loop.recent).value()
    }

    /// Measures fresh rows from now on, each as it is scored before it is learnt. Costs a few nanoseconds a row and, for classes,
    /// 16 bytes a row up to [`Metrics::EXACT`](crate::Metrics::EXACT) of them. Changes no model.
    pub fn measure_fresh_rows(&mut self) {
        self.row_loop.progressive = Some(Box::new(ProgressiveMetrics::new(self.row_loop.loss())));
    }

    /// How good the predictions of fresh rows were, and what there is to draw of them, if they are measured.
    #[must_use]
    pub fn fresh_rows(&self) -> Option<(Measured, PlotData)> {
        self.row_loop.progressive.as_ref().map(|progressive| progressive.measured(&self.row_loop.counts.encoder))
    }

    /// Mean loss of fresh rows since the previous call, if they are measured and there were any.
    pub fn fresh_loss_recent(&mut self) -> Option<f64> {
        self.row_loop.progressive.as_mut()?.take_recent()
    }

    /// Adds the held-out rows to a tally of the model; there are none in one pass.
    ///
    /// # Errors
    /// Those of the shelf.
    pub fn measure_held_out(&mut self, tally: &mut Tally) -> io::Result<()> {
        let labels = self.labels();
        let classifies = self.row_loop.loss().classifies();
        self.row_loop.holdout.visit(&mut |row| {
            let label = row.label.and_then(|label| if classifies { labels.encode(label) } else { Some(label) });
            // Rows that overflow were refused before they came to the shelf.
            if let Some(label) = label {
                let _ = tally.add(label, row);
            }
        })
    }

    /// The only label seen so far, if this is a classifier that has seen one label only.
    #[must_use]
    pub fn single_label(&self) -> Option<f64> {
        self.row_loop.counts.encoder.only_class()
    }

    /// Whether the model that the run came to, or the loss that is printed for it, is worse than the best constant, by more than noise
    /// explains. Some 10 ms.
    #[must_use]
    pub fn loses_to_constant(&self, model: &Model) -> Option<WorseThanConstant> {
        self.row_loop.loses_to_constant(model)
    }

    /// A uniform sample of the rows of the first pass, by their numbers: all of them if they are few and short; and of
    /// how many rows of positive weight it is. Labels are as rows had them.
    pub fn sampled_rows(&self) -> (impl Iterator<Item = Row<'_>>, u64) {
        self.row_loop.order.sample()
    }

    /// How labels are coded as of now.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.row_loop.counts.encoder.labels()
    }

    /// Whether the leading lane is at an edge of the grid, and which: −1 the smallest scale, +1 the largest.
    #[must_use]
    pub fn edge(&self) -> i8 {
        self.learner.grid_edge()
    }

    /// What can be said of [`model`](Trainer::model) from the run alone, or why nothing can: see [`Certificate`].
    /// O(features).
    #[must_use]
    pub fn certificates(&self) -> Vec<Certificate> {
        self.learner.certificates()
    }

    /// The finished model: the vector that predicts now, and all that is needed to learn more rows later.
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
                scalars: json!({ "books": self.row_loop.counts, "engine": saved.scalars }),
                arrays: saved.arrays,
            }),
            unfinished: None,
        };
        model.summary.order = self.row_loop.order_alarm(&model);
        model
    }

    /// The model of a run that has not come to its end: also remembers where the passes stand, and what the caller
    /// gives to find its own place again.
    #[must_use]
    pub fn pause(&self, place: Value) -> Model {
        let mut model = self.model();
        if let Some(state) = &mut model.state {
            state.scalars["run"] = json!(self.row_loop.holdout.run);
            self.row_loop.order.pause(state);
            state
                .arrays
                .extend(self.row_loop.holdout.least.iter().flat_map(|least| least.to_arrays(LEAST, &model.index)));
        }
        model.unfinished = Some(place);
        model
    }

    /// Goes on from a model that holds its state, bit for bit: a paused one where it was, in the middle of its
    /// passes, a finished one with new rows.
    ///
    /// # Errors
    /// If the model is slim or its state does not fit together, or the plan is out of range.
    pub fn resume(model: &Model, plan: Plan, store: Box<dyn HoldoutStore>) -> Result<Trainer, String> {
        plan.check()?;
        let state = model.state.as_ref().ok_or("the model is slim: it holds no state to go on from")?;
        model.check()?;
        let learner = choice::resume(&taken_up(model, &plan), &model.index, &state.scalars["engine"], state)?;
        let mut row_loop = RowLoop::new(model.settings.clone(), plan, store);
        row_loop.counts = State::parse::<Counts>(&state.scalars["books"])?;
        let kept = || Arc::new(Predictor::new(model));
        if model.unfinished.is_some() {
            let run = State::parse::<RunState>(&state.scalars["run"])?;
            row_loop.holdout.kept = (run.kept_losses.is_some() || run.is_earlier).then(kept);
            row_loop.holdout.run = run;
            row_loop.order = OrderMonitor::resume(state)?;
            row_loop.holdout.least = Predictor::from_arrays(LEAST, &model.index, state)?.map(Arc::new);
        } else {
            row_loop.holdout.start_from(kept());
            row_loop.order = OrderMonitor::after(model, *row_loop.counts.losses.mean());
            row_loop.holdout.run.before = row_loop.counts.balance.clone();
        }
        row_loop.restored = row_loop.holdout.run.before.clone();
        Ok(Trainer { row_loop, learner, unfit: None })
    }
}

/// What is said of a row where the settings are at fault.
fn unfit(message: &str) -> Fault {
    Fault::new(Part::Row, format!("no row can be learnt with these settings: {message}"))
}

/// What the first pass is about: a penalty that is chosen by optima is none before there are any.
fn lanes_of(settings: &Settings, plan: &Plan) -> Settings {
    let penalty = Penalty { path: settings.penalty.path.filter(|_| plan.optimum.is_none()), ..settings.penalty };
    Settings { penalty, ..settings.clone() }
}

/// What the lanes of a model are about when it is taken further: a penalty that was chosen is then given; in the middle of a
/// search for one there is still none.
fn taken_up(model: &Model, plan: &Plan) -> Settings {
    let mut settings = model.settings.clone();
    if let (Some(axis), true) = (settings.penalty.path, plan.optimum.is_some() && model.unfinished.is_some()) {
        settings.penalty = Penalty { path: None, ..axis.of(settings.penalty, 0.0) };
    }
    settings
}

/// The weights of the model of least hold-out loss, in an unfinished model.
pub(super) const LEAST: &str = "least";
