//! Cases of extreme numbers in features and labels.

use super::{predictions, refused};
use crate::sandbox::{Sandbox, Uniform};

/// Exports a model and returns its features with their weights; the intercept is named `(intercept)`.
fn weights(box_: &Sandbox, model: &str) -> Vec<(String, f64)> {
    let csv = box_.ok(&format!("export {model} -o -")).out;
    let cells = csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    cells.map(|cells| (cells[0].to_owned(), cells[2].parse().unwrap())).collect()
}

/// Parses the JSON lines that a fit prints, without those about the data.
fn printed(out: &str) -> Vec<serde_json::Value> {
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.filter(|line: &serde_json::Value| line["event"] != "data").collect()
}

#[test]
fn values_next_to_nothing_are_nothing() {
    let box_ = Sandbox::new();
    let rest = "1 1:1 2:0\n0 1:0 2:0\n0 1:0 2:1\n0 1:0 2:0\n0 1:1 2:0\n0 1:0 2:0\n1 1:1 2:0\n0 1:0 2:0\n1 1:1 2:1\n";
    box_.write("zero.svm", format!("0 1:0\n{rest}"));
    box_.ok("fit zero.svm --passes 100 --holdout none -o zero");
    let wanted = predictions(&box_, "zero zero.svm");
    for tiny in ["1e-310", "-5e-324", "1e-45", "1e-30", "1e-19"] {
        box_.write("tiny.svm", format!("0 1:{tiny}\n{rest}"));
        box_.ok("fit tiny.svm --passes 100 --holdout none -o tiny");
        let found = predictions(&box_, "tiny zero.svm");
        assert!(wanted.iter().zip(&found).all(|(p, q)| (p - q).abs() < 0.02), "{tiny}: {found:?}");
        assert!(weights(&box_, "tiny").iter().all(|(_, w)| w.abs() < 1e6), "{tiny}");
    }
}

#[test]
fn events_that_are_rare_are_learnt_although_none_is_held_out() {
    let box_ = Sandbox::new();
    // One in ten rows is held out, and none of these.
    let (n, events) = (20_000, [17, 333, 512, 998, 10_321]);
    let row = |i| format!("{}{}\n", u8::from(events.contains(&i)), if i <= 1000 { " 1:1" } else { "" });
    box_.write("rare.svm", (1..=n).map(row).collect::<String>());
    for holdout in ["", " --holdout none"] {
        let loss = |passes: usize| {
            box_.ok(&format!("fit rare.svm --passes {passes}{holdout} -o m"));
            box_.ok("eval m rare.svm --json").json()["loss"].as_f64().unwrap()
        };
        let (five, twenty) = (loss(5), loss(20));
        let p = events.len() as f64 / f64::from(n);
        let constant = -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
        assert!(twenty < 1.1 * constant && twenty < five + 1e-5, "{holdout}: {twenty} {five} {constant}");
        // At the optimum the probabilities add up to the number of events.
        let sum: f64 = predictions(&box_, "m rare.svm").iter().sum();
        assert!((sum - 5.0).abs() < 3.5, "{holdout}: {sum}");
    }
}

#[test]
fn weights_are_sizes() {
    let box_ = Sandbox::new();
    for (weight, says) in
        [("-1", "0 or more"), ("-1e-300", "0 or more"), ("nan", "finite"), ("inf", "finite"), ("-inf", "finite")]
    {
        box_.write("a.vw", format!("1 1.0 | a\n0 {weight} | a b\n"));
        refused(&box_, "fit a.vw", &[&format!("a.vw:2:3: '{weight}'"), says]);
        box_.write("a.csv", format!("y,w,x\n1,1,0.5\n0,{weight},0.25\n"));
        refused(&box_, "fit a.csv --label y --weight w", &[&format!("a.csv:3:3: '{weight}'"), "column 2 ('w')", says]);
    }
    for (weight, says) in [("", "missing"), ("x", "finite number"), ("1,5", "finite number")] {
        box_.write("a.csv", format!("y,w,x\n1,1,0.5\n0,\"{weight}\",0.25\n"));
        refused(&box_, "fit a.csv --label y --weight w", &[&format!("a.csv:3:3: '{weight}'"), says]);
    }
    // Nothing is learnt from a row of weight 0, whatever its label, and it is counted.
    box_.write("a.csv", "y,w,x\n1,1,0.5\n7,0,1e300\n0,2,0.25\n1,-0.0,3\n");
    let done = box_.ok("fit a.csv --label y --weight w --json").json();
    assert_eq!((&done["rows"], &done["rows_zero_weight"]), (&4.into(), &2.into()));
}

#[test]
fn labels_without_signal_teach_little() {
    let box_ = Sandbox::new();
    let mut u = Uniform(88_172_645_463_325_252);
    let mut row = || {
        let label = u8::from(u.next() < 0.5);
        let pairs: String = (1..=20).map(|j| format!(" {j}:{:.3}", 4.0 * u.next() - 2.0)).collect();
        format!("{label}{pairs}\n")
    };
    box_.write("train.svm", (0..2000).map(|_| row()).collect::<String>());
    box_.write("test.svm", (0..1000).map(|_| row()).collect::<String>());
    let chance = std::f64::consts::LN_2;
    for (passes, most) in [(1, chance + 0.05), (30, chance + 0.018)] {
        let ran = box_.ok(&format!("fit train.svm --passes {passes} --json"));
        // With several passes the loss is a mean over one row in ten.
        for line in printed(&ran.out).iter().filter(|line| line["weight"].as_f64() > Some(100.0)) {
            assert!(line["loss"].as_f64().unwrap() < chance + 0.05, "{line}");
        }
        let loss = box_.ok("eval model.surefoot test.svm --json").json()["loss"].as_f64().unwrap();
        assert!(loss < most, "{passes}: {loss}");
    }
}

#[test]
fn the_smallest_data_are_data() {
    let box_ = Sandbox::new();
    box_.write("row.svm", "2.5 1:2\n");
    box_.ok("fit row.svm --loss squared --passes 1000 -o m");
    assert!((predictions(&box_, "m row.svm")[0] - 2.5).abs() < 0.01);
    box_.write("bare.svm", "1\n1\n0\n1\n");
    box_.ok("fit bare.svm --passes 1000 -o m");
    assert!(predictions(&box_, "m bare.svm").iter().all(|p| (p - 0.75).abs() < 0.005));
    box_.write("two.csv", "y,x\n0,0\n1,1\n");
    box_.ok("fit two.csv --label y --loss squared -o m");
    assert_eq!(box_.ok("inspect m --json").json()["features"], 1);
    for (name, nothing) in
        [("a.svm", ""), ("a.svm", "# no\n\n# rows\n"), ("a.csv", "y,x\n"), ("a.vw", "\n"), ("a", "\n")]
    {
        box_.write(name, nothing);
        let label = if name == "a.csv" { "--label y" } else { "" };
        refused(&box_, &format!("fit {name} {label} -o n"), &[&format!("{name}: there are no rows")]);
        std::fs::remove_file(box_.path(name)).unwrap();
    }
}

#[test]
fn counts_are_not_negative_and_may_be_none() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n0 1:2\n2 1:1\n-1 1:3\n4 1:2\n");
    refused(&box_, "fit a.svm --loss poisson", &["a.svm:4:1: '-1'", "a Poisson label must be 0 or more"]);
    // Two groups, the rates of which are their means: 1 and 3.
    box_.write("b.svm", "0 2:1\n0.5 2:1\n2.5 2:1\n1 2:1\n4 1:1\n2 1:1\n3.5 1:1\n2.5 1:1\n");
    box_.ok("fit b.svm --loss poisson --passes 2000 -o m");
    let p = predictions(&box_, "m b.svm");
    assert!((p[0] - 1.0).abs() < 0.02 && (p[4] - 3.0).abs() < 0.05, "{p:?}");
}

#[test]
fn large_values_and_counts_stay_finite_under_an_exponential() {
    let box_ = Sandbox::new();
    let counts = [2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 9, 8, 11, 12, 15, 20, 18, 27, 30, 37];
    let row = |(k, count): (usize, &u32)| format!("{count} 1:{}\n", 150 * k);
    let text: String = counts.iter().enumerate().map(row).collect();
    for text in [text.clone(), text.replace("37 ", "12000 "), text.replace("2 1:0\n", "1e9 1:1e9\n")] {
        box_.write("a.svm", text);
        for passes in [1, 20] {
            let ran = box_.ok(&format!("fit a.svm --loss poisson --passes {passes} --json"));
            assert!(printed(&ran.out).iter().all(|line| line["loss"].is_f64() || line["weight"] == 0.0), "{}", ran.out);
            assert!(weights(&box_, "model.surefoot").iter().all(|(_, w)| w.is_finite()));
            assert!(predictions(&box_, "model.surefoot a.svm").iter().all(|p| p.is_finite()));
        }
    }
}

#[test]
fn units_of_columns_do_not_matter() {
    let box_ = Sandbox::new();
    let mut u = Uniform(7);
    let rows: Vec<(u8, f64, f64)> = (0..60)
        .map(|_| {
            let (a, b) = ((4e3 * u.next() - 2e3).round() / 1e3, (4e3 * u.next() - 2e3).round() / 1e3);
            (u8::from(u.next() < 1.0 / (1.0 + (2.0 * b - 1.5 * a).exp())), a, b)
        })
        .collect();
    let text =
        |s: f64, t: f64| rows.iter().map(|(y, a, b)| format!("{y} 1:{} 2:{}\n", s * a, t * b)).collect::<String>();
    box_.write("unit.svm", text(1.0, 1.0));
    box_.write("wild.svm", text(1e8, 1e-8));
    for passes in ["1", "50"] {
        box_.ok(&format!("fit unit.svm --passes {passes} -o unit"));
        box_.ok(&format!("fit wild.svm --passes {passes} -o wild"));
        let (p, q) = (predictions(&box_, "unit unit.svm"), predictions(&box_, "wild wild.svm"));
        assert!(p.iter().zip(&q).all(|(p, q)| (p - q).abs() < 1e-6), "{passes}");
    }
}

#[test]
fn a_zero_is_a_value_that_is_not_there() {
    let box_ = Sandbox::new();
    let mut u = Uniform(3);
    let mut cell = |_| if u.next() < 0.6 { 0.0 } else { (2e3 * u.next() - 1e3).round() / 1e3 };
    let table: Vec<Vec<f64>> = (0..50).map(|_| (0..8).map(&mut cell).collect()).collect();
    let label = |row: &[f64]| u8::from(row[1] - row[4] + 0.3 * row[7] > 0.0);
    let pairs = |row: &Vec<f64>, all: bool| {
        let pairs = row.iter().enumerate().filter(|(_, x)| all || **x != 0.0);
        format!("{}{}\n", label(row), pairs.map(|(j, x)| format!(" {}:{x}", j + 1)).collect::<String>())
    };
    let cells = |row: &Vec<f64>| format!("{}{}\n", label(row), row.iter().map(|x| format!(",{x}")).collect::<String>());
    box_.write("sparse.svm", table.iter().map(|row| pairs(row, false)).collect::<String>());
    box_.write("zeros.svm", table.iter().map(|row| pairs(row, true)).collect::<String>());
    box_.write("dense.csv", "y,f1,f2,f3,f4,f5,f6,f7,f8\n".to_owned() + &table.iter().map(cells).collect::<String>());
    for passes in [1, 20] {
        for (file, flags) in [("sparse.svm", ""), ("zeros.svm", ""), ("dense.csv", " --label y")] {
            box_.ok(&format!("fit {file} --passes {passes}{flags} -o {file}.m"));
        }
        let sparse = predictions(&box_, "sparse.svm.m sparse.svm");
        assert_eq!(sparse, predictions(&box_, "zeros.svm.m sparse.svm"));
        // To the last bit: columns stand in the order of the indices, in which sums over a row are added up.
        assert_eq!(sparse, predictions(&box_, "dense.csv.m dense.csv"), "{passes}");
    }
}

#[test]
fn nothing_to_learn_from_is_no_error() {
    let box_ = Sandbox::new();
    box_.write("balanced.svm", "0 1:1 2:1\n1 1:1 2:1\n0 1:1 2:0\n1 1:1 2:0\n".repeat(2));
    box_.ok("fit balanced.svm --passes 2000 -o m");
    let p = predictions(&box_, "m balanced.svm");
    assert!(p.iter().all(|p| (p - 0.5).abs() < 0.02), "{p:?}");
    // The first rows say nothing, then all of them y = 3x.
    box_.write("late.svm", "0\n".repeat(5) + "3 1:1\n-3 1:-1\n1.5 1:0.5\n6 1:2\n-1.5 1:-0.5\n-6 1:-2\n");
    box_.ok("fit late.svm --loss squared --passes 2000 --holdout none -o m");
    for (feature, weight) in weights(&box_, "m") {
        let wanted = if feature == "1" { 3.0 } else { 0.0 };
        assert!((weight - wanted).abs() < 0.03, "{feature} {weight}");
    }
    // No label differs from another.
    for loss in ["squared", "huber", "absolute", "quantile", "poisson"] {
        box_.write("same.svm", "2 1:1\n2 1:-1\n2\n2 1:3\n");
        box_.ok(&format!("fit same.svm --loss {loss} --passes 20 -o m"));
        assert!(predictions(&box_, "m same.svm").iter().all(|p| p.is_finite()), "{loss}");
    }
}
