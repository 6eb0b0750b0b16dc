//! Softmax loss, as an objective for the proximal Newton method.

use super::{
    bound,
    gap::predicted_duals,
    state::{ClassRows, State},
};
use crate::{
    batch::optimum::{
        candidate::Candidate,
        dual_feasibility::{each_row, places},
        proximal_newton::{CompositeProblem, Model},
        quadratic_model::Columns,
        search::Search,
        subset_model::SubsetModel,
        workers::{Stopped, Workers},
    },
    shards::Partial,
};

/// Maximum number of coordinates that are moved jointly by a Newton step, at which this costs less than the
/// coordinate-descent sweeps it saves: the matrix costs one sweep for every four coordinates, and a step that ends at a
/// kink is followed by another.
const MAX_JOINT_COORDINATES: usize = 64;

/// Softmax objective for the proximal Newton method: the rows and, unless they are in shards, a copy of the design
/// matrix stored by columns.
pub(super) struct SoftmaxProblem<'a> {
    rows: ClassRows<'a>,
    columns: Option<Columns>,
}

impl<'a> SoftmaxProblem<'a> {
    pub(super) fn new(rows: ClassRows<'a>) -> Self {
        let design = rows.sample.design;
        SoftmaxProblem { rows, columns: design.shards.is_none().then(|| Columns::new(design)) }
    }
}

impl CompositeProblem for SoftmaxProblem<'_> {
    type State = State;

    fn at(&self, search: &mut Search, point: Vec<f64>) -> Result<State, Stopped> {
        State::at(&mut search.passes, self.rows, &search.objective, point)
    }

    fn candidate<'s>(&self, state: &'s State) -> Candidate<'s> {
        state.candidate()
    }

    fn gradient<'s>(&self, state: &'s State) -> &'s [f64] {
        &state.gradient
    }

    fn bound(&self, search: &mut Search, state: &State, before: Option<&State>) -> Result<(), Stopped> {
        let duals = before.map_or_else(|| state.means.clone(), |before| predicted_duals(self.rows, before, state));
        bound(search, self.rows, state, Some(duals))
    }

    fn with_model(
        &mut self,
        search: &mut Search,
        state: &State,
        working: &[usize],
        descend: impl FnOnce(&Search, &mut dyn Model) -> Result<Vec<f64>, Stopped>,
    ) -> Result<Vec<f64>, Stopped> {
        let penalty_curvature = search.objective.penalty_curvature();
        match &self.columns {
            Some(columns) => descend(search, &mut ByColumns::new(self.rows, columns, state, penalty_curvature)),
            None => {
                let square = square(search.passes.workers, self.rows, state, &penalty_curvature, working)?;
                descend(search, &mut SubsetModel::new(working, square, &state.gradient))
            }
        }
    }
}

/// Computes the lower triangle of the Hessian Σ ω x xᵀ ⊗ (diag(p) − ppᵀ), with the curvature of the penalty, of these
/// coordinates.
fn square(
    workers: &Workers,
    rows: ClassRows,
    state: &State,
    penalty_curvature: &[f64],
    coordinates: &[usize],
) -> Result<Vec<f64>, Stopped> {
    let (dim, classes, count) = (penalty_curvature.len(), rows.classes, coordinates.len());
    let mut columns: Vec<usize> = coordinates.iter().map(|at| at % dim).collect();
    columns.sort_unstable();
    columns.dedup();
    let place = places(dim, &columns);
    let mut of_column = vec![Vec::new(); columns.len()];
    coordinates.iter().enumerate().for_each(|(k, at)| of_column[place[at % dim]].push((k, at / dim)));
    let total = workers.over_rows(&rows.sample, |block| {
        let (mut square, mut entries) = (vec![0.0; count * count], Vec::new());
        // A request to stop is reported by the caller.
        let _ = each_row(workers, &rows.sample, &place, block.rows.clone(), |r, pairs| {
            let (share, p) = (rows.sample.share(r), &state.means[r * classes..(r + 1) * classes]);
            entries.clear();
            entries.extend(pairs.iter().flat_map(|&(j, x)| of_column[j].iter().map(move |&(k, class)| (k, class, x))));
            for (a, &(i, k, x)) in entries.iter().enumerate() {
                for &(j, l, z) in &entries[..=a] {
                    let curvature = p[k] * if k == l { others(p, k) } else { -p[l] };
                    square[i.max(j) * count + i.min(j)] += share * x * z * curvature;
                }
            }
        });
        Partial { sums: square, ..Partial::default() }
    })?;
    let mut square = total.sums;
    let diagonal = square.iter_mut().step_by(count + 1);
    diagonal.zip(coordinates).for_each(|(h, at)| *h += penalty_curvature[at % dim]);
    Ok(square)
}

/// Quadratic model ½ΔᵀHΔ + gᵀΔ of the objective, with the margins of the step Δ. Changing a coordinate of Δ and its
/// derivative both cost O(nonzeros of the column).
struct ByColumns<'s> {
    rows: ClassRows<'s>,
    columns: &'s Columns,
    state: &'s State,
    /// Curvature of the penalty at each coordinate.
    penalty_curvature: Vec<f64>,
    /// Current step Δ.
    step: Vec<f64>,
    /// Margins z of the step Δ: row by row, one number per class.
    margin: Vec<f64>,
    /// Mean Σ_k p_k z_k of the margins z over the classes of each row, with class probabilities p_k.
    mean: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'s> ByColumns<'s> {
    fn new(rows: ClassRows<'s>, columns: &'s Columns, state: &'s State, penalty_curvature: Vec<f64>) -> Self {
        let (classes, dim) = (rows.classes, penalty_curvature.len());
        let diagonal = |at: usize| {
            let (k, j) = (at / dim, at % dim);
            let mut sum = penalty_curvature[j];
            columns.each(j, |r, x| {
                let p = &state.means[r * classes..(r + 1) * classes];
                sum += rows.sample.share(r) * p[k] * others(p, k) * x * x;
            });
            sum
        };
        let diagonal = (0..state.point.len()).map(diagonal).collect();
        let (step, margin) = (vec![0.0; state.point.len()], vec![0.0; state.margin.len()]);
        ByColumns {
            rows,
            columns,
            state,
            penalty_curvature,
            step,
            margin,
            mean: vec![0.0; rows.sample.rows()],
            diagonal,
        }
    }
}

impl Model for ByColumns<'_> {
    fn curvature(&self, at: usize) -> f64 {
        self.diagonal[at]
    }

    fn derivative(&self, at: usize) -> f64 {
        let (classes, dim) = (self.rows.classes, self.penalty_curvature.len());
        let (k, j) = (at / dim, at % dim);
        let mut sum = 0.0;
        self.columns.each(j, |r, x| {
            let i = r * classes + k;
            sum += x * self.rows.sample.share(r) * self.state.means[i] * (self.margin[i] - self.mean[r]);
        });
        self.state.gradient[at] + sum + self.penalty_curvature[j] * self.step[at]
    }

    fn shift(&mut self, at: usize, by: f64) {
        let (classes, dim) = (self.rows.classes, self.penalty_curvature.len());
        let (k, j) = (at / dim, at % dim);
        self.step[at] += by;
        let (margin, mean, means) = (&mut self.margin, &mut self.mean, &self.state.means);
        self.columns.each(j, |r, x| {
            margin[r * classes + k] += by * x;
            mean[r] += by * x * means[r * classes + k];
        });
    }

    fn drop_redundant(&self, coordinates: &mut Vec<usize>) {
        let (classes, dim) = (self.rows.classes, self.penalty_curvature.len());
        let all = coordinates.clone();
        let has_no_penalty = |at: usize| all.binary_search(&at).is_ok();
        // Equal weights of all classes change no loss.
        coordinates.retain(|&at| {
            at >= dim || self.penalty_curvature[at] > 0.0 || !(1..classes).all(|k| has_no_penalty(k * dim + at))
        });
    }

    fn square(&self, coordinates: &[usize]) -> Option<Vec<f64>> {
        let (classes, dim, count) = (self.rows.classes, self.penalty_curvature.len(), coordinates.len());
        if count > MAX_JOINT_COORDINATES {
            return None;
        }
        let mut square = vec![0.0; count * count];
        let mut column = vec![0.0; self.mean.len()];
        for (b, &other) in coordinates.iter().enumerate() {
            let (l, i) = (other / dim, other % dim);
            column.fill(0.0);
            self.columns.each(i, |r, x| column[r] = self.rows.sample.share(r) * self.state.means[r * classes + l] * x);
            for (a, &at) in coordinates.iter().enumerate().skip(b) {
                let (k, j) = (at / dim, at % dim);
                let sum = &mut square[a * count + b];
                self.columns.each(j, |r, x| {
                    let p = &self.state.means[r * classes..(r + 1) * classes];
                    *sum += x * column[r] * if k == l { others(p, k) } else { -p[k] };
                });
                *sum += if at == other { self.penalty_curvature[j] } else { 0.0 };
            }
        }
        Some(square)
    }
}

/// Computes 1 − p_k for class probabilities p without cancellation, as the sum of the other probabilities: near 1, p_k
/// has lost digits that the others still have.
pub(super) fn others(p: &[f64], k: usize) -> f64 {
    if p[k] > 0.5 { p[..k].iter().chain(&p[k + 1..]).sum() } else { 1.0 - p[k] }
}
