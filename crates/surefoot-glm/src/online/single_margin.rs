//! Default online learner for losses with a single margin: four lanes (learners with different step-size scales,
//! trained side by side), whose weighted mean is the model.

pub(crate) mod in_rounds;
mod state;

pub(crate) use state::check;

use super::{
    coordinate::Gradients,
    coordinate_store::CoordinateStore,
    mixture_weights::{ChargeSums, ConstantCharge, HeldOutCharges, MixtureWeights, class_charges},
    row_workspace::RowWorkspace,
    scalars::{Scalars, UNBOUNDED, flushed},
    shrinkage::{Observation, Shrinkage},
    stacking::{self, CONSTANT, Members, StackedRow, Stacking, Target},
    terms::Terms,
};
use crate::{
    data::{
        fault::Fault,
        rows::{Batch, Row},
    },
    labels::encoder::LabelEncoder,
    loss::Loss,
    memory::paged_map::LINE,
    model::{
        certificate::Certificate,
        group_index::GroupIndex,
        predictor::Predictor,
        settings::{Penalty, Settings},
        summary::{Mixture, PathPoint},
    },
    numeric::sums::Mean,
    pass::{
        learner::{LearnerState, RowLearner},
        row_loop::RowLoop,
    },
    simd::lanes::{LANES, Lanes},
};
use std::io;

/// Default online learner for losses with a single margin: the state of its lanes (learners trained side by side),
/// their mixture weights, and buffers for the current row.
#[derive(Debug)]
pub(crate) struct SingleMargin {
    loss: Loss,
    scalars: Scalars,
    store: CoordinateStore,
    /// Group numbers of features; `None` if no feature group has a penalty factor or bounds.
    group_index: Option<GroupIndex>,
    /// Buffers for the current row and for the next row, whose coordinates are prefetched.
    workspaces: [Box<RowWorkspace>; 2],
    /// Sign of the model when margins were last computed: −1 if the negative class is encoded as +1
    /// ([`LabelEncoder::sign`]), otherwise 1.
    sign: f64,
    /// Derivative of the loss with respect to the margin for each lane (one of the learners trained side by side) at
    /// the current row, computed by `prepare` for `tell`.
    gradient: Lanes,
    /// Margin of the constant prediction for the current row, in the unit of margins, without the offset of the row.
    constant: f64,
    /// Offset of the current row, which is added to its margins.
    offset: f64,
    /// Margin of the model before shrinkage at the current row, with the sign that fits encoded labels (that of the
    /// saved model may be opposite); only used with a penalty.
    learnt: f64,
    /// Margins of the models shrunk by each penalty of the path at the current row, with the sign that fits encoded
    /// labels (that of the saved model may be opposite); empty if there is no penalty.
    shrunk: Vec<f64>,
}

impl SingleMargin {
    /// Returns an untrained learner for a loss with a single margin. With `full_mixture` the best
    /// constant so far (if the model has an intercept) and stacking are part of the model.
    pub(crate) fn new(settings: &Settings, full_mixture: bool) -> SingleMargin {
        let loss = settings.loss;
        let scalars = Scalars::new(settings, full_mixture);
        SingleMargin::assemble(loss, scalars, CoordinateStore::new(settings.intercept), GroupIndex::new(settings))
    }

    fn assemble(loss: Loss, scalars: Scalars, store: CoordinateStore, group_index: Option<GroupIndex>) -> SingleMargin {
        SingleMargin {
            loss,
            scalars,
            store,
            group_index,
            workspaces: Default::default(),
            sign: 1.0,
            gradient: Lanes::default(),
            constant: 0.0,
            offset: 0.0,
            learnt: 0.0,
            shrunk: Vec::new(),
        }
    }

    /// Computes the margins of the current row, which must have been looked up, and whose `sign` and `offset` must have
    /// been set.
    fn ask_again(&mut self) {
        self.constant = self.scalars.constant_margin(self.loss);
        let intercept = self.store.intercept.is_some();
        let terms = self.scalars.terms_with(self.loss, intercept, self.sign, self.constant);
        let [workspace, next] = &mut self.workspaces;
        self.store.ask(&terms, workspace, next.halves().0);
        if let Some(shrinkage) = &self.scalars.shrinkage {
            self.shrunk.clear();
            let (store, group_index) = (&self.store, self.group_index.as_ref());
            self.shrunk.extend(
                shrinkage
                    .shrink_steps(self.sign)
                    .map(|shrink_step| store.shrunk(&terms, &shrink_step, group_index, workspace)),
            );
            self.learnt = self.sign * (workspace.margin + self.offset);
            workspace.margin = self.shrunk[shrinkage.chosen()];
            self.shrunk.iter_mut().for_each(|margin| *margin = self.sign * (*margin + self.offset));
        }
        if self.offset != 0.0 {
            workspace.add_offset(self.offset, self.scalars.units.offset_in_units(self.sign * self.offset));
        }
    }

    fn terms(&self, sign: f64) -> Terms {
        self.scalars.terms(self.loss, self.store.intercept.is_some(), sign)
    }
}

/// Held-out row, with the margins of the members of the mixture at it.
struct HeldOutRow<'a> {
    /// Encoded label, in the unit of labels.
    y: f64,
    weight: f64,
    /// Margins of the lanes (learners trained side by side): `output` and `unclipped` of [`RowWorkspace`].
    margins: [&'a Lanes; 2],
    /// Margin of the constant prediction, without the row's offset.
    constant: f64,
    offset: f64,
}

/// Returns, from the margins `output` of the lanes (learners trained side by side) at a row with this `offset`, the
/// margins of the members of the mixture without the offset, and those of [`Stacking::margins`].
fn stacked(
    stacking: &Stacking,
    mixture: &MixtureWeights,
    output: &Lanes,
    constant: f64,
    offset: f64,
) -> (Members, Lanes) {
    let members = stacking::members(output, constant + offset).map(|m| m - offset);
    (members, stacking.margins(mixture.mix(output, constant + offset), &members, offset))
}

impl SingleMargin {
    /// Updates mixture weights and stacking with the current row, whose offset is `offset`, for losses that have stacking.
    fn charge_stacked(&mut self, y: f64, weight: f64, offset: f64) {
        let (loss, workspace, scalars) = (self.loss, &self.workspaces[0], &mut self.scalars);
        let Some(stacking) = &mut scalars.stacking else { return };
        let outputs = [&workspace.output, &workspace.unclipped];
        let [(members, margins), (_, full)] =
            outputs.map(|output| stacked(stacking, &scalars.mixture, output, self.constant, offset));
        let losses = class_charges(loss, y, [&margins, &full]);
        let charges = class_charges(loss, y, outputs);
        scalars.mixture.add_charges(loss, weight, &charges, ConstantCharge::of(&losses, CONSTANT));
        let derivatives = [loss.derivatives(y, &margins)];
        let target = Target::Share(0.5 * (1.0 + y));
        let row = StackedRow { is_softmax: false, target, members: &[members], derivatives: &derivatives };
        stacking.add(&row, &losses, scalars.mixture.relative(weight));
    }

    /// Scores each penalty of a path by the loss of its model on the held-out rows.
    fn score_path(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let Some(mut shrinkage) = self.scalars.shrinkage.take_if(|shrinkage| shrinkage.is_path()) else {
            return Ok(());
        };
        let (encoder, terms) = (row_loop.counts.encoder.clone(), self.terms(row_loop.counts.encoder.sign()));
        let (sign, loss) = (encoder.sign(), self.loss);
        let shrink_steps: Vec<_> = shrinkage.shrink_steps(sign).collect();
        shrinkage.reset_losses();
        let (store, group_index) = (&mut self.store, &mut self.group_index);
        let (workspace, shrunk) = (&mut self.workspaces[0], &mut self.shrunk);
        row_loop.holdout.visit(&mut |row| {
            let y = encoder.encode(loss, row.label.unwrap_or(f64::NAN));
            let looked = group_index.as_mut().map_or(Ok(()), |group_index| group_index.inspect(row));
            if let (Ok(y), Ok(())) = (y, looked.and_then(|()| store.find(row, workspace))) {
                shrunk.clear();
                let of = |shrink_step| store.shrunk(&terms, shrink_step, group_index.as_ref(), workspace);
                shrunk.extend(shrink_steps.iter().map(|shrink_step| sign * (of(shrink_step) + row.offset)));
                shrinkage.record_losses(loss, y, row.weight, shrunk);
            }
        })?;
        self.scalars.shrinkage = Some(shrinkage);
        Ok(())
    }
}

impl RowLearner for SingleMargin {
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        self.store.raise_limit_if_due();
        let mut found = if from < to { self.store.find(&batch.row(from), &mut self.workspaces[0]) } else { Ok(()) };
        for r in from..to {
            // The coordinates of the next row are looked up before the current row is processed, so that
            // `CoordinateStore::ask` can prefetch them.
            self.workspaces[1].clear();
            batch.prefetch(r + LINE);
            let next = if r + 1 < to { self.store.find(&batch.row(r + 1), &mut self.workspaces[1]) } else { Ok(()) };
            found.and_then(|()| row_loop.take_row(self, &batch.row(r))).map_err(|fault| (r, fault))?;
            self.workspaces.swap(0, 1);
            found = next;
        }
        Ok(())
    }

    fn find(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        self.store.raise_limit_if_due();
        self.workspaces[1].clear();
        self.store.find(row, &mut self.workspaces[0])
    }

    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault> {
        (self.sign, self.offset) = (encoder.sign(), row.offset);
        self.group_index.as_mut().map_or(Ok(()), |group_index| group_index.inspect(row))?;
        self.ask_again();
        let workspace = &self.workspaces[0];
        let finite = workspace.output.is_finite() && workspace.margin.is_finite();
        if finite { Ok(self.loss.value(y * self.sign, workspace.margin)) } else { Err(Fault::overflow()) }
    }

    fn margins(&self, margins: &mut Vec<f64>) {
        margins.clear();
        margins.push(self.workspaces[0].margin);
    }

    /// Computes the derivative of the loss for every lane (one of the learners trained side by side) at its query point
    /// (where the lane computes gradients), in the unit of margins and without the row's weight. If the label is too
    /// large for the current unit of labels, changes the unit first, unless the row is refused.
    fn prepare(&mut self, y: f64, _: f64) -> Result<(), Fault> {
        let units = self.scalars.units;
        if self.scalars.units.fit_label(self.loss, y, self.offset) {
            self.ask_again();
        }
        let workspace = &self.workspaces[0];
        let (units_now, loss) = (&self.scalars.units, self.scalars.units.loss_in_units(self.loss));
        self.gradient = loss.derivatives(units_now.label_in_units(y), &workspace.query);
        if let Some((down, up)) = units_now.derivative_bounds(loss, units_now.label_in_units(y)) {
            self.gradient = Lanes(self.gradient.0.map(|g| g.clamp(-down as f32, up as f32)));
        }
        if self.gradient.is_finite() && workspace.output.is_finite() {
            return Ok(());
        }
        self.scalars.units = units;
        Err(Fault::overflow())
    }

    fn charge(&mut self, y: f64, weight: f64) {
        let units = &self.scalars.units;
        let offset = units.offset_in_units(self.sign * self.offset);
        if self.scalars.stacking.is_some() {
            self.charge_stacked(y, weight, offset);
        } else {
            let (loss, y) = (units.loss_in_units(self.loss), units.label_in_units(y));
            let margins = [&self.workspaces[0].output, &self.workspaces[0].unclipped];
            self.scalars.mixture.add(loss, y, weight, margins, self.constant + offset);
        }
        if let Some(shrinkage) = &mut self.scalars.shrinkage {
            shrinkage.record_losses(self.loss, y, weight, &self.shrunk);
        }
    }

    fn tell(&mut self, y: f64, weight: f64) {
        let gradient = self.gradient;
        let largest = gradient.0.iter().fold(0.0_f32, |largest, g| largest.max(g.abs()));
        if let Some(ratio) = self.scalars.units.fit_gradient(weight * f64::from(largest)) {
            self.store.each(|c| c.rescale_gradients(ratio));
            self.workspaces[0].rescale_gradients(ratio);
            self.scalars.shrinkage.iter_mut().for_each(|shrinkage| shrinkage.rescale(ratio));
        }
        // As long as there is no unit, all gradients are 0, including the current ones.
        let per = if self.scalars.units.gradient > 0.0 { weight / self.scalars.units.gradient } else { 1.0 };
        let lanes = Lanes(gradient.0.map(|g| flushed(f64::from(g) * per)));
        let gradients = Gradients::new(lanes, self.scalars.mixture.shares());
        let [workspace, next] = &mut self.workspaces;
        self.store.tell(&self.scalars.averaging, &gradients, workspace, next.halves().1);
        if let Some(shrinkage) = &mut self.scalars.shrinkage {
            let (workspace, group_index) = (&self.workspaces[0], self.group_index.as_ref());
            let length = match shrinkage.term() {
                Some(term) => self.store.squared_norm(term, &shrinkage.shrink_step(self.sign), group_index, workspace),
                None => workspace.squared_norm(),
            };
            let observation = Observation { y, weight, learnt: self.learnt, length };
            shrinkage.add(self.loss, &observation, &self.shrunk, gradients.model);
        }
        self.group_index.iter_mut().for_each(GroupIndex::commit);
        self.scalars.units.count(self.loss, y, self.offset, weight);
        self.scalars.constant.count(self.loss, y, self.offset, weight);
        self.scalars.averaging.advance();
    }

    /// Updates the mixture weights of the lanes (learners trained side by side) with their losses on the held-out
    /// rows, and scores the penalties of a path.
    fn end_pass(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let (encoder, units) = (row_loop.counts.encoder.clone(), self.scalars.units);
        let constant = self.scalars.constant_margin(self.loss);
        let terms = self.terms(encoder.sign());
        let loss = units.loss_in_units(self.loss);
        let (store, workspace) = (&mut self.store, &mut self.workspaces[0]);
        let mut each = |row: &Row<'_>, then: &mut dyn FnMut(&HeldOutRow<'_>)| {
            let y = encoder.encode(loss, row.label.unwrap_or(f64::NAN));
            if let (Ok(y), Ok(())) = (y, store.find(row, workspace)) {
                store.ask(&terms, workspace, &[]);
                let offset = units.offset_in_units(encoder.sign() * row.offset);
                if row.offset != 0.0 {
                    workspace.add_offset(row.offset, offset);
                }
                let (y, margins) = (units.label_in_units(y), [&workspace.output, &workspace.unclipped]);
                then(&HeldOutRow { y, weight: row.weight, margins, constant, offset });
            }
        };
        let mut means = [Mean::default(); LANES];
        row_loop.holdout.visit(&mut |row| {
            each(row, &mut |row| {
                let pairs = means.iter_mut().zip(&row.margins[0].0);
                pairs.for_each(|(mean, &m)| mean.add(loss.excess(row.y, m.into()), row.weight));
            });
        })?;
        let typical = means.iter().filter_map(Mean::value).fold(f64::INFINITY, f64::min);
        let mut charges = HeldOutCharges::new(loss, typical);
        row_loop.holdout.visit(&mut |row| {
            each(row, &mut |row| charges.add(row.weight, row.y, row.margins, row.constant + row.offset));
        })?;
        let pass = row_loop.holdout.run.completed + 1;
        self.scalars.mixture.end_pass(pass, &charges);
        if let Some(stacking) = &mut self.scalars.stacking {
            let (mixture, mut held_out) = (&self.scalars.mixture, ChargeSums::default());
            row_loop.holdout.visit(&mut |row| {
                each(row, &mut |row| {
                    let of = |output: &Lanes| stacked(stacking, mixture, output, row.constant, row.offset).1;
                    held_out.add(row.weight, &class_charges(loss, row.y, row.margins.map(of).each_ref()));
                });
            })?;
            stacking.end_pass(pass, &held_out);
        }
        self.score_path(row_loop)
    }

    fn predictor(&self, encoder: &LabelEncoder) -> Predictor {
        let terms = self.terms(encoder.sign());
        Predictor::of(self.store.intercept(&terms), self.store.vector(&terms, self.group_index.as_ref()))
    }

    fn save(&self, encoder: &LabelEncoder) -> LearnerState {
        state::save(self, encoder.sign())
    }

    fn certificates(&self) -> Vec<Certificate> {
        vec![Certificate::none(UNBOUNDED)]
    }

    fn penalty(&self) -> Option<Penalty> {
        self.scalars.shrinkage.as_ref().map(Shrinkage::current_penalty)
    }

    fn path(&self) -> Vec<PathPoint> {
        self.scalars.shrinkage.as_ref().map_or_else(Vec::new, Shrinkage::path)
    }

    fn mixture(&self) -> Mixture {
        self.scalars.members(self.loss)
    }
}
