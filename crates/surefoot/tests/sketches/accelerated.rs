//! Algorithm 4: y_t = x_t − η_t g_t is the output, and the averages are taken from there. Its sum of weights times y_t
//! is that of Algorithm 1 less Σ A_i η_i g_i, one more sparse sum.

use surefoot::{AskTell, Average, Lazy, Linear, Point, Rounds, Squares, Status, Vector, View};

pub(crate) struct Accelerated<L> {
    learner: L,
    rounds: Rounds<Linear>,
    directions: Average,
    corrections: Vec<f64>,
    last: Vec<(usize, f64)>,
    squares: Squares,
    /// c·B.
    stride: f64,
}

impl<L: Lazy<f64>> Accelerated<L> {
    /// ε may be 0: then the method has no constant with units.
    pub(crate) fn new(learner: L, diameter: f64, c: f64, epsilon: f64) -> Self {
        let (dim, mut squares) = (learner.dim(), Squares::default());
        squares.add(epsilon);
        Self {
            learner,
            rounds: Rounds::new(Linear),
            directions: Average::new(dim),
            corrections: vec![0.0; dim],
            last: Vec::with_capacity(dim),
            squares,
            stride: c * diameter,
        }
    }

    fn point(&self, share: f64) -> impl Point<f64> {
        let total = self.rounds.total();
        View::new(self.learner.dim(), move |i| {
            let direction = self.learner.direction(i);
            let sum = self.directions.mass() * self.directions.at(i, direction) - self.corrections[i];
            let average = if total > 0.0 { share / total * sum } else { 0.0 };
            self.learner.centre(i) + average + (1.0 - share) * self.learner.scale() * direction
        })
    }

    /// x_t, where the last gradient was taken.
    pub(crate) fn main(&self) -> impl Point<f64> {
        let output = self.output();
        View::new(self.dim(), move |i| {
            let undone = self.last.iter().find(|(j, _)| *j == i).map_or(0.0, |(_, step)| *step);
            output.at(i) + undone
        })
    }
}

impl<L: Lazy<f64>> AskTell<f64> for Accelerated<L> {
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
        let (scale, directions) = (self.learner.scale(), &mut self.directions);
        self.rounds.close();
        let total = self.rounds.total();
        directions.advance(weight * scale);
        if directions.is_stale(total * scale) {
            directions.rebase(total * scale, |i| self.learner.direction(i));
        }
        self.squares.add(total.sqrt() * Squares::of(1.0, gradient).root());
        let rate = if self.squares.root() > 0.0 { self.stride / self.squares.root() } else { 0.0 };
        self.last.clear();
        gradient.each(|i, g| {
            self.last.push((i, rate * g));
            self.corrections[i] += total * rate * g;
        });
        self.learner.tell_moved(weight, gradient, |i, old| directions.touch(i, old));
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        self.rounds.status()
    }
}
