//! Default online learner for multiclass losses: four lanes (learners trained side by side), with one margin per class.
//!
//! Every class has its own coordinates, as [`SingleMargin`](super::single_margin::SingleMargin) has for its one
//! margin; the round, units, mixture weights and stacking are shared by all classes. The weights of a class are 0
//! until its label is first seen; gradients of earlier rows are not made up for.

mod state;

pub(crate) use state::check;

use super::{
    constant::ClassConstants,
    coordinate::Gradients,
    coordinate_store::CoordinateStore,
    mixture_weights::{ChargeSums, ConstantCharge, HeldOutCharges, charge_beyond},
    row_workspace::RowWorkspace,
    scalars::{Scalars, UNBOUNDED, flushed},
    stacking::{self, CONSTANT, Members, StackedRow, Target},
    terms::Terms,
};
use crate::{
    data::{
        fault::{Fault, Part},
        rows::{Batch, Row},
    },
    labels::encoder::LabelEncoder,
    loss::{Loss, charges::Charges},
    model::{
        certificate::Certificate, group_index::GroupIndex, predictor::Predictor, settings::Settings, summary::Mixture,
    },
    pass::{
        learner::{LearnerState, RowLearner},
        row_loop::RowLoop,
    },
    simd::lanes::Lanes,
};
use std::io;

/// Default online learner for multiclass losses: the lanes (learners trained side by side) of all classes, and the
/// mixture weights that the classes share.
#[derive(Debug)]
pub(crate) struct Multiclass {
    loss: Loss,
    intercept: bool,
    scalars: Scalars,
    /// Statistics of the constant prediction.
    constants: ClassConstants,
    /// Group numbers of features; `None` if no feature group has a penalty factor or bounds.
    group_index: Option<GroupIndex>,
    /// Coordinate stores (learner state per feature): one per class by class number, and an empty one for the next new
    /// class.
    stores: Vec<CoordinateStore>,
    /// Buffers for the current row: one per entry of `stores`, followed by a spare one for the store of the next new
    /// class.
    workspaces: Vec<RowWorkspace>,
    /// Margins of the current model at the current row, one per class by ascending label.
    margins: Vec<f64>,
    /// Margins of the constant prediction at the current row, one per class.
    constant_margins: Vec<f64>,
    /// Margins of the lanes (learners trained side by side) at their output points (average iterates) for the current
    /// row, one entry per class.
    outputs: Vec<Lanes>,
    /// Margins of the members of the mixture at the current row, one entry per class.
    members: Vec<Members>,
    /// Margins of the mixture, corrected by stacking, and of the constant prediction at the current row
    /// ([`Stacking::margins`](super::stacking::Stacking::margins)), one entry per class.
    stacked: Vec<Lanes>,
    /// Derivative of the loss with respect to the margin for each lane (one of the learners trained side by side) at
    /// the current row, one entry per class.
    derivatives: Vec<Lanes>,
    /// Derivatives of the loss at the current row, times the row's weight and divided by the unit of gradients (the
    /// first nonzero gradient), one entry per class.
    gradients: Vec<Gradients>,
}

impl Multiclass {
    /// Returns an untrained learner for a multiclass loss. With `full_mixture` the best constants so far (if
    /// the model has an intercept) and stacking are part of the model.
    pub(crate) fn new(settings: &Settings, full_mixture: bool) -> Multiclass {
        Multiclass::assemble(
            settings,
            Scalars::new(settings, full_mixture),
            ClassConstants::default(),
            Vec::new(),
            GroupIndex::new(settings),
        )
    }

    fn assemble(
        settings: &Settings,
        scalars: Scalars,
        constants: ClassConstants,
        stores: Vec<CoordinateStore>,
        group_index: Option<GroupIndex>,
    ) -> Multiclass {
        let mut classes = Multiclass {
            loss: settings.loss,
            intercept: settings.intercept,
            scalars,
            constants,
            group_index,
            stores,
            workspaces: Vec::new(),
            margins: Vec::new(),
            constant_margins: Vec::new(),
            outputs: Vec::new(),
            members: Vec::new(),
            stacked: Vec::new(),
            derivatives: Vec::new(),
            gradients: Vec::new(),
        };
        classes.add();
        classes
    }

    /// Appends an empty coordinate store and its row buffer, for one more class.
    fn add(&mut self) {
        self.stores.push(CoordinateStore::new(self.intercept));
        self.workspaces.resize_with(self.stores.len() + 1, RowWorkspace::default);
    }

    /// Returns the number of classes that have been seen.
    fn len(&self) -> usize {
        self.stores.len() - 1
    }

    /// Returns the terms of the class with the given number; those of a class without rows if `class` is
    /// [`len`](Multiclass::len).
    fn terms(&self, class: usize) -> Terms {
        self.scalars.terms_with(self.loss, self.intercept, 1.0, self.constant(class))
    }

    /// Returns the margin of the constant prediction for the class with the given number; 0 if it is not mixed with the
    /// lanes (learners trained side by side).
    fn constant(&self, class: usize) -> f64 {
        if self.scalars.mixture.has_constant() { self.constants.margin(self.loss, class) } else { 0.0 }
    }

    /// Sets `outputs` to the margins of the lanes (learners trained side by side) at the current row, by `of` for each
    /// class, and from them the margins of the members of the mixture and `stacked`.
    fn combine(&mut self, of: impl Fn(&RowWorkspace) -> Lanes) {
        self.members.clear();
        self.stacked.clear();
        for class in 0..self.outputs.len() {
            let (output, constant) = (of(&self.workspaces[class]), self.constant_margins[class]);
            let members = stacking::members(&output, constant);
            let mixed = self.scalars.mixture.mix(&output, constant);
            let stacking = self.scalars.stacking.as_ref();
            self.stacked.push(stacking.map_or(Lanes::default(), |stacking| stacking.margins(mixed, &members, 0.0)));
            self.members.push(members);
            self.outputs[class] = output;
        }
    }

    /// Returns the charges of the lanes (learners trained side by side) and those of `stacked` for the current row, whose
    /// class is `y`: see [`charge_beyond`].
    fn charges(&mut self, y: usize) -> [Charges; 2] {
        let is_beyond = |workspace: &RowWorkspace| workspace.unclipped != workspace.output;
        let full = self.workspaces[..self.outputs.len()].iter().any(is_beyond).then(|| {
            self.combine(|workspace| workspace.unclipped);
            [&self.outputs, &self.stacked].map(|margins| self.loss.multiclass_charges(y, margins))
        });
        self.combine(|workspace| workspace.output);
        let mut charges = [&self.outputs, &self.stacked].map(|margins| self.loss.multiclass_charges(y, margins));
        for (charges, full) in charges.iter_mut().zip(full.iter().flatten()) {
            charge_beyond(charges, &full.values);
        }
        charges
    }

    /// Looks up the coordinates of a row and computes its margins for the first `count` classes.
    fn ask_all(&mut self, row: &Row<'_>, count: usize) -> Result<(), Fault> {
        self.group_index.as_mut().map_or(Ok(()), |group_index| group_index.inspect(row))?;
        for (store, workspace) in self.stores[..count].iter_mut().zip(&mut self.workspaces) {
            store.raise_limit_if_due();
            store.find(row, workspace)?;
        }
        self.workspaces[count].clear();
        self.constant_margins.clear();
        for class in 0..count {
            self.constant_margins.push(self.constant(class));
        }
        let (shared, coefficient) = self.scalars.terms_without_constant(self.loss, self.intercept, 1.0);
        for (k, store) in self.stores[..count].iter().enumerate() {
            let terms = shared.with_constant(coefficient * self.constant_margins[k]);
            // The coordinates of the next class are prefetched while the current class is processed.
            let (here, next) = self.workspaces.split_at_mut(k + 1);
            store.ask(&terms, &mut here[k], next[0].slots());
            if let Some(shrink_step) = &terms.shrink_step {
                here[k].margin = store.shrunk(&terms, shrink_step, self.group_index.as_ref(), &here[k]);
            }
        }
        self.outputs.clear();
        self.outputs.extend(self.workspaces[..count].iter().map(|workspace| workspace.output));
        Ok(())
    }
}

impl RowLearner for Multiclass {
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        row_loop.take_rows(self, batch, from, to)
    }

    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault> {
        if row.offset != 0.0 {
            return Err(Fault::new(Part::Row, "rows with an offset are not for losses of more than two classes"));
        }
        let y = y as usize;
        self.ask_all(row, self.len().max(y + 1))?;
        // Margins are in the order of a saved model; a new class, which has no position in it yet, comes last.
        let new = (y == self.len()).then_some(y);
        let mut at = 0;
        self.margins.clear();
        for (place, class) in encoder.classes().ascending().chain(new).enumerate() {
            at = if class == y { place } else { at };
            self.margins.push(self.workspaces[class].margin);
        }
        let finite = self.margins.iter().all(|m| m.is_finite()) && self.outputs.iter().all(|m| m.is_finite());
        if finite { Ok(self.loss.multiclass_value(at, &self.margins)) } else { Err(Fault::overflow()) }
    }

    fn margins(&self, margins: &mut Vec<f64>) {
        margins.clear();
        margins.extend(self.workspaces[..self.outputs.len()].iter().map(|workspace| workspace.margin));
    }

    fn prepare(&mut self, y: f64, _: f64) -> Result<(), Fault> {
        self.derivatives.clear();
        self.derivatives.extend(self.workspaces[..self.outputs.len()].iter().map(|workspace| workspace.query));
        self.loss.multiclass_derivatives(y as usize, &mut self.derivatives);
        if self.derivatives.iter().all(|derivative| derivative.is_finite()) { Ok(()) } else { Err(Fault::overflow()) }
    }

    fn admit_class(&mut self, y: f64) {
        if y as usize == self.len() {
            self.add();
        }
    }

    fn charge(&mut self, y: f64, weight: f64) {
        let class = y as usize;
        let [charges, losses] = self.charges(class);
        self.scalars.mixture.add_charges(self.loss, weight, &charges, ConstantCharge::of(&losses, CONSTANT));
        if let Some(stacking) = &mut self.scalars.stacking {
            self.loss.multiclass_derivatives(class, &mut self.stacked);
            let (is_softmax, target) = (self.loss == Loss::Softmax, Target::Class(class));
            let row = StackedRow { is_softmax, target, members: &self.members, derivatives: &self.stacked };
            stacking.add(&row, &losses, self.scalars.mixture.relative(weight));
        }
    }

    fn tell(&mut self, y: f64, weight: f64) {
        let scalars = &mut self.scalars;
        let largest = self
            .derivatives
            .iter()
            .flat_map(|derivative| derivative.0)
            .fold(0.0_f32, |largest, g| largest.max(g.abs()));
        if let Some(ratio) = scalars.units.fit_gradient(weight * f64::from(largest)) {
            self.stores.iter_mut().for_each(|store| store.each(|c| c.rescale_gradients(ratio)));
            self.workspaces.iter_mut().for_each(|workspace| workspace.rescale_gradients(ratio));
            scalars.shrinkage.iter_mut().for_each(|shrinkage| shrinkage.rescale(ratio));
        }
        // As long as there is no unit, all gradients are 0, including the current ones.
        let per = if scalars.units.gradient > 0.0 { weight / scalars.units.gradient } else { 1.0 };
        let lanes = |derivative: &Lanes| Lanes(derivative.0.map(|g| flushed(f64::from(g) * per)));
        self.gradients.clear();
        let shares = scalars.mixture.shares();
        self.gradients.extend(self.derivatives.iter().map(|derivative| Gradients::new(lanes(derivative), shares)));
        for ((store, workspace), gradients) in self.stores.iter_mut().zip(&mut self.workspaces).zip(&self.gradients) {
            store.tell(&scalars.averaging, gradients, workspace, &[]);
        }
        if let Some(shrinkage) = &mut scalars.shrinkage {
            shrinkage.add_classes(weight, per, &self.gradients);
        }
        self.group_index.iter_mut().for_each(GroupIndex::commit);
        self.constants.count(y as usize, weight);
        scalars.averaging.advance();
    }

    /// Updates the mixture weights of the lanes (learners trained side by side) with their losses on the held-out
    /// rows.
    fn end_pass(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let (encoder, loss, count) = (row_loop.counts.encoder.clone(), self.loss, self.len());
        let mut charges = HeldOutCharges::new(loss, 0.0);
        row_loop.holdout.visit(&mut |row| {
            let y = encoder.encode(loss, row.label.unwrap_or(f64::NAN));
            if let (Ok(y), Ok(())) = (y, self.ask_all(row, count)) {
                let [of_lanes, losses] = self.charges(y as usize);
                charges.add_charges(row.weight, &of_lanes, ConstantCharge::of(&losses, CONSTANT));
            }
        })?;
        let pass = row_loop.holdout.run.completed + 1;
        self.scalars.mixture.end_pass(pass, &charges);
        let Some(mut stacking) = self.scalars.stacking else { return Ok(()) };
        let mut held_out = ChargeSums::default();
        row_loop.holdout.visit(&mut |row| {
            let y = encoder.encode(loss, row.label.unwrap_or(f64::NAN));
            if let (Ok(y), Ok(())) = (y, self.ask_all(row, count)) {
                held_out.add(row.weight, &self.charges(y as usize)[1]);
            }
        })?;
        stacking.end_pass(pass, &held_out);
        self.scalars.stacking = Some(stacking);
        Ok(())
    }

    fn predictor(&self, encoder: &LabelEncoder) -> Predictor {
        state::predictor(self, encoder)
    }

    fn save(&self, encoder: &LabelEncoder) -> LearnerState {
        state::save(self, encoder)
    }

    fn certificates(&self) -> Vec<Certificate> {
        vec![Certificate::none(UNBOUNDED)]
    }

    fn mixture(&self) -> Mixture {
        self.scalars.members(self.loss)
    }
}
