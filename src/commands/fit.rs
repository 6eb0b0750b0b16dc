//! `surefoot fit`: everything is checked before the first row, then a [`Session`] learns.

mod report;

use crate::{
    absent,
    certificate::with_full_pass,
    cli::FitArgs,
    columns::{self, Columns},
    console::Console,
    failure::Failure,
    measure::{Findings, Sample},
    memory, number,
    opening::Opening,
    page::{Page, Run},
    record::Record,
    reporter::Reporter,
    results::{self, Results},
    resume::Standing,
    rows,
    saver::Saver,
    session::{Halt, Session},
    shuffling::Shuffling,
    signals::Signals,
    skips::Skips,
    start::Start,
    watch::{Stop, Watch},
};
use std::{cell::RefCell, path::Path, time::Instant};
use surefoot_glm::{
    Caution, ClassWeights, Gathered, Missing, Model, Plan, Problem, Summary, Trainer,
    optimum::{Ended, Optimum},
};
use surefoot_io::{Accepts, InputName, Options, Output, SpooledShelf, check_inputs};

pub(crate) fn run(args: &FitArgs) -> Result<(), Failure> {
    let deadline = args.budget.and_then(|budget| Instant::now().checked_add(budget));
    let console = Console::new(args.talk.quiet, args.talk.json);
    if args.output == "-" && args.talk.json {
        return Err(Failure::usage("standard output cannot hold both the model and --json: give -o a file"));
    }
    let mut inputs = rows::inputs(&args.data)?;
    let test = rows::inputs(args.test.as_slice())?;
    let start = Start::new(args, &inputs)?;
    let saver = Saver::new(&args.output, args.snapshot)?;
    check_files(&inputs, &test, &saver)?;
    let report = args.report.as_deref().map(|name| report::open(name, args, &inputs, &test, &saver)).transpose()?;
    let signals = Signals::catch([&args.output].into_iter().chain(&args.report));
    let watch = Watch { signals, deadline };
    let record = report.is_some().then(Record::new);
    let times = u64::from(start.plan.passes) + u64::from(start.shuffle.is_some());
    let reporter = Reporter::new(console, args.talk.json, times, record);
    let mut fit = Fit { args, start, test, saver, report, watch, reporter };
    fit.prepare(&mut inputs).map_err(|halt| fit.nothing(halt))?;
    fit.learn(&inputs)
}

/// Tries all files, so that a wrong name costs no work.
fn check_files(inputs: &[InputName], test: &[InputName], saver: &Saver) -> Result<(), Failure> {
    let read: Vec<_> = inputs.iter().chain(test).cloned().collect();
    if read.iter().filter(|input| matches!(input, InputName::Stdin)).count() > 1 {
        return Err(Failure::usage("standard input can be read only once: name '-' once"));
    }
    check_inputs(&read)?;
    Ok(saver.check_distinct(&read)?)
}

/// A fit whose files are checked.
#[derive(Debug)]
struct Fit<'a> {
    args: &'a FitArgs,
    start: Start,
    test: Vec<InputName>,
    saver: Saver,
    report: Option<Output>,
    watch: Watch,
    reporter: Reporter,
}

impl Fit<'_> {
    /// Makes inputs readable as often as needed, checks the test rows, and says what will be done.
    fn prepare(&mut self, inputs: &mut [InputName]) -> Result<(), Halt> {
        // Shuffled rows are read once and kept.
        let means = self.start.model.is_none() && self.start.options.reading.table.missing == Missing::Mean;
        let again = means || self.start.plan.passes > 1 && self.start.shuffle.is_none();
        if again && inputs.iter().any(|input| matches!(input, InputName::Stdin)) {
            self.reporter.console.note("standard input is spooled to a temporary file, to be read several times");
            rows::spool_stdin(inputs, &self.watch)?;
        }
        if again && let Some(pipe) = inputs.iter().find(|input| !input.can_reread()) {
            let says = "a pipe cannot be read several times; give it as standard input (-), which is spooled";
            return Err(Failure::data(format!("{pipe}: {says}")).into());
        }
        if let Some(standing) = &self.start.standing {
            standing.check_inputs(inputs).map_err(Failure::data)?;
        }
        if self.test.iter().all(InputName::can_reread) {
            self.check_test(inputs)?;
        }
        if means {
            self.reporter
                .console
                .note("all rows are read once more, before they are learnt, for the means of the columns");
            self.start.options.reading.table.means = self.sample(inputs).means()?;
        }
        self.introduce();
        Ok(())
    }

    /// Checks the test rows before any is learnt, read as the model will read them: by what DATA begin with.
    fn check_test(&self, inputs: &[InputName]) -> Result<(), Halt> {
        let sample = self.sample(&self.test);
        // What is in the test rows must not decide how those to be learnt are read.
        let options = sample.options.apart();
        if inputs.iter().all(InputName::can_reread) {
            Sample { options: options.clone(), ..self.sample(inputs) }.begin()?;
        } else if options.wanted.label.is_some() {
            // Of a table in a pipe nothing is known yet.
            return Ok(());
        }
        Sample { options, ..sample }.check(self.start.settings.loss, &self.start.labels())
    }

    fn introduce(&mut self) {
        let (console, settings) = (&self.reporter.console, &self.start.settings);
        if let (Some(path), Some(model)) = (&self.args.resume, &self.start.model) {
            let (name, rows) = (Path::new(path).display(), model.summary.rows);
            console.note(&match &self.start.standing {
                Some(standing) if standing.is_over() => {
                    let left = if standing.plan.optimum.is_some() {
                        "the optimum is still sought"
                    } else {
                        "its certificate is left"
                    };
                    format!("{name} is unfinished: all rows are learnt up to row {rows}, {left}")
                }
                Some(standing) => format!(
                    "{name} is unfinished: going on in pass {} of {} after row {rows}",
                    standing.pass, standing.plan.passes
                ),
                None => format!("{name} is finished after row {rows}: DATA are taken as new rows"),
            });
        }
        self.reporter.opening = Some(Opening {
            task: results::task(settings.loss),
            goes: self.saver.name().to_owned(),
            is_given: self.args.reading.format.is_some(),
            order: self.start.shuffle.map_or_else(String::new, |seed| format!("; rows shuffled, seed {seed}")),
            plan: self.start.plan,
        });
    }

    fn sample<'s>(&'s self, inputs: &'s [InputName]) -> Sample<'s> {
        // Flags are about DATA.
        let options = Options { accepts: Accepts::default(), ..self.start.options.clone() };
        Sample { inputs, options, watch: &self.watch, skips: RefCell::default() }
    }

    fn trainer(&self) -> Result<Trainer, Failure> {
        let shelf = Box::<SpooledShelf>::default();
        let Some(model) = &self.start.model else {
            return Ok(Trainer::with_shelf(self.start.settings.clone(), self.start.plan, shelf));
        };
        let name = Path::new(self.args.resume.as_deref().unwrap_or_default()).display();
        Trainer::resume(model, self.start.plan, shelf)
            .map_err(|says| Failure::data(format!("{name}: cannot be trained further: {says}")))
    }

    fn learn(&mut self, inputs: &[InputName]) -> Result<(), Failure> {
        let first = self.start.model.as_ref().map_or(0, |model| model.summary.rows);
        let mut trainer = self.trainer()?;
        if self.start.model.is_none() && self.start.options.wanted.trials.is_some() {
            trainer.take_labels_for_shares();
        }
        if self.report.is_some() {
            trainer.measure_fresh_rows();
        }
        self.reporter.stage("checking files");
        let standing = self.start.standing.clone().unwrap_or_else(|| {
            let Start { plan, shuffle, .. } = self.start;
            Standing::new(inputs, plan, shuffle)
        });
        let refused = standing.refused.len() as u64;
        let (shuffle, optimum) = (self.start.shuffle, self.start.plan.optimum);
        // Where rows are kept twice, each time in half of it.
        let memory = memory::for_rows() >> u32::from(shuffle.is_some() && optimum.is_some());
        let mut session = Session {
            inputs,
            options: self.start.options.clone(),
            threads: self.args.threads,
            trainer,
            standing,
            rows: first,
            first,
            watch: self.watch.clone(),
            until: self.args.certify.until_gap,
            full: None,
            gathered: optimum.map(|_| Gathered::with_memory(memory)),
            shuffling: shuffle.map(|seed| Shuffling::new(seed, memory)),
            optimum: None,
            skips: Skips::new(self.args.skip_bad_rows, refused),
            reread: false,
            absent_said: false,
            saver: &mut self.saver,
            reporter: &mut self.reporter,
        };
        let outcome = session.run();
        session.reporter.end();
        let stop = match outcome {
            Ok(()) => None,
            Err(Halt::Stop(stop)) => Some(stop),
            Err(Halt::Failure(failure)) => return Err(self.saver.explain(failure)),
        };
        let finished = stop.is_none_or(Stop::finishes);
        if let Some(stop) = stop
            && !finished
            && !session.has_learnt()
        {
            return Err(self.nothing(Halt::Stop(stop)));
        }
        let mut model = if finished { session.model() } else { session.unfinished() };
        let Session { mut trainer, rows, standing, skips, full, optimum, .. } = session;
        let (full, objective) = full.filter(|_| finished).unzip();
        if let Some(full) = full {
            let rows = model.summary.rows;
            model.certificates = with_full_pass(full, objective.flatten(), model.certificates, &model.settings, rows);
        }
        if stop.is_none() {
            check_whole(inputs, &standing, &trainer, self.start.model.is_some())?;
            absent::check(&self.start.options, &model, &rows::names(inputs))?;
        }
        self.reporter.close_record(&mut trainer);
        self.saver.save(&model, rows).map_err(|failure| self.saver.explain(failure))?;
        self.reporter.stage("saving");
        let caution = optimum.as_ref().and_then(|(problem, found)| problem.caution(found));
        let far = optimum.as_ref().and_then(|(problem, found)| far_column(problem, found, &model));
        let found = optimum.map(|(_, found)| found);
        let objective = found.as_ref().map(|found| found.objective).or(objective.flatten());
        let end = End { model, trainer, plan: standing.plan, skips, objective, found, far, caution, stop, first };
        self.conclude(end, inputs)
    }

    /// Measures, reports, and ends as the run did. The model is saved.
    fn conclude(&mut self, end: End, inputs: &[InputName]) -> Result<(), Failure> {
        let End { model, mut trainer, plan, skips, objective, found, far, caution, stop, first } = end;
        let mut summary = trainer.summary();
        summary.passes += found.as_ref().map_or(0, |found| found.passes.ceil() as u32);
        let name = self.saver.name().to_owned();
        let saved = |failure: Failure| failure.and(format!("{name} is saved"));
        let test = if matches!(stop, Some(Stop::Signal(_))) { None } else { self.measure(&model).map_err(saved)? };
        self.reporter.stage("measuring");
        let (mut picture, mut unseen) = (None, None);
        let test = test.map(|found| {
            (picture, unseen) = (Some(found.picture), Some(found.unseen));
            found.measured
        });
        let report = self.report.as_ref().map(|output| output.name().to_owned());
        let taken = Columns::of(&model);
        let suspicious = |taken| columns::warnings(taken, &trainer, &model, &self.start.options.found);
        let columns = taken.as_ref().map(suspicious).unwrap_or_default();
        let results = Results {
            summary: &summary,
            model: Some((&model, &name)),
            test: test.as_ref(),
            unseen: unseen.as_ref(),
            report: report.as_deref(),
            found: &self.start.options.found,
            skipped: skips.count(),
            objective,
            seconds: self.reporter.seconds(),
            ended: found.as_ref().map(|found| found.ended),
            far,
            columns,
            taken,
            caution,
            stop,
            shuffle: self.start.shuffle,
            loses: trainer.loses_to_constant(&model),
            single: trainer.single_label(),
            // The lanes do not matter to what a search finds.
            edge: if found.is_some() { 0 } else { trainer.edge() },
        };
        if let (Some(output), Some(record)) = (&mut self.report, &self.reporter.record) {
            let (bytes, ended) = (self.reporter.bytes(), report::ended(stop));
            let quality = report::quality(&results, picture, &mut trainer, plan);
            let shuffle = self.start.shuffle;
            let run = Some(Run { record, results: &results, plan, shuffle, inputs, first, bytes, ended });
            let page = Page { title: rows::names(inputs), model: &model, quality, run };
            page.write(output).map_err(saved)?;
        }
        results.tell(&self.reporter.console);
        skips.tell(&self.reporter.console);
        for label in weighted_in_vain(&model) {
            self.reporter.console.note(&format!("--class-weight: no row has the label '{label}'"));
        }
        if stop.is_none() {
            let absent = absent::warnings(&self.start.options, summary.rows - first);
            grouped_in_vain(&model).into_iter().chain(absent).for_each(|says| self.reporter.console.warn(&says));
        }
        self.reporter.events.emit(&results.event());
        let rows = summary.rows;
        let resume = format!("{name} is saved after row {rows}; the same DATA with --resume {name} go on from there");
        match stop {
            Some(Stop::Signal(signal)) => Err(Failure::signalled(signal, format!("{}: {resume}", signal.name()))),
            Some(Stop::Budget) => {
                self.reporter.console.note(&format!("the budget is used up: {resume}"));
                self.reporter.events.close()
            }
            Some(Stop::Gap) => {
                let gap = number::shortest(self.args.certify.until_gap.unwrap_or_default());
                self.reporter.console.note(&format!(
                    "no model is better by more than --until-gap {gap}: stopped after row {rows}; {name} is saved"
                ));
                self.reporter.events.close()
            }
            None => self.reporter.events.close(),
        }
    }

    /// Measures the saved model on the test rows, if there are any; only a signal ends that early.
    fn measure(&self, model: &Model) -> Result<Option<Findings>, Failure> {
        if self.test.is_empty() {
            return Ok(None);
        }
        let watch = Watch { deadline: None, ..self.watch.clone() };
        match (Sample { watch: &watch, ..self.sample(&self.test) }).measure(model) {
            Ok(found) => Ok(Some(found)),
            Err(Halt::Failure(failure)) => Err(failure),
            Err(Halt::Stop(Stop::Signal(signal))) => Err(Failure::signalled(signal, signal.name())),
            Err(Halt::Stop(Stop::Budget | Stop::Gap)) => Ok(None),
        }
    }

    /// The end of a run that has learnt nothing.
    fn nothing(&mut self, halt: Halt) -> Failure {
        let stop = match halt {
            Halt::Failure(failure) => return failure,
            Halt::Stop(stop) => stop,
        };
        let summary = self.start.model.as_ref().map_or_else(Summary::default, |model| model.summary.clone());
        let seconds = self.reporter.seconds();
        let results = Results {
            summary: &summary,
            model: None,
            test: None,
            unseen: None,
            report: None,
            found: &self.start.options.found,
            skipped: 0,
            objective: None,
            seconds,
            ended: None,
            far: None,
            columns: Vec::new(),
            taken: None,
            caution: None,
            stop: None,
            shuffle: self.start.shuffle,
            loses: None,
            single: None,
            edge: 0,
        };
        self.reporter.events.emit(&results.event());
        let says = "before a row was learnt: nothing is written";
        match stop {
            Stop::Signal(signal) => Failure::signalled(signal, format!("{} {says}", signal.name())),
            Stop::Budget | Stop::Gap => Failure { status: 0, message: format!("the budget was used up {says}") },
        }
    }
}

/// What a run has come to when its model is saved.
#[derive(Debug)]
struct End {
    model: Model,
    trainer: Trainer,
    plan: Plan,
    skips: Skips,
    /// The objective of the model over all rows, where it is known.
    objective: Option<f64>,
    found: Option<Optimum>,
    far: Option<(String, f64)>,
    caution: Option<Caution>,
    stop: Option<Stop>,
    /// Rows before this call.
    first: u64,
}

/// Beyond this many spreads a mean takes digits that a search may need.
const FAR: f64 = 1e3;

/// The column that may be why a search has stalled, and its mean in spreads.
fn far_column(problem: &Problem, found: &Optimum, model: &Model) -> Option<(String, f64)> {
    if !matches!(found.ended, Ended::Stalled | Ended::Exhausted) {
        return None;
    }
    let (at, ratio) = problem.farthest_column().filter(|(_, ratio)| *ratio >= FAR)?;
    let id = *model.index.get(at)?;
    Some((model.names.of(id).map_or_else(|| id.to_string(), str::to_owned), ratio))
}

/// What is said of groups that no feature is in.
fn grouped_in_vain(model: &Model) -> Vec<String> {
    let (factors, bounds) = model.unused_groups();
    let flags = factors.into_iter().map(|name| ("--penalty-factor", name));
    let flags = flags.chain(bounds.into_iter().map(|name| ("--bounds", name)));
    let says = |(flag, name)| {
        format!(
            "{flag} {name}: no feature is in a namespace, column or range of indices that is called so, or flags behind it \
             overrule it; surefoot export lists the features"
        )
    };
    flags.map(says).collect()
}

/// Labels that were given a weight and never came.
fn weighted_in_vain(model: &Model) -> Vec<&str> {
    let Some(ClassWeights::Given(pairs)) = &model.settings.class_weights else { return Vec::new() };
    let (met, texts) = (model.labels.all(), &model.settings.reading.classes);
    let is_met = |text: &str| match texts.iter().find(|class| class.text == text) {
        Some(class) => met.contains(&class.code),
        None => texts.is_empty() && text.parse().is_ok_and(|label: f64| met.contains(&label)),
    };
    pairs.iter().map(|(text, _)| text.as_str()).filter(|text| !is_met(text)).collect()
}

/// What only the end of the data can tell: whether there was anything to learn from.
fn check_whole(inputs: &[InputName], standing: &Standing, trainer: &Trainer, resumed: bool) -> Result<(), Failure> {
    if standing.whole.as_ref().is_none_or(|whole| whole.rows == 0) {
        return Err(rows::absent(inputs));
    }
    let summary = trainer.summary();
    if !resumed && summary.rows == summary.rows_zero_weight {
        let names = rows::names(inputs);
        return Err(Failure::data(format!("{names}: the total weight is zero: there is nothing to learn from")));
    }
    Ok(())
}
