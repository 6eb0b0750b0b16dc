//! Test problems with known minima, and an adapter for domains of the reference implementation.
#![allow(dead_code)]

use surefoot::Float;
use surefoot::certificate::{Balance, Glm};
use surefoot_oracle::vectors::{dot, norm, plus, times};

/// Adapter: a domain of the reference implementation (`surefoot_oracle`) as a domain of the core crate.
pub(crate) struct Same<'a>(pub(crate) &'a surefoot_oracle::Domain);

impl<F: Float> surefoot::Domain<F> for Same<'_> {
    fn centre(&self, i: usize) -> F {
        F::of(self.0.centre(i + 1)[i])
    }

    fn reach(&self) -> f64 {
        self.0.radius()
    }

    fn bounded(&self) -> bool {
        !matches!(self.0, surefoot_oracle::Domain::WholeSpace(_))
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        self.0.support(&(0..dim).map(z).collect::<Vec<_>>())
    }
}

/// A convex test function with its gradient (or a subgradient).
pub(crate) trait Problem {
    fn value(&self, x: &[f64]) -> f64;
    fn gradient(&self, x: &[f64]) -> Vec<f64>;
    /// Returns a minimiser over the domain, accurate to about 1e-13, or `None` if it is not known.
    fn best(&self, domain: &surefoot_oracle::Domain) -> Option<Vec<f64>>;
}

/// Returns the point after this number of projected gradient steps with step size `rate` from the domain's centre, in 5
/// dimensions.
fn descend(problem: &impl Problem, domain: &surefoot_oracle::Domain, rate: f64, steps: u32) -> Vec<f64> {
    (0..steps).fold(domain.centre(5), |x, _| domain.project(&plus(&x, -rate, &problem.gradient(&x))))
}

/// The quadratic Σ_j curvature_j·(x_j − centre_j)²/2.
pub(crate) struct Bowl {
    pub(crate) centre: Vec<f64>,
    pub(crate) curvature: Vec<f64>,
}

impl Problem for Bowl {
    fn value(&self, x: &[f64]) -> f64 {
        dot(&self.gradient(x), &plus(x, -1.0, &self.centre)) / 2.0
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| self.curvature[i] * (x[i] - self.centre[i])).collect()
    }

    fn best(&self, domain: &surefoot_oracle::Domain) -> Option<Vec<f64>> {
        let rate = 1.0 / self.curvature.iter().copied().fold(0.0, f64::max);
        Some(descend(self, domain, rate, 5000))
    }
}

/// The function max_j |x_j − centre_j|, with the centre as its field; its minimum is known in domains that contain the
/// centre.
pub(crate) struct Corner(pub(crate) Vec<f64>);

impl Problem for Corner {
    fn value(&self, x: &[f64]) -> f64 {
        plus(x, -1.0, &self.0).iter().fold(0.0, |most, x| x.abs().max(most))
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let (away, value) = (plus(x, -1.0, &self.0), self.value(x));
        let at = away.iter().position(|x| x.abs() == value).expect("the largest is one of them");
        (0..x.len()).map(|i| if i == at { away[i].signum() } else { 0.0 }).collect()
    }

    fn best(&self, domain: &surefoot_oracle::Domain) -> Option<Vec<f64>> {
        let best = domain.project(&self.0);
        (norm(&plus(&best, -1.0, &self.0)) < 1e-15).then_some(best)
    }
}

/// The loss function of the test [`Model`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Loss {
    Logistic,
    Squared,
    /// Huber's loss with threshold ½.
    Huber,
}

/// A generalised linear model with 40 rows in 5 dimensions, made by a formula instead of random numbers, so that the
/// independent numpy programs have the same rows.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) loss: Loss,
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) labels: Vec<f64>,
}

impl Model {
    pub(crate) fn new(loss: Loss) -> Self {
        let value = |i: f64, j: f64| (1.3 * i * j + 0.7 * j * j).sin() / 5_f64.sqrt();
        let rows: Vec<Vec<f64>> =
            (1..=40).map(|i| (1..=5).map(|j| value(f64::from(i), f64::from(j))).collect()).collect();
        let sign = |i: usize| if (2.1 * (i as f64 + 1.0)).cos() + rows[i][0] > 0.0 { 1.0 } else { -1.0 };
        let labels = (0..40).map(sign).collect();
        Self { loss, rows, labels }
    }

    pub(crate) fn value_at(&self, x: &[f64], intercept: f64) -> f64 {
        let all = (0..self.rows.len()).map(|i| self.loss(i, dot(&self.rows[i], x) + intercept));
        all.sum::<f64>() / self.rows.len() as f64
    }

    /// Returns the gradient of the mean loss in the weights and its derivative in the intercept.
    pub(crate) fn gradient_at(&self, x: &[f64], intercept: f64) -> (Vec<f64>, f64) {
        let (mut sum, mut slopes) = (vec![0.0; x.len()], 0.0);
        for (i, row) in self.rows.iter().enumerate() {
            let slope = self.slope(i, dot(row, x) + intercept);
            sum = plus(&sum, slope, row);
            slopes += slope;
        }
        let n = self.rows.len() as f64;
        (times(1.0 / n, &sum), slopes / n)
    }
}

impl Problem for Model {
    fn value(&self, x: &[f64]) -> f64 {
        self.value_at(x, 0.0)
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        self.gradient_at(x, 0.0).0
    }

    fn best(&self, domain: &surefoot_oracle::Domain) -> Option<Vec<f64>> {
        Some(descend(self, domain, 4.0, 20_000))
    }
}

impl Glm for Model {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn weight(&self, _: usize) -> f64 {
        1.0 / self.rows.len() as f64
    }

    fn row(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        self.rows[i].iter().enumerate().for_each(|(j, &a)| visit(j, a));
    }

    fn loss(&self, i: usize, m: f64) -> f64 {
        let y = self.labels[i];
        match self.loss {
            Loss::Logistic => (-m * y).max(0.0) + (-(m * y).abs()).exp().ln_1p(),
            Loss::Squared => (m - y) * (m - y) / 2.0,
            Loss::Huber if (m - y).abs() <= 0.5 => (m - y) * (m - y) / 2.0,
            Loss::Huber => 0.5 * ((m - y).abs() - 0.25),
        }
    }

    fn slope(&self, i: usize, m: f64) -> f64 {
        let y = self.labels[i];
        match self.loss {
            Loss::Logistic => -y / (1.0 + (m * y).exp()),
            Loss::Squared => m - y,
            Loss::Huber => (m - y).clamp(-0.5, 0.5),
        }
    }

    fn conjugate(&self, i: usize, dual: f64) -> f64 {
        let y = self.labels[i];
        match self.loss {
            Loss::Logistic => {
                let p = -y * dual;
                let part = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                if (0.0..=1.0).contains(&p) { part(p) + part(1.0 - p) } else { f64::INFINITY }
            }
            Loss::Huber if dual.abs() > 0.5 => f64::INFINITY,
            Loss::Squared | Loss::Huber => dual * dual / 2.0 + dual * y,
        }
    }

    fn clip(&self, i: usize, dual: f64) -> f64 {
        match self.loss {
            Loss::Logistic => -self.labels[i] * (-self.labels[i] * dual).clamp(0.0, 1.0),
            Loss::Squared => dual,
            Loss::Huber => dual.clamp(-0.5, 0.5),
        }
    }

    fn balance(&self) -> Balance {
        if self.loss == Loss::Logistic { Balance::Scale } else { Balance::Shift }
    }
}
