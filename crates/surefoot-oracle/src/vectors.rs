//! Operations on dense vectors, written without optimisation.

use crate::Number;

/// Returns the inner product ⟨a, b⟩ of two vectors.
pub fn dot<N: Number>(a: &[N], b: &[N]) -> N {
    sum(a.iter().zip(b).map(|(a, b)| *a * *b))
}

/// Returns the sum of all terms of an iterator.
pub fn sum<N: Number>(terms: impl Iterator<Item = N>) -> N {
    terms.fold(N::of(0.0), |sum, x| sum + x)
}

/// Returns the Euclidean norm ‖a‖ of a vector.
pub fn norm<N: Number>(a: &[N]) -> N {
    dot(a, a).sqrt()
}

/// Returns the vector a + c·b.
pub fn plus<N: Number>(a: &[N], c: N, b: &[N]) -> Vec<N> {
    a.iter().zip(b).map(|(a, b)| *a + c * *b).collect()
}

/// Returns the vector a − b.
pub fn minus<N: Number>(a: &[N], b: &[N]) -> Vec<N> {
    plus(a, N::of(-1.0), b)
}

/// Returns the vector c·a.
pub fn times<N: Number>(c: N, a: &[N]) -> Vec<N> {
    a.iter().map(|a| c * *a).collect()
}

/// Returns the zero vector with `dim` coordinates.
pub(crate) fn zero<N: Number>(dim: usize) -> Vec<N> {
    vec![N::of(0.0); dim]
}

/// Returns the square of a number.
pub(crate) fn square<N: Number>(x: N) -> N {
    x * x
}
