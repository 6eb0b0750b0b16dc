//! Evaluation by several processes: its job, the part of a worker, and the result.

use super::{
    job::{ALL, Job},
    packed::{pack, unpack},
};
use crate::{
    apply::{start, told::Told},
    failure::Failure,
    flags::{cli::EvalArgs, inputs},
    terminal::{
        bad_rows, confusion,
        console::Console,
        evaluation::{self, Findings},
        metrics,
        unseen::{Unseen, UnseenSummary},
    },
};
use serde_json::Value;
use std::{path::Path, sync::Arc};
use surefoot_distributed::Exchange;
use surefoot_fit::{BadRows, Data, FitError, Interrupt};
use surefoot_glm::{
    MetricTotals, Model, Tally,
    shards::{Interrupted, Partial},
};
use surefoot_io::{Options, check_inputs, load_model};

/// Prepares the job of a command line with these flags.
pub(super) fn prepare(line: &[String], args: &EvalArgs) -> Result<Job, Failure> {
    let (model, data) = (load_model(Path::new(&args.model))?, inputs::data(&args.data)?);
    let options = start::eval(args, &model, &name(args), data.inputs())?;
    job(line, args, &model, &data, &options)
}

/// Divides labelled rows into shards.
pub(crate) fn job(
    line: &[String],
    args: &EvalArgs,
    model: &Model,
    data: &Data,
    options: &Options,
) -> Result<Job, Failure> {
    check_inputs(data.inputs())?;
    // What is inferred here is not told: the workers infer it again.
    Job::new(line, data.inputs(), &options.apart(), args.engine.shards)?.with_model(model)
}

fn name(args: &EvalArgs) -> String {
    Path::new(&args.model).display().to_string()
}

/// Rows of one shard that were measured.
struct Shard<'m> {
    number: usize,
    rows: u64,
    tally: Tally,
    unseen: Unseen<'m>,
    options: Options,
    bad_rows: BadRows,
}

/// Measures the rows of the shards of one worker, and returns the totals over all shards.
pub(super) fn work(job: &Job, args: &EvalArgs, exchange: &Arc<Exchange>) -> Result<Vec<u8>, Failure> {
    let model = job.model(&name(args))?;
    let (blank, mut own) = (Tally::new(&model), Vec::new());
    for number in exchange.own() {
        let shard = measure(job, args, &model, number, blank.anew())?;
        exchange.read(shard.rows, job.size(number));
        own.push(shard);
    }
    Ok(totals(own, exchange).unwrap_or_default())
}

fn measure<'m>(
    job: &Job,
    args: &EvalArgs,
    model: &'m Model,
    number: usize,
    mut tally: Tally,
) -> Result<Shard<'m>, Failure> {
    // Each shard infers on its own, so that nothing depends on which shards a process owns.
    let options = start::eval(args, model, &name(args), &[])?;
    let (data, mut unseen) = (job.data(number)?, Unseen::new(model, &options.found));
    let mut rows = evaluation::labelled(&data, options);
    (rows.bad_rows, rows.threads) = (BadRows::new(args.skip_bad_rows), 1);
    let mut measured = 0;
    let added = rows.add_to(&mut tally, model, |row, count, tally, options| {
        measured += 1;
        unseen.add(row, count, |id| tally.knows(id), &options.found);
    });
    match added {
        Err(Interrupt::Error(error)) => Err(error.into()),
        Ok(()) | Err(Interrupt::Stop(_)) => {
            let (options, bad_rows) = (rows.options, rows.bad_rows);
            Ok(Shard { number, rows: measured, tally, unseen, options, bad_rows })
        }
    }
}

fn totals(own: Vec<Shard<'_>>, exchange: &Arc<Exchange>) -> Result<Vec<u8>, Interrupted> {
    let shards = exchange.shards();
    let unseen = shards
        .combine(own.iter().map(|shard| (shard.number, shard.unseen.partial(shard.number, &shard.options.found))))?;
    let told = |shard: &Shard<'_>| Told::of(&shard.bad_rows, shard.options.found.notes()).partial(shard.number);
    let told = shards.combine(own.iter().map(|shard| (shard.number, told(shard))))?;
    let metrics = MetricTotals::of(own.into_iter().map(|shard| (shard.number, shard.tally)).collect(), &shards)?;
    Ok(pack(&[&metrics.to_bytes(), &unseen.to_bytes(), &told.to_bytes()]))
}

/// Returns what the workers have found about data of this name.
pub(crate) fn found(result: &[u8], args: &EvalArgs, model: &Model, data: &str) -> Result<(Findings, Told), Failure> {
    let read = || {
        let [metrics, unseen, told] = unpack(result)?;
        Some((MetricTotals::from_bytes(metrics)?, Partial::from_bytes(unseen)?, Partial::from_bytes(told)?))
    };
    let (metrics, unseen, told) = read().ok_or_else(|| Failure::data("the result of the workers is damaged"))?;
    let (measured, plot_data) = metrics.measured(model.settings.loss);
    let told = Told::of_partial(&told);
    if told.passed > args.skip_bad_rows {
        return Err(FitError::too_many_in_shards(told.passed, args.skip_bad_rows).into());
    }
    if measured.rows == 0 {
        return Err(FitError::NoRows { data: data.to_owned() }.into());
    }
    Ok((Findings { measured, plot_data, unseen: UnseenSummary::of(&unseen, model) }, told))
}

/// Returns the metrics as JSON, and tells the rest.
pub(super) fn results(job: &Job, args: &EvalArgs, result: &[u8], console: &Console) -> Result<Value, Failure> {
    let model = job.model(&name(args))?;
    let (findings, told) = found(result, args, &model, ALL)?;
    bad_rows::tell(told.passed, &told.first, console);
    findings.check(ALL)?;
    findings.tell(&told.notes, console);
    Ok(metrics::object(&findings.measured, &confusion::labels(&model)))
}
