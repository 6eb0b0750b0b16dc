//! V21: bounds that hold with probability 1 − δ at all times, tested on five noise distributions with the same declared range.

mod noise;
mod watch;

use crate::method::{Method, descend};
use crate::{Claim, Experiment, Form, Random, Reading, Row};
use noise::{NOISES, Noise, Tilted};
use watch::{DELTA, Kind, Watch};

const ABOUT: &str = "The bounds that hold with probability 1 − δ at all times at once, δ = .1, on five noises within one declared bound: the boundary \
    by itself, the excess (Stream) and the loss (Risk) of Algorithm 1 with weights t on a linear loss over −1 to 1, asked at every step \
    below 50 and every tenth from there on. The share of seeds with a bound that was ever false may be δ and three standard errors of a \
    binomial share, which is .152 for 300 seeds. It is at most .007: the bounds pay for all times, and declared ranges are larger than most noise. \
    Each seed's largest truth ÷ bound is below 1 for half of the seeds, and below 1.5 for all. Planted are bounds without an allowance for noise \
    and, for the noise that comes nearest, half of it. At the end of a run a bound is below the one that it replaced, a union over rates by \
    halves; in the first steps, where the range decides, the boundary is up to 1.55 times as large.";

/// Comparison made at each point of a row of the experiment.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// The true quantity is compared with its bound, after the part of the bound that allows for noise is multiplied by `allowance`;
    /// factors below 1 are planted errors.
    Truth { allowance: f64 },
    /// The bound is compared with an older one from a union bound over several learning rates; if `paid`, these rates share the
    /// error probability δ, otherwise each wrongly gets all of δ.
    Union { paid: bool },
}

fn reading(watch: &Watch, held: Held) -> Reading {
    let bound = watch.bound();
    match held {
        Held::Truth { allowance } => {
            let mean = watch.mean();
            Reading::of(watch.truth()).under(mean + allowance * (bound - mean))
        }
        Held::Union { paid } => Reading::of(bound).under(watch.union(paid)),
    }
}

/// Builds a row of the experiment. The measurement at each point of the axis is the one closest to its bound since the previous
/// point.
fn row(label: &str, axis: &[f64], kind: Kind, noise: Noise, held: Held) -> Row {
    let trial = move |axis: &[f64], mut random: Random| {
        let (mut watch, mut nearest, mut readings) = (Watch::new(kind), None::<Reading>, Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&Tilted(noise), Method::Anytime { power: 1.0 }, steps, &mut random, |round| {
            watch.record(round);
            let due = axis.contains(&(round.step as f64));
            if due || round.step < 50 || round.step % 10 == 0 {
                let now = reading(&watch, held);
                if nearest.is_none_or(|before| now.ratio().is_nan() || now.ratio() > before.ratio()) {
                    nearest = Some(now);
                }
            }
            readings.extend(nearest.take_if(|_| due));
        });
        readings
    };
    Row::path(label, axis, trial)
}

/// Builds a row of the experiment that compares new bounds with those that they replaced, at the end of a run of `last` steps.
fn end(label: &str, last: f64, kind: Kind, noise: Noise, paid: bool) -> Row {
    let trial = move |axis: &[f64], mut random: Random| {
        let mut watch = Watch::new(kind);
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&Tilted(noise), Method::Anytime { power: 1.0 }, steps, &mut random, |round| watch.record(round));
        vec![reading(&watch, Held::Union { paid })]
    };
    let row = Row::path(label, &[last], trial).claim(MEDIAN);
    // Bounds of a loss consist mostly of the mean, so their ratio is too close to 1 for a claim about each seed.
    if kind == Kind::Risk { row } else { row.claim(Claim::Always) }
}

const COVERED: Claim = Claim::Coverage { delta: DELTA };
const MEDIAN: Claim = Claim::Ratio { share: 0.5, most: 1.0 };
const LARGEST: Claim = Claim::Ratio { share: 1.0, most: 1.5 };

pub(super) fn experiment(form: Form) -> Experiment {
    let (axis, seeds) = (form.pick(&[10.0, 100.0, 300.0][..], &[10.0, 100.0, 500.0, 2000.0]), form.pick(40, 300));
    let last = form.pick(300.0, 2000.0);
    let each = || Kind::ALL.into_iter().flat_map(|kind| NOISES.map(|noise| (kind, noise)));
    let mut rows = Vec::new();
    for (kind, noise) in each() {
        let (label, held) = (format!("{}, {}", kind.name(), noise.name()), Held::Truth { allowance: 1.0 });
        rows.push(row(&label, axis, kind, noise, held).claim(COVERED).claim(MEDIAN).claim(LARGEST).seeds(seeds));
    }
    for (kind, noise) in each() {
        let label = format!("{} ÷ the union's, {}", kind.name(), noise.name());
        rows.push(end(&label, last, kind, noise, true).seeds(seeds));
    }
    let (uniform, begun) = (Noise::Uniform, Claim::Ratio { share: 1.0, most: 1.6 });
    let early = |label: &str, paid| row(label, &[10.0], Kind::Boundary, uniform, Held::Union { paid });
    rows.push(early("boundary ÷ the union's, first steps", true).claim(begun).seeds(seeds));

    for (kind, noise) in each() {
        let label = format!("{}, no allowance for noise, {}", kind.name(), noise.name());
        let held = Held::Truth { allowance: 0.0 };
        let row = row(&label, axis, kind, noise, held).claim(COVERED).seeds(seeds).planted();
        // A bound of a loss consists mostly of the mean, which the loss need not exceed by half.
        rows.push(if kind == Kind::Risk { row } else { row.claim(LARGEST) });
    }
    let half = Held::Truth { allowance: 0.5 };
    let half = row("boundary, half of the allowance for noise, uniform", &[2000.0], Kind::Boundary, uniform, half);
    rows.push(half.claim(COVERED).seeds(300).planted());
    for noise in NOISES {
        let label = format!("boundary ÷ that of a union for nothing, {}", noise.name());
        rows.push(end(&label, last, Kind::Boundary, noise, false).seeds(seeds).planted());
    }
    rows.push(early("boundary ÷ that of a union for nothing, first steps", false).claim(begun).seeds(seeds).planted());
    let (title, measured, bound) = ("Coverage on five noises", "truth", "bound with probability 1 − δ");
    Experiment { name: "V21", title, about: ABOUT, axis: "T", measured, bound, rows }
}
