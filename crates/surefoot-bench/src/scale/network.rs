//! Simulation of an exchange message by message: links that carry one message at a time in each direction, and processors that
//! handle one message at a time.

use super::exchange::{Links, Load, Way};

/// Machines with the times from which each is free again.
struct Network {
    links: Links,
    out: Vec<f64>,
    into: Vec<f64>,
    processor: Vec<f64>,
}

impl Network {
    fn new(machines: usize, links: Links) -> Network {
        let free = vec![0.0; machines];
        Network { links, out: free.clone(), into: free.clone(), processor: free }
    }

    /// Sends a message that occupies a link for some seconds; returns when it has arrived.
    fn send(&mut self, from: usize, to: usize, seconds: f64, at: f64) -> f64 {
        let start = at.max(self.out[from]).max(self.into[to] - self.links.latency);
        self.out[from] = start + seconds;
        self.into[to] = start + self.links.latency + seconds;
        self.into[to]
    }

    /// Handles a message that has arrived; returns when that is done.
    fn handle(&mut self, machine: usize, arrival: f64, seconds: f64) -> f64 {
        self.processor[machine] = self.processor[machine].max(arrival) + seconds;
        self.processor[machine]
    }
}

/// Returns the time at which the last worker has what it needs of the total, given those at which each has its own sums.
pub(super) fn simulate(way: Way, ready: &[f64], load: &Load<'_>, links: Links) -> f64 {
    let workers = ready.len();
    let latest = ready.iter().copied().fold(0.0, f64::max);
    if workers == 1 {
        return latest;
    }
    let network = Network::new(workers + 1, links);
    let total = load.of(workers as f64);
    let ends = load.handling.ends;
    match way {
        Way::Star => star(network, ready, load) + ends * total,
        Way::Tree => tree(network, ready, load) + ends * total,
        Way::Ring => ring(network, ready, load) + ends * total,
        Way::Halving => halving(network, ready, load) + ends * total,
        Way::Sharded => sharded(network, ready, load) + ends * load.of(1.0),
    }
}

fn star(mut network: Network, ready: &[f64], load: &Load<'_>) -> f64 {
    let (workers, links) = (ready.len(), network.links);
    let mut order: Vec<usize> = (0..workers).collect();
    order.sort_by(|&a, &b| ready[a].total_cmp(&ready[b]));
    let (own, total) = (load.of(1.0), load.of(workers as f64));
    let mut joined = 0.0;
    for worker in order {
        let arrival = network.send(worker, workers, load.sent(own, links), ready[worker]);
        joined = network.handle(workers, arrival, load.joined(own));
    }
    (0..workers).map(|worker| network.send(workers, worker, load.sent(total, links), joined)).fold(0.0, f64::max)
}

fn tree(mut network: Network, ready: &[f64], load: &Load<'_>) -> f64 {
    let (workers, links) = (ready.len(), network.links);
    let (mut at, total) = (ready.to_vec(), load.of(workers as f64));
    let mut step = 1;
    while step < workers {
        for to in (0..workers).step_by(2 * step).filter(|to| to + step < workers) {
            let from = to + step;
            let entries = load.of(step.min(workers - from) as f64);
            let arrival = network.send(from, to, load.sent(entries, links), at[from]);
            at[to] = network.handle(to, arrival.max(at[to]), load.joined(entries));
        }
        step *= 2;
    }
    while step > 1 {
        step /= 2;
        for from in (0..workers).step_by(2 * step).filter(|from| from + step < workers) {
            at[from + step] = network.send(from, from + step, load.sent(total, links), at[from]);
        }
    }
    at.into_iter().fold(0.0, f64::max)
}

fn ring(mut network: Network, ready: &[f64], load: &Load<'_>) -> f64 {
    let (workers, links) = (ready.len(), network.links);
    let mut at = ready.to_vec();
    let count = workers as f64;
    for step in 1..workers {
        let entries = load.of(step as f64) / count;
        let sent: Vec<f64> =
            (0..workers).map(|k| network.send(k, (k + 1) % workers, load.sent(entries, links), at[k])).collect();
        for (k, arrival) in sent.into_iter().enumerate() {
            let to = (k + 1) % workers;
            at[to] = network.handle(to, arrival.max(at[to]), load.joined(entries));
        }
    }
    let entries = load.of(count) / count;
    for _ in 1..workers {
        let sent: Vec<f64> =
            (0..workers).map(|k| network.send(k, (k + 1) % workers, load.sent(entries, links), at[k])).collect();
        sent.into_iter().enumerate().for_each(|(k, arrival)| at[(k + 1) % workers] = arrival);
    }
    at.into_iter().fold(0.0, f64::max)
}

fn halving(mut network: Network, ready: &[f64], load: &Load<'_>) -> f64 {
    let (workers, links) = (ready.len(), network.links);
    let (mut at, total, own) = (ready.to_vec(), load.of(workers as f64), load.of(1.0));
    let half = 1 << workers.ilog2();
    for other in half..workers {
        let to = other - half;
        let arrival = network.send(other, to, load.sent(own, links), at[other]);
        at[to] = network.handle(to, arrival.max(at[to]), load.joined(own));
    }
    let mut sizes = Vec::new();
    let mut step = 1;
    while step < half {
        let entries = load.of(step as f64 * workers as f64 / half as f64) / (2.0 * step as f64);
        sizes.push((step, total / (2.0 * step as f64)));
        let sent: Vec<f64> = (0..half).map(|k| network.send(k, k ^ step, load.sent(entries, links), at[k])).collect();
        for (k, arrival) in sent.into_iter().enumerate() {
            at[k ^ step] = network.handle(k ^ step, arrival.max(at[k ^ step]), load.joined(entries));
        }
        step *= 2;
    }
    for (step, entries) in sizes.into_iter().rev() {
        let sent: Vec<f64> = (0..half).map(|k| network.send(k, k ^ step, load.sent(entries, links), at[k])).collect();
        sent.into_iter().enumerate().for_each(|(k, arrival)| at[k ^ step] = f64::max(at[k], arrival));
    }
    for other in half..workers {
        at[other] = network.send(other - half, other, load.sent(total, links), at[other - half]);
    }
    at.into_iter().fold(0.0, f64::max)
}

fn sharded(mut network: Network, ready: &[f64], load: &Load<'_>) -> f64 {
    let (workers, links) = (ready.len(), network.links);
    let (mut at, own) = (ready.to_vec(), load.of(1.0) / workers as f64);
    for step in 1..workers {
        for (from, &begins) in ready.iter().enumerate() {
            let to = (from + step) % workers;
            let arrival = network.send(from, to, load.sent(own, links), begins);
            let joined = network.handle(to, arrival, load.joined(own));
            at[to] = at[to].max(joined);
        }
    }
    let mut arrived = vec![0.0; workers];
    for step in 1..workers {
        for (from, &begins) in at.iter().enumerate() {
            let to = (from + step) % workers;
            arrived[to] = f64::max(arrived[to], network.send(from, to, load.sent(own, links), begins));
        }
    }
    arrived.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::{super::costs::Handling, super::exchange::seconds, *};

    const LINKS: Links = Links { latency: 2e-4, bandwidth: 1.25e9 };
    const HANDLING: Handling = Handling { message: 5e-6, joined: 3e-9, bytes: 8.0, ends: 2e-9 };

    #[test]
    fn the_simulation_and_the_closed_form_agree() {
        let mut wrong = Vec::new();
        for way in Way::ALL {
            for workers in [2_usize, 10, 64, 100, 250] {
                for entries in [10.0, 1e4, 1e7] {
                    let load = Load { entries: &|k| entries * k.powf(0.3), handling: HANDLING };
                    let simulated = simulate(way, &vec![0.0; workers], &load, LINKS);
                    let closed = seconds(way, workers as f64, &load, LINKS);
                    if (closed / simulated - 1.0).abs() > 0.1 {
                        wrong.push(format!("{way:?} {workers} {entries}: {closed} {simulated}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn one_slow_worker_delays_all() {
        for way in Way::ALL {
            let load = Load { entries: &|_| 1e3, handling: HANDLING };
            let mut ready = vec![1.0; 100];
            let even = simulate(way, &ready, &load, LINKS);
            ready[37] = 2.0;
            let late = simulate(way, &ready, &load, LINKS) - even;
            assert!((0.97..1.01).contains(&late), "{way:?}: {late}");
        }
    }
}
