//! Tests every flag with every data format and every loss: according to the table of rules in the program, a flag either
//! changes the result or is refused.

#[path = "../../src/flags/rules.rs"]
#[allow(dead_code, unreachable_pub)]
mod rules;

use crate::sandbox::Sandbox;
use rules::{Kind, Rule, TABLE};
use std::collections::HashMap;
use surefoot_glm::Loss;

/// Data formats, each with the flags required to read its rows.
const FORMATS: [(&str, &str); 6] = [
    ("svmlight", ""),
    ("vw", ""),
    ("csv", "--label y"),
    ("tsv", "--label y"),
    ("parquet", "--label y"),
    ("arrow", "--label y"),
];

/// Evidence that a flag has an effect: usually two sets of flags to run `fit` with.
enum Acts {
    /// The two sets of flags produce different models.
    Differs(&'static str, &'static str),
    /// The fit fails with the first set of flags and succeeds with the second.
    Rescues(&'static str, &'static str),
    /// The fit succeeds with the first set of flags and fails with the second, because of the data.
    Breaks(&'static str, &'static str),
    /// The fit succeeds with these flags; another test checks their effect.
    Elsewhere(&'static str),
}
use Acts::{Breaks, Differs, Elsewhere, Rescues};

/// Returns evidence that a flag of `fit` has an effect on data of this kind; `DATA` stands for the name of the data file.
fn acts(flag: &str, kind: Kind) -> Acts {
    let sparse = matches!(kind, Kind::Svmlight | Kind::Vw);
    match flag {
        "format" => Differs("", "--bits 20 --format FORMAT"),
        "label" => Rescues("bare", "--label y"),
        "weight" => Differs("--ignore w", "--weight w"),
        // Its labels are 1 and 2, and 2 is no share.
        "trials" => Breaks("", "--trials w"),
        "offset" => Differs("--ignore e", "--offset e"),
        "exposure" => Differs("--ignore e --loss poisson", "--exposure e --loss poisson"),
        "categorical" => Differs("", "--categorical w"),
        "text" => Differs("", "--text c"),
        "numeric" => Breaks("", "--numeric c"),
        "ignore" if kind == Kind::Svmlight => Differs("", "--ignore 1,3-9"),
        "keep" if kind == Kind::Svmlight => Differs("", "--keep 1,3-9"),
        "ignore" => Differs("", "--ignore a"),
        "keep" => Differs("", "--keep a,b"),
        "missing" => Rescues("--na red", "--missing indicator --na red"),
        "no-default-na" => Elsewhere("--no-default-na"),
        "na" => Differs("--missing indicator", "--missing indicator --na red"),
        "header" => Differs("headless", "headless --header yes"),
        "quote" => Rescues("quotes", "quotes --quote none"),
        "delimiter" => Rescues("colons", "colons --delimiter :"),
        "decimal" => Breaks("", "--decimal ,"),
        "interact" => Differs("", "--interact a:b"),
        "bits" => Differs("", "--bits 3"),
        "index-base" => Breaks("", "--index-base 1"),
        "skip-bad-rows" if sparse => Rescues("bad", "bad --skip-bad-rows 1"),
        "skip-bad-rows" => Rescues("--na red", "--na red --skip-bad-rows 5"),
        "penalty-factor" if kind == Kind::Svmlight => Differs("--l2 1", "--l2 1 --penalty-factor 1=0"),
        "bounds" if kind == Kind::Svmlight => Differs("", "--bounds 1=-0.01,0.01"),
        "penalty-factor" => Differs("--l2 1", "--l2 1 --penalty-factor a=0"),
        "bounds" => Differs("", "--bounds a=-0.01,0.01"),
        flag => acts_on_model(flag),
    }
}

/// Returns evidence that a flag of `fit` has an effect, for flags whose effect does not depend on the data format.
fn acts_on_model(flag: &str) -> Acts {
    match flag {
        "loss" => Differs("", "--loss squared"),
        "delta" => Differs("--loss huber", "--loss huber --delta 0.1"),
        "tau" => Differs("--loss quantile", "--loss quantile --tau 0.9"),
        "power" => Differs("--loss tweedie", "--loss tweedie --power 1.1"),
        "l1" => Differs("", "--l1 0.1"),
        "l2" => Differs("", "--l2 1"),
        "standardize" => Differs("--l2 1", "--l2 1 --standardize yes"),
        "nonneg" => Differs("", "--nonneg"),
        "class-weight" => Differs("", "--class-weight 1=5"),
        "no-intercept" => Differs("", "--no-intercept"),
        "radius" => Differs("", "--radius 0.1"),
        "row-norm" => Differs("--radius 1", "--radius 1 --row-norm 99"),
        "error-probability" => Differs("--radius 1 --row-norm 99", "--radius 1 --row-norm 99 --error-probability 0.2"),
        "until-gap" => Differs("--passes auto --l2 0.01", "--passes auto --l2 0.01 --until-gap 9"),
        "passes" => Differs("", "--passes 3"),
        "tol" => Differs("--passes auto --l2 0.01", "--passes auto --l2 0.01 --tol 0.9"),
        "select" => Differs("--passes auto --l2 auto", "--passes auto --l2 auto --select 1se"),
        "holdout" => Differs("--passes 3", "--passes 3 --holdout 2"),
        "test" => Elsewhere("--test DATA"),
        "snapshot" => Elsewhere("--snapshot 5"),
        "budget" => Elsewhere("--budget 1h"),
        "shuffle" => Differs("", "--shuffle"),
        "seed" => Differs("--shuffle", "--shuffle --seed 5"),
        "engine" => Elsewhere("--engine local --passes auto --l2 0.1"),
        "workers" => Elsewhere("--engine local --workers 2 --passes auto --l2 0.1"),
        "shards" => Elsewhere("--engine local --shards 3 --passes auto --l2 0.1"),
        "checkpoint" => Elsewhere("--engine local --checkpoint state --passes auto --l2 0.1"),
        "memory" => Elsewhere("--memory 500M"),
        "threads" => Elsewhere("--threads 1"),
        "report" => Elsewhere("--report r.html"),
        "json" => Elsewhere("--json"),
        "quiet" => Elsewhere("--quiet"),
        "resume" | "output" => Elsewhere(""),
        _ => panic!("--{flag}: say here how it shows that it acts"),
    }
}

/// Whether a flag belongs to `fit`, and not only to `predict` or `eval`.
fn is_of_fit(rule: &Rule) -> bool {
    let others = ["unlabelled", "type", "flush", "on-error", "id", "rates", "unweighted"];
    !others.contains(&rule.flag)
}

/// Data files in all formats, and a cache of the models trained on them.
struct Walk {
    box_: Sandbox,
    models: HashMap<String, Result<Vec<u8>, i32>>,
}

/// Rows of the test data: label, weight, exposure, two numbers and a category; `rows.parquet` contains the same rows.
const ROWS: [(u8, u8, u8, f64, f64, &str); 12] = [
    (1, 1, 1, -1.0, 1.0, "red"),
    (2, 2, 2, 0.5, 0.25, "blue"),
    (2, 1, 4, 1.0, 1.0, "red"),
    (1, 3, 1, -0.25, 0.5, "green"),
    (2, 1, 1, 2.0, -1.0, "blue"),
    (1, 1, 2, -2.0, 2.0, "red"),
    (2, 2, 3, 1.0, -0.5, "green"),
    (2, 1, 1, 0.25, 1.0, "blue"),
    (1, 1, 2, -1.0, 0.75, "red"),
    (1, 4, 1, 0.5, -1.0, "green"),
    (2, 1, 1, 1.5, 0.5, "blue"),
    (1, 1, 5, -0.5, 1.0, "red"),
];

impl Walk {
    fn new() -> Walk {
        let box_ = Sandbox::new();
        let text = |head: &str, row: &dyn Fn(usize) -> String| head.to_owned() + &(0..12).map(row).collect::<String>();
        let cells = |d: char| {
            move |n: usize| {
                let (y, w, e, a, b, c) = ROWS[n];
                format!("{y}{d}{w}{d}{e}{d}{a}{d}{b}{d}{c}\n")
            }
        };
        box_.write("rows.csv", text("y,w,e,a,b,c\n", &cells(',')));
        box_.write("rows.tsv", text("y\tw\te\ta\tb\tc\n", &cells('\t')));
        for (name, d) in [("quotes.csv", ','), ("quotes.tsv", '\t')] {
            let quoted = text(&["y", "w", "e", "a", "b", "c\n"].join(&d.to_string()), &cells(d));
            box_.write(name, quoted.replace("red", "\"red\" one"));
        }
        box_.write("colons.csv", text("y:w:e:a:b:c\n", &cells(':')));
        box_.write("colons.tsv", text("y:w:e:a:b:c\n", &cells(':')));
        let svm =
            text("", &|n| format!("{} 0:{} 1:{} 2:{} {}:1\n", ROWS[n].0, n, ROWS[n].3, ROWS[n].4, 3 + ROWS[n].5.len()));
        let vw = text("", &|n| format!("{} |a u:{} |b v:{} |c {}\n", ROWS[n].0, ROWS[n].3, ROWS[n].4, ROWS[n].5));
        box_.write("bad.svmlight", format!("{svm}1 x\n"));
        box_.write("bad.vw", format!("{vw}1 u\n"));
        box_.write("rows.svmlight", svm);
        box_.write("rows.vw", vw);
        for d in [',', '\t'] {
            let name = if d == ',' { "headless.csv" } else { "headless.tsv" };
            box_.write(name, text("", &|n| format!("{}{d}{}{d}{}\n", ROWS[n].0, 7.0 + ROWS[n].3, 9.0 + ROWS[n].4)));
        }
        for name in ["rows.parquet", "rows.arrow"] {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar/");
            std::fs::copy(format!("{folder}{name}"), box_.path(name)).unwrap();
        }
        Walk { box_, models: HashMap::new() }
    }

    /// Returns the command line of a fit with these flags. If the first word of `flags` is no flag, it names the data file to
    /// use instead of `rows`.
    fn line(&self, (format, needs): (&str, &str), flags: &str) -> String {
        let (rows, flags) = match flags.split_once(' ').unwrap_or((flags, "")) {
            (first, rest) if !first.is_empty() && !first.starts_with('-') => (first, rest),
            _ => ("rows", flags),
        };
        let needs = match rows {
            _ if flags.contains("--label") || rows == "bare" => "",
            "headless" => "--label 1",
            _ => needs,
        };
        let data = format!("{}.{format}", if rows == "bare" { "rows" } else { rows });
        let flags = flags.replace("FORMAT", format).replace("DATA", &data);
        format!("fit {data} {needs} {flags} -o m")
    }

    /// Runs a fit unless its result is cached; returns the bytes of the model, or the exit status if it failed.
    fn fit(&mut self, line: String) -> Result<Vec<u8>, i32> {
        let known = self.models.get(&line).cloned();
        known.unwrap_or_else(|| {
            let ran = self.box_.run(&line);
            assert!(ran.status <= 2, "{line}: {}", ran.err);
            let model = if ran.status == 0 { Ok(self.box_.read("m")) } else { Err(ran.status) };
            self.models.insert(line, model.clone());
            model
        })
    }

    /// Asserts that a command refuses `flag` for the reason `why`, with status 2, a message of one line and no output.
    fn refused(&self, line: &str, flag: &str, why: &str) {
        let _ = std::fs::remove_file(self.box_.path("m"));
        let ran = self.box_.fails(2, line);
        let flag = format!("--{flag} ");
        assert!(ran.err.contains(&flag) && ran.err.contains(why) && !self.box_.has("m"), "{line}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
    }

    /// Asserts that a flag has the effect described by `acts` on data of this format, together with the flags `more`.
    fn acting(&mut self, acts: &Acts, format: (&str, &str), more: &str) {
        let (Differs(without, with) | Rescues(without, with) | Breaks(without, with)) = acts else {
            let Elsewhere(with) = acts else { return };
            let line = self.line(format, &format!("{with} {more}"));
            assert!(self.fit(line.clone()).is_ok(), "{line}");
            return;
        };
        let lines = [without, with].map(|flags| self.line(format, &format!("{flags} {more}")));
        let [without, with] = lines.clone().map(|line| self.fit(line));
        let acts = match acts {
            Differs(..) => without.is_ok() && with.is_ok() && without != with,
            Rescues(..) => matches!(without, Err(1 | 2)) && with.is_ok(),
            _ => without.is_ok() && with == Err(1),
        };
        assert!(acts, "{lines:?}: {:?} {:?}", without.map(|m| m.len()), with.map(|m| m.len()));
    }
}

/// Returns an arbitrary valid value for a flag.
fn some(flag: &str) -> &'static str {
    match flag {
        "label" | "weight" | "trials" | "offset" | "exposure" | "categorical" | "text" | "numeric" | "ignore"
        | "keep" => "2",
        "missing" => "indicator",
        "na" => "NONE",
        "header" => "yes",
        "delimiter" => ";",
        "quote" => "none",
        "decimal" => ",",
        "interact" => "1:2",
        "index-base" => "1",
        "class-weight" => "1=5",
        "tau" | "error-probability" => "0.5",
        _ => "1.5",
    }
}

#[test]
fn each_flag_acts_with_each_format_or_is_refused() {
    let mut walk = Walk::new();
    for rule in TABLE.iter().filter(|rule| is_of_fit(rule)) {
        for format in FORMATS {
            let kind = Kind::of(format.0);
            match rule.refuses_format(kind) {
                Some(why) => {
                    let loss = if rule.flag == "exposure" { "--loss poisson" } else { "" };
                    let flags = format!("--{} {} {loss}", rule.flag, some(rule.flag));
                    walk.refused(&walk.line(format, &flags), rule.flag, why);
                }
                None => {
                    let acts = acts(rule.flag, kind);
                    walk.acting(&acts, format, "");
                }
            }
        }
    }
}

/// Flags that affect the model for every loss; the other flags of the table concern the data or the run.
const OF_MODELS: [&str; 13] = [
    "weight",
    "offset",
    "exposure",
    "l1",
    "l2",
    "standardize",
    "nonneg",
    "class-weight",
    "no-intercept",
    "radius",
    "row-norm",
    "error-probability",
    "passes",
];

#[test]
fn each_flag_acts_with_each_loss_or_is_refused() {
    let mut walk = Walk::new();
    let csv = FORMATS[2];
    for loss in Loss::ALL.into_iter() {
        let name = loss.name();
        for rule in TABLE.iter().filter(|rule| is_of_fit(rule)) {
            if rule.refuses_loss(loss).is_some() {
                let line = walk.line(csv, &format!("--loss {name} --{} {}", rule.flag, some(rule.flag)));
                walk.refused(&line, rule.flag, &format!("with --loss {name}"));
            } else if OF_MODELS.contains(&rule.flag) {
                let acts = match acts(rule.flag, Kind::Csv) {
                    Differs("--ignore e --loss poisson", _) => Differs("--ignore e", "--exposure e"),
                    Differs(without, _) if loss.is_multiclass() && without.contains("--radius") => continue,
                    acts => acts,
                };
                walk.acting(&acts, csv, &format!("--loss {name}"));
            }
        }
    }
}
