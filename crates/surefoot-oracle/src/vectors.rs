//! Dense vectors, the plain way.

/// ⟨a, b⟩.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// ‖a‖.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// a + c·b.
pub fn plus(a: &[f64], c: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + c * b).collect()
}

/// c·a.
pub fn times(c: f64, a: &[f64]) -> Vec<f64> {
    a.iter().map(|a| c * a).collect()
}
