//! Certificate for a finished model with weights in a ball, computed in one more pass over the rows.

use crate::{
    data::{
        fault::{Fault, Part},
        rows::{Batch, Row},
    },
    labels::label_set::Labels,
    loss::Loss,
    memory::feature_index::FeatureIndex,
    model::{certificate::Certificate, predictor::Predictor, trained_model::Model},
    numeric::check::NEGLIGIBLE,
};
use surefoot::certificate::{self as core, Inside};
use surefoot::{Ball, Grow, Sparse};

/// An additional pass over the rows for a finished model with weights w in a ball of radius r around 0. It computes
/// the mean loss F(w), and an upper bound on its excess over the least mean loss of any model in the ball: r‖∇F‖ + ⟨w,
/// ∇F⟩, the Fenchel (or Frank–Wolfe) gap. The bound always holds, whatever the rows and the model are.
///
/// Costs O(nonzeros) per row, and O(features) memory.
///
/// ```
/// use surefoot_glm::{Ball, Batch, FullPass, Plan, Settings, Trainer};
/// let mut batch = Batch::default();
/// for t in 0..100 {
///     let x = f64::from(t % 7) - 3.0;
///     batch.push(Some(f64::from(x + f64::from(t % 3) > 1.0)), 1.0, &[(1, x)]);
/// }
/// let ball = Ball { radius: 2.0, row_norm: None, delta: 0.05 };
/// let mut trainer = Trainer::new(Settings { ball: Some(ball), ..Settings::default() }, Plan::ONE_PASS);
/// trainer.learn(&batch, 0, batch.len()).unwrap();
/// let mut pass = FullPass::new(&trainer.model()).unwrap();
/// pass.add(&batch, 0, batch.len()).unwrap();
/// let (certificate, objective) = pass.certificate();
/// assert!(certificate.bound().unwrap().value < 0.1 && objective.unwrap() < 0.5);
/// ```
#[derive(Debug)]
pub struct FullPass {
    /// Loss function of the model, whose mean over the rows is computed.
    loss: Loss,
    /// Class labels of the model, by which row labels are encoded.
    labels: Labels,
    /// Whether the model has an intercept, which is coordinate 0 with the value 1 in every row.
    intercept: bool,
    /// Ball around 0 in which the weights of the model lie.
    ball: Ball<f64>,
    predictor: Predictor,
    feature_index: FeatureIndex,
    /// Weights of the model by coordinate number, the intercept first. Features that the model has not seen have
    /// numbers beyond the end, and weight 0.
    point: Vec<f64>,
    /// Sums of the losses and of their gradients over the rows added so far, at the weights of the model.
    sums: core::FullPass,
    /// Coordinate numbers of the current row's nonzeros, the intercept's first.
    numbers: Vec<u32>,
    /// Values of the current row's nonzeros, the intercept's first.
    values: Vec<f64>,
}

impl FullPass {
    /// Prepares a pass over rows for `model`; returns `None` if the model has no ball
    /// ([`Settings::ball`](crate::Settings::ball)) or is invalid ([`Model::check`]).
    #[must_use]
    pub fn new(model: &Model) -> Option<FullPass> {
        let ball = model.settings.ball.as_ref()?;
        model.check_prediction().ok()?;
        let ball = Ball::new(ball.radius);
        let order = (1..=u32::MAX).zip(&model.index).map(|(number, &id)| (id, number));
        let point: Vec<f64> = model.intercept.iter().copied().chain(model.weight.iter().copied()).collect();
        Some(FullPass {
            loss: model.settings.loss,
            labels: model.labels.clone(),
            intercept: model.settings.intercept,
            ball,
            predictor: Predictor::new(model),
            feature_index: FeatureIndex::restore(order).ok()?,
            sums: core::FullPass::new(point.len()),
            point,
            numbers: Vec::new(),
            values: Vec::new(),
        })
    }

    /// Adds rows `from..to` of a batch to the sums. Skips rows of weight 0 and rows without a label.
    ///
    /// # Errors
    /// The index of the first row that cannot be used, with the reason. Rows before it have been added.
    pub fn add(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        (from..to).try_for_each(|r| self.row(&batch.row(r)).map_err(|fault| (r, fault)))
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        row.check()?;
        let (Some(label), true) = (row.label, row.weight > 0.0) else { return Ok(()) };
        let y = match (self.loss.classifies(), self.labels.encode(label)) {
            (false, _) => self.loss.check(label).map(|()| label)?,
            (true, Some(y)) => y,
            (true, None) => return Err(Fault::new(Part::Label, "not a label that the model was trained on")),
        };
        let margin = self.predictor.score(row)?.margin;
        self.numbers.clear();
        self.values.clear();
        if self.intercept {
            self.numbers.push(0);
            self.values.push(1.0);
        }
        for (pair, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                self.numbers.push(self.feature_index.find_or_insert(id, pair)?);
                self.values.push(value);
            }
        }
        self.sums.grow(self.feature_index.dim());
        let (loss, derivative) = (self.loss.value(y, margin), self.loss.derivative(y, margin));
        self.sums.add(row.weight, margin, loss, derivative, &Sparse::new(&self.numbers, &self.values));
        let terms =
            self.numbers.iter().zip(&self.values).map(|(&i, x)| self.point.get(i as usize).map_or(0.0, |w| w * x));
        let (count, size) = terms.fold((1.0, row.offset.abs()), |(count, size), term| (count + 1.0, size + term.abs()));
        self.sums.allow(row.weight, margin, core::margin_error(count, size), |margin| self.loss.derivative(y, margin));
        Ok(())
    }

    /// Returns the certificate, which bounds the excess loss or says why there is no bound, and the mean loss over the
    /// rows added; the mean loss is `None` if there is no bound.
    #[must_use]
    pub fn certificate(&self) -> (Certificate, Option<f64>) {
        let point = |i: usize| self.point.get(i).copied().unwrap_or(0.0);
        match self.sums.optimality(point, &Inside::<f64, _>::new(&self.ball)) {
            Ok(found) => (Certificate::of(&found.certificate, Some(found.objective), None), Some(found.objective)),
            Err(why) => (Certificate::none(why.to_string()), None),
        }
    }
}
