//! Operations on dense vectors, written plainly.

use crate::Number;

/// Returns the inner product ⟨a, b⟩.
pub fn dot<N: Number>(a: &[N], b: &[N]) -> N {
    sum(a.iter().zip(b).map(|(a, b)| *a * *b))
}

/// Returns the sum of the terms.
pub fn sum<N: Number>(terms: impl Iterator<Item = N>) -> N {
    terms.fold(N::of(0.0), |sum, x| sum + x)
}

/// Returns the Euclidean norm ‖a‖.
pub fn norm<N: Number>(a: &[N]) -> N {
    dot(a, a).sqrt()
}

/// Returns a + c·b.
pub fn plus<N: Number>(a: &[N], c: N, b: &[N]) -> Vec<N> {
    a.iter().zip(b).map(|(a, b)| *a + c * *b).collect()
}

/// Returns a − b.
pub fn minus<N: Number>(a: &[N], b: &[N]) -> Vec<N> {
    plus(a, N::of(-1.0), b)
}

/// Returns c·a.
pub fn times<N: Number>(c: N, a: &[N]) -> Vec<N> {
    a.iter().map(|a| c * *a).collect()
}

/// Returns the zero vector of `dim` dimensions.
pub(crate) fn zero<N: Number>(dim: usize) -> Vec<N> {
    vec![N::of(0.0); dim]
}

/// Returns x².
pub(crate) fn square<N: Number>(x: N) -> N {
    x * x
}
