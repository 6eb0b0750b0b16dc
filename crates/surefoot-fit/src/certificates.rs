//! Combination of the certificates (bounds on the excess loss of a model) that a run yields with the certificate of a further full pass.

use surefoot_glm::{Certificate, LossBounds, Settings, Subject};

/// Returns the smallest certified bound on the excess loss of the model; `None` if no certificate contains such a bound.
#[must_use]
pub fn certified_gap(certificates: &[Certificate]) -> Option<f64> {
    let bounds = certificates.iter().filter_map(Certificate::bound).filter(|bound| bound.subject == Subject::Excess);
    bounds.map(|bound| bound.value).min_by(f64::total_cmp)
}

/// Combines the certificates that a run collected with the certificate `full` of a further pass over all rows, which found the mean loss
/// `objective`. The certificate of the full pass comes first if it contains a bound. Those of the run are dropped, unless the user
/// requested one by giving a bound on the norms of the rows; if the mean loss refutes that one, it is replaced by a reason why there is no
/// bound.
pub(crate) fn with_full_pass(
    full: Certificate,
    objective: Option<f64>,
    run: Vec<Certificate>,
    settings: &Settings,
    rows: u64,
) -> Vec<Certificate> {
    let asked = settings.ball.is_some_and(|ball| ball.row_norm.is_some());
    let refuted = objective.is_some_and(|mean| is_refuted(mean, &run, settings, rows));
    let run = if refuted { vec![Certificate::none(REFUTED)] } else { run };
    let run = run.into_iter().filter(|_| asked);
    if full.bound().is_some() { [full].into_iter().chain(run).collect() } else { run.chain([full]).collect() }
}

const REFUTED: &str = "the loss on the rows of DATA is above what was bounded for new rows by more than chance allows, so rows are not \
                       independent draws: --shuffle mends a random sample that was sorted afterwards, but not rows that change with time or \
                       come in groups";

/// Whether the mean loss over `rows` rows exceeds the bound that the run certified for new rows by more than chance allows for independent
/// rows. Over all models of a ball, the largest excess of the mean over its expectation is on average at most 2·G·R·B/√n for n rows
/// (Rademacher averages, for slopes ≤ G, radius R and rows of norm ≤ B). It exceeds its average by f·√(ln(1/δ)/2n) with probability at most
/// δ (McDiarmid), where f is the largest loss.
fn is_refuted(mean: f64, run: &[Certificate], settings: &Settings, rows: u64) -> bool {
    let Some((ball, loss_bounds)) = settings.ball.and_then(|ball| Some((ball, ball.loss_bounds(settings.loss)?)))
    else {
        return false;
    };
    let mut risks = run.iter().filter_map(Certificate::bound).filter(|bound| bound.subject == Subject::Risk);
    let Some(bound) = risks.find(|bound| !bound.weighted) else { return false };
    let (LossBounds { margin, largest, max_derivative, .. }, count) = (loss_bounds, rows as f64);
    let stray = largest * ((100.0 / ball.delta).ln() / (2.0 * count)).sqrt();
    mean > bound.value + 2.0 * max_derivative * margin / count.sqrt() + stray
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_glm::{Ball, Bound};

    fn bound(subject: Subject, value: f64) -> Bound {
        let (relative, delta, weighted, comparator) = (None, Some(0.05), false, None);
        Bound { subject, value, relative, delta, weighted, comparator, assumptions: Vec::new() }
    }

    #[test]
    fn a_full_pass_comes_first_if_it_says_something() {
        let (none, full) = (Certificate::none("no bound"), Certificate::Deterministic(bound(Subject::Excess, 0.1)));
        let of = |row_norm| {
            let settings = Settings { ball: Some(Ball { radius: 1.0, row_norm, delta: 0.1 }), ..Settings::default() };
            with_full_pass(full.clone(), Some(0.3), vec![none.clone()], &settings, 100)
        };
        let risk = Certificate::Probability(bound(Subject::Risk, 0.01));
        let settings =
            Settings { ball: Some(Ball { radius: 1.0, row_norm: Some(1.0), delta: 0.1 }), ..Settings::default() };
        let beside = |mean: f64, rows| with_full_pass(full.clone(), Some(mean), vec![risk.clone()], &settings, rows);
        assert_eq!(beside(0.3, 100), [full.clone(), risk.clone()]);
        assert_eq!(beside(0.3, 10_000), [full.clone(), Certificate::none(REFUTED)]);
        assert_eq!(beside(0.01, 10_000), [full.clone(), risk.clone()]);
        assert_eq!(of(None), std::slice::from_ref(&full));
        assert_eq!(of(Some(1.0)), [full.clone(), none.clone()]);
    }
}
