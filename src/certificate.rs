//! Certificates for people and for programs.

use crate::{number, report::number_or_null};
use serde_json::{Value, json};
use surefoot_glm::{Bound, Bounds, Certificate, Settings, Subject};

/// One object: the first certificate, and the others, if there are any, as `also`.
pub(crate) fn object(certificates: &[Certificate]) -> Value {
    let Some((first, others)) = certificates.split_first() else {
        return json!({"kind": "none", "reason": "nothing was learnt"});
    };
    let mut object = one(first);
    if !others.is_empty() {
        object["also"] = others.iter().map(one).collect();
    }
    object
}

fn one(certificate: &Certificate) -> Value {
    let (kind, bound) = match certificate {
        Certificate::None { reason } => return json!({"kind": "none", "reason": reason}),
        Certificate::Deterministic(bound) => ("deterministic", bound),
        Certificate::Expectation(bound) => ("expectation", bound),
        Certificate::Probability(bound) => ("probability", bound),
    };
    json!({
        "kind": kind,
        "subject": bound.subject,
        "value": number_or_null(Some(bound.value)),
        "relative": number_or_null(bound.relative),
        "delta": number_or_null(bound.delta),
        "comparator": bound.comparator,
        "assumptions": bound.assumptions,
    })
}

/// What the certificates of a model say, one line each.
pub(crate) fn words(certificates: &[Certificate], settings: &Settings) -> Vec<String> {
    certificates.iter().map(|certificate| sentence(certificate, settings)).collect()
}

fn sentence(certificate: &Certificate, settings: &Settings) -> String {
    let better = match settings.ball {
        Some(ball) => format!("no model with ‖w‖ ≤ {}", number::shortest(ball.radius)),
        None => match (settings.penalty.bounds, settings.groups.bounds.is_empty()) {
            (Bounds::FREE, true) => "no other model".to_owned(),
            (Bounds::NONNEGATIVE, true) => "no model with weights of at least 0".to_owned(),
            _ => "no model with weights within their bounds".to_owned(),
        },
    };
    let (how, rows, bound) = match certificate {
        Certificate::None { reason } => return format!("none: {reason}"),
        Certificate::Deterministic(bound) => ("for certain".to_owned(), "the rows of DATA", bound),
        Certificate::Expectation(bound) => ("on average over runs".to_owned(), "new rows like these", bound),
        Certificate::Probability(bound) => (probability(bound), "new rows like these", bound),
    };
    let value = number::loss(Some(bound.value));
    let mean = match (bound.weighted, settings.ball.is_some() || settings.is_unpenalised()) {
        (true, _) => "mean of weight times loss",
        (false, true) => "mean loss",
        (false, false) => "objective",
    };
    match bound.subject {
        Subject::Risk => format!("{how}, the {mean} on {rows} is at most {value}"),
        Subject::Excess => {
            let share = bound.relative.map_or_else(String::new, |share| format!(" ({share:.1e} of it)"));
            let a = if mean.starts_with('o') { "an" } else { "a" };
            format!("{how}, {better} has {a} {mean} on {rows} that is lower by more than {value}{share}")
        }
    }
}

fn probability(bound: &Bound) -> String {
    // To digits that 1 − δ has beyond those of δ.
    let percent = (1e12 * (1.0 - bound.delta.unwrap_or(1.0))).round() / 1e10;
    format!("if rows are independent draws, with probability {} %", number::shortest(percent))
}

/// The least bound on the excess.
pub(crate) fn excess(certificates: &[Certificate]) -> Option<f64> {
    let bounds = certificates.iter().filter_map(Certificate::bound).filter(|bound| bound.subject == Subject::Excess);
    bounds.map(|bound| bound.value).min_by(f64::total_cmp)
}

/// The certificates of a run together with that of a full pass, which comes first, and the mean loss that it found. That the run alone has
/// none is worth saying only where one was asked for, by a bound on the rows.
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

const REFUTED: &str = "the loss on the rows of DATA is above what was bounded for new rows by more than chance allows, so rows are no \
                       independent draws: --shuffle mends the order of a sorted file, but not rows that drift in time";

/// Whether a mean loss over `rows` rows is above the bound for new ones by more than chance allows, were rows independent draws. Over all models
/// of a ball at once the mean exceeds its expectation by at most 2·G·R·B/√n on average (Rademacher averages, with slopes ≤ G and rows ≤ B
/// in norm), and strays from that by f·√(ln(1/δ)/2n) with probability δ (McDiarmid), f the largest loss.
fn is_refuted(mean: f64, run: &[Certificate], settings: &Settings, rows: u64) -> bool {
    let Some((ball, longest)) = settings.ball.and_then(|ball| Some((ball, ball.row_norm?))) else { return false };
    let mut risks = run.iter().filter_map(Certificate::bound).filter(|bound| bound.subject == Subject::Risk);
    let Some(bound) = risks.find(|bound| !bound.weighted) else { return false };
    let (margin, count) = (ball.radius * longest, rows as f64);
    let slope = settings.loss.lipschitz().unwrap_or_else(|| settings.loss.slope(-1.0, margin).abs());
    let largest = settings.loss.value(-1.0, margin);
    let stray = largest * ((100.0 / ball.delta).ln() / (2.0 * count)).sqrt();
    mean > bound.value + 2.0 * slope * margin / count.sqrt() + stray
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_glm::Ball;

    fn bound(subject: Subject, value: f64) -> Bound {
        Bound {
            subject,
            value,
            relative: None,
            delta: Some(0.05),
            weighted: false,
            comparator: None,
            assumptions: Vec::new(),
        }
    }

    #[test]
    fn words_say_how_true_and_about_what() {
        let ball = Ball { radius: 3.0, row_norm: None, delta: 0.05 };
        let settings = Settings { ball: Some(ball), ..Settings::default() };
        let certificates = [
            Certificate::Probability(bound(Subject::Excess, 0.021)),
            Certificate::Probability(bound(Subject::Risk, 0.4312)),
            Certificate::Deterministic(bound(Subject::Excess, 0.001)),
            Certificate::none("too little"),
        ];
        let said = words(&certificates, &settings);
        assert_eq!(
            said,
            [
                "if rows are independent draws, with probability 95 %, no model with ‖w‖ ≤ 3 has a mean loss on new rows like these that is lower by more than 0.021000",
                "if rows are independent draws, with probability 95 %, the mean loss on new rows like these is at most 0.431200",
                "for certain, no model with ‖w‖ ≤ 3 has a mean loss on the rows of DATA that is lower by more than 0.001000",
                "none: too little",
            ]
        );
        assert_eq!(excess(&certificates), Some(0.001));
        assert_eq!(object(&certificates)["also"].as_array().map(Vec::len), Some(3));
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
