//! Tests of fits of several processes: the same bytes for any number of workers, whatever happens to them, and the optimum of the plain
//! command.

use crate::sandbox::{Sandbox, Uniform, rows, signal};
use std::{
    process::{Child, Command},
    time::{Duration, Instant},
};

pub(crate) const WORKERS: [usize; 4] = [1, 2, 3, 7];

/// Returns the path of a data set of the repository.
pub(crate) fn data(name: &str) -> String {
    format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Fits with flags of every kind; the last column is how far the objectives may be apart, in units of --tol.
fn fits(box_: &Sandbox) -> Vec<(String, f64)> {
    let text = rows(3000);
    box_.write("a.svm", &text);
    std::fs::create_dir_all(box_.path("parts")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for (k, part) in lines.chunks(700).enumerate() {
        box_.write(&format!("parts/{k}.svm"), part.join("\n") + "\n");
    }
    let named: String = lines
        .iter()
        .map(|line| {
            let (label, rest) = line.split_once(' ').unwrap();
            let pairs: Vec<String> = rest.split(' ').map(|pair| format!("x{pair}")).collect();
            format!("{} |a {}\n", if label == "1" { "1" } else { "-1" }, pairs.join(" "))
        })
        .collect();
    box_.write("a.vw", named);
    [
        ("a.svm --l2 1e-3".to_owned(), 1.0),
        ("parts --l1 1e-3 --l2 1e-4".to_owned(), 1.0),
        ("a.vw --l2 1e-3 --loss smoothed_hinge".to_owned(), 1.0),
        ("a.svm --l2 1e-3 --loss hinge".to_owned(), 1.0),
        ("a.svm --l2 1e-3 --class-weight balanced --standardize yes".to_owned(), 1.0),
        ("a.svm --l2 1e-3 --bounds 0, --no-intercept".to_owned(), 1.0),
        // Without a penalty the search ends by its decrement.
        ("a.svm".to_owned(), 10.0),
        (format!("{} --loss squared --l2 1e-2", data("diabetes.train.svm")), 1.0),
        (format!("{} --loss quantile --tau 0.8 --l2 1e-2", data("diabetes.train.svm")), 1.0),
        (format!("{} --loss softmax --l2 1e-3", data("digits.train.svm.gz")), 1.0),
        (format!("{} --label species --loss softmax --l1 1e-3 --missing mean", data("penguins.csv")), 1.0),
        (format!("{} --label species --loss ovr --l2 1e-2 --missing indicator", data("penguins.csv")), 1.0),
        (format!("{} --label cnt --loss poisson --l2 1e-3 --ignore dteday", data("bike.train.csv.gz")), 1.0),
        (format!("{} --label label --l2 1e-3", data("sms.train.csv.gz")), 1.0),
    ]
    .into()
}

#[test]
fn any_number_of_workers_finds_the_same_bytes_and_the_optimum_of_the_plain_command() {
    let box_ = Sandbox::new();
    for (flags, units) in fits(&box_) {
        let plain = box_.ok(&format!("fit {flags} --passes auto -o plain --json")).json();
        let mut first = Vec::new();
        for workers in WORKERS {
            let line = format!("fit {flags} --passes auto -o model --json --engine local --workers {workers}");
            let found = box_.ok(&line).json();
            let (ours, theirs) = (found["objective"].as_f64().unwrap(), plain["objective"].as_f64().unwrap());
            assert!((ours - theirs).abs() <= units * 1e-6 * theirs.abs(), "{line}: {ours} is not {theirs}");
            assert_eq!(found["certificate"]["kind"], plain["certificate"]["kind"], "{line}");
            assert_eq!((&found["rows"], &found["nnz"]), (&plain["rows"], &plain["nnz"]), "{line}");
            let bytes = box_.read("model");
            if workers == 1 {
                first = bytes;
            } else {
                assert!(bytes == first, "{line}: other bytes than with one worker");
            }
        }
        let predict = |model: &str| box_.ok(&format!("predict {model} {}", flags.split(' ').next().unwrap())).out;
        let (ours, theirs) = (predict("model"), predict("plain"));
        assert_eq!(ours.lines().count(), theirs.lines().count(), "{flags}");
    }
}

/// One pass: the same bytes for any number of workers, and about the losses of the plain command.
#[test]
fn one_pass_is_the_same_for_any_number_of_workers() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(12_000));
    for (flags, enough) in [
        ("a.svm".to_owned(), 1.01),
        ("a.svm --loss hinge --class-weight 1=2".to_owned(), 1.02),
        (format!("{} --loss squared", data("diabetes.train.svm")), 1.1),
        (format!("{} --label cnt --loss poisson --ignore dteday", data("bike.train.csv.gz")), 1.01),
        (format!("{} --label label", data("sms.train.csv.gz")), 1.02),
    ] {
        let plain = box_.ok(&format!("fit {flags} -o plain --json")).json();
        let mut first = Vec::new();
        for workers in WORKERS {
            let line = format!("fit {flags} -o model --json --engine local --workers {workers}");
            let found = box_.ok(&line).json();
            let (ours, theirs) = (found["loss"].as_f64().unwrap(), plain["loss"].as_f64().unwrap());
            let constant = |of: &serde_json::Value| of["rows"].as_u64();
            assert_eq!(constant(&found), constant(&plain), "{line}");
            assert!(ours - theirs <= (enough - 1.0) * theirs.abs(), "{line}: {ours}, and {theirs} in one process");
            let bytes = box_.read("model");
            if workers == 1 {
                first = bytes;
            } else {
                assert!(bytes == first, "{line}: other bytes than with one worker");
            }
        }
        // The model goes on learning by the plain command.
        let again = flags.split(" --loss").next().unwrap();
        box_.ok(&format!("fit {} --resume model -o more --label label", again.split(" --label").next().unwrap())
            .replace(" --label label", ""));
    }
}

/// The objective is that of one process to rounding, where the tolerance asks for it.
#[test]
fn to_the_last_digits_the_objective_is_that_of_the_plain_command() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(5000));
    for loss in ["logistic", "squared", "squared_hinge"] {
        let flags = format!("fit a.svm --passes auto --l2 1e-3 --tol 1e-13 --loss {loss} --json");
        let plain = box_.ok(&format!("{flags} -o plain")).json()["objective"].as_f64().unwrap();
        let found = box_.ok(&format!("{flags} -o m --engine local --workers 2")).json()["objective"].as_f64().unwrap();
        assert!((plain - found).abs() <= 1e-12 * plain, "{loss}: {found} is not {plain}");
    }
}

/// Returns the ids of the running worker processes of a command.
pub(crate) fn workers_of(child: &Child) -> Vec<u32> {
    let found = Command::new("pgrep").args(["-P", &child.id().to_string()]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().lines().filter_map(|line| line.parse().ok()).collect()
}

/// Waits for a command to end, and kills it if it does not.
pub(crate) fn wait(mut child: Child) -> (bool, String) {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(300) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

/// Command line of a fit that takes about a second, in many exchanges.
fn long_fit(box_: &Sandbox) -> String {
    box_.write("long.svm", rows(60_000));
    "fit long.svm --passes auto --l1 1e-4 --l2 1e-5 --tol 1e-11 --loss hinge --engine local".to_owned()
}

/// Command line of one pass that takes about a second.
fn long_pass(box_: &Sandbox) -> String {
    box_.write("long.svm", rows(60_000));
    "fit long.svm --engine local".to_owned()
}

#[test]
fn workers_that_are_killed_at_any_moment_change_no_bit() {
    let box_ = Sandbox::new();
    for line in [long_fit(&box_), long_pass(&box_)] {
        kill_workers(&box_, &line);
    }
}

fn kill_workers(box_: &Sandbox, line: &str) {
    let began = Instant::now();
    box_.ok(&format!("{line} --workers 2 -o whole"));
    let (whole, time) = (box_.read("whole"), began.elapsed().as_secs_f64());
    let (mut u, mut killed) = (Uniform(5), 0);
    for workers in [1, 2, 3, 3, 7, 2] {
        let child = box_.start(&format!("{line} --workers {workers} -o m"));
        for _ in 0..2 {
            std::thread::sleep(Duration::from_secs_f64(0.4 * time * u.next()));
            let running = workers_of(&child);
            if let Some(id) = running.get((u.next() * running.len() as f64) as usize) {
                killed +=
                    usize::from(Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap().success());
            }
        }
        let (ended, err) = wait(child);
        assert!(ended, "{err}");
        assert!(box_.read("m") == whole, "{workers} workers: other bytes\n{err}");
    }
    assert!(killed >= 6, "{killed}");
}

#[test]
fn a_run_whose_coordinator_is_killed_goes_on_from_its_checkpoint() {
    let box_ = Sandbox::new();
    for line in [long_fit(&box_), long_pass(&box_)] {
        kill_coordinators(&box_, &line);
    }
    refuse_other_runs(&box_, &long_fit(&box_));
}

fn kill_coordinators(box_: &Sandbox, line: &str) {
    let began = Instant::now();
    box_.ok(&format!("{line} --workers 2 -o whole"));
    let (whole, time) = (box_.read("whole"), began.elapsed().as_secs_f64());
    let (mut u, mut resumed) = (Uniform(7), 0);
    for workers in [2, 1, 3] {
        let again = format!("{line} --workers {workers} --checkpoint state -o m");
        for _ in 0..2 {
            let child = box_.start(&again);
            std::thread::sleep(Duration::from_secs_f64(time * (0.3 + 0.4 * u.next())));
            signal(&child, "KILL");
            let _ = wait(child);
        }
        let ran = box_.ok(&again);
        resumed += usize::from(ran.err.contains("going on after"));
        assert!(box_.read("m") == whole, "{}", ran.err);
        // Nothing is left of a run that has ended.
        assert!(!box_.has("state"), "{:?}", box_.names());
    }
    assert!(resumed > 0);
}

/// Another run does not take the state of this one for its own.
fn refuse_other_runs(box_: &Sandbox, line: &str) {
    let began = Instant::now();
    box_.ok(&format!("{line} --workers 2 -o whole"));
    let time = began.elapsed().as_secs_f64();
    let child = box_.start(&format!("{line} --workers 2 --checkpoint state -o m"));
    std::thread::sleep(Duration::from_secs_f64(0.6 * time));
    signal(&child, "KILL");
    let _ = wait(child);
    let other = format!("{line} --l2 1e-3 --workers 2 --checkpoint state -o m").replace("--l2 1e-5", "");
    assert!(box_.fails(1, &other).err.contains("state of another run"));
    std::fs::create_dir(box_.path("mine")).unwrap();
    box_.write("mine/notes.txt", "mine");
    let mine = format!("{line} --workers 2 --checkpoint mine -o m");
    assert!(box_.fails(1, &mine).err.contains("empty folder") && box_.has("mine/notes.txt"));
}

#[test]
fn a_signal_saves_the_best_model_and_the_same_command_goes_on() {
    let box_ = Sandbox::new();
    let line = long_fit(&box_);
    let began = Instant::now();
    box_.ok(&format!("{line} --workers 2 -o whole"));
    let time = began.elapsed().as_secs_f64();
    let mut saved = 0;
    for part in [0.5, 0.7, 0.9] {
        let child = box_.start(&format!("{line} --workers 2 --checkpoint state -o m"));
        std::thread::sleep(Duration::from_secs_f64(part * time));
        signal(&child, "INT");
        let (ended, err) = wait(child);
        if !ended && err.contains("has the best model so far") {
            saved += 1;
            assert!(err.contains("the same command goes on from the checkpoint"), "{err}");
            box_.ok("inspect m");
        }
        box_.ok(&format!("{line} --workers 3 --checkpoint state -o m"));
        assert!(box_.read("m") == box_.read("whole"), "{err}");
    }
    assert!(saved > 0);
}

#[test]
fn a_fault_in_one_shard_is_one_message_that_names_the_place() {
    let box_ = Sandbox::new();
    let text = rows(2000);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1500] = "1 2:0.5 3:x".to_owned();
    box_.write("b.svm", lines.join("\n"));
    let line = "fit b.svm --passes auto --l2 0.1 --engine local --workers 3";
    let err = box_.fails(1, line).err;
    assert!(err.contains("b.svm:1501:9: '3:x'"), "{err}");
    assert_eq!(err.matches("surefoot: ").count(), 1, "{err}");
    let skipped = box_.ok(&format!("{line} --skip-bad-rows 1 --json")).json();
    assert_eq!((&skipped["rows_skipped"], &skipped["rows"]), (&1.into(), &1999.into()));
    // A label that only another shard has.
    lines[1500] = "2 2:0.5".to_owned();
    box_.write("c.svm", lines.join("\n"));
    let err = box_.fails(1, &line.replace("b.svm", "c.svm")).err;
    assert!(err.contains("third class"), "{err}");
    for (flags, says) in [
        ("b.svm --engine local --passes 3", "--passes auto"),
        ("b.svm --engine local --loss softmax", "--passes auto"),
        ("b.svm --workers 2", "--engine"),
        ("b.svm --engine local --passes auto --shuffle", "--shuffle"),
        ("b.svm --engine local --passes auto --resume m", "--checkpoint"),
        ("- --engine local --passes auto", "standard input"),
        ("b.svm --engine dask --passes auto", "ray"),
        ("missing.svm --engine local --passes auto", "missing.svm"),
    ] {
        let ran = box_.run(&format!("fit {flags}"));
        assert!(ran.status > 0 && ran.err.contains(says), "{flags}: {}", ran.err);
    }
}

/// Warnings about data as a whole, and messages about a row at fault, are those of the plain command.
#[test]
fn warnings_and_faults_are_those_of_the_plain_command() {
    let box_ = Sandbox::new();
    let table = |rows: &[(&str, &str)]| {
        let row = |t: usize| format!("{},{},{}\n", rows[t % rows.len()].0, rows[t % rows.len()].1, t % 7);
        format!("y,w,a\n{}", (0..300).map(row).collect::<String>())
    };
    box_.write("one.csv", table(&[("1", "1")]));
    box_.write("ham.csv", table(&[("ham", "1")]));
    for (name, passes) in
        [("one", ""), ("ham", ""), ("one", "--passes auto --l2 0.1"), ("ham", "--passes auto --l2 0.1")]
    {
        let line = format!("fit {name}.csv --label y --weight w {passes} --quiet");
        let warning = |err: String| err.lines().find(|line| line.contains("one class")).map(str::to_owned);
        let plain = warning(box_.ok(&line).err);
        assert!(plain.is_some(), "{line}");
        assert_eq!(warning(box_.ok(&format!("{line} --engine local --workers 2")).err), plain, "{line}");
    }
    for weight in ["1e250", "1e-305"] {
        let mut text = table(&[("1", "1"), ("0", "1")]);
        text += &format!("1,{weight},3\n");
        box_.write("w.csv", text);
        for passes in ["", "--passes auto --l2 0.1"] {
            let line = format!("fit w.csv --label y --weight w {passes}");
            let fault = |err: String| err.lines().find(|line| line.contains("w.csv:302")).map(str::to_owned);
            let plain = fault(box_.fails(1, &line).err);
            assert!(plain.as_ref().is_some_and(|fault| fault.contains("the weight is too")), "{line}: {plain:?}");
            assert_eq!(fault(box_.fails(1, &format!("{line} --engine local --workers 2")).err), plain, "{line}");
        }
    }
}

/// Rows with next to no weight and large offsets neither end a pass early nor make it wait for ever.
#[test]
fn rows_of_next_to_no_weight_are_learnt_in_shards() {
    let box_ = Sandbox::new();
    let row = |t: usize| match t % 500 {
        499 => format!("{},1e-20,50,{}\n", t % 3, t % 7),
        _ => format!("{},1,0,{}\n", t % 3, t % 7),
    };
    box_.write("a.csv", format!("y,w,o,a\n{}", (0..9000).map(row).collect::<String>()));
    let line = "fit a.csv --label y --weight w --offset o --loss poisson --json";
    for engine in ["", "--engine local --workers 1 --shards 1", "--engine local --workers 2 --shards 2"] {
        assert_eq!(box_.ok(&format!("{line} {engine}")).json()["rows"], 9000, "{engine}");
    }
}
