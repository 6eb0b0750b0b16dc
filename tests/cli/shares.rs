//! Tests of binomial models: labels are shares of successes, with the numbers of trials in a column.

use crate::sandbox::Sandbox;

/// Exports a model of one column and returns its intercept and slope.
fn line(box_: &Sandbox, model: &str) -> Vec<f64> {
    let text = box_.ok(&format!("export {model} -o -")).out;
    text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect()
}

/// Writes the successes at five doses twice: as shares with numbers of trials, and as one weighted row per class.
fn doses() -> Sandbox {
    let box_ = Sandbox::new();
    let doses = [(0, 2, 20, 1), (1, 5, 25, 2), (2, 9, 20, 1), (3, 21, 30, 3), (4, 18, 20, 1)];
    let (mut shares, mut long) = ("dose,share,n,w\n".to_owned(), "dose,y,w\n".to_owned());
    for (dose, k, n, w) in doses {
        shares += &format!("{dose},{},{n},{w}\n", f64::from(k) / f64::from(n));
        long += &format!("{dose},1,{k}\n{dose},0,{}\n", n - k);
    }
    box_.write("doses.csv", shares + "9,0.5,0,1\n");
    box_.write("long.csv", long);
    box_
}

#[test]
fn shares_with_trials_are_a_binomial_model() {
    let box_ = doses();
    let fit = "fit doses.csv --label share --trials n --passes auto --tol 1e-12";
    // Of statsmodels 0.14: GLM(share, [1, dose], Binomial(), var_weights=n), and with n·w.
    for (flags, expected) in [
        ("--ignore w", [-2.408_407_053_003_729_4, 1.104_732_367_358_070_5]),
        ("--weight w", [-2.435_756_218_909_668_6, 1.103_548_708_685_034_2]),
    ] {
        box_.ok(&format!("{fit} {flags} -o m"));
        let found = line(&box_, "m");
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{flags}: {found:?}");
    }
    // With a penalty, to a certified optimum, and as rows of both classes.
    for penalty in ["--l2 0.01", "--l1 0.01"] {
        let done = box_.ok(&format!("{fit} --ignore w {penalty} --json -o m")).json();
        let long =
            box_.ok(&format!("fit long.csv --label y --weight w --passes auto --tol 1e-12 {penalty} --json -o l"));
        let objective = |done: &serde_json::Value| done["objective"].as_f64().unwrap();
        assert!((objective(&done) - objective(&long.json())).abs() < 1e-10, "{penalty}");
        assert_eq!(done["certificate"]["kind"], "deterministic", "{done}");
        let (a, b) = (line(&box_, "m"), line(&box_, "l"));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{penalty}: {a:?} {b:?}");
        assert_eq!(done["rows"], 6, "rows of DATA, not trials");
    }
}

#[test]
fn shares_are_measured_and_predicted() {
    let box_ = doses();
    box_.ok("fit doses.csv --label share --trials n --ignore w --passes auto -o m");
    box_.ok("fit long.csv --label y --weight w --passes auto -o l");
    let (m, l) = (box_.ok("eval m doses.csv --json").json(), box_.ok("eval l long.csv --json").json());
    for metric in ["weight", "loss", "log_loss", "accuracy", "auc", "pr_auc", "brier", "precision", "calibration_error"]
    {
        let [a, b] = [&m, &l].map(|found| found[metric].as_f64().unwrap());
        assert!((a - b).abs() < 1e-4, "{metric}: {a} {b}");
    }
    // Deviances of statsmodels are sums over trials: 0.19100 of 44.00222, and there are 115 trials.
    let (deviance, d2) = (m["deviance"].as_f64().unwrap(), m["d2"].as_f64().unwrap());
    assert!((deviance - 0.190_999_6 / 115.0).abs() < 1e-5 && (d2 - (1.0 - 0.190_999_6 / 44.002_222)).abs() < 1e-5);
    assert_eq!((m["rows"].as_u64(), l["deviance"].as_f64()), (Some(6), None));
    box_.write("new.csv", "dose\n0\n4\n");
    let predicted = box_.ok("predict m new.csv").out;
    let predicted: Vec<f64> = predicted.lines().map(|line| line.parse().unwrap()).collect();
    assert!((predicted[0] - 0.082_5).abs() < 1e-3 && predicted[1] > 0.85, "{predicted:?}");
    box_.write("bare.csv", "dose,share\n0,0.1\n4,0.9\n");
    assert!(box_.fails(1, "eval m bare.csv").err.contains("--unweighted"));
    assert!(box_.ok("eval m bare.csv --unweighted --json").json()["loss"].as_f64().unwrap() < 0.4);
}

#[test]
fn one_pass_learns_shares_and_goes_on() {
    let box_ = Sandbox::new();
    let mut u = crate::sandbox::Uniform(7);
    let mut rows = "x,share,n\n".to_owned();
    for _ in 0..3000 {
        let (x, n) = (4.0 * u.next() - 2.0, 1 + (9.0 * u.next()) as u32);
        let k = (0..n).filter(|_| u.next() < 1.0 / (1.0 + f64::exp(0.5 - 1.5 * x))).count();
        rows += &format!("{x:.4},{},{n}\n", k as f64 / f64::from(n));
    }
    box_.write("a.csv", rows);
    box_.ok("fit a.csv --label share --trials n -o m");
    let found = line(&box_, "m");
    assert!((found[0] + 0.5).abs() < 0.15 && (found[1] - 1.5).abs() < 0.2, "{found:?}");
    for flags in ["--passes 3", "--loss logistic --shuffle", "--l2 auto --passes auto", "--test a.csv"] {
        box_.ok(&format!("fit a.csv --label share --trials n {flags} -o p"));
        let found = line(&box_, "p");
        assert!((found[0] + 0.5).abs() < 0.15 && (found[1] - 1.5).abs() < 0.2, "{flags}: {found:?}");
    }
    box_.ok("fit a.csv --resume m -o m");
    assert!((line(&box_, "m")[1] - 1.5).abs() < 0.2);
}

#[test]
fn what_is_no_share_says_so() {
    let box_ = doses();
    box_.write("counts.csv", "x,k,n\n1,3,5\n2,1,4\n");
    box_.write("texts.csv", "x,k,n\n1,a,5\n");
    for (status, line, says) in [
        (1, "fit doses.csv --label share --weight n", "--trials COL"),
        (1, "fit counts.csv --label k --trials n", "label 3 is no share"),
        (1, "fit texts.csv --label k --trials n", "texts.csv:2:3: 'a'"),
        (2, "fit counts.csv --label k --trials n --loss squared", "--trials makes labels shares"),
        (2, "fit counts.csv --label k --trials n --radius 3", "--trials excludes --radius"),
        (2, "fit counts.csv --label k --trials n --class-weight balanced", "--class-weight"),
        (2, "fit counts.csv --format vw --trials n", "--trials"),
    ] {
        let ran = box_.fails(status, line);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
    box_.ok("fit doses.csv --label share --trials n --ignore w -o m");
    assert!(box_.fails(1, "eval m counts.csv").err.contains("column 'dose'"));
}
