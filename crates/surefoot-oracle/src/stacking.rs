//! Stacking of the members of the mixture, which are the lanes (learners trained side by side) and the constant prediction, written directly
//! from its definition.
//!
//! At a row with the margin m_c of the mixture in class c and the margins z_ck of its members k, the corrected margins are m_c + Σ_k b_k z_ck.
//! With g_s and H_s the gradient and the Hessian in b of the loss at row s, times the row's weight relative to the usual weight, b is 0 at
//! first, and after t rows, if t is a multiple of 16, b decreases by (10·I + Σ_s ((s+1)(s+2))/((t+1)(t+2))·H_s)⁻¹ Σ_{t−16 < s ≤ t} g_s. The model
//! is the mixture plus q·Σ_k b_k z_k with q = 1/(1 + e^(C + 100/t − M)): M and C are the discounted losses of the mixture and of the corrected
//! margins, with the same weights of the rows as in the Hessian, plus their mean losses on pseudo-rows with wrong labels, with these weights
//! too.

/// Loss of the margins of all classes, with its derivatives.
pub(crate) trait ClassLoss {
    /// Returns the loss for the label y.
    fn value(&self, y: f64, margins: &[f64]) -> f64;
    /// Returns the loss of the pseudo-row with these margins.
    fn doubt(&self, margins: &[f64]) -> f64;
    /// Returns the derivatives for the label y with respect to the margins.
    fn gradient(&self, y: f64, margins: &[f64]) -> Vec<f64>;
    /// Returns the second derivatives with respect to the margins; those of logistic losses are at least 1e-4.
    fn hessian(&self, y: f64, margins: &[f64]) -> Vec<Vec<f64>>;
}

/// Past row, by what it adds to the sums.
struct Past {
    weight: f64,
    losses: [f64; 2],
    doubts: [f64; 2],
    gradient: Vec<f64>,
    hessian: Vec<Vec<f64>>,
}

/// Coefficients b of the members, and the rows from which they were learnt.
pub(crate) struct Stacking {
    coefficients: Vec<f64>,
    past: Vec<Past>,
}

impl Stacking {
    pub(crate) fn new(members: usize) -> Stacking {
        Stacking { coefficients: vec![0.0; members], past: Vec::new() }
    }

    fn age(&self, s: usize) -> f64 {
        let t = self.past.len() - 1;
        ((s + 2) * (s + 3)) as f64 / ((t + 2) * (t + 3)) as f64
    }

    /// Returns q·b, by which the coefficients of the members exceed those of the mixture.
    pub(crate) fn correction(&self) -> Vec<f64> {
        let sum = |of: &dyn Fn(&Past) -> f64| {
            self.past.iter().enumerate().map(|(s, past)| self.age(s) * of(past)).sum::<f64>()
        };
        let total = |k: usize| match self.past.len() {
            0 => 0.0,
            _ => sum(&|past| past.losses[k]) + sum(&|past| past.doubts[k]) / sum(&|past| past.weight),
        };
        let lead = 100.0 / self.past.len().max(1) as f64;
        let q = 1.0 / (1.0 + (total(1) + lead - total(0)).exp());
        self.coefficients.iter().map(|b| q * b).collect()
    }

    /// Learns from a row: `members` has the margins of all members for each class, with values clipped to the largest so far and `full` as
    /// they are; `shares` are the shares of the members in the mixture. Losses are those in full, up to [`beyond`].
    pub(crate) fn learn(
        &mut self,
        loss: &dyn ClassLoss,
        y: f64,
        [members, full]: [&[Vec<f64>]; 2],
        shares: &[f64],
        weight: f64,
    ) {
        let count = self.coefficients.len();
        let sums = |members: &[Vec<f64>], by: &[f64]| -> Vec<f64> {
            members.iter().map(|z| z.iter().zip(by).map(|(z, b)| z * b).sum()).collect()
        };
        let all: Vec<f64> = shares.iter().zip(&self.coefficients).map(|(p, b)| p + b).collect();
        let (mixed, corrected) = (sums(members, shares), sums(members, &all));
        let losses =
            [shares, &all].map(|by| weight * beyond(loss.value(y, &sums(full, by)), loss.value(y, &sums(members, by))));
        let (first, second) = (loss.gradient(y, &corrected), loss.hessian(y, &corrected));
        let gradient = (0..count).map(|k| weight * first.iter().zip(members).map(|(g, z)| g * z[k]).sum::<f64>());
        let entry = |k: usize, l: usize| {
            let terms = (0..members.len()).flat_map(|c| (0..members.len()).map(move |d| (c, d)));
            weight * terms.map(|(c, d)| members[c][k] * second[c][d] * members[d][l]).sum::<f64>()
        };
        self.past.push(Past {
            weight,
            losses,
            doubts: [weight * loss.doubt(&mixed), weight * loss.doubt(&corrected)],
            gradient: gradient.collect(),
            hessian: (0..count).map(|k| (0..count).map(|l| entry(k, l)).collect()).collect(),
        });
        if self.past.len().is_multiple_of(16) {
            self.step();
        }
    }

    fn step(&mut self) {
        let (count, t) = (self.coefficients.len(), self.past.len());
        let hessian = |k: usize, l: usize| {
            let sum = self.past.iter().enumerate().map(|(s, past)| self.age(s) * past.hessian[k][l]).sum::<f64>();
            sum + if k == l { 10.0 } else { 0.0 }
        };
        let gradient = |k: usize| self.past[t - 16..].iter().map(|past| past.gradient[k]).sum::<f64>();
        let rows = (0..count).map(|k| (0..count).map(|l| hessian(k, l)).chain([gradient(k)]).collect()).collect();
        let step = solved(rows);
        self.coefficients.iter_mut().zip(step).for_each(|(b, step)| *b -= step);
    }
}

/// Returns the charge of a class loss, given the loss at the values as they are and at clipped ones: an excess counts logarithmically from 10 on.
pub(crate) fn beyond(full: f64, clipped: f64) -> f64 {
    let excess = full - clipped;
    if excess > 10.0 { clipped + 10.0 + 10.0 * (excess / 10.0).ln() } else { full }
}

/// Solves linear equations, each given by its coefficients and its right side, by Gauss-Jordan elimination.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    for i in 0..rows.len() {
        let pivot: Vec<f64> = rows[i].iter().map(|x| x / rows[i][i]).collect();
        for (k, row) in rows.iter_mut().enumerate() {
            let factor = row[i];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x = if k == i { *p } else { *x - factor * p });
        }
    }
    rows.iter().map(|row| row[row.len() - 1]).collect()
}
