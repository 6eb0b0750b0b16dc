//! Tests of standardized penalties: the units of columns do not matter, and a penalty chosen by `auto` can be given as a
//! number instead.

use crate::sandbox::{Sandbox, Uniform};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Function that makes the label of a row, as text, from its true score and a noise term.
type Label = fn(f64, f64) -> String;

const CLASSES: Label = |score, noise| u8::from(score + 2.0 * noise > 0.0).to_string();
const NUMBERS: Label = |score, noise| format!("{:.4}", score + noise);
const AMOUNTS: Label = |score, noise| format!("{:.4}", (0.3 * score + noise).exp());
const COUNTS: Label = |score, noise| format!("{}", (0.4 * score + noise).exp().floor());
const THREE: Label =
    |score, noise| u8::from(score + noise > -1.0).to_string().replace('1', if score > 1.0 { "2" } else { "1" });

/// Generates 240 svmlight rows of three dense and three sparse columns with scales from 0.1 to 10; `write` formats the value
/// of a column.
fn rows(label: Label, write: impl Fn(usize, f64) -> String) -> String {
    let (mut u, mut text) = (Uniform(99), String::new());
    let (sizes, weights) = ([0.1, 1.0, 10.0, 3.0, 1.0, 0.3], [1.0, -2.0, 0.5, 0.0, 1.0, -1.0]);
    for _ in 0..240 {
        let mut spread = || (4e4 * u.next() - 2e4).round() / 1e4;
        let values: [f64; 6] = std::array::from_fn(|j| if spread() > 0.0 && j > 2 { 0.0 } else { spread() });
        let (score, noise) = (values.iter().zip(weights).map(|(x, w)| x * w).sum(), spread() / 2.0);
        text += &label(score, noise);
        for (j, x) in values.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            text += &format!(" {}:{}", j + 1, write(j, x * sizes[j]));
        }
        text.push('\n');
    }
    text
}

fn predictions(box_: &Sandbox, model: &str, data: &str) -> Vec<f64> {
    let out = box_.ok(&format!("predict {model} {data} --type margin")).out;
    out.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// Returns the largest absolute difference of two vectors of margins, relative to the largest margin.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let largest = |mut all: Box<dyn Iterator<Item = f64> + '_>| {
        all.try_fold(0.0, |a: f64, b| b.is_finite().then(|| a.max(b.abs())))
    };
    let size = largest(Box::new(a.iter().copied())).unwrap();
    largest(Box::new(a.iter().zip(b).map(|(a, b)| a - b))).unwrap() / size.max(1e-300)
}

#[test]
fn units_of_columns_do_not_change_predictions() {
    let box_ = Sandbox::new();
    let (twos, tens) = ([-30, 12, 1, -3, 40, 0], [6, -4, 0, 9, -9, 1]);
    for (flags, label) in [
        ("--l2 auto", CLASSES),
        ("--l1 auto", CLASSES),
        ("--l2 auto --no-intercept --bounds 0,", CLASSES),
        ("--l2 auto --l1 1e-3 --penalty-factor 2-3=0 --loss squared", NUMBERS),
        ("--l1 auto --loss squared", NUMBERS),
        ("--l2 auto --loss gamma", AMOUNTS),
        ("--l1 auto --loss poisson --penalty-factor 1=5", COUNTS),
        ("--l2 1e-3 --standardize yes --loss hinge", CLASSES),
        ("--l1 0.01 --standardize yes --loss quantile", NUMBERS),
        ("--l2 auto --loss softmax", THREE),
        ("--l1 1e-3 --standardize yes --loss softmax --no-intercept", THREE),
        ("--l2 0.01 --standardize yes --loss ovr", THREE),
    ] {
        box_.write("a.svm", rows(label, |_, x| format!("{x}")));
        box_.write("twos.svm", rows(label, |j, x| format!("{}", x * 2_f64.powi(twos[j]))));
        // As decimals: so the column is that of another unit, each value rounded by itself.
        box_.write("tens.svm", rows(label, |j, x| format!("{x:.6}e{}", tens[j])));
        let many = flags.contains("auto") && (flags.contains("softmax") || flags.contains("ovr"));
        for passes in ["", " --passes auto"].into_iter().filter(|passes| !many || !passes.is_empty()) {
            for data in ["a", "twos", "tens"] {
                box_.ok(&format!("fit {data}.svm {flags}{passes} -o {data} --quiet"));
            }
            let of = |name: &str| predictions(&box_, name, &format!("{name}.svm"));
            let (a, twos, tens) = (of("a"), apart(&of("a"), &of("twos")), apart(&of("a"), &of("tens")));
            assert!(a.iter().any(|m| *m != a[0]), "{flags}{passes}: nothing was learnt");
            assert!(twos <= 1e-12, "{flags}{passes}: powers of two change margins by {twos}");
            assert!(tens <= 1e-6, "{flags}{passes}: powers of ten change margins by {tens}");
        }
    }
    // With weights as they are it is otherwise, if that was asked for.
    for data in ["a", "twos"] {
        box_.write(
            &format!("{data}.svm"),
            rows(CLASSES, |j, x| format!("{}", if data == "a" { x } else { x * 2_f64.powi(twos[j]) })),
        );
        box_.ok(&format!("fit {data}.svm --l2 auto --standardize no --passes auto -o {data} --quiet"));
    }
    assert!(apart(&predictions(&box_, "a", "a.svm"), &predictions(&box_, "twos", "twos.svm")) > 1e-3);
}

#[test]
fn the_command_that_is_shown_comes_to_the_same_weights() {
    let box_ = Sandbox::new();
    for (flags, label) in [
        ("--l2 auto", CLASSES),
        ("--l1=auto --bounds -0.3,0.25", CLASSES),
        ("--l2 auto --standardize no", CLASSES),
        ("--l1 auto --l2 0.01 --loss squared --penalty-factor 2=0", NUMBERS),
        ("--l2 auto --loss poisson", COUNTS),
        ("--l2 auto --loss softmax", THREE),
    ] {
        box_.write("a.svm", rows(label, |_, x| format!("{x}")));
        let said = box_.ok(&format!("fit a.svm {flags} --passes auto -o m")).err;
        let again = said.lines().find_map(|line| line.trim().strip_prefix("the same model by: surefoot ")).unwrap();
        assert_eq!(again.contains("--standardize yes"), !flags.contains("no"), "{again}");
        box_.ok(&again.replace("-o m", "-o n"));
        let weights = |model: &str| box_.ok(&format!("export {model} -o -")).out;
        if flags.contains("--standardize no") {
            // The lanes, where this search begins, were drawn by the one and not by the other.
            assert!(apart(&predictions(&box_, "m", "a.svm"), &predictions(&box_, "n", "a.svm")) < 1e-3);
        } else {
            assert_eq!(weights("m"), weights("n"), "{again}");
        }
    }
}

/// With `--standardize`, the reported objective equals its definition, in which each weight is multiplied by the largest
/// absolute value of its column.
#[test]
fn the_objective_is_that_of_its_units_and_says_so() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(CLASSES, |_, x| format!("{x}")));
    let mut largest = [0.0_f64; 6];
    for word in box_.text("a.svm").split_whitespace() {
        let Some((column, x)) = word.split_once(':') else { continue };
        let j: usize = column.parse().unwrap();
        largest[j - 1] = largest[j - 1].max(x.parse::<f64>().unwrap().abs());
    }
    for (flags, l1, l2) in [("--l2 0.02", 0.0, 0.02), ("--l1 0.01", 0.01, 0.0), ("--l1 0.003 --l2 0.1", 0.003, 0.1)] {
        let ran = box_
            .ok(&format!("fit a.svm {flags} --standardize yes --passes auto --tol 1e-9 --json -o m --report r.html"));
        let done = ran.json();
        let objective = |model: &str| {
            let csv = box_.ok(&format!("export {model} -o -")).out;
            let weights = csv.lines().skip(2).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
            let units = weights.zip(largest).map(|(w, largest)| w * largest);
            let penalty: f64 = units.map(|u| l1 * u.abs() + 0.5 * l2 * u * u).sum();
            number(&box_.ok(&format!("eval {model} a.svm --json")).json()["loss"]) + penalty
        };
        let (found, gap) = (number(&done["objective"]), number(&done["certificate"]["value"]));
        assert!((objective("m") - found).abs() <= 1e-12 * found, "{flags}: {} is not {found}", objective("m"));
        // No other model is better by more than is certified.
        for other in ["", "--passes 30", "--l2 0.01 --passes auto", "--l1 0.01 --passes auto"] {
            box_.ok(&format!("fit a.svm {other} -o other --quiet"));
            assert!(objective("other") >= found - gap, "{flags}: {other}");
        }
        assert_eq!(done["penalty"]["standardize"], true);
        assert!(done["certificate"]["comparator"].as_str().unwrap().contains("largest |x|"));
        assert_eq!(box_.ok("inspect m --json").json()["settings"]["standardize"], true);
        assert!(
            box_.ok("inspect m").out.contains("--standardize yes") && box_.text("r.html").contains("--standardize yes")
        );
    }
}

#[test]
fn the_flag_is_checked_and_means_something() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(CLASSES, |_, x| format!("{x}")));
    for (flags, says) in [
        ("--standardize yes", "add one of them"),
        ("--standardize no --nonneg", "add one of them"),
        ("--standardize yes --radius 2", "--radius excludes"),
        ("--l2 1 --standardize maybe", "--standardize"),
    ] {
        let ran = box_.run(&format!("fit a.svm {flags}"));
        assert!(ran.status == 2 && ran.err.contains(says), "{flags}: {}", ran.err);
    }
    box_.ok("fit a.svm --l2 0.1 --standardize yes -o m");
    box_.ok("fit a.svm --l2 0.1 -o plain");
    box_.ok("fit a.svm --l2 0.1 --standardize no -o same");
    assert!(box_.read("plain") == box_.read("same") && box_.read("plain") != box_.read("m"));
    box_.ok("predict m a.svm --standardize yes");
    for (model, given) in [("m", "no"), ("plain", "yes")] {
        let says = box_.fails(2, &format!("predict {model} a.svm --standardize {given}")).err;
        assert!(says.contains("trained with --standardize"), "{says}");
    }
    // Taken further it stays as it was.
    box_.ok("fit a.svm --resume m -o further --quiet");
    assert_eq!(box_.ok("inspect further --json").json()["settings"]["standardize"], true);
}
