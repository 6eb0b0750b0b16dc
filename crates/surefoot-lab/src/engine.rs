//! Runner of all experiments on several threads. The results do not depend on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::claim::Readings;
use crate::report::{Finding, Point, Report, Section};
use crate::{Experiment, Random, Reading, Row};

/// Number of seeds in one unit of work for a thread ([`Cell`]).
const BLOCK: u32 = 16;

/// Unit of work for one thread: a range of seeds of a row of an experiment, at one point of its axis or at all points.
#[derive(Clone, Copy, Debug)]
struct Cell {
    experiment: usize,
    row: usize,
    /// Range of indices of points of the axis, end excluded.
    points: (usize, usize),
    /// Range of seeds, end excluded.
    seeds: (u32, u32),
}

/// Experiments to be run, with the seed from which all random numbers are derived.
#[derive(Debug)]
pub struct Lab {
    experiments: Vec<Experiment>,
    seed: u64,
    cells: Vec<Cell>,
}

impl Lab {
    /// Creates a lab for these experiments; `seed` determines all random numbers.
    #[must_use]
    pub fn new(experiments: Vec<Experiment>, seed: u64) -> Self {
        let mut cells = Vec::new();
        for (e, experiment) in experiments.iter().enumerate() {
            for (r, row) in experiment.rows.iter().enumerate() {
                cells.extend(cells_of(row).map(|(points, seeds)| Cell { experiment: e, row: r, points, seeds }));
            }
        }
        Self { experiments, seed, cells }
    }

    /// Returns the number of units of work (groups of runs), for a progress bar.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is nothing to run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Runs all experiments on `threads` threads. Calls `progress` with the number of finished units of work, from any
    /// thread.
    pub fn run(self, threads: usize, progress: impl Fn(usize) + Sync) -> Report {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found = Mutex::new(vec![Vec::new(); self.cells.len()]);
        let work = || {
            // Cells at the end of the axis hold the longest runs, so they are taken first.
            let last = || self.cells.len().checked_sub(next.fetch_add(1, Ordering::Relaxed) + 1);
            while let Some(i) = last() {
                let readings = self.play(&self.cells[i]);
                found.lock().unwrap_or_else(|poisoned| poisoned.into_inner())[i] = readings;
                progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
        };
        thread::scope(|scope| {
            // Threads that the system refuses leave their work to the others.
            let others = 1..threads;
            let _ = others.map(|_| thread::Builder::new().spawn_scoped(scope, work)).take_while(Result::is_ok).count();
            work();
        });
        let found = found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.report(&found)
    }

    /// Runs one unit of work, and returns for each of its seeds the readings (measurements) at its points of the axis.
    fn play(&self, cell: &Cell) -> Vec<Vec<Reading>> {
        let experiment = &self.experiments[cell.experiment];
        let row = &experiment.rows[cell.row];
        let axis = &row.axis[cell.points.0..cell.points.1];
        // A correct and a planted row of equal labels share a stream of random numbers, but get equal numbers only if they draw alike.
        let name = format!("{} {} {}", experiment.name, row.label, cell.points.0);
        let one = |seed: u32| {
            let readings = (row.trial)(axis, Random::new(self.seed, &name, seed.into()));
            assert_eq!(readings.len(), axis.len(), "{name}: a reading for each point");
            readings
        };
        (cell.seeds.0..cell.seeds.1).map(one).collect()
    }

    fn report(self, found: &[Vec<Vec<Reading>>]) -> Report {
        let mut cells = self.cells.iter().zip(found).peekable();
        let section = |(e, experiment): (usize, Experiment)| {
            let rows = experiment.rows.iter().enumerate().map(|(r, row)| {
                let mut all = vec![Vec::with_capacity(row.axis.len()); row.seeds as usize];
                while let Some((cell, readings)) = cells.next_if(|(cell, _)| (cell.experiment, cell.row) == (e, r)) {
                    for (seed, run) in (cell.seeds.0..).zip(readings) {
                        all[seed as usize].extend(run);
                    }
                }
                finding(row, &all)
            });
            let findings = rows.collect();
            let Experiment { name, title, about, axis, measured, bound, .. } = experiment;
            Section { name, title, about, axis, measured, bound, findings }
        };
        Report { seed: self.seed, sections: self.experiments.into_iter().enumerate().map(section).collect() }
    }
}

/// Divides the runs of a row of an experiment into units of work, each a range of points of the axis and a range of seeds,
/// ordered by points.
fn cells_of(row: &Row) -> impl Iterator<Item = ((usize, usize), (u32, u32))> {
    let points: Vec<_> =
        if row.path { vec![(0, row.axis.len())] } else { (0..row.axis.len()).map(|i| (i, i + 1)).collect() };
    let seeds = row.seeds;
    points.into_iter().flat_map(move |points| {
        (0..seeds).step_by(BLOCK as usize).map(move |from| (points, (from, (from + BLOCK).min(seeds))))
    })
}

fn finding(row: &Row, all: &[Vec<Reading>]) -> Finding {
    let readings = Readings { axis: &row.axis, path: row.path, all };
    let points = (0..row.axis.len()).map(|i| {
        let (measured, error) = readings.mean(i, |r| r.measured);
        let (bound, floor) = (readings.mean(i, |r| r.bound).0, readings.mean(i, |r| r.floor).0);
        Point { x: row.axis[i], measured, error, bound, floor }
    });
    Finding {
        label: row.label.clone(),
        planted: row.planted,
        certificate: row.certificate,
        seeds: row.seeds,
        points: points.collect(),
        checks: row.claims.iter().map(|claim| claim.check(&readings, row.planted)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Claim;

    fn table() -> Vec<Experiment> {
        let row = |label| {
            Row::points(label, &[1.0, 10.0, 100.0], |x, mut random| {
                Reading::of((1.0 + 0.01 * random.normal()) / x).under(2.0 / x)
            })
        };
        let rows = vec![
            row("right").seeds(40).claim(Claim::Slope { from: 0.0, least: -1.01, most: -0.99 }).claim(Claim::Bounded),
            row("wrong").seeds(3).claim(Claim::Slope { from: 0.0, least: -0.5, most: 0.0 }).planted(),
            Row::path("path", &[1.0, 2.0], |axis, mut random| {
                let noise = random.unit();
                axis.iter().map(|x| Reading::of(noise * x).under(noise)).collect()
            })
            .seeds(20)
            .claim(Claim::Coverage { delta: 0.5 })
            .planted(),
        ];
        vec![Experiment { name: "V0", title: "", about: "", axis: "x", measured: "y", bound: "b", rows }]
    }

    #[test]
    fn threads_do_not_show() {
        let run = |threads| Lab::new(table(), 7).run(threads, |_| {});
        let (one, four) = (run(1), run(4));
        let text = |report: &Report| format!("{report:?}");
        assert_eq!(text(&one), text(&four));
        assert_ne!(text(&one), text(&Lab::new(table(), 8).run(1, |_| {})));
        assert!(one.passes(), "{one:?}");
        assert_eq!(one.sections[0].findings[2].checks[0].measured, 1.0);
    }

    #[test]
    fn progress_counts_all_cells() {
        let (lab, last) = (Lab::new(table(), 0), AtomicUsize::new(0));
        let cells = lab.len();
        assert_eq!(cells, 3 * 3 + 3 + 2);
        lab.run(2, |done| _ = last.fetch_max(done, Ordering::Relaxed));
        assert_eq!(last.into_inner(), cells);
    }
}
