//! V11: invariance of the methods under scaling of the loss and translation of the problem.

use crate::method::{Method, descend};
use crate::problem::{Chain, Facts, Problem};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "No method has a constant with units: with the loss multiplied by a power of two the output is the same to \
    the last bit, from 2^−800 to 2^800 (1e±240). With the 1 under the root, as Algorithm 4 is printed, it is not. Nor has any a \
    place of its own: with the problem and its ball or box moved by a vector, query and output move by it in every round, in exact arithmetic \
    for all methods, and in numbers by what rounding does to the moved coordinates. That is as they all start at the centre of \
    their domain. The whole space has 0 for its centre, and FreeGrad and the leader start there, moved problem or not: their \
    points move only if the caller moves the start, which is to ask at v + x in place of x.";

/// Nesterov's chain with its loss multiplied by a factor.
struct Times(Chain, f64);

impl Problem for Times {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        self.0.gradient(x, random, gradient);
        gradient.iter_mut().for_each(|g| *g *= self.1);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        self.0.excess(x)
    }

    fn facts(&self) -> Facts {
        self.0.facts()
    }
}

/// Part of the setup that is translated together with the minimiser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    /// Domain, at whose centre the methods start.
    Domain,
    /// Starting point: the domain stays, and the problem is evaluated at v + x for a point x of the method and the translation v.
    Start,
    /// Neither the domain nor the starting point, so that results must differ: a deliberate mistake.
    Nothing,
}

/// Nesterov's chain translated by the vector `by`.
struct Moved {
    problem: Chain,
    by: Vec<f64>,
    with: With,
}

impl Moved {
    /// Converts a point in the method's coordinates to a point of the translated problem.
    fn place(&self, x: &[f64]) -> Vec<f64> {
        let start = if self.with == With::Start { 1.0 } else { 0.0 };
        x.iter().zip(&self.by).map(|(x, v)| x + start * v).collect()
    }

    /// Converts a point in the method's coordinates to a point of the original problem.
    fn back(&self, x: &[f64]) -> Vec<f64> {
        self.place(x).iter().zip(&self.by).map(|(x, v)| x - v).collect()
    }
}

impl Problem for Moved {
    fn dim(&self) -> usize {
        self.problem.dim()
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        self.problem.gradient(&self.back(x), random, gradient);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        self.problem.excess(&self.back(x))
    }

    fn facts(&self) -> Facts {
        self.problem.facts()
    }

    fn centre(&self) -> Vec<f64> {
        if self.with == With::Domain { self.by.clone() } else { vec![0.0; self.dim()] }
    }
}

/// Returns all queries and outputs of a run on Nesterov's chain, translated by a vector of this length.
fn points(method: Method, with: With, length: f64, random: &Random) -> Vec<Vec<f64>> {
    let problem = Chain::new(65, 0.1);
    let by = (0..problem.dim()).map(|i| length * (1.0 + i as f64).sin()).collect();
    let (problem, mut points) = (Moved { problem, by, with }, Vec::new());
    descend(&problem, method, 200, &mut random.clone(), |round| {
        points.extend([problem.place(round.query), problem.place(&round.output())]);
    });
    points
}

/// Builds a row of the experiment that measures the largest difference between the points of a run on the translated problem and the
/// translated points of the original run, relative to their size.
fn moved(label: &str, method: Method, with: With) -> Row {
    Row::points(label, &[1e-3, 1.0, 1e3], move |length, random| {
        let (before, after) = (points(method, with, 0.0, &random), points(method, with, length, &random));
        let (mut size, mut worst) = (f64::MIN_POSITIVE, 0.0_f64);
        for (i, (x, y)) in before.iter().zip(&after).flat_map(|(x, y)| x.iter().zip(y).enumerate()) {
            size = size.max(x.abs()).max(y.abs());
            worst = worst.max((y - length * (1.0 + i as f64).sin() - x).abs());
        }
        Reading::of(worst / size)
    })
    .claim(Claim::Largest { most: 1e-12 })
}

/// Builds a row of the experiment that counts the output coordinates that change when the loss is multiplied by a power of two.
fn row(label: &str, method: Method) -> Row {
    let axis = [-800, -20, -1, 1, 20, 800].map(|k| 2_f64.powi(k));
    Row::points(label, &axis, move |factor, random| {
        let output = |factor| {
            let problem = Times(Chain::new(65, 0.1), factor);
            descend(&problem, method, 200, &mut random.clone(), |_| {}).output
        };
        let (one, other) = (output(1.0), output(factor));
        Reading::of(one.iter().zip(&other).filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64)
    })
    .claim(Claim::Largest { most: 0.0 })
}

pub(super) fn experiment(_: Form) -> Experiment {
    let fourth = |epsilon| Method::Accelerated { epsilon, query: false };
    let free = Method::Free { power: 0.0, wealth: 1.0 };
    let leader = Method::Leader { power: 1.0, curvature: 0.1, ball: false };
    let rows = vec![
        row("Algorithm 1 over OGD-norm", Method::Anytime { power: 1.0 }),
        row("Algorithm 1 over FreeGrad", Method::Free { power: 0.0, wealth: 1.0 }),
        row("Algorithm 3 over proximal", Method::Optimistic),
        row("Algorithm 3 over proximal, by coordinate", Method::Diagonal),
        row("Algorithm 3 over dual averaging", Method::Dual),
        row("Algorithm 4", fourth(0.0)),
        moved("moved, Algorithm 1 over OGD-norm", Method::Anytime { power: 1.0 }, With::Domain),
        moved("moved, queries between", Method::Between { power: 1.0, beta: 0.5 }, With::Domain),
        moved("moved, Algorithm 2", Method::Leader { power: 1.0, curvature: 0.1, ball: true }, With::Domain),
        moved("moved, Algorithm 3 over proximal", Method::Optimistic, With::Domain),
        moved("moved, Algorithm 3 over proximal, by coordinate", Method::Diagonal, With::Domain),
        moved("moved, Algorithm 3 over dual averaging", Method::Dual, With::Domain),
        moved("moved, Algorithm 4", fourth(0.0), With::Domain),
        moved("moved with its start, FreeGrad in the whole space", free, With::Start),
        moved("moved with its start, Algorithm 2 in the whole space", leader, With::Start),
        row("Algorithm 4 with ε = 1", fourth(1.0)).planted(),
        moved("moved, but for the ball", Method::Anytime { power: 1.0 }, With::Nothing).planted(),
        moved("moved, but for the start, FreeGrad", free, With::Nothing).planted(),
        moved("moved, but for the start, Algorithm 2", leader, With::Nothing).planted(),
    ];
    let (title, axis) = ("Other units, other places", "factor of the loss, or length of the move");
    let measured = "coordinates that differ, or distance";
    Experiment { name: "V11", title, about: ABOUT, axis, measured, bound: "none", rows }
}
