//! The driver of a fit: reads rows, hands them to the trainer in slices, and between slices reports, saves and
//! looks at the clock.
//!
//! Slices end where something is due at an exact row (a line of the table, a snapshot), and are short enough
//! that a signal is answered within milliseconds. How rows are cut into slices does not show in the model.

use crate::{
    absent,
    certificate::excess,
    failure::Failure,
    reading,
    reporter::Reporter,
    resume::{Standing, Trail},
    rows::{Next, Rows},
    saver::Saver,
    shuffling::Shuffling,
    skips::Skips,
    watch::{Stop, Watch},
};
use std::sync::atomic::{AtomicBool, Ordering};
use surefoot_glm::{
    Batch, Certificate, Fault, FullPass, Gathered, Model, Problem, Trainer,
    optimum::{Ended, Optimum},
};
use surefoot_io::{Error, InputName, Options};

/// Most rows in a slice.
const SLICE_ROWS: usize = 64;
/// Most pairs in a slice, unless one row alone has more.
const SLICE_PAIRS: usize = 8 << 10;

/// Why a run does not go on.
#[derive(Debug)]
pub(crate) enum Halt {
    Stop(Stop),
    Failure(Failure),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Failure(failure)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Failure(error.into())
    }
}

/// One call of `fit` between its checks and its results.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) inputs: &'a [InputName],
    pub(crate) options: Options,
    pub(crate) threads: u16,
    pub(crate) trainer: Trainer,
    pub(crate) standing: Standing,
    /// Rows counted by the trainer, those before a resume included.
    pub(crate) rows: u64,
    /// What `rows` was when this call began.
    pub(crate) first: u64,
    pub(crate) watch: Watch,
    /// The run is over once no model is better by more than this.
    pub(crate) until: Option<f64>,
    /// What a pass over all rows says of the model, and its mean loss over them; since the last row that was learnt.
    pub(crate) full: Option<(Certificate, Option<f64>)>,
    /// The rows so far, where the optimum over all of them will be sought,
    pub(crate) gathered: Option<Gathered>,
    /// and what was found.
    pub(crate) optimum: Option<(Problem, Optimum)>,
    /// The rows, where they are shuffled.
    pub(crate) shuffling: Option<Shuffling>,
    pub(crate) skips: Skips,
    /// Whether all rows were read before, by this call.
    pub(crate) reread: bool,
    /// Whether it was said which names that a user gave no row has.
    pub(crate) absent_said: bool,
    pub(crate) saver: &'a mut Saver,
    pub(crate) reporter: &'a mut Reporter,
}

impl Session<'_> {
    /// Runs all passes that are left.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        self.reread()?;
        loop {
            if self.standing.is_between_passes() && (self.until.is_some() || self.standing.is_over()) {
                self.certify()?;
            }
            if self.standing.is_over() {
                return self.search();
            }
            self.full = None;
            self.pass()?;
            self.trainer.end_pass().map_err(|error| shelf_failure(&error))?;
            self.standing.end_pass().map_err(|input| self.changed(input))?;
        }
    }

    /// Reads all rows once more for the certificate of a model in a ball, where they can be read; ends the run if it is as
    /// good as was asked for.
    fn certify(&mut self) -> Result<(), Halt> {
        let Some(whole) = self.standing.whole.clone() else { return Ok(()) };
        // Before a model is made, which takes a while.
        let again = self.shuffling.is_some() || self.inputs.iter().all(InputName::can_reread);
        if self.trainer.settings().ball.is_none() || !again {
            return Ok(());
        }
        let Some(mut full) = FullPass::new(&self.model()) else { return Ok(()) };
        self.reporter.stage("learning");
        self.reporter.console.say("certificate: reading all rows once more");
        let (mut rows, mut batch, mut trail) = (self.open(self.standing.pass - 1)?, Batch::default(), Trail::default());
        while self.next(&mut rows, &mut batch)? {
            let mut from = 0;
            while let Err((row, fault)) = full.add(&batch, from, batch.len()) {
                self.pass_over(&batch, row, &fault, false)?;
                from = row + 1;
            }
            trail.advance(&batch, 0, batch.len());
        }
        self.reporter.end_pass(&rows);
        if self.shuffling.is_none() {
            trail.check(&whole).map_err(|input| self.changed(input))?;
        }
        let (certificate, objective) = full.certificate();
        let certificates = std::slice::from_ref(&certificate);
        let reached = self.is_reached(certificates);
        self.reporter.certified(certificates, objective, &self.trainer);
        self.reporter.stage("certificate");
        self.full = Some((certificate, objective));
        if reached { Err(Stop::Gap.into()) } else { Ok(()) }
    }

    /// Seeks the optimum over all rows, if that was asked for. The file of the model is never much older than the best
    /// one so far.
    fn search(&mut self) -> Result<(), Halt> {
        let (Some(gathered), Some(tolerance)) = (self.gathered.take(), self.standing.plan.optimum) else {
            return Ok(());
        };
        self.shuffling.iter_mut().for_each(Shuffling::release);
        let start = self.model();
        let mut problem = gathered.problem(&start);
        let (watch, until, threads) = (self.watch.clone(), self.until, self.threads.into());
        let (mut failure, over) = (None, AtomicBool::new(false));
        let stop = || over.load(Ordering::Relaxed) || watch.check().is_err();
        if problem.path().is_some() {
            self.reporter.path_head();
            let select = self.standing.plan.select;
            problem.choose(select, threads, &stop, &mut |step| self.reporter.path_step(step));
        }
        self.reporter.search_head(problem.settings(), tolerance);
        let found = problem.search(tolerance, threads, &stop, &mut |found| {
            self.reporter.iteration(found, self.rows);
            failure = self.keep(&problem, found).err();
            let reached = until.is_some_and(|until| found.gap.is_some_and(|gap| gap <= until));
            over.store(failure.is_some() || reached, Ordering::Relaxed);
        });
        let Some(found) = found else { return Ok(()) };
        let stopped = found.ended == Ended::Stopped;
        if found.objective.is_finite() {
            self.optimum = Some((problem, found));
        } else if !stopped {
            let says = "losses are too large to be added up: there is no optimum to be found; the model of the first pass is saved";
            self.reporter.console.warn(says);
        }
        match failure {
            Some(failure) => Err(failure.into()),
            None if stopped && over.into_inner() => Err(Stop::Gap.into()),
            None if stopped => Ok(self.watch.check()?),
            None => Ok(()),
        }
    }

    /// Saves the best model of a search so far, if the one in the file is old.
    fn keep(&mut self, problem: &Problem, found: &Optimum) -> Result<(), Failure> {
        if !self.saver.is_stale() {
            return Ok(());
        }
        let mut model = self.unfinished();
        problem.place(found, &mut model);
        self.saver.save(&model, self.rows)
    }

    /// Whether certificates are as good as was asked for.
    fn is_reached(&self, certificates: &[Certificate]) -> bool {
        self.until.is_some_and(|gap| excess(certificates).is_some_and(|excess| excess <= gap))
    }

    /// The model as of now, with what is needed to go on later.
    pub(crate) fn unfinished(&self) -> Model {
        self.with_findings(self.trainer.pause(self.standing.to_value()))
    }

    /// The model as of now, of a run that is over.
    pub(crate) fn model(&self) -> Model {
        self.with_findings(self.trainer.model())
    }

    /// The model with what the readers and the search found out.
    fn with_findings(&self, mut model: Model) -> Model {
        if let Some((problem, found)) = &self.optimum {
            problem.place(found, &mut model);
        }
        model.settings.reading = self.options.reading();
        // Texts of rows that were refused are no classes. Those of rows that were read and not learnt yet keep their numbers.
        if model.unfinished.is_none() || self.shuffling.is_none() {
            model.settings.reading.classes.retain(|class| model.labels.code(class.code).is_some());
        }
        model.names = self.options.found.names(&model.index);
        model
    }

    /// Whether this call has learnt anything that is worth saving.
    pub(crate) fn has_learnt(&self) -> bool {
        self.rows > self.first || self.optimum.is_some()
    }

    /// Resumed in a later pass: reads the whole data once, to know them again and for rows that have to be kept, in the order of
    /// the first pass.
    fn reread(&mut self) -> Result<(), Halt> {
        let Some(whole) = self.standing.whole.clone().filter(|_| self.standing.pass > 1) else { return Ok(()) };
        // Shuffled rows are all read before the first is learnt in any case.
        if self.shuffling.is_some() && !self.keeps_rows() {
            return Ok(());
        }
        let (mut rows, mut batch, mut trail) = (self.open(1)?, Batch::default(), Trail::default());
        while self.next(&mut rows, &mut batch)? {
            self.shelve(&batch, batch.len(), trail.rows)?;
            trail.advance(&batch, 0, batch.len());
        }
        self.reporter.end_pass(&rows);
        self.reread = true;
        if self.shuffling.is_some() {
            return Ok(());
        }
        trail.check(&whole).map_err(|input| self.changed(input).into())
    }

    /// One time over the data. Right after a resume, the first rows are only compared with those learnt then.
    fn pass(&mut self) -> Result<(), Halt> {
        let (mut rows, mut batch) = (self.open(self.standing.pass)?, Batch::default());
        let earlier = std::mem::take(&mut self.standing.trail);
        while self.next(&mut rows, &mut batch)? {
            let left = earlier.rows.saturating_sub(self.standing.trail.rows);
            let known = usize::try_from(left).map_or(batch.len(), |left| left.min(batch.len()));
            if known > 0 {
                self.recognise(&batch, known, &earlier)?;
            }
            self.learn(&batch, known, &rows)?;
        }
        self.reporter.end_pass(&rows);
        if self.standing.trail.rows < earlier.rows {
            let input = self.standing.trail.check(&earlier).err().unwrap_or_default();
            return Err(self.changed(input).into());
        }
        self.reread = true;
        Ok(())
    }

    /// Walks over the first `known` rows of a batch, which were learnt before the interruption.
    fn recognise(&mut self, batch: &Batch, known: usize, earlier: &Trail) -> Result<(), Halt> {
        if self.standing.pass == 1 {
            self.shelve(batch, known, self.standing.trail.rows)?;
        }
        self.standing.advance(batch, 0, known);
        if self.standing.trail.rows == earlier.rows {
            self.standing.trail.check(earlier).map_err(|input| self.changed(input))?;
        }
        Ok(())
    }

    /// Whether rows are kept for later: those that are held out, or all.
    fn keeps_rows(&self) -> bool {
        self.standing.plan.period().is_some() || self.gathered.is_some()
    }

    /// Of the first `rows` of a batch, before which the pass has `before`: puts those held out on the shelf again, and gathers
    /// all where the optimum will be sought.
    fn shelve(&mut self, batch: &Batch, rows: usize, before: u64) -> Result<(), Failure> {
        if !self.keeps_rows() {
            return Ok(());
        }
        self.name_classes();
        let end = before + rows as u64;
        let refused = self.standing.refused.iter().filter(|&&row| (before..end).contains(&row));
        let ends: Vec<usize> = refused.map(|row| (row - before) as usize).chain([rows]).collect();
        let mut from = 0;
        for to in ends {
            self.trainer.reshelve(batch, from, to).map_err(|error| shelf_failure(&error))?;
            self.gather(batch, from, to)?;
            from = to + 1;
        }
        Ok(())
    }

    /// Keeps rows that were learnt, where the optimum over all of them will be sought.
    fn gather(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), Failure> {
        let Some(gathered) = &mut self.gathered else { return Ok(()) };
        gathered.add(batch, from, to).map_err(|(row, fault)| self.locate(batch, row, &fault))
    }

    /// Tells the trainer of labels that are text.
    fn name_classes(&mut self) {
        if self.options.found.has_text_labels() {
            self.trainer.take_texts_for_classes(|| self.options.found.classes());
        }
    }

    fn learn(&mut self, batch: &Batch, mut from: usize, rows: &Rows) -> Result<(), Halt> {
        while from < batch.len() {
            let to = self.cut(batch, from);
            self.name_classes();
            let learnt = self.trainer.learn(batch, from, to);
            let until = learnt.as_ref().map_or_else(|(row, _)| *row, |()| to);
            self.gather(batch, from, until)?;
            self.standing.advance(batch, from, until);
            self.rows += (until - from) as u64;
            from = until;
            if let Err((row, fault)) = learnt {
                self.pass_over(batch, row, &fault, self.standing.pass == 1)?;
                self.standing.refuse(batch, row);
                from = row + 1;
                continue;
            }
            self.reporter.look(self.rows, &mut self.trainer);
            self.say_absent();
            if self.rows.is_power_of_two() {
                let recent = self.trainer.loss_recent();
                self.reporter.line(&self.trainer.summary(), recent, rows);
                if self.reporter.record.is_some() {
                    let certificates = self.trainer.certificates();
                    self.reporter.certified(&certificates, None, &self.trainer);
                }
                if self.until.is_some() && self.is_reached(&self.trainer.certificates()) {
                    return Err(Stop::Gap.into());
                }
            }
            self.tick()?;
        }
        Ok(())
    }

    /// Says which names no row had, once so many rows were read that most should have been.
    fn say_absent(&mut self) {
        let rows = self.rows - self.first;
        if !self.absent_said && rows >= absent::ROWS {
            self.absent_said = true;
            absent::warnings(&self.options, rows).iter().for_each(|says| self.reporter.console.warn(says));
        }
    }

    /// Where a slice that begins at row `from` of the batch ends.
    fn cut(&self, batch: &Batch, from: usize) -> usize {
        let line = (self.rows + 1).next_power_of_two() - self.rows;
        let room = usize::try_from(line.min(self.saver.room(self.rows))).unwrap_or(usize::MAX);
        let most = batch.len().min(from + room.min(SLICE_ROWS));
        let few = |&to: &usize| batch.start[to] - batch.start[from] <= SLICE_PAIRS;
        (from + 1..=most).take_while(few).last().unwrap_or(from + 1)
    }

    /// Looks at the clock and the signals; saves if that is due.
    fn tick(&mut self) -> Result<(), Halt> {
        if self.has_learnt() && self.saver.is_due(self.rows) {
            let model = self.unfinished();
            self.saver.save(&model, self.rows)?;
        }
        Ok(self.watch.check()?)
    }

    /// All rows, in the order of a pass.
    fn open(&mut self, pass: u32) -> Result<Rows, Error> {
        match &mut self.shuffling {
            Some(shuffling) => shuffling.open(self.inputs, &self.options, self.threads, pass),
            None => Rows::open(self.inputs, self.options.clone(), self.threads),
        }
    }

    /// Shuffled rows are all read before the first comes: takes note of them, or knows them again.
    fn know(&mut self) -> Result<(), Failure> {
        if self.reread {
            return Ok(());
        }
        let Some(whole) = self.shuffling.as_ref().and_then(Shuffling::whole) else { return Ok(()) };
        self.reread = true;
        self.standing.know(whole).map_err(|input| self.changed(input))
    }

    /// Waits for the next rows; `false` if there are none left.
    fn next(&mut self, rows: &mut Rows, batch: &mut Batch) -> Result<bool, Halt> {
        loop {
            self.tick()?;
            let next = rows.next(batch);
            self.reporter.at(rows);
            if let Some(says) = self.shuffling.as_mut().and_then(Shuffling::says) {
                self.reporter.console.note(&says);
            }
            match next {
                Ok(Next::Waiting) => {}
                Ok(next) => {
                    self.know()?;
                    if next == Next::Rows {
                        self.reporter.open(&self.options);
                    }
                    return Ok(next == Next::Rows);
                }
                Err(error) if error.is_row() => {
                    self.skips.pass_over(error.into(), !self.reread)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn locate(&self, batch: &Batch, row: usize, fault: &Fault) -> Failure {
        let describe = if self.shuffling.is_some() { Options::describe_again } else { Options::describe };
        describe(&self.options, self.inputs, batch, row, fault.part)
            .error(reading::says(fault, &self.trainer.labels(), &self.options))
            .into()
    }

    /// Passes over a row that cannot be learnt, if there may be one more.
    fn pass_over(&mut self, batch: &Batch, row: usize, fault: &Fault, counts: bool) -> Result<(), Failure> {
        let failure = match self.skips.shows_next(counts) {
            true => self.locate(batch, row, fault),
            false => Failure::data(fault.message.clone()),
        };
        self.skips.pass_over(failure, counts)
    }

    /// The bytes of an input are not those read before.
    fn changed(&self, input: usize) -> Failure {
        let name = self.inputs.get(input).map_or_else(|| "DATA".to_owned(), InputName::to_string);
        Failure::data(format!("{name}: its bytes are not those that were learnt before; give the same DATA"))
    }
}

fn shelf_failure(error: &std::io::Error) -> Failure {
    let folder = std::env::temp_dir();
    Failure::data(format!("{} (for the held-out rows; TMPDIR): {error}", folder.display()))
}
