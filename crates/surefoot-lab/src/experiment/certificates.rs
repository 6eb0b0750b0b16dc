//! V12: certificates (upper bounds on the excess loss, computed from a run) compared with the true excess loss.

mod coins;
mod exact;
mod refusals;
mod stream;

use crate::{Experiment, Form};

const ABOUT: &str = "Certificates against the truth on logistic regression (d = 20, ball of radius 3): without noise none is ever \
    below the true excess, and those with values of the loss are not above those without (numpy, on data of its own, at T = 100: excess 9.5e-7, \
    C1 1.7e-6, C2 1.5e-6). From streams, at any time: in at most a share δ = .1 of 200 runs the excess is ever above the \
    certificate or the loss above the certified risk, which at T = 3517 with 64 rows a step is within 1 % of the truth (numpy: \
    .68737 against .68652; no violation in 60 runs). The boundary itself is put to coins, fair and of 2 %, with weights t \
    (numpy: ever above in 5e-4 and 0 of runs). Where a certificate does not hold the library refuses it: 1 stands for one given.";

pub(super) fn experiment(form: Form) -> Experiment {
    let parts = [exact::rows(form), stream::rows(form), coins::rows(form), refusals::rows()];
    let rows = parts.into_iter().flatten().collect();
    let (title, measured) = ("Certificates", "true excess");
    Experiment { name: "V12", title, about: ABOUT, axis: "T", measured, bound: "certificate", rows }
}
