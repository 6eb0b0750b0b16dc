//! Certificates against true gaps, in more than 90 digits, over problems that are hostile to rounding.
//!
//! `SUREFOOT_HOSTILE=2000 cargo test -p surefoot-glm --test rounding` is the long form; `SUREFOOT_SEED` chooses others.

mod big;
mod hostile;
mod reference;

use hostile::Problem;
use std::collections::BTreeMap;
use surefoot_glm::optimum::{Ended, optimise};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// What a certificate may be, to be of use: ten times the truth and the rounding of the objective, or the tolerance of the command. An
/// objective of 0 is the difference of numbers of order 1, margins and labels, and has their rounding.
fn enough(excess: f64, size: f64) -> f64 {
    (10.0 * excess + 1e-12 * size + 1e-14).max(1e-6 * size)
}

/// What was seen of problems of one mean/spread.
#[derive(Default)]
struct Seen {
    problems: usize,
    /// true/certified, and certified/objective.
    shares: Vec<(f64, f64)>,
}

/// No certificate is below the true gap, and where columns are not too far from 0 for their spread none is useless.
#[test]
fn no_certificate_is_below_the_true_gap() {
    let (count, seed) = (number("SUREFOOT_HOSTILE", 150), number("SUREFOOT_SEED", 0));
    let mut seen: BTreeMap<i32, Seen> = BTreeMap::new();
    let mut faults = Vec::new();
    for case in 0..count {
        let problem = Problem::of(seed << 32 | case);
        let goal = problem.goal();
        let seen = seen.entry(problem.ratio.log10().max(-1.0) as i32).or_default();
        seen.problems += 1;
        let Some(found) = optimise(&problem.examples(), &goal, (&[], &[]), &|| false, &mut |_| ()) else { continue };
        let what = format!("{case}, {problem}, {:?} in {} steps", found.ended, found.iterations);
        let Some(gap) = found.gap else {
            if problem.is_held() && problem.is_fair() {
                faults.push(format!("none: {what}"));
            }
            continue;
        };
        let (here, least) = reference::values(&problem, &found.weights, &found.intercept);
        let excess = big::number(&(here.clone() - least));
        let size = big::number(&here).abs();
        seen.shares.push((excess / gap, gap / size));
        if gap < excess {
            faults.push(format!("false: {gap:e} of {size:e}, {excess:e} in truth: {what}"));
        } else if problem.is_fair() && found.ended != Ended::Unattained && gap > enough(excess, size) {
            faults.push(format!("loose: {gap:e} of {size:e}, {excess:e} in truth: {what}"));
        }
    }
    let certified: usize = seen.values().map(|seen| seen.shares.len()).sum();
    for (ratio, Seen { problems, shares }) in &mut seen {
        let largest = shares.iter().map(|share| share.0).fold(0.0, f64::max);
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        let middle = shares.get(shares.len() / 2).map_or(f64::NAN, |share| share.1);
        let is_certified = format!("{} of {problems} certified", shares.len());
        println!(
            "mean/spread 1e{ratio}: {is_certified}, true/certified at most {largest:.3}, certified/objective {middle:.0e}"
        );
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert!(certified as u64 * 2 > count, "only {certified} of {count} have a certificate");
}
