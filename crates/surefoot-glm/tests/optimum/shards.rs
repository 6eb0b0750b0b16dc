//! Tests of optima over rows that lie in shards, owned by one process or several: here threads, which exchange their partial results in
//! memory.

use std::{
    ops::Range,
    sync::{Arc, Condvar, Mutex},
};
use surefoot_glm::{
    Bounds, Loss,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
    shards::{Collective, Fold, Interrupted, OneProcess, Partial, Shards},
};

use super::problem::Dice;

const SHARDS: usize = 6;

/// Exchange of partial results among threads.
struct Exchange {
    processes: usize,
    state: Mutex<(Fold, usize, u64, Arc<Partial>)>,
    changed: Condvar,
}

impl Exchange {
    fn new(processes: usize) -> Arc<Exchange> {
        let state = Mutex::new((Fold::new(SHARDS), 0, 0, Arc::default()));
        Arc::new(Exchange { processes, state, changed: Condvar::new() })
    }
}

impl Collective for Exchange {
    fn combine(&self, own: Vec<(Range<usize>, Partial)>) -> Result<Partial, Interrupted> {
        let mut state = self.state.lock().unwrap();
        own.into_iter().for_each(|(range, partial)| assert!(state.0.insert(range, partial)));
        state.1 += 1;
        let round = state.2;
        if state.1 == self.processes {
            let fold = std::mem::replace(&mut state.0, Fold::new(SHARDS));
            (state.1, state.2, state.3) = (0, round + 1, Arc::new(fold.total().expect("all shards")));
            self.changed.notify_all();
        }
        let state = self.changed.wait_while(state, |state| state.2 == round).unwrap();
        Ok((*state.3).clone())
    }
}

/// Row of a problem: label, weight, offset, columns and values.
type Row = (f64, f64, f64, Vec<u32>, Vec<f64>);

struct Problem {
    name: &'static str,
    columns: usize,
    rows: Vec<Row>,
}

/// Shard of each row: of very different sizes, the fourth without any row.
fn shard(row: usize) -> usize {
    [0, 0, 1, 0, 2, 4, 0, 5, 0, 5][row % 10]
}

/// Returns a number between 0 and 1.
fn roll(dice: &mut Dice) -> f64 {
    0.5 + 0.5 * dice.unit()
}

fn label(loss: Loss, margin: f64, dice: &mut Dice) -> f64 {
    let margin = margin + 0.7 * (roll(dice) - 0.5);
    match loss {
        Loss::Softmax | Loss::Ovr => {
            if margin > 0.5 {
                2.0
            } else {
                f64::from(margin > -0.3)
            }
        }
        _ if loss.classifies() => {
            if margin > 0.0 {
                1.0
            } else {
                -1.0
            }
        }
        Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } => (0.3 * margin).exp().max(0.1),
        _ => margin,
    }
}

fn problem(name: &'static str, loss: Loss, rows: usize, columns: usize, nonzeros: usize) -> Problem {
    let mut dice = Dice(7 + columns as u64);
    let row = |_| {
        let mut column: Vec<u32> = match nonzeros == columns {
            true => (0..columns as u32).collect(),
            false => (0..nonzeros).map(|_| (columns as f64 * roll(&mut dice) * roll(&mut dice)) as u32).collect(),
        };
        column.sort_unstable();
        column.dedup();
        let values: Vec<f64> = column.iter().map(|j| roll(&mut dice) - 0.3 + f64::from(*j % 3)).collect();
        let margin: f64 = column.iter().zip(&values).map(|(&j, x)| (f64::from(j % 5) - 2.0) * x).sum::<f64>() / 4.0;
        let weight = [1.0, 0.5, 2.0, 0.0, 1.5][(8.0 * roll(&mut dice)) as usize % 5];
        (label(loss, margin, &mut dice), weight, 0.1 * (roll(&mut dice) - 0.5), column, values)
    };
    Problem { name, columns, rows: (0..rows).map(row).collect() }
}

fn plain(problem: &Problem) -> Examples {
    let mut examples = Examples::default();
    for (label, weight, offset, column, values) in &problem.rows {
        examples.push(*label, *weight, *offset, column, values);
    }
    examples
}

/// Returns the rows of the shards of a process.
fn of_shards(problem: &Problem, own: Range<usize>, collective: Arc<dyn Collective>) -> Examples {
    let shards = Shards { total: SHARDS, collective };
    let mut examples = Examples::of_shards(shards, problem.columns, usize::MAX);
    for number in own {
        examples.begin_shard(number);
        let rows = problem.rows.iter().enumerate().filter(|(r, _)| shard(*r) == number);
        rows.for_each(|(_, (label, weight, offset, column, values))| {
            examples.push(*label, *weight, *offset, column, values);
        });
    }
    examples
}

fn search(examples: &Examples, goal: &Goal) -> (Optimum, Vec<Optimum>) {
    let mut all = Vec::new();
    let found = optimise(examples, goal, (&[], &[]), &|| false, &mut |found| all.push(found.clone()));
    (found.expect("rows with weight"), all)
}

/// Runs the search on threads that own these ranges of shards; all of them must find the same.
fn on_threads(problem: &Problem, goal: &Goal, owned: &[Range<usize>]) -> (Optimum, Vec<Optimum>) {
    let exchange = Exchange::new(owned.len());
    let found: Vec<_> = std::thread::scope(|scope| {
        let run = |own: &Range<usize>| {
            let (own, exchange) = (own.clone(), exchange.clone());
            scope.spawn(move || search(&of_shards(problem, own, exchange), goal))
        };
        let threads: Vec<_> = owned.iter().map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|one| *one == found[0]), "{}: the processes disagree", problem.name);
    found.into_iter().next().unwrap()
}

#[test]
fn any_number_of_processes_finds_the_same_and_what_one_without_shards_does() {
    let losses = Loss::SCALAR.into_iter().chain(Loss::MULTICLASS);
    let mut tried = 0;
    for loss in losses {
        let problems = [
            problem("dense", loss, 400, 5, 5),
            problem("sparse", loss, 300, 40, 6),
            problem("wide", loss, 120, 400, 8),
        ];
        let penalties =
            [(0.0, 0.01, false, true), (0.01, 0.001, false, true), (0.02, 0.0, false, false), (0.0, 0.02, true, true)];
        for problem in &problems {
            for (l1, l2, nonnegative, intercept) in penalties {
                let goal = Goal {
                    loss,
                    classes: 3,
                    l1,
                    l2,
                    bounds: if nonnegative { Bounds::NONNEGATIVE } else { Bounds::FREE },
                    rules: &[],
                    intercept,
                    // With kinks and fewer rows than columns, the order of the rows decides how far rounding permits to go.
                    tolerance: if problem.name == "wide" { 1e-6 } else { 1e-9 },
                    threads: 1,
                };
                let case = format!("{} {goal:?}", problem.name);
                let (alone, _) = search(&plain(problem), &goal);
                let one = Arc::new(OneProcess { shards: SHARDS });
                let (first, path) = search(&of_shards(problem, 0..SHARDS, one), &goal);
                assert_eq!(first.ended, Ended::Certified, "{case} {first:?} {alone:?}");
                let apart = (first.objective - alone.objective).abs();
                let enough = first.gap.unwrap_or(0.0).max(alone.gap.unwrap_or(0.0)) + 1e-12 * alone.objective.abs();
                assert!(apart <= enough, "{case}: {} is not {}", first.objective, alone.objective);
                for owned in [&[0..2, 2..6][..], &[0..1, 1..3, 3..6], &[0..1, 1..2, 2..3, 3..4, 4..5, 5..6]] {
                    assert_eq!(on_threads(problem, &goal, owned), (first.clone(), path.clone()), "{case} {owned:?}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 400, "{tried}");
}

/// A tolerance that cannot be met takes the searches as far as rounding permits, to the same objective but for rounding.
#[test]
fn without_a_tolerance_the_objectives_agree_to_rounding() {
    for loss in [Loss::Logistic, Loss::Squared, Loss::Poisson, Loss::Softmax] {
        let problem = problem("dense", loss, 3000, 12, 12);
        let goal = Goal {
            loss,
            classes: 3,
            l1: 0.0,
            l2: 1e-4,
            bounds: Bounds::FREE,
            rules: &[],
            intercept: true,
            tolerance: 1e-13,
            threads: 1,
        };
        let (alone, _) = search(&plain(&problem), &goal);
        let (found, _) = on_threads(&problem, &goal, &[0..3, 3..6]);
        let apart = (found.objective - alone.objective).abs() / alone.objective.abs();
        assert!(apart <= 1e-12, "{loss:?}: {apart:e}");
    }
}

/// Growing subsamples are those of the shards, whoever owns them.
#[test]
fn many_rows_start_on_subsamples() {
    let problem = problem("long", Loss::Logistic, 40_000, 4, 4);
    let goal = Goal {
        loss: Loss::Logistic,
        classes: 1,
        l1: 0.0,
        l2: 1e-4,
        bounds: Bounds::FREE,
        rules: &[],
        intercept: true,
        tolerance: 1e-9,
        threads: 1,
    };
    let (first, _) = search(&of_shards(&problem, 0..SHARDS, Arc::new(OneProcess { shards: SHARDS })), &goal);
    assert!(first.ended == Ended::Certified && first.passes.fract() != 0.0, "{first:?}");
    assert_eq!(on_threads(&problem, &goal, &[0..5, 5..6]).0, first);
}
