//! Tests of `--shuffle`: the order depends only on the seed, the pass and the number of each row.

use crate::sandbox::{Ran, Sandbox, Uniform, rows, signal};
use std::io::Write;

/// Runs `surefoot LINE` with a limit, in bytes, on the memory for stored rows.
fn within(box_: &Sandbox, memory: usize, line: &str) -> Ran {
    let mut command = box_.command(line.split_whitespace());
    Ran::from(command.env("SUREFOOT_MEMORY", memory.to_string()).output().unwrap())
}

/// Generates `n` rows sorted by label: first 0, then 1.
fn sorted(n: usize) -> String {
    let text = rows(n);
    let mut lines: Vec<_> = text.split_inclusive('\n').collect();
    lines.sort_by_key(|line| line.as_bytes()[0]);
    lines.concat()
}

#[test]
fn memory_threads_and_ways_to_come_change_no_byte() {
    let box_ = Sandbox::new();
    let text = sorted(600);
    box_.write("all.svm", &text);
    let cut = text.match_indices('\n').nth(200).unwrap().0 + 1;
    box_.write("a.svm", &text[..cut]);
    box_.write("b.svm", &text[cut..]);
    for more in ["", " --passes 3 --seed 7", " --passes 2 --radius 2", " --passes auto --l2 0.1"] {
        let fit = |data: &str, out: &str| format!("fit {data} -o {out} --shuffle{more}");
        box_.ok(&fit("all.svm", "whole"));
        let whole = box_.read("whole");
        for memory in [0, 500, 5_000, 20_000, 1 << 20] {
            let ran = within(&box_, memory, &fit("all.svm", "m"));
            assert!(ran.status == 0 && box_.read("m") == whole, "{memory}{more}: {}", ran.err);
            let spilled = ran.err.contains("note: memory does not hold all rows");
            assert_eq!(spilled, memory < 1 << 20, "{memory}: {}", ran.err);
        }
        for data in ["all.svm --threads 1", "a.svm b.svm", "all.svm --snapshot 7 --quiet"] {
            box_.ok(&fit(data, "m"));
            assert!(box_.read("m") == whole, "{data}{more}");
        }
        assert_eq!(box_.feed(&fit("-", "m"), text.as_bytes()).status, 0);
        assert!(box_.read("m") == whole, "a pipe{more}");
        box_.ok(&format!("fit all.svm -o plain {}", more.replace(" --seed 7", "")));
        assert!(box_.read("plain") != whole);
    }
    assert_eq!(box_.names(), ["a.svm", "all.svm", "b.svm", "m", "plain", "whole"]);
}

/// Generates a CSV table sorted by its text label, with two numbers and a category.
fn table(n: usize) -> String {
    let mut u = Uniform(5);
    let mut lines: Vec<_> = (0..n)
        .map(|_| {
            let (x, z) = ((2e3 * u.next() - 1e3).round() / 1e3, (9.0 * u.next()).floor());
            let colour = ["red", "green", "blue"][(3.0 * u.next()) as usize];
            let margin = 2.0 * x + if colour == "red" { 1.5 } else { -0.5 };
            let label = ["no", "yes", "maybe"][if u.next() < 0.2 { 2 } else { usize::from(u.next() + margin > 0.5) }];
            format!("{label},{x},{z},{colour}\n")
        })
        .collect();
    lines.sort();
    format!("y,x,z,colour\n{}", lines.concat())
}

#[test]
fn tables_and_compressed_files_are_shuffled_alike() {
    let box_ = Sandbox::new();
    let text = table(400);
    box_.write("a.csv", &text);
    box_.write("a.tsv", text.replace(',', "\t"));
    let gzip = std::process::Command::new("gzip").arg("-k").arg(box_.path("a.csv")).status();
    assert!(gzip.unwrap().success());
    let flags = "--label y --loss softmax --shuffle --passes 2";
    box_.ok(&format!("fit a.csv -o whole {flags}"));
    for (memory, data) in [(0, "a.csv"), (9_000, "a.csv.gz"), (1 << 30, "a.csv.gz")] {
        let ran = within(&box_, memory, &format!("fit {data} -o m {flags}"));
        assert!(ran.status == 0 && box_.read("m") == box_.read("whole"), "{data}: {}", ran.err);
    }
    assert_eq!(box_.feed(&format!("fit - --format csv -o m {flags}"), text.as_bytes()).status, 0);
    assert!(box_.read("m") == box_.read("whole"), "a pipe");
    let loss = |data: &str| box_.ok(&format!("fit {data} -o m --json {flags}")).json()["loss"].clone();
    assert_eq!(loss("a.csv"), loss("a.tsv"));
}

#[test]
fn seeds_and_passes_have_orders_of_their_own() {
    let box_ = Sandbox::new();
    box_.write("a.svm", sorted(300));
    let model = |flags: &str| {
        box_.ok(&format!("fit a.svm -o m --holdout none --shuffle {flags}"));
        box_.read("m")
    };
    let mut all = vec![model(""), model("--seed 1"), model("--seed 18446744073709551615"), model("--passes 2")];
    assert!(model("--seed 0") == all[0]);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 4);
    box_.ok("fit a.svm -o once --holdout none --shuffle");
    box_.ok("fit a.svm -o once --holdout none --shuffle --resume once");
    assert!(box_.read("once") != model("--passes 2"), "the second pass has another order than the first");
}

#[test]
fn held_out_rows_are_those_of_the_order_of_the_data() {
    let box_ = Sandbox::new();
    // Each row has a feature of its own, which an unfinished model knows unless the row is held out. Of rows 5, 10, 15 ... the weight is 0.
    let row = |n: usize| format!("{},{},{},r{n}\n", usize::from(n > 200), usize::from(!n.is_multiple_of(5)), n % 7);
    let text: String = (1..=400).map(row).collect();
    box_.write("a.csv", format!("y,w,x,row\n{text}"));
    let held = |flags: &str| {
        let _ = std::fs::remove_file(box_.path("m"));
        let line = format!("fit a.csv --label y --weight w --passes 1000000 --snapshot 400 -o m {flags}");
        let child = box_.start(&line);
        box_.wait_for(|name| name == "m");
        signal(&child, "TERM");
        assert_eq!(Ran::from(child.wait_with_output().unwrap()).status, 143);
        box_.ok("export m -o m.csv");
        let learnt = box_.text("m.csv");
        (1..=400).filter(|n| !learnt.contains(&format!("\nrow=r{n},"))).collect::<Vec<_>>()
    };
    let plain = held("");
    assert!(plain.starts_with(&[5, 10, 12, 15, 20, 24, 25]), "{plain:?}");
    for flags in ["--shuffle", "--shuffle --seed 9"] {
        assert_eq!(held(flags), plain, "{flags}");
    }
}

#[test]
fn a_fault_that_shows_when_a_row_is_learnt_names_its_place() {
    let box_ = Sandbox::new();
    let svm = rows(300).replacen("\n1 ", "\n 3 ", 1).replace(" 3 1:", "\n# a remark\n 3 1:");
    let line = 1 + svm.lines().position(|line| line.starts_with(" 3")).unwrap();
    box_.write("a.svm", rows(200));
    box_.write("b.svm", &svm);
    let csv = table(300).replace("maybe", "no").replacen("\nyes", "\nno,0.5,1,\"a\n\nb\"\n  other,1,2,red\nyes", 1);
    let csv_line = 1 + csv.lines().position(|line| line.contains("other")).unwrap();
    box_.write("c.csv", &csv);
    for memory in [0, 1 << 30] {
        let ran = within(&box_, memory, "fit a.svm b.svm -o m --shuffle");
        assert!(ran.status == 1 && ran.err.contains(&format!("surefoot: b.svm:{line}:2: '3': ")), "{}", ran.err);
        let ran = within(&box_, memory, "fit c.csv -o m --shuffle --label y");
        assert!(ran.status == 1 && ran.err.contains(&format!("surefoot: c.csv:{csv_line}:")), "{}", ran.err);
        assert!(ran.err.contains("other") && ran.err.contains("--loss softmax"), "{}", ran.err);
    }
    let ran = box_.feed("fit - -o m --shuffle", svm.as_bytes());
    assert!(ran.status == 1 && ran.err.contains(&format!("standard input:{line}:2: '3': ")), "{}", ran.err);
    let ran = box_.feed("fit - --format csv --label y -o m --shuffle", csv.as_bytes());
    assert!(ran.status == 1 && ran.err.contains(&format!("standard input:{csv_line}:")), "{}", ran.err);
    assert_eq!(box_.names(), ["a.svm", "b.svm", "c.csv"]);
}

#[test]
fn rows_at_fault_are_passed_over_in_any_order() {
    let box_ = Sandbox::new();
    let text = sorted(300);
    let bad: String = text
        .split_inclusive('\n')
        .map(|line| format!("{line}{}", if line.len() % 50 == 0 { "1 2:x\n" } else { "" }))
        .collect();
    let faults = bad.matches(":x").count();
    assert!(faults > 0);
    box_.write("good.svm", &text);
    box_.write("bad.svm", &bad);
    for more in ["", " --passes 3"] {
        box_.ok(&format!("fit good.svm -o good --shuffle{more}"));
        let ran = box_.ok(&format!("fit bad.svm -o bad --shuffle --json --skip-bad-rows {faults}{more}"));
        assert_eq!(ran.json()["rows_skipped"], faults);
        assert!(box_.read("good") == box_.read("bad"), "{more}");
    }
    assert!(box_.fails(1, "fit bad.svm -o m --shuffle").err.contains("bad.svm:"));
    // Those that can be read but not learnt: labels beside two others. Five rows in a hundred.
    let thirds: String = text
        .split_inclusive('\n')
        .enumerate()
        .map(|(n, line)| format!("{}{}", if n % 20 == 19 { "7" } else { &line[..1] }, &line[1..]))
        .collect();
    box_.write("thirds.svm", thirds);
    for seed in 0.. {
        let fit = format!("fit thirds.svm -o m --shuffle --seed {seed}");
        let ran = box_.run(&format!("{fit} --passes 2 --skip-bad-rows 15 --json"));
        // The first two labels in this order are the classes.
        if ran.status == 1 {
            continue;
        }
        assert_eq!(ran.json()["rows_skipped"], 15);
        assert_eq!(ran.err.matches("thirds.svm:").count(), 3, "{}", ran.err);
        let ran = box_.fails(1, &format!("{fit} --skip-bad-rows 14"));
        assert!(ran.err.contains("thirds.svm:") && ran.err.contains(":1: '7'"), "{}", ran.err);
        break;
    }
}

#[test]
fn a_run_that_a_fault_ends_goes_on_from_its_snapshot() {
    let box_ = Sandbox::new();
    let mut text = rows(400);
    text.insert_str(0, "7 1:1\n");
    box_.write("a.svm", &text);
    let mut stops = 0;
    for seed in 0..12 {
        for more in ["", " --passes 2"] {
            let fit = format!("fit a.svm --shuffle --seed {seed}{more}");
            if box_.run(&format!("{fit} -o whole --skip-bad-rows 1")).status != 0 {
                // The third label is one of the first two in this order.
                continue;
            }
            let _ = std::fs::remove_file(box_.path("m"));
            box_.fails(1, &format!("{fit} -o m --snapshot 37"));
            if box_.has("m") {
                stops += 1;
                let memory = if seed % 2 == 0 { 0 } else { 1 << 30 };
                let ran = within(&box_, memory, "fit a.svm --resume m -o m --skip-bad-rows 1 --threads 1");
                assert!(ran.status == 0 && ran.err.contains("m is unfinished"), "{}", ran.err);
                assert!(box_.read("m") == box_.read("whole"), "{fit}");
            }
        }
    }
    assert!(stops > 8, "{stops}");
}

#[test]
fn passes_go_on_at_any_moment() {
    let box_ = Sandbox::new();
    box_.write("a.svm", sorted(1000));
    for more in ["", " --holdout none", " --radius 2"] {
        let fit = format!("fit a.svm --shuffle --seed 3 --passes 20{more}");
        box_.ok(&format!("{fit} -o whole"));
        let mut stops = 0;
        for budget in [10, 40] {
            let _ = std::fs::remove_file(box_.path("m"));
            for again in 1..60 {
                let time = budget + 10 * again;
                if !box_.has("m") {
                    box_.ok(&format!("{fit} -o m --budget {time}ms"));
                } else if box_.ok("inspect m --json").json()["unfinished"].is_object() {
                    stops += 1;
                    // The flags may be repeated.
                    let flags = if again % 2 == 0 { " --shuffle" } else { "" };
                    box_.ok(&format!("fit a.svm --resume m -o m --budget {time}ms{flags}"));
                } else {
                    break;
                }
            }
            assert!(box_.read("m") == box_.read("whole"), "budget {budget} ms{more}");
        }
        assert!(stops > 0, "no run was interrupted");
    }
}

#[test]
fn numbers_of_texts_do_not_depend_on_where_a_run_was_interrupted() {
    let box_ = Sandbox::new();
    // Labels come in an order in which each new one lies between others.
    let names = ["m", "c", "x", "h", "e", "t", "a", "z", "r", "k", "b"];
    let text: String = (0..220).map(|n| format!("{},{}\n", names[n / 20], n % 13)).collect();
    box_.write("a.csv", format!("y,x\n{text}"));
    let fit = "fit a.csv --label y --loss softmax --shuffle --passes 2";
    box_.ok(&format!("{fit} -o whole"));
    for rows in [1, 3, 8, 21] {
        let _ = std::fs::remove_file(box_.path("m"));
        let child = box_.start(&format!("{fit} -o m --snapshot {rows}"));
        box_.wait_for(|name| name == "m");
        signal(&child, "KILL");
        child.wait_with_output().unwrap();
        let unfinished = box_.ok("inspect m --json").json()["unfinished"].is_object();
        if unfinished {
            box_.ok("fit a.csv --resume m -o m");
        }
        assert!(box_.read("m") == box_.read("whole"), "{rows}");
    }
}

#[test]
fn sorted_rows_are_learnt_as_well_as_mixed_ones() {
    let box_ = Sandbox::new();
    let mut u = Uniform(21);
    let mut normal = move || {
        let (a, b) = (u.next(), u.next());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    };
    // Three classes one after the other, the second and the third near each other.
    let centres = [[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.5, 2.0]];
    let flowers: Vec<String> = (0..300)
        .map(|n| {
            let x: Vec<_> = (0..4).map(|j| format!("{}:{:.2}", j + 1, centres[n / 100][j] + 0.35 * normal())).collect();
            format!("{} {}\n", n / 100, x.join(" "))
        })
        .collect();
    // Counts in ascending order.
    let mut counts: Vec<(u64, String)> = (0..2000)
        .map(|_| {
            let x = [normal(), normal(), normal()];
            let count = ((0.5 * x[0] - 0.4 * x[1]).exp() * (1.0 + 0.6 * normal()).max(0.0)).round() as u64;
            (count, format!("{count} 1:{:.3} 2:{:.3} 3:{:.3}\n", x[0], x[1], x[2]))
        })
        .collect();
    counts.sort();
    for (loss, sorted) in [("softmax", flowers), ("poisson", counts.into_iter().map(|row| row.1).collect::<Vec<_>>())] {
        box_.write("sorted.svm", sorted.concat());
        let measured = |flags: &str| {
            box_.ok(&format!("fit {flags} -o m --loss {loss} -q"));
            box_.ok("eval m sorted.svm --json").json()["loss"].as_f64().unwrap()
        };
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
        let plain = measured("sorted.svm");
        let shuffled: Vec<_> = (0..8).map(|seed| measured(&format!("sorted.svm --shuffle --seed {seed}"))).collect();
        let mixed: Vec<_> = (0..8)
            .map(|k| {
                // Another order, by another way: each next row is some fixed number of rows further.
                let step = [7, 11, 13, 17, 19, 23, 29, 31][k];
                let text: String = (0..sorted.len()).map(|n| &*sorted[n * step * 37 % sorted.len()]).collect();
                box_.write("mixed.svm", text);
                measured("mixed.svm")
            })
            .collect();
        let (shuffled, mixed) = (mean(&shuffled), mean(&mixed));
        assert!((shuffled / mixed - 1.0).abs() < 0.1, "{loss}: {shuffled} {mixed}");
        assert!(shuffled < plain, "{loss}: {shuffled} {plain}");
    }
}

#[test]
fn what_was_done_is_said() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    let ran = box_.ok("fit a.svm -o m --shuffle --seed 12 --report r.html");
    assert!(ran.err.lines().next().unwrap().contains("rows shuffled, seed 12"), "{}", ran.err);
    assert!(box_.text("r.html").contains("shuffled, another order in each pass, seed 12"));
    assert_eq!(box_.ok("fit a.svm -o m --shuffle --json").json()["shuffle"]["seed"], 0);
    assert!(box_.ok("fit a.svm -o m --json").json()["shuffle"].is_null());
    box_.fails(2, "fit a.svm --seed 1");
    // Other flags than those of the interrupted run.
    box_.write("bad.svm", format!("{}7 1:1\n", rows(100)));
    for (run, other, says) in [
        ("--shuffle --seed 4", "--shuffle --seed 5", "interrupted in a run with --shuffle --seed 4"),
        ("", "--shuffle", "interrupted in a run with no --shuffle"),
    ] {
        box_.fails(1, &format!("fit bad.svm -o m --snapshot 1 {run}"));
        let ran = box_.fails(2, &format!("fit bad.svm --resume m -o m {other}"));
        assert!(ran.err.contains(says), "{}", ran.err);
    }
}

#[test]
fn a_run_that_still_reads_can_be_ended() {
    let box_ = Sandbox::new();
    let start = |line: &str| {
        let mut command = box_.command(line.split(' '));
        let piped = std::process::Stdio::piped;
        command.env("SUREFOOT_MEMORY", "100").stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap()
    };
    let mut child = start("fit - -o m --shuffle");
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(rows(5000).as_bytes()).unwrap();
    signal(&child, "TERM");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert!(ran.status == 143 && ran.err.contains("before a row was learnt: nothing is written"), "{}", ran.err);
    assert!(box_.names().is_empty());
    // A pipe that nobody closes.
    let mut child = start("fit - -o m --shuffle --budget 50ms");
    let mut pipe = child.stdin.take().unwrap();
    // On a busy machine the budget is used up before all is written.
    let _ = pipe.write_all(rows(5000).as_bytes());
    let ran = Ran::from(child.wait_with_output().unwrap());
    drop(pipe);
    assert!(ran.status == 0 && ran.err.contains("before a row was learnt"), "{}", ran.err);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(50));
    let mut command = box_.command("fit a.svm -o m --shuffle".split(' '));
    let ran = Ran::from(command.env("SUREFOOT_MEMORY", "0").env("TMPDIR", box_.path("none")).output().unwrap());
    assert!(ran.status == 1 && ran.err.contains("none") && ran.err.contains("TMPDIR"), "{}", ran.err);
    assert_eq!(box_.names(), ["a.svm"]);
}
