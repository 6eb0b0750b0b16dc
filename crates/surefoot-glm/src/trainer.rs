//! The trainer: scores each row, then learns it.
//!
//! For row t the order is: find its coordinates; ask all lanes for their margins and score the row with the model
//! that a save after row t − 1 would have stored; take every lane's gradient at its query point; tell it. Whatever
//! can be refused is refused before anything has changed.

use crate::{
    Batch, Fault, Labels, Part, Plan, Predictor, Row, Settings, Shelf, Summary,
    board::Board,
    clock::Clock,
    coding::Coding,
    coordinate::Gradients,
    lanes::{LANES, Lanes},
    lead::{Judge, Lead, shortest},
    pace::Pace,
    passes::Passes,
    shelf::InMemory,
    stack::{Answer, Stack, Terms},
    sums::Mean,
    units::Units,
};
use serde::{Deserialize, Serialize};
use std::io;

/// Learns a generalised linear model from a stream of rows.
///
/// A step costs O(nnz) in time, 64 bytes a feature in memory, and allocates nothing once pages and buffers
/// have grown to size.
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
    pub(crate) settings: Settings,
    pub(crate) scalars: Scalars,
    pub(crate) stack: Stack,
    pub(crate) passes: Passes,
    recent: Mean,
    answers: [Answer; 2],
}

/// Everything the trainer remembers besides coordinates and held-out rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scalars {
    pub(crate) clock: Clock,
    pub(crate) units: Units,
    pub(crate) coding: Coding,
    pub(crate) lead: Lead,
    pub(crate) pace: Pace,
    /// Fresh rows, scored before they were learnt.
    pub(crate) board: Board,
    rows: u64,
    rows_zero_weight: u64,
    nnz: u64,
}

/// Weights up to this can be added up 10²⁸ times.
const LARGEST_WEIGHT: f64 = 1e280;

/// A gradient in its unit as f32, 0 where it is below 2⁻³⁰: a lane that is that sure learns nothing, and the square
/// of a smaller number would be subnormal, which costs a hundred times the time.
fn flushed(g: f64) -> f32 {
    const LEAST: f64 = 1.0 / (1_u64 << 30) as f64;
    if g.abs() < LEAST { 0.0 } else { g as f32 }
}

impl Trainer {
    /// A trainer that has seen no row; with several passes it keeps held-out rows in memory.
    #[must_use]
    pub fn new(settings: Settings, plan: Plan) -> Trainer {
        Trainer::with_shelf(settings, plan, Box::<InMemory>::default())
    }

    /// The same, with held-out rows on a shelf of the caller's.
    #[must_use]
    pub fn with_shelf(settings: Settings, plan: Plan, shelf: Box<dyn Shelf>) -> Trainer {
        let units = Units::new(settings.loss);
        let scalars = Scalars {
            clock: Clock::new(),
            units,
            coding: Coding::default(),
            lead: Lead::new(Pace::grid(settings.loss)),
            pace: Pace::default(),
            board: Board::default(),
            rows: 0,
            rows_zero_weight: 0,
            nnz: 0,
        };
        let stack = Stack::new(settings.intercept);
        Trainer::assemble(settings, scalars, stack, Passes::new(plan, shelf))
    }

    pub(crate) fn assemble(settings: Settings, scalars: Scalars, stack: Stack, passes: Passes) -> Trainer {
        Trainer { settings, scalars, stack, passes, recent: Mean::default(), answers: Default::default() }
    }

    /// Takes rows `from..to` of a batch in order: counts, scores, then learns (or holds out) each.
    ///
    /// # Errors
    /// The position of the first row that cannot be used and why; the rows before it are learnt, the row
    /// itself has changed nothing.
    pub fn learn(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        let [mut now, mut next] = std::mem::take(&mut self.answers);
        let mut found = if from < to { self.stack.find(&batch.row(from), &mut now) } else { Ok(()) };
        let mut outcome = Ok(());
        for r in from..to {
            // The coordinates of the row after this one are known before this one is worked on, see `Stack::ask`.
            next.clear();
            let ahead = if r + 1 < to { self.stack.find(&batch.row(r + 1), &mut next) } else { Ok(()) };
            if let Err(fault) = found.and_then(|()| self.step(&batch.row(r), &mut now, &next)) {
                outcome = Err((r, fault));
                break;
            }
            std::mem::swap(&mut now, &mut next);
            found = ahead;
        }
        self.answers = [now, next];
        outcome
    }

    /// One row, whose coordinates have been found.
    fn step(&mut self, row: &Row<'_>, answer: &mut Answer, ahead: &Answer) -> Result<(), Fault> {
        let (Some(label), true) = (row.label, row.weight > 0.0) else {
            self.count(row, true);
            return Ok(());
        };
        if row.weight > LARGEST_WEIGHT {
            return Err(Fault::new(Part::Weight, "the weight is too large to be added to others: divide all weights"));
        }
        let loss = self.settings.loss;
        let y = self.scalars.coding.code(loss, label)?;
        self.stack.ask(&self.terms(), answer, ahead);
        let margin = self.margin(row, answer)?;
        let value = loss.value(y * self.scalars.coding.sign(), margin);
        if self.passes.holds_next() {
            self.passes.shelve(row)?;
            self.accept(row, label, y, value, true, answer);
        } else {
            let gradient = self.gradient(y, answer, ahead)?;
            self.accept(row, label, y, value, false, answer);
            self.tell(y, row.weight, &gradient, answer);
        }
        Ok(())
    }

    /// The margin of the model that a save would store now.
    fn margin(&self, row: &Row<'_>, answer: &Answer) -> Result<f64, Fault> {
        let margin = match self.passes.of_earlier_run() {
            Some(model) => model.score(row)?.margin,
            None => answer.margin,
        };
        if margin.is_finite() && answer.output.is_finite() { Ok(margin) } else { Err(Fault::overflow()) }
    }

    /// Counts a row that is not refused: its label and its loss.
    fn accept(&mut self, row: &Row<'_>, label: f64, y: f64, value: f64, held: bool, answer: &Answer) {
        self.count(row, false);
        self.passes.count();
        self.scalars.coding.meet(self.settings.loss, label);
        self.score(y, row.weight, value, held, answer);
    }

    fn count(&mut self, row: &Row<'_>, idle: bool) {
        self.scalars.rows += 1;
        self.scalars.rows_zero_weight += u64::from(idle);
        self.scalars.nnz += row.index.len() as u64;
    }

    /// By what a lane's points are multiplied to become margins, in their unit.
    fn scales(&self) -> Lanes {
        let labels = self.scalars.units.scale(self.settings.loss) as f32;
        Lanes(self.scalars.pace.scales(self.settings.loss).0.map(|scale| scale * labels))
    }

    pub(crate) fn terms(&self) -> Terms {
        let scales = self.scales();
        Terms {
            clock: self.scalars.clock,
            scales,
            parts: scales * self.scalars.lead.shares(),
            factor: self.scalars.coding.sign() * self.scalars.units.margin,
        }
    }

    /// The gradient of every lane at its query point, in units of margins and without the row's weight. A label that is
    /// far out of the lanes' units gives them another unit first, unless the row is refused.
    fn gradient(&mut self, y: f64, answer: &mut Answer, ahead: &Answer) -> Result<Lanes, Fault> {
        let units = self.scalars.units;
        if self.scalars.units.fit_margin(self.settings.loss, y) {
            self.stack.ask(&self.terms(), answer, ahead);
        }
        let gradient = self.settings.loss.slopes(self.scalars.units.of(y), &answer.query);
        if gradient.is_finite() && answer.output.is_finite() {
            return Ok(gradient);
        }
        self.scalars.units = units;
        Err(Fault::overflow())
    }

    /// Puts the losses of a row where they belong: printed, recent, and what the lanes are chosen by.
    fn score(&mut self, y: f64, weight: f64, value: f64, held: bool, answer: &Answer) {
        let fresh = self.passes.fresh();
        if fresh {
            self.scalars.lead.add(self.settings.loss, self.scalars.units.of(y), weight, &answer.output);
            self.scalars.board.add(y, weight, value);
        }
        if held {
            self.passes.run.met.add(y, weight, value);
        }
        if held || !self.passes.prints_held_out() && fresh {
            self.recent.add(value, weight);
        }
    }

    fn tell(&mut self, y: f64, weight: f64, gradient: &Lanes, answer: &Answer) {
        let largest = gradient.0.iter().fold(0.0_f32, |largest, g| largest.max(g.abs()));
        if let Some(ratio) = self.scalars.units.fit_gradient(weight * f64::from(largest)) {
            self.stack.each(|c| c.rescale_gradients(ratio));
            self.scalars.pace.rescale(ratio);
        }
        // Without a unit all gradients so far, these included, are 0.
        let per = if self.scalars.units.gradient > 0.0 { weight / self.scalars.units.gradient } else { 1.0 };
        let mut lanes = Lanes(gradient.0.map(|g| flushed(f64::from(g) * per)));
        let shares = self.scalars.lead.shares();
        let model = self.scalars.pace.add(self.settings.loss, self.scalars.clock.step, &shares, &mut lanes);
        self.stack.tell(&self.scalars.clock, &Gradients { lanes, model }, answer);
        self.scalars.units.count(self.scalars.units.of(y));
        self.scalars.clock.advance();
        self.passes.learnt();
    }

    /// Puts the held-out rows among rows `from..to` of a batch on the shelf without learning anything: for a
    /// run that is resumed, whose shelf is gone. The rows are counted from the start of the data.
    ///
    /// # Errors
    /// Those of the shelf.
    pub fn reshelve(&mut self, batch: &Batch, from: usize, to: usize) -> io::Result<()> {
        (from..to).try_for_each(|r| self.passes.reshelve(&batch.row(r)))
    }

    /// To be called after the last row of each pass, the only one included.
    ///
    /// With held-out rows, decides the shares of the lanes and which pass's model is kept.
    ///
    /// # Errors
    /// Those of the shelf.
    pub fn end_pass(&mut self) -> io::Result<()> {
        if self.passes.judges() {
            self.judge_lanes()?;
            let terms = self.terms();
            let candidate = Predictor::of(self.stack.intercept(&terms), self.stack.vector(&terms));
            let (loss, coding) = (self.settings.loss, self.scalars.coding);
            self.passes.keep(loss, candidate, |label| coding.code(loss, label).unwrap_or(f64::NAN) * coding.sign())?;
        }
        self.passes.next();
        Ok(())
    }

    /// Charges the lanes for their losses on the shelf.
    fn judge_lanes(&mut self) -> io::Result<()> {
        let (loss, coding, units, terms) = (self.settings.loss, self.scalars.coding, self.scalars.units, self.terms());
        let (stack, [answer, none]) = (&mut self.stack, &mut self.answers);
        none.clear();
        let mut each = |row: &Row<'_>, then: &mut dyn FnMut(f64, f64, &Lanes)| {
            let y = coding.code(loss, row.label.unwrap_or(f64::NAN));
            if let (Ok(y), Ok(())) = (y, stack.find(row, answer)) {
                stack.ask(&terms, answer, none);
                then(units.of(y), row.weight, &answer.output);
            }
        };
        let mut means = [Mean::default(); LANES];
        self.passes.visit(&mut |row| {
            each(row, &mut |y, weight, margins| {
                means.iter_mut().zip(&margins.0).for_each(|(mean, &m)| mean.add(loss.value(y, m.into()), weight));
            });
        })?;
        let typical = means.iter().filter_map(Mean::value).fold(f64::INFINITY, f64::min);
        let mut judge = Judge::new(loss, typical);
        self.passes.visit(&mut |row| each(row, &mut |y, weight, margins| judge.add(weight, y, margins)))?;
        self.scalars.lead.judge(self.passes.run.completed + 1, &judge);
        Ok(())
    }

    /// Counters and losses as of now.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let (scalars, run) = (&self.scalars, &self.passes.run);
        let board = match &run.judged {
            Some(judged) => judged,
            None if self.passes.prints_held_out() => &run.met,
            None => &scalars.board,
        };
        Summary {
            rows: scalars.rows,
            rows_zero_weight: scalars.rows_zero_weight,
            nnz: scalars.nnz,
            passes: run.completed,
            weight: board.weight(),
            loss: board.loss(),
            loss_constant: board.constant(self.settings.loss),
            lane: shortest(Pace::grid(self.settings.loss).0[scalars.lead.leader()]),
            lanes: scalars.lead.lanes(Pace::grid(self.settings.loss)),
        }
    }

    /// Mean loss since the previous call, and forgets it; `None` if no row was scored since.
    pub fn loss_recent(&mut self) -> Option<f64> {
        std::mem::take(&mut self.recent).value()
    }

    /// The only label seen so far, if this is a classifier that has seen one label only.
    #[must_use]
    pub fn single_label(&self) -> Option<f64> {
        self.scalars.coding.single()
    }

    /// How labels are coded as of now.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.scalars.coding.labels()
    }

    /// Whether the leading lane is at an edge of the grid, and which: −1 the smallest scale, +1 the largest.
    #[must_use]
    pub fn edge(&self) -> i8 {
        match self.scalars.lead.leader() {
            0 => -1,
            k if k == LANES - 1 => 1,
            _ => 0,
        }
    }
}
