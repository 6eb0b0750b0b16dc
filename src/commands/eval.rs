//! `surefoot eval`: how good a model is on labelled rows.

use crate::{
    cli::EvalArgs,
    confusion,
    failure::Failure,
    measure::Sample,
    reading,
    report::{self, number_or_null},
    results, rows,
    session::Halt,
    settings,
    signals::Signals,
    watch::{Stop, Watch},
};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path};
use surefoot_glm::Measured;
use surefoot_io::load_model;

pub(crate) fn run(args: &EvalArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let name = path.display().to_string();
    let model = load_model(path)?;
    settings::check(&args.settings, &model.settings, &name)?;
    let options = reading::of_model(&args.reading, &model, &name)?;
    let inputs = rows::inputs(&args.data)?;
    let watch = Watch { signals: Signals::catch(""), deadline: None };
    let measured = match (Sample { inputs: &inputs, options, watch: &watch }).measure(&model) {
        Ok(measured) => measured,
        Err(Halt::Failure(failure)) => return Err(failure),
        Err(Halt::Stop(Stop::Signal(signal))) => return Err(Failure::signalled(signal, signal.name())),
        Err(Halt::Stop(Stop::Budget | Stop::Gap)) => return Ok(()),
    };
    if measured.weight == 0.0 {
        let names = rows::names(&inputs);
        return Err(Failure::data(format!("{names}: the total weight is zero: there is nothing to measure")));
    }
    let labels = confusion::labels(&model);
    let text = if args.talk.json { format!("{}\n", object(&measured, &labels)) } else { table(&measured, &labels) };
    report::print(text.as_bytes())
}

fn object(measured: &Measured, labels: &[String]) -> Value {
    json!({
        "rows": measured.rows,
        "weight": number_or_null(Some(measured.weight)),
        "loss": number_or_null(measured.loss),
        "log_loss": number_or_null(measured.log_loss),
        "accuracy": number_or_null(measured.accuracy),
        "auc": number_or_null(measured.auc),
        "auc_error": number_or_null(measured.auc.map(|_| measured.auc_error)),
        "mse": number_or_null(measured.mse),
        "rmse": number_or_null(measured.rmse),
        "mae": number_or_null(measured.mae),
        "r2": number_or_null(measured.r2),
        "deviance": number_or_null(measured.deviance),
        "d2": number_or_null(measured.d2),
        "confusion": measured.confusion.as_ref().map(|confusion| confusion::object(confusion, labels)),
    })
}

fn table(measured: &Measured, labels: &[String]) -> String {
    let mut text = String::new();
    let counts = [("rows", measured.rows.to_string()), ("weight", crate::number::shortest(measured.weight))];
    for (name, value) in counts.into_iter().chain(results::pairs(measured)) {
        let _ = writeln!(text, "{name:<10}{value}");
    }
    if measured.auc_error > 0.0 {
        let _ =
            writeln!(text, "AUC is within {:.1e} of its exact value (more than a million rows)", measured.auc_error);
    }
    if let Some(confusion) = &measured.confusion {
        text += &confusion::table(confusion, labels);
    }
    text
}
