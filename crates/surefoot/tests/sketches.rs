//! Tests that the sketched bound on the largest eigenvalue of gradient noise is never below the true eigenvalue, and not far
//! above it.

mod common;

use common::Random;
use surefoot::certificate::{Operator, Sketch};
use surefoot::{Sparse, Squares};
use surefoot_oracle::vectors::{norm, times};

/// Returns sequences of noise vectors by name: isotropic, in three directions, of decreasing variance by coordinate, growing
/// over time, one coordinate at a time, and with a nonzero mean.
fn noises(dim: usize, count: usize) -> Vec<(&'static str, Vec<Vec<f64>>)> {
    let mut random = Random(70);
    let few: Vec<Vec<f64>> = (0..3).map(|_| (0..dim).map(|_| random.normal()).collect()).collect();
    let mut make = |one: &mut dyn FnMut(usize, &mut Random) -> Vec<f64>| -> Vec<Vec<f64>> {
        (0..count).map(|t| one(t, &mut random)).collect()
    };
    vec![
        ("alike", make(&mut |_, random| (0..dim).map(|_| random.normal()).collect())),
        ("few directions", make(&mut |t, random| times(random.normal(), &few[t % 3]))),
        ("falling", make(&mut |_, random| (0..dim).map(|i| random.normal() / (1.0 + i as f64)).collect())),
        ("growing", make(&mut |t, random| (0..dim).map(|_| 1.1_f64.powi(t as i32) * random.normal()).collect())),
        ("one by one", make(&mut |t, _| (0..dim).map(|i| if i == t % dim { 1.0 } else { 0.0 }).collect())),
        ("with a mean", make(&mut |_, random| (0..dim).map(|_| 1.0 + random.normal()).collect())),
    ]
}

/// At any time the sketch's bound lies between λ_max and λ_max plus its guaranteed error, (trace minus its k largest
/// eigenvalues)/(ℓ − k) with ℓ directions kept, checked for k = 0 and 1.
#[test]
fn a_sketch_is_between_the_norm_and_what_it_may_lose() {
    const DIM: usize = 40;
    for (name, rows) in noises(DIM, 300) {
        for directions in [1, 2, 5, 16, 40] {
            let (mut exact, mut sketch) = (Operator::new(DIM), Sketch::new(DIM, directions));
            let mut lengths = Squares::default();
            for (t, row) in rows.iter().enumerate() {
                exact.record(0.5, row, |i| row[i]);
                sketch.record(0.5, row, |i| row[i]);
                lengths.add(0.5 * norm(row));
                if t % 37 == 5 || t + 1 == rows.len() {
                    // Both begin with the same √Σ⟨g, w⟩². The exact one is up to 1.0011 times too large.
                    let [most, rough] =
                        [exact.deviation(1.0) - exact.deviation(0.0), sketch.deviation(1.0) - sketch.deviation(0.0)]
                            .map(|root| root * root);
                    let (trace, share) = (lengths.root().powi(2), directions as f64);
                    let mut may_lose = trace / share;
                    if directions > 1 {
                        may_lose = may_lose.min((trace - most / 1.0012).max(0.0) / (share - 1.0));
                    }
                    assert!(rough >= most / 1.0012, "{name}, {directions}, {t}: {rough} {most}");
                    assert!(
                        rough <= 1.0012 * (most + may_lose),
                        "{name}, {directions}, {t}: {rough} {most} {may_lose}"
                    );
                    let all = directions == DIM || (name == "few directions" && directions > 3);
                    assert!(!all || rough <= 1.0012 * most, "{name}, {directions}, {t}: nothing is to be lost");
                }
            }
        }
    }
}

/// In 1500 dimensions a sketch of 32 directions bounds the summed squared noise at least 25 times below the sum of squared
/// norms, on sparse rows, and equally well at scales whose squares under- or overflow.
#[test]
fn many_dimensions_at_any_scale() {
    const DIM: usize = 1500;
    let of = |scale: f64| {
        let (mut sketch, mut random) = (Sketch::new(DIM, 32), Random(71));
        let mut lengths = Squares::default();
        for t in 0..800_usize {
            let indices = [0, 1, 2].map(|k| 500 * k + (7 * t + 13 * k * t) % 500);
            let values = [0, 1, 2].map(|_| scale * random.normal());
            sketch.record(1.0, &Sparse::new(&indices, &values), |_| 0.0);
            lengths.add(norm(&times(1.0 / scale, &values)));
        }
        (sketch.deviation(1.0) / scale, lengths.root())
    };
    let (deviation, lengths) = of(1.0);
    assert!(deviation < lengths / 5.0, "{deviation} {lengths}");
    for power in [-900, 300] {
        assert_eq!(of(2_f64.powi(power)), (deviation, lengths), "2^{power}");
    }
}

#[test]
fn a_sketch_by_hand() {
    let mut sketch = Sketch::new(2, 1);
    assert_eq!((sketch.deviation(5.0), sketch.directions()), (0.0, 1));
    sketch.record(0.5, &[4.0, 0.0], |i| [3.0, 9.0][i]);
    sketch.record(1.0, &[0.0, 1.0], |_| 0.0);
    assert!((sketch.deviation(0.0) - 6.0).abs() < 1e-15);
    assert!((sketch.deviation(1.0) - 8.0).abs() < 3e-3);
    // The third row makes room for itself: of eigenvalues 4 and 1 there remain 3 and 0, and 1 was lost.
    sketch.record(1.0, &[0.0, 1.0], |_| 0.0);
    assert!((sketch.deviation(1.0) - 8.0).abs() < 3e-3); // √(3 + 1)
    sketch.record(1.0, &[0.0, 2.0], |_| 0.0);
    // Of 3 and 1 there remain 2 and 0, and 2 were lost; then there is 4 beside 2.
    assert!((sketch.deviation(1.0) - 6.0 - 6_f64.sqrt()).abs() < 3e-3, "{}", sketch.deviation(1.0));
}
