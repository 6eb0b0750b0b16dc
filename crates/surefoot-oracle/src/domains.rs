//! Domains with their projections.

use crate::vectors::{dot, norm, plus};

/// A closed convex set.
#[derive(Clone, Debug)]
pub enum Domain {
    /// R^d, with the distance from 0 at which the solution is expected.
    Whole(f64),
    /// A centre and a radius.
    Ball(Vec<f64>, f64),
    /// Lower and upper ends.
    Cuboid(Vec<f64>, Vec<f64>),
    /// Nothing negative, sum 1; in so many dimensions.
    Simplex(usize),
    /// Absolute values sum to at most the radius.
    L1(f64),
}

impl Domain {
    /// Where learners start.
    pub fn centre(&self, dim: usize) -> Vec<f64> {
        match self {
            Domain::Whole(_) | Domain::L1(_) => vec![0.0; dim],
            Domain::Simplex(_) => vec![1.0 / dim as f64; dim],
            Domain::Ball(centre, _) => centre.clone(),
            Domain::Cuboid(lower, upper) => lower.iter().zip(upper).map(|(l, u)| (l + u) / 2.0).collect(),
        }
    }

    /// r, half the diameter.
    pub fn radius(&self) -> f64 {
        match self {
            Domain::Whole(reach) => *reach,
            Domain::Ball(_, radius) | Domain::L1(radius) => *radius,
            Domain::Simplex(dim) => (1.0 - 1.0 / *dim as f64).sqrt(),
            Domain::Cuboid(lower, upper) => norm(&plus(upper, -1.0, lower)) / 2.0,
        }
    }

    /// The nearest point.
    pub fn project(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Domain::Whole(_) => x.to_vec(),
            Domain::Ball(centre, radius) => {
                let away = plus(x, -1.0, centre);
                let length = norm(&away);
                if length > *radius { plus(centre, radius / length, &away) } else { x.to_vec() }
            }
            Domain::Cuboid(lower, upper) => {
                x.iter().zip(lower.iter().zip(upper)).map(|(x, (l, u))| x.clamp(*l, *u)).collect()
            }
            Domain::Simplex(_) => onto_simplex(x, 1.0),
            Domain::L1(radius) => {
                let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
                if sizes.iter().sum::<f64>() <= *radius {
                    return x.to_vec();
                }
                onto_simplex(&sizes, *radius).iter().zip(x).map(|(p, x)| p * x.signum()).collect()
            }
        }
    }

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
fn onto_simplex(x: &[f64], total: f64) -> Vec<f64> {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, 0.0);
    for (i, v) in sorted.iter().enumerate() {
        sum += v;
        let candidate = (sum - total) / (i as f64 + 1.0);
        if i == 0 || *v > candidate {
            level = candidate;
        }
    }
    x.iter().map(|v| (v - level).max(0.0)).collect()
}
