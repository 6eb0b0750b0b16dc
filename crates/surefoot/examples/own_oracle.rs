//! An oracle of one's own: where to put a depot so that the mean distance to its customers is least, counted robustly.
//!
//! The library never calls the caller: one asks for the query point, does whatever it takes to find a subgradient there
//! (a simulation, another machine, a person), and tells it. Here it is a sample of customers, some of them wrong by a
//! mile, and a distance that is not even differentiable. FreeGrad is told nothing of how far away the answer is.
//!
//! Run with `cargo run -p surefoot --example own_oracle`.

use surefoot::{Anytime, AskTell, FreeGrad, Point, Uniform, WholeSpace};

/// Draws customers; a small linear congruential generator will do.
struct City {
    state: u64,
}

impl City {
    fn unit(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Around (300, −40), one in ten anywhere.
    fn customer(&mut self) -> [f64; 2] {
        let spread = if self.unit() < 0.1 { 10_000.0 } else { 20.0 };
        [300.0, -40.0].map(|middle| middle + spread * (self.unit() - 0.5))
    }

    /// A stochastic subgradient of the mean distance at `depot`: unit vectors, averaged over a batch of customers.
    fn subgradient(&mut self, depot: [f64; 2]) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for _ in 0..16 {
            let customer = self.customer();
            let away = [depot[0] - customer[0], depot[1] - customer[1]];
            let distance = away[0].hypot(away[1]);
            if distance > 0.0 {
                (0..2).for_each(|i| sum[i] += away[i] / distance / 16.0);
            }
        }
        sum
    }
}

fn main() {
    let mut city = City { state: 1 };
    let mut method = Anytime::new(FreeGrad::<f64, _>::new(2, WholeSpace::new(1.0)), Uniform);
    for _ in 0..20_000 {
        let depot = [method.at(0), method.at(1)]; // ask
        let gradient = city.subgradient(depot); // whatever it takes
        method.tell(&gradient); // tell
    }
    let depot = [method.output().at(0), method.output().at(1)];
    println!("depot at {depot:.2?}; the middle of the city is [300, -40]");
    assert!((depot[0] - 300.0).abs() < 5.0 && (depot[1] + 40.0).abs() < 5.0);
}
