//! A learner of one's own, from outside the crate, under the anytime conversion.
//!
//! The learner is coin betting, one coin a coordinate (Orabona and Pál 2016): it has no learning rate and no scale, and
//! needs gradients of size at most 1. The task is robust regression on a stream of sparse rows, with the absolute loss,
//! where that holds. Nothing tells the learner that the answer is about 3 and −40.
//!
//! Run with `cargo run -p surefoot --example own_learner`.

use surefoot::{Anytime, AskTell, Lazy, Learner, Point, Sparse, Uniform, Vector};

/// State of one coordinate: minus the sum of its gradients, their number, and the money won by betting.
#[derive(Clone, Copy)]
struct Coin {
    theta: f64,
    count: f64,
    wealth: f64,
}

impl Coin {
    /// The bet: a fraction of the wealth, by the mean of what the coin has shown so far.
    fn bet(&self) -> f64 {
        self.theta / (self.count + 1.0) * self.wealth
    }
}

struct CoinBetting(Vec<Coin>);

impl CoinBetting {
    fn new(dim: usize) -> Self {
        Self(vec![Coin { theta: 0.0, count: 0.0, wealth: 1.0 }; dim])
    }
}

impl Learner<f64> for CoinBetting {
    fn dim(&self) -> usize {
        self.0.len()
    }

    fn at(&self, i: usize) -> f64 {
        self.0[i].bet()
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }
}

/// Coordinates without a gradient do not move, so the conversion can be sparse: w = 0 + 1 · bets.
impl Lazy<f64> for CoinBetting {
    fn centre(&self, _: usize) -> f64 {
        0.0
    }

    fn scale(&self) -> f64 {
        1.0
    }

    fn direction(&self, i: usize) -> f64 {
        self.0[i].bet()
    }

    fn tell_moved<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        gradient.each(|i, g| {
            let (coin, g) = (&mut self.0[i], weight * g);
            moved(i, coin.bet());
            coin.wealth -= g * coin.bet();
            coin.theta -= g;
            coin.count += 1.0;
        });
    }
}

fn main() {
    let mut method = Anytime::new(CoinBetting::new(1000), Uniform);
    for t in 0..20_000_u32 {
        // Rows with one or two of a thousand features; labels with a small error that alternates, some far off.
        let noise = if t % 3 == 0 { 0.1 } else { -0.05 };
        let (indices, label) =
            if t % 2 == 0 { (vec![7_u32], 3.0 + noise) } else { (vec![7, 700 + t % 2], -37.0 + noise) };
        let label = if t % 50 == 49 { 1e6 } else { label };
        let values = vec![1.0; indices.len()];
        let row = Sparse::new(&indices, &values);
        let slope = (method.dot(&row) - label).signum();
        method.tell(&row.times(slope));
    }
    let found = [method.output().at(7), method.output().at(701), method.output().at(0)];
    println!("found {found:.2?}, the truth is about [3, -40, 0]");
    assert!((found[0] - 3.0).abs() < 0.5 && (found[1] + 40.0).abs() < 2.0 && found[2] == 0.0);
}
