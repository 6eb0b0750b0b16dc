//! Large generated sets.

use super::lanes::{Examples, Link};
use crate::Dice;

/// Names of the generated sets.
pub const SYNTHETIC: [&str; 5] = ["text", "dense", "dense_squared", "counts", "clicks"];

fn normal(dice: &mut Dice) -> f64 {
    let (u, v) = (1.0 - dice.roll(), dice.roll());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Generates a set: training and test rows.
#[must_use]
pub fn synthetic(name: &str, rows: usize, tests: usize) -> (Link, Examples, Examples) {
    let mut dice = Dice::new(12345);
    (0..9).for_each(|_| _ = dice.roll());
    let link = match name {
        "counts" => Link::Poisson,
        "dense_squared" => Link::Squared,
        _ => Link::Logistic,
    };
    let features: usize = match name {
        "text" => 1 << 18,
        "clicks" => 1 << 16,
        "counts" => 300,
        _ => 50,
    };
    let sparse = features > 50;
    let planted: Vec<f64> =
        (0..features).map(|_| if dice.roll() < 0.3 || features == 50 { normal(&mut dice) } else { 0.0 }).collect();
    let mix: Vec<f64> = (0..8 * features.min(50)).map(|_| 0.35 * normal(&mut dice)).collect();
    let mut pairs: Vec<(u32, f64)> = Vec::new();
    let mut make = |count: usize, dice: &mut Dice| {
        let mut examples = Examples::default();
        for _ in 0..count {
            pairs.clear();
            match name {
                "text" => {
                    let nnz = 15 + (dice.roll() * 50.0) as usize;
                    for _ in 0..nnz {
                        let rank = (features as f64).powf(dice.roll()) as u32 - 1;
                        pairs.push((rank, (1.0 + 0.15 * f64::from(rank + 1).ln()) * (0.5 + dice.roll())));
                    }
                }
                "clicks" => {
                    for field in 0..20_u32 {
                        let size = 1 << (2 + field % 12);
                        let base = field * 3000;
                        pairs.push((base + f64::from(size).powf(dice.roll()) as u32 - 1, 1.0));
                    }
                }
                "counts" => {
                    for field in 0..15_u32 {
                        pairs.push((field * 20 + (20.0 * dice.roll() * dice.roll()) as u32, 1.0));
                    }
                }
                _ => {
                    let factors: [f64; 8] = std::array::from_fn(|_| normal(dice));
                    for j in 0..50_u32 {
                        let shared: f64 = factors.iter().enumerate().map(|(f, z)| z * mix[f * 50 + j as usize]).sum();
                        pairs.push((j, normal(dice) + shared + if j < 5 { 1.0 } else { 0.0 }));
                    }
                }
            }
            pairs.sort_by_key(|pair| pair.0);
            pairs.dedup_by_key(|pair| pair.0);
            if name == "text" {
                let norm = pairs.iter().map(|pair| pair.1 * pair.1).sum::<f64>().sqrt();
                pairs.iter_mut().for_each(|pair| pair.1 /= norm);
            }
            let score: f64 = pairs.iter().map(|&(j, x)| planted[j as usize] * x).sum();
            let label = match name {
                "text" => {
                    if dice.roll() < 1.0 / (1.0 + (-4.0 * score + 0.5).exp()) {
                        1.0
                    } else {
                        -1.0
                    }
                }
                "clicks" => {
                    if dice.roll() < 1.0 / (1.0 + (-0.6 * score + 2.5).exp()) {
                        1.0
                    } else {
                        -1.0
                    }
                }
                "counts" => {
                    let mean = (0.4 * score).exp();
                    let (mut count, mut left) = (0.0, -(1.0 - dice.roll()).ln());
                    while left < mean && count < 1e4 {
                        count += 1.0;
                        left -= (1.0 - dice.roll()).ln();
                    }
                    count
                }
                "dense_squared" => 3.0 * score + 8.0 * normal(dice) + 2.0,
                _ => {
                    if dice.roll() < 1.0 / (1.0 + (-0.25 * score).exp()) {
                        1.0
                    } else {
                        -1.0
                    }
                }
            };
            examples.push(label, pairs.iter().copied());
        }
        examples
    };
    let _ = sparse;
    let train = make(rows, &mut dice);
    let test = make(tests, &mut dice);
    (link, train, test)
}
