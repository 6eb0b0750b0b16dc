//! The online Newton step, for exp-concave losses.

use super::cholesky::Cholesky;
use super::{Learner, Quadratic, leader_room};
use crate::squares::weigh;
use crate::{Float, Point, Radial, Squares, Vector};

/// The online Newton step: follow-the-leader on losses with curvature along their gradients, such as exp-concave ones.
///
/// *Update*, for quadratic losses ℓ_t = ⟨g_t, ·⟩ + (γ_t/2)⟨g_t, · − x_t⟩²: w_{t+1} is the minimiser of Σ α_i ℓ_i +
/// (ε/2)‖· − centre‖² over the domain. With H_t = εI + Σ α_i γ_i g_i g_iᵀ and b_t = Σ α_i(γ_i⟨g_i, x_i − centre⟩ −
/// 1)·g_i it equals centre + (H_t + νI)^{-1} b_t, with the smallest ν ≥ 0 that brings it into the domain. γ_t is γ, but
/// at most 1/(8B‖g_t‖) with B twice the reach; a smaller curvature still gives a lower bound. Multiplying losses by a
/// constant changes nothing if γ is divided by it and ε multiplied by it.
///
/// *Guarantee*: the regret of these losses against u is at most (ε/2)‖u − centre‖² + ½Σ α_t²(1 + γ_t⟨g_t, w_t −
/// x_t⟩)²·⟨g_t, H_t^{-1} g_t⟩. On a bounded domain, with every γ_t ≥ γ' and α the largest weight, it is at most (ε/2)‖u
/// − centre‖² + (81/64)·(α d/(2γ'))·log(1 + Σ α_t γ_t‖g_t‖²/(dε)). With γ = η/2 it bounds the excess of a loss whose
/// samples are η-exp-concave: for gradients with norms below G, α_t = 1 gives O((1/η + GB)·d·log T/T), and other
/// weights are no better.
///
/// H is kept in factored form, and its condition number c costs precision: iterates have a relative error of up to
/// about c·2⁻⁵³, so for c > 1e16, which gradients whose norms differ by a factor of 1e8 can cause, no digit is right.
/// An iterate that would not be finite is rejected, and the previous one stays.
///
/// *Cost*: O(d²) per step and two triangular arrays of d² numbers; O(d³), about ten times, in rounds where the
/// constraint of the domain is active. Suited to d up to some hundreds.
///
/// ```
/// use surefoot::{AskTell, Ball, General, OnlineNewton, Point, Uniform};
///
/// // Losses −ln(1 + x·odds), which are 1-exp-concave: how much of one's money to bet on a coin that favours us.
/// let mut method = General::new(OnlineNewton::<f64, _>::new(1, Ball::new(0.9), 0.5, 1.0), Uniform);
/// for t in 0..4000 {
///     let odds = if t % 5 < 3 { 1.0 } else { -1.0 };
///     let slope = -odds / (1.0 + method.at(0) * odds);
///     method.tell(&[slope]);
/// }
/// assert!((method.output().at(0) - 0.2).abs() < 0.01); // 3/5 − 2/5
/// ```
///
/// Source: Hazan, Agarwal and Kale (2007); for Algorithm 2 of arXiv 1903.00974, which names exp-concave losses.
#[derive(Clone, Debug)]
pub struct OnlineNewton<F, D> {
    /// The domain that contains all iterates: a ball or the whole space.
    domain: D,
    /// γ, the curvature of the losses along their gradients.
    gamma: f64,
    /// ε, the strength of the initial regulariser (ε/2)‖· − centre‖².
    epsilon: f64,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<F>,
    /// b, the negative gradient of the sum of losses at the centre of the domain.
    pull: Vec<f64>,
    /// The Hessian H of the sum of losses and the initial regulariser, in factored form.
    hessian: Cholesky,
    /// Scratch space for the factors of H + νI during the search for the Lagrange multiplier ν of the domain's
    /// constraint.
    shifted: Cholesky,
    /// Two scratch vectors: the candidate iterate minus the centre, and that vector normalised.
    work: [Vec<f64>; 2],
    /// The sum Σ α_t²(1 + γ_t⟨g_t, w_t − x_t⟩)²⟨g_t, H_t⁻¹g_t⟩ for weights α_t, gradients g_t at query points x_t,
    /// iterates w_t, curvatures γ_t and Hessians H_t; the regret bound contains half of it.
    regret: f64,
}

impl<F: Float, D: Radial<F>> OnlineNewton<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`, for losses with
    /// curvature γ = `gamma` along gradients and an initial regulariser of strength ε = `epsilon`.
    ///
    /// # Panics
    /// If `gamma` or `epsilon` is not positive and finite.
    pub fn new(dim: usize, domain: D, gamma: f64, epsilon: f64) -> Self {
        assert!(gamma > 0.0 && gamma.is_finite(), "a positive curvature");
        assert!(epsilon > 0.0 && epsilon.is_finite(), "a positive ε");
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        let hessian = Cholesky::new(dim, epsilon);
        let (shifted, zeros) = (hessian.clone(), vec![0.0; dim]);
        Self {
            domain,
            gamma,
            epsilon,
            iterate,
            pull: zeros.clone(),
            hessian,
            shifted,
            work: [zeros.clone(), zeros],
            regret: 0.0,
        }
    }

    /// Adds a loss to the sum of losses and moves the iterate. The loss has weight `weight`, gradient g = `gradient` at
    /// the query point x and curvature γ = `gamma` along g; `inner` is γ⟨g, x − centre⟩, and `bend` is γ⟨g, w − x⟩ for
    /// the current iterate w.
    fn learn<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, gamma: f64, inner: f64, bend: f64) {
        if weight == 0.0 {
            return;
        }
        let load = |work: &mut [f64], factor: f64| {
            work.fill(0.0);
            gradient.each(|i, g| work[i] = factor * weigh(weight, g).wide());
        };
        let work = &mut self.work[0];
        load(work, 1.0);
        self.hessian.add_square(gamma / weight, work);
        load(work, 1.0 + bend);
        self.regret += self.hessian.forward(work);
        gradient.each(|i, g| self.pull[i] += (inner - 1.0) * weigh(weight, g).wide());
        self.follow();
    }

    /// Moves the iterate to the minimiser over the domain of the sum of all losses and the initial regulariser.
    fn follow(&mut self) {
        let work = &mut self.work[0];
        work.copy_from_slice(&self.pull);
        self.hessian.forward(work);
        self.hessian.backward(work);
        let far = norm(work);
        let radius = far * self.domain.shrink(far);
        if radius < far {
            self.confine(radius);
        }
        if self.work[0].iter().all(|x| x.is_finite()) {
            for (i, w) in self.iterate.iter_mut().enumerate() {
                *w = F::of(self.domain.centre(i).wide() + self.work[0][i]);
            }
        }
    }

    /// Writes to `work[0]` the vector (H + νI)⁻¹b for the ν ≥ 0 at which its norm is `radius`: the minimiser of ½⟨p,
    /// Hp⟩ − ⟨b, p⟩ on the ball. ν is found by Newton's method on the reciprocal of the norm, which is concave in ν, so
    /// steps that start below the solution never overshoot it.
    fn confine(&mut self, radius: f64) {
        let [point, slope] = &mut self.work;
        let mut shift = 0.0;
        for _ in 0..50 {
            let length = norm(point);
            if length <= radius * (1.0 + 1e-14) {
                break;
            }
            // Computes the derivative of the reciprocal relative to its current value.
            self.shifted.shifted(&self.hessian, shift);
            slope.iter_mut().zip(&*point).for_each(|(slope, x)| *slope = x / length);
            let steepness = self.shifted.forward(slope);
            shift += (length / radius - 1.0) / steepness;
            self.shifted.shifted(&self.hessian, shift);
            point.copy_from_slice(&self.pull);
            self.shifted.forward(point);
            self.shifted.backward(point);
        }
        let factor = self.domain.shrink(norm(point));
        point.iter_mut().for_each(|x| *x *= factor);
    }
}

impl<F: Float, D: Radial<F>> Learner<F> for OnlineNewton<F, D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        self.iterate[i]
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        leader_room::<F>(self.epsilon)
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.learn(weight, gradient, 0.0, 0.0, 0.0);
    }

    fn regret_bound(&self) -> Option<f64> {
        let reach = self.domain.reach();
        let bound = (self.epsilon * reach * reach + self.regret) / 2.0;
        (self.domain.bounded() && bound.is_finite()).then_some(bound)
    }
}

impl<F: Float, D: Radial<F>> Quadratic<F> for OnlineNewton<F, D> {
    fn tell_quadratic<V, P>(&mut self, weight: f64, gradient: &V, around: &P)
    where
        V: Vector<F> + ?Sized,
        P: Point<F>,
    {
        let size = Squares::of(1.0, gradient).root();
        if size > 0.0 {
            let gamma = self.gamma.min(1.0 / (16.0 * self.domain.reach() * size));
            let (mut inner, mut bend) = (0.0, 0.0);
            gradient.each(|i, g| {
                let (x, share) = (around.at(i).wide(), gamma * g.wide());
                inner += share * (x - self.domain.centre(i).wide());
                bend += share * (self.iterate[i].wide() - x);
            });
            self.learn(weight, gradient, gamma, inner, bend);
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    let mut squares = Squares::default();
    x.iter().for_each(|&x| squares.add(x));
    squares.root()
}
