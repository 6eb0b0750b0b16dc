//! Tests of `--passes auto`: the minimal objective, the certified duality gap, and interrupted searches.

use crate::sandbox::{Sandbox, rows, signal};
use serde_json::Value;
use std::io::{BufRead, BufReader};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Exports a model and returns its weights, without the intercept.
fn weights(box_: &Sandbox, model: &str) -> Vec<f64> {
    let csv = box_.ok(&format!("export {model} -o -")).out;
    csv.lines().skip(2).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect()
}

/// Computes the penalised objective of a model on `data` from the output of `eval` (mean loss) and `export` (weights).
fn objective(box_: &Sandbox, model: &str, data: &str, l1: f64, l2: f64) -> f64 {
    let loss = number(&box_.ok(&format!("eval {model} {data} --json")).json()["loss"]);
    let weights = weights(box_, model);
    loss + weights.iter().map(|w| l1 * w.abs() + 0.5 * l2 * w * w).sum::<f64>()
}

#[test]
fn no_model_is_better_than_the_certificate_says() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(700));
    let one_class_labels = rows(700);
    let numbers: String = one_class_labels.lines().enumerate().map(|(i, row)| format!("{}{row}\n", i % 3)).collect();
    box_.write("n.svm", numbers);
    for (data, flags, l1, l2) in [
        ("a.svm", "--l2 0.01", 0.0, 0.01),
        ("a.svm", "--l2 1e-5 --no-intercept", 0.0, 1e-5),
        ("a.svm", "--l1 0.02", 0.02, 0.0),
        ("a.svm", "--l1 0.01 --l2 0.1 --loss squared_hinge", 0.01, 0.1),
        ("n.svm", "--l2 0.5 --loss squared", 0.0, 0.5),
        ("n.svm", "--l2 0.1 --loss poisson", 0.0, 0.1),
    ] {
        let ran = box_.ok(&format!("fit {data} {flags} --passes auto --tol 1e-7 --json"));
        let done = ran.json();
        let (certificate, found) = (&done["certificate"], number(&done["objective"]));
        assert_eq!(certificate["kind"], "deterministic", "{flags}: {certificate}");
        let gap = number(&certificate["value"]);
        assert!(number(&certificate["relative"]) <= 1e-7 && gap >= 0.0, "{flags}: {certificate}");
        assert_eq!(box_.ok("inspect model.surefoot --json").json()["certificate"], *certificate);
        let evaluated = objective(&box_, "model.surefoot", data, l1, l2);
        assert!((evaluated - found).abs() <= 1e-12 * found.abs(), "{flags}: {evaluated} {found}");
        assert!(number(&done["passes"]) >= 2.0);
        // Every line of the search is a certificate too, and they only get better.
        let search: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let search: Vec<&Value> = search.iter().filter(|line| line["event"] == "search").collect();
        assert!(search.len() > 1 && search.iter().all(|line| line["passes"].is_number()));
        assert!(search.is_sorted_by(|a, b| number(&a["objective"]) >= number(&b["objective"])));
        for other in [flags, "--passes 20 --holdout none"] {
            let loss = flags.find("--loss").map_or("", |at| &flags[at..]);
            let intercept = if flags.contains("--no-intercept") { "--no-intercept" } else { "" };
            box_.ok(&format!(
                "fit {data} -o other {other} {} {}",
                if other == flags { "" } else { loss },
                if other == flags { "" } else { intercept }
            ));
            let other = objective(&box_, "other", data, l1, l2);
            assert!(other >= found - gap, "{flags}: {other} against {found} - {gap}");
        }
    }
    let said = box_.ok("fit a.svm --l2 0.01 --passes auto").err;
    for says in [
        "search: the least mean loss + 0.005·‖w‖² over all rows, to 1e-6 of it",
        "certificate  for certain, rounding included, no other weights have an objective",
    ] {
        assert!(said.contains(says), "{says} in {said}");
    }
}

#[test]
fn without_a_penalty_it_ends_with_a_reason() {
    let box_ = Sandbox::new();
    box_.write("apart.svm", "1 1:1\n1 1:2\n0 1:-1\n0 1:-3\n".repeat(20));
    let ran = box_.ok("fit apart.svm --passes auto");
    assert!(ran.err.contains("the labels are separable") && ran.err.contains("--l2 X"), "{}", ran.err);
    let done = box_.ok("eval model.surefoot apart.svm --json").json();
    assert_eq!(done["accuracy"], 1.0);
    box_.write("a.svm", rows(300));
    let done = box_.ok("fit a.svm --passes auto --json").json();
    assert_eq!(done["certificate"]["kind"], "none");
    assert!(done["certificate"]["reason"].as_str().unwrap().contains("--l2 X"));
    // It is the optimum all the same: ten thousand times the tolerance is not to be gained by many passes.
    let (found, others) =
        (number(&done["objective"]), box_.ok("fit a.svm --passes 200 --holdout none -o other --json"));
    drop(others);
    assert!(objective(&box_, "other", "a.svm", 0.0, 0.0) >= found * (1.0 - 1e-6));
    // Nothing to tell apart, and one row.
    box_.write("one.svm", "1 1:1\n".repeat(3));
    box_.ok("fit one.svm --passes auto");
    box_.ok("fit one.svm --passes auto --l2 1");
}

#[test]
fn a_gap_ends_it_early_and_zero_weights_leave_no_trace() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(400));
    let done = box_.ok("fit a.svm --l2 0.01 --passes auto --until-gap 0.2 --json").json();
    let value = number(&done["certificate"]["value"]);
    assert!((1e-6..=0.2).contains(&value), "{value}");
    box_.ok("fit a.svm --l2 0.01 --passes auto -o plain");
    // Three times a row is the row with weight 3, and one of weight 0 is none.
    let text = rows(400);
    let thrice: String =
        text.lines().enumerate().map(|(i, row)| format!("{row}\n").repeat(if i % 5 == 0 { 3 } else { 1 })).collect();
    box_.write("thrice.svm", thrice);
    let csv = |weight: &dyn Fn(usize) -> u32| -> String {
        let row = |(i, line): (usize, &str)| {
            let cells: Vec<_> =
                line.split(' ').map(|cell| cell.split_once(':').map_or(cell, |(_, value)| value)).collect();
            format!("{},{}\n", weight(i), cells.join(","))
        };
        let names: Vec<_> = (1..=10).map(|j| format!("x{j}")).collect();
        format!("w,y,{}\n", names.join(",")) + &text.lines().enumerate().map(row).collect::<String>()
    };
    box_.write("weighted.csv", csv(&|i| if i % 5 == 0 { 3 } else { 1 }));
    box_.write("zeros.csv", csv(&|i| u32::from(i % 2 == 0)));
    box_.write("half.svm", text.lines().step_by(2).map(|row| format!("{row}\n")).collect::<String>());
    for (a, b) in [("thrice.svm", "weighted.csv"), ("half.svm", "zeros.csv")] {
        let fit = |data: &str| {
            let table = if data.ends_with("csv") { "--label y --weight w" } else { "" };
            let done = box_.ok(&format!("fit {data} {table} --l2 0.01 --passes auto --tol 1e-9 --json")).json();
            number(&done["objective"])
        };
        let (a, b) = (fit(a), fit(b));
        assert!((a - b).abs() <= 1e-9 * a, "{a} {b}");
    }
}

#[test]
fn a_penalty_is_chosen_by_held_out_rows_and_the_path_is_kept() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(500));
    for flag in ["l2", "l1"] {
        let ran = box_.ok(&format!("fit a.svm --{flag} auto --passes auto --json"));
        let model = box_.ok("inspect model.surefoot --json").json();
        let path = model["path"].as_array().unwrap();
        let losses: Vec<f64> = path.iter().map(|point| number(&point["loss"])).collect();
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let best = path.iter().find(|point| number(&point["loss"]) == least).unwrap();
        assert_eq!(model["settings"][flag], best[flag]);
        assert_eq!(ran.out.lines().filter(|line| line.contains("\"event\":\"path\"")).count(), path.len());
        assert!(path.is_sorted_by(|a, b| number(&a[flag]) > number(&b[flag])) && path.len() > 5);
        // The same penalty by hand has the same optimum.
        let (chosen, done) = (number(&best[flag]), ran.json());
        let by_hand =
            box_.ok(&format!("fit a.svm --{flag} {chosen} --standardize yes --passes auto -o o --json")).json();
        let (a, b) = (number(&done["objective"]), number(&by_hand["objective"]));
        assert!((a - b).abs() <= 2e-6 * a, "{a} {b}");
    }
}

#[test]
fn an_interrupted_search_ends_in_the_same_bytes() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(20_000));
    let fit = "fit a.svm --passes auto --l2 auto";
    box_.ok(&format!("{fit} -o whole"));
    let mut interrupted = 0;
    for _ in 0..20 {
        let mut child = box_.start(&format!("{fit} -o m"));
        // The reader of its messages must not go away before it has ended.
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let found = lines.by_ref().map_while(Result::ok).any(|line| line.starts_with("path:"));
        signal(&child, "TERM");
        lines.map_while(Result::ok).for_each(drop);
        let status = child.wait().unwrap();
        if !found || status.code() != Some(143) {
            continue;
        }
        let left = box_.ok("inspect m --json").json();
        assert!(left["unfinished"].is_object());
        let ran = box_.ok("fit a.svm --resume m -o m");
        assert!(ran.err.contains("the optimum is still sought"), "{}", ran.err);
        assert!(box_.read("m") == box_.read("whole"));
        interrupted += 1;
        if interrupted == 2 {
            return;
        }
    }
    panic!("no search was interrupted");
}

#[test]
fn in_one_pass_weights_are_drawn_towards_zero() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(2000));
    for (flags, l1, l2) in [("--l2 0.3", 0.0, 0.3), ("--l1 0.05", 0.05, 0.0), ("--l1 0.03 --l2 0.1", 0.03, 0.1)] {
        box_.ok(&format!("fit a.svm {flags} -o drawn"));
        box_.ok("fit a.svm -o plain");
        let least = number(&box_.ok(&format!("fit a.svm {flags} --passes auto --json")).json()["objective"]);
        let of = |model: &str| objective(&box_, model, "a.svm", l1, l2) - least;
        let (drawn, plain) = (of("drawn"), of("plain"));
        // Far nearer to the optimum than what is not drawn.
        assert!(drawn >= -1e-9 && drawn <= 0.2 * plain, "{flags}: {drawn} {plain}");
        let zeros = |model: &str| weights(&box_, model).iter().filter(|w| **w == 0.0).count();
        assert_eq!(zeros("drawn") > 0, l1 > 0.0, "{flags}");
        assert!(zeros("drawn").abs_diff(zeros("model.surefoot")) <= 2, "{flags}");
    }
    for passes in ["", "--passes auto --l2 1e-4", "--passes 3"] {
        box_.ok(&format!("fit a.svm --nonneg {passes}"));
        let weights = weights(&box_, "model.surefoot");
        assert!(weights.iter().all(|w| *w >= 0.0) && weights.contains(&0.0) && weights.iter().any(|w| *w > 0.0));
    }
    // None is none.
    box_.ok("fit a.svm --l1 0 --l2 0 -o none");
    assert!(box_.read("none") == box_.read("plain"));
}

#[test]
fn offsets_are_part_of_margins_in_every_format() {
    let box_ = Sandbox::new();
    // Counts whose rate does not depend on anything: events over exposures.
    let table: Vec<(u32, f64)> = (0..200).map(|i| (i * i % 5, f64::from(1 + i % 7) * 0.25)).collect();
    let (mut csv, mut vw) = ("y,e,o,x\n".to_owned(), String::new());
    for &(y, e) in &table {
        csv += &format!("{y},{e},{},0\n", e.ln());
        vw += &format!("{y} 1 {} |\n", e.ln());
    }
    box_.write("a.csv", csv);
    box_.write("a.vw", vw);
    let rate = table.iter().map(|row| f64::from(row.0)).sum::<f64>() / table.iter().map(|row| row.1).sum::<f64>();
    let mut losses = Vec::new();
    for (flags, data) in [("--exposure e --ignore o", "a.csv"), ("--offset o --ignore e", "a.csv"), ("", "a.vw")] {
        let label = if data == "a.csv" { "--label y" } else { "" };
        let done = box_.ok(&format!("fit {data} {label} {flags} --loss poisson --passes auto --json")).json();
        losses.push(number(&done["loss"]));
        let means = box_.ok(&format!("predict model.surefoot {data}")).out;
        for (mean, (_, e)) in means.lines().map(|mean| mean.parse::<f64>().unwrap()).zip(&table) {
            assert!((mean / (rate * e) - 1.0).abs() < 1e-3, "{flags}: {mean} {rate} {e}");
        }
    }
    assert!(losses.iter().all(|loss| *loss == losses[0]), "{losses:?}");
    for (status, flags, says) in
        [(2, "--exposure y", "another use already"), (1, "--exposure x --ignore o,e", "a.csv:2:")]
    {
        let ran = box_.fails(status, &format!("fit a.csv --label y {flags} --loss poisson"));
        assert!(ran.err.contains(says), "{flags}: {}", ran.err);
    }
}

#[test]
fn classes_have_weights_by_flag_as_by_rows() {
    let box_ = Sandbox::new();
    let table: Vec<(bool, u32, u32)> = (0..400).map(|i| (i % 7 == 0 && i % 3 != 0, i % 5, i % 11)).collect();
    let ones = f64::from(table.iter().filter(|row| row.0).count() as u32);
    let weight = |class: bool, of: [f64; 2]| of[usize::from(class)];
    let csv = |names: [&str; 2], of: [f64; 2]| -> String {
        let row = |&(y, a, b): &(bool, u32, u32)| format!("{},{},{a},{b}\n", names[usize::from(y)], weight(y, of));
        "y,w,a,b\n".to_owned() + &table.iter().map(row).collect::<String>()
    };
    box_.write("plain.csv", csv(["0", "1"], [1.0, 1.0]));
    box_.write("texts.csv", csv(["ham", "spam"], [1.0, 1.0]));
    let balanced = [400.0 / (2.0 * (400.0 - ones)), 400.0 / (2.0 * ones)];
    for (data, flag, of) in [
        ("plain.csv", "1=5,0=0.5", [0.5, 5.0]),
        ("texts.csv", "spam=5", [1.0, 5.0]),
        ("plain.csv", "balanced", balanced),
        ("texts.csv", "balanced", balanced),
    ] {
        box_.write("weighted.csv", csv(if data == "plain.csv" { ["0", "1"] } else { ["ham", "spam"] }, of));
        let fit =
            |data: &str, more: &str| number(&box_.ok(&format!("fit {data} --label y {more} --json")).json()["loss"]);
        // In one pass the weights of a list are those of the rows, to the bit.
        if flag != "balanced" {
            let by_flag = fit(data, &format!("--ignore w --class-weight {flag}"));
            assert_eq!(by_flag, fit("weighted.csv", "--weight w"), "{flag}");
        }
        let auto = "--passes auto --l2 0.01 --tol 1e-9";
        let objective =
            |line: &str| number(&box_.ok(&format!("fit {line} --label y {auto} --json")).json()["objective"]);
        let by_flag = objective(&format!("{data} --ignore w --class-weight {flag}"));
        let by_rows = objective("weighted.csv --weight w");
        assert!((by_flag - by_rows).abs() <= 2e-9 * by_rows, "{flag}: {by_flag} {by_rows}");
    }
    // Interrupted or not, held-out rows have their weights.
    let fit = "fit plain.csv --label y --ignore w --class-weight balanced --passes 3";
    box_.ok(&format!("{fit} -o whole --quiet"));
    box_.run(&format!("{fit} -o m --snapshot 130 --budget 1ms --quiet"));
    if box_.has("m") && box_.ok("inspect m --json").json()["unfinished"].is_object() {
        box_.ok("fit plain.csv --resume m -o m --quiet");
        assert!(box_.read("m") == box_.read("whole"));
    }
    for line in ["--class-weight balanced --loss squared", "--class-weight 1", "--class-weight balanced --radius 1"] {
        box_.fails(2, &format!("fit plain.csv --label y {line}"));
    }
}

#[test]
fn a_column_like_the_intercept_takes_nothing_from_the_certificate() {
    let box_ = Sandbox::new();
    let text = rows(300);
    box_.write("a.svm", text.lines().map(|row| format!("{row} 90:1 95:7\n")).collect::<String>());
    box_.write("b.svm", &text);
    for flags in [
        "--l1 0.01",
        "--l2 0.01",
        "--l1 0.01 --l2 0.01 --nonneg",
        "--l1 0.01 --loss squared",
        "--l1 0.01 --loss softmax",
    ] {
        let fit = |data: &str| box_.ok(&format!("fit {data} {flags} --passes auto --json")).json();
        let (with, without) = (fit("a.svm"), fit("b.svm"));
        assert!(number(&with["certificate"]["relative"]) <= 1e-6, "{flags}: {with}");
        let (a, b) = (number(&with["objective"]), number(&without["objective"]));
        assert!((a - b).abs() <= 2e-6 * b, "{flags}: {a} {b}");
    }
}

#[test]
fn what_cannot_be_or_is_of_no_use_is_said() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    box_.write("t.csv", "y,x,o\nyes,1,0\nno,2,0\nyes,3,0\nno,5,1\n");
    for line in [
        "fit a.svm --passes auto --until-gap 0.1",
        "fit t.csv --label y --loss softmax --offset o",
        "fit t.csv --label y --radius 1 --offset o",
    ] {
        box_.fails(2, line);
    }
    let said = box_.ok("fit t.csv --label y --class-weight maybe=5,yes=2").err;
    assert!(said.contains("no row has the label 'maybe'") && !said.contains("'yes'"), "{said}");
    // Labels whose squares overflow have no objective; the model of the pass stays.
    box_.write("huge.svm", "1e300 1:1\n-1e300 1:2\n1e300 1:3\n");
    let ran = box_.ok("fit huge.svm --loss squared --passes auto --l2 1 --json");
    assert!(ran.json()["objective"].is_null() && ran.err.contains("too large"), "{}", ran.err);
    assert!(!ran.err.contains("NaN") && !ran.out.contains("NaN"));
    let separable = box_.ok("fit t.csv --label y --ignore o --passes auto").err;
    assert!(separable.contains("note: the labels are separable") || separable.contains("certificate"), "{separable}");
}

/// If a finished model is continued on new rows with an L2 penalty and `--passes auto`, features that occur in none of
/// these rows get the weight 0.
#[test]
fn features_that_are_not_on_new_rows_are_0_at_their_optimum() {
    let box_ = Sandbox::new();
    let row = |i: u32, both: bool| {
        let (a, b) = (f64::from(i * 7 % 11) - 5.0, f64::from(i * 5 % 13) - 6.0);
        let label = u32::from(a + b + f64::from(i * 3 % 7) > 3.0);
        if both { format!("{label} 1:{a} 2:{b}\n") } else { format!("{label} 1:{a}\n") }
    };
    box_.write("both.svm", (0..200).map(|i| row(i, true)).collect::<String>());
    box_.write("one.svm", (0..200).map(|i| row(i, false)).collect::<String>());
    box_.ok("fit both.svm --l2 0.1 --passes auto -o m");
    let done = box_.ok("fit one.svm --resume m -o n --passes auto --json").json();
    assert!(weights(&box_, "m")[1] != 0.0 && weights(&box_, "n")[1] == 0.0);
    let evaluated = objective(&box_, "n", "one.svm", 0.0, 0.1);
    assert!((number(&done["objective"]) - evaluated).abs() < 1e-12, "{evaluated} {done}");
}
