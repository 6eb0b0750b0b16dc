//! A priority queue of coordinates ordered by key, used to find the coordinate of an iterate that an L1 penalty makes 0
//! next.

/// A binary min-heap of coordinates ordered by a floating-point key, which also stores each coordinate's position in
/// the heap so that keys can change.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// Coordinates in heap order, the one with the smallest key first.
    heap: Vec<usize>,
    /// Position of each coordinate in `heap`; `ABSENT` if the coordinate is not in the queue.
    place: Vec<usize>,
    /// Key of each coordinate; meaningless if the coordinate is not in the queue.
    key: Vec<f64>,
}

/// Marker stored as the position of a coordinate that is not in the queue.
const ABSENT: usize = usize::MAX;

impl Queue {
    /// Creates an empty queue with memory for all `dim` coordinates. Later calls do not allocate.
    pub(super) fn new(dim: usize) -> Self {
        Self { heap: Vec::with_capacity(dim), place: vec![ABSENT; dim], key: vec![0.0; dim] }
    }

    pub(super) fn contains(&self, i: usize) -> bool {
        self.place[i] != ABSENT
    }

    /// Returns the coordinate with the smallest key if that key is at most `level`; `None` otherwise or if the queue is
    /// empty.
    pub(super) fn first(&self, level: f64) -> Option<usize> {
        self.heap.first().copied().filter(|&i| self.key[i] <= level)
    }

    /// Inserts coordinate `i` with key `key`, or changes its key if the queue already contains it. O(log d).
    pub(super) fn put(&mut self, i: usize, key: f64) {
        if !self.contains(i) {
            self.place[i] = self.heap.len();
            self.heap.push(i);
        }
        self.key[i] = key;
        self.settle(i);
    }

    /// Removes coordinate `i`, if it is in the queue. O(log d).
    pub(super) fn remove(&mut self, i: usize) {
        let Some(last) = self.heap.last().copied().filter(|_| self.contains(i)) else { return };
        self.swap(self.place[i], self.heap.len() - 1);
        self.heap.pop();
        self.place[i] = ABSENT;
        if last != i {
            self.settle(last);
        }
    }

    fn settle(&mut self, i: usize) {
        while self.place[i] > 0 && self.above((self.place[i] - 1) / 2, self.place[i]) {
            self.swap((self.place[i] - 1) / 2, self.place[i]);
        }
        loop {
            let (here, left) = (self.place[i], 2 * self.place[i] + 1);
            let right = if left + 1 < self.heap.len() { left + 1 } else { left };
            if left >= self.heap.len() {
                return;
            }
            let least = if self.above(left, right) { right } else { left };
            if !self.above(here, least) {
                return;
            }
            self.swap(here, least);
        }
    }

    /// Whether the coordinate at position `a` of the heap has a larger key than that at position `b`.
    fn above(&self, a: usize, b: usize) -> bool {
        self.key[self.heap[a]] > self.key[self.heap[b]]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.place[self.heap[a]] = a;
        self.place[self.heap[b]] = b;
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn the_smallest_comes_first_whatever_came_before() {
        let (mut queue, mut keys, mut random) = (Queue::new(50), vec![None; 50], 1_u64);
        for _ in 0..5000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (i, key) = ((random >> 33) as usize % 50, (random >> 40) as f64);
            if random >> 63 == 0 {
                queue.put(i, key);
                keys[i] = Some(key);
            } else {
                queue.remove(i);
                keys[i] = None;
            }
            let least = keys.iter().flatten().fold(f64::INFINITY, |least, &key| key.min(least));
            assert_eq!(queue.first(f64::INFINITY).map_or(f64::INFINITY, |i| queue.key[i]), least);
            assert_eq!(queue.first(least - 1.0), None);
            assert!((0..50).all(|i| queue.contains(i) == keys[i].is_some()));
        }
    }
}
