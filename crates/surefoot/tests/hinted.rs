//! Tests of optimistic learners with hints whose nonzeros differ from those of the gradients, in some rounds only,
//! against the reference implementations.

mod common;

use common::{Record, chain, distance, wide};
use surefoot::{
    AdaHedge, AskTell, Average, Ball, BoxDomain, DiagonalProximal, DualAveraging, Hedge, Hinted, LazyHinted, Linear,
    Optimistic, PNorm, Proximal, SignedHedge, Simplex, Sparse,
};
use surefoot_oracle::vectors::times;
use surefoot_oracle::{Domain, Learner as Twin, experts, learners, proximal};

const DIM: usize = 20;

/// Returns two independent records of sparse vectors: the gradients and the hints.
fn records() -> (Record, Record) {
    (Record::sparse(45, DIM, 1000, |_| 1.0), Record::sparse(46, DIM, 1000, |_| 1.0))
}

fn hold<L: Hinted<f64>>(name: &str, mut learner: L, mut twin: impl Twin) {
    let (gradients, hints) = records();
    for t in 1..=gradients.len() {
        let weight = (t % 7) as f64 + 0.5;
        let hinted = t % 3 > 0;
        if hinted {
            let (indices, values) = &hints.rows[t as usize - 1];
            learner.hint(weight, &Sparse::new(indices, values));
        }
        let hint = times(weight, &hints.dense(t));
        let expected = twin.predict(hinted.then_some(&*hint));
        let iterate: Vec<f64> = (0..DIM).map(|i| learner.at(i)).collect();
        let error = distance(&iterate, &expected);
        assert!(error <= 1e-12, "{name}: round {t} is off by {error:e}");
        let (indices, values) = &gradients.rows[t as usize - 1];
        learner.tell(weight, &Sparse::new(indices, values));
        twin.update(&times(weight, &gradients.dense(t)));
    }
}

#[test]
fn hints_agree_with_the_twins() {
    let ball = Domain::Ball(vec![0.25; DIM], 0.75);
    let core_ball = || Ball::around(vec![0.25; DIM], 0.75);
    let cuboid = Domain::BoxDomain(vec![-0.5; DIM], vec![1.0; DIM]);
    let core_cuboid = || BoxDomain::new(vec![-0.5; DIM], vec![1.0; DIM]);
    let simplex = Domain::Simplex(DIM);
    let dual = learners::DualAveraging::new(DIM, ball.clone(), 0.0);
    hold("dual averaging", DualAveraging::new(DIM, core_ball()), dual);
    hold("proximal, ball", Proximal::new(DIM, core_ball()), proximal::Proximal::new(DIM, ball));
    hold("proximal, box", Proximal::new(DIM, core_cuboid()), proximal::Proximal::new(DIM, cuboid.clone()));
    hold("proximal, simplex", Proximal::new(DIM, Simplex::new(DIM)), proximal::Proximal::new(DIM, simplex));
    let diagonal = proximal::DiagonalProximal::new(&cuboid);
    hold("diagonal proximal", DiagonalProximal::new(DIM, core_cuboid()), diagonal);
    hold("hedge", Hedge::new(DIM), experts::Hedge::new(DIM, 0.0));
    hold("adahedge", AdaHedge::new(DIM), experts::AdaHedge::new(DIM));
    hold("signed hedge", SignedHedge::new(DIM, 1.5), experts::SignedHedge::new(DIM, 1.5));
    hold("p-norm", PNorm::new(DIM, 1.5), experts::PNorm::new(DIM, 1.5));
}

/// Checks that a lazy learner reports all coordinates moved by a hint alone, so that the sparse weighted average of its
/// iterates is exact.
fn averages<L: LazyHinted<f64>>(name: &str, mut learner: L) {
    let (gradients, hints) = records();
    let (mut directions, mut sum, mut total) = (Average::new(DIM), vec![0.0; DIM], 0.0);
    for t in 1..=gradients.len() {
        let weight = t as f64;
        let ((hint_at, hint), (gradient_at, gradient)) = (&hints.rows[t as usize - 1], &gradients.rows[t as usize - 1]);
        learner.hint_moved(weight, &Sparse::new(hint_at, hint), |i, old| directions.touch(i, old));
        directions.advance(weight * learner.scale());
        total += weight;
        for (i, sum) in sum.iter_mut().enumerate() {
            *sum += weight * learner.at(i);
            let lazy = learner.centre(i) * total + directions.mass() * directions.at(i, learner.direction(i));
            assert!((lazy - *sum).abs() <= 1e-12 * total, "{name}: {lazy} {sum} in round {t}");
        }
        learner.tell_moved(weight, &Sparse::new(gradient_at, gradient), |i, old| directions.touch(i, old));
    }
}

#[test]
fn averages_follow_hints() {
    averages("dual averaging", DualAveraging::new(DIM, Ball::around(vec![0.25; DIM], 0.75)));
    averages("diagonal proximal", DiagonalProximal::new(DIM, BoxDomain::new(vec![-0.5; DIM], vec![1.0; DIM])));
}

/// The scaled excess gap·T²/R² of Algorithm 3 over [`Proximal`] on Nesterov's chain with 2T + 1 coordinates equals, to
/// three digits, that of an independent numpy program.
#[test]
fn acceleration_on_the_chain() {
    for (rounds, expected) in [(16, 0.220), (32, 0.255), (64, 0.270), (128, 0.276), (256, 0.278), (512, 0.279)] {
        let links = 2 * rounds + 1;
        let solution = |i: usize| 1.0 - (i + 1) as f64 / (links + 1) as f64;
        let radius = (0..links).map(|i| solution(i).powi(2)).sum::<f64>().sqrt();
        let mut method = Optimistic::dense(Proximal::<f64, _>::new(links, Ball::new(radius)), Linear);
        for _ in 0..rounds {
            let query = wide(&method.query());
            method.tell(&chain(&query));
        }
        let x = wide(&method.output());
        let away: Vec<f64> = (0..links).map(|i| x[i] - solution(i)).collect();
        // Twice the excess is the form of the second difference at x − x*, a quarter of it.
        let mut form = away[0].powi(2) + away[links - 1].powi(2);
        form += away.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>();
        let figure = form / 8.0 * (rounds * rounds) as f64 / radius.powi(2);
        assert!((figure - expected).abs() <= 6e-4, "T = {rounds}: {figure}");
    }
}
