//! Notes about rows that were read: those of the readers, and rows that were passed over.

use std::collections::BTreeSet;
use surefoot_fit::BadRows;
use surefoot_glm::shards::Partial;

/// Greatest number of rows at fault whose error messages are shown.
const SHOWN: usize = 3;

/// Numbers of rows and of those at fault that were passed over, with the error messages of the first few, and the notes of the readers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub(crate) rows: u64,
    pub(crate) passed: u64,
    pub(crate) first: Vec<String>,
    pub(crate) notes: Vec<String>,
}

impl Told {
    /// Returns what is told of rows of which `bad_rows` were passed over.
    pub(crate) fn of(bad_rows: &BadRows, notes: Vec<String>) -> Told {
        let first = bad_rows.first().iter().map(ToString::to_string).collect();
        Told { rows: 0, passed: bad_rows.count(), first, notes }
    }

    /// Passes over a row at fault.
    pub(crate) fn pass_over(&mut self, error: &surefoot_io::Error) {
        self.passed += 1;
        if self.first.len() < SHOWN {
            self.first.push(error.to_string());
        }
    }

    /// Returns the partial result of a shard of this number. Texts begin with their places, so that they stay in the order of the rows.
    pub(crate) fn partial(&self, shard: usize) -> Partial {
        let numbered = |kind: char, texts: &[String]| -> Vec<String> {
            texts.iter().enumerate().map(|(k, text)| format!("{kind}{shard:05} {k:03} {text}")).collect()
        };
        Partial {
            sums: vec![self.rows as f64, self.passed as f64],
            texts: numbered('n', &self.notes).into_iter().chain(numbered('r', &self.first)).collect(),
            ..Partial::default()
        }
    }

    /// Returns what is told of the rows of all shards, from their joined partial results.
    pub(crate) fn of_partial(total: &Partial) -> Told {
        let sum = |k: usize| total.sums.get(k).map_or(0, |sum| *sum as u64);
        let first = of_kind('r', &total.texts).take(SHOWN).map(str::to_owned).collect();
        let mut told = Told { rows: sum(0), passed: sum(1), first, notes: Vec::new() };
        for note in of_kind('n', &total.texts) {
            if !told.notes.iter().any(|known| known == note) {
                told.notes.push(note.to_owned());
            }
        }
        told
    }
}

/// Returns the texts of a kind, without their places.
fn of_kind(kind: char, texts: &BTreeSet<String>) -> impl Iterator<Item = &str> {
    texts.iter().filter_map(move |text| text.strip_prefix(kind)?.splitn(3, ' ').nth(2))
}
