//! AdaGrad with one learning rate per coordinate, in a box.

use super::unit::fit;
use super::{Lazy, Learner, inner, nearby, room_within};
use crate::squares::weigh;
use crate::{Float, Separable, Vector, kernel};

/// AdaGrad: projected online gradient descent with an adaptive learning rate for each coordinate, in a box.
///
/// *Update*, per coordinate j, with weighted gradient G = α_t g_{t,j} and interval width B_j: S_j ← S_j + G², w_j ←
/// clip(w_j − B_j·G/√(2S_j)). The initial iterate is the centre of the box. Rescaling a coordinate does not change its
/// steps relative to B_j.
///
/// *Guarantee*: in a box, the regret R_T(u) is at most Σ_j B_j·√(2 S_{T,j}) for every u in it. Proof for one
/// coordinate, with the non-increasing rate η_t = B/√(2S_t): since clipping brings w nearer to u, G_t(w_t − u) ≤ ((w_t
/// − u)² − (w_{t+1} − u)²)/(2η_t) + η_t G_t²/2. The first terms telescope to at most B²/(2η_T) = B·√(S_T/2), as |w_t −
/// u| ≤ B and 1/η_t grows. The second terms sum to (B/(2√2))·Σ G_t²/√S_t ≤ B·√(S_T/2), because Σ G_t²/√S_t ≤ 2√S_T.
/// Together they give B·√(2S_T). The bounds of the coordinates add up. In the whole space there is no such bound.
///
/// *Cost*: O(nnz) per step; coordinates without a gradient do not move. Each coordinate scales its sum of squares by a
/// power of two of its own, so gradients of 1e-150 and of 1e150 neither under- nor overflow, even in one run.
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
    /// The domain that contains all iterates, a box.
    domain: D,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<F>,
    /// For each coordinate j, the sum S_j of its squared weighted gradients, divided by the square of `unit[j]`.
    squares: Vec<f64>,
    /// For each coordinate, the power of two by which its gradients are divided, so that their squares stay in range; 0
    /// before its first nonzero gradient.
    unit: Vec<f64>,
    /// Largest sum of absolute values of all weighted gradient entries of the run for which no number of the state
    /// overflows; returned by [`Learner::magnitude_budget`].
    magnitude_budget: f64,
}

impl<F: Float, D: Separable<F>> AdaGrad<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        let magnitude_budget = room_within::<F>(domain.reach());
        Self { domain, iterate, squares: vec![0.0; dim], unit: vec![0.0; dim], magnitude_budget }
    }

    /// Adds the weighted, nonzero `gradient` of coordinate `i` to its sum of squares, and takes the coordinate's
    /// gradient step.
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
