//! Tests of missing cells: which texts count as missing, and how cells are filled with column means that the model stores.

use crate::sandbox::Sandbox;

/// Exports a model and returns the name of each feature with its weight.
fn weights(box_: &Sandbox, model: &str) -> Vec<(String, f64)> {
    let text = box_.ok(&format!("export {model} -o -")).out;
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].to_owned(), cells[2].parse().unwrap())
    };
    text.lines().skip(1).map(line).collect()
}

/// Writes a table with missing cells in column `b`, whose mean is −2.5 (without the row of weight 0), and the equivalent table in
/// which the mean and an indicator column are filled in.
fn gaps(box_: &Sandbox) {
    let rows = [
        (0, 1, 1, "-1"),
        (1, 1, 2, ""),
        (0, 2, 3, "-4"),
        (1, 1, 1, "NA"),
        (1, 1, 5, "-1"),
        (0, 0, 4, "900"),
        (1, 1, 2, "0"),
        (0, 1, 0, "-5"),
    ];
    let (mut holes, mut filled) = ("y,w,a,b\n".to_owned(), "y,w,a,b,gap\n".to_owned());
    for (y, w, a, b) in rows {
        let (value, gap) = b.parse::<f64>().map_or((-2.5, 1), |b| (b, 0));
        holes += &format!("{y},{w},{a},{b}\n");
        filled += &format!("{y},{w},{a},{value},{gap}\n");
    }
    box_.write("holes.csv", holes);
    box_.write("filled.csv", filled);
}

#[test]
fn a_missing_number_counts_as_the_mean_beside_an_indicator() {
    let box_ = Sandbox::new();
    gaps(&box_);
    for flags in ["", "--passes 3 --holdout none", "--passes auto --l2 0.1", "--shuffle --seed 3"] {
        box_.ok(&format!("fit holes.csv --label y --weight w --missing mean {flags} -o m"));
        box_.ok(&format!("fit filled.csv --label y --weight w {flags} -o f"));
        let (mut m, mut f) = (weights(&box_, "m"), weights(&box_, "f"));
        m.iter_mut().filter(|(name, _)| name == "b=").for_each(|(name, _)| *name = "gap".to_owned());
        m.sort_by(|a, b| a.0.cmp(&b.0));
        f.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(m.iter().map(|w| &w.0).collect::<Vec<_>>(), f.iter().map(|w| &w.0).collect::<Vec<_>>(), "{flags}");
        // Sums over a row are rounded in another order.
        assert!(m.iter().zip(&f).all(|(m, f)| (m.1 - f.1).abs() <= 1e-6 * (1.0 + f.1.abs())), "{flags}: {m:?} {f:?}");
    }
    // Products, and ids that are hashed, take the mean too.
    // The indicator is multiplied as the column is.
    let both = [("--interact a:b", "--interact a:b --interact a:gap"), ("--bits 20", "--bits 20")];
    for (flags, filled) in both {
        box_.ok(&format!("fit holes.csv --label y --weight w --missing mean {flags} -o m"));
        box_.ok(&format!("fit filled.csv --label y --weight w {filled} -o f"));
        let number = |out: String| out.lines().map(|line| line.parse().unwrap()).collect::<Vec<f64>>();
        let (m, f) = (number(box_.ok("predict m holes.csv").out), number(box_.ok("predict f filled.csv").out));
        assert!(m.iter().zip(&f).all(|(m, f)| (m - f).abs() < 1e-6), "{flags}: {m:?} {f:?}");
    }
}

#[test]
fn the_means_of_a_run_are_those_that_it_began_with() {
    let box_ = Sandbox::new();
    gaps(&box_);
    let fit = "fit holes.csv --label y --weight w --missing mean --passes 4 --holdout none";
    box_.ok(&format!("{fit} -o whole"));
    let holes = box_.text("holes.csv");
    // A row at fault ends the run behind a snapshot; then it is mended.
    box_.write("holes.csv", holes.replace("0,1,0,-5", "0,1,0,-5,"));
    box_.fails(1, &format!("{fit} --snapshot 1 -o m"));
    box_.write("holes.csv", &holes);
    let stopped = box_.text("holes.csv");
    assert_eq!(stopped, holes);
    let from_pipe = box_.feed(
        "fit - --format csv --label y --weight w --missing mean --passes 4 --holdout none -o p",
        holes.as_bytes(),
    );
    assert_eq!(from_pipe.status, 0, "{}", from_pipe.err);
    assert!(box_.read("p") == box_.read("whole"));
    box_.ok("fit holes.csv --label y --weight w --missing mean --threads 1 --passes 4 --holdout none -o t");
    assert!(box_.read("t") == box_.read("whole"));
    // New rows of a finished model are filled with the means that it has.
    box_.write("more.csv", "y,w,a,b\n1,1,1,\n0,1,2,700\n");
    box_.write("more_filled.csv", "y,w,a,b,gap\n1,1,1,-2.5,1\n0,1,2,700,0\n");
    box_.ok("fit filled.csv --label y --weight w --passes 4 --holdout none -o f");
    box_.ok("fit more.csv --resume whole -o m");
    box_.ok("fit more_filled.csv --resume f -o f");
    let number = |line: &str| box_.ok(line).out.lines().map(|line| line.parse().unwrap()).collect::<Vec<f64>>();
    let (m, f) = (number("predict m holes.csv"), number("predict f filled.csv"));
    assert!(m.iter().zip(&f).all(|(m, f)| (m - f).abs() < 1e-6), "{m:?} {f:?}");
    assert!(box_.fails(2, "predict m more.csv --missing indicator").err.contains("--missing mean"));
}

#[test]
fn gaps_that_training_had_none_of_are_filled_or_said() {
    let box_ = Sandbox::new();
    let rows: String = (0..60).map(|n| format!("{},{},{}\n", u8::from(n % 7 < n / 10), 30 + n % 40, n % 11)).collect();
    box_.write("train.csv", format!("y,age,fare\n{rows}"));
    let mean = (0..60).map(|n| f64::from(30 + n % 40)).sum::<f64>() / 60.0;
    box_.write("new.csv", "age,fare\n,5\n");
    box_.write("mean.csv", format!("age,fare\n{mean},5\n"));
    box_.ok("fit train.csv --label y --missing mean --passes auto --l2 0.01 -o m");
    let filled = box_.ok("predict m new.csv");
    let (at, of_mean): (f64, f64) =
        (filled.out.trim().parse().unwrap(), box_.ok("predict m mean.csv").out.trim().parse().unwrap());
    assert!((at - of_mean).abs() < 1e-12, "{at} {of_mean}");
    assert!(filled.err.contains("column 'age' is missing in 1 of 1 row and was in none of training"), "{}", filled.err);
    box_.ok("fit train.csv --label y --missing indicator -o i");
    let said = box_.ok("predict i new.csv").err;
    assert!(said.contains("counts as 0") && said.contains("--missing mean"), "{said}");
    box_.ok("fit train.csv --label y -o r");
    let says = box_.fails(1, "predict r new.csv").err;
    assert!(says.contains("--on-error empty") && says.contains("--missing mean"), "{says}");
}

#[test]
fn words_for_missing_may_be_values() {
    let box_ = Sandbox::new();
    box_.write("w.csv", "y,c\n1,NA\n0,None\n1,nan\n0,null\n1,x\n");
    box_.fails(1, "fit w.csv --label y");
    box_.ok("fit w.csv --label y --no-default-na -o m");
    let names: Vec<_> = weights(&box_, "m").into_iter().map(|weight| weight.0).collect();
    for name in ["c=NA", "c=None", "c=nan", "c=null", "c=x"] {
        assert!(names.iter().any(|found| found == name), "{names:?}");
    }
    assert_eq!(box_.ok("predict m w.csv").out.lines().count(), 5, "the model knows");
    box_.write("gap.csv", "y,c\n1,\n0,-\n1,NA\n");
    assert!(box_.fails(1, "fit gap.csv --label y --no-default-na").err.contains("gap.csv:2:3"));
    box_.ok("fit gap.csv --label y --no-default-na --na - --missing indicator -o g");
    let names: Vec<_> = weights(&box_, "g").into_iter().map(|weight| weight.0).collect();
    assert!(
        names.contains(&"c=".to_owned()) && names.contains(&"c=NA".to_owned()) && !names.contains(&"c=-".to_owned())
    );
    box_.write("n.csv", "y,x\n1,2\n0,NA\n");
    let says = box_.fails(1, "fit n.csv --label y --no-default-na --missing mean").err;
    assert!(says.contains("n.csv:3:3") && says.contains("is not a number"), "{says}");
    assert!(box_.fails(2, "predict m w.csv --na x").err.contains("--na"));
}
