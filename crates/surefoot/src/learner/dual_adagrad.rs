//! AdaGrad with one rate a coordinate, in its dual-averaging form and without a domain.

use std::marker::PhantomData;

use super::unit::fit;
use super::{Lazy, Learner, place};
use crate::squares::weigh;
use crate::{Float, Vector, kernel};

/// Dual averaging with a rate for each coordinate, in the whole space.
///
/// *Update*, per coordinate, with θ_j = −Σ α_t g_{t,j} and S_j = Σ (α_t g_{t,j})²: w_j = D·θ_j/√(S_j + c), and 0 while
/// nothing has been seen. The scale D, in units of the solution, is how far a coordinate goes at its first step if
/// c = 0. The damping c ≥ 0, in units of α²g², keeps a coordinate from taking that step in full; as it has units, the
/// learner is scale-free for c = 0 only.
///
/// *Guarantee*: none. There is no regret bound without a bound on the iterates; where one is needed use
/// [`AdaGrad`](crate::AdaGrad) in a box. In practice it is a strong learner for linear models.
///
/// *Cost*: O(nnz) a step. Sums are kept in `f64`, as in
/// [`AdaGrad`](crate::AdaGrad), so that the rate goes on falling after 10⁷ rounds.
///
/// ```
/// use surefoot::{DualAdaGrad, Learner};
/// let mut learner = DualAdaGrad::<f64>::new(1, 0.5);
/// learner.tell(1.0, &[3.0]);
/// assert_eq!(learner.at(0), -0.5);
/// learner.tell(1.0, &[4.0]);
/// assert_eq!(learner.at(0), -0.7); // 0.5·7/√(9 + 16)
/// ```
///
/// Source: Duchi, Hazan and Singer (2011), primal-dual update, diagonal matrix.
#[derive(Clone, Debug)]
pub struct DualAdaGrad<F> {
    reach: f64,
    root_damping: f64,
    theta: Vec<f64>,
    squares: Vec<f64>,
    unit: Vec<f64>,
    arrays: PhantomData<F>,
}

impl<F: Float> DualAdaGrad<F> {
    /// At 0, in `dim` dimensions, with scale D. The only allocation.
    ///
    /// # Panics
    /// If `scale` is not positive and finite.
    pub fn new(dim: usize, scale: f64) -> Self {
        assert!(scale > 0.0 && scale.is_finite(), "a positive scale");
        let (zeros, arrays) = (vec![0.0; dim], PhantomData);
        Self { reach: scale, root_damping: 0.0, theta: zeros.clone(), squares: zeros.clone(), unit: zeros, arrays }
    }

    /// Sets the damping c.
    ///
    /// # Panics
    /// If `damping` is negative or not finite.
    #[must_use]
    pub fn with_damping(mut self, damping: f64) -> Self {
        assert!(damping >= 0.0 && damping.is_finite(), "a damping that is finite and not negative");
        self.root_damping = damping.sqrt();
        self
    }

    /// One weighted nonzero gradient at coordinate `i`.
    fn step(&mut self, i: usize, gradient: f64) {
        let unit = fit(self.unit[i], self.squares[i], gradient);
        let ratio = self.unit[i] / unit;
        let (theta, squares) = (self.theta[i] * ratio, self.squares[i] * ratio * ratio);
        (self.theta[i], self.squares[i]) = kernel::tell(theta, squares, gradient / unit);
        self.unit[i] = unit;
    }

    /// The damping in units of coordinate `i`.
    fn damping(&self, i: usize) -> f64 {
        if self.root_damping == 0.0 {
            return 0.0;
        }
        let root = self.root_damping / self.unit[i];
        root * root
    }
}

impl<F: Float> Learner<F> for DualAdaGrad<F> {
    fn dim(&self) -> usize {
        self.theta.len()
    }

    fn at(&self, i: usize) -> F {
        place(self, i)
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }
}

impl<F: Float> Lazy<F> for DualAdaGrad<F> {
    fn centre(&self, _: usize) -> F {
        F::zero()
    }

    fn scale(&self) -> f64 {
        1.0
    }

    #[inline]
    fn direction(&self, i: usize) -> f64 {
        kernel::iterate(self.theta[i], self.squares[i], self.reach, self.damping(i))
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        gradient.each(|i, g| {
            let g = weigh(weight, g);
            if g != F::zero() {
                moved(i, self.direction(i));
                self.step(i, g.wide());
            }
        });
    }
}
