//! Algorithm 3: the hint for a round is the last gradient, announced with the weight of the new round.

use surefoot::{AskTell, Average, LazyHinted, Point, Rounds, Status, Vector, View, Weights};

pub(crate) struct Optimistic<L, W> {
    learner: L,
    rounds: Rounds<W>,
    directions: Average,
}

impl<L: LazyHinted<f64>, W: Weights> Optimistic<L, W> {
    pub(crate) fn new(learner: L, weights: W) -> Self {
        Self { directions: Average::new(learner.dim()), rounds: Rounds::new(weights), learner }
    }

    fn point(&self, share: f64) -> impl Point<f64> {
        let (learner, directions) = (&self.learner, &self.directions);
        let factor = if share > 0.0 { directions.mass() / self.rounds.total() } else { 0.0 };
        View::new(learner.dim(), move |i| {
            let direction = learner.direction(i);
            let average = factor * directions.at(i, direction);
            learner.centre(i) + share * average + (1.0 - share) * learner.scale() * direction
        })
    }
}

impl<L: LazyHinted<f64>, W: Weights> AskTell<f64> for Optimistic<L, W> {
    fn dim(&self) -> usize {
        self.learner.dim()
    }

    fn query(&self) -> impl Point<f64> {
        self.point(1.0 - self.rounds.share())
    }

    fn output(&self) -> impl Point<f64> {
        self.point(if self.steps() > 0 { 1.0 } else { 0.0 })
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, gradient: &V) {
        let Some(weight) = self.rounds.admit(self.dim(), gradient) else { return };
        let (scale, learner, directions) = (self.learner.scale(), &mut self.learner, &mut self.directions);
        self.rounds.close();
        directions.advance(weight * scale);
        let fresh = self.rounds.total() * scale;
        if directions.is_stale(fresh) {
            directions.rebase(fresh, |i| learner.direction(i));
        }
        learner.tell_moved(weight, gradient, |i, old| directions.touch(i, old));
        learner.hint_moved(self.rounds.next(), gradient, |i, old| directions.touch(i, old));
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        self.rounds.status()
    }
}
