//! Tests of penalty factors and bounds for groups of features.

use crate::sandbox::{Sandbox, Uniform};
use serde_json::Value;

/// Generates `n` rows of four numbers and a category of three values, as CSV, Vowpal Wabbit text and svmlight text: the name
/// and the content of each file.
fn tables(n: usize) -> [(&'static str, String); 3] {
    let mut u = Uniform(17);
    let (mut csv, mut vw, mut svm) = ("y,a,b,c,d,colour\n".to_owned(), String::new(), String::new());
    for _ in 0..n {
        let x: [f64; 4] = std::array::from_fn(|_| (4e3 * u.next() - 2e3).round() / 1e3);
        let k = (3.0 * u.next()) as usize;
        let margin = 0.8 * x[0] - 1.2 * x[1] + 0.3 * x[2] + [1.0, -0.5, 0.0][k];
        let (y, colour) = (u8::from(u.next() < 1.0 / (1.0 + (-margin).exp())), ["red", "green", "blue"][k]);
        csv += &format!("{y},{},{},{},{},{colour}\n", x[0], x[1], x[2], x[3]);
        vw += &format!(
            "{} |a x:{} |b x:{} |rest c:{} d:{} |colour {colour}\n",
            2 * i32::from(y) - 1,
            x[0],
            x[1],
            x[2],
            x[3]
        );
        svm += &format!("{y} 1:{} 2:{} 3:{} 4:{} {}:1\n", x[0], x[1], x[2], x[3], k + 5);
    }
    [("a.csv", csv), ("a.vw", vw), ("a.svm", svm)]
}

fn with_tables(n: usize) -> Sandbox {
    let box_ = Sandbox::new();
    tables(n).iter().for_each(|(name, text)| box_.write(name, text));
    box_
}

/// Data, and the names of three groups of features in flags: one number, all values of the category, and the two numbers
/// that do not affect the label.
const FORMATS: [(&str, &str, &str, &str); 4] = [
    ("a.csv --label y", "a", "colour", "c*"),
    ("a.csv --label y", "2", "6", "4-5"),
    ("a.vw", "a", "colour", "rest"),
    ("a.svm", "1", "5-7", "3-4"),
];

fn weights(box_: &Sandbox, model: &str) -> Vec<(String, f64)> {
    let csv = box_.ok(&format!("export {model} -o -")).out;
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].to_owned(), cells[2].parse().unwrap())
    };
    csv.lines().skip(2).map(row).collect()
}

#[test]
fn groups_are_the_same_in_every_format_and_reach_the_optimum() {
    let box_ = with_tables(500);
    let mut objectives = Vec::new();
    for (data, a, colour, rest) in FORMATS {
        // In CSV no pattern means both c and d but not colour; a factor that comes later overrules it.
        let rest = if rest == "c*" {
            "--penalty-factor c*=9 --penalty-factor d=9".to_owned()
        } else {
            format!("--penalty-factor {rest}=9")
        };
        let flags = format!(
            "--l1 0.01 --l2 0.02 {rest} --penalty-factor {colour}=0 --penalty-factor {a}=0.5 --bounds {a}=,0.3 --bounds -0.6,0.7"
        );
        let done = box_.ok(&format!("fit {data} {flags} --passes auto --tol 1e-10 --json -o m")).json();
        objectives.push(done["objective"].as_f64().unwrap());
        assert_eq!(done["certificate"]["kind"], "deterministic", "{data}: {done}");
        let found = weights(&box_, "m");
        assert!(found.len() == 7 && found.iter().filter(|(_, w)| *w == 0.3).count() == 1, "{data}: {found:?}");
        assert!(
            found.iter().any(|(_, w)| *w == -0.6) && found.iter().all(|(_, w)| (-0.6..=0.7).contains(w)),
            "{found:?}"
        );
        // One pass is held in the same bounds, and prediction is that of the weights.
        box_.ok(&format!("fit {data} {flags} -o m"));
        let found = weights(&box_, "m");
        assert!(
            found.iter().any(|(_, w)| *w == 0.3) && found.iter().all(|(_, w)| (-0.6..=0.7).contains(w)),
            "{found:?}"
        );
        assert_eq!(box_.ok(&format!("predict m {}", data.split(' ').next().unwrap())).out.lines().count(), 500);
    }
    assert!(objectives.iter().all(|x| (x / objectives[0] - 1.0).abs() < 1e-9), "{objectives:?}");
}

/// A penalty factor of 1 changes nothing, and bounds that a group shares with all weights change nothing.
#[test]
fn groups_that_change_nothing_change_nothing() {
    let box_ = with_tables(300);
    for passes in ["", " --passes auto", " --passes 3"] {
        let fit = |flags: &str, model: &str| {
            box_.ok(&format!("fit a.svm --l1 0.01 --l2 0.02 {flags}{passes} -o {model}"));
            weights(&box_, model)
        };
        assert_eq!(fit("--penalty-factor 1-9=1", "m"), fit("", "plain"), "{passes}");
        assert_eq!(fit("--nonneg", "m"), fit("--bounds 0,", "same"), "{passes}");
        assert!(box_.read("m") == box_.read("same"), "{passes}");
        assert_eq!(fit("--bounds 0,", "m"), fit("--bounds 1-9=0,", "same"), "{passes}");
        assert_ne!(fit("--penalty-factor 1=8", "m"), fit("", "plain"), "{passes}");
    }
}

#[test]
fn factors_hold_for_each_strength_of_a_path_and_for_each_class() {
    let box_ = with_tables(500);
    // Where nothing is penalised all strengths have the same model; searches on a path go to 1e-3.
    for (passes, enough) in [("", 0.0), (" --passes auto", 2e-3)] {
        for (factor, same) in [("--penalty-factor 1-9=0", true), ("--penalty-factor 1-4=0", false)] {
            box_.ok(&format!("fit a.svm --l2 auto {factor} -o m{passes}"));
            let path = box_.ok("inspect m --json").json()["path"].clone();
            let losses: Vec<f64> = path.as_array().unwrap().iter().map(|at| at["loss"].as_f64().unwrap()).collect();
            let apart = losses.iter().map(|loss| (loss / losses[0] - 1.0).abs()).fold(0.0, f64::max);
            assert!(losses.len() > 3 && (apart <= enough) == same, "{factor}{passes}: {losses:?}");
        }
    }
    for loss in ["softmax", "ovr"] {
        for passes in ["", " --passes auto"] {
            box_.ok(&format!(
                "fit a.csv --label y --loss {loss} --l2 0.01 --penalty-factor a=1e9 --bounds b=-0.25,0.25{passes} -o m"
            ));
            let csv = box_.ok("export m -o -").out;
            let of = |name: &str| -> Vec<f64> {
                let line = csv.lines().find(|line| line.starts_with(&format!("{name},"))).unwrap();
                line.split(',').skip(2).map(|w| w.parse().unwrap()).collect()
            };
            assert!(of("a").iter().all(|w| w.abs() < 1e-3), "{loss}{passes}: {csv}");
            assert!(of("b").contains(&0.25) && of("b").contains(&-0.25), "{loss}{passes}: {csv}");
        }
    }
    let done =
        box_.ok("fit a.csv --label y --loss softmax --l2 0.01 --penalty-factor a=0 --passes auto --json -o m").json();
    assert!(done["certificate"]["reason"].as_str().unwrap().contains("--penalty-factor 0"), "{done}");
}

#[test]
fn names_of_no_feature_are_warned_of() {
    let box_ = with_tables(50);
    for (data, ..) in FORMATS {
        // Columns are known before the first row, and indices by their form.
        let line = format!("fit {data} --l2 1 --penalty-factor nobody=2 --bounds 90-99=0, -o m");
        if data.contains(".vw") {
            let ran = box_.ok(&line);
            for flag in ["--penalty-factor nobody", "--bounds 90-99"] {
                let says = format!("surefoot: warning: {flag}: no feature is in");
                assert!(ran.err.contains(&says), "{data}: {}", ran.err);
            }
        } else {
            assert!(box_.fails(2, &line).err.contains("--penalty-factor: "), "{line}");
        }
        assert!(!box_.ok(&format!("fit {data} --l2 1 -o m")).err.contains("warning"));
    }
    let ran = box_.ok("fit a.svm --l2 1 --bounds 90-99=0, -o m --quiet");
    assert!(ran.err.contains("warning: --bounds 90-99: no feature is in"), "{}", ran.err);
    // What a later flag takes away is as good as nobody's.
    let ran = box_.ok("fit a.svm --l2 1 --penalty-factor 1=2 --penalty-factor 1-3=0.5 --quiet -o m");
    assert!(ran.err.contains("--penalty-factor 1: ") && ran.err.lines().count() == 1, "{}", ran.err);
}

#[test]
fn wrong_values_are_named_with_a_remedy() {
    let box_ = with_tables(5);
    for (flags, says) in [
        ("--l2 1 --penalty-factor a", &["'a' for '--penalty-factor", "age=0.5"][..]),
        ("--l2 1 --penalty-factor a=-1", &["'a=-1' for '--penalty-factor", "at least 0"]),
        ("--penalty-factor 1=2", &["--penalty-factor", "--l1 and --l2"]),
        ("--bounds 1", &["'1' for '--bounds", "0,1 or 0,"]),
        ("--bounds 1=1,2", &["'1=1,2' for '--bounds", "0 must lie between"]),
        ("--bounds 1=0,0", &["'1=0,0' for '--bounds", "--ignore"]),
        ("--nonneg --bounds ,1", &["--nonneg", "--bounds ,1", "leave one out"]),
        ("--radius 2 --bounds 0,", &["--radius", "--bounds", "leave one out"]),
        ("--radius 2 --bounds 1=0,", &["--radius", "--bounds", "leave one out"]),
    ] {
        let ran = box_.fails(2, &format!("fit a.svm {flags}"));
        assert!(says.iter().all(|says| ran.err.contains(says)), "{flags}: {}", ran.err);
    }
}

#[test]
fn groups_are_stored_shown_and_held_against_flags() {
    let box_ = with_tables(60);
    let flags = "--l2 0.1 --penalty-factor a=0.5 --penalty-factor colour=0 --bounds ,0.5 --bounds b=-1,0";
    box_.ok(&format!("fit a.csv --label y {flags}"));
    let shown = box_.ok("inspect model.surefoot").out;
    for words in ["times penalty factors with weights of at most 0.5", "a 0.5, colour 0", "b from -1 to 0"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let settings = &box_.ok("inspect model.surefoot --json").json()["settings"];
    assert_eq!(settings["penalty_factors"], serde_json::json!([["a", 0.5], ["colour", 0.0]]));
    assert_eq!(settings["group_bounds"], serde_json::json!([["b", [-1.0, 0.0]]]));
    assert_eq!(settings["bounds"], serde_json::json!([Value::Null, 0.5]));
    box_.ok(&format!("eval model.surefoot a.csv {flags}"));
    for other in ["--penalty-factor a=0.5", "--bounds b=0,", "--bounds 0,", "--nonneg"] {
        for line in ["eval model.surefoot a.csv", "fit a.csv --resume model.surefoot"] {
            let ran = box_.fails(2, &format!("{line} {other}"));
            assert!(ran.err.contains("model.surefoot: trained with"), "{other}: {}", ran.err);
        }
    }
    // New rows go by the groups of the model.
    box_.ok("fit a.csv --resume model.surefoot -o m");
    assert!(weights(&box_, "m").iter().all(|(name, w)| *w <= 0.5 && (name != "b" || *w <= 0.0)));
}

/// A run with groups that is interrupted and resumed ends in the same bytes of model and report as an uninterrupted run.
#[test]
fn runs_that_are_cut_off_end_in_the_same_bytes() {
    let box_ = with_tables(3000);
    for (data, flags) in [
        ("a.csv --label y", "--l2 0.01 --penalty-factor colour=0.1 --bounds a=0,0.4"),
        ("a.svm", "--l1 auto --penalty-factor 1-2=0.1 --bounds 3=0,0.1"),
        ("a.vw", "--loss softmax --l2 0.01 --penalty-factor colour=0 --bounds a=0,0.4"),
        ("a.vw", "--l2 0.01 --penalty-factor colour=0.1 --bounds a=0,0.4 --bits 2"),
        ("a.svm", "--l2 0.01 --penalty-factor 5-7=0 --bounds 1=0,0.4 --passes auto"),
        ("a.csv --label y", "--l1 0.001 --penalty-factor 6=0 --passes 4"),
    ] {
        box_.ok(&format!("fit {data} {flags} -o whole"));
        let mut cut = 0;
        for budget in [2, 10, 30, 60] {
            box_.names()
                .iter()
                .filter(|name| *name == "m")
                .for_each(|name| std::fs::remove_file(box_.path(name)).unwrap());
            box_.ok(&format!("fit {data} {flags} -o m --budget {budget}ms"));
            for again in 1..60 {
                if !box_.has("m") {
                    box_.ok(&format!("fit {data} {flags} -o m --budget {}ms", budget + 10 * again));
                } else if box_.ok("inspect m --json").json()["unfinished"].is_object() {
                    cut += 1;
                    let data = data.split(' ').next().unwrap();
                    box_.ok(&format!("fit {data} --resume m -o m --budget {}ms", budget + 20 * again));
                } else {
                    break;
                }
            }
            assert!(box_.read("m") == box_.read("whole"), "{data} {flags}: cut off after {budget} ms");
        }
        assert!(cut > 0, "{data} {flags}: never cut off");
    }
}
