//! Domains with their projections.

use crate::Number;
use crate::vectors::{dot, minus, norm, plus, sum, zero};

/// A closed convex set.
#[derive(Clone, Debug)]
pub enum Domain<N = f64> {
    /// R^d, with the distance from 0 at which the solution is expected.
    Whole(N),
    /// A centre and a radius.
    Ball(Vec<N>, N),
    /// Lower and upper ends.
    Cuboid(Vec<N>, Vec<N>),
    /// Nothing negative, sum 1; in so many dimensions.
    Simplex(usize),
    /// Absolute values sum to at most the radius.
    L1(N),
}

impl<N: Number> Domain<N> {
    /// Where learners start.
    pub fn centre(&self, dim: usize) -> Vec<N> {
        match self {
            Domain::Whole(_) | Domain::L1(_) => zero(dim),
            Domain::Simplex(_) => vec![N::of(1.0 / dim as f64); dim],
            Domain::Ball(centre, _) => centre.clone(),
            Domain::Cuboid(lower, upper) => lower.iter().zip(upper).map(|(l, u)| (*l + *u) / N::of(2.0)).collect(),
        }
    }

    /// r, half the diameter.
    pub fn radius(&self) -> N {
        match self {
            Domain::Whole(reach) => *reach,
            Domain::Ball(_, radius) | Domain::L1(radius) => *radius,
            Domain::Simplex(dim) => N::of(1.0 - 1.0 / *dim as f64).sqrt(),
            Domain::Cuboid(lower, upper) => norm(&minus(upper, lower)) / N::of(2.0),
        }
    }

    /// The nearest point.
    pub fn project(&self, x: &[N]) -> Vec<N> {
        match self {
            Domain::Whole(_) => x.to_vec(),
            Domain::Ball(centre, radius) => {
                let away = minus(x, centre);
                let length = norm(&away);
                if length > *radius { plus(centre, *radius / length, &away) } else { x.to_vec() }
            }
            Domain::Cuboid(lower, upper) => {
                x.iter().zip(lower.iter().zip(upper)).map(|(x, (l, u))| x.clamp(*l, *u)).collect()
            }
            Domain::Simplex(_) => onto_simplex(x, N::of(1.0)),
            Domain::L1(radius) => {
                let sizes: Vec<N> = x.iter().map(|x| x.abs()).collect();
                if sum(sizes.iter().copied()) <= *radius {
                    return x.to_vec();
                }
                onto_simplex(&sizes, *radius).iter().zip(x).map(|(p, x)| *p * x.sign()).collect()
            }
        }
    }
}

impl Domain {
    /// h_D(z) = sup ⟨z, u⟩.
    pub fn support(&self, z: &[f64]) -> f64 {
        match self {
            Domain::Whole(_) => f64::INFINITY,
            Domain::Ball(centre, radius) => dot(z, centre) + radius * norm(z),
            Domain::Cuboid(lower, upper) => {
                z.iter().zip(lower.iter().zip(upper)).map(|(z, (l, u))| (z * l).max(z * u)).sum()
            }
            Domain::Simplex(_) => z.iter().fold(f64::NEG_INFINITY, |most, z| most.max(*z)),
            Domain::L1(radius) => radius * z.iter().fold(0.0_f64, |most, z| most.max(z.abs())),
        }
    }
}

/// Sort; the k largest are positive for the largest k with x_(k) > (Σ_{i≤k} x_(i) − total)/k.
fn onto_simplex<N: Number>(x: &[N], total: N) -> Vec<N> {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| b.partial_cmp(a).expect("numbers"));
    let (mut sum, mut level) = (N::of(0.0), N::of(0.0));
    for (i, v) in sorted.iter().enumerate() {
        sum = sum + *v;
        let candidate = (sum - total) / N::of(i as f64 + 1.0);
        if i == 0 || *v > candidate {
            level = candidate;
        }
    }
    x.iter().map(|v| (*v - level).max(N::of(0.0))).collect()
}
