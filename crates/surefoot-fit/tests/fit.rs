//! Tests of the public interface of a fit: sources of rows, interruptions, contradictory settings, and errors.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};
use surefoot_fit::{
    Contradiction, Data, Event, Failed, Fit, FitError, Interrupt, Labelled, OpenRows, Outcome, Snapshot,
    StopConditions, StopReason,
};
use surefoot_glm::{Ball, Batch, ClassWeights, Loss, Model, PenaltyTerm, Plan};
use surefoot_io::{Error, Options, Reader, RowSource, load_model, save_model};

/// Generates `n` rows of two classes that are nearly linearly separable.
fn rows(n: u32) -> Batch {
    let mut batch = Batch::default();
    for t in 0..n {
        let (a, b) = (f64::from(t % 7) - 3.0, f64::from(t * 5 % 11) - 5.0);
        let noise = f64::from(t.wrapping_mul(2_654_435_761) >> 16) / 65536.0 - 0.5;
        batch.push(Some(f64::from(a - 0.5 * b + 3.0 * noise > 0.0)), 1.0, &[(1, a), (4, b)]);
    }
    batch
}

/// Formats rows as svmlight text.
fn text(rows: &Batch) -> String {
    let line = |r: usize| {
        let row = rows.row(r);
        let pairs = row.index.iter().zip(row.value).map(|(id, x)| format!(" {id}:{x}"));
        format!("{}{}\n", row.label.unwrap(), pairs.collect::<String>())
    };
    (0..rows.len()).map(line).collect()
}

fn chunks(rows: &Batch, size: usize) -> Vec<Batch> {
    let starts = (0..rows.len()).step_by(size);
    let chunk = |from: usize| {
        let mut batch = Batch::default();
        (from..rows.len().min(from + size)).for_each(|r| batch.append(&rows.row(r)));
        batch
    };
    starts.map(chunk).collect()
}

/// Returns the bytes of a model file.
fn bytes(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    save_model(model, &mut bytes).unwrap();
    bytes
}

fn error(fit: Fit<'_>, data: impl Into<Data>) -> FitError {
    fit.run(data).unwrap_err().error
}

/// Name of a test case, and a function that adds its settings to a fit.
type Case = (&'static str, fn(Fit<'static>) -> Fit<'static>);

/// Returns settings that exercise all parts of a fit: several passes, shuffling, the optimum, a choice of penalty, a
/// ball constraint.
fn plans() -> [Case; 6] {
    [
        ("one pass", |fit| fit),
        ("three passes", |fit| fit.passes(3)),
        ("shuffled passes", |fit| fit.passes(2).shuffle(Some(7))),
        ("optimum", |fit| fit.l2(1e-2).optimum(1e-9)),
        ("chosen penalty", |fit| fit.choose_penalty(PenaltyTerm::L2).optimum(1e-6)),
        ("ball", |fit| fit.ball(Ball { radius: 2.0, row_norm: None, delta: 0.05 })),
    ]
}

#[test]
fn rows_of_files_memory_and_streams_give_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.svm");
    let rows = rows(500);
    std::fs::write(&path, text(&rows)).unwrap();
    for (name, plan) in plans() {
        let run = |data: Data| plan(Fit::new(Loss::Logistic)).run(data).unwrap();
        let of_file = run(Data::files([&path]));
        let of_memory = run(rows.clone().into());
        assert_eq!(of_file.model.weight, of_memory.model.weight, "{name}");
        assert_eq!(of_file.model.summary.loss, of_memory.model.summary.loss, "{name}");
        assert_eq!(of_memory.model.summary.rows % 500, 0, "{name}");
        if plan(Fit::new(Loss::Logistic)).plan().passes == 1 {
            let of_stream = run(Data::batches(chunks(&rows, 33)));
            assert_eq!(of_stream.model.weight, of_memory.model.weight, "{name}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_anywhere_goes_on_to_the_same_bytes() {
    let rows = rows(700);
    for (name, plan) in plans() {
        let whole = plan(Fit::new(Loss::Logistic)).run(rows.clone()).unwrap();
        // The conditions are asked some times per slice, so that these end in every phase of a run.
        for asked in [2, 5, 9, 14, 20, 27, 40, 60] {
            let (count, limit) = (Arc::new(AtomicUsize::new(0)), asked);
            let stop = StopConditions::when(move || count.fetch_add(1, Relaxed) >= limit);
            let mut outcome = plan(Fit::new(Loss::Logistic)).stop(stop).run(rows.clone()).unwrap();
            for _ in 0..3 {
                if outcome.stop.is_none() || !outcome.has_learnt {
                    break;
                }
                assert_eq!(outcome.stop, Some(StopReason::Requested), "{name} {asked}");
                outcome = Fit::resume(outcome.model).unwrap().run(rows.clone()).unwrap();
            }
            if outcome.has_learnt {
                assert_eq!(bytes(&outcome.model), bytes(&whole.model), "{name}, stopped at {asked}");
            }
        }
    }
}

#[test]
fn other_rows_are_no_rows_to_resume_with() {
    let stop = || {
        let count = AtomicUsize::new(0);
        StopConditions::when(move || count.fetch_add(1, Relaxed) >= 6)
    };
    let paused = || Fit::new(Loss::Logistic).passes(2).stop(stop()).run(rows(700)).unwrap().model;
    let fewer = error(Fit::resume(paused()).unwrap(), rows(699));
    assert!(matches!(fewer, FitError::OtherData { .. }), "{fewer}");
    let mut other = rows(700);
    other.value[3] += 0.25;
    let other = error(Fit::resume(paused()).unwrap(), other);
    assert!(matches!(other, FitError::Changed { .. }), "{other}");
    let mut damaged = paused();
    damaged.unfinished = Some(serde_json::json!({"pass": 0}));
    assert!(matches!(Fit::resume(damaged).unwrap_err(), FitError::Resume { .. }));
}

#[test]
fn a_finished_model_takes_new_rows() {
    let (first, second) = (rows(400), chunks(&rows(800), 400).pop().unwrap());
    let model = Fit::new(Loss::Logistic).run(first).unwrap().model;
    let further = Fit::resume(model).unwrap().run(second).unwrap();
    assert_eq!((further.first, further.model.summary.rows), (400, 800));
    let whole = Fit::new(Loss::Logistic).run(rows(800)).unwrap();
    assert_eq!(further.model.weight, whole.model.weight);
}

#[test]
fn contradictions_are_found_before_anything_is_read() {
    let ball = Ball { radius: 1.0, row_norm: None, delta: 0.05 };
    let logistic = || Fit::new(Loss::Logistic);
    let table = [
        (logistic().ball(ball).l2(1.0), Contradiction::BallAndPenalty),
        (logistic().ball(ball).class_weights(ClassWeights::Balanced), Contradiction::BallAndClassWeights),
        (Fit::new(Loss::Softmax).ball(ball), Contradiction::BallAndClasses(Loss::Softmax)),
        (logistic().ball(ball).optimum(1e-6), Contradiction::BallAndOptimum),
        (logistic().l2(1.0).optimum(1e-6).holdout(Some(5)), Contradiction::HoldoutAndOptimum),
        (Fit::new(Loss::Softmax).choose_penalty(PenaltyTerm::L2), Contradiction::ChoiceNeedsOptimum(Loss::Softmax)),
        (logistic().passes(0), Contradiction::Passes),
        (logistic().passes(2).holdout(Some(0)), Contradiction::Passes),
        (logistic().passes(2).holdout(Some(1)), Contradiction::Passes),
        (logistic().until_gap(Some(0.1)), Contradiction::GapWithoutBall),
        (logistic().optimum(1e-6).until_gap(Some(0.1)), Contradiction::GapWithoutPenalty),
    ];
    for (fit, expected) in table {
        // The file does not exist.
        let found = error(fit, Data::files(["/nowhere/at/all.svm"]));
        assert!(matches!(&found, FitError::Setting(found) if *found == expected), "{found} for {expected}");
        assert!(!found.to_string().contains("--"), "{found}");
    }
    let stream = || Data::batches([rows(10)]);
    let gap = error(logistic().ball(ball).until_gap(Some(0.1)), stream());
    assert!(matches!(gap, FitError::Setting(Contradiction::GapNeedsRowNorm)), "{gap}");
}

#[test]
fn numbers_out_of_range_are_contradictions() {
    let logistic = || Fit::new(Loss::Logistic);
    let ball = |radius, delta| logistic().ball(Ball { radius, row_norm: None, delta });
    let fits = [
        logistic().l2(f64::NAN),
        logistic().l1(-1.0),
        logistic().l2(f64::INFINITY),
        ball(0.0, 0.1),
        ball(f64::NAN, 0.1),
        ball(1.0, 0.0),
        ball(1.0, 1.0),
        Fit::new(Loss::Huber { delta: -1.0 }),
        Fit::new(Loss::Quantile { tau: f64::NAN }),
        Fit::new(Loss::Tweedie { power: 2.0 }),
        logistic().l2(1.0).optimum(0.0),
        logistic().l2(1.0).optimum(f64::NAN),
        logistic().l2(1.0).optimum(1e-6).until_gap(Some(-1.0)),
        logistic().class_weights(ClassWeights::Given(vec![("1".into(), f64::NAN)])),
    ];
    for (k, fit) in fits.into_iter().enumerate() {
        let found = error(fit, rows(5));
        assert!(matches!(found, FitError::Setting(Contradiction::Range(_))), "{k}: {found}");
    }
}

#[test]
fn rows_at_fault_are_errors_or_passed_over() {
    let mut bad = rows(20);
    bad.value[7] = f64::NAN;
    bad.weight[9] = -1.0;
    let found = error(Fit::new(Loss::Logistic), bad.clone()).to_string();
    assert!(found.starts_with("rows in memory: row 4: "), "{found}");
    let found = error(Fit::new(Loss::Logistic).skip_bad_rows(1), bad.clone());
    assert!(matches!(found, FitError::TooManyBadRows { allowed: 1, .. }), "{found}");
    let outcome = Fit::new(Loss::Logistic).skip_bad_rows(2).run(bad).unwrap();
    assert_eq!((outcome.bad_rows.count(), outcome.bad_rows.first().len(), outcome.model.summary.rows), (2, 2, 18));
    let mut third = rows(20);
    third.label[5] = 7.0;
    let found = error(Fit::new(Loss::Logistic), third).to_string();
    assert!(found.contains("row 6: '7'"), "{found}");
}

#[test]
fn data_that_teach_nothing_are_errors() {
    let weightless = {
        let mut batch = rows(5);
        batch.weight.fill(0.0);
        batch
    };
    let logistic = || Fit::new(Loss::Logistic);
    assert!(matches!(error(logistic(), Batch::default()), FitError::NoRows { .. }));
    assert!(matches!(error(logistic(), Data::batches([])), FitError::NoRows { .. }));
    assert!(matches!(error(logistic(), Data::files::<&str>([])), FitError::NoRows { .. } | FitError::Read(_)));
    assert!(matches!(error(logistic(), weightless), FitError::NoWeight { .. }));
    assert!(matches!(error(logistic().passes(2), Data::batches([rows(9)])), FitError::ReadOnce { .. }));
    assert!(matches!(error(logistic(), Data::files(["/nowhere/at/all.svm"])), FitError::Read(_)));
}

#[test]
fn events_come_in_order_and_snapshots_are_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let mut seen = Vec::new();
    let fit = Fit::new(Loss::Logistic).l2(0.01).optimum(1e-9).save_to(&path).unwrap().snapshot(Snapshot::Rows(64));
    let fit = fit.on_event(|event| {
        seen.push(match event {
            Event::Opened(_) => 'o',
            Event::Milestone { .. } => 'm',
            Event::PassEnded(_) => 'p',
            Event::Searching { .. } => 's',
            Event::Iteration { .. } => 'i',
            Event::TrainingEnded(_) => 'l',
            _ => return,
        });
    });
    let Outcome { model, .. } = fit.run(rows(300)).unwrap();
    seen.dedup();
    assert_eq!(seen.iter().collect::<String>(), "ompsil");
    assert_eq!(bytes(&load_model(&path).unwrap()), bytes(&model));
}

#[test]
fn a_failure_says_up_to_which_row_a_model_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let mut bad = rows(300);
    bad.weight[250] = f64::NAN;
    let fit = Fit::new(Loss::Logistic).save_to(&path).unwrap().snapshot(Snapshot::Rows(100));
    let Failed { saved, .. } = fit.run(bad).unwrap_err();
    assert_eq!((saved, load_model(&path).unwrap().summary.rows), (Some(200), 200));
}

#[test]
fn nothing_is_saved_before_a_row_is_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let stop = StopConditions::flag(Arc::new(AtomicBool::new(true)));
    let outcome = Fit::new(Loss::Logistic).stop(stop).save_to(&path).unwrap().run(rows(9)).unwrap();
    assert_eq!((outcome.has_learnt, outcome.stop, path.exists()), (false, Some(StopReason::Requested), false));
}

#[test]
fn evaluation_is_that_of_the_model() {
    let model = Fit::new(Loss::Logistic).run(rows(400)).unwrap().model;
    let test = Data::from(rows(100));
    let options = surefoot_fit::options_of(&model);
    let mut visited = 0;
    let found =
        Labelled::new(&test, options.clone()).evaluate(&model, |_, unseen, _, _| visited += 1 + unseen).unwrap();
    assert_eq!((found.measured.rows, visited), (100, 100));
    assert!(found.measured.accuracy.unwrap() > 0.8);
    let mut odd = rows(3);
    odd.label[1] = 5.0;
    assert!(Labelled::new(&odd.into(), options.clone()).evaluate(&model, |_, _, _, _| ()).is_err());
    assert!(Labelled::new(&Batch::default().into(), options).evaluate(&model, |_, _, _, _| ()).is_err());
}

#[test]
fn a_fit_can_be_sent_to_another_thread() {
    fn sendable<T: Send>() {}
    sendable::<Fit<'static>>();
    sendable::<surefoot_fit::Session<'static>>();
    sendable::<Outcome>();
    sendable::<Failed>();
    sendable::<Data>();
    let fit = Fit::new(Loss::Logistic).with_plan(Plan::ONE_PASS);
    let outcome = std::thread::spawn(move || fit.run(rows(50))).join().unwrap().unwrap();
    assert_eq!(outcome.model.summary.rows, 50);
}

/// Rows as text that a program keeps.
struct Kept(Arc<String>, u64);

impl OpenRows for Kept {
    fn open(&self, options: &Options) -> Result<Box<dyn RowSource + Send>, Error> {
        let bytes = std::io::Cursor::new(self.0.as_bytes().to_vec());
        Ok(Box::new(Reader::with_reader("kept", bytes, options.clone())?))
    }

    fn rows(&self) -> u64 {
        self.1
    }

    fn name(&self) -> String {
        "kept rows".to_owned()
    }
}

fn kept(rows: &Batch) -> Data {
    Data::source(Kept(Arc::new(text(rows)), rows.len() as u64))
}

#[test]
fn rows_kept_by_the_program_are_opened_for_each_pass() {
    let rows = rows(500);
    for (name, plan) in plans() {
        let run = |data: Data| plan(Fit::new(Loss::Logistic)).run(data).unwrap().model;
        let data = kept(&rows);
        assert!(data.can_reread() && data.inputs().is_empty());
        assert_eq!(data.to_string(), "kept rows");
        assert_eq!(bytes(&run(data)), bytes(&run(rows.clone().into())), "{name}");
    }
}

#[test]
fn rows_that_come_part_by_part_give_the_model_of_one_pass() {
    let rows = rows(500);
    let whole = Fit::new(Loss::Logistic).run(rows.clone()).unwrap().model;
    for size in [1, 7, 64, 499, 500] {
        let mut fit = Fit::new(Loss::Logistic).incremental().unwrap();
        for part in chunks(&rows, size) {
            fit.learn(&Data::from(part), &StopConditions::default()).unwrap();
        }
        assert_eq!(bytes(&fit.model()), bytes(&whole), "parts of {size}");
        assert_eq!(fit.summary().rows, 500);
    }
}

#[test]
fn a_part_with_a_row_at_fault_changes_nothing() {
    let parts = chunks(&rows(200), 100);
    let mut fit = Fit::new(Loss::Logistic).incremental().unwrap();
    fit.learn(&Data::from(parts[0].clone()), &StopConditions::default()).unwrap();
    let before = bytes(&fit.model());
    for fault in 0..4 {
        let mut part = parts[1].clone();
        match fault {
            0 => part.value[150] = f64::NAN,
            1 => part.label[99] = 7.0,
            2 => part.weight[99] = -1.0,
            _ => part.index[199] = part.index[198],
        }
        let learnt = fit.learn(&Data::from(part), &StopConditions::default());
        assert!(matches!(learnt, Err(Interrupt::Error(FitError::Read(_)))), "fault {fault}");
        assert_eq!(bytes(&fit.model()), before, "fault {fault}");
    }
    let stop = StopConditions::flag(Arc::new(AtomicBool::new(true)));
    assert!(matches!(fit.learn(&Data::from(parts[1].clone()), &stop), Err(Interrupt::Stop(StopReason::Requested))));
    fit.learn(&Data::from(parts[1].clone()), &StopConditions::default()).unwrap();
    assert_eq!(bytes(&fit.model()), bytes(&Fit::new(Loss::Logistic).run(rows(200)).unwrap().model));
}

#[test]
fn a_run_that_is_stopped_before_the_optimum_is_sought_says_so() {
    let count = AtomicUsize::new(0);
    let stop = StopConditions::when(move || count.fetch_add(1, Relaxed) >= 3);
    let outcome = Fit::new(Loss::Logistic).l2(0.1).optimum(1e-9).stop(stop).run(rows(5000)).unwrap();
    assert!(outcome.stop.is_some() && outcome.has_learnt && outcome.optimum.is_none());
    let said = format!("{:?}", outcome.model.certificates);
    assert!(said.contains("stopped before the optimum was sought"), "{said}");
}
