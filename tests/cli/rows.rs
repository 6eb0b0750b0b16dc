//! Tests of rows in `predict`: bad rows, row names, and rows without some of the training columns.

use crate::sandbox::Sandbox;

/// Writes a model `m` of two columns, data without bad rows (`good.csv`), and data whose rows in lines 3, 5 and 7 are
/// bad (`bad.csv`).
fn faults() -> Sandbox {
    let box_ = Sandbox::new();
    box_.write("train.csv", "y,age,fare\n0,30,1\n1,69,2\n0,35,3\n1,61,1\n0,33,2\n1,58,2\n");
    box_.write("good.csv", "id,age,fare\na,30,1\n\"b\tc\",50,2\n,69,3\n");
    box_.write("bad.csv", "id,age,fare\na,30,1\nx,,2\n\"b\tc\",50,2\ny,old,3\n,69,3\nz,1\n");
    box_.ok("fit train.csv --label y -o m");
    box_
}

#[test]
fn rows_at_fault_end_a_batch_only_if_they_should() {
    let box_ = faults();
    let good = box_.ok("predict m good.csv --ignore id").out;
    let lines: Vec<&str> = good.lines().collect();
    let stopped = box_.fails(1, "predict m bad.csv --ignore id -o p").err;
    assert!(stopped.contains("bad.csv:3:3") && stopped.contains("--on-error empty"), "{stopped}");
    assert!(!box_.has("p"), "nothing is written");
    let empty = box_.ok("predict m bad.csv --ignore id --on-error empty");
    assert_eq!(empty.out, format!("{}\n\n{}\n\n{}\n\n", lines[0], lines[1], lines[2]));
    assert!(empty.err.contains("3 rows at fault: an empty line each"), "{}", empty.err);
    for place in ["bad.csv:3:3", "bad.csv:5:3: 'old'", "bad.csv:7:1"] {
        assert!(empty.err.contains(place), "{}", empty.err);
    }
    let skip = box_.ok("predict m bad.csv --ignore id --on-error skip --flush line");
    assert_eq!(skip.out, good);
    assert!(skip.err.contains("3 rows at fault: no line"), "{}", skip.err);
    // Other formats, and faults that are no row's.
    box_.write("t.vw", "1 | a:1 b\n0 | b\n");
    box_.write("bad.vw", "| a:1\n| a:\nno bar\n| b\n");
    box_.ok("fit t.vw -o v");
    assert_eq!(box_.ok("predict v bad.vw --on-error empty").out.lines().filter(|line| line.is_empty()).count(), 2);
    box_.write("open.csv", "age,fare\n30,1\n\"40,2\n");
    box_.fails(1, "predict m open.csv --on-error empty");
    box_.write("all.csv", "age,fare\n,1\n");
    assert_eq!(box_.ok("predict m all.csv --on-error empty -o p").out, "");
    assert_eq!(box_.text("p"), "\n");
}

#[test]
fn names_of_rows_stand_behind_predictions() {
    let box_ = faults();
    let good = box_.ok("predict m good.csv --ignore id").out;
    let lines: Vec<&str> = good.lines().collect();
    let named = format!("{}\ta\n{}\tb\\tc\n{}\t\n", lines[0], lines[1], lines[2]);
    for id in ["--id id", "--id 1"] {
        assert_eq!(box_.ok(&format!("predict m good.csv {id}")).out, named, "a column that the model does not know");
    }
    assert_eq!(box_.ok("predict m bad.csv --id id --on-error skip").out, named);
    let ages = box_.ok("predict m good.csv --ignore id --id age").out;
    assert_eq!(ages.lines().map(|line| line.split('\t').nth(1).unwrap()).collect::<Vec<_>>(), ["30", "50", "69"]);
    assert!(box_.fails(2, "predict m good.csv --id no").err.contains("there is no column 'no'"));
    // Several numbers a row, classes, folders.
    box_.write("c.csv", "y,x\nred,1\nblue,2\ngreen,3\n");
    box_.ok("fit c.csv --label y --loss softmax -o c");
    let rows = box_.ok("predict c c.csv --id y").out;
    assert!(rows.lines().zip(["red", "blue", "green"]).all(|(line, y)| {
        let (numbers, name) = line.split_once('\t').unwrap();
        numbers.split(' ').count() == 3 && name == y
    }));
    assert!(box_.ok("predict c c.csv --id y --type class").out.ends_with("\tgreen\n"));
    std::fs::create_dir_all(box_.path("d/part=a b")).unwrap();
    box_.write("d/part=a b/x.csv", "x\n1\n");
    assert!(box_.ok("predict c d --id part").out.ends_with("\ta b\n"));
}

#[test]
fn tags_stand_behind_predictions_as_vw_writes_them() {
    let box_ = Sandbox::new();
    box_.write("t.vw", "1 'one | a:1\n-1 2 two| b:1\n1 | a:2\n'four | b\n");
    box_.ok("fit t.vw -o m");
    let out = box_.ok("predict m t.vw").out;
    let names: Vec<_> = out.lines().map(|line| line.split_once(' ').map(|two| two.1)).collect();
    assert_eq!(names, [Some("one"), Some("two"), None, Some("four")]);
    box_.write("u.vw", "1 | a:1\n-1 2 | b:1\n1 | a:2\n | b\n");
    let numbers: Vec<_> = out.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(box_.ok("predict m u.vw").out.lines().collect::<Vec<_>>(), numbers);
}

#[test]
fn rows_do_without_the_columns_that_only_training_has() {
    let box_ = Sandbox::new();
    box_.write("e.csv", "n,time,w,x\n1,2,1,0\n4,4,2,1\n2,1,1,1\n0,3,1,0\n");
    box_.write("ones.csv", "n,time,w,x\n1,1,1,0\n4,1,1,1\n2,1,1,1\n0,1,1,0\n");
    box_.write("bare.csv", "n,x\n1,0\n4,1\n2,1\n0,0\n");
    box_.ok("fit e.csv --label n --exposure time --weight w --loss poisson -o m");
    let rates = box_.ok("predict m ones.csv").out;
    assert_eq!(box_.ok("predict m bare.csv --rates").out, rates);
    assert_eq!(box_.ok("predict m e.csv --rates").out, rates);
    let says = box_.fails(1, "predict m bare.csv").err;
    assert!(says.contains("column 'time' of the model is missing (--rates"), "{says}");
    let says = box_.fails(1, "eval m bare.csv --rates").err;
    assert!(says.contains("column 'w' of the model is missing (--unweighted"), "{says}");
    let bare = box_.ok("eval m bare.csv --rates --unweighted --json").out;
    assert_eq!(bare, box_.ok("eval m ones.csv --json").out);
    box_.ok("fit bare.csv --label n --loss poisson -o b");
    assert!(box_.fails(2, "predict b bare.csv --rates").err.contains("--rates is for models with"));
    assert!(box_.fails(2, "eval b bare.csv --unweighted").err.contains("--unweighted is for models with"));
    box_.write("t.vw", "1 2 0.5 | a\n0 1 1 | b\n");
    box_.ok("fit t.vw --loss poisson -o v");
    box_.write("z.vw", "| a\n| b\n");
    assert_eq!(box_.ok("predict v t.vw --rates").out, box_.ok("predict v z.vw").out);
}

#[test]
fn a_mean_beyond_all_numbers_is_a_fault_of_its_row() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n2 1:2\n5 1:3\n9 1:4\n".repeat(50));
    box_.write("b.svm", "3 1:1\n4 1:90000\n5 1:-90000\n");
    for loss in ["poisson", "gamma", "tweedie"] {
        box_.ok(&format!("fit a.svm --loss {loss} --quiet -o m"));
        let stopped = box_.fails(1, "predict m b.svm -o p").err;
        assert!(stopped.starts_with("surefoot: b.svm:2:") && stopped.contains("--type margin"), "{loss}: {stopped}");
        assert!(!box_.has("p"));
        let empty = box_.ok("predict m b.svm --on-error empty").out;
        let lines: Vec<&str> = empty.lines().collect();
        assert!(lines.len() == 3 && lines[1].is_empty() && lines[2].parse::<f64>().unwrap() >= 0.0, "{loss}: {empty}");
        assert_eq!(box_.ok("predict m b.svm --on-error skip").out.lines().count(), 2, "{loss}");
        let margins = box_.ok("predict m b.svm --type margin").out;
        assert!(margins.lines().nth(1).unwrap().parse::<f64>().unwrap() > 700.0, "{loss}: {margins}");
    }
}
