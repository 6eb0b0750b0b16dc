//! `surefoot predict`: writes one prediction per row, in the order of the rows.

mod distributed;

use crate::{
    apply::{
        predictions::{self, PredictError, Predictions},
        start,
        told::Told,
    },
    distributed::engines::{Engines, passed_on},
    failure::Failure,
    flags::{cli::PredictArgs, inputs},
    process::signals::Signals,
    terminal::{
        console::Console,
        unseen::{Unseen, UnseenSummary},
    },
};
use std::{io::IsTerminal, path::Path};
use surefoot_fit::{Data, Prediction};
use surefoot_glm::Model;
use surefoot_io::{InputName, Options, Output, load_model};

pub(crate) fn run(args: &PredictArgs, engines: Engines<'_>) -> Result<(), Failure> {
    if let Some(passed) = passed_on(&args.engine, &engines) {
        return passed;
    }
    let (model, data) = (load_model(Path::new(&args.model))?, inputs::data(&args.data)?);
    let options = start::predict(args, &model, &name(args), data.inputs())?;
    let predicted = match args.engine.engine {
        None => here(args, &model, &data, &options)?,
        Some(_) => distributed::run(args, &model, &data, &options, engines)?,
    };
    if let Some((unseen, told)) = predicted {
        predictions::tell(args.on_error, &told, &unseen, &Console::new(args.quiet, false));
    }
    Ok(())
}

fn name(args: &PredictArgs) -> String {
    Path::new(&args.model).display().to_string()
}

/// Predicts the rows in this process. Returns `None` if nobody reads the predictions any more.
fn here(
    args: &PredictArgs,
    model: &Model,
    data: &Data,
    options: &Options,
) -> Result<Option<(UnseenSummary, Told)>, Failure> {
    let unsupported = |found| start::unsupported(&found, &name(args));
    let response = start::response(args.kind, model.settings.loss).map_err(unsupported)?;
    let mut prediction = Prediction::new(model, response).map_err(unsupported)?;
    // Installed before a file exists that a signal could leave behind.
    Signals::end_at_once(&args.output);
    let output = open(args, data)?;
    let mut lines = Predictions::new(args, model, response, output, is_shown(args));
    let mut unseen = Unseen::new(model, &options.found);
    let written = lines.write_all(&mut prediction, data, options, &mut unseen);
    let committed = written.and_then(|()| match lines.told.rows {
        0 => Ok(()),
        _ => lines.output.commit().map_err(PredictError::Write),
    });
    match committed {
        Ok(()) if lines.told.rows == 0 => Err(Failure::data(format!("{data}: there are no rows"))),
        Ok(()) => Ok(Some((unseen.summary(&options.found), lines.told))),
        // The reader of the pipe has gone away: nothing is left to do or to report.
        Err(PredictError::Write(error)) if error.is_broken_pipe() => Ok(None),
        Err(error) => error.failure().map_or(Ok(None), Err),
    }
}

/// Opens the output, which is none of the inputs.
fn open(args: &PredictArgs, data: &Data) -> Result<Output, Failure> {
    let output = Output::create(&args.output)?;
    output.check_distinct(data.inputs())?;
    output.check_distinct(&[InputName::Path(args.model.clone().into())])?;
    Ok(output)
}

/// Whether the predictions are shown on a terminal.
fn is_shown(args: &PredictArgs) -> bool {
    args.output == "-" && std::io::stdout().is_terminal()
}
