//! Tests of feature groups in training: groups read from rows are stored, their penalty factors and bounds are applied,
//! and they survive a resumed run.

use surefoot_glm::{
    Batch, Bounds, FeatureGroups, Gathered, Loss, MemoryHoldout, Penalty, PenaltyTerm, Plan, Row, Settings, Trainer,
};

/// Returns `count` random rows of six features, whose group numbers are `GROUP`.
fn rows(count: usize) -> Batch {
    let (mut batch, mut state) = (Batch::default(), 7_u64);
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1 << 30) - 1.0
    };
    for _ in 0..count {
        let value: Vec<f64> = (0..6).map(|_| unit()).collect();
        let score = value[0] - 2.0 * value[1] + value[2] + 1.5 * value[4] + unit();
        let index = [3, 5, 1 << 40, 8, 9, 100];
        let row = Row {
            label: Some(f64::from(score > 0.0)),
            weight: 1.0,
            offset: 0.0,
            index: &index,
            value: &value,
            group: &GROUP,
            position: 0,
        };
        batch.append(&row);
    }
    batch
}

/// Group number of each feature: 0 has neither factor nor bounds, 1 has bounds, 2 has a penalty factor, 3 has both.
const GROUP: [u32; 6] = [0, 1, 2, 3, 1, 0];

fn settings(penalty: Penalty) -> Settings {
    let groups =
        FeatureGroups { factors: vec![("f".into(), 0.1)], bounds: vec![("b".into(), Bounds::new(-0.2, 0.3).unwrap())] };
    Settings { penalty, groups, ..Settings::default() }
}

const PENALTY: Penalty = Penalty { l1: 0.0, l2: 0.02, bounds: Bounds::FREE, path: None, standardize: false };

/// Checks at each row that its reported loss is that of the model as saved just before, whose weights are within the
/// bounds of their groups.
#[test]
fn printed_losses_are_those_of_the_drawn_models() {
    let batch = rows(300);
    let mut trainer = Trainer::new(settings(PENALTY), Plan::ONE_PASS);
    let mut sum = 0.0;
    for r in 0..batch.len() {
        let model = trainer.model();
        for (id, w) in model.index.iter().zip(&model.weight) {
            let bounded = [5, 8, 9].contains(id);
            assert!(!bounded || (-0.2..=0.3).contains(w), "row {r}: {id} {w}");
        }
        let row = batch.row(r);
        let dot = |w: &[f64]| {
            model
                .index
                .iter()
                .zip(w)
                .map(|(id, w)| row.index.iter().position(|known| known == id).map_or(0.0, |at| w * row.value[at]))
                .sum::<f64>()
        };
        let margin = model.intercept[0] + dot(&model.weight);
        // Before the second label is met its sign is not known: the first rows are ±1 in their own order.
        let y = if model.labels.negative.is_some() && model.labels.positive.is_some() {
            model.labels.encode(row.label.unwrap()).unwrap()
        } else {
            0.0
        };
        trainer.learn(&batch, r, r + 1).unwrap();
        let after = trainer.summary();
        let total = after.loss.unwrap() * after.weight;
        if y != 0.0 {
            let exact = Loss::Logistic.value(y, margin);
            assert!((total - sum - exact).abs() < 1e-9, "row {r}: {} is not {exact}", total - sum);
        }
        sum = total;
    }
    assert!(trainer.model().weight.iter().any(|w| *w == 0.3 || *w == -0.2));
}

#[test]
fn a_run_that_is_cut_off_ends_in_the_same_model() {
    let batch = rows(200);
    for (loss, path) in [(Loss::Logistic, None), (Loss::Logistic, Some(PenaltyTerm::L2)), (Loss::Softmax, None)] {
        let settings = Settings { loss, ..settings(Penalty { path, ..PENALTY }) };
        for plan in [Plan::ONE_PASS, Plan { passes: 2, ..Plan::ONE_PASS }] {
            let passes = |trainer: &mut Trainer, from: usize| {
                trainer.learn(&batch, from, batch.len()).unwrap();
                trainer.end_pass().unwrap();
                for _ in 1..plan.passes {
                    trainer.learn(&batch, 0, batch.len()).unwrap();
                    trainer.end_pass().unwrap();
                }
                trainer.model()
            };
            let whole = passes(&mut Trainer::new(settings.clone(), plan), 0);
            for k in [1, 2, 77, 199] {
                let mut first = Trainer::new(settings.clone(), plan);
                first.learn(&batch, 0, k).unwrap();
                let paused = first.pause(serde_json::json!({}));
                let mut second = Trainer::resume(&paused, plan, Box::<MemoryHoldout>::default()).unwrap();
                second.restore_holdout(&batch, 0, k).unwrap();
                assert_eq!(passes(&mut second, k), whole, "{loss} {path:?} cut off after {k}");
            }
        }
    }
}

/// Checks the optimality conditions of an optimum with penalty factors and bounds, where `Gathered` takes the groups of
/// features from a model.
#[test]
fn gathered_rows_go_by_the_groups_of_the_model() {
    let batch = rows(300);
    let mut trainer = Trainer::new(settings(PENALTY), Plan::ONE_PASS);
    trainer.learn(&batch, 0, batch.len()).unwrap();
    let mut model = trainer.model();
    let mut gathered = Gathered::default();
    gathered.add(&batch, 0, batch.len()).unwrap();
    let problem = gathered.problem(&model).unwrap();
    let found = problem.search(1e-10, 1, &|| false, &mut |_| ()).unwrap();
    problem.place(&found, &mut model).unwrap();
    assert!(model.certificates[0].bound().unwrap().comparator.as_ref().unwrap().contains("within their bounds"));
    // Weights are held, and gradients balanced where they are not: (mean gradient + penalty)·(room to move) is nothing.
    let weight = |id: u64| model.weight[model.index.iter().position(|known| *known == id).unwrap()];
    let mut gradient = [0.0; 6];
    for r in 0..batch.len() {
        let row = batch.row(r);
        let margin = model.intercept[0] + row.index.iter().zip(row.value).map(|(id, x)| weight(*id) * x).sum::<f64>();
        let y = model.labels.encode(row.label.unwrap()).unwrap();
        let derivative = Loss::Logistic.derivative(y, margin) / batch.len() as f64;
        gradient.iter_mut().zip(row.value).for_each(|(g, x)| *g += derivative * x);
    }
    for (k, (id, g)) in batch.row(0).index.iter().zip(gradient).enumerate() {
        let (factor, bounded) = (if GROUP[k] >= 2 { 0.1 } else { 1.0 }, GROUP[k] % 2 == 1);
        let (w, g) = (weight(*id), g + factor * 0.02 * weight(*id));
        match (bounded, w) {
            (true, 0.3) => assert!(g < 0.0, "{id} {g}"),
            (true, -0.2) => assert!(g > 0.0, "{id} {g}"),
            _ => assert!(g.abs() < 1e-6 && (!bounded || (-0.2..0.3).contains(&w)), "{id} {w} {g}"),
        }
    }
    assert!(weight(5) == -0.2 && weight(9) == 0.3);
}

#[test]
fn groups_that_no_feature_is_in_are_told() {
    let batch = rows(10);
    let mut trainer = Trainer::new(settings(PENALTY), Plan::ONE_PASS);
    trainer.learn(&batch, 0, batch.len()).unwrap();
    assert_eq!(trainer.model().unused_groups(), (vec![], vec![]));
    let mut without = batch.clone();
    without.group.iter_mut().for_each(|group| *group %= 2);
    let mut trainer = Trainer::new(settings(PENALTY), Plan::ONE_PASS);
    trainer.learn(&without, 0, without.len()).unwrap();
    assert_eq!(trainer.model().unused_groups(), (vec!["f"], vec![]));
}
