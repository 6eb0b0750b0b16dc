//! Robustness tests of partial results of shards, with arbitrary bytes, ranges and rows.

use crate::anyone::Any;
use std::sync::Arc;
use surefoot_glm::{
    Census, Gathered, Plan, Problem, Trainer,
    optimum::Examples,
    shards::{Collective, Fold, Join, OneProcess, Partial, Shards, is_node, nodes},
};

#[test]
fn partial_results_are_read_from_any_bytes() {
    let mut read = 0;
    for seed in 0..3000 {
        let mut any = Any::new(50_000 + seed);
        let numbers = |any: &mut Any| (0..any.below(4)).map(|_| any.number()).collect::<Vec<f64>>();
        let mut partial = Partial { sums: numbers(&mut any), maxima: numbers(&mut any), ..Partial::default() };
        partial.list = numbers(&mut any);
        partial.compensated = (0..2 * any.below(3)).map(|_| any.number()).collect();
        let mut bytes = Partial::to_bytes(&partial);
        if any.flip() {
            let (at, by) = (any.below(bytes.len()), any.below(256) as u8);
            bytes[at] ^= by;
        }
        bytes.truncate(any.of(&[bytes.len(), bytes.len(), 31, 40]));
        let Some(mut found) = Partial::from_bytes(&bytes) else { continue };
        read += 1;
        Join::join(&mut found, partial.clone());
        Join::join(&mut partial, found.clone());
        assert_eq!(Partial::compensated_sums(&found).len(), found.compensated.len() / 2);
        let shards = Shards { total: 2, collective: Arc::new(OneProcess { shards: 2 }) };
        assert!(Shards::combine(&shards, [(0, partial), (1, found)]).is_ok());
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn folds_take_any_range() {
    let mut whole = 0;
    for seed in 0..3000 {
        let mut any = Any::new(60_000 + seed);
        let leaves = any.of(&[0, 1, 2, 5, 8, usize::MAX]);
        let mut fold = Fold::new(leaves);
        for _ in 0..12 {
            let (from, to) = (any.of(&[0, 0, 1, 2, 4, 7, usize::MAX]), any.of(&[1, 2, 4, 5, 8, usize::MAX]));
            assert!(nodes(from..to, leaves).iter().all(|node| is_node(node, leaves)));
            let had = Fold::has(&fold, &(from..to));
            let taken = Fold::insert(&mut fold, from..to, Partial::default());
            assert!(!taken || is_node(&(from..to), leaves) && !had && Fold::has(&fold, &(from..to)));
        }
        let parts = Fold::into_nodes(fold);
        let mut again = Fold::new(leaves);
        parts.into_iter().for_each(|(range, partial)| assert!(Fold::insert(&mut again, range, partial)));
        whole += usize::from(Fold::total(again).is_some());
    }
    assert!(whole > 100, "{whole}");
}

#[test]
fn rows_of_any_shards_make_a_problem_or_a_message() {
    let mut fine = 0;
    for seed in 0..600 {
        let mut any = Any::new(70_000 + seed);
        let settings = any.settings();
        let (batch, plan) = (any.batch(settings.loss), Plan { optimum: Some(1e-3), ..Plan::ONE_PASS });
        let mut trainer = Trainer::new(settings.clone(), plan);
        let learnt: Vec<usize> = (0..batch.len()).filter(|&r| trainer.learn(&batch, r, r + 1).is_ok()).collect();
        let model = trainer.model();
        let total = any.of(&[1, 2, 3, 7]);
        let shards = Shards { total, collective: Arc::new(OneProcess { shards: total }) };
        let mut gathered = Gathered::of_shards(shards, any.of(&[0, usize::MAX]));
        // Shards that are missing interrupt the run.
        let present = if any.below(5) == 0 { total - 1 } else { total };
        for shard in 0..present {
            Gathered::begin_shard(&mut gathered, shard);
            let mut census = Census::new(&settings);
            if any.below(9) == 0 {
                Census::treat_labels_as_proportions(&mut census);
            }
            if any.below(9) == 0 {
                Census::treat_labels_as_class_names(&mut census);
            }
            let rows = Census::add(&mut census, &batch, 0, batch.len());
            assert!(rows.is_ok() || rows.is_err_and(|(row, _)| row < batch.len()));
            let mut partial = Census::partial(&census);
            partial.keyed = Gathered::features(&gathered, &settings);
            let found = Census::model(&settings, &partial);
            assert!(found.is_err() || found.is_ok_and(|model| model.index == partial.keyed.ids));
            for &r in learnt.iter().filter(|&&r| r % total == shard) {
                let _ = Gathered::add(&mut gathered, &batch, r, r + 1);
            }
        }
        Gathered::relabel(&mut gathered, any.below(4), |label| label);
        let Ok(problem) = Gathered::problem(gathered, &model) else { continue };
        fine += usize::from(Problem::search(&problem, 1e-3, 1, &|| false, &mut |_| ()).is_some());
    }
    assert!(fine > 100, "{fine}");
    let mut examples = Examples::of_shards(Shards { total: 2, collective: Arc::new(OneProcess { shards: 2 }) }, 3, 0);
    Examples::begin_shard(&mut examples, 1);
    assert_eq!((Examples::columns(&examples), Examples::len(&examples)), (3, 0));
    assert!(Census::model(&surefoot_glm::Settings::default(), &Partial::default()).is_err());
    assert!(Collective::combine(&OneProcess { shards: 2 }, Vec::new()).is_err());
}
