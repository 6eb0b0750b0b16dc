//! Short, deterministic runs of the fuzzers in `fuzz/`: on random bytes, and on their seed inputs with random changes.

#[allow(dead_code, missing_docs, unreachable_pub)]
#[path = "../../../fuzz/drive.rs"]
mod drive;

use std::path::{Path, PathBuf};

use surefoot_io::FORMATS;

/// Number of inputs that each fuzzer is run on.
const CASES: usize = 2000;
/// Maximum memory that reading one input may take, in bytes.
const MEMORY: u64 = 96 << 20;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.below(256) as u8).collect()
    }

    /// Returns a copy of `bytes` with 0 to 8 random changes.
    fn changed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..[0, 1, 1, 2, 8][self.below(5)] {
            let (at, to) = (self.below(bytes.len() + 1), self.below(bytes.len() + 1));
            let piece = at.min(to)..(at.max(to)).min(at.min(to) + 40);
            match self.below(7) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(piece)),
                2 => {
                    let twice = bytes[piece].repeat(1 + self.below(3));
                    bytes.splice(to..to, twice).for_each(drop);
                }
                3 => bytes.splice(at..at, WORDS[self.below(WORDS.len())].bytes()).for_each(drop),
                4 => bytes.splice(at..at, self.bytes(4)).for_each(drop),
                _ if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                _ => {}
            }
        }
        bytes
    }
}

/// Tokens that have a meaning in some data format, to be inserted into inputs.
const WORDS: &[&str] = &[
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    ",",
    ";",
    "\"",
    "\"\"",
    "|",
    ":",
    "#",
    "'",
    "*",
    "^",
    "=",
    "-",
    "+",
    ".",
    "1",
    "0",
    "nan",
    "inf",
    "NA",
    "1e999",
    "-1e-999",
    "0x1",
    "qid:1",
    "true",
    "{",
    "}",
    "[",
    "\0",
    "\u{feff}",
    "y",
    "label",
    "{}",
    "18446744073709551615",
    "9007199254740993",
    "\u{e9}",
    "2024-01-01",
    "null",
    "|n:2 a:3",
    "\"a\nb\"",
];

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Returns the seed inputs of the fuzzer `name`: the files in `fuzz/seeds/NAME`, or the test tables for the fuzzers of
/// Parquet and Arrow.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = match name {
        "parquet" | "arrow" => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/columnar"),
        name => fuzz().join("seeds").join(name),
    };
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let files = files.iter().filter(|file| file.extension().is_some_and(|extension| extension != "py"));
    files.map(|file| std::fs::read(file).unwrap()).collect()
}

/// Guard that prints the fuzzer's name and its input if the test panics before the guard is dropped.
struct Case<'a>(&'a str, &'a [u8]);

impl Drop for Case<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: b\"{}\"", self.0, self.1.escape_ascii());
        }
    }
}

fn run(name: &str, drive: impl Fn(&[u8]), choices: usize) {
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "no seeds for {name}");
    let mut random = Random(1);
    for n in 0..CASES {
        let bytes = match n % 8 {
            0 => random.bytes(64),
            _ => {
                let seed = &seeds[random.below(seeds.len())];
                random.changed(seed)
            }
        };
        // As many inputs again with the simplest choices.
        let choices: Vec<_> = (0..choices).map(|_| if n % 2 == 0 { 0 } else { random.below(256) as u8 }).collect();
        let data = [choices, bytes].concat();
        let case = Case(name, &data);
        let used = allocation_counter::measure(|| drive(&data));
        assert!(used.bytes_max < MEMORY, "{} bytes", used.bytes_max);
        drop(case);
    }
}

#[test]
fn any_bytes_are_rows_or_errors() {
    for format in FORMATS {
        run(format.name, |data| drive::rows(format, data), drive::CHOICES);
    }
}

#[test]
fn any_bytes_are_decompressed_or_errors() {
    run("codec", drive::codec, 0);
}

#[test]
fn any_bytes_are_models_or_errors() {
    run("model", drive::model, 0);
}

/// Tests that random changes of model files yield a model or an error, never a panic. The number of changed files is
/// that of the environment variable SUREFOOT_MUTANTS, 3000 by default.
#[test]
fn mutants_of_models_are_models_or_errors() {
    let count = std::env::var("SUREFOOT_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    let seed = std::env::var("SUREFOOT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let archives = drive::models::archives(&drive::kinds::models());
    let (mut random, mut loaded) = (Random(seed), 0);
    for _ in 0..count {
        let archive = &archives[random.below(archives.len())];
        let bytes = drive::mutant::of(archive, &mut |below| random.below(below));
        let case = Mutant(&bytes);
        loaded += usize::from(drive::models::use_model(&bytes));
        drop(case);
    }
    // Neither is everything refused, nor does everything pass.
    println!("{loaded} of {count} were loaded");
    assert!(loaded > count / 50 && loaded < count, "{loaded} of {count} were loaded");
}

/// Guard that writes the changed model file to the temporary folder if the test panics before the guard is dropped.
struct Mutant<'a>(&'a [u8]);

impl Drop for Mutant<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let path = std::env::temp_dir().join("surefoot-mutant.surefoot");
            let _ = std::fs::write(&path, self.0);
            eprintln!("the file is kept as {}", path.display());
        }
    }
}

#[test]
fn every_format_has_a_fuzzer() {
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in FORMATS.iter().map(|format| format.name).chain(["codec", "model", "mutant"]) {
        assert!(fuzz().join(format!("fuzz_targets/{name}.rs")).exists(), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
