//! `surefoot lab`: runs experiments that compare theorems with measurements.

use crate::{
    failure::Failure,
    flags::cli::LabArgs,
    terminal::{console::Console, lines, progress::Progress},
    words::number,
};
use serde_json::{Value, json};
use std::{fs, io::Write, path::Path, thread, time::Instant};
use surefoot_io::Output;
use surefoot_lab::{Experiment, Form, Lab, Report, experiments};

pub(crate) fn run(args: &LabArgs) -> Result<(), Failure> {
    let form = if args.short { Form::Short } else { Form::Full };
    let chosen = chosen(experiments(form), &args.names)?;
    if args.list {
        return lines::print(list(&chosen, args.talk.json).as_bytes());
    }
    let folder = Path::new(&args.out);
    let mut files = Files::open(folder)?;
    let started = Instant::now();
    let found = measure(chosen, args);
    files.write(&found)?;
    let seconds = started.elapsed().as_secs_f64();
    let text = if args.talk.json { events(&found, seconds, folder) } else { found.table() };
    lines::print(text.as_bytes())?;
    let (all, failed) = found.counts();
    let page = folder.join("report.html");
    Console::new(args.talk.quiet, args.talk.json).say(&format!("{seconds:.1} s; plots in {}", page.display()));
    match failed {
        0 => Ok(()),
        _ => Err(Failure::data(format!("{failed} of {all} checks failed; see {}", page.display()))),
    }
}

/// Returns the experiments with these names in their original order, or all experiments if `names` is empty.
fn chosen(mut all: Vec<Experiment>, names: &[String]) -> Result<Vec<Experiment>, Failure> {
    if let Some(name) = names.iter().find(|name| !all.iter().any(|e| e.name.eq_ignore_ascii_case(name))) {
        return Err(Failure::usage(format!("{name}: there is no such experiment; see surefoot lab --list")));
    }
    all.retain(|e| names.is_empty() || names.iter().any(|name| e.name.eq_ignore_ascii_case(name)));
    Ok(all)
}

fn list(experiments: &[Experiment], json: bool) -> String {
    let line = |e: &Experiment| match json {
        true => format!("{}\n", json!({"event": "experiment", "name": e.name, "title": e.title})),
        false => format!("{:<5}{}\n", e.name, e.title),
    };
    experiments.iter().map(line).collect()
}

fn measure(experiments: Vec<Experiment>, args: &LabArgs) -> Report {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let lab = Lab::new(experiments, args.seed);
    let mut console = Console::new(args.talk.quiet, args.talk.json);
    let bar = Progress::of_pieces(&mut console, lab.len() as u64);
    let found = lab.run(threads, |done| bar.at(done as u64));
    bar.end();
    found
}

/// Output files of the lab: opened before the experiments run, and written after they end.
struct Files {
    page: Output,
    checks: Output,
    points: Output,
    claims: Output,
    folder: std::path::PathBuf,
}

impl Files {
    fn open(folder: &Path) -> Result<Files, Failure> {
        fs::create_dir_all(folder).map_err(|error| Failure::data(format!("{}: {error}", folder.display())))?;
        let open = |name: &str| Output::create(folder.join(name));
        let (page, checks, points) = (open("report.html")?, open("checks.csv")?, open("points.csv")?);
        Ok(Files { page, checks, points, claims: open("claims.md")?, folder: folder.to_owned() })
    }

    fn write(&mut self, found: &Report) -> Result<(), Failure> {
        write(&mut self.page, found.html().as_bytes())?;
        write(&mut self.checks, found.checks_csv().as_bytes())?;
        write(&mut self.points, found.points_csv().as_bytes())?;
        write(&mut self.claims, found.claims().as_bytes())?;
        for (name, figure) in found.figures() {
            write(&mut Output::create(self.folder.join(format!("{name}.svg")))?, figure.svg().as_bytes())?;
        }
        Ok(())
    }
}

fn write(output: &mut Output, bytes: &[u8]) -> Result<(), Failure> {
    output.write_all(bytes).map_err(|error| output.error(error))?;
    Ok(output.commit()?)
}

/// Formats the results as JSON lines: one per check of a measured value, and a last one with totals for the run.
fn events(found: &Report, seconds: f64, folder: &Path) -> String {
    let mut lines = Vec::new();
    for section in &found.sections {
        for (row, check) in section.checks() {
            lines.push(json!({
                "event": "check",
                "experiment": section.name,
                "row": row.label,
                "planted": row.planted,
                "check": check.what,
                "measured": number::number_or_null(Some(check.measured)),
                "error": number::number_or_null(Some(check.error)),
                "least": number::number_or_null(Some(check.least)),
                "most": number::number_or_null(Some(check.most)),
                "holds": check.holds(),
                "passes": check.passes(),
            }));
        }
    }
    let (checks, failed) = found.counts();
    let out = folder.display().to_string();
    lines.push(json!({
        "event": "done", "checks": checks, "failed": failed, "seed": found.seed, "seconds": seconds, "out": out,
    }));
    lines.iter().map(|line: &Value| format!("{line}\n")).collect()
}
