//! The Fenchel gap of the softmax loss.
//!
//! Dual points of a row are θ = q − e_y with q ≥ 0, Σ_k q_k = 1, where φ*(θ) = Σ q_k ln q_k: what q misses p by is their relative
//! entropy. An intercept for each class, free of any penalty, asks for Σ_i ω_iθ_ik = 0: that the q of a class sum to the
//! share of its labels. An exponential tilt q'_k ∝ q_k·e^(b_k) gets there: b minimises the convex Σ ω_i ln Σ_k q_ik e^(b_k) − Σ share_k b_k,
//! whose gradient is what the sums are off by, and q' is in the simplex whatever b is.

use super::super::factor::Cholesky;
use super::super::pass::Passes;
use super::super::relative::relative_entropy;
use super::super::shares::{Crew, Stopped};
use super::super::state::Objective;
use super::pass::run;
use super::state::{Classes, State, slopes};
use crate::sums::Sum;

/// The dual points that the quadratic model at `state` foresees for `next`, as q: p + (diag(p) − ppᵀ)Δm, drawn back to p where
/// that leaves the simplex.
pub(super) fn foreseen(rows: Classes, state: &State, next: &State) -> Vec<f64> {
    let mut duals = state.means.clone();
    let margins = state.margin.chunks_exact(rows.classes).zip(next.margin.chunks_exact(rows.classes));
    for (q, (before, after)) in duals.chunks_exact_mut(rows.classes).zip(margins) {
        let mean: f64 = q.iter().zip(before.iter().zip(after)).map(|(p, (a, b))| p * (b - a)).sum();
        let fall = before.iter().zip(after).map(|(a, b)| mean - (b - a)).fold(0.0, f64::max);
        let part = if fall > 1.0 { 1.0 / fall } else { 1.0 };
        for (q, (a, b)) in q.iter_mut().zip(before.iter().zip(after)) {
            *q = (*q + part * *q * (b - a - mean)).max(0.0);
        }
        let sum: f64 = q.iter().sum();
        q.iter_mut().for_each(|q| *q /= sum);
    }
    duals
}

/// The gap at a point between the objective and the dual objective at `duals`, once these are balanced. ∞ where no dual
/// point is.
///
/// *Cost*: one pass, and a few over the dual points.
pub(super) fn gap(
    passes: &mut Passes,
    rows: Classes,
    objective: &Objective,
    state: &State,
    mut duals: Vec<f64>,
) -> Result<f64, Stopped> {
    let (sample, classes, per) = (rows.sample, rows.classes, Passes::rows_per_share(&rows.sample));
    if sample.design.intercept && !balance(passes.crew, rows, &mut duals)? {
        return Ok(f64::INFINITY);
    }
    let visitors = duals.chunks(per * classes).enumerate().map(|(share, duals)| {
        move |r: usize, numbers: &mut [f64]| {
            let weight = sample.share(share * per + r);
            numbers.copy_from_slice(&duals[r * classes..(r + 1) * classes]);
            slopes(rows.class(share * per + r), numbers);
            numbers.iter_mut().for_each(|theta| *theta *= -weight);
        }
    });
    let mut mean = vec![0.0; state.point.len()];
    run(passes, rows, None, visitors.collect(), &mut mean)?;
    let (dim, constant) = (sample.design.dim(), sample.design.constant());
    // Nothing is paid for the intercepts.
    let mut rest = 0.0;
    for j in constant.into_iter().flat_map(|constant| (constant..state.point.len()).step_by(dim)) {
        rest += (state.point[j] * mean[j]).abs();
        mean[j] = 0.0;
    }
    let prices = objective.prices.iter().cycle();
    let factor = mean.iter().zip(prices.clone()).map(|(z, price)| price.shrink(*z)).fold(1.0, f64::min);
    mean.iter_mut().for_each(|z| *z *= factor);
    let (missed, size) = misses(passes.crew, rows, state, &duals, factor)?;
    let all = || state.point.iter().zip(&mean);
    let priced: f64 = all().zip(prices).map(|((w, z), price)| price.miss(*w, *z)).sum();
    let size = size + all().map(|(w, z)| (w * z).abs()).sum::<f64>();
    let gap = missed + priced + rest + 4.0 * f64::EPSILON * size;
    Ok(if gap.is_finite() { gap } else { f64::INFINITY })
}

/// Σ ω_i KL(q_i ‖ p_i), with dual points scaled by a factor, and Σ|ω_iθ_i·m_i|, by which rounding is judged.
fn misses(crew: &Crew, rows: Classes, state: &State, duals: &[f64], factor: f64) -> Result<(f64, f64), Stopped> {
    let (sample, classes, per) = (rows.sample, rows.classes, Passes::rows_per_share(&rows.sample));
    let mut found = vec![(Sum::default(), 0.0); sample.rows().div_ceil(per)];
    let shares = found.iter_mut().zip(duals.chunks(per * classes)).enumerate().collect();
    crew.run(shares, |(share, ((sum, size), duals)): (usize, (&mut (Sum, f64), &[f64]))| {
        for (r, q) in (share * per..).zip(duals.chunks_exact(classes)) {
            let (y, weight) = (rows.class(r), sample.share(r));
            let row = r * classes..(r + 1) * classes;
            let (p, margin) = (&state.means[row.clone()], &state.margin[row]);
            let least = margin[y];
            for k in 0..classes {
                let q = if k == y { q[k] + (1.0 - factor) * (1.0 - q[k]) } else { factor * q[k] };
                sum.add(weight * relative_entropy(q, p[k]));
                *size += (weight * q * (margin[k] - least)).abs();
            }
        }
    })?;
    let mut sum = Sum::default();
    found.iter().for_each(|(part, _)| sum.add(part.value()));
    Ok((sum.value(), found.iter().map(|(_, size)| size).sum()))
}

/// Tilts the dual points until each class has the share of its labels, up to rounding; whether that could be done.
fn balance(crew: &Crew, rows: Classes, duals: &mut [f64]) -> Result<bool, Stopped> {
    let classes = rows.classes;
    let mut wanted = vec![0.0; classes];
    (0..rows.sample.rows()).for_each(|r| wanted[rows.class(r)] += rows.sample.share(r));
    for (r, q) in duals.chunks_exact_mut(classes).enumerate() {
        // A class without labels must have nothing.
        q.iter_mut().zip(&wanted).for_each(|(q, wanted)| *q = if *wanted == 0.0 { 0.0 } else { *q });
        let sum: f64 = q.iter().sum();
        q.iter_mut().for_each(|q| *q /= sum);
        if sum.is_nan() || sum <= 0.0 {
            q.fill(0.0);
            q[rows.class(r)] = 1.0;
        }
    }
    for _ in 0..50 {
        crew.check()?;
        let (mut off, mut square) = (vec![Sum::default(); classes], vec![0.0; classes * classes]);
        for (r, q) in duals.chunks_exact(classes).enumerate() {
            let (weight, y) = (rows.sample.share(r), rows.class(r));
            for (k, off) in off.iter_mut().enumerate() {
                off.add(weight * (f64::from(k == y) - q[k]));
                for (other, q_other) in q[..=k].iter().enumerate() {
                    square[k * classes + other] += weight * q[k] * (f64::from(k == other) - q_other);
                }
            }
        }
        let mut tilt: Vec<f64> = off.iter().map(Sum::value).collect();
        // The same for all classes changes nothing, and has no curvature: that of a class by itself is put there.
        for k in 0..classes {
            for other in 0..=k {
                square[k * classes + other] += wanted[k] * wanted[other];
            }
        }
        let done = tilt.iter().zip(&wanted).all(|(off, wanted)| off.abs() <= 4.0 * f64::EPSILON * wanted);
        if done {
            return Ok(true);
        }
        Cholesky::new(crew, square, classes)?.solve(&mut tilt);
        let longest = tilt.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if !longest.is_finite() {
            return Ok(false);
        }
        let part = 1.0 / longest.max(1.0);
        let tilt: Vec<f64> = tilt.iter().map(|b| libm::exp(part * b)).collect();
        for q in duals.chunks_exact_mut(classes) {
            q.iter_mut().zip(&tilt).for_each(|(q, tilt)| *q *= tilt);
            let sum: f64 = q.iter().sum();
            q.iter_mut().for_each(|q| *q /= sum);
        }
        if longest <= 1e-14 {
            return Ok(true);
        }
    }
    Ok(false)
}
