//! Hints of one's own: a guess of the next gradient, from whatever one knows about where gradients come from.
//!
//! The prices of 24 hours repeat from day to day, nearly. Whoever guesses that an hour's gradient is what it was a day ago
//! pays for the difference alone; the last hour's gradient, the hint of Algorithm 3, is only a fair guess here. A bad
//! guess costs regret, but never the guarantee.
//!
//! Run with `cargo run -p surefoot --example own_hints`.

use surefoot::{Anytime, AskHintTell, AskTell, BoxDomain, DiagonalProximal, Learner, Point, Uniform};

/// Payment of an hour for a share x of each of two batteries: a wave over the day, a slow trend, a little noise, and wear.
fn gradient(hour: usize, x: [f64; 2]) -> [f64; 2] {
    let wave = 10.0 * (hour as f64 / 24.0 * std::f64::consts::TAU).sin();
    let noise = 0.2 * ((hour * 7919 % 13) as f64 / 6.0 - 1.0);
    [x[0] - 0.3 + wave + noise, x[1] + 0.2 - wave]
}

/// The distance from the best shares, (0.3, −0.2), and the bound on the regret, after 100 days.
fn run(guess: impl Fn(usize, &[[f64; 2]]) -> Option<[f64; 2]>) -> (f64, f64) {
    let mut method = Anytime::new(DiagonalProximal::<f64, _>::new(2, BoxDomain::cube(2, 1.0)), Uniform);
    let mut seen = Vec::new();
    for hour in 0..2400 {
        if let Some(hint) = guess(hour, &seen) {
            method.hint(&hint); // before the query point is asked for: it depends on the hint
        }
        seen.push(gradient(hour, [method.at(0), method.at(1)]));
        method.tell(&seen[hour]);
    }
    let output = method.output();
    ((output.at(0) - 0.3).hypot(output.at(1) + 0.2), method.learner().regret_bound().expect("a box"))
}

fn main() {
    let none = run(|_, _| None);
    let last = run(|_, seen| seen.last().copied());
    let yesterday = run(|hour, seen| hour.checked_sub(24).map(|before| seen[before]));
    println!("guess        off by   regret at most");
    for (name, (off, regret)) in [("none", none), ("last", last), ("yesterday", yesterday)] {
        println!("{name:10} {off:8.4} {regret:16.1}");
    }
    assert!(yesterday.1 < 0.5 * none.1 && yesterday.0 < none.0);
}
