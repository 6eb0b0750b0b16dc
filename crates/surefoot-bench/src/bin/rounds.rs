//! Study of rules for rounds.
use std::{collections::HashMap, path::Path};
use surefoot_bench::rounds::*;
use surefoot_io::{InputName, Options, Reader, RowSource};

fn read(path: &Path, link: Link, ids: &mut HashMap<u64, u32>) -> Examples {
    let mut reader = Reader::open(&[InputName::new(path)], Options::default()).unwrap();
    let mut batch = surefoot_glm::Batch::default();
    let mut rows = Examples::default();
    while reader.read(&mut batch).unwrap() {
        for row in (0..batch.len()).map(|r| batch.row(r)) {
            let y = row.label.unwrap();
            let y = if link == Link::Logistic { if y > 0.0 { 1.0 } else { -1.0 } } else { y };
            let pairs: Vec<(u32, f64)> = row
                .index
                .iter()
                .zip(row.value)
                .filter(|(_, x)| **x != 0.0)
                .map(|(&id, &x)| {
                    let next = ids.len() as u32;
                    (*ids.entry(id).or_insert(next), x)
                })
                .collect();
            rows.push(y, pairs.into_iter());
        }
    }
    rows
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let get = |name: &str| args.iter().position(|a| a == name).map(|at| args[at + 1].clone());
    let num = |name: &str, or: f64| get(name).map_or(or, |x| x.parse().unwrap());
    let link = match get("--loss").as_deref() {
        Some("squared") => Link::Squared,
        Some("poisson") => Link::Poisson,
        _ => Link::Logistic,
    };
    let sets: Vec<String> = get("--sets").unwrap().split(',').map(str::to_owned).collect();
    let orders: Vec<Order> = get("--orders")
        .unwrap_or("blocks".into())
        .split(',')
        .map(|o| match o {
            "label" => Order::ByLabel,
            "feature" => Order::ByFeature,
            _ => Order::Blocks,
        })
        .collect();
    let rules: Vec<Rule> = get("--rules")
        .unwrap_or("Batch,BatchMax,BatchHint,LocalSum,LocalMean,LocalCurvature".into())
        .split(',')
        .map(|o| match o {
            "Batch" => Rule::Batch,
            "BatchMax" => Rule::BatchMax,
            "BatchHint" => Rule::BatchHint,
            "BatchBack" => Rule::BatchBack,
            "BatchClip" => Rule::BatchClip,
            "LocalAhead" => Rule::LocalAhead,
            "LocalSum" => Rule::LocalSum,
            "LocalMean" => Rule::LocalMean,
            "LocalCurvature" => Rule::LocalCurvature,
            _ => panic!(),
        })
        .collect();
    let shares: Vec<f64> =
        get("--shares").unwrap_or("0.01,0.05".into()).split(',').map(|x| x.parse().unwrap()).collect();
    let shards: Vec<usize> = get("--shards").unwrap_or("16".into()).split(',').map(|x| x.parse().unwrap()).collect();
    let (start, least, root) = (num("--start", 5000.0) as usize, num("--least", 100.0) as usize, num("--root", 1e9));
    for name in &sets {
        let (link, train, test) = if name.contains('/') {
            let mut ids = HashMap::new();
            let train = read(Path::new(&format!("{name}.train.svm")), link, &mut ids);
            let test = read(Path::new(&format!("{name}.test.svm")), link, &mut ids);
            (link, train, test)
        } else {
            synthetic(name, num("--rows", 1e5) as usize, num("--tests", 2e4) as usize)
        };
        for &order in &orders {
            for &s in &shards {
                let plain = simulate(link, &train, &test, s, order, None, Growth { start, least, share: 0.0, root });
                println!(
                    "{:30} {order:?} S={s} rows {} sequential: progressive {:.5} test {:.5}",
                    name,
                    train.len(),
                    plain.progressive,
                    plain.test
                );
                for &share in &shares {
                    let growth = Growth { start, least, share, root };
                    for &rule in &rules {
                        let got = simulate(link, &train, &test, s, order, Some(rule), growth);
                        println!(
                            "    {:16} share {share:6} rounds {:5}  progressive {:+.2}%  test {:+.2}%",
                            format!("{rule:?}"),
                            got.rounds,
                            100.0 * (got.progressive / plain.progressive - 1.0),
                            100.0 * (got.test / plain.test - 1.0)
                        );
                    }
                }
            }
        }
    }
}
