//! Robustness tests of a pass in rounds over shards, with arbitrary settings and rows.

use crate::anyone::{Any, finite};
use serde_json::json;
use surefoot_glm::{Partial, RoundTrainer, RoundWork};

/// Adds rows of a shard to the work of a round, without those that are refused.
fn add(any: &mut Any, work: &mut RoundWork, trainer: &RoundTrainer, shard: u32) {
    RoundWork::start_shard(work, trainer, shard);
    let batch = any.batch(RoundTrainer::settings(trainer).loss);
    let mut from = 0;
    while let Err((row, _)) = RoundWork::add(work, trainer, &batch, from, batch.len()) {
        from = row + 1;
    }
}

#[test]
fn nodes_of_rounds_take_any_rows() {
    let (mut learnt, mut refused) = (0, 0);
    for seed in 0..1500 {
        let mut any = Any::new(80_000 + seed);
        let (settings, shards) = (any.settings(), any.of(&[0, 1, 2, 5]));
        let Ok(mut trainer) = RoundTrainer::new(settings, shards) else {
            refused += 1;
            continue;
        };
        if any.below(8) == 0 {
            RoundTrainer::treat_labels_as_proportions(&mut trainer);
        }
        if any.below(8) == 0 {
            RoundTrainer::treat_labels_as_class_names(&mut trainer, Vec::new);
        }
        let mut work = RoundTrainer::work(&trainer);
        for round in 0..4 {
            RoundWork::restart(&mut work, &trainer);
            for shard in 0..shards {
                add(&mut any, &mut work, &trainer, shard);
            }
            let Ok(partial) = RoundWork::finish(&mut work) else { break };
            assert_eq!(Partial::shards(&partial).collect::<Vec<_>>(), (0..shards).collect::<Vec<_>>());
            let rows = Partial::rows(&partial);
            let nodes = Partial::into_nodes(partial).into_iter().map(|(_, part)| part);
            let Some(Ok(joined)) = nodes.map(Ok).reduce(|a, b| Partial::join(a?, b?)) else { break };
            assert!(Partial::is_complete(&joined) && Partial::rows(&joined) == rows);
            let mut bytes = Partial::to_bytes(&joined);
            if any.below(5) == 0 {
                let at = any.below(bytes.len());
                bytes[at] ^= 1 << any.below(8);
            }
            let Ok(read) = Partial::from_bytes(&bytes) else { break };
            learnt += usize::from(RoundTrainer::absorb(&mut trainer, &read).is_ok());
            let model = RoundTrainer::model(&trainer);
            assert!(finite(&model.weight) && finite(&model.intercept), "{seed} {round}: {model:?}");
            let paused = RoundTrainer::pause(&trainer, json!({ "taken": round }));
            if let Ok(again) = RoundTrainer::resume(&paused, shards) {
                assert_eq!(RoundTrainer::summary(&again), RoundTrainer::summary(&trainer), "{seed}");
            }
            let per_shard = RoundTrainer::rows_per_shard(&trainer) as u64;
            assert_eq!(RoundTrainer::rows_in_round(&trainer), per_shard * u64::from(RoundTrainer::shards(&trainer)));
            let _ = (RoundTrainer::recent_loss(&mut trainer), RoundTrainer::labels(&trainer));
        }
    }
    assert!(learnt > 250 && refused > 100, "{learnt} {refused}");
}
