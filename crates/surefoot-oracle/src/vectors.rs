//! Dense vectors, the plain way.

use crate::Number;

/// ⟨a, b⟩.
pub fn dot<N: Number>(a: &[N], b: &[N]) -> N {
    sum(a.iter().zip(b).map(|(a, b)| *a * *b))
}

/// The sum of the terms.
pub fn sum<N: Number>(terms: impl Iterator<Item = N>) -> N {
    terms.fold(N::of(0.0), |sum, x| sum + x)
}

/// ‖a‖.
pub fn norm<N: Number>(a: &[N]) -> N {
    dot(a, a).sqrt()
}

/// a + c·b.
pub fn plus<N: Number>(a: &[N], c: N, b: &[N]) -> Vec<N> {
    a.iter().zip(b).map(|(a, b)| *a + c * *b).collect()
}

/// a − b.
pub fn minus<N: Number>(a: &[N], b: &[N]) -> Vec<N> {
    plus(a, N::of(-1.0), b)
}

/// c·a.
pub fn times<N: Number>(c: N, a: &[N]) -> Vec<N> {
    a.iter().map(|a| c * *a).collect()
}

/// 0 in so many dimensions.
pub(crate) fn zero<N: Number>(dim: usize) -> Vec<N> {
    vec![N::of(0.0); dim]
}

/// x².
pub(crate) fn square<N: Number>(x: N) -> N {
    x * x
}
