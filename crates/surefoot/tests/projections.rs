//! Tests that projections onto the simplex and the L1 ball agree with a reference implementation that sorts, and
//! satisfy the optimality condition of a projection.

mod common;

use common::{Random, distance, size};
use surefoot::{Ball, BoxDomain, L1Ball, Project, Simplex};
use surefoot_oracle::Domain;
use surefoot_oracle::vectors::{dot, plus};

/// Returns test points inside and outside of the domains: with ties and zeros, huge, tiny, and with coordinates of very
/// different sizes.
fn points(dim: usize) -> Vec<Vec<f64>> {
    let mut random = Random(dim as u64);
    let mut all = vec![vec![0.0; dim], vec![1.0 / dim as f64; dim], vec![7.0; dim], vec![-3.0; dim]];
    for scale in [1e-3, 0.1, 1.0, 10.0, 1e6] {
        for _ in 0..20 {
            all.push((0..dim).map(|_| scale * random.normal()).collect());
            all.push((0..dim).map(|_| (scale * random.normal()).round()).collect());
            all.push((0..dim).map(|_| random.normal() * scale.powf(random.unit())).collect());
        }
    }
    all.push((0..dim).map(|i| -(1.5_f64.powi(i as i32))).collect()); // the hardest for dropping coordinates one by one
    all
}

/// Checks the condition for p in D to be the projection of x: ⟨x − p, v − p⟩ ≤ 0 for all v in D, that is h_D(x − p) ≤
/// ⟨x − p, p⟩ with the support function h_D.
fn nearest(x: &[f64], p: &[f64], domain: &Domain) {
    let away = plus(x, -1.0, p);
    let scale = size(x).max(1.0) * p.iter().map(|p| p.abs()).sum::<f64>();
    let excess = domain.support(&away) - dot(&away, p);
    assert!(excess <= 1e-14 * scale, "{x:?} to {p:?}: {excess:e}");
}

#[test]
fn onto_the_simplex() {
    for dim in [1, 2, 3, 10, 100] {
        for x in points(dim) {
            let mut p = x.clone();
            Simplex::new(dim).project(&mut p);
            assert!((p.iter().sum::<f64>() - 1.0).abs() <= 1e-14 && p.iter().all(|p| *p >= 0.0), "{x:?} to {p:?}");
            nearest(&x, &p, &Domain::Simplex(dim));
            // The twin subtracts a level as large as x.
            assert!(distance(&p, &Domain::Simplex(dim).project(&x)) <= 1e-15 * size(&x).max(10.0), "{x:?} to {p:?}");
        }
    }
}

#[test]
fn onto_the_l1_ball() {
    for dim in [1, 2, 3, 10, 100] {
        for x in points(dim) {
            let (mut p, domain) = (x.clone(), Domain::L1(2.5));
            L1Ball::new(2.5).project(&mut p);
            assert!(p.iter().map(|p| p.abs()).sum::<f64>() <= 2.5 * (1.0 + 1e-15 * dim as f64), "{x:?} to {p:?}");
            nearest(&x, &p, &domain);
            assert!(distance(&p, &domain.project(&x)) <= 1e-15 * size(&x).max(10.0), "{x:?} to {p:?}");
            let mut again = p.clone();
            L1Ball::new(2.5).project(&mut again);
            assert!(distance(&again, &p) <= 1e-15, "{p:?} to {again:?}");
        }
    }
}

/// A point of a domain is its own projection, to the bit, also around a centre where a detour would round it.
#[test]
fn points_of_a_domain_stay_as_they_are() {
    let mut random = Random(11);
    for scale in [1e-150, 1e-3, 1.0, 1e150] {
        for _ in 0..200 {
            let centre: Vec<f64> = (0..4).map(|_| scale * random.normal()).collect();
            let inside: Vec<f64> = centre.iter().map(|c| c + 0.2 * scale * random.normal().clamp(-2.0, 2.0)).collect();
            let mut kept = inside.clone();
            Ball::around(centre.clone(), scale).project(&mut kept);
            assert_eq!(kept, inside);
            let (lower, upper) = centre.iter().map(|c| (c - scale, c + scale)).unzip();
            BoxDomain::new(lower, upper).project(&mut kept);
            assert_eq!(kept, inside);
            let mut small: Vec<f64> = inside.iter().zip(&centre).map(|(x, c)| x - c).collect();
            let before = small.clone();
            L1Ball::new(4.0 * scale).project(&mut small);
            assert_eq!(small, before);
        }
    }
}

/// No point of a fine grid in the domain is nearer to x than its projection.
#[test]
fn against_a_grid() {
    const STEPS: i32 = 40;
    let mut random = Random(3);
    for _ in 0..50 {
        let x: Vec<f64> = (0..3).map(|_| random.normal()).collect();
        let (mut p, mut q) = (x.clone(), x.clone());
        Simplex::new(3).project(&mut p);
        L1Ball::new(1.0).project(&mut q);
        let far = |y: &[f64]| y.iter().zip(&x).map(|(y, x)| (y - x) * (y - x)).sum::<f64>();
        for i in -STEPS..=STEPS {
            for j in -STEPS..=STEPS {
                let (a, b) = (f64::from(i) / f64::from(STEPS), f64::from(j) / f64::from(STEPS));
                let rest = 1.0 - a.abs() - b.abs();
                if rest >= 0.0 {
                    assert!([rest, -rest, 0.0].iter().all(|c| far(&[a, b, *c]) >= far(&q) - 1e-12));
                    assert!(i < 0 || j < 0 || far(&[a, b, rest]) >= far(&p) - 1e-12);
                }
            }
        }
    }
}

#[test]
fn far_points_and_short_floats() {
    let mut p = [1e18, 1e18 - 256.0, -1e18];
    Simplex::new(3).project(&mut p);
    assert_eq!(p, [1.0, 0.0, 0.0]);
    let mut p = [3.0_f32, -1.5, 0.25];
    L1Ball::new(2.0).project(&mut p);
    assert_eq!(p, [1.75, -0.25, 0.0]);
    let mut p = [-1e300, 1e300];
    L1Ball::new(2.0).project(&mut p);
    assert_eq!(p, [-1.0, 1.0]);
}

#[test]
fn membership() {
    let simplex = |x: [f64; 3]| surefoot::Domain::<f64>::contains(&Simplex::new(3), 3, |i| x[i]);
    assert!(simplex([0.5, 0.5, 0.0]) && simplex([1.0, 1e-12, -1e-12]));
    assert!(!simplex([0.5, 0.6, 0.0]) && !simplex([1.5, -0.5, 0.0]) && !simplex([0.3, 0.3, 0.3]));
    let l1 = |x: [f64; 2]| surefoot::Domain::<f64>::contains(&L1Ball::new(1.0), 2, |i| x[i]);
    assert!(l1([0.5, -0.5]) && !l1([0.6, -0.5]));
    assert_eq!(surefoot::Domain::<f64>::support(&Simplex::new(2), 2, |i| [-3.0, -4.0][i]), -3.0);
    assert_eq!(Domain::<f64>::Simplex(2).radius(), surefoot::Domain::<f64>::reach(&Simplex::new(2)));
}
