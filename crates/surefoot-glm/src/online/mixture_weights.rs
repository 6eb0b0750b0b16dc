//! Mixture weights (shares) of the lanes, the learners trained side by side. They are computed from the losses of each
//! lane at its own output point (average iterate).
//!
//! The mixture is Σ share_k·x_k over the lanes k and the constant prediction, again a linear model; for some losses a
//! linear correction is added ([`stacking`](super::stacking)). Shares are exponential weights with rate 1 in a
//! discounted sum of losses, the statistic: after t rows the loss of row s has the weight (s/t)². The statistic is
//! never reported as a loss; unbounded losses enter it logarithmically, so that a few outliers cannot decide which
//! lane leads.

pub(super) mod in_rounds;

use super::step_sizes::grid;
use crate::{
    loss::{Loss, charges::Charges},
    model::summary::Lane,
    numeric::check::{MOST_ROWS, is_magnitude, need},
    simd::lanes::{LANES, Lanes, exp::exp_neg_abs},
};
use serde::{Deserialize, Serialize};

/// Mixture weights (shares) of the lanes, the learners trained side by side, and the discounted losses from which the
/// shares are computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MixtureWeights {
    /// Discounted sum of the losses of each lane (one of the learners trained side by side), from which its share is
    /// computed; smaller is better. Large losses count less than in full: see [`charges`].
    statistic: [f64; LANES],
    /// Discounted sum of the losses that each lane (one of the learners trained side by side) would have with wrong
    /// labels: see [`wrong_side`].
    wrong_side: [f64; LANES],
    /// Value of `statistic` at the end of the first pass, in which every row was scored before it was learnt; it
    /// counts less with every later pass.
    #[serde(rename = "first_pass")]
    first: [f64; LANES],
    /// Mixture weight (share) of each lane (one of the learners trained side by side) in the model; the shares sum to
    /// 1.
    shares: Lanes,
    /// Number of rows whose losses are part of the statistic.
    rows: u64,
    /// Discounted sums over the rows of three terms: weight times loss of the mixture, weight, and 1.
    recent: [f64; 3],
    /// Constant prediction as a member of the mixture; `None` if it is not mixed in, because the model has no intercept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constant: Option<ConstantMember>,
}

/// Losses of the constant prediction, which are discounted and counted like those of the lanes, and its share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ConstantMember {
    /// Lead over the lanes (learners trained side by side): see [`lead`].
    lead: f64,
    statistic: f64,
    wrong_side: f64,
    #[serde(rename = "first_pass")]
    first: f64,
    share: f64,
    /// Share of all lanes together, 1 − `share`, computed without cancellation.
    share_of_lanes: f64,
}

/// Loss of the constant prediction at one row, as it counts in the statistic, and its loss with a wrong label: see
/// [`wrong_side`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantCharge {
    pub(crate) value: f64,
    pub(crate) wrong_side: f64,
}

/// Returns the lead of the constant prediction over the lanes (learners trained side by side) in the statistic, and of the
/// mixture over its correction by stacking, before it is divided by the number of rows. The first rows say little about
/// lanes, which can do much harm; the total lead over all rows up to row n is 100·ln n for classes and 30·ln n for
/// numbers, so it delays lanes that are better by a few rows.
pub(super) fn lead(loss: Loss) -> f64 {
    if loss.classifies() { 100.0 } else { 30.0 }
}

/// Returns the factor by which earlier losses are discounted when row number `rows` is added. The product of these
/// factors after row s approximates (s/t)², the weight of row s after t rows.
pub(super) fn discount(rows: u64) -> f64 {
    1.0 - 2.0 / (rows as f64 + 2.0)
}

/// Multiple of the typical loss up to which unbounded losses other than squared loss count linearly for the shares of
/// lanes (learners trained side by side); beyond it they count logarithmically. Most counts are 0 and most labels lie
/// below a high quantile: with a logarithm from the start, the other, rare labels would count for too little, and lanes
/// that predict too low would win (measured on doctor visits, where the model after one pass then had a larger loss
/// than the best constant).
const MANY: f64 = 10.0;

/// Converts the losses `values` of the lanes (learners trained side by side) to their charges, the terms of the sums
/// from which shares are computed. Losses of classification, whose margins are of order 1, stay unchanged; others are
/// taken relative to a `typical` loss, and large ones enter logarithmically.
#[inline(always)]
fn charges(loss: Loss, values: &Lanes, typical: f64) -> [f64; LANES] {
    let values = values.0.map(f64::from);
    if loss.classifies() { values } else { values.map(|value| charge(loss, value, typical)) }
}

fn charge(loss: Loss, value: f64, typical: f64) -> f64 {
    let ratio = value.min(f64::from(f32::MAX)) / typical;
    match loss {
        _ if typical <= 0.0 => 0.0,
        Loss::Squared => libm::log1p(ratio),
        _ => linear_then_logarithmic(ratio),
    }
}

/// Returns the charge for a loss that is `ratio` times a typical loss: see [`MANY`].
fn linear_then_logarithmic(ratio: f64) -> f64 {
    if ratio <= MANY { ratio } else { MANY * (1.0 + libm::log(ratio / MANY)) }
}

/// Returns the losses that the lanes (learners trained side by side) would have if the label were the other class, for
/// classification, or were that of one more event, for losses with a log link ([`one_more_event`]); 0 for other losses.
///
/// Every lane (one of the learners trained side by side) is charged for one additional row with an average margin of
/// the wrong sign (Laplace's rule of succession). The reason is that n rows without an error do not prove that errors
/// are rarer than 1/n; without this charge a few rows of a single class would favour infinite weights.
///
/// The logistic loss of a margin m of the wrong sign is that of −m plus |m|, so max(ym, 0) is added to the loss.
#[inline(always)]
fn wrong_side(loss: Loss, y: f64, margins: &Lanes, values: &Lanes, typical: f64) -> [f64; LANES] {
    match loss {
        Loss::Logistic if y.abs() == 1.0 => {
            std::array::from_fn(|k| f64::from(values.0[k]) + (y * f64::from(margins.0[k])).max(0.0))
        }
        _ if loss.classifies() => loss.values(1.0, &Lanes(margins.0.map(|m| -m.abs()))).0.map(f64::from),
        _ if loss.variance_power().is_some() => margins.0.map(|m| one_more_event(loss, m.into(), typical)),
        _ => [0.0; LANES],
    }
}

/// Returns the charge of a row with a label of one unit (the first label above 0) at the margin `m`, for losses with a log
/// link; 0 if a larger label is predicted.
///
/// This is the rule of succession for counts: n rows without an event do not prove that events are rarer than 1/n.
/// Without this charge rows with a label of 0 would favour a mean of 0, that is, infinite margins. There is no such danger
/// for large margins, whose loss grows with the mean that they predict.
fn one_more_event(loss: Loss, m: f64, typical: f64) -> f64 {
    charge(loss, loss.excess(1.0, m.min(0.0)), typical)
}

/// Returns the charges of the lanes (learners trained side by side) at a row: their losses, computed from the margin of
/// each lane, as they count in the statistic from which shares are computed.
#[inline(always)]
pub(super) fn charges_at(loss: Loss, y: f64, margins: &Lanes, typical: f64) -> Charges {
    let values = loss.values(y, margins);
    Charges { values: charges(loss, &values, typical), wrong_side: wrong_side(loss, y, margins, &values, typical) }
}

/// Returns the charges of a classification loss at the margins `output` and `unclipped` of
/// [`RowWorkspace`](super::row_workspace::RowWorkspace): see [`charge_beyond`].
pub(super) fn class_charges(loss: Loss, y: f64, [output, unclipped]: [&Lanes; 2]) -> Charges {
    let mut charges = charges_at(loss, y, output, 0.0);
    if unclipped != output {
        charge_beyond(&mut charges, &loss.values(y, unclipped).0.map(f64::from));
    }
    charges
}

/// Replaces the charges of a classification loss at clipped values by those at the values as they are, as the saved model
/// predicts, where `full` are the losses; an excess counts logarithmically from [`MANY`] on, so that one row cannot
/// decide for long. Losses with a wrong label stay those at clipped values, since a value far beyond all others
/// says nothing about wrong labels.
#[cold]
pub(super) fn charge_beyond(charges: &mut Charges, full: &[f64; LANES]) {
    for (charge, full) in charges.values.iter_mut().zip(full) {
        let beyond = full.min(f64::from(f32::MAX)) - *charge;
        *charge += if beyond > 0.0 { linear_then_logarithmic(beyond) } else { beyond };
    }
}

/// Adds to the charges, for losses of numbers, the loss that a lane (one of the learners trained side by side) has
/// because a value of the row is beyond all earlier values of its feature. Squared loss is charged for it as other
/// losses are, not logarithmically from the start: such a loss is due to the weights, and would come again with the
/// next such value.
#[cold]
fn add_beyond(loss: Loss, y: f64, [margins, full]: [&Lanes; 2], typical: f64, charges: &mut Charges) {
    if typical <= 0.0 {
        return;
    }
    for (charge, (m, full)) in charges.values.iter_mut().zip(margins.0.iter().zip(full.0)) {
        let beyond = loss.excess(y, full.into()) - loss.excess(y, (*m).into());
        *charge += linear_then_logarithmic(beyond.max(0.0).min(f64::from(f32::MAX)) / typical);
    }
}

/// Returns a discounted sum of losses with the mean of the losses with a wrong label added, given the discounted sum of
/// these and of the weights. An overflowed sum counts as the largest number.
pub(super) fn with_doubt(statistic: f64, wrong_side: f64, weights: f64) -> f64 {
    (statistic + if weights > 0.0 { wrong_side / weights } else { 0.0 }).min(f64::MAX)
}

impl ConstantCharge {
    /// Returns the charge of the prediction at position `at` of a vector of margins, given their charges.
    pub(super) fn of(charges: &Charges, at: usize) -> ConstantCharge {
        ConstantCharge { value: charges.values[at], wrong_side: charges.wrong_side[at] }
    }
}

/// Returns the charges of the lanes (learners trained side by side) and of the constant prediction at a row, given the
/// margins `output` and `unclipped` of [`RowWorkspace`](super::row_workspace::RowWorkspace), the margin of the constant,
/// and a `typical` loss.
fn charges_with_constant(
    loss: Loss,
    y: f64,
    [margins, full]: [&Lanes; 2],
    constant: f64,
    typical: f64,
) -> (Charges, ConstantCharge) {
    let mut charges = match loss.classifies() {
        true => class_charges(loss, y, [margins, full]),
        false => charges_at(loss, y, margins, typical),
    };
    if full != margins && !loss.classifies() {
        add_beyond(loss, y, [margins, full], typical, &mut charges);
    }
    (charges, constant_charge(loss, y, constant, typical))
}

/// Returns the charge of the constant prediction at a row, given its margin; `typical` is a typical loss.
fn constant_charge(loss: Loss, y: f64, margin: f64, typical: f64) -> ConstantCharge {
    if loss.classifies() {
        return ConstantCharge { value: loss.value(y, margin), wrong_side: loss.value(1.0, -margin.abs()) };
    }
    let wrong_side = if loss.variance_power().is_some() { one_more_event(loss, margin, typical) } else { 0.0 };
    ConstantCharge { value: charge(loss, loss.excess(y, margin), typical), wrong_side }
}

impl ConstantMember {
    /// Returns the lead over the lanes (learners trained side by side) in the statistic after a number of rows: see
    /// [`lead`].
    ///
    /// With hinge losses, a margin beyond 1 costs nothing as long as all rows are of one class, so that the statistic
    /// says nothing against a lane with such a margin, and little against the constant 1 in its place. So the lead is at
    /// least ½·ln n − ln(1 + L), where L is the discounted loss of the constant in n rows: a lane that has not
    /// been better by then has a share of the order of (1 + L)/√n, and the first rows of the other class cost about √n
    /// times the mean loss of the constant. Where the rarer class has more than √n rows, this lead is none.
    fn lead_after(&self, loss: Loss, rows: f64) -> f64 {
        let lead = self.lead / rows;
        if !loss.is_hinge() {
            return lead;
        }
        lead.max(0.5 * libm::log(rows) - libm::log1p(self.statistic))
    }
}

impl MixtureWeights {
    /// Returns the initial mixture weights of the lanes (learners trained side by side) for a loss: shares are
    /// proportional to 1/scale², since a lane with a large step-size scale can do much harm.
    /// With `has_constant`, the constant prediction is a member.
    pub(crate) fn new(loss: Loss, has_constant: bool) -> MixtureWeights {
        let scales = grid(loss);
        let statistic = scales.0.map(|scale| 2.0 * libm::log(f64::from(scale / scales.0[0])));
        let none = [0.0; LANES];
        let mut mixture = MixtureWeights {
            statistic,
            wrong_side: none,
            first: none,
            shares: Lanes::default(),
            rows: 0,
            recent: [0.0; 3],
            constant: has_constant.then(|| ConstantMember { lead: lead(loss), ..ConstantMember::default() }),
        };
        mixture.share(loss);
        mixture
    }

    /// Checks that the numbers, read from a file, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let finite = self.statistic.iter().chain(&self.first).all(|x| x.is_finite());
        let sizes = self.wrong_side.iter().chain(&self.recent).all(|x| is_magnitude(*x)) && self.rows <= MOST_ROWS;
        let constant = self.constant.is_none_or(|constant| {
            constant.statistic.is_finite()
                && constant.first.is_finite()
                && is_magnitude(constant.wrong_side)
                && is_magnitude(constant.lead)
                && [constant.share, constant.share_of_lanes].iter().all(|share| (0.0..=1.0).contains(share))
        });
        let sum: f32 = self.shares.0.iter().sum();
        // The sum of the shares differs from 1 by rounding only.
        let shares = self.shares.0.iter().all(|share| (0.0..=1.0).contains(share)) && (sum - 1.0).abs() < 1e-3;
        need(finite && sizes && constant && shares, "the shares of the lanes are out of their range")
    }

    pub(crate) fn shares(&self) -> Lanes {
        self.shares
    }

    /// Whether the constant prediction is a member of the mixture.
    pub(crate) fn has_constant(&self) -> bool {
        self.constant.is_some()
    }

    /// Returns the share of the constant prediction in the model, and that of all lanes together (learners trained side
    /// by side), which is divided among them in proportion to [`shares`](MixtureWeights::shares).
    pub(crate) fn constant_share(&self) -> (f64, f64) {
        self.constant.map_or((0.0, 1.0), |constant| (constant.share, constant.share_of_lanes))
    }

    /// Returns the row weight as a multiple of the mean weight of the rows so far, in the discounted mean that counts
    /// rows whatever the scale of weights.
    pub(crate) fn relative(&self, weight: f64) -> f64 {
        let [_, weights, rows] = self.recent;
        weight / (weights / rows)
    }

    /// Returns the mixture of the margins of the lanes with that of the constant prediction.
    pub(crate) fn mix(&self, margins: &Lanes, constant: f64) -> f64 {
        let (share, rest) = self.constant_share();
        f64::from(margins.dot(self.shares)) * rest + constant * share
    }

    /// Updates the mixture weights with the losses of the lanes (learners trained side by side) at a row that has not
    /// been learnt yet; `y` and `margins` are in the units in which lanes store them.
    /// `margins` and `full` are those of [`RowWorkspace`](super::row_workspace::RowWorkspace): `output` and `unclipped`.
    pub(crate) fn add(&mut self, loss: Loss, y: f64, weight: f64, margins: [&Lanes; 2], constant: f64) {
        self.count(weight, self.excess_of_mixture(loss, y, margins[0], constant));
        let (charges, constant) = charges_with_constant(loss, y, margins, constant, self.typical());
        self.update(loss, weight, &charges, constant);
    }

    /// Returns the excess loss of the mixture at a row, from which the typical loss follows, for losses of numbers; 0 for
    /// classes, whose charges do not depend on the typical loss. The cap keeps an extreme label from making the typical
    /// loss infinite for ever.
    fn excess_of_mixture(&self, loss: Loss, y: f64, margins: &Lanes, constant: f64) -> f64 {
        match loss.classifies() {
            true => 0.0,
            false => loss.excess(y, self.mix(margins, constant)).min(f64::from(f32::MAX)),
        }
    }

    /// Returns the mean excess loss of the mixture in the rows so far, of which later rows have larger weights.
    fn typical(&self) -> f64 {
        self.recent[0] / self.recent[1]
    }

    /// Updates the mixture weights from the charges (losses, as they count for the shares) of the lanes (learners
    /// trained side by side) at a row, for losses of classes.
    pub(crate) fn add_charges(&mut self, loss: Loss, weight: f64, charges: &Charges, constant: ConstantCharge) {
        self.count(weight, 0.0);
        self.update(loss, weight, charges, constant);
    }

    #[inline(always)]
    fn count(&mut self, weight: f64, mixture: f64) {
        self.rows += 1;
        let keep = discount(self.rows);
        for (sum, term) in self.recent.iter_mut().zip([weight * mixture, weight, 1.0]) {
            *sum = *sum * keep + term;
        }
    }

    #[inline(always)]
    fn update(&mut self, loss: Loss, weight: f64, charges: &Charges, constant: ConstantCharge) {
        let keep = discount(self.rows);
        let part = self.relative(weight);
        for (statistic, charge) in self.statistic.iter_mut().zip(charges.values) {
            *statistic = *statistic * keep + part * charge;
        }
        for (sum, loss) in self.wrong_side.iter_mut().zip(charges.wrong_side) {
            *sum = *sum * keep + weight * loss;
        }
        if let Some(member) = &mut self.constant {
            member.statistic = member.statistic * keep + part * constant.value;
            member.wrong_side = member.wrong_side * keep + weight * constant.wrong_side;
        }
        self.share(loss);
    }

    /// Sets the mixture weights at the end of a pass with held-out rows. The sums from which shares are computed become
    /// the losses on the held-out rows (`held_out`) plus the sums of the first pass divided by the number of this pass.
    pub(crate) fn end_pass(&mut self, pass: u32, held_out: &HeldOutCharges) {
        if pass == 1 {
            self.first = self.statistic;
            self.constant.iter_mut().for_each(|constant| constant.first = constant.statistic);
        }
        let fade = f64::from(pass).recip();
        for ((statistic, first), charge) in self.statistic.iter_mut().zip(&self.first).zip(held_out.lanes.charges()) {
            *statistic = charge + fade * first;
        }
        self.wrong_side = [0.0; LANES];
        if let Some(constant) = &mut self.constant {
            constant.statistic = held_out.constant_charge() + fade * constant.first;
            constant.wrong_side = 0.0;
        }
        self.share(held_out.loss);
    }

    /// Returns, for each lane (one of the learners trained side by side), the sum of losses from which its share is
    /// computed: shares are proportional to exp(−sum). The sum includes the mean loss that the lane would have with
    /// wrong labels.
    fn evidence(&self) -> [f64; LANES] {
        std::array::from_fn(|k| with_doubt(self.statistic[k], self.wrong_side[k], self.recent[1]))
    }

    fn share(&mut self, loss: Loss) {
        let evidence = self.evidence();
        let best = evidence.iter().copied().fold(f64::INFINITY, f64::min);
        let raw = exp_neg_abs(&Lanes(evidence.map(|evidence| (best - evidence).max(-1e30) as f32)));
        let sum: f32 = raw.0.iter().sum();
        self.shares = raw / Lanes([sum; LANES]);
        if let Some(constant) = &mut self.constant {
            let evidence = with_doubt(constant.statistic, constant.wrong_side, self.recent[1]);
            let lead = constant.lead_after(loss, self.rows.max(1) as f64);
            let odds = f64::from(sum) * libm::exp(evidence - best - lead);
            constant.share = 1.0 / (1.0 + odds);
            constant.share_of_lanes = if odds < 1.0 { odds / (1.0 + odds) } else { 1.0 / (1.0 + 1.0 / odds) };
        }
    }

    /// Returns the index of the lane (one of the learners trained side by side) with the largest share; if shares are
    /// equal, of the one with the smallest scale.
    pub(crate) fn leader(&self) -> usize {
        (0..LANES).fold(0, |best, k| if self.shares.0[k] > self.shares.0[best] { k } else { best })
    }

    pub(crate) fn lanes(&self, scales: Lanes) -> Vec<Lane> {
        let evidence = self.evidence();
        let best = evidence.iter().copied().fold(f64::INFINITY, f64::min);
        (0..LANES)
            .map(|k| Lane {
                scale: shortest(scales.0[k]),
                statistic: evidence[k] - best,
                share: shortest(self.shares.0[k] * self.constant_share().1 as f32),
                coefficient: None,
            })
            .collect()
    }
}

/// Converts an f32 to the f64 with the same shortest decimal form: 0.3, not 0.30000001192092896.
pub(crate) fn shortest(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// Sums of charges over the held-out rows at the end of a pass, one per position in vectors of margins: per lane (one of
/// the learners trained side by side) for the mixture, per margin of [`Stacking::margins`](super::stacking::Stacking) for
/// stacking.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChargeSums {
    weight: f64,
    rows: f64,
    values: [f64; LANES],
    wrong_side: [f64; LANES],
}

impl ChargeSums {
    /// Adds the charges at a row of the given weight.
    pub(crate) fn add(&mut self, weight: f64, charges: &Charges) {
        self.weight += weight;
        self.rows += 1.0;
        for k in 0..LANES {
            self.values[k] += weight * charges.values[k];
            self.wrong_side[k] += weight * charges.wrong_side[k];
        }
    }

    /// Returns the sums of charges divided by the mean row weight, plus the mean charges with a wrong label.
    pub(crate) fn charges(&self) -> [f64; LANES] {
        std::array::from_fn(|k| self.of(self.values[k], self.wrong_side[k]))
    }

    fn of(&self, value: f64, wrong_side: f64) -> f64 {
        value / (self.weight / self.rows) + wrong_side / self.weight
    }
}

/// Sums, over the held-out rows at the end of a pass, of the losses of each lane (one of the learners trained side by
/// side) and of the constant prediction, as they count in the statistic (the charges).
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldOutCharges {
    loss: Loss,
    typical: f64,
    lanes: ChargeSums,
    constant: ConstantCharge,
}

impl HeldOutCharges {
    /// Starts the sums with no rows; `typical` is the mean loss, on the held-out rows, of the best lane (one of the
    /// learners trained side by side), relative to which losses of regression count.
    pub(crate) fn new(loss: Loss, typical: f64) -> HeldOutCharges {
        let constant = ConstantCharge { value: 0.0, wrong_side: 0.0 };
        HeldOutCharges { loss, typical, lanes: ChargeSums::default(), constant }
    }

    /// Adds the charges at a held-out row; `margins` are `output` and `unclipped` of
    /// [`RowWorkspace`](super::row_workspace::RowWorkspace), of which losses of numbers use the first.
    pub(crate) fn add(&mut self, weight: f64, y: f64, margins: [&Lanes; 2], constant: f64) {
        let (loss, typical) = (self.loss, self.typical);
        let charges = match loss.classifies() {
            true => class_charges(loss, y, margins),
            false => charges_at(loss, y, margins[0], typical),
        };
        self.add_charges(weight, &charges, constant_charge(loss, y, constant, typical));
    }

    /// Adds the charges (losses, as they count for the shares) of the lanes (learners trained side by side) at a
    /// held-out row of a multiclass loss.
    pub(crate) fn add_charges(&mut self, weight: f64, charges: &Charges, constant: ConstantCharge) {
        self.lanes.add(weight, charges);
        self.constant.value += weight * constant.value;
        self.constant.wrong_side += weight * constant.wrong_side;
    }

    /// Returns what [`ChargeSums::charges`] returns for the lanes, for the constant prediction.
    fn constant_charge(&self) -> f64 {
        self.lanes.of(self.constant.value, self.constant.wrong_side)
    }
}
