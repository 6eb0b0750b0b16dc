//! Simulated network: messages are delayed, lost, repeated and reordered, workers and the coordinator crash, and the result is the same
//! to the bit as that of one process.

use proptest::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    io,
    sync::{Arc, Mutex},
};
use surefoot_distributed::{
    Action, Coordinator, Exchange, FolderStore, FromWorker, MemoryStore, Message, Plan, Program, Store, ToWorker,
    Worker,
};
use surefoot_glm::shards::{Collective, Fold, Partial};
use xxhash_rust::xxh3::xxh3_64;

const EXCHANGES: usize = 25;

/// Iteration of five numbers by sums over shards in which every rounding counts. It hands in its state from time to time.
struct Iteration;

fn of_shard(shard: usize, round: usize, x: &[f64]) -> Partial {
    let term = |k: usize| (x[k] * (1.0 + shard as f64)).sin() * 10_f64.powi((shard + round) as i32 % 7 - 3);
    Partial { sums: (0..5).map(term).collect(), compensated: vec![term(1), 0.0], ..Partial::default() }
}

impl Program for Iteration {
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
        assert_eq!(job, b"job");
        let (mut round, mut x) = match exchange.start() {
            None => (0, vec![0.1, 0.2, 0.3, 0.4, 0.5]),
            Some(state) => {
                let state = Partial::from_bytes(state).unwrap();
                (state.list[0] as usize, state.sums)
            }
        };
        while round < EXCHANGES {
            let mut own = Fold::new(exchange.shards().total);
            exchange.read(exchange.own().len() as u64, 10 * exchange.own().len() as u64);
            exchange.own().for_each(|shard| assert!(own.insert(shard..shard + 1, of_shard(shard, round, &x))));
            let Ok(total) = exchange.combine(own.into_nodes()) else { break };
            x.iter_mut().zip(&total.sums).for_each(|(x, sum)| *x = 0.9 * *x + sum);
            x[0] += total.compensated_sums()[0];
            round += 1;
            exchange.report(|| vec![round as u8]);
            if round % 7 == 0 {
                exchange
                    .reached(|| Partial { sums: x.clone(), list: vec![round as f64], ..Partial::default() }.to_bytes());
            }
        }
        Ok(Partial { sums: x, list: vec![round as f64], ..Partial::default() }.to_bytes())
    }
}

/// Store that survives its coordinator.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<MemoryStore>>);

impl Store for Shared {
    fn state(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        self.0.lock().unwrap().state()
    }
    fn first(&self) -> u64 {
        self.0.lock().unwrap().first()
    }
    fn end(&self) -> u64 {
        self.0.lock().unwrap().end()
    }
    fn total(&mut self, number: u64) -> io::Result<Vec<u8>> {
        self.0.lock().unwrap().total(number)
    }
    fn push(&mut self, total: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().push(total)
    }
    fn pop(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().pop()
    }
    fn set_state(&mut self, number: u64, state: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().set_state(number, state)
    }
}

#[derive(Clone, Copy, Debug)]
struct Weather {
    seed: u64,
    shards: usize,
    workers: usize,
    /// Percentages of messages that are lost, and that are repeated.
    lost: u64,
    repeated: u64,
    /// Number of crashes of workers, of workers that come later, and of crashes of the coordinator.
    crashes: u64,
    joins: u64,
    coordinator_crashes: u64,
    /// Whether crashed workers are replaced.
    replaced: bool,
    on_disk: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    ToWorker(u64, Vec<u8>),
    ToCoordinator(u64, Vec<u8>),
    Joins(u64),
    Crashes,
    CoordinatorCrashes,
    Tick,
    WorkersTick,
    /// Workers tell how much they have read.
    Pulse,
}

struct Simulation {
    weather: Weather,
    dice: u64,
    queue: BinaryHeap<std::cmp::Reverse<(u64, u64, Happening)>>,
    count: u64,
    now: u64,
    workers: BTreeMap<u64, Worker>,
    next_worker: u64,
    coordinator: Coordinator,
    incarnation: u64,
    shared: Shared,
    folder: tempfile::TempDir,
    result: Option<Vec<u8>>,
    /// Rows that each worker has told to have read, by the coordinator that it told.
    seen: BTreeMap<(u64, u64), u64>,
}

impl Simulation {
    fn new(weather: Weather) -> Simulation {
        let (shared, folder) = (Shared::default(), tempfile::tempdir().unwrap());
        let coordinator = coordinator(weather, 1, &shared, &folder);
        let mut simulation = Simulation {
            weather,
            dice: weather.seed,
            queue: BinaryHeap::new(),
            count: 0,
            now: 0,
            workers: BTreeMap::new(),
            next_worker: 0,
            coordinator,
            incarnation: 1,
            shared,
            folder,
            result: None,
            seen: BTreeMap::new(),
        };
        for k in 0..weather.workers as u64 {
            simulation.after(1, Happening::Joins(k));
        }
        simulation.next_worker = weather.workers as u64;
        let several = |simulation: &mut Simulation, count: u64, happening: fn(u64) -> Happening| {
            for _ in 0..count {
                let delay = simulation.roll(1500);
                let worker = simulation.next_worker;
                simulation.next_worker += 1;
                simulation.after(delay, happening(worker));
            }
        };
        several(&mut simulation, weather.crashes, |_| Happening::Crashes);
        several(&mut simulation, weather.joins, Happening::Joins);
        several(&mut simulation, weather.coordinator_crashes, |_| Happening::CoordinatorCrashes);
        simulation.after(0, Happening::Tick);
        simulation.after(0, Happening::WorkersTick);
        simulation.after(0, Happening::Pulse);
        simulation
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides.max(1)
    }

    fn after(&mut self, delay: u64, happening: Happening) {
        self.count += 1;
        self.queue.push(std::cmp::Reverse((self.now + delay, self.count, happening)));
    }

    /// Sends a message through the network.
    fn send(&mut self, happening: impl Fn() -> Happening) {
        let copies =
            if self.roll(100) < self.weather.lost { 0 } else { 1 + u64::from(self.roll(100) < self.weather.repeated) };
        for _ in 0..copies {
            let delay = 1 + self.roll(30) * if self.roll(20) == 0 { 10 } else { 1 };
            self.after(delay, happening());
        }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send { worker, message } => self.send(|| Happening::ToWorker(worker, message.clone())),
                Action::Report(report) => assert!(report.len() == 1),
                Action::Finished(result) => self.result = Some(result),
                Action::Failed(message) => panic!("{message}"),
            }
        }
    }

    fn forward(&mut self, worker: u64, messages: Vec<Vec<u8>>) {
        for message in messages {
            self.send(|| Happening::ToCoordinator(worker, message.clone()));
        }
    }

    fn step(&mut self) {
        let std::cmp::Reverse((now, _, happening)) = self.queue.pop().expect("ticks never end");
        self.now = now;
        match happening {
            Happening::ToWorker(id, message) => {
                if let Some(messages) = self.workers.get_mut(&id).map(|worker| worker.handle(&message)) {
                    self.forward(id, messages);
                }
            }
            Happening::ToCoordinator(id, message) => {
                let actions = self.coordinator.received(id, &message);
                self.act(actions);
            }
            Happening::Joins(id) => {
                self.workers.insert(id, Worker::new(Iteration));
                let actions = self.coordinator.joined(id);
                self.act(actions);
            }
            Happening::Crashes => {
                let at = self.roll(self.workers.len() as u64) as usize;
                let Some(id) = self.workers.keys().nth(at).copied() else { return };
                if self.workers.len() < 2 && !self.weather.replaced {
                    return;
                }
                self.workers.remove(&id);
                let actions = self.coordinator.lost(id);
                self.act(actions);
                if self.weather.replaced {
                    let (fresh, delay) = (self.next_worker, self.roll(100));
                    self.next_worker += 1;
                    self.after(delay, Happening::Joins(fresh));
                }
            }
            Happening::CoordinatorCrashes => {
                self.incarnation += 1;
                // The folder is free again when the coordinator is gone.
                let plan = Plan { shards: 1, workers: 1, patience: 0, incarnation: 1 };
                self.coordinator = Coordinator::new(plan, Vec::new(), Box::<MemoryStore>::default()).unwrap();
                self.coordinator = coordinator(self.weather, self.incarnation, &self.shared, &self.folder);
                let ids: Vec<u64> = self.workers.keys().copied().collect();
                for id in ids {
                    let actions = self.coordinator.joined(id);
                    self.act(actions);
                }
            }
            Happening::Tick => {
                let actions = self.coordinator.tick(self.now);
                self.act(actions);
                self.after(20, Happening::Tick);
            }
            Happening::WorkersTick => {
                let all: Vec<(u64, Vec<Vec<u8>>)> =
                    self.workers.iter().map(|(id, worker)| (*id, worker.tick())).collect();
                all.into_iter().for_each(|(id, messages)| self.forward(id, messages));
                self.after(200, Happening::WorkersTick);
            }
            Happening::Pulse => {
                let told = self.workers.iter().filter_map(|(id, worker)| Some((*id, vec![worker.pulse().message()?])));
                let told: Vec<(u64, Vec<Vec<u8>>)> = told.collect();
                told.into_iter().for_each(|(id, messages)| self.forward(id, messages));
                self.check_progress();
                self.after(35, Happening::Pulse);
            }
        }
    }

    /// Holds that what is known of the workers never shrinks, and is what they may have read.
    fn check_progress(&mut self) {
        let status = self.coordinator.status();
        for worker in status.all() {
            let (now, shards) = (worker.progress, self.weather.shards as u64);
            assert!(now.bytes == 10 * now.rows && now.visited == now.rows && now.done <= now.bytes, "{now:?}");
            assert!(now.done <= 10 * shards * EXCHANGES as u64, "{now:?}");
            let before = self.seen.insert((self.incarnation, worker.worker), now.rows).unwrap_or(0);
            assert!(before <= now.rows, "{before} {now:?}");
        }
        assert_eq!(status.lost, status.gone.len() as u64);
    }

    fn run(mut self) -> Vec<u8> {
        for _ in 0..200_000 {
            if let Some(result) = self.result {
                return result;
            }
            self.step();
        }
        panic!("{:?} does not end: {:?}", self.weather, self.coordinator.status());
    }
}

fn coordinator(weather: Weather, incarnation: u64, shared: &Shared, folder: &tempfile::TempDir) -> Coordinator {
    let plan = Plan { shards: weather.shards, workers: weather.workers, patience: 150, incarnation };
    let store: Box<dyn Store> = match weather.on_disk {
        true => Box::new(FolderStore::open(folder.path()).unwrap()),
        false => Box::new(shared.clone()),
    };
    Coordinator::new(plan, b"job".to_vec(), store).unwrap()
}

/// Returns what one process finds that owns all shards.
fn expected(shards: usize) -> Vec<u8> {
    let calm = Weather {
        seed: 1,
        shards,
        workers: 1,
        lost: 0,
        repeated: 0,
        crashes: 0,
        joins: 0,
        coordinator_crashes: 0,
        replaced: false,
        on_disk: false,
    };
    let result = Simulation::new(calm).run();
    assert_eq!(Partial::from_bytes(&result).unwrap().list, [EXCHANGES as f64]);
    result
}

fn weather() -> impl Strategy<Value = Weather> {
    let run = (any::<u64>(), 1..18_usize, 1..8_usize);
    let network = (0..30_u64, 0..30_u64);
    let faults = (0..6_u64, 0..4_u64, 0..4_u64, any::<bool>(), any::<bool>());
    (run, network, faults).prop_map(|((seed, shards, workers), (lost, repeated), faults)| {
        let (crashes, joins, coordinator_crashes, replaced, on_disk) = faults;
        Weather { seed, shards, workers, lost, repeated, crashes, joins, coordinator_crashes, replaced, on_disk }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_weather_changes_a_bit(weather in weather()) {
        prop_assert_eq!(Simulation::new(weather).run(), expected(weather.shards), "{:?}", weather);
    }
}

/// A run that is stopped ends with the same exchange in all workers, and goes on from there.
#[test]
fn a_stopped_run_goes_on() {
    for after in [0, 3, 40, 90] {
        let weather = Weather {
            seed: after as u64,
            shards: 5,
            workers: 3,
            lost: 5,
            repeated: 5,
            crashes: 0,
            joins: 0,
            coordinator_crashes: 0,
            replaced: false,
            on_disk: true,
        };
        let mut simulation = Simulation::new(weather);
        (0..after).for_each(|_| simulation.step());
        let actions = simulation.coordinator.stop();
        simulation.act(actions);
        let (shared, folder) = (simulation.shared.clone(), simulation.folder.path().to_owned());
        while simulation.result.is_none() {
            simulation.step();
        }
        let rounds = Partial::from_bytes(simulation.result.as_ref().unwrap()).unwrap().list[0];
        assert!(rounds < EXCHANGES as f64, "{after} {rounds}");
        let kept = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap()) {
            std::fs::copy(file.path(), kept.path().join(file.file_name())).unwrap();
        }
        let mut resumed = Simulation::new(Weather { workers: 2, ..weather });
        (resumed.coordinator, resumed.folder) = (coordinator(weather, 9, &shared, &kept), kept);
        assert_eq!(resumed.run(), expected(5), "{after}");
    }
}

/// Programs that differ, or fail, end the run with one message.
#[test]
fn faults_of_programs_are_one_message() {
    /// What a worker finds, by its first shard.
    type Run = fn(usize) -> Result<Vec<u8>, String>;
    struct Faulty(Run);
    impl Program for Faulty {
        fn run(&self, _: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
            (self.0)(exchange.own().start)
        }
    }
    let cases: [(Run, &str); 3] = [
        (|shard| Ok(vec![shard as u8]), "different results"),
        (|shard| if shard > 0 { Err("b.csv:3: no number".to_owned()) } else { Ok(vec![]) }, "b.csv:3: no number"),
        (|_| panic!("on purpose"), "unexpectedly"),
    ];
    for (run, message) in cases {
        let plan = Plan { shards: 2, workers: 2, patience: 0, incarnation: 1 };
        let mut coordinator = Coordinator::new(plan, Vec::new(), Box::<MemoryStore>::default()).unwrap();
        let mut workers = [Worker::new(Faulty(run)), Worker::new(Faulty(run))];
        let mut actions: Vec<Action> = (0..2).flat_map(|id| coordinator.joined(id)).collect();
        let mut failed = Vec::new();
        while let Some(action) = actions.pop() {
            match action {
                Action::Send { worker, message } => {
                    for answer in workers[worker as usize].handle(&message) {
                        actions.extend(coordinator.received(worker, &answer));
                    }
                }
                Action::Failed(message) => failed.push(message),
                other => panic!("{other:?}"),
            }
        }
        assert!(failed.len() == 1 && failed[0].contains(message), "{failed:?} {message}");
    }
}

/// Returns bytes of kind and content, with a checksum as the work of a round has.
fn with_checksum(damage: u64) -> Vec<u8> {
    let content = b"sfround2no work of a round";
    [&[1], &content[..], &(xxh3_64(content) ^ damage).to_le_bytes()].concat()
}

/// How the run ends of workers whose partial results are replaced on their way, over a network that carries every message
/// once and an engine that asks for nothing twice; with the number of workers that are told of the end.
fn run_of_unreadable_parts(workers: u64, shards: usize, forged: &[u8], stops: bool) -> (Vec<Action>, u64) {
    /// Takes any stop for an early end, as a fit does.
    struct OneExchange;
    impl Program for OneExchange {
        fn run(&self, _: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
            let own = exchange.own().map(|shard| (shard, Partial { sums: vec![1.0], ..Partial::default() }));
            Ok(if exchange.shards().combine(own).is_ok() { b"all rows".to_vec() } else { b"fewer rows".to_vec() })
        }
    }
    let plan = Plan { shards, workers: workers as usize, patience: 0, incarnation: 1 };
    let mut coordinator = Coordinator::new(plan, Vec::new(), Box::<MemoryStore>::default()).unwrap();
    let mut running: Vec<Worker> = (0..workers).map(|_| Worker::new(OneExchange)).collect();
    let mut actions: Vec<Action> = (0..workers).flat_map(|id| coordinator.joined(id)).collect();
    let (mut ends, mut told, mut has_stopped) = (Vec::new(), BTreeSet::new(), false);
    for _ in 0..1000 {
        let Some(action) = actions.pop() else {
            if !stops || std::mem::replace(&mut has_stopped, true) {
                return (ends, told.len() as u64);
            }
            actions = coordinator.stop();
            continue;
        };
        let Action::Send { worker, message } = action else {
            ends.push(action);
            continue;
        };
        if Worker::is_told_to_end(&message) {
            told.insert(worker);
        }
        for answer in running[worker as usize].handle(&message) {
            let mut answer: Message<FromWorker> = Message::from_bytes(&answer).unwrap();
            if let FromWorker::Part { nodes, .. } = &mut answer.head {
                nodes.iter_mut().for_each(|(_, len)| *len = forged.len());
                answer.body = forged.repeat(nodes.len());
            }
            actions.extend(coordinator.received(worker, &answer.to_bytes()));
        }
    }
    panic!("{workers} workers with {shards} shards do not end");
}

/// A partial result that arrives as it was made, but cannot be read, fails the run with the reason, in all workers; none
/// of them takes it for a stop. A damaged one is waited for again, until the run is stopped.
#[test]
fn partial_results_that_cannot_be_read_fail_the_run() {
    let odd = Partial { compensated: vec![1.0], ..Partial::default() };
    let unreadable = [with_checksum(0), [vec![0], odd.to_bytes()].concat()];
    for (workers, shards) in [(1, 1), (1, 6), (2, 2), (3, 8)] {
        for forged in &unreadable {
            let (ends, told) = run_of_unreadable_parts(workers, shards, forged, false);
            assert!(
                matches!(&ends[..], [Action::Failed(reason)] if reason.contains("not") && reason.contains("shard")),
                "{ends:?}"
            );
            assert_eq!(told, workers, "{workers} workers with {shards} shards");
        }
        let damaged = with_checksum(1);
        assert_eq!(run_of_unreadable_parts(workers, shards, &damaged, false), (vec![], 0));
        let (ends, told) = run_of_unreadable_parts(workers, shards, &damaged, true);
        assert_eq!((ends, told), (vec![Action::Finished(b"fewer rows".to_vec())], workers));
    }
}

/// A worker that asks for a total that is not there, as after a stop that was taken back, starts again.
#[test]
fn a_question_too_early_starts_the_worker_again() {
    let plan = Plan { shards: 1, workers: 1, patience: 0, incarnation: 1 };
    let mut coordinator = Coordinator::new(plan, Vec::new(), Box::<MemoryStore>::default()).unwrap();
    let mut epoch = 0;
    let mut starts = |actions: Vec<Action>| {
        let [Action::Send { message, .. }] = &actions[..] else { panic!("{actions:?}") };
        let head = Message::<ToWorker>::from_bytes(message).unwrap().head;
        let ToWorker::Start { epoch: next, stored: 0, .. } = head else { panic!("{head:?}") };
        assert!(std::mem::replace(&mut epoch, next) < next);
        next
    };
    let mut last = starts(coordinator.joined(0));
    for number in [0, 1, u64::MAX] {
        let ask = Message::of(FromWorker::Ask { epoch: last, number });
        last = starts(coordinator.received(0, &ask.to_bytes()));
    }
}

/// Bytes that are no message change nothing.
#[test]
fn damaged_messages_are_ignored() {
    let mut simulation = Simulation::new(Weather {
        seed: 3,
        shards: 4,
        workers: 2,
        lost: 0,
        repeated: 0,
        crashes: 0,
        joins: 0,
        coordinator_crashes: 0,
        replaced: false,
        on_disk: false,
    });
    for k in 0..60_u8 {
        simulation.step();
        let garbage: Vec<u8> = (0..k).map(|b| b.wrapping_mul(k)).collect();
        assert_eq!(simulation.coordinator.received(0, &garbage), []);
        assert_eq!(simulation.coordinator.received(99, b"\x07\0\0\0\"hello\""), []);
        if let Some(worker) = simulation.workers.get_mut(&0) {
            assert!(worker.handle(&garbage).is_empty());
        }
    }
    assert_eq!(simulation.run(), expected(4));
}

/// Every worker is told to have read the rows of its shards, in all exchanges; the slowest one is the one waited for.
#[test]
fn rows_of_all_workers_add_up_and_the_slowest_is_known() {
    let plan = Plan { shards: 6, workers: 3, patience: 1000, incarnation: 1 };
    let mut coordinator = Coordinator::new(plan, b"job".to_vec(), Box::<MemoryStore>::default()).unwrap();
    let mut workers: Vec<Worker> = (0..3).map(|_| Worker::new(Iteration)).collect();
    let mut actions: Vec<Action> = (0..3).flat_map(|id| coordinator.joined(id)).collect();
    let (mut now, mut has_ended) = (0, false);
    while !has_ended {
        let mut letters = Vec::new();
        for action in std::mem::take(&mut actions) {
            match action {
                Action::Send { worker, message } => letters.push((worker, message)),
                Action::Finished(_) => has_ended = true,
                _ => {}
            }
        }
        // The third worker takes 7 milliseconds longer than the second one, which takes 1 longer than the first.
        letters.sort();
        for (worker, letter) in letters {
            now += if worker == 2 { 7 } else { 1 };
            actions.extend(coordinator.tick(now));
            for answer in workers[worker as usize].handle(&letter) {
                actions.extend(coordinator.received(worker, &answer));
            }
        }
    }
    let status = coordinator.status();
    let rows: Vec<u64> = status.workers.iter().map(|worker| worker.progress.rows).collect();
    assert_eq!(rows, [2 * EXCHANGES as u64; 3]);
    let waited: Vec<u64> = status.workers.iter().map(|worker| worker.waited_for).collect();
    assert_eq!(waited, [0, 0, 7 * EXCHANGES as u64]);
    assert!(status.workers.iter().all(|worker| worker.sent > 1000 && worker.received > 1000), "{status:?}");
    assert!(status.gone.is_empty() && status.working() == 3);
}
