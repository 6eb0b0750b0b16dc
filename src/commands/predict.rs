//! `surefoot predict`: writes one prediction per row, in the order of the rows.

use crate::{
    failure::Failure,
    flags::{
        cli::{Flush, Kind, OnError, PredictArgs},
        inputs, reading, settings,
    },
    process::signals::Signals,
    terminal::{
        console::Console,
        unseen::{Unseen, UnseenSummary},
    },
    words::{
        contradictions,
        number::{self, Shortest},
    },
};
use std::{
    io::{IsTerminal, Write},
    path::Path,
};
use surefoot_fit::{
    Contradiction, Data, FitError, Interrupt, PredictedRow, Prediction, Response, StopConditions, Unpredicted,
};
use surefoot_glm::{Loss, Model};
use surefoot_io::{Error, InputName, Options, Output, load_model, printable};

/// Greatest number of skipped rows whose error messages are printed at the end.
const SHOWN: usize = 3;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let name = path.display().to_string();
    let model = load_model(path)?;
    settings::check(&args.settings, &model.settings, &name)?;
    let unsupported = |found: Contradiction| Failure::usage(format!("{name}: {}", contradictions::words(&found)));
    let response = response(args.kind, model.settings.loss).map_err(unsupported)?;
    let mut prediction = Prediction::new(&model, response).map_err(unsupported)?;
    args.given.check_loss(model.settings.loss)?;
    let mut options = reading::of_model(&args.reading, &model, &name)?;
    let data = inputs::data(&args.data)?;
    args.given.check_data(&mut options, data.inputs())?;
    options.wanted.without = reading::without(args.rates, false, &model, &name)?;
    options.wanted.id.clone_from(&args.id);
    options.wanted.tags = true;
    // Installed before a file exists that a signal could leave behind.
    Signals::end_at_once(&args.output);
    let output = Output::create(&args.output)?;
    output.check_distinct(data.inputs())?;
    output.check_distinct(&[InputName::Path(path.to_owned())])?;
    let flush = args.flush == Some(Flush::Line);
    options.unlabelled = args.unlabelled;
    let (digits, passed) = Default::default();
    let (on_error, separator) = (args.on_error, if args.id.is_some() { "\t" } else { " " });
    let shown = args.output == "-" && std::io::stdout().is_terminal();
    let mut work = Work { model: &model, response, flush, on_error, separator, shown, output, digits, passed };
    let found = options.found.clone();
    let mut unseen = Unseen::new(&model, &found);
    match work.run(&mut prediction, &data, &options, &mut unseen) {
        // The reader of the pipe has gone away: nothing is left to do or to report.
        Err(PredictError::Write(error)) if error.is_broken_pipe() => Ok(()),
        Err(PredictError::Write(error) | PredictError::Read(error)) => Err(error.into()),
        Err(PredictError::Fit(error)) => Err(error.into()),
        Ok(0) => Err(Failure::data(format!("{data}: there are no rows"))),
        Ok(_) | Err(PredictError::Stopped) => {
            work.tell(&found.notes(), &unseen.summary(&found), args.quiet);
            Ok(())
        }
    }
}

/// Returns the response that `--type` names, or the default of the loss.
fn response(kind: Option<Kind>, loss: Loss) -> Result<Response, Contradiction> {
    match kind {
        None => Ok(Response::of(loss)),
        Some(Kind::Margin) => Ok(Response::Margin),
        Some(Kind::Probability) if !loss.classifies() => Err(Contradiction::ClassNeedsClasses(loss)),
        Some(Kind::Probability | Kind::Mean) => Ok(Response::Mean),
        Some(Kind::Class) => Ok(Response::Class),
    }
}

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
enum PredictError {
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

struct Work<'a> {
    model: &'a Model,
    response: Response,
    flush: bool,
    on_error: OnError,
    /// Text between the prediction and the name of a row in an output line.
    separator: &'static str,
    /// Whether the output is a terminal.
    shown: bool,
    output: Output,
    digits: Shortest,
    passed: SkippedRows,
}

/// Number of rows skipped because they had no prediction, and the error messages of the first [`SHOWN`] of them.
#[derive(Debug, Default)]
struct SkippedRows {
    count: u64,
    first: Vec<String>,
}

impl Work<'_> {
    /// Predicts all rows, writes one output line for each, and returns the number of rows.
    fn run(
        &mut self,
        prediction: &mut Prediction<'_>,
        data: &Data,
        options: &Options,
        unseen: &mut Unseen<'_>,
    ) -> Result<u64, PredictError> {
        let each = |found: Result<PredictedRow<'_>, Unpredicted>| match found {
            Ok(found) => {
                unseen.add(&found.row, found.unseen, |id| found.predictor.knows(id), &options.found);
                self.write(found.numbers, found.name).map_err(|error| self.trouble(error))
            }
            Err(reason) => self.pass_over(with_remedy(reason)),
        };
        let count = prediction.each(data, options, &StopConditions::default(), each)?;
        if count > 0 {
            self.output.commit().map_err(PredictError::Write)?;
        }
        Ok(count)
    }

    /// Skips a row that cannot be read or predicted, or returns its error if `--on-error` is `stop`.
    fn pass_over(&mut self, error: Error) -> Result<(), PredictError> {
        if self.on_error == OnError::Stop {
            return Err(PredictError::Read(error));
        }
        self.passed.count += 1;
        if self.passed.first.len() < SHOWN {
            self.passed.first.push(error.to_string());
        }
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

    /// Prints the notes of the readers, the number of skipped rows and the features that did not occur in training.
    fn tell(&self, notes: &[String], told: &UnseenSummary, quiet: bool) {
        let console = Console::new(quiet, false);
        notes.iter().for_each(|note| console.note(note));
        if self.passed.count > 0 {
            let (rows, s) = (number::rows(self.passed.count), if self.passed.count == 1 { "" } else { "s" });
            let what = if self.on_error == OnError::Empty { "an empty line each" } else { "no line" };
            console.warn(&format!("{rows} at fault: {what}; the first message{s}:"));
            self.passed.first.iter().for_each(|says| console.warn(says));
        }
        told.notes().iter().for_each(|note| console.note(note));
        told.warning().iter().for_each(|warning| console.warn(&warning.message));
        told.features().iter().for_each(|note| console.note(note));
    }
}
