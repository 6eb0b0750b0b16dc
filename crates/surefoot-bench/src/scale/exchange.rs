//! Seconds of an exchange among the workers of a cluster, in closed form.

use super::costs::Handling;

/// Links of a cluster: every machine has one to a switch, which carries as much in either direction at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    /// Seconds until the first byte of a message arrives.
    pub(super) latency: f64,
    /// Bytes per second.
    pub(super) bandwidth: f64,
}

/// How the sums of all workers are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// All workers send theirs to one coordinator, which sends the total to each.
    Star,
    /// Along a binary tree to one worker, and the total back along the tree.
    Tree,
    /// Around a ring: each worker in turn joins a part of the entries.
    Ring,
    /// With one partner after another, half of the entries, a quarter, and so on; the total comes back the same way.
    Halving,
    /// Each worker owns a part of the parameters: it joins their sums, learns them, and sends each other worker those that
    /// it needs next.
    Sharded,
}

impl Way {
    pub(super) const ALL: [Way; 5] = [Way::Star, Way::Tree, Way::Ring, Way::Halving, Way::Sharded];

    pub(super) fn name(self) -> &'static str {
        match self {
            Way::Star => "one coordinator",
            Way::Tree => "tree",
            Way::Ring => "ring",
            Way::Halving => "halving",
            Way::Sharded => "sharded parameters",
        }
    }
}

/// Load of an exchange: the number of entries in the joined sums of some workers, and their cost.
pub(super) struct Load<'a> {
    pub(super) entries: &'a dyn Fn(f64) -> f64,
    pub(super) handling: Handling,
}

impl Load<'_> {
    pub(super) fn of(&self, workers: f64) -> f64 {
        (self.entries)(workers)
    }

    /// Seconds of a link for some entries.
    pub(super) fn sent(&self, entries: f64, links: Links) -> f64 {
        entries * self.handling.bytes / links.bandwidth
    }

    /// Seconds of the processor that receives a message and joins it.
    pub(super) fn joined(&self, entries: f64) -> f64 {
        self.handling.message + entries * self.handling.joined
    }
}

/// Returns the number of times that workers can be halved.
pub(super) fn levels(workers: f64) -> i32 {
    workers.log2().floor() as i32
}

/// Returns the seconds from the moment at which all workers have their sums until all have what they need of the total.
pub(super) fn seconds(way: Way, workers: f64, load: &Load<'_>, links: Links) -> f64 {
    if workers <= 1.0 {
        return 0.0;
    }
    let (own, total) = (load.of(1.0), load.of(workers));
    let ends = load.handling.ends;
    match way {
        Way::Star => {
            let (link, joined) = (load.sent(own, links), load.joined(own));
            let up = links.latency + workers * link.max(joined) + link.min(joined);
            up + workers * load.sent(total, links) + links.latency + ends * total
        }
        Way::Tree => {
            up_the_tree(workers, load, links) + down_the_tree(workers, load.sent(total, links), links) + ends * total
        }
        Way::Ring => {
            // Steps differ only in how many workers' entries are joined: their mean is that of a few steps.
            let step = |joined: f64| {
                let entries = load.of(joined) / workers;
                load.sent(entries, links) + load.joined(entries)
            };
            let mean = (0..8).map(|k| step(1.0 + (f64::from(k) + 0.5) / 8.0 * (workers - 2.0))).sum::<f64>() / 8.0;
            let back = links.latency + load.sent(total / workers, links);
            (workers - 1.0) * (links.latency + mean + back) + ends * total
        }
        Way::Halving => halving(workers, load, links) + ends * total,
        Way::Sharded => {
            let to_all = own * (workers - 1.0) / workers;
            let (link, joined) = (load.sent(to_all, links), to_all * load.handling.joined);
            let messages = (workers - 1.0) * load.handling.message;
            let sums = links.latency + link.max(joined + messages) + link.min(joined + messages) / workers;
            sums + links.latency + link + ends * own
        }
    }
}

/// Returns the number of workers on the left of a node of the tree: the largest power of two that leaves some to the right.
fn left(workers: f64) -> f64 {
    2_f64.powi(workers.log2().ceil() as i32 - 1)
}

/// Seconds until the sums of some workers are joined at the first of them.
fn up_the_tree(workers: f64, load: &Load<'_>, links: Links) -> f64 {
    if workers <= 1.0 {
        return 0.0;
    }
    let (left, right) = (left(workers), workers - left(workers));
    let of_right = up_the_tree(right, load, links);
    let of_left = if left == right { of_right } else { up_the_tree(left, load, links) };
    let entries = load.of(right);
    of_left.max(of_right + links.latency + load.sent(entries, links)) + load.joined(entries)
}

/// Seconds until a total that takes a link so long has come from the first of some workers to all of them.
fn down_the_tree(workers: f64, sent: f64, links: Links) -> f64 {
    if workers <= 1.0 {
        return 0.0;
    }
    let (left, right) = (left(workers), workers - left(workers));
    let of_right = down_the_tree(right, sent, links);
    let of_left = if left == right { of_right } else { down_the_tree(left, sent, links) };
    sent + of_left.max(of_right + links.latency)
}

/// Halving among the largest power of two of workers; the others give theirs to a partner first, and get the total last.
fn halving(workers: f64, load: &Load<'_>, links: Links) -> f64 {
    let (levels, total) = (levels(workers), load.of(workers));
    let has_others = workers > 2_f64.powi(levels);
    let scale = workers / 2_f64.powi(levels);
    let step = |level: i32| {
        let entries = load.of(2_f64.powi(level) * scale) / 2_f64.powi(level + 1);
        let back = total / 2_f64.powi(level + 1);
        2.0 * links.latency + load.sent(entries, links) + load.joined(entries) + load.sent(back, links)
    };
    let own = load.of(1.0);
    let others = 2.0 * links.latency + load.sent(own, links) + load.joined(own) + load.sent(total, links);
    (0..levels).map(step).sum::<f64>() + if has_others { others } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: Links = Links { latency: 1e-4, bandwidth: 1e9 };
    const HANDLING: Handling = Handling { message: 0.0, joined: 0.0, bytes: 8.0, ends: 0.0 };

    #[test]
    fn bytes_of_dense_vectors_are_those_of_each_way() {
        // 10⁶ numbers take 8 ms of a link. Without latency only the links count.
        let load = Load { entries: &|_| 1e6, handling: HANDLING };
        let links = Links { latency: 0.0, ..LINKS };
        let of = |way| seconds(way, 64.0, &load, links) / 8e-3;
        assert!((of(Way::Star) - 128.0).abs() < 1e-9);
        assert!((of(Way::Tree) - 12.0).abs() < 1e-9);
        for way in [Way::Ring, Way::Halving] {
            assert!((of(way) - 2.0 * 63.0 / 64.0).abs() < 1e-9, "{way:?}");
        }
        assert!((of(Way::Sharded) - 2.0 * 63.0 / 64.0).abs() < 1e-9);
    }

    #[test]
    fn latency_counts_once_per_step() {
        let load = Load { entries: &|_| 0.0, handling: HANDLING };
        let of = |way| (seconds(way, 64.0, &load, LINKS) / LINKS.latency).round();
        assert_eq!(Way::ALL.map(of), [2.0, 12.0, 126.0, 12.0, 2.0]);
        assert_eq!(seconds(Way::Star, 1.0, &load, LINKS), 0.0);
    }
}
