//! Options for reading rows: built from flags, or taken from a model and compared with the flags.

use super::{
    cli::data::{DataArgs, MissingName, YesNo},
    settings::compare,
    values::Columns,
};
use crate::failure::Failure;
use std::sync::Arc;
use surefoot_glm::{FeatureGroups, FeatureKey, Missing, Model, Role, Schema, Settings, TableSchema};
use surefoot_io::{Accepts, ColumnSelection, Format, Inferred, Options, columns_meant};

/// Returns the options for reading the training rows of a new model.
pub(crate) fn of_flags(flags: &DataArgs, settings: &Settings) -> Options {
    let format = flags.format.and_then(|format| Format::named(format.name()));
    let table = TableSchema {
        delimiter: flags.delimiter,
        quote: flags.quote,
        decimal: flags.decimal.filter(|&decimal| decimal == ','),
        missing: flags.missing.map(Missing::from).unwrap_or_default(),
        na: list(&flags.na),
        no_default_na: flags.no_default_na,
        ..TableSchema::default()
    };
    let reading = Schema {
        by: format.map_or(FeatureKey::Index, |format| format.by),
        index_base: flags.index_base.unwrap_or(0),
        bits: flags.bits,
        interact: flags.interact.clone(),
        keep: list(&flags.keep),
        ignore: list(&flags.ignore),
        table,
        classes: Vec::new(),
    };
    Options {
        format,
        reading,
        wanted: wanted(flags),
        unlabelled: false,
        // Shares of successes are numbers, not class labels.
        classes: settings.loss.classifies() && flags.trials.is_none(),
        groups: FeatureGroups::default(),
        accepts: Accepts::default(),
        found: Arc::new(Inferred::default().with_many_classes(settings.loss.is_multiclass())),
        ..Options::default()
    }
}

/// Returns the options for reading new data for an existing model; an error if a flag contradicts the model. The format may differ from that
/// of the training data.
pub(crate) fn of_model(flags: &DataArgs, model: &Model, name: &str) -> Result<Options, Failure> {
    let reading = &model.settings.reading;
    check(flags, reading, name)?;
    Ok(Options {
        format: flags.format.and_then(|format| Format::named(format.name())),
        reading: reading.clone(),
        wanted: wanted(flags),
        unlabelled: false,
        classes: model.settings.loss.classifies() && !model.labels.shares,
        groups: FeatureGroups::default(),
        accepts: Accepts::default(),
        found: Arc::new(
            Inferred::of_model(reading, &model.names).with_many_classes(model.settings.loss.is_multiclass()),
        ),
        ..Options::default()
    })
}

fn wanted(flags: &DataArgs) -> ColumnSelection {
    ColumnSelection {
        header: flags.header.map(|header| header == YesNo::Yes),
        delimiter: flags.delimiter,
        quote: flags.quote,
        decimal: flags.decimal,
        label: flags.label.clone(),
        weight: flags.weight.clone(),
        trials: flags.trials.clone(),
        offset: flags.offset.clone(),
        exposure: flags.exposure.clone(),
        categorical: list(&flags.categorical),
        text: list(&flags.text),
        numeric: list(&flags.numeric),
        ignore: list(&flags.ignore),
        ..ColumnSelection::default()
    }
}

fn list(columns: &[Columns]) -> Vec<String> {
    columns.iter().flat_map(|columns| &columns.0).cloned().collect()
}

/// Returns the roles of those columns of the model that new data may lack: offset and exposure with `--rates`, row weight and trials with
/// `--unweighted`.
pub(crate) fn without(rates: bool, unweighted: bool, model: &Model, name: &str) -> Result<Vec<Role>, Failure> {
    let table = &model.settings.reading.table;
    let has = |role: Role| table.is_unknown() || table.columns.iter().any(|column| column.role == role);
    if rates && !has(Role::Offset) && !has(Role::Exposure) {
        return Err(Failure::usage(format!("{name}: --rates is for models with --exposure or --offset; leave it out")));
    }
    if unweighted && !has(Role::Weight) && !has(Role::Trials) {
        let message = "--unweighted is for models with --weight or --trials; leave it out";
        return Err(Failure::usage(format!("{name}: {message}")));
    }
    let offsets = if rates { &[Role::Offset, Role::Exposure][..] } else { &[] };
    let weights = if unweighted { &[Role::Weight, Role::Trials][..] } else { &[] };
    Ok(offsets.iter().chain(weights).copied().collect())
}

/// Returns an error if a flag contradicts the stored description of how the training data of the model were read.
fn check(flags: &DataArgs, reading: &Schema, model: &str) -> Result<(), Failure> {
    let base = |base: u8| format!("--index-base {base}");
    let bits = |bits: Option<u8>| bits.map_or_else(|| "no --bits".to_owned(), |bits| format!("--bits {bits}"));
    let pairs = |pairs: &[(String, String)]| flag("--interact", pairs.iter().map(|(a, b)| format!("{a}:{b}")));
    let missing = |missing: Missing| {
        let name = match missing {
            Missing::Refuse => MissingName::Error,
            Missing::Indicator => MissingName::Indicator,
            Missing::Mean => MissingName::Mean,
        };
        format!("--missing {name:?}").to_lowercase()
    };
    flags.index_base.map_or(Ok(()), |given| compare(model, &base(given), &base(reading.index_base)))?;
    flags.bits.map_or(Ok(()), |given| compare(model, &bits(Some(given)), &bits(reading.bits)))?;
    if !flags.interact.is_empty() {
        compare(model, &pairs(&flags.interact), &pairs(&reading.interact))?;
    }
    if !flags.keep.is_empty() {
        compare(model, &flag("--keep", list(&flags.keep)), &flag("--keep", reading.keep.clone()))?;
    }
    if !flags.na.is_empty() {
        compare(model, &flag("--na", list(&flags.na)), &flag("--na", reading.table.na.clone()))?;
    }
    if flags.no_default_na && !reading.table.no_default_na {
        compare(model, "--no-default-na", "no --no-default-na")?;
    }
    if let Some(given) = flags.missing {
        compare(model, &missing(given.into()), &missing(reading.table.missing))?;
    }
    check_columns(flags, reading, model)
}

/// Returns an error if a flag gives a column a role other than the one that it has in the model.
fn check_columns(flags: &DataArgs, reading: &Schema, model: &str) -> Result<(), Failure> {
    let wanted = wanted(flags);
    let names: Vec<&str> = reading.table.columns.iter().map(|column| column.name.as_str()).collect();
    for (name, role, given) in wanted.roles() {
        let with: Vec<_> = reading.table.columns.iter().filter(|column| column.role == role).collect();
        let namespace = |given: &String| role == Role::Ignored && reading.ignore.contains(given);
        let has = |given: &String| {
            let meant = columns_meant(&names, given);
            // A column that the model does not know may be ignored.
            let is_new = role == Role::Ignored && meant.is_empty() && !reading.table.is_unknown();
            let is_used_so = || !meant.is_empty() && meant.iter().all(|&n| reading.table.columns[n].role == role);
            namespace(given) || is_new || is_used_so()
        };
        if let Some(wrong) = given.iter().find(|given| !has(given)) {
            let has = flag(name, with.iter().map(|column| column.name.clone()));
            compare(model, &format!("{name} {wrong}"), &has)?;
        }
    }
    Ok(())
}

fn flag(name: &str, values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<_> = values.into_iter().collect();
    if values.is_empty() { format!("no {name}") } else { format!("{name} {}", values.join(",")) }
}
