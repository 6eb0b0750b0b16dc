//! Design matrix (one row per example, one column per feature), laid out for fast passes: mostly nonzero columns as a
//! dense block, the other columns in compressed sparse rows.

use super::{
    Examples,
    rounding::{self, CompensatedDot},
    row_blocks::{Block, Blocks},
    storage::Storage,
    workers::{Stopped, Workers},
};
use crate::{
    numeric::sums::Sum,
    shards::{Partial, Shards},
};
use std::{
    borrow::Cow,
    ops::{Deref, Range},
};

/// Design matrix without the rows of weight 0: all of its rows, or those of some shards. All else, such as the columns
/// and their means, is that of all rows.
///
/// A point (vector of weights) has [`Design::dim`] coordinates: first those of the dense columns, the last of which is
/// the intercept (a column of ones), then those of the sparse columns. With an intercept the dense columns are centred.
/// Centring changes no weight but the intercept, and greatly improves the condition number for columns whose mean is
/// large relative to their standard deviation.
#[derive(Debug)]
pub(super) struct Design<'a> {
    pub(super) label: Cow<'a, [f64]>,
    pub(super) offset: Cow<'a, [f64]>,
    /// Row weights ω_i, normalised to sum to 1.
    pub(super) share: Vec<f64>,
    /// Number of dense columns, including the intercept.
    pub(super) width: usize,
    pub(super) intercept: bool,
    dense: Storage<f64>,
    start: Cow<'a, [usize]>,
    column: Array<'a, u32>,
    value: Array<'a, f64>,
    /// Column number, in the examples, of each coordinate of a point except the intercept.
    origin: Vec<u32>,
    /// Mean that was subtracted from each dense column except the intercept; empty without centring.
    mean: Vec<f64>,
    /// Dense columns that are constant, and therefore 0 after centring.
    constant_columns: Vec<usize>,
    columns: usize,
    /// Upper bound on the relative difference between the stored values and weights and the exact values and weights of
    /// the data.
    value_error: f64,
    /// Norm √Σω_i x_ij² of the column of each coordinate j, with row weights ω_i.
    pub(super) lengths: Vec<f64>,
    /// Shards of the whole data set; `None` if these are all rows of it.
    pub(super) shards: Option<Shards>,
    /// Rows of each shard of this process, with its number; a single block of all rows if there are no shards.
    pub(super) own: Vec<(usize, Range<usize>)>,
    /// Number of rows and of sparse nonzeros of all shards.
    all: (usize, usize),
    /// Number of rows of the longest shard.
    longest_shard: usize,
}

/// Counts of rows and nonzeros over all shards, on which the layout depends.
struct Counts {
    rows: usize,
    longest_shard: usize,
    /// Number of nonzeros of each column.
    of_columns: Vec<usize>,
    /// Whether some row has weight 0.
    drops_rows: bool,
    /// Sum of the row weights, divided by the largest, which is the next number.
    total: f64,
    largest: f64,
}

/// Array that is either borrowed from the examples or owned by the design matrix.
#[derive(Debug)]
enum Array<'a, T> {
    Borrowed(&'a [T]),
    Owned(Storage<T>),
}

impl<T: bytemuck::Pod> Deref for Array<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Array::Borrowed(numbers) => numbers,
            Array::Owned(numbers) => numbers,
        }
    }
}

/// One row of the design matrix: its entries in the dense block, and the columns and values of its sparse nonzeros.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) dense: &'a [f64],
    pub(super) column: &'a [u32],
    pub(super) value: &'a [f64],
}

impl<'a> Design<'a> {
    /// Lays out the design matrix of the examples with these row weights; `None` if no weight is positive.
    pub(super) fn new(
        examples: &'a Examples,
        weights: &[f64],
        intercept: bool,
        workers: &Workers,
    ) -> Result<Option<Design<'a>>, Stopped> {
        let kept: Vec<usize> = (0..examples.len()).filter(|&i| weights[i] > 0.0).collect();
        let mut design = Design {
            label: Cow::Borrowed(&examples.label),
            offset: Cow::Borrowed(&examples.offset),
            share: Vec::new(),
            width: usize::from(intercept),
            intercept,
            dense: Storage::default(),
            start: Cow::Borrowed(&examples.start),
            column: Array::Borrowed(&examples.column),
            value: Array::Borrowed(&examples.value),
            origin: (0..examples.columns() as u32).collect(),
            mean: Vec::new(),
            constant_columns: Vec::new(),
            columns: examples.columns(),
            value_error: rounding::of_values(examples.is_standardised),
            lengths: Vec::new(),
            shards: examples.shards.clone(),
            own: own_rows(examples, &kept),
            all: (kept.len(), 0),
            longest_shard: 0,
        };
        let counts = design.count(examples, &kept, weights, workers)?;
        if counts.rows == 0 {
            return Ok(None);
        }
        (design.all.0, design.longest_shard) = (counts.rows, counts.longest_shard);
        design.share = kept.iter().map(|&i| weights[i] / counts.largest / counts.total).collect();
        let dense = (0..).zip(&counts.of_columns).filter(|(_, c)| 2 * **c > counts.rows).map(|(j, _)| j);
        let dense: Vec<u32> = dense.collect();
        design.width = dense.len() + usize::from(intercept);
        design.dense = room(examples, kept.len() * design.width);
        let is_sparse = |c: usize| 2 * c <= counts.rows;
        design.all.1 = counts.of_columns.iter().copied().filter(|c| is_sparse(*c)).sum();
        // Among shards, columns may be empty that other data sets have had.
        let has_empty = design.shards.is_some() && counts.of_columns.contains(&0);
        if !dense.is_empty() || counts.drops_rows || has_empty {
            design.split(examples, &kept, &counts, dense);
        }
        if intercept {
            design.centre(workers)?;
        }
        design.lengths = design.lengths(workers)?;
        Ok(Some(design))
    }

    /// Counts the rows and nonzeros of all shards, and adds up the row weights.
    fn count(
        &self,
        examples: &Examples,
        kept: &[usize],
        weights: &[f64],
        workers: &Workers,
    ) -> Result<Counts, Stopped> {
        let largest = self.combine(workers, |rows| {
            let largest = kept[rows.clone()].iter().fold(0.0, |a: f64, &i| a.max(weights[i]));
            let drops_rows = f64::from(kept.len() < examples.len());
            Partial { maxima: vec![largest, rows.len() as f64, drops_rows], ..Partial::default() }
        })?;
        let [largest, longest_shard, drops_rows] = largest.maxima[..] else { unreachable!("three numbers were given") };
        let sums = self.combine(workers, |rows| {
            // Divided by the largest first, as the sum of tiny or huge weights may underflow or overflow.
            let (mut total, mut count) = (Sum::default(), vec![0.0; examples.columns() + 1]);
            for &i in &kept[rows.clone()] {
                total.add(weights[i] / largest);
                examples.row(i).0.iter().for_each(|&j| count[j as usize] += 1.0);
            }
            count[examples.columns()] = rows.len() as f64;
            Partial { sums: count, compensated: total.parts().to_vec(), ..Partial::default() }
        })?;
        let total = sums.compensated_sums()[0];
        let mut of_columns: Vec<usize> = sums.sums.iter().map(|count| *count as usize).collect();
        let rows = of_columns.pop().unwrap_or(0);
        let (longest_shard, drops_rows) = (longest_shard as usize, drops_rows > 0.0);
        Ok(Counts { rows, longest_shard, of_columns, drops_rows, total, largest })
    }

    /// Computes a partial result of the rows of each shard, without any if there are no rows, and returns that of all.
    fn combine(&self, workers: &Workers, work: impl Fn(&Range<usize>) -> Partial + Sync) -> Result<Partial, Stopped> {
        // All rows of one process are summed in one go.
        workers.combine_shards(self.shards.as_ref(), &self.own, work)
    }

    /// Computes the norm √Σω_i x_ij² of each column, rounded up.
    fn lengths(&self, workers: &Workers) -> Result<Vec<f64>, Stopped> {
        let up = 1.0 + (self.all_rows() + 4) as f64 * rounding::EPS;
        let plain = self.squares(workers, &vec![1.0; self.dim()])?;
        let is_safe = |square: &f64| (1e-200..1e200).contains(square);
        if plain.iter().all(is_safe) {
            return Ok(plain.iter().map(|square| square.sqrt() * up).collect());
        }
        // Where squares would underflow or overflow, columns are scaled to order 1 first.
        let scale: Vec<f64> = self.largest(workers)?.into_iter().map(to_order_one).collect();
        let squares = self.squares(workers, &scale)?;
        Ok(squares.iter().zip(&scale).map(|(square, scale)| square.sqrt() / scale * up).collect())
    }

    /// Computes Σω_i(scale_j·x_ij)² for each column j, with row weights ω_i.
    fn squares(&self, workers: &Workers, scale: &[f64]) -> Result<Vec<f64>, Stopped> {
        let (of_dense, of_sparse) = scale.split_at(self.width);
        let total = self.combine(workers, |rows| {
            let mut squares = vec![0.0; self.dim()];
            let (dense, sparse) = squares.split_at_mut(self.width);
            for r in rows.clone() {
                let (row, share) = (self.row(r), self.share[r]);
                for ((square, x), scale) in dense.iter_mut().zip(row.dense).zip(of_dense) {
                    let x = x * scale;
                    *square += share * x * x;
                }
                for (&j, x) in row.column.iter().zip(row.value) {
                    let x = x * of_sparse[j as usize];
                    sparse[j as usize] += share * x * x;
                }
            }
            Partial { sums: squares, ..Partial::default() }
        })?;
        Ok(total.sums)
    }

    /// Returns the largest |x_ij| of each column j.
    fn largest(&self, workers: &Workers) -> Result<Vec<f64>, Stopped> {
        let total = self.combine(workers, |rows| {
            let mut maxima = vec![0.0_f64; self.dim()];
            let (dense, sparse) = maxima.split_at_mut(self.width);
            for r in rows.clone() {
                let row = self.row(r);
                dense.iter_mut().zip(row.dense).for_each(|(largest, x)| *largest = largest.max(x.abs()));
                let pairs = row.column.iter().zip(row.value);
                pairs.for_each(|(&j, x)| sparse[j as usize] = sparse[j as usize].max(x.abs()));
            }
            Partial { maxima, ..Partial::default() }
        })?;
        Ok(total.maxima)
    }

    /// Moves the dense columns out of the compressed sparse rows into the dense block, and drops the rows of weight 0.
    fn split(&mut self, examples: &Examples, kept: &[usize], counts: &Counts, dense_columns: Vec<u32>) {
        const NONE: u32 = u32::MAX;
        let sparse = (0..).zip(&counts.of_columns).filter(|(_, c)| **c > 0 && 2 * **c <= counts.rows);
        let sparse = sparse.map(|(j, _)| j);
        let sparse: Vec<u32> = sparse.collect();
        // The destination of each column: a column of the dense block, or a sparse coordinate.
        let mut place = vec![(NONE, NONE); examples.columns()];
        (0..).zip(&dense_columns).for_each(|(new, &old)| place[old as usize].0 = new);
        (0..).zip(&sparse).for_each(|(new, &old)| place[old as usize].1 = new);
        let of_row = |&i: &usize| examples.row(i).0.iter().filter(|j| place[**j as usize].1 != NONE).count();
        let nonzeros = kept.iter().map(of_row).sum();
        let (mut column, mut value) = (room::<u32>(examples, nonzeros), room::<f64>(examples, nonzeros));
        let (width, mut end) = (self.width, 0);
        let (to_column, to_value, to_dense) = (&mut *column, &mut *value, &mut *self.dense);
        let mut start = Vec::with_capacity(kept.len() + 1);
        start.push(0);
        for (r, &i) in kept.iter().enumerate() {
            let (columns, values) = examples.row(i);
            for (&j, &x) in columns.iter().zip(values) {
                match place[j as usize] {
                    (NONE, j) => {
                        (to_column[end], to_value[end]) = (j, x);
                        end += 1;
                    }
                    (j, _) => to_dense[r * width + j as usize] = x,
                }
            }
            start.push(end);
        }
        self.label = kept.iter().map(|&i| examples.label[i]).collect();
        self.offset = kept.iter().map(|&i| examples.offset[i]).collect();
        (self.start, self.column, self.value) = (start.into(), Array::Owned(column), Array::Owned(value));
        self.origin = dense_columns;
        self.origin.extend(sparse);
    }

    /// Subtracts from each dense column its mean, and fills the intercept's column with ones. A constant column becomes
    /// exactly 0, not a column of rounding errors.
    fn centre(&mut self, workers: &Workers) -> Result<(), Stopped> {
        let (width, last) = (self.width, self.width - 1);
        let total = self.combine(workers, |rows| {
            let (mut mean, mut ends) = (vec![0.0; last], vec![f64::NEG_INFINITY; 2 * last]);
            let (largest, smallest) = ends.split_at_mut(last);
            for r in rows.clone() {
                let (row, share) = (&self.dense[r * width..][..last], self.share[r]);
                mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += share * x);
                largest.iter_mut().zip(row).for_each(|(largest, x)| *largest = largest.max(*x));
                smallest.iter_mut().zip(row).for_each(|(smallest, x)| *smallest = smallest.max(-x));
            }
            Partial { sums: mean, maxima: ends, ..Partial::default() }
        })?;
        self.mean = total.sums;
        let (largest, smallest) = total.maxima.split_at(last);
        self.constant_columns = (0..last).filter(|&j| largest[j] == -smallest[j]).collect();
        self.constant_columns.iter().for_each(|&j| self.mean[j] = largest[j]);
        for row in self.dense.chunks_exact_mut(width) {
            row[last] = 1.0;
            row.iter_mut().zip(&self.mean).for_each(|(x, mean)| *x -= mean);
        }
        Ok(())
    }

    /// Returns the number of rows of this process.
    pub(super) fn rows(&self) -> usize {
        self.share.len()
    }

    /// Returns the number of rows of all shards.
    pub(super) fn all_rows(&self) -> usize {
        self.all.0
    }

    /// Returns the number of rows of the longest shard.
    pub(super) fn longest_shard(&self) -> usize {
        self.longest_shard
    }

    /// Returns the number of columns of the examples, including columns without nonzeros.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of coordinates of a point, including the intercept.
    pub(super) fn dim(&self) -> usize {
        self.origin.len() + usize::from(self.intercept)
    }

    /// Returns the coordinate of the intercept; `None` if there is no intercept.
    pub(super) fn constant(&self) -> Option<usize> {
        self.intercept.then(|| self.width - 1)
    }

    /// Returns the amount of data that a pass over all shards reads: the number of dense entries, and the number of
    /// sparse nonzeros.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.all.0 * self.width, self.all.1)
    }

    /// Returns row `i`. In inner loops [`Sample::row`] is faster.
    pub(super) fn row(&self, i: usize) -> Row<'_> {
        let nonzeros = self.start[i]..self.start[i + 1];
        let dense = &self.dense[i * self.width..(i + 1) * self.width];
        Row { dense, column: &self.column[nonzeros.clone()], value: &self.value[nonzeros] }
    }

    /// Iterates over all coordinates of a point except the intercept, as pairs of the coordinate and its column number
    /// in the examples.
    pub(super) fn map(&self) -> impl Iterator<Item = (usize, usize)> {
        let skip = self.width - usize::from(self.intercept);
        let coordinate = move |k: usize| if k < skip { k } else { k + usize::from(self.intercept) };
        self.origin.iter().enumerate().map(move |(k, &column)| (coordinate(k), column as usize))
    }

    /// Converts a model, given by its weights by column (missing weights are 0) and its intercept, to the parameter vector
    /// of the optimisation.
    pub(super) fn point(&self, weights: &[f64], intercept: f64) -> Vec<f64> {
        let mut point = vec![0.0; self.dim()];
        for (at, column) in self.map() {
            point[at] = weights.get(column).copied().filter(|w| w.is_finite()).unwrap_or(0.0);
        }
        if let Some(constant) = self.constant() {
            let moved: f64 = self.mean.iter().zip(&point).map(|(mean, w)| mean * w).sum();
            point[constant] = if intercept.is_finite() { intercept + moved } else { 0.0 };
        }
        // The intercept already represents constant columns.
        self.constant_columns.iter().for_each(|&at| point[at] = 0.0);
        point
    }

    /// Converts a point to a model: the weights by column, and the intercept.
    pub(super) fn model(&self, point: &[f64]) -> (Vec<f64>, f64) {
        let mut weights = vec![0.0; self.columns];
        self.map().for_each(|(at, column)| weights[column] = point[at]);
        (weights, self.constant().map_or(0.0, |_| self.intercept(point).value()))
    }

    /// Computes the intercept for uncentred columns: the intercept for centred columns minus Σ mean_j·w_j, in twice the
    /// working precision.
    fn intercept(&self, point: &[f64]) -> CompensatedDot {
        let mut dot_sum = CompensatedDot::default();
        dot_sum.add(self.constant().map_or(0.0, |constant| point[constant]), 1.0);
        self.mean.iter().zip(point).for_each(|(mean, w)| dot_sum.add(-mean, *w));
        dot_sum
    }

    /// Bounds the difference between the margins of the stored model and those of the point it was converted from: the
    /// conversion rounds the intercept, and centred values may be rounded too.
    pub(super) fn storage_error(&self, point: &[f64]) -> f64 {
        if self.mean.is_empty() {
            return 0.0;
        }
        let mut dot_sum = self.intercept(point);
        let (stored, size) = (dot_sum.value(), dot_sum.size());
        dot_sum.add(-stored, 1.0);
        dot_sum.magnitude_bound() + self.value_error * size
    }

    /// Computes √Σ(w_j·length_j)² of a point with weights w_j, from the column norms length_j. [`Sample::most`] derives
    /// from it a bound on Σ|w_j x_ij| of a row.
    pub(super) fn reach(&self, point: &[f64]) -> f64 {
        length(point.iter().zip(&self.lengths).map(|(w, length)| w * length))
    }

    /// Returns an upper bound on the relative difference between the values and weights as stored and those of the
    /// original data; 0 unless columns were divided by their scales.
    pub(super) fn value_error(&self) -> f64 {
        self.value_error
    }

    /// Bounds the error of Σω_iθ_i x_ij that is due to rounded values in column j, per unit of the norm √Σω_iθ_i² of
    /// the dual points θ_i (ω_i are the row weights).
    pub(super) fn column_error(&self, at: usize) -> f64 {
        self.value_error * self.mean.get(at).map_or(0.0, |mean| mean.abs())
    }

    /// Computes the weighted mean over the rows of all shards of a function of label and offset.
    pub(super) fn mean(&self, workers: &Workers, of: impl Fn(f64, f64) -> f64 + Sync) -> Result<f64, Stopped> {
        let total = self.combine(workers, |rows| {
            let term = |r: usize| of(self.label[r], self.offset[r]) * self.share[r];
            Partial { sums: vec![rows.clone().map(term).sum()], ..Partial::default() }
        })?;
        Ok(total.sums[0])
    }

    /// Whether the rows of all shards have the same label.
    pub(super) fn has_one_label(&self, workers: &Workers) -> Result<bool, Stopped> {
        let ends = self.combine(workers, |rows| {
            let of_sign = |sign: f64| rows.clone().map(|r| sign * self.label[r]).fold(f64::NEG_INFINITY, f64::max);
            Partial { maxima: vec![of_sign(1.0), of_sign(-1.0)], ..Partial::default() }
        })?;
        Ok(ends.maxima[0] == -ends.maxima[1])
    }
}

/// Returns the rows of each shard, with its number, among the rows that are kept; all of them if there are no shards.
fn own_rows(examples: &Examples, kept: &[usize]) -> Vec<(usize, Range<usize>)> {
    if examples.shards.is_none() {
        return vec![(0, 0..kept.len())];
    }
    let from = |first: usize| kept.partition_point(|&i| i < first);
    let ends = examples.own.iter().skip(1).map(|&(_, first)| from(first)).chain([kept.len()]);
    examples.own.iter().zip(ends).map(|(&(number, first), end)| (number, from(first)..end)).collect()
}

/// Computes the Euclidean norm √Σx², without overflow or underflow, rounded up.
fn length(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = numbers.clone().fold(0.0, |a: f64, x| a.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * numbers.map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt() * (1.0 + 1e-9)
}

/// Returns a power of two whose product with `largest` is of order 1; 1 if `largest` is 0. Products with a power of two
/// are exact.
fn to_order_one(largest: f64) -> f64 {
    let exponent = if largest > 0.0 { -libm::ilogb(largest) } else { 0 };
    libm::scalbn(1.0, exponent.clamp(-1000, 1000))
}

/// Allocates an array of `len` zeros, in memory if the memory limit of the examples allows, else in a temporary file.
fn room<T: bytemuck::Pod>(examples: &Examples, len: usize) -> Storage<T> {
    let bytes = len * size_of::<T>();
    // If the disk is full, use memory all the same.
    let room = Storage::zeros(len, examples.has_memory(bytes)).or_else(|_| Storage::zeros(len, true));
    room.unwrap_or_else(|_| std::alloc::handle_alloc_error(std::alloc::Layout::new::<T>()))
}

/// Systematic subsample of the rows: every `stride`-th row of each shard; all rows for stride 1. Its functions of a row
/// take the row of the design matrix.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    pub(super) design: &'a Design<'a>,
    pub(super) stride: usize,
    /// Factor by which the weights of the sampled rows are multiplied to sum to 1.
    scale: f64,
    /// Entries of the dense columns. This and the next fields are arrays of the design matrix, borrowed as slices from
    /// memory or from a mapped file.
    dense: &'a [f64],
    column: &'a [u32],
    value: &'a [f64],
}

impl<'a> Sample<'a> {
    /// Returns the sample of all rows.
    pub(super) fn all(design: &'a Design<'a>) -> Sample<'a> {
        let (dense, column, value) = (&*design.dense, &*design.column, &*design.value);
        Sample { design, stride: 1, scale: 1.0, dense, column, value }
    }

    /// Returns the sample of every `stride`-th row.
    pub(super) fn new(design: &'a Design<'a>, stride: usize, workers: &Workers) -> Result<Sample<'a>, Stopped> {
        let total = design.combine(workers, |rows| {
            let shares = design.share[rows.clone()].iter().step_by(stride);
            Partial { sums: vec![shares.sum()], ..Partial::default() }
        })?;
        Ok(Sample { stride, scale: 1.0 / total.sums[0], ..Sample::all(design) })
    }

    /// Returns the number of rows of the sample that this process owns.
    pub(super) fn rows(&self) -> usize {
        match self.design.shards {
            None => self.design.rows().div_ceil(self.stride),
            Some(_) => self.blocks().rows(),
        }
    }

    /// Returns the number of rows of the sample in all shards, up to the rounding of each shard.
    pub(super) fn all_rows(&self) -> usize {
        self.design.all_rows().div_ceil(self.stride)
    }

    /// Returns the blocks of rows that are summed separately. They are large enough that the time for their sum vectors
    /// is negligible.
    pub(super) fn blocks(&self) -> Blocks {
        let (dense, nonzeros) = self.design.size();
        let work = (dense + 3 * nonzeros) / self.stride;
        let most = work / (8 * self.design.dim()).max(1 << 18);
        let least = if work > 1 << 21 { 2 } else { 1 };
        // A power of two, which most numbers of threads divide. It depends on the amount of work, never on the number
        // of threads.
        self.at_most(1 << most.clamp(least, 8).ilog2())
    }

    /// Returns blocks of rows like [`blocks`](Sample::blocks), at most this many if the rows are not in shards.
    pub(super) fn at_most(&self, blocks: usize) -> Blocks {
        Blocks::new(self.design, self.stride, blocks)
    }

    /// Returns the number of rows of the longest block.
    pub(super) fn longest_block(&self) -> usize {
        match self.design.shards {
            None => self.blocks().own.iter().map(Block::len).max().unwrap_or(0),
            Some(_) => self.design.longest_shard().div_ceil(self.stride),
        }
    }

    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> Row<'a> {
        let width = self.design.width;
        let nonzeros = self.design.start[i]..self.design.start[i + 1];
        let dense = &self.dense[i * width..(i + 1) * width];
        Row { dense, column: &self.column[nonzeros.clone()], value: &self.value[nonzeros] }
    }

    /// Bounds the rounding error of the margin of row `i`, where `size` is the sum of the absolute values of the
    /// margin's terms.
    #[inline(always)]
    pub(super) fn rounding(&self, i: usize, size: f64) -> f64 {
        rounding::of_margin(self.design.width, self.design.start[i + 1] - self.design.start[i], size)
    }

    /// Bounds Σ_j |w_j x_ij| of a row by Cauchy–Schwarz, because |x_ij| ≤ length_j/√ω_i. `reach` is √Σ(w_j·length_j)²,
    /// with weights w_j, column norms length_j and row weights ω_i.
    #[inline(always)]
    pub(super) fn most(&self, i: usize, reach: f64) -> f64 {
        let numbers = self.design.width + self.design.start[i + 1] - self.design.start[i];
        if reach > 0.0 { reach * (numbers as f64 / self.design.share[i]).sqrt() } else { 0.0 }
    }

    #[inline(always)]
    pub(super) fn label(&self, i: usize) -> f64 {
        self.design.label[i]
    }

    #[inline(always)]
    pub(super) fn offset(&self, i: usize) -> f64 {
        self.design.offset[i]
    }

    #[inline(always)]
    pub(super) fn share(&self, i: usize) -> f64 {
        self.design.share[i] * self.scale
    }
}
