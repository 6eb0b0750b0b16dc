//! The regret certificate for strongly convex losses, which needs no bounded domain.

use super::slopes::Slopes;
use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Certified, Comparator, Gradients, Inside, Kind, Penalty, Subject};
use super::{Uncertified, stream::ROUNDING};
use crate::{Domain, Float, Point, Squares, Vector};

/// Sums over a run that bound the excess of a μ-strongly convex loss L at the last query point, for any sequence of
/// query points x_t, from the quadratic lower bounds that Algorithm 2 of arXiv 1903.00974 uses, ⟨g_t, u⟩ + (μ/2)‖u −
/// x_t‖² up to a constant. No bounded domain is needed, but a domain makes the bound tighter.
///
/// *Guarantee*: with weights α_t, A_t = Σ_{i≤t} α_i, gradients g_t, Z_T = Σ α_t g_t, and z_t = α_t x_t + A_{t−1}(x_t −
/// x_{t−1}), which is α_t w_t where x_t averages iterates w_t, L(x_T) − L(u) ≤ (Σ⟨g_t, z_t⟩ − (μ/2)·Σ A_{t−1}‖x_{t−1} −
/// x_t‖² − (μ/2)(q − A_T‖w‖²))/A_T for every u, with q = Σ α_t‖x_t‖² and w = (Σ α_t x_t − Z_T/μ)/A_T. All points are
/// relative to x_1, so that no large terms cancel. Proof: α_t(L(x_t) − L(u)) ≤ α_t(⟨g_t, x_t − u⟩ − (μ/2)‖x_t − u‖²),
/// and A_{t−1}(L(x_t) − L(x_{t−1})) ≤ A_{t−1}(⟨g_t, x_t − x_{t−1}⟩ − (μ/2)‖x_t − x_{t−1}‖²). Summed over t, the
/// left-hand sides give A_T(L(x_T) − L(u)). The right-hand side is largest for u = w and decreases from there by
/// (μA_T/2)‖u − w‖².
///
/// *In a domain* D all comparators are at least dist(w, D) away from w, which lowers the bound by (μ/2)·dist(w, D)².
/// For each unit vector n, dist(w, D) ≥ ⟨n, w⟩ − h_D(n), with equality if n points from the projection of w onto D to
/// w. Any point may stand in for that projection: a poor one makes the number larger, not false.
///
/// *Rounding*: the inequality holds for any points, including averages rounded to `f32`, and all differences of points
/// are taken in `f64`, whose spacing at 1 is ε. A compensated sum has an error of at most 4ε of the sizes of its terms.
/// A plain sum, Z_j or P_j = Σ α_t x_tj, has an error of ε times the sizes of its partial sums; this moves w_j by that
/// error over A_T, and the term of w by μ|u_j| times the error, where u is the best comparator beyond n. The output of
/// a conversion may be another rounding of the average than its last query, which adds ε_F·Σ_j|g_Tj·x_Tj|, where ε_F is
/// the spacing of the arrays.
///
/// *Cost*: O(d) per step and per certificate, four `f64` per coordinate.
///
/// ```
/// use surefoot::certificate::{Curved, Gradients};
/// use surefoot::{Ball, View};
/// // L(x) = x²/2 from x_1 = 1: the leader is at the minimum at once, and the certificate of x_1 is exact.
/// let mut sums = Curved::new(1, 1.0);
/// sums.record(1.0, &[1.0], |_| 1.0);
/// assert!((sums.certificate(Gradients::Exact)?.value - 0.5).abs() < 1e-14);
/// // On the interval from ½ to 1½ the best point is ½, with L = ⅛.
/// let (interval, nearest) = (Ball::around(vec![1.0], 0.5), View::new(1, |_| 0.5));
/// assert!((sums.certificate_within(&interval, &nearest, Gradients::Exact)?.value - 0.375).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Used beside a run, whose own [`certificate`](crate::AskTell::certificate) does not use μ:
///
/// ```
/// use surefoot::certificate::{Curved, Gradients};
/// use surefoot::{AskTell, BoxDomain, General, Leader, Learner, Linear, View, Weights};
/// // (x − 1)² + (y + 2)² where x and y lie between −1 and ½: at the border, at (½, −1).
/// let square = BoxDomain::new(vec![-1.0; 2], vec![0.5; 2]);
/// let mut method = General::new(Leader::<f64, _>::new(2, square.clone(), 2.0), Linear);
/// let mut sums = Curved::new(2, 2.0);
/// for t in 1..=100 {
///     let query = [method.at(0), method.at(1)];
///     let gradient = [2.0 * (query[0] - 1.0), 2.0 * (query[1] + 2.0)];
///     sums.record(Linear.weight(t), &gradient, |i| query[i]); // before the learner is told
///     method.tell(&gradient);
/// }
/// let next = View::new(2, |i| method.learner().at(i));
/// assert!(sums.certificate_within(&square, &next, Gradients::Exact)?.value < 1e-3);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, Theorem 2 (whose text has x*_t for the fixed comparator x*), kept a posteriori.
#[derive(Clone, Debug)]
pub struct Curved {
    /// Strong convexity constant μ of the loss.
    curvature: f64,
    /// The first query point x_1.
    origin: Vec<f64>,
    /// Last query point relative to the first, x_t − x_1.
    query: Vec<f64>,
    /// Weighted sum of the query points relative to the first, Σ α_t(x_t − x_1).
    queries: Slopes,
    /// Weighted sum of the gradients, Z = Σ α_t g_t.
    gradients: Slopes,
    /// Linear part of the regret, Σ⟨g_t, z_t⟩ with z_t = α_t x_t + A_{t−1}(x_t − x_{t−1}) and points relative to x_1.
    linear: Sum,
    /// Sum of squared moves of the query point, each times the sum of weights before it, Σ A_{t−1}‖x_{t−1} − x_t‖².
    moves: Sum,
    /// Weighted sum of squared distances of the query points from the first, q = Σ α_t‖x_t − x_1‖².
    squares: Sum,
    /// Sum of the weights of the rounds so far, A_T.
    total: f64,
    /// Sum of the absolute values of all terms of `linear`, which bounds its rounding error.
    size: f64,
    /// Allowance for rounding of the last query point x, with gradient g: ε_F·Σ_j|g_j·x_j|, where ε_F is the machine
    /// epsilon of the arrays.
    last: f64,
    /// Largest distance of an iterate from the first query point x_1 so far, minus an allowance for rounding; iterates
    /// are recovered from the query points, of which each is an average of iterates.
    strayed: f64,
}

impl Curved {
    /// Creates empty sums for a run in `dim` dimensions and a loss with strong convexity constant μ = `curvature`. No
    /// later call allocates.
    ///
    /// # Panics
    /// If `curvature` is not positive and finite.
    pub fn new(dim: usize, curvature: f64) -> Self {
        assert!(curvature > 0.0 && curvature.is_finite(), "a positive curvature");
        let (zeros, sums, sum) = (vec![0.0; dim], Slopes::new(dim), Sum::default());
        Self {
            curvature,
            origin: zeros.clone(),
            query: zeros,
            queries: sums.clone(),
            gradients: sums,
            linear: sum,
            moves: sum,
            squares: sum,
            total: 0.0,
            size: 0.0,
            last: 0.0,
            strayed: 0.0,
        }
    }

    /// Records a round: its weight, its gradient, and the query point at which the gradient was taken. O(d).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or an index of the gradient is outside of `0..dim`.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, query: impl Fn(usize) -> F) {
        self.gradients.open::<F>(weight);
        if self.total == 0.0 {
            self.origin.iter_mut().enumerate().for_each(|(i, x)| *x = query(i).wide());
        }
        let before = self.total;
        self.total += weight;
        self.last = 0.0;
        gradient.each(|i, g| {
            self.gradients.add(i, weight * g.wide());
            let away = query(i).wide() - self.origin[i];
            for term in [weight * g.wide() * away, before * g.wide() * (away - self.query[i])] {
                self.linear.add(term);
                self.size += term.abs();
            }
            self.last += F::epsilon().wide() * (g.wide() * query(i).wide()).abs();
        });
        let (mut stray, mut size) = (Squares::default(), Squares::default());
        for i in 0..self.query.len() {
            let away = query(i).wide() - self.origin[i];
            let step = away - self.query[i];
            self.query[i] = away;
            self.queries.add(i, weight * away);
            self.moves.add(before * step * step);
            self.squares.add(weight * away * away);
            size.add(query(i).wide());
            size.add(step);
            stray.add(if weight > 0.0 { away + before / weight * step } else { 0.0 });
        }
        let rounding = F::epsilon().wide() * (self.total / weight.max(f64::MIN_POSITIVE)) * size.root();
        self.strayed = self.strayed.max(stray.root() - 2.0 * rounding);
    }

    /// Returns coordinate `i` of w − x_1, where w is the unconstrained minimiser of the weighted sum of quadratic lower
    /// bounds and x_1 the first query point.
    fn leader(&self, i: usize) -> f64 {
        (self.queries.sum[i] - self.gradients.sum[i] / self.curvature) / self.total
    }

    /// Returns an upper bound on the excess loss of the last query point x_T over the minimiser in the whole space.
    /// O(d).
    ///
    /// With noisy gradients the bound holds in expectation, for weights fixed before the run.
    pub fn certificate(&self, gradients: Gradients) -> Certified {
        self.vouch(Comparator::Space, 0.0, |_| 0.0, gradients)
    }

    /// Returns an upper bound on the excess loss of the last query point x_T over the best point of `domain`, which
    /// must contain all query points. O(d).
    ///
    /// `nearest` is the point of the domain nearest to w, the unconstrained minimiser of the quadratic lower bounds; it
    /// is the next iterate of [`StronglyConvex`](crate::StronglyConvex) or [`Leader`](crate::Leader); it need not be
    /// exact for the bound to hold. L must be strongly convex in the domain only. Noisy gradients require queries that
    /// average iterates of the domain, as in Algorithm 2; otherwise the size of the noise is not bounded, and the
    /// result is [`Uncertified::Outside`].
    pub fn certificate_within<F: Float, D: Domain<F>>(
        &self,
        domain: &D,
        nearest: &impl Point<F>,
        gradients: Gradients,
    ) -> Certified {
        let dim = self.origin.len();
        if self.total == 0.0 {
            return Err(Uncertified::NoRounds);
        }
        if nearest.dim() != dim {
            return Err(Uncertified::Dimension);
        }
        let first = domain.contains(dim, |i| self.origin[i]);
        let last = domain.contains(dim, |i| self.origin[i] + self.query[i]);
        let far = gradients != Gradients::Exact && self.strayed > self.furthest(domain);
        if !first || !last || far {
            return Err(Uncertified::Outside);
        }
        let away = |i: usize| self.leader(i) - (nearest.at(i).wide() - self.origin[i]);
        let mut squares = Squares::default();
        (0..dim).for_each(|i| squares.add(away(i)));
        let norm = squares.root();
        let normal = |i: usize| if norm > 0.0 { away(i) / norm } else { 0.0 };
        let distance = self.beyond(domain, normal);
        self.vouch(Comparator::Domain, distance, normal, gradients)
    }

    /// Returns an upper bound on the distance from the first query point x_1 to any point of `domain`.
    fn furthest<F: Float, D: Domain<F>>(&self, domain: &D) -> f64 {
        let mut off = Squares::default();
        (0..self.origin.len()).for_each(|i| off.add(self.origin[i] - domain.centre(i).wide()));
        let reach = if domain.bounded() { domain.reach() } else { f64::INFINITY };
        (reach + off.root()) * (1.0 + ROUNDING)
    }

    /// Returns a lower bound on the distance of w, the unconstrained minimiser of the quadratic lower bounds, from
    /// `domain` = D: ⟨n, w⟩ − h_D(n) with the unit vector n = `normal` and the support function h_D, minus an allowance
    /// for rounding; at least 0.
    fn beyond<F: Float, D: Domain<F>>(&self, domain: &D, normal: impl Fn(usize) -> f64) -> f64 {
        let (dim, farthest) = (self.origin.len(), Inside::new(domain).farthest(0, |_| 0.0, 0.0));
        let centres = (0..dim).map(|i| domain.centre(i).wide().abs()).fold(0.0, f64::max);
        let (mut inner, mut size) = (Sum::default(), 0.0);
        for i in 0..dim {
            let w = [self.origin[i], self.leader(i)];
            w.iter().for_each(|w| inner.add(normal(i) * w));
            size += normal(i).abs() * (w[0].abs() + w[1].abs() + farthest + centres);
        }
        let rounding = (4.0 + dim as f64) * f64::EPSILON * size;
        let distance = inner.value() - domain.support(dim, &normal) - rounding;
        // The difference is ∞ − ∞ if the domain is unbounded in this direction.
        if distance > 0.0 { distance * (1.0 - (4.0 + dim as f64) * f64::EPSILON) } else { 0.0 }
    }

    /// Builds the certificate against all comparators that are at least `distance` away from w, the unconstrained
    /// minimiser of the quadratic lower bounds, in the direction −`normal`.
    fn vouch(&self, over: Comparator, distance: f64, normal: impl Fn(usize) -> f64, gradients: Gradients) -> Certified {
        if self.total == 0.0 {
            return Err(Uncertified::NoRounds);
        }
        let (half, mut leader, mut far, mut terms) = (self.curvature / 2.0, Sum::default(), 0.0_f64, 0.0);
        for (i, (sum, z)) in self.queries.sum.iter().zip(&self.gradients.sum).enumerate() {
            let w = self.leader(i);
            leader.add(self.total * w * w);
            far = far.max((w - distance * normal(i)).abs());
            terms += sum.abs() + (z / self.curvature).abs();
        }
        leader.add(-self.total * distance * distance);
        let apart = half * self.total * distance * distance;
        let parts = [half * self.moves.value(), half * self.squares.value(), half * leader.value()];
        let lost = |sums: &Slopes| 2.0 * sums.mass + sums.drift;
        let pulled = 2.0 * terms + lost(&self.queries) + lost(&self.gradients) / self.curvature;
        let sizes = 4.0 * (self.size + parts.iter().map(|part| part.abs()).sum::<f64>() + 2.0 * apart);
        let allowance = f64::EPSILON * (sizes + self.curvature * far * pulled) + self.total * self.last;
        let value = (self.linear.value() - parts[0] - (parts[1] - parts[2]) + allowance) / self.total;
        let assumptions = Assumptions::of(&[Assumption::Convex, Assumption::StronglyConvex, gradients.unbiased()?]);
        let subject = Subject::Excess(over);
        if gradients == Gradients::Exact {
            return Certificate { value, kind: Kind::Deterministic, subject, assumptions }.finite();
        }
        let assumptions = assumptions.with(Assumption::FixedWeights);
        Certificate { value, kind: Kind::Expectation, subject, assumptions }.finite()
    }
}
