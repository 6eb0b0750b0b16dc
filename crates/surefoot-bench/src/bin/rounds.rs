//! One pass in rounds, beside the sequential pass.
//!
//! `cargo run --release -p surefoot-bench --bin rounds -- rules SET ...` simulates the rules by which shards merge their
//! work; `rounds -- pass SET ...` runs the trainer in rounds, and measures its loss and its processor time. SET is the
//! name of a generated set, or DIR/NAME\[:LOSS\] for DIR/NAME.train.svm and DIR/NAME.test.svm.

use std::{collections::HashMap, path::Path, process::ExitCode};
use surefoot_bench::rounds::{
    Examples, Growth, Link, Order, Rule, SYNTHETIC, Times, batch, deal, in_turn, sequential, settings, simulate,
    synthetic, timed_in_rounds, timed_sequential,
};
use surefoot_glm::{Batch, Model, Tally};
use surefoot_io::{InputName, Options, Reader, RowSource};

const USAGE: &str = "usage: rounds rules|pass SET ... [--rows N] [--shards N,N] [--shares X,X] [--orders] [--times N]
SET: text, dense, dense_squared, counts, clicks, or DIR/NAME[:logistic|squared|poisson]
--rows N    rows of a generated set (100000)
--shards    numbers of shards (16)
--shares    rules: rows of a round as shares of the rows so far (0.01)
--rules R,R rules: those that are simulated (all)
--start N   rules: rows learnt one by one at first (2048)
--orders    rules: with shards that are sorted by label, and by features, too
--times N   pass: number of paired runs (3)";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(says) => {
            eprintln!("rounds: {says}");
            ExitCode::from(2)
        }
    }
}

struct Asked {
    sets: Vec<String>,
    rows: usize,
    shards: Vec<usize>,
    shares: Vec<f64>,
    start: usize,
    orders: Vec<Order>,
    rules: Vec<String>,
    times: usize,
}

fn run() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let verb = args.next().ok_or(USAGE)?;
    let mut asked = Asked {
        sets: Vec::new(),
        rows: 100_000,
        shards: vec![16],
        shares: vec![0.01],
        start: 2048,
        orders: vec![Order::Blocks],
        rules: Vec::new(),
        times: 3,
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rows" => asked.rows = numbers(args.next())?[0],
            "--shards" => asked.shards = numbers(args.next())?,
            "--shares" => asked.shares = numbers(args.next())?,
            "--rules" => asked.rules = numbers(args.next())?,
            "--start" => asked.start = numbers(args.next())?[0],
            "--orders" => asked.orders = Order::ALL.to_vec(),
            "--times" => asked.times = numbers(args.next())?[0],
            _ if arg.starts_with('-') => return Err(USAGE.to_owned()),
            _ => asked.sets.push(arg),
        }
    }
    let each: fn(&Asked, &str, &Set) = match verb.as_str() {
        "rules" => rules,
        "pass" => pass,
        _ => return Err(USAGE.to_owned()),
    };
    for name in &asked.sets {
        each(&asked, name, &read(name, asked.rows)?);
    }
    Ok(())
}

fn numbers<T: std::str::FromStr>(list: Option<String>) -> Result<Vec<T>, String> {
    list.ok_or(USAGE)?.split(',').map(|x| x.parse().map_err(|_| USAGE.to_owned())).collect()
}

struct Set {
    link: Link,
    train: Examples,
    test: Examples,
}

fn read(name: &str, rows: usize) -> Result<Set, String> {
    if SYNTHETIC.contains(&name) {
        let (link, train, test) = synthetic(name, rows, 20_000);
        return Ok(Set { link, train, test });
    }
    let (path, loss) = name.split_once(':').unwrap_or((name, "logistic"));
    let link = match loss {
        "logistic" => Link::Logistic,
        "squared" => Link::Squared,
        "poisson" => Link::Poisson,
        _ => return Err(USAGE.to_owned()),
    };
    let mut ids = HashMap::new();
    let mut part = |part: &str| read_rows(&format!("{path}.{part}.svm"), link, &mut ids);
    Ok(Set { link, train: part("train")?, test: part("test")? })
}

fn read_rows(path: &str, link: Link, ids: &mut HashMap<u64, u32>) -> Result<Examples, String> {
    let mut reader = Reader::open(&[InputName::new(Path::new(path))], Options::default()).map_err(|e| e.to_string())?;
    let (mut batch, mut rows) = (Batch::default(), Examples::default());
    while reader.read(&mut batch).map_err(|e| e.to_string())? {
        for row in (0..batch.len()).map(|r| batch.row(r)) {
            let y = row.label.unwrap_or(0.0);
            let y = if link == Link::Logistic { 1.0_f64.copysign(y - 1e-9) } else { y };
            let number = |id: u64, ids: &mut HashMap<u64, u32>| {
                let next = ids.len() as u32;
                *ids.entry(id).or_insert(next)
            };
            let pairs = row.index.iter().zip(row.value).filter(|(_, x)| **x != 0.0);
            let mut pairs: Vec<(u32, f64)> = pairs.map(|(&id, &x)| (number(id, ids), x)).collect();
            pairs.sort_by_key(|pair| pair.0);
            rows.push(y, pairs.into_iter());
        }
    }
    Ok(rows)
}

fn percent(here: f64, plain: f64) -> f64 {
    100.0 * (here / plain - 1.0)
}

fn rules(asked: &Asked, name: &str, set: &Set) {
    let Set { link, train, test } = set;
    for (&order, &shards) in asked.orders.iter().flat_map(|order| asked.shards.iter().map(move |s| (order, s))) {
        let plain = sequential(*link, train, test, shards, order);
        let dealt = deal(train, shards, order);
        println!(
            "{name}, {} rows, {shards} shards, {order:?}: progressive {:.5}, test {:.5}",
            train.len(),
            plain.progressive,
            plain.test
        );
        for &share in &asked.shares {
            let is_asked = |name: String| asked.rules.is_empty() || asked.rules.contains(&name);
            for rule in Rule::ALL.into_iter().filter(|rule| is_asked(format!("{rule:?}"))) {
                let here = simulate(*link, train, test, &dealt, rule, Growth { start: asked.start, share });
                println!(
                    "  share {share:<7} {:15} {:5} rounds   progressive {:+7.2} %   test {:+7.2} %",
                    format!("{rule:?}"),
                    here.rounds,
                    percent(here.progressive, plain.progressive),
                    percent(here.test, plain.test)
                );
            }
        }
    }
}

fn pass(asked: &Asked, name: &str, set: &Set) {
    let (rows, settings) = (batch(&set.train), settings(set.link));
    let ns = |time: std::time::Duration| time.as_secs_f64() * 1e9 / rows.index.len() as f64;
    for &shards in &asked.shards {
        println!("{name}, {} rows, {shards} shards", rows.len());
        let turned = in_turn(&rows, shards as u32);
        let mut ratios: [Vec<f64>; 3] = Default::default();
        let mut quality = String::new();
        for _ in 0..asked.times {
            let (plain, trainer) = timed_sequential(&settings, &turned);
            for (workers, ratios) in [1, 2, 4].into_iter().zip(&mut ratios) {
                let (times, rounds) = timed_in_rounds(&settings, &rows, shards as u32, workers);
                ratios.push(times.total().as_secs_f64() / plain.as_secs_f64());
                let Times { first, work, join, absorb, rounds: count, bytes } = times;
                println!(
                    "  sequential {:6.2} ns/pair; {workers} workers: first {:.2}, work {:.2}, join {:.2}, absorb {:.2} ns/pair; {count} rounds, {bytes} bytes",
                    ns(plain),
                    ns(first),
                    ns(work),
                    ns(join),
                    ns(absorb)
                );
                let progressive = [trainer.summary(), rounds.summary()].map(|summary| summary.loss.unwrap_or(f64::NAN));
                let test = [trainer.model(), rounds.model()].map(|model| test_loss(&model, &batch(&set.test)));
                quality = format!(
                    "progressive {:.5} {:+.2} %, test {:.5} {:+.2} %",
                    progressive[0],
                    percent(progressive[1], progressive[0]),
                    test[0],
                    percent(test[1], test[0])
                );
            }
        }
        println!("  {quality}");
        for (workers, ratios) in [1, 2, 4].into_iter().zip(&mut ratios) {
            ratios.sort_by(f64::total_cmp);
            let (low, middle, high) = (ratios[0], ratios[asked.times / 2], ratios[asked.times - 1]);
            println!("  {workers} workers: {middle:.2} of the time of the sequential pass ({low:.2} to {high:.2})");
        }
    }
}

fn test_loss(model: &Model, rows: &Batch) -> f64 {
    let mut tally = Tally::new(model);
    for row in (0..rows.len()).map(|r| rows.row(r)) {
        let label = row.label.unwrap_or(f64::NAN);
        let y = if model.settings.loss.classifies() { model.labels.encode(label) } else { Some(label) };
        let _ = tally.add(y.unwrap_or(f64::NAN), &row);
    }
    tally.measured().loss.unwrap_or(f64::NAN)
}
