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
}

impl Domain {
    /// Where learners start.
    pub fn centre(&self, dim: usize) -> Vec<f64> {
        match self {
            Domain::Whole(_) => vec![0.0; dim],
            Domain::Ball(centre, _) => centre.clone(),
            Domain::Cuboid(lower, upper) => lower.iter().zip(upper).map(|(l, u)| (l + u) / 2.0).collect(),
        }
    }

    /// r, half the diameter.
    pub fn radius(&self) -> f64 {
        match self {
            Domain::Whole(reach) => *reach,
            Domain::Ball(_, radius) => *radius,
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
        }
    }
}
