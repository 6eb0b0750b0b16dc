//! Tests of malicious input: names with control sequences for terminals, files in unexpected places, and outputs that are
//! closed.

use crate::sandbox::{Ran, Sandbox, signal, skipped};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// CSV table whose classes and columns have names with commands for terminals and spreadsheets.
const TABLE: &str =
    "y,+1,@x,\u{202e}z\n\"a\u{1b}[2J\nb\",1,0,2\nc,0,1,1\n\"a\u{1b}[2J\nb\",2,1,0\nc,-1,0,1\n-d,1,-1,1\nc,0,-2,1\n";

#[test]
fn names_are_obeyed_by_no_terminal() {
    let box_ = Sandbox::new();
    box_.write("a.csv", TABLE);
    let fit = box_.ok("fit a.csv --label y --loss softmax -o m");
    let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    for line in ["inspect m", "eval m a.csv"] {
        let ran = box_.ok(line);
        assert!(!ran.out.contains(obeyed) && !ran.err.contains(obeyed), "{line}: {}", ran.out);
        assert!(ran.out.contains(r"a\u{1b}[2J\u{a}b"), "{line}: {}", ran.out);
    }
    assert!(!fit.err.contains(obeyed), "{}", fit.err);
    assert!(box_.ok("inspect m").out.contains(r"\u{202e}z"));
    // Programs get them as they are.
    assert!(box_.ok("eval m a.csv --json").out.contains(r"a\u001b[2J\nb"));
}

#[test]
fn exported_names_are_no_formulas_and_can_be_had_back() {
    let box_ = Sandbox::new();
    box_.write("a.csv", TABLE);
    box_.ok("fit a.csv --label y --loss softmax --quiet -o m");
    box_.ok("export m -o w.csv");
    let text = box_.text("w.csv");
    assert!(text.starts_with("feature,slot,weight:-d,\"weight:a\u{1b}[2J\nb\",weight:c\n"), "{text}");
    for name in ["'+1,", "'@x,"] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}: {text}");
    }
}

#[test]
fn what_has_the_name_of_a_temporary_file_is_left_alone() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n0 2:1\n");
    let pipe = ".m.surefoot-tmp-1999999999-1";
    assert!(Command::new("mkfifo").arg(box_.path(pipe)).status().unwrap().success());
    std::os::unix::fs::symlink("a.svm", box_.path(".m.surefoot-tmp-1999999999-2")).unwrap();
    box_.ok("fit a.svm --quiet -o m");
    assert!(box_.has(pipe) && box_.text("a.svm").starts_with("1 1:1"));
    std::fs::set_permissions(box_.path("m"), std::fs::Permissions::from_mode(0o4755)).unwrap();
    box_.ok("fit a.svm --quiet -o m");
    assert_eq!(std::fs::metadata(box_.path("m")).unwrap().permissions().mode() & 0o7777, 0o755);
}

#[test]
fn an_output_that_is_closed_is_a_failure() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n0 2:1\n");
    box_.ok("fit a.svm --quiet -o m");
    for (line, status) in [("predict m a.svm", 1), ("inspect m", 1), ("eval m a.svm", 1), ("fit a.svm --quiet -o m", 0)]
    {
        let script = format!("exec \"$0\" {line} >&-");
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script, env!("CARGO_BIN_EXE_surefoot")]).current_dir(box_.path("."));
        let ran = command.output().unwrap();
        let says = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(status), "{line}: {says}");
        assert!(status == 0 || says.contains("standard output: "), "{line}: {says}");
    }
}

#[test]
fn a_hang_up_and_the_end_of_processor_time_save_the_model() {
    for (name, status) in [("HUP", 129), ("XCPU", 152)] {
        let box_ = Sandbox::new();
        let mut child = box_.start("fit - --snapshot 5000 -o m");
        let mut input = child.stdin.take().unwrap();
        input.write_all("1 1:1\n0 2:1\n".repeat(6_000).as_bytes()).unwrap();
        box_.wait_for(|m| m == "m");
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(status), "{name}");
        assert!(box_.ok("inspect m").out.contains("unfinished"));
    }
}

#[test]
fn labels_and_values_of_any_size_can_be_trained_further() {
    let box_ = Sandbox::new();
    let rows = [
        ("1e155 1:1\n2 1:2\n3 1:3\n", "--loss squared"),
        ("1 1:1e160\n2 2:2\n3 2:3\n", "--loss squared --l2 1"),
        ("1 1:1\n2 1:2\n", "--loss squared --l1 1e308"),
    ];
    for (text, flags) in rows {
        box_.write("a.svm", text);
        box_.ok(&format!("fit a.svm {flags} --quiet -o m"));
        box_.ok("fit a.svm --resume m --quiet -o n");
        box_.ok("predict n a.svm -o p");
    }
}

#[test]
fn a_model_that_could_not_be_read_is_not_written() {
    let box_ = Sandbox::new();
    box_.write("old.svm", "1 1:1\n2 1:2\n");
    box_.ok("fit old.svm --loss squared --quiet -o m");
    let before = box_.read("m");
    box_.write("a.svm", "1e200 1:1e-200\n");
    let ran = box_.fails(1, "fit a.svm --loss squared --no-intercept --quiet -o m");
    assert!(ran.err.contains("the model cannot be saved: the weight of feature '1' is not finite"), "{}", ran.err);
    assert!(box_.read("m") == before);
}

/// Generates 20 MB of long rows: so much that the reader thread can buffer less than half before the predictions are consumed.
fn long_rows() -> String {
    format!("1 1:1 # {}\n", "-".repeat(1000)).repeat(20_000)
}

/// Predicts rows while `change` is applied to their file after the first prediction has come out; further predictions are
/// consumed only afterwards. Returns the exit status, the number of further output lines, and standard error.
fn predict_while(change: impl FnOnce(&Sandbox)) -> (Option<i32>, usize, String) {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n0 2:1\n");
    box_.ok("fit a.svm --quiet -o m");
    box_.write("b.svm", long_rows());
    let mut child = box_.start("predict m b.svm --flush line");
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    change(&box_);
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    let ended = child.wait_with_output().unwrap();
    (ended.status.code(), text.lines().count(), String::from_utf8(ended.stderr).unwrap())
}

#[test]
fn an_input_that_shrinks_while_it_is_read_is_an_error_and_one_that_grows_is_read() {
    let file = |box_: &Sandbox| std::fs::OpenOptions::new().append(true).open(box_.path("b.svm")).unwrap();
    let (status, rows, says) = predict_while(|box_| file(box_).set_len(19_000_000).unwrap());
    assert!(status == Some(1) && rows < 20_000, "{rows}: {says}");
    assert!(says.contains("b.svm: it became shorter while it was read"), "{says}");
    let (status, rows, says) = predict_while(|box_| file(box_).write_all(b"1 1:1\n0 2:1\n").unwrap());
    assert_eq!((status, rows), (Some(0), 20_002), "{says}");
    // Also where the bytes come to lie in the middle of a row: it is one at fault, not one that is left out.
    let (status, rows, says) = predict_while(|box_| file(box_).write_all(b"1 1:1\n0 2").unwrap());
    assert_eq!((status, rows), (Some(1), 20_001), "{says}");
    assert!(says.contains("b.svm:20002:"), "{says}");
}

/// Runs `surefoot LINE` as a user who may start no further threads; `None` if this system cannot impose such a limit.
fn without_threads(box_: &Sandbox, line: &str) -> Option<Ran> {
    box_.run_unprivileged(&["prlimit", "--nproc=1"], line)
}

#[test]
#[cfg(target_os = "linux")]
fn everything_works_without_threads() {
    let box_ = Sandbox::new();
    let row = |t: u32| format!("{} 1:{} {}:1\n", t % 2, t % 5, 2 + t % 7);
    box_.write("a.svm", (0..600).map(row).collect::<String>());
    box_.write(
        "a.csv",
        (0..600).map(|t| format!("{},{},{}\n", t % 2, t % 5, ["u", "v"][t % 3 % 2])).collect::<String>(),
    );
    for flags in ["", "--threads 1", "--passes 3", "--shuffle", "--passes auto --l2 0.1", "--loss softmax"] {
        box_.ok(&format!("fit a.svm {flags} --quiet -o m"));
        let Some(ran) = without_threads(&box_, &format!("fit a.svm {flags} --quiet -o n")) else {
            return skipped("there is no prlimit, or no other user than root");
        };
        assert_eq!(ran.status, 0, "{flags}: {}", ran.err);
        assert!(box_.read("m") == box_.read("n"), "{flags}");
    }
    for line in [
        "fit a.csv --label 1 --report r.html --test a.csv -o n",
        "fit a.svm --snapshot 50 --json -o n",
        "predict m a.svm -o p",
        "eval m a.svm --report r.html",
        "inspect m",
        "export m -o w.csv",
    ] {
        let ran = without_threads(&box_, line).unwrap();
        assert_eq!(ran.status, 0, "{line}: {}", ran.err);
    }
}

#[test]
fn no_script_runs_in_the_page_whatever_files_are_called() {
    let box_ = Sandbox::new();
    let name = "<svg>\"'&<script>evil()<b>.svm";
    let folder = "<i>k=<script>evil()";
    std::fs::create_dir(box_.path(folder)).unwrap();
    let row = |t: u32| format!("{} 1:{} {}:1\n", t % 2, t % 5, 2 + t % 7);
    let rows = (0..200).map(row).collect::<String>();
    box_.write(name, &rows);
    box_.write(&format!("{folder}/{name}"), &rows);
    box_.write(
        "a.vw",
        (0..200).map(|t| format!("{} |<script>evil()</script> <img:{}\n", t % 2, t % 3)).collect::<String>(),
    );
    for line in [
        format!("fit {name} --test {name} --passes 2 -o m --report r.html"),
        format!("eval m {name} --report r.html"),
        format!("fit {folder} -o <m>.surefoot --report r.html"),
        "fit a.vw --test a.vw -o v --report r.html".to_owned(),
    ] {
        box_.ok(&line);
        let page = box_.text("r.html");
        for tag in ["<svg>\"", "<script>evil", "<i>k", "<b>.svm", "<img:", "<m>"] {
            assert!(!page.contains(tag), "{line}: {tag}");
        }
        assert_eq!((page.matches("<script>").count(), page.matches("</script>").count()), (1, 1), "{line}");
    }
}

/// Training, prediction, evaluation and inspection work on rows without any feature, for every loss and kind of fit.
#[test]
fn rows_without_features_are_a_model_in_every_mode() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1\n-1\n1\n1\n");
    for loss in ["logistic", "squared", "hinge", "huber", "softmax", "ovr"] {
        for intercept in ["", "--no-intercept"] {
            for how in [
                "",
                "--passes 3",
                "--shuffle",
                "--l2 .1",
                "--passes auto",
                "--passes auto --l2 .1",
                "--passes auto --l1 .1",
                "--passes auto --l2 auto",
                "--passes auto --l1 auto --standardize no",
                "--passes auto --nonneg --l2 .1",
            ] {
                let line = format!("fit a.svm --loss {loss} {intercept} {how}");
                let ran = box_.run(&line);
                assert!(ran.status == 0 && !ran.err.contains("panicked"), "{line}: {}", ran.err);
                box_.ok("predict model.surefoot a.svm -o p");
                box_.ok("eval model.surefoot a.svm");
                box_.ok("inspect model.surefoot");
            }
        }
    }
}
