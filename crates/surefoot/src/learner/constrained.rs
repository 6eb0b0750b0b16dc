//! The constraint reduction: turns a learner for the whole space into a learner for any domain with a projection.

use super::Learner;
use crate::{Float, Project, Squares, Vector};

/// A learner for a domain D, made from a base learner for the whole space.
///
/// *Update*: the base learner's iterate is z, and this learner's iterate is its projection w = Π_D(z). The unit vector
/// v = (z − w)/‖z − w‖ points out of D (v = 0 if z is in D). The base learner receives g̃ = g − min(0, ⟨g, v⟩)·v: the
/// part of the gradient that would push it further out is removed.
///
/// *Guarantee*: the regret against any u in D is at most that of the base learner on the modified gradients g̃, which
/// are not larger: ⟨g, w − u⟩ ≤ ⟨g̃, z − u⟩ and ‖g̃‖ ≤ ‖g‖. If the base learner has a domain of its own, that domain
/// must contain D: there is no guarantee against comparators outside of the base learner's domain.
///
/// *Cost*: O(d) per step, a projection, and a step of the base learner with a gradient that may be dense.
///
/// ```
/// use surefoot::{Constrained, FreeGrad, Learner, Simplex, WholeSpace};
/// let base = FreeGrad::<f64, _>::new(3, WholeSpace::new(1.0));
/// let mut learner = Constrained::new(base, Simplex::new(3));
/// for _ in 0..100 {
///     learner.tell(1.0, &[1.0, 0.0, 0.5]);
/// }
/// assert_eq!([learner.at(0), learner.at(1), learner.at(2)], [0.0, 1.0, 0.0]);
/// ```
///
/// Source: Cutkosky (2020), which saves a factor of 2 on Theorem 3 of Cutkosky and Orabona (2018).
#[derive(Clone, Debug)]
pub struct Constrained<F, L, D> {
    /// The base learner for the whole space, whose iterate is z.
    base: L,
    /// The domain D that contains all iterates.
    domain: D,
    /// The iterate w, the projection onto the domain of the base learner's iterate z.
    iterate: Vec<F>,
    /// The unit vector from the iterate w towards the base learner's iterate z; meaningless while `outside` is false.
    outward: Vec<F>,
    /// Whether the base learner's iterate z lies outside of the domain.
    outside: bool,
    /// Scratch space for the gradient that is passed to the base learner.
    told: Vec<F>,
    /// Upper bound on the distance from the base learner's initial iterate to any point of the domain; for comparators
    /// in the domain, its regret bound at this distance holds.
    furthest: f64,
}

impl<F: Float, L: Learner<F>, D: Project<F>> Constrained<F, L, D> {
    /// Wraps the learner `base` so that iterates stay in `domain`. Allocates O(d) memory; later calls do not allocate.
    pub fn new(base: L, domain: D) -> Self {
        let dim = base.dim();
        let mut apart = Squares::default();
        (0..dim).for_each(|i| apart.add(base.at(i).wide() - domain.centre(i).wide()));
        let furthest = apart.root() + domain.reach();
        let zeros = vec![F::zero(); dim];
        let (iterate, outward, told) = (zeros.clone(), zeros.clone(), zeros);
        let mut all = Self { base, domain, iterate, outward, outside: false, told, furthest };
        all.play();
        all
    }

    /// Returns the wrapped base learner, which plays in the whole space.
    pub fn base(&self) -> &L {
        &self.base
    }

    /// Sets the iterate to the projection of the base learner's iterate onto the domain, and updates `outward` and
    /// `outside`.
    fn play(&mut self) {
        for (i, w) in self.iterate.iter_mut().enumerate() {
            *w = self.base.at(i);
        }
        self.domain.project(&mut self.iterate);
        let away = |i: usize| self.base.at(i).wide() - self.iterate[i].wide();
        let mut squares = Squares::default();
        (0..self.iterate.len()).for_each(|i| squares.add(away(i)));
        let norm = squares.root();
        self.outside = norm > 0.0;
        if self.outside {
            (0..self.iterate.len()).for_each(|i| self.outward[i] = F::of(away(i) / norm));
        }
    }
}

impl<F: Float, L: Learner<F>, D: Project<F>> Learner<F> for Constrained<F, L, D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        self.iterate[i]
    }

    fn open(&mut self, weight: f64) {
        self.base.open(weight);
        self.play();
    }

    fn magnitude_budget(&self, weight: f64) -> f64 {
        // The gradient for the base learner is no longer than the original, so its 1-norm is at most √d times larger.
        self.base.magnitude_budget(weight) / (1.0 + self.iterate.len() as f64).sqrt()
    }

    fn is_stationary(&self) -> bool {
        self.base.is_stationary()
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        let mut along = 0.0;
        if self.outside {
            gradient.each(|i, g| along += g.wide() * self.outward[i].wide());
        }
        if along < 0.0 {
            self.told.iter_mut().zip(&self.outward).for_each(|(told, v)| *told = F::of(-along * v.wide()));
            gradient.each(|i, g| self.told[i] = F::of(self.told[i].wide() + g.wide()));
            self.base.tell(weight, &self.told);
        } else {
            self.base.tell(weight, gradient);
        }
        self.play();
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then_some(self.furthest).and_then(|furthest| self.base.regret_bound_at(furthest))
    }
}
