//! Certificates (guaranteed bounds on the loss or the excess loss of a model) as sentences, and as JSON.

use super::number;
use serde_json::{Value, json};
use surefoot_glm::{Bound, Bounds, Certificate, Loss, Settings, Subject};

/// Returns the certificates as one JSON object: the first certificate, with all others under `also`.
pub(crate) fn object(certificates: &[Certificate], settings: &Settings) -> Value {
    let Some((first, others)) = certificates.split_first() else {
        return json!({"kind": "none", "reason": "nothing was learnt"});
    };
    let mut object = one(first, settings);
    if !others.is_empty() {
        object["also"] = others.iter().map(|other| one(other, settings)).collect();
    }
    object
}

fn one(certificate: &Certificate, settings: &Settings) -> Value {
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
        "comparator": match settings.ball {
            Some(ball) if bound.comparator.is_some() => Some(format!("weights with ‖w‖ ≤ {}", number::shortest(ball.radius))),
            _ => bound.comparator.clone(),
        },
        "assumptions": bound.assumptions,
        "quantity": quantity(certificate, bound, settings),
        "sentence": sentence(certificate, settings),
    })
}

/// Returns the certificates of a model as sentences, one per certificate.
pub(crate) fn words(certificates: &[Certificate], settings: &Settings) -> Vec<String> {
    certificates.iter().map(|certificate| sentence(certificate, settings)).collect()
}

fn sentence(certificate: &Certificate, settings: &Settings) -> String {
    let (how, bound) = match certificate {
        Certificate::None { reason } => return format!("none: {reason}"),
        Certificate::Deterministic(bound) => ("for certain, rounding included,".to_owned(), bound),
        Certificate::Expectation(bound) => ("on average over runs,".to_owned(), bound),
        Certificate::Probability(bound) => (probability(bound, settings), bound),
    };
    let is_sum = matches!(certificate, Certificate::Deterministic(_));
    let of = quantity(certificate, bound, settings);
    let value = number::rounded_up(bound.value, |x| number::loss(Some(x)));
    match bound.subject {
        Subject::Risk => format!("{how} the {} is at most {value}", of.replace(" on ", " of this model on ")),
        // The least value of the deviance of counts depends on their labels.
        Subject::Excess
            if is_sum && bound.relative.is_some_and(|share| share >= 1.0) && is_above_zero(settings.loss) =>
        {
            format!("of no use: the bound {value} is above the {of} itself, and no loss is below 0")
        }
        Subject::Excess => {
            let share = |share| format!(" ({} of it)", number::rounded_up(share, |x| format!("{x:.1e}")));
            let share = bound.relative.map_or_else(String::new, share);
            let a = if of.starts_with(['o', 'e']) { "an" } else { "a" };
            format!("{how} {} have {a} {of} more than {value} below that of this model{share}", others(settings))
        }
    }
}

/// Returns a name for the quantity that the bound of a certificate limits, such as the mean loss on the rows of DATA.
fn quantity(certificate: &Certificate, bound: &Bound, settings: &Settings) -> &'static str {
    let is_sum = matches!(certificate, Certificate::Deterministic(_));
    match (is_sum, bound.weighted, settings.ball.is_some() || settings.is_unpenalised()) {
        (true, true, _) => "mean of weight times loss on the rows of DATA",
        (true, false, true) => "mean loss on the rows of DATA",
        (true, false, false) => "objective on the rows of DATA",
        (false, true, _) => "expected weight times loss on new rows",
        (false, false, _) => "expected loss on new rows",
    }
}

/// Whether this loss is nonnegative for every label and prediction.
fn is_above_zero(loss: Loss) -> bool {
    !matches!(loss, Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. })
}

/// Describes the set of weights with which the model is compared, such as a ball.
fn others(settings: &Settings) -> String {
    match settings.ball {
        Some(ball) => format!("no weights with ‖w‖ ≤ {}", number::shortest(ball.radius)),
        None => match (settings.penalty.bounds, settings.groups.bounds.is_empty()) {
            (Bounds::FREE, true) => "no other weights".to_owned(),
            (Bounds::NONNEGATIVE, true) => "no non-negative weights".to_owned(),
            _ => "no weights within their bounds".to_owned(),
        },
    }
}

fn probability(bound: &Bound, settings: &Settings) -> String {
    // Rounded to the digits that 1 − δ has beyond those of δ.
    let percent = (1e12 * (1.0 - bound.delta.unwrap_or(1.0))).round() / 1e10;
    let percent = number::shortest(percent);
    let norm = settings.ball.and_then(|ball| ball.row_norm);
    let norm = norm.map_or_else(String::new, |norm| format!(" and none is longer than {}", number::shortest(norm)));
    format!(
        "if all rows, old and new, are independent draws of one distribution{norm}, with probability {percent} % for all bounds of the \
         run at once,"
    )
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
        let ball = Ball { radius: 3.0, row_norm: Some(4.0), delta: 0.05 };
        let settings = Settings { ball: Some(ball), ..Settings::default() };
        let certificates = [
            Certificate::Probability(bound(Subject::Excess, 0.021)),
            Certificate::Probability(bound(Subject::Risk, 0.431_200_000_1)),
            Certificate::Deterministic(bound(Subject::Excess, 0.001_000_01)),
            Certificate::none("too little"),
            Certificate::Deterministic(Bound { relative: Some(3.1), ..bound(Subject::Excess, 2.5) }),
        ];
        let said = words(&certificates, &settings);
        assert_eq!(
            said,
            [
                "if all rows, old and new, are independent draws of one distribution and none is longer than 4, with probability 95 % for \
                 all bounds of the run at once, no weights with ‖w‖ ≤ 3 have an expected loss on new rows more than 0.021000 below that of \
                 this model",
                "if all rows, old and new, are independent draws of one distribution and none is longer than 4, with probability 95 % for \
                 all bounds of the run at once, the expected loss of this model on new rows is at most 0.431201",
                "for certain, rounding included, no weights with ‖w‖ ≤ 3 have a mean loss on the rows of DATA more than 0.001001 \
                 below that of this model",
                "none: too little",
                "of no use: the bound 2.500000 is above the mean loss on the rows of DATA itself, and no loss is below 0",
            ]
        );
        assert_eq!(certified_gap(&certificates), Some(0.001_000_01));
        let object = object(&certificates, &settings);
        assert_eq!(object["also"].as_array().map(Vec::len), Some(4));
        assert_eq!(object["sentence"], said[0]);
        assert_eq!(object["quantity"], "expected loss on new rows");
    }
}
