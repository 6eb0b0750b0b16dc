//! Tests that every backend reads lines exactly like the plain reader: equal rows, bit for bit, and equal errors.

use proptest::prelude::*;
use surefoot_glm::Batch;

use super::{Svmlight, backend::Backend, plain, rules::Rules};
use crate::table::options::Options;

/// Result of reading a line. On success: the bits of the label (`None` if the line has none), and the index and value bits of each
/// pair. On error: column and message.
type Read = Result<(Option<u64>, Vec<(u64, u64)>), (u64, String)>;

/// Reads a text with `backend`; returns each row or error, with its line number.
fn read(lines: &[u8], options: &Options, backend: Backend) -> Vec<(u64, Read)> {
    let (mut parser, mut batch) = (Svmlight::new(options), Batch::default());
    parser.backend = backend;
    let mut all = Vec::new();
    let mut read = parser.push(lines, &mut batch);
    while let Err(fault) = read {
        all.push((fault.line, Err((fault.column, fault.message))));
        read = parser.push(b"", &mut batch);
    }
    all.extend((0..batch.len()).map(|r| {
        let row = batch.row(r);
        let pairs = row.index.iter().copied().zip(row.value.iter().map(|value| value.to_bits())).collect();
        (batch.place[r].line, Ok((row.label.map(f64::to_bits), pairs)))
    }));
    all.sort_by_key(|read| read.0);
    all
}

/// Reads a text with the plain reader only; returns each row or error, with its line number.
fn read_plainly(lines: &[u8], options: &Options) -> Vec<(u64, Read)> {
    let rules = Rules::new(options);
    let lines = lines.strip_suffix(b"\n").expect("a line break at the end").split(|&byte| byte == b'\n');
    let rows = (1..).zip(lines).filter_map(|(n, line)| match plain::row(line, &rules) {
        Ok(None) => None,
        Ok(Some(mut row)) => {
            row.pairs.sort_by_key(|pair| pair.0);
            let pairs = row.pairs.iter().map(|pair| (pair.0, pair.1.to_bits())).collect();
            Some((n, Ok((row.label.map(f64::to_bits), pairs))))
        }
        Err(wrong) => Some((n, Err((wrong.at as u64 + 1, wrong.message)))),
    });
    rows.collect()
}

fn check(lines: &[u8], options: &Options) -> Result<(), TestCaseError> {
    let expected = read_plainly(lines, options);
    for backend in Backend::all() {
        prop_assert_eq!(&read(lines, options, backend), &expected, "{:?} {}", backend, lines.escape_ascii());
    }
    Ok(())
}

/// Generates numbers, malformed numbers and fragments of numbers, as text.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,9})?",
        4 => "-?[0-9]{0,8}\\.?[0-9]{0,8}",
        1 => "[0-9]{14,18}",
        1 => "[-+]?[0-9]{0,3}\\.?[0-9]{0,20}([eE][-+]?[0-9]{0,3})?",
        1 => "[-+.e/0-9:]{0,6}",
    ]
}

/// Generates svmlight lines: mostly rows, some of them with unusual blanks, tokens or line ends, the others plain except for at most
/// one position.
fn line() -> impl Strategy<Value = String> {
    let blank =
        |plain| prop_oneof![plain => Just(" "), 1 => Just("  "), 1 => Just("\t"), 1 => Just(" \t "), 1 => Just("\r")];
    let index = prop_oneof![8 => "[1-9][0-9]{0,7}", 1 => "[0-9]{1,20}", 1 => number()];
    let pair = (index, number(), blank(12)).prop_map(|(index, value, blank)| format!("{blank}{index}:{value}"));
    let usual = ("[1-9][0-9]{0,7}", "-?[0-9]{0,3}(\\.[0-9]{0,4}|[0-9])", blank(500));
    let usual = usual.prop_map(|(index, value, blank)| format!("{blank}{index}:{value}"));
    let pairs = prop_oneof![prop::collection::vec(pair, 0..12), prop::collection::vec(usual, 0..30)];
    let label = prop_oneof![8 => "[-+]?1", 1 => number(), 1 => Just(" 2 qid:7".to_owned()), 1 => Just(String::new())];
    let end = prop::sample::select(vec!["", "", "", "\r", " ", "#x 1:1", " # 3:-", "\t\r", "\r\r", " qid:1", " 5"]);
    (label, pairs, end).prop_map(|(label, pairs, end)| format!("{label}{}{end}", pairs.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_read_fast_are_those_read_plainly(lines in prop::collection::vec(line(), 1..20)) {
        check((lines.join("\n") + "\n").as_bytes(), &Options::default())?;
    }
}

/// Rows in plain notation (short decimal numbers without exponent), short and long, some at its limits.
const ROWS: [&str; 7] = [
    "1 11:1 2:-2.5 333:.25 4444:4. 5:-0.1234567 66666666:12345678 7:0 88:-0\n",
    "1 99999999:99999999 99999998:-.99999999 1:-99999999. 2:-9999.9999 3:-0.0\n",
    "-1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:1 11:1 12:1 13:1\n",
    "0 1:123456789 2:0.00000001 3:0.123456789 123456789:1 4294967295:1 5:-.5\n",
    "0 4294967296:1 18446744073709551615:-2.5 12345678901:7 1:2 18446744073709551614:.5\n",
    "1 7:0.0498 42376:0.0706\n",
    "1 1:1\n",
];

#[test]
fn one_byte_may_be_any() {
    for row in ROWS {
        for at in 0..row.len() - 1 {
            for byte in b"0 9.-/:+e#\t\r\n,\0\x80\xff".iter().copied() {
                let mut odd = [row, row].concat().into_bytes();
                odd[at] = byte;
                check(&odd, &Options::default()).unwrap();
                odd.remove(at);
                check(&odd, &Options::default()).unwrap();
            }
        }
    }
}

#[test]
fn numbers_are_the_same_however_long_and_wherever_the_point_is() {
    for (sign, length) in ["", "-", "--"].into_iter().flat_map(|sign| (0..=20).map(move |length| (sign, length))) {
        let digits = &"98765432109876543210"[..length];
        for (before, behind) in (0..=length).map(|point| digits.split_at(point)) {
            for number in
                [format!("{sign}{before}.{behind}"), format!("{sign}{digits}"), format!("{sign}{before}..{behind}")]
            {
                for place in 0..4 {
                    let pairs: String =
                        (0..4).map(|p| format!(" {}:{}", p + 1, if p == place { &number } else { "0.5" })).collect();
                    check(format!("1{pairs}\n1 5:6{pairs} 7:1\n").as_bytes(), &Options::default()).unwrap();
                    let pairs: String =
                        (0..4).map(|p| format!(" {}:1.5", if p == place { &*number } else { "3" })).collect();
                    check(format!("1{pairs}\n").as_bytes(), &Options::default()).unwrap();
                }
            }
        }
    }
}

#[test]
fn rows_of_any_length_stand_anywhere() {
    let pair = |i: usize| {
        format!(" {}:{}", i + 1, ["0.25", "-1", "3.5", "0.1234567", "0.123456789012"][i * 7 % (4 + i / 97 % 2)])
    };
    for count in (0..40).chain([200, 255, 256, 257, 600, 5000]) {
        let row = format!("1{}", (0..count).map(pair).collect::<String>());
        for before in ["", "#", "# comment of some length\n", "\n\n"] {
            check(format!("{before}{row}\n{row}\r\n{row} # end\n{row}\n").as_bytes(), &Options::default()).unwrap();
        }
    }
    for blank in [" ", "\t", ":", " :", "\r", "-", ".", "#"] {
        check(format!("1 1:1{}2:2 3:3\n1 1:1 \n", blank.repeat(200)).as_bytes(), &Options::default()).unwrap();
    }
}

#[test]
fn indices_are_legal_or_not_whatever_the_options() {
    for (index_base, unlabelled) in [(0, false), (1, false), (0, true), (1, true)] {
        let mut options = Options { unlabelled, ..Options::default() };
        options.reading.index_base = index_base;
        for odd in [0, 1, 99_999_999, 100_000_000, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            for place in 0..4 {
                let pairs: String = (0..4).map(|p| format!(" {}:1.5", if p == place { odd } else { 5 + p })).collect();
                check(format!("1{pairs}\n1 2:2{pairs} 3:3\n").as_bytes(), &options).unwrap();
            }
        }
    }
}
