//! Evaluation of a model as `eval` and `fit --test` show it: with values that training never saw.

use super::unseen::{Unseen, UnseenSummary};
use crate::words::labels;
use surefoot_fit::{Data, Evaluation, Interrupt, LabelFault, Labelled};
use surefoot_glm::{Measured, Model, PlotData};
use surefoot_io::Options;

/// The result of scoring a model on rows.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) measured: Measured,
    /// Curves to draw.
    pub(crate) plot_data: PlotData,
    /// Values and gaps that training never saw.
    pub(crate) unseen: UnseenSummary,
}

/// Labelled rows whose errors name flags.
pub(crate) fn labelled(data: &Data, options: Options) -> Labelled<'_> {
    Labelled { explain, ..Labelled::new(data, options) }
}

/// How good the model is on these rows.
pub(crate) fn measure(rows: &mut Labelled<'_>, model: &Model) -> Result<Findings, Interrupt> {
    let found = rows.options.found.clone();
    let mut unseen = Unseen::new(model, &found);
    let Evaluation { measured, plot_data } = rows.evaluate(model, |row, count, tally, options| {
        unseen.add(row, count, |id| tally.knows(id), &options.found);
    })?;
    Ok(Findings { measured, plot_data, unseen: unseen.summary(&found) })
}

fn explain(fault: &LabelFault, options: &Options) -> String {
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
