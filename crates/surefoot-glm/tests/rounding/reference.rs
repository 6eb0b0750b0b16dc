//! Reference objectives and minima with many digits, by Newton's method from the optimum that the tested search found.

use super::big::{Big, abs, big, exp, larger, number, softplus, solve, zero};
use super::hostile::Problem;
use surefoot_glm::Loss;

/// Returns the objective of a model, and the least objective found from there by Newton's method, an upper bound on the
/// true minimum.
pub(super) fn values(problem: &Problem, weights: &[f64], intercept: &[f64]) -> (Big, Big) {
    match problem.loss {
        Loss::Ovr => {
            let mut sums = (zero(), zero());
            for k in 0..problem.classes {
                let mut one = problem.clone();
                (one.loss, one.classes) = (Loss::Logistic, 1);
                one.rows.iter_mut().for_each(|row| row.label = if row.label == k as f64 { 1.0 } else { -1.0 });
                let weights: Vec<f64> = weights.iter().skip(k).step_by(problem.classes).copied().collect();
                let (here, least) = values(&one, &weights, &intercept[k..=k]);
                sums = (sums.0 + here, sums.1 + least);
            }
            sums
        }
        _ => Search::new(problem).run(weights, intercept),
    }
}

/// Loss of one row with its gradient and Hessian in the margins.
struct Jet {
    value: Big,
    derivative: Vec<Big>,
    second_derivative: Vec<Vec<Big>>,
}

struct Search<'a> {
    problem: &'a Problem,
    shares: Vec<Big>,
    x: Vec<Vec<Big>>,
    width: usize,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem) -> Search<'a> {
        let total = problem.rows.iter().fold(zero(), |sum, row| sum + big(row.weight));
        let shares = problem.rows.iter().map(|row| big(row.weight) / total.clone()).collect();
        let x = problem.rows.iter().map(|row| row.x.iter().map(|x| big(*x)).collect()).collect();
        Search { problem, shares, x, width: problem.rows[0].x.len() }
    }

    /// Returns the objective at the given model, and the least objective found from it. A point lists the weights (one
    /// row per column, one entry per class), then the intercepts.
    fn run(&self, weights: &[f64], intercept: &[f64]) -> (Big, Big) {
        let mut point: Vec<Big> = weights.iter().chain(intercept).map(|w| big(*w)).collect();
        // Columns that no row has.
        let missing = self.width * self.problem.classes + intercept.len() - point.len();
        (0..missing).for_each(|_| point.insert(weights.len(), zero()));
        let here = self.objective(&point);
        let mut least = here.clone();
        for near in [1e-9, 1e-6, 1e-3] {
            least = least.min(self.descend(&point, near));
            if self.kink(&zero(), &zero()).is_none() {
                break;
            }
        }
        (here, least)
    }

    /// Returns the least objective reached by Newton steps on the weights that are not at a corner of the penalty (0
    /// with l1 or bounds); rows whose margin is within `near` of the loss's kink are held at the kink.
    fn descend(&self, from: &[Big], near: f64) -> Big {
        let classes = self.problem.classes;
        let columns = self.width * classes;
        let moves = |at: usize| {
            if at < columns {
                number(&from[at]) != 0.0 || self.problem.is_smooth(at / classes)
            } else {
                self.problem.intercept
            }
        };
        let free: Vec<usize> = (0..from.len()).filter(|&at| moves(at)).collect();
        let mut at = from.to_vec();
        let mut value = self.objective(&at);
        let kinks: Vec<usize> = (0..self.x.len())
            .filter(|&r| {
                let m = self.margins(&at, r)[0].clone();
                let y = big(self.problem.rows[r].label);
                self.kink(&y, &m).is_some_and(|off| number(&abs(&off)) <= near)
            })
            .collect();
        for _ in 0..60 {
            let step = self.newton(&at, &free, &kinks);
            let (mut part, mut found) = (big(1.0), None);
            for _ in 0..40 {
                let mut next = at.clone();
                free.iter().zip(&step).for_each(|(&k, by)| next[k] += part.clone() * by.clone());
                let there = self.objective(&next);
                if there < value {
                    found = Some((next, there));
                    break;
                }
                part *= big(0.25);
            }
            let Some((next, there)) = found else { break };
            let gained = value.clone() - there.clone();
            (at, value) = (next, there);
            if gained < abs(&value) * big(1e-60) {
                break;
            }
        }
        value
    }

    /// Returns the Newton step of the `free` weights under the constraint that the margins of the rows `kinks` move
    /// exactly to their kinks.
    fn newton(&self, at: &[Big], free: &[usize], kinks: &[usize]) -> Vec<Big> {
        let (classes, n) = (self.problem.classes, free.len());
        let size = n + kinks.len();
        let (mut square, mut right) = (vec![vec![zero(); size]; size], vec![zero(); size]);
        let part = |r: usize, k: usize| {
            let column = k / classes;
            if column < self.width { self.x[r][column].clone() } else { big(1.0) }
        };
        for r in 0..self.x.len() {
            if let Some(place) = kinks.iter().position(|&kink| kink == r) {
                let y = big(self.problem.rows[r].label);
                let off = self.kink(&y, &self.margins(at, r)[0]).expect("a kink");
                right[n + place] = -off;
                let sign = if self.is_of_classes() { y } else { big(1.0) };
                for (a, &k) in free.iter().enumerate() {
                    square[n + place][a] = sign.clone() * part(r, k);
                    square[a][n + place] = square[n + place][a].clone();
                }
                continue;
            }
            let jet = self.jet(r, &self.margins(at, r));
            for (a, &k) in free.iter().enumerate() {
                let x = part(r, k) * self.shares[r].clone();
                right[a] -= x.clone() * jet.derivative[k % classes].clone();
                for (b, &l) in free.iter().enumerate() {
                    square[a][b] += x.clone() * part(r, l) * jet.second_derivative[k % classes][l % classes].clone();
                }
            }
        }
        for (a, &k) in free.iter().enumerate() {
            if k < self.width * classes {
                let factor = big(self.problem.factor(k / classes));
                let sign = if at[k] > zero() { 1.0 } else { -1.0 };
                right[a] -= factor.clone() * (big(self.problem.l2) * at[k].clone() + big(sign * self.problem.l1));
                square[a][a] += factor * big(self.problem.l2);
            }
        }
        solve(square, right)
    }

    fn margins(&self, at: &[Big], r: usize) -> Vec<Big> {
        let classes = self.problem.classes;
        let of = |k: usize| {
            let start = big(self.problem.rows[r].offset) + at[self.width * classes + k].clone();
            self.x[r].iter().enumerate().fold(start, |sum, (j, x)| sum + x.clone() * at[j * classes + k].clone())
        };
        (0..classes).map(of).collect()
    }

    fn objective(&self, at: &[Big]) -> Big {
        let (problem, classes) = (self.problem, self.problem.classes);
        let mut sum = zero();
        for (r, share) in self.shares.iter().enumerate() {
            sum += share.clone() * self.jet(r, &self.margins(at, r)).value;
        }
        for (k, w) in at[..self.width * classes].iter().enumerate() {
            let price = big(problem.l1) * abs(w) + big(problem.l2 / 2.0) * w.clone() * w.clone();
            sum += big(problem.factor(k / classes)) * price;
        }
        // Outside of the bounds there is no objective.
        let within = |w: &Big| *w >= zero() || problem.bounds.low() != 0.0;
        if at[..self.width * classes].iter().all(within) { sum } else { big(1e300) }
    }

    fn is_of_classes(&self) -> bool {
        self.problem.loss == Loss::Hinge
    }

    /// Returns the signed distance of a margin from the kink of the loss; `None` for smooth losses.
    fn kink(&self, y: &Big, m: &Big) -> Option<Big> {
        match self.problem.loss {
            Loss::Hinge => Some(y.clone() * m.clone() - big(1.0)),
            Loss::Absolute | Loss::Quantile { .. } => Some(m.clone() - y.clone()),
            _ => None,
        }
    }

    fn jet(&self, r: usize, margins: &[Big]) -> Jet {
        let y = big(self.problem.rows[r].label);
        if self.problem.loss == Loss::Softmax {
            return softmax(self.problem.rows[r].label as usize, margins);
        }
        let (value, derivative, second_derivative) = one(self.problem.loss, &y, &margins[0]);
        Jet { value, derivative: vec![derivative], second_derivative: vec![vec![second_derivative]] }
    }
}

fn softmax(y: usize, m: &[Big]) -> Jet {
    let top = m.iter().cloned().reduce(larger).expect("classes");
    let e: Vec<Big> = m.iter().map(|m| exp(&(m.clone() - top.clone()))).collect();
    let sum = e.iter().fold(zero(), |sum, e| sum + e.clone());
    let p: Vec<Big> = e.iter().map(|e| e.clone() / sum.clone()).collect();
    let is = |a: usize, b: usize| big(f64::from(a == b));
    Jet {
        value: sum.ln() + top - m[y].clone(),
        derivative: (0..m.len()).map(|k| p[k].clone() - is(k, y)).collect(),
        second_derivative: (0..m.len())
            .map(|k| (0..m.len()).map(|l| p[k].clone() * (is(k, l) - p[l].clone())).collect())
            .collect(),
    }
}

/// Returns the value, derivative and second derivative of a single-margin loss, by its definition.
fn one(loss: Loss, y: &Big, m: &Big) -> (Big, Big, Big) {
    let (zero, one) = (zero(), big(1.0));
    let off = m.clone() - y.clone();
    let short = one.clone() - y.clone() * m.clone();
    match loss {
        Loss::Logistic => {
            let agreed = y.clone() * m.clone();
            let p = one.clone() / (one.clone() + exp(&agreed));
            (softplus(&-agreed), -y.clone() * p.clone(), p.clone() * (one - p))
        }
        Loss::Squared => (off.clone() * off.clone() * big(0.5), off, one),
        Loss::Huber { delta } => {
            let delta = big(delta);
            if abs(&off) <= delta {
                (off.clone() * off.clone() * big(0.5), off, one)
            } else {
                let derivative = if off > zero { delta.clone() } else { -delta.clone() };
                (delta.clone() * abs(&off) - delta.clone() * delta * big(0.5), derivative, zero)
            }
        }
        Loss::Absolute => (abs(&off), if off > zero { one } else { -one }, zero),
        Loss::Quantile { tau } => {
            let derivative = if off > zero { one - big(tau) } else { -big(tau) };
            (derivative.clone() * off, derivative, zero)
        }
        Loss::Hinge if short > zero => (short, -y.clone(), zero),
        Loss::SquaredHinge if short > zero => {
            (short.clone() * short.clone(), -(big(2.0) * y.clone() * short), big(2.0))
        }
        Loss::SmoothedHinge if short > one => (short - big(0.5), -y.clone(), zero),
        Loss::SmoothedHinge if short > zero => (short.clone() * short.clone() * big(0.5), -(y.clone() * short), one),
        Loss::Hinge | Loss::SquaredHinge | Loss::SmoothedHinge => (zero.clone(), zero.clone(), zero),
        Loss::Poisson => {
            let mean = exp(m);
            (mean.clone() - y.clone() * m.clone(), mean.clone() - y.clone(), mean)
        }
        Loss::Gamma => {
            let paid = y.clone() * exp(&-m.clone());
            (paid.clone() + m.clone(), one - paid.clone(), paid)
        }
        Loss::Tweedie { power } => {
            let (a, b) = (big(2.0) - big(power), big(power) - big(1.0));
            let grows = exp(&(a.clone() * m.clone()));
            let paid = y.clone() * exp(&-(b.clone() * m.clone()));
            let value = grows.clone() / a.clone() + paid.clone() / b.clone();
            (value, grows.clone() - paid.clone(), a * grows + b * paid)
        }
        Loss::Softmax | Loss::Ovr => unreachable!("they have many margins"),
    }
}
