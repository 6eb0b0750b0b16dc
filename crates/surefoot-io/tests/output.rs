//! Tests that output files are replaced as a whole or not at all, and that no temporary files are left behind.

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use common::unprivileged;
use surefoot_io::{InputName, Output};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn put(output: &mut Output, text: &str) {
    output.write_all(text.as_bytes()).unwrap();
    output.commit().unwrap();
}

fn refused(path: &Path, reason: &str) {
    let error = Output::create(path).unwrap_err().to_string();
    assert_eq!(error, format!("{}: {reason}", path.display()));
}

#[test]
fn a_file_appears_at_commit_and_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let mut output = Output::create(&path).unwrap();
    assert!(names(folder.path()).is_empty());
    assert!(output.is_atomic() && output.name() == path.to_str().unwrap());
    output.write_all(&[b'x'; 1 << 20]).unwrap();
    let there = names(folder.path());
    assert!(there.len() == 1 && there[0].starts_with(&format!(".m.surefoot-tmp-{}-", std::process::id())), "{there:?}");
    output.discard();
    assert!(names(folder.path()).is_empty());
    put(&mut output, "one");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    output.write_all(b"half").unwrap();
    output.flush().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    drop(output);
    assert_eq!(names(folder.path()), ["m"]);
    put(&mut Output::create(&path).unwrap(), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

#[test]
fn what_cannot_be_written_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "kept").unwrap();
    refused(&at("none/m"), "No such file or directory");
    refused(&at("file/m"), "Not a directory");
    refused(folder.path(), "Is a directory");
    refused(&at("new/"), "Is a directory");
    symlink("loop", at("loop")).unwrap();
    refused(&at("loop"), "Too many levels of symbolic links");
    assert_eq!(names(folder.path()), ["file", "loop"]);
    fs::create_dir(at("closed")).unwrap();
    fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o444)).unwrap();
    if !unprivileged::tested("what_cannot_be_written_is_refused_at_once") {
        refused(&at("closed/m"), "Permission denied");
        refused(&at("file"), "Permission denied");
    }
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "kept");
}

#[test]
fn links_are_followed_and_permissions_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| at(name).metadata().unwrap().permissions().mode() & 0o7777;
    fs::create_dir(at("deep")).unwrap();
    symlink("deep/real", at("link")).unwrap();
    symlink("link", at("link2")).unwrap();
    let mut output = Output::create(at("link2")).unwrap();
    put(&mut output, "one");
    assert_eq!(fs::read_to_string(at("deep/real")).unwrap(), "one");
    assert!(at("link2").is_symlink() && at("link").is_symlink());
    for permissions in [0o640, 0o600, 0o755] {
        fs::set_permissions(at("deep/real"), fs::Permissions::from_mode(permissions)).unwrap();
        put(&mut output, "two");
        assert_eq!(mode("deep/real"), permissions);
    }
    // As a new file of this process gets them.
    fs::write(at("ours"), "").unwrap();
    put(&mut Output::create(at("theirs")).unwrap(), "");
    assert_eq!(mode("ours"), mode("theirs"));
    assert_eq!(names(&at("deep")), ["real"]);
}

#[test]
fn leftovers_of_the_dead_are_removed_and_of_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // A number that no process has: it is above the limit of the system.
    let dead = 2_000_000_000;
    let own = std::process::id();
    let gone = [
        format!(".m.surefoot-tmp-{dead}-0"),
        format!(".m.surefoot-tmp-{dead}-17"),
        format!(".m.surefoot-tmp-{own}-999999"),
    ];
    let kept = [
        format!(".m2.surefoot-tmp-{dead}-0"),
        format!(".m.surefoot-tmp-{dead}-x"),
        format!(".m.surefoot-tmp-{dead}"),
        ".m.surefoot-tmp-1-0".to_owned(),
        "m.surefoot-tmp-1-0".to_owned(),
    ];
    for name in gone.iter().chain(&kept) {
        fs::write(at(name), "").unwrap();
    }
    let mut busy = Output::create(at("m")).unwrap();
    busy.write_all(b"text").unwrap();
    let mut expected: Vec<String> = names(folder.path());
    assert_eq!(expected.len(), kept.len() + 1, "{expected:?}");
    expected.retain(|name| !gone.contains(name));
    // A second output to the same target leaves the first one's file alone.
    drop(Output::create(at("m")).unwrap());
    assert_eq!(names(folder.path()), expected);
    busy.commit().unwrap();
    assert_eq!(fs::read_to_string(at("m")).unwrap(), "text");
}

#[test]
fn devices_and_pipes_are_written_directly() {
    let mut null = Output::create("/dev/null").unwrap();
    assert!(!null.is_atomic() && null.identity().is_none());
    put(&mut null, "gone");
    let (mut from, to) = std::io::pipe().unwrap();
    let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&to));
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"line\n").unwrap();
    output.flush().unwrap();
    let mut line = [0; 5];
    std::io::Read::read_exact(&mut from, &mut line).unwrap();
    assert_eq!(&line, b"line\n");
}

#[test]
fn a_full_device_is_named() {
    let mut full = Output::create("/dev/full").unwrap();
    full.write_all(b"text").unwrap();
    let error = full.commit().unwrap_err();
    assert!(error.to_string().starts_with("/dev/full: No space left on device"), "{error}");
    assert!(!error.is_broken_pipe());
}

#[test]
fn a_failed_write_keeps_the_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let mut output = Output::create(&path).unwrap();
    put(&mut output, "one");
    output.write_all(b"two").unwrap();
    // The temporary file disappears under its writer: renaming it must fail.
    for name in names(folder.path()).iter().filter(|name| name.starts_with('.')) {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    let error = output.commit().unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    put(&mut output, "three");
    assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    assert_eq!(names(folder.path()), ["m"]);
}

#[test]
fn long_and_odd_names_work() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x".repeat(255), "ü".repeat(127), "-".to_owned() + "a b\nc"] {
        let path = folder.path().join(&name);
        put(&mut Output::create(&path).unwrap(), "text");
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        fs::remove_file(path).unwrap();
    }
    assert!(names(folder.path()).is_empty());
    assert!(Output::create(folder.path().join("x".repeat(256))).is_err());
}

#[test]
fn an_output_that_is_an_input_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.svm");
    fs::write(&path, "1\n").unwrap();
    fs::hard_link(&path, folder.path().join("other")).unwrap();
    let output = Output::create(folder.path().join("other")).unwrap();
    let error = output.check_distinct(&[InputName::new("/dev/null"), InputName::new(&path)]).unwrap_err();
    assert!(error.to_string().contains("other: is both input and output"), "{error}");
    Output::create(folder.path().join("new")).unwrap().check_distinct(&[InputName::new(&path)]).unwrap();
    Output::create("/dev/null").unwrap().check_distinct(&[InputName::new("/dev/null")]).unwrap();
}

/// Writes to an output file and commits in an endless loop. Not a test itself: the test below runs it in a child
/// process, which it kills.
#[test]
#[ignore = "a part of another test"]
fn write_for_ever() {
    let path = std::env::var_os("SUREFOOT_TEST_TARGET").expect("run by another test");
    let mut output = Output::create(path).unwrap();
    for i in 0u64.. {
        for _ in 0..200 {
            output.write_all(&i.to_le_bytes()).unwrap();
        }
        output.commit().unwrap();
    }
}

#[test]
fn whoever_is_killed_leaves_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let mut left = 0;
    for round in 0..25u64 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "write_for_ever", "--ignored"])
            .env("SUREFOOT_TEST_TARGET", &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !path.exists() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_micros(15_000 + round * 777));
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 1600);
        assert!(bytes.chunks(8).all(|chunk| chunk == &bytes[..8]));
        left += names(folder.path()).len() - 1;
        assert!(names(folder.path()).len() <= 2, "one killed process leaves one file, and the next removes it");
    }
    drop(Output::create(&path).unwrap());
    assert_eq!(names(folder.path()), ["m"]);
    eprintln!("{left} of 25 killed writers left a temporary file");
}
