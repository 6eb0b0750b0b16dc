//! The final lines of a fit: results, notes and warnings.

use super::{
    columns::{self, Columns},
    console::Console,
    lines::headed,
    metrics,
    unseen::UnseenSummary,
    warnings::{self, Warning},
};
use crate::{
    process::{stop::Stop, typed},
    words::{certificates, command_line, labels, number},
};
use serde_json::{Value, json};
use surefoot_glm::{
    Bounds, Caution, Loss, Measured, Model, OrderAlarm, PathEnd, Penalty, PenaltyTerm, Settings, Summary, Trainer,
    WorseThanConstant, optimum::Ended,
};
use surefoot_io::Inferred;

/// Results of a fit that has finished or was stopped.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    pub(crate) summary: &'a Summary,
    /// Saved model and the name of its file; `None` if nothing was saved.
    pub(crate) model: Option<(&'a Model, &'a str)>,
    pub(crate) test: Option<&'a Measured>,
    /// Category values and missing cells in columns of the test rows where training had none; `None` without test rows.
    pub(crate) unseen: Option<&'a UnseenSummary>,
    /// Name of the file of the HTML report; `None` if there is no report.
    pub(crate) report: Option<&'a str>,
    /// Properties of the data that the readers inferred.
    pub(crate) found: &'a Inferred,
    /// Number of bad rows (rows that cannot be parsed or learnt) that were skipped.
    pub(crate) skipped: u64,
    /// Training objective over all rows; `None` if the rows were not read again to compute it.
    pub(crate) objective: Option<f64>,
    pub(crate) seconds: f64,
    /// How the search for the optimum ended; `None` without a search.
    pub(crate) ended: Option<Ended>,
    /// If the search did not reach the optimum: a column that may be the cause, because its mean is large relative to its standard
    /// deviation, and the ratio of the two. Otherwise `None`.
    pub(crate) far: Option<(String, f64)>,
    /// Columns of the table of training data with their roles; [`Results::columns`] holds the warnings about them. `None` if the data are
    /// no table.
    pub(crate) taken: Option<Columns<'a>>,
    pub(crate) columns: Vec<Warning>,
    /// Reason why the model should not be used as it is, such as classes that can be separated perfectly; `None` if there is no such
    /// reason.
    pub(crate) caution: Option<Caution>,
    pub(crate) stop: Option<Stop>,
    /// Whether a run that was stopped goes on with `--resume`.
    pub(crate) is_resumable: bool,
    /// Shuffle seed; `None` if rows were not shuffled.
    pub(crate) shuffle: Option<u64>,
    /// Result of a test whether the model, or its reported loss, is significantly worse than the best constant prediction; `None` if
    /// neither is.
    pub(crate) loses: Option<WorseThanConstant>,
}

impl<'a> Results<'a> {
    /// Builds the results of a fit with this summary, of which nothing was saved.
    pub(crate) fn nothing(summary: &'a Summary, found: &'a Inferred) -> Results<'a> {
        Results {
            summary,
            model: None,
            test: None,
            unseen: None,
            report: None,
            found,
            skipped: 0,
            objective: None,
            seconds: 0.0,
            ended: None,
            far: None,
            taken: None,
            columns: Vec::new(),
            caution: None,
            stop: None,
            is_resumable: true,
            shuffle: None,
            loses: None,
        }
    }

    /// Builds the results of a fit that has only its model, saved under this name; the other fields are for the caller to set.
    pub(crate) fn of(
        model: &'a Model,
        name: &'a str,
        trainer: &Trainer,
        summary: &'a Summary,
        found: &'a Inferred,
    ) -> Results<'a> {
        let taken = Columns::of(model);
        let columns = taken.as_ref().map(|taken| columns::warnings(taken, trainer, model, found)).unwrap_or_default();
        let loses = trainer.loses_to_constant(model);
        Results { model: Some((model, name)), taken, columns, loses, ..Results::nothing(summary, found) }
    }
}

impl Results<'_> {
    /// Returns the results as JSON, for the last line of `--json`.
    pub(crate) fn event(&self) -> Value {
        let summary = self.summary;
        json!({
            "event": "done",
            "loss": number::number_or_null(summary.loss),
            "test_loss": number::number_or_null(self.test.and_then(|test| test.loss)),
            "test_metric": number::number_or_null(self.test.and_then(|test| test.score())),
            "objective": number::number_or_null(self.objective),
            "rows": summary.rows,
            "rows_zero_weight": summary.rows_zero_weight,
            "rows_skipped": self.skipped,
            "nnz": summary.nnz,
            "features": self.features(),
            "slots": self.slots(),
            "collisions": self.collisions(),
            "missing": self.found.missing(),
            "columns": self.taken.as_ref().map(Columns::object),
            "passes": summary.passes,
            "shuffle": self.shuffle.map(|seed| json!({ "seed": seed })),
            "seconds": number::number_or_null(Some(self.seconds)),
            "lane": number::number_or_null(self.model.and(summary.lane)),
            "penalty": self.model.map(|(model, _)| {
                let Penalty { l1, l2, path, standardize, .. } = model.settings.penalty;
                json!({"l1": l1, "l2": l2, "standardize": standardize, "chosen": path})
            }),
            "path_end": self.model.and_then(|(model, _)| model.path_end()).map(PathEnd::name),
            "caution": self.caution.map(|caution| caution.to_string()),
            "certificate": self.model.map_or_else(|| certificates::object(&[], &Settings::default()), |(model, _)| certificates::object(&model.certificates, &model.settings)),
            "model": self.model.map(|(_, name)| name),
            "unseen_values": self.unseen.map(UnseenSummary::values_object),
            "unseen_gaps": self.unseen.map(UnseenSummary::gaps_object),
            "order": warnings::order_object(self.order()),
            "warnings": self.warnings().iter().map(Warning::object).collect::<Vec<_>>(),
        })
    }

    /// Returns the alarm that the rows are not in random order, which makes the reported loss meaningless; `None` if it was not raised.
    pub(crate) fn order(&self) -> Option<&OrderAlarm> {
        self.model.and_then(|(model, _)| model.summary.order.as_ref())
    }

    /// Returns the number of distinct feature ids that have a weight; `None` if no model was saved.
    pub(crate) fn slots(&self) -> Option<u64> {
        self.model.map(|(model, _)| model.index.len() as u64)
    }

    /// Returns the number of distinct features before hashing (an estimate if there are many); `None` if no model was saved.
    pub(crate) fn features(&self) -> Option<u64> {
        Some(self.slots()?.max(self.found.distinct().unwrap_or(0)))
    }

    /// Returns the number of features whose hashed id coincides with that of another feature (an estimate if there are many); `None` if
    /// unknown.
    pub(crate) fn collisions(&self) -> Option<u64> {
        Some(self.features()? - self.slots()?)
    }

    /// Prints the results, the notes and the warnings.
    pub(crate) fn tell(&self, console: &Console) {
        let summary = self.summary;
        let rows = number::rows(summary.rows);
        console.say(&format!("{rows}, {} nonzeros, {:.2} s", number::count(summary.nnz), self.seconds));
        self.losses().iter().for_each(|line| console.say(line));
        if let Some(test) = self.test {
            console.say(&format!("test         {}", metrics::line(test)));
        }
        if let Some((model, name)) = self.model {
            let say =
                |name, lines| headed(name, lines).for_each(|(name, line)| console.say(&format!("{name:<13}{line}")));
            say("columns", self.taken.as_ref().map(Columns::short).unwrap_or_default());
            if let Some(coding) = labels::coding(&model.labels, &model.settings.reading.classes) {
                console.say(&format!("labels       {coding}"));
            }
            if let Some(scale) = summary.lane {
                console.say(&format!("lane         {}", lane(scale, summary)));
            }
            say("penalty", penalty(&model.settings, self.ended.is_some()));
            if let Some(value) = self.objective {
                let (value, objective) = (number::loss(Some(value)), objective(&model.settings));
                let comma = if objective.contains(" with ") { "," } else { "" };
                console.say(&format!("objective    {value}, the {objective}{comma} of the model on the rows of DATA"));
            }
            say("certificate", certificates::words(&model.certificates, &model.settings));
            let features = number::count(self.features().unwrap_or_default());
            console.say(&format!("model        {name}, {features} features"));
            if let Some(report) = self.report {
                console.say(&format!("report       {report}"));
            }
            console.say(&format!("next         {}", self.next(name)));
        }
        self.note(console);
        self.note_end(console);
        self.warnings().iter().for_each(|warning| console.warn(&warning.message));
    }

    /// Prints notes about how the choice of a penalty or the search for the optimum ended, if it did not end as intended.
    fn note_end(&self, console: &Console) {
        if let Some((model, _)) = self.model {
            if let Some(end) = model.path_end() {
                console.note(&end.to_string());
            } else if model.settings.penalty.path.is_some() && self.ended.is_some() && model.summary.path.is_empty() {
                console.note("too few rows to hold one out: no penalty was chosen");
            }
        }
        match self.ended {
            Some(Ended::Unattained) if self.caution.is_none() => console.note(
                "the loss falls for ever as weights that nothing holds grow; a --penalty-factor above 0 holds them",
            ),
            Some(Ended::Stalled | Ended::Exhausted) => {
                let far = self.far.as_ref().map_or_else(String::new, |(name, ratio)| {
                    let or = self
                        .model
                        .filter(|(model, _)| !model.settings.intercept)
                        .map_or("", |_| ", or keep the intercept");
                    format!("; the column '{name}' has a mean of {ratio:.1e} of its spreads: subtract the mean{or}")
                });
                console.note(&format!("not converged to --tol: the best model found is saved{far}"));
            }
            _ => {}
        }
    }

    /// Prints notes about the data, such as missing cells and hash collisions.
    fn note(&self, console: &Console) {
        self.found.notes().iter().for_each(|note| console.note(note));
        self.unseen
            .iter()
            .flat_map(|unseen| unseen.notes())
            .for_each(|note| console.note(&format!("test rows: {note}")));
        let missing = self.found.missing();
        if !missing.is_empty() {
            let cells: Vec<_> = missing.iter().map(|(column, cells)| format!("{cells} in {column}")).collect();
            console.note(&format!("missing cells: {}", cells.join(", ")));
        }
        if let Some(collisions @ 1..) = self.collisions() {
            let (collisions, slots) = (number::count(collisions), number::count(self.slots().unwrap_or_default()));
            console.note(&format!("{collisions} hash collisions of features in {slots} slots; raise --bits"));
        }
    }

    /// Returns a line with the reported loss and that of the best constant prediction, and, if the order of the rows makes the reported
    /// loss meaningless, a line with the loss of the model on its training rows.
    fn losses(&self) -> Vec<String> {
        let summary = self.summary;
        let (loss, constant) = (number::loss(summary.loss), number::loss(summary.loss_constant));
        let beside = format!("{loss}, that of the best constant {constant}");
        if self.ended.is_some() && summary.weight == 0.0 {
            // No row was scored before the search.
            return Vec::new();
        }
        if self.ended.is_some() {
            // The loss is that of the lanes in the first pass, which have no part in the model.
            return vec![format!("first pass   loss {beside}; not the loss of the model")];
        }
        let order = self.order().map(|alarm| {
            let loss = warnings::order_loss(alarm);
            format!("             but the model loses {loss} on the rows it was trained on: their order is not random")
        });
        [format!("loss         {beside}")].into_iter().chain(order).collect()
    }

    /// Returns the warnings about the run and the model.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.summary.loss.is_none() && self.summary.weight > 0.0 {
            let message =
                "losses are too large to be added up: the values or labels of a row are out of all proportion";
            warnings.push(Warning::new("loss_overflow", message));
        }
        if let Some((model, _)) = self.model {
            if model.index.is_empty() && self.summary.weight > 0.0 {
                let message = "no row had a feature other than 0: the model predicts the same for all rows; look at the columns, and at \
                            --ignore and --keep";
                warnings.push(Warning::new("no_features", message));
            }
            warnings.extend(self.order().map(|alarm| warnings::order(alarm, &model.settings)));
            warnings.extend(self.loses.map(|loses| warnings::constant(loses, self.summary, &model.settings)));
        }
        if let Some(caution) = self.caution {
            let message = format!("{caution}; --l2 auto chooses a penalty that holds them, --l2 X sets one");
            warnings.push(Warning::new("no_penalty", message));
        }
        if let Some((model, _)) = self.model
            && let [only] = model.labels.all()[..]
        {
            let label = labels::label(only, &model.settings.reading.classes);
            let message = format!("only one class in the data: {label}; train on with rows of another class");
            warnings.push(Warning::new("one_label", message));
        }
        warnings.extend(self.columns.iter().cloned());
        if let Some(warning) = self.unseen.and_then(UnseenSummary::warning) {
            warnings.push(Warning { message: format!("test rows: {}", warning.message), ..warning });
        }
        warnings
    }

    fn next(&self, name: &str) -> String {
        match (self.stop, self.test) {
            (Some(stop), _) if !stop.finishes() && self.is_resumable => {
                format!("surefoot fit DATA --resume {name} -o {name}   # the same DATA: goes on from here")
            }
            (_, None) => format!("surefoot eval {name} TEST"),
            (_, Some(_)) => format!("surefoot predict {name} NEW -o predictions.txt"),
        }
    }
}

fn lane(scale: f64, summary: &Summary) -> String {
    let scale = number::shortest(scale);
    match (summary.lanes.first(), summary.lanes.last()) {
        (Some(first), Some(last)) if summary.lanes.len() > 1 => {
            format!("{scale} of {} to {}", number::shortest(first.scale), number::shortest(last.scale))
        }
        _ => scale,
    }
}

/// Describes the chosen penalty in words; if the optimum was found, adds the command that yields the same model without a choice of
/// penalty.
fn penalty(settings: &Settings, is_optimum: bool) -> Vec<String> {
    let Penalty { l1, l2, path, standardize, .. } = settings.penalty;
    let Some(axis) = path else { return Vec::new() };
    let (name, chosen) = match axis {
        PenaltyTerm::L1 => ("--l1", l1),
        PenaltyTerm::L2 => ("--l2", l2),
    };
    let chosen = number::shortest(chosen);
    let units = if standardize { " --standardize yes" } else { "" };
    let mut lines =
        vec![format!("{name} {chosen}{units}, chosen by held-out loss; surefoot inspect shows the whole path")];
    let typed = typed::words();
    let again = command_line::with_penalty(&typed, name, &chosen, standardize).filter(|_| is_optimum);
    lines.extend(again.map(|command| format!("the same model by: surefoot {command}")));
    lines
}

/// Describes the training objective as a formula.
pub(crate) fn objective(settings: &Settings) -> String {
    let Penalty { l1, l2, bounds, standardize, .. } = settings.penalty;
    let terms = match standardize {
        true => [(l1, "·‖M·w‖₁"), (0.5 * l2, "·‖M·w‖²")],
        false => [(l1, "·‖w‖₁"), (0.5 * l2, "·‖w‖²")],
    };
    let terms = terms.iter().filter(|(factor, _)| *factor > 0.0);
    let terms: String = terms.map(|(factor, of)| format!(" + {}{of}", number::shortest(*factor))).collect();
    let factors = if settings.groups.factors.is_empty() { "" } else { " times penalty factors" };
    let within = match (bounds.is_free(), settings.groups.bounds.is_empty()) {
        (true, true) => String::new(),
        (true, false) => " with some weights in bounds".to_owned(),
        (false, true) => format!(" with weights {}", range(bounds)),
        (false, false) => format!(" with weights {} and some in other bounds", range(bounds)),
    };
    let units = if standardize && !terms.is_empty() { " (--standardize yes: M_j is the largest |x_j|)" } else { "" };
    format!("mean loss{terms}{factors}{units}{within}")
}

/// Describes lower and upper bounds of weights in words.
fn range(bounds: Bounds) -> String {
    let (low, high) = (number::shortest(bounds.low()), number::shortest(bounds.high()));
    match (bounds.low().is_finite(), bounds.high().is_finite()) {
        (true, true) => format!("from {low} to {high}"),
        (true, false) => format!("of at least {low}"),
        (false, true) => format!("of at most {high}"),
        (false, false) => "of any size".to_owned(),
    }
}

/// Describes the groups of features that have penalty factors or bounds of their own.
pub(crate) fn groups(settings: &Settings) -> Vec<(&'static str, String)> {
    let factors = settings.groups.factors.iter().map(|(name, factor)| format!("{name} {}", number::shortest(*factor)));
    let bounds = settings.groups.bounds.iter().map(|(name, bounds)| format!("{name} {}", range(*bounds)));
    let lists = [("factors", factors.collect::<Vec<_>>()), ("bounds", bounds.collect())];
    lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(what, list)| (what, list.join(", "))).collect()
}

/// Describes the loss and the labels that it expects.
pub(crate) fn task(loss: Loss) -> String {
    let text = number::shortest;
    match loss {
        Loss::Logistic => "logistic loss of two classes".to_owned(),
        Loss::Squared => "squared loss of numbers (half the squared error)".to_owned(),
        Loss::Huber { delta } => format!("Huber loss of numbers (half the squared error up to {})", text(delta)),
        Loss::Absolute => "absolute loss of numbers".to_owned(),
        Loss::Quantile { tau } => format!("pinball loss of numbers (the quantile {})", text(tau)),
        Loss::Hinge => "hinge loss of two classes".to_owned(),
        Loss::SquaredHinge => "squared hinge loss of two classes".to_owned(),
        Loss::SmoothedHinge => "smoothed hinge loss of two classes".to_owned(),
        Loss::Poisson => "Poisson loss of counts, with a log link".to_owned(),
        Loss::Gamma => "gamma loss of positive amounts, with a log link".to_owned(),
        Loss::Softmax => "softmax loss of any number of classes".to_owned(),
        Loss::Ovr => "logistic loss of each class against the rest".to_owned(),
        Loss::Tweedie { power } => format!("Tweedie loss of amounts (power {}), with a log link", text(power)),
    }
}
