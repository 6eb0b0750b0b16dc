//! Online learners. A learner predicts, given the hint of the round if there is one, and is then updated with the weighted gradient.
//!
//! In round t the iterate is w_t, the weight α_t (the sum of the weights so far A_t), the gradient g_t, and G_t = α_t g_t. Z is the sum of all
//! G, the error of a hint is its difference from G, Γ is the length of the largest error or gradient so far, and V is the sum of the
//! squared errors or gradients after clipping. The domain has radius r and diameter B = 2r.

use crate::vectors::{minus, norm, plus, square, times, zero};
use crate::{Domain, Number};

/// Online learner: in each round `predict` is called once, then `update` once.
pub trait Learner<N = f64> {
    /// Returns the iterate w_t of the round; `hint` is a prediction of the weighted gradient G_t, or `None` for no hint.
    fn predict(&mut self, hint: Option<&[N]>) -> Vec<N>;
    /// Updates the learner with the weighted gradient G_t = α_t g_t of the round.
    fn update(&mut self, gradient: &[N]);
}

/// Projected online gradient descent with the learning rate B/√(2 Σ‖G‖²), for weighted gradients G and a domain of diameter B.
#[derive(Clone, Debug)]
pub struct Ogd<N = f64> {
    domain: Domain<N>,
    w: Vec<N>,
    v: N,
}

impl<N: Number> Ogd<N> {
    /// Creates a learner whose first iterate is the centre of its domain.
    pub fn new(dim: usize, domain: Domain<N>) -> Self {
        Self { w: domain.centre(dim), domain, v: N::of(0.0) }
    }
}

impl<N: Number> Learner<N> for Ogd<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        self.w.clone()
    }

    fn update(&mut self, gradient: &[N]) {
        self.v = self.v + square(norm(gradient));
        if self.v > N::of(0.0) {
            let rate = N::of(2.0) * self.domain.radius() / (N::of(2.0) * self.v).sqrt();
            self.w = self.domain.project(&plus(&self.w, -rate, gradient));
        }
    }
}

/// Optimistic dual averaging: the learner uses hints (predictions of gradients); the error of a hint is clipped to the norm of the largest
/// previous error.
#[derive(Clone, Debug)]
pub struct DualAveraging<N = f64> {
    domain: Domain<N>,
    z: Vec<N>,
    h: Vec<N>,
    v: N,
    gamma: N,
    lambda: N,
}

impl<N: Number> DualAveraging<N> {
    /// Creates a learner whose first iterate is the centre of the domain; `gamma` is the initial value of Γ, the norm to which hint errors
    /// (gradient minus hint) are clipped.
    pub fn new(dim: usize, domain: Domain<N>, gamma: N) -> Self {
        let nothing = N::of(0.0);
        Self { domain, z: zero(dim), h: zero(dim), v: nothing, gamma, lambda: nothing }
    }
}

impl<N: Number> Learner<N> for DualAveraging<N> {
    fn predict(&mut self, hint: Option<&[N]>) -> Vec<N> {
        let dim = self.z.len();
        self.h = hint.map_or(zero(dim), <[N]>::to_vec);
        self.lambda = self.lambda.max((N::of(2.0) * (square(self.gamma) + self.v)).sqrt() / self.domain.radius());
        let centre = self.domain.centre(dim);
        let one = N::of(1.0);
        let z = plus(&self.z, one, &self.h);
        if self.lambda == N::of(0.0) {
            // Before the first error the iterate minimises the linear part, if the domain is a ball.
            let leads = norm(&z) > N::of(0.0) && matches!(self.domain, Domain::Ball(..));
            return if leads { plus(&centre, -self.domain.radius() / norm(&z), &z) } else { centre };
        }
        self.domain.project(&plus(&centre, -one / self.lambda, &z))
    }

    fn update(&mut self, gradient: &[N]) {
        let delta = minus(gradient, &self.h);
        let (size, one) = (norm(&delta), N::of(1.0));
        let clipped = if size > self.gamma { times(self.gamma / size, &delta) } else { delta };
        self.v = self.v + square(norm(&clipped));
        self.z = plus(&plus(&self.z, one, &self.h), one, &clipped);
        self.gamma = self.gamma.max(size);
    }
}

/// AdaGrad with one learning rate per coordinate, projected onto a box (or unprojected in the whole space).
#[derive(Clone, Debug)]
pub struct AdaGrad<N = f64> {
    domain: Domain<N>,
    width: Vec<N>,
    w: Vec<N>,
    s: Vec<N>,
}

impl<N: Number> AdaGrad<N> {
    /// Creates a learner whose first iterate is the centre of its domain.
    ///
    /// # Panics
    /// If the domain is not a product of intervals.
    pub fn new(dim: usize, domain: Domain<N>) -> Self {
        let width = match &domain {
            Domain::WholeSpace(reach) => vec![N::of(2.0) * *reach; dim],
            Domain::BoxDomain(lower, upper) => minus(upper, lower),
            _ => panic!("no product of intervals"),
        };
        Self { w: domain.centre(dim), domain, width, s: zero(dim) }
    }
}

impl<N: Number> Learner<N> for AdaGrad<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        self.w.clone()
    }

    fn update(&mut self, gradient: &[N]) {
        for (j, g) in gradient.iter().enumerate() {
            self.s[j] = self.s[j] + square(*g);
            if self.s[j] > N::of(0.0) {
                self.w[j] = self.w[j] - self.width[j] * *g / (N::of(2.0) * self.s[j]).sqrt();
            }
        }
        self.w = self.domain.project(&self.w);
    }
}

/// AdaGrad by dual averaging: w = D·θ/√(S + c) per coordinate, with the negative sum θ of gradients, the sum S of their squares, the scale D,
/// and a constant c for damping.
#[derive(Clone, Debug)]
pub struct DualAdaGrad<N = f64> {
    scale: N,
    damping: N,
    theta: Vec<N>,
    s: Vec<N>,
}

impl<N: Number> DualAdaGrad<N> {
    /// Creates a learner in `dim` dimensions whose first iterate is 0, with D = `scale` and c = `damping`.
    pub fn new(dim: usize, scale: N, damping: N) -> Self {
        Self { scale, damping, theta: zero(dim), s: zero(dim) }
    }
}

impl<N: Number> Learner<N> for DualAdaGrad<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        let one = |(theta, s): (&N, &N)| {
            let root = (*s + self.damping).sqrt();
            if root > N::of(0.0) { self.scale * *theta / root } else { root }
        };
        self.theta.iter().zip(&self.s).map(one).collect()
    }

    fn update(&mut self, gradient: &[N]) {
        for (j, g) in gradient.iter().enumerate() {
            self.theta[j] = self.theta[j] - *g;
            self.s[j] = self.s[j] + square(*g);
        }
    }
}

/// Follow-the-leader on the losses Σ α_i(⟨g_i, ·⟩ + (μ/2)‖· − centre‖²): w_{t+1} = Π_D(centre − Z_t/(μA_t)), with Z_t = Σ α_i g_i and A_t = Σ
/// α_i.
#[derive(Clone, Debug)]
pub struct Ridge<N = f64> {
    domain: Domain<N>,
    mu: N,
    weights: Vec<f64>,
    z: Vec<N>,
    total: N,
    t: usize,
}

impl<N: Number> Ridge<N> {
    /// Creates a learner whose first iterate is the centre of the domain; `mu` is the strength μ of the quadratic, and `weights` has the
    /// weight of every round, by which the quadratic is multiplied.
    pub fn new(dim: usize, domain: Domain<N>, mu: N, weights: Vec<f64>) -> Self {
        Self { domain, mu, weights, z: zero(dim), total: N::of(0.0), t: 0 }
    }
}

impl<N: Number> Learner<N> for Ridge<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        let centre = self.domain.centre(self.z.len());
        if self.total == N::of(0.0) {
            return centre;
        }
        self.domain.project(&plus(&centre, N::of(-1.0) / (self.mu * self.total), &self.z))
    }

    fn update(&mut self, gradient: &[N]) {
        self.total = self.total + N::of(self.weights[self.t]);
        self.t += 1;
        self.z = plus(&self.z, N::of(1.0), gradient);
    }
}

/// Dual averaging with the penalty l1‖·‖₁ + (l2/2)‖·‖²: w_t = −soft(Z_{t−1}, A_t·l1)/(λ_t + A_t·l2), with the sum Z of weighted gradients,
/// the sum A of weights, soft-thresholding, and λ_t = √(2(Γ² + V))/r. A gradient is clipped to the length Γ of the largest previous one,
/// unless r is infinite; V is the sum of the squared clipped lengths.
#[derive(Clone, Debug)]
pub struct CompositeAveraging<N = f64> {
    /// Strengths l1 and l2 of the two penalties.
    pub penalty: (N, N),
    /// Expected distance r of the solution from 0; infinite for λ = 0, without clipping of gradients.
    pub reach: f64,
    /// Weights α_1, α_2, … of all rounds, which multiply the penalty.
    pub weights: Vec<f64>,
    /// Norm Γ of the largest gradient so far, or its initial value.
    pub gamma: N,
    z: Vec<N>,
    v: N,
    told: N,
    t: usize,
}

impl<N: Number> CompositeAveraging<N> {
    /// Creates a learner in `dim` dimensions whose first iterate is 0; the arguments are the penalty strengths l1 and l2, the expected
    /// distance r of the solution from 0, and the weights of all rounds.
    pub fn new(dim: usize, penalty: (N, N), reach: f64, weights: Vec<f64>) -> Self {
        let nothing = N::of(0.0);
        Self { penalty, reach, weights, gamma: nothing, z: zero(dim), v: nothing, told: nothing, t: 0 }
    }
}

impl<N: Number> Learner<N> for CompositeAveraging<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        let (total, nothing) = (self.told + N::of(self.weights[self.t]), N::of(0.0));
        let (l1, l2) = self.penalty;
        let spread = (N::of(2.0) * (square(self.gamma) + self.v)).sqrt();
        let held = if self.reach.is_finite() { spread / N::of(self.reach) } else { nothing };
        let below = held + total * l2;
        let soft = |z: &N| z.sign() * (z.abs() - total * l1).max(nothing);
        self.z.iter().map(|z| if below > nothing { -soft(z) / below } else { nothing }).collect()
    }

    fn update(&mut self, gradient: &[N]) {
        let size = norm(gradient);
        let bounded = self.reach.is_finite() && size > self.gamma;
        let clipped = times(if bounded { self.gamma / size } else { N::of(1.0) }, gradient);
        self.v = self.v + square(norm(&clipped));
        self.z = plus(&self.z, N::of(1.0), &clipped);
        self.gamma = self.gamma.max(size);
        self.told = self.told + N::of(self.weights[self.t]);
        self.t += 1;
    }
}
