//! Pairs in the order of their ids, where those are as good as random.

/// Sorts pairs by id, then by value, in O(n) where ids are spread evenly and in O(n log n) whatever they are.
///
/// Each pair goes to about its place by the first bits of its id; what is left is done by insertion.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    /// Where the pairs of each bucket go.
    place: Vec<u32>,
    sorted: Vec<(u64, f64)>,
}

/// Fewer pairs are sorted as they are.
const FEW: usize = 24;
/// By so many places may pairs be off, on the average, to be inserted one by one.
const NEAR: usize = 8;

impl Sorter {
    /// Sorts pairs with ids of so many bits.
    pub(crate) fn sort(&mut self, pairs: &mut Vec<(u64, f64)>, bits: u8) {
        if pairs.len() < FEW || pairs.is_sorted_by(is_before) || u32::try_from(pairs.len()).is_err() {
            return sort(pairs);
        }
        let shift = u32::from(bits).saturating_sub(pairs.len().ilog2() + 1);
        let Ok(buckets) = usize::try_from((u64::MAX >> (64 - bits.clamp(1, 64)) >> shift) + 1) else {
            return sort(pairs);
        };
        let bucket = |id: u64| ((id >> shift) as usize).min(buckets - 1);
        self.place.clear();
        self.place.resize(buckets, 0);
        pairs.iter().for_each(|pair| self.place[bucket(pair.0)] += 1);
        let mut before = 0;
        for place in &mut self.place {
            before += std::mem::replace(place, before);
        }
        self.sorted.clear();
        self.sorted.resize(pairs.len(), (0, 0.0));
        for &pair in &*pairs {
            let place = &mut self.place[bucket(pair.0)];
            self.sorted[*place as usize] = pair;
            *place += 1;
        }
        std::mem::swap(pairs, &mut self.sorted);
        if !insert(pairs) {
            sort(pairs);
        }
    }
}

fn sort(pairs: &mut [(u64, f64)]) {
    pairs.sort_unstable_by_key(|pair| pair.0);
    // Few ids stand twice.
    if pairs.windows(2).any(|two| two[0].0 == two[1].0) {
        pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
    }
}

/// Whether two pairs may stand in this order.
fn is_before(a: &(u64, f64), b: &(u64, f64)) -> bool {
    a.0 < b.0 || a.0 == b.0 && a.1.total_cmp(&b.1).is_le()
}

/// Sorts what is nearly sorted; `false` if it is not, which leaves the pairs in some order.
fn insert(pairs: &mut [(u64, f64)]) -> bool {
    let mut moves = NEAR * pairs.len();
    for i in 1..pairs.len() {
        let mut at = i;
        while at > 0 && !is_before(&pairs[at - 1], &pairs[at]) {
            pairs.swap(at - 1, at);
            at -= 1;
        }
        match moves.checked_sub(i - at) {
            Some(left) => moves = left,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_as_the_library_sorts_them() {
        let mut sorter = Sorter::default();
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state ^ state >> 31
        };
        for n in 0..4000 {
            let bits = [64, 63, 40, 18, 6, 1][n % 6];
            let length = random() as usize % [10, 40, 300, 3000][random() as usize % 4];
            // Spread, all in few buckets, all alike, and ascending.
            let narrow = [0, 0, 0, 20, 63][random() as usize % 5];
            let mut pairs: Vec<_> =
                (0..length).map(|_| (random() >> (64 - bits) >> narrow, (random() % 5) as f64 - 2.0)).collect();
            if random() % 5 == 0 {
                sort(&mut pairs);
            }
            let mut twin = pairs.clone();
            sort(&mut twin);
            sorter.sort(&mut pairs, bits);
            assert_eq!(pairs, twin, "{bits} bits");
        }
        // Far from sorted within a bucket: given up, and sorted all the same.
        let mut pairs: Vec<_> = (0..5000).rev().map(|id| (id, 1.0)).collect();
        assert!(!insert(&mut pairs.clone()));
        sorter.sort(&mut pairs, 64);
        assert!(pairs.is_sorted_by(is_before) && pairs.len() == 5000);
    }
}
