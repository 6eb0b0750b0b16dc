//! Follow-the-leader with a quadratic (ridge) penalty that is minimised exactly.

use std::marker::PhantomData;

use super::{Lazy, Learner, Penalised, leader_room, place};
use crate::certificate::Comparator;
use crate::squares::weigh;
use crate::{Float, Penalty, Radial, Squares, Vector};

/// Follow-the-leader for losses F plus a quadratic penalty Ω = (μ/2)‖· − centre‖², which receives gradients of F only.
///
/// *Update*: w_{t+1} = Π_D(centre − Z_t/(μA_t)), the minimiser over the domain of Σ α_i(⟨g_i, ·⟩ + (μ/2)‖· − centre‖²).
/// Z_t is the sum of weighted gradients α_i g_i, and A_t that of weights. The initial iterate is the centre of the
/// domain D. There is nothing to tune; multiplying losses and μ by a constant changes nothing.
///
/// *Guarantee*: the regret including the penalty, see [`Penalised`], is at most Σ α_t²‖g_t + μ(w_t − centre)‖²/(2μA_t),
/// on a ball and in the whole space.
///
/// *Cost*: O(nnz) per step: Z changes at the nonzeros of the gradient only, and the projection and A_t are a factor
/// common to all coordinates. Memory: one `f64` per coordinate.
///
/// ```
/// use surefoot::certificate::{Composite, Gradients};
/// use surefoot::{Anytime, AskTell, Learner, Linear, Penalised, Point, Ridge, Sparse, Vector, WholeSpace};
///
/// // Ridge regression: ½(2w_0 − 3)² + ½·0.5·w_0² has its minimum at 6/4.5.
/// let mut method = Anytime::new(Ridge::<f64, _>::new(3, WholeSpace::new(1.0), 0.5), Linear);
/// let mut sums = Composite::new(3); // for a certificate
/// for t in 1..=2000_u32 {
///     let row = Sparse::new(&[0_u32], &[2.0]);
///     let slope = method.dot(&row) - 3.0; // without the penalty
///     let learner = method.learner();
///     sums.record(f64::from(t), &row.times(slope), |i| learner.at(i), learner.present());
///     method.tell(&row.times(slope));
/// }
/// assert!((method.output().at(0) - 6.0 / 4.5).abs() < 1e-4);
/// let certificate = sums.certificate(method.total_weight(), &method.learner().penalty(), Gradients::Exact)?;
/// assert!(certificate.value < 0.01);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, the corollaries on strong convexity, with the penalty kept apart; Xiao (2010).
#[derive(Clone, Debug)]
pub struct Ridge<F, D> {
    /// The domain that contains all iterates: a ball or the whole space.
    domain: D,
    /// Strength μ of the quadratic penalty (μ/2)‖· − centre‖².
    strength: f64,
    /// Z, the sum of weighted gradients of the losses without the penalty, one number per coordinate.
    sum: Vec<f64>,
    /// Squared Euclidean norm of Z, the sum of weighted gradients.
    norm: Squares,
    /// A_t, the sum of the weights of the rounds so far.
    total: f64,
    /// The bound Σ α_t²‖g_t + μ(w_t − centre)‖²/(2μA_t) on the regret including the penalty, for weights α_t, their
    /// sums A_t, gradients g_t and iterates w_t.
    regret: Squares,
    arrays: PhantomData<F>,
}

impl<F: Float, D: Radial<F>> Ridge<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`, and a penalty of
    /// strength μ = `strength`. Later calls do not allocate.
    ///
    /// # Panics
    /// If `strength` is not positive and finite.
    pub fn new(dim: usize, domain: D, strength: f64) -> Self {
        assert!(strength > 0.0 && strength.is_finite(), "a positive strength");
        Self {
            domain,
            strength,
            sum: vec![0.0; dim],
            norm: Squares::default(),
            total: 0.0,
            regret: Squares::default(),
            arrays: PhantomData,
        }
    }
}

impl<F: Float, D: Radial<F>> Learner<F> for Ridge<F, D> {
    fn dim(&self) -> usize {
        self.sum.len()
    }

    fn at(&self, i: usize) -> F {
        place(self, i)
    }

    fn magnitude_budget(&self, weight: f64) -> f64 {
        leader_room::<F>(self.strength * (self.total + weight))
    }

    fn is_stationary(&self) -> bool {
        false
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    /// Returns the bound on the regret including the penalty, as defined in [`Penalised`]; `None` if it overflows.
    fn regret_bound(&self) -> Option<f64> {
        let root = self.regret.root();
        root.is_finite().then_some(root * root)
    }
}

impl<F: Float, D: Radial<F>> Lazy<F> for Ridge<F, D> {
    fn centre(&self, i: usize) -> F {
        self.domain.centre(i)
    }

    fn scale(&self) -> f64 {
        if self.total == 0.0 {
            return 0.0;
        }
        let curvature = self.strength * self.total;
        self.domain.shrink(self.norm.root() / curvature) / curvature
    }

    fn direction(&self, i: usize) -> f64 {
        -self.sum[i]
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        let (scale, pull) = (self.scale(), weight * self.strength);
        let distance = scale * self.norm.root();
        self.total += weight;
        let mut slope = Squares::default();
        slope.add(pull * distance);
        gradient.each(|i, g| {
            let (old, g) = (self.direction(i), weigh(weight, g).wide());
            slope.change(pull * scale * old, pull * scale * old + g);
            moved(i, old);
            self.sum[i] += g;
            self.norm.change(old, self.sum[i]);
        });
        self.regret.add(slope.root() / (2.0 * self.strength * self.total).sqrt());
    }
}

impl<F: Float, D: Radial<F>> Penalised<F> for Ridge<F, D> {
    fn penalty(&self) -> impl Penalty {
        Around { centre: |i| self.centre(i).wide(), strength: self.strength }
    }

    /// Computes the penalty at the current iterate, in O(1).
    fn present(&self) -> f64 {
        let distance = self.scale() * self.norm.root();
        self.strength / 2.0 * distance * distance
    }
}

/// The quadratic penalty (μ/2)‖· − centre‖² around a given centre.
struct Around<C> {
    /// A function that returns coordinate i of the penalty's centre.
    centre: C,
    /// Strength μ of the quadratic penalty (μ/2)‖· − centre‖².
    strength: f64,
}

impl<C: Fn(usize) -> f64> Penalty for Around<C> {
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64 {
        let mut distance = Squares::default();
        (0..dim).for_each(|i| distance.add(x(i) - (self.centre)(i)));
        self.strength / 2.0 * distance.root() * distance.root()
    }

    /// Computes the convex conjugate of the penalty at z, ⟨z, centre⟩ + ‖z‖²/(2μ).
    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let (mut norm, mut inner) = (Squares::default(), 0.0);
        for i in 0..dim {
            norm.add(z(i));
            inner += z(i) * (self.centre)(i);
        }
        inner + norm.root() * (norm.root() / (2.0 * self.strength))
    }

    fn farthest(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64 {
        let one = |i: usize| ((self.centre)(i) + z(i) / self.strength).abs();
        (0..dim).map(one).fold(0.0, f64::max) + slack / self.strength
    }

    fn comparator(&self) -> Comparator {
        Comparator::Space
    }
}
