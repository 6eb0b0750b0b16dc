//! Tests of each loss by name: its parameter, labels, predictions and reported values.

use crate::sandbox::Sandbox;

/// Generates 200 rows whose labels, 1 to 4, depend on the features and are valid for every regression loss.
fn amounts() -> String {
    (0..200).map(|t| format!("{} 1:{} 2:{}\n", 1 + t % 4, t % 4, 0.1 * f64::from(t % 7))).collect()
}

const NUMBERS: [&str; 7] = ["squared", "huber", "absolute", "quantile", "poisson", "gamma", "tweedie"];
const HINGES: [&str; 3] = ["hinge", "squared_hinge", "smoothed_hinge"];

#[test]
fn every_loss_of_numbers_learns_predicts_and_is_measured() {
    let box_ = Sandbox::new();
    box_.write("a.svm", amounts());
    for loss in NUMBERS {
        for flags in ["", "--passes 10", "--radius 5"] {
            let done = box_.ok(&format!("fit a.svm --test a.svm --loss {loss} {flags} -o m --json")).json();
            let better = done["test_loss"].as_f64().unwrap() < constant(loss);
            assert!(better && done["test_metric"].as_f64().unwrap() > 0.2, "{loss} {flags}: {done}");
        }
        let found = box_.ok("eval m a.svm --json").json();
        let counts = ["poisson", "gamma", "tweedie"].contains(&loss);
        assert_eq!((found["d2"].is_null(), found["r2"].is_null()), (!counts, counts), "{found}");
        let [margins, means] = ["margin", "mean"].map(|kind| box_.ok(&format!("predict m a.svm --type {kind}")).out);
        assert_eq!(means, box_.ok("predict m a.svm").out);
        for (margin, mean) in margins.lines().zip(means.lines()) {
            let (margin, mean): (f64, f64) = (margin.parse().unwrap(), mean.parse().unwrap());
            let expected = if counts { margin.exp() } else { margin };
            assert!((mean - expected).abs() <= 1e-14 * expected.abs(), "{loss}: {margin} and {mean}");
        }
    }
}

/// Returns the mean loss of the best constant prediction of the labels 1, 2, 3 and 4.
fn constant(loss: &str) -> f64 {
    match loss {
        "squared" => 0.625,
        "huber" => 0.5625,
        "absolute" => 1.0,
        "quantile" => 0.5,
        "poisson" => 2.5 - 2.5 * 2.5_f64.ln(),
        "gamma" => 1.0 + 2.5_f64.ln(),
        _ => 4.0 * 2.5_f64.sqrt(),
    }
}

#[test]
fn the_best_constant_stands_beside_every_loss() {
    let box_ = Sandbox::new();
    box_.write("a.svm", amounts());
    for loss in NUMBERS {
        let out = box_.ok(&format!("fit a.svm --loss {loss} --json")).out;
        let progress = out.lines().rev().nth(1).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        // The last line of the table is at 128 rows, which hold each label 32 times.
        let found = progress.unwrap()["loss_constant"].as_f64().unwrap();
        assert!((found - constant(loss)).abs() < 1e-12, "{loss}: {found} and {}", constant(loss));
    }
}

#[test]
fn hinge_losses_know_classes_and_margins() {
    let box_ = Sandbox::new();
    box_.write("a.svm", (0..200).map(|t| format!("{} 1:{}\n", 1 + t % 2, t % 2)).collect::<String>());
    for loss in HINGES {
        let done = box_.ok(&format!("fit a.svm --test a.svm --loss {loss} -o m --json")).json();
        assert_eq!(done["test_metric"], 1.0, "{loss}: {done}");
        assert_eq!(box_.ok("predict m a.svm --type class").out, "1\n2\n".repeat(100));
        assert_eq!(box_.ok("predict m a.svm").out, box_.ok("predict m a.svm --type margin").out);
        for kind in ["probability", "mean"] {
            let ran = box_.fails(2, &format!("predict m a.svm --type {kind}"));
            assert!(ran.err.contains("use margin or class") && ran.err.contains(loss), "{}", ran.err);
        }
        box_.write("b.svm", "3 1:1\n");
        assert!(box_.fails(1, "fit b.svm --resume m").err.contains(&format!("--loss {loss} takes two")));
    }
}

#[test]
fn labels_that_a_loss_cannot_have_are_errors_where_they_stand() {
    let box_ = Sandbox::new();
    box_.write("negative.svm", "2 1:1\n0.5 1:2\n1 1:1\n-1 2:1\n");
    box_.write("zero.svm", "2 1:1\n1 1:1\n  0 2:1\n");
    box_.write("good.svm", "2 1:1\n0.5 1:2\n");
    for (file, at, loss, says) in [
        ("negative.svm", ":4:1:", "poisson", "a Poisson label must be 0 or more"),
        ("negative.svm", ":4:1:", "tweedie", "a Tweedie label must be 0 or more"),
        ("zero.svm", ":3:3:", "gamma", "a gamma label must be above 0"),
    ] {
        let ran = box_.fails(1, &format!("fit {file} --loss {loss} -o m --quiet"));
        assert!(ran.err.contains(&format!("{file}{at}")) && ran.err.contains(says), "{}", ran.err);
        assert!(!box_.has("m"));
        // The same where they are only measured on.
        for line in [format!("fit good.svm --test {file} --loss {loss} -o m --quiet"), format!("eval good {file}")] {
            box_.ok(&format!("fit good.svm --loss {loss} -o good"));
            let ran = box_.fails(1, &line);
            assert!(ran.err.contains(&format!("{file}{at}")) && ran.err.contains(says), "{}", ran.err);
        }
    }
}

#[test]
fn parameters_belong_to_their_loss_and_are_compared() {
    let box_ = Sandbox::new();
    box_.write("a.svm", amounts());
    for (line, says) in [
        ("fit a.svm --delta 2", "--delta is a parameter of --loss huber"),
        ("fit a.svm --loss huber --tau 0.5", "--tau is a parameter of --loss quantile"),
        ("fit a.svm --loss huber --delta 0", "above 0"),
        ("fit a.svm --loss quantile --tau 1", "between 0 and 1"),
        ("fit a.svm --loss tweedie --power 2", "--loss gamma"),
    ] {
        assert!(box_.fails(2, line).err.contains(says), "{line}");
    }
    for (loss, flag, value, other) in
        [("huber", "delta", "2.5", "1"), ("quantile", "tau", "0.9", "0.5"), ("tweedie", "power", "1.2", "1.5")]
    {
        box_.ok(&format!("fit a.svm --loss {loss} --{flag} {value} -o m"));
        let settings = &box_.ok("inspect m --json").json()["settings"];
        assert_eq!((&settings["loss"], settings[flag].to_string()), (&loss.into(), value.to_owned()));
        assert!(box_.ok("inspect m").out.contains(&format!("{loss}, {flag} {value}")));
        box_.ok(&format!("eval m a.svm --loss {loss} --{flag} {value}"));
        for line in ["eval m a.svm", "predict m a.svm", "fit a.svm --resume m"] {
            let ran = box_.fails(2, &format!("{line} --{flag} {other}"));
            assert!(
                ran.err.contains(&format!("trained with --{flag} {value}, --{flag} {other} was given")),
                "{}",
                ran.err
            );
        }
        box_.ok("fit a.svm -o plain --loss squared");
        assert!(box_.fails(2, &format!("eval plain a.svm --{flag} {value}")).err.contains(&format!("no --{flag}")));
    }
}

#[test]
fn values_far_too_large_for_a_log_link_stay_finite() {
    let box_ = Sandbox::new();
    let rows: String =
        (0..60).map(|t| format!("{} 1:{}\n", 1 + t * t % 9, if t % 5 == 0 { 3000 } else { t })).collect();
    box_.write("a.svm", rows);
    for loss in ["poisson", "gamma", "tweedie"] {
        for flags in ["", "--passes 10", "--no-intercept", "--radius 1"] {
            let out = box_.ok(&format!("fit a.svm --test a.svm --loss {loss} {flags} -o m --json")).out;
            assert!(!out.contains("NaN") && !out.contains("inf"), "{loss} {flags}: {out}");
            let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
            let means = box_.ok("predict m a.svm").out;
            assert!(means.lines().all(|mean| mean.parse::<f64>().unwrap().is_finite()), "{loss} {flags}");
            // In a ball of the weights of raw values x = 3000 asks for margins of thousands until it is learnt.
            if flags != "--radius 1" {
                assert!(last["test_loss"].as_f64().unwrap() < 100.0, "{loss} {flags}: {last}");
                assert!(means.lines().all(|mean| mean.parse::<f64>().unwrap() < 1e3), "{loss} {flags}");
            }
        }
    }
}
