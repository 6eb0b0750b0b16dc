//! Methods from the literature, as baselines for comparison.

use surefoot::{Leader, Learner, Quadratic, View, WholeSpace};

use super::Solver;
use crate::problem::{Facts, norm};

/// Classic online-to-batch conversion with weights t^k over follow-the-leader: gradients are taken at the learner's iterates, and the
/// output is their weighted mean.
pub(super) struct ClassicLeader {
    learner: Leader<f64, WholeSpace>,
    power: f64,
    step: u64,
    total: f64,
    output: Vec<f64>,
}

impl ClassicLeader {
    pub(super) fn new(dim: usize, curvature: f64, power: f64) -> Self {
        let learner = Leader::new(dim, WholeSpace::new(1.0), curvature);
        Self { learner, power, step: 0, total: 0.0, output: vec![0.0; dim] }
    }
}

impl Solver for ClassicLeader {
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
        let weight = (self.step as f64).powf(self.power);
        self.total += weight;
        let mut iterate = vec![0.0; gradient.len()];
        self.iterate(&mut iterate);
        let share = weight / self.total;
        self.output.iter_mut().zip(&iterate).for_each(|(x, w)| *x += share * (w - *x));
        self.learner.tell_quadratic(weight, gradient, &View::new(iterate.len(), |i| iterate[i]));
    }
}

/// Accelerated stochastic approximation in a ball around 0, which is given the smoothness L, the noise σ, the radius and the number of
/// steps beforehand.
///
/// Source: Lan (2012), AC-SA with the steps of its Corollary 1.
pub(super) struct Told {
    radius: f64,
    /// Learning rate γ; step t uses (t + 1)/2 times γ.
    rate: f64,
    step: u64,
    iterate: Vec<f64>,
    output: Vec<f64>,
}

impl Told {
    pub(super) fn new(dim: usize, facts: &Facts, noise: f64, steps: u64) -> Self {
        let hidden = 6_f64.sqrt() * facts.radius / ((steps as f64 + 2.0).powf(1.5) * noise);
        let rate = hidden.min(0.5 / facts.smoothness);
        Self { radius: facts.radius, rate, step: 0, iterate: vec![0.0; dim], output: vec![0.0; dim] }
    }

    /// Returns the weight of the iterate in the query and in the output of the current round, where the previous output has the
    /// remaining weight.
    fn share(&self) -> f64 {
        2.0 / (self.step as f64 + 2.0)
    }
}

impl Solver for Told {
    fn query(&self, x: &mut [f64]) {
        let share = self.share();
        x.iter_mut().enumerate().for_each(|(i, x)| *x = share * self.iterate[i] + (1.0 - share) * self.output[i]);
    }

    fn iterate(&self, w: &mut [f64]) {
        w.copy_from_slice(&self.iterate);
    }

    fn output(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.output);
    }

    fn tell(&mut self, gradient: &[f64]) {
        let (share, rate) = (self.share(), self.rate / self.share());
        self.iterate.iter_mut().zip(gradient).for_each(|(w, g)| *w -= rate * g);
        let shrink = (self.radius / norm(&self.iterate).max(f64::MIN_POSITIVE)).min(1.0);
        self.iterate.iter_mut().for_each(|w| *w *= shrink);
        self.output.iter_mut().zip(&self.iterate).for_each(|(x, w)| *x = share * w + (1.0 - share) * *x);
        self.step += 1;
    }
}
