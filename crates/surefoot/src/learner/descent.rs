//! Projected online gradient descent on any domain with a projection, in O(d) per step.

use super::{Learner, room_within};
use crate::squares::weigh;
use crate::{Float, Project, Squares, Vector};

/// Projected online gradient descent like [`OgdNorm`](crate::OgdNorm), for domains whose projection couples all
/// coordinates.
///
/// *Update and guarantee*: those of [`OgdNorm`](crate::OgdNorm): the regret R_T(u) is at most B·√(2V_T), where B is
/// twice the domain's [`reach`](crate::Domain::reach) (largest distance from its centre), and V_T the sum of squared
/// norms of weighted gradients.
///
/// *Cost*: O(d) per step plus the projection. So `Descent` is not a [`Lazy`](crate::Lazy) learner, and
/// [`Anytime`](crate::Anytime) rejects it at compile time (first example), while [`DenseAnytime`](crate::DenseAnytime)
/// accepts it (second example):
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
    /// The domain D that contains all iterates.
    domain: D,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<F>,
    /// V, the sum of the squared norms of weighted gradients so far.
    gradients: Squares,
}

impl<F: Float, D: Project<F>> Descent<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
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
