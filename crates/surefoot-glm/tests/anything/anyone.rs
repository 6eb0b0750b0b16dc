//! Generator of random and extreme numbers, rows and settings, many of them invalid, for robustness tests.

use surefoot_glm::{
    Ball, Batch, Bounds, ClassWeights, FeatureGroups, Loss, Penalty, PenaltyTerm, Plan, Row, Select, Settings,
};

pub(crate) struct Any(u64);

impl Any {
    pub(crate) fn new(seed: u64) -> Any {
        Any(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(crate) fn of<T: Clone>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())].clone()
    }

    /// Returns a random number, which in a third of the cases is an extreme one, such as NaN, ∞, a subnormal number or
    /// −0.
    pub(crate) fn number(&mut self) -> f64 {
        const ODD: [f64; 20] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            1e300,
            -1e300,
            1e160,
            1e-300,
            -1e-160,
            f64::MIN_POSITIVE,
            5e-324,
            -5e-324,
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            2.0,
            1e17,
        ];
        if self.below(3) == 0 { self.of(&ODD) } else { self.usual() }
    }

    pub(crate) fn usual(&mut self) -> f64 {
        self.below(2001) as f64 / 250.0 - 4.0
    }

    /// Returns a random number that is extreme in only one of 36 cases, since a single invalid number makes a row
    /// invalid.
    fn mostly(&mut self) -> f64 {
        if self.below(12) == 0 { self.number() } else { self.usual() }
    }

    pub(crate) fn id(&mut self) -> u64 {
        match self.below(12) {
            0 => u64::MAX,
            1 => u64::from(u32::MAX) + self.below(3) as u64,
            2 => 1 << 63,
            _ => self.below(6) as u64,
        }
    }

    pub(crate) fn text(&mut self) -> String {
        match self.below(8) {
            0 => String::new(),
            1 => "é\u{0}\n\"\u{202e}".to_owned(),
            2 => "x".repeat(100_000),
            _ => self.of(&["a", "b", "1", "0", "-1", "nan"]).to_owned(),
        }
    }

    pub(crate) fn loss(&mut self) -> Loss {
        let losses = Loss::ALL;
        match self.below(8) {
            0 => Loss::Huber { delta: self.number() },
            1 => Loss::Quantile { tau: self.number() },
            2 => Loss::Tweedie { power: self.number() },
            _ => self.of(&losses),
        }
    }

    fn label(&mut self, loss: Loss) -> Option<f64> {
        match self.below(16) {
            0 => None,
            1 => Some(self.number()),
            2 => Some(-1.0),
            _ if loss.classifies() => Some(self.below(if loss.is_multiclass() { 4 } else { 2 }) as f64),
            _ => Some(self.usual().abs() + 0.1),
        }
    }

    /// Returns a batch of up to 39 random rows, some with repeated or unsorted ids, some empty, and some with invalid
    /// weights, labels or offsets.
    pub(crate) fn batch(&mut self, loss: Loss) -> Batch {
        let mut batch = Batch::default();
        for _ in 0..self.below(40) {
            let plain = self.below(4) > 0;
            let mut pairs: Vec<(u64, f64)> = (0..self.below(5)).map(|_| (self.id(), self.mostly())).collect();
            if plain {
                pairs.sort_by_key(|pair| pair.0);
                pairs.dedup_by_key(|pair| pair.0);
            }
            let weight = if self.below(6) == 0 { self.number() } else { self.of(&[1.0, 1.0, 0.0, -0.0, 2.5]) };
            let offset = if self.below(6) == 0 && !loss.is_multiclass() { self.mostly() } else { 0.0 };
            let (index, value): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            let group: Vec<u32> = if self.flip() {
                vec![0; index.len()]
            } else {
                index.iter().map(|_| self.of(&[0, 1, 2, u32::MAX])).collect()
            };
            let (label, position) = (self.label(loss), self.of(&[0, 0, 1, u64::MAX]));
            Batch::append(
                &mut batch,
                &Row { label, weight, offset, index: &index, value: &value, group: &group, position },
            );
        }
        batch
    }

    fn bounds(&mut self) -> Bounds {
        let (low, high) = (self.number(), self.number());
        Bounds::new(-low.abs(), high.abs()).unwrap_or_default()
    }

    /// Returns random settings; about a third of them may be out of range or contradict each other, the others are
    /// mostly valid.
    pub(crate) fn settings(&mut self) -> Settings {
        let (odd, loss) = (self.below(3) == 0, self.loss());
        let loss = if odd || loss.parameter().is_none() { loss } else { Loss::Quantile { tau: 0.3 } };
        let mut settings = Settings { loss, intercept: self.flip(), ..Settings::default() };
        let size = |any: &mut Any| if odd { any.number() } else { any.usual().abs() + 0.1 };
        if self.below(4) == 0 && (odd || !loss.is_multiclass()) {
            let delta = if odd { self.number() } else { 0.1 };
            let row_norm = if self.flip() { Some(size(self)) } else { None };
            settings.ball = Some(Ball { radius: size(self), row_norm, delta });
        } else {
            let path = self.of(&[None, None, Some(PenaltyTerm::L1), Some(PenaltyTerm::L2)]);
            let factor = |any: &mut Any| if any.flip() { 0.0 } else { size(any) };
            settings.penalty =
                Penalty { l1: factor(self), l2: factor(self), bounds: self.bounds(), path, standardize: self.flip() };
        }
        if self.below(4) == 0 && (odd || loss.classifies()) {
            let weights = (0..self.below(3)).map(|_| (self.text(), size(self))).collect();
            settings.class_weights =
                Some(if self.flip() { ClassWeights::Balanced } else { ClassWeights::Given(weights) });
        }
        if self.below(4) == 0 {
            let factors = (0..self.below(3)).map(|_| (self.text(), size(self))).collect();
            let bounds = (0..self.below(3)).map(|_| (self.text(), self.bounds())).collect();
            settings.groups = FeatureGroups { factors, bounds };
        }
        settings
    }

    pub(crate) fn plan(&mut self) -> Plan {
        let optimum = match self.below(4) {
            0 => Some(self.number()),
            1 => Some(1e-3),
            _ => None,
        };
        Plan {
            passes: self.of(&[0, 1, 1, 2, u32::MAX]),
            holdout: self.of(&[None, Some(0), Some(1), Some(3), Some(10), Some(u32::MAX)]),
            optimum,
            select: self.of(&[Select::Min, Select::OneSe]),
        }
    }
}

/// Whether all numbers are finite.
pub(crate) fn finite<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> bool {
    numbers.into_iter().all(|x| x.is_finite())
}
