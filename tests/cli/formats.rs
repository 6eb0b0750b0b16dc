//! Tests that all text formats yield the same rows.

use crate::sandbox::{Sandbox, Uniform};

/// Generates `n` rows of a number and a colour, with a label that depends on both: (label, number, colour).
fn table(n: usize) -> Vec<(bool, f64, &'static str)> {
    let mut u = Uniform(99);
    let row = |_| {
        let x = (2e3 * u.next() - 1e3).round() / 1e3;
        let colour = ["red", "green", "blue"][(3.0 * u.next()) as usize];
        let margin = 2.0 * x + if colour == "red" { 1.5 } else { -0.5 };
        (u.next() < 1.0 / (1.0 + (-margin).exp()), x, colour)
    };
    (0..n).map(row).collect()
}

#[test]
fn the_same_rows_give_the_same_losses_in_every_format() {
    let box_ = Sandbox::new();
    let rows = table(2000);
    let label = |y: bool| if y { "yes" } else { "no" };
    let text = |head: &str, row: &dyn Fn(&(bool, f64, &str)) -> String| {
        head.to_owned() + &rows.iter().map(|found| row(found) + "\n").collect::<String>()
    };
    let index = |colour: &str| ["red", "green", "blue"].iter().position(|other| *other == colour).unwrap_or(0) + 2;
    box_.write("a.csv", text("y,x,colour\n", &|(y, x, c)| format!("{},{x},{c}", label(*y))));
    box_.write("a.tsv", text("colour\tx\ty\n", &|(y, x, c)| format!("{c}\t{x}\t{}", label(*y))));
    box_.write("a.vw", text("", &|(y, x, c)| format!("{} | x:{x} |colour {c}", if *y { 1 } else { -1 })));
    box_.write("a.svm", text("", &|(y, x, c)| format!("{} 1:{x} {}:1", u8::from(*y), index(c))));
    let losses: Vec<f64> = ["a.csv --label y", "a.tsv --label y", "a.vw", "a.svm"]
        .iter()
        .map(|data| box_.ok(&format!("fit {data} --json -o m")).json()["loss"].as_f64().unwrap())
        .collect();
    assert!(losses[0] < 0.6, "{losses:?}");
    // Ids differ, and with them the order in which lanes in f32 are added up.
    assert!(losses.iter().all(|loss| (loss / losses[0] - 1.0).abs() < 1e-5), "{losses:?}");
}

#[test]
fn formats_are_told_by_content_where_no_name_does() {
    let box_ = Sandbox::new();
    let csv: String = table(50).iter().map(|(y, x, c)| format!("{},{x},{c}\n", u8::from(*y))).collect();
    let csv = format!("y,x,colour\n{csv}");
    box_.write("a.csv", &csv);
    box_.write("a", &csv);
    box_.ok("fit a.csv --label y -o by_name");
    let ran = box_.ok("fit a --label y -o by_content");
    assert!(ran.err.contains("format csv (guessed)"), "{}", ran.err);
    assert!(box_.feed("fit - --label y -o by_pipe", csv.as_bytes()).status == 0);
    assert!(box_.read("by_name") == box_.read("by_content") && box_.read("by_name") == box_.read("by_pipe"));
    // Said, it is not doubted.
    assert!(box_.fails(1, "fit a --format svmlight").err.contains("a:1:1: 'y,x,colour'"));
}

#[test]
fn labels_that_are_text_are_said_stored_and_predicted() {
    let box_ = Sandbox::new();
    let rows: String =
        table(300).iter().map(|(y, x, c)| format!("{},{x},{c},1\n", if *y { "up" } else { "down" })).collect();
    box_.write("a.csv", format!("y,x,colour,w\n?,0,red,0\n{rows}"));
    let ran = box_.ok("fit a.csv --label y --weight w --test a.csv");
    assert!(ran.err.contains("up is positive, down negative"), "{}", ran.err);
    let classes = box_.ok("predict model.surefoot a.csv --type class").out;
    assert!(classes.lines().count() == 301 && classes.lines().all(|class| ["up", "down"].contains(&class)));
    assert!(box_.ok("inspect model.surefoot").err.is_empty());
    assert_eq!(box_.ok("inspect model.surefoot --json").json()["settings"]["classes"][0]["text"], "down");
    box_.write("b.csv", "y,x,colour,w\nup,1,red,1\nsideways,0,red,1\n");
    let ran = box_.fails(1, "eval model.surefoot b.csv");
    assert!(ran.err.contains("b.csv:3:1: 'sideways'") && ran.err.contains("(down, up)"), "{}", ran.err);
    let third = box_.fails(1, "fit b.csv a.csv --label y --weight w");
    assert!(third.err.contains("a third class beside 'sideways' and 'up'"), "{}", third.err);
    assert!(box_.fails(1, "fit a.csv --label y --weight w --loss squared").err.contains("a.csv:"));
}

#[test]
fn settings_of_tables_are_held_against_the_model() {
    let box_ = Sandbox::new();
    let csv: String = table(50).iter().map(|(y, x, c)| format!("{},{x},{c}\n", u8::from(*y))).collect();
    box_.write("a.csv", format!("y,x,colour\n{csv}"));
    box_.ok("fit a.csv --label y --interact x:colour --bits 18");
    box_.ok(
        "eval model.surefoot a.csv --label y --numeric x --categorical 3 --interact x:colour --bits 18 --missing error",
    );
    for flags in
        ["--label x", "--numeric colour", "--bits 17", "--interact colour:x", "--missing indicator", "--ignore x"]
    {
        let ran = box_.fails(2, &format!("eval model.surefoot a.csv {flags}"));
        assert!(ran.err.contains("model.surefoot: trained with"), "{}", ran.err);
    }
    let csv = box_.ok("export model.surefoot -o -").out;
    let has = |name: &str| csv.lines().any(|line| line.split(',').next() == Some(name));
    assert!(["x", "colour=red", "colour=green", "x*colour=blue"].into_iter().all(has), "{csv}");
}
