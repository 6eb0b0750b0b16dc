//! A problem that is no linear model: the constant-rebalanced portfolio of the greatest growth, on the simplex.
//!
//! Maximise the mean of ln⟨x, r_t⟩ over portfolios x, r_t the price relatives of day t. The gradient of a batch is a
//! sum of ratios; the certificate says how far the portfolio is from the best one, without knowing it.
//!
//! Run with `cargo run -p surefoot --example portfolio`.

use surefoot::{AdaHedge, AskTell, DenseAnytime, Gradients, Linear, Point, Simplex};

const ASSETS: usize = 4;

/// Price relatives of a day: two that swing against each other, cash, and one that loses. In the long run only a mixture
/// of the swinging ones grows.
fn relatives(day: u32) -> [f64; ASSETS] {
    let (up, down) = if day.is_multiple_of(2) { (2.0, 0.5) } else { (0.5, 2.0) };
    let shock = 1.0 + 0.1 * f64::from(day % 7) / 7.0;
    [up * shock, down, 1.0, 0.98]
}

fn main() {
    let days: Vec<_> = (0..252).map(relatives).collect();
    let mut method = DenseAnytime::new(AdaHedge::<f64>::new(ASSETS), Linear).certified();
    for round in 1..=3000 {
        let mut gradient = [0.0; ASSETS];
        for day in &days {
            let growth = method.dot(day);
            (0..ASSETS).for_each(|i| gradient[i] -= day[i] / growth / days.len() as f64);
        }
        method.tell(&gradient);
        if round % 1000 == 0 {
            let found = method.certificate(&Simplex::new(ASSETS), Gradients::Exact).expect("a bounded domain");
            println!("{round} rounds: growth is within {:.1e} a day of the best", found.value);
        }
    }
    let mut portfolio = [0.0; ASSETS];
    method.output().write(&mut portfolio);
    println!("portfolio {portfolio:.4?}");
    assert!((portfolio[0] - 0.5).abs() < 0.05 && portfolio[2] + portfolio[3] < 0.01);
}
