//! Large generated sets.

use super::lanes::{Examples, Link};
use crate::Dice;

/// Names of the generated sets.
///
/// | set | rows |
/// | --- | --- |
/// | text | 2^18 features by Zipf's law, about 33 in a row of length 1; two classes |
/// | clicks | 20 categories with 4 to 8192 levels; a rare class |
/// | dense | 50 correlated columns; two classes |
/// | dense_squared | the same columns; numbers |
/// | counts | 15 categories with 20 levels; counts |
pub const SYNTHETIC: [&str; 5] = ["text", "clicks", "dense", "dense_squared", "counts"];

const TEXT: usize = 1 << 18;
const COLUMNS: usize = 50;
const FACTORS: usize = 8;

fn normal(dice: &mut Dice) -> f64 {
    let (u, v) = (1.0 - dice.roll(), dice.roll());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Generates the training and test rows of a set of [`SYNTHETIC`].
#[must_use]
pub fn synthetic(name: &str, rows: usize, tests: usize) -> (Link, Examples, Examples) {
    let mut dice = Dice::new(12_345);
    (0..9).for_each(|_| _ = dice.roll());
    let maker = Maker::new(name, &mut dice);
    let link = match name {
        "counts" => Link::Poisson,
        "dense_squared" => Link::Squared,
        _ => Link::Logistic,
    };
    let (train, test) = (maker.rows(rows, &mut dice), maker.rows(tests, &mut dice));
    (link, train, test)
}

/// Distribution of the rows of a set.
struct Maker<'a> {
    name: &'a str,
    /// True weight of each feature.
    weights: Vec<f64>,
    /// Weights of the factors in the columns of dense sets.
    mix: Vec<f64>,
}

impl Maker<'_> {
    fn new<'a>(name: &'a str, dice: &mut Dice) -> Maker<'a> {
        let (features, informative) = match name {
            "text" => (TEXT, 0.3),
            "clicks" => (1 << 16, 0.3),
            "counts" => (300, 0.3),
            _ => (COLUMNS, 1.0),
        };
        let weights = (0..features).map(|_| if dice.roll() < informative { normal(dice) } else { 0.0 }).collect();
        let mix = (0..FACTORS * COLUMNS).map(|_| 0.35 * normal(dice)).collect();
        Maker { name, weights, mix }
    }

    fn rows(&self, count: usize, dice: &mut Dice) -> Examples {
        let (mut rows, mut pairs) = (Examples::default(), Vec::new());
        for _ in 0..count {
            pairs.clear();
            self.put_features(dice, &mut pairs);
            pairs.sort_by_key(|pair| pair.0);
            pairs.dedup_by_key(|pair| pair.0);
            if self.name == "text" {
                let norm = pairs.iter().map(|pair| pair.1 * pair.1).sum::<f64>().sqrt();
                pairs.iter_mut().for_each(|pair| pair.1 /= norm);
            }
            let score = pairs.iter().map(|&(j, x)| self.weights[j as usize] * x).sum();
            rows.push(self.label(score, dice), pairs.iter().copied());
        }
        rows
    }

    fn put_features(&self, dice: &mut Dice, pairs: &mut Vec<(u32, f64)>) {
        match self.name {
            "text" => {
                for _ in 0..15 + (50.0 * dice.roll()) as usize {
                    // The rank is log-uniform, as in Zipf's law.
                    let rank = (TEXT as f64).powf(dice.roll()) as u32 - 1;
                    pairs.push((rank, (1.0 + 0.15 * f64::from(rank + 1).ln()) * (0.5 + dice.roll())));
                }
            }
            "clicks" => pairs.extend((0..20).map(|field| {
                let levels = f64::from(1 << (2 + field % 12));
                (field * 3000 + levels.powf(dice.roll()) as u32 - 1, 1.0)
            })),
            "counts" => {
                pairs.extend((0..15).map(|field| (field * 20 + (20.0 * dice.roll() * dice.roll()) as u32, 1.0)));
            }
            _ => {
                let factors: [f64; FACTORS] = std::array::from_fn(|_| normal(dice));
                pairs.extend((0..COLUMNS).map(|j| {
                    let shared = factors.iter().enumerate().map(|(f, z)| z * self.mix[f * COLUMNS + j]);
                    (j as u32, shared.sum::<f64>() + normal(dice) + f64::from(j < 5))
                }));
            }
        }
    }

    fn label(&self, score: f64, dice: &mut Dice) -> f64 {
        let mut class = |margin: f64| if dice.roll() < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 };
        match self.name {
            "text" => class(4.0 * score - 0.5),
            "clicks" => class(0.6 * score - 2.5),
            "dense" => class(0.25 * score),
            "counts" => poisson((0.4 * score).exp(), dice),
            _ => 3.0 * score + 8.0 * normal(dice) + 2.0,
        }
    }
}

/// Draws a count with the given mean: the number of events before the waiting times add up to it.
fn poisson(mean: f64, dice: &mut Dice) -> f64 {
    let (mut count, mut left) = (0.0, -(1.0 - dice.roll()).ln());
    while left < mean && count < 1e4 {
        count += 1.0;
        left -= (1.0 - dice.roll()).ln();
    }
    count
}
