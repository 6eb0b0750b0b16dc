//! The builder of a fit.

use crate::{
    bad_rows::BadRows,
    data::Data,
    error::FitError,
    evaluation::Labelled,
    event::{ClosureObserver, Event, Observer},
    outcome::{Failed, Outcome},
    position::RunPosition,
    saver::{Saver, Snapshot},
    session::Session,
    shuffling::Shuffling,
    stop::{Interrupt, StopConditions},
};
use std::{
    fmt,
    path::Path,
    time::{Duration, Instant},
};
use surefoot_glm::{
    Ball, ClassWeights, FeatureGroups, Gathered, Loss, Missing, Model, Penalty, PenaltyTerm, Plan, Select, Settings,
    Trainer,
};
use surefoot_io::{Inferred, Options, Output, SpooledHoldout};

/// Default relative tolerance of a certified optimum.
pub const TOLERANCE: f64 = 1e-6;

/// Bytes that rows may take in memory, if they have to be kept, unless another number is given.
const MEMORY: usize = 1 << 30;

/// Settings of a fit, with defaults that are right for most data: one pass, no penalty, rows in the order of the data.
///
/// ```
/// use surefoot_fit::{Data, Fit};
/// use surefoot_glm::{Batch, Loss};
///
/// let mut rows = Batch::default();
/// for t in 0..200_u32 {
///     let x = f64::from(t % 7) - 3.0;
///     rows.push(Some(f64::from(x > 0.0)), 1.0, &[(1, x)]);
/// }
/// let outcome = Fit::new(Loss::Logistic).l2(1e-3).optimum(1e-9).run(rows)?;
/// assert!(outcome.model.summary.loss < outcome.model.summary.loss_constant);
/// assert!(outcome.model.certificates[0].bound().unwrap().relative.unwrap() <= 1e-9);
/// # Ok::<(), surefoot_fit::Failed>(())
/// ```
pub struct Fit<'a> {
    pub(crate) settings: Settings,
    pub(crate) plan: Plan,
    pub(crate) options: Options,
    pub(crate) shuffle: Option<u64>,
    pub(crate) until_gap: Option<f64>,
    threads: u16,
    skip_bad_rows: u64,
    memory: usize,
    stop: StopConditions,
    measures: bool,
    model: Option<Model>,
    position: Option<RunPosition>,
    output: Option<Output>,
    snapshot: Snapshot,
    observer: Box<dyn Observer + 'a>,
}

impl fmt::Debug for Fit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fit").field("settings", &self.settings).field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl<'a> Fit<'a> {
    /// A fit of a model from scratch, with an intercept.
    #[must_use]
    pub fn new(loss: Loss) -> Fit<'a> {
        Fit::with_settings(Settings { loss, ..Settings::default() })
    }

    /// A fit of a model from scratch.
    #[must_use]
    pub fn with_settings(settings: Settings) -> Fit<'a> {
        let options = options_for(&settings);
        Fit {
            settings,
            plan: Plan::ONE_PASS,
            options,
            shuffle: None,
            until_gap: None,
            threads: 2,
            skip_bad_rows: 0,
            memory: MEMORY,
            stop: StopConditions::default(),
            measures: false,
            model: None,
            position: None,
            output: None,
            snapshot: Snapshot::default(),
            observer: Box::new(()),
        }
    }

    /// Continues from a model: an unfinished one at the position of its run, with the same data; a finished one with new rows.
    ///
    /// # Errors
    /// [`FitError::Resume`], if the position of the interrupted run cannot be read.
    pub fn resume(model: Model) -> Result<Fit<'a>, FitError> {
        let position = model.unfinished.as_ref().map(|value| {
            let reason = "the position of the interrupted run is not readable".to_owned();
            RunPosition::from_value(value).ok_or(FitError::Resume { reason })
        });
        let position = position.transpose()?;
        let fit = Fit::with_settings(model.settings.clone());
        let (plan, shuffle) = position.as_ref().map_or((Plan::ONE_PASS, None), |run| (run.plan, run.shuffle));
        Ok(Fit { options: options_of(&model), plan, shuffle, position, model: Some(model), ..fit })
    }

    /// The factor of the L1 penalty.
    #[must_use]
    pub fn l1(mut self, factor: f64) -> Fit<'a> {
        self.settings.penalty.l1 = factor;
        self
    }

    /// The factor of the L2 penalty ½·l2·‖w‖².
    #[must_use]
    pub fn l2(mut self, factor: f64) -> Fit<'a> {
        self.settings.penalty.l2 = factor;
        self
    }

    /// Chooses the factor of the L1 or the L2 penalty along a path, for standardized columns: by held-out rows during
    /// the passes, or, with [`optimum`](Fit::optimum), by cross-validation.
    #[must_use]
    pub fn choose_penalty(mut self, term: PenaltyTerm) -> Fit<'a> {
        self.settings.penalty = Penalty { path: Some(term), standardize: true, ..self.settings.penalty };
        self
    }

    /// Whether the model has an intercept; it has one by default.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Fit<'a> {
        self.settings.intercept = intercept;
        self
    }

    /// Constrains the weights to a ball around 0, which gives certificates.
    #[must_use]
    pub fn ball(mut self, ball: Ball) -> Fit<'a> {
        self.settings.ball = Some(ball);
        self
    }

    /// Multiplies the weights of rows by class weights.
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Fit<'a> {
        self.settings.class_weights = Some(weights);
        self
    }

    /// Factors of the penalty, and bounds of weights, by groups of features.
    #[must_use]
    pub fn groups(mut self, groups: FeatureGroups) -> Fit<'a> {
        self.options.groups.clone_from(&groups);
        self.settings.groups = groups;
        self
    }

    /// Number of passes over the data. With more than one, every tenth row is held out to choose the pass whose model is kept.
    #[must_use]
    pub fn passes(mut self, passes: u32) -> Fit<'a> {
        self.plan.passes = passes;
        self
    }

    /// With several passes, holds out every `period`-th row, or none.
    #[must_use]
    pub fn holdout(mut self, period: Option<u32>) -> Fit<'a> {
        self.plan.holdout = period;
        self
    }

    /// After one pass, computes the optimum over all rows, in memory, until its gap is certified to be within `tolerance` times the objective,
    /// for instance [`TOLERANCE`].
    #[must_use]
    pub fn optimum(mut self, tolerance: f64) -> Fit<'a> {
        self.plan = Plan { passes: 1, holdout: None, optimum: Some(tolerance), ..self.plan };
        self
    }

    /// Rule for choosing a penalty by optima along a path.
    #[must_use]
    pub fn select(mut self, select: Select) -> Fit<'a> {
        self.plan.select = select;
        self
    }

    /// Passes, hold-out and optimum together.
    #[must_use]
    pub fn with_plan(mut self, plan: Plan) -> Fit<'a> {
        self.plan = plan;
        self
    }

    /// Shuffles rows anew in each pass, depending on the seed, the pass and the row number alone. Rows are stored, in
    /// a temporary file beyond [`memory`](Fit::memory).
    #[must_use]
    pub fn shuffle(mut self, seed: Option<u64>) -> Fit<'a> {
        self.shuffle = seed;
        self
    }

    /// Stops the run once the excess loss is certified to be at most `gap`.
    #[must_use]
    pub fn until_gap(mut self, gap: Option<f64>) -> Fit<'a> {
        self.until_gap = gap;
        self
    }

    /// Number of threads, at least 1; 2 by default, one of which reads.
    #[must_use]
    pub fn threads(mut self, threads: u16) -> Fit<'a> {
        self.threads = threads.max(1);
        self
    }

    /// Skips up to `most` rows at fault; none by default.
    #[must_use]
    pub fn skip_bad_rows(mut self, most: u64) -> Fit<'a> {
        self.skip_bad_rows = most;
        self
    }

    /// Memory for stored rows, in bytes; 1 GiB by default. Further rows go to a temporary file.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Fit<'a> {
        self.memory = bytes;
        self
    }

    /// Conditions that stop the run early. The model is kept and can be resumed.
    #[must_use]
    pub fn stop(mut self, stop: StopConditions) -> Fit<'a> {
        self.stop = stop;
        self
    }

    /// Stops the run when this time has passed, counted from now.
    #[must_use]
    pub fn budget(mut self, time: Duration) -> Fit<'a> {
        self.stop = self.stop.with_deadline(Instant::now().checked_add(time));
        self
    }

    /// Computes progressive metrics: see [`Trainer::enable_progressive_metrics`].
    #[must_use]
    pub fn progressive_metrics(mut self, measures: bool) -> Fit<'a> {
        self.measures = measures;
        self
    }

    /// Saves the model to a file, which is replaced atomically: at every [`snapshot`](Fit::snapshot), and at the end.
    ///
    /// # Errors
    /// The file cannot be written; nothing is left behind.
    pub fn save_to(mut self, path: impl AsRef<Path>) -> Result<Fit<'a>, FitError> {
        self.output = Some(Output::create(path).map_err(FitError::Save)?);
        Ok(self)
    }

    /// Saves the model to an output that is open already.
    #[must_use]
    pub fn output(mut self, output: Output) -> Fit<'a> {
        self.output = Some(output);
        self
    }

    /// Schedule of saving during the run; every minute by default.
    #[must_use]
    pub fn snapshot(mut self, snapshot: Snapshot) -> Fit<'a> {
        self.snapshot = snapshot;
        self
    }

    /// Options of readers: format, columns, interactions and more.
    #[must_use]
    pub fn reading(mut self, options: Options) -> Fit<'a> {
        self.settings.reading = options.reading.clone();
        self.options = Options { groups: self.settings.groups.clone(), ..options };
        self
    }

    /// Calls a function at each [`Event`].
    #[must_use]
    pub fn on_event(mut self, function: impl FnMut(Event<'_>) + Send + 'a) -> Fit<'a> {
        self.observer = Box::new(ClosureObserver(function));
        self
    }

    /// Sets an observer of the run.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'a) -> Fit<'a> {
        self.observer = Box::new(observer);
        self
    }

    /// The settings of the model.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether all rows of the interrupted run are learnt, and which pass it is in; `None` if no run was interrupted.
    #[must_use]
    pub fn interrupted_in(&self) -> Option<(bool, u32)> {
        self.position.as_ref().map(|run| (run.is_over(), run.pass))
    }

    /// The passes, the hold-out and the optimum.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The seed of the order of rows, if they are shuffled.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        self.shuffle
    }

    /// Options of readers.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether rows are read more than once, of which a pipe has to be copied to a file.
    fn reads_again(&self) -> bool {
        self.wants_means() || self.plan.passes > 1 && self.shuffle.is_none()
    }

    fn wants_means(&self) -> bool {
        self.model.is_none() && self.options.reading.table.missing == Missing::Mean
    }

    /// Makes the data re-readable if needed, and compares them with those of an interrupted run. Called by [`run`](Fit::run).
    ///
    /// # Errors
    /// [`FitError::ReadOnce`] and [`FitError::OtherData`], errors of reading; a request to stop.
    pub fn prepare(&mut self, data: &mut Data) -> Result<(), Interrupt> {
        if self.reads_again() {
            if data.inputs().iter().any(|input| matches!(input, surefoot_io::InputName::Stdin)) {
                self.observer.event(Event::Spooling);
                data.spool(&self.stop)?;
            }
            if !data.can_reread() {
                let once = data.inputs().iter().find(|input| !input.can_reread());
                let input = once.map_or_else(|| data.to_string(), ToString::to_string);
                return Err(FitError::ReadOnce { input }.into());
            }
        }
        if let Some(position) = &self.position {
            position.check_data(data).map_err(|reason| FitError::OtherData { reason })?;
        }
        Ok(())
    }

    /// Reads the means of the columns, if missing cells are filled with them. Called by [`run`](Fit::run).
    ///
    /// # Errors
    /// Errors of reading; a request to stop.
    pub fn read_means(&mut self, data: &Data) -> Result<(), Interrupt> {
        if self.wants_means() {
            self.observer.event(Event::ReadingMeans);
            let rows = Labelled { stop: self.stop.clone(), ..Labelled::new(data, self.options.clone()) };
            self.options.reading.table.means = rows.means()?;
        }
        Ok(())
    }

    /// Checks the settings, prepares the data and fits the model.
    ///
    /// # Errors
    /// The reason, and the row up to which a model was saved.
    pub fn run(mut self, data: impl Into<Data>) -> Result<Outcome, Failed> {
        let mut data = data.into();
        self.check(&data).map_err(FitError::Setting)?;
        data.check().map_err(FitError::Read)?;
        match self.prepare(&mut data).and_then(|()| self.read_means(&data)) {
            Err(Interrupt::Error(error)) => Err(error.into()),
            Err(Interrupt::Stop(reason)) => self.start(data)?.nothing(reason),
            Ok(()) => self.start(data)?.run(),
        }
    }

    /// A session over data that are prepared; no row is read yet.
    ///
    /// # Errors
    /// Contradictory settings; a model that cannot be trained further.
    pub fn start(self, data: Data) -> Result<Session<'a>, FitError> {
        self.check(&data)?;
        let mut trainer = self.trainer()?;
        if self.model.is_none() && self.options.wanted.trials.is_some() {
            trainer.treat_labels_as_proportions();
        }
        if self.measures {
            trainer.enable_progressive_metrics();
        }
        let position = self.position.unwrap_or_else(|| RunPosition::new(&data, self.plan, self.shuffle));
        let refused = position.refused.len() as u64;
        let first = self.model.as_ref().map_or(0, |model| model.summary.rows);
        let optimum = self.plan.optimum.is_some();
        // Rows that are kept twice have half of the memory each time.
        let memory = self.memory >> u32::from(self.shuffle.is_some() && optimum);
        Ok(Session {
            data,
            options: self.options,
            threads: self.threads,
            trainer,
            position,
            rows: first,
            first,
            stop: self.stop,
            until_gap: self.until_gap,
            full: None,
            gathered: optimum.then(|| Gathered::with_memory(memory)),
            optimum: None,
            shuffling: self.shuffle.map(|seed| Shuffling::new(seed, memory)),
            bad_rows: BadRows::after(self.skip_bad_rows, refused),
            reread: false,
            unmet_reported: false,
            opened: false,
            resumed: self.model.is_some(),
            saver: Saver::new(self.output, self.snapshot),
            observer: self.observer,
        })
    }

    fn trainer(&self) -> Result<Trainer, FitError> {
        let holdout = Box::<SpooledHoldout>::default();
        match &self.model {
            None => Ok(Trainer::with_holdout_store(self.settings.clone(), self.plan, holdout)),
            Some(model) => Trainer::resume(model, self.plan, holdout).map_err(|reason| FitError::Resume { reason }),
        }
    }
}

/// Reader options for a new model with these settings.
#[must_use]
pub fn options_for(settings: &Settings) -> Options {
    let found = Inferred::default().with_many_classes(settings.loss.is_multiclass());
    Options {
        classes: settings.loss.classifies(),
        groups: settings.groups.clone(),
        reading: settings.reading.clone(),
        found: found.into(),
        ..Options::default()
    }
}

/// Reader options for a model: those it was trained with.
#[must_use]
pub fn options_of(model: &Model) -> Options {
    let settings = &model.settings;
    let found = Inferred::of_model(&settings.reading, &model.names).with_many_classes(settings.loss.is_multiclass());
    Options {
        classes: settings.loss.classifies() && !model.labels.shares,
        groups: settings.groups.clone(),
        reading: settings.reading.clone(),
        found: found.into(),
        ..Options::default()
    }
}
