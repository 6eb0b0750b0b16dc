//! Notes and warnings about settings of a fit that had no effect, since nothing in the data is called so.

use super::console::Console;
use crate::words::unmet;
use surefoot_fit::{UnusedGroups, unmet_names};
use surefoot_glm::{ClassWeights, Model};
use surefoot_io::Options;

/// Tells which names given in flags met nothing in the data. Features are looked for only in a run that is `finished`, over `rows` rows.
pub(crate) fn tell(model: &Model, options: &Options, finished: bool, rows: u64, console: &Console) {
    for label in weighted_in_vain(model) {
        console.note(&format!("--class-weight: no row has the label '{label}'"));
    }
    if finished {
        let absent = unmet::warnings(&unmet_names(options), rows);
        let (factors, bounds) = model.unused_groups();
        grouped_in_vain(&factors, &bounds).into_iter().chain(absent).for_each(|says| console.warn(&says));
    }
}

/// Tells which groups of features in the settings of a fit over shards met no feature.
pub(crate) fn tell_groups(unused: &UnusedGroups, console: &Console) {
    grouped_in_vain(&unused.factors, &unused.bounds).iter().for_each(|says| console.warn(says));
}

/// Returns a warning for each of these names of `--penalty-factor` and of `--bounds` whose group contains no feature.
fn grouped_in_vain<S: AsRef<str>>(factors: &[S], bounds: &[S]) -> Vec<String> {
    let flags = factors.iter().map(|name| ("--penalty-factor", name.as_ref()));
    let flags = flags.chain(bounds.iter().map(|name| ("--bounds", name.as_ref())));
    let says = |(flag, name): (&str, &str)| {
        format!(
            "{flag} {name}: no feature is in a namespace, column or range of indices that is called so, or flags behind it \
             overrule it; surefoot export lists the features"
        )
    };
    flags.map(says).collect()
}

/// Returns the labels for which `--class-weight` gives a weight although they occur in no row.
fn weighted_in_vain(model: &Model) -> Vec<&str> {
    let Some(ClassWeights::Given(pairs)) = &model.settings.class_weights else { return Vec::new() };
    let (met, texts) = (model.labels.all(), &model.settings.reading.classes);
    let is_met = |text: &str| match texts.iter().find(|class| class.text == text) {
        Some(class) => met.contains(&class.code),
        None => texts.is_empty() && text.parse().is_ok_and(|label: f64| met.contains(&label)),
    };
    pairs.iter().map(|(text, _)| text.as_str()).filter(|text| !is_met(text)).collect()
}
