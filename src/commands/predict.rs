//! `surefoot predict`: one line a row, in order.

use crate::{
    cli::{Flush, Kind, PredictArgs},
    console::Console,
    failure::Failure,
    number::Shortest,
    reading,
    rows::{self, Next, Rows},
    settings,
    signals::Signals,
};
use std::{collections::HashSet, io::Write, path::Path};
use surefoot_glm::{Batch, Model, Predictor, Row};
use surefoot_io::{Error, InputName, Options, Output, load_model};

/// Unseen features that are told apart at most, so that memory stays bounded.
const UNSEEN: usize = 1_000_000;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let name = path.display().to_string();
    let model = load_model(path)?;
    settings::check(&args.settings, &model.settings, &name)?;
    let kind = kind(args, &model, &name)?;
    let options = reading::of_model(&args.reading, &model, &name)?;
    let inputs = rows::inputs(&args.data)?;
    let output = Output::create(&args.output)?;
    output.check_distinct(&inputs)?;
    output.check_distinct(&[InputName::Path(path.to_owned())])?;
    Signals::end_at_once(&args.output);
    let flush = args.flush == Some(Flush::Line);
    // Only an svmlight row would be read in another way.
    let unlabelled = args.unlabelled || options.format.is_none_or(|format| format.name != "svmlight");
    let options = Options { unlabelled, ..options };
    let predictor = Predictor::new(&model);
    let mut work = Work { model, predictor, kind, flush, output, digits: Shortest::default(), unseen: HashSet::new() };
    let found = options.found.clone();
    match work.run(&inputs, &options) {
        // Nobody reads on: nothing is left to do, or to say.
        Err(Trouble::Write(error)) if error.is_broken_pipe() => Ok(()),
        Err(Trouble::Write(error) | Trouble::Read(error)) => Err(error.into()),
        Ok(0) => Err(rows::absent(&inputs)),
        Ok(_) => {
            work.tell(&found.notes());
            Ok(())
        }
    }
}

fn kind(args: &PredictArgs, model: &Model, name: &str) -> Result<Kind, Failure> {
    let loss = model.settings.loss;
    let (classes, probable, loss) = (loss.classifies(), loss.knows_probabilities(), loss.name());
    match args.kind {
        None if probable => Ok(Kind::Probability),
        None => Ok(if classes { Kind::Margin } else { Kind::Mean }),
        Some(kind @ (Kind::Probability | Kind::Mean)) if classes && !probable => {
            let kind = if kind == Kind::Mean { "mean" } else { "probability" };
            Err(Failure::usage(format!(
                "{name}: --type {kind} needs probabilities, which --loss {loss} does not know: use margin or class"
            )))
        }
        Some(kind @ (Kind::Probability | Kind::Class)) if !classes => {
            let kind = if kind == Kind::Class { "class" } else { "probability" };
            Err(Failure::usage(format!("{name}: --type {kind} needs classes, the model has --loss {loss}: use mean")))
        }
        Some(kind) => Ok(kind),
    }
}

/// A label in one line, whatever is in it.
fn one_line(label: &str) -> String {
    label.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// On which side something went wrong.
enum Trouble {
    Read(Error),
    Write(Error),
}

struct Work {
    model: Model,
    predictor: Predictor,
    kind: Kind,
    flush: bool,
    output: Output,
    digits: Shortest,
    unseen: HashSet<u64>,
}

impl Work {
    /// Predicts all rows and returns their number.
    fn run(&mut self, inputs: &[InputName], options: &Options) -> Result<u64, Trouble> {
        let mut rows = Rows::open(inputs, options.clone(), 2).map_err(Trouble::Read)?;
        let (mut batch, mut count) = (Batch::default(), 0);
        loop {
            match rows.next(&mut batch).map_err(Trouble::Read)? {
                Next::End => break,
                Next::Waiting => continue,
                Next::Rows => {}
            }
            for r in 0..batch.len() {
                let prediction = self.predict(&batch.row(r)).map_err(|fault| {
                    Trouble::Read(options.describe(inputs, &batch, r, fault.part).error(fault.message))
                })?;
                self.write(prediction).map_err(|error| Trouble::Write(self.output.error(error)))?;
            }
            count += batch.len() as u64;
        }
        if count > 0 {
            self.output.commit().map_err(Trouble::Write)?;
        }
        Ok(count)
    }

    fn predict(&mut self, row: &Row<'_>) -> Result<f64, surefoot_glm::Fault> {
        let scored = self.predictor.score(row)?;
        if scored.unseen > 0 && self.unseen.len() < UNSEEN {
            self.unseen.extend(row.index.iter().filter(|&&id| !self.predictor.knows(id)));
        }
        Ok(match self.kind {
            Kind::Margin => scored.margin,
            Kind::Probability | Kind::Mean => self.model.settings.loss.mean(scored.margin),
            Kind::Class => self.class(scored.margin),
        })
    }

    /// The label of the likelier class; with one label seen, that one.
    fn class(&self, margin: f64) -> f64 {
        let labels = self.model.labels;
        let (likely, other) = match margin > 0.0 {
            true => (labels.positive, labels.negative),
            false => (labels.negative, labels.positive),
        };
        likely.or(other).unwrap_or(f64::NAN)
    }

    fn write(&mut self, prediction: f64) -> std::io::Result<()> {
        let class = || self.model.settings.reading.classes.iter().find(|class| class.code == prediction);
        match class().filter(|_| self.kind == Kind::Class) {
            Some(class) => self.output.write_all(one_line(&class.text).as_bytes())?,
            None => self.output.write_all(self.digits.of(prediction).as_bytes())?,
        }
        self.output.write_all(b"\n")?;
        if self.flush { self.output.flush() } else { Ok(()) }
    }

    /// Says what the readers noticed, and how many features were never seen in training.
    fn tell(&self, notes: &[String]) {
        let console = Console::new(false, false);
        notes.iter().for_each(|note| console.note(note));
        let (unseen, more) = (self.unseen.len(), if self.unseen.len() >= UNSEEN { "at least " } else { "" });
        if unseen > 0 {
            let s = if unseen == 1 { "" } else { "s" };
            let says = format!("{more}{unseen} feature{s} of these rows never seen in training: taken as 0");
            console.note(&says);
        }
    }
}
