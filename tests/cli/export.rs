//! Tests of `export`: weights as text, and models without their training state.

use crate::sandbox::{Sandbox, rows};

#[test]
fn weights_are_those_that_predict() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(200));
    box_.ok("fit a.svm");
    let csv = box_.ok("export model.surefoot -o -").out;
    box_.ok("export model.surefoot -o w.csv");
    assert_eq!(csv, box_.text("w.csv"));
    box_.ok("export model.surefoot -o w.json");
    let json: serde_json::Value = serde_json::from_str(&box_.text("w.json")).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("feature,slot,weight"));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let intercept = number(lines.next().and_then(|line| line.strip_prefix("(intercept),,")).unwrap());
    assert_eq!(json["intercept"], intercept);
    assert_eq!(json["labels"], serde_json::json!({"positive": "1", "negative": "0"}));
    let mut weights = Vec::new();
    for (line, object) in lines.zip(json["weights"].as_array().unwrap()) {
        let cells: Vec<_> = line.split(',').collect();
        assert_eq!((cells[0], cells[1]), (object["feature"].as_str().unwrap(), &*object["slot"].to_string()));
        assert_eq!(number(cells[2]), object["weight"].as_f64().unwrap());
        weights.push((cells[1].to_owned(), number(cells[2])));
    }
    assert_eq!(weights.len(), 10);
    // One row per feature: its margin is the intercept plus its weight.
    let text: String = weights.iter().map(|(index, _)| format!("0 {index}:1\n")).collect();
    box_.write("one.svm", text);
    let margins = box_.ok("predict model.surefoot one.svm --type margin").out;
    for (margin, (_, weight)) in margins.lines().zip(&weights) {
        assert_eq!(number(margin), intercept + weight);
    }
}

#[test]
fn a_slim_model_predicts_the_same_and_learns_no_more() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    box_.ok("fit a.svm");
    box_.ok("export model.surefoot -o slim.surefoot --slim");
    box_.ok("export model.surefoot -o again.surefoot");
    assert!(box_.read("again.surefoot") == box_.read("model.surefoot"));
    assert!(box_.read("slim.surefoot").len() < box_.read("model.surefoot").len() / 2);
    let [all, slim] = ["model", "slim"].map(|name| box_.ok(&format!("predict {name}.surefoot a.svm")).out);
    assert_eq!(all, slim);
    assert!(box_.fails(1, "fit a.svm --resume slim.surefoot").err.contains("slim"));
}

#[test]
fn what_cannot_be_exported_is_refused_at_once() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(10));
    box_.ok("fit a.svm");
    assert!(box_.fails(2, "export model.surefoot -o w.txt").err.contains("--to csv"));
    assert!(box_.fails(2, "export model.surefoot -o w.csv --slim").err.contains("--slim"));
    assert!(box_.fails(2, "export model.surefoot -o model.surefoot").err.contains("both input and output"));
    assert!(box_.fails(1, "export a.svm -o w.csv").err.contains("not a surefoot model"));
    assert!(box_.fails(1, "export model.surefoot -o no/w.csv").err.contains("No such file"));
    assert_eq!(box_.names(), ["a.svm", "model.surefoot"]);
}

/// Computes the margins of rows of named feature values from the CSV text of an export alone.
fn margins(csv: &str, rows: &[Vec<(String, f64)>]) -> Vec<f64> {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<_> = csv.lines().skip(1).map(cells).collect();
    let weight = |name: &str| {
        let line = lines.iter().find(|line| line[0] == name);
        line.map_or(0.0, |line| line[2].parse::<f64>().unwrap())
    };
    rows.iter().map(|row| weight("(intercept)") + row.iter().map(|(name, x)| weight(name) * x).sum::<f64>()).collect()
}

/// If features share weights because they are hashed to few bits, the export lists each feature, and the margins
/// computed from it equal those of the model.
#[test]
fn a_hashed_model_is_scored_from_its_export() {
    let box_ = Sandbox::new();
    let text = rows(200);
    let pairs = |line: &str| -> Vec<(String, f64)> {
        let pairs = line.split(' ').skip(1).map(|pair| pair.split_once(':').unwrap());
        pairs.map(|(index, x)| (index.to_owned(), x.parse().unwrap())).collect()
    };
    let values: Vec<_> = text.lines().map(pairs).collect();
    box_.write("a.svm", &text);
    let colours = ["red", "green", "b=l*u\\e^"];
    let header: String = (1..=10).map(|n| format!(",x{n}")).collect();
    let cell = |n: usize| colours[n % 3];
    let csv = values.iter().enumerate().map(|(n, row)| {
        let cells: String = row.iter().map(|(_, x)| format!(",{x}")).collect();
        format!("{},{}{cells}\n", n % 2, cell(n))
    });
    box_.write("a.csv", format!("y,c{header}\n{}", csv.collect::<String>()));
    let escaped = ["red", "green", "b\\x3Dl\\x2Au\\x5Ce\\x5E"];
    let named = |n: usize, row: &Vec<(String, f64)>| {
        let numbers = row.iter().map(|(index, x)| (format!("x{index}"), *x));
        numbers.chain([(format!("c={}", escaped[n % 3]), 1.0)]).collect::<Vec<_>>()
    };
    let of_table: Vec<_> = values.iter().enumerate().map(|(n, row)| named(n, row)).collect();
    let with_products: Vec<_> =
        of_table.iter().map(|row| [row.clone(), vec![(format!("x1*{}", row[10].0), row[0].1)]].concat()).collect();
    for (line, rows) in [
        ("fit a.svm --bits 2", &values),
        ("fit a.svm --bits 1 --passes 2", &values),
        ("fit a.svm --bits 20", &values),
        ("fit a.csv --label y --bits 3", &of_table),
        ("fit a.csv --label y --bits 2 --interact x1:c", &with_products),
        ("fit a.csv --label y", &of_table),
    ] {
        box_.ok(&format!("{line} -o m"));
        let csv = box_.ok("export m -o -").out;
        let data = line.split(' ').nth(1).unwrap();
        let margins = margins(&csv, rows);
        for (margin, ours) in box_.ok(&format!("predict m {data} --type margin")).out.lines().zip(margins) {
            let margin: f64 = margin.parse().unwrap();
            assert!((margin - ours).abs() <= 1e-12 * margin.abs().max(1.0), "{line}: {margin} {ours}");
        }
        // Each feature has a line; those of a slot stand together and have one weight.
        let lines: Vec<Vec<&str>> = csv.lines().skip(2).map(|line| line.split(',').collect()).collect();
        let names: std::collections::HashSet<_> = lines.iter().map(|line| line[0]).collect();
        assert!(names.len() == lines.len() && lines.len() >= 10 && !names.contains(""), "{csv}");
        assert!(lines.is_sorted_by_key(|line| line[1].parse::<u64>().unwrap()));
        assert!(lines.windows(2).all(|two| two[0][1] != two[1][1] || two[0][2] == two[1][2]), "{csv}");
        // The same as JSON, and of a model that was stored slim.
        box_.ok("export m -o w.json");
        let json: serde_json::Value = serde_json::from_str(&box_.text("w.json")).unwrap();
        let features = json["weights"].as_array().unwrap().iter().map(|object| object["feature"].as_str().unwrap());
        assert!(features.eq(lines.iter().map(|line| line[0])));
        box_.ok("export m -o slim.surefoot --slim");
        assert_eq!(box_.ok("export slim.surefoot -o -").out, csv);
        // Whatever the number of passes and threads, and going on from it.
        box_.ok(&format!("{line} -o n --threads 1"));
        assert!(box_.read("m") == box_.read("n"));
        box_.ok(&format!("fit {data} --resume m -o n"));
        let again = box_.ok("export n -o -").out;
        let again: Vec<&str> = again.lines().skip(2).map(|line| line.split(',').next().unwrap()).collect();
        assert!(again.into_iter().eq(lines.iter().map(|line| line[0])));
    }
    assert!(box_.ok("inspect m").err.is_empty());
}
