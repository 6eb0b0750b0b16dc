//! Helper functions shared by the tests of several trainers.

use surefoot_glm::{Batch, MemoryHoldout, Model, Plan, Settings, Trainer};

/// Returns the model of a run over a batch that is paused before row number `stop` (counted from 0 over all passes),
/// saved, and resumed.
pub(crate) fn resumed(settings: &Settings, plan: Plan, batch: &Batch, stop: usize) -> Model {
    let mut trainer = Trainer::new(settings.clone(), plan);
    for at in 0..batch.len() * plan.passes as usize {
        if at == stop {
            let model = trainer.pause(serde_json::json!("here"));
            trainer = Trainer::resume(&model, plan, Box::<MemoryHoldout>::default()).unwrap();
            trainer.restore_holdout(batch, 0, at.min(batch.len())).unwrap();
            assert_eq!(trainer.pause(serde_json::json!("here")), model, "{:?} {plan:?} at {at}", settings.loss);
        }
        let r = at % batch.len();
        trainer.learn(batch, r, r + 1).unwrap();
        if r + 1 == batch.len() {
            trainer.end_pass().unwrap();
        }
    }
    trainer.model()
}
