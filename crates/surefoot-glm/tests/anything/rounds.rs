//! Robustness tests of one pass over shards, with arbitrary settings, rows and bytes.

use crate::anyone::{Any, finite};
use surefoot_glm::{Batch, Model, Partial, RoundTrainer, RoundWork, Settings};

/// Number of sets of rows.
const SETS: u64 = 400;

/// Returns rows of usual size, as many as are learnt one by one.
fn usual_rows(any: &mut Any, settings: &Settings, shards: u32) -> Vec<Batch> {
    let mut dealt = vec![Batch::default(); shards as usize];
    for r in 0..2200 {
        let label = if settings.loss.classifies() { f64::from(any.flip()) } else { any.usual().abs() + 0.1 };
        let pairs = [(any.below(6) as u64, any.usual()), (10 + any.below(20) as u64, 1.0)];
        dealt[r % shards as usize].push(Some(label), 1.0, &pairs);
    }
    dealt
}

/// Adds rows to a shard, without those that are refused.
fn add(work: &mut RoundWork, trainer: &RoundTrainer, rows: &Batch) {
    let mut from = 0;
    while from < rows.len() {
        from = match RoundWork::add(work, trainer, rows, from, rows.len()) {
            Ok(()) => rows.len(),
            Err((row, fault)) => {
                assert!(!fault.message.is_empty());
                row + 1
            }
        };
    }
}

/// Lets two workers take the rows of a round; returns what they send.
fn round(work: &mut RoundWork, trainer: &RoundTrainer, shards: &[Batch]) -> Result<Partial, String> {
    let mut all: Option<Partial> = None;
    for parity in 0..2 {
        RoundWork::restart(work, trainer);
        for (shard, rows) in (0..).zip(shards).filter(|(shard, _)| shard % 2 == parity) {
            RoundWork::start_shard(work, trainer, shard);
            add(work, trainer, rows);
            if trainer.shards() > 3 {
                let class = |text: &str, code| surefoot_glm::Class { text: text.into(), code };
                RoundWork::add_classes(work, &[class("a", 0.0), class("b", 1.0 + f64::from(shard % 7 / 6))]);
            }
        }
        let own = RoundWork::finish(work)?;
        assert_eq!(Partial::shards(&own).count(), shards.iter().skip(parity as usize).step_by(2).count());
        let mut bytes = vec![1, 2];
        Partial::append_to(&own, &mut bytes);
        assert!(bytes[2..] == Partial::to_bytes(&own) && Partial::are_bytes_intact(&bytes[2..]));
        assert!(!Partial::are_bytes_intact(&bytes[1..]) && !Partial::are_bytes_intact(&bytes[2..bytes.len() - 1]));
        let sent = Partial::from_bytes(&Partial::to_bytes(&own)).unwrap();
        assert_eq!(Partial::to_bytes(&sent), Partial::to_bytes(&own));
        all = Some(match all {
            Some(other) => Partial::join(other, sent)?,
            None => sent,
        });
    }
    all.ok_or_else(String::new)
}

fn check(trainer: &RoundTrainer) {
    let model = RoundTrainer::model(trainer);
    match Model::check(&model) {
        Ok(()) => assert!(finite(&model.weight) && finite(&model.intercept)),
        Err(says) => assert!(says.contains("out of"), "{says}: {:?}", model.settings),
    }
}

#[test]
fn rounds_of_anything_make_a_model_or_an_error() {
    let mut learnt = 0;
    for seed in 0..SETS {
        let any = &mut Any::new(seed);
        let (mut settings, shards) = (any.settings(), 1 + any.below(5) as u32);
        if any.below(3) > 0 {
            settings.penalty.path = None;
            settings.groups = surefoot_glm::FeatureGroups::default();
        }
        // A model that goes on has 0 for −0.
        settings.penalty.l1 += 0.0;
        let Ok(mut trainer) = RoundTrainer::new(settings, shards) else { continue };
        if any.below(8) == 0 {
            RoundTrainer::treat_labels_as_class_names(&mut trainer, Vec::new);
        }
        if any.below(12) == 0 {
            RoundTrainer::treat_labels_as_proportions(&mut trainer);
        }
        let usual = usual_rows(any, RoundTrainer::settings(&trainer), shards);
        let mut work = RoundTrainer::work(&trainer);
        for r in 0..6 {
            let rows = match (r, any.below(5)) {
                (0, 1..) => usual.clone(),
                _ => (0..shards).map(|_| any.batch(RoundTrainer::settings(&trainer).loss)).collect(),
            };
            let Ok(partial) = round(&mut work, &trainer, &rows) else { break };
            let taken: u64 = rows.iter().map(|b| b.len() as u64).sum();
            assert!(Partial::is_complete(&partial) && Partial::rows(&partial) <= taken);
            assert_eq!(Partial::taken(&partial), taken);
            let one_by_one = RoundTrainer::is_one_by_one(&trainer);
            let Ok(refused) = RoundTrainer::absorb(&mut trainer, &partial) else { break };
            assert!(refused.is_empty() || one_by_one);
            assert!(
                refused.iter().all(|row| row.row < rows[row.shard as usize].len() && !row.fault.message.is_empty())
            );
            assert!(RoundTrainer::classes(&trainer).is_sorted_by(|a, b| a.text < b.text && a.code < b.code));
            learnt += 1;
            check(&trainer);
            assert!(
                RoundTrainer::rows_in_round(&trainer)
                    == u64::from(shards) * RoundTrainer::rows_per_shard(&trainer) as u64
            );
            assert!(RoundTrainer::recent_loss(&mut trainer).is_none_or(f64::is_finite));
            let summary = RoundTrainer::summary(&trainer);
            assert!([summary.loss, summary.loss_constant].iter().flatten().all(|x| x.is_finite()));
            let model = RoundTrainer::pause(&trainer, serde_json::Value::Null);
            if let Ok(again) = RoundTrainer::resume(&model, shards) {
                assert_eq!(RoundTrainer::labels(&again), RoundTrainer::labels(&trainer));
                assert_eq!(RoundTrainer::shards(&again), shards);
                assert_eq!(
                    format!("{:?}", RoundTrainer::model(&again)),
                    format!("{:?}", RoundTrainer::model(&trainer))
                );
            }
        }
    }
    assert!(learnt > 300, "{learnt}");
}

#[test]
fn arbitrary_bytes_are_no_partial() {
    let any = &mut Any::new(7);
    for _ in 0..2000 {
        let mut bytes: Vec<u8> = (0..any.below(300)).map(|_| any.below(256) as u8).collect();
        if any.flip() {
            bytes.splice(0..0, *b"sfround2");
        }
        assert!(Partial::from_bytes(&bytes).is_err());
    }
}
