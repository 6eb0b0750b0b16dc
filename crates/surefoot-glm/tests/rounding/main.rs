//! Certificates against true gaps, in more than 90 digits, over problems that are hostile to rounding.
//!
//! `SUREFOOT_HOSTILE=2000 cargo test -p surefoot-glm --test rounding` is the long form; `SUREFOOT_SEED` chooses others.

mod big;
mod hostile;
mod reference;

use hostile::Problem;
use surefoot_glm::optimum::{Ended, optimise};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// What a certificate may be, to be of use: ten times the truth and the rounding of the objective, or the tolerance of the command.
fn enough(excess: f64, size: f64, unit: f64) -> f64 {
    (10.0 * excess + 1e-12 * size).max(1e-6 * unit)
}

/// No certificate is below the true gap, and where columns are not too far from 0 for their spread none is useless.
#[test]
fn no_certificate_is_below_the_true_gap() {
    let (count, seed) = (number("SUREFOOT_HOSTILE", 150), number("SUREFOOT_SEED", 0));
    let (mut certified, mut worst) = (0, 0.0_f64);
    let mut faults = Vec::new();
    for case in 0..count {
        let problem = Problem::of(seed << 32 | case);
        let goal = problem.goal();
        let Some(found) = optimise(&problem.examples(), &goal, (&[], &[]), &|| false, &mut |_| ()) else { continue };
        let what = format!("{case}, {problem}, {:?} in {} steps", found.ended, found.iterations);
        let Some(gap) = found.gap else {
            if problem.is_held() && problem.is_fair() {
                faults.push(format!("none: {what}"));
            }
            continue;
        };
        certified += 1;
        let (here, least) = reference::values(&problem, &found.weights, &found.intercept);
        let excess = big::number(&(here.clone() - least));
        worst = worst.max(excess / gap);
        let size = big::number(&here).abs();
        if gap < excess {
            faults.push(format!("false: {gap:e} of {size:e}, {excess:e} in truth: {what}"));
        } else if problem.is_fair() && found.ended != Ended::Unattained && gap > enough(excess, size, found.size) {
            faults.push(format!("loose: {gap:e} of {size:e}, {excess:e} in truth: {what}"));
        }
    }
    println!("{certified} of {count} certified, largest true/certified {worst:.3}");
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert!(certified * 2 > count, "only {certified} of {count} have a certificate");
}
