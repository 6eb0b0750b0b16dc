//! FreeGrad: a learner that needs neither a radius nor a bound on gradients.

use std::marker::PhantomData;

use super::potential::{FURTHEST, Potential};
use super::{Lazy, Learner, STEEPEST, place, room_within, span};
use crate::squares::weigh;
use crate::{Float, Radial, Squares, Vector};

/// FreeGrad, a parameter-free learner in any dimension: its regret against u grows with ‖u‖, which need not be known in
/// advance.
///
/// *Update*, with weighted gradients G_t = α_t g_t, Z = ΣG, n = ‖Z‖, h the largest and h_1 the first nonzero ‖G‖ so
/// far, V = h² + Σ‖G‖²: w = Π_D(centre − Z·C·(2V + hn)/(2(V + hn)²√V)·exp(n²/(2V + 2hn))), C = ε·h_1². A gradient with
/// a norm above h is clipped to h before it is used, and then h grows. The initial wealth ε is the
/// [`reach`](crate::Domain::reach) of the domain: in the whole space, an estimate of the distance of the solution, on
/// which the bound depends only logarithmically.
///
/// *Guarantee*: for u in D (in the whole space: within 2^100·ε), the regret R_T(u) is at most ε·h_1 +
/// max(2‖u‖√(V·ln₊(2‖u‖V/C)), 4h‖u‖·ln₊(4h‖u‖√V/C)) + Σ(‖G_t‖ − h)₊·(‖w_t‖ + ‖u‖), norms from the centre, ln₊ = ln
/// max(1, ·). The last sum is over clipped rounds; on a ball of radius r it is at most 2r·max‖G_t‖, since the clipped
/// parts telescope. This holds for the largest weighted norm as well as for weight times the largest norm, so the
/// weight of a round need not be known in advance. See [`regret_bound_at`](Learner::regret_bound_at). In the whole
/// space the last sum has no bound in advance. There is no guarantee once the factor of Z would have exceeded 1e270,
/// where it is capped.
///
/// The projection does not weaken the bound, for this reason: the potential Ψ of the update satisfies Ψ_{t+1}(Z + G) ≤
/// Ψ_t(Z) + ⟨G, ∇Ψ_t(Z)⟩ for ‖G‖ ≤ h, that is ψ_{t+1}(w') − ψ_t(w) ≥ −⟨Z + G, w' − w⟩ for its conjugate ψ and w =
/// −∇Ψ_t(Z). If the projection w is on the boundary, −Z = ∇ψ_t(w) + λ(w − centre) with λ ≥ 0, and ⟨w − centre, w' − w⟩
/// ≤ 0 for w' in the ball. So the inequality also holds with the potential restricted to the ball, and with it the
/// regret bound.
///
/// With growing weights, C soon becomes small relative to V, and w stays near the centre for a long time: prefer
/// [`Uniform`](crate::Uniform) weights, or a large ε.
///
/// *Cost*: O(nnz) per step: the iterate is the centre minus one number times Z.
///
/// ```
/// use surefoot::{Anytime, AskTell, FreeGrad, Point, Uniform, WholeSpace};
/// for guess in [1e-3, 1.0, 1e3] {
///     let mut method = Anytime::new(FreeGrad::<f64, _>::new(2, WholeSpace::new(guess)), Uniform);
///     for _ in 0..5000 {
///         let slopes = [method.at(0) - 40.0, method.at(1) + 0.01].map(f64::signum);
///         method.tell(&slopes);
///     }
///     let output = method.output();
///     assert!((output.at(0) - 40.0).abs() < 2.0 && (output.at(1) + 0.01).abs() < 2.0);
/// }
/// ```
///
/// Source: Mhammedi and Koolen (2020), the potential; Cutkosky (2019, "Artificial constraints and hints") for unknown
/// gradient norms. There is no restart after a first gradient that is too small; such a gradient costs the logarithm of
/// (h/h_1)².
#[derive(Clone, Debug)]
pub struct FreeGrad<F, D> {
    /// The domain that contains all iterates: a ball or the whole space.
    domain: D,
    /// Z, the sum of weighted gradients after clipping, one number per coordinate.
    sum: Vec<f64>,
    /// Squared Euclidean norm of Z, the sum of weighted gradients.
    norm: Squares,
    /// Sum of the squared norms of weighted gradients after clipping.
    gradients: Squares,
    /// h_1, the norm of the first nonzero weighted gradient; 0 before there is one.
    first: f64,
    /// h, the largest norm of a weighted gradient so far.
    largest: f64,
    /// The number s in the iterate w = centre − s·Z, where Z is the sum of weighted gradients.
    scale: f64,
    /// Sum over rounds of the clipped-off parts of the norms of weighted gradients G_t, Σ(‖G_t‖ − h)₊ for the largest
    /// norm h seen before.
    cut: f64,
    /// Part of the regret bound due to clipping that does not depend on the comparator u: Σ(‖G_t‖ − h)₊·‖w_t − centre‖
    /// for weighted gradients G_t clipped to the largest norm h seen before.
    lost: f64,
    /// Whether `scale` ever had to be capped to stay finite, after which there is no regret bound.
    slow: bool,
    arrays: PhantomData<F>,
}

impl<F: Float, D: Radial<F>> FreeGrad<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        Self {
            domain,
            sum: vec![0.0; dim],
            norm: Squares::default(),
            gradients: Squares::default(),
            first: 0.0,
            largest: 0.0,
            scale: 0.0,
            cut: 0.0,
            lost: 0.0,
            slow: false,
            arrays: PhantomData,
        }
    }

    fn potential(&self) -> Potential {
        let mut squares = self.gradients;
        squares.add(self.largest);
        let (first, largest) = (self.first, self.largest);
        Potential { wealth: self.domain.reach(), first, largest, spread: squares.root() / largest }
    }

    /// Recomputes `scale`, the number s in the iterate w = centre − s·Z, after a change of the gradient sum Z or of the
    /// largest gradient norm h.
    fn retune(&mut self) {
        let m = self.norm.root() / self.largest;
        let bet = self.potential().bet(m);
        let scale = bet * self.domain.shrink(bet * m) / self.largest;
        self.slow |= scale > STEEPEST;
        let scale = scale.min(STEEPEST);
        let norm = self.norm.root();
        self.scale = if norm > 0.0 { scale.min(span::<F>() / norm) } else { scale };
    }
}

impl<F: Float, D: Radial<F>> Learner<F> for FreeGrad<F, D> {
    fn dim(&self) -> usize {
        self.sum.len()
    }

    fn at(&self, i: usize) -> F {
        place(self, i)
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        room_within::<F>(self.domain.reach())
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| self.domain.reach()).and_then(|reach| self.regret_bound_at(reach))
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        let furthest = self.domain.reach() * if self.domain.bounded() { 1.0 } else { FURTHEST };
        let near = distance <= furthest.min(span::<F>()) && !self.slow;
        let regret = || self.potential().regret(distance) + self.lost + self.cut * distance;
        near.then(|| if self.first == 0.0 { 0.0 } else { regret() })
    }
}

impl<F: Float, D: Radial<F>> Lazy<F> for FreeGrad<F, D> {
    fn centre(&self, i: usize) -> F {
        self.domain.centre(i)
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    #[inline]
    fn direction(&self, i: usize) -> f64 {
        -self.sum[i]
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        let size = Squares::of(weight, gradient).root();
        if size == 0.0 {
            return;
        }
        if self.first == 0.0 {
            (self.first, self.largest) = (size, size);
        }
        let excess = (size - self.largest).max(0.0);
        self.cut += excess;
        self.lost += excess * (self.scale * self.norm.root());
        let kept = size - excess;
        gradient.each(|i, g| {
            let old = self.sum[i];
            moved(i, -old);
            self.sum[i] += weigh(weight, g).wide() * (kept / size);
            self.norm.change(old, self.sum[i]);
        });
        self.gradients.add(kept);
        self.largest = self.largest.max(size);
        self.retune();
    }
}
