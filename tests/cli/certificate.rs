//! Tests of certificates: the bounds on the excess loss of a model that a fit prints and stores.

use crate::sandbox::{Sandbox, head, rows};
use serde_json::Value;

/// Flags that constrain the weights to the unit ball and declare a bound on the norm of rows; those of `sandbox::rows`
/// have norm at most √(1 + 10) < 3.4.
const BALL: &str = "--radius 1 --row-norm 3.4";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Asserts that the certificate stored in the model equals the one printed by the fit.
fn stored(box_: &Sandbox, done: &Value) {
    assert_eq!(box_.ok("inspect model.surefoot --json").json()["certificate"], done["certificate"]);
}

#[test]
fn without_a_domain_there_is_none_and_what_would_give_one_is_said() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(50));
    let ran = box_.ok("fit a.svm");
    let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("certificate")).collect();
    assert!(lines.len() == 1 && lines[0].contains("none: ") && lines[0].contains("--radius R"), "{}", ran.err);
    for passes in ["", " --passes 3"] {
        let done = box_.ok(&format!("fit a.svm --json{passes}")).json();
        assert_eq!(done["certificate"]["kind"], "none");
        assert!(done["certificate"]["reason"].as_str().unwrap().contains("--radius R"));
        stored(&box_, &done);
    }
    assert!(box_.ok("inspect model.surefoot").out.contains("certificate none: "));
}

#[test]
fn files_are_read_once_more_for_one_that_is_certain() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(700));
    for flags in ["", " --passes 5", " --passes 5 --holdout none", " --loss squared --passes 3"] {
        let done = box_.ok(&format!("fit a.svm --radius 1 --json{flags}")).json();
        let certificate = &done["certificate"];
        assert_eq!((&certificate["kind"], &certificate["delta"]), (&"deterministic".into(), &Value::Null), "{flags}");
        assert_eq!(certificate["comparator"], "weights with ‖w‖ ≤ 1");
        assert!(certificate["assumptions"].is_array() && certificate["also"].is_null());
        // The objective is what `eval` finds on all rows, held-out ones included.
        let (objective, value) = (number(&done["objective"]), number(&certificate["value"]));
        let eval = number(&box_.ok("eval model.surefoot a.svm --json").json()["loss"]);
        assert!((objective - eval).abs() < 1e-13, "{flags}: {objective} and {eval}");
        assert!((number(&certificate["relative"]) - value / objective).abs() < 1e-15);
        assert!(value > 0.0 && value < 0.1, "{flags}: {value}");
        assert_eq!(done["lane"], Value::Null);
        stored(&box_, &done);
        // No other model that was made here is better by more than that.
        let loss = if flags.contains("squared") { "squared" } else { "logistic" };
        for other in ["", "--passes 9", "--passes 50 --holdout none"] {
            let done = box_.ok(&format!("fit a.svm -o o --radius 1 --json --loss {loss} {other}")).json();
            let other = number(&done["objective"]);
            assert!(other >= objective - value, "{flags}: {other} {objective} {value}");
        }
    }
    let ran = box_.ok("fit a.svm --radius 1 --test a.svm");
    for said in [
        "reading all rows once more, for the certificate",
        "certificate  for certain, rounding included, no weights with ‖w‖ ≤ 1 have a mean loss on the rows of DATA more than 0.",
        "objective    0.",
        "accuracy",
    ] {
        assert!(ran.err.contains(said), "{said} in {}", ran.err);
    }
    assert!(!ran.err.lines().any(|line| line.starts_with("lane")), "{}", ran.err);
    let shown = box_.ok("inspect model.surefoot").out;
    assert!(shown.contains("‖w‖ ≤ 1, the intercept included") && shown.contains("for certain, "), "{shown}");
}

#[test]
fn a_stream_with_a_bound_on_its_rows_has_two_of_probability() {
    let box_ = Sandbox::new();
    let text = rows(3000);
    let ran = box_.feed(&format!("fit - {BALL} --json"), text.as_bytes());
    let done = ran.json();
    let (excess, also) = (&done["certificate"], &done["certificate"]["also"]);
    let risk = &also[0];
    for (certificate, subject) in [(excess, "excess"), (risk, "risk")] {
        assert_eq!(certificate["kind"], "probability", "{}", ran.err);
        assert_eq!((&certificate["subject"], &certificate["delta"]), (&subject.into(), &0.05.into()));
        let assumptions = certificate["assumptions"].to_string();
        assert!(assumptions.contains("each used once") && assumptions.contains("longer than the declared bound"));
    }
    assert_eq!((&done["objective"], also.as_array().unwrap().len()), (&Value::Null, 1));
    stored(&box_, &done);
    // Rows of the same kind that were not learnt.
    let new: String = rows(6000).split_inclusive('\n').skip(3000).collect();
    box_.write("new.svm", new);
    let loss = number(&box_.ok("eval model.surefoot new.svm --json").json()["loss"]);
    assert!(number(&risk["value"]) > loss && number(&risk["value"]) < loss + 0.3, "{risk} {loss}");

    let ran = box_.feed(&format!("fit - {BALL} --error-probability 0.01"), text.as_bytes());
    for said in [
        "with probability 99 % for all bounds of the run at once, no weights with ‖w‖ ≤ 1 have an expected loss on new rows more than",
        "with probability 99 % for all bounds of the run at once, the expected loss of this model on new rows is at most 0.",
    ] {
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    // Without the bound there is none, and it is said how to have one.
    let done = box_.feed("fit - --radius 1 --json", text.as_bytes()).json();
    assert!(done["certificate"]["reason"].as_str().unwrap().contains("--row-norm B"), "{done}");
}

#[test]
fn what_a_second_pass_or_squared_loss_cannot_have_is_said() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(200));
    for (flags, says) in [
        ("--passes 2", "rows were used more than once"),
        ("--loss squared", "numbers, and with them losses, have no bound"),
    ] {
        let done = box_.ok(&format!("fit a.svm {BALL} {flags} --json")).json();
        assert_eq!(done["certificate"]["kind"], "deterministic");
        let also = &done["certificate"]["also"];
        assert_eq!((also.as_array().unwrap().len(), &also[0]["kind"]), (1, &"none".into()), "{also}");
        assert!(also[0]["reason"].as_str().unwrap().contains(says), "{also}");
    }
    // Going on with new rows is no second pass; going on after one is.
    box_.write("b.svm", rows(300).split_inclusive('\n').skip(200).collect::<String>());
    box_.ok(&format!("fit a.svm {BALL}"));
    let done = box_.feed("fit - --resume model.surefoot --json", &box_.read("b.svm")).json();
    assert_eq!(done["certificate"]["kind"], "probability");
    box_.ok(&format!("fit a.svm {BALL} --passes 2"));
    let done = box_.feed("fit - --resume model.surefoot --json", &box_.read("b.svm")).json();
    assert!(done["certificate"]["reason"].as_str().unwrap().contains("more than once"), "{done}");
}

#[test]
fn until_gap_stops_at_the_first_doubling_that_is_good_enough() {
    let box_ = Sandbox::new();
    let text = rows(20_000);
    let fit = "fit - --radius 0.3 --row-norm 3.4 --json";
    let ran = box_.feed(&format!("{fit} --until-gap 0.15"), text.as_bytes());
    let done = ran.json();
    let learnt = done["rows"].as_u64().unwrap();
    assert!(ran.status == 0 && learnt.is_power_of_two() && learnt < 20_000, "{done}");
    assert!(ran.err.contains("no model is better by more than --until-gap 0.15: stopped after row"), "{}", ran.err);
    let value = |rows: u64| {
        let done = box_.feed(&format!("{fit} -o o"), head(&text, rows as usize).as_bytes()).json();
        number(&done["certificate"]["value"])
    };
    assert_eq!(number(&done["certificate"]["value"]), value(learnt));
    assert!(value(learnt) <= 0.15 && value(learnt / 2) > 0.15);
    assert!(box_.ok("inspect model.surefoot --json").json()["unfinished"].is_null());
    stored(&box_, &done);
}

#[test]
fn until_gap_stops_after_the_first_pass_that_is_good_enough() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(500));
    let ran = box_.ok("fit a.svm --radius 1 --passes 1000 --until-gap 0.0005 --json");
    let done = ran.json();
    let passes = done["passes"].as_u64().unwrap();
    assert!(passes > 1 && passes < 1000 && ran.err.contains("--until-gap 0.0005"), "{done}");
    assert_eq!(done["rows"].as_u64(), Some(500 * passes));
    let after = |passes: u64| {
        let line = format!("fit a.svm -o o --radius 1 --passes {passes} --holdout none --json");
        number(&box_.ok(&line).json()["certificate"]["value"])
    };
    assert_eq!(number(&done["certificate"]["value"]), after(passes));
    assert!(after(passes) <= 0.0005 && after(passes - 1) > 0.0005);
    let model = box_.read("model.surefoot");
    box_.ok(&format!("fit a.svm -o o --radius 1 --passes {passes} --holdout none"));
    assert!(model == box_.read("o"));
    stored(&box_, &done);
}

#[test]
fn a_row_that_is_longer_than_declared_is_an_error_at_its_place() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(2) + "0 1:3 2:4\n");
    let ran = box_.fails(1, "fit a.svm --radius 1 --row-norm 5");
    assert!(ran.err.contains("surefoot: a.svm:3:1: "), "{}", ran.err);
    assert!(ran.err.contains("norm of this row is 5.09901951359278") && ran.err.contains("at most 5;"), "{}", ran.err);
    assert!(!box_.has("model.surefoot"));
    box_.ok("fit a.svm --radius 1 --row-norm 5 --no-intercept");
    box_.ok("fit a.svm --radius 1 --row-norm 5.1");
}

#[test]
fn flags_that_lead_to_no_certificate_are_wrong_usage() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(20));
    for (line, says) in [
        ("fit a.svm --until-gap 0.1", "--until-gap is about how much better"),
        ("fit a.svm --row-norm 2", "add --radius R"),
        ("fit a.svm --error-probability 0.1", "add --radius R"),
        ("fit - --radius 1 --until-gap 0.1", "add --row-norm B"),
        ("fit - --radius 1 --until-gap 0.1 --row-norm 4 --loss squared", "losses of classes only"),
        ("fit a.svm --radius 0", "--radius"),
        ("fit a.svm --radius 1 --error-probability 1", "--error-probability"),
    ] {
        let ran = box_.fails(2, line);
        assert!(ran.err.contains(says) && ran.err.lines().count() == 1, "{line}: {}", ran.err);
    }
    box_.ok("fit a.svm --radius 1 -o m");
    for line in ["predict m a.svm --radius 2", "eval m a.svm --radius 2", "fit a.svm --resume m -o o --radius 2"] {
        assert!(box_.fails(2, line).err.contains("m: trained with --radius 1, --radius 2 was given"), "{line}");
    }
    let ran = box_.fails(2, "fit a.svm --resume m -o o --row-norm 9");
    assert!(ran.err.contains("m: trained with no --row-norm, --row-norm 9 was given"), "{}", ran.err);
    box_.ok("predict m a.svm --radius 1 -o p");
}

#[test]
fn the_same_rows_give_the_same_bytes_in_a_ball_too() {
    let box_ = Sandbox::new();
    let all = rows(500);
    box_.write("all.svm", &all);
    let cut = all.match_indices('\n').nth(200).unwrap().0 + 1;
    box_.write("a.svm", &all[..cut]);
    box_.write("b.svm", &all[cut..]);
    for more in ["", " --passes 3"] {
        box_.ok(&format!("fit all.svm {BALL} -o whole{more}"));
        for line in
            ["all.svm --threads 1", "all.svm --snapshot 7 --quiet", "a.svm b.svm", "all.svm --test b.svm --json"]
        {
            box_.ok(&format!("fit {line} {BALL} -o m{more}"));
            assert!(box_.read("m") == box_.read("whole"), "{line}{more}");
        }
    }
}

/// A run that is interrupted repeatedly, even during the additional pass for its certificate, ends with the certificate
/// of an uninterrupted run.
#[test]
fn a_run_cut_off_before_its_certificate_gets_it_later() {
    let box_ = Sandbox::new();
    box_.write("all.svm", rows(30_000));
    for more in ["", " --passes 2 --holdout none", " --passes 3 --until-gap 0.01"] {
        let fit = format!("fit all.svm {BALL}{more}");
        let began = std::time::Instant::now();
        box_.ok(&format!("{fit} -o whole"));
        let whole = began.elapsed().as_millis() as u64;
        let mut stopped = 0;
        for part in 1..=20 {
            let _ = std::fs::remove_file(box_.path("m"));
            let until = if more.contains("until") { " --until-gap 0.01" } else { "" };
            box_.ok(&format!("{fit} -o m --budget {}ms", 1 + whole * part / 20));
            if !box_.has("m") {
                continue;
            }
            if box_.ok("inspect m --json").json()["unfinished"].is_object() {
                stopped += 1;
                box_.ok(&format!("fit all.svm --resume m -o m{until}"));
            }
            assert!(box_.read("m") == box_.read("whole"), "{more}: {part} of 20");
        }
        assert!(stopped > 0, "no run was interrupted");
    }
}

/// Probabilistic certificates state that they assume independent draws. For rows sorted by label no such certificate is
/// given, and the run does not stop because of one.
#[test]
fn rows_that_are_no_draws_give_no_bound_in_probability() {
    let box_ = Sandbox::new();
    let text = rows(2000);
    box_.write("a.svm", &text);
    let ran = box_.ok(&format!("fit a.svm {BALL}"));
    let said: Vec<&str> = ran.err.lines().filter(|line| line.contains("with probability")).collect();
    assert!(
        said.len() == 2 && said.iter().all(|line| line.contains("are independent draws of one distribution")),
        "{}",
        ran.err
    );
    let mut lines: Vec<&str> = text.lines().collect();
    for (order, by) in [("1 first", -1.0), ("1 last", 1.0)] {
        lines.sort_by(|a, b| {
            let label = |line: &str| line.split(' ').next().unwrap().parse::<f64>().unwrap();
            (by * label(a)).total_cmp(&(by * label(b)))
        });
        box_.write("s.svm", lines.iter().flat_map(|line| [line, "\n"]).collect::<String>());
        let ran = box_.ok(&format!("fit s.svm {BALL}"));
        assert!(!ran.err.contains("with probability"), "{order}: {}", ran.err);
        assert!(ran.err.contains("independent draws") && ran.err.contains("--shuffle"), "{order}: {}", ran.err);
        // What is certain stays.
        assert!(ran.err.contains("for certain"), "{order}: {}", ran.err);
        let ran = box_.feed(&format!("fit - {BALL} --until-gap 0.4 --json"), &box_.read("s.svm"));
        assert_eq!(ran.status, 0, "{order}: {}", ran.err);
        let done = ran.json();
        assert_eq!((&done["certificate"]["kind"], &done["rows"]), (&"none".into(), &2000.into()), "{order}: {done}");
    }
}
