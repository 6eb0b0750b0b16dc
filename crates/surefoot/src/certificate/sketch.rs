//! A bound on gradient noise in many dimensions, from a low-rank sketch of its second-moment matrix.

use super::eigen::{decompose, largest};
use crate::squares::binade;
use crate::{Float, Squares, Vector};

/// A low-rank sketch of the second-moment matrix M of a run's gradient noise: the counterpart of
/// [`Operator`](super::Operator) for any number of coordinates. It stores a few rows instead of a d × d matrix, and
/// bounds the largest eigenvalue λ_max(M) from above.
///
/// *Update*: weighted gradients of examples are appended as rows of a matrix B until it has 2ℓ rows, where ℓ is the
/// number of directions kept. Then, with BᵀB = Σλ_k v_k v_kᵀ and λ_k in decreasing order, the ℓ rows √(λ_k −
/// λ_{ℓ+1})·v_k replace them, and λ_{ℓ+1} is added to `lost`.
///
/// *Guarantee*: λ_max(M) ≤ λ_max(BᵀB) + lost always holds: a compression removes Σ min(λ_k, λ_{ℓ+1})·v_k v_kᵀ, which is
/// at most λ_{ℓ+1} times the unit matrix. The loss is small: each compression removes at least ℓ·λ_{ℓ+1} of the trace,
/// so for every k < ℓ the total loss is at most the trace of M minus its k largest eigenvalues, divided by ℓ − k. For
/// isotropic noise in d directions the bound on V, the summed squared noise, is about min(d, ℓ) times less than the sum
/// of ‖g_i‖² gives; for noise in fewer than ℓ directions nothing is lost.
///
/// *Cost*: 2ℓd + 12ℓ² numbers; amortised O(ℓd) plus about 100·ℓ² per example; O(ℓ²d) per call of `deviation`. Suited to
/// streams of up to about 10^5 rows; for longer ones use the norms alone, at O(1) per example.
///
/// *Rounding*: BBᵀ has an error of at most dε/2 of its trace, and the products with its eigenvectors one of about ℓε.
/// So (d + 128ℓ)·ε of the trace is added to `lost` in every compression, and to the eigenvalue in `deviation`.
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
    /// Number of coordinates of gradients.
    dim: usize,
    /// Sum over examples of the squared inner products of the gradient g_i with the iterate w_t minus the centre of the
    /// domain, each times the round's weight per example α/b: Σ((α/b)⟨g_i, w_t − centre⟩)².
    along: Squares,
    /// Scaling factor, a power of two by which the rows are divided, so that tiny or huge gradients neither underflow
    /// nor overflow. 0 before the first nonzero gradient.
    unit: f64,
    /// The sketch: a matrix B of 2ℓ rows (ℓ directions are kept), divided by `unit`, row by row.
    rows: Vec<f64>,
    /// Number of rows of the sketch B in use.
    used: usize,
    /// Upper bound on the amount by which all compressions lowered the largest eigenvalue, divided by unit².
    lost: f64,
    /// The Gram matrix BBᵀ/unit² of the rows of the sketch B; after a decomposition, its diagonal holds the
    /// eigenvalues.
    gram: Vec<f64>,
    /// Eigenvectors of the Gram matrix BBᵀ, one per row; also scratch space.
    vectors: Vec<f64>,
    /// Indices of the eigenvalues of the Gram matrix, sorted by decreasing eigenvalue in a compression.
    order: Vec<usize>,
    /// Scratch space for one column of the sketch B.
    column: Vec<f64>,
}

impl Sketch {
    /// Creates an empty sketch for gradients of `dim` coordinates that keeps ℓ = `directions` directions; 32 is a good
    /// value. No later call allocates.
    ///
    /// # Panics
    /// If `directions` is 0.
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

    /// Returns ℓ, the number of directions that the sketch keeps in a compression.
    pub fn directions(&self) -> usize {
        self.most() / 2
    }

    /// Returns 2ℓ, the number of rows of the sketch B, used or not.
    fn most(&self) -> usize {
        self.order.len()
    }

    /// Adds an example to the sketch; the arguments are those of [`Operator::record`](super::Operator::record). O(ℓd),
    /// amortised.
    ///
    /// # Panics
    /// If the share is negative or not finite, or an index of the gradient is outside of `0..dim`.
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

    /// Raises the scaling factor `unit` to the largest power of two not above `size`, if it is below `size`, and
    /// rescales the sketch B and `lost`.
    fn fit(&mut self, size: f64) {
        if size > self.unit {
            let ratio = self.unit / binade(size);
            self.rows.iter_mut().for_each(|x| *x *= ratio);
            self.lost *= ratio * ratio;
            self.unit = binade(size);
        }
    }

    /// Returns an upper bound on √V, the square root of the summed squared noise, for comparators within `reach` of the
    /// centre of the domain. [`Stream::certificate`](super::Stream::certificate) accepts it as `deviation`.
    pub fn deviation(&mut self, reach: f64) -> f64 {
        let most = self.order.len();
        let rounding = self.multiply();
        let largest = largest(&self.gram, &mut self.vectors, most);
        self.along.root() + reach * (self.unit * (largest + self.lost + rounding).sqrt())
    }

    /// Computes the Gram matrix BBᵀ of the sketch B into `gram`. Returns a bound on the rounding errors of BBᵀ and of
    /// the products with its eigenvectors.
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

    /// Compresses the 2ℓ rows of the sketch B to ℓ. For a unit eigenvector v of BBᵀ with eigenvalue λ, the row vᵀB has
    /// the norm √λ and is scaled down to √(λ − λ_{ℓ+1}).
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
