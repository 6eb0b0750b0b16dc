//! Points of the coordinates at the start of a round, which its rows need over and over.
//!
//! During a round nothing is learnt, so what a coordinate adds to margins is computed once, and kept under a number
//! given in the order of first occurrence, which puts frequent features side by side.

use super::{
    averaging::BETA,
    coordinate::{Coordinate, raw_weight},
    coordinate_store::{self, CoordinateStore},
    gradient_sums::RowSums,
    terms::Terms,
};
use crate::{
    data::{fault::Fault, rows::Row},
    memory::feature_map::FeatureMap,
    numeric::check::NEGLIGIBLE,
    simd::{
        lanes::{LANES, Lanes},
        margin::MarginSum,
    },
};

#[cfg(target_arch = "x86_64")]
use crate::simd::f32x16::avx2;
use surefoot::Real;

/// Points of one coordinate at the start of a round.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Point {
    /// Output points of the lanes (learners trained side by side), for values relative to the scale of the coordinate.
    output: Lanes,
    /// Query points of the lanes, where gradients are taken.
    query: Lanes,
    /// Weight of the model for raw values.
    weight: f64,
    /// Weight before shrinkage by a penalty.
    learnt: f64,
    /// Inverse scale; 0 for a feature that has not been learnt.
    inverse: f64,
    /// Position of the coordinate's sums among those of all parts so far, counted from 1; positions of parts before the
    /// current one are as none.
    place: u32,
}

/// Points of the coordinates that a worker has met in a round.
#[derive(Debug, Default)]
pub(crate) struct RoundPoints {
    /// Number of each feature, below the number of the round in which it was given: those of earlier rounds are none.
    numbers: FeatureMap<u64>,
    round: u32,
    points: Vec<Point>,
    /// Id of the feature of each point.
    ids: Vec<u64>,
    intercept: Point,
    /// Intercept of the model.
    model_intercept: f64,
    /// Intercept before shrinkage by a penalty, which shifts it.
    learnt_intercept: f64,
    is_shrunk: bool,
    /// Numbers and values of the nonzeros of the row asked last.
    row: Vec<(u32, f64)>,
    /// Number of sums in the parts of the round before the current one.
    before: u32,
    /// Position of the sums of each coordinate while two parts are joined, counted from 1; 0 if it has none.
    positions: Vec<u32>,
}

/// Margins of a row at the start of a round: those of [`RowWorkspace`](super::row_workspace::RowWorkspace).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundMargins {
    pub(crate) margin: f64,
    /// Margin of the model before shrinkage by a penalty.
    pub(crate) learnt: f64,
    pub(crate) output: Lanes,
    pub(crate) unclipped: Lanes,
    pub(crate) query: Lanes,
}

/// Returns the points of a coordinate, and its weight as the saved model has it.
fn point(id: u64, c: &Coordinate, terms: &Terms) -> Point {
    let asked = c.ask(c.rates(), terms.averaging.weight_since(c.step));
    let beta = Lanes::of(f64::from(BETA));
    let query = asked.direction + (asked.average - asked.direction) * beta;
    let inverse = c.inverse_scale.value();
    let learnt = raw_weight(asked.average.dot(terms.parts), inverse, terms.factor);
    let weight = terms.shrink_step.map_or(learnt, |_| coordinate_store::weight(id, c, terms, None));
    Point { output: asked.average, query, weight, learnt, inverse, place: 0 }
}

/// Sums over the nonzeros of a row and the intercept.
#[derive(Clone, Copy, Debug)]
struct Sums {
    margin: MarginSum,
    output: Lanes,
    query: Lanes,
    /// Part of `output` that is due to values beyond the scales of their features.
    beyond: Lanes,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, k: usize, point: &Point, value: f64) {
        self.margin.add_one(k, point.weight * value);
        let relative = value * point.inverse;
        let clipped = relative.clamp(-1.0, 1.0);
        self.output = self.output + point.output * Lanes::of(clipped);
        self.query = self.query + point.query * Lanes::of(clipped);
        if clipped != relative {
            // A larger multiple is as bad, and could overflow.
            self.beyond = self.beyond + point.output * Lanes::of(relative.clamp(-1e15, 1e15) - clipped);
        }
    }
}

/// Adds up what the nonzeros of a row contribute to its margins. Compiled for AVX2 too, with the same results to the bit.
fn add_up(points: &[Point], row: &[(u32, f64)], intercept: &Point) -> Sums {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        // SAFETY: the processor supports the instruction set of the called function.
        return unsafe { add_up_avx2(points, row, intercept) };
    }
    add_up_inline(points, row, intercept)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_up_avx2(points: &[Point], row: &[(u32, f64)], intercept: &Point) -> Sums {
    add_up_inline(points, row, intercept)
}

#[inline(always)]
fn add_up_inline(points: &[Point], row: &[(u32, f64)], intercept: &Point) -> Sums {
    let (output, query) = (intercept.output, intercept.query);
    let mut sums = Sums { margin: MarginSum::default(), output, query, beyond: Lanes::default() };
    // Four at a time, so that the four partial sums of the margin stay in registers.
    let (fours, rest) = row.as_chunks::<4>();
    for four in fours {
        for (k, &(number, value)) in four.iter().enumerate() {
            sums.add(k, &points[number as usize], value);
        }
    }
    for (k, &(number, value)) in rest.iter().enumerate() {
        sums.add(k, &points[number as usize], value);
    }
    sums
}

impl RoundPoints {
    /// Forgets all points, for a round that starts from the given store.
    pub(crate) fn start(&mut self, store: &CoordinateStore, terms: &Terms) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            (self.numbers, self.round) = (FeatureMap::default(), 1);
        }
        self.ids.clear();
        self.points.clear();
        self.before = 0;
        self.model_intercept = store.intercept(terms);
        self.learnt_intercept = store.intercept(&Terms { shrink_step: None, ..*terms });
        self.is_shrunk = terms.shrink_step.is_some();
        self.intercept = store.intercept.as_ref().map_or(Point::default(), |c| point(0, c, terms));
    }

    /// Returns the margins of a row, without its offset.
    pub(crate) fn ask(&mut self, store: &CoordinateStore, terms: &Terms, row: &Row<'_>) -> Result<RoundMargins, Fault> {
        self.find(store, terms, row)?;
        let Sums { margin, output, query, beyond } = add_up(&self.points, &self.row, &self.intercept);
        let offset = Lanes::of(terms.offset.lanes);
        let margin = margin.total(self.model_intercept);
        Ok(RoundMargins {
            margin,
            learnt: if self.is_shrunk { self.learnt() } else { margin },
            output: output * terms.scales + offset,
            unclipped: (output + beyond) * terms.scales + offset,
            query: query * terms.scales + offset,
        })
    }

    /// Prefetches what is needed to look up the features of a row.
    pub(crate) fn prefetch(&self, row: &Row<'_>) {
        self.numbers.prefetch(row.index);
    }

    /// Looks up the numbers of a row's features, and adds the points of those that are new.
    fn find(&mut self, store: &CoordinateStore, terms: &Terms, row: &Row<'_>) -> Result<(), Fault> {
        let known = self.points.len();
        let found = self.find_numbers(store, row);
        for (new, &id) in self.points[known..].iter_mut().zip(&self.ids[known..]) {
            if let Some(c) = store.features.get(id).filter(|c| c.inverse_scale.updates() > 0) {
                *new = point(id, c, terms);
            }
        }
        found
    }

    /// Returns the margin of the row asked last before shrinkage by a penalty.
    fn learnt(&self) -> f64 {
        let mut margin = MarginSum::default();
        for (k, &(number, value)) in self.row.iter().enumerate() {
            margin.add_one(k, self.points[number as usize].learnt * value);
        }
        margin.total(self.learnt_intercept)
    }

    fn find_numbers(&mut self, store: &CoordinateStore, row: &Row<'_>) -> Result<(), Fault> {
        self.row.clear();
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                let number = match self.numbers.get(id) {
                    Some(&number) if number >> u32::BITS == u64::from(self.round) => number as u32,
                    _ => self.add(store, id).ok_or_else(|| Fault::full(at, id))?,
                };
                self.row.push((number, value));
            }
        }
        Ok(())
    }

    /// Adds an empty point, and prefetches the coordinate; returns the number of the feature.
    #[cold]
    fn add(&mut self, store: &CoordinateStore, id: u64) -> Option<u32> {
        self.points.try_reserve(1).and_then(|()| self.ids.try_reserve(1)).ok()?;
        let number = u32::try_from(self.points.len()).ok()?;
        *self.numbers.get_mut(id)? = u64::from(self.round) << u32::BITS | u64::from(number);
        store.features.prefetch_value(id);
        self.points.push(Point::default());
        self.ids.push(id);
        Some(number)
    }

    /// Adds the gradients of the row asked last to the sums of its features, which are appended to `sums` as they occur.
    /// Compiled for AVX2 too, with the same results to the bit.
    pub(crate) fn add_gradients(&mut self, sums: &mut Vec<RowSums>, gradients: &[f64; LANES]) {
        #[cfg(target_arch = "x86_64")]
        if avx2::is_supported() {
            // SAFETY: the processor supports the instruction set of the called function.
            return unsafe { self.add_gradients_avx2(sums, gradients) };
        }
        self.add_gradients_inline(sums, gradients);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn add_gradients_avx2(&mut self, sums: &mut Vec<RowSums>, gradients: &[f64; LANES]) {
        self.add_gradients_inline(sums, gradients);
    }

    #[inline(always)]
    fn add_gradients_inline(&mut self, sums: &mut Vec<RowSums>, gradients: &[f64; LANES]) {
        for &(number, value) in &self.row {
            let point = &mut self.points[number as usize];
            if point.place <= self.before {
                sums.push(RowSums::new(number, point.inverse));
                point.place = self.before + sums.len() as u32;
            }
            sums[(point.place - self.before) as usize - 1].add(value, gradients);
        }
    }

    /// Ends a part of the round, which has sums of `count` features.
    pub(crate) fn end_part(&mut self, count: usize) {
        self.before += count as u32;
    }

    /// Returns memory for the positions of the sums of each coordinate, all of them 0, and 0 again when it is given back.
    pub(crate) fn positions(&mut self) -> &mut [u32] {
        self.positions.resize(self.points.len(), 0);
        &mut self.positions
    }

    pub(crate) fn id(&self, number: u32) -> u64 {
        self.ids[number as usize]
    }
}
