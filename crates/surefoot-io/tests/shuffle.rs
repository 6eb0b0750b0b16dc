//! Tests of shuffled rows: their order, and that it does not depend on whether rows are in memory or in the temporary
//! file.

mod common;

use std::collections::BTreeSet;

use common::{Pieces, Plain, reader, rows};
use proptest::prelude::*;
use surefoot_glm::Batch;
use surefoot_io::{Options, Reader, RowSource, Shuffle, ShuffleOrder};

/// Returns the numbers of `count` rows, from 0, in the given order.
fn permutation(order: ShuffleOrder, count: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    numbers.sort_by_key(|&number| (order.key(number), number));
    numbers
}

/// Returns an svmlight text of `count` rows with 0 to 4 nonzeros each.
fn text(count: usize) -> String {
    let row =
        |n: usize| format!("{} {}\n", n % 7, (0..n % 5).map(|j| format!("{}:{n} ", n + j + 1)).collect::<String>());
    (0..count).map(row).collect()
}

proptest! {
    #[test]
    fn rows_come_in_the_order_of_their_keys_wherever_they_are_kept(
        count in 0..400usize,
        seed: u64,
        passes in proptest::collection::vec(1..9u32, 1..4),
        limit in prop_oneof![0..200usize, 0..20_000usize, Just(1 << 30)],
        piece in 1..5000usize,
        with_text: bool,
    ) {
        let text = text(count);
        let (plain, _) = rows(&mut reader(&text, Options::default()));
        let pieces = Pieces::new(text.as_bytes(), &[piece]);
        let shuffle = Shuffle::new(Reader::with_reader("f.svm", pieces, Options::default()).unwrap(), limit, with_text);
        for pass in passes {
            let order = ShuffleOrder { seed, pass };
            let expected: Vec<Plain> =
                permutation(order, count as u64).iter().map(|&number| plain[number as usize].clone()).collect();
            let (found, errors) = rows(&mut shuffle.rows(order));
            prop_assert!(errors.is_empty());
            prop_assert_eq!(found, expected);
            prop_assert_eq!(shuffle.whole().unwrap().0, count as u64);
            prop_assert_eq!(shuffle.share(), if count > 0 { 1.0 } else { 0.0 });
        }
        prop_assert!(shuffle.spilled() > 0 || limit >= 200 || count < 20);
        prop_assert!(shuffle.spilled() == 0 || limit < 1 << 30);
    }
}

/// Tests that the sort keys of shuffled rows never change, because another order gives another model. The expected keys
/// were computed with another implementation of the hash.
#[test]
fn keys_are_what_they_were() {
    let key = |seed, pass, row| ShuffleOrder { seed, pass }.key(row);
    let keys = [key(0, 1, 0), key(0, 1, 1), key(0, 2, 0), key(1, 1, 0), key(u64::MAX, u32::MAX, u64::MAX)];
    let expected =
        [3327442458033685777, 16365501754437783526, 14051204382930882193, 4794959574364252366, 7239917422925596922];
    assert_eq!(keys, expected);
}

#[test]
fn places_in_an_order_are_uniform() {
    const ROWS: u64 = 20;
    const ORDERS: u32 = 4000;
    let mut counts = [[0.0_f64; ROWS as usize]; ROWS as usize];
    let mut firsts = BTreeSet::new();
    for k in 0..ORDERS {
        // Seeds and passes, which people count from 0 and 1.
        let order = ShuffleOrder { seed: u64::from(k / 40), pass: 1 + k % 40 };
        let numbers = permutation(order, ROWS);
        firsts.insert(numbers[..4].to_vec());
        numbers.iter().enumerate().for_each(|(place, &number)| counts[number as usize][place] += 1.0);
    }
    let expected = f64::from(ORDERS) / ROWS as f64;
    let squares: f64 = counts.iter().flatten().map(|count| (count - expected).powi(2) / expected).sum();
    // (20 − 1)² degrees of freedom: mean 361, standard deviation 27.
    assert!((squares - 361.0).abs() < 4.0 * 27.0, "{squares}");
    // 4000 draws of 116,280 beginnings: 3932 different ones are expected.
    assert!(firsts.len() > 3880, "{}", firsts.len());
}

#[test]
fn orders_have_nothing_to_do_with_each_other() {
    const ROWS: u64 = 2000;
    let places = |order: ShuffleOrder| {
        let mut places = vec![0.0; ROWS as usize];
        permutation(order, ROWS).iter().enumerate().for_each(|(place, &number)| places[number as usize] = place as f64);
        places
    };
    // Spearman's correlation: its standard deviation is 1/√(n − 1) for unrelated orders.
    let correlation = |a: &[f64], b: &[f64]| {
        let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
        let n = ROWS as f64;
        (1.0 - 6.0 * squares / (n * (n * n - 1.0))) * (n - 1.0).sqrt()
    };
    let mut orders = vec![(0..ROWS).map(|row| row as f64).collect::<Vec<_>>()];
    orders.extend((0..6).flat_map(|seed| (1..5).map(move |pass| ShuffleOrder { seed, pass })).map(places));
    let pairs = orders.iter().enumerate().flat_map(|(i, a)| orders[..i].iter().map(move |b| (a, b)));
    let all: Vec<f64> = pairs.map(|(a, b)| correlation(a, b)).collect();
    assert_eq!(all.len(), 300);
    assert!(all.iter().all(|z| z.abs() < 4.0), "{all:?}");
    let mean_square = all.iter().map(|z| z * z).sum::<f64>() / 300.0;
    // Of 300 squares with mean 1 and variance 2.
    assert!((mean_square - 1.0).abs() < 4.0 * (2.0_f64 / 300.0).sqrt(), "{mean_square}");
    // Neighbours do not stay together.
    let pairs = |order: &[u64]| order.windows(2).filter(|two| two[0].abs_diff(two[1]) == 1).count();
    let kept: usize = (0..50).map(|seed| pairs(&permutation(ShuffleOrder { seed, pass: 1 }, ROWS))).sum();
    // Two a permutation in the mean, with a variance of two.
    assert!((kept as f64 - 100.0).abs() < 4.0 * 10.0, "{kept}");
}

#[test]
fn rows_at_fault_are_said_before_the_first_row_comes() {
    let shuffle = Shuffle::new(reader("1 1:1\n1 1:x\n0 1:2\n1 2:y\n1 1:3\n", Options::default()), 0, false);
    let (found, errors) = rows(&mut shuffle.rows(ShuffleOrder { seed: 0, pass: 1 }));
    let mut lines: Vec<u64> = found.iter().map(|row| row.1).collect();
    lines.sort_unstable();
    assert_eq!(lines, [1, 3, 5]);
    let errors: Vec<_> = errors.iter().map(|(before, error)| (*before, error.to_string())).collect();
    assert_eq!(errors.iter().map(|error| error.0).collect::<Vec<_>>(), [0, 0]);
    assert!(errors[0].1.starts_with("f.svm:2:3: '1:x'") && errors[1].1.starts_with("f.svm:4:3: '2:y'"), "{errors:?}");
}

#[test]
fn a_source_that_cannot_be_read_on_gives_no_row() {
    let shuffle = Shuffle::new(reader(b"\xff\xfe1\0", Options::default()), 1 << 20, false);
    let mut batch = Batch::default();
    assert!(shuffle.rows(ShuffleOrder { seed: 0, pass: 1 }).read(&mut batch).is_err());
    assert_eq!(shuffle.whole(), None);
}

#[test]
fn positions_are_those_of_rows_of_positive_weight() {
    let text = "1 0 | a\n1 1 | b\n| c\n-1 2.5 | d\n1 | e\n";
    let options = Options { format: surefoot_io::Format::named("vw"), ..Options::default() };
    let shuffle = Shuffle::new(reader(text, options), 0, false);
    let (mut source, mut batch) = (shuffle.rows(ShuffleOrder { seed: 3, pass: 2 }), Batch::default());
    let mut found = BTreeSet::new();
    while source.read(&mut batch).unwrap() {
        (0..batch.len()).for_each(|r| _ = found.insert((batch.place[r].line, batch.row(r).position)));
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(1, 0), (2, 1), (3, 0), (4, 2), (5, 3)]);
}
