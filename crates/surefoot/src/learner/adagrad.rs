//! AdaGrad with one learning rate per coordinate, in a box.

use super::unit::fit;
use super::{Lazy, Learner, inner, nearby, room_within};
use crate::squares::weigh;
use crate::{Float, Separable, Vector, kernel};

/// Projected online gradient descent with a learning rate for each coordinate.
///
/// *Update*, per coordinate, with G = α_t g_{t,j} and B_j the width of the interval: S_j ← S_j + G², w_j ← clip(w_j −
/// B_j·G/√(2S_j)). The initial iterate is the centre. Rescaling a coordinate does not change its steps relative to B_j.
///
/// *Guarantee*: in a box, R_T(u) ≤ Σ_j B_j·√(2 S_{T,j}) for every u in it. Proof for one coordinate, with the
/// non-increasing rate η_t = B/√(2S_t): since clipping brings w nearer to u, G_t(w_t − u) ≤ ((w_t − u)² − (w_{t+1} −
/// u)²)/(2η_t) + η_t G_t²/2. The first terms telescope to at most B²/(2η_T) = B·√(S_T/2), as |w_t − u| ≤ B and 1/η_t
/// grows. The second terms sum to (B/(2√2))·Σ G_t²/√S_t ≤ B·√(S_T/2), because Σ G_t²/√S_t ≤ 2√S_T. Together they give
/// B·√(2S_T). The bounds of the coordinates add up. In the whole space there is no such bound.
///
/// *Cost*: O(nnz) per step; coordinates without a gradient do not move. Each coordinate stores its sum in a scale of
/// its own, a power of two, so gradients of 1e-150 and of 1e150 are fine, even in one run.
///
/// ```
/// use surefoot::{AdaGrad, BoxDomain, Learner};
/// let mut learner = AdaGrad::<f64, _>::new(2, BoxDomain::cube(2, 1.0));
/// learner.tell(1.0, &[0.0, 1e200]);
/// learner.tell(1.0, &[0.0, -1e200]);
/// assert_eq!([learner.at(0), learner.at(1)], [0.0, 0.0]); // −2/√2 clipped to −1, then back by 2/√4
/// ```
///
/// A ball is rejected at compile time, since it is not a product of intervals:
///
/// ```compile_fail,E0277
/// use surefoot::{AdaGrad, Ball};
/// AdaGrad::<f64, _>::new(2, Ball::new(1.0));
/// ```
///
/// Source: McMahan and Streeter (2010); Duchi, Hazan and Singer (2011).
#[derive(Clone, Debug)]
pub struct AdaGrad<F, D> {
    /// The domain of the iterates, a box.
    domain: D,
    /// The current iterate w, by coordinate.
    iterate: Vec<F>,
    /// Sum of squared weighted gradients S_j of each coordinate, divided by unit_j².
    squares: Vec<f64>,
    /// Scale of each coordinate: a power of two, 0 before its first gradient.
    unit: Vec<f64>,
    /// The largest sum of gradient sizes that keeps the numbers finite, as [`Learner::magnitude_budget`] returns it.
    magnitude_budget: f64,
}

impl<F: Float, D: Separable<F>> AdaGrad<F, D> {
    /// Creates the learner at the centre of `domain`, in `dim` dimensions. No later call allocates.
    pub fn new(dim: usize, domain: D) -> Self {
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        let magnitude_budget = room_within::<F>(domain.reach());
        Self { domain, iterate, squares: vec![0.0; dim], unit: vec![0.0; dim], magnitude_budget }
    }

    /// Updates coordinate `i` with a weighted nonzero gradient.
    fn step(&mut self, i: usize, gradient: f64) {
        let unit = fit(self.unit[i], self.squares[i], gradient);
        let ratio = self.unit[i] / unit;
        let share = gradient / unit;
        self.unit[i] = unit;
        self.squares[i] = kernel::tell(0.0, self.squares[i] * ratio * ratio, share).1;
        let width = self.domain.width(i).wide();
        let free = kernel::descend(self.iterate[i].wide(), self.squares[i], width, share);
        self.iterate[i] = self.domain.clip(i, F::of(free));
    }
}

impl<F: Float, D: Separable<F>> Learner<F> for AdaGrad<F, D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        self.iterate[i]
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        self.magnitude_budget
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        let root = |i: usize| self.unit[i] * (2.0 * self.squares[i]).sqrt();
        let sum = || (0..self.dim()).map(|i| self.domain.width(i).wide() * root(i)).sum();
        self.domain.bounded().then(sum)
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        nearby(self.regret_bound(), inner(&self.domain, self.dim()), distance)
    }
}

impl<F: Float, D: Separable<F>> Lazy<F> for AdaGrad<F, D> {
    fn centre(&self, _: usize) -> F {
        F::zero()
    }

    fn scale(&self) -> f64 {
        1.0
    }

    fn direction(&self, i: usize) -> f64 {
        self.iterate[i].wide()
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
