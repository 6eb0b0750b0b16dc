//! Fenchel duality gap of the softmax loss.
//!
//! The dual points of a row with label y and class probabilities p are θ = q − e_y with the label's unit vector e_y, q
//! ≥ 0 and Σ_k q_k = 1. There φ*(θ) = Σ q_k ln q_k, and the Fenchel–Young gap is the relative entropy KL(q ‖ p). An
//! unpenalised intercept per class requires Σ_i ω_iθ_ik = 0 for row weights ω_i: the weighted sum of the q of a class
//! must equal the proportion of its labels. An exponential tilt q'_k ∝ q_k·e^(b_k) achieves that: b minimises the
//! convex Σ ω_i ln Σ_k q_ik e^(b_k) − Σ share_k b_k, whose gradient is the residual of these sums, and q' is in the
//! simplex for any b.

use super::{
    pass::run_sum,
    state::{ClassRows, State, derivatives},
};
use crate::{
    batch::optimum::{
        cholesky::Cholesky,
        dual_feasibility::inverse_norm,
        pass::Passes,
        relative_entropy::relative_entropy,
        rounding::EPS,
        row_blocks::Block,
        state::Objective,
        workers::{Stopped, Workers},
    },
    numeric::sums::{Sum, compensated},
    shards::Partial,
};

/// Computes the dual points q that the quadratic model at `state` predicts for the point `next`: p + (diag(p) − ppᵀ)Δm
/// for each row, with probabilities p and change Δm of the margins, moved back towards p where that would leave the
/// simplex.
pub(super) fn predicted_duals(rows: ClassRows, state: &State, next: &State) -> Vec<f64> {
    let mut duals = state.means.clone();
    let margins = state.margin.chunks_exact(rows.classes).zip(next.margin.chunks_exact(rows.classes));
    for (q, (before, after)) in duals.chunks_exact_mut(rows.classes).zip(margins) {
        let mean: f64 = q.iter().zip(before.iter().zip(after)).map(|(p, (a, b))| p * (b - a)).sum();
        let largest_decrease = before.iter().zip(after).map(|(a, b)| mean - (b - a)).fold(0.0, f64::max);
        let part = if largest_decrease > 1.0 { 1.0 / largest_decrease } else { 1.0 };
        for (q, (a, b)) in q.iter_mut().zip(before.iter().zip(after)) {
            *q = (*q + part * *q * (b - a - mean)).max(0.0);
        }
        let sum: f64 = q.iter().sum();
        q.iter_mut().for_each(|q| *q /= sum);
    }
    duals
}

/// Bounds the suboptimality of the model that a point is stored as: its duality gap at the dual points `duals`, after
/// these are balanced for the intercepts. Returns ∞ if that fails. Rounding errors are bounded as for a single margin.
///
/// *Cost*: one pass, and a few over the dual points.
pub(super) fn gap(
    passes: &mut Passes,
    rows: ClassRows,
    objective: &Objective,
    state: &State,
    mut duals: Vec<f64>,
) -> Result<f64, Stopped> {
    let sample = rows.sample;
    let mut tilt = 0.0;
    if sample.design.intercept {
        match balance(passes.workers, rows, &mut duals)? {
            Some(remaining_tilt) => tilt = remaining_tilt,
            None => return Ok(f64::INFINITY),
        }
    }
    let mut mean = means(passes, rows, &duals, state.point.len())?;
    let (dim, constant) = (sample.design.dim(), sample.design.constant());
    let mut error = error(passes, rows, objective, state, &mean, &duals, tilt)?;
    // Intercepts contribute nothing, as their dual points are balanced.
    let is_penalised = |at: &usize| Some(at % dim) != constant;
    let scale_of = |at: usize| objective.penalties[at % dim].feasible_scale(mean[at], error[at]);
    let factor = (0..mean.len()).filter(is_penalised).map(scale_of).fold(1.0, f64::min);
    mean.iter_mut().chain(&mut error).for_each(|z| *z *= factor);
    let mut gap = fenchel_young_sum(passes.workers, rows, state, &duals, factor, tilt)?;
    for at in (0..mean.len()).filter(is_penalised) {
        let (w, z, penalty) = (state.point[at], mean[at], &objective.penalties[at % dim]);
        gap.add(
            penalty.fenchel_young(w, z - error[at]).max(penalty.fenchel_young(w, z + error[at]))
                + 4.0 * EPS * penalty.l1 * w.abs(),
        );
    }
    let gap = gap.value() * (1.0 + 64.0 * EPS);
    Ok(if gap.is_finite() { gap } else { f64::INFINITY })
}

/// Computes z_jk = −Σω_iθ_ik x_ij (mean of dual points times column) of all columns j and classes k. One pass.
pub(super) fn means(passes: &mut Passes, rows: ClassRows, duals: &[f64], len: usize) -> Result<Vec<f64>, Stopped> {
    let (sample, classes, blocks) = (rows.sample, rows.classes, rows.sample.blocks());
    let visitors = blocks.own.iter().zip(blocks.split(duals, classes)).map(|(block, duals)| {
        move |r: usize, numbers: &mut [f64]| {
            let weight = sample.share(block.row(r));
            numbers.copy_from_slice(&duals[r * classes..(r + 1) * classes]);
            derivatives(rows.class(block.row(r)), numbers);
            numbers.iter_mut().for_each(|theta| *theta *= -weight);
        }
    });
    let mut mean = vec![0.0; len];
    run_sum(passes, rows, visitors.collect(), &mut mean)?;
    Ok(mean)
}

/// Bounds the error of each computed z_jk (mean of the dual points of class k times column j), compared with its value
/// at exactly balanced dual points, which differ from `duals` by an exponential tilt of at most `tilt`.
fn error(
    passes: &Passes,
    rows: ClassRows,
    objective: &Objective,
    state: &State,
    mean: &[f64],
    duals: &[f64],
    tilt: f64,
) -> Result<Vec<f64>, Stopped> {
    let (sample, lengths) = (rows.sample, &rows.sample.design.lengths);
    let dim = lengths.len();
    let norms = passes.workers.over_rows(&sample, |block| {
        let mut norms = vec![0.0; rows.classes];
        for (r, q) in rows.of(block, duals) {
            let y = rows.class(r);
            let others: f64 = q.iter().enumerate().filter(|(k, _)| *k != y).map(|(_, q)| q).sum();
            for (k, (norm, q)) in norms.iter_mut().zip(q).enumerate() {
                let theta = if k == y { others } else { *q };
                *norm += sample.share(r) * theta * theta;
            }
        }
        Partial { sums: norms, ..Partial::default() }
    })?;
    let norms = norms.sums;
    // Besides the sum: roundings of the row weights, of the common scale factor, and of the label's part as the sum of
    // the others.
    let terms = (passes.sum_terms(&sample) + rows.classes as f64 + 4.0) * EPS + 3.0 * tilt;
    let of = |at: usize| {
        let (j, norm) = (at % dim, norms[at / dim].sqrt());
        let (penalty, w) = (&objective.penalties[j], state.point[at]);
        let own = 4.0 * EPS * (mean[at].abs() + penalty.l1 + penalty.l2 * w.abs());
        (terms * lengths[j] + sample.design.column_error(j)) * norm + own
    };
    Ok((0..mean.len()).map(of).collect())
}

/// Bounds Σ ω_i KL(q_i ‖ p_i) over rows with weights ω_i, at the exact probabilities p_i and at exactly balanced dual
/// points q_i, which are near the given ones. All dual points are scaled by `factor`.
fn fenchel_young_sum(
    workers: &Workers,
    rows: ClassRows,
    state: &State,
    duals: &[f64],
    factor: f64,
    tilt: f64,
) -> Result<Sum, Stopped> {
    let (sample, classes) = (rows.sample, rows.classes);
    let total = workers.over_rows(&sample, |block| {
        let mut sum = Sum::default();
        for (r, q) in rows.of(block, duals) {
            let means = &state.means[r * classes..(r + 1) * classes];
            sum.add(sample.share(r) * fenchel_young(rows.class(r), q, means, factor, tilt, state.error[r]));
        }
        Partial { compensated: sum.parts().to_vec(), ..Partial::default() }
    })?;
    let mut sum = Sum::default();
    sum.add(total.compensated_sums()[0]);
    Ok(sum)
}

/// Bounds the relative entropy KL(q ‖ p) of one row with label y, where q is its dual point and p its class
/// probabilities. The bound holds for all margins at most `error` away, and for all tilts of q_k by e^(b_k) with |b_k|
/// ≤ `tilt`.
///
/// The gradient of KL in the margins is p − q, and p changes by a factor of at most e^(2·error). Along a tilt KL grows
/// by Σ_k q_k(b_k − mean b)·ln(q_k/p_k), where the b of the label is weighted by the probability of the other classes
/// only.
fn fenchel_young(y: usize, q: &[f64], p: &[f64], factor: f64, tilt: f64, error: f64) -> f64 {
    let (mut fenchel_young, mut apart, mut steep) = (0.0, 0.0, 0.0);
    let all: f64 = q.iter().enumerate().filter(|(k, _)| *k != y).map(|(_, q)| factor * q).sum();
    for (k, (q, &p)) in q.iter().zip(p).enumerate() {
        // The label's part is 1 minus the others, as it is in the dual point.
        let q = if k == y { 1.0 - all } else { factor * q };
        fenchel_young += relative_entropy(q, p);
        apart += (q - p).abs();
        if tilt > 0.0 && q > 0.0 {
            let share = if k == y { all } else { q };
            steep += share * if p > 0.0 { libm::log(q / p).abs() + 4.0 * EPS } else { f64::INFINITY };
        }
    }
    let grown = if error < 0.1 { 2.5 * error } else { libm::expm1(2.0 * error) };
    let rise = error * (apart + 4.0 * EPS + 2.0 * grown);
    let tilted = if tilt > 0.0 { 2.0 * tilt * (1.0 + 8.0 * tilt) * (steep + 8.0 * tilt * all) } else { 0.0 };
    fenchel_young * (1.0 + 16.0 * EPS) + 8.0 * EPS * apart + rise + tilted
}

/// Tilts the dual points q exponentially until, for each class, their weighted sum equals the proportion of its labels
/// up to rounding. Returns a bound on the further tilt at which the sums are exactly equal; `None` if that fails.
fn balance(workers: &Workers, rows: ClassRows, duals: &mut [f64]) -> Result<Option<f64>, Stopped> {
    let classes = rows.classes;
    let wanted = workers.over_rows(&rows.sample, |block| {
        let mut wanted = vec![0.0; classes];
        block.rows.clone().for_each(|r| wanted[rows.class(r)] += rows.sample.share(r));
        Partial { sums: wanted, ..Partial::default() }
    })?;
    let wanted = wanted.sums;
    for (r, q) in duals.chunks_exact_mut(classes).enumerate() {
        // A class without labels has proportion 0.
        q.iter_mut().zip(&wanted).for_each(|(q, wanted)| *q = if *wanted == 0.0 { 0.0 } else { *q });
        let sum: f64 = q.iter().sum();
        q.iter_mut().for_each(|q| *q /= sum);
        if sum.is_nan() || sum <= 0.0 {
            q.fill(0.0);
            q[rows.class(r)] = 1.0;
        }
    }
    let mut is_last = false;
    for _ in 0..50 {
        workers.check()?;
        let total = workers.over_rows(&rows.sample, |block| residual(rows, block, duals))?;
        let (mut tilt, mut square) = (total.compensated_sums(), total.sums);
        // An equal tilt of all classes changes nothing and has no curvature: a positive one is added in that direction.
        for k in 0..classes {
            for other in 0..=k {
                square[k * classes + other] += wanted[k] * wanted[other];
            }
        }
        let done = tilt.iter().zip(&wanted).all(|(error, wanted)| error.abs() <= 4.0 * f64::EPSILON * wanted);
        if done || is_last {
            return remaining_tilt(workers, rows, duals);
        }
        Cholesky::new(workers, square, classes)?.solve(&mut tilt);
        let longest = tilt.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if !longest.is_finite() {
            return Ok(None);
        }
        let part = 1.0 / longest.max(1.0);
        let tilt: Vec<f64> = tilt.iter().map(|b| libm::exp(part * b)).collect();
        for q in duals.chunks_exact_mut(classes) {
            q.iter_mut().zip(&tilt).for_each(|(q, tilt)| *q *= tilt);
            let sum: f64 = q.iter().sum();
            q.iter_mut().for_each(|q| *q /= sum);
        }
        is_last = longest <= 1e-14;
    }
    Ok(None)
}

/// Bounds the tilt b from dual points q that are balanced up to rounding to some that are balanced exactly; `None` if
/// no bound is found. With H = Σω_i(diag(q_i) − q_iq_iᵀ), D its diagonal, N = D^(−½)HD^(−½) on the complement of its
/// null vector, and `error` the residual, |b_k| ≤ D_k^(−½)·‖N⁻¹‖·‖D^(−½)·error‖, except for the change of H on the way,
/// which is less than 1 % for |b| ≤ 1e-3.
fn remaining_tilt(workers: &Workers, rows: ClassRows, duals: &[f64]) -> Result<Option<f64>, Stopped> {
    let classes = rows.classes;
    let total = workers.over_rows(&rows.sample, |block| exact_residual(rows, block, duals))?;
    let error = total.compensated_sums();
    let (square, size) = total.sums.split_at(classes * classes);
    // A class with q = 0 in every row cannot be tilted.
    let with: Vec<usize> = (0..classes).filter(|&k| square[k * classes + k] > 0.0).collect();
    let diagonal: Vec<f64> = with.iter().map(|&k| square[k * classes + k]).collect();
    let sum: f64 = diagonal.iter().sum();
    if (0..classes).any(|k| size[k] > 0.0 && square[k * classes + k] <= 0.0) {
        return Ok(None);
    }
    if with.is_empty() {
        return Ok(Some(0.0));
    }
    let width = with.len();
    let mut inner = vec![0.0; width * width];
    for a in 0..width {
        // The null vector, equal for all classes, is given positive curvature.
        (0..=a)
            .for_each(|b| inner[a * width + b] = square[with[a] * classes + with[b]] + diagonal[a] * diagonal[b] / sum);
    }
    let Some(inverse) = inverse_norm(workers, inner, width)? else { return Ok(None) };
    let missing = |k: usize| error[k].abs() + 8.0 * EPS * size[k];
    let reach = with.iter().zip(&diagonal).map(|(&k, d)| missing(k).powi(2) / d).sum::<f64>().sqrt();
    let least = diagonal.iter().fold(f64::INFINITY, |a: f64, d| a.min(*d));
    let tilt = 1.1 * inverse * reach / least.sqrt();
    Ok((tilt <= 1e-3).then_some(tilt))
}

/// Computes, over the rows of a block, the difference between the proportions of the labels and the sums of the q, as
/// compensated sums, and the lower triangle of Σω(diag(q) − qqᵀ).
fn residual(rows: ClassRows, block: &Block, duals: &[f64]) -> Partial {
    let classes = rows.classes;
    let (mut error, mut square) = (vec![Sum::default(); classes], vec![0.0; classes * classes]);
    for (r, q) in rows.of(block, duals) {
        let (weight, y) = (rows.sample.share(r), rows.class(r));
        for (k, error) in error.iter_mut().enumerate() {
            error.add(weight * (f64::from(k == y) - q[k]));
            for (other, q_other) in q[..=k].iter().enumerate() {
                square[k * classes + other] += weight * q[k] * (f64::from(k == other) - q_other);
            }
        }
    }
    Partial { sums: square, compensated: compensated(&error), ..Partial::default() }
}

/// Computes like [`residual`], where the q of the label is exactly 1 minus the others, and after the matrix the sums of
/// the absolute values of the terms.
fn exact_residual(rows: ClassRows, block: &Block, duals: &[f64]) -> Partial {
    let classes = rows.classes;
    let (mut error, mut size) = (vec![Sum::default(); classes], vec![0.0; classes]);
    let mut square = vec![0.0; classes * classes];
    let mut q = vec![0.0; classes];
    for (r, given) in rows.of(block, duals) {
        let (weight, y) = (rows.sample.share(r), rows.class(r));
        q.copy_from_slice(given);
        q[y] = 0.0;
        let others: f64 = q.iter().sum();
        q[y] = 1.0 - others;
        for k in 0..classes {
            let rest = if k == y { others } else { 1.0 - q[k] };
            square[k * classes + k] += weight * q[k] * rest;
            (0..k).for_each(|l| square[k * classes + l] -= weight * q[k] * q[l]);
            if k != y {
                // The label has 1 minus the others.
                error[k].add(-weight * q[k]);
                error[y].add(weight * q[k]);
                size[k] += weight * q[k];
                size[y] += weight * q[k];
            }
        }
    }
    square.extend(size);
    Partial { sums: square, compensated: compensated(&error), ..Partial::default() }
}
