//! Fuzz test of model files that are well-formed, with correct checksums, but have altered contents. Every command that reads a model
//! either works or reports an error; none panics or allocates memory for what a file merely claims.

#[allow(dead_code, unreachable_pub)]
#[path = "../../fuzz/mutant.rs"]
mod mutant;

use crate::sandbox::{Ran, Sandbox, Uniform};
use std::env;
use surefoot_io::Archive;

/// Fits whose models are mutated: the data file and the flags of each. Some leave unfinished models, because of a bad row or a time
/// limit.
const SEEDS: [(&str, &str); 9] = [
    ("a.svm", ""),
    ("a.svm", "--loss softmax --l2 0.1 --standardize yes"),
    ("a.svm", "--l2 auto"),
    ("a.svm", "--l1 0.01 --passes auto"),
    ("a.csv", "--label y --missing mean --interact a:c --loss poisson --exposure e"),
    ("a.csv", "--label s --trials e --ignore y --missing indicator"),
    ("bad.svm", "--passes 3 --snapshot 50"),
    ("bad.svm", "--radius 2 --row-norm 99 --snapshot 50"),
    ("a.svm", "--shuffle --seed 3 --passes 1000000 --budget 1s"),
];

fn data(box_: &Sandbox) {
    let row = |t: u32| format!("{} 1:{} {}:1\n", t % 2, t % 5, 2 + t % 7);
    let rows = (0..120).map(row).collect::<String>();
    box_.write("bad.svm", format!("{rows}what\n"));
    box_.write("a.svm", rows);
    let cell = |t: u32| if t % 4 == 1 { String::new() } else { (t % 3).to_string() };
    let row =
        |t: u32| format!("{},{},{},{},{}\n", t % 3, t % 2, cell(t), ["<u>", "v\u{e9}"][t as usize % 2], 1 + t % 4);
    box_.write("a.csv", "y,s,a,c,e\n".to_owned() + &(0..120).map(row).collect::<String>());
}

/// Runs a command, and asserts that it succeeds or fails with a regular error message.
fn ends_well(box_: &Sandbox, line: &str) -> Ran {
    let ran = box_.run(line);
    let last = ran.err.lines().last().unwrap_or_default();
    let says = ran.status == 0 || last.starts_with("surefoot: ") && last.len() < 500;
    let well = (0..=2).contains(&ran.status) && says && !ran.err.contains("panicked") && !ran.err.contains("of memory");
    if !well {
        let kept = env::temp_dir().join("surefoot-mutant.surefoot");
        std::fs::copy(box_.path("m"), &kept).unwrap();
        panic!("surefoot {line}: status {}: {} (the model is kept as {})", ran.status, ran.err, kept.display());
    }
    ran
}

/// Each command works on mutated models or refuses them. `SUREFOOT_MUTANTS` sets the number of mutants (default 120).
#[test]
fn commands_do_their_work_with_mutants_or_refuse_them() {
    let number = |name: &str, default: u64| env::var(name).ok().and_then(|said| said.parse().ok()).unwrap_or(default);
    let (count, seed) = (number("SUREFOOT_MUTANTS", 120), number("SUREFOOT_SEED", 1));
    let box_ = Sandbox::new();
    data(&box_);
    let seeds = SEEDS.map(|(data, flags)| {
        let ran = box_.run(&format!("fit {data} {flags} --quiet -o seed"));
        assert_eq!(ran.status, i32::from(data == "bad.svm"), "{data} {flags}: {}", ran.err);
        let archive = Archive::read(box_.path("seed")).unwrap();
        std::fs::remove_file(box_.path("seed")).unwrap();
        archive
    });
    let (mut random, mut taken) = (Uniform(seed), 0);
    for _ in 0..count {
        let mut choose = |below: usize| (random.next() * below as f64) as usize;
        let at = choose(seeds.len());
        box_.write("m", mutant::of(&seeds[at], &mut choose));
        if ends_well(&box_, "inspect m").status > 0 {
            continue;
        }
        taken += 1;
        let data = SEEDS[at].0;
        for line in [
            "inspect m --json --top 3",
            &format!("predict m {data} -o p --memory 200M"),
            &format!("eval m {data} --report r.html --memory 200M"),
            "export m -o w.csv",
            "export m -o s.surefoot --slim",
            &format!("fit {data} --resume m -o n --report r.html --budget 1s --quiet --memory 200M"),
        ] {
            ends_well(&box_, line);
        }
    }
    println!("{taken} of {count} were taken");
    assert!(taken > count / 50 && taken < count, "{taken} of {count} were taken");
}
