//! Tests of inputs on the web and in object stores, with a server that has the faults of such servers.
#![cfg(feature = "cloud")]

mod common;
#[path = "common/server.rs"]
mod server;

use std::io::Write;
use std::process::Command;
use std::time::Duration;

use common::parts::{Seen, divided, divided_as, whole, whole_as};
use server::{Fault, Server};
use surefoot_io::{ColumnSelection, InputName, ObjectName, Options, expand, split_inputs};

/// Returns svmlight text of this many rows, all different.
fn rows(n: usize) -> String {
    (0..n).map(|i| format!("{} {}:1 {}:{}.5\n", i % 2, i % 97, 100 + i, i)).collect()
}

/// Starts a server of one file, `/b/rows.svm`, and returns it with the address of the file.
fn one(text: &str) -> (Server, String) {
    let server = Server::start([("/b/rows.svm".to_owned(), text.as_bytes().to_vec())]);
    let address = format!("{}/b/rows.svm", server.address());
    (server, address)
}

/// Reads an address, and a file of the same name and content; returns what both show, without their folders.
fn both(address: &str, content: &[u8], options: &Options) -> [Vec<String>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let name = address.rsplit_once('/').unwrap();
    let path = folder.path().join(name.1);
    std::fs::write(&path, content).unwrap();
    let without = |seen: Vec<String>, of: &str| seen.iter().map(|row| row.replace(of, "")).collect();
    let local = whole_as(Seen::Rows, &[InputName::Path(path)], options);
    [
        without(whole_as(Seen::Rows, &[InputName::new(address)], options), name.0),
        without(local, folder.path().to_str().unwrap()),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_file_of_the_web_reads_like_a_local_one() {
    let text = rows(5_000);
    let (server, address) = one(&text);
    let [remote, local] = both(&address, text.as_bytes(), &Options::default());
    assert_eq!(remote, local);
    assert_eq!(remote.len(), 5_000);
    server.put("/b/rows.svm.gz", gzip(text.as_bytes()));
    let [remote, local] = both(&format!("{address}.gz"), &gzip(text.as_bytes()), &Options::default());
    assert_eq!(remote, local);
    server.put("/b/empty.svm", "");
    assert_eq!(
        whole_as(Seen::Rows, &[InputName::new(format!("{}/b/empty.svm", server.address()))], &Options::default()).len(),
        0
    );
}

#[test]
fn parts_of_a_file_of_the_web_are_those_of_a_local_one() {
    let text = rows(20_000);
    let (_server, address) = one(&text);
    let inputs = [InputName::new(&address)];
    let expected = whole_as(Seen::Rows, &inputs, &Options::default());
    for shards in [2, 5] {
        assert_eq!(divided_as(Seen::Rows, &inputs, &Options::default(), shards), expected);
    }
    let shards = split_inputs(&inputs, &Options::default(), 3).unwrap();
    assert!(serde_json::to_string(&shards).unwrap().contains(&address));
}

#[test]
fn requests_that_fail_are_repeated() {
    let text = rows(20_000);
    let (server, address) = one(&text);
    server.faults(|request| match request.number % 3 {
        0 => Fault::Status(503),
        1 => Fault::Slow(Duration::from_millis(30)),
        _ => Fault::None,
    });
    let [remote, local] = both(&address, text.as_bytes(), &Options::default());
    assert!(remote == local && remote.len() == 20_000);
}

#[test]
fn transfers_that_break_off_are_resumed_where_they_ended() {
    for has_tags in [true, false] {
        let text = rows(20_000);
        let server = Server::with_tags([("/b/rows.svm".to_owned(), text.clone().into_bytes())], has_tags);
        let (mut sent, address) = (Vec::new(), format!("{}/b/rows.svm", server.address()));
        let (give, take) = std::sync::mpsc::channel();
        server.faults(move |request| match request.range {
            Some((first, last)) if last - first > 50_000 => {
                let _ = give.send(first);
                Fault::Cut(50_000)
            }
            _ => Fault::None,
        });
        let [remote, local] = both(&address, text.as_bytes(), &Options::default());
        assert!(remote == local && remote.len() == 20_000, "{has_tags}");
        sent.extend(take.try_iter());
        assert!(sent.contains(&(65_536 + 50_000)), "resumed at the byte reached: {sent:?}");
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_an_error() {
    let (text, other) = (rows(20_000), rows(20_000).replace(":1 ", ":2 "));
    let (server, address) = one(&text);
    let inputs = [InputName::new(&address)];
    assert_eq!(whole_as(Seen::Rows, &inputs, &Options::default()).len(), 20_000);
    server.put("/b/rows.svm", other.clone());
    let message = format!("{address}: the object was changed while it was read; start again");
    assert_eq!(whole_as(Seen::Rows, &inputs, &Options::default()).concat(), message);
    // A part knows the object that was divided, also in another process.
    let shards = split_inputs(&[InputName::new(&address)], &Options::default(), 2).unwrap();
    let sent = serde_json::to_string(&shards[1]).unwrap();
    server.put("/b/rows.svm", text);
    let shard: Vec<InputName> = serde_json::from_str(&sent).unwrap();
    assert_eq!(whole_as(Seen::Rows, &shard, &Options::default()), [message]);
}

#[test]
fn a_server_without_ranges_sends_the_whole() {
    let text = rows(20_000);
    let (server, address) = one(&text);
    server.faults(|_| Fault::Whole);
    let [remote, local] = both(&address, text.as_bytes(), &Options::default());
    assert!(remote == local && remote.len() == 20_000);
    let inputs = [InputName::new(&address)];
    let shards = split_inputs(&inputs, &Options::default(), 3).unwrap();
    assert_eq!(shards.concat().len(), 1, "it stays whole");
    server.faults(|request| if request.range.is_none() { Fault::Cut(100_000) } else { Fault::Whole });
    let seen = whole_as(Seen::Rows, &inputs, &Options::default());
    let last = seen.last().unwrap();
    assert!(last.starts_with(&format!("{address}: ")) && last.contains("broke off"), "{last}");
}

#[test]
fn failures_name_the_address_and_what_to_do() {
    let (server, address) = one("1 1:1\n");
    let seen = |address: &str| whole_as(Seen::Rows, &[InputName::new(address)], &Options::default()).join("|");
    let missing = format!("{}/b/none.svm", server.address());
    assert_eq!(seen(&missing), format!("{missing}: there is no such object; check the address"));
    let denied = format!("{}/secret/x.svm?signature=abc", server.address());
    let message = seen(&denied);
    assert!(message.contains("/secret/x.svm: access is denied (403)") && !message.contains("abc"), "{message}");
    // A failure within compressed data is not damage.
    let bytes = gzip(rows(60_000).as_bytes());
    server.put("/b/rows.svm.gz", bytes);
    server.faults(|request| match request.range {
        Some((first, _)) if first > 10_000 => Fault::Status(404),
        _ => Fault::None,
    });
    let message = seen(&format!("{address}.gz"));
    assert!(message.ends_with("rows.svm.gz: there is no such object; check the address"), "{message}");
    drop(server);
    let message = seen("http://127.0.0.1:9/x.svm");
    assert_eq!(
        message,
        "http://127.0.0.1:9/x.svm: cannot connect (Connection refused); check the address and the network"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn row_groups_are_fetched_in_a_few_requests() {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    use parquet::{arrow::ArrowWriter, file::properties::WriterProperties};

    let column = |k: usize| -> ArrayRef {
        std::sync::Arc::new(Float64Array::from_iter_values((0..20_000).map(|i| ((i * (k + 7)) % 1009) as f64)))
    };
    let names = ["y", "a", "b", "c", "d"];
    let table = RecordBatch::try_from_iter(names.iter().enumerate().map(|(k, name)| (*name, column(k)))).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(5_000)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties)).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();

    let server = Server::start([("/b/t.parquet".to_owned(), bytes.clone())]);
    let address = format!("{}/b/t.parquet", server.address());
    let wanted = ColumnSelection { label: Some("y".to_owned()), ..ColumnSelection::default() };
    let options = Options { wanted, ..Options::default() };
    let [remote, local] = both(&address, &bytes, &options);
    assert!(remote == local && remote.len() == 20_000);
    assert!(server.requests() < 20, "{} requests", server.requests());
    let inputs = [InputName::new(&address)];
    assert_eq!(divided_as(Seen::Rows, &inputs, &options, 3), whole_as(Seen::Rows, &inputs, &options));
    // A failure of the network is not damage.
    let size = bytes.len();
    server.faults(move |request| match request.range {
        Some((first, last)) if first > 100_000 && last < size - 70_000 => Fault::Status(404),
        _ => Fault::None,
    });
    let last = whole_as(Seen::Rows, &[InputName::new(&address)], &options).pop().unwrap();
    assert_eq!(last, format!("{address}: there is no such object; check the address"));
    server.faults(|_| Fault::Whole);
    let [remote, local] = both(&address, &bytes, &options);
    assert_eq!(remote, local);
}

/// Runs a test of this file in a process whose environment tells of a store; returns whether this is that process.
fn in_store(name: &str, files: &[(&str, Vec<u8>)]) -> bool {
    if std::env::var_os("SUREFOOT_IN_STORE").is_some() {
        return true;
    }
    let server = Server::start(files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.clone())));
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name]).env("SUREFOOT_IN_STORE", "1").envs(server.variables());
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    false
}

#[test]
fn prefixes_and_patterns_stand_for_objects() {
    let csv = b"y,x\n1,2\n".to_vec();
    let files: Vec<(&str, Vec<u8>)> = [
        "/b/t/day=1/b.csv",
        "/b/t/day=1/a.csv",
        "/b/t/day=2/a.csv",
        "/b/t/day=2/_SUCCESS",
        "/b/t/_temporary/x.csv",
        "/b/t/.hidden",
        "/b/t2/a.csv",
        "/b/single.csv",
    ]
    .into_iter()
    .map(|path| (path, csv.clone()))
    .collect();
    if !in_store("prefixes_and_patterns_stand_for_objects", &files) {
        return;
    }
    let names = |name: &str| -> Vec<String> {
        expand(name).unwrap().iter().map(|input| input.to_string().replace("s3://b/", "")).collect()
    };
    let all = ["t/day=1/a.csv", "t/day=1/b.csv", "t/day=2/a.csv"];
    assert_eq!(names("s3://b/t"), all);
    assert_eq!(names("s3://b/t/"), all);
    assert_eq!(names("s3://b/t/*/a.csv"), [all[0], all[2]]);
    assert_eq!(names("s3://b/t/day=*"), all);
    assert_eq!(names("s3://b/**/a.csv"), [all[0], all[2], "t2/a.csv"]);
    assert_eq!(names("s3://b/single.csv"), ["single.csv"]);
    assert_eq!(names("s3://b").len(), 5);
    let fails = |name: &str| expand(name).unwrap_err().to_string();
    assert_eq!(
        fails("s3://b/none"),
        "s3://b/none: there is no such object and no folder of this name; check the address"
    );
    assert!(fails("s3://b/t/*.svm").contains("no object matches this pattern"));
    assert_eq!(fails("s3://none/x"), "s3://none/x: there is no such bucket; check the address");
    assert!(fails("s3://secret/x").contains("s3://secret/x: access is denied (403): set AWS_ACCESS_KEY_ID"));

    // The folders are columns, of the whole and of its parts.
    let wanted = ColumnSelection { label: Some("y".to_owned()), ..ColumnSelection::default() };
    let options = Options { wanted, ..Options::default() };
    let inputs = expand("s3://b/t").unwrap();
    let seen = whole(&inputs, &options);
    assert!(seen.len() == 3 && seen[2].contains("[2.0, 2.0]") && seen[0].contains("[2.0, 1.0]"), "{seen:?}");
    for shards in 1..5 {
        assert_eq!(divided(&inputs, &options, shards), seen);
    }
}

#[test]
fn addresses_name_their_schemes() {
    for address in ["s3://b/k", "gs://b/k", "az://c/k", "http://h/k", "https://h/k?q"] {
        assert_eq!(ObjectName::parse(address).unwrap().address(), address);
        assert!(matches!(InputName::new(address), InputName::Object(_)));
    }
    for path in ["a/b.csv", "-", "ftp://h/k", "C:/x"] {
        assert!(ObjectName::parse(path).is_none());
    }
}
