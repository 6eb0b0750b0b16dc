//! The noise of a run in many dimensions, from a few directions.

use super::eigen::{decompose, largest};
use crate::squares::binade;
use crate::{Float, Squares, Vector};

/// [`Operator`](super::Operator) for any number of coordinates: a few rows in place of a matrix, and an upper bound on λ_max in place of
/// its value.
///
/// *Update*: examples are rows of a matrix B until it has 2ℓ of them. Then with BᵀB = Σλ_k v_k v_kᵀ, in falling order, the ℓ
/// rows √(λ_k − λ_{ℓ+1})·v_k take their place, and λ_{ℓ+1} is added to what was lost.
///
/// *Guarantee*: λ_max(M) ≤ λ_max(BᵀB) + lost, always: a step takes away Σ min(λ_k, λ_{ℓ+1})·v_k v_kᵀ, which is at most
/// λ_{ℓ+1} times the unit matrix. That is little: of the trace it takes ℓ·λ_{ℓ+1} at least, so for every k < ℓ what was lost is at
/// most the trace of M less its k largest eigenvalues, over ℓ − k. For noise alike in d directions V is about min(d, ℓ)
/// times less than the sum of ‖g_i‖² makes it; for noise in fewer than ℓ directions nothing is lost.
///
/// *Cost*: 2ℓd + 12ℓ² numbers. O(ℓd) an example and some 100·ℓ² besides, on average; O(ℓ²d) a deviation. For streams of up
/// to some 10^5 rows: of longer ones the lengths, which are O(1), are what can be kept.
///
/// *Rounding*: BBᵀ is off by at most dε/2 of its trace, and what is made of its eigenvectors by some ℓε: (d + 128ℓ)·ε of the
/// trace more is counted as lost in every step, and in a deviation.
///
/// ```
/// use surefoot::certificate::Sketch;
/// let mut noise = Sketch::new(1000, 4);
/// for i in 0..1000 {
///     let mut gradient = vec![0.0; 1000];
///     gradient[i] = 1.0;
///     noise.record(1.0, &gradient, |_| 0.0);
/// }
/// let deviation = noise.deviation(3.0); // M is the unit matrix: 3, but as a sum of lengths 3·√1000
/// assert!((3.0..3.0 * (1.0 + 1000.0 / 4.0_f64).sqrt()).contains(&deviation));
/// ```
///
/// Source: Liberty (2013), Frequent Directions; Ghashami, Liberty, Phillips and Woodruff (2016) for 2ℓ rows and the bounds.
#[derive(Clone, Debug)]
pub struct Sketch {
    dim: usize,
    along: Squares,
    /// B, in units of a power of two, and how many of its rows are in use.
    unit: f64,
    rows: Vec<f64>,
    used: usize,
    /// What was lost, in those units squared.
    lost: f64,
    /// BBᵀ, its eigenvectors, and the order of its eigenvalues beside a column of B.
    gram: Vec<f64>,
    vectors: Vec<f64>,
    order: Vec<usize>,
    column: Vec<f64>,
}

impl Sketch {
    /// No noise yet, to be kept in so many `directions` = ℓ; 32 are a good number. The only allocation.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(dim: usize, directions: usize) -> Self {
        assert!(directions > 0, "one direction at least");
        let most = 2 * directions;
        let square = vec![0.0; most * most];
        Self {
            dim,
            along: Squares::default(),
            unit: 0.0,
            rows: vec![0.0; most * dim],
            used: 0,
            lost: 0.0,
            gram: square.clone(),
            vectors: square,
            order: (0..most).collect(),
            column: vec![0.0; most],
        }
    }

    /// ℓ.
    pub fn directions(&self) -> usize {
        self.most() / 2
    }

    /// 2ℓ.
    fn most(&self) -> usize {
        self.order.len()
    }

    /// As [`Operator::record`](super::Operator::record). O(ℓd), on average.
    ///
    /// # Panics
    /// If the share is negative or not finite, or the gradient has a coordinate outside of the dimension.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, share: f64, gradient: &V, away: impl Fn(usize) -> f64) {
        assert!(share >= 0.0 && share.is_finite(), "a weight that is finite and not negative");
        let (mut inner, mut largest) = (0.0, 0.0_f64);
        gradient.each(|i, g| {
            assert!(i < self.dim, "a gradient within the dimension");
            inner += share * g.wide() * away(i);
            largest = largest.max((share * g.wide()).abs());
        });
        self.along.add(inner);
        if largest == 0.0 {
            return;
        }
        self.fit(largest);
        if self.used == self.most() {
            self.compress();
        }
        let row = &mut self.rows[self.used * self.dim..][..self.dim];
        gradient.each(|i, g| row[i] += share * g.wide() / self.unit);
        self.used += 1;
    }

    /// Makes the unit at least half of `size`.
    fn fit(&mut self, size: f64) {
        if size > self.unit {
            let ratio = self.unit / binade(size);
            self.rows.iter_mut().for_each(|x| *x *= ratio);
            self.lost *= ratio * ratio;
            self.unit = binade(size);
        }
    }

    /// A root of V for comparators within `reach` of the centre, from above.
    pub fn deviation(&mut self, reach: f64) -> f64 {
        let most = self.order.len();
        let rounding = self.multiply();
        let largest = largest(&self.gram, &mut self.vectors, most);
        self.along.root() + reach * (self.unit * (largest + self.lost + rounding).sqrt())
    }

    /// BBᵀ. Returns what rounding may do to it and to what is made of it.
    fn multiply(&mut self) -> f64 {
        let (most, dim) = (self.most(), self.dim);
        for i in 0..most {
            let one = &self.rows[i * dim..][..dim];
            for j in 0..=i {
                let other = &self.rows[j * dim..][..dim];
                let inner: f64 = one.iter().zip(other).map(|(x, y)| x * y).sum();
                (self.gram[i * most + j], self.gram[j * most + i]) = (inner, inner);
            }
        }
        let trace: f64 = (0..most).map(|i| self.gram[i * most + i]).sum();
        (dim + 64 * most) as f64 * f64::EPSILON * trace
    }

    /// Keeps ℓ rows of 2ℓ: vᵀB for an eigenvector v of BBᵀ with value λ has the length √λ.
    fn compress(&mut self) {
        let (most, kept, dim) = (self.most(), self.directions(), self.dim);
        self.lost += self.multiply();
        decompose(&mut self.gram, &mut self.vectors, most);
        let value = |k: usize| self.gram[k * most + k];
        self.order.sort_unstable_by(|a, b| value(*b).total_cmp(&value(*a)));
        let cut = value(self.order[kept]).max(0.0);
        for &k in &self.order[..kept] {
            let factor = if value(k) > cut { ((value(k) - cut) / value(k)).sqrt() } else { 0.0 };
            self.vectors[k * most..][..most].iter_mut().for_each(|v| *v *= factor);
        }
        for j in 0..dim {
            (0..most).for_each(|i| self.column[i] = self.rows[i * dim + j]);
            for (i, &k) in self.order.iter().enumerate() {
                let vector = &self.vectors[k * most..][..most];
                let inner = || vector.iter().zip(&self.column).map(|(v, x)| v * x).sum();
                self.rows[i * dim + j] = if i < kept { inner() } else { 0.0 };
            }
        }
        self.used = kept;
        self.lost += cut;
    }
}
