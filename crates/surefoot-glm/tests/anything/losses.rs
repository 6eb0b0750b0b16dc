//! Robustness tests of losses and metrics with random and extreme numbers.

use crate::anyone::Any;
use surefoot_glm::{ClassMetrics, Confusion, Loss, Measured, Metrics, PlotData};

/// Checks that all metrics are finite and within their ranges, and that plot data contain no NaN.
pub(crate) fn check_measured(measured: &Measured, plot_data: &PlotData) {
    let Measured {
        loss,
        log_loss,
        accuracy,
        auc,
        pr_auc,
        brier,
        calibration_error,
        mse,
        rmse,
        mae,
        r2,
        deviance,
        d2,
        ..
    } = *measured;
    let shown = [
        loss,
        log_loss,
        accuracy,
        auc,
        pr_auc,
        brier,
        calibration_error,
        mse,
        rmse,
        mae,
        r2,
        deviance,
        d2,
        Measured::score(measured),
    ];
    assert!(shown.into_iter().flatten().all(f64::is_finite), "{measured:?}");
    assert!([measured.auc_error, measured.pr_auc_error].iter().all(|x| (0.0..=1.0).contains(x)), "{measured:?}");
    let shares = [accuracy, auc, pr_auc].into_iter().flatten();
    assert!(shares.into_iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(&x)), "{measured:?}");
    let rates = measured
        .rates
        .into_iter()
        .chain(measured.confusion.as_ref().and_then(Confusion::averages).into_iter().flatten());
    let each = measured.confusion.iter().flat_map(Confusion::rates).map(|(_, rates, _)| rates);
    for rates in rates.chain(each) {
        assert!(
            [rates.precision, rates.recall, rates.f1].iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(x)),
            "{measured:?}"
        );
    }
    let pairs = plot_data.roc.iter().chain(&plot_data.precision).chain(&plot_data.sample);
    assert!(pairs.into_iter().all(|(x, y)| !x.is_nan() && !y.is_nan()), "{plot_data:?}");
    assert!(plot_data.positive.is_none_or(|share| (0.0..=1.0).contains(&share)));
}

/// Checks that losses with valid parameters are never NaN for valid labels and finite margins, and that their names and derivatives
/// agree with the declared bounds.
#[test]
fn losses_take_any_number() {
    let mut any = Any::new(1);
    for _ in 0..20_000 {
        let (loss, y, m) = (any.loss(), any.number(), any.number());
        let text = Loss::name(loss);
        assert!(!text.is_empty() && loss.to_string().starts_with(text));
        let parameter = Loss::parameter(loss).map_or(0.5, |(_, value)| value);
        let sound = match loss {
            Loss::Huber { .. } => parameter > 0.0 && parameter.is_finite(),
            Loss::Quantile { .. } => parameter > 0.0 && parameter < 1.0,
            _ => {
                Loss::variance_power(loss).is_none_or(|power| (1.0..=2.0).contains(&power))
                    && loss != Loss::Tweedie { power: 1.0 }
                    && loss != Loss::Tweedie { power: 2.0 }
            }
        };
        let (value, derivative, least, mean) =
            (Loss::value(loss, y, m), Loss::derivative(loss, y, m), Loss::minimum(loss, y), Loss::mean(loss, m));
        let second_derivative = Loss::second_derivative(loss, y, m);
        let takes = if Loss::classifies(loss) { y.abs() == 1.0 } else { y.is_finite() && Loss::check(loss, y).is_ok() };
        if sound && takes && m.is_finite() {
            let says = format!("{loss:?}, {y}, {m}: {value} {derivative} {least} {mean} {second_derivative:?}");
            assert!(!value.is_nan() && !derivative.is_nan() && !mean.is_nan() && !least.is_nan(), "{says}");
            assert!(second_derivative.is_none_or(|second_derivative| second_derivative >= 0.0), "{says}");
            assert!(Loss::lipschitz(loss).is_none_or(|most| derivative.abs() <= most), "{says}");
            assert!(
                Loss::smoothness(loss)
                    .is_none_or(|most| second_derivative.is_none_or(|second_derivative| second_derivative <= most)),
                "{says}"
            );
            let known = Loss::has_probabilities(loss);
            assert!(!known || (0.0..=1.0).contains(&mean), "{says}");
            assert!(Loss::is_multiclass(loss) || Loss::variance_power(loss).is_some() || value >= 0.0, "{says}");
        }
    }
}

#[test]
fn margins_of_classes_may_be_any() {
    let mut any = Any::new(2);
    for _ in 0..5000 {
        let loss = any.of(&Loss::MULTICLASS);
        let margins: Vec<f64> = (0..1 + any.below(4)).map(|_| any.number()).collect();
        let y = any.below(margins.len());
        let (value, mut gradient, mut means) =
            (Loss::multiclass_value(loss, y, &margins), margins.clone(), margins.clone());
        Loss::multiclass_gradient(loss, y, &mut gradient);
        Loss::probabilities(loss, &mut means);
        if margins.iter().all(|m| m.is_finite()) {
            assert!(value >= 0.0, "{loss}: {margins:?}: {value}");
            assert!(gradient.iter().all(|g| g.abs() <= 1.0 + 1e-12), "{loss}: {margins:?}: {gradient:?}");
            assert!(means.iter().all(|p| (0.0..=1.0).contains(p)), "{loss}: {margins:?}: {means:?}");
            let sum: f64 = means.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{loss}: {margins:?}: {means:?}");
        }
    }
    let mut none: [f64; 0] = [];
    Loss::probabilities(Loss::Softmax, &mut none);
    Loss::probabilities(Loss::Ovr, &mut none);
}

/// Checks that metrics of arbitrary rows are finite, and that there are none after an invalid row.
#[test]
fn metrics_take_any_number() {
    let mut any = Any::new(3);
    for _ in 0..4000 {
        let (loss, tame) = (any.loss(), any.flip());
        let (mut metrics, mut of_classes) = (Metrics::new(loss), ClassMetrics::new(any.of(&Loss::MULTICLASS)));
        let (rows, mut spoilt) = (any.below(6), false);
        for _ in 0..rows {
            let mut next = || if tame { any.usual() } else { any.number() };
            let (mut label, mut weight, margin) = (next(), next(), next());
            if tame {
                label = if loss.classifies() { label.signum() } else { label.abs() + 0.1 };
                weight = weight.abs();
            }
            let takes = if loss.classifies() {
                label.abs() <= 1.0
            } else {
                label.is_finite() && Loss::check(loss, label).is_ok()
            };
            spoilt |= weight != 0.0 && !(takes && (1e-300..=1e240).contains(&weight) && margin.is_finite());
            Metrics::add(&mut metrics, label, weight, margin);
            let margins: Vec<f64> = (0..any.below(4)).map(|_| if tame { any.usual() } else { any.number() }).collect();
            let class = any.of(&[0, 1, 2, usize::MAX]);
            ClassMetrics::add(&mut of_classes, class, weight, &margins);
        }
        let (measured, plot_data) = (Metrics::measured(&metrics), Metrics::plot_data(&metrics));
        check_measured(&measured, &plot_data);
        assert_eq!(measured.rows, rows as u64);
        assert!(
            !spoilt || measured == Measured { rows: rows as u64, ..Measured::default() } || measured.loss.is_none(),
            "{loss}: {measured:?}"
        );
        check_measured(&ClassMetrics::measured(&of_classes), &ClassMetrics::plot_data(&of_classes));
    }
}
