//! Lines of predictions, one per row, as `predict` writes them.

use super::told::Told;
use crate::{
    failure::Failure,
    flags::cli::{Flush, OnError, PredictArgs},
    terminal::{
        console::Console,
        unseen::{Unseen, UnseenSummary},
    },
    words::number::{self, Shortest},
};
use std::io::Write;
use surefoot_fit::{Data, FitError, Interrupt, PredictedRow, Prediction, Response, StopConditions, Unpredicted};
use surefoot_glm::Model;
use surefoot_io::{Error, Options, Output, printable};

/// Converts the reason why a row has no prediction to an error whose message suggests flags that would help.
fn with_remedy(reason: Unpredicted) -> Error {
    let message = reason.to_string();
    match reason {
        Unpredicted::Overflow { row, .. } => row.error(format!(
            "{message}; --type margin prints the exponent, --on-error empty|skip passes over such rows"
        )),
        other => other.into(),
    }
}

/// Escapes a class label so that it stays on one line: every unprintable character if it is shown on a terminal (`shown`), otherwise only
/// control characters.
fn one_line(label: &str, shown: bool) -> String {
    if shown {
        return printable(label).into_owned();
    }
    label.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// Reason why prediction ends before the last row.
pub(crate) enum PredictError {
    Read(Error),
    Write(Error),
    Fit(FitError),
    Stopped,
}

impl From<Interrupt> for PredictError {
    fn from(interrupt: Interrupt) -> PredictError {
        match interrupt {
            Interrupt::Error(error) => PredictError::Fit(error),
            Interrupt::Stop(_) => PredictError::Stopped,
        }
    }
}

impl PredictError {
    /// Returns the error that ends the command; `None` if the prediction was stopped.
    pub(crate) fn failure(self) -> Option<Failure> {
        match self {
            PredictError::Read(error) | PredictError::Write(error) => Some(error.into()),
            PredictError::Fit(error) => Some(error.into()),
            PredictError::Stopped => None,
        }
    }
}

/// Writer of the predictions of a model for the rows of some data.
pub(crate) struct Predictions<'a> {
    model: &'a Model,
    response: Response,
    flush: bool,
    on_error: OnError,
    /// Text between the prediction and the name of a row in an output line.
    separator: &'static str,
    /// Whether the output is shown on a terminal.
    shown: bool,
    pub(crate) output: Output,
    digits: Shortest,
    pub(crate) told: Told,
}

impl<'a> Predictions<'a> {
    /// Creates a writer to this output; the predictions are not committed.
    pub(crate) fn new(
        args: &PredictArgs,
        model: &'a Model,
        response: Response,
        output: Output,
        shown: bool,
    ) -> Predictions<'a> {
        Predictions {
            model,
            response,
            flush: args.flush == Some(Flush::Line),
            on_error: args.on_error,
            separator: if args.id.is_some() { "\t" } else { " " },
            shown,
            output,
            digits: Shortest::default(),
            told: Told::default(),
        }
    }

    /// Predicts all rows, and writes one output line for each.
    pub(crate) fn write_all(
        &mut self,
        prediction: &mut Prediction<'_>,
        data: &Data,
        options: &Options,
        unseen: &mut Unseen<'_>,
    ) -> Result<(), PredictError> {
        let each = |found: Result<PredictedRow<'_>, Unpredicted>| match found {
            Ok(found) => {
                unseen.add(&found.row, found.unseen, |id| found.predictor.knows(id), &options.found);
                self.write(found.numbers, found.name).map_err(|error| self.trouble(error))
            }
            Err(reason) => self.pass_over(with_remedy(reason)),
        };
        let rows = prediction.each(data, options, &StopConditions::default(), each)?;
        (self.told.rows, self.told.notes) = (rows, options.found.notes());
        Ok(())
    }

    /// Skips a row that cannot be read or predicted, or returns its error if `--on-error` is `stop`.
    fn pass_over(&mut self, error: Error) -> Result<(), PredictError> {
        if self.on_error == OnError::Stop {
            return Err(PredictError::Read(error));
        }
        self.told.pass_over(&error);
        if self.on_error == OnError::Empty { self.end().map_err(|error| self.trouble(error)) } else { Ok(()) }
    }

    fn trouble(&self, error: std::io::Error) -> PredictError {
        PredictError::Write(self.output.error(error))
    }

    /// Writes the output line of one row: its predicted numbers or class, then the name of the row.
    fn write(&mut self, numbers: &[f64], name: Option<&[u8]>) -> std::io::Result<()> {
        for (k, &number) in numbers.iter().enumerate() {
            let class = || self.model.settings.reading.classes.iter().find(|class| class.code == number);
            if k > 0 {
                self.output.write_all(b" ")?;
            }
            match class().filter(|_| self.response == Response::Class) {
                Some(class) => self.output.write_all(one_line(&class.text, self.shown).as_bytes())?,
                None => self.output.write_all(self.digits.of(number).as_bytes())?,
            }
        }
        // An empty name is written only for a cell: a Vowpal Wabbit row with an empty name has no tag.
        if let Some(name) = name.filter(|name| !name.is_empty() || self.separator == "\t") {
            self.output.write_all(self.separator.as_bytes())?;
            self.output.write_all(one_line(&String::from_utf8_lossy(name), self.shown).as_bytes())?;
        }
        self.end()
    }

    /// Ends the output line, and flushes the output if `--flush` is `line`.
    fn end(&mut self) -> std::io::Result<()> {
        self.output.write_all(b"\n")?;
        if self.flush { self.output.flush() } else { Ok(()) }
    }
}

/// Prints the notes of the readers, the number of rows that were passed over and the features that did not occur in training.
pub(crate) fn tell(on_error: OnError, told: &Told, unseen: &UnseenSummary, console: &Console) {
    told.notes.iter().for_each(|note| console.note(note));
    if told.passed > 0 {
        let (rows, s) = (number::rows(told.passed), if told.passed == 1 { "" } else { "s" });
        let what = if on_error == OnError::Empty { "an empty line each" } else { "no line" };
        console.warn(&format!("{rows} at fault: {what}; the first message{s}:"));
        told.first.iter().for_each(|message| console.warn(message));
    }
    unseen.notes().iter().for_each(|note| console.note(note));
    unseen.warning().iter().for_each(|warning| console.warn(&warning.message));
    unseen.features().iter().for_each(|note| console.note(note));
}
