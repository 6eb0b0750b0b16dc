//! Tests of gradient hints: how they are weighted, when they must come, and how much they help.

mod common;

use common::{Random, Record, chain, distance, size, wide};
use surefoot::{
    Anytime, AskHintTell, AskTell, Average, Ball, DenseAnytime, DualAveraging, Hinted, Lazy, LazyHinted, Learner,
    Linear, Optimistic, Point, Sparse, Uniform,
};
use surefoot_oracle::{Domain, Learner as Twin, conversions, learners as twins};

/// A hint that equals the gradient adds nothing to the regret bound.
#[test]
fn exact_hints() {
    let mut learner = DualAveraging::<f64, _>::new(3, Ball::new(1.0));
    learner.tell(1.0, &[1.0, 2.0, 0.0]);
    let bound = learner.regret_bound();
    for weight in [2.0, 3.0] {
        learner.hint(weight, &Sparse::new(&[1_u32, 2], &[3.0, -1.0]));
        learner.tell(weight, &Sparse::new(&[2_u32, 1], &[-1.0, 3.0]));
    }
    assert_eq!(learner.regret_bound(), bound);
}

/// With hints unrelated to the gradients, iterates agree with the reference implementation, and coordinates moved by a
/// hint alone are reported, so that sparse averages are exact.
#[test]
fn hints_of_any_kind() {
    let (gradients, hints) = (Record::sparse(45, 20, 1000, |_| 1.0), Record::sparse(46, 20, 1000, |_| 1.0));
    let mut learner = DualAveraging::<f64, _>::new(20, Ball::new(1.0));
    let mut twin = twins::DualAveraging::new(20, Domain::Ball(vec![0.0; 20], 1.0), 0.0);
    let (mut directions, mut sum) = (Average::new(20), vec![0.0; 20]);
    for t in 1..=1000 {
        let weight = t as f64;
        let sparse = |record: &Record| record.rows[t as usize - 1].clone();
        let ((hint_at, hint), (gradient_at, gradient)) = (sparse(&hints), sparse(&gradients));
        learner.hint_moved(weight, &Sparse::new(&hint_at, &hint), |i, old| directions.touch(i, old));
        directions.advance(weight * learner.scale());
        let hint: Vec<f64> = hints.dense(t).iter().map(|h| weight * h).collect();
        let iterate = twin.predict(Some(&hint));
        for i in 0..20 {
            sum[i] += weight * iterate[i];
            assert!((learner.at(i) - iterate[i]).abs() <= 1e-12);
            let total = directions.mass() * directions.at(i, learner.direction(i));
            assert!((total - sum[i]).abs() <= 1e-12 * weight * weight, "{total} {}", sum[i]);
        }
        learner.tell_moved(weight, &Sparse::new(&gradient_at, &gradient), |i, old| directions.touch(i, old));
        twin.update(&gradients.dense(t).iter().map(|g| weight * g).collect::<Vec<_>>());
    }
}

/// Algorithm 3 with last gradients as hints gives other points than Algorithm 1, which has none.
#[test]
fn hints_matter() {
    let record = Record::sparse(44, 20, 100, |_| 1.0);
    let learner = || DualAveraging::<f64, _>::new(20, Ball::new(1.0));
    let (mut with, mut without) = (Optimistic::new(learner(), Linear), Anytime::new(learner(), Linear));
    for t in 1..=100 {
        record.tell(&mut with, t);
        record.tell(&mut without, t);
    }
    assert!(distance(&wide(&with.output()), &wide(&without.output())) > 1e-3);
}

/// With hints from the caller in four of five rounds, sparse and dense queries agree with the reference implementation.
#[test]
fn hints_of_the_callers() {
    let (gradients, hints) = (Record::sparse(45, 20, 1000, |_| 1.0), Record::sparse(46, 20, 1000, |_| 1.0));
    let mut twin = twins::DualAveraging::new(20, Domain::Ball(vec![0.0; 20], 1.0), 0.0);
    // No hint in every fifth round.
    let mut hint = |t: u64, _: Option<&[f64]>| (t % 5 != 2).then(|| hints.dense(t));
    let trace = conversions::hinted(&mut twin, &|t| t as f64, &mut hint, 1000, &mut |t, _| gradients.dense(t));
    let learner = || DualAveraging::<f64, _>::new(20, Ball::new(1.0));
    let (mut sparse, mut dense) = (Anytime::new(learner(), Linear), DenseAnytime::new(learner(), Linear));
    for (t, round) in (1..).zip(&trace) {
        if t % 5 != 2 {
            let (indices, values) = &hints.rows[t as usize - 1];
            assert_eq!(sparse.next_weight(), t as f64);
            assert!(sparse.hint(&Sparse::new(indices, values)) && dense.hint(&Sparse::new(indices, values)));
            assert!(!sparse.hint(&[1.0; 20]) && !dense.hint(&[1.0; 20]), "one a round");
        }
        for query in [wide(&sparse.query()), wide(&dense.query())] {
            assert!(distance(&query, &round.query) <= 1e-12, "query of round {t}");
        }
        gradients.tell(&mut sparse, t);
        gradients.tell(&mut dense, t);
    }
}

/// Hints that are not finite, or outside of the dimension, are ignored: nothing changes and the status stays sound.
#[test]
fn hints_that_are_not_finite() {
    let learner = || DualAveraging::<f64, _>::new(2, Ball::new(1.0)).with_bound(1.0);
    let mut method = Anytime::new(learner(), Linear);
    let mut dense = DenseAnytime::new(learner(), Linear);
    method.tell(&[1.0, 0.5]);
    dense.tell(&[1.0, 0.5]);
    let before = format!("{method:?} {dense:?}");
    for hint in [[f64::NAN, 0.0], [0.0, f64::INFINITY], [f64::MAX, 0.0]] {
        assert!(!method.hint(&hint) && !dense.hint(&hint));
    }
    assert!(!method.hint(&[0.0, 0.0, 1.0]), "outside the dimension");
    assert_eq!(format!("{method:?} {dense:?}"), before);
    // The next weight may be too large for a gradient that was fine itself.
    let mut last = Optimistic::new(learner(), Linear);
    last.tell(&[last.method().learner().magnitude_budget(1.0) / 1.5, 0.0]);
    last.tell(&[1.0, 0.0]);
    assert_eq!((last.steps(), last.status()), (2, surefoot::Status::Sound));
    assert!(wide(&last.query()).iter().all(|x| x.is_finite()));
}

/// A hint holds for the next round only: skipping ten rounds after it equals ten single rounds with gradient 0.
#[test]
fn a_hint_before_a_rest() {
    let start = || {
        let mut method = Anytime::new(DualAveraging::<f64, _>::new(2, Ball::new(1.0)).with_bound(4.0), Linear);
        method.tell(&[1.0, 0.5]);
        assert!(method.hint(&[0.5, 2.0]));
        method
    };
    let (mut once, mut singly) = (start(), start());
    once.skip(10, (2..=11).sum::<u64>() as f64).expect("nothing but rest");
    (0..10).for_each(|_| singly.tell(&[0.0, 0.0]));
    assert_eq!(once.steps(), 11);
    assert!(distance(&wide(&once.output()), &wide(&singly.output())) < 1e-15);
    once.tell(&[0.0, 1.0]);
    singly.tell(&[0.0, 1.0]);
    assert!(distance(&wide(&once.query()), &wide(&singly.query())) < 1e-15);
}

/// Returns the scaled excess (L(x_T) − L*)·T²/R² on Nesterov's chain with 2T + 1 coordinates, where R is the distance
/// to the minimiser and `hint` computes the hint of a round from the gradients so far.
fn on_the_chain(rounds: usize, hint: impl Fn(&[Vec<f64>]) -> Vec<f64>) -> f64 {
    let k = 2 * rounds + 1;
    let solution: Vec<f64> = (1..=k).map(|i| 1.0 - i as f64 / (k + 1) as f64).collect();
    let radius = surefoot_oracle::vectors::norm(&solution);
    let mut method = Anytime::new(DualAveraging::new(k, Ball::new(radius)), Linear);
    let mut past = Vec::new();
    for _ in 0..rounds {
        method.hint(&hint(&past));
        past.push(chain(&wide(&method.query())));
        method.tell(past.last().expect("a gradient"));
    }
    let x = wide(&method.output());
    let ends = x[0] * x[0] + x[k - 1] * x[k - 1];
    let value = 0.25 * (0.5 * (ends + x.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum::<f64>()) - x[0]);
    let least = 0.125 * (1.0 / (k + 1) as f64 - 1.0);
    (value - least) * (rounds * rounds) as f64 / (radius * radius)
}

/// The last gradient as a hint gives a clearly lower excess than the last but one, that is, than a hint one round late.
#[test]
fn a_hint_one_round_late() {
    let back = |past: &[Vec<f64>], n: usize| past.len().checked_sub(n).map_or(Vec::new(), |i| past[i].clone());
    for rounds in [64, 256] {
        let in_time = on_the_chain(rounds, |past| back(past, 1));
        let late = on_the_chain(rounds, |past| back(past, 2));
        println!("{rounds}: {in_time} in time, {late} late");
        assert!(late > 1.5 * in_time, "{rounds}: {in_time} in time, {late} late");
    }
}

/// The factor by which hints are shrunk falls to almost 0 for gradients of pure noise, and stays large on a smooth
/// function.
#[test]
fn shrinkage() {
    let mut random = Random(3);
    let learner = || DualAveraging::<f64, _>::new(8, Ball::new(1.0));
    let mut noisy = Optimistic::new(learner(), Uniform).shrunk();
    let mut smooth = Optimistic::new(learner(), Linear).shrunk();
    assert_eq!(smooth.shrinkage(), 1.0);
    for _ in 0..2000 {
        noisy.tell(&(0..8).map(|_| random.normal()).collect::<Vec<_>>());
        let slope = chain(&wide(&smooth.query()));
        smooth.tell(&slope);
    }
    assert!(noisy.shrinkage() < 0.05, "{}", noisy.shrinkage());
    assert!(smooth.shrinkage() > 0.5, "{}", smooth.shrinkage());
    assert!(size(&wide(&smooth.output())) > 0.1 && smooth.output().at(0) > 0.5);
}
