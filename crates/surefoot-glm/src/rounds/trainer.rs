//! Trainer of one pass over shards, in rounds.

use super::{
    found::{add_classes, check_classes},
    partial::{Content, Partial, Round, ShardRows},
    work::RoundWork,
};
use crate::{
    data::{
        fault::Fault,
        holdout_store::MemoryHoldout,
        rows::{Batch, Row},
        schema::Class,
    },
    labels::label_set::Labels,
    loss::Loss,
    model::{
        settings::{Plan, Settings},
        summary::Summary,
        trained_model::Model,
    },
    online::single_margin::SingleMargin,
    pass::row_loop::{Counts, RowLoop},
    train::trainer::Trainer,
};
use serde_json::Value;
use std::any::Any;

/// Least number of rows that are learnt one by one before the first round: as many as a small data set has, so that what
/// the first rows show (units, scales of features, which lane leads) is known as well as after one sequential pass.
const ONE_BY_ONE: u64 = 2048;

/// Trainer of one pass over a data set whose rows lie in shards: the replica of the model that every worker has.
///
/// The number of shards is part of the run; how many workers there are, and which shards each owns, is not: the model
/// depends on the shards and their rows only, to the bit. The first rows, in turn from all shards, are learnt one by one:
/// 2048, and as many as let a round take a row of each shard. After that each round takes 1 % of the rows so far (0.25 %
/// for losses of numbers and counts), an equal number from each shard; all of them are scored, and their gradients
/// taken, at the model of the start of the round, which is what [`model`](RoundTrainer::model) returns then. So the
/// printed loss is that of the merged model on rows that it has not learnt.
///
/// *Cost*: per row that of [`Trainer`] or less, and per round O(features that occur in it) for each replica.
/// Features cost 64 bytes of memory, and those of a round about 150 more.
///
/// ```
/// use surefoot_glm::{Batch, RoundTrainer, Settings};
/// let mut shards = vec![Batch::default(); 4];
/// for t in 0..4000_u32 {
///     let (a, b) = (f64::from(t % 7), f64::from(t % 11));
///     shards[t as usize % 4].push(Some(f64::from(a > b)), 1.0, &[(0, a), (1, b)]);
/// }
/// let mut trainer = RoundTrainer::new(Settings::default(), 4).unwrap();
/// let mut at = 0;
/// while at < 1000 {
///     let to = (at + trainer.rows_per_shard()).min(1000);
///     // Each worker sums up the rows of its shards; here there are two workers.
///     let [one, other] = [[0, 1], [2, 3]].map(|own| {
///         let mut work = trainer.work();
///         for shard in own {
///             work.start_shard(&trainer, shard);
///             work.add(&trainer, &shards[shard as usize], at, to).unwrap();
///         }
///         work.finish().unwrap()
///     });
///     // All replicas learn the sums of all shards.
///     trainer.absorb(&one.join(other).unwrap()).unwrap();
///     at = to;
/// }
/// let summary = trainer.summary();
/// assert!(summary.rows == 4000 && summary.loss < summary.loss_constant);
/// ```
#[derive(Debug)]
pub struct RoundTrainer {
    trainer: Trainer,
    shards: u32,
    /// Classes that the shards have met, if labels are text.
    classes: Vec<Class>,
}

/// Row that was refused when it was to be learnt, among those that are learnt one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// Number of the row's shard.
    pub shard: u32,
    /// Position of the row among those that the shard has added in the round, without those that were refused then.
    pub row: usize,
    /// Reason.
    pub fault: Fault,
}

impl RoundTrainer {
    /// Returns an untrained replica for a pass over a number of shards.
    ///
    /// # Errors
    /// Returns a message if the settings are out of range, if there is no shard, or if the settings are not supported in
    /// rounds: a loss of many classes, a ball, groups of features, or a penalty that is to be chosen.
    pub fn new(settings: Settings, shards: u32) -> Result<RoundTrainer, String> {
        check(&settings, shards)?;
        Ok(RoundTrainer { trainer: Trainer::new(settings, Plan::ONE_PASS), shards, classes: Vec::new() })
    }

    /// Restores a replica from a model saved between two rounds, exact to the bit, or from any model with a state, to
    /// train it on new rows.
    ///
    /// # Errors
    /// Returns a message if the model is slim, if its state does not fit together, or if its settings are not supported
    /// in rounds.
    pub fn resume(model: &Model, shards: u32) -> Result<RoundTrainer, String> {
        check(&model.settings, shards)?;
        let trainer = Trainer::resume(model, Plan::ONE_PASS, Box::<MemoryHoldout>::default())?;
        let classes = model.settings.reading.classes.clone();
        let mut trainer = RoundTrainer { trainer, shards, classes };
        // The model of a round is always that of the learner.
        trainer.trainer.row_loop.holdout.drop_earlier_model();
        Ok(trainer)
    }

    /// Declares that labels are proportions of the positive class: see
    /// [`Trainer::treat_labels_as_proportions`].
    pub fn treat_labels_as_proportions(&mut self) {
        self.trainer.treat_labels_as_proportions();
    }

    /// Declares that label numbers are codes of class names: see [`Trainer::treat_labels_as_class_names`].
    pub fn treat_labels_as_class_names(&mut self, texts: impl FnOnce() -> Vec<Class>) {
        self.trainer.treat_labels_as_class_names(texts);
    }

    /// Returns the number of rows that each shard takes in the next round; a shard with fewer rows left takes those. It
    /// follows from the rows learnt so far, so all replicas agree on it.
    #[must_use]
    pub fn rows_per_shard(&self) -> usize {
        let shards = u64::from(self.shards);
        let rows = match self.is_one_by_one() {
            true => ONE_BY_ONE.div_ceil(shards),
            false => self.learner().rows_learnt() / self.inverse_share() / shards,
        };
        usize::try_from(rows).unwrap_or(usize::MAX).max(1)
    }

    /// Returns the number of rows of the next round if all shards have enough.
    #[must_use]
    pub fn rows_in_round(&self) -> u64 {
        u64::from(self.shards) * self.rows_per_shard() as u64
    }

    /// Returns the inverse of the share that the rows of a round are of those before it.
    ///
    /// Rows of a round do not see each other's steps, so a round must not be so long that the step of its gradients
    /// overshoots: chosen by test losses relative to those of the sequential pass. Losses of numbers have sums of squares
    /// that are small beside their curvature once most of the variance is explained.
    fn inverse_share(&self) -> u64 {
        if self.settings().loss.classifies() { 100 } else { 400 }
    }

    /// Whether the rows of the next round are learnt one by one: the first ones, while a round of one row of each shard would
    /// be too long, and until the units of labels and gradients are known.
    #[must_use]
    pub fn is_one_by_one(&self) -> bool {
        let least = ONE_BY_ONE.max(u64::from(self.shards) * self.inverse_share());
        self.learner().rows_learnt() < least || !self.learner().has_units()
    }

    /// Returns the work of one worker in the next round, before its first row.
    #[must_use]
    pub fn work(&self) -> RoundWork {
        RoundWork::new(self)
    }

    /// Learns the rows of a round, given the joined work of all shards. Returns the rows that are refused now, the same in
    /// all replicas: a few faults show only when a row is learnt one by one. Costs O(features that occur in the round); the
    /// first rounds cost O(nonzeros of their rows).
    ///
    /// # Errors
    /// Returns a message, and changes nothing, if the partial is not complete or of another round, or if its labels do
    /// not fit to those of the rows before.
    pub fn absorb(&mut self, partial: &Partial) -> Result<Vec<RefusedRow>, String> {
        if partial.round != self.round() {
            return Err("the partial is of another round".to_owned());
        }
        if !partial.is_complete() {
            return Err("the partial is not that of all shards".to_owned());
        }
        let mut classes = self.classes.clone();
        partial.found().for_each(|found| add_classes(&mut classes, &found.classes));
        check_classes(&classes)?;
        match &partial.content {
            Content::Rows(rows) => {
                self.know(classes);
                Ok(self.learn_one_by_one(rows))
            }
            Content::Sums(parts) => {
                let [part] = &parts[..] else { return Err("the partial is not that of all shards".to_owned()) };
                self.learner().fits(&part.sums)?;
                self.trainer.row_loop.count_round(&part.counts).map_err(|fault| fault.message)?;
                self.learner_mut().absorb(&part.sums, part.intercept.as_ref(), part.features.iter())?;
                self.know(classes);
                Ok(Vec::new())
            }
        }
    }

    /// Takes the classes that all shards have met. Labels of rows that are learnt one by one are theirs, whichever shards this
    /// worker owns.
    fn know(&mut self, classes: Vec<Class>) {
        if !classes.is_empty() {
            self.trainer.treat_labels_as_class_names(|| classes.clone());
        }
        self.classes = classes;
    }

    /// Learns rows one by one, the first of every shard, then the second of every shard, and so on.
    fn learn_one_by_one(&mut self, shards: &[ShardRows]) -> Vec<RefusedRow> {
        let most = shards.iter().map(|shard| shard.rows.len()).max().unwrap_or(0);
        let (mut rows, mut places) = (Batch::default(), Vec::new());
        for r in 0..most {
            for shard in shards.iter().filter(|shard| r < shard.rows.len()) {
                rows.append(&Row { position: 0, ..shard.rows.row(r) });
                places.push((shard.shard, r));
            }
        }
        let (mut from, mut refused) = (0, Vec::new());
        while let Err((at, fault)) = self.trainer.learn(&rows, from, rows.len()) {
            let (shard, row) = places[at];
            refused.push(RefusedRow { shard, row, fault });
            from = at + 1;
        }
        refused
    }

    /// Returns the classes that the shards have met in the rounds so far, if labels are text.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Returns the settings of the model that is trained.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.trainer.settings()
    }

    /// Returns the number of shards of the pass.
    #[must_use]
    pub fn shards(&self) -> u32 {
        self.shards
    }

    /// Returns a summary of the run so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.trainer.summary()
    }

    /// Returns the mean loss of the rows since the previous call; `None` if no row was scored since then.
    pub fn recent_loss(&mut self) -> Option<f64> {
        self.trainer.recent_loss()
    }

    /// Returns the class labels seen so far, by which row labels are encoded.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.trainer.labels()
    }

    /// Returns the trained model: current weights, and the state needed to go on, in rounds or with a [`Trainer`]. It is
    /// the model by which the rows of the next round are scored. Costs O(features).
    ///
    /// It has no alarm about the order of rows, since no sample of the rows of all shards is kept.
    #[must_use]
    pub fn model(&self) -> Model {
        without_alarm(self.trainer.model())
    }

    /// Returns the model of an unfinished run, from which [`resume`](RoundTrainer::resume) goes on; `place` is a value in
    /// which the caller stores its own position in the shards.
    #[must_use]
    pub fn pause(&self, place: Value) -> Model {
        without_alarm(self.trainer.pause(place))
    }

    pub(crate) fn round(&self) -> Round {
        Round { rows: self.counts().rows, shards: self.shards, loss: self.loss() }
    }

    fn loss(&self) -> Loss {
        self.settings().loss
    }

    pub(crate) fn row_loop(&self) -> &RowLoop {
        &self.trainer.row_loop
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.trainer.row_loop.counts
    }

    pub(crate) fn learner(&self) -> &SingleMargin {
        let learner: &dyn Any = &*self.trainer.learner;
        learner.downcast_ref().expect("the settings have been checked")
    }

    fn learner_mut(&mut self) -> &mut SingleMargin {
        let learner: &mut dyn Any = &mut *self.trainer.learner;
        learner.downcast_mut().expect("the settings have been checked")
    }
}

fn without_alarm(mut model: Model) -> Model {
    model.summary.order = None;
    model
}

/// Checks that a pass with these settings can go in rounds.
fn check(settings: &Settings, shards: u32) -> Result<(), String> {
    settings.check_ranges()?;
    let cannot = |what: &str| Err(format!("one pass over shards takes no {what}"));
    match () {
        () if shards == 0 => Err("a pass over shards has one shard or more".to_owned()),
        () if settings.loss.is_multiclass() => cannot("loss of many classes"),
        () if settings.ball.is_some() => cannot("ball"),
        () if settings.penalty.path.is_some() => cannot("penalty that is to be chosen"),
        () if !settings.groups.is_empty() => cannot("groups of features"),
        () => Ok(()),
    }
}
