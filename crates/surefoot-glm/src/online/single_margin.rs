//! Six lanes side by side, mixed into one model: what learns where neither domain nor penalty is given.

mod state;

pub(crate) use state::check;

use super::{
    coordinate::Gradients,
    coordinate_store::Stack,
    mixture_weights::Judge,
    row_workspace::Answer,
    scalars::{Scalars, UNBOUNDED, flushed},
    shrinkage::{Shrink, Told},
    terms::Terms,
};
use crate::{
    data::{
        fault::Fault,
        rows::{Batch, Row},
    },
    labels::encoder::Coding,
    loss::Loss,
    memory::paged_map::LINE,
    model::{
        certificate::Certificate,
        group_index::Grouping,
        predictor::Predictor,
        settings::{Penalty, Settings},
        summary::{Lane, PathPoint},
    },
    numeric::sums::Mean,
    pass::{
        learner::{Engine, Saved},
        row_loop::Books,
    },
    simd::lanes::{LANES, Lanes},
};
use std::io;

/// All lanes and what mixes them.
#[derive(Debug)]
pub(crate) struct Mix {
    loss: Loss,
    scalars: Scalars,
    stack: Stack,
    /// Where not all features are alike.
    grouping: Option<Grouping>,
    /// Of the row at hand, and of the one after it.
    answers: [Box<Answer>; 2],
    /// The sign that was asked with last, and the gradient that is ready.
    sign: f64,
    gradient: Lanes,
    /// The offset of the row at hand.
    offset: f64,
    /// Where penalties draw models: its margin before that, and those of all drawn models, in training's own sign.
    learnt: f64,
    drawn: Vec<f64>,
}

impl Mix {
    /// Before the first row.
    pub(crate) fn new(settings: &Settings) -> Mix {
        let loss = settings.loss;
        let scalars = Scalars::new(settings);
        Mix::assemble(loss, scalars, Stack::new(settings.intercept), Grouping::new(settings))
    }

    fn assemble(loss: Loss, scalars: Scalars, stack: Stack, grouping: Option<Grouping>) -> Mix {
        Mix {
            loss,
            scalars,
            stack,
            grouping,
            answers: Default::default(),
            sign: 1.0,
            gradient: Lanes::default(),
            offset: 0.0,
            learnt: 0.0,
            drawn: Vec::new(),
        }
    }

    /// Asks for the row at hand.
    fn ask_again(&mut self) {
        let terms = self.terms(self.sign);
        let [answer, next] = &mut self.answers;
        self.stack.ask(&terms, answer, next.halves().0);
        if let Some(shrink) = &self.scalars.shrink {
            self.drawn.clear();
            let (stack, grouping) = (&self.stack, self.grouping.as_ref());
            self.drawn.extend(shrink.pulls(self.sign).map(|pull| stack.drawn(&terms, &pull, grouping, answer)));
            self.learnt = self.sign * (answer.margin + self.offset);
            answer.margin = self.drawn[shrink.chosen()];
            self.drawn.iter_mut().for_each(|margin| *margin = self.sign * (*margin + self.offset));
        }
        if self.offset != 0.0 {
            answer.shift(self.offset, self.scalars.units.relative(self.sign * self.offset));
        }
    }

    fn terms(&self, sign: f64) -> Terms {
        self.scalars.terms(self.loss, self.stack.intercept.is_some(), sign)
    }
}

impl Mix {
    /// Judges the penalties of a path by the held-out rows.
    fn judge_path(&mut self, books: &mut Books) -> io::Result<()> {
        let Some(mut shrink) = self.scalars.shrink.take_if(|shrink| shrink.is_path()) else { return Ok(()) };
        let (coding, terms) = (books.counts.coding.clone(), self.terms(books.counts.coding.sign()));
        let (sign, loss) = (coding.sign(), self.loss);
        let pulls: Vec<_> = shrink.pulls(sign).collect();
        shrink.judge_anew();
        let (stack, grouping) = (&mut self.stack, &mut self.grouping);
        let (answer, drawn) = (&mut self.answers[0], &mut self.drawn);
        books.passes.visit(&mut |row| {
            let y = coding.code(loss, row.label.unwrap_or(f64::NAN));
            let looked = grouping.as_mut().map_or(Ok(()), |grouping| grouping.look(row));
            if let (Ok(y), Ok(())) = (y, looked.and_then(|()| stack.find(row, answer))) {
                drawn.clear();
                let of = |pull| stack.drawn(&terms, pull, grouping.as_ref(), answer);
                drawn.extend(pulls.iter().map(|pull| sign * (of(pull) + row.offset)));
                shrink.judge(loss, y, row.weight, drawn);
            }
        })?;
        self.scalars.shrink = Some(shrink);
        Ok(())
    }
}

impl Engine for Mix {
    fn learn(&mut self, books: &mut Books, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        self.stack.settle();
        let mut found = if from < to { self.stack.find(&batch.row(from), &mut self.answers[0]) } else { Ok(()) };
        for r in from..to {
            // The coordinates of the row after this one are known before this one is worked on, see `Stack::ask`.
            self.answers[1].clear();
            batch.fetch(r + LINE);
            let next = if r + 1 < to { self.stack.find(&batch.row(r + 1), &mut self.answers[1]) } else { Ok(()) };
            found.and_then(|()| books.step(self, &batch.row(r))).map_err(|fault| (r, fault))?;
            self.answers.swap(0, 1);
            found = next;
        }
        Ok(())
    }

    fn ask(&mut self, row: &Row<'_>, coding: &Coding, y: f64) -> Result<f64, Fault> {
        (self.sign, self.offset) = (coding.sign(), row.offset);
        self.grouping.as_mut().map_or(Ok(()), |grouping| grouping.look(row))?;
        self.ask_again();
        let answer = &self.answers[0];
        let finite = answer.output.is_finite() && answer.margin.is_finite();
        if finite { Ok(self.loss.value(y * self.sign, answer.margin)) } else { Err(Fault::overflow()) }
    }

    fn margins(&self, margins: &mut Vec<f64>) {
        margins.clear();
        margins.push(self.answers[0].margin);
    }

    /// The gradient of every lane at its query point, in units of margins and without the row's weight. A label that is
    /// far out of the lanes' units gives them another unit first, unless the row is refused.
    fn ready(&mut self, y: f64, _: f64) -> Result<(), Fault> {
        let units = self.scalars.units;
        if self.scalars.units.fit_label(self.loss, y, self.offset) {
            self.ask_again();
        }
        let answer = &self.answers[0];
        let (units_now, loss) = (&self.scalars.units, self.scalars.units.loss(self.loss));
        self.gradient = loss.slopes(units_now.of(y), &answer.query);
        if let Some((down, up)) = units_now.steepest(loss, units_now.of(y)) {
            self.gradient = Lanes(self.gradient.0.map(|g| g.clamp(-down as f32, up as f32)));
        }
        if self.gradient.is_finite() && answer.output.is_finite() {
            return Ok(());
        }
        self.scalars.units = units;
        Err(Fault::overflow())
    }

    fn judge(&mut self, y: f64, weight: f64) {
        let units = &self.scalars.units;
        self.scalars.lead.add(units.loss(self.loss), units.of(y), weight, &self.answers[0].output);
        if let Some(shrink) = &mut self.scalars.shrink {
            shrink.judge(self.loss, y, weight, &self.drawn);
        }
    }

    fn tell(&mut self, y: f64, weight: f64) {
        let gradient = self.gradient;
        let largest = gradient.0.iter().fold(0.0_f32, |largest, g| largest.max(g.abs()));
        if let Some(ratio) = self.scalars.units.fit_gradient(weight * f64::from(largest)) {
            self.stack.each(|c| c.rescale_gradients(ratio));
            self.answers[0].rescale_gradients(ratio);
            self.scalars.pace.rescale(ratio);
            self.scalars.shrink.iter_mut().for_each(|shrink| shrink.rescale(ratio));
        }
        // Without a unit all gradients so far, these included, are 0.
        let per = if self.scalars.units.gradient > 0.0 { weight / self.scalars.units.gradient } else { 1.0 };
        let lanes = Lanes(gradient.0.map(|g| flushed(f64::from(g) * per)));
        let mut gradients = [Gradients { lanes, model: 0.0 }];
        let shares = self.scalars.lead.shares();
        self.scalars.pace.add(self.loss, self.scalars.clock.step, &shares, &mut gradients);
        let [answer, next] = &mut self.answers;
        self.stack.tell(&self.scalars.clock, &gradients[0], answer, next.halves().1);
        if let Some(shrink) = &mut self.scalars.shrink {
            let (answer, grouping) = (&self.answers[0], self.grouping.as_ref());
            let length = match shrink.axis() {
                Some(axis) => self.stack.length(axis, &shrink.pull(self.sign), grouping, answer),
                None => answer.length(),
            };
            let told = Told { y, weight, learnt: self.learnt, length };
            shrink.add(self.loss, &told, &self.drawn, gradients[0].model);
        }
        self.grouping.iter_mut().for_each(Grouping::keep);
        self.scalars.units.count(self.loss, y, self.offset, weight);
        self.scalars.clock.advance();
    }

    /// Charges the lanes for their losses on the shelf.
    fn end_pass(&mut self, books: &mut Books) -> io::Result<()> {
        let (coding, units) = (books.counts.coding.clone(), self.scalars.units);
        let terms = self.terms(coding.sign());
        let loss = units.loss(self.loss);
        let (stack, answer) = (&mut self.stack, &mut self.answers[0]);
        let mut each = |row: &Row<'_>, then: &mut dyn FnMut(f64, f64, &Lanes)| {
            let y = coding.code(loss, row.label.unwrap_or(f64::NAN));
            if let (Ok(y), Ok(())) = (y, stack.find(row, answer)) {
                stack.ask(&terms, answer, &[]);
                if row.offset != 0.0 {
                    answer.shift(row.offset, units.relative(coding.sign() * row.offset));
                }
                then(units.of(y), row.weight, &answer.output);
            }
        };
        let mut means = [Mean::default(); LANES];
        books.passes.visit(&mut |row| {
            each(row, &mut |y, weight, margins| {
                means.iter_mut().zip(&margins.0).for_each(|(mean, &m)| mean.add(loss.excess(y, m.into()), weight));
            });
        })?;
        let typical = means.iter().filter_map(Mean::value).fold(f64::INFINITY, f64::min);
        let mut judge = Judge::new(loss, typical);
        books.passes.visit(&mut |row| each(row, &mut |y, weight, margins| judge.add(weight, y, margins)))?;
        self.scalars.lead.judge(books.passes.run.completed + 1, &judge);
        self.judge_path(books)
    }

    fn predictor(&self, coding: &Coding) -> Predictor {
        let terms = self.terms(coding.sign());
        Predictor::of(self.stack.intercept(&terms), self.stack.vector(&terms, self.grouping.as_ref()))
    }

    fn save(&self, coding: &Coding) -> Saved {
        state::save(self, coding.sign())
    }

    fn certificates(&self) -> Vec<Certificate> {
        vec![Certificate::none(UNBOUNDED)]
    }

    fn penalty(&self) -> Option<Penalty> {
        self.scalars.shrink.as_ref().map(Shrink::in_force)
    }

    fn path(&self) -> Vec<PathPoint> {
        self.scalars.shrink.as_ref().map_or_else(Vec::new, Shrink::path)
    }

    fn lanes(&self) -> (Vec<Lane>, Option<f64>) {
        self.scalars.lanes(self.loss)
    }

    fn edge(&self) -> i8 {
        self.scalars.edge()
    }
}
