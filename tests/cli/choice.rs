//! Tests of penalties chosen with `auto`: on difficult kinds of data, at the ends of the regularisation path, and the messages
//! if no penalty helps.

use crate::sandbox::{Ran, Sandbox, Uniform};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Draws an approximately standard normal number: the sum of twelve uniform numbers, minus 6.
fn normal(u: &mut Uniform) -> f64 {
    (0..12).map(|_| u.next()).sum::<f64>() - 6.0
}

/// Generates `n` training rows and as many test rows as svmlight text: `values` draws the features, and `label` draws the label
/// from the score w·x.
fn rows(
    n: usize,
    weights: &[f64],
    mut values: impl FnMut(&mut Uniform) -> Vec<f64>,
    label: impl Fn(f64, &mut Uniform) -> f64,
) -> (String, String) {
    let mut u = Uniform(31);
    let mut text = || -> String {
        let row = |_| {
            let x = values(&mut u);
            let score = x.iter().zip(weights).map(|(x, w)| x * w).sum();
            let cells = x.iter().enumerate().filter(|(_, x)| **x != 0.0);
            let cells: String = cells.map(|(j, x)| format!(" {}:{x:.6e}", j + 1)).collect();
            format!("{}{cells}\n", label(score, &mut u))
        };
        (0..n).map(row).collect()
    };
    (text(), text())
}

/// With `--passes auto`, a penalty chosen by `auto` gives about as low a test loss as the better one of two fits without
/// penalty: one pass, or the optimum.
#[test]
fn auto_is_not_worse_than_one_pass_or_no_penalty() {
    let normals = |d: usize| move |u: &mut Uniform| (0..d).map(|_| normal(u)).collect::<Vec<f64>>();
    let sizes = [0.3, 1.0, 5.0, 40.0, 300.0, 3e3, 2e4, 2e5, 2e6];
    let wide: Vec<f64> =
        sizes.iter().zip([1.0, -0.5, 0.8, 0.0, 0.6, -0.7, 0.4, 0.9, -0.6]).map(|(s, w)| w / s).collect();
    let logistic = |score: f64, u: &mut Uniform| f64::from(u.next() < 1.0 / (1.0 + (-score).exp()));
    let gaps = |u: &mut Uniform| (0..60).map(|_| if u.next() < 0.1 { u.next() } else { 0.0 }).collect::<Vec<f64>>();
    let four = |u: &mut Uniform| {
        let f: [f64; 4] = std::array::from_fn(|_| normal(u));
        (0..12).map(|j| f[j % 4] + 0.3 * f[(j + 1) % 4] * (j / 4) as f64 + 0.01 * normal(u)).collect::<Vec<f64>>()
    };
    let kinds: [(&str, (String, String), f64); 5] = [
        (
            "--loss squared",
            rows(
                400,
                &wide,
                |u| sizes.iter().map(|s| s * (normal(u) + 1.0)).collect(),
                |score, u| score + 3.5 * normal(u),
            ),
            0.0,
        ),
        ("", rows(3000, &[1.2, -0.9, 0.6], normals(8), |score, u| logistic(score - 4.6, u)), 0.0),
        (
            "--loss gamma",
            rows(400, &[0.4, -0.6, 0.2, 0.5], normals(6), |score, u| (5.0 + score).exp() * (0.2 + u.next())),
            // ln of labels and 1: what a saturated model loses.
            1.0,
        ),
        ("", rows(150, &[3.0; 10], gaps, |score, u| logistic(4.0 * score - 4.0, u)), 0.0),
        ("--loss squared", rows(300, &[1.0, -1.0, 0.5, 2.0], four, |score, u| score + 2.0 * normal(u)), 0.0),
    ];
    let box_ = Sandbox::new();
    for (loss, (train, test), least) in kinds {
        let logs: Vec<f64> =
            test.lines().map(|row| row.split(' ').next().unwrap().parse::<f64>().unwrap().ln()).collect();
        let floor = if least > 0.0 { least + logs.iter().sum::<f64>() / logs.len() as f64 } else { 0.0 };
        box_.write("a.svm", train);
        box_.write("t.svm", test);
        let fit = |flags: &str| {
            let done = box_.ok(&format!("fit a.svm --test t.svm {loss} {flags} --json -o m")).json();
            number(&done["test_loss"]) - floor
        };
        // Held up to a heavy penalty a model is a constant.
        let constant = fit("--l1 1e9 --passes auto");
        let better = fit("").min(fit("--passes auto"));
        for flag in ["--l2", "--l1"] {
            let found = fit(&format!("{flag} auto --passes auto"));
            let enough = 1.02 * better + 0.001 * constant;
            assert!(found <= enough, "{loss} {flag}: {found} is more than {enough}, a constant has {constant}");
        }
    }
}

fn path_end(ran: &Ran) -> Option<String> {
    ran.json()["path_end"].as_str().map(str::to_owned)
}

#[test]
fn the_end_of_a_path_is_said() {
    let box_ = Sandbox::new();
    let normals = |u: &mut Uniform| (0..4).map(|_| normal(u)).collect::<Vec<f64>>();
    let noise = rows(400, &[0.0; 4], normals, |_, u| f64::from(u.next() < 0.5)).0;
    let clear = rows(2000, &[1.0, -2.0, 3.0, 0.5], normals, |score, u| score + 0.1 * normal(u)).0;
    let some = rows(100, &[0.5, -0.2, 0.0, 0.1], normals, |score, u| score + normal(u)).0;
    let apart = rows(30, &[0.5, 2.0], |u| (0..40).map(|_| normal(u)).collect(), |score, _| f64::from(score > 0.0)).0;
    for (data, flags, ends, says) in [
        (noise, "--l1 auto", &["heaviest"][..], "the heaviest penalty of the path is taken"),
        (clear, "--l2 auto --loss squared", &["none"], "no penalty is taken"),
        (some, "--l2 auto --loss squared", &[], ""),
        (apart, "--l2 auto", &[], ""),
    ] {
        box_.write("a.svm", data);
        let fit = format!("fit a.svm {flags} --passes auto -o m");
        let end = path_end(&box_.ok(&format!("{fit} --json --report r.html")));
        assert_eq!(end.as_deref(), ends.first().copied(), "{flags}");
        assert!(box_.ok(&fit).err.contains(says) && box_.ok("inspect m").out.contains(says), "{flags}");
        assert!(box_.text("r.html").contains(says));
        // No penalty is on the path wherever it has an optimum.
        let path = box_.ok("inspect m --json").json()["path"].clone();
        let last = path.as_array().unwrap().last().unwrap();
        assert!(path.as_array().unwrap().len() > 4 && number(&last["l1"]) + number(&last["l2"]) >= 0.0);
    }
    box_.write("one.svm", "1 1:1\n");
    assert!(box_.ok("fit one.svm --l2 auto --passes auto").err.contains("too few rows"));
}

#[test]
fn one_standard_error_takes_a_heavier_penalty() {
    let box_ = Sandbox::new();
    let values = |u: &mut Uniform| (0..15).map(|_| normal(u)).collect::<Vec<f64>>();
    box_.write(
        "a.svm",
        rows(300, &[1.0, -2.0, 0.5, 0.0, 1.0, -1.0, 0.2, 0.1], values, |score, u| {
            f64::from(u.next() < 1.0 / (1.0 + (-score).exp()))
        })
        .0,
    );
    let fit = |select: &str| {
        box_.ok(&format!("fit a.svm --l1 auto --passes auto {select} --json -o m")).json()["penalty"]["l1"].clone()
    };
    let (min, heavier) = (number(&fit("--select min")), number(&fit("--select 1se")));
    assert!(heavier > min && number(&fit("")) == min, "{heavier} {min}");
    let path = {
        fit("--select 1se");
        box_.ok("inspect m --json").json()["path"].clone()
    };
    let least = path
        .as_array()
        .unwrap()
        .iter()
        .min_by(|a, b| number(&a["loss"]).total_cmp(&number(&b["loss"])))
        .unwrap()
        .clone();
    let enough = number(&least["loss"]) + number(&least["standard_error"]);
    let taken = path.as_array().unwrap().iter().find(|point| number(&point["loss"]) <= enough).unwrap();
    assert_eq!(number(&taken["l1"]), heavier);
    for bad in ["--select 1se", "--select 1se --l2 auto", "--select min --l2 1 --passes auto", "--select max --l2 auto"]
    {
        assert_eq!(box_.run(&format!("fit a.svm {bad}")).status, 2, "{bad}");
    }
}

/// A column with penalty factor 0 does not affect the range of penalties tried by `auto`, which depends on the scale of the
/// penalised columns alone.
#[test]
fn factors_of_0_leave_the_scale_to_the_other_columns() {
    let box_ = Sandbox::new();
    let values = |u: &mut Uniform| vec![1e6 * normal(u), normal(u), normal(u)];
    let (both, _) = rows(300, &[1e-6, -1.0, 0.4], values, |score, u| score + 2.0 * normal(u));
    box_.write("a.svm", both);
    for flags in ["--l2 auto", "--l1 auto"] {
        for passes in ["", "--passes auto"] {
            let heaviest = |more: &str| {
                box_.ok(&format!("fit a.svm --loss squared {flags} --standardize no {passes} {more} -o m --quiet"));
                let path = box_.ok("inspect m --json").json()["path"][0].clone();
                number(&path["l1"]) + number(&path["l2"])
            };
            let (all, others) = (heaviest(""), heaviest("--penalty-factor 1=0"));
            assert!(others < 1e-4 * all, "{flags} {passes}: {all} {others}");
            assert!((heaviest("--penalty-factor 1-3=2") / all - 0.5).abs() < 1e-3, "{flags} {passes}");
        }
    }
}

#[test]
fn without_a_penalty_what_is_not_to_be_used_is_called_so() {
    let box_ = Sandbox::new();
    let label = |score: f64, _: &mut Uniform| f64::from(score > 0.2);
    let normals = |d: usize| move |u: &mut Uniform| (0..d).map(|_| normal(u)).collect::<Vec<f64>>();
    let apart = rows(200, &[1.0, -2.0], normals(2), label).0;
    let many = rows(40, &[1.0; 5], normals(90), |score, u| score + normal(u)).0;
    for (data, loss, says) in [
        (apart.as_str(), "", "the labels are separable"),
        (&many, "--loss squared", "91 weights without a penalty are not determined by 40 rows"),
        (&many, "--loss huber", "are not determined"),
    ] {
        box_.write("a.svm", data);
        let fit = format!("fit a.svm {loss} --passes auto -o m");
        let ran = box_.ok(&format!("{fit} --json --report r.html"));
        let done = ran.json();
        for text in [done["caution"].as_str().unwrap(), done["certificate"]["reason"].as_str().unwrap(), &ran.err] {
            assert!(text.contains(says) && text.contains("used as it is"), "{loss}: {text}");
        }
        assert!(
            box_.ok("inspect m").out.contains(says)
                && box_.text("r.html").contains(says)
                && box_.ok(&fit).err.contains("--l2 auto")
        );
        assert!(number(&done["passes"]) < 200.0, "{loss}: {}", done["passes"]);
        // What is advised is done, and mends it.
        let mended = box_.ok(&format!("{fit} --l2 auto --json")).json();
        assert!(mended["caution"].is_null() && mended["certificate"]["kind"] == "deterministic", "{mended}");
    }
    box_.write("a.svm", rows(300, &[1.0, -1.0], normals(2), |score, u| f64::from(score + 2.0 * normal(u) > 0.0)).0);
    assert!(box_.ok("fit a.svm --passes auto --json").json()["caution"].is_null());
}
