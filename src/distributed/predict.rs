//! Prediction by several processes: its job, the part of a worker, and the result.

use super::{
    job::{ALL, Job, Parts},
    packed::{pack, unpack},
};
use crate::{
    apply::{
        predictions::{self, Predictions},
        start,
        told::Told,
    },
    failure::Failure,
    flags::{cli::PredictArgs, inputs},
    terminal::{
        console::Console,
        unseen::{Unseen, UnseenSummary},
    },
};
use serde_json::{Value, json};
use std::{ffi::OsStr, fs, io::Write, os::unix::ffi::OsStrExt, path::Path, sync::Arc};
use surefoot_distributed::Exchange;
use surefoot_fit::{Data, FitError, Prediction, Response};
use surefoot_glm::{
    Model,
    shards::{Interrupted, Partial},
};
use surefoot_io::{Options, Output, check_inputs, load_model};

/// Prepares the job of a command line with these flags, whose output is a folder.
pub(super) fn prepare(line: &[String], args: &PredictArgs) -> Result<Job, Failure> {
    if !is_folder(&args.output) {
        return Err(Failure::usage("-o names a folder for the predictions, whose name ends in / if it is not there"));
    }
    let (model, data) = (load_model(Path::new(&args.model))?, inputs::data(&args.data)?);
    let options = start::predict(args, &model, &name(args), data.inputs())?;
    let job = job(line, args, &model, &data, &options)?.with_parts(parts(Path::new(&args.output), false)?);
    open_folder(&job, &data)?;
    Ok(job)
}

/// Divides rows to be predicted into shards.
pub(crate) fn job(
    line: &[String],
    args: &PredictArgs,
    model: &Model,
    data: &Data,
    options: &Options,
) -> Result<Job, Failure> {
    if args.flush.is_some() {
        return Err(Failure::usage("--flush does nothing with --engine, which writes whole files: leave it out"));
    }
    let response = start::response(args.kind, model.settings.loss);
    response
        .and_then(|response| Prediction::new(model, response))
        .map_err(|found| start::unsupported(&found, &name(args)))?;
    check_inputs(data.inputs())?;
    // What is inferred here is not told: the workers infer it again.
    Job::new(line, data.inputs(), &options.apart(), args.engine.shards)?.with_model(model)
}

/// Whether an output is a folder for the files of shards: one that is there, or a name that ends in a slash.
pub(crate) fn is_folder(output: &OsStr) -> bool {
    output.as_bytes().ends_with(b"/") || Path::new(output).is_dir()
}

/// Returns where predictions go, by a name that holds in every folder of this machine.
pub(crate) fn parts(folder: &Path, shown: bool) -> Result<Parts, Failure> {
    let name = folder.display().to_string();
    let whole = std::path::absolute(folder).map_err(|error| Failure::data(format!("{name}: {error}")))?;
    match whole.to_str() {
        Some(folder) => Ok(Parts { folder: folder.to_owned(), shown }),
        None => Err(Failure::data(format!("{name}: the name of a folder for workers has to be UTF-8"))),
    }
}

/// Creates the folder for the files of shards if it is not there, and checks that they can be written there and are no inputs.
pub(crate) fn open_folder(job: &Job, data: &Data) -> Result<(), Failure> {
    let Parts { folder, .. } = job.parts()?;
    let failed = |error: std::io::Error| Failure::data(format!("{folder}: {error}"));
    fs::create_dir_all(folder).map_err(failed)?;
    let own = job.files()?;
    for path in fs::read_dir(folder).map_err(failed)?.flatten().map(|entry| entry.path()) {
        if own.contains(&path) {
            Output::create(&path)?.check_distinct(data.inputs())?;
        } else if is_part(&path) {
            let remedy = "give another folder, or remove them";
            return Err(Failure::data(format!("{folder}: has predictions of another number of shards: {remedy}")));
        }
    }
    // Tries whether a file can be created.
    own.first().map(Output::create).transpose()?;
    Ok(())
}

/// Removes the temporary files of workers that were ended. What is not removed, as of workers of other machines, does no harm.
pub(super) fn clear(job: &Job) {
    // To create an output removes what others have left of it.
    job.files().unwrap_or_default().iter().for_each(|file| _ = Output::create(file));
}

/// Whether a file is that of a shard, of any number of shards.
fn is_part(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.starts_with("part-") && name.contains("-of-") && name.ends_with(".txt")
}

fn name(args: &PredictArgs) -> String {
    Path::new(&args.model).display().to_string()
}

/// Rows of one shard that were predicted, and the output that has them, not committed.
struct Shard<'m> {
    number: usize,
    lines: Predictions<'m>,
    unseen: Unseen<'m>,
    options: Options,
}

/// Predicts the rows of the shards of one worker. The files of all shards are replaced once all rows of all shards are predicted, so that
/// a fault in one of them leaves the folder as it was.
pub(super) fn work(job: &Job, args: &PredictArgs, exchange: &Arc<Exchange>) -> Result<Vec<u8>, Failure> {
    let model = job.model(&name(args))?;
    let unsupported = |found| start::unsupported(&found, &name(args));
    let response = start::response(args.kind, model.settings.loss).map_err(unsupported)?;
    let mut prediction = Prediction::new(&model, response).map_err(unsupported)?.threads(1);
    let mut own = Vec::new();
    for number in exchange.own() {
        let shard = predict(job, args, &model, (&mut prediction, response), number)?;
        exchange.read(shard.lines.told.rows, job.size(number));
        own.push(shard);
    }
    let Ok((rows, result)) = totals(&own, exchange) else { return Ok(Vec::new()) };
    if rows > 0 {
        own.iter_mut().try_for_each(|shard| shard.lines.output.commit())?;
    }
    Ok(result)
}

fn predict<'m>(
    job: &Job,
    args: &PredictArgs,
    model: &'m Model,
    (prediction, response): (&mut Prediction<'_>, Response),
    number: usize,
) -> Result<Shard<'m>, Failure> {
    let parts = job.parts()?;
    let output = Output::create(parts.path(number, job.shards()))?;
    // Each shard infers on its own, so that nothing depends on which shards a process owns.
    let options = start::predict(args, model, &name(args), &[])?;
    let (data, mut unseen) = (job.data(number)?, Unseen::new(model, &options.found));
    let mut lines = Predictions::new(args, model, response, output, parts.shown);
    let written = lines.write_all(prediction, &data, &options, &mut unseen);
    written.map_err(|error| error.failure().unwrap_or_else(|| Failure::data("the run was stopped")))?;
    lines.output.flush().map_err(|error| lines.output.error(error))?;
    Ok(Shard { number, lines, unseen, options })
}

/// Returns the number of rows of all shards, and what is told of them.
fn totals(own: &[Shard<'_>], exchange: &Arc<Exchange>) -> Result<(u64, Vec<u8>), Interrupted> {
    let shards = exchange.shards();
    let unseen = |shard: &Shard<'_>| shard.unseen.partial(shard.number, &shard.options.found);
    let unseen = shards.combine(own.iter().map(|shard| (shard.number, unseen(shard))))?;
    let told = shards.combine(own.iter().map(|shard| (shard.number, shard.lines.told.partial(shard.number))))?;
    Ok((Told::of_partial(&told).rows, pack(&[&unseen.to_bytes(), &told.to_bytes()])))
}

/// Returns what the workers tell about data of this name, once their files are there.
pub(crate) fn found(result: &[u8], model: &Model, data: &str) -> Result<(UnseenSummary, Told), Failure> {
    let read = || {
        let [unseen, told] = unpack(result)?;
        Some((Partial::from_bytes(unseen)?, Partial::from_bytes(told)?))
    };
    let (unseen, told) = read().ok_or_else(|| Failure::data("the result of the workers is damaged"))?;
    let told = Told::of_partial(&told);
    match told.rows {
        0 => Err(FitError::NoRows { data: data.to_owned() }.into()),
        _ => Ok((UnseenSummary::of(&unseen, model), told)),
    }
}

/// Returns the numbers of rows as JSON, and tells the rest.
pub(super) fn results(job: &Job, args: &PredictArgs, result: &[u8], console: &Console) -> Result<Value, Failure> {
    let model = job.model(&name(args))?;
    let (unseen, told) = found(result, &model, ALL)?;
    predictions::tell(args.on_error, &told, &unseen, console);
    Ok(json!({"rows": told.rows, "rows_passed_over": told.passed}))
}
