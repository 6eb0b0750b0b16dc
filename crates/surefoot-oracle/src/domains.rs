//! Domains of optimisation problems, with their projections and support functions.

use crate::Number;
use crate::vectors::{dot, minus, norm, plus, sum, zero};

/// Closed convex set over which a loss is minimised.
#[derive(Clone, Debug)]
pub enum Domain<N = f64> {
    /// Whole space R^d; the number is the expected distance of the solution from 0.
    WholeSpace(N),
    /// Euclidean ball: its centre and its radius.
    Ball(Vec<N>, N),
    /// Product of intervals: the lower ends and the upper ends.
    BoxDomain(Vec<N>, Vec<N>),
    /// Probability simplex with this number of coordinates, which are nonnegative and sum to 1.
    Simplex(usize),
    /// L1 ball around 0 with this radius.
    L1(N),
}

impl<N: Number> Domain<N> {
    /// Returns the centre of the domain, where learners start.
    pub fn centre(&self, dim: usize) -> Vec<N> {
        match self {
            Domain::WholeSpace(_) | Domain::L1(_) => zero(dim),
            Domain::Simplex(_) => vec![N::of(1.0 / dim as f64); dim],
            Domain::Ball(centre, _) => centre.clone(),
            Domain::BoxDomain(lower, upper) => lower.iter().zip(upper).map(|(l, u)| (*l + *u) / N::of(2.0)).collect(),
        }
    }

    /// Returns the radius r, half of the diameter; for the whole space, the expected distance of the solution from 0.
    pub fn radius(&self) -> N {
        match self {
            Domain::WholeSpace(reach) => *reach,
            Domain::Ball(_, radius) | Domain::L1(radius) => *radius,
            Domain::Simplex(dim) => N::of(1.0 - 1.0 / *dim as f64).sqrt(),
            Domain::BoxDomain(lower, upper) => norm(&minus(upper, lower)) / N::of(2.0),
        }
    }

    /// Returns the point of the domain that is nearest to `x` (Euclidean projection).
    pub fn project(&self, x: &[N]) -> Vec<N> {
        match self {
            Domain::WholeSpace(_) => x.to_vec(),
            Domain::Ball(centre, radius) => {
                let away = minus(x, centre);
                let length = norm(&away);
                if length > *radius { plus(centre, *radius / length, &away) } else { x.to_vec() }
            }
            Domain::BoxDomain(lower, upper) => {
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
    /// Returns the support function h_D(z) = sup ⟨z, u⟩ over u in the domain D.
    pub fn support(&self, z: &[f64]) -> f64 {
        match self {
            Domain::WholeSpace(_) => f64::INFINITY,
            Domain::Ball(centre, radius) => dot(z, centre) + radius * norm(z),
            Domain::BoxDomain(lower, upper) => {
                z.iter().zip(lower.iter().zip(upper)).map(|(z, (l, u))| (z * l).max(z * u)).sum()
            }
            Domain::Simplex(_) => z.iter().fold(f64::NEG_INFINITY, |most, z| most.max(*z)),
            Domain::L1(radius) => radius * z.iter().fold(0.0_f64, |most, z| most.max(z.abs())),
        }
    }
}

/// Projects `x` onto {u ≥ 0, Σu = total}. In descending order the first k coordinates stay positive, for the largest k with x_(k) > (Σ_{i≤k}
/// x_(i) − total)/k.
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
