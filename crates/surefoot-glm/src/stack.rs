//! All coordinates, and the two inner loops over the pairs of a row.
//!
//! Everything else in training happens once a row; what is here happens for every pair, in eight lanes. The loops
//! are compiled twice, once for AVX2, and give the same bits: no fused multiply-add, sums of a fixed shape.

#[cfg(target_arch = "x86_64")]
use crate::lanes::avx2::Register;
use crate::{
    Fault, Part, Row,
    clock::{BETA, Clock},
    coordinate::{Coordinate, Moment, NEGLIGIBLE},
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
    average: Lanes,
    value: f64,
    relative: f64,
    slot: u32,
}

/// What does not change within a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) scales: Lanes,
    pub(crate) shares: Lanes,
    /// Sign of the model (see [`Coding`](crate::coding::Coding)) times the unit of its margins.
    pub(crate) factor: f64,
}

impl Stack {
    /// No features, and an intercept if there is to be one.
    pub(crate) fn new(intercept: bool) -> Stack {
        let intercept = intercept.then(|| Coordinate { inverse: 1.0, ..Coordinate::default() });
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

    /// Learns from the gradient of the lanes' query margins at the row that was asked last.
    pub(crate) fn tell(&mut self, clock: &Clock, gradient: &Lanes, answer: &Answer) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, which is all that the function asks for.
            return unsafe { tell_avx2(self, clock, gradient, answer) };
        }
        tell::<Lanes>(self, clock, gradient, answer);
    }

    /// All coordinates, to change their units.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut Coordinate)) {
        self.intercept.iter_mut().chain(self.features.values_mut()).for_each(change);
    }

    /// The intercept of the model that predicts.
    pub(crate) fn intercept(&self, terms: &Terms<'_>) -> f64 {
        self.intercept.as_ref().filter(|c| c.touches > 0.0).map_or(0.0, |c| weight(c, terms))
    }

    /// Ids seen and their weights in the model that predicts, in ascending order.
    pub(crate) fn vector<'a>(&'a self, terms: &'a Terms<'_>) -> impl Iterator<Item = (u64, f64)> + 'a {
        self.features.iter().filter(|(_, c)| c.touches > 0.0).map(move |(id, c)| (id, weight(c, terms)))
    }
}

impl Terms<'_> {
    #[inline(always)]
    fn moment<W: Wide>(&self) -> Moment<'_, W> {
        let (scales, shares) = (W::load(&self.scales), W::load(&self.shares));
        Moment { clock: self.clock, scales, shares, beta: W::of(BETA) }
    }
}

fn weight(c: &Coordinate, terms: &Terms<'_>) -> f64 {
    let moment = terms.moment::<Lanes>();
    c.weight(c.ask(&moment).average, &moment) * terms.factor
}

#[inline(always)]
fn ask<W: Wide>(stack: &Stack, terms: &Terms<'_>, answer: &mut Answer, ahead: &Answer) {
    let moment = terms.moment::<W>();
    let (mut output, mut query, mut margin) = (W::of(0.0), W::of(0.0), 0.0);
    answer.intercept = Lanes::default();
    if let Some(c) = stack.intercept.as_ref().filter(|c| c.touches > 0.0) {
        let asked = c.ask(&moment);
        margin = c.weight(asked.average, &moment) * terms.factor;
        asked.average.store(&mut answer.intercept);
        (output, query) = (asked.average, asked.query);
    }
    let mut coming = ahead.pairs.iter();
    for pair in &mut answer.pairs {
        coming.next().into_iter().for_each(|pair| fetch(stack.features.at(pair.slot)));
        let c = stack.features.at(pair.slot);
        pair.relative = c.relative(pair.value);
        if c.touches == 0.0 {
            pair.average = Lanes::default();
            continue;
        }
        let asked = c.ask(&moment);
        margin += c.weight(asked.average, &moment) * terms.factor * pair.value;
        asked.average.store(&mut pair.average);
        let relative = W::of(pair.relative);
        output = output + asked.average * relative;
        query = query + asked.query * relative;
    }
    coming.for_each(|pair| fetch(stack.features.at(pair.slot)));
    answer.margin = margin;
    output.store(&mut answer.output);
    query.store(&mut answer.query);
}

#[inline(always)]
fn tell<W: Wide>(stack: &mut Stack, clock: &Clock, gradient: &Lanes, answer: &Answer) {
    let gradient = W::load(gradient);
    if let Some(c) = &mut stack.intercept {
        c.tell(clock, gradient, 1.0, 1.0, &answer.intercept);
    }
    for pair in &answer.pairs {
        let c = stack.features.at_mut(pair.slot);
        c.tell(clock, gradient, pair.value, pair.relative, &pair.average);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ask_avx2(stack: &Stack, terms: &Terms<'_>, answer: &mut Answer, ahead: &Answer) {
    ask::<Register>(stack, terms, answer, ahead);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tell_avx2(stack: &mut Stack, clock: &Clock, gradient: &Lanes, answer: &Answer) {
    tell::<Register>(stack, clock, gradient, answer);
}

/// Asks the processor to bring a coordinate's two cache lines near.
#[inline(always)]
fn fetch(c: &Coordinate) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line: *const i8 = std::ptr::from_ref(c).cast();
        // SAFETY: a prefetch is a hint: it reads and writes nothing that the program can see, at any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line);
            _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(64));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = c;
}
