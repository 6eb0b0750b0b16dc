//! Test of the boundary for sums of noise (an upper bound with probability 1 − δ at all times) on coin tosses.

use surefoot::certificate::boundary;

use crate::{Claim, Form, Random, Reading, Row};

const DELTA: f64 = 0.1;

/// Coin with mean 0: ±1 with equal probability; or −1 with probability 2 % and otherwise 0.02/0.98, times `sign`.
#[derive(Clone, Copy)]
enum Coin {
    Fair,
    Skewed { sign: f64 },
}

impl Coin {
    fn toss(self, random: &mut Random) -> f64 {
        match self {
            Self::Fair => random.sign(0.5),
            Self::Skewed { sign } => sign * if random.unit() < 0.02 { -1.0 } else { 0.02 / 0.98 },
        }
    }
}

/// Builds a row of the experiment that measures the sum of coin tosses weighted by their position t, at the step where it comes closest to
/// its bound `level`.
fn row(label: &str, form: Form, coin: Coin, level: fn(f64, f64) -> f64) -> Row {
    let trial = move |axis: &[f64], mut random: Random| {
        let (mut sum, mut squares, mut step) = (0.0, 0.0_f64, 0.0);
        let mut reading = |x: &f64| {
            let mut nearest = Reading::of(f64::NEG_INFINITY).under(1.0);
            while step < *x {
                step += 1.0;
                let toss = step * coin.toss(&mut random);
                sum += toss;
                squares += toss * toss;
                if step < 30.0 || step % 5.0 == 0.0 {
                    let bound = level(squares.sqrt(), step);
                    if sum / bound >= nearest.measured / nearest.bound {
                        nearest = Reading::of(sum).under(bound);
                    }
                }
            }
            nearest
        };
        axis.iter().map(&mut reading).collect()
    };
    let axis = form.pick(&[10.0, 100.0, 500.0][..], &[10.0, 100.0, 500.0, 1500.0]);
    Row::path(label, axis, trial).seeds(form.pick(400, 4000)).claim(Claim::Coverage { delta: DELTA })
}

pub(super) fn rows(form: Form) -> Vec<Row> {
    let right = |deviation, range| boundary(deviation, range, 1.0, DELTA);
    // The normal quantile for a single time fixed beforehand.
    let fixed = |deviation: f64, _| 1.2816 * deviation;
    vec![
        row("boundary, fair coin", form, Coin::Fair, right),
        row("boundary, coin of 2 %", form, Coin::Skewed { sign: 1.0 }, right),
        row("boundary, coin of 2 %, other side", form, Coin::Skewed { sign: -1.0 }, right),
        row("boundary for one time only, fair coin", form, Coin::Fair, fixed).planted(),
    ]
}
