//! Random numbers that depend only on a seed, a name and a number, not on threads or the time.

/// A stream of random numbers (xoshiro256++, Blackman and Vigna 2019).
///
/// ```
/// use surefoot_lab::Random;
/// let (mut a, mut b) = (Random::new(1, "V1", 0), Random::new(1, "V1", 0));
/// assert_eq!(a.unit(), b.unit());
/// assert_ne!(Random::new(1, "V1", 1).unit(), Random::new(1, "V2", 0).unit());
/// ```
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

impl Random {
    /// Creates the stream of random numbers determined by a seed, a name and a number.
    #[must_use]
    pub fn new(seed: u64, name: &str, number: u64) -> Self {
        // FNV-1a of the name, then splitmix64, as the authors of the generator advise.
        let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        state = splitmix(&mut state) ^ seed;
        state = splitmix(&mut state) ^ number;
        Self([(); 4].map(|()| splitmix(&mut state)))
    }

    fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Draws a number uniformly from \[0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a number uniformly between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Draws an integer uniformly from 0 to n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Draws +1 with this probability, otherwise −1.
    pub fn sign(&mut self, probability: f64) -> f64 {
        if self.unit() < probability { 1.0 } else { -1.0 }
    }

    /// Draws a standard normal number (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first outputs agree with those of the reference implementation of xoshiro256++ for the state 1, 2, 3, 4.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = Random([1, 2, 3, 4]);
        assert_eq!([random.bits(), random.bits(), random.bits()], [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn moments() {
        let mut random = Random::new(0, "moments", 0);
        let n = 200_000_i32;
        let normal: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let moment = |k: i32| normal.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
        assert!(moment(1).abs() < 0.01 && (moment(2) - 1.0).abs() < 0.02 && (moment(4) - 3.0).abs() < 0.15);
        let mut counts = [0_i32; 3];
        (0..n).for_each(|_| counts[random.below(3)] += 1);
        assert!(counts.iter().all(|c| (c - n / 3).abs() < 1000), "{counts:?}");
        let heads = (0..n).filter(|_| random.sign(0.25) > 0.0).count();
        assert!(heads.abs_diff(50_000) < 1000);
    }
}
