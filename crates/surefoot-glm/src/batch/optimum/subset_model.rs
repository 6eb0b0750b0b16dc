//! Quadratic model of the smooth part of the objective for steps along some coordinates only, for rows that lie in
//! several processes, where a change of one coordinate at a time must not need an exchange.

use super::proximal_newton::Model;

/// Maximum number of coordinates that one step may change.
pub(super) const MAX_COORDINATES: usize = 2048;

/// Quadratic model ½ΔᵀHΔ + gᵀΔ for steps Δ along some coordinates, with the Hessian H restricted to them.
pub(super) struct SubsetModel<'s> {
    /// Index of each coordinate among the chosen ones; `usize::MAX` for others.
    place: Vec<usize>,
    /// Number of chosen coordinates.
    count: usize,
    /// Hessian of the chosen coordinates, row by row.
    square: Vec<f64>,
    /// Derivative g + HΔ at the current step, of the chosen coordinates.
    derivative: Vec<f64>,
    /// Gradient g of all coordinates.
    gradient: &'s [f64],
}

impl<'s> SubsetModel<'s> {
    /// Builds the model from the lower triangle of the Hessian of the chosen coordinates.
    pub(super) fn new(coordinates: &[usize], mut square: Vec<f64>, gradient: &'s [f64]) -> SubsetModel<'s> {
        let count = coordinates.len();
        for i in 0..count {
            (0..i).for_each(|j| square[j * count + i] = square[i * count + j]);
        }
        let mut place = vec![usize::MAX; gradient.len()];
        coordinates.iter().enumerate().for_each(|(k, &j)| place[j] = k);
        let derivative = coordinates.iter().map(|&j| gradient[j]).collect();
        SubsetModel { place, count, square, derivative, gradient }
    }
}

impl Model for SubsetModel<'_> {
    fn curvature(&self, j: usize) -> f64 {
        match self.place[j] {
            usize::MAX => 0.0,
            k => self.square[k * self.count + k],
        }
    }

    fn derivative(&self, j: usize) -> f64 {
        match self.place[j] {
            usize::MAX => self.gradient[j],
            k => self.derivative[k],
        }
    }

    fn shift(&mut self, j: usize, by: f64) {
        let k = self.place[j];
        let row = &self.square[k * self.count..][..self.count];
        self.derivative.iter_mut().zip(row).for_each(|(derivative, h)| *derivative += by * h);
    }

    fn square(&self, coordinates: &[usize]) -> Option<Vec<f64>> {
        let entry = |&i: &usize, &j: &usize| self.square[self.place[i] * self.count + self.place[j]];
        Some(coordinates.iter().flat_map(|i| coordinates.iter().map(move |j| entry(i, j))).collect())
    }
}
