//! Quadratic model ½ΔᵀHΔ + gᵀΔ of the smooth part of the objective around a point, for coordinate descent over the step
//! Δ. g is the gradient and H the Hessian.

use super::{
    design::{Design, Sample},
    gram::{cost, gram},
    pass::Passes,
    proximal_newton::{Model, SWEEPS_BEFORE_JOINT_STEP},
    state::{State, diagonal},
    vector_loops::{Kernel, add, widest},
    workers::Stopped,
};

/// Maximum number of columns for which the whole Hessian is stored.
const MAX_DENSE_COLUMNS: usize = 2000;

/// Quadratic model ½ΔᵀHΔ + gᵀΔ, stored so that coordinates of the current step Δ can be changed one at a time.
pub(super) enum Quadratic<'s> {
    /// Model with the whole Hessian H stored: changing a coordinate of Δ costs O(d) for d coordinates, its derivative
    /// O(1).
    Matrix {
        /// Hessian H, row by row.
        square: Vec<f64>,
        /// Derivative g + HΔ of the model at the current step Δ.
        derivative: Vec<f64>,
    },
    /// Model by the columns of the design matrix: changing a coordinate of Δ and its derivative both cost O(nonzeros of
    /// the column).
    Columns {
        columns: &'s Columns,
        state: &'s State,
        /// Current step Δ.
        step: Vec<f64>,
        /// Curvature of each row times the change of its margin by the step Δ.
        curved_margin: Vec<f64>,
        /// Diagonal of the Hessian H.
        diagonal: Vec<f64>,
    },
}

impl<'s> Quadratic<'s> {
    /// Whether the whole Hessian is stored, because there are few columns or because that is cheap.
    pub(super) fn is_matrix(sample: &Sample) -> bool {
        let (dim, (dense, nonzeros)) = (sample.design.dim(), sample.design.size());
        dim <= 200 || dim <= MAX_DENSE_COLUMNS && cost(sample) <= 100.0 * (dense + 2 * nonzeros) as f64
    }

    /// Builds the quadratic model around the point of `state`, at the step Δ = 0.
    pub(super) fn new(
        passes: &mut Passes,
        sample: &Sample,
        state: &'s State,
        columns: &'s mut Option<Columns>,
    ) -> Result<Quadratic<'s>, Stopped> {
        let dim = state.point.len();
        if Quadratic::is_matrix(sample) {
            let mut square = gram(passes.workers, sample, &state.curvature)?;
            for i in 0..dim {
                square[i * dim + i] += state.penalty_curvature[i];
                (0..i).for_each(|j| square[j * dim + i] = square[i * dim + j]);
            }
            return Ok(Quadratic::Matrix { square, derivative: state.gradient.clone() });
        }
        let diagonal = diagonal(passes, sample, &state.penalty_curvature, &state.curvature)?;
        let columns = columns.get_or_insert_with(|| Columns::new(sample.design));
        let (step, curved_margin) = (vec![0.0; dim], vec![0.0; state.margin.len()]);
        Ok(Quadratic::Columns { columns, state, step, curved_margin, diagonal })
    }
}

impl Model for Quadratic<'_> {
    fn curvature(&self, j: usize) -> f64 {
        match self {
            Quadratic::Matrix { square, derivative } => square[j * derivative.len() + j],
            Quadratic::Columns { diagonal, .. } => diagonal[j],
        }
    }

    fn derivative(&self, j: usize) -> f64 {
        match self {
            Quadratic::Matrix { derivative, .. } => derivative[j],
            Quadratic::Columns { columns, state, step, curved_margin, .. } => {
                state.gradient[j] + columns.dot(j, curved_margin) + state.penalty_curvature[j] * step[j]
            }
        }
    }

    fn shift(&mut self, j: usize, by: f64) {
        match self {
            Quadratic::Matrix { square, derivative } => {
                let dim = derivative.len();
                widest(Shift { derivative, by, row: &square[j * dim..][..dim] });
            }
            Quadratic::Columns { columns, state, step, curved_margin, .. } => {
                step[j] += by;
                columns.each(j, |r, x| curved_margin[r] += by * x * state.curvature[r]);
            }
        }
    }

    fn square(&self, coordinates: &[usize]) -> Option<Vec<f64>> {
        match self {
            Quadratic::Matrix { square, derivative } => {
                let rows = coordinates.iter().map(|j| &square[j * derivative.len()..][..derivative.len()]);
                Some(rows.flat_map(|row| coordinates.iter().map(|&k| row[k])).collect())
            }
            Quadratic::Columns { columns, state, .. } => Some(columns.square(coordinates, state)),
        }
    }

    fn sweeps_before_joint_step(&self) -> usize {
        match self {
            Quadratic::Matrix { .. } => SWEEPS_BEFORE_JOINT_STEP,
            // Its square has to be computed first, which costs as much as some hundred sweeps over the same columns.
            Quadratic::Columns { .. } => 16 * SWEEPS_BEFORE_JOINT_STEP,
        }
    }
}

struct Shift<'s> {
    derivative: &'s mut [f64],
    by: f64,
    row: &'s [f64],
}

impl Kernel for Shift<'_> {
    #[inline(always)]
    fn run(self) {
        add(self.derivative, self.by, self.row);
    }
}

/// Design matrix in compressed sparse column form: 12 bytes per nonzero.
pub(super) struct Columns {
    start: Vec<usize>,
    row: Vec<u32>,
    value: Vec<f64>,
}

impl Columns {
    pub(super) fn new(design: &Design) -> Columns {
        let dim = design.dim();
        let mut start = vec![0; dim + 1];
        let visit = |mut take: Box<dyn FnMut(usize, usize, f64) + '_>| {
            for r in 0..design.rows() {
                let row = design.row(r);
                row.dense.iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(j, x)| take(r, j, *x));
                row.column.iter().zip(row.value).for_each(|(j, x)| take(r, design.width + *j as usize, *x));
            }
        };
        visit(Box::new(|_, j, _| start[j + 1] += 1));
        (0..dim).for_each(|j| start[j + 1] += start[j]);
        let (mut row, mut value) = (vec![0; start[dim]], vec![0.0; start[dim]]);
        let mut next = start.clone();
        visit(Box::new(|r, j, x| {
            (row[next[j]], value[next[j]]) = (r as u32, x);
            next[j] += 1;
        }));
        Columns { start, row, value }
    }

    /// Computes the lower triangle of the Hessian restricted to these coordinates, row by row in a square array: for each
    /// of them one inner product with all before it, O(coordinates · their nonzeros).
    fn square(&self, coordinates: &[usize], state: &State) -> Vec<f64> {
        let width = coordinates.len();
        let (mut square, mut curved) = (vec![0.0; width * width], vec![0.0; state.margin.len()]);
        for (a, &j) in coordinates.iter().enumerate() {
            self.each(j, |r, x| curved[r] += x * state.curvature[r]);
            for (entry, &k) in square[a * width..].iter_mut().zip(&coordinates[..=a]) {
                *entry = self.dot(k, &curved);
            }
            square[a * width + a] += state.penalty_curvature[j];
            self.each(j, |r, _| curved[r] = 0.0);
        }
        square
    }

    /// Computes Σ_r x_rj·at_r, the inner product of column j with one number per row.
    pub(super) fn dot(&self, j: usize, at: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(j, |r, x| sum += x * at[r]);
        sum
    }

    /// Calls `take` with the row and value of each nonzero of column j.
    pub(super) fn each(&self, j: usize, mut take: impl FnMut(usize, f64)) {
        let nonzeros = self.start[j]..self.start[j + 1];
        self.row[nonzeros.clone()].iter().zip(&self.value[nonzeros]).for_each(|(&r, &x)| take(r as usize, x));
    }
}
