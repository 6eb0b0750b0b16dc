//! Robustness tests of trainers, and of all uses of their models, with arbitrary settings and rows.

use crate::{
    anyone::{Any, finite},
    losses::check_measured,
};
use std::sync::Arc;
use surefoot_glm::{
    Batch, Certificate, FeatureNames, FullPass, Labels, MemoryHoldout, MetricTotals, Model, Predictor, RowMargins,
    Tally, Trainer,
    shards::{OneProcess, Shards},
};

/// Gives random rows to a trainer with random settings; returns the trainer, the rows, and the number of rows learnt,
/// over all passes.
fn trained(any: &mut Any) -> (Trainer, Batch, usize) {
    let (settings, plan) = (any.settings(), any.plan());
    let batch = any.batch(settings.loss);
    let mut trainer = match any.flip() {
        true => Trainer::new(settings, plan),
        false => Trainer::with_holdout_store(settings, plan, Box::<MemoryHoldout>::default()),
    };
    if any.below(4) == 0 {
        Trainer::enable_progressive_metrics(&mut trainer);
    }
    if any.below(8) == 0 {
        Trainer::treat_labels_as_class_names(&mut trainer, Vec::new);
    }
    if any.below(12) == 0 {
        Trainer::treat_labels_as_proportions(&mut trainer);
    }
    let mut taken = 0;
    for _ in 0..1 + any.below(2) {
        taken += learn(&mut trainer, &batch);
        Trainer::end_pass(&mut trainer).unwrap();
    }
    (trainer, batch, taken)
}

fn learn(trainer: &mut Trainer, batch: &Batch) -> usize {
    let (mut from, mut taken) = (0, 0);
    while from < batch.len() {
        let to = match Trainer::learn(trainer, batch, from, batch.len()) {
            Ok(()) => batch.len(),
            Err((row, fault)) => {
                assert!(!fault.message.is_empty());
                row
            }
        };
        for r in from..to {
            assert!(batch.row(r).check().is_ok(), "{:?}", batch.row(r));
        }
        taken += to - from;
        from = to + 1;
    }
    taken
}

/// Checks that a model has finite numbers only, unless `Model::check` rejects it for a legitimate reason; `taken` is
/// the number of rows learnt.
fn check(model: &Model, taken: usize) {
    let sound = Model::check(model);
    if let Err(says) = &sound {
        // Rows that are in proportion to each other make a model that is one.
        let own = says.contains("out of all proportion")
            || Trainer::new(model.settings.clone(), surefoot_glm::Plan::ONE_PASS)
                .learn(&one_row(), 0, 1)
                .is_err_and(|(_, fault)| fault.message.contains(says.as_str()))
            || says.contains("shares");
        assert!(own || taken > 0 && says.contains("out of"), "{says}: {:?}", model.settings);
        return;
    }
    assert!(finite(&model.weight) && finite(&model.intercept));
    assert!([model.summary.loss, model.summary.loss_constant].iter().flatten().all(|x| x.is_finite()));
    for certificate in &model.certificates {
        assert!(Certificate::bound(certificate).is_none_or(|bound| bound.value.is_finite()), "{certificate:?}");
    }
    assert!(Model::path_end(model).is_none_or(|_| !model.summary.path.is_empty()));
    let (factors, bounds) = Model::unused_groups(model);
    assert!(factors.len() <= model.settings.groups.factors.len() && bounds.len() <= model.settings.groups.bounds.len());
}

fn one_row() -> Batch {
    let mut batch = Batch::default();
    batch.push(Some(1.0), 1.0, &[(0, 1.0)]);
    batch
}

#[test]
fn trainers_take_anything() {
    let (mut learnt, mut empty) = (0, 0);
    for seed in 0..1500 {
        let mut any = Any::new(seed);
        let (mut trainer, batch, taken) = trained(&mut any);
        (learnt, empty) = (learnt + usize::from(taken > 0), empty + usize::from(taken == 0));
        let summary = Trainer::summary(&trainer);
        let losses = [summary.loss, summary.loss_constant, summary.lane];
        assert!(summary.weight.is_finite() && losses.iter().flatten().all(|x| x.is_finite()), "{seed}");
        let recent = [Trainer::recent_loss(&mut trainer), Trainer::recent_progressive_loss(&mut trainer)];
        assert!(recent.iter().flatten().all(|x| x.is_finite()), "{seed}");
        if let Some((measured, plot_data)) = Trainer::progressive_metrics(&trainer) {
            check_measured(&measured, &plot_data);
        }
        let model = Trainer::model(&trainer);
        check(&model, taken);
        assert!(Trainer::single_label(&trainer).is_none_or(f64::is_finite));
        assert_eq!(Trainer::labels(&trainer), model.labels);
        assert_eq!(Trainer::certificates(&trainer).len(), model.certificates.len());
        assert_eq!(Trainer::settings(&trainer).loss.name(), model.settings.loss.name());
        let mut sampled = 0;
        let count = Trainer::each_sampled_row(&trainer, |_| sampled += 1);
        assert!(sampled <= count && count <= summary.rows, "{seed}");
        let _ = Trainer::loses_to_constant(&trainer, &model);
        let tally = Trainer::measure_held_out(&mut trainer).unwrap();
        check_measured(&Tally::measured(&tally), &Tally::plot_data(&tally));
        let paused = Trainer::pause(&trainer, serde_json::Value::Null);
        let plan = any.plan();
        if let Ok(mut resumed) = Trainer::resume(&paused, plan, Box::<MemoryHoldout>::default()) {
            let held_out = Trainer::restore_holdout(&mut resumed, &batch, 0, batch.len());
            let fair = (0..batch.len()).all(|r| batch.row(r).check().is_ok());
            assert!(fair || held_out.is_err(), "{seed}");
            learn(&mut resumed, &batch);
            check(&Trainer::model(&resumed), 1);
        }
    }
    assert!(learnt > 500 && empty > 500, "{learnt} {empty}");
}

/// Makes one part of a valid model inconsistent with the others or out of range, as a caller could.
fn broken(any: &mut Any, model: &mut Model) {
    match any.below(9) {
        0 => drop(model.weight.pop()),
        1 => model.intercept.clear(),
        2 => model.index.push(0),
        3 => model.index.reverse(),
        4 => model.weight.iter_mut().for_each(|w| *w = any.number()),
        5 => model.intercept.iter_mut().for_each(|w| *w = any.number()),
        6 => {
            model.labels =
                Labels { negative: None, positive: None, classes: vec![any.number(), any.number()], shares: any.flip() }
        }
        7 => model.settings = any.settings(),
        _ => model.names = FeatureNames::default(),
    }
}

#[test]
fn models_may_be_any() {
    let (mut scored, mut refused) = (0, 0);
    for seed in 0..1500 {
        let mut any = Any::new(10_000 + seed);
        let (trainer, batch, _) = trained(&mut any);
        let mut model = Trainer::model(&trainer);
        (0..any.below(3)).for_each(|_| broken(&mut any, &mut model));
        let other = any.batch(model.settings.loss);
        let (predictor, mut scores, mut tally) = (Predictor::new(&model), RowMargins::default(), Tally::new(&model));
        let mut pass = FullPass::new(&model);
        for batch in [&batch, &other] {
            for r in 0..batch.len() {
                let row = batch.row(r);
                let fair = row.check().is_ok();
                match Predictor::score(&predictor, &row) {
                    Ok(found) => {
                        assert!(fair && found.margin.is_finite() && found.unseen <= row.index.len(), "{seed}");
                        scored += 1;
                    }
                    Err(_) => refused += 1,
                }
                if Predictor::score_classes(&predictor, &row, &mut scores).is_ok() {
                    assert!(fair && finite(&scores.margins), "{seed}");
                    assert!(scores.margins.is_empty() || RowMargins::likeliest(&scores) < scores.margins.len());
                }
                let id = any.id();
                assert_eq!(Predictor::knows(&predictor, id), Tally::knows(&tally, id));
                let odd = any.number();
                let y = any.of(&[row.label.unwrap_or(0.0), 1.0, -1.0, 0.0, odd]);
                let _ = Tally::add(&mut tally, y, &row);
            }
            if let Some(pass) = &mut pass {
                let mut from = 0;
                while from < batch.len() {
                    let added = FullPass::add(pass, batch, from, batch.len());
                    from = added.map_or_else(|(row, _)| row + 1, |()| batch.len());
                }
                let (certificate, objective) = FullPass::certificate(pass);
                assert!(objective.is_none_or(f64::is_finite), "{seed}");
                assert!(
                    certificate.bound().is_none_or(|bound| bound.value >= 0.0 && bound.value.is_finite()),
                    "{seed}: {certificate:?} {objective:?}"
                );
            }
        }
        check_measured(&Tally::measured(&tally), &Tally::plot_data(&tally));
        // The rows of one of two shards, of which the other has none.
        let shards = Shards { total: 2, collective: Arc::new(OneProcess { shards: 2 }) };
        let own = vec![(0, Tally::anew(&tally)), (1, tally)];
        let totals = MetricTotals::of(own, &shards).unwrap();
        let (measured, plot_data) = MetricTotals::measured(&totals, model.settings.loss);
        check_measured(&measured, &plot_data);
        let mut bytes = MetricTotals::to_bytes(&totals);
        assert!(MetricTotals::from_bytes(&bytes).is_some());
        bytes.truncate(any.below(bytes.len()));
        assert!(MetricTotals::from_bytes(&bytes).is_none(), "{seed}");
        let _ = Trainer::resume(&model, any.plan(), Box::<MemoryHoldout>::default());
    }
    assert!(scored > 1000 && refused > 500, "{scored} {refused}");
}
