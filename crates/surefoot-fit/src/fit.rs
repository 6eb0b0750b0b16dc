//! Builder of a fit: collects settings and options, and starts the session that runs the fit.

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

/// Default relative duality gap at which the search for a certified optimum ends.
pub const TOLERANCE: f64 = 1e-6;

/// Default limit on the memory for stored rows, in bytes.
const MEMORY: usize = 1 << 30;

/// Builder of a fit, whose defaults suit most data: one pass, no penalty, rows in the order of the data.
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
    pub(crate) skip_bad_rows: u64,
    pub(crate) memory: usize,
    stop: StopConditions,
    measures: bool,
    model: Option<Model>,
    position: Option<RunPosition>,
    output: Option<Output>,
    snapshot: Snapshot,
    pub(crate) observer: Box<dyn Observer + 'a>,
}

impl fmt::Debug for Fit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fit").field("settings", &self.settings).field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl<'a> Fit<'a> {
    /// Builds a fit of a new model with this loss and an intercept.
    #[must_use]
    pub fn new(loss: Loss) -> Fit<'a> {
        Fit::with_settings(Settings { loss, ..Settings::default() })
    }

    /// Builds a fit of a new model with these settings.
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

    /// Builds a fit that continues from a model. An unfinished model resumes its interrupted run and needs the same data; a finished model
    /// is trained further on new rows.
    ///
    /// # Errors
    /// [`FitError::Resume`], if the stored position of the interrupted run cannot be read.
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

    /// Sets the factor l1 of the L1 penalty l1·‖w‖₁.
    #[must_use]
    pub fn l1(mut self, factor: f64) -> Fit<'a> {
        self.settings.penalty.l1 = factor;
        self
    }

    /// Sets the factor l2 of the L2 penalty ½·l2·‖w‖².
    #[must_use]
    pub fn l2(mut self, factor: f64) -> Fit<'a> {
        self.settings.penalty.l2 = factor;
        self
    }

    /// Chooses the strength of the L1 or the L2 penalty along a regularisation path, for standardized columns: by held-out rows during the
    /// passes, or by cross-validation if [`optimum`](Fit::optimum) is set.
    #[must_use]
    pub fn choose_penalty(mut self, term: PenaltyTerm) -> Fit<'a> {
        self.settings.penalty = Penalty { path: Some(term), standardize: true, ..self.settings.penalty };
        self
    }

    /// Sets whether the model has an intercept; true by default.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Fit<'a> {
        self.settings.intercept = intercept;
        self
    }

    /// Constrains the weights to a ball around 0, for which the run can certify a bound on the excess loss.
    #[must_use]
    pub fn ball(mut self, ball: Ball) -> Fit<'a> {
        self.settings.ball = Some(ball);
        self
    }

    /// Sets class weights, by which the weight of each row is multiplied according to its class.
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Fit<'a> {
        self.settings.class_weights = Some(weights);
        self
    }

    /// Sets penalty factors and bounds of the weights for groups of features.
    #[must_use]
    pub fn groups(mut self, groups: FeatureGroups) -> Fit<'a> {
        self.options.groups.clone_from(&groups);
        self.settings.groups = groups;
        self
    }

    /// Sets the number of passes over the data. With more than one pass, every tenth row is held out, and the model of the pass with the
    /// least held-out loss is kept; at the end it learns the held-out rows too.
    #[must_use]
    pub fn passes(mut self, passes: u32) -> Fit<'a> {
        self.plan.passes = passes;
        self
    }

    /// Sets the hold-out period: with several passes, every `period`-th row is held out; with `None`, no row is held out.
    #[must_use]
    pub fn holdout(mut self, period: Option<u32>) -> Fit<'a> {
        self.plan.holdout = period;
        self
    }

    /// Computes the optimum over all rows after one pass, which stores the rows in memory. The search ends when the duality gap is
    /// certified to be at most `tolerance` times the objective; [`TOLERANCE`] is a good default.
    #[must_use]
    pub fn optimum(mut self, tolerance: f64) -> Fit<'a> {
        self.plan = Plan { passes: 1, holdout: None, optimum: Some(tolerance), ..self.plan };
        self
    }

    /// Sets the rule by which a penalty is chosen from the held-out losses along a regularisation path, if the optimum is computed.
    #[must_use]
    pub fn select(mut self, select: Select) -> Fit<'a> {
        self.plan.select = select;
        self
    }

    /// Sets the plan: the number of passes, the hold-out period, and whether to compute the optimum.
    #[must_use]
    pub fn with_plan(mut self, plan: Plan) -> Fit<'a> {
        self.plan = plan;
        self
    }

    /// Shuffles the rows anew in each pass, in an order that depends only on the seed, the pass and the row number; `None` keeps the order
    /// of the data. Rows are stored in memory up to the limit set by [`memory`](Fit::memory), further rows in a temporary file.
    #[must_use]
    pub fn shuffle(mut self, seed: Option<u64>) -> Fit<'a> {
        self.shuffle = seed;
        self
    }

    /// Stops the run once the excess loss is certified to be at most `gap`; with `None`, the run continues to its end.
    #[must_use]
    pub fn until_gap(mut self, gap: Option<f64>) -> Fit<'a> {
        self.until_gap = gap;
        self
    }

    /// Sets the number of threads, at least 1; 2 by default. If there are several, one of them reads the data.
    #[must_use]
    pub fn threads(mut self, threads: u16) -> Fit<'a> {
        self.threads = threads.max(1);
        self
    }

    /// Skips up to `most` bad rows (rows that cannot be parsed or learnt). By default no row is skipped: a bad row is an error.
    #[must_use]
    pub fn skip_bad_rows(mut self, most: u64) -> Fit<'a> {
        self.skip_bad_rows = most;
        self
    }

    /// Sets the limit on the memory for stored rows, in bytes; 1 GiB by default. Rows beyond it go to a temporary file.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Fit<'a> {
        self.memory = bytes;
        self
    }

    /// Sets the conditions that stop the run early. The model of a stopped run is kept and can be resumed.
    #[must_use]
    pub fn stop(mut self, stop: StopConditions) -> Fit<'a> {
        self.stop = stop;
        self
    }

    /// Stops the run when this much time has passed since the call of this method.
    #[must_use]
    pub fn budget(mut self, time: Duration) -> Fit<'a> {
        self.stop = self.stop.with_deadline(Instant::now().checked_add(time));
        self
    }

    /// Sets whether metrics are computed on each row before it is learnt: see [`Trainer::enable_progressive_metrics`].
    #[must_use]
    pub fn progressive_metrics(mut self, measures: bool) -> Fit<'a> {
        self.measures = measures;
        self
    }

    /// Saves the model to a file, as often as [`snapshot`](Fit::snapshot) specifies and at the end. Each save replaces the file atomically.
    ///
    /// # Errors
    /// A file that cannot be written; no partial file remains.
    pub fn save_to(mut self, path: impl AsRef<Path>) -> Result<Fit<'a>, FitError> {
        self.output = Some(Output::create(path).map_err(FitError::Save)?);
        Ok(self)
    }

    /// Saves the model to an output that is already open, such as standard output.
    #[must_use]
    pub fn output(mut self, output: Output) -> Fit<'a> {
        self.output = Some(output);
        self
    }

    /// Sets how often the model is saved during the run; every minute by default.
    #[must_use]
    pub fn snapshot(mut self, snapshot: Snapshot) -> Fit<'a> {
        self.snapshot = snapshot;
        self
    }

    /// Sets the options for reading the data: format, columns, interactions and more.
    #[must_use]
    pub fn reading(mut self, options: Options) -> Fit<'a> {
        self.settings.reading = options.reading.clone();
        self.options = Options { groups: self.settings.groups.clone(), ..options };
        self
    }

    /// Sets a function that is called with each [`Event`].
    #[must_use]
    pub fn on_event(mut self, function: impl FnMut(Event<'_>) + Send + 'a) -> Fit<'a> {
        self.observer = Box::new(ClosureObserver(function));
        self
    }

    /// Sets the observer that receives the events of the run.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'a) -> Fit<'a> {
        self.observer = Box::new(observer);
        self
    }

    /// Returns the settings of the model.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns whether the interrupted run had learnt all rows, and the number of its current pass, from 1; `None` if this fit does not
    /// resume an interrupted run.
    #[must_use]
    pub fn interrupted_in(&self) -> Option<(bool, u32)> {
        self.position.as_ref().map(|run| (run.is_over(), run.pass))
    }

    /// Returns the plan: the number of passes, the hold-out period, and whether to compute the optimum.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// Returns the seed for shuffling the rows; `None` if rows are not shuffled.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        self.shuffle
    }

    /// Returns the options for reading the data.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the data will be read several times, in which case standard input has to be copied to a file.
    fn reads_again(&self) -> bool {
        self.wants_means() || self.plan.passes > 1 && self.shuffle.is_none()
    }

    fn wants_means(&self) -> bool {
        self.model.is_none() && self.options.reading.table.missing == Missing::Mean
    }

    /// Copies standard input to a temporary file if the data are read several times, and compares the data with those of an interrupted
    /// run. Called by [`run`](Fit::run).
    ///
    /// # Errors
    /// [`FitError::ReadOnce`] and [`FitError::OtherData`]; errors of reading; a request to stop.
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

    /// Computes the means of all numeric columns, if missing cells are to be filled with them. Called by [`run`](Fit::run).
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
    /// The reason for the failure, and the row up to which a model was saved.
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

    /// Starts a session over data that [`prepare`](Fit::prepare) has prepared. Reads no row yet.
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
        // Rows stored both for shuffling and for the optimum get half of the memory each.
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

    pub(crate) fn trainer(&self) -> Result<Trainer, FitError> {
        let holdout = Box::<SpooledHoldout>::default();
        match &self.model {
            None => Ok(Trainer::with_holdout_store(self.settings.clone(), self.plan, holdout)),
            Some(model) => Trainer::resume(model, self.plan, holdout).map_err(|reason| FitError::Resume { reason }),
        }
    }
}

/// Builds the options for reading the data of a new model with these settings.
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

/// Builds the options for reading data as a model's training data were read.
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
