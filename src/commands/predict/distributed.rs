//! `surefoot predict --engine`: predictions of several processes.

use super::{is_shown, open};
use crate::{
    apply::told::Told,
    distributed::{
        engines::{Carried, Engines, carry_out},
        predict,
    },
    failure::Failure,
    flags::{cli::PredictArgs, values::Engine},
    process::{signals::Signals, stop, typed},
    terminal::{console::Console, reporter::Reporter, unseen::UnseenSummary},
};
use std::{fs::File, io, path::PathBuf};
use surefoot_fit::Data;
use surefoot_glm::Model;
use surefoot_io::{Error, Options, Output, PartsFolder};

/// Where the predictions go.
enum Target {
    /// Each shard has a file in a folder.
    Folder,
    /// The files of the shards are put together.
    Whole(Output, PartsFolder),
}

/// Predicts the rows with workers of an engine. Returns `None` if nobody reads the predictions any more.
pub(super) fn run(
    args: &PredictArgs,
    model: &Model,
    data: &Data,
    options: &Options,
    engines: Engines<'_>,
) -> Result<Option<(UnseenSummary, Told)>, Failure> {
    let job = predict::job(&typed::words(), args, model, data, options)?;
    let signals = Signals::catch([&args.output]);
    let (target, folder) = target(args, data)?;
    let job = job.with_parts(predict::parts(&folder, is_shown(args))?);
    predict::open_folder(&job, data)?;
    let files = job.files()?;
    let reporter = Reporter::new(Console::new(args.quiet, false), false, 1, None);
    let Carried { result, .. } = carry_out(job, &stop::conditions(&signals), reporter, engines)?;
    if let Some(signal) = signals.caught() {
        return Err(Failure::signalled(signal, ""));
    }
    let found = predict::found(&result, model, &data.to_string())?;
    if let Target::Whole(mut output, _parts) = target {
        match put_together(&files, &mut output) {
            // The reader of the pipe has gone away: nothing is left to do or to report.
            Err(error) if error.is_broken_pipe() => return Ok(None),
            written => written?,
        }
    }
    Ok(Some(found))
}

/// Returns where the predictions go, with the folder for the files of the shards.
fn target(args: &PredictArgs, data: &Data) -> Result<(Target, PathBuf), Failure> {
    if predict::is_folder(&args.output) {
        return Ok((Target::Folder, PathBuf::from(&args.output)));
    }
    if matches!(args.engine.engine, Some(Engine::Python(_))) {
        let message = "workers of this engine write files of their own, where all of them can: give -o FOLDER/; cat FOLDER/* puts them together";
        return Err(Failure::usage(message));
    }
    let output = open(args, data)?;
    let parts = PartsFolder::beside(&output)?;
    let folder = parts.path().to_owned();
    Ok((Target::Whole(output, parts), folder))
}

/// Puts the predictions of all shards together, in order.
fn put_together(files: &[PathBuf], output: &mut Output) -> Result<(), Error> {
    for file in files {
        let copied = File::open(file).and_then(|mut file| io::copy(&mut file, output));
        copied.map_err(|error| output.error(error))?;
    }
    output.commit()
}
