//! A domain of one's own: rising sequences between 0 and 1, for the curve of a probability that can only grow.
//!
//! All that a domain needs is a centre, a reach, the support function, and for learners that project a projection. Here
//! the projection is isotonic regression by pooling neighbours, and the support function a maximum over suffixes. With
//! both come the learner's regret bound and a certificate for the answer.
//!
//! Run with `cargo run -p surefoot --example own_domain`.

use surefoot::{AskTell, DenseAnytime, Descent, Domain, Gradients, Linear, Point, Project};

/// 0 ≤ x_1 ≤ … ≤ x_d ≤ 1. Its corners are steps from 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Rising(usize);

impl Domain<f64> for Rising {
    fn centre(&self, _: usize) -> f64 {
        0.5
    }

    fn reach(&self) -> f64 {
        (self.0 as f64).sqrt() / 2.0
    }

    fn bounded(&self) -> bool {
        true
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let mut suffix = 0.0;
        (0..dim).rev().fold(0.0, |most: f64, i| {
            suffix += z(i);
            most.max(suffix)
        })
    }
}

impl Project<f64> for Rising {
    /// Pools neighbours that fall, then clips. The pools live in `x` itself: the mean at the start of each, its length
    /// told by how far the same mean goes on.
    fn project(&self, x: &mut [f64]) {
        for end in 0..x.len() {
            let (mut start, mut mean) = (end, x[end]);
            while start > 0 && x[start - 1] > mean {
                let level = x[start - 1];
                let first = x[..start].iter().rposition(|x| *x != level).map_or(0, |i| i + 1);
                let (old, new) = ((start - first) as f64, (end + 1 - start) as f64);
                mean = (level * old + mean * new) / (old + new);
                start = first;
            }
            x[start..=end].fill(mean);
        }
        x.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0));
    }
}

fn main() {
    // How often something was seen at each of 12 doses, out of 30 trials: the frequencies do not always rise.
    let seen = [1.0, 0.0, 4.0, 2.0, 9.0, 7.0, 15.0, 18.0, 17.0, 26.0, 25.0, 29.0];
    let mut method = DenseAnytime::new(Descent::new(seen.len(), Rising(seen.len())), Linear).certified();
    for _ in 0..20_000 {
        let mut curve = [0.0; 12];
        method.write(&mut curve);
        let gradient: Vec<f64> = (0..12).map(|i| 2.0 * (curve[i] - seen[i] / 30.0)).collect();
        method.tell(&gradient);
    }
    let found = method.certificate(&Rising(12), Gradients::Exact).expect("a bounded domain");
    let mut curve = [0.0; 12];
    method.output().write(&mut curve);
    println!("curve {curve:.3?}\nwithin {:.1e} of the best", found.value);

    let mut truth = seen.map(|s| s / 30.0);
    Rising(12).project(&mut truth); // for squares the projection is the answer
    assert!(found.value < 1e-4 && curve.iter().zip(&truth).all(|(x, y)| (x - y).abs() < 0.01));
}
