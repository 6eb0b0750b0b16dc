//! Predictions of a model, row by row.

use crate::{
    data::Data,
    error::FitError,
    fit::options_of,
    rows::{Next, Rows},
    setting::Contradiction,
    stop::{Interrupt, StopConditions},
};
use std::fmt;
use surefoot_glm::{Batch, Fault, FeatureKey, Labels, Loss, Model, Part, Predictor, Row, RowMargins};
use surefoot_io::{Error, Located, Options};

/// The quantity that is predicted for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The margin w·x + b + offset: one number, or one per class.
    Margin,
    /// The mean of the label. For two classes the probability of the positive one; for more the probability of each, by ascending label.
    Mean,
    /// The label of the likeliest class.
    Class,
}

impl Response {
    /// The usual response for a loss: a probability or mean, and a margin where the loss has no probabilities.
    #[must_use]
    pub fn of(loss: Loss) -> Response {
        if loss.classifies() && !loss.has_probabilities() { Response::Margin } else { Response::Mean }
    }

    fn check(self, loss: Loss) -> Result<(), Contradiction> {
        match self {
            Response::Mean if loss.classifies() && !loss.has_probabilities() => {
                Err(Contradiction::MeanNeedsProbabilities(loss))
            }
            Response::Class if !loss.classifies() => Err(Contradiction::ClassNeedsClasses(loss)),
            _ => Ok(()),
        }
    }
}

/// Predicts rows with a model.
///
/// ```
/// use surefoot_fit::{Fit, Prediction, Response};
/// use surefoot_glm::{Batch, Loss};
/// let mut rows = Batch::default();
/// (0..100_u32).for_each(|t| rows.push(Some(f64::from(t % 5)), 1.0, &[(u64::from(t % 5), 1.0)]));
/// let outcome = Fit::new(Loss::Squared).l2(1e-6).optimum(1e-9).run(rows.clone()).unwrap();
/// let means = Prediction::new(&outcome.model, Response::Mean).unwrap().all(rows).unwrap();
/// assert!(means.len() == 100 && (means[3] - 3.0).abs() < 0.01);
/// ```
#[derive(Debug)]
pub struct Prediction<'m> {
    model: &'m Model,
    predictor: Predictor,
    response: Response,
    scores: RowMargins,
}

/// One predicted row.
#[derive(Debug)]
pub struct PredictedRow<'r> {
    /// The row.
    pub row: Row<'r>,
    /// Its name: an id column or a tag, where rows have one.
    pub name: Option<&'r [u8]>,
    /// The response: [`Prediction::outputs`] numbers.
    pub numbers: &'r [f64],
    /// Number of its features that training did not encounter.
    pub unseen: usize,
    /// Weights of the model, to look features up.
    pub predictor: &'r Predictor,
}

/// The reason why a row has no prediction. The next rows may have one.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unpredicted {
    /// The row cannot be read, or has a value that cannot be predicted with.
    Row(Error),
    /// The mean is too large for a number; the margin is its logarithm.
    Overflow {
        /// The row.
        row: Located,
        /// Its margin.
        margin: f64,
    },
}

impl fmt::Display for Unpredicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unpredicted::Row(error) => error.fmt(f),
            Unpredicted::Overflow { margin, .. } => write!(
                f,
                "the mean of this row, e^{margin:.1}, is beyond all numbers: its values are far from those of training"
            ),
        }
    }
}

impl From<Unpredicted> for Error {
    fn from(reason: Unpredicted) -> Error {
        let message = reason.to_string();
        match reason {
            Unpredicted::Row(error) => error,
            Unpredicted::Overflow { row, .. } => row.error(message),
        }
    }
}

/// A row without prediction, before it has a location.
enum NoNumber {
    Fault(Fault),
    Overflow(f64),
}

impl<'m> Prediction<'m> {
    /// Builds the lookup table of a model. O(features · classes).
    ///
    /// # Errors
    /// A response that the loss of the model does not have.
    pub fn new(model: &'m Model, response: Response) -> Result<Prediction<'m>, Contradiction> {
        response.check(model.settings.loss)?;
        Ok(Prediction { model, predictor: Predictor::new(model), response, scores: RowMargins::default() })
    }

    /// Numbers per row: one per class for margins and means of more than two classes, else one.
    #[must_use]
    pub fn outputs(&self) -> usize {
        match self.model.settings.loss.is_multiclass() && self.response != Response::Class {
            true => self.model.labels.classes.len(),
            false => 1,
        }
    }

    /// Predicts all rows: [`outputs`](Prediction::outputs) numbers per row, one row after the other. Labels are not needed.
    ///
    /// # Errors
    /// The first row that has no prediction; an input that cannot be read.
    pub fn all(&mut self, data: impl Into<Data>) -> Result<Vec<f64>, FitError> {
        let (data, mut numbers) = (data.into(), Vec::new());
        let options = options_of(self.model);
        // Only an svmlight row would be read in another way.
        let options = Options { unlabelled: options.reading.by != FeatureKey::Index, ..options };
        let each = |found: Result<PredictedRow<'_>, Unpredicted>| -> Result<(), Interrupt> {
            numbers.extend_from_slice(found.map_err(Error::from)?.numbers);
            Ok(())
        };
        match self.each(&data, &options, &StopConditions::default(), each) {
            Err(Interrupt::Error(error)) => Err(error),
            // Nothing asks it to stop.
            Ok(_) | Err(Interrupt::Stop(_)) => Ok(numbers),
        }
    }

    /// Reads all rows and calls `visit` with the prediction of each, or with the reason why it has none. Returns the number of rows.
    /// O(nnz · classes) per row.
    ///
    /// # Errors
    /// Those of `visit`, which end the reading; an input that cannot be read; a request to stop.
    pub fn each<E: From<Interrupt>>(
        &mut self,
        data: &Data,
        options: &Options,
        stop: &StopConditions,
        mut visit: impl FnMut(Result<PredictedRow<'_>, Unpredicted>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut rows = Rows::open(data, options, 2).map_err(Interrupt::from)?;
        let (mut batch, mut count) = (Batch::default(), 0);
        loop {
            stop.check().map_err(Interrupt::from)?;
            match rows.next(&mut batch) {
                Ok(Next::End) => return Ok(count),
                Ok(Next::Waiting) => continue,
                Ok(Next::Rows) => {}
                Err(error) if error.is_row() => {
                    count += 1;
                    visit(Err(Unpredicted::Row(error)))?;
                    continue;
                }
                Err(error) => return Err(Interrupt::from(error).into()),
            }
            for r in 0..batch.len() {
                let row = batch.row(r);
                let locate = |part| data.locate(options, &batch, r, part, false);
                visit(match self.predict(&row) {
                    Ok(()) => Ok(PredictedRow {
                        row,
                        name: batch.name(r),
                        numbers: &self.scores.margins,
                        unseen: self.scores.unseen,
                        predictor: &self.predictor,
                    }),
                    Err(NoNumber::Fault(fault)) => Err(Unpredicted::Row(locate(fault.part).error(fault.message))),
                    Err(NoNumber::Overflow(margin)) => Err(Unpredicted::Overflow { row: locate(Part::Row), margin }),
                })?;
            }
            count += batch.len() as u64;
        }
    }

    /// Leaves the response of a row in the scores.
    fn predict(&mut self, row: &Row<'_>) -> Result<(), NoNumber> {
        let (loss, scores) = (self.model.settings.loss, &mut self.scores);
        if loss.is_multiclass() {
            self.predictor.score_classes(row, scores).map_err(NoNumber::Fault)?;
        } else {
            let scored = self.predictor.score(row).map_err(NoNumber::Fault)?;
            scores.unseen = scored.unseen;
            scores.margins.clear();
            scores.margins.push(scored.margin);
        }
        match self.response {
            Response::Margin => {}
            Response::Mean if loss.is_multiclass() => loss.probabilities(&mut scores.margins),
            Response::Mean => {
                let margin = scores.margins[0];
                let mean = loss.mean(margin);
                // The largest number stands for all beyond it.
                if mean.abs() >= f64::MAX || mean.is_nan() {
                    return Err(NoNumber::Overflow(margin));
                }
                scores.margins[0] = mean;
            }
            Response::Class => {
                let class = likeliest(&self.model.labels, scores);
                scores.margins.clear();
                scores.margins.push(class);
            }
        }
        Ok(())
    }
}

/// The label of the likeliest class; if training saw a single label, that one.
fn likeliest(labels: &Labels, scores: &RowMargins) -> f64 {
    if let Some(&label) = labels.classes.get(scores.likeliest()) {
        return label;
    }
    let (likely, other) = match scores.margins[0] > 0.0 {
        true => (labels.positive, labels.negative),
        false => (labels.negative, labels.positive),
    };
    likely.or(other).unwrap_or(f64::NAN)
}
