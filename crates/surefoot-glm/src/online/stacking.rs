//! Stacking: a linear correction of the mixture, whose coefficients are learnt from the margins of the lanes (the
//! learners trained side by side) and of the constant prediction.
//!
//! Exponential weights choose one lane; a linear combination can be better than every lane (Wolpert 1992, Breiman 1996).
//! Before row t the corrected margin is m + Σ b_k·m_k, with the margin m of the mixture and the margins m_k of its
//! members. The coefficients b are learnt by an online Newton method (Hazan, Agarwal and Kale 2007) on the losses of the
//! corrected margin, from rows that no lane has learnt yet, with the same discount of old rows as the mixture. The model
//! is the mixture plus q times the correction; q follows by exponential weights from the losses of the mixture and of
//! the corrected margin, so that a bad correction is not used; as in the mixture, both are charged for one more row with a
//! margin of the wrong sign. The result is again one linear model.

use super::mixture_weights::{LEAD, discount};
use crate::{
    loss::Loss,
    numeric::check::{MOST_ROWS, is_magnitude, need},
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};

/// Number of members of the mixture: the lanes (learners trained side by side), then the constant prediction.
pub(crate) const MEMBERS: usize = LANES + 1;

/// Margins of the members of the mixture at one row, or numbers for each member.
pub(crate) type Members = [f64; MEMBERS];

/// Number that is added to the diagonal of the Hessian, whose entries are sums over rows of squared margins times the
/// second derivative of the loss, at most ¼. Margins of classes have no unit, so neither has this number.
const RIDGE: f64 = 10.0;

/// Number of rows between two Newton steps, so that a step costs little per row.
const ROWS_PER_STEP: u64 = 16;

/// Least second derivative of the loss that a row contributes to the Hessian; that of a row with a large margin
/// vanishes, though its margin says much about the lanes (learners trained side by side).
const LEAST_CURVATURE: f64 = 1e-4;

/// Coefficients of the correction and the sums from which they are learnt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stacking {
    /// Coefficient b of each member.
    coefficients: Members,
    /// Gradient, in b, of the losses of the rows since the last Newton step.
    gradient: Members,
    /// Discounted sum of the Hessians of the losses in b.
    hessian: [Members; MEMBERS],
    /// Discounted sums of the losses of the mixture and of the corrected margin.
    statistic: [f64; 2],
    /// Discounted sums of the losses that both would have with the wrong label: see
    /// [`wrong_side`](StackedRow::wrong_side).
    wrong_side: [f64; 2],
    /// Discounted sum of the relative weights of the rows.
    weight: f64,
    /// Value of `statistic` at the end of the first pass.
    first_pass: [f64; 2],
    /// Number of rows that the sums contain.
    rows: u64,
}

/// Row as stacking sees it: label and, for each class (for two classes only one), the margins of the members and the
/// margin of the mixture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackedRow<'a> {
    pub(crate) loss: Loss,
    /// Encoded label: ±1, or the number of the class.
    pub(crate) y: f64,
    pub(crate) members: &'a [Members],
    pub(crate) mixed: &'a [f64],
}

/// Losses of the mixture and of the corrected margin at a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowLosses {
    values: [f64; 2],
    /// Losses with a wrong label: see [`StackedRow::wrong_side`].
    wrong_side: [f64; 2],
}

/// Sums of the losses of the mixture and of the corrected margin over the held-out rows, at the end of a pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeldOutLosses {
    values: [f64; 2],
    wrong_side: [f64; 2],
    weight: f64,
    rows: f64,
}

impl HeldOutLosses {
    /// Adds the losses of [`Stacking::losses`] at a row of the given weight.
    pub(crate) fn add(&mut self, losses: RowLosses, weight: f64) {
        self.values.iter_mut().zip(losses.values).for_each(|(sum, loss)| *sum += weight * loss);
        self.wrong_side.iter_mut().zip(losses.wrong_side).for_each(|(sum, loss)| *sum += weight * loss);
        self.weight += weight;
        self.rows += 1.0;
    }
}

/// Returns the margins of the lanes (learners trained side by side) and of the constant prediction as one array.
#[inline]
pub(crate) fn members(lanes: &Lanes, constant: f64) -> Members {
    std::array::from_fn(|k| lanes.0.get(k).map_or(constant, |&m| f64::from(m)))
}

#[inline]
fn dot(a: &Members, b: &Members) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl StackedRow<'_> {
    /// Returns the loss at the given margins, one per class.
    fn value(&self, margins: &[f64]) -> f64 {
        if self.loss.is_multiclass() {
            self.loss.multiclass_value(self.y as usize, margins)
        } else {
            self.loss.value(self.y, margins[0])
        }
    }

    /// Returns the loss at the given margins if the label were a wrong one: the opposite of what is predicted, the second
    /// likeliest class for softmax, or the opposite for every class for one-vs-rest.
    fn wrong_side(&self, margins: &[f64]) -> f64 {
        if self.loss != Loss::Softmax {
            return margins.iter().map(|m| Loss::Logistic.value(1.0, -m.abs())).sum();
        }
        let first = (0..margins.len()).max_by(|&a, &b| margins[a].total_cmp(&margins[b]));
        let others = (0..margins.len()).filter(|&class| Some(class) != first);
        let second = others.max_by(|&a, &b| margins[a].total_cmp(&margins[b]));
        second.map_or(0.0, |second| self.loss.multiclass_value(second, margins))
    }

    /// Replaces the margins, one per class, by the derivatives of the loss.
    fn derivatives(&self, margins: &mut [f64]) {
        if self.loss.is_multiclass() {
            self.loss.multiclass_gradient(self.y as usize, margins);
        } else {
            margins[0] = self.loss.derivative(self.y, margins[0]);
        }
    }
}

impl Stacking {
    /// Returns the state before the first row; `None` for losses that are not those of class probabilities. For squared
    /// loss, stacking made models worse (`docs/decisions.md`).
    pub(crate) fn new(loss: Loss) -> Option<Stacking> {
        loss.has_probabilities().then(Stacking::default)
    }

    /// Checks that the numbers, read from a file, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let numbers = self.hessian.iter().flatten().chain(&self.coefficients).chain(&self.gradient);
        let finite = numbers.chain(&self.first_pass).all(|x| x.is_finite());
        let sums = self.statistic.iter().chain(&self.wrong_side).chain([&self.weight]);
        let sizes = sums.copied().all(is_magnitude) && self.rows <= MOST_ROWS;
        need(finite && sizes, "the stacking of the lanes is out of its range")
    }

    /// Returns q·b, the coefficients of the correction that is part of the model.
    pub(crate) fn correction(&self) -> Members {
        let of = |k: usize| self.statistic[k] + if self.weight > 0.0 { self.wrong_side[k] / self.weight } else { 0.0 };
        let (mixture, corrected) = (of(0), of(1));
        let lead = LEAD / self.rows.max(1) as f64;
        let q = 1.0 / (1.0 + libm::exp(corrected + lead - mixture));
        self.coefficients.map(|b| q * b)
    }

    /// Returns the losses of the mixture and of the corrected margin at a row, and those with a wrong label. `corrected` is
    /// overwritten with the corrected margins, one per class.
    pub(crate) fn losses(&self, row: &StackedRow<'_>, corrected: &mut [f64]) -> RowLosses {
        for ((to, mixed), members) in corrected.iter_mut().zip(row.mixed).zip(row.members) {
            *to = mixed + dot(&self.coefficients, members);
        }
        RowLosses {
            values: [row.value(row.mixed), row.value(corrected)],
            wrong_side: [row.wrong_side(row.mixed), row.wrong_side(corrected)],
        }
    }

    /// Updates the coefficients and q with a row that has not been learnt yet; `weight` is its weight relative to the
    /// mean weight. `corrected` has room for one number per class. Costs O(classes·lanes²) per row.
    pub(crate) fn add(&mut self, row: &StackedRow<'_>, weight: f64, corrected: &mut [f64]) {
        let losses = self.losses(row, corrected);
        self.rows += 1;
        let keep = discount(self.rows);
        self.weight = self.weight * keep + weight;
        for k in 0..2 {
            self.statistic[k] = (self.statistic[k] * keep + weight * losses.values[k]).min(f64::MAX);
            self.wrong_side[k] = (self.wrong_side[k] * keep + weight * losses.wrong_side[k]).min(f64::MAX);
        }
        self.hessian.iter_mut().flatten().for_each(|h| *h *= keep);
        row.derivatives(corrected);
        self.add_derivatives(row, weight, corrected);
        if self.rows % ROWS_PER_STEP == 0 {
            self.step();
        }
    }

    fn add_derivatives(&mut self, row: &StackedRow<'_>, weight: f64, derivatives: &[f64]) {
        let mut mean = [0.0; MEMBERS];
        for (class, (z, g)) in row.members.iter().zip(derivatives).enumerate() {
            self.gradient.iter_mut().zip(z).for_each(|(sum, z)| *sum += weight * g * z);
            // The derivative is p or p − 1, for a probability p.
            let second = if row.loss == Loss::Softmax {
                let p = if class as f64 == row.y { 1.0 - g.abs() } else { g.abs() };
                mean.iter_mut().zip(z).for_each(|(mean, z)| *mean += p * z);
                p
            } else {
                (g.abs() * (1.0 - g.abs())).max(LEAST_CURVATURE)
            };
            self.add_product(weight * second, z);
        }
        if row.loss == Loss::Softmax {
            self.add_product(-weight, &mean);
        }
    }

    /// Adds `factor`·z·zᵀ to the Hessian.
    fn add_product(&mut self, factor: f64, z: &Members) {
        for (row, a) in self.hessian.iter_mut().zip(z) {
            row.iter_mut().zip(z).for_each(|(h, b)| *h += factor * a * b);
        }
    }

    /// Takes a Newton step, unless it is not finite.
    fn step(&mut self) {
        let step = solve(self.hessian, self.gradient);
        self.gradient = [0.0; MEMBERS];
        if step.iter().all(|x| x.is_finite()) {
            self.coefficients.iter_mut().zip(step).for_each(|(b, step)| *b -= step);
        }
    }

    /// Sets the losses from which q follows at the end of a pass with held-out rows: those on the held-out rows, plus
    /// those of the first pass divided by the number of this pass, as for the mixture. The coefficients stay those
    /// learnt in the first pass, since no other row is new to the lanes.
    pub(crate) fn end_pass(&mut self, pass: u32, held_out: &HeldOutLosses) {
        if pass == 1 {
            self.first_pass = self.statistic;
        }
        for k in 0..2 {
            let losses =
                held_out.values[k] / (held_out.weight / held_out.rows) + held_out.wrong_side[k] / held_out.weight;
            self.statistic[k] = (losses + self.first_pass[k] / f64::from(pass)).min(f64::MAX);
        }
        self.wrong_side = [0.0; 2];
    }
}

/// Solves (H + [`RIDGE`]·I)·x = g by Gaussian elimination, which needs no pivoting for a positive definite matrix.
fn solve(mut h: [Members; MEMBERS], mut g: Members) -> Members {
    for i in 0..MEMBERS {
        h[i][i] += RIDGE;
    }
    for i in 0..MEMBERS {
        let (pivot, of_pivot) = (h[i], g[i]);
        for r in i + 1..MEMBERS {
            let factor = h[r][i] / pivot[i];
            h[r].iter_mut().zip(pivot).for_each(|(h, p)| *h -= factor * p);
            g[r] -= factor * of_pivot;
        }
    }
    for i in (0..MEMBERS).rev() {
        let rest: f64 = (i + 1..MEMBERS).map(|c| h[i][c] * g[c]).sum();
        g[i] = (g[i] - rest) / h[i][i];
    }
    g
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random number between −1 and 1 for each seed.
    fn number(seed: usize) -> f64 {
        2.0 * (43_758.5 * (12.9898 * (seed as f64 + 1.0)).sin()).rem_euclid(1.0) - 1.0
    }

    #[test]
    fn the_solution_solves_the_equations() {
        let mut stacking = Stacking::default();
        (0..9).for_each(|t| stacking.add_product(1.0 + t as f64, &std::array::from_fn(|k| number(7 * t + k))));
        let g: Members = std::array::from_fn(|k| number(100 + k));
        let x = solve(stacking.hessian, g);
        for (k, (row, g)) in stacking.hessian.iter().zip(g).enumerate() {
            assert!((dot(row, &x) + RIDGE * x[k] - g).abs() < 1e-13, "{k}");
        }
    }

    /// The Hessian is the derivative of the gradient, by central differences, for each loss.
    #[test]
    fn derivatives_agree_with_differences_of_the_loss() {
        for (loss, y, classes) in [(Loss::Logistic, -1.0, 1), (Loss::Softmax, 2.0, 4), (Loss::Ovr, 0.0, 3)] {
            let members: Vec<Members> = (0..classes).map(|c| std::array::from_fn(|k| number(9 * c + k))).collect();
            let mixed: Vec<f64> = (0..classes).map(|c| number(50 + c)).collect();
            let row = StackedRow { loss, y, members: &members, mixed: &mixed };
            let at = |b: Members| {
                let mut stacking = Stacking { coefficients: b, ..Stacking::default() };
                stacking.add(&row, 1.0, &mut vec![0.0; classes]);
                stacking
            };
            let b: Members = std::array::from_fn(|k| number(70 + k));
            let here = at(b);
            for k in 0..MEMBERS {
                let moved = |by: f64| at(std::array::from_fn(|j| b[j] + if j == k { by } else { 0.0 }));
                let (up, down) = (moved(1e-5), moved(-1e-5));
                let slope = (up.statistic[1] - down.statistic[1]) / 2e-5;
                assert!((slope - here.gradient[k]).abs() < 1e-9, "{loss}: {slope} and {}", here.gradient[k]);
                for j in 0..MEMBERS {
                    let curvature = (up.gradient[j] - down.gradient[j]) / 2e-5;
                    assert!((curvature - here.hessian[j][k]).abs() < 1e-9, "{loss}: {curvature} {j} {k}");
                }
            }
        }
    }

    /// A lane that predicts half of the best margin is doubled, and a correction that has not shown its worth counts
    /// for nothing.
    #[test]
    fn a_timid_lane_is_corrected() {
        let mut stacking = Stacking::default();
        for t in 0..4000 {
            let m = 2.0 * number(2 * t);
            let p = 1.0 / (1.0 + (-2.0 * m).exp());
            let y = if 0.5 + 0.5 * number(2 * t + 1) < p { 1.0 } else { -1.0 };
            let members = [m, 0.0, 0.0, 0.0, 0.0];
            stacking.add(&StackedRow { loss: Loss::Logistic, y, members: &[members], mixed: &[m] }, 1.0, &mut [0.0]);
            if t == 20 {
                assert!(stacking.correction()[0].abs() < 0.5, "{stacking:?}");
            }
        }
        assert!((0.6..1.4).contains(&stacking.correction()[0]), "{stacking:?}");
    }
}
