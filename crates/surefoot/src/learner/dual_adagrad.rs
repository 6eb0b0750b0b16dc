//! AdaGrad in its dual-averaging form, with one learning rate per coordinate, in the whole space.

use std::marker::PhantomData;

use super::unit::fit;
use super::{Lazy, Learner, place};
use crate::squares::weigh;
use crate::{Float, Vector, kernel};

/// AdaGrad by dual averaging, with a learning rate for each coordinate, in the whole space.
///
/// *Update*, per coordinate j, with θ_j = −Σ α_t g_{t,j} and S_j = Σ (α_t g_{t,j})²: w_j = D·θ_j/√(S_j + c), and w_j =
/// 0 before the first gradient. D, in the unit of the solution, is the size of a coordinate's first step if c = 0. The
/// damping c ≥ 0, in units of α²g², makes that step smaller; as c has units, the learner is scale-free for c = 0 only.
///
/// *Guarantee*: none. A regret bound requires a bound on the iterates; if a guarantee is needed, use
/// [`AdaGrad`](crate::AdaGrad) in a box. In practice it is a strong learner for linear models.
///
/// *Cost*: O(nnz) per step. Sums are kept in `f64`, as in [`AdaGrad`](crate::AdaGrad), so that the learning rate
/// continues to decrease after 10⁷ rounds.
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
    /// D, the size of each coordinate's first step if the damping c is 0.
    reach: f64,
    /// √c, where the damping c is added to each coordinate's sum of squared gradients.
    root_damping: f64,
    /// For each coordinate j, the negative sum θ_j of its weighted gradients, divided by `unit[j]`.
    theta: Vec<f64>,
    /// For each coordinate j, the sum S_j of its squared weighted gradients, divided by the square of `unit[j]`.
    squares: Vec<f64>,
    /// For each coordinate, the power of two by which its gradients are divided, so that their squares stay in range; 0
    /// before its first nonzero gradient.
    unit: Vec<f64>,
    arrays: PhantomData<F>,
}

impl<F: Float> DualAdaGrad<F> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at 0 and no damping; `scale` is the size D of
    /// each coordinate's first step. Later calls do not allocate.
    ///
    /// # Panics
    /// If `scale` is not positive and finite.
    pub fn new(dim: usize, scale: f64) -> Self {
        assert!(scale > 0.0 && scale.is_finite(), "a positive scale");
        let (zeros, arrays) = (vec![0.0; dim], PhantomData);
        Self { reach: scale, root_damping: 0.0, theta: zeros.clone(), squares: zeros.clone(), unit: zeros, arrays }
    }

    /// Sets the damping c, which is added to each coordinate's sum of squared gradients, to `damping`; the default is
    /// 0.
    ///
    /// # Panics
    /// If `damping` is negative or not finite.
    #[must_use]
    pub fn with_damping(mut self, damping: f64) -> Self {
        assert!(damping >= 0.0 && damping.is_finite(), "a damping that is finite and not negative");
        self.root_damping = damping.sqrt();
        self
    }

    /// Adds the weighted, nonzero `gradient` of coordinate `i` to its sums, from which the iterate is computed when it
    /// is read.
    fn step(&mut self, i: usize, gradient: f64) {
        let unit = fit(self.unit[i], self.squares[i], gradient);
        let ratio = self.unit[i] / unit;
        let (theta, squares) = (self.theta[i] * ratio, self.squares[i] * ratio * ratio);
        (self.theta[i], self.squares[i]) = kernel::tell(theta, squares, gradient / unit);
        self.unit[i] = unit;
    }

    /// Returns the damping c divided by the square of `unit[i]`, comparable to `squares[i]`.
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
