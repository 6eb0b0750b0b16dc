//! Online learner whose weights are constrained to a ball around 0; used if a radius is given. Its models can have
//! certificates.
//!
//! The learner is the anytime conversion of centred dual averaging from the `surefoot` crate, in f64. The features
//! are not known beforehand, so all sums grow with the features seen. Rows are learnt in raw units, and the intercept
//! is coordinate 0 of the ball, with the value 1 in every row. A row's weight multiplies its loss and its gradient.

mod exchange;
mod state;
mod watch;

pub(crate) use state::check;

use crate::{
    data::{
        fault::{Fault, Part},
        rows::{Batch, Row},
    },
    labels::encoder::LabelEncoder,
    loss::{Loss, derivative_cut::LabelRange},
    memory::feature_index::FeatureIndex,
    model::{
        certificate::Certificate,
        predictor::Predictor,
        settings::{Ball, Settings},
    },
    numeric::check::NEGLIGIBLE,
    pass::{
        learner::{LearnerState, RowLearner},
        row_loop::RowLoop,
    },
    simd::margin::MarginSum,
};
use surefoot::{Anytime, AskTell, DualAveraging, Grow, Learner, Point, Sparse, Squares, Uniform, Vector, View};
use watch::{CertificateTracker, Observation};

/// Interpolation parameter β: gradients are computed at the point (1 − β)·iterate + β·average of the iterates.
///
/// Theorem 1 of arXiv 1903.00974 leaves β open. On the data set a9a in a ball of radius 3, the gap to the optimum after
/// one pass and after ten passes was 0.0022 and 0.0002 with β = 0.4, and 0.023 and 0.008 with β = 1. If round t has
/// averaging weight t instead of 1, the gap is about the same, and the bound with probability 95 % a third larger.
const BETA: f64 = 0.4;

/// Optimisation method of the learner: Algorithm 1 of arXiv 1903.00974 (anytime online-to-batch conversion) with dual
/// averaging as the online learner. Also keeps the sums from which certificates are computed.
type Method = Anytime<f64, DualAveraging<f64, surefoot::Ball<f64>>, Uniform>;

/// Online learner with weights in a ball, and the statistics from which its certificates are computed.
#[derive(Debug)]
pub(crate) struct InBall {
    loss: Loss,
    intercept: bool,
    ball: Ball,
    method: Method,
    feature_index: FeatureIndex,
    tracker: CertificateTracker,
    label_range: LabelRange,
    row: FoundRow,
}

/// Row that is being predicted or learnt: coordinate numbers and values of its known nonzeros (the intercept first),
/// and its unseen features.
#[derive(Debug, Default)]
struct FoundRow {
    /// Coordinate numbers of the row's nonzeros. Unseen features of the row get a number only when the row is learnt.
    numbers: Vec<u32>,
    /// Values of the row's nonzeros, one per entry of `numbers`.
    values: Vec<f64>,
    /// Unseen features of the row: feature id, value, and position among the nonzeros of the row.
    new: Vec<(u64, f64, usize)>,
    /// Margins, loss, derivative and norm of the row, from which certificates are computed.
    observation: Observation,
    /// Margin of the row under the current model; positive if the positive class is predicted.
    margin: f64,
}

impl FoundRow {
    fn vector(&self) -> Sparse<'_, f64> {
        Sparse::new(&self.numbers, &self.values)
    }
}

impl InBall {
    /// Returns an untrained learner with all weights 0, which will stay within `ball`.
    pub(crate) fn new(settings: &Settings, ball: Ball) -> InBall {
        let learner = DualAveraging::new(1, surefoot::Ball::new(ball.radius));
        InBall {
            loss: settings.loss,
            intercept: settings.intercept,
            ball,
            method: Anytime::new(learner, Uniform).certified().interpolate(BETA),
            feature_index: FeatureIndex::default(),
            tracker: CertificateTracker::new(settings.loss, &ball),
            label_range: LabelRange::default(),
            row: FoundRow::default(),
        }
    }

    /// Returns the weight of coordinate `number` in the current model, multiplied by `sign`, which is −1 if the two
    /// classes were encoded the other way round ([`LabelEncoder::sign`](crate::labels::encoder::LabelEncoder::sign)).
    fn weight(&self, number: u32, sign: f64) -> f64 {
        sign * self.method.output().at(number as usize)
    }

    /// Looks up the coordinate numbers of a row's nonzeros, and stores them in `self.row`. Returns the margin of the
    /// row, summed in the same order as by [`Predictor::score`].
    fn find(&mut self, row: &Row<'_>, sign: f64) -> f64 {
        let found = &mut self.row;
        found.numbers.clear();
        found.values.clear();
        found.new.clear();
        let output = self.method.output();
        let mut intercept = 0.0;
        if self.intercept {
            found.numbers.push(0);
            found.values.push(1.0);
            intercept = sign * output.at(0);
        }
        let mut margin = MarginSum::default();
        let pairs = row.index.iter().zip(row.value).enumerate().filter(|(_, (_, value))| value.abs() >= NEGLIGIBLE);
        for (k, (pair, (&id, &value))) in pairs.enumerate() {
            let Some(number) = self.feature_index.of(id) else {
                found.new.push((id, value, pair));
                continue;
            };
            margin.add_one(k, (sign * output.at(number as usize)) * value);
            found.numbers.push(number);
            found.values.push(value);
        }
        margin.total(intercept)
    }

    /// Returns the Euclidean norm of the row of the last [`ask`](RowLearner::ask) (prediction before learning),
    /// including the constant 1 for the intercept.
    fn length(&self) -> f64 {
        let mut squares = Squares::default();
        let new = self.row.new.iter().map(|(_, value, _)| value);
        self.row.values.iter().chain(new).for_each(|&value| squares.add(value));
        squares.root()
    }
}

impl RowLearner for InBall {
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        self.tracker.reused |= row_loop.holdout.run.completed > 0 && from < to;
        row_loop.take_rows(self, batch, from, to)
    }

    fn reuse(&mut self) {
        self.tracker.reused = true;
    }

    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault> {
        let sign = encoder.sign();
        if row.offset != 0.0 {
            return Err(Fault::new(Part::Row, "rows with an offset are not for models in a ball (--radius)"));
        }
        let margin = self.find(row, sign);
        self.row.margin = margin;
        let length = self.length();
        self.tracker.admit(&self.ball, row.weight, length, self.intercept)?;
        let iterate = View::new(self.method.dim(), |i| self.method.learner().at(i));
        let (query, iterate) = (self.method.query().dot(&self.row.vector()), iterate.dot(&self.row.vector()));
        self.row.observation = Observation { query, iterate, length, ..Observation::default() };
        if margin.is_finite() { Ok(self.loss.value(y * sign, margin)) } else { Err(Fault::overflow()) }
    }

    fn margins(&self, margins: &mut Vec<f64>) {
        margins.clear();
        margins.push(self.row.margin);
    }

    fn prepare(&mut self, y: f64, weight: f64) -> Result<(), Fault> {
        let observation = &mut self.row.observation;
        observation.loss = weight * self.loss.value(y, observation.query);
        observation.derivative =
            weight * self.label_range.cut(self.loss, y, self.loss.derivative(y, observation.query));
        if !(observation.iterate.is_finite() && (observation.derivative * observation.length).is_finite()) {
            return Err(Fault::overflow());
        }
        for &(id, value, pair) in &self.row.new {
            self.row.numbers.push(self.feature_index.find_or_insert(id, pair)?);
            self.row.values.push(value);
        }
        self.method.grow(self.feature_index.dim());
        Ok(())
    }

    fn tell(&mut self, y: f64, weight: f64) {
        self.label_range.count(y, 0.0, weight);
        self.tracker.weighted |= weight != 1.0;
        self.tracker.record(&self.method, &self.row.observation, y);
        self.method.tell(&self.row.vector().times(self.row.observation.derivative));
    }

    fn predictor(&self, encoder: &LabelEncoder) -> Predictor {
        let sign = encoder.sign();
        let vector = self.feature_index.features().map(|(id, number)| (id, self.weight(number, sign)));
        Predictor::of(self.weight(0, sign), vector)
    }

    fn save(&self, encoder: &LabelEncoder) -> LearnerState {
        state::save(self, encoder.sign())
    }

    fn certificates(&self) -> Vec<Certificate> {
        self.tracker.certificates(&self.method, self.ball.delta)
    }
}
