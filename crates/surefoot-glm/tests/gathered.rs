//! Tests of optima computed from rows kept by `Gathered`: the same model whether rows are kept in memory or on disk, from
//! any initial model, and with any names of labels.

use surefoot_glm::{Batch, Census, Gathered, Loss, Model, Penalty, Plan, Row, Settings, Trainer, optimum::Optimum};

/// Returns 300 rows of five columns with weights 0 to 2; three columns have missing values, and two first occur in later
/// rows.
fn rows(loss: Loss) -> Batch {
    let mut batch = Batch::default();
    let mut state = 7_u64;
    let mut unit = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1 << 30) - 1.0
    };
    for t in 0..300 {
        let x: [f64; 5] = std::array::from_fn(|_| unit());
        let there = |j: usize| j < 2 || (t + j).is_multiple_of(3) && (j < 4 || t > 100);
        let pairs: Vec<(u64, f64)> = (0..5).filter(|&j| there(j)).map(|j| (1 << (60 - 12 * j), x[j])).rev().collect();
        let score: f64 = pairs.iter().map(|pair| pair.1).sum::<f64>() + unit();
        let label = match loss {
            Loss::Softmax => f64::from(score > 0.5) + f64::from(score > -0.5),
            _ if loss.classifies() => f64::from(score > 0.0),
            _ => score.exp().floor(),
        };
        batch.push(Some(label), (t % 3) as f64, &pairs);
    }
    batch
}

fn found(batch: &Batch, settings: &Settings, memory: usize) -> (Optimum, Model) {
    let mut trainer = Trainer::new(settings.clone(), Plan::ONE_PASS);
    trainer.learn(batch, 0, batch.len()).unwrap();
    let mut gathered = Gathered::with_memory(memory);
    gathered.add(batch, 0, batch.len()).unwrap();
    let mut model = trainer.model();
    let problem = gathered.problem(&model).unwrap();
    let found = problem.search(1e-9, 2, &|| false, &mut |_| ()).unwrap();
    problem.place(&found, &mut model).unwrap();
    (found, model)
}

#[test]
fn memory_and_files_give_the_same_bits() {
    for loss in [Loss::Logistic, Loss::Poisson, Loss::Softmax, Loss::SquaredHinge] {
        for penalty in [Penalty { l2: 0.01, ..Penalty::default() }, Penalty { l1: 0.01, ..Penalty::default() }] {
            if loss == Loss::Softmax && penalty.l1 > 0.0 {
                continue;
            }
            let (batch, settings) = (rows(loss), Settings { loss, penalty, ..Settings::default() });
            let in_memory = found(&batch, &settings, usize::MAX);
            for memory in [0, 1000, 10_000] {
                assert_eq!(found(&batch, &settings, memory), in_memory, "{loss} {memory}");
            }
            let certified = in_memory.1.certificates[0].bound().unwrap().relative.unwrap();
            assert!(certified <= 1e-9, "{loss} {certified}");
        }
    }
}

/// Checks that redundant columns (a constant one, and indicators that sum to it) do not make weights diverge, for separable
/// and noisy labels.
#[test]
fn columns_that_say_the_same_keep_ordinary_weights() {
    for (loss, noise) in [(Loss::Logistic, 0.0), (Loss::Logistic, 1.0), (Loss::Squared, 1.0), (Loss::Poisson, 1.0)] {
        for constant in [1.0, 0.1, 1e6] {
            let mut batch = Batch::default();
            for t in 0..400_u32 {
                let kind = t * t % 5;
                let x = f64::from(t % 17) / 8.0 - 1.0;
                let score = x + f64::from(kind) / 4.0 - 0.5 + noise * f64::from(t * 7 % 11) / 11.0;
                let label = if loss.classifies() { f64::from(score > 0.2) } else { (2.0 + score).floor() };
                batch.push(Some(label), 1.0, &[(1, constant), (2, x), (10 + u64::from(kind), 1.0)]);
            }
            let (optimum, model) = found(&batch, &Settings { loss, ..Settings::default() }, usize::MAX);
            assert!(optimum.objective.is_finite() && optimum.passes < 500.0, "{loss}: {optimum:?}");
            let weight = |id: u64| model.weight[model.index.iter().position(|&known| known == id).unwrap()];
            let sizes = [weight(1) * constant, weight(2), weight(10), weight(14), model.intercept[0]];
            assert!(sizes.iter().all(|size| size.abs() < 1e3), "{loss} {constant}: {sizes:?}");
        }
    }
}

/// Checks that `farthest_column` finds the column with the largest ratio of mean to standard deviation, to within 5 %, and
/// ignores constant and rare columns.
#[test]
fn the_farthest_column_is_told_to_its_digits() {
    for far in [10.0, 1e6, 1e9, 1e12, 1e14] {
        let mut batch = Batch::default();
        for t in 0..200 {
            let side = if t % 2 == 0 { 1.0 } else { -1.0 };
            let mut pairs = vec![(1, side), (2, far + side), (3, 7e9)];
            pairs.extend((t % 50 == 0).then_some((4, 1.0)));
            batch.push(Some(f64::from(u8::from(t % 3 == 0))), 1.0, &pairs);
        }
        let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
        trainer.learn(&batch, 0, batch.len()).unwrap();
        let mut gathered = Gathered::default();
        gathered.add(&batch, 0, batch.len()).unwrap();
        let (at, ratio) = gathered.problem(&trainer.model()).unwrap().farthest_column().unwrap();
        assert_eq!(trainer.model().index[at], 2, "{far}");
        assert!((ratio / far - 1.0).abs() < 0.05, "{far}: {ratio}");
    }
}

/// In shards, rows are refused for the reasons for which a pass over all rows refuses them.
#[test]
fn a_census_refuses_the_rows_that_a_pass_refuses() {
    // Label, weight, offset and the second value of the third row.
    let rows: [(Loss, f64, f64, f64, f64); 13] = [
        (Loss::Squared, 1.0, 1.0, 0.0, 1.0),
        (Loss::Squared, 1.0, 0.0, 0.0, 1.0),
        (Loss::Squared, 1.0, 1e250, 0.0, 1.0),
        (Loss::Squared, 1.0, 1e-305, 0.0, 1.0),
        (Loss::Squared, 1.0, -1.0, 0.0, 1.0),
        (Loss::Squared, 1.0, f64::NAN, 0.0, 1.0),
        (Loss::Squared, 1.0, 1.0, f64::INFINITY, 1.0),
        (Loss::Squared, 1.0, 1.0, 0.0, f64::NAN),
        (Loss::Squared, f64::MAX, 1.0, f64::MIN, 1.0),
        (Loss::Poisson, -1.0, 1.0, 0.0, 1.0),
        (Loss::Gamma, 0.0, 1.0, 0.0, 1.0),
        (Loss::Logistic, 3.0, 1.0, 0.0, 1.0),
        (Loss::Softmax, 0.5, 1.0, 0.0, 1.0),
    ];
    let mut refused = 0;
    for (loss, label, weight, offset, value) in rows {
        let mut batch = Batch::default();
        let usual = if loss.classifies() { [0.0, 1.0] } else { [1.0, 2.0] };
        usual.into_iter().for_each(|label| batch.push(Some(label), 1.0, &[(1, 0.5), (2, 1.0)]));
        let (index, value) = (&[1, 2], &[0.5, value]);
        batch.append(&Row { label: Some(label), weight, offset, index, value, group: &[], position: 0 });
        let settings = Settings { loss, ..Settings::default() };
        let learnt = Trainer::new(settings.clone(), Plan::ONE_PASS).learn(&batch, 0, 3);
        assert_eq!(Census::new(&settings).add(&batch, 0, 3), learnt, "{loss}: {label} {weight} {offset} {value:?}");
        refused += usize::from(learnt.is_err());
    }
    assert_eq!(refused, 11);
}
