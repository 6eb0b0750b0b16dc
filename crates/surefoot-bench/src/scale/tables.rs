//! Tables of what the model gives for clusters.

use super::{
    cluster::{Choice, Cluster, Spent, Task, one_pass, pass, rounds},
    costs::{BYTES_OF_NUMBER, Costs},
    exchange::{Links, Load, Way, seconds},
    model::significant,
    network::simulate,
};
use std::fmt::Write;

/// Links of 10 Gbit/s with 0.2 ms of latency; 64 GB of memory, and a disk of 2 GB a second.
const CLUSTER: Cluster = Cluster { links: Links { latency: 2e-4, bandwidth: 1.25e9 }, memory: 64e9, disk: 2e9 };
/// Links of 1 Gbit/s with 0.5 ms of latency, and a disk of 0.1 GB a second, as in clusters of 2011.
const EARLIER: Cluster = Cluster { links: Links { latency: 5e-4, bandwidth: 1.25e8 }, memory: 16e9, disk: 1e8 };
/// Nonzeros per row.
const PAIRS: f64 = 100.0;
const WORKERS: [f64; 3] = [10.0, 100.0, 1000.0];

const DENSE_STAR: Choice = Choice { way: Way::Star, is_sparse: false };
const STAR: Choice = Choice { way: Way::Star, is_sparse: true };
const TREE: Choice = Choice { way: Way::Tree, is_sparse: true };
const DENSE_HALVING: Choice = Choice { way: Way::Halving, is_sparse: false };
const HALVING: Choice = Choice { way: Way::Halving, is_sparse: true };
const SHARDED: Choice = Choice { way: Way::Sharded, is_sparse: true };

/// Function that gives what a fit takes.
type Fit = fn(&Costs, &Cluster, Task, Choice) -> Spent;

fn tasks() -> impl Iterator<Item = Task> {
    let sizes = [(1e9, 24), (1e9, 30), (1e12, 24), (1e12, 30)];
    let all = sizes.into_iter().flat_map(|size| WORKERS.map(|workers| (size, workers)));
    all.map(|((rows, bits), workers)| Task { rows, pairs: PAIRS, features: 2_f64.powi(bits), workers })
}

fn name(task: Task) -> String {
    format!("10^{} | 2^{} | {}", task.rows.log10().round(), task.features.log2().round(), task.workers)
}

/// Returns a time in the unit that suits it.
fn time(seconds: f64) -> String {
    let (count, unit) = match seconds {
        s if s < 1.0 => (1e3 * s, "ms"),
        s if s < 600.0 => (s, "s"),
        s if s < 36_000.0 => (s / 60.0, "min"),
        s if s < 864_000.0 => (s / 3600.0, "h"),
        s => (s / 86_400.0, "d"),
    };
    format!("{} {unit}", significant(count))
}

/// Returns the time of a fit, marked where the exchange takes most of it.
fn cell(spent: &Spent) -> String {
    format!("{}{}", time(spent.total()), if spent.is_mostly_exchange() { " x" } else { "" })
}

/// Returns the memory of a worker in GB, marked where it does not fit and where rows are on disk.
fn memory(spent: &Spent) -> String {
    let mark = match (spent.memory > CLUSTER.memory, spent.disk > 0.0) {
        (true, _) => " too much",
        (false, true) => " + disk",
        _ => "",
    };
    format!("{} GB{mark}", significant(spent.memory / 1e9))
}

fn table(costs: &Costs, fit: Fit, columns: &[(&str, Choice)]) -> String {
    let mut text = "| rows | features | workers | memory | memory if sharded | rows alone |".to_owned();
    columns.iter().for_each(|(name, _)| _ = write!(text, " {name} |"));
    text += "\n| ---: | ---: | ---: | ---: | ---: | ---: |";
    columns.iter().for_each(|_| text += " ---: |");
    for task in tasks() {
        let of = |choice| fit(costs, &CLUSTER, task, choice);
        let [star, sharded] = [STAR, SHARDED].map(of);
        let _ = write!(text, "\n| {} | {} | {} | {} |", name(task), memory(&star), memory(&sharded), time(star.rows));
        columns.iter().for_each(|(_, choice)| _ = write!(text, " {} |", cell(&of(*choice))));
    }
    text + "\n"
}

/// Returns the tables of a pass of the optimum and of one whole pass.
#[must_use]
pub fn tables(costs: &Costs) -> String {
    let optimum = table(
        costs,
        pass,
        &[
            ("coordinator, dense", DENSE_STAR),
            ("coordinator, sparse", STAR),
            ("halving, dense", DENSE_HALVING),
            ("halving, sparse", HALVING),
            ("sharded", SHARDED),
        ],
    );
    let one = table(
        costs,
        one_pass,
        &[
            ("coordinator, dense", DENSE_STAR),
            ("coordinator, sparse", STAR),
            ("tree, sparse", TREE),
            ("halving, sparse", HALVING),
            ("sharded", SHARDED),
        ],
    );
    format!(
        "\n## Clusters\n\n{PAIRS} nonzeros per row by Zipf's law; links of 10 Gbit/s with 0.2 ms of latency; 64 GB of memory per worker, a disk of 2 GB/s; a \
         core and a shard per worker. x: the exchange, with the learning of the sums, takes more than half.\n\n### One pass of the \
         optimum\n\n{optimum}\n### One pass, whole: {:.0} rounds for 10^9 rows, {:.0} for 10^12\n\n{one}",
        rounds(1e9),
        rounds(1e12)
    )
}

/// Returns a table of simulated exchanges beside the closed form, and of passes with stragglers.
#[must_use]
pub fn check_of_simulation(costs: &Costs) -> String {
    let mut text = "\n## Simulation\n\nExchange of 2^20 numbers among all workers; passes over 10^9 rows, where one worker in a hundred \
                    takes twice as long for its rows.\n\n| workers | | simulated | closed form | difference | pass | pass with \
                    stragglers |\n| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for workers in WORKERS {
        let features = 2_f64.powi(20);
        let task = Task { rows: 1e9, pairs: PAIRS, features, workers };
        for way in Way::ALL {
            let load = Load { entries: &|_| features, handling: costs.vectors() };
            let closed = seconds(way, workers, &load, CLUSTER.links);
            let rows = pass(costs, &CLUSTER, task, Choice { way, is_sparse: false }).rows;
            let ready = |slow: f64| -> Vec<f64> {
                (0..workers as usize).map(|k| if k % 100 == 99 { slow * rows } else { rows }).collect()
            };
            let [even, slow] = [1.0, 2.0].map(|slow| simulate(way, &ready(slow), &load, CLUSTER.links));
            let simulated = even - rows;
            let _ = writeln!(
                text,
                "| {workers} | {} | {} | {} | {:+.1} % | {} | {} |",
                way.name(),
                time(simulated),
                time(closed),
                100.0 * (closed / simulated - 1.0),
                time(even),
                time(slow)
            );
        }
    }
    text
}

/// Returns a table of what other choices would gain.
#[must_use]
pub fn next_choices(costs: &Costs) -> String {
    let mut text = "\n## Other choices\n\nTime as it is, and as a multiple of that of the other choice.\n\n| | rows | features | workers | as it is | \
                    tree | halving | sharded |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let fits: [(&str, Fit, [Choice; 4]); 2] = [
        (
            "pass of the optimum",
            pass,
            [DENSE_STAR, Choice { way: Way::Tree, is_sparse: false }, DENSE_HALVING, SHARDED],
        ),
        ("one pass", one_pass, [STAR, TREE, HALVING, SHARDED]),
    ];
    for (what, fit, choices) in fits {
        for task in tasks() {
            let [now, others @ ..] = choices.map(|choice| fit(costs, &CLUSTER, task, choice).total());
            let _ = write!(text, "| {what} | {} | {} |", name(task), time(now));
            others.iter().for_each(|other| _ = write!(text, " {} |", significant(now / other)));
            text.push('\n');
        }
    }
    text
}

/// Returns a table for the size of the largest published run of Vowpal Wabbit: 17·10⁹ rows with 2.1·10¹² nonzeros, 2²⁴ parameters,
/// 1,000 machines, 70 minutes.
#[must_use]
pub fn earlier_runs(costs: &Costs) -> String {
    let task = Task { rows: 17e9, pairs: 2.1e12 / 17e9, features: 2_f64.powi(24), workers: 1000.0 };
    let mut text = "\n## Size of the largest published run of Vowpal Wabbit\n\nLinks of 1 Gbit/s with 0.5 ms of latency; 17·10^9 rows, 2.1·10^12 \
                    nonzeros, 2^24 features, 1000 workers.\n\n| | rows | learning | exchange | total |\n| --- | ---: | ---: | ---: | \
                    ---: |\n"
        .to_owned();
    let mut line = |what: &str, times: f64, spent: Spent| {
        let of = |seconds: f64| time(times * seconds);
        let _ = writeln!(
            text,
            "| {what} | {} | {} | {} | {} |",
            of(spent.rows),
            of(spent.learning),
            of(spent.exchange),
            of(spent.total())
        );
    };
    let tree = Choice { way: Way::Tree, is_sparse: false };
    for (what, choice) in
        [("coordinator", DENSE_STAR), ("tree", tree), ("halving", DENSE_HALVING), ("sharded", SHARDED)]
    {
        line(&format!("ten passes of the optimum, {what}"), 10.0, pass(costs, &EARLIER, task, choice));
    }
    for (what, choice) in [("coordinator", STAR), ("halving", HALVING), ("sharded", SHARDED)] {
        line(&format!("one pass, {what}"), 1.0, one_pass(costs, &EARLIER, task, choice));
    }
    let bytes = 6.0 * 4.0 * task.features;
    let _ = writeln!(
        text,
        "\nTheir tree sends 6·4·2^24 bytes through a link per exchange: {} at 1 Gbit/s. Our vectors are of {BYTES_OF_NUMBER} bytes.",
        time(bytes / EARLIER.links.bandwidth)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let texts = [0.012, 59.0, 3600.0, 72_000.0, 8.64e6].map(time);
        assert_eq!(texts, ["12.0 ms", "59.0 s", "60.0 min", "20.0 h", "100 d"]);
    }

    #[test]
    fn marks_say_what_does_not_fit() {
        let spent = Spent { rows: 1.0, exchange: 2.0, memory: 65e9, ..Spent::default() };
        assert_eq!([cell(&spent), memory(&spent)], ["3.00 s x", "65.0 GB too much"]);
        let spent = Spent { rows: 2.0, exchange: 1.0, memory: 1e9, disk: 1.0, ..Spent::default() };
        assert_eq!([cell(&spent), memory(&spent)], ["3.00 s", "1.00 GB + disk"]);
    }

    #[test]
    fn tables_have_a_line_for_each_task() {
        let costs = Costs::made_up();
        let lines = |text: &str, start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(lines(&table(&costs, pass, &[("", STAR)]), "| 10^"), 12);
        assert_eq!(lines(&earlier_runs(&costs), "| ten passes"), 4);
    }
}
