//! Tests of names in flags (columns, namespaces, feature indices), both existing and unknown.

use crate::sandbox::{Sandbox, rows};

/// Exports a model and returns the names of its features, without the intercept.
fn features(box_: &Sandbox, model: &str) -> Vec<String> {
    let csv = box_.ok(&format!("export {model} -o -")).out;
    csv.lines().skip(2).map(|line| line.split(',').next().unwrap().to_owned()).collect()
}

#[test]
fn indices_of_svmlight_are_left_out_and_kept() {
    let box_ = Sandbox::new();
    box_.write("all.svm", rows(300));
    let without = |leave: &dyn Fn(usize) -> bool| -> String {
        let row = |line: &str| {
            let used = |pair: &&str| pair.split_once(':').is_none_or(|(index, _)| !leave(index.parse().unwrap()));
            line.split(' ').filter(used).collect::<Vec<_>>().join(" ") + "\n"
        };
        rows(300).lines().map(row).collect()
    };
    box_.write("few.svm", without(&|index| index == 3 || (5..=9).contains(&index)));
    for more in ["", " --passes 3 --penalty-factor 1-4=0 --l2 0.1", " --bits 3", " --bits 9 --radius 1"] {
        box_.ok(&format!("fit few.svm -o few{more}"));
        for flags in
            ["--ignore 3,5-9", "--ignore 9-9 --ignore 3 --ignore 5-8", "--keep 1-4,10 --ignore 3", "--keep 1,2,4,10"]
        {
            box_.ok(&format!("fit all.svm -o m {flags}{more}"));
            // What is left out is kept in the model, so that predictions leave it out too.
            let [weights, same] = ["m", "few"].map(|model| box_.ok(&format!("export {model} -o -")).out);
            assert_eq!(weights, same, "{flags}{more}");
            let [p, same] = ["m all.svm", "few few.svm"].map(|line| box_.ok(&format!("predict {line}")).out);
            assert_eq!(p, same, "{flags}{more}");
        }
    }
    let bad = ["a", "3-", "-3", "9-5", "x*", "3:4", "1.5"];
    for flag in ["--ignore", "--keep"] {
        for name in bad {
            let ran = box_.fails(2, &format!("fit all.svm {flag}={name} -o n"));
            assert!(ran.err.contains(&format!("{flag}: '{name}' is no index")), "{}", ran.err);
            let ran = box_.feed(&format!("fit - {flag}={name} -o n"), rows(9).as_bytes());
            assert!(ran.status == 2 && ran.err.contains("is no index"), "{}", ran.err);
        }
    }
    assert!(box_.fails(2, "fit all.svm --penalty-factor age=0 --l2 1 -o n").err.contains("'age' is no index"));
    assert!(!box_.has("n"));
    // Flags at prediction are held against the model.
    box_.ok("fit all.svm --ignore 3 -o m");
    box_.ok("predict m all.svm --ignore 3 -o p");
    assert!(box_.fails(2, "predict m all.svm --ignore 4").err.contains("--ignore"));
}

const LOAN: &str = "age,income,city,approved\n30,2.5,Bonn,1\n41,1.5,Köln,0\n28,3,Bonn,1\n55,0.5,Ulm,0\n38,2,Ulm,1\n";

#[test]
fn columns_are_kept_and_the_others_left_out() {
    let box_ = Sandbox::new();
    box_.write("a.csv", LOAN);
    box_.write("a.tsv", LOAN.replace(',', "\t"));
    for data in ["a.csv", "a.tsv", "a.csv a.csv"] {
        for (keep, same) in [
            ("age,income", "--ignore city"),
            ("1-2", "--ignore 3"),
            ("city", "--ignore 1,income"),
            ("c*", "--ignore age,income"),
            ("approved,age", "--ignore income,city"),
            ("city --categorical city", "--ignore 1-2"),
            ("age --keep income --ignore city", "--ignore city"),
        ] {
            box_.ok(&format!("fit {data} --label approved --keep {keep} -o m"));
            box_.ok(&format!("fit {data} --label approved {same} -o same"));
            assert_eq!(box_.ok("export m -o -").out, box_.ok("export same -o -").out, "{keep}");
            let data = data.split(' ').next().unwrap();
            let [p, q] = ["m", "same"].map(|model| box_.ok(&format!("predict {model} {data}")).out);
            assert_eq!(p, q, "{keep}");
        }
    }
    box_.ok("fit a.csv --label approved --ignore city -o same");
    box_.ok("fit a.csv --label approved --keep age,income -o m");
    assert_eq!(features(&box_, "m").len(), 2);
    // Columns that are new, or absent, do not matter where they are not kept.
    box_.write("new.csv", "extra,age,income\nx,30,2.5\n");
    assert_eq!(box_.ok("predict m new.csv").out.lines().count(), 1);
    let missing = box_.fails(1, "predict same new.csv");
    assert!(missing.err.contains("not a column") || missing.err.contains("is missing"), "{}", missing.err);
    // To leave out a column that this file lacks does no harm; one that the model does not know either may be mistyped.
    assert!(!box_.ok("predict m new.csv --ignore city,extra").err.contains("--ignore"));
    for command in ["predict", "eval"] {
        let ran = box_.ok(&format!("{command} same a.csv --ignore citi"));
        assert!(ran.err.contains("--ignore: there is no column 'citi'; did you mean 'city'?"), "{}", ran.err);
    }
    for (flags, says) in [
        ("--keep nosuch", "--keep: there is no column 'nosuch'; the columns are age, income, city, approved"),
        ("--keep 9", "--keep: there is no column '9'"),
        ("--keep z*", "--keep: there is no column 'z*'"),
        ("--keep age --ignore age", "has another use"),
        ("--keep age --categorical city", "--categorical: 'city' is not among the columns that --keep names"),
        ("--keep age --interact age:city", "--interact: 'city' is no feature"),
        ("--ignore nosuch", "--ignore: there is no column 'nosuch'"),
        ("--weight nosuch", "--weight: there is no column 'nosuch'"),
        ("--interact age:nosuch", "--interact: 'nosuch' is no column"),
        ("--bounds nosuch=0,", "--bounds: there is no column 'nosuch'"),
        ("--l2 1 --penalty-factor no*=0", "--penalty-factor: there is no column 'no*'"),
        ("--l2 1 --penalty-factor approved=0", "--penalty-factor: no feature is made of column 'approved'"),
    ] {
        let ran = box_.fails(2, &format!("fit a.csv --label approved {flags} -o n"));
        assert!(ran.err.contains(says), "{flags}: {}", ran.err);
        let ran = box_.feed(&format!("fit - --label approved {flags} -o n"), LOAN.as_bytes());
        assert!(ran.status == 2 && ran.err.contains(says), "{flags}: {}", ran.err);
    }
    assert!(box_.fails(2, "fit a.csv -o n").err.contains("which column is the label? say --label COL"));
    assert!(!box_.has("n"));
}

#[test]
fn columns_of_parquet_are_kept_and_missed_alike() {
    let box_ = Sandbox::new();
    for name in ["rows.parquet", "rows.arrow"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar/");
        std::fs::copy(format!("{folder}{name}"), box_.path(name)).unwrap();
        box_.ok(&format!("fit {name} --label y --keep a,c -o m"));
        box_.ok(&format!("fit {name} --label y --ignore w,e,b -o same"));
        assert_eq!(box_.ok("export m -o -").out, box_.ok("export same -o -").out);
        for (flags, says) in [
            ("--keep nosuch", "--keep: there is no column 'nosuch'"),
            ("--ignore nosuch", "--ignore: there is no column 'nosuch'"),
            ("--interact a:nosuch", "--interact: no feature is made of a column 'nosuch'"),
            ("--bounds nosuch=0,", "--bounds: there is no column 'nosuch'"),
            ("--keep a --numeric b", "not among the columns that --keep names"),
        ] {
            let ran = box_.fails(2, &format!("fit {name} --label y {flags} -o n"));
            assert!(ran.err.contains(name) && ran.err.contains(says), "{flags}: {}", ran.err);
        }
    }
}

#[test]
fn names_that_no_row_has_are_said_and_the_model_is_saved() {
    let box_ = Sandbox::new();
    let vw = |n: usize| (0..n).map(|k| format!("{} |a x:{k} |b y\n", k % 2)).collect::<String>();
    box_.write("few.vw", vw(20));
    box_.write("many.vw", vw(3000));
    box_.write("many.svm", rows(3000));
    for (line, flag) in [
        ("fit few.vw --ignore nosuch", "--ignore nosuch"),
        ("fit few.vw --keep a,nosuch", "--keep nosuch"),
        ("fit few.vw --interact a:nosuch", "--interact nosuch"),
        ("fit many.vw --ignore b,nosuch", "--ignore nosuch"),
        ("fit many.svm --ignore 3,77", "--ignore 77"),
        ("fit many.svm --keep 1-4,20-30", "--keep 20-30"),
    ] {
        let ran = box_.ok(&format!("{line} --quiet -o m"));
        let times = ran.err.lines().filter(|line| line.contains(&format!("warning: {flag}: none of "))).count();
        assert_eq!(times, if line.contains("many") { 2 } else { 1 }, "{line}: {}", ran.err);
        assert_eq!(ran.err.matches(": none of ").count(), times, "{line}: {}", ran.err);
        assert!(box_.has("m"));
        std::fs::remove_file(box_.path("m")).unwrap();
    }
    for line in ["fit few.vw --keep nosuch", "fit many.svm --keep 77"] {
        let ran = box_.fails(1, &format!("{line} --quiet -o m"));
        assert!(ran.err.lines().last().unwrap().contains("nothing was learnt") && !box_.has("m"), "{}", ran.err);
    }
    let ran = box_.ok("fit many.vw --ignore b --interact a:a --keep a --quiet -o m");
    assert!(!ran.err.contains("none of"), "{}", ran.err);
}
