//! Algorithm 4 of arXiv 1903.00974: an accelerated method, which adds a gradient step per round to the anytime
//! conversion of an online learner.

use super::AskTell;
use crate::certificate::{Certified, Gradients, Uncertified};
use crate::{Anytime, DenseAnytime, Domain, Float, Lazy, Learner, Linear, Point, Squares, Status, Vector, View};

/// Adaptive stochastic acceleration: after each round, the average takes one gradient step before the next iterate is
/// averaged in.
///
/// *Update*, with α_t = t, A_t = t(t+1)/2 and an arbitrary y_0: with learner iterates w_t, the query point is x_t =
/// (A_{t−1}y_{t−1} + t·w_t)/A_t, the learner receives t·g_t, and the output is y_t = x_t − η_t g_t with η_t =
/// c·B/√(ε² + Σ_{i≤t} A_i‖g_i‖²) (y_t = x_t while that root is 0). c = √2·κ for a learner with R_T ≤ κB·√(Σ‖α_t g_t‖²), and B is
/// the diameter of its domain.
///
/// *Guarantee*: for a convex loss L that is smooth (constant 𝓛) on the whole space and has its minimum L* at a point of
/// the domain, and gradients of variance σ² with E‖g_t‖² finite, with Λ_T = Σ A_t‖g_t‖²/(ε² + Σ_{i≤t} A_i‖g_i‖²)
/// ([`growth`](Accelerated::growth), of order log T) and β = T(T+1)(T+2)/6: E[L(y_T) − L*] ≤ (2/(T(T+1)))·(cBε +
/// c²B²𝓛·E Λ_T/2 + cBσ·√(β·E Λ_T)). For a loss that is not smooth the bound is O(BG·√(log T/T)). Queries may leave the
/// domain, by at most cB/√2; L must be defined there. Prefer [`Optimistic`](crate::Optimistic), whose guarantee is
/// better (no Λ_T, any domain); this method is for comparison.
///
/// *Cost*: exactly O(nnz) per step for [`new`](Accelerated::new) with any [`Lazy`] learner: Σ t·w_t is stored as in
/// [`Anytime`], and A_t·x_t is that sum minus Σ_{i<t} A_i η_i g_i, another sparse sum. Two `f64` and an index per
/// coordinate more than [`Anytime`]. O(d) for [`dense`](Accelerated::dense).
///
/// With ε = 0, the default, multiplying all losses by a constant changes nothing.
///
/// ```
/// use surefoot::{Accelerated, AskTell, Ball, OgdNorm, Point};
///
/// let gradient = |x: f64, y: f64| [x - 0.6, 0.01 * (y + 0.8)];
/// let mut method = Accelerated::new(OgdNorm::<f64, _>::new(2, Ball::new(1.0)), 2.0);
/// for _ in 0..500 {
///     let slope = gradient(method.at(0), method.at(1));
///     method.tell(&slope);
/// }
/// let output = method.output();
/// assert!((output.at(0) - 0.6).abs() < 1e-3 && (output.at(1) + 0.8).abs() < 1e-2);
/// ```
///
/// Source: arXiv 1903.00974, Algorithm 4 and Theorems 4 and 5. Its text returns x_T ([`main`](Accelerated::main)),
/// while its theorem bounds y_T; it has 1 for ε², which has units, and c = 2, which belongs to κ = √2.
#[derive(Clone, Debug)]
pub struct Accelerated<F, A> {
    /// The inner anytime conversion, which averages the learner's iterates with weights α_t = t.
    method: A,
    /// B, the diameter of the learner's domain, to which step sizes are proportional.
    diameter: f64,
    /// The constant c = √2·κ of the step size, where κ is the constant of the learner's regret bound; see
    /// [`with_kappa`](Accelerated::with_kappa).
    constant: f64,
    /// The sum ε² + Σ A_i‖g_i‖² over past gradients g_i with sums of weights A_i = i(i+1)/2; its root is in the
    /// denominator of the step size.
    squares: Squares,
    /// Λ_T = Σ A_t‖g_t‖²/(ε² + Σ_{i≤t} A_i‖g_i‖²) for gradients g_t and sums of weights A_t, the factor of order log T
    /// in the guarantee.
    growth: f64,
    /// Weighted sum Σ A_i η_i g_i of the gradient steps η_i g_i of completed rounds, with sums of weights A_i =
    /// i(i+1)/2, one number per coordinate.
    steps: Vec<f64>,
    /// The gradient step of the last completed round.
    last: Step<F>,
}

/// The last gradient step η g: dense values, mostly 0, and the list of its nonzero coordinates.
#[derive(Clone, Debug)]
struct Step<F> {
    /// η, the learning rate of the last step; 0 before the first step.
    rate: f64,
    /// The step η g, one number per coordinate.
    value: Vec<F>,
    /// Indices of the nonzeros of the step η g.
    support: Vec<usize>,
}

impl<F: Float, L: Lazy<F>> Accelerated<F, Anytime<F, L, Linear>> {
    /// Creates the method with O(nnz) cost per step, from an online learner whose domain has diameter B = `diameter`.
    /// Allocates O(d) memory; later calls do not allocate.
    ///
    /// # Panics
    /// If `diameter` is not positive and finite.
    pub fn new(learner: L, diameter: f64) -> Self {
        Self::over(Anytime::new(learner, Linear), diameter)
    }

    /// Makes the method keep the sums for a certificate (an upper bound on the excess loss), at one more `f64` per
    /// coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.method = self.method.certified();
        self
    }
}

impl<F: Float, L: Learner<F>> Accelerated<F, DenseAnytime<F, L, Linear>> {
    /// Creates the method with O(d) cost per step, for learners that may move every coordinate in each round; the
    /// learner's domain has diameter `diameter`.
    ///
    /// # Panics
    /// If `diameter` is not positive and finite.
    pub fn dense(learner: L, diameter: f64) -> Self {
        Self::over(DenseAnytime::new(learner, Linear), diameter)
    }

    /// Makes the method keep the sums for a certificate (an upper bound on the excess loss), at one more `f64` per
    /// coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.method = self.method.certified();
        self
    }
}

impl<F: Float, A: AskTell<F>> Accelerated<F, A> {
    /// Wraps the anytime conversion `method` of a learner on a domain of diameter `diameter`. `method` must have
    /// weights α_t = t and take gradients at the average (interpolation 1).
    fn over(method: A, diameter: f64) -> Self {
        assert!(diameter > 0.0 && diameter.is_finite(), "a positive diameter");
        let dim = method.dim();
        let last = Step { rate: 0.0, value: vec![F::zero(); dim], support: Vec::with_capacity(dim) };
        let (constant, squares) = (2.0, Squares::default());
        Self { method, diameter, constant, squares, growth: 0.0, steps: vec![0.0; dim], last }
    }

    /// Returns the inner anytime conversion, which gives access to the learner and to the ledger, the sums for a
    /// certificate (an upper bound on the excess loss). A certificate also needs bounds on L(y_t) − L(x_t), the loss at
    /// outputs minus that at queries; see [`Coupled`](crate::certificate::Coupled).
    pub fn method(&self) -> &A {
        &self.method
    }

    /// Sets κ, the constant of the learner's regret bound R_T ≤ κB·√(Σ‖α_t g_t‖²) on a domain of diameter B. The
    /// default is √2, as for [`OgdNorm`](crate::OgdNorm); [`DualAveraging`](crate::DualAveraging) has 2.
    ///
    /// # Panics
    /// If `kappa` is not positive and finite.
    #[must_use]
    pub fn with_kappa(mut self, kappa: f64) -> Self {
        assert!(kappa > 0.0 && kappa.is_finite(), "a positive constant");
        self.constant = std::f64::consts::SQRT_2 * kappa;
        self
    }

    /// Sets ε ≥ 0, which has the unit of a gradient and damps the first steps; the default is 0. The method is
    /// scale-free for ε = 0 only.
    ///
    /// # Panics
    /// If `epsilon` is negative or not finite, or a round has been completed.
    #[must_use]
    pub fn with_epsilon(mut self, epsilon: f64) -> Self {
        assert!(epsilon >= 0.0 && epsilon.is_finite(), "a finite number that is not negative");
        assert!(self.steps() == 0, "before the first gradient");
        self.squares = Squares::default();
        self.squares.add(epsilon);
        self
    }

    /// Returns x_t, the point where the last gradient was taken, before the gradient step to the output y_t. The
    /// guarantee of y_t holds for it with constants twice as large.
    pub fn main(&self) -> impl Point<F> {
        let output = self.output();
        View::new(self.dim(), move |i| F::of(output.at(i).wide() + self.last.value[i].wide()))
    }

    /// Returns η_t, the learning rate of the gradient step in the last completed round; 0 before the first.
    pub fn rate(&self) -> f64 {
        self.last.rate
    }

    /// Returns Λ_T = Σ A_t‖g_t‖²/(ε² + Σ_{i≤t} A_i‖g_i‖²) for gradients g_t and sums of weights A_t, the factor of
    /// order log T in the guarantee.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Returns the sum of weights 1 + … + t = t(t+1)/2 for t = number of completed rounds + `open`, where `open` is 0
    /// or 1.
    fn total(&self, open: f64) -> f64 {
        let t = self.steps() as f64 + open;
        t * (t + 1.0) / 2.0
    }

    /// Returns `point`, a query or output of the inner conversion, minus the weighted sum of all gradient steps divided
    /// by the sum of weights `total`.
    fn less<'a>(&'a self, point: impl Point<F> + 'a, total: f64) -> impl Point<F> + 'a {
        View::new(self.dim(), move |i| {
            let steps = if total > 0.0 { self.steps[i] / total } else { 0.0 };
            F::of(point.at(i).wide() - steps)
        })
    }

    /// Computes the gradient step from the query x to the output y = x − η g of the round that has just been completed,
    /// for its gradient g and the learning rate η.
    fn descend<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        let total = self.total(0.0);
        let size = total.sqrt() * Squares::of(1.0, gradient).root();
        self.squares.add(size);
        while let Some(i) = self.last.support.pop() {
            self.last.value[i] = F::zero();
        }
        let root = self.squares.root();
        self.last.rate = 0.0;
        if root > 0.0 {
            let stride = self.constant * self.diameter;
            self.last.rate = stride / root;
            self.growth += (size / root) * (size / root);
            gradient.each(|i, g| {
                let step = stride * (g.wide() / root);
                self.steps[i] += total * step;
                self.last.value[i] = F::of(step);
                self.last.support.push(i);
            });
        }
    }
}

impl<F: Float, A: AskTell<F>> AskTell<F> for Accelerated<F, A> {
    fn dim(&self) -> usize {
        self.method.dim()
    }

    fn query(&self) -> impl Point<F> {
        self.less(self.method.query(), self.total(1.0))
    }

    fn output(&self) -> impl Point<F> {
        self.less(self.method.output(), self.total(0.0))
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        let steps = self.method.steps();
        self.method.tell(gradient);
        if self.method.steps() > steps {
            self.descend(gradient);
        }
    }

    fn steps(&self) -> u64 {
        self.method.steps()
    }

    fn status(&self) -> Status {
        self.method.status()
    }

    /// Always returns an error: a certificate (an upper bound on the excess loss) needs bounds on the loss at outputs
    /// minus that at queries, which are not known here; [`Coupled`](crate::certificate::Coupled) accepts them.
    fn certificate<D: Domain<F>>(&self, _: &D, _: Gradients) -> Certified {
        Err(Uncertified::NoRises)
    }
}
