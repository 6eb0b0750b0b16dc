//! Tests of sorted rows: wherever the printed loss appears, a warning says that it is meaningless.

use crate::sandbox::{Ran, Sandbox, Uniform, head, signal};
use std::io::Write;

/// Generates CSV rows of flowers of three species, `each` of each, sorted by species: length, width and species, with
/// measurements near a centre per species.
fn flowers(each: usize) -> Vec<String> {
    let mut u = Uniform(5);
    let mut rows = Vec::new();
    for (kind, [a, b]) in [("aconite", [5.0, 1.5]), ("broom", [6.0, 4.3]), ("clover", [6.6, 5.6])] {
        for _ in 0..each {
            let mut near = |x: f64| x + 1.2 * (u.next() + u.next() - 1.0);
            rows.push(format!("{:.2},{:.2},{kind}\n", near(a), near(b)));
        }
    }
    rows
}

/// Joins CSV rows to a table with a header, in the given order.
fn table<'a>(rows: impl IntoIterator<Item = &'a String>) -> String {
    "length,width,kind\n".chars().chain(rows.into_iter().flat_map(|row| row.chars())).collect()
}

/// Joins CSV rows to a table in a well-mixed order: every 37th row, cyclically.
fn mixed(rows: &[String]) -> String {
    table((0..rows.len()).map(|k| &rows[k * 37 % rows.len()]))
}

const FIT: &str = "fit a.csv --label kind --loss softmax";

#[test]
fn sorted_rows_are_said_beside_the_loss_wherever_it_is_shown() {
    let box_ = Sandbox::new();
    box_.write("a.csv", table(&flowers(50)));
    let ran = box_.ok(&format!("{FIT} -o m --report r.html"));
    let truth = box_.ok("eval m a.csv --json").json()["loss"].as_f64().unwrap();
    let told = format!("the model loses {truth:.6} on the rows it was trained on");
    let after_loss = ran.err.lines().skip_while(|line| !line.starts_with("loss   ")).nth(1).unwrap();
    assert!(after_loss.contains(&told), "{}", ran.err);
    let warning = ran.err.lines().find(|line| line.starts_with("surefoot: warning: the order of the rows")).unwrap();
    assert!(warning.contains("--shuffle") && warning.contains("--passes auto"), "{warning}");
    let page = box_.text("r.html");
    assert!(page.contains("class=\"warning\"") && page.contains("--shuffle") && page.contains("rows that came sorted"));
    assert!(
        !page.contains("usually a little better") && page.contains(&format!("which loses {truth:.6} on these rows"))
    );
    let quiet = box_.ok(&format!("{FIT} -o m --quiet"));
    assert_eq!(quiet.err.trim_end(), warning);
    let done = box_.ok(&format!("{FIT} -o m --json")).json();
    assert!((done["order"]["loss"].as_f64().unwrap() / truth - 1.0).abs() < 1e-12, "{done}");
    assert_eq!(done["order"]["printed"], done["loss"]);
    assert_eq!((&done["order"]["rows"], &done["order"]["rows_scored"]), (&150.into(), &150.into()));
    assert_eq!(done["warnings"][0]["kind"], "order");
    assert!(warning.ends_with(done["warnings"][0]["message"].as_str().unwrap()));
    let shown = box_.ok("inspect m");
    assert!(shown.out.contains("\norder ") && shown.out.contains("--shuffle"), "{}", shown.out);
    assert_eq!(box_.ok("inspect m --json").json()["order"], done["order"]);
    box_.ok("export m -o slim.surefoot --slim");
    assert_eq!(box_.ok("inspect slim.surefoot --json").json()["order"], done["order"]);
}

#[test]
fn rows_in_another_order_and_optima_are_not_under_suspicion() {
    let box_ = Sandbox::new();
    let rows = flowers(50);
    box_.write("a.csv", mixed(&rows));
    for more in ["", " --passes 4", " --passes auto --l2 1e-3"] {
        let done = box_.ok(&format!("{FIT} -o m --json{more}")).json();
        assert!(done["order"].is_null() && !done["warnings"].to_string().contains("order"), "{done}");
        assert!(box_.ok("inspect m --json").json()["order"].is_null());
    }
    // The loss of the first pass over sorted rows is not shown as that of the optimum.
    box_.write("a.csv", table(&rows));
    let ran = box_.ok(&format!("{FIT} -o m --passes auto --l2 1e-3"));
    assert!(ran.err.contains("\nfirst pass   ") && !ran.err.contains("\nloss   "), "{}", ran.err);
    assert!(!ran.err.contains("order of the rows"), "{}", ran.err);
}

#[test]
fn an_interrupted_run_over_sorted_rows_ends_in_the_same_bytes() {
    let box_ = Sandbox::new();
    // Rows of svmlight are learnt as they come; those of a table wait for the first thousand.
    let number = |row: &String| row.split(',').nth(2).map(|kind| kind.as_bytes()[0] - b'a').unwrap();
    let pairs = |row: &String| row.split(',').zip(1..3).map(|(x, j)| format!(" {j}:{x}")).collect::<String>();
    let text: String = flowers(50).iter().map(|row| format!("{}{}\n", number(row), pairs(row))).collect();
    for more in ["", " --class-weight balanced"] {
        box_.feed(&format!("fit - --loss softmax -o whole{more}"), text.as_bytes());
        // Balanced weights take the harm out of these sorted rows, and so the alarm.
        assert_eq!(box_.ok("inspect whole --json").json()["order"].is_object(), more.is_empty(), "{more}");
        for k in [1, 70, 149] {
            let _ = std::fs::remove_file(box_.path("m"));
            let mut child = box_.start(&format!("fit - --loss softmax -o m --snapshot {k}{more}"));
            let mut pipe = child.stdin.take().unwrap();
            pipe.write_all(head(&text, k).as_bytes()).unwrap();
            box_.wait_for(|name| name == "m");
            signal(&child, "TERM");
            assert_eq!(Ran::from(child.wait_with_output().unwrap()).status, 143);
            box_.feed("fit - --resume m -o m", text.as_bytes());
            assert!(box_.read("m") == box_.read("whole"), "stopped at {k}{more}");
        }
    }
}

#[test]
fn the_best_constant_is_a_rate_where_rows_have_exposures() {
    let box_ = Sandbox::new();
    let (mut u, mut text, mut sums) = (Uniform(9), "x,seen,y\n".to_owned(), [0.0; 3]);
    for _ in 0..400 {
        let exposure = 1.0 + (9.0 * u.next()).floor();
        let y = (exposure * (0.5 + u.next())).round();
        text += &format!("{},{exposure},{y}\n", u.next());
        sums = [sums[0] + y, sums[1] + exposure, sums[2] + y * exposure.ln()];
    }
    box_.write("a.csv", text);
    let loss = |more: &str| {
        box_.ok(&format!("fit a.csv --label y --loss poisson -o m --quiet {more}"));
        box_.ok("inspect m --json").json()["loss_constant"].as_f64().unwrap()
    };
    // Σ(rate·exposure − y·ln(rate·exposure)) at the rate Σy / Σexposure.
    let [y, exposure, rest] = sums;
    let truth = (y - y * (y / exposure).ln() - rest) / 400.0;
    let (found, blind) = (loss("--exposure seen"), loss("--ignore seen"));
    assert!((found / truth - 1.0).abs() < 1e-9 && found < blind, "{found}, {truth}, {blind}");
}

#[test]
fn a_pass_that_loses_more_than_a_constant_says_so_and_noise_does_not() {
    let box_ = Sandbox::new();
    let mut u = Uniform(3);
    // Labels that have nothing to do with the features: forty with outliers, or one without. The best constant is mixed with the lanes,
    // so that only models without an intercept, and those in a ball, lose more.
    for features in [40, 1] {
        let mut text = String::new();
        for _ in 0..1200 {
            text += if u.next() < 0.5 { "1" } else { "0" };
            let mut value = || if features > 1 { (3.1 * (u.next() - 0.5)).tan() } else { u.next() };
            (0..features).for_each(|j| text += &format!(" {j}:{:.3}", value()));
            text += "\n";
        }
        box_.write("a.svm", text);
        let advice = [("--no-intercept", "try a model with an intercept"), ("--radius 100", "try a smaller --radius")];
        for (flags, advice) in advice.into_iter().chain([("", "")]) {
            let loses = !flags.is_empty();
            let done = box_.ok(&format!("fit a.svm -o m --loss squared --json {flags}")).json();
            let told = done["warnings"].to_string().contains("worse_than_constant");
            assert_eq!(told, loses, "{features} {flags}: {done}");
            let ran = box_.ok(&format!("fit a.svm -o m --loss squared --quiet {flags}"));
            assert_eq!(ran.err.contains(advice) && !ran.err.is_empty(), loses, "{features} {flags}: {}", ran.err);
        }
    }
}

/// Generates svmlight rows with random features and labels unrelated to them, which a model can only memorise.
fn random(rows: usize, features: usize) -> String {
    let (mut u, mut text) = (Uniform(5), String::new());
    for _ in 0..rows {
        text += if u.next() < 0.5 { "1" } else { "0" };
        (0..features).for_each(|j| text += &format!(" {j}:{:.3}", u.next() - 0.5));
        text += "\n";
    }
    text
}

/// Returns the message of the warning `worse_than_constant` (loss above that of the best constant prediction); `None`
/// if it was not given.
fn worse(done: &serde_json::Value) -> Option<String> {
    let all = done["warnings"].as_array().unwrap();
    let found = all.iter().find(|warning| warning["kind"] == "worse_than_constant")?;
    Some(found["message"].as_str().unwrap().to_owned())
}

#[test]
fn a_model_that_has_learnt_nothing_is_called_so_however_it_was_learnt() {
    let box_ = Sandbox::new();
    box_.write("a.svm", random(120, 400));
    box_.write("b.svm", random(300, 300));
    for flags in [
        "a.svm --loss squared --no-intercept",
        "a.svm --loss squared --no-intercept --shuffle",
        "b.svm --loss squared --no-intercept --passes 5",
        "b.svm --loss squared --no-intercept --passes 5 --shuffle",
        "b.svm --radius 100",
        "b.svm --radius 100 --passes 5",
    ] {
        let done = box_.ok(&format!("fit {flags} -o m --json --report r.html")).json();
        let says = worse(&done).unwrap_or_else(|| panic!("{flags}: {done}"));
        let verdict = ["learnt nothing of use", "worth less than none"].into_iter().find(|words| says.contains(words));
        let verdict = verdict.unwrap_or_else(|| panic!("{flags}: {says}"));
        assert!(box_.text("r.html").contains(verdict), "{flags}");
    }
    // With an intercept the best constant is part of the model.
    for flags in ["a.svm --loss squared", "b.svm --loss squared --passes 5", "a.svm", "b.svm --passes 5"] {
        let done = box_.ok(&format!("fit {flags} -o m --json")).json();
        assert_eq!(worse(&done), None, "{flags}: {done}");
    }
    // A model that may do no harm loses no more than a constant.
    let done = box_.ok("fit a.svm -o m --json --passes auto --l2 auto").json();
    assert_eq!(worse(&done), None);
    box_.write("few.svm", random(49, 300));
    assert_eq!(worse(&box_.ok("fit few.svm -o m --json").json()), None);
}

#[test]
fn a_good_model_is_told_from_a_loss_that_one_row_has_spoilt() {
    let box_ = Sandbox::new();
    let mut u = Uniform(11);
    let mut row = |n| {
        let (x, noise) = (u.next() - 0.5, u.next() - 0.5);
        // One value that no row before it has been near.
        let x = if n == 250 { 40.0 * x.signum() } else { x };
        format!("{:.4} 1:{x:.4}\n", if n == 250 { 0.3 } else { x + 0.2 * noise })
    };
    box_.write("a.svm", (0..400).map(&mut row).collect::<String>());
    let done = box_.ok("fit a.svm -o m --json --loss squared").json();
    let own = box_.ok("eval m a.svm --json").json()["loss"].as_f64().unwrap();
    let says = worse(&done).unwrap();
    let told = says.contains("for what a few rows have cost") && says.contains(&format!("the model loses {own:.6}"));
    assert!(told, "{own}: {says}");
}

#[test]
fn a_model_that_loses_more_than_a_constant_on_its_own_rows_is_said_to_be_worth_nothing() {
    let box_ = Sandbox::new();
    let mut u = Uniform(4);
    let mut row = |_| {
        let x = u.next();
        format!("{:.4} 1:{x:.4}\n", 10.0 + x)
    };
    box_.write("a.svm", (0..400).map(&mut row).collect::<String>());
    for (flags, is_worse) in [("--l2 0.1 --no-intercept", true), ("--l2 1000", false), ("--l2 0.1", false)] {
        let done = box_.ok(&format!("fit a.svm -o m --json --loss squared --passes auto {flags}")).json();
        let own = box_.ok("eval m a.svm --json").json()["loss"].as_f64().unwrap();
        let says = worse(&done).unwrap_or_default();
        let told = says.contains(&format!("on the rows it was trained on the model loses {own:.6}"));
        assert_eq!(told && says.contains("try a model with an intercept"), is_worse, "{flags}, {own}: {says}");
    }
}

#[test]
fn a_model_without_features_is_called_so() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1\n0\n".repeat(30));
    box_.write("a.csv", "y,x\n1,0\n0,0\n".to_owned() + &"1,0\n0,0\n".repeat(30));
    box_.write("b.csv", "y,x\n1,3\n0,4\n".to_owned() + &"1,5\n0,2\n".repeat(30));
    for (line, has_none) in [
        ("fit a.svm", true),
        ("fit a.csv --label y", true),
        ("fit b.csv --label y --ignore x", true),
        ("fit b.csv --label y --passes auto --l2 1", false),
        ("fit b.csv --label y --ignore x --passes auto --l2 1", true),
    ] {
        let done = box_.ok(&format!("{line} -o m --json")).json();
        assert_eq!(done["warnings"].to_string().contains("no_features"), has_none, "{line}: {done}");
    }
}

#[test]
fn a_model_that_takes_new_rows_is_judged_by_them() {
    let box_ = Sandbox::new();
    let rows = flowers(50);
    box_.write("a.csv", mixed(&rows));
    box_.write("sorted.csv", table(&rows));
    box_.write("none.csv", "length,width,kind,weight\n");
    box_.ok(&format!("{FIT} -o m"));
    let done = box_.ok("fit sorted.csv --resume m -o bad --json").json();
    let truth = box_.ok("eval bad sorted.csv --json").json()["loss"].as_f64().unwrap();
    if let Some(loss) = done["order"]["loss"].as_f64() {
        assert!((loss / truth - 1.0).abs() < 1e-12 && done["order"]["rows"] == 150, "{done}");
    }
    // Rows that mix mend the model, and what is said of it.
    box_.ok("fit sorted.csv --label kind --loss softmax -o bad --quiet");
    let mut alarms = Vec::new();
    for _ in 0..12 {
        alarms.push(box_.ok("fit a.csv --resume bad -o bad --json").json()["order"].is_object());
    }
    assert!(alarms[0] && !alarms[11], "{alarms:?}");
    let inspected = box_.ok("inspect bad --json").json();
    assert!(inspected["order"].is_null(), "{inspected}");
}
