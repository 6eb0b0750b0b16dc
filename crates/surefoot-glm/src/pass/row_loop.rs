//! Row loop shared by all online learners: counts each row, encodes its label, scores it, and then learns it or holds
//! it out.

use super::{holdout::Holdout, learner::RowLearner, order::OrderMonitor};
use crate::{
    data::{
        fault::Fault,
        holdout_store::HoldoutStore,
        rows::{Batch, Row, check_weight},
        schema::Class,
    },
    labels::{class_weights::ClassBalance, encoder::LabelEncoder},
    loss::Loss,
    metrics::{ProgressiveMetrics, progressive_loss::ProgressiveLoss},
    model::{
        settings::{Plan, Settings},
        trained_model::Model,
    },
    numeric::{
        check::{MOST_ROWS, need},
        sums::Mean,
    },
};
use serde::{Deserialize, Serialize};
use std::io;

/// State of the row loop: settings, counters, held-out rows and reported losses.
#[derive(Debug)]
pub(crate) struct RowLoop {
    pub(crate) settings: Settings,
    pub(crate) counts: Counts,
    pub(crate) holdout: Holdout,
    /// Mean loss of the rows since the last progress line reported to the user.
    pub(crate) recent: Mean,
    /// Class names and their codes; empty unless labels in the data are text.
    pub(crate) texts: Vec<Class>,
    /// Total weight per class of the rows read again by [`RowLoop::restore_holdout`] in a resumed run.
    pub(crate) restored: ClassBalance,
    /// Sample of the rows of this run, for the alarm about the order of rows.
    pub(crate) order: OrderMonitor,
    /// Progressive metrics, of rows scored before they are learnt; `None` unless they are enabled.
    pub(crate) progressive: Option<Box<ProgressiveMetrics>>,
}

/// Part of the state of the [`RowLoop`] that every model stores: losses, labels and counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counts {
    #[serde(rename = "label_encoder")]
    pub(crate) encoder: LabelEncoder,
    /// Progressive loss: the mean loss of rows, each scored before it is learnt.
    #[serde(rename = "progressive_loss")]
    pub(crate) losses: ProgressiveLoss,
    /// Number of rows read, counted once per pass.
    pub(crate) rows: u64,
    /// Number of rows read that were not learnt because they have weight 0 or no label.
    pub(crate) rows_zero_weight: u64,
    /// Number of nonzeros read, over all passes.
    pub(crate) nnz: u64,
    /// Total weight of the rows of each class; empty if there are no class weights.
    #[serde(rename = "class_sums", default, skip_serializing_if = "ClassBalance::is_empty")]
    pub(crate) balance: ClassBalance,
}

impl Counts {
    /// Checks that the counters, read from a file, fit the model and are within their ranges.
    pub(crate) fn check(&self, model: &Model) -> Result<(), String> {
        let loss = model.settings.loss;
        let counts = [self.rows, self.rows_zero_weight, self.nnz];
        need(counts.iter().all(|count| *count <= MOST_ROWS), "a counter of rows is out of its range")?;
        self.encoder.check(loss, &model.labels)?;
        self.losses.check(loss, model.labels.classes.len())?;
        self.balance.check()
    }
}

impl Counts {
    /// Returns counters of no rows, whose labels are encoded as those counted here.
    pub(crate) fn of_more_rows(&self) -> Counts {
        Counts { encoder: self.encoder.clone(), ..Counts::default() }
    }

    /// Adds the rows of counters made by [`of_more_rows`](Counts::of_more_rows).
    ///
    /// # Errors
    /// Returns a fault, and changes nothing, if the labels of both do not fit together.
    pub(crate) fn join(&mut self, loss: Loss, other: &Counts) -> Result<(), Fault> {
        let mut encoder = self.encoder.clone();
        encoder.join(loss, &other.encoder)?;
        self.encoder = encoder;
        self.losses.join(loss, &other.losses);
        self.rows += other.rows;
        self.rows_zero_weight += other.rows_zero_weight;
        self.nnz += other.nnz;
        self.balance.join(&other.balance);
        Ok(())
    }

    /// Whether the counters, read from a message, are within their ranges, for a loss with a single margin.
    pub(crate) fn are_sound(&self, loss: Loss) -> bool {
        let counts = [self.rows, self.rows_zero_weight, self.nnz].iter().all(|count| *count <= MOST_ROWS);
        counts && self.encoder.is_sound() && self.losses.check(loss, 0).is_ok() && self.balance.check().is_ok()
    }
}

impl RowLoop {
    /// Returns the state of the row loop before the first row.
    pub(crate) fn new(settings: Settings, plan: Plan, store: Box<dyn HoldoutStore>) -> RowLoop {
        let (counts, recent, texts, restored, order) = Default::default();
        let holdout = Holdout::new(plan, store);
        RowLoop { settings, counts, holdout, recent, texts, restored, order, progressive: None }
    }

    pub(crate) fn loss(&self) -> Loss {
        self.settings.loss
    }

    /// Processes rows `from..to` of a batch one by one, without prefetching.
    pub(crate) fn take_rows(
        &mut self,
        learner: &mut impl RowLearner,
        batch: &Batch,
        from: usize,
        to: usize,
    ) -> Result<(), (usize, Fault)> {
        (from..to).try_for_each(|r| self.take_row(learner, &batch.row(r)).map_err(|fault| (r, fault)))
    }

    /// Processes one row: counts it, scores it with the model as it would be saved now, then learns it or holds it
    /// out. If the row is refused, nothing has changed.
    #[inline]
    pub(crate) fn take_row(&mut self, learner: &mut impl RowLearner, row: &Row<'_>) -> Result<(), Fault> {
        row.check()?;
        let weight = self.weight(row);
        let (Some(label), true) = (row.label, weight > 0.0) else {
            self.count(row, true);
            return Ok(());
        };
        let (given, weighted) = (row.weight, if weight == row.weight { None } else { Some(Row { weight, ..*row }) });
        let row = weighted.as_ref().unwrap_or(row);
        check_weight(row.weight)?;
        let y = self.counts.encoder.encode(self.loss(), label)?;
        self.loss().check_offset(y, row.offset)?;
        let encoder = &self.counts.encoder;
        let value = learner.ask(row, encoder, y)?;
        if let Some(progressive) = &mut self.progressive {
            learner.margins(&mut progressive.margins);
        }
        let value = self.holdout.earlier_model().map_or(Ok(value), |model| model.loss(row, self.loss(), encoder))?;
        let held = self.holdout.is_held_out(row);
        if held {
            self.holdout.hold_out(row)?;
        } else {
            learner.prepare(y, row.weight)?;
        }
        self.record(row, given, label, y, value, held);
        if self.settings.class_weights.is_some() && self.holdout.run.completed == 0 {
            self.counts.balance.add(label, given);
        }
        learner.admit_class(y);
        if self.holdout.is_fresh() {
            learner.charge(y, row.weight);
        }
        if !held {
            learner.tell(y, row.weight);
            self.holdout.drop_earlier_model();
        }
        Ok(())
    }

    /// Returns the weight of a row multiplied by its class weight, which is computed from the rows so far in the first
    /// pass, and from all rows in later passes.
    #[inline]
    pub(crate) fn weight(&self, row: &Row<'_>) -> f64 {
        let (Some(weights), Some(label), true) = (&self.settings.class_weights, row.label, row.weight > 0.0) else {
            return row.weight;
        };
        row.weight
            * match self.holdout.run.completed {
                0 => self.counts.balance.factor(Some(weights), label, row.weight, &self.texts),
                _ => self.counts.balance.factor_of_all(weights, label, &self.texts),
            }
    }

    /// Returns the weight `given` of a row with the given label multiplied by its class weight, which is computed from
    /// all rows.
    pub(crate) fn weight_of_all(&self, label: f64, given: f64) -> f64 {
        let weights = self.settings.class_weights.as_ref();
        weights.map_or(given, |weights| given * self.counts.balance.factor_of_all(weights, label, &self.texts))
    }

    /// In a resumed run, stores a row in the hold-out store again if the original run had held it out.
    pub(crate) fn restore_holdout(&mut self, row: &Row<'_>) -> io::Result<()> {
        let (mut weight, weights) = (row.weight, self.settings.class_weights.as_ref());
        if let (Some(label), true) = (row.label, weights.is_some() && weight > 0.0) {
            weight *= self.restored.factor(weights, label, weight, &self.texts);
            self.restored.add(label, row.weight);
        }
        self.holdout.restore_holdout(&Row { weight, ..*row })
    }

    /// Updates counters, label encoder and reported losses with an accepted row.
    fn record(&mut self, row: &Row<'_>, given: f64, label: f64, y: f64, value: f64, held: bool) {
        self.count(row, false);
        self.holdout.count();
        let sign = self.counts.encoder.sign();
        self.counts.encoder.observe(self.settings.loss, label);
        let fresh = self.holdout.is_fresh();
        if self.holdout.run.completed == 0 {
            self.order.add(row, given, value);
        }
        if fresh {
            self.measure(y, row.weight, value, sign);
            self.counts.losses.add(self.settings.loss, y, row.weight, value, row.offset);
        }
        if held {
            self.holdout.run.encountered.add(self.settings.loss, y, row.weight, value, row.offset);
        }
        if held || !self.holdout.prints_held_out() && fresh {
            self.recent.add(value, row.weight);
        }
    }

    /// Adds a row to the progressive metrics, if these are enabled; `sign` is the encoder's sign at the time when the
    /// margins of the row were computed.
    fn measure(&mut self, y: f64, weight: f64, value: f64, sign: f64) {
        let Some(progressive) = &mut self.progressive else { return };
        let encoder = &self.counts.encoder;
        if encoder.sign() != sign && encoder.only_class().is_none() {
            progressive.swap_signs();
        }
        // While the model of an earlier run is kept, the row is scored by that model, not by the learner.
        if self.holdout.earlier_model().is_none() {
            progressive.add(encoder, y, weight, value, sign);
        }
    }

    fn count(&mut self, row: &Row<'_>, idle: bool) {
        self.counts.rows += 1;
        self.counts.rows_zero_weight += u64::from(idle);
        self.counts.nnz += row.index.len() as u64;
    }

    /// Counts the rows of a round, which have been scored by the model of its start and learnt.
    ///
    /// # Errors
    /// Returns a fault, and changes nothing, if their labels do not fit to those of the rows before.
    pub(crate) fn count_round(&mut self, rows: &Counts) -> Result<(), Fault> {
        self.counts.join(self.settings.loss, rows)?;
        self.recent.join(rows.losses.mean());
        self.holdout.count_rows(rows.rows - rows.rows_zero_weight.min(rows.rows));
        if rows.rows > rows.rows_zero_weight {
            self.holdout.drop_earlier_model();
        }
        Ok(())
    }

    /// Learns the held-out rows at the end of a run, in the order in which they were held out, without scoring them. A
    /// row at which the learner overflows by now is left out. The saved model is that of the learner from then on.
    pub(crate) fn learn_held_out(&mut self, learner: &mut dyn RowLearner) -> io::Result<()> {
        let (loss, encoder) = (self.loss(), &self.counts.encoder);
        learner.reuse();
        self.holdout.visit(&mut |row| {
            let mut ready = || {
                let y = encoder.encode(loss, row.label.unwrap_or(f64::NAN))?;
                learner.find(row)?;
                learner.ask(row, encoder, y)?;
                learner.prepare(y, row.weight).map(|()| y)
            };
            if let Ok(y) = ready() {
                learner.admit_class(y);
                learner.tell(y, row.weight);
            }
        })?;
        self.holdout.judged = self.holdout.kept.take();
        Ok(())
    }

    /// Returns the losses that are reported to the user: of held-out rows if rows are held out, otherwise progressive.
    pub(crate) fn printed(&self) -> &ProgressiveLoss {
        match &self.holdout.run.kept_losses {
            Some(judged) => judged,
            None if self.holdout.prints_held_out() => &self.holdout.run.encountered,
            None => &self.counts.losses,
        }
    }
}
