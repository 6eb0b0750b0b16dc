//! Tests of multiclass losses against values computed with 500 digits, finite differences, their vectorised f32
//! versions, and each other.

use super::*;

type Golden = (Loss, usize, &'static [f64], f64, &'static [f64]);

/// Reference values of multiclass losses: loss, class of the label, margins, value and gradient, computed with 500
/// digits (mpmath) from the formulas of [`Loss`] and rounded to f64.
#[rustfmt::skip]
#[allow(clippy::approx_constant)]
const VALUES: &[Golden] = &[
    (Loss::Softmax, 0, &[0.0, 0.0, 0.0], 1.0986122886681098, &[-0.6666666666666666, 0.3333333333333333, 0.3333333333333333]),
    (Loss::Softmax, 1, &[0.0, 0.0, 0.0], 1.0986122886681098, &[0.3333333333333333, -0.6666666666666666, 0.3333333333333333]),
    (Loss::Softmax, 2, &[0.0, 0.0, 0.0], 1.0986122886681098, &[0.3333333333333333, 0.3333333333333333, -0.6666666666666666]),
    (Loss::Softmax, 0, &[10000.0, -10000.0, 3.125], 0.0, &[0.0, 0.0, 0.0]),
    (Loss::Softmax, 1, &[10000.0, -10000.0, 3.125], 20000.0, &[1.0, -1.0, 0.0]),
    (Loss::Softmax, 2, &[10000.0, -10000.0, 3.125], 9996.875, &[1.0, 0.0, -1.0]),
    (Loss::Softmax, 0, &[-0.75, 1.0, 3.125, 0.5], 4.067789132709818, &[-0.9828848138855117, 0.09849109581476996, 0.8246558487503892, 0.05973786932035262]),
    (Loss::Softmax, 1, &[-0.75, 1.0, 3.125, 0.5], 2.3177891327098172, &[0.017115186114488208, -0.90150890418523, 0.8246558487503892, 0.05973786932035262]),
    (Loss::Softmax, 2, &[-0.75, 1.0, 3.125, 0.5], 0.19278913270981723, &[0.017115186114488208, 0.09849109581476996, -0.17534415124961078, 0.05973786932035262]),
    (Loss::Softmax, 3, &[-0.75, 1.0, 3.125, 0.5], 2.8177891327098172, &[0.017115186114488208, 0.09849109581476996, 0.8246558487503892, -0.9402621306796474]),
    (Loss::Softmax, 0, &[40.0, 0.0, -40.0], 4.248354255291589e-18, &[-4.248354255291589e-18, 4.248354255291589e-18, 1.804851387845415e-35]),
    (Loss::Softmax, 1, &[40.0, 0.0, -40.0], 40.0, &[1.0, -1.0, 1.804851387845415e-35]),
    (Loss::Softmax, 2, &[40.0, 0.0, -40.0], 80.0, &[1.0, 4.248354255291589e-18, -1.0]),
    (Loss::Softmax, 0, &[710.0, 700.0], 4.539889921686465e-05, &[-4.5397868702434395e-05, 4.5397868702434395e-05]),
    (Loss::Softmax, 1, &[710.0, 700.0], 10.000045398899218, &[0.9999546021312976, -0.9999546021312976]),
    (Loss::Softmax, 0, &[-10000.0, -10000.0, -9999.0], 1.551444713932051, &[-0.7880584423829146, 0.21194155761708544, 0.5761168847658291]),
    (Loss::Softmax, 1, &[-10000.0, -10000.0, -9999.0], 1.551444713932051, &[0.21194155761708544, -0.7880584423829146, 0.5761168847658291]),
    (Loss::Softmax, 2, &[-10000.0, -10000.0, -9999.0], 0.5514447139320511, &[0.21194155761708544, 0.21194155761708544, -0.4238831152341709]),
    (Loss::Softmax, 0, &[2.5], 0.0, &[0.0]),
    (Loss::Ovr, 0, &[0.0, 0.0, 0.0], 2.0794415416798357, &[-0.5, 0.5, 0.5]),
    (Loss::Ovr, 1, &[0.0, 0.0, 0.0], 2.0794415416798357, &[0.5, -0.5, 0.5]),
    (Loss::Ovr, 2, &[0.0, 0.0, 0.0], 2.0794415416798357, &[0.5, 0.5, -0.5]),
    (Loss::Ovr, 0, &[10000.0, -10000.0, 3.125], 3.1679990792290877, &[0.0, 0.0, 0.9579122720843811]),
    (Loss::Ovr, 1, &[10000.0, -10000.0, 3.125], 20003.16799907923, &[1.0, -1.0, 0.9579122720843811]),
    (Loss::Ovr, 2, &[10000.0, -10000.0, 3.125], 10000.042999079229, &[1.0, 0.0, -0.04208772791561884]),
    (Loss::Ovr, 0, &[-0.75, 1.0, 3.125, 0.5], 6.592208757042317, &[-0.679178699175393, 0.7310585786300049, 0.9579122720843811, 0.6224593312018546]),
    (Loss::Ovr, 1, &[-0.75, 1.0, 3.125, 0.5], 4.842208757042317, &[0.320821300824607, -0.2689414213699951, 0.9579122720843811, 0.6224593312018546]),
    (Loss::Ovr, 2, &[-0.75, 1.0, 3.125, 0.5], 2.717208757042317, &[0.320821300824607, 0.7310585786300049, -0.04208772791561884, 0.6224593312018546]),
    (Loss::Ovr, 3, &[-0.75, 1.0, 3.125, 0.5], 5.342208757042317, &[0.320821300824607, 0.7310585786300049, 0.9579122720843811, -0.37754066879814546]),
    (Loss::Ovr, 0, &[40.0, 0.0, -40.0], 0.6931471805599453, &[-4.248354255291589e-18, 0.5, 4.248354255291589e-18]),
    (Loss::Ovr, 1, &[40.0, 0.0, -40.0], 40.69314718055995, &[1.0, -0.5, 4.248354255291589e-18]),
    (Loss::Ovr, 2, &[40.0, 0.0, -40.0], 80.69314718055995, &[1.0, 0.5, -1.0]),
    (Loss::Ovr, 0, &[710.0, 700.0], 700.0, &[-4.47628622567513e-309, 1.0]),
    (Loss::Ovr, 1, &[710.0, 700.0], 710.0, &[1.0, -9.85967654375977e-305]),
    (Loss::Ovr, 0, &[-10000.0, -10000.0, -9999.0], 10000.0, &[-1.0, 0.0, 0.0]),
    (Loss::Ovr, 1, &[-10000.0, -10000.0, -9999.0], 10000.0, &[0.0, -1.0, 0.0]),
    (Loss::Ovr, 2, &[-10000.0, -10000.0, -9999.0], 9999.0, &[0.0, 0.0, -1.0]),
    (Loss::Ovr, 0, &[2.5], 0.07888973429254963, &[-0.07585818002124355]),
];

fn gradient(loss: Loss, y: usize, margins: &[f64]) -> Vec<f64> {
    let mut margins = margins.to_vec();
    loss.multiclass_gradient(y, &mut margins);
    margins
}

#[test]
fn values_and_gradients_are_those_of_high_precision() {
    // The tolerance allows for a few roundings of results and of exponentials, and for one rounding of a subnormal
    // number.
    let close = |a: f64, b: f64| (a - b).abs() <= 4e-15 * b.abs() + 5e-324;
    for &(loss, y, margins, value, exact) in VALUES {
        assert!(
            close(loss.multiclass_value(y, margins), value),
            "{loss} {y} {margins:?}: {}",
            loss.multiclass_value(y, margins)
        );
        for (found, &exact) in gradient(loss, y, margins).iter().zip(exact) {
            assert!(close(*found, exact), "gradient of {loss} {y} {margins:?}: {found:e} and {exact:e}");
        }
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    for loss in Loss::MULTICLASS {
        let margins = [-0.75, 1.0, 3.125, 0.5];
        for (y, k) in (0..4).flat_map(|y| (0..4).map(move |k| (y, k))) {
            let at = |h: f64| {
                let mut moved = margins;
                moved[k] += h;
                loss.multiclass_value(y, &moved)
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            // Values cancel to 1e-16 of their size, divided by 1e-5; the third derivative is below 1.
            assert!((numeric - gradient(loss, y, &margins)[k]).abs() < 2e-10, "{loss} {y} {k}: {numeric}");
        }
    }
}

#[test]
fn lanes_agree_with_single_margins() {
    for &(loss, y, margins, value, exact) in VALUES {
        let mut lanes: Vec<Lanes> = margins.iter().map(|&m| Lanes([m as f32; crate::LANES])).collect();
        let charges = loss.multiclass_charges(y, &lanes);
        loss.multiclass_derivatives(y, &mut lanes);
        // Margins beyond a thousand keep 2e-3 of their size in f32; sums of exponentials keep 1e-7.
        let rounding = margins.iter().fold(0.0_f64, |size, m| size.max(m.abs())) * 2e-7;
        let size = 1e-6 + rounding;
        assert!(
            (charges.values[crate::LANES - 1] - value).abs() <= size,
            "{loss} {y} {margins:?}: {charges:?} and {value}"
        );
        for (derivative, &exact) in lanes.iter().zip(exact) {
            let found = f64::from(derivative.0[crate::LANES - 1]);
            assert!((found - exact).abs() <= 1e-6 * exact.abs() + 1e-37, "{loss} {y} {margins:?}: {found:e} {exact:e}");
        }
        // The wrong-side charge of softmax takes the likeliest of the other classes as the label.
        let largest = likeliest(margins);
        let other = |k: &usize| *k != largest;
        let doubt = match loss {
            Loss::Softmax => {
                (0..margins.len()).filter(other).map(|k| loss.multiclass_value(k, margins)).reduce(f64::min)
            }
            _ => Some(margins.iter().map(|&m| Loss::Logistic.value(1.0, -m.abs())).sum()),
        };
        let doubt = doubt.unwrap_or(0.0);
        assert!((charges.wrong_side[2] - doubt).abs() <= size, "{loss} {margins:?}: {charges:?} and {doubt}");
    }
}

fn likeliest(margins: &[f64]) -> usize {
    (0..margins.len()).max_by(|&a, &b| margins[a].total_cmp(&margins[b])).unwrap()
}

#[test]
fn probabilities_sum_to_one_and_are_what_the_gradient_says() {
    for &(loss, y, margins, ..) in VALUES {
        let mut p = margins.to_vec();
        loss.probabilities(&mut p);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-14 && p.iter().all(|p| (0.0..=1.0).contains(p)), "{p:?}");
        let logs = loss.multiclass_log_loss(y, &mut margins.to_vec());
        assert!((libm::exp(-logs) - p[y]).abs() < 1e-14, "{loss} {margins:?}: {logs} and {p:?}");
        for (k, (g, p)) in gradient(loss, y, margins).iter().zip(&p).enumerate() {
            let exact = p - f64::from(u8::from(k == y));
            assert!(loss != Loss::Softmax || (g - exact).abs() < 1e-14, "{margins:?}");
        }
    }
}

#[test]
fn two_margins_are_the_logistic_loss_of_their_difference() {
    for m in [-1e4, -3.0, 0.0, 0.7, 50.0] {
        let (value, derivative) = (Loss::Logistic.value(1.0, m), Loss::Logistic.derivative(1.0, m));
        let margins = [m - 2.5, -2.5];
        assert!((Loss::Softmax.multiclass_value(0, &margins) - value).abs() <= 1e-14 * (1.0 + m.abs()));
        assert!((gradient(Loss::Softmax, 0, &margins)[0] - derivative).abs() <= 1e-14);
    }
}

#[test]
fn the_best_constants_are_no_worse_than_any() {
    let shares = [0.5, 0.3, 0.2, 0.0];
    for loss in Loss::MULTICLASS {
        let constant = loss.multiclass_constant(shares.into_iter());
        let mean = |margins: &[f64]| -> f64 { (0..4).map(|y| shares[y] * loss.multiclass_value(y, margins)).sum() };
        let best: Vec<f64> = match loss {
            Loss::Softmax => shares.iter().map(|&p| f64::ln(p.max(1e-300))).collect(),
            _ => shares.iter().map(|&p| f64::ln(p.max(1e-300) / (1.0 - p))).collect(),
        };
        assert!((mean(&best) - constant).abs() < 1e-14, "{loss}: {} and {constant}", mean(&best));
        for k in 0..3 {
            let mut moved = best.clone();
            moved[k] += 0.1;
            assert!(mean(&moved) > constant + 1e-4, "{loss} {k}");
        }
    }
}
