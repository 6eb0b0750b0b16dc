//! Rounds of the single-margin learner: rows are scored, and their gradients taken, at the model of the start of a
//! round, and summed up; the learner then learns the sums.
//!
//! Everything that the sequential learner updates with a row has a sum here, so that parts of a round can be added up
//! in any order of their rows. Nothing of the learner changes before the end of the round.

use super::SingleMargin;
use crate::{
    data::{fault::Fault, rows::Row},
    labels::encoder::LabelEncoder,
    numeric::check::{MOST_ROWS, need},
    online::{
        constant::in_rounds::ConstantRows,
        gradient_sums::{GradientSums, RowSums},
        label_units::{FAR, in_rounds::LabelRows},
        mixture_weights::{ConstantCharge, class_charges, in_rounds::ChargedRows},
        round_points::{RoundMargins, RoundPoints},
        scalars::flushed,
        stacking::{
            CONSTANT, StackedRow, Target,
            in_rounds::{self as stacked_in_rounds, StackedRows},
        },
        terms::Terms,
    },
    simd::lanes::Lanes,
};
use serde::{Deserialize, Serialize};
use surefoot::Real;

/// Sums over rows of a round of everything that is not kept per coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundSums {
    /// Unit of gradients, in which the sums of the coordinates are.
    pub(crate) unit: f64,
    charges: ChargedRows,
    constant: ConstantRows,
    labels: LabelRows,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stacked: Option<StackedRows>,
}

/// Model at the start of a round, and the points that its rows need.
#[derive(Debug)]
pub(crate) struct RoundStart {
    terms: Terms,
    sign: f64,
    /// Margin of the constant prediction, in the unit of margins.
    constant: f64,
    pub(crate) points: RoundPoints,
}

/// Row that has been scored, but not yet added to sums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoredRow {
    pub(crate) value: f64,
    margins: RoundMargins,
    /// Offset of the row, as a multiple of the unit of margins.
    offset: f64,
    gradient: Lanes,
}

impl RoundSums {
    /// Returns the number of rows that were learnt.
    pub(crate) fn rows(&self) -> u64 {
        self.charges.rows
    }

    /// Adds the sums of another part of the round. Returns the factors by which the sums of the coordinates of both
    /// parts have to be multiplied first.
    pub(crate) fn join(&mut self, other: &RoundSums) -> [f64; 2] {
        let unit = self.unit.max(other.unit);
        let ratios = [self.unit / unit, other.unit / unit];
        self.unit = unit;
        self.charges.join(&other.charges);
        self.constant.join(&other.constant);
        self.labels.join(&other.labels);
        if let (Some(stacked), Some(other)) = (&mut self.stacked, &other.stacked) {
            stacked.join(other);
        }
        ratios
    }

    /// Checks that the sums, read from a message, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        need(self.unit > 0.0 && self.unit.is_finite(), "the unit of gradients of a round is out of its range")?;
        need(self.charges.rows <= MOST_ROWS, "a round has too many rows")?;
        self.charges.check()?;
        self.constant.check()?;
        self.labels.check()?;
        self.stacked.as_ref().map_or(Ok(()), StackedRows::check)
    }
}

impl SingleMargin {
    /// Whether rows can be learnt in rounds: the units of labels and gradients have been chosen by rows learnt one by
    /// one.
    pub(crate) fn has_units(&self) -> bool {
        self.scalars.units.are_known()
    }

    /// Returns the number of rows learnt.
    pub(crate) fn rows_learnt(&self) -> u64 {
        u64::from(self.scalars.averaging.step) - 1
    }

    /// Returns the start of a round; `points` are those of an earlier round, whose memory is used again.
    pub(crate) fn start_round(&self, encoder: &LabelEncoder, mut points: RoundPoints) -> RoundStart {
        let (sign, constant) = (encoder.sign(), self.scalars.constant_margin(self.loss));
        let terms = self.scalars.terms_with(self.loss, self.store.intercept.is_some(), sign, constant);
        points.start(&self.store, &terms);
        RoundStart { terms, sign, constant, points }
    }

    /// Returns the sums of no rows of the round that starts now.
    pub(crate) fn no_rows(&self) -> RoundSums {
        RoundSums {
            unit: self.scalars.units.gradient,
            charges: ChargedRows::default(),
            constant: ConstantRows::default(),
            labels: LabelRows::default(),
            stacked: self.scalars.stacking.as_ref().map(StackedRows::new),
        }
    }

    /// Scores a row with encoded label `y` by the model of the start of the round, to the bit as the saved model does,
    /// and computes its gradients.
    ///
    /// # Errors
    /// Refuses the rows that the sequential learner refuses.
    pub(crate) fn score_in_round(&self, start: &mut RoundStart, row: &Row<'_>, y: f64) -> Result<ScoredRow, Fault> {
        let mut margins = start.points.ask(&self.store, &start.terms, row)?;
        let units = &self.scalars.units;
        let offset = units.offset_in_units(start.sign * row.offset);
        if row.offset != 0.0 {
            margins.margin += row.offset;
            for lanes in [&mut margins.output, &mut margins.unclipped, &mut margins.query] {
                *lanes = *lanes + Lanes::of(offset);
            }
        }
        let (label, loss) = (units.label_in_round(y), units.loss_in_units(self.loss));
        let mut gradient = loss.derivatives(label, &margins.query);
        if let Some((down, up)) = units.derivative_bounds(loss, label) {
            gradient = Lanes(gradient.0.map(|g| g.clamp(-down as f32, up as f32)));
        }
        let is_finite = margins.margin.is_finite() && margins.output.is_finite() && gradient.is_finite();
        if !is_finite {
            return Err(Fault::overflow());
        }
        Ok(ScoredRow { value: self.loss.value(y * start.sign, margins.margin), margins, offset, gradient })
    }

    /// Adds a row scored last to the sums of its part of the round.
    pub(crate) fn add_in_round(
        &self,
        start: &mut RoundStart,
        part: &mut PartSums,
        scored: &ScoredRow,
        (y, weight, offset): (f64, f64, f64),
    ) {
        self.charge_in_round(start, &mut part.sums, scored, y, weight);
        self.scalars.units.count_in_round(&mut part.sums.labels, self.loss, y, offset, weight);
        self.scalars.constant.count_in_round(&mut part.sums.constant, self.loss, y, offset, weight);
        part.fit_unit(weight, &scored.gradient);
        let per = weight / part.sums.unit;
        let gradients = scored.gradient.0.map(|g| f64::from(flushed(f64::from(g) * per)));
        part.intercept.iter_mut().for_each(|sums| sums.add(1.0, &gradients));
        part.add_gradients(&mut start.points, &gradients);
    }

    fn charge_in_round(&self, start: &RoundStart, sums: &mut RoundSums, scored: &ScoredRow, y: f64, weight: f64) {
        let (scalars, margins, offset) = (&self.scalars, &scored.margins, scored.offset);
        let outputs = [&margins.output, &margins.unclipped];
        let (Some(stacking), Some(stacked)) = (&scalars.stacking, &mut sums.stacked) else {
            let (loss, y) = (scalars.units.loss_in_units(self.loss), scalars.units.label_in_round(y));
            let constant = start.constant + offset;
            return scalars.mixture.charge_in_round(&mut sums.charges, loss, y, weight, outputs, constant);
        };
        let of = |output: &Lanes| super::stacked(stacking, &scalars.mixture, output, start.constant, offset);
        let [(members, margins), (_, full)] = outputs.map(of);
        let losses = class_charges(self.loss, y, [&margins, &full]);
        let charges = class_charges(self.loss, y, outputs);
        sums.charges.add(weight, 0.0, &charges, ConstantCharge::of(&losses, CONSTANT));
        let derivatives = [self.loss.derivatives(y, &margins)];
        let target = Target::Share(0.5 * (1.0 + y));
        let row = StackedRow { is_softmax: false, target, members: &[members], derivatives: &derivatives };
        stacked.add(&row, &losses, weight);
    }

    /// Checks that sums, read from a message, are those of a learner with this loss.
    pub(crate) fn fits(&self, sums: &RoundSums) -> Result<(), String> {
        stacked_in_rounds::check(sums.stacked.as_ref(), self.scalars.stacking.as_ref())
    }

    /// Learns the rows of a round, given the sums over them, those of the intercept, and those of all features that
    /// occur in them. Costs O(features of the round).
    ///
    /// # Errors
    /// Returns a message if memory runs out.
    pub(crate) fn absorb<'a>(
        &mut self,
        sums: &RoundSums,
        intercept: Option<&GradientSums>,
        features: impl Iterator<Item = (u64, &'a GradientSums)>,
    ) -> Result<(), String> {
        if sums.rows() == 0 {
            return Ok(());
        }
        let shares = self.scalars.mixture.shares();
        if let Some(ratio) = self.scalars.units.fit_gradient_unit(sums.unit) {
            self.store.each(|c| c.rescale_gradients(ratio));
        }
        // The round ends with the row number to which the averages are advanced.
        self.scalars.averaging.advance_by(sums.rows() - 1);
        let averaging = self.scalars.averaging;
        if let (Some(c), Some(sums)) = (&mut self.store.intercept, intercept) {
            c.absorb(&averaging, shares, sums);
        }
        for (id, sums) in features {
            let c = self.store.features.get_mut(id).ok_or("no memory is left for the model")?;
            c.absorb(&averaging, shares, sums);
        }
        self.scalars.averaging.advance();
        let loss = self.scalars.units.loss_in_units(self.loss);
        let mean_weight = self.scalars.mixture.add_round(loss, &sums.charges);
        if let (Some(stacking), Some(stacked)) = (&mut self.scalars.stacking, &sums.stacked) {
            stacking.add_round(stacked, mean_weight);
        }
        self.scalars.constant.add_round(self.loss, &sums.constant);
        self.scalars.units.add_round(self.loss, &sums.labels);
        Ok(())
    }
}

/// Sums over rows of one shard in a round, while rows are added.
#[derive(Debug)]
pub(crate) struct PartSums {
    pub(crate) sums: RoundSums,
    pub(crate) intercept: Option<RowSums>,
    /// Sums of the features, in the order of their first occurrence in the shard.
    pub(crate) features: Vec<RowSums>,
}

impl PartSums {
    /// Returns the sums of no rows of the round that starts now.
    pub(crate) fn new(learner: &SingleMargin) -> PartSums {
        let intercept = learner.store.intercept.is_some().then(|| RowSums::new(0, 1.0));
        PartSums { sums: learner.no_rows(), intercept, features: Vec::new() }
    }

    /// Raises the unit of gradients if a gradient is too large a multiple of it.
    fn fit_unit(&mut self, weight: f64, gradient: &Lanes) {
        let largest = weight * f64::from(gradient.0.iter().fold(0.0_f32, |largest, g| largest.max(g.abs())));
        if largest > self.sums.unit * FAR {
            let ratio = self.sums.unit / largest;
            self.features.iter_mut().chain(&mut self.intercept).for_each(|sums| sums.rescale(ratio));
            self.sums.unit = largest;
        }
    }

    /// Adds the gradients of the row asked last.
    fn add_gradients(&mut self, points: &mut RoundPoints, gradients: &[f64; 4]) {
        for at in 0..points.row().len() {
            let (number, value) = points.row()[at];
            let mut place = points.place(number);
            if place == 0 {
                self.features.push(RowSums::new(number, points.inverse(number)));
                place = self.features.len() as u32;
                points.set_place(number, place);
            }
            self.features[place as usize - 1].add(value, gradients);
        }
    }
}
