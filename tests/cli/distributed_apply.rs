//! Tests of `predict` and `eval` of several processes: the bytes and the metrics of one process, for any number of workers, whatever
//! happens to them.

use crate::{
    distributed::{WORKERS, data, wait, workers_of},
    sandbox::{Ran, Sandbox, Uniform, rows, signal},
};
use serde_json::Value;
use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

/// Flags of a fit, and data with the flags of reading for the model: all formats, losses of each kind.
fn models(box_: &Sandbox) -> Vec<(String, String)> {
    box_.write("a.svm", rows(2000));
    std::fs::create_dir_all(box_.path("parts")).unwrap();
    for (k, part) in rows(900).lines().collect::<Vec<_>>().chunks(250).enumerate() {
        box_.write(&format!("parts/{k}.svm"), part.join("\n") + "\n");
    }
    let mut u = Uniform(3);
    let tags: String =
        (0..700).map(|t| format!("{} 1.5 'tag{t}|a x{} y:{:.3}\n", 2 * (t % 2) - 1, t % 9, u.next())).collect();
    box_.write("a.vw", &tags);
    let mut u = Uniform(5);
    // Names of rows with quotes and line breaks; values that training has not seen, in the last rows.
    let table = |n: usize, colours: usize| -> String {
        let row = |t: usize| {
            let (x, colour) = (u.next(), ["red", "blue", "green", "grey", "pink"][t % colours]);
            format!(
                "{:.2},{x:.3},{colour},\"id \"\"{t}\"\"\n{t}\",{:.1}\n",
                x + 0.1 * (t % 3) as f64,
                1.0 + (t % 4) as f64
            )
        };
        "y,x,c,name,w\n".to_owned() + &(0..n).map(row).collect::<String>()
    };
    let mut table = table;
    box_.write("a.csv", table(800, 3));
    box_.write("b.csv", table(800, 3) + &table(40, 5).split_off(13));
    let columnar = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar");
    let mut all = vec![
        ("a.svm".to_owned(), "a.svm".to_owned()),
        ("a.svm --loss hinge".to_owned(), "parts a.svm".to_owned()),
        ("a.vw".to_owned(), "a.vw".to_owned()),
        ("a.vw --bits 3 --loss squared".to_owned(), "a.vw".to_owned()),
        ("a.csv --label y --ignore name --weight w --loss squared".to_owned(), "b.csv".to_owned()),
        ("a.csv --label y --ignore name,w --loss poisson --bits 2".to_owned(), "b.csv".to_owned()),
        (format!("{} --label species --loss softmax --missing mean", data("penguins.csv")), data("penguins.csv")),
        (format!("{} --label label", data("sms.train.csv.gz")), data("sms.test.csv.gz")),
        (format!("{} --loss ovr", data("digits.train.svm.gz")), data("digits.test.svm.gz")),
    ];
    if cfg!(feature = "parquet") {
        let data = format!("{columnar}/rows.parquet {columnar}/rows.arrow");
        all.push((format!("{columnar}/rows.parquet --label y --loss squared"), data));
    }
    all
}

/// Asserts that two results of `eval --json` are equal: counts and texts exactly, other numbers to rounding.
fn assert_alike(a: &Value, b: &Value, place: &str) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{place}");
            a.iter().for_each(|(key, value)| assert_alike(value, &b[key], &format!("{place} {key}")));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            a.iter().zip(b).for_each(|(a, b)| assert_alike(a, b, place));
        }
        (Value::Number(x), Value::Number(y)) if x.is_f64() || y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            assert!((x - y).abs() <= 1e-12 * x.abs().max(1e-3), "{place}: {x} and {y}");
        }
        _ => assert_eq!(a, b, "{place}"),
    }
}

/// Messages of a command but for the line about its engine.
fn said(ran: &Ran) -> String {
    ran.err.lines().filter(|line| !line.starts_with("engine: ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn any_number_of_workers_measures_what_one_process_does() {
    let box_ = Sandbox::new();
    for (fit, data) in models(&box_) {
        box_.ok(&format!("fit {fit} -o m"));
        let (alone, table) = (box_.ok(&format!("eval m {data} --json")), box_.ok(&format!("eval m {data}")));
        let mut first = String::new();
        for workers in WORKERS {
            let line = format!("eval m {data} --engine local --workers {workers}");
            let ran = box_.ok(&format!("{line} --json"));
            assert_alike(&alone.json(), &ran.json(), &line);
            assert_eq!(said(&ran), said(&alone), "{line}");
            if workers == 1 {
                first = ran.out;
                assert_eq!(box_.ok(&line).out, table.out, "{line}");
            } else {
                assert_eq!(ran.out, first, "{line}: other digits than with one worker");
            }
        }
        let odd = box_.ok(&format!("eval m {data} --json --engine local --workers 2 --shards 5")).json();
        assert_alike(&alone.json(), &odd, &data);
        box_.ok(&format!("eval m {data} --report one.html"));
        let told = box_.ok(&format!("eval m {data} --report several.html --engine local --workers 2")).out;
        assert_eq!(told, table.out);
        assert_eq!(box_.text("several.html").lines().count(), box_.text("one.html").lines().count(), "{data}");
    }
}

/// Returns the files of a folder one after the other, in the order of their names.
fn concatenated(folder: &Path) -> Vec<u8> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| std::fs::read(file).unwrap()).collect()
}

/// Whether nothing is left beside the outputs.
fn is_clean(box_: &Sandbox) -> bool {
    box_.names().iter().all(|name| !name.contains("surefoot-tmp"))
}

/// Flags of `predict` that change what is written.
fn forms(fit: &str) -> Vec<&'static str> {
    let classes = !["squared", "poisson"].iter().any(|loss| fit.contains(loss));
    let mut forms = vec!["", "--type margin"];
    forms.extend(if classes { &["--type class"][..] } else { &["--on-error skip", "--on-error empty"] });
    if fit.starts_with("a.csv") {
        forms.extend(["--id name", "--id name --type mean"]);
    }
    if fit.starts_with("a.svm") {
        forms.push("--unlabelled");
    }
    forms
}

#[test]
fn any_number_of_workers_predicts_the_bytes_of_one_process() {
    let box_ = Sandbox::new();
    for (fit, data) in models(&box_) {
        box_.ok(&format!("fit {fit} -o m"));
        for form in forms(&fit) {
            let alone = box_.ok(&format!("predict m {data} {form}"));
            for workers in WORKERS {
                let line = format!("predict m {data} {form} --engine local --workers {workers}");
                let ran = box_.ok(&format!("{line} -o folder/"));
                assert!(concatenated(&box_.path("folder")) == alone.out.as_bytes(), "{line}: other bytes");
                assert_eq!(said(&ran), said(&alone), "{line}");
            }
            let line = format!("predict m {data} {form} --engine local --workers 2");
            assert_eq!(box_.ok(&line).out, alone.out, "{line}");
            box_.ok(&format!("{line} -o p.txt"));
            assert_eq!(box_.text("p.txt"), alone.out, "{line}");
        }
    }
    let names = std::fs::read_dir(box_.path("folder")).unwrap().count();
    assert_eq!(names, 16);
    assert!(box_.has("folder/part-00000-of-00016.txt") && box_.has("folder/part-00015-of-00016.txt"));
    // Nothing is left beside the outputs.
    assert!(is_clean(&box_), "{:?}", box_.names());
}

/// Prepares a model and rows that take about a second to read.
fn long(box_: &Sandbox) {
    box_.write("train.svm", rows(2000));
    box_.ok("fit train.svm -o m");
    box_.write("long.svm", rows(120_000));
}

#[test]
fn workers_that_are_killed_at_any_moment_change_no_byte() {
    let box_ = Sandbox::new();
    long(&box_);
    for line in ["eval m long.svm --json", "predict m long.svm -o folder/", "predict m long.svm -o p.txt"] {
        let began = Instant::now();
        let line = format!("{line} --engine local");
        let result = |out: &str| match line.starts_with("eval") {
            true => out.as_bytes().to_vec(),
            false if line.contains("folder") => concatenated(&box_.path("folder")),
            false => box_.read("p.txt"),
        };
        let whole = result(&box_.ok(&format!("{line} --workers 2")).out);
        let time = began.elapsed().as_secs_f64();
        let (mut u, mut killed) = (Uniform(5), 0);
        for workers in [1, 2, 3, 7] {
            let child = box_.start(&format!("{line} --workers {workers}"));
            for _ in 0..2 {
                std::thread::sleep(Duration::from_secs_f64(0.4 * time * u.next()));
                let running = workers_of(&child);
                if let Some(id) = running.get((u.next() * running.len() as f64) as usize) {
                    let sent = Command::new("kill").args(["-KILL", &id.to_string()]).status();
                    killed += usize::from(sent.unwrap().success());
                }
            }
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(result(&String::from_utf8(output.stdout).unwrap()) == whole, "{line} {workers}: other bytes");
        }
        assert!(killed >= 3, "{line}: {killed}");
    }
    assert!(is_clean(&box_), "{:?}", box_.names());
}

/// A run that ends early leaves outputs as they were, and what it leaves beside them does no harm.
#[test]
fn a_run_that_is_ended_leaves_whole_files() {
    let box_ = Sandbox::new();
    long(&box_);
    let parts = |line: &str| format!("predict m {line} --engine local --workers 2");
    box_.ok(&parts("train.svm -o folder/"));
    box_.ok(&parts("train.svm -o p.txt"));
    let (folder, file) = (concatenated(&box_.path("folder")), box_.read("p.txt"));
    for name in ["INT", "KILL"] {
        for output in ["folder/", "p.txt"] {
            let child = box_.start(&parts(&format!("long.svm -o {output}")));
            while workers_of(&child).is_empty() {
                std::thread::sleep(Duration::from_millis(2));
            }
            signal(&child, name);
            let (succeeded, err) = wait(child);
            assert!(!succeeded && err.lines().all(|line| !line.starts_with("surefoot: ")), "{err}");
            assert!(name == "KILL" || is_clean(&box_), "{:?}", box_.names());
        }
    }
    let visible = std::fs::read_dir(box_.path("folder")).unwrap().map(|entry| entry.unwrap());
    assert_eq!(visible.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.')).count(), 16);
    assert!(box_.read("p.txt") == file);
    // Workers whose coordinator was killed end by themselves; the same command then finds nothing of them.
    let began = Instant::now();
    loop {
        box_.ok(&parts("train.svm -o folder/"));
        box_.ok(&parts("train.svm -o p.txt"));
        if concatenated(&box_.path("folder")) == folder && is_clean(&box_) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", box_.names());
    }
    assert!(box_.read("p.txt") == file);
}

#[test]
fn a_fault_in_one_shard_is_one_message_and_leaves_all_files() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(2000));
    box_.ok("fit a.svm -o m");
    let mut lines: Vec<String> = box_.text("a.svm").lines().map(str::to_owned).collect();
    lines[1500] = "1 2:0.5 3:x".to_owned();
    lines[1700] = "1 2:y".to_owned();
    box_.write("b.svm", lines.join("\n"));
    box_.ok("predict m a.svm -o folder/ --engine local --shards 4");
    let before = concatenated(&box_.path("folder"));
    for command in
        ["eval m b.svm", "predict m b.svm -o folder/ --shards 4", "predict m b.svm -o p.txt", "predict m b.svm"]
    {
        // With one worker the first row at fault is the one that ends the run.
        let ran = box_.fails(1, &format!("{command} --engine local --workers 1"));
        assert!(ran.err.contains("b.svm:1501:9: '3:x'") && ran.out.is_empty(), "{command}: {}", ran.err);
        let err = box_.fails(1, &format!("{command} --engine local --workers 3")).err;
        assert!(err.contains("b.svm:1501:9: '3:x'") || err.contains("b.svm:1701:"), "{command}: {err}");
        assert_eq!(err.matches("surefoot: ").count(), 1, "{err}");
    }
    assert!(concatenated(&box_.path("folder")) == before && !box_.has("p.txt"));
    let skips = "--engine local --workers 3 --skip-bad-rows";
    let ran = box_.ok(&format!("eval m b.svm --json {skips} 2"));
    assert_eq!(said(&ran), said(&box_.ok("eval m b.svm --json --skip-bad-rows 2")));
    assert_eq!(ran.json()["rows"], 1998);
    assert!(box_.fails(1, &format!("eval m b.svm {skips} 1")).err.contains("at fault"));
    for how in ["skip", "empty"] {
        let alone = box_.ok(&format!("predict m b.svm --on-error {how}"));
        let ran = box_.ok(&format!("predict m b.svm --on-error {how} --engine local --workers 3"));
        assert_eq!((&ran.out, said(&ran)), (&alone.out, said(&alone)));
    }
    refusals(&box_);
}

fn refusals(box_: &Sandbox) {
    box_.write("none.svm", "");
    box_.write("zero.csv", "y,x,w\n1,2,0\n0,1,0\n");
    box_.write("train.csv", "y,x,w\n1,2,1\n0,1,1\n");
    box_.ok("fit train.csv --label y --weight w -o weighted");
    box_.write("damaged.svm.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]);
    box_.write("text.csv", "y,x,w\n1,2,1\n0,one,1\n");
    std::fs::create_dir_all(box_.path("inputs")).unwrap();
    box_.write("inputs/part-00001-of-00016.txt", rows(30));
    for (line, status, says) in [
        ("eval m none.svm", 1, "none.svm: there are no rows"),
        ("predict m none.svm -o none/", 1, "none.svm: there are no rows"),
        ("eval weighted zero.csv", 1, "zero.csv: the total weight is zero"),
        ("predict m damaged.svm.gz", 1, "damaged.svm.gz"),
        ("eval weighted text.csv", 1, "text.csv:3"),
        ("predict m missing.svm", 1, "missing.svm"),
        ("predict m -", 2, "standard input"),
        ("predict m a.svm --flush line", 2, "--flush"),
        ("predict m a.svm -o folder/", 1, "another number of shards"),
        ("predict m inputs -o inputs", 2, "inputs"),
        ("eval m a.svm --loss squared", 2, "--loss"),
        ("predict m a.svm --type mean --loss squared", 2, "--loss"),
        ("eval m a.svm --checkpoint state", 2, "--checkpoint"),
    ] {
        let ran = box_.run(&format!("{line} --engine local"));
        assert!(ran.status == status && ran.err.contains(says), "{line}: {} {}", ran.status, ran.err);
        assert!(ran.out.is_empty() && !box_.has("none/part-00000-of-00016.txt"), "{line}");
    }
    for line in ["predict m a.svm --workers 2", "eval m a.svm --shards 2"] {
        assert!(box_.fails(2, line).err.contains("--engine"), "{line}");
    }
}

/// Beyond a million rows the curves are counted in a histogram, which is exact over shards.
#[test]
fn curves_of_many_rows_are_those_of_one_process() {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(500));
    box_.ok("fit train.svm -o m");
    let block = rows(1000);
    box_.write("many.svm", block.repeat(1001));
    let alone = box_.ok("eval m many.svm --json").json();
    assert!(alone["auc_error"].as_f64().unwrap() > 0.0);
    let found = box_.ok("eval m many.svm --json --engine local --workers 2").json();
    assert_alike(&alone, &found, "many.svm");
    assert_eq!((&found["auc"], &found["pr_auc"]), (&alone["auc"], &alone["pr_auc"]));
}
