//! Robustness tests of whole fits of rows whose labels, offsets and weights are as large or as small as numbers can be. A
//! fit that does not end fails.

use crate::anyone::{Any, finite};
use std::{sync::mpsc, thread, time::Duration};
use surefoot_glm::{
    Batch, Bounds, Gathered, Loss, Plan, Problem, Row, Settings, Trainer,
    optimum::{Examples, Goal, optimise},
};

/// Numbers of which two overflow together come up most often.
const NUMBERS: [f64; 15] =
    [1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 0.0, 1e300, -1e300, 1e154, -1e154, 1e16, 700.0, 1.0, 1e-308];
/// Number of data sets per loss.
const SETS: u64 = 300;
/// Time for one data set, which takes a small part of it.
const DEADLINE: Duration = Duration::from_secs(30);
/// Number of rows of the largest data sets: more than a sketch of labels keeps.
const MANY: usize = 80;

/// Label, offset, weight and value of a row.
type Facts = (f64, f64, f64, f64);

fn rows(any: &mut Any, loss: Loss) -> Vec<Facts> {
    let count = any.of(&[1, 2, 3, 3, 4, MANY]);
    let mut row = || {
        let label = match loss {
            _ if loss.classifies() => any.of(&[-1.0, 1.0]),
            _ if loss.variance_power().is_some() => any.of(&NUMBERS).abs().max(1e-308),
            _ => any.of(&NUMBERS),
        };
        // So that many labels are different.
        let label = if count == MANY && !loss.classifies() { label / (1 + any.below(MANY)) as f64 } else { label };
        let offset = if loss.is_multiclass() || any.flip() { 0.0 } else { any.of(&NUMBERS) };
        (label, offset, any.of(&[1.0, 1.0, 1e240, 1e-300]), any.of(&[0.0, 1.0, 2.0]))
    };
    (0..count).map(|_| row()).collect()
}

/// Whether label and offset overflow together.
fn overflows(loss: Loss, &(label, offset, ..): &Facts) -> bool {
    !loss.classifies() && loss.variance_power().is_none() && !(label - offset).is_finite()
}

fn batch(&(label, offset, weight, value): &Facts) -> Batch {
    let mut batch = Batch::default();
    let row = Row { label: Some(label), weight, offset, index: &[1], value: &[value], group: &[], position: 0 };
    Batch::append(&mut batch, &row);
    batch
}

/// Fits the rows in passes or optimally, without those that are refused. Returns the number of rows whose label and offset are too
/// large together.
fn fit(loss: Loss, facts: &[Facts], plan: Plan) -> usize {
    let (mut trainer, mut gathered, mut refused) =
        (Trainer::new(Settings { loss, ..Settings::default() }, plan), Gathered::default(), 0);
    for row in facts {
        let batch = batch(row);
        match Trainer::learn(&mut trainer, &batch, 0, 1) {
            Ok(()) => Gathered::add(&mut gathered, &batch, 0, 1).unwrap(),
            Err((_, fault)) => {
                let named = fault.message.starts_with("label and offset are too large");
                assert_eq!(named, overflows(loss, row), "{loss}: {row:?}: {fault}");
                refused += usize::from(named);
            }
        }
    }
    Trainer::end_pass(&mut trainer).unwrap();
    let summary = Trainer::summary(&trainer);
    assert!(summary.loss_constant.is_none_or(f64::is_finite), "{loss}: {facts:?}");
    let mut model = Trainer::model(&trainer);
    if let (Some(tolerance), Ok(problem)) = (plan.optimum, Gathered::problem(gathered, &model)) {
        let found = Problem::search(&problem, tolerance, 1, &|| false, &mut |_| ());
        if let Some(found) = found.filter(|found| found.objective.is_finite()) {
            Problem::place(&problem, &found, &mut model).unwrap();
        }
    }
    refused
}

/// Searches for the optimum over all rows, also those that a trainer refuses.
fn search(loss: Loss, facts: &[Facts]) {
    let mut examples = Examples::default();
    for &(label, offset, weight, value) in facts {
        let label = if loss.is_multiclass() { label.max(0.0) } else { label };
        Examples::push(&mut examples, label, weight, offset, &[0], &[value]);
    }
    for l1 in [0.0, 0.1] {
        let (rules, bounds, tolerance) = (&[][..], Bounds::FREE, 1e-6);
        let goal = Goal { loss, classes: 2, l1, l2: 0.01, bounds, rules, intercept: true, tolerance, threads: 1 };
        let found = optimise(&examples, &goal, (&[0.0; 2], &[0.0; 2]), &|| false, &mut |_| ());
        assert!(found.is_none_or(|found| !found.objective.is_finite() || finite(&found.weights)), "{loss}: {facts:?}");
    }
}

/// Runs fits on a thread of its own, which says what it fits next, and fails if one does not end.
fn in_time<T: Send + 'static>(fits: impl FnOnce(&mpsc::Sender<String>) -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    let fits = thread::spawn(move || fits(&tell));
    let mut last = String::new();
    loop {
        match told.recv_timeout(DEADLINE) {
            Ok(facts) => last = facts,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no end of the fit of {last}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => return fits.join().unwrap(),
        }
    }
}

#[test]
fn every_fit_ends() {
    let mut refused = 0;
    for loss in Loss::ALL.into_iter().chain([Loss::Quantile { tau: 0.9 }, Loss::Huber { delta: 1e300 }]) {
        refused += in_time(move |tell| {
            let mut refused = 0;
            for seed in 0..SETS {
                let facts = rows(&mut Any::new(60_000 + seed), loss);
                tell.send(format!("{loss}: {facts:?}")).unwrap();
                for (passes, optimum) in [(1, None), (2, None), (1, Some(1e-6))] {
                    refused += fit(loss, &facts, Plan { passes, optimum, ..Plan::ONE_PASS });
                }
                search(loss, &facts);
            }
            refused
        });
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn a_label_and_an_offset_that_overflow_together_are_refused() {
    const LARGE: [[Facts; 3]; 2] = [
        [(-1e308, 1e308, 1.0, 0.0), (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 2.0)],
        [(-1e308, 1e308, 1.0, 0.0), (1e154, 700.0, 1.0, 1.0), (1e16, 700.0, 1.0, 2.0)],
    ];
    in_time(|tell| {
        for loss in [Loss::Squared, Loss::Absolute, Loss::Huber { delta: 1.0 }, Loss::Quantile { tau: 0.3 }] {
            for facts in LARGE {
                tell.send(format!("{loss}: {facts:?}")).unwrap();
                assert_eq!(fit(loss, &facts, Plan::ONE_PASS), 1, "{loss}");
                assert_eq!(fit(loss, &facts, Plan { optimum: Some(1e-6), ..Plan::ONE_PASS }), 1, "{loss}");
                // A row that no trainer has met.
                let mut trainer = Trainer::new(Settings { loss, ..Settings::default() }, Plan::ONE_PASS);
                let mut gathered = Gathered::default();
                Trainer::learn(&mut trainer, &batch(&facts[1]), 0, 1).unwrap();
                Gathered::add(&mut gathered, &batch(&facts[0]), 0, 1).unwrap();
                let problem = Gathered::problem(gathered, &Trainer::model(&trainer));
                assert!(problem.is_err_and(|message| message.starts_with("label and offset are too large")));
            }
        }
    });
}
