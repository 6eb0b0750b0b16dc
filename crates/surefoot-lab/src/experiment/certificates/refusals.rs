//! Cases in which the library must refuse to give a certificate (bound on the excess loss), because none would be
//! valid.

use surefoot::certificate::{Certified, Coupled, Gradients, Ledger, Rise, Stream};
use surefoot::{Ball, View};

use crate::{Claim, Reading, Row};

/// Builds a row of the experiment whose measurement is 1 if the library gives a certificate, and 0 if it refuses, as it
/// must.
fn row(label: &str, ask: fn() -> Certified) -> Row {
    Row::points(label, &[1.0], move |_, _| Reading::of(f64::from(u8::from(ask().is_ok()))))
        .claim(Claim::Largest { most: 0.0 })
}

fn ball() -> Ball<f64> {
    Ball::new(1.0)
}

/// Requests the certificate of a run of one round with this iterate, which is also the output.
fn ledger(iterate: f64, gradients: Gradients) -> Certified {
    let mut sums = Ledger::new(1);
    sums.record(1.0, &[-1.0], |_| iterate);
    sums.certificate(1.0, &ball(), &View::new(1, |_| iterate), gradients)
}

fn coupled(rise: Rise) -> Certified {
    let mut sums = Coupled::new(1);
    sums.record(1.0, &[-1.0], |_| 0.0, rise);
    sums.certificate(&ball(), Gradients::Exact)
}

fn stream(bound: f64, distance: f64) -> Certified {
    let mut stream = Stream::new(&ball(), bound);
    stream.open(1.0, 1, distance);
    stream.example(1.0);
    stream.certificate(&ledger(0.0, Gradients::Fresh)?, 1.0, 0.1, None)
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("refused: shuffled epochs", || ledger(0.0, Gradients::Reused)),
        row("refused: an output outside the domain", || ledger(1.5, Gradients::Exact)),
        row("refused: an iterate outside the domain", || stream(1.0, 1.5)),
        row("refused: no bound on gradients", || stream(f64::INFINITY, 0.0)),
        row("refused: a gradient above its bound", || stream(0.5, 0.0)),
        row("refused: Algorithm 4 with values of the same batch", || coupled(Rise::SameBatch)),
        row("refused: Algorithm 4 with nothing known of y", || coupled(Rise::Unknown)),
        row("rows drawn with replacement", || ledger(0.0, Gradients::Drawn)).planted(),
        row("a stream as it should be", || stream(1.0, 0.0)).planted(),
        row("Algorithm 4 with values", || coupled(Rise::Measured(0.0))).planted(),
    ]
}
