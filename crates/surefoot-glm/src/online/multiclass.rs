//! Six lanes side by side, with a margin for each of any number of classes.
//!
//! Every class has coordinates of its own, as [`Mix`](super::single_margin::Mix) has them for its one margin; clock, units, pace and
//! shares of the lanes are those of all classes together. A class begins when it is first met, at 0: coordinates
//! that were not touched are 0 anyway, but for the rows before nothing was subtracted from it.

mod state;

pub(crate) use state::check;

use super::{
    coordinate::Gradients,
    coordinate_store::Stack,
    mixture_weights::Judge,
    row_workspace::Answer,
    scalars::{Scalars, UNBOUNDED, flushed},
    terms::Terms,
};
use crate::{
    data::{
        fault::{Fault, Part},
        rows::{Batch, Row},
    },
    labels::encoder::Coding,
    loss::Loss,
    model::{certificate::Certificate, group_index::Grouping, predictor::Predictor, settings::Settings, summary::Lane},
    pass::{
        learner::{Engine, Saved},
        row_loop::Books,
    },
    simd::lanes::Lanes,
};
use std::io;

/// The lanes of all classes.
#[derive(Debug)]
pub(crate) struct Classes {
    loss: Loss,
    intercept: bool,
    scalars: Scalars,
    /// Where not all features are alike.
    grouping: Option<Grouping>,
    /// One a class, by number, and one for the class that is met next.
    stacks: Vec<Stack>,
    /// Of the row at hand: one a stack, and an empty one.
    answers: Vec<Answer>,
    /// The margins of the model by ascending label, those of the lanes, and the gradients that are ready.
    margins: Vec<f64>,
    outputs: Vec<Lanes>,
    slopes: Vec<Lanes>,
    gradients: Vec<Gradients>,
}

impl Classes {
    /// Before the first row.
    pub(crate) fn new(settings: &Settings) -> Classes {
        Classes::assemble(settings, Scalars::new(settings), Vec::new(), Grouping::new(settings))
    }

    fn assemble(settings: &Settings, scalars: Scalars, stacks: Vec<Stack>, grouping: Option<Grouping>) -> Classes {
        let mut classes = Classes {
            loss: settings.loss,
            intercept: settings.intercept,
            scalars,
            grouping,
            stacks,
            answers: Vec::new(),
            margins: Vec::new(),
            outputs: Vec::new(),
            slopes: Vec::new(),
            gradients: Vec::new(),
        };
        classes.add();
        classes
    }

    /// Makes room for a class that was not met.
    fn add(&mut self) {
        self.stacks.push(Stack::new(self.intercept));
        self.answers.resize_with(self.stacks.len() + 1, Answer::default);
    }

    /// Classes that were met.
    fn len(&self) -> usize {
        self.stacks.len() - 1
    }

    fn terms(&self) -> Terms {
        self.scalars.terms(self.loss, self.intercept, 1.0)
    }

    /// Asks the first `count` classes for their margins at a row.
    fn ask_all(&mut self, row: &Row<'_>, count: usize) -> Result<(), Fault> {
        self.grouping.as_mut().map_or(Ok(()), |grouping| grouping.look(row))?;
        for (stack, answer) in self.stacks[..count].iter_mut().zip(&mut self.answers) {
            stack.settle();
            stack.find(row, answer)?;
        }
        self.answers[count].clear();
        let terms = self.terms();
        for (k, stack) in self.stacks[..count].iter().enumerate() {
            // The coordinates of the next class travel to the cache while this one is worked on.
            let (here, next) = self.answers.split_at_mut(k + 1);
            stack.ask(&terms, &mut here[k], next[0].slots());
            if let Some(pull) = &terms.pull {
                here[k].margin = stack.drawn(&terms, pull, self.grouping.as_ref(), &here[k]);
            }
        }
        self.outputs.clear();
        self.outputs.extend(self.answers[..count].iter().map(|answer| answer.output));
        Ok(())
    }
}

impl Engine for Classes {
    fn learn(&mut self, books: &mut Books, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        books.walk(self, batch, from, to)
    }

    fn ask(&mut self, row: &Row<'_>, coding: &Coding, y: f64) -> Result<f64, Fault> {
        if row.offset != 0.0 {
            return Err(Fault::new(Part::Row, "rows with an offset are not for losses of more than two classes"));
        }
        let y = y as usize;
        self.ask_all(row, self.len().max(y + 1))?;
        // In the order of a saved model, where a new class has no place yet.
        let new = (y == self.len()).then_some(y);
        let mut at = 0;
        self.margins.clear();
        for (place, class) in coding.classes().ascending().chain(new).enumerate() {
            at = if class == y { place } else { at };
            self.margins.push(self.answers[class].margin);
        }
        let finite = self.margins.iter().all(|m| m.is_finite()) && self.outputs.iter().all(|m| m.is_finite());
        if finite { Ok(self.loss.value_of(at, &self.margins)) } else { Err(Fault::overflow()) }
    }

    fn margins(&self, margins: &mut Vec<f64>) {
        margins.clear();
        margins.extend(self.answers[..self.outputs.len()].iter().map(|answer| answer.margin));
    }

    fn ready(&mut self, y: f64, _: f64) -> Result<(), Fault> {
        self.slopes.clear();
        self.slopes.extend(self.answers[..self.outputs.len()].iter().map(|answer| answer.query));
        self.loss.slopes_of(y as usize, &mut self.slopes);
        if self.slopes.iter().all(|slope| slope.is_finite()) { Ok(()) } else { Err(Fault::overflow()) }
    }

    fn meet(&mut self, y: f64) {
        if y as usize == self.len() {
            self.add();
        }
    }

    fn judge(&mut self, y: f64, weight: f64) {
        self.scalars.lead.add_charges(weight, &self.loss.charges_of(y as usize, &self.outputs));
    }

    fn tell(&mut self, _: f64, weight: f64) {
        let scalars = &mut self.scalars;
        let largest = self.slopes.iter().flat_map(|slope| slope.0).fold(0.0_f32, |largest, g| largest.max(g.abs()));
        if let Some(ratio) = scalars.units.fit_gradient(weight * f64::from(largest)) {
            self.stacks.iter_mut().for_each(|stack| stack.each(|c| c.rescale_gradients(ratio)));
            self.answers.iter_mut().for_each(|answer| answer.rescale_gradients(ratio));
            scalars.pace.rescale(ratio);
            scalars.shrink.iter_mut().for_each(|shrink| shrink.rescale(ratio));
        }
        // Without a unit all gradients so far, these included, are 0.
        let per = if scalars.units.gradient > 0.0 { weight / scalars.units.gradient } else { 1.0 };
        let lanes = |slope: &Lanes| Lanes(slope.0.map(|g| flushed(f64::from(g) * per)));
        self.gradients.clear();
        self.gradients.extend(self.slopes.iter().map(|slope| Gradients { lanes: lanes(slope), model: 0.0 }));
        scalars.pace.add(self.loss, scalars.clock.step, &scalars.lead.shares(), &mut self.gradients);
        for ((stack, answer), gradients) in self.stacks.iter_mut().zip(&mut self.answers).zip(&self.gradients) {
            stack.tell(&scalars.clock, gradients, answer, &[]);
        }
        if let Some(shrink) = &mut scalars.shrink {
            shrink.add_classes(weight, per, &self.gradients);
        }
        self.grouping.iter_mut().for_each(Grouping::keep);
        scalars.clock.advance();
    }

    /// Charges the lanes for their losses on the shelf.
    fn end_pass(&mut self, books: &mut Books) -> io::Result<()> {
        let (coding, loss, count) = (books.counts.coding.clone(), self.loss, self.len());
        let mut judge = Judge::new(loss, 0.0);
        books.passes.visit(&mut |row| {
            let y = coding.code(loss, row.label.unwrap_or(f64::NAN));
            if let (Ok(y), Ok(())) = (y, self.ask_all(row, count)) {
                judge.add_charges(row.weight, &loss.charges_of(y as usize, &self.outputs));
            }
        })?;
        self.scalars.lead.judge(books.passes.run.completed + 1, &judge);
        Ok(())
    }

    fn predictor(&self, coding: &Coding) -> Predictor {
        state::predictor(self, coding)
    }

    fn save(&self, coding: &Coding) -> Saved {
        state::save(self, coding)
    }

    fn certificates(&self) -> Vec<Certificate> {
        vec![Certificate::none(UNBOUNDED)]
    }

    fn lanes(&self) -> (Vec<Lane>, Option<f64>) {
        self.scalars.lanes(self.loss)
    }

    fn edge(&self) -> i8 {
        self.scalars.edge()
    }
}
