//! Tests that SIGKILL at random moments loses no more than the rows since the last snapshot.
//!
//! `SUREFOOT_KILLS=100 cargo test --test cli kill` runs the long form.

use crate::sandbox::{Sandbox, Uniform, rows, signal};
use std::time::Duration;

/// Returns the number of times that a run is killed: the value of `SUREFOOT_KILLS`, by default 12.
fn kills() -> usize {
    std::env::var("SUREFOOT_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

/// Converts svmlight rows of ten dense features to CSV.
fn as_csv(text: &str) -> String {
    let names: Vec<_> = (1..=10).map(|j| format!("x{j}")).collect();
    let mut csv = format!("y,{}\n", names.join(","));
    for line in text.lines() {
        let cells: Vec<_> = line.split(' ').map(|cell| cell.split_once(':').map_or(cell, |(_, value)| value)).collect();
        csv += &format!("{}\n", cells.join(","));
    }
    csv
}

#[test]
fn the_model_is_a_whole_one_and_the_run_goes_on_from_it_to_the_same_bytes() {
    let box_ = Sandbox::new();
    let text = rows(20_000);
    box_.write("a.svm", &text);
    box_.write("a.csv", as_csv(&text));
    box_.write("t.csv", as_csv(&text).replace("\n0,", "\nno,").replace("\n1,", "\nyes,"));
    let kinds = [
        "a.svm",
        "a.svm --passes 5",
        "a.svm --passes 3 --shuffle --seed 4",
        "t.csv --label y --passes 2 --shuffle",
        "a.csv --label y --passes 2 --l2 auto",
        "a.svm --passes 3 --radius 2",
        "a.svm --passes auto --l2 auto",
        "t.csv --label y --passes 3 --class-weight yes=5",
        "a.svm --passes 3 --class-weight balanced",
    ];
    let fits = kinds.map(|kind| (format!("fit {kind}"), kind.split(' ').next().unwrap_or_default()));
    let whole = fits.clone().map(|(fit, _)| {
        box_.ok(&format!("{fit} -o whole"));
        box_.read("whole")
    });
    let (mut u, mut killed, mut resumed) = (Uniform(11), 0, 0);
    while killed < kills() {
        let k = killed % fits.len();
        let (fit, data) = &fits[k];
        let _ = std::fs::remove_file(box_.path("m"));
        // A search starts anew when it is resumed: from time to time it must be left alone for long enough.
        for attempt in 1.. {
            let every = 1 + (2000.0 * u.next()) as u64;
            let going_on = box_.has("m");
            if going_on && !box_.ok("inspect m --json").json()["unfinished"].is_object() {
                // Killed right after the end.
                break;
            }
            let line = if going_on { format!("fit {data} --resume m") } else { fit.clone() };
            let mut child = box_.start(&format!("{line} -o m --snapshot {every} --quiet"));
            std::thread::sleep(Duration::from_secs_f64(0.1 * f64::from(attempt) * u.next()));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "{line}");
                break;
            }
            signal(&child, "KILL");
            child.wait().unwrap();
            (killed, resumed) = (killed + 1, resumed + usize::from(going_on));
        }
        assert!(box_.read("m") == whole[k], "{fit}");
    }
    assert!(resumed > 0);
}
