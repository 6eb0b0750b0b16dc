//! Tests of every loss: derivatives against finite differences, vectorised f32 against f64, best constants against a
//! search, and values against references computed with 60 digits.

use super::{derivative_cut::LabelRange, *};

mod classes;
mod golden;

/// Margins at which losses are tested; none is a point where a loss is not differentiable.
const MARGINS: [f64; 9] = [-30.0, -3.0, -1.1, -1e-3, 0.0, 1e-3, 0.5, 2.0, 30.0];

/// Returns all losses with a single margin, some of them twice: with default and with other parameters.
fn losses() -> impl Iterator<Item = Loss> {
    let more = [Loss::Huber { delta: 0.3 }, Loss::Quantile { tau: 0.9 }, Loss::Tweedie { power: 1.1 }];
    Loss::SCALAR.into_iter().chain(more)
}

/// Returns a few labels within the domain of the loss, with which it is tested.
fn labels(loss: Loss) -> &'static [f64] {
    match loss {
        _ if loss.classifies() => &[-1.0, 1.0],
        Loss::Gamma => &[0.25, 1.0, 40.0],
        _ if loss.variance_power().is_some() => &[0.0, 1.0, 40.0],
        _ => &[-1.3, 0.9, 2.7],
    }
}

/// Calls `look` with every combination of loss, label and margin at which losses are tested.
fn each(mut look: impl FnMut(Loss, f64, f64)) {
    for loss in losses() {
        labels(loss).iter().for_each(|&y| MARGINS.iter().for_each(|&m| look(loss, y, m)));
    }
}

#[test]
fn values_and_slopes_are_those_of_high_precision() {
    for &(loss, y, m, value, derivative) in golden::VALUES {
        // The tolerance allows for a few roundings, and for those of terms that cancel, the largest of which is ym or
        // the part of the value or derivative that depends on y.
        let size = |exact: f64, part: f64| 2e-15 * (exact.abs() + part.abs());
        let parts = if loss.variance_power().is_some() {
            [loss.value(0.0, m) + y * m, loss.derivative(0.0, m)]
        } else {
            [0.0; 2]
        };
        let (v, s) = (loss.value(y, m), loss.derivative(y, m));
        assert!((v - value).abs() <= size(value, parts[0]), "{loss} of {y} at {m}: {v:e} and {value:e}");
        assert!(
            (s - derivative).abs() <= size(derivative, parts[1]),
            "slope of {loss} of {y} at {m}: {s:e} and {derivative:e}"
        );
    }
}

#[test]
fn bends_agree_with_differences_of_slopes() {
    each(|loss, y, m| {
        let (h, m) = (1e-5, m + 0.01);
        let (below, above) = (loss.derivative(y, m - h), loss.derivative(y, m + h));
        let Some(second_derivative) = loss.second_derivative(y, m) else {
            // The loss is linear on either side of a corner.
            return assert_eq!(below, above, "{loss} y={y} m={m}");
        };
        let size = 1.0 + second_derivative + below.abs() + above.abs();
        assert!(
            ((above - below) / (2.0 * h) - second_derivative).abs() <= 1e-9 * size,
            "{loss} y={y} m={m}: {second_derivative}"
        );
    });
}

#[test]
fn slopes_agree_with_central_differences() {
    each(|loss, y, m| {
        // Margins are moved away from points where the derivative jumps and differences are one-sided.
        let (h, m) = (1e-5, m + 0.01);
        let numeric = (loss.value(y, m + h) - loss.value(y, m - h)) / (2.0 * h);
        let derivative = loss.derivative(y, m);
        // The third derivative is at most a few times value and derivative; values cancel to 1e-16 of their size,
        // divided by h.
        let size = 1.0 + loss.value(y, m).abs() + derivative.abs();
        assert!((numeric - derivative).abs() <= 1e-9 * size, "{loss} y={y} m={m}: {numeric} and {derivative}");
    });
}

#[test]
fn lanes_agree_with_single_margins() {
    each(|loss, y, m| {
        let margins = Lanes([m as f32; crate::LANES]);
        let (value, derivative) = (loss.excess(y, m), loss.derivative(y, m));
        // The tolerance allows for one rounding of the margin, and a few of the function.
        let slack = 1e-6 * (1.0 + m.abs());
        let (v, s) = (loss.values(y, &margins).0[crate::LANES - 1], loss.derivatives(y, &margins).0[crate::LANES - 1]);
        let floor = 1e-6 * derivative.abs() * m.abs() + 1e-40;
        assert!((f64::from(v) - value).abs() <= slack * value + floor, "{loss} {y} {m}: {v} and {value}");
        let size = derivative.abs() + if loss.variance_power().is_some() { loss.mean(m).min(y) } else { 0.0 };
        assert!((f64::from(s) - derivative).abs() <= slack * size + 1e-40, "{loss} {y} {m}: {s} and {derivative}");
    });
}

#[test]
fn losses_are_convex_and_constants_bound_what_they_name() {
    each(|loss, y, m| {
        let h = 1e-4;
        let second = (loss.derivative(y, m + h) - loss.derivative(y, m - h)) / (2.0 * h);
        let largest = loss.smoothness().unwrap_or(f64::INFINITY);
        assert!(second >= -1e-9 && second <= largest + 1e-7, "{loss} {y} {m}: {second}");
        if let Some(bound) = loss.lipschitz() {
            assert!(loss.derivative(y, m).abs() <= bound);
        }
    });
}

#[test]
fn constants_are_not_larger_than_they_must_be() {
    for loss in losses() {
        let labels = labels(loss);
        // The grid includes 0, where the curvature is largest.
        let margins = (-4000..=4000).map(|k| f64::from(k) * 1e-2);
        let derivative_bounds = |m: f64| labels.iter().map(|&y| loss.derivative(y, m).abs()).fold(0.0, f64::max);
        let found = margins.clone().map(derivative_bounds).fold(0.0, f64::max);
        assert_eq!(loss.lipschitz().is_some(), found <= 1.01, "{loss}: {found}");
        loss.lipschitz().into_iter().for_each(|bound| assert!(found > 0.999 * bound, "{loss}: {found} of {bound}"));
        let second = |m: f64| {
            labels
                .iter()
                .map(|&y| (loss.derivative(y, m + 1e-5) - loss.derivative(y, m - 1e-5)) / 2e-5)
                .fold(0.0, f64::max)
        };
        let found = margins.map(second).fold(0.0, f64::max);
        assert_eq!(loss.smoothness().is_some(), found <= 2.01, "{loss}: {found}");
        loss.smoothness().into_iter().for_each(|bound| assert!(found > 0.999 * bound, "{loss}: {found} of {bound}"));
    }
}

#[test]
fn losses_of_classes_are_odd() {
    each(|loss, y, m| {
        if loss.classifies() {
            assert_eq!(
                (loss.value(-y, -m), loss.derivative(-y, -m)),
                (loss.value(y, m), -loss.derivative(y, m)),
                "{loss}"
            );
        }
    });
}

#[test]
fn no_margin_makes_anything_infinite() {
    for loss in losses() {
        for &y in labels(loss) {
            for m in [-1e300, -1e4, -750.0, 750.0, 1e4, 1e300] {
                let (value, derivative) = (loss.value(y, m), loss.derivative(y, m));
                let squares = matches!(loss, Loss::Squared | Loss::SquaredHinge) && m.abs() > 1e4;
                assert!(squares || value.is_finite() && derivative.is_finite(), "{loss} {y} {m}: {value} {derivative}");
                assert!(loss.mean(m).is_finite() && !value.is_nan() && !derivative.is_nan());
                assert!(loss.excess(y, m) >= 0.0);
            }
        }
    }
    // e^-40 is below the rounding error of 1, so only log1p keeps it.
    assert!((Loss::Logistic.value(1.0, 40.0) / 4.248_354_255_291_589e-18 - 1.0).abs() < 1e-14);
}

#[test]
fn the_least_loss_is_at_the_label() {
    for loss in losses().filter(|loss| !loss.classifies()) {
        for &y in labels(loss) {
            let best = if loss.variance_power().is_some() { libm::log(y).max(-700.0) } else { y };
            let size = 1e-14 * (1.0 + loss.minimum(y).abs());
            assert!((loss.value(y, best) - loss.minimum(y)).abs() <= size, "{loss} {y}");
            assert!(MARGINS.iter().all(|&m| loss.value(y, m) >= loss.minimum(y) - size), "{loss} {y}");
        }
    }
}

#[test]
fn the_best_constant_is_that_of_a_fine_grid() {
    for loss in losses().filter(|loss| loss.constant(0.0, 1.0).is_some()) {
        let all: &[&[f64]] = match loss {
            _ if loss.classifies() => &[&[1.0, -1.0, 1.0, 1.0, 1.0], &[-1.0, -1.0, -1.0], &[1.0, -1.0]],
            _ => &[&[0.5, 2.0, 2.25], &[1.0, 1.0], &[7.0, 0.001]],
        };
        for labels in all {
            let n = labels.len() as f64;
            let mean = labels.iter().sum::<f64>() / n;
            let variance = labels.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n;
            let loss_of = |m: f64| labels.iter().map(|&y| loss.value(y, m)).sum::<f64>() / n;
            let least = (-40_000..=40_000).map(|k| loss_of(f64::from(k) * 1e-3)).fold(f64::INFINITY, f64::min);
            let found = loss.constant(mean, variance).unwrap();
            assert!((found - least).abs() <= 2e-6 * (1.0 + least.abs()), "{loss} {labels:?}: {found} and {least}");
        }
    }
}

#[test]
fn units_of_labels_are_units_of_losses() {
    for loss in losses().filter(|loss| !loss.classifies()) {
        let (unit, y) = (1024.0, 3.0);
        let shift = if loss.variance_power().is_some() { libm::log(unit) } else { 0.0 };
        let within = loss.in_units(unit);
        let at = |m: f64| if shift > 0.0 { m - shift } else { m / unit };
        // The factor of the loss in units, computed from one derivative, holds for all other margins.
        let ratio = |m: f64| loss.derivative(y * unit, m) / within.derivative(y, at(m));
        for m in [-2.0, 0.5, 5.0] {
            assert!((ratio(m) / ratio(1.0) - 1.0).abs() < 1e-13, "{loss}");
        }
    }
}

#[test]
fn slopes_are_cut_beyond_the_labels_and_keep_their_sign() {
    for loss in losses() {
        let mut seen = LabelRange::default();
        for y in [3.0, 0.5, 8.0] {
            seen.count(y, 0.0, 1.0);
        }
        for y in [0.5, 8.0] {
            for k in -400..=400 {
                let m = f64::from(k) * 0.25;
                let (derivative, cut) = (loss.derivative(y, m), seen.cut(loss, y, loss.derivative(y, m)));
                assert!(cut.signum() == derivative.signum() && cut.abs() <= derivative.abs(), "{loss}");
                let near = m.exp() <= 8.0 && m.exp() >= 3.8 / std::f64::consts::E;
                assert!(loss.variance_power().is_some() && !near || cut == derivative, "{loss} {y} {m}");
                assert!(loss.variance_power().is_none() || cut.abs() <= 60.0, "{loss} {y} {m}: {cut}");
            }
        }
    }
}

#[test]
fn labels_that_are_none_are_refused_by_name() {
    for (loss, wrong, says) in [
        (Loss::Poisson, -1.0, "a Poisson label must be 0 or more"),
        (Loss::Gamma, 0.0, "a gamma label must be above 0"),
        (Loss::Tweedie { power: 1.5 }, -1e-300, "a Tweedie label must be 0 or more"),
    ] {
        let fault = loss.check(wrong).unwrap_err();
        assert!(fault.part == Part::Label && fault.message.starts_with(says) && fault.message.contains("--loss"));
        assert_eq!(loss.check(1.0), Ok(()));
    }
    assert!(Loss::Poisson.check(0.0).is_ok() && Loss::Squared.check(-5.0).is_ok());
}

#[test]
fn settings_stay_readable() {
    let settings = crate::Settings { loss: Loss::Huber { delta: 2.5 }, ..crate::Settings::default() };
    let json = serde_json::to_value(&settings).unwrap();
    assert_eq!((&json["loss"], &json["delta"]), (&"huber".into(), &2.5.into()));
    for loss in losses() {
        let settings = crate::Settings { loss, ..crate::Settings::default() };
        let json = serde_json::to_value(&settings).unwrap();
        assert_eq!(json["loss"], loss.name());
        assert_eq!(serde_json::from_value::<crate::Settings>(json).unwrap(), settings);
    }
}
