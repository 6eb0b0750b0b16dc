//! Online gradient descent with one adaptive rate.

use super::{Lazy, Learner, nearby, place, room_within};
use crate::memory::lengthen;
use crate::squares::weigh;
use crate::{Float, Grow, Radial, Squares, Vector};

/// Below this scale the direction is written anew, to keep it in range.
const SMALL: f64 = 1.0 / 65536.0;

/// Projected online gradient descent with a rate adapted to the norms seen.
///
/// *Update*: V ← V + ‖G_t‖², w ← Π_D(w − B·G_t/√(2V)), where G_t = α_t g_t and B is twice the reach of the domain.
/// Starts at the centre. Zero gradients change nothing, and a loss times a constant changes nothing.
///
/// *Guarantee*: R_T(u) ≤ B·√(2V_T) for u in a bounded domain (Streeter and McMahan 2010; Duchi et al. 2011). None in
/// the whole space, unless iterates happen to stay within B of u.
///
/// *Cost*: O(nnz) a step. The projection is one global factor; while it keeps shrinking the direction is rewritten at
/// every factor of 2^16, in O(d), which happens at most about √T times in T rounds.
///
/// ```
/// use surefoot::{Ball, Learner, OgdNorm};
/// let mut learner = OgdNorm::<f64, _>::new(2, Ball::new(1.0));
/// learner.tell(1.0, &[0.0, 3.0]);
/// assert_eq!([learner.at(0), learner.at(1)], [0.0, -1.0]);
/// assert_eq!(learner.regret_bound(), Some(2.0 * 18_f64.sqrt()));
/// ```
#[derive(Clone, Debug)]
pub struct OgdNorm<F, D> {
    domain: D,
    direction: Vec<F>,
    scale: f64,
    gradients: Squares,
    norm: Squares,
}

impl<F: Float, D: Radial<F>> OgdNorm<F, D> {
    /// At the centre of `domain`, in `dim` dimensions. The only allocation.
    pub fn new(dim: usize, domain: D) -> Self {
        let direction = vec![F::default(); dim];
        Self { domain, direction, scale: 1.0, gradients: Squares::default(), norm: Squares::default() }
    }

    /// The length, in the direction's units, of a step along a gradient as long as √(2V).
    fn stride(&self) -> f64 {
        2.0 * self.domain.reach() / self.scale
    }

    /// Writes the scale into the direction.
    fn renew(&mut self, mut moved: impl FnMut(usize, f64)) {
        let mut norm = Squares::default();
        for (i, u) in self.direction.iter_mut().enumerate() {
            moved(i, u.wide());
            *u = F::of(self.scale * u.wide());
            norm.add(u.wide());
        }
        self.norm = norm;
        self.scale = 1.0;
    }
}

impl<F: Float, D: Radial<F>> Learner<F> for OgdNorm<F, D> {
    fn dim(&self) -> usize {
        self.direction.len()
    }

    fn at(&self, i: usize) -> F {
        place(self, i)
    }

    /// The direction is up to 2^16 times as long as the iterate.
    fn room(&self, _: f64) -> f64 {
        room_within::<F>(self.domain.reach() / SMALL)
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| 2.0 * self.domain.reach() * self.gradients.root_of(2.0))
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        nearby(self.regret_bound(), self.domain.reach(), distance)
    }
}

impl<F: Float, D: Radial<F>> Lazy<F> for OgdNorm<F, D> {
    fn centre(&self, i: usize) -> F {
        self.domain.centre(i)
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    fn direction(&self, i: usize) -> f64 {
        self.direction[i].wide()
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        let size = Squares::of(weight, gradient).root();
        if size == 0.0 {
            return;
        }
        self.gradients.add(size);
        let (stride, root) = (self.stride(), self.gradients.root_of(2.0));
        gradient.each(|i, g| {
            let old = self.direction[i].wide();
            moved(i, old);
            self.direction[i] = F::of(old - stride * (weigh(weight, g).wide() / root));
            self.norm.change(old, self.direction[i].wide());
        });
        self.scale *= self.domain.shrink(self.scale * self.norm.root());
        if self.scale < SMALL {
            self.renew(moved);
        }
    }
}

impl<F: Float, D> Grow for OgdNorm<F, D> {
    fn grow(&mut self, dim: usize) {
        lengthen(&mut self.direction, dim);
    }
}
