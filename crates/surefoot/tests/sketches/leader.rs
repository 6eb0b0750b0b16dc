//! Algorithm 2 with follow-the-leader on quadratic losses.

use surefoot::{AskTell, Learner, Point, Project, Quadratic, Rounds, Status, Vector, View, Weights};

/// The minimiser over the domain of all losses so far, w = Π(Σ α_i(μ x_i − g_i) / Σ α_i μ).
pub(crate) struct Leader<D> {
    domain: D,
    iterate: Vec<f64>,
    pull: Vec<f64>,
    curvature: f64,
}

impl<D: Project<f64>> Leader<D> {
    pub(crate) fn new(dim: usize, domain: D) -> Self {
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        Self { domain, iterate, pull: vec![0.0; dim], curvature: 0.0 }
    }

    fn follow(&mut self) {
        self.iterate.iter_mut().zip(&self.pull).for_each(|(w, pull)| *w = pull / self.curvature);
        self.domain.project(&mut self.iterate);
    }
}

impl<D: Project<f64>> Learner<f64> for Leader<D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> f64 {
        self.iterate[i]
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        gradient.each(|i, g| self.pull[i] -= weight * g);
        if self.curvature > 0.0 {
            self.follow();
        }
    }
}

impl<D: Project<f64>> Quadratic<f64> for Leader<D> {
    fn tell_quadratic<V, P>(&mut self, weight: f64, gradient: &V, curvature: f64, around: &P)
    where
        V: Vector<f64> + ?Sized,
        P: Point<f64>,
    {
        self.curvature += weight * curvature;
        for i in 0..self.dim() {
            self.pull[i] += weight * curvature * around.at(i);
        }
        self.tell(weight, gradient);
    }
}

/// The conversion: as the anytime one, but the learner is told the curvature μ around x_t.
pub(crate) struct General<L, W> {
    learner: L,
    curvature: f64,
    rounds: Rounds<W>,
    average: Vec<f64>,
}

impl<L: Quadratic<f64>, W: Weights> General<L, W> {
    pub(crate) fn new(learner: L, curvature: f64, weights: W) -> Self {
        let average = (0..learner.dim()).map(|i| learner.at(i)).collect();
        Self { learner, curvature, rounds: Rounds::new(weights), average }
    }
}

impl<L: Quadratic<f64>, W: Weights> AskTell<f64> for General<L, W> {
    fn dim(&self) -> usize {
        self.average.len()
    }

    fn query(&self) -> impl Point<f64> {
        let share = self.rounds.share();
        View::new(self.dim(), move |i| self.average[i] + share * (self.learner.at(i) - self.average[i]))
    }

    fn output(&self) -> impl Point<f64> {
        View::new(self.dim(), |i| self.average[i])
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, gradient: &V) {
        let Some(weight) = self.rounds.admit(self.dim(), gradient) else { return };
        let share = self.rounds.share();
        for i in 0..self.average.len() {
            self.average[i] += share * (self.learner.at(i) - self.average[i]);
        }
        self.rounds.close();
        let average = &self.average;
        self.learner.tell_quadratic(weight, gradient, self.curvature, &View::new(average.len(), |i| average[i]));
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        self.rounds.status()
    }
}
