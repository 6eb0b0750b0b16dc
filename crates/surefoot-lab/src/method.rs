//! The optimisation methods compared in experiments, correct ones and ones with a planted error, and the loop that runs them. Numbers of
//! algorithms are those of Cutkosky (2019, arXiv 1903.00974).
//!
//! In round t, α_t is the weight and A_t the sum of the weights so far; q_t is the query (the point at which the gradient g_t is taken), w_t
//! the learner's iterate, and x_t the average of the iterates. Algorithm 4 has the output y_t.

mod baseline;
mod planted;

use surefoot::{
    Accelerated, Anytime, AskTell, Ball, BoxDomain, DenseAnytime, DiagonalProximal, DualAveraging, FreeGrad, General,
    Leader, Learner, OgdNorm, OnlineNewton, Optimistic, Point, Power, Proximal, WholeSpace,
};

use crate::Random;
use crate::problem::{Facts, Problem};
use baseline::{ClassicLeader, Told};
use planted::{Backwards, LastIterate, Late, OldWeight, Stubborn, Uncorrected};

/// Optimisation method: an algorithm of Cutkosky (2019) over an online learner. `power` is the exponent k of the weights α_t = t^k of the
/// rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    /// Algorithm 1 (anytime conversion) over OGD-norm (online gradient descent with an adaptive learning rate).
    Anytime { power: f64 },
    /// Algorithm 1 over OGD-norm (online gradient descent with an adaptive learning rate), with queries βx_t + (1−β)w_t between the iterate
    /// w_t and the average x_t.
    Between { power: f64, beta: f64 },
    /// Algorithm 1 over FreeGrad (a parameter-free learner) in the whole space, with this initial wealth.
    Free { power: f64, wealth: f64 },
    /// Algorithm 2 (for strongly convex losses) over follow-the-leader, given the strong convexity `curvature`; in the ball if `ball`,
    /// otherwise in the whole space.
    Leader { power: f64, curvature: f64, ball: bool },
    /// Algorithm 3 (with hints) over proximal follow-the-regularised-leader.
    Optimistic,
    /// Algorithm 3 (with hints) over proximal follow-the-regularised-leader with one learning rate per coordinate, in a cube of half-width 1.
    Diagonal,
    /// Algorithm 3 (with hints) over dual averaging.
    Dual,
    /// Algorithm 4 (accelerated) over OGD-norm. Its output is the last query x_T if `query`, otherwise the corrected point y_T.
    Accelerated { epsilon: f64, query: bool },
    /// Algorithm 4 (accelerated) over OGD-norm, with the step constant c doubled.
    Doubled { epsilon: f64 },
    /// Algorithm 2 over the online Newton step with parameters γ and ε in the ball, with weights α_t = 1.
    Newton { gamma: f64, epsilon: f64 },
    /// Classic online-to-batch conversion (average of the learner's iterates) of follow-the-leader in the whole space, given the strong
    /// convexity `curvature`.
    ClassicLeader { power: f64, curvature: f64 },
    /// Classic online-to-batch conversion (average of the learner's iterates) of dual averaging with hints.
    ClassicDual,
    /// Lan's accelerated stochastic approximation, which is given the noise σ, the number T of steps, the smoothness L and the radius of
    /// the ball beforehand.
    Told { noise: f64, steps: u64 },
    /// Deliberate mistake (planted error): Algorithm 1 with the misprinted output Σ α_i w_t/A_t, in place of Σ α_i w_i/A_t.
    LastIterate { power: f64 },
    /// Deliberate mistake (planted error): Algorithm 1 that gets the negative of every gradient, so that it ascends.
    Backwards { power: f64 },
    /// Deliberate mistake (planted error): Algorithm 3 without its hints.
    NoHint,
    /// Deliberate mistake (planted error): Algorithm 3 whose hints arrive one round late.
    LateHint,
    /// Algorithm 3 whose hints are multiplied by the weight of the previous round instead of the current one, which does no harm.
    OldWeight,
    /// Deliberate mistake (planted error): Algorithm 4 whose averages continue from the query x_{t−1} instead of the corrected point
    /// y_{t−1}.
    Uncorrected,
    /// Deliberate mistake (planted error): Algorithm 4 that keeps the learning rate of its first gradient step in all steps.
    Stubborn,
}

/// Interface through which the loop over rounds runs a method: it asks for a query and reports the gradient at this point.
pub(crate) trait Solver {
    /// Writes the current query, the point at which the next gradient is to be taken, to `x`.
    fn query(&self, x: &mut [f64]);
    /// Writes the learner's current iterate to `w`.
    fn iterate(&self, w: &mut [f64]);
    /// Writes the current output of the method to `x`.
    fn output(&self, x: &mut [f64]);
    fn tell(&mut self, gradient: &[f64]);
}

/// Adapter that makes an algorithm of the library a [`Solver`], with functions that read its learner's iterate and its output.
struct Of<A, I, O> {
    method: A,
    iterate: I,
    output: O,
}

impl<A, I, O> Solver for Of<A, I, O>
where
    A: AskTell<f64>,
    I: Fn(&A, usize) -> f64,
    O: Fn(&A, &mut [f64]),
{
    fn query(&self, x: &mut [f64]) {
        self.method.write(x);
    }

    fn iterate(&self, w: &mut [f64]) {
        w.iter_mut().enumerate().for_each(|(i, w)| *w = (self.iterate)(&self.method, i));
    }

    fn output(&self, x: &mut [f64]) {
        (self.output)(&self.method, x);
    }

    fn tell(&mut self, gradient: &[f64]) {
        self.method.tell(gradient);
    }
}

fn of<A: AskTell<f64> + 'static>(method: A, iterate: impl Fn(&A, usize) -> f64 + 'static) -> Box<dyn Solver> {
    Box::new(Of { method, iterate, output: |method: &A, x: &mut [f64]| method.output().write(x) })
}

impl Method {
    /// Returns the exponent k of the weights α_t = t^k of the rounds.
    pub(crate) fn power(self) -> f64 {
        match self {
            Self::Anytime { power }
            | Self::Between { power, .. }
            | Self::Free { power, .. }
            | Self::Leader { power, .. }
            | Self::ClassicLeader { power, .. }
            | Self::LastIterate { power }
            | Self::Backwards { power } => power,
            Self::Newton { .. } => 0.0,
            Self::Optimistic
            | Self::Diagonal
            | Self::Doubled { .. }
            | Self::ClassicDual
            | Self::Told { .. }
            | Self::Stubborn
            | Self::Dual
            | Self::Accelerated { .. }
            | Self::NoHint
            | Self::LateHint
            | Self::OldWeight
            | Self::Uncorrected => 1.0,
        }
    }

    /// Prepares the method for a problem with these constants, in the ball around `centre`. Methods for the whole space start at 0 whatever
    /// the centre.
    pub(crate) fn solver(self, centre: &[f64], facts: &Facts) -> Box<dyn Solver> {
        let (dim, weights) = (centre.len(), Power(self.power()));
        let ball = Ball::<f64>::around(centre.to_vec(), facts.radius);
        let ogd = || OgdNorm::<f64, _>::new(dim, ball.clone());
        let proximal = || Proximal::<f64, _>::new(dim, ball.clone());
        match self {
            Self::Anytime { .. } => of(Anytime::new(ogd(), weights), |m, i| m.learner().at(i)),
            Self::Between { beta, .. } => of(Anytime::new(ogd(), weights).interpolate(beta), |m, i| m.learner().at(i)),
            Self::Free { wealth, .. } => {
                let learner = FreeGrad::<f64, _>::new(dim, WholeSpace::new(wealth));
                of(Anytime::new(learner, weights), |m, i| m.learner().at(i))
            }
            Self::Leader { curvature, ball: true, .. } => {
                of(General::new(Leader::<f64, _>::new(dim, ball, curvature), weights), |m, i| m.learner().at(i))
            }
            Self::Leader { curvature, .. } => {
                let learner = Leader::<f64, _>::new(dim, WholeSpace::new(1.0), curvature);
                of(General::new(learner, weights), |m, i| m.learner().at(i))
            }
            Self::Optimistic => of(Optimistic::dense(proximal(), weights), |m, i| m.method().learner().at(i)),
            Self::Diagonal => {
                let [lower, upper] = [-1.0, 1.0].map(|half| centre.iter().map(|c| c + half).collect());
                let learner = DiagonalProximal::<f64, _>::new(dim, BoxDomain::new(lower, upper));
                of(Optimistic::dense(learner, weights), |m, i| m.method().learner().at(i))
            }
            Self::Dual => {
                let learner = DualAveraging::<f64, _>::new(dim, ball);
                of(Optimistic::new(learner, weights), |m, i| m.method().learner().at(i))
            }
            Self::Accelerated { epsilon, query } => {
                let method = Accelerated::new(ogd(), facts.diameter()).with_epsilon(epsilon);
                let output = move |method: &Accelerated<f64, _>, x: &mut [f64]| {
                    if query { method.main().write(x) } else { method.output().write(x) }
                };
                let iterate = |method: &Accelerated<f64, Anytime<f64, OgdNorm<f64, Ball<f64>>, _>>, i| {
                    method.method().learner().at(i)
                };
                Box::new(Of { method, iterate, output })
            }
            Self::Doubled { epsilon } => {
                let method = Accelerated::new(ogd(), facts.diameter()).with_kappa(8_f64.sqrt()).with_epsilon(epsilon);
                of(method, |m, i| m.method().learner().at(i))
            }
            Self::Newton { gamma, epsilon } => {
                let learner = OnlineNewton::<f64, _>::new(dim, ball, gamma, epsilon);
                of(General::new(learner, weights), |m, i| m.learner().at(i))
            }
            Self::ClassicLeader { power, curvature } => Box::new(ClassicLeader::new(dim, curvature, power)),
            Self::ClassicDual => {
                let method = Anytime::new(DualAveraging::<f64, _>::new(dim, ball), weights).interpolate(0.0);
                of(Optimistic::over(method), |m, i| m.method().learner().at(i))
            }
            Self::Told { noise, steps } => Box::new(Told::new(dim, facts, noise, steps)),
            Self::LastIterate { .. } => Box::new(LastIterate::new(ogd())),
            Self::Backwards { power } => Box::new(Backwards(Self::Anytime { power }.solver(centre, facts))),
            Self::NoHint => of(DenseAnytime::new(proximal(), weights), |m, i| m.learner().at(i)),
            Self::LateHint => of(Optimistic::dense(Late::new(proximal()), weights), |m, i| m.method().learner().at(i)),
            Self::OldWeight => {
                of(Optimistic::dense(OldWeight::new(proximal()), weights), |m, i| m.method().learner().at(i))
            }
            Self::Stubborn => Box::new(Stubborn::new(ogd(), 2.0 * facts.diameter())),
            Self::Uncorrected => {
                let method = DenseAnytime::new(ogd(), weights);
                Box::new(Uncorrected::new(method, 2.0 * facts.diameter()))
            }
        }
    }
}

/// Completed round of a run, passed to a callback of [`descend`] to take measurements.
pub(crate) struct Round<'a> {
    pub(crate) step: u64,
    /// Weight α_t of this round; [`Round::total`] is the sum A_t of the weights so far.
    pub(crate) weight: f64,
    pub(crate) total: f64,
    /// Query q_t; [`Round::iterate`] is the learner's iterate w_t, and [`Round::gradient`] the gradient g_t at q_t.
    pub(crate) query: &'a [f64],
    pub(crate) iterate: &'a [f64],
    pub(crate) gradient: &'a [f64],
    solver: &'a dyn Solver,
}

impl Round<'_> {
    /// Returns the output of the method after this round.
    pub(crate) fn output(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.query.len()];
        self.solver.output(&mut x);
        x
    }

    /// Returns the learner's iterate for the next round.
    pub(crate) fn next(&self) -> Vec<f64> {
        let mut w = vec![0.0; self.query.len()];
        self.solver.iterate(&mut w);
        w
    }
}

/// Result of a run of T rounds: its output, with sums over its rounds.
pub(crate) struct Run {
    pub(crate) output: Vec<f64>,
    /// Sum A_T of the weights α_t.
    pub(crate) total: f64,
    /// Σ α_t²‖g_t‖², the sum of the squared weighted gradients.
    pub(crate) squares: f64,
    /// Σ α_t²‖g_t − g_{t−1}‖², the sum of the squared errors of the previous gradient as a hint, with g_0 = 0.
    pub(crate) errors: f64,
    /// Λ_T = Σ A_t‖g_t‖²/(ε² + Σ_{i≤t} A_i‖g_i‖²), which appears in the bounds of Algorithm 4.
    pub(crate) growth: f64,
}

/// Runs a method on a problem for `steps` rounds, and calls `see` after every round.
pub(crate) fn descend(
    problem: &dyn Problem,
    method: Method,
    steps: u64,
    random: &mut Random,
    mut see: impl FnMut(&Round<'_>),
) -> Run {
    let (dim, facts) = (problem.dim(), problem.facts());
    let mut solver = method.solver(&problem.centre(), &facts);
    let [mut query, mut iterate, mut gradient, mut last] = [(); 4].map(|()| vec![0.0; dim]);
    let epsilon = match method {
        Method::Accelerated { epsilon, .. } | Method::Doubled { epsilon } => epsilon,
        _ => 0.0,
    };
    let (mut total, mut squares, mut errors, mut growth, mut sum) = (0.0, 0.0, 0.0, 0.0, epsilon * epsilon);
    for step in 1..=steps {
        let weight = (step as f64).powf(method.power());
        total += weight;
        solver.query(&mut query);
        solver.iterate(&mut iterate);
        problem.gradient(&query, random, &mut gradient);
        solver.tell(&gradient);
        let size = gradient.iter().map(|g| g * g).sum::<f64>();
        let error = gradient.iter().zip(&last).map(|(g, last)| (g - last).powi(2)).sum::<f64>();
        squares += weight * weight * size;
        errors += weight * weight * error;
        sum += total * size;
        growth += if sum > 0.0 { total * size / sum } else { 0.0 };
        let (query, iterate, gradient) = (&query, &iterate, &gradient);
        see(&Round { step, weight, total, query, iterate, gradient, solver: &*solver });
        last.copy_from_slice(gradient);
    }
    let mut output = vec![0.0; dim];
    solver.output(&mut output);
    Run { output, total, squares, errors, growth }
}
