//! Tests that runs reproduce the numbers of independently written, dense numpy programs of the same algorithms, on
//! Nesterov's chain (the worst-case quadratic) in 6 dimensions after 40 rounds.

mod common;

use common::{chain, distance, wide};
use surefoot::{
    Accelerated, Anytime, AskTell, Ball, DualAveraging, Lazy, Linear, OgdNorm, Optimistic, Uniform, Weights,
};

/// Runs 40 rounds on Nesterov's chain and returns the query point and the iterate of round 40, and Σ α_t⟨g_t, w_t⟩ over
/// all rounds.
fn play<L: Lazy<f64>>(learner: L, weights: impl Weights) -> (Vec<f64>, Vec<f64>, f64) {
    let mut method = Anytime::new(learner, weights).certified();
    let mut last = (Vec::new(), Vec::new());
    for _ in 0..40 {
        last = (wide(&method.query()), (0..6).map(|i| method.learner().at(i)).collect());
        method.tell(&chain(&last.0));
    }
    (last.0, last.1, method.ledger().expect("sums are kept").linear())
}

#[track_caller]
fn near(got: &[f64], expected: [f64; 6]) {
    assert!(distance(got, &expected) < 1e-13, "{got:?}");
}

#[test]
fn ogd_with_weights_t() {
    let (x, w, linear) = play(OgdNorm::new(6, Ball::new(2.0)), Linear);
    near(
        &x,
        [
            0.8506094240296138,
            0.7178408151893887,
            0.5684734677205564,
            0.43742763313207494,
            0.29355224864183205,
            0.13795494203062725,
        ],
    );
    near(
        &w,
        [
            0.6483178415087987,
            0.7986811166500619,
            0.4445930868324482,
            0.4323381896056132,
            0.22937430580656903,
            0.09063229204378834,
        ],
    );
    assert!((linear - 8.320925608876852).abs() < 1e-12);
}

#[test]
fn ogd_where_the_ball_binds() {
    let (x, w, linear) = play(OgdNorm::new(6, Ball::new(0.5)), Uniform);
    near(
        &x,
        [
            0.4385343999661717,
            0.18898386813197343,
            0.07890733723700376,
            0.03121612305104343,
            0.011113683409708638,
            0.003179069386372138,
        ],
    );
    near(
        &w,
        [
            0.4472638297399472,
            0.20014629772736753,
            0.08927585784521276,
            0.039630437589536896,
            0.01763916185998918,
            0.0066809957134951045,
        ],
    );
    assert!((linear + 1.7751433956523424).abs() < 1e-12);
}

#[test]
fn dual_averaging_with_clipping() {
    let (x, w, _) = play(DualAveraging::new(6, Ball::new(2.0)), Linear);
    near(
        &x,
        [
            0.8552370782836495,
            0.7039994855275623,
            0.5546511841576005,
            0.41122071703376106,
            0.27249641428542387,
            0.1351851837838234,
        ],
    );
    near(
        &w,
        [
            0.921304839596739,
            0.7263904324124315,
            0.5672974122637218,
            0.3904154534915703,
            0.22040034941463524,
            0.10788165686576402,
        ],
    );
}

#[test]
fn dual_averaging_with_a_known_bound() {
    let (x, _, _) = play(DualAveraging::new(6, Ball::new(2.0)).with_bound(24.0), Linear);
    near(
        &x,
        [
            0.8114165798396117,
            0.6239263451275827,
            0.4549291116799926,
            0.28918179504989167,
            0.13881597831170475,
            0.04571934979832029,
        ],
    );
}

/// Algorithm 3 with weights α_t = t, last gradients as hints and clipped dual averaging reproduces the numpy program.
#[test]
fn algorithm_3() {
    let mut method = Optimistic::new(DualAveraging::<f64, _>::new(6, Ball::new(2.0)), Linear);
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

/// Algorithm 4 over norm-adaptive gradient descent reproduces the numpy program, for ε = 0 and ε = 1 in its learning
/// rate.
#[test]
fn algorithm_4() {
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
        let mut method = Accelerated::new(OgdNorm::<f64, _>::new(6, Ball::new(2.0)), 4.0).with_epsilon(epsilon);
        for _ in 0..40 {
            let query = wide(&method.query());
            method.tell(&chain(&query));
            assert!(distance(&wide(&method.main()), &query) < 1e-14);
        }
        assert!(distance(&wide(&method.output()), &y) < 1e-13);
        assert!(epsilon > 0.0 || distance(&wide(&method.main()), &x) < 1e-13);
    }
}
