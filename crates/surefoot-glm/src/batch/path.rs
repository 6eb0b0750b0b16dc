//! Choice of the strength of a penalty by K-fold cross-validation along a regularisation path (a decreasing sequence of
//! penalties).
//!
//! Each split trains on nine folds of ten and evaluates the loss on the tenth. The path starts at the strongest penalty
//! that may be worthwhile and takes two steps per decade; each optimisation starts from the previous optimum (warm
//! start). The path ends where weaker penalties change little: where nearly all of the training loss that the features
//! can explain is explained, or as much as without a penalty. A rise of the held-out loss ends the path only if the
//! rise is long, large and statistically significant. If the held-out loss is least at the strongest penalty, stronger
//! penalties are tried. The last point of the path is the model without a penalty, if the unpenalised loss has a
//! minimum.
//!
//! *Cost*: some 20 optima to a relative gap of 1e-3 or 1e-4 per split; one split for 25,000 rows or more, up to ten for
//! fewer rows or a rare class. Splits run in parallel.

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
    numeric::sums::{Mean, Sum, compensated},
    shards::Partial,
};
use std::{
    collections::HashSet,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

/// Relative duality gap at which each optimisation along the path stops under an L1 penalty, for which accuracy is
/// expensive. The next constant is the gap under other penalties.
const L1_TOLERANCE: f64 = 1e-3;
const TOLERANCE: f64 = 1e-4;
/// The path ends once weaker penalties would reduce the training loss by at most this share of the reduction so far.
/// Reductions are relative to the null loss, that of the model without penalised weights.
const SETTLED_SHARE: f64 = 1e-3;
/// If there are more weights than rows, which could then fit the labels perfectly, the path ends once the training loss
/// above its lower bound is at most this share of the null loss (the loss of the model without penalised weights).
const UNEXPLAINED_SHARE: f64 = 1e-2;
/// Minimum number of consecutive rises along the path before the held-out loss counts as risen for good. It must also
/// exceed its minimum by the share [`MIN_RISE`] of what the best model improves on the model without penalised weights,
/// and by [`MIN_RISE_ERRORS`] standard errors.
const MIN_RISES: usize = 3;
const MIN_RISE: f64 = 0.05;
const MIN_RISE_ERRORS: f64 = 2.0;
/// Minimum number of penalties on a path. The next two constants are the maximum numbers of penalties weaker and
/// stronger than the start of the path.
const MIN_PENALTIES: usize = 5;
const MAX_PENALTIES_DOWN: usize = 33;
const MAX_PENALTIES_UP: usize = 8;
/// Maximum number of passes of the optimisation without a penalty.
const MAX_UNPENALISED_PASSES: f64 = 300.0;

/// Progress of the cross-validation that chooses a penalty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'s> {
    /// One split is complete: the number of complete splits, and the total number of splits.
    Split(usize, usize),
    /// All splits are complete: one penalty of the path, with its held-out loss. Reported once per penalty.
    Point(&'s PathPoint),
}

/// Weighted mean of held-out losses, with the sums that its standard error needs.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    mean: Mean,
    /// Σ w², Σ w²·l and Σ w²·l² over rows of weight w and loss l.
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

    /// Returns all sums, as compensated sums.
    fn parts(&self) -> Vec<f64> {
        let [mean, weight] = self.mean.sums();
        compensated(&[mean, weight, self.squares[0], self.squares[1], self.squares[2]])
    }

    /// Builds losses from the values of the sums that [`parts`](Losses::parts) returns.
    fn of_parts(sums: &[f64]) -> Losses {
        let (mean, squares) = sums.split_at(2);
        let sum = |k: usize| {
            let mut sum = Sum::default();
            sum.add(squares[k]);
            sum
        };
        Losses { mean: Mean::of_parts(mean), squares: [sum(0), sum(1), sum(2)] }
    }

    /// Returns the mean loss (∞ if not finite) and its standard error (`None` if unknown).
    fn value(&self) -> (f64, Option<f64>) {
        let Some(mean) = self.mean.value() else { return (f64::INFINITY, None) };
        let [one, first, second] = self.squares.map(|sum| sum.value());
        let variance = (second - 2.0 * mean * first + mean * mean * one).max(0.0);
        (mean, Some(variance.sqrt() / self.mean.weight()).filter(|error| error.is_finite()))
    }
}

/// Training loss and held-out losses of the optimum at one penalty strength, on one split of the cross-validation.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// Mean training loss, minus the least mean loss that any margins could reach on these labels.
    training: f64,
    held: Losses,
}

/// Regularisation path on one split: the layout of its training rows, its held-out rows, and the starting point of the
/// next optimisation.
struct PathOnSplit<'w> {
    problem: &'w Problem,
    axis: PenaltyTerm,
    layout: Layout<'w>,
    held: &'w [usize],
    /// Mean over the training rows of the minimum of the loss over margins, which depends on the labels alone.
    floor: f64,
    start: (Vec<f64>, Vec<f64>),
    /// Losses of the most recent model on the held-out rows, row by row.
    losses: Vec<f64>,
    threads: usize,
    stop: &'w (dyn Fn() -> bool + Sync),
}

impl<'w> PathOnSplit<'w> {
    fn new(
        problem: &'w Problem,
        axis: PenaltyTerm,
        held: &'w [usize],
        threads: usize,
        stop: &'w (dyn Fn() -> bool + Sync),
    ) -> Option<PathOnSplit<'w>> {
        let (examples, loss) = (&problem.examples, problem.settings.loss);
        let mut weights: Vec<f64> = (0..examples.len()).map(|i| examples.weight(i)).collect();
        held.iter().for_each(|&i| weights[i] = 0.0);
        let floor = examples.combine(|rows| {
            let mut floor = Mean::default();
            for i in rows.filter(|&i| weights[i] > 0.0) {
                let (y, offset) = examples.label(i);
                let least = if loss.is_multiclass() { 0.0 } else { loss.value(y, offset) - loss.excess(y, offset) };
                floor.add(least, weights[i]);
            }
            Partial { compensated: floor.parts(), ..Partial::default() }
        });
        let floor = Mean::of_parts(&floor.ok()?.compensated_sums());
        let layout = Layout::new(examples, &weights, problem.settings.intercept, stop).ok()??;
        let floor = floor.value().unwrap_or(0.0);
        let start = (vec![0.0; problem.start.0.len()], vec![0.0; problem.start.1.len()]);
        Some(PathOnSplit { problem, axis, layout, held, floor, start, losses: Vec::new(), threads, stop })
    }

    /// Computes the optimum at a penalty of this strength, starting from the previous optimum; the best model found if
    /// that takes more than `most` passes. `None` if the caller stopped the optimisation.
    fn optimum(&mut self, strength: f64, most: f64) -> Option<Optimum> {
        let penalty = self.axis.of(self.problem.settings.penalty, strength);
        let goal = self.problem.goal(&penalty, if penalty.l1 > 0.0 { L1_TOLERANCE } else { TOLERANCE }, self.threads);
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

    /// Computes the training and held-out losses of the optimum at a penalty of this strength; `None` if the caller
    /// stopped the optimisation.
    fn evaluate(&mut self, strength: f64) -> Option<Found> {
        if strength == 0.0 {
            return self.unpenalised();
        }
        let found = self.optimum(strength, f64::INFINITY)?;
        self.score(strength, &found)
    }

    /// Follows the path from the strongest penalty down to where weaker penalties change little, and finally to no
    /// penalty. Returns the strengths and the losses at each of them; `None` if the caller stopped it.
    fn down(&mut self) -> Option<(Vec<f64>, Vec<Found>)> {
        let (strongest, null_loss) = self.strongest()?;
        let mut rise = Rise::new(self)?;
        let (mut strengths, mut found): (Vec<f64>, Vec<Found>) = Default::default();
        let mut without: Option<Found> = None;
        while found.len() < MAX_PENALTIES_DOWN {
            strengths.push(strongest * libm::exp10(-0.5 * found.len() as f64));
            found.push(self.evaluate(*strengths.last()?)?);
            let least = without.map(|without| without.training).filter(|training| training.is_finite());
            if rise.is_for_good(self)? {
                break;
            }
            let everything = if self.layout.has_more_columns_than_rows() { UNEXPLAINED_SHARE } else { SETTLED_SHARE };
            let explained = found.last()?.training <= everything * null_loss;
            if found.len() < MIN_PENALTIES || !explained && !is_settled(&found, null_loss, least) {
                continue;
            }
            // On a plateau the unpenalised optimum tells whether much is left to explain; if so the path continues.
            let start = self.start.clone();
            without = Some(match without {
                Some(known) => known,
                None => self.unpenalised()?,
            });
            self.start = start;
            let least = without.map(|without| without.training).filter(|training| training.is_finite());
            if least.is_none() || explained || is_settled(&found, null_loss, least) {
                break;
            }
        }
        strengths.push(0.0);
        found.push(match without {
            Some(known) => known,
            None => self.unpenalised()?,
        });
        Some((strengths, found))
    }

    /// Computes the losses of the optimum without a penalty. The losses are NaN if there is no optimum, or if the
    /// optimisation exceeds [`MAX_UNPENALISED_PASSES`].
    fn unpenalised(&mut self) -> Option<Found> {
        let penalty = self.axis.of(self.problem.settings.penalty, 0.0);
        let is_unpenalised = penalty.l1 == 0.0 && penalty.l2 == 0.0;
        let mut none = Found { training: f64::NAN, held: Losses::default() };
        none.held.add(f64::NAN, 1.0);
        if is_unpenalised && self.layout.has_more_columns_than_rows() {
            return Some(none);
        }
        let found = self.optimum(0.0, MAX_UNPENALISED_PASSES)?;
        let ended = matches!(found.ended, Ended::Certified | Ended::Decrement | Ended::Stalled);
        if ended { self.score(0.0, &found) } else { Some(none) }
    }

    fn score(&mut self, strength: f64, found: &Optimum) -> Option<Found> {
        let penalty = self.axis.of(self.problem.settings.penalty, strength);
        let mut margins = vec![0.0; found.intercept.len()];
        let mut losses = std::mem::take(&mut self.losses);
        losses.clear();
        let total = self.problem.examples.combine(|rows| {
            let mut held = Losses::default();
            for &i in &self.held[held_within(self.held, &rows)] {
                let (value, weight) = (self.loss(i, found, &mut margins), self.problem.examples.weight(i));
                held.add(value, weight);
                losses.push(value * weight);
            }
            Partial { compensated: held.parts(), ..Partial::default() }
        });
        let held = Losses::of_parts(&total.ok()?.compensated_sums());
        self.losses = losses;
        let training = found.objective - self.problem.penalty_value(&penalty, &found.weights) - self.floor;
        Some(Found { training, held })
    }

    /// Adds up numbers of the held-out rows over all shards, given functions of their indices in the list of held-out
    /// rows.
    fn sum_held<const N: usize>(&self, of: impl Fn(usize) -> [f64; N]) -> Option<[f64; N]> {
        let total = self.problem.examples.combine(|rows| {
            let mut sums = [0.0; N];
            held_within(self.held, &rows).for_each(|k| sums.iter_mut().zip(of(k)).for_each(|(sum, x)| *sum += x));
            Partial { sums: sums.to_vec(), ..Partial::default() }
        });
        total.ok()?.sums.try_into().ok()
    }

    /// Computes the loss of row `i` under the model `found`. Leaves the margins of the row, without its offset, in
    /// `margins`.
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

    /// Returns the strength of the strongest penalty of the path, and the training loss at that penalty (the null
    /// loss). For L1 the strength is the least one at which all penalised weights are 0; for L2 it is the trace of the
    /// mean Hessian of the penalised columns at the model whose penalised weights are 0.
    fn strongest(&mut self) -> Option<(f64, f64)> {
        let huge = 1e6 * self.problem.typical_penalty(self.axis)?;
        let found = self.optimum(huge, f64::INFINITY)?;
        let null_loss = self.score(huge, &found)?.training;
        let held: HashSet<_> = self.held.iter().copied().collect();
        let total = self.problem.examples.combine(|rows| self.slopes(rows, &held, &found)).ok()?;
        let [trace, weight] = total.compensated_sums()[..] else { return None };
        let sum = match self.axis {
            PenaltyTerm::L1 => total.sums.iter().fold(0.0, |a: f64, b| a.max(b.abs())),
            PenaltyTerm::L2 => trace,
        };
        let strongest = Some(sum / weight).filter(|unit| unit.is_finite() && *unit > 0.0).unwrap_or(1.0);
        Some((strongest, null_loss))
    }

    /// Computes, over training rows at a model, the gradient of each penalised column, the trace of the Hessian and the
    /// total weight, each not yet divided by the weight.
    fn slopes(&self, rows: Range<usize>, held: &HashSet<usize>, found: &Optimum) -> Partial {
        let (loss, examples) = (self.problem.settings.loss, &self.problem.examples);
        let (mut gradient, mut trace) = (vec![0.0; self.problem.position.len()], Sum::default());
        let mut total = Sum::default();
        let mut margins = vec![0.0; found.intercept.len()];
        for i in examples.weighted(rows).filter(|i| !held.contains(i)) {
            self.loss(i, found, &mut margins);
            let ((y, offset), weight) = (examples.label(i), examples.weight(i));
            let (derivative, curvature) = match loss.is_multiclass() {
                // A bound over classes for L1; for L2 the curvature summed over classes at equal probabilities.
                true => (1.0, 1.0 - 1.0 / self.problem.labels.classes.len().max(2) as f64),
                false => {
                    let (derivative, margin) = (loss.derivative(y, margins[0] + offset), margins[0] + offset);
                    (derivative, loss.second_derivative(y, margin).unwrap_or(derivative * derivative))
                }
            };
            total.add(weight);
            let (columns, values) = examples.row(i);
            for (&column, x) in columns.iter().zip(values) {
                let factor = self.problem.factor(column as usize);
                if factor > 0.0 {
                    let size = if loss.is_multiclass() { x.abs() } else { derivative * x };
                    gradient[column as usize] += weight * size / factor;
                    trace.add(weight * curvature * x * x / factor);
                }
            }
        }
        Partial { sums: gradient, compensated: compensated(&[trace, total]), ..Partial::default() }
    }
}

/// Returns the positions, in the ascending list of held-out rows, of those within a range of rows.
fn held_within(held: &[usize], rows: &Range<usize>) -> Range<usize> {
    held.partition_point(|&i| i < rows.start)..held.partition_point(|&i| i < rows.end)
}

/// Detector of a lasting rise of the held-out loss along the path, fed with one penalty strength after another.
struct Rise {
    /// Held-out losses of the best model so far, row by row.
    best: Vec<f64>,
    /// Sum of the held-out losses of the model without penalised weights.
    null_loss: f64,
    /// Sum of the held-out losses at the most recent penalty, and (`times`) the number of consecutive rises of that
    /// sum.
    last: f64,
    times: usize,
}

impl Rise {
    /// Starts from the held-out losses of the model without penalised weights.
    fn new(split: &PathOnSplit) -> Option<Rise> {
        let [null_loss] = split.sum_held(|k| [split.losses[k]])?;
        Some(Rise { best: split.losses.clone(), null_loss, last: null_loss, times: 0 })
    }

    /// Takes the held-out losses of the next penalty, and returns whether the loss has risen for good by the criteria
    /// [`MIN_RISES`], [`MIN_RISE`] and [`MIN_RISE_ERRORS`]; `None` if the caller stopped it.
    fn is_for_good(&mut self, split: &PathOnSplit) -> Option<bool> {
        let (losses, bests, before) = (&split.losses, &self.best, self.last);
        let [now, best, squares] =
            split.sum_held(|k| [losses[k], bests[k], (losses[k] - bests[k]) * (losses[k] - bests[k])])?;
        self.last = now;
        if now < best {
            (self.best, self.times) = (losses.clone(), 0);
            return Some(false);
        }
        self.times = if now > before { self.times + 1 } else { 0 };
        let large = now - best > MIN_RISE * (self.null_loss - best);
        Some(self.times >= MIN_RISES && large && now - best > MIN_RISE_ERRORS * squares.sqrt())
    }
}

/// Whether penalties weaker than the last one would reduce the training loss by little, compared with its reduction
/// from the null loss (that of the model without penalised weights). `least` is the training loss without a penalty;
/// `None` if not known.
fn is_settled(found: &[Found], null_loss: f64, least: Option<f64>) -> bool {
    let training = |back: usize| found[found.len() - 1 - back].training;
    match least {
        Some(least) => training(0) - least <= SETTLED_SHARE * (null_loss - least),
        None => (0..2).all(|back| training(back + 1) - training(back) <= SETTLED_SHARE * (null_loss - training(0))),
    }
}

impl Problem {
    /// Returns the order of magnitude of a strong penalty for these data: for L2 the trace of the mean Hessian, for L1
    /// the root mean square of the gradients of the rows, both at margins of 0.
    fn typical_penalty(&self, axis: PenaltyTerm) -> Option<f64> {
        let total = self
            .examples
            .combine(|rows| Partial { compensated: self.typical_sizes(rows, axis).parts(), ..Partial::default() });
        let mean = Mean::of_parts(&total.ok()?.compensated_sums());
        let mean = mean.value().filter(|mean| mean.is_finite() && *mean > 0.0).unwrap_or(1.0);
        Some(if axis == PenaltyTerm::L1 { mean.sqrt() } else { mean })
    }

    /// Returns the mean over rows of the squared gradient or of the trace of the Hessian at margins of 0.
    fn typical_sizes(&self, rows: Range<usize>, axis: PenaltyTerm) -> Mean {
        let (loss, mut sum) = (self.settings.loss, Mean::default());
        for i in self.examples.weighted(rows) {
            let (y, offset) = self.examples.label(i);
            let length: f64 = self.examples.row(i).1.iter().map(|x| x * x).sum();
            let size = match axis {
                // At margins of 0 all classes are equally likely, where Σ_k φ'_k² and the trace of φ'' are equal.
                _ if loss.is_multiclass() => 1.0 - 1.0 / self.labels.classes.len().max(2) as f64,
                PenaltyTerm::L1 => loss.derivative(y, offset).powi(2),
                PenaltyTerm::L2 => loss.second_derivative(y, offset).unwrap_or(loss.derivative(y, offset).powi(2)),
            };
            sum.add(size * length, self.examples.weight(i));
        }
        sum
    }

    /// Returns the penalty factor of a column, by which the penalty of its weight is multiplied; 1 by default.
    fn factor(&self, column: usize) -> f64 {
        self.rules.get(column).map_or(1.0, |rule| rule.factor)
    }

    /// Returns the penalty Σ f_j·(l1·|w_j| + (l2/2)·w_j²) of these weights, where f_j is the penalty factor of column
    /// j.
    fn penalty_value(&self, penalty: &Penalty, weights: &[f64]) -> f64 {
        let width = (weights.len() / self.position.len().max(1)).max(1);
        let mut sum = Sum::default();
        for (k, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            sum.add(self.factor(k / width) * (penalty.l1 * w.abs() + 0.5 * penalty.l2 * w * w));
        }
        sum.value()
    }

    /// Chooses the strength of the penalty named in the settings by cross-validation, and stores the chosen strength
    /// and the whole path in the problem. Calls `each` with the progress. Returns early, without a choice, once `stop`
    /// returns true.
    ///
    /// *Cost*: some 20 optima per split, as described at the head of the module.
    ///
    /// The penalty remains unchanged if the settings name no penalty to choose, or if there are too few rows to hold
    /// any out.
    pub fn choose(
        &mut self,
        select: Select,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(Step<'_>),
    ) {
        let Some(axis) = self.settings.penalty.path else { return };
        let Some(splits) = self.splits() else { return };
        // One split after the other where all processes have to take part in each.
        let threads = if self.examples.is_in_shards() { 1 } else { threads };
        let Some(path) = self.cross_validate(axis, &splits, threads, stop, each) else { return };
        path.iter().for_each(|point| each(Step::Point(point)));
        if let Some(taken) = select.of(&path) {
            self.settings.penalty = Penalty { l1: taken.l1, l2: taken.l2, ..self.settings.penalty };
        }
        self.tried = path;
    }

    /// Returns the held-out rows of each split; `None` if the caller stopped it.
    fn splits(&self) -> Option<Vec<Vec<usize>>> {
        let loss = self.settings.loss;
        let kinds = match loss {
            _ if loss.is_multiclass() => (0..self.labels.classes.len()).map(|k| k as f64).collect(),
            _ if loss.classifies() => vec![-1.0, 1.0],
            _ => vec![0.0, 1.0],
        };
        Folds::new(&self.examples, loss, &kinds).and_then(|folds| folds.splits(&self.examples, loss)).ok()
    }

    /// Computes the held-out losses of all penalties of the regularisation path, over all splits; `None` if the caller
    /// stopped the computation.
    fn cross_validate(
        &self,
        axis: PenaltyTerm,
        splits: &[Vec<usize>],
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(Step<'_>),
    ) -> Option<Vec<PathPoint>> {
        let (first, others) = splits.split_first()?;
        let mut walk = PathOnSplit::new(self, axis, first, threads, stop)?;
        let (mut strengths, found) = walk.down()?;
        drop(walk);
        each(Step::Split(1, splits.len()));
        let mut losses: Vec<Losses> = found.iter().map(|found| found.held).collect();
        self.add_splits(axis, others, &strengths, threads, stop, &mut losses, &mut |done| {
            each(Step::Split(done + 1, splits.len()));
        })?;
        let best = |losses: &[Losses]| {
            let means: Vec<f64> = losses.iter().map(|losses| losses.value().0).collect();
            (0..means.len()).min_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0)
        };
        if best(&losses) == 0 {
            let up: Vec<f64> =
                (1..=MAX_PENALTIES_UP).rev().map(|k| strengths[0] * libm::exp10(k as f64 / 2.0)).collect();
            let mut more = vec![Losses::default(); up.len()];
            self.add_splits(axis, splits, &up, threads, stop, &mut more, &mut |_| ())?;
            // Keep one point beyond the least.
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

    /// Evaluates these penalties on the splits, as many splits in parallel as there are threads, and adds the held-out
    /// losses to `losses`. Returns `None` if the caller stopped it.
    #[allow(clippy::too_many_arguments)]
    fn add_splits(
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
            let mut walk = PathOnSplit::new(self, axis, held, threads / side_by_side, stop)?;
            strengths.iter().map(|&strength| walk.evaluate(strength)).collect()
        };
        let mut done = 0;
        for some in splits.chunks(side_by_side) {
            let found: Vec<_> = std::thread::scope(|scope| {
                let started: Vec<_> = some.iter().map(|held| scope.spawn(|| walk(held))).collect();
                started.into_iter().map(|walk| walk.join().expect("no split panics")).collect()
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
