//! Tests that the command reads object stores and the web as it reads files: against a server within the test, and against moto if the
//! variable `SUREFOOT_MOTO` names its program `moto_server`.
#![cfg(feature = "cloud")]

#[path = "../../crates/surefoot-io/tests/common/server.rs"]
mod server;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::sandbox::{Ran, Sandbox};
use server::{Fault, Server};

/// Files of a test: path in the folder, which is also the key in the bucket, and content.
fn files() -> Vec<(String, Vec<u8>)> {
    let svm: String = (0..3000).map(|i| format!("{} {}:1 {}:0.5\n", i % 2, i % 7, 10 + i % 5)).collect();
    let csv = |from: usize| -> String {
        let rows = (from..from + 500).map(|i| format!("{},{},{}\n", i % 2, i % 11, ["red", "blue"][i / 3 % 2]));
        "y,x,c\n".to_owned() + &rows.collect::<String>()
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(csv(0).as_bytes()).unwrap();
    let parquet = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar/rows.parquet");
    [
        ("rows.svm", svm.into_bytes()),
        ("rows.csv", csv(0).into_bytes()),
        ("rows.csv.gz", gzip.finish().unwrap()),
        ("rows.parquet", std::fs::read(parquet).unwrap()),
        ("t/day=1/a.csv", csv(0).into_bytes()),
        ("t/day=2/a.csv", csv(500).into_bytes()),
        ("t/day=2/b c.csv", csv(1000).into_bytes()),
        ("t/_SUCCESS", Vec::new()),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .into()
}

/// Runs `surefoot LINE` with these variables in its environment.
fn run(box_: &Sandbox, variables: &[(&'static str, String)], line: &str) -> Ran {
    let mut command = box_.command(line.split_whitespace());
    Ran::from(command.envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap())
}

/// Checks that models and predictions of objects in the bucket `bucket` are those of files.
fn check(variables: &[(&'static str, String)]) {
    let box_ = Sandbox::new();
    for (name, bytes) in files() {
        std::fs::create_dir_all(box_.path(&name).parent().unwrap()).unwrap();
        std::fs::write(box_.path(&name), bytes).unwrap();
    }
    let ok = |line: String| {
        let ran = run(&box_, variables, &line);
        assert_eq!(ran.status, 0, "{line}: {}", ran.err);
        ran
    };
    for (data, flags) in [
        ("rows.svm", ""),
        ("rows.svm", "--passes 3"),
        ("rows.csv", "--label y"),
        ("rows.csv.gz", "--label y --passes 2"),
        ("rows.parquet", "--label y --loss squared"),
        ("t", "--label y"),
        ("t/*/a.csv", "--label y"),
    ] {
        ok(format!("fit {data} {flags} -o local"));
        ok(format!("fit s3://bucket/{data} {flags} -o remote"));
        assert!(box_.read("local") == box_.read("remote"), "{data} {flags}");
    }
    ok("fit t --label y -o m".to_owned());
    let predicted = |data: &str| ok(format!("predict m {data}")).out;
    assert_eq!(predicted("s3://bucket/t"), predicted("t"));
    let measured = |data: &str| ok(format!("eval m {data} --json")).out;
    assert_eq!(measured("s3://bucket/t"), measured("t"));
    let missing = run(&box_, variables, "fit s3://bucket/none");
    let message = "surefoot: s3://bucket/none: there is no such object and no folder of this name; check the address";
    assert_eq!((missing.status, missing.err.trim()), (1, message));
}

#[test]
fn models_of_objects_are_those_of_files() {
    let server = Server::start(files().into_iter().map(|(name, bytes)| (format!("/bucket/{name}"), bytes)));
    server.faults(|request| match request.number % 7 {
        3 => Fault::Status(503),
        5 => Fault::Cut(3000),
        _ => Fault::None,
    });
    check(&server.variables());
}

#[test]
fn a_table_of_the_web_is_read_and_predicted() {
    let server = Server::start(files().into_iter().map(|(name, bytes)| (format!("/bucket/{name}"), bytes)));
    let box_ = Sandbox::new();
    box_.ok(&format!("fit {}/bucket/rows.csv --label y -o m", server.address()));
    let out = box_.ok(&format!("predict m {}/bucket/rows.csv.gz", server.address())).out;
    assert_eq!(out.lines().count(), 500);
    let failed = box_.fails(1, &format!("fit {}/bucket/none.csv --label y", server.address())).err;
    assert!(failed.contains("/bucket/none.csv: there is no such object; check the address"), "{failed}");
}

/// Program that is ended when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn models_of_objects_in_moto_are_those_of_files() {
    // The long checks name it.
    let Some(program) = std::env::var_os("SUREFOOT_MOTO") else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut moto = Command::new(program);
    moto.args(["-H", "127.0.0.1", "-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
    let _running = Running(moto.spawn().unwrap());
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(120), "moto_server does not start");
        std::thread::sleep(Duration::from_millis(100));
    }
    put(port, "/bucket", b"");
    files().iter().for_each(|(name, bytes)| put(port, &format!("/bucket/{}", name.replace(' ', "%20")), bytes));
    let endpoint = [("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))];
    let others = [
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_REGION", "us-east-1"),
    ];
    check(&endpoint.into_iter().chain(others.map(|(name, value)| (name, value.to_owned()))).collect::<Vec<_>>());
}

/// Stores an object, or creates a bucket.
fn put(port: u16, path: &str, bytes: &[u8]) {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        bytes.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    connection.write_all(bytes).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
}
