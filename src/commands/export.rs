//! `surefoot export`: writes the weights of a model as text, or a copy of the model without the state needed for further training.

use crate::{
    failure::Failure,
    flags::cli::{ExportArgs, Exported},
    terminal::confusion,
    words::{labels, number::Shortest},
};
use serde_json::json;
use std::{
    io::{self, Write},
    path::Path,
};
use surefoot_glm::{FeatureKey, Model};
use surefoot_io::{InputName, Output, load_model, save_model};

pub(crate) fn run(args: &ExportArgs) -> Result<(), Failure> {
    let format = format(args)?;
    let path = Path::new(&args.model);
    let mut output = Output::create(&args.output)?;
    output.check_distinct(&[InputName::Path(path.to_owned())])?;
    let model = load_model(path)?;
    let written = match format {
        Exported::Csv => csv(&model, &mut output),
        Exported::Json => json(&model, &mut output),
        Exported::Surefoot => {
            let state = model.state.clone().filter(|_| !args.slim);
            let unfinished = model.unfinished.clone().filter(|_| !args.slim);
            save_model(&Model { state, unfinished, ..model }, &mut output)
        }
    };
    let committed = written.map_err(|error| output.error(error)).and_then(|()| output.commit());
    match committed {
        // The reader of the pipe has gone away: nothing is left to do or to report.
        Err(error) if error.is_broken_pipe() => Ok(()),
        other => Ok(other?),
    }
}

/// Returns the output format: the one given by `--to`, otherwise the one implied by the extension of the output file.
fn format(args: &ExportArgs) -> Result<Exported, Failure> {
    let extension = Path::new(&args.output).extension().and_then(|extension| extension.to_str());
    let format = match (args.to, extension) {
        (Some(format), _) => format,
        (None, Some("csv")) => Exported::Csv,
        (None, Some("json")) => Exported::Json,
        (None, Some("surefoot")) => Exported::Surefoot,
        (None, None) if args.output == "-" => Exported::Csv,
        _ => {
            let name = Path::new(&args.output).display();
            let message = "its extension is none of csv, json, surefoot: say --to csv, --to json or --to surefoot";
            return Err(Failure::usage(format!("{name}: {message}")));
        }
    };
    match format {
        Exported::Csv | Exported::Json if args.slim => {
            Err(Failure::usage("--slim leaves out the state of training, which only a .surefoot file has"))
        }
        format => Ok(format),
    }
}

/// Returns the names of the features that share the weight with this id: several if names were hashed to the same id. If no name is stored,
/// the result is the index for svmlight data without hashing, otherwise one empty name.
fn names(model: &Model, id: u64) -> Vec<String> {
    let reading = &model.settings.reading;
    let is_index = reading.by == FeatureKey::Index && reading.bits.is_none();
    let kept: Vec<String> = model.names.all(id).map(str::to_owned).collect();
    match kept.is_empty() {
        true => vec![if is_index { id.to_string() } else { String::new() }],
        false => kept,
    }
}

fn csv(model: &Model, to: &mut impl Write) -> io::Result<()> {
    let mut digits = Shortest::default();
    let mut line = |head: String, weights: &[f64]| {
        write!(to, "{head}")?;
        weights.iter().try_for_each(|&weight| write!(to, ",{}", digits.of(weight)))?;
        writeln!(to)
    };
    let columns = if model.settings.loss.is_multiclass() {
        let labels = confusion::labels(model);
        labels.iter().map(|label| cell(&format!("weight:{label}"))).collect::<Vec<_>>().join(",")
    } else {
        "weight".to_owned()
    };
    line(format!("feature,slot,{columns}"), &[])?;
    line("(intercept),".to_owned(), &model.intercept)?;
    for (&id, weights) in model.index.iter().zip(model.weight.chunks(model.intercept.len().max(1))) {
        names(model, id).iter().try_for_each(|name| line(format!("{},{id}", cell(name)), weights))?;
    }
    Ok(())
}

/// Formats a feature name as a CSV cell. A name that a spreadsheet would read as a formula, or that begins with an apostrophe, is prefixed
/// with an apostrophe, which the reader can remove to restore the name.
fn cell(name: &str) -> String {
    let safe =
        if name.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']) { format!("'{name}") } else { name.to_owned() };
    if safe.contains([',', '"', '\n', '\r']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe }
}

fn json(model: &Model, to: &mut impl Write) -> io::Result<()> {
    let classes = &model.settings.reading.classes;
    let text = |label: Option<f64>| label.map(|label| labels::label(label, classes));
    let many = model.settings.loss.is_multiclass();
    let labels = match many {
        true => json!(confusion::labels(model)),
        false => json!({"positive": text(model.labels.positive), "negative": text(model.labels.negative)}),
    };
    // One number, or an array with one number per class.
    let numbers = |weights: &[f64]| if many { json!(weights) } else { json!(weights.first()) };
    let head = json!({"loss": model.settings.loss.name(), "labels": labels, "intercept": numbers(&model.intercept)});
    let head = head.to_string();
    write!(to, "{},\"weights\":[", head.strip_suffix('}').unwrap_or(&head))?;
    let columns = model.intercept.len().max(1);
    let mut comma = "\n";
    for (&id, weights) in model.index.iter().zip(model.weight.chunks(columns)) {
        for name in names(model, id) {
            write!(to, "{comma}{}", json!({"feature": name, "slot": id, "weight": numbers(weights)}))?;
            comma = ",\n";
        }
    }
    writeln!(to, "\n]}}")
}
