//! Projected online gradient descent with one adaptive learning rate for all coordinates, in O(nnz) per step.

use super::{Lazy, Learner, nearby, place, room_within};
use crate::memory::lengthen;
use crate::squares::weigh;
use crate::{Float, Grow, Radial, Squares, Vector};

/// Value of the scale s in the iterate centre + s·direction below which s is multiplied into the direction and reset to
/// 1, so that neither leaves the range of floating-point numbers.
const SMALL: f64 = 1.0 / 65536.0;

/// Projected online gradient descent with a learning rate that adapts to the gradient norms seen.
///
/// *Update*: V ← V + ‖G_t‖², w ← Π_D(w − B·G_t/√(2V)), where G_t = α_t g_t is the weighted gradient and B twice the
/// [`reach`](crate::Domain::reach) of the domain D. The initial iterate is the centre of D. Zero gradients change
/// nothing, and multiplying all losses by a constant changes nothing.
///
/// *Guarantee*: the regret R_T(u) is at most B·√(2V_T) for u in a bounded domain (Streeter and McMahan 2010; Duchi et
/// al. 2011). There is no guarantee in the whole space, unless iterates happen to stay within B of u.
///
/// *Cost*: O(nnz) per step. The projection is one global factor; each time it has shrunk by 2^16 the direction is
/// rewritten in O(d), which happens at most about √T times in T rounds.
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
    /// The domain that contains all iterates: a ball or the whole space.
    domain: D,
    /// The direction (w − centre)/scale of the iterate w, one number per coordinate.
    direction: Vec<F>,
    /// The factor s of the direction in the iterate w = centre + s·direction, common to all coordinates.
    scale: f64,
    /// V, the sum of the squared norms of weighted gradients so far.
    gradients: Squares,
    /// Squared Euclidean norm of the direction.
    norm: Squares,
}

impl<F: Float, D: Radial<F>> OgdNorm<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        let direction = vec![F::default(); dim];
        Self { domain, direction, scale: 1.0, gradients: Squares::default(), norm: Squares::default() }
    }

    /// Returns B/s, for B twice the domain's reach and the scale s in the iterate centre + s·direction: a weighted
    /// gradient G changes the direction by −(B/s)·G/√(2V).
    fn stride(&self) -> f64 {
        2.0 * self.domain.reach() / self.scale
    }

    /// Multiplies the direction by the scale and resets the scale to 1, which leaves the iterate unchanged; passes the
    /// index and the old value of every coordinate of the direction to `moved`.
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

    /// Returns the limit on the sum of absolute gradient entries up to which neither the iterate nor the direction
    /// overflows; the direction is up to 2^16 times as long as the iterate minus the centre.
    fn magnitude_budget(&self, _: f64) -> f64 {
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
