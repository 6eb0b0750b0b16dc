//! All that can be done with a model file, to be done with one that may be hostile: nothing panics.

use std::io;
use std::sync::{Arc, OnceLock};

use surefoot_glm::{Batch, FullPass, Gathered, MemoryHoldout, Model, Plan, Predictor, RowMargins, Tally, Trainer};
use surefoot_io::{Archive, FORMATS, Format, Inferred, Options, load_model, save_model};

use super::{check, kinds, load, mutant, scratch};

/// Uses a mutant of one of these models, as bytes choose.
pub fn mutants(of: &[Archive<'_>], data: &[u8]) {
    let mut bytes = data.chunks(2);
    let mut choose = |below: usize| {
        let two =
            bytes.next().map_or(0, |two| usize::from(two[0]) | usize::from(two.get(1).copied().unwrap_or(0)) << 8);
        two % below.max(1)
    };
    let archive = &of[choose(of.len())];
    use_model(&mutant::of(archive, &mut choose));
}

/// Mutates models of all kinds.
pub fn mutant_of_any(data: &[u8]) {
    static MODELS: OnceLock<Vec<Archive<'static>>> = OnceLock::new();
    mutants(MODELS.get_or_init(|| archives(&kinds::models())), data);
}

/// Models as they are in files.
pub fn archives(models: &[Model]) -> Vec<Archive<'static>> {
    let path = scratch();
    let archive = |model: &Model| {
        let mut bytes = Vec::new();
        save_model(model, &mut bytes).expect("a model that was learnt can be written");
        std::fs::write(&path, &bytes).expect("the folder of temporary files takes a file");
        Archive::read(&path).expect("what was written can be read")
    };
    let archives = models.iter().map(archive).collect();
    let _ = std::fs::remove_file(&path);
    archives
}

/// Loads a model and does all that can be done with one; whether it could be loaded.
pub fn use_model(bytes: &[u8]) -> bool {
    let path = scratch();
    std::fs::write(&path, bytes).expect("the folder of temporary files takes a file");
    let loaded = load_model(&path);
    let _ = std::fs::remove_file(&path);
    let model = match loaded {
        Ok(model) => model,
        Err(error) => {
            check(&error);
            return false;
        }
    };
    load(bytes);
    let (reading, loss) = (model.settings.reading.clone(), model.settings.loss);
    let found = Inferred::of_model(&reading, &model.names).with_many_classes(loss.is_multiclass());
    let format =
        FORMATS.iter().find(|format| format.by == reading.by && format.name != "parquet" && format.name != "arrow");
    let options = Options { format, reading, classes: loss.classifies(), found: Arc::new(found), ..Options::default() };
    let raw = Options { format: Format::named("svmlight"), ..Options::default() };
    let mut batches = vec![kinds::read(&kinds::table(loss), &options), kinds::read(&kinds::pairs(loss), &raw)];
    batches.push(known(&model));
    measure(&model, &batches);
    for plan in [Plan::ONE_PASS, Plan { passes: 2, holdout: Some(3), ..Plan::ONE_PASS }] {
        go_on(&model, &batches, plan);
    }
    search(&model, &batches);
    let _ = (options.reading(), options.found.names(&model.index), model.unused_groups());
    true
}

/// Rows of features that the model knows, with its labels.
fn known(model: &Model) -> Batch {
    let (mut batch, labels) = (Batch::default(), model.labels.all());
    batch.clear();
    for r in 0..20 {
        let label = labels.get(r % labels.len().max(1)).copied().unwrap_or(1.0);
        let ids = model.index.iter().skip(r % 3).step_by(2).take(50);
        let pairs: Vec<_> = ids.map(|&id| (id, r as f64 - 7.5)).collect();
        batch.push(Some(label), 1.0, &pairs);
    }
    batch
}

fn measure(model: &Model, batches: &[Batch]) {
    let (predictor, mut tally, mut scores) = (Predictor::new(model), Tally::new(model), RowMargins::default());
    for row in batches.iter().flat_map(|batch| (0..batch.len()).map(|r| batch.row(r))) {
        if model.settings.loss.is_multiclass() {
            let fine = predictor.score_classes(&row, &mut scores).is_ok();
            assert!(!fine || scores.margins.iter().all(|m| m.is_finite()));
            if fine && !scores.margins.is_empty() {
                let _ = scores.likeliest();
                model.settings.loss.probabilities(&mut scores.margins);
                assert!(scores.margins.iter().all(|mean| mean.is_finite()), "{:?}", scores.margins);
            }
        } else if let Ok(scored) = predictor.score(&row) {
            assert!(scored.margin.is_finite());
        }
        let label = row.label.unwrap_or(0.0);
        let coded = if model.settings.loss.classifies() { model.labels.encode(label) } else { Some(label) };
        if let Some(y) = coded.filter(|y| model.settings.loss.classifies() || model.settings.loss.check(*y).is_ok()) {
            let _ = tally.add(y, &row);
        }
    }
    let _ = (tally.measured(), tally.plot_data());
    if let Some(mut full) = FullPass::new(model) {
        batches.iter().for_each(|batch| _ = full.add(batch, 0, batch.len()));
        let _ = full.certificate();
    }
}

/// Goes on from a model, and what comes of it can be saved, or is refused.
fn go_on(model: &Model, batches: &[Batch], plan: Plan) {
    let Ok(mut trainer) = Trainer::resume(model, plan, Box::<MemoryHoldout>::default()) else { return };
    trainer.enable_progressive_metrics();
    for batch in batches {
        let mut from = 0;
        while let Err((row, _)) = trainer.learn(batch, from, batch.len()) {
            from = row + 1;
        }
        let _ = (trainer.recent_loss(), trainer.end_pass());
    }
    let _ = (trainer.progressive_metrics(), trainer.single_label(), trainer.certificates());
    for model in [trainer.model(), trainer.pause(serde_json::Value::Null)] {
        let _ = save_model(&model, &mut io::sink());
    }
}

/// Seeks the optimum for a moment.
fn search(model: &Model, batches: &[Batch]) {
    let Ok(mut trainer) = Trainer::resume(model, Plan::ONE_PASS, Box::<MemoryHoldout>::default()) else { return };
    let mut gathered = Gathered::default();
    for batch in batches {
        let mut from = 0;
        while from < batch.len() {
            let learnt = trainer.learn(batch, from, batch.len());
            let to = learnt.as_ref().map_or_else(|(row, _)| *row, |()| batch.len());
            gathered.add(batch, from, to).expect("memory for a few rows");
            from = to + 1;
        }
    }
    let mut model = trainer.model();
    let mut problem = gathered.problem(&model).unwrap();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 40;
    problem.choose(surefoot_glm::Select::Min, 1, &stop, &mut |_| ());
    if let Some(found) = problem.search(1e-3, 1, &stop, &mut |_| ()) {
        problem.place(&found, &mut model).unwrap();
        let _ = save_model(&model, &mut io::sink());
    }
}
