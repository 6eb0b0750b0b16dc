//! Safety of the first rows: `cargo run --release -p surefoot-bench --bin start -- [--shuffles N] FILE:LOSS[:LABEL] ...`.
//!
//! Learns each set in one pass in the order of the file, by ascending and descending label, and in N random orders (20 by default). Prints
//! the largest excess of the total progressive loss over that of the best constant in hindsight at any row, in nats or units, the row, and
//! how far it stays below the bound of a safe start (`surefoot_bench::bound`); a positive last figure breaks the bound.

use std::process::ExitCode;
use surefoot_bench::{Excess, Set, excess};
use surefoot_glm::Loss;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("start: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let (mut shuffles, mut sets, mut args) = (20, Vec::new(), std::env::args().skip(1));
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--shuffles" => shuffles = args.next().and_then(|n| n.parse().ok()).ok_or("--shuffles takes a number")?,
            _ => sets.push(arg),
        }
    }
    println!("{:<28}{:<14}{:<10}{:>10}{:>8}{:>9}", "set", "loss", "order", "excess", "row", "beyond");
    sets.iter().try_for_each(|set| report(set, shuffles))
}

fn report(spec: &str, shuffles: u64) -> Result<(), String> {
    let mut parts = spec.split(':');
    let (file, name, label) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
    let loss = Loss::ALL.into_iter().find(|loss| loss.name() == name).ok_or_else(|| format!("no loss '{name}'"))?;
    let set = Set::read(file, loss, label, &[]).map_err(|error| error.to_string())?;
    let of = |order: &[usize]| excess(&set.settings, &set.ordered(order)).map_err(|fault| fault.message);
    let line = |order: &str, Excess { excess, row, beyond, .. }: Excess| {
        println!("{:<28}{name:<14}{order:<10}{excess:>10.2}{row:>8}{beyond:>9.2}", set.name);
    };
    line("file", of(&(0..set.rows.len()).collect::<Vec<_>>())?);
    let mut by_label = set.by_label();
    line("ascending", of(&by_label)?);
    by_label.reverse();
    line("descending", of(&by_label)?);
    let mut worst = Excess { beyond: f64::NEG_INFINITY, ..Excess::default() };
    for seed in 0..shuffles {
        let found = of(&set.shuffled(seed))?;
        if found.beyond > worst.beyond {
            worst = found;
        }
    }
    if shuffles > 0 {
        line("shuffled", worst);
    }
    Ok(())
}
