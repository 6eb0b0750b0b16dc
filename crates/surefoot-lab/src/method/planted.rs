//! Methods with one planted error each, which the experiments must detect.

use surefoot::{AskTell, Hinted, Learner, Point, Vector};

use super::Solver;

/// Wrapper that delivers each hint (prediction of the next gradient) to a learner one round late, as in the printed
/// form of Algorithm 3.
pub(super) struct Late<L> {
    learner: L,
    waiting: Vec<f64>,
}

impl<L: Learner<f64>> Late<L> {
    pub(super) fn new(learner: L) -> Self {
        Self { waiting: vec![0.0; learner.dim()], learner }
    }
}

impl<L: Learner<f64>> Learner<f64> for Late<L> {
    fn dim(&self) -> usize {
        self.learner.dim()
    }

    fn at(&self, i: usize) -> f64 {
        self.learner.at(i)
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.learner.tell(weight, gradient);
    }
}

impl<L: Hinted<f64>> Hinted<f64> for Late<L> {
    fn hint<V: Vector<f64> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.learner.hint(1.0, &self.waiting);
        self.waiting.fill(0.0);
        hint.each(|i, h| self.waiting[i] = weight * h);
    }
}

/// Wrapper that multiplies each hint (prediction of the next gradient) for a learner by the weight of the previous
/// round.
pub(super) struct OldWeight<L> {
    learner: L,
    last: f64,
}

impl<L> OldWeight<L> {
    pub(super) fn new(learner: L) -> Self {
        Self { learner, last: 0.0 }
    }
}

impl<L: Learner<f64>> Learner<f64> for OldWeight<L> {
    fn dim(&self) -> usize {
        self.learner.dim()
    }

    fn at(&self, i: usize) -> f64 {
        self.learner.at(i)
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.last = weight;
        self.learner.tell(weight, gradient);
    }
}

impl<L: Hinted<f64>> Hinted<f64> for OldWeight<L> {
    fn hint<V: Vector<f64> + ?Sized>(&mut self, _: f64, hint: &V) {
        self.learner.hint(self.last, hint);
    }
}

/// Algorithm 1 with the misprinted output Σ α_i w_t/Σ α_i, which is the last iterate w_t instead of an average.
pub(super) struct LastIterate<L> {
    learner: L,
    step: u64,
    output: Vec<f64>,
}

impl<L: Learner<f64>> LastIterate<L> {
    pub(super) fn new(learner: L) -> Self {
        Self { step: 0, output: vec![0.0; learner.dim()], learner }
    }
}

impl<L: Learner<f64>> Solver for LastIterate<L> {
    fn query(&self, x: &mut [f64]) {
        self.iterate(x);
    }

    fn iterate(&self, w: &mut [f64]) {
        w.iter_mut().enumerate().for_each(|(i, w)| *w = self.learner.at(i));
    }

    fn output(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.output);
    }

    fn tell(&mut self, gradient: &[f64]) {
        self.step += 1;
        self.output.iter_mut().enumerate().for_each(|(i, x)| *x = self.learner.at(i));
        self.learner.tell(self.step as f64, gradient);
    }
}

/// Wrapper that gives a method the negative of every gradient, so that it ascends.
pub(super) struct Backwards(pub(super) Box<dyn Solver>);

impl Solver for Backwards {
    fn query(&self, x: &mut [f64]) {
        self.0.query(x);
    }

    fn iterate(&self, w: &mut [f64]) {
        self.0.iterate(w);
    }

    fn output(&self, x: &mut [f64]) {
        self.0.output(x);
    }

    fn tell(&mut self, gradient: &[f64]) {
        let opposite: Vec<f64> = gradient.iter().map(|g| -g).collect();
        self.0.tell(&opposite);
    }
}

/// Deliberate mistake (planted error): Algorithm 4 of Cutkosky (2019) with the output y_t = x_t − η_t g_t, whose averages continue from
/// the query x_t instead of y_t.
pub(super) struct Uncorrected<A> {
    method: A,
    /// Constant c·B by which the learning rates of the gradient steps are scaled.
    stride: f64,
    step: u64,
    squares: f64,
    last: Vec<f64>,
}

impl<A: AskTell<f64>> Uncorrected<A> {
    pub(super) fn new(method: A, stride: f64) -> Self {
        Self { last: vec![0.0; method.dim()], method, stride, step: 0, squares: 0.0 }
    }
}

impl<A: AskTell<f64> + Iterates> Solver for Uncorrected<A> {
    fn query(&self, x: &mut [f64]) {
        self.method.write(x);
    }

    fn iterate(&self, w: &mut [f64]) {
        w.iter_mut().enumerate().for_each(|(i, w)| *w = self.method.iterate_at(i));
    }

    fn output(&self, x: &mut [f64]) {
        self.method.output().write(x);
        x.iter_mut().zip(&self.last).for_each(|(x, step)| *x -= step);
    }

    fn tell(&mut self, gradient: &[f64]) {
        self.method.tell(gradient);
        self.step += 1;
        let total = (self.step * (self.step + 1)) as f64 / 2.0;
        self.squares += total * gradient.iter().map(|g| g * g).sum::<f64>();
        let rate = if self.squares > 0.0 { self.stride / self.squares.sqrt() } else { 0.0 };
        self.last.iter_mut().zip(gradient).for_each(|(step, g)| *step = rate * g);
    }
}

/// Access to the current iterate of the learner within an online-to-batch conversion.
pub(super) trait Iterates {
    fn iterate_at(&self, i: usize) -> f64;
}

impl<L: Learner<f64>, W: surefoot::Weights> Iterates for surefoot::DenseAnytime<f64, L, W> {
    fn iterate_at(&self, i: usize) -> f64 {
        self.learner().at(i)
    }
}

/// Deliberate mistake (planted error): Algorithm 4 of Cutkosky (2019) whose gradient steps all have the learning rate η_1 of the first
/// step.
pub(super) struct Stubborn<L> {
    learner: L,
    /// Constant c·B by which the learning rates of the gradient steps are scaled.
    stride: f64,
    rate: f64,
    step: u64,
    /// Output y_t of Algorithm 4, its current solution.
    output: Vec<f64>,
}

impl<L: Learner<f64>> Stubborn<L> {
    pub(super) fn new(learner: L, stride: f64) -> Self {
        Self { output: vec![0.0; learner.dim()], learner, stride, rate: 0.0, step: 0 }
    }
}

impl<L: Learner<f64>> Solver for Stubborn<L> {
    fn query(&self, x: &mut [f64]) {
        // The share α_t/A_t for α_t = t.
        let share = 2.0 / (self.step as f64 + 2.0);
        x.iter_mut().enumerate().for_each(|(i, x)| *x = share * self.learner.at(i) + (1.0 - share) * self.output[i]);
    }

    fn iterate(&self, w: &mut [f64]) {
        w.iter_mut().enumerate().for_each(|(i, w)| *w = self.learner.at(i));
    }

    fn output(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.output);
    }

    fn tell(&mut self, gradient: &[f64]) {
        let mut query = vec![0.0; gradient.len()];
        self.query(&mut query);
        self.step += 1;
        if self.step == 1 {
            self.rate = self.stride / gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        }
        for (i, y) in self.output.iter_mut().enumerate() {
            *y = query[i] - self.rate * gradient[i];
        }
        self.learner.tell(self.step as f64, gradient);
    }
}
