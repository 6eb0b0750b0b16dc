//! Whatever rows a round accepts one by one, its sums are within their ranges: they are read back from their bytes, join
//! with those of other shards, and are learnt.

use surefoot_glm::{Batch, ClassWeights, Loss, Model, Partial, RoundTrainer, Row, Settings};

/// Rows of each of two shards that are learnt one by one before the first round, 2048 of them or more.
const FIRST: usize = 1025;

/// Row as label, weight, offset and value of a feature.
type Numbers = (f64, f64, f64, f64);

/// Pseudo-random number generator (linear congruential); the seed determines the sequence.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % n
    }

    /// Returns a number between 0.3 and 3 times 1, or times any power of ten of an f64.
    fn size(&mut self) -> f64 {
        let factor = 0.3 + 0.01 * f64::from(self.below(270));
        factor * if self.below(3) < 2 { 1.0 } else { 10_f64.powi(self.below(601) as i32 - 300) }
    }

    fn signed(&mut self) -> f64 {
        [-1.0, 0.0, 1.0][self.below(3) as usize] * self.size()
    }

    fn row(&mut self, loss: Loss) -> Numbers {
        let label = match self.signed() {
            label if loss.classifies() => f64::from(label > 0.0),
            0.0 if loss == Loss::Gamma => 1.0,
            label if matches!(loss, Loss::Gamma | Loss::Poisson | Loss::Tweedie { .. }) => label.abs(),
            label => label,
        };
        let offset = match self.below(7) {
            0..3 => 0.0,
            3..6 => f64::from(self.below(2001)) - 1000.0,
            _ => self.signed(),
        };
        (label, self.size(), offset, self.signed())
    }

    fn rows(&mut self, loss: Loss, most: u32) -> Vec<Numbers> {
        (0..=self.below(most)).map(|_| self.row(loss)).collect()
    }
}

/// Returns the work of a shard in a round, without the rows that are refused.
fn work(trainer: &RoundTrainer, shard: u32, rows: &[Numbers]) -> Partial {
    let mut batch = Batch::default();
    for &(label, weight, offset, value) in rows {
        let (index, value) = (&[0, 7], &[1.0, value]);
        batch.append(&Row { label: Some(label), weight, offset, index, value, group: &[], position: 0 });
    }
    let mut work = trainer.work();
    work.start_shard(trainer, shard);
    let mut from = 0;
    while let Err((row, _)) = work.add(trainer, &batch, from, batch.len()) {
        from = row + 1;
    }
    work.finish().unwrap()
}

/// Joins the work of both shards, read back from its bytes; `None` if their labels do not go together.
fn both(trainer: &RoundTrainer, rows: [&[Numbers]; 2], case: &str) -> Option<Partial> {
    let read_back = |partial: &Partial| match Partial::from_bytes(&partial.to_bytes()) {
        Ok(read) => read,
        Err(reason) => panic!("{case}: {reason}: {rows:?}: {partial:?}"),
    };
    let [left, right] = [0, 1].map(|shard| read_back(&work(trainer, shard, rows[shard as usize])));
    left.join(right).ok().map(|joined| read_back(&joined))
}

#[test]
fn sums_of_accepted_rows_are_read_back() {
    let losses: Vec<Loss> = Loss::ALL.into_iter().filter(|loss| !loss.is_multiclass()).collect();
    let mut learnt = 0;
    for seed in 0..40 * losses.len() {
        let (mut dice, loss) = (Dice(seed as u64), losses[seed % losses.len()]);
        let mut settings = Settings { loss, intercept: dice.below(3) > 0, ..Settings::default() };
        settings.penalty.l2 = f64::from(dice.below(2));
        settings.class_weights = (dice.below(3) == 0 && loss.classifies()).then_some(ClassWeights::Balanced);
        let case = format!("seed {seed}, {loss}");
        let mut trainer = RoundTrainer::new(settings, 2).unwrap();
        let usual: Vec<Numbers> = dice.rows(loss, 6).into_iter().cycle().take(FIRST).collect();
        let Some(joined) = both(&trainer, [&usual, &usual], &case) else { continue };
        trainer.absorb(&joined).unwrap();
        for _ in 0..6 {
            let rows = [dice.rows(loss, 12), dice.rows(loss, 12)];
            let Some(joined) = both(&trainer, [&rows[0], &rows[1]], &case) else { break };
            trainer.absorb(&joined).unwrap_or_else(|reason| panic!("{case}: {reason}"));
            assert_eq!(Model::check(&trainer.model()), Ok(()), "{case}");
            learnt += 1;
        }
    }
    assert!(learnt > 300, "{learnt}");
}
