//! Cases of ill-conditioned data with `--passes auto`; expected values follow from closed forms and optimality
//! conditions.

use crate::sandbox::Sandbox;

fn numbers(text: &str) -> Vec<f64> {
    text.lines().map(|line| line.parse().unwrap_or_else(|_| panic!("{line}"))).collect()
}

/// Exports the model and returns the intercept, followed by the weights.
fn weights(box_: &Sandbox) -> Vec<f64> {
    let csv = box_.ok("export model.surefoot -o -").out;
    csv.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect()
}

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs().max(1e-300)
}

#[test]
fn exact_planes_and_means_of_groups_come_out() {
    let box_ = Sandbox::new();
    box_.write("plane.svm", "1110 0:1 1:1 2:1\n10 0:1\n100 1:1\n1000 2:1\n1020 0:2 2:1\n300 1:3\n");
    box_.ok("fit plane.svm --loss squared --passes auto");
    let plane = numbers(&box_.ok("predict model.surefoot plane.svm").out);
    assert!(
        plane.iter().zip([1110.0, 10.0, 100.0, 1000.0, 1020.0, 300.0]).all(|(a, b)| near(*a, b, 1e-9)),
        "{plane:?}"
    );
    box_.write("rates.svm", "0 1:1\n2 1:1\n0.5 1:1\n1.5 1:1\n0 2:1\n7 2:1\n2 2:1\n3 2:1\n");
    box_.ok("fit rates.svm --loss poisson --passes auto --tol 1e-9");
    let rates = numbers(&box_.ok("predict model.surefoot rates.svm").out);
    assert!(
        rates[..4].iter().all(|rate| near(*rate, 1.0, 1e-6)) && rates[4..].iter().all(|rate| near(*rate, 3.0, 1e-6))
    );
    box_.write("none.svm", "1\n0\n1\n1\n");
    box_.ok("fit none.svm --passes auto");
    assert!(near(weights(&box_)[0], 3.0_f64.ln(), 1e-6));
    box_.write("one.svm", "2.5 1:3\n");
    box_.ok("fit one.svm --loss squared --passes auto");
    assert!(near(numbers(&box_.ok("predict model.surefoot one.svm").out)[0], 2.5, 1e-9));
}

#[test]
fn units_of_columns_and_tiny_values_do_not_matter() {
    let box_ = Sandbox::new();
    let rows = |scale: [f64; 2], first: &str| -> String {
        let row = |i: u32| {
            let (a, b) = (f64::from(i * 7 % 11) - 5.0, f64::from(i * 5 % 13) - 6.0);
            let label = u32::from(a - 0.5 * b + f64::from(i * 3 % 7) > 3.0);
            format!("{label} 1:{:e} 2:{:e}\n", a * scale[0], b * scale[1])
        };
        first.to_owned() + &(0..200).map(row).collect::<String>()
    };
    let fit = |text: &str, flags: &str| {
        box_.write("a.svm", text);
        let done = box_.ok(&format!("fit a.svm --passes auto --tol 1e-10 --json {flags}")).json();
        (weights(&box_), done["objective"].as_f64().unwrap(), done["passes"].as_f64().unwrap())
    };
    let (plain, objective, passes) = fit(&rows([1.0, 1.0], ""), "");
    let (wild, again, more) = fit(&rows([1e8, 1e-8], ""), "");
    assert!(near(again, objective, 1e-10) && more <= 1.1 * passes + 1.0, "{objective} {again} {passes} {more}");
    assert!(
        near(wild[0], plain[0], 1e-4) && near(wild[1] * 1e8, plain[1], 1e-4) && near(wild[2] * 1e-8, plain[2], 1e-4)
    );
    let (zero, ..) = fit(&rows([1.0, 1.0], "1 3:0\n"), "--l2 0.01");
    for tiny in ["1e-30", "1e-310"] {
        let (with, ..) = fit(&rows([1.0, 1.0], &format!("1 3:{tiny}\n")), "--l2 0.01");
        assert!(with.iter().all(|w| w.is_finite()), "{tiny} {with:?}");
        assert!((0..3).all(|k| near(with[k], zero[k], 1e-6)), "{tiny}: {with:?} {zero:?}");
    }
}

/// Poisson regression on columns so large that exponentials overflow during the search ends at the optimum, where Σ(mean
/// − label)·x = 0 for the intercept and each column.
#[test]
fn counts_whose_exponentials_overflow_reach_the_optimum() {
    let box_ = Sandbox::new();
    let counts: Vec<(f64, f64)> =
        (0..60).map(|i| (f64::from(i * 50), (f64::from(i) * 0.05 + 0.5).exp().floor())).collect();
    let mut huge = counts.clone();
    huge.push((2000.0, 50_000.0));
    for rows in [counts, huge] {
        box_.write("c.svm", rows.iter().map(|(x, y)| format!("{y} 1:{x}\n")).collect::<String>());
        let ran = box_.ok("fit c.svm --loss poisson --passes auto --tol 1e-12");
        assert!(!ran.err.contains("inf") && !ran.err.contains("NaN"), "{}", ran.err);
        let means = numbers(&box_.ok("predict model.surefoot c.svm").out);
        let (total, moment) =
            (rows.iter().map(|row| row.1).sum::<f64>(), rows.iter().map(|row| row.0 * row.1).sum::<f64>());
        assert!(near(means.iter().sum(), total, 1e-4), "{total}");
        assert!(near(means.iter().zip(&rows).map(|(mean, row)| mean * row.0).sum(), moment, 1e-4), "{moment}");
    }
}
