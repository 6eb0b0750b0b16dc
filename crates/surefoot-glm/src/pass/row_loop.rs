//! What every trainer does with a row, whatever learns: counts, codes its label, scores, holds out.

use super::{holdout::Passes, learner::Engine, order::OrderWatch};
use crate::{
    data::{
        fault::Fault,
        holdout_store::Shelf,
        rows::{Batch, Row, check_weight},
        schema::Class,
    },
    labels::{class_weights::Balance, encoder::Coding},
    loss::Loss,
    metrics::{Progressive, progressive_loss::Board},
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

/// What is known of the rows so far, and which of them are held out.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) settings: Settings,
    pub(crate) counts: Counts,
    pub(crate) passes: Passes,
    /// Losses since the last line of the table.
    pub(crate) recent: Mean,
    /// The texts that labels stand for.
    pub(crate) texts: Vec<Class>,
    /// What [`Counts::balance`] was at the rows that [`Books::reshelve`] has seen.
    pub(crate) reshelved: Balance,
    /// Rows by which the order of all rows is judged.
    pub(crate) order: OrderWatch,
    /// Metrics of fresh rows, where somebody wants them.
    pub(crate) progressive: Option<Box<Progressive>>,
}

/// The part of [`Books`] that every model stores.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) coding: Coding,
    /// Fresh rows, scored before they were learnt.
    pub(crate) board: Board,
    pub(crate) rows: u64,
    pub(crate) rows_zero_weight: u64,
    pub(crate) nnz: u64,
    /// Rows by class, where they are to be balanced.
    #[serde(default, skip_serializing_if = "Balance::is_empty")]
    pub(crate) balance: Balance,
}

impl Counts {
    /// Checks those that were read from a file against the model.
    pub(crate) fn check(&self, model: &Model) -> Result<(), String> {
        let loss = model.settings.loss;
        let counts = [self.rows, self.rows_zero_weight, self.nnz];
        need(counts.iter().all(|count| *count <= MOST_ROWS), "a counter of rows is out of its range")?;
        self.coding.check(loss, &model.labels)?;
        self.board.check(loss, model.labels.classes.len())?;
        self.balance.check()
    }
}

impl Books {
    /// Before the first row.
    pub(crate) fn new(settings: Settings, plan: Plan, shelf: Box<dyn Shelf>) -> Books {
        let (counts, recent, texts, reshelved, order) = Default::default();
        let passes = Passes::new(plan, shelf);
        Books { settings, counts, passes, recent, texts, reshelved, order, progressive: None }
    }

    pub(crate) fn loss(&self) -> Loss {
        self.settings.loss
    }

    /// One row after the other.
    pub(crate) fn walk(
        &mut self,
        engine: &mut impl Engine,
        batch: &Batch,
        from: usize,
        to: usize,
    ) -> Result<(), (usize, Fault)> {
        (from..to).try_for_each(|r| self.step(engine, &batch.row(r)).map_err(|fault| (r, fault)))
    }

    /// Takes a row: counts it, scores it with the model that a save would store now, then has it learnt or holds it out.
    /// Whatever can be refused is refused before anything has changed.
    #[inline]
    pub(crate) fn step(&mut self, engine: &mut impl Engine, row: &Row<'_>) -> Result<(), Fault> {
        row.check()?;
        let weight = self.weight(row);
        let (Some(label), true) = (row.label, weight > 0.0) else {
            self.count(row, true);
            return Ok(());
        };
        let (given, weighted) = (row.weight, if weight == row.weight { None } else { Some(Row { weight, ..*row }) });
        let row = weighted.as_ref().unwrap_or(row);
        check_weight(row.weight)?;
        let y = self.counts.coding.code(self.loss(), label)?;
        let coding = &self.counts.coding;
        let value = engine.ask(row, coding, y)?;
        if let Some(progressive) = &mut self.progressive {
            engine.margins(&mut progressive.margins);
        }
        let value = self.passes.of_earlier_run().map_or(Ok(value), |model| model.loss(row, self.loss(), coding))?;
        let held = self.passes.holds(row);
        if held {
            self.passes.shelve(row)?;
        } else {
            engine.ready(y, row.weight)?;
        }
        self.accept(row, given, label, y, value, held);
        if self.settings.class_weights.is_some() && self.passes.run.completed == 0 {
            self.counts.balance.add(label, given);
        }
        engine.meet(y);
        if self.passes.fresh() {
            engine.judge(y, row.weight);
        }
        if !held {
            engine.tell(y, row.weight);
            self.passes.learnt();
        }
        Ok(())
    }

    /// How much a row counts: in later passes, which know all rows, as their classes ask for.
    #[inline]
    fn weight(&self, row: &Row<'_>) -> f64 {
        let (Some(weights), Some(label), true) = (&self.settings.class_weights, row.label, row.weight > 0.0) else {
            return row.weight;
        };
        row.weight
            * match self.passes.run.completed {
                0 => self.counts.balance.factor(Some(weights), label, row.weight, &self.texts),
                _ => self.counts.balance.factor_of_all(weights, label, &self.texts),
            }
    }

    /// How much a row of this label and weight counts with all rows in view.
    pub(crate) fn weight_of_all(&self, label: f64, given: f64) -> f64 {
        let weights = self.settings.class_weights.as_ref();
        weights.map_or(given, |weights| given * self.counts.balance.factor_of_all(weights, label, &self.texts))
    }

    /// Puts a row back on the shelf of a resumed run, if it is one that was held out.
    pub(crate) fn reshelve(&mut self, row: &Row<'_>) -> io::Result<()> {
        let (mut weight, weights) = (row.weight, self.settings.class_weights.as_ref());
        if let (Some(label), true) = (row.label, weights.is_some() && weight > 0.0) {
            weight *= self.reshelved.factor(weights, label, weight, &self.texts);
            self.reshelved.add(label, row.weight);
        }
        self.passes.reshelve(&Row { weight, ..*row })
    }

    /// Counts a row that is not refused: its label and its loss.
    fn accept(&mut self, row: &Row<'_>, given: f64, label: f64, y: f64, value: f64, held: bool) {
        self.count(row, false);
        self.passes.count();
        let sign = self.counts.coding.sign();
        self.counts.coding.meet(self.settings.loss, label);
        let fresh = self.passes.fresh();
        if self.passes.run.completed == 0 {
            self.order.add(row, given, value);
        }
        if fresh {
            self.measure(y, row.weight, value, sign);
            self.counts.board.add(self.settings.loss, y, row.weight, value, row.offset);
        }
        if held {
            self.passes.run.met.add(self.settings.loss, y, row.weight, value, row.offset);
        }
        if held || !self.passes.prints_held_out() && fresh {
            self.recent.add(value, row.weight);
        }
    }

    /// Adds a row that was asked with this sign to the metrics of fresh rows, if there are any.
    fn measure(&mut self, y: f64, weight: f64, value: f64, sign: f64) {
        let Some(progressive) = &mut self.progressive else { return };
        let coding = &self.counts.coding;
        if coding.sign() != sign && coding.single().is_none() {
            progressive.turn();
        }
        // An earlier run's model, which is scored first, is not that of the engine.
        if self.passes.of_earlier_run().is_none() {
            progressive.add(coding, y, weight, value, sign);
        }
    }

    fn count(&mut self, row: &Row<'_>, idle: bool) {
        self.counts.rows += 1;
        self.counts.rows_zero_weight += u64::from(idle);
        self.counts.nnz += row.index.len() as u64;
    }

    /// The losses that are printed.
    pub(crate) fn printed(&self) -> &Board {
        match &self.passes.run.judged {
            Some(judged) => judged,
            None if self.passes.prints_held_out() => &self.passes.run.met,
            None => &self.counts.board,
        }
    }
}
