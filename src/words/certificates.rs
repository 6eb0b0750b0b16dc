//! Certificates for people and for programs.

use super::number;
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
        "value": number::number_or_null(Some(bound.value)),
        "relative": number::number_or_null(bound.relative),
        "delta": number::number_or_null(bound.delta),
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

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_fit::certified_gap;
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
        assert_eq!(certified_gap(&certificates), Some(0.001));
        assert_eq!(object(&certificates)["also"].as_array().map(Vec::len), Some(3));
    }
}
