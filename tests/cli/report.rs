//! Tests of the HTML page of `--report`: its content and location, and that other outputs do not change. Tests in a browser
//! are in `browser_page.rs`.

use crate::sandbox::{Ran, Sandbox, Uniform, rows, signal, skipped};
use std::io::Write;

/// Reads an HTML report, and asserts that it is complete, refers to no other file, and shows no NaN or unformatted value.
fn page(box_: &Sandbox, name: &str) -> String {
    let page = box_.text(name);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{name}");
    for outside in [" src=", "href=\"http", "@import", "url(", "<link rel=\"stylesheet\"", "fetch("] {
        assert!(!page.contains(outside), "{name}: {outside}");
    }
    let body = &page[page.find("<body>").unwrap()..page.find("<script>").unwrap()];
    for broken in ["NaN", "inf<", "inf,", ">inf", "None", "Some("] {
        assert!(!body.replace("None:", "").contains(broken), "{name}: {broken}");
    }
    for tag in ["article", "section", "figure", "table", "tr", "td", "th", "dl", "dd", "svg", "g", "text", "details"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{name}: {tag}");
    }
    page
}

fn has(page: &str, card: &str) -> bool {
    page.contains(&format!("id=\"{card}\""))
}

/// Returns the numbers in one column (from 0) of the table in the card (panel) with this id.
fn column(page: &str, card: &str, column: usize) -> Vec<f64> {
    let card = page.split(&format!("id=\"{card}\"")).nth(1).unwrap().split("</article>").next().unwrap();
    let body = card.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    let cell = |row: &str| row.split("</td>").nth(column)?.rsplit('>').next()?.replace(['−', ','], "").parse().ok();
    body.split("</tr>").filter_map(cell).collect()
}

#[test]
fn a_run_is_shown_and_the_model_is_the_same() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(3000));
    box_.write("t.svm", rows(500));
    box_.ok("fit a.svm -o plain");
    let ran = box_.ok("fit a.svm -o m --test t.svm --report r.html");
    assert!(ran.err.contains("report       r.html"), "{}", ran.err);
    assert!(box_.read("m") == box_.read("plain"), "the report is no part of the model");
    assert_eq!(box_.names(), ["a.svm", "m", "plain", "r.html", "t.svm"]);
    let page = page(&box_, "r.html");
    for card in ["loss", "lanes", "certificate", "calibration", "roc", "precision", "confusion", "weights"] {
        assert!(has(&page, card), "{card}");
    }
    assert!(!has(&page, "predictions") && page.contains("Predictions of test rows") && page.contains("a.svm"));
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("<title>ROC curve</title>"));
    // The numbers are those of the terminal and of eval.
    let table: Vec<&str> = ran.err.lines().filter(|line| line.trim_start().starts_with("2,048")).collect();
    let printed: Vec<&str> = table[0].split_whitespace().collect();
    let (counts, losses) = (column(&page, "loss", 0), column(&page, "loss", 2));
    let at = counts.iter().position(|&n| n == 2048.0).expect("a line at 2,048 rows, as in the terminal");
    assert_eq!(losses[at], printed[1].parse::<f64>().unwrap());
    assert_eq!(counts.last(), Some(&3000.0));
    let found = box_.ok("eval m t.svm --json").json();
    for (name, digits) in [("loss", 6), ("auc", 6), ("pr_auc", 6), ("brier", 6), ("calibration_error", 6)] {
        let value = format!("{:.digits$}", found[name].as_f64().unwrap());
        assert!(page.contains(&format!("<dd>{value}</dd>")), "{name} {value}");
    }
    let points = column(&page, "roc", 1);
    assert!(points.len() > 10 && points.is_sorted() && points.last() == Some(&1.0), "{points:?}");
}

#[test]
fn without_test_rows_those_are_shown_that_the_run_has() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(600));
    box_.ok("fit a.svm -o m --report r.html --quiet");
    let fresh = page(&box_, "r.html");
    assert!(fresh.contains("Predictions of rows as they came") && fresh.contains("each scored before it was learnt"));
    let loss = box_.ok("inspect m --json").json()["loss"].as_f64().unwrap();
    assert!(fresh.contains(&format!("<dt>loss</dt><dd>{loss:.6}</dd>")), "{loss}");
    box_.ok("fit a.svm -o m --passes 3 --report r.html");
    let held = page(&box_, "r.html");
    assert!(
        held.contains("Predictions of held-out rows") && held.contains("60 rows, predicted before they were learnt")
    );
    let loss = box_.ok("inspect m --json").json()["loss"].as_f64().unwrap();
    assert!(held.contains(&format!("<dt>loss</dt><dd>{loss:.6}</dd>")), "{loss}");
}

#[test]
fn a_model_is_shown_on_any_data() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(400));
    box_.ok("fit a.svm -o m");
    let plain = box_.ok("eval m a.svm").out;
    assert_eq!(box_.ok("eval m a.svm --report r.html").out, plain);
    let shown = page(&box_, "r.html");
    assert!(has(&shown, "roc") && has(&shown, "weights") && !has(&shown, "loss") && !has(&shown, "lanes"));
    assert_eq!(box_.ok("eval m a.svm --report r.html --json").json()["rows"], 400);
    let out = box_.ok("eval m a.svm --report -").out;
    assert!(out.starts_with("<!doctype html>") && out.ends_with("</html>\n"));
    for line in ["eval m a.svm --report a.svm", "eval m a.svm --report m", "eval m a.svm --report - --json"] {
        assert_eq!(box_.fails(2, line).out, "", "{line}");
    }
    assert!(box_.fails(1, "eval m a.svm --report no/r.html").err.contains("no/r.html: No such file"));
}

#[test]
fn an_optimum_is_shown_with_its_own_loss_and_passes() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(600));
    for (more, name) in [("", "training loss"), (" --l2 1e-3", "objective")] {
        let done = box_.ok(&format!("fit a.svm -o m --passes auto{more} --report r.html --json")).json();
        let page = page(&box_, "r.html");
        let objective = format!("{:.4}", done["objective"].as_f64().unwrap());
        assert!(page.contains(&format!("<dt>{name}</dt><dd><strong>{objective}</strong>")), "{objective}");
        assert!(page.contains(&format!("<dt>passes</dt><dd>{}</dd>", done["passes"])), "{}", done["passes"]);
        assert!(page.contains("rows of the first pass") && !page.contains("usually a little better"));
        if !more.is_empty() {
            assert!(page.contains("upper bound, log scale") && page.contains("certified: at most"));
        }
    }
}

#[test]
fn numbers_and_counts_have_errors_in_place_of_curves() {
    let box_ = Sandbox::new();
    let mut u = Uniform(3);
    let mut text = String::new();
    for _ in 0..3000 {
        let x = u.next();
        text += &format!("{} 1:{x}\n", (5.0 * x + 3.0 * u.next()).round());
    }
    box_.write("a.svm", text);
    for loss in ["squared", "huber", "quantile", "poisson", "tweedie"] {
        box_.ok(&format!("fit a.svm -o m --loss {loss} --test a.svm --report r.html --quiet"));
        let page = page(&box_, "r.html");
        assert!(has(&page, "predictions") && has(&page, "errors") && !has(&page, "roc") && !has(&page, "confusion"));
        let (predicted, actual) = (column(&page, "predictions", 0), column(&page, "predictions", 1));
        assert!(predicted.len() == 10 && predicted.is_sorted() && actual[9] > actual[0], "{loss} {actual:?}");
        assert!(page.contains("1,500 rows of 3,000 drawn at random") && page.len() < 400_000, "{}", page.len());
    }
}

#[test]
fn certificates_are_shown_as_they_grow() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(500));
    box_.ok("fit a.svm -o m --radius 1 --row-norm 4 --passes 3 --until-gap 1e-9 --report r.html");
    let page = page(&box_, "r.html");
    let gaps = column(&page, "certificate", 4);
    assert!(gaps.len() >= 3 && gaps.last() < gaps.first(), "{gaps:?}");
    assert!(
        page.contains("For certain, rounding included, no weights with ‖w‖ ≤ 1 have a mean loss")
            && !has(&page, "lanes")
    );
    let objective = box_.ok("eval m a.svm --json").json()["loss"].as_f64().unwrap();
    assert_eq!(column(&page, "certificate", 3).last(), Some(&format!("{objective:.6}").parse().unwrap()));
}

/// The report shows the same regularisation path and the same duality gap as the terminal.
#[test]
fn penalties_and_searches_are_shown() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(500));
    box_.ok("fit a.svm -o m --l2 auto --report r.html --quiet");
    let shown = page(&box_, "r.html");
    let path = box_.ok("inspect m --json").json()["path"].as_array().unwrap().len();
    assert!(path > 2 && column(&shown, "path", 2).len() == path, "{path}");
    let done = box_.ok("fit a.svm -o m --passes auto --l2 1e-3 --report r.html --json").json();
    let shown = page(&box_, "r.html");
    let objective = format!("{:.6}", done["objective"].as_f64().unwrap());
    assert_eq!(column(&shown, "certificate", 3).last(), objective.parse().ok().as_ref());
    assert!(!has(&shown, "path"));
}

#[test]
fn few_rows_one_class_and_weights_make_a_page() {
    let box_ = Sandbox::new();
    for (data, flags, absent) in [
        ("1 1:1\n", "", "roc"),
        ("1 1:1\n0 1:2\n", "", "errors"),
        ("1 1:1\n1 2:1\n1 1:3\n", "", "roc"),
        ("3 1:1\n", "--loss squared", "errors"),
        ("3 1:1\n3 1:1\n3 1:1\n", "--loss squared", "errors"),
        ("0 1:1\n0 1:1\n", "--loss poisson", "errors"),
        ("1 1:1\n", "--loss softmax", "roc"),
        ("1e300 1:1\n-1e300 1:2\n1e300 1:1\n", "--loss squared", "roc"),
        ("1 \n0 \n1 \n", "", "weights"),
        ("1 1:1e-300\n0 1:1e300\n", "--no-intercept", "errors"),
    ] {
        box_.write("a.svm", data);
        let ran = box_.run(&format!("fit a.svm -o m --test a.svm --report r.html {flags}"));
        assert_eq!(ran.status, 0, "{data:?} {flags}: {}", ran.err);
        assert!(!has(&page(&box_, "r.html"), absent), "{data:?} {flags} {absent}");
        std::fs::remove_file(box_.path("r.html")).unwrap();
    }
    box_.write("w.csv", "y,w,x\n1,0,1\n0,2.5,2\n1,0.5,3\n");
    box_.ok("fit w.csv --label y --weight w -o m --report r.html");
    let page = page(&box_, "r.html");
    assert!(page.contains("<dt>sum of weights</dt><dd>3</dd>") && page.contains("<dt>of weight 0</dt><dd>1</dd>"));
}

/// Labels and names that contain HTML tags and scripts appear as text in the report.
#[test]
fn text_stays_text() {
    let box_ = Sandbox::new();
    let mut data = "label,\"</script><script>evil()</script>\",\"<b id='evil'>\"\n".to_owned();
    for t in 0..60 {
        data += &format!("{},{},\"<i>{}\"\n", ["<u>&", "\"\"\"'\"", "plain"][t % 3], t % 3, t % 3);
    }
    box_.write("a.csv", data);
    box_.ok("fit a.csv --label label --loss softmax -o m --test a.csv --report r.html");
    let page = page(&box_, "r.html");
    for tag in ["<u>", "<i>", "<b id", "<script>evil"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert_eq!((page.matches("<script>").count(), page.matches("</script>").count()), (1, 1));
    for text in
        ["&lt;u&gt;&amp;", "&quot;&#39;", "&lt;/script&gt;&lt;script&gt;evil()", "&lt;b id\\x3D&#39;evil&#39;&gt;"]
    {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn where_it_may_not_go_is_said_before_any_work() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    box_.write("t.svm", rows(50));
    std::fs::create_dir(box_.path("dir")).unwrap();
    std::os::unix::fs::symlink("m", box_.path("link")).unwrap();
    box_.ok("fit a.svm -o old");
    let before = box_.names();
    for (status, line, says) in [
        (2, "fit a.svm -o m --report", "--report"),
        (2, "fit a.svm -o m --report m", "both the model and the report"),
        (2, "fit a.svm -o m --report ./m", "both the model and the report"),
        (2, "fit a.svm -o m --report link", "both the model and the report"),
        (2, "fit a.svm --report model.surefoot", "both the model and the report"),
        (2, "fit a.svm -o - --report -", "both the model and the report"),
        (2, "fit a.svm -o m --report - --json", "both the report and --json"),
        (2, "fit a.svm -o m --report a.svm", "is both input and output"),
        (2, "fit a.svm -o m --test t.svm --report t.svm", "is both input and output"),
        (2, "fit a.svm -o m --resume old --report old", "is both input and output"),
        (1, "fit a.svm -o m --report dir", "Is a directory"),
        (1, "fit a.svm -o m --report no/r.html", "No such file"),
        (1, "fit a.svm -o m --report a.svm/r.html", "Not a directory"),
    ] {
        let ran = box_.fails(status, line);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
        assert_eq!((ran.out.as_str(), box_.names()), ("", before.clone()), "{line}");
    }
    for data in ["", "\n", "1 x:1\n", "1 1:1\n2 1:1\n3 1:1\n"] {
        box_.write("bad.svm", data);
        box_.fails(1, "fit bad.svm -o m --report r.html");
        assert!(!box_.has("r.html") && !box_.has("m"), "{data:?}");
    }
}

#[test]
fn streams_and_devices_take_it() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    let ran = box_.ok("fit a.svm -o m --report -");
    assert!(ran.out.starts_with("<!doctype html>") && ran.out.ends_with("</html>\n"));
    box_.ok("fit a.svm -o /dev/null --report /dev/null");
    let done = box_.ok("fit a.svm -o m --report r.html --json").json();
    assert_eq!(done["event"], "done");
    page(&box_, "r.html");
    if std::fs::OpenOptions::new().write(true).open("/dev/full").is_err() {
        return skipped("this system has no /dev/full");
    }
    let ran = box_.fails(1, "fit a.svm -o m --report /dev/full");
    assert!(ran.err.contains("/dev/full: No space left") && ran.err.contains("m is saved"), "{}", ran.err);
}

/// An interrupted run writes its report, and so does the run that resumes it.
#[test]
fn interrupted_runs_have_their_page() {
    let box_ = Sandbox::new();
    let mut child = box_.start("fit - -o m --snapshot 500 --report r.html");
    let mut pipe = child.stdin.take().unwrap();
    let all = rows(800);
    pipe.write_all(all.as_bytes()).unwrap();
    box_.wait_for(|name| name == "m");
    signal(&child, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    drop(pipe);
    assert_eq!(ran.status, 130, "{}", ran.err);
    assert!(page(&box_, "r.html").contains("<span>interrupted</span>"));
    box_.write("all.svm", &all);
    let ran = box_.ok("fit all.svm -o n --passes 100000000 --budget 0.3s --report r.html");
    assert!(ran.err.contains("the budget is used up"), "{}", ran.err);
    assert!(page(&box_, "r.html").contains("the budget was used up"));
    let ran = box_.feed("fit - --resume m -o m --report r.html", all.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let resumed = page(&box_, "r.html");
    assert!(resumed.contains("<span>finished</span>") && column(&resumed, "loss", 0).last() == Some(&800.0));
}
