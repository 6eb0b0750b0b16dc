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

pub(super) mod in_rounds;

use super::mixture_weights::{ChargeSums, discount, lead, with_doubt};
use crate::{
    loss::{Loss, charges::Charges},
    numeric::check::{MOST_ROWS, is_magnitude, need},
    simd::lanes::{LANES, Lanes, exp::exp_neg_abs},
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

/// Margin beyond which a row is left out of the Newton method: a probability of e^(−1000) is none, and sums of squares of
/// such margins keep enough digits for [`RIDGE`].
const FARTHEST: f64 = 1e3;

/// Least second derivative of the loss (not for softmax) that a row contributes to the Hessian; that of a row with a
/// large margin vanishes, though its margin says much about the lanes (learners trained side by side).
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
    /// Discounted sums of the losses that both would have with the wrong label: see [`Charges::wrong_side`].
    wrong_side: [f64; 2],
    /// Discounted sum of the relative weights of the rows.
    weight: f64,
    /// Value of `statistic` at the end of the first pass.
    first_pass: [f64; 2],
    /// Number of rows that the sums contain.
    rows: u64,
}

/// Positions, in the lanes of vectors of margins at one row and of their losses, of the mixture, of the corrected margin
/// and of the constant prediction.
const MIXTURE: usize = 0;
const CORRECTED: usize = 1;
pub(crate) const CONSTANT: usize = 2;

/// Label of a row, as the probability that a perfect model would predict.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Share of the positive class, for the one margin of logistic loss.
    Share(f64),
    /// Number of the class.
    Class(usize),
}

impl Target {
    fn of(self, class: usize) -> f64 {
        match self {
            Target::Share(share) => share,
            Target::Class(y) => f64::from(u8::from(class == y)),
        }
    }
}

/// Row as stacking sees it: for each class (for two classes only one), the margins of the members, and the derivatives of
/// the loss at the margins of [`Stacking::margins`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackedRow<'a> {
    /// Whether the loss is softmax; the others have one term for each class.
    pub(crate) is_softmax: bool,
    pub(crate) target: Target,
    pub(crate) members: &'a [Members],
    pub(crate) derivatives: &'a [Lanes],
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
    /// Whether the row may enter the sums: margins beyond [`FARTHEST`] would drown those of all other rows.
    fn is_usable(&self) -> bool {
        self.members.iter().flatten().all(|z| z.abs() <= FARTHEST)
            && self.derivatives.iter().all(|derivatives| derivatives.0[CORRECTED].is_finite())
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
        let of = |k: usize| with_doubt(self.statistic[k], self.wrong_side[k], self.weight);
        let (mixture, corrected) = (of(MIXTURE), of(CORRECTED));
        let lead = lead(Loss::Logistic) / self.rows.max(1) as f64;
        let worse = (corrected + lead - mixture).clamp(-1e30, 1e30);
        let e = f64::from(exp_neg_abs(&Lanes([worse as f32; LANES])).0[0]);
        let q = if worse > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
        self.coefficients.map(|b| q * b)
    }

    /// Returns the margin of the mixture, the corrected margin and the margin of the constant prediction as one vector, from
    /// the margin `mixed` of the mixture and those of its members, which are without the row's `offset`.
    pub(crate) fn margins(&self, mixed: f64, members: &Members, offset: f64) -> Lanes {
        let mut margins = Lanes::default();
        margins.0[MIXTURE] = mixed as f32;
        margins.0[CORRECTED] = (mixed + dot(&self.coefficients, members)) as f32;
        margins.0[CONSTANT] = (members[LANES] + offset) as f32;
        margins
    }

    /// Updates the coefficients and q with a row that has not been learnt yet, given the losses at its
    /// [`margins`](Stacking::margins); `weight` is its weight relative to the mean weight. Costs O(classes·lanes²) per row.
    pub(crate) fn add(&mut self, row: &StackedRow<'_>, losses: &Charges, weight: f64) {
        self.rows += 1;
        let keep = discount(self.rows);
        self.weight = self.weight * keep + weight;
        for k in [MIXTURE, CORRECTED] {
            self.statistic[k] = (self.statistic[k] * keep + weight * losses.values[k]).min(f64::MAX);
            self.wrong_side[k] = (self.wrong_side[k] * keep + weight * losses.wrong_side[k]).min(f64::MAX);
        }
        self.hessian.iter_mut().flatten().for_each(|h| *h *= keep);
        if row.is_usable() {
            self.add_derivatives(row, weight);
        }
        if self.rows.is_multiple_of(ROWS_PER_STEP) {
            self.step();
        }
    }

    fn add_derivatives(&mut self, row: &StackedRow<'_>, weight: f64) {
        let mut mean = [0.0; MEMBERS];
        for (class, (z, derivatives)) in row.members.iter().zip(row.derivatives).enumerate() {
            let g = f64::from(derivatives.0[CORRECTED]);
            self.gradient.iter_mut().zip(z).for_each(|(sum, z)| *sum += weight * g * z);
            // The derivative is the predicted probability less the target.
            let p = (g + row.target.of(class)).clamp(0.0, 1.0);
            let second = if row.is_softmax { p } else { (p * (1.0 - p)).max(LEAST_CURVATURE) };
            mean.iter_mut().zip(z).for_each(|(mean, z)| *mean += p * z);
            self.add_product(weight * second, z);
        }
        if row.is_softmax {
            self.add_product(-weight, &mean);
        }
    }

    /// Adds `factor`·z·zᵀ to the Hessian.
    fn add_product(&mut self, factor: f64, z: &Members) {
        for (row, a) in self.hessian.iter_mut().zip(z) {
            row.iter_mut().zip(z).for_each(|(h, b)| *h += factor * a * b);
        }
    }

    /// Takes a Newton step, unless it leads too far or is not finite.
    fn step(&mut self) {
        let step = solve(self.hessian, self.gradient);
        self.gradient = [0.0; MEMBERS];
        let moved: Members = std::array::from_fn(|k| self.coefficients[k] - step[k]);
        if moved.iter().all(|b| b.abs() <= FARTHEST) {
            self.coefficients = moved;
        }
    }

    /// Sets the losses from which q follows at the end of a pass with held-out rows: those on the held-out rows, plus
    /// those of the first pass divided by the number of this pass, as for the mixture. The coefficients stay those
    /// learnt in the first pass, since no other row is new to the lanes.
    pub(crate) fn end_pass(&mut self, pass: u32, held_out: &ChargeSums) {
        if pass == 1 {
            self.first_pass = self.statistic;
        }
        let charges = held_out.charges();
        for k in [MIXTURE, CORRECTED] {
            self.statistic[k] = (charges[k] + self.first_pass[k] / f64::from(pass)).min(f64::MAX);
        }
        self.wrong_side = [0.0; 2];
    }
}

/// Solves (H + [`RIDGE`]·I)·x = g by Gaussian elimination, which needs no pivoting for a positive definite matrix.
fn solve(mut h: [Members; MEMBERS], mut g: Members) -> Members {
    h.iter_mut().enumerate().for_each(|(i, row)| row[i] += RIDGE);
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
    use crate::online::mixture_weights::charges_at;

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

    /// Adds a row of weight 1 to a stacking.
    fn add(stacking: &mut Stacking, loss: Loss, y: f64, members: &[Members], mixed: &[f64]) {
        let pairs = mixed.iter().zip(members);
        let mut margins: Vec<Lanes> = pairs.map(|(&mixed, members)| stacking.margins(mixed, members, 0.0)).collect();
        let losses = if loss.is_multiclass() {
            let losses = loss.multiclass_charges(y as usize, &margins);
            loss.multiclass_derivatives(y as usize, &mut margins);
            losses
        } else {
            let losses = charges_at(loss, y, &margins[0], 0.0);
            margins[0] = loss.derivatives(y, &margins[0]);
            losses
        };
        let target = if loss.is_multiclass() { Target::Class(y as usize) } else { Target::Share(0.5 * (1.0 + y)) };
        let is_softmax = loss == Loss::Softmax;
        stacking.add(&StackedRow { is_softmax, target, members, derivatives: &margins }, &losses, 1.0);
    }

    /// The Hessian is the derivative of the gradient, by central differences, for each loss; margins are f32, and steps of
    /// 1e-2 leave errors of 1e-4.
    #[test]
    fn derivatives_agree_with_differences_of_the_loss() {
        let cases = [(Loss::Logistic, -1.0, 1), (Loss::Logistic, 0.3, 1), (Loss::Softmax, 2.0, 4), (Loss::Ovr, 0.0, 3)];
        for (loss, y, classes) in cases {
            let members: Vec<Members> = (0..classes).map(|c| std::array::from_fn(|k| number(9 * c + k))).collect();
            let mixed: Vec<f64> = (0..classes).map(|c| number(50 + c)).collect();
            let at = |b: Members| {
                let mut stacking = Stacking { coefficients: b, ..Stacking::default() };
                add(&mut stacking, loss, y, &members, &mixed);
                stacking
            };
            let b: Members = std::array::from_fn(|k| number(70 + k));
            let here = at(b);
            for k in 0..MEMBERS {
                let moved = |by: f64| at(std::array::from_fn(|j| b[j] + if j == k { by } else { 0.0 }));
                let (up, down) = (moved(1e-2), moved(-1e-2));
                let slope = (up.statistic[1] - down.statistic[1]) / 2e-2;
                assert!((slope - here.gradient[k]).abs() < 2e-4, "{loss}: {slope} and {}", here.gradient[k]);
                for j in 0..MEMBERS {
                    let curvature = (up.gradient[j] - down.gradient[j]) / 2e-2;
                    assert!((curvature - here.hessian[j][k]).abs() < 2e-4, "{loss}: {curvature} {j} {k}");
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
            add(&mut stacking, Loss::Logistic, y, &[members], &[m]);
            if t == 20 {
                assert!(stacking.correction()[0].abs() < 0.5, "{stacking:?}");
            }
        }
        assert!((0.6..1.4).contains(&stacking.correction()[0]), "{stacking:?}");
    }
}
