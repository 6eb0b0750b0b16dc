//! All coordinates, and the two inner loops over the pairs of a row.
//!
//! Everything else in training happens once a row; what is here happens for every pair, in all lanes. The loops
//! are compiled twice, once for AVX2, and give the same bits: no fused multiply-add, sums of a fixed shape.

#[cfg(target_arch = "x86_64")]
use crate::lanes::avx2::Register;
use crate::{
    Fault, Part, Row,
    clock::{BETA, Clock},
    coordinate::{Coordinate, Gradients, NEGLIGIBLE, Unit},
    lanes::{Lanes, Wide},
    pages::{ID_LIMIT, Pages},
};

/// The coordinates of all features, and the intercept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) intercept: Option<Coordinate>,
    pub(crate) features: Pages<Coordinate>,
}

/// What [`Stack::ask`] found out about a row, kept for [`Stack::tell`]; its buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pairs: Vec<Pair>,
    /// The intercept's average.
    intercept: Lanes,
    /// The margin of the model, to the bit that of a saved model.
    pub(crate) margin: f64,
    /// Margins of the lanes at their output points.
    pub(crate) output: Lanes,
    /// Margins of the lanes at their query points.
    pub(crate) query: Lanes,
}

impl Answer {
    /// No row.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    value: f64,
    average: Lanes,
    relative: f32,
    slot: u32,
}

/// What does not change within a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) clock: &'a Clock,
    /// By what a lane's points are multiplied: its scale, and that of the labels.
    pub(crate) scales: Lanes,
    /// The same times the lane's share in the model.
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`Coding`](crate::coding::Coding)) times the unit of its margins.
    pub(crate) factor: f64,
}

impl Stack {
    /// No features, and an intercept if there is to be one.
    pub(crate) fn new(intercept: bool) -> Stack {
        let intercept = intercept.then(|| Coordinate { unit: Unit::one(), ..Coordinate::default() });
        Stack { intercept, features: Pages::default() }
    }

    /// Finds the coordinates of a row, making those that are new.
    ///
    /// # Errors
    /// At the first id that is too large.
    pub(crate) fn find(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        answer.pairs.clear();
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if id >= ID_LIMIT {
                let message = format!("index {id} is beyond {}: hash indices with --bits", ID_LIMIT - 1);
                return Err(Fault::new(Part::Pair(at), message));
            }
            if value.abs() >= NEGLIGIBLE {
                let slot = self.features.touch(id);
                answer.pairs.push(Pair { average: Lanes::default(), value, relative: 0.0, slot });
            }
        }
        Ok(())
    }

    /// Margins of the row that [`Stack::find`] was given; changes no coordinate. Those of the row `ahead` travel to the
    /// cache meanwhile, one for one: all at once they would stand in each other's way.
    pub(crate) fn ask(&self, terms: &Terms<'_>, answer: &mut Answer, ahead: &Answer) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, which is all that the function asks for.
            return unsafe { ask_avx2(self, terms, answer, ahead) };
        }
        ask::<Lanes>(self, terms, answer, ahead);
    }

    /// Learns from the gradients at the row that was asked last.
    pub(crate) fn tell(&mut self, clock: &Clock, gradients: &Gradients<Lanes>, answer: &Answer) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, which is all that the function asks for.
            return unsafe { tell_avx2(self, clock, gradients, answer) };
        }
        tell::<Lanes>(self, clock, gradients, answer);
    }

    /// All coordinates, to change their units.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut Coordinate)) {
        self.intercept.iter_mut().chain(self.features.values_mut()).for_each(change);
    }

    /// The intercept of the model that predicts.
    pub(crate) fn intercept(&self, terms: &Terms<'_>) -> f64 {
        self.intercept.as_ref().map_or(0.0, |c| weight(c, terms))
    }

    /// Ids seen and their weights in the model that predicts, in ascending order.
    pub(crate) fn vector<'a>(&'a self, terms: &'a Terms<'_>) -> impl Iterator<Item = (u64, f64)> + 'a {
        self.seen().map(move |(id, c)| (id, weight(c, terms)))
    }

    /// Features seen, in ascending order of their ids.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (u64, &Coordinate)> {
        self.features.iter().filter(|(_, c)| c.unit.touches() > 0)
    }
}

fn weight(c: &Coordinate, terms: &Terms<'_>) -> f64 {
    c.weight(c.ask::<Lanes>(terms.clock).average, terms.parts) * terms.factor
}

#[inline(always)]
fn ask<W: Wide>(stack: &Stack, terms: &Terms<'_>, answer: &mut Answer, ahead: &Answer) {
    let parts = W::load(&terms.parts);
    let (mut output, mut direction, mut margin) = (W::of(0.0), W::of(0.0), 0.0);
    if let Some(c) = &stack.intercept {
        let asked = c.ask::<W>(terms.clock);
        margin = c.weight(asked.average, parts) * terms.factor;
        asked.average.store(&mut answer.intercept);
        (output, direction) = (asked.average, asked.direction);
    }
    let mut coming = ahead.pairs.iter();
    for pair in &mut answer.pairs {
        if let Some(pair) = coming.next() {
            fetch(stack.features.at(pair.slot));
        }
        let c = stack.features.at(pair.slot);
        let asked = c.ask::<W>(terms.clock);
        margin += c.weight(asked.average, parts) * terms.factor * pair.value;
        asked.average.store(&mut pair.average);
        pair.relative = c.relative(pair.value);
        let relative = W::of(f64::from(pair.relative));
        output = output + asked.average * relative;
        direction = direction + asked.direction * relative;
    }
    coming.for_each(|pair| fetch(stack.features.at(pair.slot)));
    let (scales, beta) = (W::load(&terms.scales), W::of(f64::from(BETA)));
    answer.margin = margin;
    (output * scales).store(&mut answer.output);
    ((direction + (output - direction) * beta) * scales).store(&mut answer.query);
}

#[inline(always)]
fn tell<W: Wide>(stack: &mut Stack, clock: &Clock, gradients: &Gradients<Lanes>, answer: &Answer) {
    let gradients = Gradients { lanes: W::load(&gradients.lanes), model: gradients.model };
    if let Some(c) = &mut stack.intercept {
        c.tell(clock, &gradients, 1.0, 1.0, &answer.intercept);
    }
    for pair in &answer.pairs {
        let c = stack.features.at_mut(pair.slot);
        c.tell(clock, &gradients, pair.value, pair.relative, &pair.average);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ask_avx2(stack: &Stack, terms: &Terms<'_>, answer: &mut Answer, ahead: &Answer) {
    ask::<Register>(stack, terms, answer, ahead);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tell_avx2(stack: &mut Stack, clock: &Clock, gradients: &Gradients<Lanes>, answer: &Answer) {
    tell::<Register>(stack, clock, gradients, answer);
}

/// Asks the processor to bring a coordinate near.
#[inline(always)]
fn fetch(c: &Coordinate) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint: it reads and writes nothing that the program can see, at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(c).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = c;
}
