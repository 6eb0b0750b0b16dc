//! Evaluation of the alarm about the order of rows: it should be raised if the model's loss on its training rows exceeds the reported
//! loss.

use crate::Dice;
use std::{collections::HashMap, sync::Arc};
use surefoot_glm::{Batch, ClassWeights, Fault, Loss, Missing, Model, Plan, Predictor, RowMargins, Settings, Trainer};
use surefoot_io::{Error, Inferred, InputName, Options, Reader, RowSource};

/// Number of standard errors by which the true loss must exceed the reported loss to justify an alarm.
const ERRORS: f64 = 5.0;
/// Share of the explainable loss by which the true loss must exceed the reported loss to justify an alarm.
const SHARE: f64 = 0.05;

/// Data set in memory, with the settings for fitting it.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// Name of the data set.
    pub name: String,
    /// Rows of the data set, in the order of the file.
    pub rows: Batch,
    /// Settings of all fits to the set.
    pub settings: Settings,
}

/// Outcome of a fit to the rows in one order: the reported and the true loss, and whether the alarm was raised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Mean loss reported by the fit.
    pub printed: f64,
    /// Mean loss of the model over all rows.
    pub truth: f64,
    /// Standard error of a mean loss over as many rows as the reported loss covers.
    pub error: f64,
    /// Loss that can be explained at most: the loss of the best constant minus the smallest possible loss of each row.
    pub range: f64,
    /// Whether the alarm about the order of rows was raised.
    pub alarm: bool,
}

impl Judged {
    /// Whether the alarm should have been raised, because the true loss clearly exceeds the reported one.
    #[must_use]
    pub fn is_cause(&self) -> bool {
        let excess = self.truth - self.printed;
        !self.truth.is_finite() || excess > (ERRORS * self.error).max(SHARE * self.range)
    }
}

impl Set {
    /// Reads a data set. For tables, `label` is the name of the label column; `None` means the first column of a file without a header.
    ///
    /// # Errors
    /// Returns the error of the first row that cannot be read.
    pub fn read(file: &str, loss: Loss, label: Option<&str>, ignore: &[&str]) -> Result<Set, Error> {
        let mut options = Options {
            classes: loss.classifies(),
            found: Arc::new(Inferred::default().with_many_classes(loss.is_multiclass())),
            ..Options::default()
        };
        options.reading.table.missing = Missing::Indicator;
        options.wanted.label = label.map(str::to_owned);
        options.wanted.header = label.map(|label| label.parse::<u32>().is_err());
        options.wanted.ignore = ignore.iter().map(|&name| name.to_owned()).collect();
        let (mut reader, mut batch) = (Reader::open(&[InputName::new(file)], options)?, Batch::default());
        let mut rows = Batch::default();
        while reader.read(&mut batch)? {
            (0..batch.len()).for_each(|r| rows.append(&batch.row(r)));
        }
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        Ok(Set { name, rows, settings: Settings { loss, ..Settings::default() } })
    }

    /// Returns the rows of the set in the order of these indices.
    #[must_use]
    pub fn ordered(&self, order: &[usize]) -> Batch {
        let mut rows = Batch::default();
        order.iter().for_each(|&r| rows.append(&self.rows.row(r)));
        rows
    }

    /// Fits the rows in the order of these indices, and compares the alarm with the true loss.
    ///
    /// # Errors
    /// Returns the fault of the first row that cannot be learnt.
    pub fn judge(&self, order: &[usize], passes: u32) -> Result<Judged, Fault> {
        let rows = self.ordered(order);
        let plan = Plan { passes, ..Plan::ONE_PASS };
        let mut trainer = Trainer::new(self.settings.clone(), plan);
        trainer.treat_labels_as_class_names(Vec::new);
        for _ in 0..passes {
            trainer.learn(&rows, 0, rows.len()).map_err(|(_, fault)| fault)?;
            trainer.end_pass().map_err(|error| Fault::new(surefoot_glm::Part::Row, error.to_string()))?;
        }
        let model = trainer.model();
        let mut losses = losses(&model, &rows)?;
        if self.settings.class_weights == Some(ClassWeights::Balanced) {
            losses.iter_mut().zip(balance(&rows)).for_each(|(loss, weight)| loss.0 *= weight);
        }
        let least = |r: usize| rows.row(r).label.map_or(0.0, |label| self.settings.loss.minimum(label));
        let weight: f64 = losses.iter().map(|loss| loss.0).sum();
        let mean = |of: &dyn Fn(usize) -> f64| -> f64 {
            losses.iter().enumerate().map(|(r, (weight_of, _))| weight_of / weight * of(r)).sum()
        };
        let truth = mean(&|r| losses[r].1);
        let squares: f64 = losses.iter().map(|(w, loss)| (w / weight * (loss - truth)).powi(2)).sum();
        let summary = model.summary;
        Ok(Judged {
            printed: summary.loss.unwrap_or(f64::NAN),
            truth,
            error: (squares * plan.period().unwrap_or(1) as f64).sqrt(),
            range: summary.loss_constant.unwrap_or(f64::NAN) - mean(&least),
            alarm: summary.order.is_some(),
        })
    }

    /// Returns the indices of the rows by ascending label.
    #[must_use]
    pub fn by_label(&self) -> Vec<usize> {
        self.by(&self.rows.label)
    }

    /// Returns the ids of the most frequent features, at most `most` ids.
    #[must_use]
    pub fn features(&self, most: usize) -> Vec<u64> {
        let mut counts = HashMap::new();
        self.rows.index.iter().for_each(|&id| *counts.entry(id).or_insert(0_u64) += 1);
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|&(id, count)| (std::cmp::Reverse(count), id));
        counts.iter().take(most).map(|&(id, _)| id).collect()
    }

    /// Returns the indices of the rows by ascending value of a feature.
    #[must_use]
    pub fn by_feature(&self, feature: u64) -> Vec<usize> {
        let value = |r: usize| {
            let row = self.rows.row(r);
            row.index.iter().zip(row.value).find(|(id, _)| **id == feature).map_or(0.0, |(_, value)| *value)
        };
        self.by(&(0..self.rows.len()).map(value).collect::<Vec<_>>())
    }

    fn by(&self, keys: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        order
    }

    /// Returns the indices of the rows in a random order.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Vec<usize> {
        let (mut order, mut dice) =
            ((0..self.rows.len()).collect::<Vec<_>>(), Dice::new(seed.wrapping_mul(2_654_435_761)));
        (0..16).for_each(|_| _ = dice.roll());
        (1..order.len()).rev().for_each(|k| order.swap(k, (dice.roll() * (k + 1) as f64) as usize));
        order
    }
}

/// Returns for each row a factor of its weight such that all classes get equal total weight, up to a common factor.
fn balance(rows: &Batch) -> Vec<f64> {
    let mut classes = HashMap::new();
    let keys = || rows.label.iter().map(|label| label.to_bits());
    keys().zip(&rows.weight).for_each(|(key, weight)| *classes.entry(key).or_insert(0.0) += weight);
    keys().map(|key| 1.0 / classes[&key]).collect()
}

/// Returns the weight and the loss of each row.
fn losses(model: &Model, rows: &Batch) -> Result<Vec<(f64, f64)>, Fault> {
    let (predictor, loss, mut scores) = (Predictor::new(model), model.settings.loss, RowMargins::default());
    (0..rows.len())
        .map(|r| {
            let row = rows.row(r);
            let label = row.label.unwrap_or(f64::NAN);
            let y = if loss.classifies() { model.labels.encode(label).unwrap_or(f64::NAN) } else { label };
            if loss.is_multiclass() {
                predictor.score_classes(&row, &mut scores)?;
                return Ok((row.weight, loss.multiclass_value(y as usize, &scores.margins)));
            }
            Ok((row.weight, loss.value(y, predictor.score(&row)?.margin)))
        })
        .collect()
}
