//! Robustness tests of searches for the optimum over rows in memory, with arbitrary rows and goals.

use crate::anyone::{Any, finite};
use std::sync::atomic::{AtomicUsize, Ordering};
use surefoot_glm::{
    Bounds, Gathered, Model, Plan, Problem, Rule, Select, Settings, Trainer,
    optimum::{Examples, Goal, Optimum, optimise},
};

fn check(found: &Optimum, seed: u64) {
    assert!(found.gap.is_none_or(|gap| gap >= 0.0 && gap.is_finite()), "{seed}: {found:?}");
    assert!(Optimum::relative_gap(found).is_none_or(|gap| gap >= 0.0), "{seed}: {found:?}");
    if found.objective.is_finite() {
        assert!(finite(&found.weights) && finite(&found.intercept), "{seed}: {found:?}");
    }
}

/// Returns true, which tells a search to stop, from the 402nd query on; searches also end without it, but thousands of
/// them would take too long.
fn patience(asked: &AtomicUsize) -> bool {
    asked.fetch_add(1, Ordering::Relaxed) > 400
}

#[test]
fn searches_take_any_goal() {
    let mut none = 0;
    for seed in 0..1500 {
        let mut any = Any::new(20_000 + seed);
        let Settings { loss, penalty, .. } = any.settings();
        let mut examples =
            if any.flip() { Examples::default() } else { Examples::with_memory(any.of(&[0, 100, usize::MAX])) };
        let odd = any.below(4) == 0;
        for _ in 0..any.below(12) {
            let mut columns: Vec<u32> = (0..any.below(4)).map(|_| any.below(5) as u32).collect();
            columns.sort_unstable();
            columns.dedup();
            let size = any.of(&[1.0, 1.0, 1e300, 1e-300, 5e-324]);
            let values: Vec<f64> = columns.iter().map(|_| size * any.of(&[0.0, 1.0, -0.5, 0.3])).collect();
            let label = match loss {
                _ if odd => any.of(&[0.0, -1.0, 0.5, 7.0, 1e300, -1e-300]),
                _ if loss.is_multiclass() => any.below(3) as f64,
                _ if loss.classifies() => any.of(&[-1.0, 1.0]),
                _ => any.usual().abs() + 0.1,
            };
            let (weight, offset) = (any.of(&[1.0, 1.0, 0.0, 1e-300, 1e300]), any.of(&[0.0, 0.0, 0.0, -700.0, 1e300]));
            Examples::push(&mut examples, label, weight, offset, &columns, &values);
        }
        assert_eq!(Examples::is_empty(&examples), Examples::len(&examples) == 0);
        if !Examples::is_empty(&examples) {
            let (columns, values) = Examples::row(&examples, 0);
            assert!(
                columns.len() == values.len() && columns.iter().all(|&j| (j as usize) < Examples::columns(&examples))
            );
        }
        let rules: Vec<Rule> = (0..any.below(7))
            .map(|_| Rule { factor: if odd { any.number() } else { any.of(&[0.0, 1.0]) }, bounds: penalty.bounds })
            .collect();
        let goal = Goal {
            loss,
            classes: if odd { any.of(&[0, 1, 3]) } else { 3 },
            l1: penalty.l1,
            l2: penalty.l2,
            bounds: if any.flip() { penalty.bounds } else { Bounds::FREE },
            rules: &rules,
            intercept: any.flip(),
            tolerance: any.of(&[1e-6, 0.0, -1.0, f64::NAN, f64::INFINITY]),
            threads: any.of(&[0, 1, 2, usize::MAX]),
        };
        let start: Vec<f64> = (0..any.below(30)).map(|_| if odd { any.number() } else { any.usual() }).collect();
        let (asked, mut shown) = (AtomicUsize::new(0), 0);
        let found = optimise(&examples, &goal, (&start, &start), &|| patience(&asked), &mut |found| {
            check(found, seed);
            shown += 1;
        });
        none += usize::from(found.is_none());
        if let Some(found) = found {
            check(&found, seed);
        }
    }
    assert!(none > 100 && none < 1200, "{none}");
}

/// Trains on random rows; returns the model, and an optimisation problem built from the same rows or, in a third of the
/// cases, from others.
fn problem(any: &mut Any) -> (Model, Result<Problem, String>) {
    let settings = any.settings();
    let (batch, plan) = (any.batch(settings.loss), Plan { optimum: Some(1e-3), ..Plan::ONE_PASS });
    let mut trainer = Trainer::new(settings.clone(), plan);
    let mut gathered =
        if any.flip() { Gathered::default() } else { Gathered::with_memory(any.of(&[0, 64, usize::MAX])) };
    let other = if any.below(3) == 0 { any.batch(settings.loss) } else { batch.clone() };
    for r in 0..batch.len() {
        let learnt = trainer.learn(&batch, r, r + 1).is_ok();
        if learnt && other.len() == batch.len() {
            assert_eq!(Gathered::add(&mut gathered, &batch, r, r + 1), Ok(()));
        }
    }
    if other.len() != batch.len() {
        for r in 0..other.len() {
            let row = other.row(r);
            let counts = row.weight > 0.0 && row.label.is_some_and(f64::is_infinite);
            let fair = row.check().is_ok() && !counts;
            assert_eq!(Gathered::add(&mut gathered, &other, r, r + 1).is_ok(), fair);
        }
    }
    let model = trainer.model();
    let problem = Gathered::problem(gathered, &model);
    (model, problem)
}

#[test]
fn problems_may_be_any() {
    let (mut fine, mut refused, mut earlier) = (0, 0, None::<Optimum>);
    for seed in 0..1500 {
        let mut any = Any::new(30_000 + seed);
        let (mut model, problem) = problem(&mut any);
        let Ok(mut problem) = problem else {
            refused += 1;
            continue;
        };
        fine += 1;
        assert!(
            Problem::farthest_column(&problem).is_none_or(|(at, ratio)| at < model.index.len() && ratio.is_finite())
        );
        assert_eq!(Problem::path(&problem), Problem::settings(&problem).penalty.path);
        let asked = AtomicUsize::new(0);
        if any.below(4) == 0 {
            Problem::choose(&mut problem, any.of(&[Select::Min, Select::OneSe]), 1, &|| patience(&asked), &mut |_| ());
        }
        asked.store(0, Ordering::Relaxed);
        let tolerance = any.of(&[1e-3, f64::NAN, 0.0]);
        let found = Problem::search(&problem, tolerance, 1, &|| patience(&asked), &mut |found| check(found, seed));
        if let Some(found) = found {
            check(&found, seed);
            let _ = Problem::caution(&problem, &found);
            if found.objective.is_finite() {
                assert_eq!(Problem::place(&problem, &found, &mut model), Ok(()));
                let sound = model.check();
                assert!(sound.is_ok() || !finite(&model.weight), "{seed}: {sound:?}");
            }
            // Of another problem, or into another model.
            let before = model.clone();
            if let Some(Err(_)) = earlier.as_ref().map(|earlier| Problem::place(&problem, earlier, &mut model)) {
                assert_eq!(model, before, "{seed}");
            }
            model.intercept.push(0.0);
            assert!(Problem::place(&problem, &found, &mut model).is_err());
            earlier = Some(found);
        }
    }
    assert!(fine > 300 && refused > 100, "{fine} {refused}");
}
