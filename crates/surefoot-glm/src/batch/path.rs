//! The choice of a penalty by cross-validation.
//!
//! Of each split of the rows nine parts in ten are learnt from, one is held out. The path goes from the heaviest penalty that may be
//! worth a try, two to a decade, each optimum sought from the one before, down to where lighter ones change little any more:
//! where nearly all that there is to explain in the rows is explained, or as much as without a penalty. No bump of the held-out
//! loss ends it, only a rise that is long, large and no chance. Where the least loss is at its heavy end, heavier ones are tried. The last point is no penalty at all, where that has
//! an optimum.
//!
//! *Cost*: some 20 optima to 1e-3 or 1e-4 a split; one split for 25,000 rows or more, up to ten where there are fewer, or where few are of
//! the rarer class. Splits run side by side.

use super::{
    folds::Folds,
    optimum::{Ended, Layout, Optimum},
    problem::Problem,
};
use crate::{
    model::{
        settings::{Penalty, PenaltyTerm, Select},
        summary::PathPoint,
    },
    numeric::sums::{Mean, Sum},
};
use std::sync::atomic::{AtomicBool, Ordering};

/// How near to each optimum to go: with l1, where a digit costs most, and otherwise.
const ROUGHLY: f64 = 1e-3;
const NEARLY: f64 = 1e-4;
/// From here on lighter penalties explain nothing more: a share of what is explained.
const LITTLE: f64 = 1e-3;
/// The same of what there is to explain, where more weights than rows can explain everything.
const LITTLE_OF_ALL: f64 = 1e-2;
/// A held-out loss rises for good once it has risen this many times in a row, by this share of what the best model explains, and by
/// this many standard errors.
const RISES: usize = 3;
const LARGE: f64 = 0.05;
const CHANCE: f64 = 2.0;
/// Penalties of a path: fewest, and most on the way down and up.
const FEWEST: usize = 5;
const MOST_DOWN: usize = 33;
const MOST_UP: usize = 8;
/// Passes that are worth a try without a penalty.
const PASSES: f64 = 300.0;

/// How a path was walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'s> {
    /// A split is done, of so many.
    Split(usize, usize),
    /// All are, and this is what came of a penalty.
    Point(&'s PathPoint),
}

/// The losses on the held-out rows of a model.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    mean: Mean,
    /// Σ w², Σ w²l and Σ w²l² of losses l of rows of weight w.
    squares: [Sum; 3],
}

impl Losses {
    fn add(&mut self, loss: f64, weight: f64) {
        self.mean.add(loss, weight);
        let square = weight * weight;
        let terms = [square, square * loss, square * loss * loss];
        self.squares.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
    }

    fn join(&mut self, other: &Losses) {
        self.mean.join(&other.mean);
        self.squares.iter_mut().zip(&other.squares).for_each(|(sum, other)| sum.add(other.value()));
    }

    /// The mean, ∞ where it is none, and its standard error.
    fn value(&self) -> (f64, Option<f64>) {
        let Some(mean) = self.mean.value() else { return (f64::INFINITY, None) };
        let [one, first, second] = self.squares.map(|sum| sum.value());
        let variance = (second - 2.0 * mean * first + mean * mean * one).max(0.0);
        (mean, Some(variance.sqrt() / self.mean.weight()).filter(|error| error.is_finite()))
    }
}

/// What came of one penalty on one split.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// The mean loss on the rows that were learnt, less the least that their labels can have.
    training: f64,
    held: Losses,
}

/// The search along the path on one split.
struct Walk<'w> {
    problem: &'w Problem,
    axis: PenaltyTerm,
    layout: Layout<'w>,
    held: &'w [usize],
    /// The least mean loss that the labels can have.
    floor: f64,
    start: (Vec<f64>, Vec<f64>),
    /// The losses of held-out rows that were found last.
    losses: Vec<f64>,
    threads: usize,
    stop: &'w (dyn Fn() -> bool + Sync),
}

impl<'w> Walk<'w> {
    fn new(
        problem: &'w Problem,
        axis: PenaltyTerm,
        held: &'w [usize],
        threads: usize,
        stop: &'w (dyn Fn() -> bool + Sync),
    ) -> Option<Walk<'w>> {
        let (examples, loss) = (&problem.examples, problem.settings.loss);
        let mut weights: Vec<f64> = (0..examples.len()).map(|i| examples.weight(i)).collect();
        held.iter().for_each(|&i| weights[i] = 0.0);
        let mut floor = Mean::default();
        for (i, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let (y, offset) = examples.label(i);
            let least = if loss.is_multiclass() { 0.0 } else { loss.value(y, offset) - loss.excess(y, offset) };
            floor.add(least, *weight);
        }
        let layout = Layout::new(examples, &weights, problem.settings.intercept)?;
        let floor = floor.value().unwrap_or(0.0);
        let start = (vec![0.0; problem.start.0.len()], vec![0.0; problem.start.1.len()]);
        Some(Walk { problem, axis, layout, held, floor, start, losses: Vec::new(), threads, stop })
    }

    /// The optimum with a penalty of this strength; `None` if it was stopped. Later ones are sought from there.
    fn optimum(&mut self, strength: f64, most: f64) -> Option<Optimum> {
        let penalty = self.axis.of(self.problem.settings.penalty, strength);
        let goal = self.problem.goal(&penalty, if penalty.l1 > 0.0 { ROUGHLY } else { NEARLY }, self.threads);
        let (over, stop) = (AtomicBool::new(false), self.stop);
        let stop = || over.load(Ordering::Relaxed) || stop();
        let mut each = |found: &Optimum| over.store(found.passes > most, Ordering::Relaxed);
        let found = self.layout.optimise(&goal, (&self.start.0, &self.start.1), &stop, &mut each);
        if (self.stop)() {
            return None;
        }
        self.start = (found.weights.clone(), found.intercept.clone());
        Some(found)
    }

    /// What comes of a penalty of this strength.
    fn visit(&mut self, strength: f64) -> Option<Found> {
        if strength == 0.0 {
            return self.without();
        }
        let found = self.optimum(strength, f64::INFINITY)?;
        Some(self.judge(strength, &found))
    }

    /// From the heaviest penalty on to where lighter ones change little, and to none.
    fn down(&mut self) -> Option<(Vec<f64>, Vec<Found>)> {
        let (heaviest, nothing) = self.heaviest()?;
        let mut rise = Rise::new(self.losses.clone());
        let (mut strengths, mut found): (Vec<f64>, Vec<Found>) = Default::default();
        let mut without: Option<Found> = None;
        while found.len() < MOST_DOWN {
            strengths.push(heaviest * libm::exp10(-0.5 * found.len() as f64));
            found.push(self.visit(*strengths.last()?)?);
            let least = without.map(|without| without.training).filter(|training| training.is_finite());
            if rise.is_for_good(&self.losses) {
                break;
            }
            let everything = if self.layout.has_more_columns_than_rows() { LITTLE_OF_ALL } else { LITTLE };
            let explained = found.last()?.training <= everything * nothing;
            if found.len() < FEWEST || !explained && !is_settled(&found, nothing, least) {
                continue;
            }
            // On a plateau penalties change little and none changes much: then it goes on.
            let start = self.start.clone();
            without = Some(match without {
                Some(known) => known,
                None => self.without()?,
            });
            self.start = start;
            let least = without.map(|without| without.training).filter(|training| training.is_finite());
            if least.is_none() || explained || is_settled(&found, nothing, least) {
                break;
            }
        }
        strengths.push(0.0);
        found.push(match without {
            Some(known) => known,
            None => self.without()?,
        });
        Some((strengths, found))
    }

    /// What comes of no penalty: losses that are none where that has no optimum, or where one is not to be had.
    fn without(&mut self) -> Option<Found> {
        let penalty = self.axis.of(self.problem.settings.penalty, 0.0);
        let unheld = penalty.l1 == 0.0 && penalty.l2 == 0.0;
        let mut none = Found { training: f64::NAN, held: Losses::default() };
        none.held.add(f64::NAN, 1.0);
        if unheld && self.layout.has_more_columns_than_rows() {
            return Some(none);
        }
        let found = self.optimum(0.0, PASSES)?;
        let ended = matches!(found.ended, Ended::Certified | Ended::Decrement | Ended::Stalled);
        Some(if ended { self.judge(0.0, &found) } else { none })
    }

    fn judge(&mut self, strength: f64, found: &Optimum) -> Found {
        let penalty = self.axis.of(self.problem.settings.penalty, strength);
        let mut held = Losses::default();
        let mut margins = vec![0.0; found.intercept.len()];
        let mut losses = std::mem::take(&mut self.losses);
        losses.clear();
        for &i in self.held {
            let (value, weight) = (self.loss(i, found, &mut margins), self.problem.examples.weight(i));
            held.add(value, weight);
            losses.push(value * weight);
        }
        self.losses = losses;
        Found { training: found.objective - self.problem.cost(&penalty, &found.weights) - self.floor, held }
    }

    /// The loss of a row; its margins are left behind, without its offset.
    fn loss(&self, i: usize, found: &Optimum, margins: &mut [f64]) -> f64 {
        let (examples, loss, width) = (&self.problem.examples, self.problem.settings.loss, margins.len());
        let ((y, offset), (columns, values)) = (examples.label(i), examples.row(i));
        margins.copy_from_slice(&found.intercept);
        for (&column, value) in columns.iter().zip(values) {
            let weights = &found.weights[column as usize * width..][..width];
            margins.iter_mut().zip(weights).for_each(|(margin, weight)| *margin += weight * value);
        }
        match loss.is_multiclass() {
            true => loss.multiclass_value(y as usize, margins),
            false => loss.value(y, margins[0] + offset),
        }
    }

    /// The heaviest penalty that is worth a try: for l1 the least that leaves no weight, for l2 the trace of the mean curvature, both
    /// of penalised columns at the model without them.
    /// Also what the loss is there.
    fn heaviest(&mut self) -> Option<(f64, f64)> {
        let loss = self.problem.settings.loss;
        let (mut gradient, mut trace) = (vec![0.0; self.problem.position.len()], Sum::default());
        let mut total = Sum::default();
        let huge = 1e6 * self.problem.unit(self.axis);
        let found = self.optimum(huge, f64::INFINITY)?;
        let nothing = self.judge(huge, &found).training;
        let mut margins = vec![0.0; found.intercept.len()];
        let held: std::collections::HashSet<_> = self.held.iter().collect();
        let examples = &self.problem.examples;
        for i in (0..examples.len()).filter(|i| examples.weight(*i) > 0.0 && !held.contains(i)) {
            self.loss(i, &found, &mut margins);
            let ((y, offset), weight) = (examples.label(i), examples.weight(i));
            let (slope, bend) = match loss.is_multiclass() {
                // Of a class no more than of all, and of all as much as for equal shares.
                true => (1.0, 1.0 - 1.0 / self.problem.labels.classes.len().max(2) as f64),
                false => {
                    let (slope, margin) = (loss.derivative(y, margins[0] + offset), margins[0] + offset);
                    (slope, loss.second_derivative(y, margin).unwrap_or(slope * slope))
                }
            };
            total.add(weight);
            let (columns, values) = examples.row(i);
            for (&column, x) in columns.iter().zip(values) {
                let factor = self.problem.factor(column as usize);
                if factor > 0.0 {
                    let size = if loss.is_multiclass() { x.abs() } else { slope * x };
                    gradient[column as usize] += weight * size / factor;
                    trace.add(weight * bend * x * x / factor);
                }
            }
        }
        let sum = match self.axis {
            PenaltyTerm::L1 => gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs())),
            PenaltyTerm::L2 => trace.value(),
        };
        let heaviest = Some(sum / total.value()).filter(|unit| unit.is_finite() && *unit > 0.0).unwrap_or(1.0);
        Some((heaviest, nothing))
    }
}

/// Watches the losses of held-out rows.
struct Rise {
    /// Those of the model without penalised weights, and of the best one.
    nothing: Vec<f64>,
    best: Vec<f64>,
    /// The sum of the last, and how often it has risen since the best.
    last: f64,
    times: usize,
}

impl Rise {
    fn new(nothing: Vec<f64>) -> Rise {
        let last = nothing.iter().sum();
        Rise { best: nothing.clone(), nothing, last, times: 0 }
    }

    /// Whether they have risen for good, with these.
    fn is_for_good(&mut self, losses: &[f64]) -> bool {
        let sum = |losses: &[f64]| losses.iter().sum::<f64>();
        let (now, best, before) = (sum(losses), sum(&self.best), self.last);
        self.last = now;
        if now < best {
            (self.best, self.times) = (losses.to_vec(), 0);
            return false;
        }
        self.times = if now > before { self.times + 1 } else { 0 };
        let by = losses.iter().zip(&self.best).map(|(now, best)| now - best);
        let squares: f64 = by.map(|by| by * by).sum();
        let large = now - best > LARGE * (sum(&self.nothing) - best);
        self.times >= RISES && large && now - best > CHANCE * squares.sqrt()
    }
}

/// Whether lighter penalties than the last explain little more of the loss of `nothing`, where the least is known if there is one.
fn is_settled(found: &[Found], nothing: f64, least: Option<f64>) -> bool {
    let training = |back: usize| found[found.len() - 1 - back].training;
    match least {
        Some(least) => training(0) - least <= LITTLE * (nothing - least),
        None => (0..2).all(|back| training(back + 1) - training(back) <= LITTLE * (nothing - training(0))),
    }
}

impl Problem {
    /// A penalty that is large for the data: the trace of the mean curvature, or, for l1, the root mean square of gradients, at
    /// margins of 0.
    fn unit(&self, axis: PenaltyTerm) -> f64 {
        let (loss, mut sum) = (self.settings.loss, Mean::default());
        for i in (0..self.examples.len()).filter(|&i| self.examples.weight(i) > 0.0) {
            let (y, offset) = self.examples.label(i);
            let length: f64 = self.examples.row(i).1.iter().map(|x| x * x).sum();
            let size = match axis {
                // With margins of 0 all classes are as likely, and squares of slopes and bends have the same sum.
                _ if loss.is_multiclass() => 1.0 - 1.0 / self.labels.classes.len().max(2) as f64,
                PenaltyTerm::L1 => loss.derivative(y, offset).powi(2),
                PenaltyTerm::L2 => loss.second_derivative(y, offset).unwrap_or(loss.derivative(y, offset).powi(2)),
            };
            sum.add(size * length, self.examples.weight(i));
        }
        let mean = sum.value().filter(|mean| mean.is_finite() && *mean > 0.0).unwrap_or(1.0);
        if axis == PenaltyTerm::L1 { mean.sqrt() } else { mean }
    }

    /// What the penalty of a column is multiplied by.
    fn factor(&self, column: usize) -> f64 {
        self.rules.get(column).map_or(1.0, |rule| rule.factor)
    }

    /// What weights cost.
    fn cost(&self, penalty: &Penalty, weights: &[f64]) -> f64 {
        let width = (weights.len() / self.position.len().max(1)).max(1);
        let mut sum = Sum::default();
        for (k, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            sum.add(self.factor(k / width) * (penalty.l1 * w.abs() + 0.5 * penalty.l2 * w * w));
        }
        sum.value()
    }

    /// Chooses the penalty of a path by cross-validation. Ends early where `stop` says so, and then chooses none. `each` is shown how it goes.
    ///
    /// The penalty stays what it was where there are too few rows to hold one out.
    pub fn choose(
        &mut self,
        select: Select,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(Step<'_>),
    ) {
        let Some(axis) = self.settings.penalty.path else { return };
        let folds = Folds::new(&self.examples, self.settings.loss);
        let splits = folds.splits(&self.examples, self.settings.loss);
        let Some(path) = self.survey(axis, &splits, threads, stop, each) else { return };
        path.iter().for_each(|point| each(Step::Point(point)));
        if let Some(taken) = select.of(&path) {
            self.settings.penalty = Penalty { l1: taken.l1, l2: taken.l2, ..self.settings.penalty };
        }
        self.tried = path;
    }

    /// Walks the path on all splits.
    fn survey(
        &self,
        axis: PenaltyTerm,
        splits: &[Vec<usize>],
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(Step<'_>),
    ) -> Option<Vec<PathPoint>> {
        let (first, others) = splits.split_first()?;
        let mut walk = Walk::new(self, axis, first, threads, stop)?;
        let (mut strengths, found) = walk.down()?;
        drop(walk);
        each(Step::Split(1, splits.len()));
        let mut losses: Vec<Losses> = found.iter().map(|found| found.held).collect();
        self.join(axis, others, &strengths, threads, stop, &mut losses, &mut |done| {
            each(Step::Split(done + 1, splits.len()));
        })?;
        let best = |losses: &[Losses]| {
            let means: Vec<f64> = losses.iter().map(|losses| losses.value().0).collect();
            (0..means.len()).min_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0)
        };
        if best(&losses) == 0 {
            let up: Vec<f64> = (1..=MOST_UP).rev().map(|k| strengths[0] * libm::exp10(k as f64 / 2.0)).collect();
            let mut more = vec![Losses::default(); up.len()];
            self.join(axis, splits, &up, threads, stop, &mut more, &mut |_| ())?;
            // Those beyond the least are not worth a word.
            let from = best(&more).saturating_sub(1);
            strengths.splice(0..0, up[from..].iter().copied());
            losses.splice(0..0, more[from..].iter().copied());
        }
        let without = losses.last().is_some_and(|last| last.value().0.is_finite());
        let points = strengths.iter().zip(&losses).map(|(&strength, losses)| {
            let penalty = axis.of(self.settings.penalty, strength);
            let (loss, error) = losses.value();
            PathPoint { l1: penalty.l1, l2: penalty.l2, loss, error }
        });
        Some(points.filter(|point| without || point.loss.is_finite()).collect())
    }

    /// Adds the losses of these penalties on splits, as many at a time as there are threads.
    #[allow(clippy::too_many_arguments)]
    fn join(
        &self,
        axis: PenaltyTerm,
        splits: &[Vec<usize>],
        strengths: &[f64],
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        losses: &mut [Losses],
        each: &mut dyn FnMut(usize),
    ) -> Option<()> {
        let side_by_side = threads.clamp(1, splits.len().max(1));
        let walk = |held: &Vec<usize>| -> Option<Vec<Found>> {
            let mut walk = Walk::new(self, axis, held, threads / side_by_side, stop)?;
            strengths.iter().map(|&strength| walk.visit(strength)).collect()
        };
        let mut done = 0;
        for some in splits.chunks(side_by_side) {
            let found: Vec<_> = std::thread::scope(|scope| {
                let started: Vec<_> = some.iter().map(|held| scope.spawn(|| walk(held))).collect();
                started.into_iter().map(|walk| walk.join().expect("no walk panics")).collect()
            });
            for found in found {
                losses.iter_mut().zip(found?).for_each(|(losses, found)| losses.join(&found.held));
                done += 1;
                each(done);
            }
        }
        Some(())
    }
}
