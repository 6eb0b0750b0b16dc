//! The list of all experiments, V1 to V21.

mod acceleration_with_noise;
mod acceleration_without_noise;
mod adversaries;
mod certificates;
mod coverage;
mod errata;
mod exp_concave;
mod interpolated_queries;
mod minibatches;
mod noise_adaptivity;
mod noise_bound;
mod optimism_with_noise;
mod per_coordinate;
mod probability;
mod rate;
mod smooth_without_hints;
mod sparse_forms;
mod strong_convexity;
mod sums_of_excesses;
mod units;
mod without_radius;
mod without_smoothness;

use crate::{Experiment, Form};

/// Returns all experiments, V1 to V21 in order, in the short or the full form.
#[must_use]
pub fn experiments(form: Form) -> Vec<Experiment> {
    vec![
        sparse_forms::experiment(form),
        noise_bound::experiment(form),
        without_smoothness::experiment(form),
        acceleration_without_noise::experiment(form),
        optimism_with_noise::experiment(form),
        strong_convexity::experiment(form),
        sums_of_excesses::experiment(form),
        probability::experiment(form),
        per_coordinate::experiment(form),
        adversaries::experiment(form),
        units::experiment(form),
        certificates::experiment(form),
        errata::experiment(form),
        minibatches::experiment(form),
        without_radius::experiment(form),
        interpolated_queries::experiment(form),
        smooth_without_hints::experiment(form),
        acceleration_with_noise::experiment(form),
        noise_adaptivity::experiment(form),
        exp_concave::experiment(form),
        coverage::experiment(form),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::mem::discriminant;

    use super::*;
    use crate::Lab;
    use crate::paper::PAPER;

    /// In the short form, all claims hold, every planted error is detected, and docs/claims.md contains the current numbers.
    #[test]
    fn theory_holds_against_numbers() {
        let report = Lab::new(experiments(Form::Short), 1).run(2, |_| {});
        let (all, failed) = report.counts();
        assert!(failed == 0, "{failed} of {all} checks:\n{}", report.table());
        assert!(all > 220);
        let (written, found) = (include_str!("../../../docs/claims.md"), report.claims());
        for (written, found) in written.lines().zip(found.lines()) {
            assert!(alike(written, found), "surefoot lab --short writes another docs/claims.md:\n{written}\n{found}");
        }
        assert_eq!(
            written.lines().count(),
            found.lines().count(),
            "surefoot lab --short writes another docs/claims.md"
        );
    }

    /// Whether two lines have equal words and nearly equal numbers: logarithms may be rounded differently on another machine.
    fn alike(one: &str, other: &str) -> bool {
        let same = |(a, b): (&str, &str)| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => a == b || (a - b).abs() <= 0.02 * a.abs().max(b.abs()) || a.abs().max(b.abs()) < 1e-9,
            _ => a == b,
        };
        let words = |line: &str| line.split(' ').count();
        words(one) == words(other) && one.split(' ').zip(other.split(' ')).all(same)
    }

    /// Every statement of the paper (Cutkosky 2019) is tested by experiment rows with correct methods and by rows with a planted error, and
    /// every row referenced in `paper.rs` exists.
    #[test]
    fn the_paper_is_covered() {
        for form in [Form::Short, Form::Full] {
            let all = experiments(form);
            for statement in PAPER {
                assert!(!statement.rows.is_empty() && !statement.errors.is_empty(), "{}", statement.place);
                for (planted, rows) in [(false, statement.rows), (true, statement.errors)] {
                    for (name, begin) in rows {
                        let rows = all.iter().filter(|e| e.name == *name).flat_map(|e| &e.rows);
                        let mut named = rows.filter(|row| row.label.starts_with(begin) && row.planted == planted);
                        assert!(named.any(|row| !row.claims.is_empty()), "{}: {name} {begin}", statement.place);
                    }
                }
            }
        }
        for (file, name) in PAPER.iter().flat_map(|statement| statement.tests) {
            let path = format!("{}/../surefoot/tests/{file}.rs", env!("CARGO_MANIFEST_DIR"));
            let source = std::fs::read_to_string(&path).expect("a file of tests");
            assert!(source.contains(&format!("#[test]\nfn {name}()")), "{path}: {name}");
        }
    }

    /// For each experiment, each kind of claim that it makes is also made about a row with a planted error, where it must fail.
    #[test]
    fn every_kind_of_claim_is_seen_to_fail() {
        for form in [Form::Short, Form::Full] {
            for experiment in experiments(form) {
                let (planted, right): (Vec<_>, Vec<_>) = experiment.rows.iter().partition(|row| row.planted);
                for claim in right.iter().flat_map(|row| &row.claims) {
                    let mut broken = planted.iter().flat_map(|row| &row.claims);
                    assert!(
                        broken.any(|other| discriminant(other) == discriminant(claim)),
                        "{}: no planted error for {claim:?}",
                        experiment.name
                    );
                }
            }
        }
    }

    #[test]
    fn names_and_labels_differ() {
        let all = experiments(Form::Full);
        let names: Vec<_> = all.iter().map(|e| e.name.to_owned()).collect();
        assert_eq!(names, (1..=21).map(|n| format!("V{n}")).collect::<Vec<_>>());
        for experiment in &all {
            let labels: BTreeSet<_> = experiment.rows.iter().map(|row| &row.label).collect();
            assert_eq!(labels.len(), experiment.rows.len(), "{}", experiment.name);
            assert!(!experiment.about.is_empty() && !experiment.title.is_empty());
        }
    }

    /// An experiment gives the same numbers whether it runs alone or with others, and on any number of threads.
    #[test]
    fn neither_threads_nor_company_show() {
        let points = |names: &[&str], threads| {
            let mut chosen = experiments(Form::Short);
            chosen.retain(|e| names.contains(&e.name));
            let report = Lab::new(chosen, 5).run(threads, |_| {});
            let section = report.sections.into_iter().find(|section| section.name == "V9").expect("chosen");
            format!("{section:?}")
        };
        assert_eq!(points(&["V9"], 1), points(&["V7", "V9", "V11"], 3));
    }
}
