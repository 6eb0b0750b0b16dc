//! Predictions of a trained model, row by row.

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

/// Quantity to predict for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Margin w·x + b + offset of the row, before any link function: one number, or one per class.
    Margin,
    /// Expected label. For two classes, the probability of the positive class; for more, the probability of each class, in ascending order
    /// of labels.
    Mean,
    /// Label of the most likely class.
    Class,
}

impl Response {
    /// Returns the default response for a loss: the mean (for classes, the probability), or the margin if the loss is for classes but
    /// provides no probabilities.
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

/// Predictor of a chosen response for rows, by a trained model.
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
    threads: u16,
}

/// Row together with its prediction.
#[derive(Debug)]
pub struct PredictedRow<'r> {
    /// Features, weight and label of the row.
    pub row: Row<'r>,
    /// Name of the row, from an id column or a tag; `None` if the row has no name.
    pub name: Option<&'r [u8]>,
    /// Predicted numbers: one per class for margins and means of a multiclass loss, otherwise one.
    pub numbers: &'r [f64],
    /// Number of unseen features of the row (features that do not occur in the training data).
    pub unseen: usize,
    /// Lookup table from features to the weights of the model.
    pub predictor: &'r Predictor,
}

/// Reason why a row has no prediction. Does not prevent the prediction of later rows.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unpredicted {
    /// Row that cannot be read, or that has a value from which no prediction can be computed.
    Row(Error),
    /// Overflow of the predicted mean, which is e to the power of the margin.
    Overflow {
        /// Location of the row in the data.
        row: Located,
        /// Margin of the row, whose exponential overflows.
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

/// Reason why a row has no prediction, before the location of the row is added.
enum NoNumber {
    Fault(Fault),
    Overflow(f64),
}

impl<'m> Prediction<'m> {
    /// Builds a predictor with a lookup table of the weights of the model. O(features · classes).
    ///
    /// # Errors
    /// A response that the loss of the model does not support.
    pub fn new(model: &'m Model, response: Response) -> Result<Prediction<'m>, Contradiction> {
        response.check(model.settings.loss)?;
        Ok(Prediction { model, predictor: Predictor::new(model), response, scores: RowMargins::default(), threads: 2 })
    }

    /// Sets the number of threads: with 1, files are read on the thread that predicts. The default is 2.
    #[must_use]
    pub fn threads(self, threads: u16) -> Prediction<'m> {
        Prediction { threads, ..self }
    }

    /// Returns the count of predicted numbers per row: the number of classes for margins and means of a multiclass loss, else 1.
    #[must_use]
    pub fn outputs(&self) -> usize {
        match self.model.settings.loss.is_multiclass() && self.response != Response::Class {
            true => self.model.labels.classes.len(),
            false => 1,
        }
    }

    /// Predicts all rows, and returns [`outputs`](Prediction::outputs) numbers per row, row by row. Rows need no labels.
    ///
    /// # Errors
    /// The first row without a prediction; an input that cannot be read.
    pub fn all(&mut self, data: impl Into<Data>) -> Result<Vec<f64>, FitError> {
        let (data, mut numbers) = (data.into(), Vec::new());
        let options = options_of(self.model);
        let each = |found: Result<PredictedRow<'_>, Unpredicted>| -> Result<(), Interrupt> {
            numbers.extend_from_slice(found.map_err(Error::from)?.numbers);
            Ok(())
        };
        match self.each(&data, &options, &StopConditions::default(), each) {
            Err(Interrupt::Error(error)) => Err(error),
            // The default stop conditions never stop the prediction.
            Ok(_) | Err(Interrupt::Stop(_)) => Ok(numbers),
        }
    }

    /// Reads all rows and calls `visit` with the prediction of each row, or with the reason why it has none. Returns the number of rows.
    /// Rows need no labels; only for svmlight do the options say whether they have any. O(nnz · classes) per row.
    ///
    /// # Errors
    /// An error returned by `visit`, which ends the reading; an input that cannot be read; a request to stop.
    pub fn each<E: From<Interrupt>>(
        &mut self,
        data: &Data,
        options: &Options,
        stop: &StopConditions,
        mut visit: impl FnMut(Result<PredictedRow<'_>, Unpredicted>) -> Result<(), E>,
    ) -> Result<u64, E> {
        // In svmlight, rows without labels are parsed differently.
        let unlabelled = options.unlabelled || options.reading.by != FeatureKey::Index;
        let options = &Options { unlabelled, ..options.clone() };
        let mut rows = Rows::open(data, options, self.threads).map_err(Interrupt::from)?;
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

    /// Computes the response (margins, means or class) for a row and stores it in `self.scores`.
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
                // A mean that overflows is represented by the largest finite number.
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

/// Returns the label of the most likely class; if the training data have a single label, that label.
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
