//! Tests that a pass in rounds is as good as the sequential pass, on the bundled sets and on rows that are sorted across shards.

use surefoot_bench::{
    Set,
    rounds::{Order, deal, in_turn, synthetic, timed_in_rounds},
};
use surefoot_glm::{Batch, Loss, Model, Plan, Settings, Tally, Trainer};

const SHARDS: u32 = 16;

fn data(file: &str) -> String {
    format!("{}/../../data/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the mean loss of a model on rows, with the labels of its classes.
fn loss(model: &Model, rows: &Batch) -> f64 {
    let mut tally = Tally::new(model);
    for row in (0..rows.len()).map(|r| rows.row(r)) {
        let label = row.label.unwrap();
        let y = if model.settings.loss.classifies() { model.labels.encode(label).unwrap() } else { label };
        tally.add(y, &row).unwrap();
    }
    tally.measured().loss.unwrap()
}

/// Returns the test losses of the sequential pass and of that in rounds, over the same rows in the same order, and the
/// loss of the best constant.
fn losses(settings: &Settings, train: &Batch, test: &Batch) -> [f64; 3] {
    let mut sequential = Trainer::new(settings.clone(), Plan::ONE_PASS);
    let turned = in_turn(train, SHARDS);
    sequential.learn(&turned, 0, turned.len()).unwrap();
    let (_, rounds) = timed_in_rounds(settings, train, SHARDS, 3);
    let constant = sequential.summary().loss_constant.unwrap();
    [loss(&sequential.model(), test), loss(&rounds.model(), test), constant]
}

/// Every loss with a single margin, on the bundled sets that suit it.
#[test]
fn bundled_sets_are_learnt_as_well_as_row_by_row() {
    let quantile = Loss::Quantile { tau: 0.75 };
    let jobs = [
        ("a9a", "svm.gz", None, vec![Loss::Logistic, Loss::Hinge, Loss::SquaredHinge, Loss::SmoothedHinge]),
        ("bike", "csv.gz", Some("cnt"), vec![Loss::Poisson, Loss::Gamma, Loss::Tweedie { power: 1.5 }]),
        ("bike", "csv.gz", Some("cnt"), vec![Loss::Squared, Loss::Huber { delta: 50.0 }, Loss::Absolute, quantile]),
        ("diabetes", "svm", None, vec![Loss::Squared, Loss::Absolute]),
    ];
    for (name, end, label, all) in jobs {
        for loss in all {
            let read = |part: &str| {
                let (file, ignored): (_, &[&str]) = (data(&format!("{name}.{part}.{end}")), &["dteday", "instant"]);
                Set::read(&file, loss, label, if label.is_some() { ignored } else { &[] }).unwrap()
            };
            let (train, test) = (read("train"), read("test"));
            let [plain, rounds, constant] = losses(&train.settings, &train.rows, &test.rows);
            println!("{name} {loss}: {plain} row by row, {rounds} in rounds, {constant} by a constant");
            let explained = (constant - plain).abs();
            assert!(rounds - plain <= 0.015 * explained, "{name} {loss}: {plain} row by row, {rounds} in rounds");
        }
    }
}

/// Shards of one class each, or of other features each, are learnt as well as shards that are alike.
#[test]
fn sorted_shards_are_learnt_as_well_as_row_by_row() {
    for (name, loss) in [("dense", Loss::Logistic), ("counts", Loss::Poisson), ("dense_squared", Loss::Squared)] {
        let (_, train, test) = synthetic(name, 20_000, 5000);
        let settings = Settings { loss, ..Settings::default() };
        for order in Order::ALL {
            let dealt: Vec<usize> = deal(&train, SHARDS as usize, order).concat();
            let [all, test] = [&train, &test].map(surefoot_bench::rounds::batch);
            let mut sorted = Batch::default();
            dealt.iter().for_each(|&r| sorted.append(&all.row(r)));
            let [plain, rounds, constant] = losses(&settings, &sorted, &test);
            println!("{name} {order:?}: {plain} row by row, {rounds} in rounds, {constant} by a constant");
            assert!(rounds - plain <= 0.01 * (constant - plain), "{name} {order:?}: {plain} {rounds}");
        }
    }
}
