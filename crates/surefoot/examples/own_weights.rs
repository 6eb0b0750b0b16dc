//! Weights of one's own: which rounds count how much in the average that is the answer.
//!
//! A method that starts far from the answer, on a stream of noisy gradients. Uniform weights remember the start for
//! ever, weights t follow the latest rounds; a caller's own can say anything else, here "warm up, then uniform".
//!
//! Run with `cargo run -p surefoot --example own_weights`.

use surefoot::{Anytime, AskTell, Ball, Linear, OgdNorm, Point, Uniform, Weights};

/// Averaging weights α_t that rise to full weight: (t/warm)² in the first `warm` rounds t, 1 afterwards.
struct WarmUp {
    warm: f64,
}

impl Weights for WarmUp {
    fn weight(&self, step: u64) -> f64 {
        (step as f64 / self.warm).min(1.0).powi(2)
    }
}

/// The distance from the answer, 0.9 in each of two coordinates, after 3000 rounds.
fn run(weights: impl Weights) -> f64 {
    let mut method = Anytime::new(OgdNorm::<f64, _>::new(2, Ball::new(2.0)), weights);
    for t in 0..3000_u32 {
        let noise = if t % 3 == 0 { 2.0 } else { -1.0 };
        let gradient = [method.at(0) - 0.9 + noise, method.at(1) - 0.9 - noise];
        method.tell(&gradient);
    }
    let output = method.output();
    (output.at(0) - 0.9).hypot(output.at(1) - 0.9)
}

fn main() {
    println!("uniform         {:.5}", run(Uniform));
    println!("t               {:.5}", run(Linear));
    println!("warm-up         {:.5}", run(WarmUp { warm: 100.0 }));
    let wave = run(|t: u64| 1.5 + (t as f64 / 100.0).sin()); // any function of the round will do
    println!("a wave          {wave:.5}");
    assert!([run(Uniform), run(Linear), run(WarmUp { warm: 100.0 }), wave].iter().all(|gap| *gap < 0.2));
}
