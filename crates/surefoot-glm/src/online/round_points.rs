//! Points of the coordinates at the start of a round, which its rows need over and over.
//!
//! During a round nothing is learnt, so what a coordinate adds to margins is computed once, and kept under a number
//! given in the order of first occurrence, which puts frequent features side by side.

use super::{averaging::BETA, coordinate::Coordinate, coordinate_store::CoordinateStore, terms::Terms};
use crate::{
    data::{fault::Fault, rows::Row},
    memory::id_table::IdTable,
    numeric::check::NEGLIGIBLE,
    simd::{lanes::Lanes, margin::MarginSum},
};
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
    /// Inverse scale; 0 for a feature that has not been learnt.
    inverse: f64,
    id: u64,
    /// Position of the coordinate's sums among those of the current part of the round, plus 1; 0 if it has none yet.
    place: u32,
}

/// Points of the coordinates that a worker has met in a round.
#[derive(Debug, Default)]
pub(crate) struct RoundPoints {
    numbers: IdTable,
    points: Vec<Point>,
    intercept: Point,
    /// Intercept of the model, without shrinkage the sum of the learnt intercept and of all offsets.
    model_intercept: f64,
    /// Numbers and values of the nonzeros of the row asked last.
    row: Vec<(u32, f64)>,
}

/// Margins of a row at the start of a round: those of [`RowWorkspace`](super::row_workspace::RowWorkspace).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundMargins {
    pub(crate) margin: f64,
    pub(crate) output: Lanes,
    pub(crate) unclipped: Lanes,
    pub(crate) query: Lanes,
}

fn point(id: u64, c: &Coordinate, terms: &Terms, weight: f64) -> Point {
    let asked = c.ask(c.rates(), terms.averaging.weight_since(c.step));
    let beta = Lanes::of(f64::from(BETA));
    let query = asked.direction + (asked.average - asked.direction) * beta;
    Point { output: asked.average, query, weight, inverse: c.inverse_scale.value(), id, place: 0 }
}

impl RoundPoints {
    /// Forgets all points, for a round that starts from the given store.
    pub(crate) fn start(&mut self, store: &CoordinateStore, terms: &Terms) {
        self.numbers = IdTable::default();
        self.points.clear();
        self.model_intercept = store.intercept(terms);
        self.intercept = store.intercept.as_ref().map_or(Point::default(), |c| point(0, c, terms, 0.0));
    }

    /// Returns the margins of a row, without its offset.
    pub(crate) fn ask(&mut self, store: &CoordinateStore, terms: &Terms, row: &Row<'_>) -> Result<RoundMargins, Fault> {
        self.find(store, terms, row)?;
        let (mut output, mut query) = (self.intercept.output, self.intercept.query);
        let (mut margin, mut beyond) = (MarginSum::default(), Lanes::default());
        for (k, &(number, value)) in self.row.iter().enumerate() {
            let point = &self.points[number as usize];
            margin.add_one(k, point.weight * value);
            let relative = value * point.inverse;
            let clipped = relative.clamp(-1.0, 1.0);
            output = output + point.output * Lanes::of(clipped);
            query = query + point.query * Lanes::of(clipped);
            if clipped != relative {
                // A larger multiple is as bad, and could overflow.
                beyond = beyond + point.output * Lanes::of(relative.clamp(-1e15, 1e15) - clipped);
            }
        }
        let offset = Lanes::of(terms.offset.lanes);
        Ok(RoundMargins {
            margin: margin.total(self.model_intercept),
            output: output * terms.scales + offset,
            unclipped: (output + beyond) * terms.scales + offset,
            query: query * terms.scales + offset,
        })
    }

    /// Looks up the numbers of a row's features, and adds the points of those that are new.
    fn find(&mut self, store: &CoordinateStore, terms: &Terms, row: &Row<'_>) -> Result<(), Fault> {
        self.row.clear();
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                let number = match self.numbers.get(id) {
                    Some(number) => number,
                    None => self.add(store, terms, id).ok_or_else(|| Fault::full(at, id))?,
                };
                self.row.push((number, value));
            }
        }
        Ok(())
    }

    #[cold]
    fn add(&mut self, store: &CoordinateStore, terms: &Terms, id: u64) -> Option<u32> {
        self.points.try_reserve(1).ok()?;
        let number = self.numbers.add(id)?;
        let unseen = || Point { id, ..Point::default() };
        let known = store.features.get(id).filter(|c| c.inverse_scale.updates() > 0);
        self.points.push(known.map_or_else(unseen, |c| point(id, c, terms, store.weight(id, terms, None))));
        Some(number)
    }

    /// Returns the number and the value of each nonzero of the row asked last.
    pub(crate) fn row(&self) -> &[(u32, f64)] {
        &self.row
    }

    /// Returns the place of the coordinate's sums, counted from 1; 0 if it has none.
    #[inline]
    pub(crate) fn place(&self, number: u32) -> u32 {
        self.points[number as usize].place
    }

    pub(crate) fn set_place(&mut self, number: u32, place: u32) {
        self.points[number as usize].place = place;
    }

    pub(crate) fn inverse(&self, number: u32) -> f64 {
        self.points[number as usize].inverse
    }

    pub(crate) fn id(&self, number: u32) -> u64 {
        self.points[number as usize].id
    }
}
