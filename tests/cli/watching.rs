//! Tests of what is seen of a fit of several processes while it runs and at its end: lines, JSON, the report page.

use crate::sandbox::{Ran, Sandbox, rows, signal};
use serde_json::Value;
use std::{process::Command, time::Duration};

/// Returns the JSON lines of an event.
fn events(ran: &Ran, name: &str) -> Vec<Value> {
    let all = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|event| event["event"] == name).collect()
}

/// Returns the lines of the printed table of workers, as words without commas.
fn table(err: &str) -> Vec<Vec<String>> {
    let lines = err.lines().skip_while(|line| !line.trim_start().starts_with("worker        rows"));
    let lines = lines.skip(1).take_while(|line| line.starts_with("      "));
    lines.map(|line| line.replace(',', "").split_whitespace().map(str::to_owned).collect()).collect()
}

fn sum<'a>(all: impl IntoIterator<Item = &'a Value>, field: &str) -> u64 {
    all.into_iter().map(|worker| worker[field].as_u64().unwrap()).sum()
}

#[test]
fn lines_say_who_works_on_what_and_the_rows_of_all_workers_add_up() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(12_000));
    for more in ["", " --passes auto --l2 1e-3"] {
        let err = box_.ok(&format!("fit a.svm -o m --engine local --workers 3{more}")).err;
        for line in [
            "worker 0: joined",
            "worker 2: joined",
            "worker 0: has shards 1-5 of 16",
            "worker 1: has shards 6-10 of 16",
            "worker 2: has shards 11-16 of 16",
        ] {
            assert_eq!(err.lines().filter(|other| *other == line).count(), 1, "{line}\n{err}");
        }
        let table = table(&err);
        assert_eq!(table.iter().map(|line| line[0].as_str()).collect::<Vec<_>>(), ["0", "1", "2"], "{err}");
        assert_eq!(table.iter().map(|line| line[1].parse::<u64>().unwrap()).sum::<u64>(), 12_000, "{err}");
        assert!(table.iter().all(|line| line[2].parse::<u64>().unwrap() > 0), "{err}");
        assert!(!box_.ok(&format!("fit a.svm -o m --engine local --workers 3 --quiet{more}")).err.contains("worker"));
    }
}

#[test]
fn json_lines_say_the_same_of_each_worker() {
    let box_ = Sandbox::new();
    let text = rows(9000);
    box_.write("a.svm", &text);
    box_.write(
        "more.csv",
        "y,x\n".to_owned() + &(0..3000).map(|n| format!("{},{}\n", n % 2, n % 7)).collect::<String>(),
    );
    for (flags, count) in [
        ("a.svm", 9000),
        ("a.svm --passes auto --l2 1e-3", 9000),
        ("more.csv --label y --passes auto --l2 1e-3 --shards 5", 3000),
    ] {
        let ran = box_.ok(&format!("fit {flags} -o m --engine local --workers 2 --json"));
        let happened: Vec<_> = events(&ran, "worker").iter().map(|event| event["what"].clone()).collect();
        assert_eq!(happened, ["joined", "joined", "shards", "shards"], "{flags}");
        let last = events(&ran, "workers").pop().unwrap();
        let size = box_.read(flags.split(' ').next().unwrap()).len();
        let each = last["workers"].as_array().unwrap();
        assert_eq!((sum(each, "rows"), &last["rows"]), (count, &count.into()), "{flags}");
        assert!(sum(each, "visited") >= count, "{flags}");
        // The header of a table is read where the rows are divided.
        let read = size - if flags.contains(".csv") { "y,x\n".len() } else { 0 };
        assert_eq!(&last["bytes_total"], size, "{flags}: {last}");
        assert!((last["share"].as_f64().unwrap() - read as f64 / size as f64).abs() < 1e-9, "{flags}: {last}");
        assert_eq!((sum(each, "bytes"), &last["bytes"]), (read as u64, &read.into()), "{flags}");
        assert!(each.iter().all(|worker| worker["sent"].as_u64() > Some(1000) && worker["is_lost"] == false), "{last}");
        assert!(last["exchanges"].as_u64() > Some(3) && last["lost"] == 0, "{last}");
        assert_eq!(ran.json()["rows"], count, "{flags}");
    }
}

/// Returns the rows of the table of a card of a report page, as texts.
fn card(page: &str, id: &str) -> Vec<Vec<String>> {
    let from = page.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no card {id}"));
    let card = &page[from..from + page[from..].find("</article>").unwrap()];
    let rows = card.split("<tr>").skip(2).map(|row| row.split("<td>").skip(1));
    rows.map(|cells| cells.map(|cell| cell.split('<').next().unwrap().to_owned()).collect()).collect()
}

#[test]
fn the_page_shows_the_run_and_its_workers() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(12_000));
    box_.write("t.svm", rows(500));
    for (flags, curve) in [("a.svm", "loss"), ("a.svm --passes auto --l2 1e-3", "certificate")] {
        box_.ok(&format!("fit {flags} -o plain --engine local --workers 2"));
        let line = format!("fit {flags} -o m --engine local --workers 3 --test t.svm --report r.html --json");
        let last = events(&box_.ok(&line), "workers").pop().unwrap();
        assert!(box_.read("m") == box_.read("plain"), "the report is no part of the model");
        let page = box_.text("r.html");
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n") && !page.contains("NaN"));
        assert!(page.contains("<h2>Workers</h2>") && page.contains("3 workers at the end and 0 losses on the way"));
        let (work, number) = (card(&page, "workers"), |text: &str| text.replace(',', "").parse::<u64>().unwrap());
        let counted: Vec<u64> = work.iter().map(|row| number(&row[2])).collect();
        let told: Vec<u64> = last["workers"].as_array().unwrap().iter().map(|w| w["rows"].as_u64().unwrap()).collect();
        assert_eq!((counted.iter().sum::<u64>(), &counted), (12_000, &told), "{flags}");
        assert!(work[1][1] == "6–10" && work[1][8] == "–", "{work:?}");
        for name in ["speed", "network", "waiting"] {
            assert!(!card(&page, name).is_empty(), "{flags}: {name}");
        }
        assert!(card(&page, curve).len() >= 3 && page.contains("Predictions of test rows"), "{flags}");
        assert!(page.contains("worker 2 got shards 11–16") && page.contains("<dt>rows read</dt><dd>12,000</dd>"));
    }
    let refused = box_.fails(2, "fit a.svm -o m --engine local --report m");
    assert!(refused.err.contains("give --report a file of its own"), "{}", refused.err);
}

/// A worker that is killed is named, and so is the one that takes its place; a run that goes on has a page of its own.
#[test]
fn workers_that_are_lost_and_runs_that_go_on_are_shown() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(60_000));
    let line = "fit a.svm --passes auto --l1 1e-4 --l2 1e-5 --tol 1e-11 --loss hinge --engine local --workers 2 -o m";
    let mut child = box_.start(&format!("{line} --report r.html --checkpoint state"));
    std::thread::sleep(Duration::from_millis(700));
    let found = Command::new("pgrep").args(["-P", &child.id().to_string()]).output().unwrap();
    let id = String::from_utf8(found.stdout).unwrap().lines().next().map(str::to_owned);
    assert!(Command::new("kill").args(["-KILL", &id.expect("a worker runs")]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(700));
    let is_running = child.try_wait().unwrap().is_none();
    signal(&child, "INT");
    let err = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert!(err.contains(" was lost (signal: 9 (SIGKILL)); another one repeats its part"), "{err}");
    assert!(err.contains("worker 2: joined") && err.contains("lost at "), "{err}");
    if is_running && err.contains("has the best model so far") {
        let page = box_.text("r.html");
        assert!(page.contains(" and 1 loss on the way") && page.contains("was lost: signal: 9 (SIGKILL)"));
    }
    let err = box_.ok(&format!("{line} --report r.html --checkpoint state")).err;
    let rows: u64 = table(&err).iter().map(|line| line[1].parse::<u64>().unwrap()).sum();
    assert_eq!(rows, 60_000, "{err}");
    assert!(box_.text("r.html").contains(" and 0 losses on the way"));
}
