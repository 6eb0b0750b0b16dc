//! Tests that `docs/json.md` documents every field that `--json` prints.

use crate::sandbox::{Ran, Sandbox, rows};
use serde_json::Value;

/// Returns the section of a Markdown page whose heading begins with `heading`, the name of a JSON object.
fn section(page: &str, heading: &str) -> String {
    let start = page.find(&format!("## `{heading}`")).unwrap_or_else(|| panic!("no section for {heading}"));
    let rest = &page[start + 3..];
    rest[..rest.find("\n## ").unwrap_or(rest.len())].to_owned()
}

/// Asserts that the section `heading` of the page mentions each field of the JSON object.
fn assert_named(page: &str, heading: &str, object: &Value) {
    let section = section(page, heading);
    for field in object.as_object().unwrap().keys().filter(|&field| field != "event") {
        assert!(section.contains(&format!("`{field}`")), "{field} is missing under {heading}");
    }
}

#[test]
fn every_field_is_in_the_page() {
    let page = include_str!("../../docs/json.md");
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(400));
    box_.write("sorted.csv", (0..3000).map(|i| format!("{},{}\n", i / 1500, i % 7)).collect::<String>());
    let mut events = std::collections::BTreeSet::new();
    for line in [
        "fit a.svm --json --test a.svm --passes auto --l2 auto -o a.surefoot",
        "fit a.svm --json --radius 2 --row-norm 9 -o b.surefoot",
        "fit a.svm --json --shuffle -o c.surefoot",
        "fit sorted.csv --json --header no --label 1 -o d.surefoot",
        "fit a.svm --json --engine local --workers 2 -o e.surefoot",
    ] {
        let Ran { out, .. } = box_.ok(line);
        for line in out.lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            let event = object["event"].as_str().unwrap().to_owned();
            assert_named(page, &event, &object);
            if event == "workers" {
                object["workers"].as_array().unwrap().iter().for_each(|worker| assert_named(page, "workers", worker));
            }
            if event == "done" {
                for field in ["certificate", "order", "penalty"] {
                    object[field].as_object().is_some().then(|| assert_named(page, "done", &object[field]));
                }
                for warning in object["warnings"].as_array().unwrap() {
                    let kind = warning["kind"].as_str().unwrap();
                    assert!(section(page, "done").contains(&format!("`{kind}`")), "{kind} is no kind of warning there");
                }
            }
            events.insert(event);
        }
    }
    assert_eq!(
        events.into_iter().collect::<Vec<_>>(),
        ["data", "done", "path", "progress", "search", "worker", "workers"]
    );
    let measured = box_.ok("eval a.surefoot a.svm --json").json();
    assert_named(page, "eval --json", &measured);
}
