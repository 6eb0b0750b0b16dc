//! Tests of one pass over shards: replicas and assignments of shards to workers agree to the bit, the printed loss is
//! that of the saved models, and the quality is that of the sequential pass.

use surefoot_glm::{
    Batch, ClassWeights, Loss, Model, Partial, Penalty, Plan, Predictor, RoundTrainer, Settings, Trainer,
};

/// Pseudo-random number generator (linear congruential); the seed determines the sequence.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.roll()).sum::<f64>() - 6.0
    }
}

/// Returns `n` random rows with a few frequent and many rare features.
fn rows(loss: Loss, n: usize, seed: u64) -> Batch {
    let (mut dice, mut batch) = (Dice(seed), Batch::default());
    for _ in 0..n {
        let (mut pairs, mut margin) = (Vec::new(), 0.3);
        for j in 0..6_u64 {
            let x = dice.normal();
            margin += x * [0.5, 1.0, -1.0, 0.5, 0.0, 0.2][j as usize];
            pairs.push((j, x * [1.0, 1e-3, 1.0, 1e4, 1.0, 30.0][j as usize]));
        }
        let rare = 10 + (300.0 * dice.roll() * dice.roll()) as u64;
        margin += (rare as f64).sin();
        pairs.push((rare, 1.0));
        batch.push(Some(label(loss, &mut dice, margin)), 1.0, &pairs);
    }
    batch
}

fn label(loss: Loss, dice: &mut Dice, margin: f64) -> f64 {
    let mean = (0.3 * margin).exp();
    match loss {
        Loss::Poisson => (mean + mean.sqrt() * dice.normal()).round().max(0.0),
        Loss::Gamma => mean * (0.5 * dice.normal()).exp(),
        Loss::Tweedie { .. } => (mean * (1.0 + dice.normal())).max(0.0),
        _ if loss.classifies() => f64::from(dice.roll() < 1.0 / (1.0 + (-margin).exp())),
        _ => 5.0 + margin + 0.3 * dice.normal(),
    }
}

/// Deals rows to shards in turn.
fn dealt(rows: &Batch, shards: u32) -> Vec<Batch> {
    let mut dealt = vec![Batch::default(); shards as usize];
    (0..rows.len()).for_each(|r| dealt[r % shards as usize].append(&rows.row(r)));
    dealt
}

/// Assignment of shards to workers: the shards of each worker, in ascending order.
fn in_turn(shards: u32, workers: u32) -> Vec<Vec<u32>> {
    (0..workers).map(|worker| (worker..shards).step_by(workers as usize).collect()).collect()
}

fn in_blocks(shards: u32, workers: u32) -> Vec<Vec<u32>> {
    let size = shards.div_ceil(workers);
    (0..workers).map(|worker| (worker * size..shards.min((worker + 1) * size)).collect()).collect()
}

/// Returns the work of each worker in a round, whose rows begin with number `at` of each shard.
fn work(trainer: &RoundTrainer, shards: &[Batch], at: usize, workers: &[Vec<u32>]) -> Vec<Partial> {
    let one = |own: &Vec<u32>| {
        let mut work = trainer.work();
        for &shard in own {
            let rows = &shards[shard as usize];
            let [from, to] = [at, at + trainer.rows_per_shard()].map(|r| r.min(rows.len()));
            work.start_shard(trainer, shard);
            work.add(trainer, rows, from, to).unwrap();
        }
        work.finish().unwrap()
    };
    workers.iter().map(one).collect()
}

/// Learns the rest of the shards in rounds, from row `at` of each on; calls `each` before every round, with the position.
fn run(
    trainer: &mut RoundTrainer,
    shards: &[Batch],
    mut at: usize,
    workers: &[Vec<u32>],
    mut each: impl FnMut(&RoundTrainer, usize),
) {
    let most = shards.iter().map(Batch::len).max().unwrap_or(0);
    while at < most {
        each(trainer, at);
        let step = trainer.rows_per_shard();
        let parts = work(trainer, shards, at, workers).into_iter();
        let all = parts.reduce(|a, b| a.join(b).unwrap()).unwrap();
        trainer.absorb(&all).unwrap();
        at += step;
    }
}

fn fit(settings: &Settings, shards: &[Batch], workers: &[Vec<u32>]) -> RoundTrainer {
    let mut trainer = RoundTrainer::new(settings.clone(), shards.len() as u32).unwrap();
    run(&mut trainer, shards, 0, workers, |_, _| {});
    trainer
}

fn of(loss: Loss) -> Settings {
    Settings { loss, ..Settings::default() }
}

/// Whether two models are equal to the bit, states included.
fn assert_same(a: &Model, b: &Model, why: &str) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"), "{why}");
}

/// Mean loss of a model on rows.
fn mean_loss(model: &Model, rows: &Batch) -> f64 {
    let (predictor, loss) = (Predictor::new(model), model.settings.loss);
    let value = |r: usize| {
        let row = rows.row(r);
        let label = row.label.unwrap();
        let y = if loss.classifies() { model.labels.encode(label).unwrap() } else { label };
        loss.value(y, predictor.score(&row).unwrap().margin)
    };
    (0..rows.len()).map(value).sum::<f64>() / rows.len() as f64
}

#[test]
fn any_assignment_of_shards_gives_the_same_model() {
    for loss in [Loss::Logistic, Loss::Squared, Loss::Quantile { tau: 0.7 }, Loss::Poisson, Loss::Hinge] {
        let shards = dealt(&rows(loss, 6000, 1), 16);
        let one = fit(&of(loss), &shards, &in_turn(16, 1)).model();
        one.check().unwrap();
        for workers in [2, 3, 7] {
            for assigned in [in_turn(16, workers), in_blocks(16, workers)] {
                let other = fit(&of(loss), &shards, &assigned).model();
                assert_same(&one, &other, &format!("{loss}, {workers} workers"));
            }
        }
    }
}

#[test]
fn partials_join_in_any_order_and_as_bytes() {
    let shards = dealt(&rows(Loss::Logistic, 4000, 2), 11);
    let mut trainer = RoundTrainer::new(of(Loss::Logistic), 11).unwrap();
    let leaves = in_turn(11, 11);
    run(&mut trainer, &shards, 0, &leaves, |trainer, at| {
        let parts = work(trainer, &shards, at, &leaves);
        let [forth, back, whole] = [
            parts.clone().into_iter().reduce(|a, b| a.join(b).unwrap()).unwrap(),
            parts.iter().rev().cloned().reduce(|a, b| b.join(a).unwrap()).unwrap(),
            work(trainer, &shards, at, &in_turn(11, 1)).pop().unwrap(),
        ];
        let sent = |partial: Partial| {
            let bytes = partial.to_bytes();
            let back = Partial::from_bytes(&bytes).unwrap();
            assert_eq!(bytes, back.to_bytes());
            back
        };
        let bytes = parts.into_iter().map(sent).reduce(|a, b| sent(a.join(b).unwrap())).unwrap();
        assert_eq!(forth.to_bytes(), back.to_bytes());
        assert_eq!(forth.to_bytes(), whole.to_bytes());
        assert_eq!(forth, bytes);
        assert!(forth.is_complete() && forth.shards().eq(0..11));
    });
}

#[test]
fn the_printed_loss_is_that_of_the_saved_models() {
    for (loss, l2) in Loss::SCALAR.into_iter().zip([0.0, 1e-3].into_iter().cycle()).chain([(Loss::Logistic, 1e-2)]) {
        let mut all = rows(loss, 5000, 3);
        all.offset = (0..all.len()).map(|r| if r % 3 == 0 { 0.1 } else { 0.0 }).collect();
        (0..all.len()).for_each(|r| all.weight[r] = [1.0, 0.5, 3.0, 0.0][r % 4]);
        let shards = dealt(&all, 5);
        let mut trainer = RoundTrainer::new(penalised(loss, l2, l2), 5).unwrap();
        let (mut total, mut weight, mut rounds) = (0.0, 0.0, 0);
        run(&mut trainer, &shards, 0, &in_turn(5, 2), |trainer, at| {
            let model = trainer.model();
            let summary = &model.summary;
            if summary.rows - summary.rows_zero_weight < 2048 {
                return;
            }
            let printed = summary.loss.unwrap();
            if rounds == 0 {
                // The rows before were learnt one by one, each scored by a model of its own.
                (total, weight) = (printed * summary.weight, summary.weight);
            }
            rounds += 1;
            let scale = printed.abs().max(1e-3);
            assert!((total / weight - printed).abs() < 1e-12 * scale, "{loss}: {} {printed}", total / weight);
            let predictor = Predictor::new(&model);
            for shard in &shards {
                for r in at..shard.len().min(at + trainer.rows_per_shard()) {
                    let row = shard.row(r);
                    let label = row.label.unwrap();
                    let y = if loss.classifies() { model.labels.encode(label).unwrap() } else { label };
                    total += row.weight * loss.value(y, predictor.score(&row).unwrap().margin);
                    weight += row.weight;
                }
            }
        });
        let printed = trainer.summary().loss.unwrap();
        assert!(
            (total / weight - printed).abs() < 1e-12 * printed.abs().max(1e-3),
            "{loss}: {} {printed}",
            total / weight
        );
        assert!(rounds > 20, "{loss}");
    }
}

#[test]
fn quality_is_that_of_the_sequential_pass() {
    for loss in Loss::SCALAR {
        let (train, test) = (rows(loss, 30_000, 4), rows(loss, 5000, 5));
        let mut sequential = Trainer::new(of(loss), Plan::ONE_PASS);
        sequential.learn(&train, 0, train.len()).unwrap();
        let rounds = fit(&of(loss), &dealt(&train, 16), &in_turn(16, 1));
        let unit = sequential.summary().loss_constant.unwrap().abs();
        for (name, plain, here) in [
            ("printed", sequential.summary().loss.unwrap(), rounds.summary().loss.unwrap()),
            ("test", mean_loss(&sequential.model(), &test), mean_loss(&rounds.model(), &test)),
        ] {
            println!("{loss} {name}: {plain} {here}");
            assert!(here - plain < 0.01 * unit, "{loss}, {name}: {here} in rounds, {plain}");
        }
        let constants = [sequential.summary(), rounds.summary()].map(|summary| summary.loss_constant.unwrap());
        let exact =
            if matches!(loss, Loss::Huber { .. } | Loss::Absolute | Loss::Quantile { .. }) { 0.03 } else { 1e-9 };
        assert!((constants[0] - constants[1]).abs() < exact * unit, "{loss}: {constants:?}");
    }
}

/// In rounds of one row each, every statistic is updated as in training row by row, so that the models agree up to
/// rounding; with logistic loss up to stacking too, whose steps are taken every sixteenth row there.
fn assert_rounds_of_one_row(settings: &Settings, tolerance: f64) {
    let loss = settings.loss;
    let mut all = rows(loss, 3500, 11);
    all.offset = (0..all.len()).map(|r| [0.0, 0.2, -0.1][r % 3]).collect();
    (0..all.len()).for_each(|r| all.weight[r] = [1.0, 0.5, 3.0][r % 3]);
    let mut sequential = Trainer::new(settings.clone(), Plan::ONE_PASS);
    sequential.learn(&all, 0, all.len()).unwrap();
    let mut trainer = RoundTrainer::new(settings.clone(), 1).unwrap();
    let mut at = 0;
    while at < all.len() {
        let to = if at == 0 { 2048 } else { at + 1 };
        let mut work = trainer.work();
        work.start_shard(&trainer, 0);
        work.add(&trainer, &all, at, to).unwrap();
        trainer.absorb(&work.finish().unwrap()).unwrap();
        at = to;
    }
    let (plain, here) = (sequential.model(), trainer.model());
    here.check().unwrap();
    let [a, b] = [&plain, &here].map(Predictor::new);
    let (mut apart, mut size) = (0.0, 0.0);
    for r in 0..all.len() {
        let [x, y] = [&a, &b].map(|predictor| predictor.score(&all.row(r)).unwrap().margin - all.offset[r]);
        apart += (x - y).powi(2);
        size += x.powi(2);
    }
    let apart = (apart / size).sqrt();
    assert!(apart < tolerance, "{settings:?}: margins differ by {apart}");
    let (plain, here) = (plain.summary, here.summary);
    for (a, b) in plain.lanes.iter().zip(&here.lanes) {
        assert!((a.share - b.share).abs() < 10.0 * tolerance, "{loss}: {a:?} {b:?}");
    }
    assert!((plain.loss.unwrap() - here.loss.unwrap()).abs() < 0.01 * tolerance * plain.loss.unwrap().abs().max(1.0));
    assert!((plain.weight - here.weight).abs() < 1e-9 && plain.nnz == here.nnz && plain.rows == here.rows);
}

#[test]
fn rounds_of_one_row_are_the_sequential_pass() {
    for loss in Loss::SCALAR {
        assert_rounds_of_one_row(&of(loss), if loss == Loss::Logistic { 0.02 } else { 1e-5 });
    }
}

fn penalised(loss: Loss, l1: f64, l2: f64) -> Settings {
    Settings { penalty: Penalty { l1, l2, standardize: true, ..Penalty::default() }, ..of(loss) }
}

#[test]
fn penalties_act_as_in_the_sequential_pass() {
    for loss in Loss::SCALAR {
        let settings = penalised(loss, 3e-3, 1e-3);
        assert_rounds_of_one_row(&settings, if loss == Loss::Logistic { 0.02 } else { 1e-3 });
        let (train, test) = (rows(loss, 15_000, 12), rows(loss, 3000, 13));
        let mut sequential = Trainer::new(settings.clone(), Plan::ONE_PASS);
        sequential.learn(&train, 0, train.len()).unwrap();
        let rounds = fit(&settings, &dealt(&train, 8), &in_turn(8, 3));
        let [plain, here] = [sequential.model(), rounds.model()];
        let zeros = |model: &Model| model.weight.iter().filter(|weight| **weight == 0.0).count() as f64;
        assert!(zeros(&here) > 0.0 && (zeros(&here) - zeros(&plain)).abs() <= 0.1 * zeros(&plain) + 5.0, "{loss}");
        let unit = plain.summary.loss_constant.unwrap().abs();
        let [a, b] = [&plain, &here].map(|model| mean_loss(model, &test));
        assert!((a - b).abs() < 0.01 * unit, "{loss}: {a} {b}");
    }
}

#[test]
fn class_weights_count_as_in_the_sequential_pass() {
    for weights in [ClassWeights::Balanced, ClassWeights::Given(vec![("1".into(), 5.0)])] {
        let settings = Settings { class_weights: Some(weights), ..of(Loss::Logistic) };
        let (train, test) = (rows(Loss::Logistic, 15_000, 14), rows(Loss::Logistic, 3000, 15));
        let mut sequential = Trainer::new(settings.clone(), Plan::ONE_PASS);
        sequential.learn(&train, 0, train.len()).unwrap();
        let [one, two] = [1, 3].map(|workers| fit(&settings, &dealt(&train, 8), &in_turn(8, workers)).model());
        assert_same(&one, &two, "class weights");
        let [a, b] = [&sequential.model(), &one].map(|model| mean_loss(model, &test));
        assert!((a - b).abs() < 0.01, "{a} {b}");
        assert!((sequential.summary().weight / one.summary.weight - 1.0).abs() < 1e-3);
    }
}

#[test]
fn a_run_resumes_at_any_round() {
    for loss in [Loss::Logistic, Loss::Squared, Loss::Gamma] {
        let shards = dealt(&rows(loss, 4000, 6), 4);
        let mut saved = Vec::new();
        let mut trainer = RoundTrainer::new(of(loss), 4).unwrap();
        run(&mut trainer, &shards, 0, &in_turn(4, 1), |trainer, at| {
            saved.push((at, trainer.pause(serde_json::json!(at))));
        });
        for (at, model) in saved.into_iter().step_by(7) {
            model.check().unwrap();
            let mut again = RoundTrainer::resume(&model, 4).unwrap();
            run(&mut again, &shards, at, &in_turn(4, 3), |_, _| {});
            assert_same(&trainer.model(), &again.model(), &format!("{loss} from {at}"));
        }
        // A finished model goes on in rounds and one by one.
        let more = rows(loss, 500, 7);
        let mut rounds = RoundTrainer::resume(&trainer.model(), 4).unwrap();
        run(&mut rounds, &dealt(&more, 4), 0, &in_turn(4, 2), |_, _| {});
        let mut plain =
            Trainer::resume(&trainer.model(), Plan::ONE_PASS, Box::<surefoot_glm::MemoryHoldout>::default()).unwrap();
        plain.learn(&more, 0, more.len()).unwrap();
        assert_eq!((rounds.summary().rows, plain.summary().rows), (4500, 4500));
        [rounds.model(), plain.model()].iter().for_each(|model| model.check().unwrap());
    }
}

/// Rows with values, labels and weights near the ends of their ranges.
fn hostile(loss: Loss, n: usize, seed: u64) -> Batch {
    let (mut dice, mut batch) = (Dice(seed), rows(loss, n, seed));
    for r in 0..n {
        let range = batch.start[r]..batch.start[r + 1];
        match (20.0 * dice.roll()) as u32 {
            0 => batch.value[range].iter_mut().for_each(|x| *x *= 1e150),
            1 => batch.value[range].iter_mut().for_each(|x| *x *= 1e-150),
            2 => batch.value[range].iter_mut().for_each(|x| *x = 0.0),
            3 => batch.weight[r] = 1e30,
            4 => batch.weight[r] = 1e-30,
            5 if !loss.classifies() => batch.label[r] *= 1e20,
            6 if !loss.classifies() => batch.label[r] *= 1e-20,
            7 => batch.index[range.start] = u64::MAX - r as u64,
            _ => {}
        }
    }
    batch
}

#[test]
fn hostile_values_never_make_a_model_that_is_none() {
    for (seed, loss) in (10..).zip(Loss::SCALAR) {
        let mut shards = dealt(&hostile(loss, 3000, seed), 6);
        // One shard has most rows, and two have none.
        shards[3] = hostile(loss, 2000, seed + 100);
        (shards[1], shards[5]) = (Batch::default(), Batch::default());
        let mut trainer = RoundTrainer::new(of(loss), 6).unwrap();
        let (mut at, mut refused) = (0, 0);
        while at < 2000 {
            let mut work = trainer.work();
            for (shard, rows) in (0..).zip(&shards) {
                work.start_shard(&trainer, shard);
                for r in at..rows.len().min(at + trainer.rows_per_shard()) {
                    refused += usize::from(work.add(&trainer, rows, r, r + 1).is_err());
                }
            }
            at += trainer.rows_per_shard();
            let partial = work.finish().unwrap();
            let sent = Partial::from_bytes(&partial.to_bytes()).unwrap();
            assert_eq!(sent.to_bytes(), partial.to_bytes());
            if let Err(error) = trainer.absorb(&sent) {
                // Rows of the first round show only then that they overflow.
                assert!(error.contains("overflows"), "{loss}: {error}");
            }
            trainer.model().check().unwrap_or_else(|error| panic!("{loss} at {at}: {error}"));
        }
        println!("{loss}: {refused} rows refused");
        let model = trainer.model();
        assert!(model.weight.iter().chain(&model.intercept).all(|w| w.is_finite()));
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let shards = dealt(&rows(Loss::Logistic, 3000, 8), 3);
    let mut trainer = RoundTrainer::new(of(Loss::Logistic), 3).unwrap();
    let mut kinds = 0;
    run(&mut trainer, &shards, 0, &in_turn(3, 1), |trainer, at| {
        if at == 0 || kinds == 1 {
            kinds += 1;
            let bytes = work(trainer, &shards, at, &in_turn(3, 2)).swap_remove(0).to_bytes();
            for k in (0..bytes.len()).step_by(bytes.len() / 300 + 1) {
                assert!(Partial::from_bytes(&bytes[..k]).is_err());
                let mut wrong = bytes.clone();
                wrong[k] ^= 1 << (k % 8);
                assert!(Partial::from_bytes(&wrong).is_err(), "{k}");
            }
        }
    });
    assert_eq!(kinds, 2);
}

#[test]
fn what_does_not_fit_is_refused() {
    let settings = of(Loss::Logistic);
    assert!(RoundTrainer::new(settings.clone(), 0).is_err());
    assert!(RoundTrainer::new(of(Loss::Softmax), 2).is_err());
    let path = Penalty { path: Some(surefoot_glm::PenaltyTerm::L2), ..Penalty::default() };
    assert!(RoundTrainer::new(Settings { penalty: path, ..of(Loss::Logistic) }, 2).is_err());
    let shards = dealt(&rows(Loss::Logistic, 3000, 9), 2);
    let mut trainer = RoundTrainer::new(settings, 2).unwrap();
    let first = work(&trainer, &shards, 0, &in_turn(2, 2));
    assert!(trainer.absorb(&first[0]).unwrap_err().contains("all shards"));
    assert!(first[0].clone().join(first[0].clone()).unwrap_err().contains("in common"));
    let all = first[0].clone().join(first[1].clone()).unwrap();
    trainer.absorb(&all).unwrap();
    assert!(trainer.absorb(&all).unwrap_err().contains("another round"));
    let second = work(&trainer, &shards, 1024, &in_turn(2, 2));
    assert!(first[0].clone().join(second[1].clone()).is_err());

    // A third class, in one shard or in two.
    let mut wrong = Batch::default();
    wrong.push(Some(7.0), 1.0, &[(1, 1.0)]);
    let mut work = trainer.work();
    work.start_shard(&trainer, 0);
    let fault = work.add(&trainer, &wrong, 0, 1).unwrap_err();
    assert!(fault.0 == 0 && fault.1.message.contains("third class"));
}

/// However many shards there are, a round takes no more than its share of the rows before it.
#[test]
fn rounds_are_never_longer_than_their_share() {
    for (loss, inverse_share) in [(Loss::Logistic, 100), (Loss::Squared, 400)] {
        for shards in [1, 3, 16, 64, 300] {
            let settings = Settings { loss, ..Settings::default() };
            let mut trainer = RoundTrainer::new(settings, shards).unwrap();
            let (mut work, mut rows, mut rounds) = (trainer.work(), 0_u64, 0);
            while rows < 130_000 && rounds < 80 {
                let each = trainer.rows_per_shard() as u64;
                if trainer.is_one_by_one() {
                    assert!(u64::from(shards) * each < 2048 + u64::from(shards), "{loss} {shards}: {each}");
                } else {
                    assert!(
                        rows >= 2048 && u64::from(shards) * each * inverse_share <= rows,
                        "{loss} {shards}: {rows}"
                    );
                    rounds += 1;
                }
                work.restart(&trainer);
                for shard in 0..shards {
                    let mut own = Batch::default();
                    (0..each).for_each(|r| own.push(Some((r % 2) as f64), 1.0, &[(r % 3, 1.0)]));
                    work.start_shard(&trainer, shard);
                    work.add(&trainer, &own, 0, own.len()).unwrap();
                }
                let partial = work.finish().unwrap();
                assert_eq!(partial.taken(), u64::from(shards) * each);
                assert!(trainer.absorb(&partial).unwrap().is_empty());
                rows = trainer.summary().rows;
            }
            assert!(rounds > 0, "{loss} {shards}");
        }
    }
}
