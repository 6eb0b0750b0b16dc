//! Algorithms 2, 3 and 4, sketched outside the crate from its public traits, and held against their twins: the traits
//! carry curvature, hints, and an output point apart from the query point.

#[path = "sketches/accelerated.rs"]
mod accelerated;
mod common;
#[path = "sketches/leader.rs"]
mod leader;
#[path = "sketches/optimistic.rs"]
mod optimistic;

use accelerated::Accelerated;
use common::{Record, distance, size, wide};
use leader::{General, Leader};
use optimistic::Optimistic;
use surefoot::{Anytime, AskTell, Ball, Cuboid, DualAveraging, Learner, Linear, OgdNorm, Project, Whole};
use surefoot_oracle::conversions::{self, Round};
use surefoot_oracle::{Domain, learners as twins};

/// Nesterov's chain, as in `golden.rs`.
fn chain(x: &[f64]) -> Vec<f64> {
    let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
    let before = |i: usize| if i == 0 { 1.0 } else { x[i - 1] };
    (0..x.len()).map(|i| 0.25 * (2.0 * x[i] - at(i + 1) - before(i))).collect()
}

/// Plays recorded gradients (or, without a record, the chain's) and compares every round.
fn hold(mut method: impl AskTell<f64>, record: Option<&Record>, trace: &[Round]) {
    let most = trace.iter().map(|round| size(&round.output)).fold(0.0, f64::max);
    for (t, round) in (1..).zip(trace) {
        let query = wide(&method.query());
        assert!(distance(&query, &round.query) <= 1e-12 * most, "query of round {t}");
        match record {
            Some(record) => record.tell(&mut method, t),
            None => method.tell(&chain(&query)),
        }
        let error = distance(&wide(&method.output()), &round.output);
        assert!(error <= 1e-12 * most, "output of round {t} is off by {error:e}");
    }
    assert!(most > 0.0);
}

#[test]
fn algorithm_2() {
    let record = Record::sparse(41, 20, 2000, |_| 1.0);
    let cube = Domain::Cuboid(vec![-0.25; 20], vec![0.5; 20]);
    fn method<D: Project<f64>>(domain: D) -> impl AskTell<f64> {
        General::new(Leader::new(20, domain), 0.7, Linear)
    }
    let twin = |domain: &Domain| {
        conversions::strongly_convex(20, domain, 0.7, &|t| t as f64, record.len(), &mut |t, _| record.dense(t))
    };
    hold(method(Whole::new(1.0)), Some(&record), &twin(&Domain::Whole(1.0)));
    hold(method(Cuboid::new(vec![-0.25; 20], vec![0.5; 20])), Some(&record), &twin(&cube));
}

#[test]
fn algorithm_3() {
    let record = Record::sparse(42, 30, 4000, |_| 1.0);
    for domain in [Domain::Ball(vec![0.25; 30], 0.75), Domain::Ball(vec![0.25; 30], 50.0)] {
        let mut twin = twins::DualAveraging::new(30, domain.clone(), 0.0);
        let trace = conversions::optimistic(&mut twin, &|t| t as f64, record.len(), &mut |t, _| record.dense(t));
        let ball = Ball::around(vec![0.25; 30], domain.radius());
        hold(Optimistic::new(DualAveraging::new(30, ball), Linear), Some(&record), &trace);
    }
}

/// From an independent numpy program: anytime weights α_t = t with last-gradient hints and clipped dual averaging.
#[test]
fn algorithm_3_golden() {
    let mut method = Optimistic::new(DualAveraging::new(6, Ball::new(2.0)), Linear);
    for _ in 0..40 {
        let query = wide(&method.query());
        method.tell(&chain(&query));
    }
    let expected = [
        0.8493902324832103,
        0.700453645391374,
        0.554427036503989,
        0.4118425212512311,
        0.2724948865747228,
        0.13559600718844658,
    ];
    assert!(distance(&wide(&method.output()), &expected) < 1e-13);
}

/// A hint that comes true costs nothing: the regret bound stays what it was.
#[test]
fn exact_hints() {
    use surefoot::{Hinted, Sparse};
    let mut learner = DualAveraging::<f64, _>::new(3, Ball::new(1.0));
    learner.tell(1.0, &[1.0, 2.0, 0.0]);
    let bound = learner.regret_bound();
    for weight in [2.0, 3.0] {
        learner.hint(weight, &Sparse::new(&[1_u32, 2], &[3.0, -1.0]));
        learner.tell(weight, &Sparse::new(&[2_u32, 1], &[-1.0, 3.0]));
    }
    assert_eq!(learner.regret_bound(), bound);
}

#[test]
fn algorithm_4() {
    for (record, epsilon) in [(Some(Record::sparse(43, 20, 2000, |_| 1.0)), 0.0), (None, 0.0), (None, 1.0)] {
        let dim = record.as_ref().map_or(6, |record| record.dim);
        let mut twin = twins::Ogd::new(dim, Domain::Ball(vec![0.0; dim], 2.0));
        let gradient = &mut |t: u64, x: &[f64]| record.as_ref().map_or_else(|| chain(x), |record| record.dense(t));
        let trace = conversions::accelerated(&mut twin, 4.0, 2.0, epsilon, 400, gradient);
        let learner = OgdNorm::new(dim, Ball::new(2.0));
        hold(Accelerated::new(learner, 4.0, 2.0, epsilon), record.as_ref(), &trace);
    }
}

/// From an independent numpy program: Algorithm 4 over OGD-norm, ε² = 0 and 1.
#[test]
fn algorithm_4_golden() {
    let x = [
        0.8544923697900957,
        0.7095143127899648,
        0.5654880207295417,
        0.42264034180081594,
        0.2809653718918564,
        0.14022425294184743,
    ];
    let y = [
        0.8546892407621853,
        0.709868135236839,
        0.5659261749047767,
        0.4230763010986785,
        0.2813125347442863,
        0.14041639996059554,
    ];
    let y_one = [
        0.8551851885098036,
        0.7107559306552801,
        0.5670230600267245,
        0.4241615430888133,
        0.2821746698869075,
        0.1408915907443681,
    ];
    for (epsilon, y) in [(0.0, y), (1.0, y_one)] {
        let mut method = Accelerated::new(OgdNorm::new(6, Ball::new(2.0)), 4.0, 2.0, epsilon);
        for _ in 0..40 {
            let query = wide(&method.query());
            method.tell(&chain(&query));
            assert!(distance(&wide(&method.main()), &query) < 1e-14);
        }
        assert!(distance(&wide(&method.output()), &y) < 1e-13);
        assert!(epsilon > 0.0 || distance(&wide(&method.main()), &x) < 1e-13);
    }
}

/// Hints need not be gradients, nor have their nonzeros: what only the hint moves is reported too.
#[test]
fn hints_of_any_kind() {
    use surefoot::{Average, Lazy, LazyHinted, Sparse};
    use surefoot_oracle::Learner as Twin;
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

/// Algorithm 3 without hints would be Algorithm 1.
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
