//! Tests on small data sets of extreme numbers, with every loss and many settings: a model that can be saved can also be loaded, used for
//! prediction and trained further; otherwise saving it returns an error.

use surefoot_glm::{
    Ball, Batch, Bounds, ClassWeights, Gathered, Loss, MemoryHoldout, Model, Penalty, PenaltyTerm, Plan, Predictor,
    RowMargins, Settings, Trainer,
};
use surefoot_io::{load_model, save_model};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }

    fn of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())]
    }

    /// Generates a number of at least 0: an extreme one, one of any magnitude, or an ordinary one.
    fn size(&mut self) -> f64 {
        const EDGES: [f64; 16] = [
            0.0,
            5e-324,
            1e-310,
            2.3e-308,
            1e-292,
            1e-200,
            1e-154,
            1e-38,
            1e38,
            1e154,
            1e155,
            1e160,
            1e200,
            1e292,
            1e308,
            f64::MAX,
        ];
        match self.below(3) {
            0 => self.of(&EDGES),
            1 => 10_f64.powi(self.below(632) as i32 - 323),
            _ => self.below(10) as f64,
        }
    }

    fn number(&mut self) -> f64 {
        self.size() * self.of(&[1.0, -1.0])
    }

    fn label(&mut self, loss: Loss) -> f64 {
        match loss {
            _ if loss.is_multiclass() => self.below(4) as f64,
            _ if loss.classifies() => self.below(2) as f64,
            Loss::Gamma => self.size().max(5e-324),
            Loss::Poisson | Loss::Tweedie { .. } => self.size(),
            _ => self.number(),
        }
    }

    fn settings(&mut self) -> (Settings, Plan) {
        let mut losses = Loss::ALL.to_vec();
        losses.extend([Loss::Huber { delta: self.size().max(5e-324) }, Loss::Tweedie { power: 1.0 + 1e-9 }]);
        let loss = self.of(&losses);
        let mut penalty = Penalty::default();
        match self.below(6) {
            0 => penalty.l1 = self.size(),
            1 => penalty.l2 = self.size(),
            2 if !loss.is_multiclass() => penalty.path = Some(self.of(&[PenaltyTerm::L1, PenaltyTerm::L2])),
            3 => penalty.bounds = Bounds::new(-self.size(), self.size()).unwrap_or_default(),
            _ => {}
        }
        let ball = self.below(5) == 0 && !loss.is_multiclass() && penalty.is_none();
        let (radius, row_norm) = (self.size().max(5e-324), self.of(&[None, Some(1e300), Some(1.0), Some(5e-324)]));
        let settings = Settings {
            loss,
            intercept: self.below(3) > 0,
            ball: ball.then_some(Ball { radius, row_norm, delta: 0.05 }),
            class_weights: (loss.classifies() && !ball && self.below(4) == 0).then_some(ClassWeights::Balanced),
            penalty,
            ..Settings::default()
        };
        let several = Plan { passes: 3, holdout: Some(3), ..Plan::ONE_PASS };
        let optimum = Plan { optimum: Some(1e-6), holdout: None, ..Plan::ONE_PASS };
        let plan =
            if ball { self.of(&[Plan::ONE_PASS, several]) } else { self.of(&[Plan::ONE_PASS, several, optimum]) };
        (settings, plan)
    }

    fn rows(&mut self, loss: Loss) -> Batch {
        let (mut batch, offsets) = (Batch::default(), !loss.is_multiclass() && self.below(6) == 0);
        batch.clear();
        // Either anything, or columns of one size each.
        let units: [Option<f64>; 4] = std::array::from_fn(|_| (self.below(2) == 0).then(|| self.size()));
        for _ in 0..1 + self.below(30) {
            let (label, weight) = (self.label(loss), if self.below(5) == 0 { self.size().min(1e240) } else { 1.0 });
            let mut pairs = Vec::new();
            for (id, unit) in units.iter().enumerate() {
                let value = match unit {
                    Some(unit) => unit * (self.below(7) as f64 - 3.0),
                    None => self.number(),
                };
                if self.below(3) > 0 && value.is_finite() {
                    pairs.push((id as u64, value));
                }
            }
            if offsets {
                batch.push_offset(self.number());
            }
            batch.push(Some(label), weight, &pairs);
        }
        batch
    }
}

/// Trains on the rows of a batch, skipping those that are refused, and adds the others to `gathered`; returns the number of rows learnt.
fn learn(trainer: &mut Trainer, gathered: &mut Gathered, batch: &Batch) -> usize {
    let (mut from, mut learnt) = (0, 0);
    while from < batch.len() {
        let outcome = trainer.learn(batch, from, batch.len());
        let to = outcome.as_ref().map_or_else(|(row, _)| *row, |()| batch.len());
        gathered.add(batch, from, to).unwrap();
        learnt += to - from;
        from = to + 1;
    }
    learnt
}

fn predict(model: &Model, batch: &Batch) {
    let (predictor, mut scores, loss) = (Predictor::new(model), RowMargins::default(), model.settings.loss);
    for r in 0..batch.len() {
        if loss.is_multiclass() {
            if predictor.score_classes(&batch.row(r), &mut scores).is_ok() {
                loss.probabilities(&mut scores.margins);
                assert!(scores.margins.iter().all(|mean| mean.is_finite()), "{:?}", scores.margins);
            }
        } else if let Ok(scored) = predictor.score(&batch.row(r)) {
            assert!(scored.margin.is_finite() && !loss.mean(scored.margin).is_nan());
        }
    }
}

/// Saves a model, loads it and checks that saving it again gives equal bytes. Returns the loaded model, or the error message if the model
/// cannot be saved.
fn saved(model: &Model) -> Result<Model, String> {
    let mut bytes = Vec::new();
    save_model(model, &mut bytes).map_err(|error| error.to_string())?;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let loaded = load_model(file.path()).unwrap_or_else(|error| panic!("{error}"));
    let mut again = Vec::new();
    save_model(&loaded, &mut again).unwrap();
    assert_eq!(again, bytes);
    Ok(loaded)
}

/// Generates one data set, trains on it and uses the saved models; returns the error message if a model could not be saved, otherwise
/// `None`.
fn case(random: &mut Random) -> Option<String> {
    let (settings, plan) = random.settings();
    let batch = random.rows(settings.loss);
    let mut trainer = Trainer::new(settings.clone(), plan);
    let mut gathered = Gathered::default();
    if learn(&mut trainer, &mut gathered, &batch) == 0 {
        return None;
    }
    let paused = saved(&trainer.pause(serde_json::json!({"row": 1})));
    for pass in 1..plan.passes {
        trainer.end_pass().unwrap();
        if pass < plan.passes {
            learn(&mut trainer, &mut Gathered::default(), &batch);
        }
    }
    trainer.end_pass().unwrap();
    let mut model = trainer.model();
    if let Some(tolerance) = plan.optimum {
        let mut problem = gathered.problem(&model).unwrap();
        problem.choose(surefoot_glm::Select::Min, 1, &|| false, &mut |_| ());
        if let Some(found) =
            problem.search(tolerance, 1, &|| false, &mut |_| ()).filter(|found| found.objective.is_finite())
        {
            problem.place(&found, &mut model).unwrap();
        }
    }
    let finished = saved(&model);
    for (model, plan) in [(&paused, plan), (&finished, Plan::ONE_PASS)] {
        let Ok(model) = model else { continue };
        predict(model, &batch);
        let mut resumed =
            Trainer::resume(model, plan, Box::<MemoryHoldout>::default()).unwrap_or_else(|message| panic!("{message}"));
        learn(&mut resumed, &mut Gathered::default(), &batch);
        let _ = (resumed.end_pass(), saved(&resumed.model()));
    }
    let message = paused.err().or(finished.err())?;
    Some(format!("{message}: {settings:?} {plan:?}"))
}

/// Tests on many random data sets that every saved model can be loaded and used. Their number is that of the environment variable
/// SUREFOOT_EXTREMES, 600 by default.
#[test]
fn what_is_saved_can_be_used() {
    let count = std::env::var("SUREFOOT_EXTREMES").ok().and_then(|count| count.parse().ok()).unwrap_or(600);
    let seed = std::env::var("SUREFOOT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut refused = Vec::new();
    for k in 0..count {
        let number = seed + k;
        let of = std::panic::catch_unwind(|| case(&mut Random(number)));
        refused.extend(of.unwrap_or_else(|_| panic!("data set {number}")));
    }
    refused.iter().for_each(|message| println!("{message}"));
    println!("{} of {count} could not be saved", refused.len());
    assert!(refused.len() * 4 < count as usize, "{} of {count} could not be saved", refused.len());
}
