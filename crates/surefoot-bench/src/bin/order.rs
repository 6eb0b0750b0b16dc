//! Accuracy of the alarm about the order of rows: `cargo run --release -p surefoot-bench --bin order < JOBS`.
//!
//! A job is a line `FILE LOSS LABEL|- SHUFFLES PASSES [COLUMN...]`; the columns at the end are ignored. Each set is learnt in the order of the
//! file, by ascending and descending label, by ascending and descending values of its ten most frequent features, and in SHUFFLES random
//! orders. One line per kind of order reports the number of orders with cause for an alarm, and the number of alarms. With `-v` every order
//! with a missed or false alarm is shown.

use std::{collections::BTreeMap, io::BufRead, process::ExitCode};
use surefoot_bench::{Judged, Set};
use surefoot_glm::Loss;

/// Number of features by whose values each data set is sorted.
const FEATURES: usize = 10;

fn main() -> ExitCode {
    println!("{:<28}{:<10}{:>8}{:>7}{:>7}{:>8}{:>7}", "set", "order", "orders", "cause", "hits", "misses", "false");
    for line in std::io::stdin().lock().lines() {
        if let Err(says) = line.map_err(|error| error.to_string()).and_then(|line| job(&line)) {
            eprintln!("order: {says}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn job(line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [file, loss, label, shuffles, passes, ignore @ ..] = &words[..] else {
        return Err(format!("no job: '{line}'"));
    };
    let known = Loss::ALL.into_iter().find(|known| known.name() == *loss);
    let known = known.ok_or_else(|| format!("no loss '{loss}'"))?;
    let set = Set::read(file, known, Some(*label).filter(|label| *label != "-"), ignore);
    let set = set.map_err(|error| error.to_string())?;
    let [shuffles, passes]: [u32; 2] = [shuffles, passes]
        .map(|n| n.parse().map_err(|_| format!("no number: '{n}'")))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .try_into()
        .map_err(|_| "two numbers")?;
    let mut tallies: BTreeMap<&str, [u32; 4]> = BTreeMap::new();
    let mut take = |kind: &'static str, order: &[usize]| -> Result<(), String> {
        let Judged { printed, truth, error, range, alarm } = match set.judge(order, passes) {
            Ok(judged) => judged,
            Err(fault) => return Err(format!("{}: {}", set.name, fault.message)),
        };
        let cause = Judged { printed, truth, error, range, alarm }.is_cause();
        let tally = tallies.entry(kind).or_default();
        tally[0] += 1;
        tally[1] += u32::from(cause);
        tally[2] += u32::from(cause && alarm);
        tally[3] += u32::from(!cause && alarm);
        if cause != alarm && std::env::args().any(|arg| arg == "-v") {
            let (errors, share) = ((truth - printed) / error, (truth - printed) / range);
            println!(
                "    {kind}: printed {printed:.5}, truth {truth:.5}: {errors:.1} errors, share {share:.3}, alarm {alarm}"
            );
        }
        Ok(())
    };
    let up: Vec<usize> = (0..set.rows.len()).collect();
    take("file", &up)?;
    let mut both = |kind, mut order: Vec<usize>| {
        take(kind, &order)?;
        order.reverse();
        take(kind, &order)
    };
    both("label", set.by_label())?;
    set.features(FEATURES).into_iter().try_for_each(|feature| both("feature", set.by_feature(feature)))?;
    (0..shuffles).try_for_each(|seed| take("shuffled", &set.shuffled(seed.into())))?;
    for kind in ["file", "label", "feature", "shuffled"] {
        let Some([orders, cause, hits, false_]) = tallies.get(kind) else { continue };
        let name = format!("{} {loss}", set.name.chars().take(18).collect::<String>());
        println!("{name:<28}{kind:<10}{orders:>8}{cause:>7}{hits:>7}{:>8}{false_:>7}", cause - hits);
    }
    Ok(())
}
