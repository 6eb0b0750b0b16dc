//! `--shuffle`: an order of rows that follows from the seed, the pass and the number of each row, and from nothing else.

use crate::sandbox::{Ran, Sandbox, rows};

/// Runs with this much memory for rows.
fn within(box_: &Sandbox, memory: usize, line: &str) -> Ran {
    let mut command = box_.command(line.split_whitespace());
    let ran = Ran::from(command.env("SUREFOOT_MEMORY", memory.to_string()).output().unwrap());
    assert_eq!(ran.status, 0, "surefoot {line} in {memory} bytes: {}", ran.err);
    ran
}

/// Rows whose labels are 0 first and then 1.
fn sorted(n: usize) -> String {
    let text = rows(n);
    let mut lines: Vec<_> = text.split_inclusive('\n').collect();
    lines.sort_by_key(|line| line.as_bytes()[0]);
    lines.concat()
}

#[test]
fn memory_threads_and_ways_to_come_change_no_byte() {
    let box_ = Sandbox::new();
    let text = sorted(600);
    box_.write("all.svm", &text);
    let cut = text.match_indices('\n').nth(200).unwrap().0 + 1;
    box_.write("a.svm", &text[..cut]);
    box_.write("b.svm", &text[cut..]);
    for more in ["", " --passes 3 --seed 7", " --passes 2 --radius 2", " --passes auto --l2 0.1"] {
        let fit = |data: &str, out: &str| format!("fit {data} -o {out} --shuffle{more}");
        box_.ok(&fit("all.svm", "whole"));
        let whole = box_.read("whole");
        for memory in [0, 500, 5_000, 20_000, 1 << 20] {
            let ran = within(&box_, memory, &fit("all.svm", "m"));
            assert!(box_.read("m") == whole, "{memory}{more}");
            assert_eq!(
                ran.err.contains("note: memory does not hold all rows"),
                memory < 1 << 20,
                "{memory}: {}",
                ran.err
            );
        }
        for data in ["all.svm --threads 1", "a.svm b.svm", "all.svm --snapshot 7 --quiet"] {
            box_.ok(&fit(data, "m"));
            assert!(box_.read("m") == whole, "{data}{more}");
        }
        assert_eq!(box_.feed(&fit("-", "m"), text.as_bytes()).status, 0);
        assert!(box_.read("m") == whole, "a pipe{more}");
        box_.ok(&format!("fit all.svm -o plain {}", more.replace(" --seed 7", "")));
        assert!(box_.read("plain") != whole);
    }
    assert_eq!(box_.names(), ["a.svm", "all.svm", "b.svm", "m", "plain", "whole"]);
}
