//! Benchmark tasks: each trains on one file and tests on another, through the library, as the command does.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};
use surefoot_glm::{Batch, Loss, Measured, Model, Part, Plan, Settings, Tally, Trainer, optimum::Examples};
use surefoot_io::{Error, InputName, Options, Reader, RowSource};

/// Suffix of the name of a training file, after the name of the task.
const TRAIN: &str = ".train.svm";
/// Suffix of the name of a test file, after the name of the task.
const TEST: &str = ".test.svm";
/// Suffixes of compressed files; the empty suffix is for uncompressed files.
const COMPRESSED: [&str; 3] = ["", ".gz", ".zst"];

/// Benchmark task: a file of training rows and a file of test rows.
#[derive(Clone, Debug)]
pub struct Task {
    /// Common prefix of both files, before `.train.svm` and `.test.svm`.
    pub name: String,
    train: PathBuf,
    test: PathBuf,
}

/// Result of running a [`Task`].
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of rows read, over all passes.
    pub rows: u64,
    /// Reported mean loss: progressive in one pass, on held-out rows in several passes; `None` if there is none.
    pub loss: Option<f64>,
    /// Metrics of the model on the test rows.
    pub test: Measured,
    /// Learning-rate scale of the leading lane (one of the learners trained side by side).
    pub lane: f64,
}

/// Returns the tasks in a folder, ordered by name.
///
/// # Errors
/// Returns an error if the folder cannot be read or contains no pair of files.
pub fn tasks(folder: &Path) -> io::Result<Vec<Task>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let train = entry?.path();
        let Some(name) = train.file_name().and_then(|name| name.to_str()).and_then(name_of) else {
            continue;
        };
        let tests = COMPRESSED.map(|end| folder.join(format!("{name}{TEST}{end}")));
        if let Some(test) = tests.into_iter().find(|test| test.exists()) {
            found.push(Task { name, train, test });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if found.is_empty() {
        return Err(io::Error::new(ErrorKind::NotFound, format!("no NAME{TRAIN} with a NAME{TEST}")));
    }
    Ok(found)
}

/// Returns the name of the task that a training file belongs to; `None` if the file is not a training file.
fn name_of(file: &str) -> Option<String> {
    COMPRESSED.iter().find_map(|end| file.strip_suffix(end)?.strip_suffix(TRAIN)).map(str::to_owned)
}

impl Task {
    /// Trains as `surefoot fit` does, then measures the model on the test rows.
    ///
    /// # Errors
    /// Returns the error of the first row that cannot be read or used.
    pub fn run(&self, settings: &Settings, plan: Plan) -> Result<Outcome, Error> {
        let mut trainer = Trainer::new(settings.clone(), plan);
        for _ in 0..plan.passes {
            each_batch(&self.train, |batch| {
                trainer.learn(batch, 0, batch.len()).map_err(|(r, f)| (r, f.part, f.message))
            })?;
            trainer.end_pass().expect("the shelf is in memory");
        }
        let summary = trainer.summary();
        let test = measure(&trainer.model(), &self.test)?;
        Ok(Outcome { rows: summary.rows, loss: summary.loss, test, lane: summary.lane.unwrap_or(f64::NAN) })
    }
}

/// Reads the rows of a file into memory, and returns them with the number of classes. Labels are encoded for the loss: −1 and +1 by their
/// sign, the index of the class among all classes, or numbers.
///
/// # Errors
/// Returns the error of the first row that cannot be read.
pub fn examples(path: &Path, loss: Loss) -> Result<(Examples, usize), Error> {
    let mut classes: Vec<f64> = Vec::new();
    if loss.is_multiclass() {
        each_batch(path, |batch| {
            classes.extend((0..batch.len()).filter_map(|r| batch.row(r).label));
            classes.sort_by(f64::total_cmp);
            classes.dedup();
            Ok(())
        })?;
    }
    let code = |label: f64| {
        if loss.is_multiclass() {
            classes.iter().position(|class| *class == label).map_or(0.0, |k| k as f64)
        } else if loss.classifies() {
            if label > 0.0 { 1.0 } else { -1.0 }
        } else {
            label
        }
    };
    let mut examples = Examples::default();
    each_batch(path, |batch| {
        for row in (0..batch.len()).map(|r| batch.row(r)) {
            let column: Vec<u32> = row.index.iter().map(|&id| id as u32).collect();
            examples.push(code(row.label.unwrap_or(0.0)), row.weight, 0.0, &column, row.value);
        }
        Ok(())
    })?;
    Ok((examples, classes.len().max(1)))
}

/// Evaluates a model on the rows of a file.
fn measure(model: &Model, path: &Path) -> Result<Measured, Error> {
    let (mut tally, loss) = (Tally::new(model), model.settings.loss);
    each_batch(path, |batch| {
        for r in 0..batch.len() {
            let row = batch.row(r);
            let label = row.label.filter(|_| !loss.classifies()).or_else(|| model.labels.encode(row.label?));
            let label = label.ok_or_else(|| (r, Part::Label, "not a label of the training rows".to_owned()))?;
            tally.add(label, &row).map_err(|fault| (r, fault.part, fault.message))?;
        }
        Ok(())
    })?;
    Ok(tally.measured())
}

/// Reads a file, and calls `take` with each batch of rows; adds the location of the row to an error that `take` returns.
fn each_batch(path: &Path, mut take: impl FnMut(&Batch) -> Result<(), (usize, Part, String)>) -> Result<(), Error> {
    let (inputs, options) = ([InputName::new(path)], Options::default());
    let (mut reader, mut batch) = (Reader::open(&inputs, options.clone())?, Batch::default());
    while reader.read(&mut batch)? {
        take(&batch).map_err(|(r, part, says)| options.describe(&inputs, &batch, r, part).error(says))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, String)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    /// Returns svmlight rows, one per integer x of the range, with the label 3·x.
    fn line(rows: std::ops::Range<u32>) -> String {
        rows.map(|t| f64::from(t % 17) - 8.0).map(|x| format!("{} 1:{x}\n", 3.0 * x)).collect()
    }

    #[test]
    fn pairs_of_files_are_found_by_name() {
        let none = String::new;
        let folder = folder(&[
            ("b.train.svm.gz", none()),
            ("b.test.svm", none()),
            ("a.train.svm", none()),
            ("a.test.svm", none()),
            ("alone.train.svm", none()),
            ("other.svm", none()),
        ]);
        let names: Vec<_> = tasks(folder.path()).unwrap().into_iter().map(|task| task.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(tasks(&folder.path().join("absent")).is_err());
        assert!(tasks(tempfile::tempdir().unwrap().path()).is_err());
    }

    #[test]
    fn a_line_is_learnt_and_measured() {
        let folder = folder(&[("line.train.svm", line(0..500)), ("line.test.svm", line(500..600))]);
        let settings = Settings { loss: Loss::Squared, ..Settings::default() };
        let task = &tasks(folder.path()).unwrap()[0];
        let once = task.run(&settings, Plan::ONE_PASS).unwrap();
        assert_eq!((once.rows, once.test.rows), (500, 100));
        assert!(once.test.r2 > Some(0.9), "{once:?}");
        let twice = task.run(&settings, Plan { passes: 2, ..Plan::ONE_PASS }).unwrap();
        assert_eq!(twice.rows, 1000);
    }

    #[test]
    fn a_label_that_does_not_fit_is_given_its_place() {
        let folder = folder(&[("line.train.svm", line(0..9)), ("line.test.svm", line(0..9))]);
        let error = tasks(folder.path()).unwrap()[0].run(&Settings::default(), Plan::ONE_PASS).unwrap_err();
        assert!(error.to_string().contains("line.train.svm:3:1: '-18'"), "{error}");
    }
}
