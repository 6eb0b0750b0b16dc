//! Evaluation of a model for `eval` and `fit --test`, with counts of values not seen in training.

use super::{
    console::Console,
    metrics,
    unseen::{Unseen, UnseenSummary},
    warnings::Warning,
};
use crate::{failure::Failure, words::labels};
use serde_json::Value;
use surefoot_fit::{Data, Evaluation, Interrupt, LabelFault, Labelled};
use surefoot_glm::{Measured, Model, PlotData};
use surefoot_io::Options;

/// Result of evaluating a model on labelled rows.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) measured: Measured,
    /// Data for the curves in the HTML report.
    pub(crate) plot_data: PlotData,
    /// Counts of category values and missing cells in columns where training had none.
    pub(crate) unseen: UnseenSummary,
}

impl Findings {
    /// Returns an error if there was nothing to measure in data of this name.
    pub(crate) fn check(&self, data: &str) -> Result<(), Failure> {
        match self.measured.weight == 0.0 {
            true => Err(Failure::data(format!("{data}: the total weight is zero: there is nothing to measure"))),
            false => Ok(()),
        }
    }

    /// Prints the notes of the readers, and what did not occur in training.
    pub(crate) fn tell(&self, notes: &[String], console: &Console) {
        notes.iter().chain(&self.unseen.notes()).for_each(|note| console.note(note));
        self.unseen.warning().iter().for_each(|warning| console.warn(&warning.message));
    }

    /// Returns everything as JSON, given the labels of the classes.
    pub(crate) fn object(&self, labels: &[String]) -> Value {
        let mut object = metrics::object(&self.measured, labels);
        object["unseen_values"] = self.unseen.values_object();
        object["unseen_gaps"] = self.unseen.gaps_object();
        object["warnings"] = self.unseen.warning().iter().map(Warning::object).collect();
        object
    }
}

/// Prepares labelled rows for evaluation; their error messages name flags of the command line.
pub(crate) fn labelled(data: &Data, options: Options) -> Labelled<'_> {
    Labelled { explain, ..Labelled::new(data, options) }
}

/// Evaluates the model on labelled rows, and counts feature values not seen in training.
pub(crate) fn measure(rows: &mut Labelled<'_>, model: &Model) -> Result<Findings, Interrupt> {
    let found = rows.options.found.clone();
    let mut unseen = Unseen::new(model, &found);
    let Evaluation { measured, plot_data } = rows.evaluate(model, |row, count, tally, options| {
        unseen.add(row, count, |id| tally.knows(id), &options.found);
    })?;
    Ok(Findings { measured, plot_data, unseen: unseen.summary(&found) })
}

/// Words the message for a label that cannot be used, with flags that would help.
pub(crate) fn explain(fault: &LabelFault, options: &Options) -> String {
    let texts = || options.found.classes();
    match fault {
        LabelFault::Share => "a share of successes is needed, between 0 and 1, as --trials has it".to_owned(),
        LabelFault::Third { known, loss } => {
            let [a, b] = known.map(|label| labels::label(label, &texts()));
            let remedy = "for more use --loss softmax, for numbers --loss squared";
            format!("a third label beside {a} and {b}; --loss {} knows two classes; {remedy}", loss.name())
        }
        LabelFault::Unknown { known } => {
            format!("not a label that the model was trained on ({})", labels::list_of(known, &texts()))
        }
        other => other.to_string(),
    }
}
