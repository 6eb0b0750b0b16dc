//! Online gradient descent on any domain with a projection.

use super::{Learner, room_within};
use crate::squares::weigh;
use crate::{Float, Project, Squares, Vector};

/// Projected online gradient descent like [`OgdNorm`](crate::OgdNorm), for domains whose projection couples all
/// coordinates.
///
/// *Update and guarantee*: those of [`OgdNorm`](crate::OgdNorm), R_T(u) ≤ B·√(2V_T) with B twice the reach.
///
/// *Cost*: O(d) per step, or the cost of the projection; so it is not a [`Lazy`](crate::Lazy) learner, and is used with
/// [`DenseAnytime`](crate::DenseAnytime):
///
/// ```compile_fail,E0277
/// use surefoot::{Anytime, Ball, Descent, Uniform};
/// Anytime::new(Descent::<f64, _>::new(2, Ball::new(1.0)), Uniform);
/// ```
///
/// ```
/// use surefoot::{AskTell, Ball, DenseAnytime, Descent, Uniform};
/// let mut method = DenseAnytime::new(Descent::<f64, _>::new(2, Ball::new(1.0)), Uniform);
/// method.tell(&[1.0, 0.0]);
/// assert_eq!(method.at(0), -0.5);
/// ```
#[derive(Clone, Debug)]
pub struct Descent<F, D> {
    /// The domain D of the iterates.
    domain: D,
    /// The current iterate w, by coordinate.
    iterate: Vec<F>,
    /// V, the sum of squared norms of weighted gradients.
    gradients: Squares,
}

impl<F: Float, D: Project<F>> Descent<F, D> {
    /// Creates the learner at the centre of `domain`, in `dim` dimensions. No later call allocates.
    pub fn new(dim: usize, domain: D) -> Self {
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        Self { domain, iterate, gradients: Squares::default() }
    }
}

impl<F: Float, D: Project<F>> Learner<F> for Descent<F, D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        self.iterate[i]
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        room_within::<F>(self.domain.reach())
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        let size = Squares::of(weight, gradient).root();
        if size == 0.0 {
            return;
        }
        self.gradients.add(size);
        let (stride, root) = (2.0 * self.domain.reach(), self.gradients.root_of(2.0));
        gradient.each(|i, g| {
            self.iterate[i] = F::of(self.iterate[i].wide() - stride * (weigh(weight, g).wide() / root));
        });
        self.domain.project(&mut self.iterate);
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| 2.0 * self.domain.reach() * self.gradients.root_of(2.0))
    }
}
