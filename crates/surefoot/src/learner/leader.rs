//! Follow-the-leader for strongly convex losses with a known constant of strong convexity.

use super::{Learner, Quadratic, leader_room};
use crate::promise::Promise;
use crate::squares::weigh;
use crate::{Float, Point, Project, Squares, Vector};

/// Follow-the-leader on quadratic lower bounds of μ-strongly convex losses, on any domain with a projection.
///
/// *Update*, for losses α_t(⟨g_t, ·⟩ + (μ/2)‖· − x_t‖²): w_{t+1} = Π_D((Σ α_i x_i − Z_t/μ)/A_t), the minimiser over the
/// domain D of the sum of all losses so far, where Z_t is the sum of weighted gradients α_i g_i and A_t that of
/// weights. The initial iterate is the centre of the domain. There is nothing to tune; multiplying losses and μ by a
/// constant changes nothing.
///
/// *Guarantee*: the regret of these losses is at most Σ α_t²‖g_t + μ(w_t − x_t)‖²/(2μA_t), on bounded domains and in
/// the whole space.
///
/// *Cost*: O(d) per step plus the projection. In the whole space or a ball [`StronglyConvex`](crate::StronglyConvex)
/// computes the same iterates in O(nnz).
///
/// ```
/// use surefoot::{AskTell, General, Leader, Learner, Linear, WholeSpace};
/// let mut method = General::new(Leader::<f64, _>::new(1, WholeSpace::new(1.0), 2.0), Linear);
/// method.tell(&[4.0]); // at 0; the least of 4w + w² is at −2
/// assert_eq!((method.learner().at(0), method.at(0)), (-2.0, -2.0 * 2.0 / 3.0));
/// ```
///
/// Source: arXiv 1903.00974, the learner of the corollaries on strong convexity, whose text lacks weights and domain;
/// regret: McMahan (2017).
#[derive(Clone, Debug)]
pub struct Leader<F, D> {
    /// The domain D that contains all iterates.
    domain: D,
    /// μ, the constant of strong convexity of the losses.
    curvature: f64,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<F>,
    /// Numerator Σ α_i x_i − Z/μ of the unconstrained minimiser, from query points x_i and the sum Z of weighted
    /// gradients, one number per coordinate.
    pull: Vec<f64>,
    /// A_t, the sum of the weights of quadratic losses; linear losses do not count.
    total: f64,
    /// The regret bound Σ α_t²‖g_t + μ(w_t − x_t)‖²/(2μA_t), where α_t is the weight of round t, A_t the sum of
    /// weights, g_t the gradient, w_t the iterate and x_t the query point.
    regret: Squares,
    /// Upper bounds on the excess loss computed from the gradients of this run: that of the theorem for the output, and
    /// that of the first gradient alone.
    promise: Promise,
}

impl<F: Float, D: Project<F>> Leader<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`, for losses with
    /// strong convexity μ = `curvature`.
    ///
    /// # Panics
    /// If `curvature` is not positive and finite.
    pub fn new(dim: usize, domain: D, curvature: f64) -> Self {
        assert!(curvature > 0.0 && curvature.is_finite(), "a positive curvature");
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        Self {
            domain,
            curvature,
            iterate,
            pull: vec![0.0; dim],
            total: 0.0,
            regret: Squares::default(),
            promise: Promise::default(),
        }
    }

    /// Returns μ, the constant of strong convexity of the losses.
    pub fn curvature(&self) -> f64 {
        self.curvature
    }

    /// Moves the iterate to the minimiser over the domain of the sum of all losses. While all losses are linear the
    /// iterate stays.
    fn follow(&mut self) {
        if self.total > 0.0 {
            for (w, pull) in self.iterate.iter_mut().zip(&self.pull) {
                *w = F::of(pull / self.total);
            }
            self.domain.project(&mut self.iterate);
        }
    }

    /// Adds the linear part of a loss to the sum of losses, updates the regret bound, and moves the iterate.
    /// `weight`·`gradient` + `bend` is the weighted gradient of the whole loss at the iterate, where `bend(self, i)` is
    /// coordinate i of the quadratic part's gradient.
    fn learn<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, bend: impl Fn(&Self, usize) -> f64) {
        let mut slope = Squares::default();
        (0..self.pull.len()).for_each(|i| slope.add(bend(self, i)));
        gradient.each(|i, g| {
            let bend = bend(self, i);
            slope.change(bend, bend + weigh(weight, g).wide());
        });
        let size = slope.root();
        if size > 0.0 {
            self.regret.add(size / (2.0 * self.curvature * self.total).sqrt());
        }
        gradient.each(|i, g| self.pull[i] -= weigh(weight, g).wide() / self.curvature);
        self.follow();
    }
}

impl<F: Float, D: Project<F>> Learner<F> for Leader<F, D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        self.iterate[i]
    }

    fn magnitude_budget(&self, weight: f64) -> f64 {
        leader_room::<F>(self.curvature * (self.total + weight))
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.learn(weight, gradient, |_, _| 0.0);
    }

    fn regret_bound(&self) -> Option<f64> {
        let root = self.regret.root();
        root.is_finite().then_some(root * root)
    }
}

impl<F: Float, D: Project<F>> Quadratic<F> for Leader<F, D> {
    fn strayed(&self) -> bool {
        !self.domain.bounded() && self.promise.is_void()
    }

    fn tell_quadratic<V, P>(&mut self, weight: f64, gradient: &V, around: &P)
    where
        V: Vector<F> + ?Sized,
        P: Point<F>,
    {
        self.total += weight;
        let size = Squares::of(weight, gradient).root();
        self.promise.record(self.curvature, weight, self.total, size);
        for (i, pull) in self.pull.iter_mut().enumerate() {
            *pull += weight * around.at(i).wide();
        }
        self.learn(weight, gradient, |this, i| {
            weight * this.curvature * (this.iterate[i].wide() - around.at(i).wide())
        });
    }
}
