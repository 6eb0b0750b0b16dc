//! Driver of a fit: reads rows, passes them to the trainer in slices, and between slices reports, saves and checks the stop conditions.
//!
//! A slice (a few consecutive rows of a batch) ends where something is due at an exact row (a milestone, a snapshot), and is short enough
//! that a request to stop is answered within milliseconds. The model does not depend on how rows are cut into slices.

use crate::{
    bad_rows::BadRows,
    certificates::certified_gap,
    data::Data,
    error::FitError,
    event::{Event, Observer},
    position::{InputFingerprint, RunPosition},
    rows::{Next, Rows},
    saver::Saver,
    shuffling::Shuffling,
    stop::{Interrupt, StopConditions, StopReason},
    unmet::{self, unmet_names},
};
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};
use surefoot_glm::{
    Batch, Certificate, Fault, FullPass, Gathered, Model, Problem, Trainer,
    optimum::{Ended, Optimum},
};
use surefoot_io::{Error, Options};

/// Maximum number of rows in a slice (consecutive rows that are learnt between two checks of the stop conditions).
const SLICE_ROWS: usize = 64;
/// Maximum number of nonzeros in a slice (consecutive rows that are learnt between two checks of the stop conditions), unless a single row
/// has more.
const SLICE_PAIRS: usize = 8 << 10;

/// Running fit, created by [`Fit::start`](crate::Fit::start) and executed by [`run`](Session::run).
pub struct Session<'a> {
    pub(crate) data: Data,
    pub(crate) options: Options,
    pub(crate) threads: u16,
    pub(crate) trainer: Trainer,
    pub(crate) position: RunPosition,
    /// Number of rows learnt so far, including those learnt before an interrupted run was resumed.
    pub(crate) rows: u64,
    /// Number of rows that had been learnt when this run began.
    pub(crate) first: u64,
    pub(crate) stop: StopConditions,
    /// Bound on the excess loss at which the run stops once it is certified; `None` to run to the end.
    pub(crate) until_gap: Option<f64>,
    /// Certificate of a full pass over all rows at the current model, and the mean loss over them if computed; `None` without such a pass.
    pub(crate) full: Option<(Certificate, Option<f64>)>,
    /// Rows stored so far for the computation of the optimum; `None` if the optimum will not be computed.
    pub(crate) gathered: Option<Gathered>,
    /// Problem and result of the search for the optimum; `None` before the search.
    pub(crate) optimum: Option<(Problem, Optimum)>,
    /// Store of the shuffled rows; `None` if rows are not shuffled.
    pub(crate) shuffling: Option<Shuffling>,
    pub(crate) bad_rows: BadRows,
    /// Whether this run has already read all rows once before learning.
    pub(crate) reread: bool,
    /// Whether names given by the caller that occur in no row were already reported.
    pub(crate) unmet_reported: bool,
    /// Whether [`Event::Opened`] was already reported.
    pub(crate) opened: bool,
    /// Whether the run continues from an existing model, whether finished or unfinished.
    pub(crate) resumed: bool,
    pub(crate) saver: Saver,
    pub(crate) observer: Box<dyn Observer + 'a>,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("position", &self.position).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Session<'_> {
    /// Runs all remaining passes over the data, then certifies the model in an additional pass and computes the optimum, where requested.
    pub(crate) fn passes(&mut self) -> Result<(), Interrupt> {
        self.reread()?;
        loop {
            if self.position.is_between_passes() && (self.until_gap.is_some() || self.position.is_over()) {
                self.certify()?;
            }
            if self.position.is_over() {
                return self.search();
            }
            self.full = None;
            self.pass()?;
            self.trainer.end_pass().map_err(FitError::Holdout)?;
            self.position.end_pass().map_err(|input| self.changed(input))?;
        }
    }

    /// Reads all rows once more, if possible, to certify the excess loss of a model constrained to a ball. Ends the run if the certified
    /// bound is at most `until_gap`.
    fn certify(&mut self) -> Result<(), Interrupt> {
        let Some(whole) = self.position.whole.clone() else { return Ok(()) };
        // Checked before the model is built, which takes a while.
        let again = self.shuffling.is_some() || self.data.can_reread();
        if self.trainer.settings().ball.is_none() || !again {
            return Ok(());
        }
        let Some(mut full) = FullPass::new(&self.model()) else { return Ok(()) };
        self.observer.event(Event::Certifying);
        let (mut rows, mut batch, mut trail) =
            (self.open(self.position.pass - 1)?, Batch::default(), InputFingerprint::default());
        while self.next(&mut rows, &mut batch)? {
            let mut from = 0;
            while let Err((row, fault)) = full.add(&batch, from, batch.len()) {
                self.pass_over(&batch, row, &fault, false)?;
                from = row + 1;
            }
            trail.advance(&batch, 0, batch.len());
        }
        self.observer.event(Event::PassEnded(&rows));
        if self.shuffling.is_none() {
            trail.check(&whole).map_err(|input| self.changed(input))?;
        }
        let (certificate, objective) = full.certificate();
        let certificates = std::slice::from_ref(&certificate);
        let reached = self.is_reached(certificates);
        let trainer = &self.trainer;
        self.observer.event(Event::Certified { certificates, objective, trainer });
        self.full = Some((certificate, objective));
        if reached { Err(StopReason::Gap.into()) } else { Ok(()) }
    }

    /// Searches for the optimum over all rows, if requested. Saves the best model so far about every second.
    fn search(&mut self) -> Result<(), Interrupt> {
        let (Some(gathered), Some(tolerance)) = (self.gathered.take(), self.position.plan.optimum) else {
            return Ok(());
        };
        self.shuffling.iter_mut().for_each(Shuffling::release);
        let start = self.model();
        let mut problem = gathered.problem(&start).map_err(|reason| FitError::Optimum { reason })?;
        let (watch, until, threads) = (self.stop.clone(), self.until_gap, self.threads.into());
        let (mut failure, over) = (None, AtomicBool::new(false));
        let stop = || over.load(Ordering::Relaxed) || watch.check().is_err();
        if problem.path().is_some() {
            self.observer.event(Event::ChoosingPenalty);
            let select = self.position.plan.select;
            problem.choose(select, threads, &stop, &mut |step| self.observer.event(Event::PenaltyStep(step)));
        }
        self.observer.event(Event::Searching { settings: problem.settings(), tolerance });
        let found = problem.search(tolerance, threads, &stop, &mut |found| {
            self.observer.event(Event::Iteration { found, rows: self.rows });
            failure = self.keep(&problem, found).err();
            let reached = until.is_some_and(|until| found.gap.is_some_and(|gap| gap <= until));
            over.store(failure.is_some() || reached, Ordering::Relaxed);
        });
        let Some(found) = found else { return Ok(()) };
        let stopped = found.ended == Ended::Stopped;
        if found.objective.is_finite() {
            self.optimum = Some((problem, found));
        } else if !stopped {
            self.observer.event(Event::NoOptimum);
        }
        match failure {
            Some(failure) => Err(failure.into()),
            None if stopped && over.into_inner() => Err(StopReason::Gap.into()),
            None if stopped => Ok(self.stop.check()?),
            None => Ok(()),
        }
    }

    /// Saves the best model found by the search so far, if the last save is at least a second ago.
    fn keep(&mut self, problem: &Problem, found: &Optimum) -> Result<(), FitError> {
        if !self.saver.is_stale() {
            return Ok(());
        }
        let mut model = self.unfinished();
        place(problem, found, &mut model);
        self.saver.save(&model, self.rows)
    }

    /// Whether a certified bound on the excess loss is at most `until_gap`.
    fn is_reached(&self, certificates: &[Certificate]) -> bool {
        self.until_gap.is_some_and(|gap| certified_gap(certificates).is_some_and(|certified| certified <= gap))
    }

    /// Returns the current model, including the state needed to resume the run.
    pub(crate) fn unfinished(&self) -> Model {
        self.with_findings(self.trainer.pause(self.position.to_value()))
    }

    /// Returns the current model without the state needed to resume.
    pub(crate) fn model(&self) -> Model {
        self.with_findings(self.trainer.model())
    }

    /// Adds to the model the properties that the readers inferred from the data, and the optimum if one was found.
    fn with_findings(&self, mut model: Model) -> Model {
        if let Some((problem, found)) = &self.optimum {
            place(problem, found, &mut model);
        }
        // In a shuffled run, texts of rows that were read but not learnt yet keep their codes.
        let keeps_classes = model.unfinished.is_some() && self.shuffling.is_some();
        model_with_findings(model, &self.options, keeps_classes)
    }

    /// Whether this run has learnt any rows or found an optimum, so that there is a model to save.
    pub(crate) fn has_learnt(&self) -> bool {
        self.rows > self.first || self.optimum.is_some()
    }

    /// Called when a run is resumed in a later pass: reads all data once to verify that the bytes are unchanged, and to store again the
    /// held-out rows and the rows for the optimum.
    fn reread(&mut self) -> Result<(), Interrupt> {
        let Some(whole) = self.position.whole.clone().filter(|_| self.position.pass > 1) else { return Ok(()) };
        // Shuffled rows are all read before the first one is learnt in any case.
        if self.shuffling.is_some() && !self.keeps_rows() {
            return Ok(());
        }
        let (mut rows, mut batch, mut trail) = (self.open(1)?, Batch::default(), InputFingerprint::default());
        while self.next(&mut rows, &mut batch)? {
            self.hold_out(&batch, batch.len(), trail.rows)?;
            trail.advance(&batch, 0, batch.len());
        }
        self.observer.event(Event::PassEnded(&rows));
        self.reread = true;
        if self.shuffling.is_some() {
            return Ok(());
        }
        trail.check(&whole).map_err(|input| self.changed(input).into())
    }

    /// Runs one pass over the data. Right after a resume, first verifies the rows learnt before the interruption instead of learning them.
    fn pass(&mut self) -> Result<(), Interrupt> {
        let (mut rows, mut batch) = (self.open(self.position.pass)?, Batch::default());
        let earlier = std::mem::take(&mut self.position.trail);
        while self.next(&mut rows, &mut batch)? {
            let left = earlier.rows.saturating_sub(self.position.trail.rows);
            let known = usize::try_from(left).map_or(batch.len(), |left| left.min(batch.len()));
            if known > 0 {
                self.recognise(&batch, known, &earlier)?;
            }
            self.learn(&batch, known, &rows)?;
        }
        self.observer.event(Event::PassEnded(&rows));
        if self.position.trail.rows < earlier.rows {
            let input = self.position.trail.check(&earlier).err().unwrap_or_default();
            return Err(self.changed(input).into());
        }
        self.reread = true;
        Ok(())
    }

    /// Verifies that the first `known` rows of a batch, which were learnt before the interruption, have the fingerprint `earlier` that the
    /// interrupted run stored.
    fn recognise(&mut self, batch: &Batch, known: usize, earlier: &InputFingerprint) -> Result<(), Interrupt> {
        if self.position.pass == 1 {
            self.hold_out(batch, known, self.position.trail.rows)?;
        }
        self.position.advance(batch, 0, known);
        if self.position.trail.rows == earlier.rows {
            self.position.trail.check(earlier).map_err(|input| self.changed(input))?;
        }
        Ok(())
    }

    /// Whether rows are stored for later use: the held-out rows, or all rows for the optimum.
    fn keeps_rows(&self) -> bool {
        self.position.plan.period().is_some() || self.gathered.is_some()
    }

    /// Stores rows again after a resume: the held-out ones, and all rows if the optimum will be computed. The rows are the first `rows` of
    /// a batch; `before` rows of the pass precede this batch.
    fn hold_out(&mut self, batch: &Batch, rows: usize, before: u64) -> Result<(), FitError> {
        if !self.keeps_rows() {
            return Ok(());
        }
        self.name_classes();
        let end = before + rows as u64;
        let refused = self.position.refused.iter().filter(|&&row| (before..end).contains(&row));
        let ends: Vec<usize> = refused.map(|row| (row - before) as usize).chain([rows]).collect();
        let mut from = 0;
        for to in ends {
            self.trainer.restore_holdout(batch, from, to).map_err(FitError::Holdout)?;
            self.gather(batch, from, to)?;
            from = to + 1;
        }
        Ok(())
    }

    /// Stores rows `from..to` of a batch, which were learnt, if the optimum over all rows will be computed.
    fn gather(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), FitError> {
        let Some(gathered) = &mut self.gathered else { return Ok(()) };
        match gathered.add(batch, from, to) {
            Ok(()) => Ok(()),
            Err((row, fault)) => Err(self.locate(batch, row, &fault).into()),
        }
    }

    /// Passes the class names to the trainer if labels are text.
    fn name_classes(&mut self) {
        if self.options.found.has_text_labels() {
            self.trainer.treat_labels_as_class_names(|| self.options.found.classes());
        }
    }

    fn learn(&mut self, batch: &Batch, mut from: usize, rows: &Rows) -> Result<(), Interrupt> {
        while from < batch.len() {
            let to = self.cut(batch, from);
            self.name_classes();
            let learnt = self.trainer.learn(batch, from, to);
            let until = learnt.as_ref().map_or_else(|(row, _)| *row, |()| to);
            self.gather(batch, from, until)?;
            self.position.advance(batch, from, until);
            self.rows += (until - from) as u64;
            from = until;
            if let Err((row, fault)) = learnt {
                self.pass_over(batch, row, &fault, self.position.pass == 1)?;
                self.position.refuse(batch, row);
                from = row + 1;
                continue;
            }
            let (rows_learnt, trainer) = (self.rows, &mut self.trainer);
            self.observer.event(Event::RowsLearnt { rows: rows_learnt, trainer });
            self.report_unmet();
            if self.rows.is_power_of_two() {
                self.observer.event(Event::Milestone { trainer: &mut self.trainer, rows });
                if self.until_gap.is_some() && self.is_reached(&self.trainer.certificates()) {
                    return Err(StopReason::Gap.into());
                }
            }
            self.tick()?;
        }
        Ok(())
    }

    /// Reports names given by the caller (of features to keep, for instance) that have occurred in no row, once enough rows were read for
    /// most names to occur.
    fn report_unmet(&mut self) {
        let rows = self.rows - self.first;
        if self.unmet_reported || rows < unmet::ROWS {
            return;
        }
        self.unmet_reported = true;
        let names = unmet_names(&self.options);
        if !names.is_empty() {
            self.observer.event(Event::UnmetNames { rows, names });
        }
    }

    /// Returns the end (exclusive) of the slice (rows to learn before the next checks) that starts at row `from` of the batch.
    fn cut(&self, batch: &Batch, from: usize) -> usize {
        let line = (self.rows + 1).next_power_of_two() - self.rows;
        let room = usize::try_from(line.min(self.saver.room(self.rows))).unwrap_or(usize::MAX);
        let most = batch.len().min(from + room.min(SLICE_ROWS));
        let few = |&to: &usize| batch.start[to] - batch.start[from] <= SLICE_PAIRS;
        (from + 1..=most).take_while(few).last().unwrap_or(from + 1)
    }

    /// Saves the model if it is time to do so, and checks the stop conditions.
    fn tick(&mut self) -> Result<(), Interrupt> {
        if self.has_learnt() && self.saver.is_due(self.rows) {
            let model = self.unfinished();
            self.saver.save(&model, self.rows)?;
        }
        Ok(self.stop.check()?)
    }

    /// Opens a reader of all rows in the order of pass number `pass` (from 1).
    fn open(&mut self, pass: u32) -> Result<Rows, Error> {
        match &mut self.shuffling {
            Some(shuffling) => shuffling.open(&self.data, &self.options, self.threads, pass),
            None => Rows::open(&self.data, &self.options, self.threads),
        }
    }

    /// Stores the fingerprint of the shuffled rows, or compares it with the stored one. All rows are read before the first one is
    /// delivered.
    fn know(&mut self) -> Result<(), FitError> {
        if self.reread {
            return Ok(());
        }
        let Some(whole) = self.shuffling.as_ref().and_then(Shuffling::whole) else { return Ok(()) };
        self.reread = true;
        self.position.know(whole).map_err(|input| self.changed(input))
    }

    /// Waits for the next rows and puts them into `batch`; returns `false` at the end of the data.
    fn next(&mut self, rows: &mut Rows, batch: &mut Batch) -> Result<bool, Interrupt> {
        loop {
            self.tick()?;
            let next = rows.next(batch);
            self.observer.event(Event::Reading(rows));
            if self.shuffling.as_mut().is_some_and(Shuffling::spills) {
                self.observer.event(Event::Spilled);
            }
            match next {
                Ok(Next::Waiting) => {}
                Ok(next) => {
                    self.know()?;
                    if next == Next::Rows && !std::mem::replace(&mut self.opened, true) {
                        self.observer.event(Event::Opened(&self.options));
                    }
                    return Ok(next == Next::Rows);
                }
                Err(error) if error.is_row() => {
                    self.bad_rows.pass_over(|| error, !self.reread)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Builds the error of a row that cannot be learnt, with its location.
    fn locate(&self, batch: &Batch, row: usize, fault: &Fault) -> Error {
        let again = self.shuffling.is_some();
        let explained = self.observer.explain(fault, &self.trainer.labels(), &self.options);
        self.data.locate(&self.options, batch, row, fault.part, again).error(explained)
    }

    /// Skips a row that cannot be learnt, or returns an error if no more rows may be skipped.
    fn pass_over(&mut self, batch: &Batch, row: usize, fault: &Fault, counts: bool) -> Result<(), FitError> {
        let mut bad_rows = std::mem::take(&mut self.bad_rows);
        let passed = bad_rows.pass_over(|| self.locate(batch, row, fault), counts);
        self.bad_rows = bad_rows;
        passed
    }

    /// Builds the error for the input with this index, whose bytes differ from those read before.
    fn changed(&self, input: usize) -> FitError {
        FitError::Changed { input: self.data.name(input) }
    }
}

/// Adds to a model the properties that the readers inferred from the data. Label texts that occur only in rows at fault are not classes,
/// unless `keeps_classes`.
pub(crate) fn model_with_findings(mut model: Model, options: &Options, keeps_classes: bool) -> Model {
    model.settings.reading = options.reading();
    if !keeps_classes {
        model.settings.reading.classes.retain(|class| model.labels.encode(class.code).is_some());
    }
    model.names = options.found.names(&model.index);
    model
}

/// Copies the optimum into the model. If the optimum does not fit the model, leaves the model unchanged except for a certificate that
/// states the reason.
fn place(problem: &Problem, found: &Optimum, model: &mut Model) {
    if let Err(reason) = problem.place(found, model) {
        model.certificates = vec![Certificate::none(reason)];
    }
}
