//! Tests that the remedies suggested by error messages work.

use crate::sandbox::{Sandbox, rows};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const CSV: &str = "y,a,c,d\n1,0.5,red,2024-01-01\n0,1.5,blue,2024-01-02\n1,0.25,red,2024-01-03\n0,2,blue,2024-01-04\n";

/// Writes small data files, most with one flaw (a missing cell, a text among numbers, an unusual delimiter, …).
fn files() -> Sandbox {
    let box_ = Sandbox::new();
    box_.write("a.csv", CSV);
    box_.write("plain.csv", "y,a\n1,0.5\n0,1.5\n1,0.25\n0,2\n");
    box_.write("gap.csv", "y,a\n1,0.5\n0,\n1,0.25\n0,2\n");
    box_.write("word.csv", "y,a,b\n1,0.5,1\n0,1.5,x\n1,0.25,2\n0,2,3\n");
    box_.write("semicolon.csv", "y;a\n1;0.5\n0;1.5\n1;0.25\n0;2\n");
    box_.write("tab.csv", "y\ta\n1\t0.5\n0\t1.5\n1\t0.25\n0\t2\n");
    box_.write("extra.csv", "y,a,b\n1,0.5,7\n0,1.5,8\n");
    box_.write("nameless.csv", "y,,a\n1,7,0.5\n0,8,1.5\n1,9,0.25\n");
    box_.write("three.svm", "1 1:1\n2 1:2\n3 1:3\n1 1:1\n");
    box_.write("bare.svm", "1:1 2:1\n1:2\n");
    box_.write("a.svm", rows(200));
    box_.write("a.vw", "1 |a x:1 |b y\n0 |a x:2 |b z\n1 |a x:1\n");
    box_.write("counts.csv", "y,e,a\n1,1,0.5\n0,2,1.5\n3,1,0.25\n2,2,2\n");
    box_.ok("fit a.svm -o m.svm --quiet");
    box_.ok("fit plain.csv --label y -o m.csv --quiet");
    box_.ok("fit a.svm --loss hinge -o m.hinge --quiet");
    box_.ok("fit a.svm --loss squared -o m.squared --quiet");
    box_
}

/// Error messages and their remedies: a command that fails, the advice that its message must contain, and the command
/// that follows this advice and must succeed.
const ADVICE: &[(&str, &str, &str)] = &[
    ("fit plain.csv", "say --label COL", "fit plain.csv --label y"),
    ("fit plain.csv --label z", "the columns are y, a", "fit plain.csv --label y"),
    ("fit a.csv --label y", "leave them out with --ignore d", "fit a.csv --label y --ignore d"),
    ("fit a.csv --label y", "take them as names with --categorical d", "fit a.csv --label y --categorical d"),
    ("fit gap.csv --label y", "--missing indicator", "fit gap.csv --label y --missing indicator"),
    ("fit gap.csv --label y", "--missing mean", "fit gap.csv --label y --missing mean"),
    ("fit gap.csv --label y", "--ignore a", "fit gap.csv --label y --ignore a"),
    ("fit word.csv --label y", "--categorical b", "fit word.csv --label y --categorical b"),
    ("fit word.csv --label y", "--ignore b", "fit word.csv --label y --ignore b"),
    ("fit nameless.csv --label y", "--ignore 2", "fit nameless.csv --label y --ignore 2"),
    ("predict m.csv extra.csv", "--ignore b", "predict m.csv extra.csv --ignore b"),
    ("eval m.csv extra.csv", "--ignore b", "eval m.csv extra.csv --ignore b"),
    ("fit three.svm", "--loss softmax", "fit three.svm --loss softmax"),
    ("fit three.svm", "--loss squared", "fit three.svm --loss squared"),
    ("fit a.svm --bounds 3=0,0", "--ignore 3", "fit a.svm --ignore 3"),
    ("fit plain.csv --label y --bounds a=0,0", "--ignore a", "fit plain.csv --label y --ignore a"),
    ("fit a.vw --bounds b=0,0", "--ignore b", "fit a.vw --ignore b"),
    ("fit a.svm --tol 1e-3", "add --passes auto", "fit a.svm --tol 1e-3 --passes auto"),
    ("fit a.svm --holdout 5", "add --passes N", "fit a.svm --holdout 5 --passes 3"),
    ("fit a.svm --penalty-factor 1=0", "add one of them", "fit a.svm --penalty-factor 1=0 --l2 0.1"),
    ("fit a.svm --row-norm 99", "add --radius R", "fit a.svm --row-norm 99 --radius 1"),
    (
        "fit a.svm --error-probability 0.1 --radius 1",
        "add --row-norm B",
        "fit a.svm --error-probability 0.1 --radius 1 --row-norm 99",
    ),
    ("fit a.svm --until-gap 0.1", "--passes auto and --l2 X", "fit a.svm --until-gap 0.1 --passes auto --l2 0.1"),
    ("fit a.svm --until-gap 0.1 --passes auto", "add --l2 X", "fit a.svm --until-gap 0.1 --passes auto --l2 0.1"),
    ("fit a.svm --l2 auto --loss softmax", "with --passes auto", "fit a.svm --l2 auto --loss softmax --passes auto"),
    ("fit a.svm --delta 2", "--loss huber", "fit a.svm --delta 2 --loss huber"),
    ("fit a.svm --tau 0.2", "--loss quantile", "fit a.svm --tau 0.2 --loss quantile"),
    ("fit a.svm --power 1.2", "--loss tweedie", "fit a.svm --power 1.2 --loss tweedie"),
    ("fit counts.csv --label y --exposure e", "--loss poisson", "fit counts.csv --label y --exposure e --loss poisson"),
    (
        "fit counts.csv --label y --exposure e --loss squared",
        "--offset COL",
        "fit counts.csv --label y --offset e --loss squared",
    ),
    ("fit a.svm --label y", "leave the flag out", "fit a.svm"),
    ("fit a.svm --interact 1:2", "use vw with namespaces", "fit a.vw --interact a:b"),
    ("predict m.svm bare.svm", "the label is missing", "predict m.svm bare.svm --unlabelled"),
    ("predict m.hinge a.svm --type probability", "use margin or class", "predict m.hinge a.svm --type margin"),
    ("predict m.squared a.svm --type class", "use mean", "predict m.squared a.svm --type mean"),
    ("predict m.svm a.svm --l2 1", "leave the flag out", "predict m.svm a.svm"),
    ("export m.svm -o w.txt", "say --to csv", "export m.svm -o w.txt --to csv"),
    ("fit a.svm --loss hubert", "--loss huber", "fit a.svm --loss huber"),
    ("fit a.svm --skip_bad_rows 1", "--skip-bad-rows", "fit a.svm --skip-bad-rows 1"),
    ("fit a.svm --epochs 3", "--passes N", "fit a.svm --passes 3"),
    ("fit a.svm --order random", "--shuffle", "fit a.svm --shuffle"),
    ("predict m.svm a.svm --skip-bad-rows 1", "--on-error skip", "predict m.svm a.svm --on-error skip"),
    ("eval m.svm a.svm --on-error skip", "--skip-bad-rows N", "eval m.svm a.svm --skip-bad-rows 1"),
    ("fit a.svm --lambda 3", "--l2 X", "fit a.svm --l2 3"),
    ("train a.svm", "surefoot fit", "fit a.svm"),
];

#[test]
fn advice_can_be_followed() {
    let box_ = files();
    for (wrong, says, right) in ADVICE {
        let output = |line: &str| if line.starts_with("fit") { format!("{line} -o m") } else { (*line).to_owned() };
        let ran = box_.run(&output(wrong));
        assert!(matches!(ran.status, 1 | 2), "{wrong}: {} {}", ran.status, ran.err);
        let message = ran.err.lines().last().unwrap_or_default();
        assert!(message.starts_with("surefoot: ") && message.len() < 500, "{wrong}: {message}");
        assert!(message.contains(says), "{wrong}: {message}");
        box_.ok(&output(right));
    }
}

#[test]
fn predict_and_eval_take_the_flags_of_their_data() {
    let box_ = files();
    let [comma, semicolon] = ["plain.csv", "semicolon.csv --delimiter ;"];
    for command in ["predict", "eval"] {
        let line = |data: &str| box_.ok(&format!("{command} m.csv {data} --quiet"));
        assert_eq!(line(comma).out, line(semicolon).out);
        assert_eq!(line("semicolon.csv").out, line(comma).out);
    }
    box_.ok("fit semicolon.csv --delimiter ; --label y -o s");
    assert_eq!(box_.ok("predict s plain.csv --delimiter ,").out, box_.ok("predict m.csv plain.csv").out);
    // Notes are for people who want them.
    box_.write("new.svm", "1 1:1 77:1\n");
    assert!(box_.ok("predict m.svm new.svm").err.contains("never seen in training"));
    assert_eq!(box_.ok("predict m.svm new.svm --quiet").err, "");
    box_.write("bad.svm", format!("{}0 x\n5 1:1\n", rows(50)));
    box_.write("good.svm", rows(50));
    box_.fails(1, "eval m.svm bad.svm");
    box_.fails(1, "eval m.svm bad.svm --skip-bad-rows 1");
    let ran = box_.ok("eval m.svm bad.svm --skip-bad-rows 2");
    assert_eq!(ran.out, box_.ok("eval m.svm good.svm").out);
    assert!(
        ran.err.contains("2 rows at fault were passed over") && ran.err.contains("bad.svm:51:3: 'x'"),
        "{}",
        ran.err
    );
}

#[test]
fn quotes_that_are_only_text_are_read_as_text() {
    let box_ = Sandbox::new();
    let line = "--label 1 --text 2 --header no";
    for text in ["ham\t\"Hi\" she said\nspam\twin\nham\tok\n", "ham\tok\nspam\t\"win\nham\thi\n"] {
        box_.write("a.tsv", text);
        let ran = box_.fails(1, &format!("fit a.tsv {line} -o m"));
        assert!(ran.err.contains("say --quote none"), "{}", ran.err);
        let ran = box_.ok(&format!("fit a.tsv {line} --quote none -o m --json"));
        assert_eq!(ran.json()["rows"].as_u64(), Some(3), "{}", ran.err);
        // The model knows; its rows are those of a table without the quotes, which are no part of a word.
        box_.write("b.tsv", text.replace('"', ""));
        let ran = box_.ok("predict m a.tsv");
        assert_eq!(ran.out.lines().count(), 3);
        assert_eq!(ran.out, box_.ok("predict m b.tsv --quote none").out);
        assert_eq!(ran.out, box_.ok("predict m b.tsv --quote \"").out);
        box_.fails(1, "predict m a.tsv --quote \"");
        box_.fails(1, "eval m a.tsv --quote \"");
        box_.ok("eval m a.tsv");
    }
}

/// Returns the paths of all Rust source files in a folder and its subfolders, without tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_stem().is_some_and(|stem| stem.to_str().unwrap().contains("tests"));
        match path.is_dir() {
            _ if is_test => {}
            true => found.extend(sources(&path)),
            false => found.extend(path.extension().is_some_and(|ending| ending == "rs").then_some(path)),
        }
    }
    found
}

/// Returns the names of the flags mentioned in a text: the words preceded by `--`.
fn flags(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let words = text.split("--").skip(1).zip(text.split("--"));
    let words = words.filter(|(_, before)| before.ends_with([' ', '"', '`', '(', '[', '\'', '\n', '/']));
    let words = words.map(|(behind, _)| behind.split(|letter| !is_part(letter)).next().unwrap().trim_end_matches('-'));
    words.filter(|word| word.starts_with(|letter: char| letter.is_ascii_lowercase())).map(str::to_owned).collect()
}

#[test]
fn flags_that_messages_name_exist() {
    let box_ = Sandbox::new();
    let mut known = flags("--help --version ");
    for command in ["fit", "predict", "eval", "inspect", "export", "lab"] {
        known.extend(flags(&box_.ok(&format!("help {command}")).out));
    }
    assert!(known.contains("missing") && known.contains("on-error") && !known.contains("epochs"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["src", "crates/surefoot-fit/src", "crates/surefoot-io/src", "crates/surefoot-glm/src"]
        .iter()
        .flat_map(|name| sources(&root.join(name)))
    {
        // Flags of other tools are named there, to be told from ours.
        if file.ends_with("src/flags/hint.rs") {
            continue;
        }
        // A variable of style sheets has two dashes too.
        let text = fs::read_to_string(&file).unwrap().replace("--share", "");
        let foreign: Vec<_> = flags(&text).difference(&known).cloned().collect();
        assert!(foreign.is_empty(), "{} names flags that do not exist: {foreign:?}", file.display());
    }
}
