//! Tests of cells that hold several features: text, lists of words, vectors.

use crate::sandbox::{Sandbox, Uniform};
use std::collections::BTreeSet;

const HAM: [&str; 8] = ["thanks", "home", "dinner", "lunch", "meeting", "later", "train", "bus"];
const SPAM: [&str; 6] = ["win", "prize", "claim", "cash", "free", "urgent"];
const BOTH: [&str; 4] = ["you", "at", "ok", "now"];

/// Generates distinct messages that mix words of their class with words common to both classes: pairs of label and
/// message.
fn messages(count: usize, seed: u64) -> Vec<(&'static str, String)> {
    let mut u = Uniform(seed);
    let mut of = |words: &[&'static str]| words[(u.next() * words.len() as f64) as usize];
    (0..count)
        .map(|n| {
            let spam = n % 4 == 0;
            let own: &[&str] = if spam { &SPAM } else { &HAM };
            let words = [of(own), of(&BOTH), of(own), of(&BOTH)];
            (
                if spam { "spam" } else { "ham" },
                format!("{} {}, {} {}! #{seed}-{n}", words[0], words[1], words[2], words[3]),
            )
        })
        .collect()
}

/// Formats messages as a CSV table with the columns in this order.
fn csv(rows: &[(&str, String)], order: [&str; 2], delimiter: &str) -> String {
    let mut text = order.join(delimiter) + "\n";
    for (label, message) in rows {
        let quoted = format!("\"{message}\"");
        text += &order.map(|column| if column == "label" { *label } else { &quoted }).join(delimiter);
        text.push('\n');
    }
    text
}

fn prose() -> Sandbox {
    let box_ = Sandbox::new();
    box_.write("train.csv", csv(&messages(240, 7), ["label", "message"], ","));
    box_.write("test.csv", csv(&messages(80, 99), ["label", "message"], ","));
    box_.write("turned.csv", csv(&messages(80, 99), ["message", "label"], ";"));
    box_
}

/// Exports a model and returns the names of its features.
fn features(box_: &Sandbox, model: &str) -> BTreeSet<String> {
    let out = box_.ok(&format!("export {model} -o -")).out;
    let name = |line: &str| line.rsplitn(3, ',').nth(2).unwrap().to_owned();
    out.lines().skip(1).map(name).collect()
}

/// Exports a model and returns the weight of a feature.
fn weight(box_: &Sandbox, model: &str, feature: &str) -> f64 {
    let out = box_.ok(&format!("export {model} -o -")).out;
    let line =
        out.lines().find(|line| line.starts_with(&format!("{feature},"))).unwrap_or_else(|| panic!("{feature}: {out}"));
    line.rsplit(',').next().unwrap().parse().unwrap()
}

#[test]
fn a_word_is_one_however_its_accents_are_written() {
    let box_ = Sandbox::new();
    let (composed, decomposed) = ("caf\u{e9}", "CAFE\u{301}");
    let row =
        |n: u32| ["1,हिन्दी ", "0,पढ़ना "][n as usize % 2].to_owned() + [composed, decomposed][n as usize / 2 % 2] + "\n";
    box_.write("a.csv", "y,says\n".to_owned() + &(0..40).map(row).collect::<String>());
    box_.ok("fit a.csv --label y --text says -o m");
    let names = features(&box_, "m");
    assert!(names.contains("says=हिन्दी") && names.contains("says=café"), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with("says=")).count(), 3, "{names:?}");
    let predicted = [composed, decomposed].map(|word| {
        box_.write("new.csv", format!("says\n{word}\n"));
        box_.ok("predict m new.csv").out
    });
    assert_eq!(predicted[0], predicted[1]);
}

#[test]
fn the_words_of_prose_tell_what_its_messages_do_not() {
    let box_ = prose();
    let auc = |fit: &str| {
        box_.ok(fit);
        let out = box_.ok("eval m test.csv").out;
        let line = out.lines().find(|line| line.starts_with("AUC")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    let as_names = auc("fit train.csv --label label -o m");
    assert!((0.4..0.6).contains(&as_names), "{as_names}");
    for column in ["message", "2", "mess*"] {
        let words = auc(&format!("fit train.csv --label label --text {column} --test test.csv -o m"));
        assert!(words > 0.999, "{words}");
    }
    assert!(features(&box_, "m").contains("message=prize") && box_.ok("inspect m").out.contains("1 of text"));
    // The columns go by name.
    let right = box_.ok("predict m test.csv").out;
    assert_eq!(box_.ok("predict m turned.csv").out, right);
    assert_eq!(box_.ok("predict m turned.csv --text message --unlabelled").out, right);
    assert!(box_.ok("eval m turned.csv").out.contains("AUC"));
    box_.ok("fit test.csv turned.csv --resume m -o n");
    box_.ok("fit train.csv test.csv turned.csv --label label --text message -o whole");
    assert_eq!(box_.read("n"), box_.read("whole"), "the same rows in one call and in two");
}

#[test]
fn a_column_has_one_use_and_a_model_keeps_it() {
    let box_ = prose();
    box_.ok("fit train.csv --label label --text message -o m");
    box_.ok("fit train.csv --label label -o names");
    for (line, says) in [
        ("fit train.csv --label label --text message --categorical message", "has another use already"),
        ("fit train.csv --label label --text label,message", "has another use already"),
        ("fit train.csv --label label --text massage", "--text: there is no column 'massage'; did you mean 'message'?"),
        ("fit train.csv --label label --text message --ignore message", "has another use already"),
        ("predict m test.csv --categorical message", "--categorical"),
        ("predict names test.csv --text message", "--text"),
        ("fit train.csv --resume names --text message", "--text"),
    ] {
        let ran = box_.fails(2, line);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
    box_.write("a.vw", "1 | a\n-1 | b\n");
    assert!(box_.fails(2, "fit a.vw --text b").err.contains("each word behind the bar is a feature"));
}

#[test]
fn words_are_kept_multiplied_penalised_and_bounded_by_column() {
    let box_ = Sandbox::new();
    let row = |(n, (label, text)): (usize, (&str, String))| format!("{label},{},\"{text}\"\n", n % 5);
    box_.write(
        "a.csv",
        "label,x,message\n".to_owned() + &messages(240, 7).into_iter().enumerate().map(row).collect::<String>(),
    );
    let fit = |flags: &str| _ = box_.ok(&format!("fit a.csv --label label {flags} -o m"));
    fit("--text message --keep message");
    assert!(features(&box_, "m").iter().all(|name| name.starts_with("message=") || name == "(intercept)"));
    fit("--ignore message");
    assert_eq!(features(&box_, "m").len(), 2);
    fit("--text message --interact message:x");
    assert!(features(&box_, "m").contains("message=win*x"));
    fit("--text message --interact message:message");
    assert!(
        features(&box_, "m")
            .iter()
            .any(|name| *name == "message=cash*message=win" || *name == "message=win*message=cash")
    );
    fit("--text message --passes auto --l2 1 --penalty-factor message=0");
    let free = weight(&box_, "m", "message=win");
    fit("--text message --passes auto --l2 1");
    assert!(free > 2.0 * weight(&box_, "m", "message=win").abs(), "{free}");
    fit("--text message --bounds message=-0.01,0.02");
    assert!((-0.01..=0.02).contains(&weight(&box_, "m", "message=win")));
    fit("--text message --bits 12");
    assert!(features(&box_, "m").contains("message=win"));
    let hashed = box_.ok("predict m a.csv").out;
    assert_eq!(hashed.lines().count(), 240);
    for (flag, says) in [
        ("--interact message:y", "--interact"),
        ("--keep x --text message", "is not among the columns that --keep names"),
    ] {
        assert!(box_.fails(2, &format!("fit a.csv --label label {flag}")).err.contains(says), "{flag}");
    }
}

#[test]
fn a_cell_without_words_is_no_error() {
    let box_ = Sandbox::new();
    let rows = "1,free cash\n0,\n1,\"cash, Cash\"\n0,home\n0,  \n1,NA\n0,...\n";
    box_.write("a.csv", format!("y,t\n{rows}"));
    let json = |flags: &str| box_.ok(&format!("fit a.csv --label y --text t --json -o m {flags}")).json();
    // free cash, cash, home, na.
    assert_eq!((json("")["nnz"].as_u64(), features(&box_, "m").contains("t=na")), (Some(5), true));
    assert_eq!(json("")["missing"], serde_json::json!({}));
    for missing in ["indicator", "mean"] {
        let done = json(&format!("--missing {missing}"));
        assert_eq!((done["nnz"].as_u64(), &done["missing"]), (Some(7), &serde_json::json!({"t": 2})));
        assert!(features(&box_, "m").contains("t="));
    }
    let done = json("--missing indicator --na NA");
    assert_eq!((done["nnz"].as_u64(), &done["missing"]), (Some(7), &serde_json::json!({"t": 3})));
    assert!(!features(&box_, "m").contains("t=na"));
    box_.ok("fit a.csv --label y --text t -o m");
    assert_eq!(box_.ok("predict m a.csv").out.lines().count(), 7);
}

#[test]
fn lists_and_vectors_of_a_stored_table_are_features() {
    let box_ = Sandbox::new();
    let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar/several.parquet");
    std::fs::copy(stored, box_.path("a.parquet")).unwrap();
    box_.ok("fit a.parquet --label y --text note -o m");
    let right = "(intercept) note=0 note=1 note=2 note=3 note=4 note=5 note=6 note=even note=number note=odd tags=s0 tags=s1 tags=s2 \
                 tags=s3 tags=s4 tags=t0 tags=t1 v[0] v[1] v[2]";
    assert_eq!(features(&box_, "m").into_iter().collect::<Vec<_>>().join(" "), right);
    box_.ok("fit a.parquet --label y --text note,tags --numeric v -o n");
    assert_eq!(features(&box_, "m"), features(&box_, "n"));
    assert_eq!(box_.ok("predict m a.parquet").out, box_.ok("predict n a.parquet").out);
    assert!(box_.ok("eval m a.parquet").out.contains("AUC       1.000000"));
    // Prose is the same in text, by name.
    box_.write("a.csv", "note,y\n\"Number 3, odd!\",1\n\"EVEN number: 0\",0\n");
    box_.ok("fit a.parquet --label y --keep note --text note -o m");
    assert_eq!(box_.ok("predict m a.csv --type class").out, "1\n0\n");
    for flags in ["--categorical v", "--text v", "--numeric tags"] {
        let ran = box_.fails(1, &format!("fit a.parquet --label y {flags}"));
        assert!(ran.err.contains("column '") && ran.err.contains("--ignore"), "{}", ran.err);
    }
}
