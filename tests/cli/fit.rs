//! Tests of the output and the messages of `fit`.

use crate::sandbox::{Sandbox, rows};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn one_pass_learns_and_says_so() {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(3000));
    box_.write("test.svm", rows(4000).lines().skip(3000).map(|row| format!("{row}\n")).collect::<String>());
    let ran = box_.ok("fit train.svm --test test.svm");
    assert_eq!(ran.out, "");
    for said in [
        "      1,024 ",
        "best constant",
        "accuracy",
        "AUC",
        "1 is positive, 0 negative",
        "certificate  none",
        "predict model.surefoot",
    ] {
        assert!(ran.err.contains(said), "{said} in {}", ran.err);
    }
    let found = box_.ok("eval model.surefoot test.svm --json").json();
    // The labels are drawn from a model whose own loss is near 0.44 on such rows.
    assert!(found["loss"].as_f64().unwrap() < 0.52 && found["auc"].as_f64().unwrap() > 0.8, "{found}");
    assert_eq!(box_.names(), ["model.surefoot", "test.svm", "train.svm"]);
}

#[test]
fn json_lines_have_the_promised_fields() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    let ran = box_.ok("fit a.svm --test a.svm --json -o m");
    let lines = ran.out.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.filter(|line: &Value| line["event"] != "data").collect();
    let (done, progress) = lines.split_last().unwrap();
    let rows: Vec<_> = progress.iter().map(|line| line["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [1, 2, 4, 8, 16, 32, 64]);
    for line in progress {
        let fields = ["bytes", "event", "lane", "loss", "loss_constant", "loss_recent", "rows", "seconds", "weight"];
        assert_eq!((keys(line), &line["event"]), (fields.to_vec(), &Value::from("progress")));
    }
    let mut fields = keys(done);
    fields.sort_unstable();
    let mut promised = vec![
        "event",
        "loss",
        "test_loss",
        "test_metric",
        "objective",
        "rows",
        "rows_zero_weight",
        "rows_skipped",
        "nnz",
        "features",
        "slots",
        "collisions",
        "missing",
        "columns",
        "unseen_values",
        "unseen_gaps",
        "passes",
        "seconds",
        "lane",
        "certificate",
        "model",
        "shuffle",
        "penalty",
        "path_end",
        "order",
        "caution",
        "warnings",
    ];
    promised.sort_unstable();
    assert_eq!(fields, promised);
    let is = |field: &str, value: Value| assert_eq!(done[field], value, "{field}");
    is("event", "done".into());
    is("rows", 100.into());
    is("rows_zero_weight", 0.into());
    is("passes", 1.into());
    is("nnz", 1000.into());
    is("objective", Value::Null);
    is("features", 10.into());
    is("collisions", 0.into());
    is("missing", serde_json::json!({}));
    is("model", "m".into());
    assert_eq!(done["certificate"]["kind"], "none");
    let eval = box_.ok("eval m a.svm --json").json();
    assert_eq!((&done["test_loss"], &done["test_metric"]), (&eval["loss"], &eval["accuracy"]));
    assert_eq!(ran.err, "");
}

#[test]
fn the_same_rows_give_the_same_bytes_however_they_come() {
    let box_ = Sandbox::new();
    let all = rows(500);
    box_.write("all.svm", &all);
    let cut = all.match_indices('\n').nth(200).unwrap().0 + 1;
    box_.write("a.svm", &all[..cut]);
    box_.write("b.svm", &all[cut..]);
    for more in ["", " --passes 3"] {
        box_.ok(&format!("fit all.svm -o whole{more}"));
        let whole = box_.read("whole");
        for line in
            ["all.svm --threads 1", "all.svm --snapshot 7 --quiet", "a.svm b.svm", "all.svm --test b.svm --json"]
        {
            box_.ok(&format!("fit {line} -o m{more}"));
            assert!(box_.read("m") == whole, "{line}{more}");
        }
        assert_eq!(box_.feed(&format!("fit - -o m{more}"), all.as_bytes()).status, 0);
        assert!(box_.read("m") == whole, "a pipe{more}");
    }
}

#[test]
fn standard_input_is_spooled_for_several_passes() {
    let box_ = Sandbox::new();
    let ran = box_.feed("fit - --passes 2", rows(50).as_bytes());
    assert!(ran.status == 0 && ran.err.contains("spooled"), "{}", ran.err);
    let ran = box_.feed("fit - --passes 2 --quiet", rows(50).as_bytes());
    assert!(ran.status == 0 && !ran.err.contains("spooled"), "{}", ran.err);
    assert_eq!(box_.names(), ["model.surefoot"]);
    let made = std::process::Command::new("mkfifo").arg(box_.path("pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        assert!(box_.fails(1, "fit pipe --passes 2").err.contains("pipe: a pipe cannot be read several times"));
    }
}

#[test]
fn the_model_can_go_to_standard_output_or_a_device() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(30));
    box_.ok("fit a.svm -o m");
    let output = box_.command("fit a.svm -o - --quiet".split(' ')).output().unwrap();
    assert!(output.stdout == box_.read("m"));
    box_.ok("fit a.svm -o /dev/null");
    assert_eq!(box_.names(), ["a.svm", "m"]);
}

#[test]
fn the_budget_saves_and_ends_well() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(2000));
    let ran = box_.ok("fit a.svm --passes 1000000 --budget 200ms --json");
    let rows = ran.json()["rows"].as_u64().unwrap();
    assert!(rows > 0 && ran.err.contains("budget") && ran.err.contains(&format!("row {rows}")), "{}", ran.err);
    let found = box_.ok("inspect model.surefoot --json").json();
    assert_eq!(found["rows"].as_u64(), Some(rows));
    assert!(found["unfinished"].is_object());
}

#[test]
fn a_bad_row_leaves_nothing_or_the_last_snapshot() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(120) + "1 3:x\n");
    let ran = box_.fails(1, "fit a.svm -o m --quiet");
    assert!(ran.err.starts_with("surefoot: a.svm:121:3: '3:x': "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1);
    assert_eq!(box_.names(), ["a.svm"]);

    box_.write("m", "what was there");
    box_.fails(1, "fit a.svm -o m");
    assert_eq!(box_.text("m"), "what was there");

    let ran = box_.fails(1, "fit a.svm -o m --snapshot 50");
    assert!(ran.err.contains("m holds the snapshot at row 100"), "{}", ran.err);
    assert_eq!(box_.ok("inspect m --json").json()["rows"], 100);
}

#[test]
fn test_rows_are_checked_before_training() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(50));
    box_.write("bad.svm", "1 1:1\n0 1:1\n1 1:y\n");
    box_.write("third.svm", "1 1:1\n0 1:1\n2 1:1\n");
    box_.write("other.svm", "1 1:1\n-1 1:1\n");
    assert!(box_.fails(1, "fit a.svm --test bad.svm").err.contains("bad.svm:3:3: '1:y'"));
    assert!(box_.fails(1, "fit a.svm --test third.svm").err.contains("third.svm:3:1: '2'"));
    assert!(!box_.has("model.surefoot"));
    let ran = box_.fails(1, "fit a.svm --test other.svm");
    assert!(ran.err.contains("other.svm:2:1: '-1'") && ran.err.contains("model.surefoot is saved"), "{}", ran.err);
}

#[test]
fn inputs_without_rows_or_weight_are_errors() {
    let box_ = Sandbox::new();
    box_.write("empty.svm", "");
    box_.write("blank.svm", "\n# nothing\n\n");
    for line in ["fit empty.svm", "fit empty.svm blank.svm --passes 3"] {
        assert!(box_.fails(1, line).err.contains("no rows"));
    }
    assert_eq!(box_.names(), ["blank.svm", "empty.svm"]);
}

#[test]
fn numbers_are_tested_by_rmse_and_r2() {
    let box_ = Sandbox::new();
    let plane: String = (0..200).map(|i| format!("{} 1:{} 2:{}\n", 3 * (i % 7) - 2 * (i % 5), i % 7, i % 5)).collect();
    box_.write("a.svm", plane);
    let ran = box_.ok("fit a.svm --loss squared --passes 10 --test a.svm");
    assert!(ran.err.contains("RMSE") && ran.err.contains("R²") && !ran.err.contains("labels"), "{}", ran.err);
    assert!(box_.ok("eval model.surefoot a.svm --json").json()["r2"].as_f64().unwrap() > 0.99);
}

#[test]
fn a_budget_without_rows_writes_nothing_and_says_so() {
    let box_ = Sandbox::new();
    let mut child = box_.start("fit - --budget 50ms --json");
    let _pipe = child.stdin.take();
    let ran = crate::sandbox::Ran::from(child.wait_with_output().unwrap());
    assert!(ran.status == 0 && ran.err.contains("nothing is written"), "{}", ran.err);
    let done = ran.json();
    assert_eq!((&done["event"], &done["model"], &done["rows"]), (&"done".into(), &Value::Null, &0.into()));
    assert!(box_.names().is_empty());
}
