//! All coordinates, and the two inner loops over the pairs of a row.
//!
//! Everything else in training happens once a row; what is here happens for every pair, in all lanes. The loops
//! are compiled twice, once for AVX2, and give the same bits: no fused multiply-add, sums of a fixed shape.

#[cfg(target_arch = "x86_64")]
use crate::lanes::avx2::Register;
use crate::{
    Fault, Row,
    block::{BLOCK, Block, rate_of, weight_of},
    clock::{BETA, Clock},
    coordinate::{Coordinate, Gradients, NEGLIGIBLE},
    features::Features,
    grouping::Grouping,
    lanes::{Lanes, Wide},
    margin::Margin,
    pages::Slot,
    shrink::Pull,
    units::Offset,
};
use surefoot::Real;

/// The coordinates of all features, and the intercept.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) intercept: Option<Coordinate>,
    pub(crate) features: Features<Coordinate>,
}

/// What [`Stack::ask`] found out about a row, kept for [`Stack::tell`]; its buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// Where the coordinates of the row are, and its values.
    slots: Vec<Slot<Coordinate>>,
    values: Vec<f64>,
    /// The values in the units of their coordinates, and the averages of the coordinates.
    relatives: Vec<f32>,
    averages: Vec<Lanes>,
    /// Which pairs have the largest value of their coordinate so far.
    growing: Vec<usize>,
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
        self.slots.clear();
        self.values.clear();
    }

    /// ‖x‖².
    pub(crate) fn length(&self) -> f64 {
        self.values.iter().map(|x| x * x).sum()
    }

    /// Adds the offset of a row to the margins: of the model, and of the lanes in their units.
    #[cold]
    pub(crate) fn shift(&mut self, model: f64, lanes: f64) {
        self.margin += model;
        self.output = self.output + Lanes::of(lanes);
        self.query = self.query + Lanes::of(lanes);
    }

    /// Makes whole blocks of what was found, and room for what will be.
    #[inline(always)]
    fn fill_last_block(&mut self) {
        let room = self.slots.len().next_multiple_of(BLOCK);
        self.slots.resize(room, Slot::of(&NOWHERE));
        self.values.resize(room, 0.0);
        self.relatives.resize(room.max(self.relatives.len()), 0.0);
        self.averages.resize(room.max(self.averages.len()), Lanes::default());
        self.growing.clear();
    }
}

/// What does not change within a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) clock: Clock,
    /// By what a lane's points are multiplied: its scale, and that of the labels.
    pub(crate) scales: Lanes,
    /// The same times the lane's share in the model.
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`Coding`](crate::coding::Coding)) times the unit of its margins.
    pub(crate) factor: f64,
    /// What is added to margins.
    pub(crate) offset: Offset,
    /// How the weights of the model are drawn towards 0, if they are.
    pub(crate) pull: Option<Pull>,
}

impl Stack {
    /// No features, and an intercept if there is to be one.
    pub(crate) fn new(intercept: bool) -> Stack {
        let intercept = intercept.then(Coordinate::of_unit_one);
        Stack { intercept, features: Features::default() }
    }

    /// Finds the coordinates of a row, making those that are new.
    ///
    /// # Errors
    /// At the first id that there is no memory for.
    pub(crate) fn find(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        answer.clear();
        // One comparison a pair without a branch, for the usual case.
        if !row.value.iter().fold(true, |usual, value| usual & (value.abs() >= NEGLIGIBLE)) {
            return self.find_some(row, answer);
        }
        answer.values.extend_from_slice(row.value);
        answer.slots.resize(row.index.len(), Slot::of(&NOWHERE));
        for (at, (slot, &id)) in answer.slots.iter_mut().zip(row.index).enumerate() {
            *slot = self.features.touch(id).ok_or_else(|| Fault::full(at, id))?;
        }
        Ok(())
    }

    /// [`Stack::find`] where values are left out.
    #[cold]
    fn find_some(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                answer.slots.push(self.features.touch(id).ok_or_else(|| Fault::full(at, id))?);
                answer.values.push(value);
            }
        }
        Ok(())
    }

    /// Margins of the row that [`Stack::find`] was given; changes no coordinate. Those of the row `ahead` travel to the
    /// cache meanwhile, one for one: all at once they would stand in each other's way.
    pub(crate) fn ask(&self, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
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
    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut Coordinate)) {
        self.intercept.iter_mut().for_each(&mut change);
        self.features.each(change);
    }

    /// The intercept of the model that predicts.
    pub(crate) fn intercept(&self, terms: &Terms) -> f64 {
        let of =
            |c: &Coordinate| weight_of(c.average_at(&terms.clock).dot(terms.parts), c.unit.inverse(), terms.factor);
        self.intercept.as_ref().map_or(0.0, of) + terms.pull.map_or(0.0, |pull| pull.shift) + terms.offset.model
    }

    /// The margin of a drawn model at the row that was asked: to the bit that of a saved model.
    pub(crate) fn drawn(&self, terms: &Terms, pull: &Pull, grouping: Option<&Grouping>, answer: &Answer) -> f64 {
        let mut margin = Margin::default();
        let alike = pull.rule();
        for (k, (slot, &value)) in answer.slots.iter().zip(&answer.values).enumerate() {
            // SAFETY: `find` of this stack gave the slot; the stack stays borrowed.
            let c = unsafe { slot.value() };
            let rule = grouping.map_or(alike, |grouping| grouping.rule_at(k, pull.bounds));
            margin.add_one(k, pull.weight(rule, learnt(c, terms), c.squares, c.unit.inverse()) * value);
        }
        margin.with(self.intercept(&Terms { pull: Some(*pull), ..*terms }))
    }

    /// Ids seen and their weights in the model that predicts, in ascending order.
    pub(crate) fn vector<'a>(
        &'a self,
        terms: &'a Terms,
        grouping: Option<&'a Grouping>,
    ) -> impl Iterator<Item = (u64, f64)> + 'a {
        self.seen().map(move |(id, c)| (id, weight(id, c, terms, grouping)))
    }

    /// The weight of a feature in the model that predicts; 0 of one not seen.
    pub(crate) fn weight(&self, id: u64, terms: &Terms, grouping: Option<&Grouping>) -> f64 {
        self.features.get(id).map_or(0.0, |c| weight(id, c, terms, grouping))
    }

    /// Features seen, in ascending order of their ids.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (u64, &Coordinate)> {
        self.features.iter().filter(|(_, c)| c.unit.touches() > 0)
    }
}

/// The weight that predicts, to be multiplied by raw values.
fn weight(id: u64, c: &Coordinate, terms: &Terms, grouping: Option<&Grouping>) -> f64 {
    match &terms.pull {
        None => weight_of(c.average_at(&terms.clock).dot(terms.parts), c.unit.inverse(), terms.factor),
        Some(pull) => {
            let rule = grouping.map_or(pull.rule(), |grouping| grouping.rule(id, pull.bounds));
            pull.weight(rule, learnt(c, terms), c.squares, c.unit.inverse())
        }
    }
}

/// The weight that was learnt, in the unit of the coordinate.
fn learnt(c: &Coordinate, terms: &Terms) -> f64 {
    f64::from(c.average_at(&terms.clock).dot(terms.parts)) * terms.factor
}

/// What stands in the unused places of a block.
static NOWHERE: Coordinate = Coordinate::of_unit_one();

/// Sums over the pairs of a row.
struct Sums<W> {
    output: W,
    direction: W,
    margin: Margin,
}

#[inline(always)]
fn ask<W: Wide>(stack: &Stack, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
    let parts = W::load(&terms.parts);
    let mut sums = Sums { output: W::of(0.0), direction: W::of(0.0), margin: Margin::default() };
    let mut intercept = 0.0;
    if let Some(c) = &stack.intercept {
        let asked = c.ask::<W>(rate_of(c.squares, c.unit.touches()), terms.clock.share_since(c.step));
        intercept = weight_of(asked.average.dot(parts), c.unit.inverse(), terms.factor);
        asked.average.store(&mut answer.intercept);
        (sums.output, sums.direction) = (asked.average, asked.direction);
    }
    let pairs = answer.slots.len();
    answer.fill_last_block();
    let (slots, _) = answer.slots.as_chunks::<BLOCK>();
    let (values, _) = answer.values.as_chunks::<BLOCK>();
    let (relatives, _) = answer.relatives.as_chunks_mut::<BLOCK>();
    let (averages, _) = answer.averages.as_chunks_mut::<BLOCK>();
    // SAFETY: `find` of this stack gave the slots, but for those of `NOWHERE`, which is static; the stack stays borrowed.
    let coordinates = |b: usize| slots[b].map(|slot| unsafe { slot.value() });
    let mut coming = ahead.slots.chunks(BLOCK);
    // While the lanes of one block are worked on, the roots and divisions of the next are under way.
    let mut blocks = [Block::default(); 2];
    for b in 0..=slots.len() {
        if b < slots.len() {
            let block = &mut blocks[b % 2];
            let larger = block.prepare(&terms.clock, &W::singles(coordinates(b)), &values[b]);
            coming.next().into_iter().flatten().for_each(|slot| slot.fetch());
            if larger {
                answer.growing.extend(block.grow(&values[b]).map(|k| b * BLOCK + k));
            }
        }
        if b > 0 {
            let (b, block) = (b - 1, &blocks[(b - 1) % 2]);
            relatives[b] = block.relatives;
            let dots = add(&mut sums, coordinates(b), block, parts, &mut averages[b]);
            sums.margin.add(&block.products(&dots, &values[b], terms.factor));
        }
    }
    coming.flatten().for_each(|slot| slot.fetch());
    answer.slots.truncate(pairs);
    answer.values.truncate(pairs);
    let (scales, beta) = (W::load(&terms.scales), W::of(f64::from(BETA)));
    let offset = W::of(terms.offset.lanes);
    answer.margin = sums.margin.with(intercept + terms.offset.model);
    (sums.output * scales + offset).store(&mut answer.output);
    ((sums.direction + (sums.output - sums.direction) * beta) * scales + offset).store(&mut answer.query);
}

/// Adds a block of pairs to the sums of the lanes; keeps the averages, and returns their dot products with the
/// model's `parts`.
#[inline(always)]
fn add<W: Wide>(
    sums: &mut Sums<W>,
    here: [&Coordinate; BLOCK],
    block: &Block,
    parts: W,
    averages: &mut [Lanes; BLOCK],
) -> [f32; BLOCK] {
    let mut dots = [0.0; BLOCK];
    for (q, dots) in dots.as_chunks_mut().0.iter_mut().enumerate() {
        let mut four = [W::of(0.0); 4];
        for (k, four) in (4 * q..).zip(&mut four) {
            let asked = here[k].ask::<W>(block.rates[k], block.shares[k]);
            asked.average.store(&mut averages[k]);
            let relative = W::of(f64::from(block.relatives[k]));
            sums.output = sums.output + asked.average * relative;
            sums.direction = sums.direction + asked.direction * relative;
            *four = asked.average;
        }
        *dots = W::dots(four, parts);
    }
    dots
}

#[inline(always)]
fn tell<W: Wide>(stack: &mut Stack, clock: &Clock, gradients: &Gradients<Lanes>, answer: &Answer) {
    let gradients = Gradients { lanes: W::load(&gradients.lanes), model: gradients.model };
    if let Some(c) = &mut stack.intercept {
        c.tell(clock, &gradients, 1.0, &answer.intercept);
    }
    for &pair in &answer.growing {
        // SAFETY: `find` of this stack gave the slot, and the stack is borrowed exclusively.
        unsafe { answer.slots[pair].value_mut() }.raise_unit(answer.values[pair].abs());
    }
    for (&slot, (&relative, average)) in answer.slots.iter().zip(answer.relatives.iter().zip(&answer.averages)) {
        // SAFETY: `find` of this stack gave the slot, and the stack is borrowed exclusively.
        unsafe { slot.value_mut() }.tell(clock, &gradients, relative, average);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ask_avx2(stack: &Stack, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
    ask::<Register>(stack, terms, answer, ahead);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tell_avx2(stack: &mut Stack, clock: &Clock, gradients: &Gradients<Lanes>, answer: &Answer) {
    tell::<Register>(stack, clock, gradients, answer);
}
