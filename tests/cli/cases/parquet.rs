//! Cases of Parquet tables that are damaged or lack data.

use super::{predictions, refused};
use crate::sandbox::Sandbox;

/// Reads a file of the test data of the crate `surefoot-io`.
fn table(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

#[test]
fn what_is_damaged_is_told_from_what_is_none() {
    let whole = table("nulls.parquet");
    let end = whole.len();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let cases: [(Vec<u8>, &str); 7] = [
        (Vec::new(), "not a Parquet file"),
        (b"PAR1".to_vec(), "cut off"),
        (b"PAR1PAR1".to_vec(), "cut off"),
        (whole[..end / 2].to_vec(), "cut off"),
        (whole[..end - 1].to_vec(), "cut off"),
        (with(end - 8, &0x7fff_ffff_u32.to_le_bytes()), "claims 2147483647 bytes"),
        // Pages carry checksums.
        (with(40, &[!whole[40]]), "damaged Parquet data"),
    ];
    let box_ = Sandbox::new();
    for (bytes, says) in cases {
        box_.write("a.parquet", bytes);
        refused(&box_, "fit a.parquet --label z --missing indicator", &["a.parquet: ", says]);
    }
    // A byte that is changed is noticed, or makes no difference.
    box_.write("a.parquet", &whole);
    let fit = "fit a.parquet --label z --missing indicator --json -o";
    let loss = box_.ok(&format!("{fit} m")).json()["loss"].clone();
    let mut noticed = 0;
    for at in (4..300).step_by(11) {
        box_.write("a.parquet", with(at, &[!whole[at]]));
        let ran = box_.run(&format!("{fit} n"));
        match ran.status {
            0 => assert_eq!(ran.json()["loss"], loss, "{at}"),
            1 => noticed += 1,
            status => panic!("{at}: {status}: {}", ran.err),
        }
    }
    assert!(noticed > 10, "{noticed}");
}

#[test]
fn nulls_are_missing_by_the_policy_of_every_table() {
    let box_ = Sandbox::new();
    box_.write("a.parquet", table("nulls.parquet"));
    // The label is null in row 6 and a in rows 2 and 7, in row groups of 3 rows.
    for flags in ["", " --missing indicator"] {
        refused(
            &box_,
            &format!("fit a.parquet --label y{flags}"),
            &["a.parquet: row 6, column 'y'", "the label is null"],
        );
    }
    let fit = "fit a.parquet --label z --ignore y";
    refused(&box_, fit, &["a.parquet: row 2, column 'a': is null", "--missing indicator"]);
    refused(&box_, &format!("{fit},a"), &["a.parquet: row 3, column 's': is null", "--missing indicator"]);
    let ran = box_.ok(&format!("{fit} --missing indicator --json -o m"));
    assert_eq!((&ran.json()["rows"], &ran.json()["missing"]), (&8.into(), &serde_json::json!({"a": 2, "s": 1})));
    let p = predictions(&box_, "m a.parquet --unlabelled");
    assert!(p.len() == 8 && p.iter().all(|p| p.is_finite()));
    // The same table as text has the same losses, to the bit.
    box_.write("a.csv", "z,a,s\n1,0.5,u\n0,,v\n1,1.5,\n0,-1,u\n1,0.25,v\n0,1,u\n1,,v\n0,2,u\n");
    let csv = box_.ok("fit a.csv --label z --missing indicator --json -o n");
    assert_eq!(csv.json()["loss"], ran.json()["loss"]);
    // A row that is passed over is passed over once.
    let ran = box_.ok("fit a.parquet --label y --ignore z --missing indicator --skip-bad-rows 1 --json -o m");
    assert_eq!((&ran.json()["rows"], &ran.json()["rows_skipped"]), (&7.into(), &1.into()));
    assert!(ran.err.contains("warning: a.parquet: row 6, column 'y'"), "{}", ran.err);
}
