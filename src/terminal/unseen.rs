//! Counts features that did not occur in training, and reports new category values and missing cells by column.

use super::warnings::Warning;
use crate::words::number;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use surefoot_glm::{
    FeatureNames, Missing, Model, Row,
    shards::{Keyed, Partial},
};
use surefoot_io::{Cell, CellIndex, Inferred, printable};

/// Greatest number of distinct feature ids that the counter stores, to limit its memory.
const MOST: usize = 1 << 20;
/// Greatest number of new values per column that are shown as examples.
const EXAMPLES: usize = 3;
const COLUMNS: usize = 5;

/// Counter of features that did not occur in training, updated with each row to be predicted.
#[derive(Debug)]
pub(crate) struct Unseen<'a> {
    model: &'a Model,
    index: CellIndex,
    /// Unseen feature ids found so far. If the feature is a category value or a missing cell: the index of its column, and whether the
    /// cell is missing; otherwise `None`.
    met: HashMap<u64, Option<(usize, bool)>>,
    /// Whether more than [`MOST`] distinct ids occurred, so that counts are incomplete.
    is_full: bool,
    /// Whether an id without a known name occurred: since it may be a value of any categorical column, the counts by column may be too
    /// low.
    is_unsure: bool,
    rows: u64,
    columns: BTreeMap<usize, Met>,
    /// Ids and names known before the rows to be predicted were read; `None` if ids are not shortened by `--bits`. With shortened ids a
    /// new value may get the id of a known one, and is recognised only by its name.
    before: Option<HashSet<(u64, Box<str>)>>,
}

/// Counts of the rows with new category values and of the missing cells of one column.
#[derive(Clone, Debug, Default)]
struct Met {
    rows: u64,
    /// Number of the last row with a new value in this column, so that a row whose cell lists several new values is counted once.
    last: u64,
    examples: Vec<String>,
    gaps: u64,
}

impl<'a> Unseen<'a> {
    /// Creates an empty counter for rows to be predicted by this model.
    pub(crate) fn new(model: &'a Model, found: &Inferred) -> Unseen<'a> {
        let reading = &model.settings.reading;
        let before = reading.bits.filter(|_| !reading.table.is_unknown()).map(|_| {
            let mut names = HashSet::new();
            found.each_name(|id, name| _ = names.insert((id, name.into())));
            names
        });
        let (met, columns, index) = (HashMap::new(), BTreeMap::new(), CellIndex::new(reading));
        Unseen { model, index, met, is_full: false, is_unsure: false, rows: 0, columns, before }
    }

    /// Adds the unseen features of a row to the counts; `unseen` is their number, and `knows` tells whether the model has a weight for a
    /// feature id.
    pub(crate) fn add(&mut self, row: &Row<'_>, unseen: usize, knows: impl Fn(u64) -> bool, found: &Inferred) {
        self.rows += 1;
        if unseen == 0 {
            return;
        }
        for &id in row.index.iter().filter(|&&id| !knows(id)) {
            match self.met.get(&id) {
                Some(Some((n, is_gap))) => self.columns.entry(*n).or_default().count(*is_gap, self.rows),
                Some(None) => {}
                None => self.meet(id, found),
            }
        }
    }

    /// Determines the column and the kind of an unseen id, and counts it. Called at its first occurrence, or at every one once no more ids
    /// can be stored.
    fn meet(&mut self, id: u64, found: &Inferred) {
        let names = match self.model.settings.reading.table.is_unknown() {
            true => FeatureNames::default(),
            false => found.names(&[id]),
        };
        let cell = self.index.cell(id, &names).filter(|(_, cell)| *cell != Cell::Number);
        self.is_full |= self.met.len() >= MOST;
        if !self.is_full {
            self.met.insert(id, cell.map(|(n, cell)| (n, cell == Cell::Missing)));
        }
        let Some((n, cell)) = cell else {
            // Every feature of a table has a name up to the limit of stored names.
            self.is_unsure |= names.of(id).is_none();
            return;
        };
        let column = self.columns.entry(n).or_default();
        column.count(cell == Cell::Missing, self.rows);
        if let (Cell::Value(value), false) = (cell, self.is_full)
            && column.examples.len() < EXAMPLES
        {
            column.examples.push(CellIndex::text(value));
        }
    }

    /// Returns the counts over all rows added.
    pub(crate) fn summary(&self, found: &Inferred) -> UnseenSummary {
        UnseenSummary::of(&self.partial(0, found), self.model)
    }

    /// Returns the counts over all rows added as the partial result of a shard of this number. Features are told apart by their ids, so that
    /// a value which several shards have counts once.
    pub(crate) fn partial(&self, shard: usize, found: &Inferred) -> Partial {
        let columns = &self.model.settings.reading.table.columns;
        let of_column = |n| self.columns.get(&n).map_or([0.0; 2], |met| [met.rows as f64, met.gaps as f64]);
        let is_list = columns.iter().map(|column| f64::from(found.holds_lists(&column.name)));
        let mut ids: Vec<u64> = self.met.keys().copied().collect();
        ids.sort_unstable();
        let kinds = ids.iter().map(|id| kind(self.met.get(id).copied().flatten())).collect();
        let examples = self.columns.iter().flat_map(|(n, met)| {
            met.examples.iter().enumerate().map(move |(k, text)| format!("{EXAMPLE}{shard:05} {k} {n} {text}"))
        });
        Partial {
            sums: [self.rows as f64].into_iter().chain((0..columns.len()).flat_map(of_column)).collect(),
            maxima: [self.is_full, self.is_unsure].map(f64::from).into_iter().chain(is_list).collect(),
            keyed: Keyed { ids, maxima: kinds, ..Keyed::default() },
            texts: examples.chain(self.hidden(found)).collect(),
            ..Partial::default()
        }
    }

    /// Returns the new category values whose hashed ids may equal those of known values, so that only their names are new.
    fn hidden(&self, found: &Inferred) -> Vec<String> {
        let mut texts = Vec::new();
        let Some(before) = &self.before else { return texts };
        found.each_name(|id, name| {
            if !before.contains(&(id, name.into()))
                && let Some((n, value)) = self.index.category(name)
            {
                texts.push(format!("{HIDDEN}{n} {value}"));
            }
        });
        texts
    }
}

/// First letter of a text of a partial result: an example of a new value, with its shard, its place and its column.
const EXAMPLE: char = 'e';
/// First letter of a text of a partial result: a new value that only its name tells, with its column.
const HIDDEN: char = 'h';

/// Returns what an unseen feature is as one number: negative for neither a category value nor a missing cell, else twice the number of its
/// column, and 1 more for a missing cell.
fn kind(cell: Option<(usize, bool)>) -> f64 {
    cell.map_or(-1.0, |(n, is_gap)| (2 * n + usize::from(is_gap)) as f64)
}

impl Met {
    /// Counts a missing cell, or a row with new values (at most once); `row` is its number, from 1.
    fn count(&mut self, is_gap: bool, row: u64) {
        if is_gap {
            self.gaps += 1;
        } else if self.last != row {
            self.last = row;
            self.rows += 1;
        }
    }
}

/// Counts of the new category values and missing cells of one column.
#[derive(Clone, Debug, Default)]
struct Column {
    rows: u64,
    values: u64,
    examples: Vec<String>,
    gaps: u64,
}

/// Counts of category values and missing cells that did not occur in training, by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnseenSummary {
    rows: u64,
    /// Whether there may be more new category values than were counted.
    at_least: bool,
    missing: Missing,
    columns: Vec<(String, Column)>,
    features: Features,
}

/// Number of features of all kinds that did not occur in training.
#[derive(Clone, Copy, Debug, Default)]
struct Features {
    count: u64,
    /// Whether the true number may be larger than [`Features::count`].
    at_least: bool,
}

impl UnseenSummary {
    /// Returns the counts over all rows, of one process or of all shards, from their [partial results](Unseen::partial).
    pub(crate) fn of(total: &Partial, model: &Model) -> UnseenSummary {
        let reading = &model.settings.reading;
        let table = &reading.table;
        let sum = |k: usize| total.sums.get(k).map_or(0, |sum| *sum as u64);
        let is_set = |k: usize| total.maxima.get(k).is_some_and(|flag| *flag > 0.0);
        let column = |n: usize| Column { rows: sum(1 + 2 * n), gaps: sum(2 + 2 * n), ..Column::default() };
        let mut columns: Vec<Column> = (0..table.columns.len()).map(column).collect();
        for kind in total.keyed.maxima.iter().filter(|kind| **kind >= 0.0 && **kind % 2.0 == 0.0) {
            columns.get_mut(*kind as usize / 2).into_iter().for_each(|column| column.values += 1);
        }
        let rows = sum(0);
        add_texts(&mut columns, &total.texts, rows, |n| is_set(2 + n));
        let met = total.keyed.ids.len();
        let (is_full, is_hashed) = (is_set(0) || met > MOST, reading.bits.is_some() && !table.is_unknown());
        let columns = table.columns.iter().map(|column| column.name.clone()).zip(columns);
        UnseenSummary {
            rows,
            at_least: is_full || is_set(1) || is_hashed,
            missing: table.missing,
            columns: columns.collect(),
            features: Features { count: met.min(MOST) as u64, at_least: is_full },
        }
    }

    /// Returns the note that features did not occur in training and are treated as 0; `None` if there are none.
    pub(crate) fn features(&self) -> Option<String> {
        let Features { count, at_least } = self.features;
        let (at_least, s) = (if at_least { "at least " } else { "" }, if count == 1 { "" } else { "s" });
        (count > 0).then(|| format!("{at_least}{count} feature{s} of these rows never seen in training: taken as 0"))
    }

    fn with_values(&self) -> impl Iterator<Item = &(String, Column)> {
        self.columns.iter().filter(|(_, column)| column.rows > 0)
    }

    fn with_gaps(&self) -> impl Iterator<Item = &(String, Column)> {
        self.columns.iter().filter(|(_, column)| column.gaps > 0)
    }

    /// Returns one note per column with new category values, for the first few columns.
    pub(crate) fn notes(&self) -> Vec<String> {
        let line = |(name, column): &(String, Column)| {
            let at_least = if self.at_least { "at least " } else { "" };
            let examples: Vec<_> = column.examples.iter().map(|text| format!("'{}'", shown(text))).collect();
            let examples = if examples.is_empty() { String::new() } else { format!(", e.g. {}", examples.join(", ")) };
            let (hold, s) =
                (if column.rows == 1 { "holds" } else { "hold" }, if column.values == 1 { "" } else { "s" });
            format!(
                "column '{}': {at_least}{} of {} {hold} {at_least}{} value{s} never seen in training{examples}",
                shown(name),
                number::count(column.rows),
                number::rows(self.rows),
                number::count(column.values),
            )
        };
        let mut lines: Vec<_> = self.with_values().take(COLUMNS).map(line).collect();
        let others = self.with_values().count().saturating_sub(COLUMNS);
        if others > 0 {
            lines.push(format!("{others} other columns hold values never seen in training; --json lists them"));
        }
        lines
    }

    /// Returns the warning about columns with missing cells that had none in training; `None` if there are none.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let columns: Vec<String> = self.with_gaps().map(|(name, _)| name.clone()).collect();
        let (name, column) = self.with_gaps().next()?;
        let others = match columns.len() - 1 {
            0 => String::new(),
            1 => " (and 1 other)".to_owned(),
            others => format!(" (and {others} others)"),
        };
        let means = match self.missing {
            Missing::Mean => "its mean there is taken",
            _ => {
                "such a number counts as 0, which may be far from all others; a model of fit --missing mean takes the mean of \
                 the column"
            }
        };
        let message = format!(
            "column '{}'{others} is missing in {} of {} and was in none of training: {means}",
            shown(name),
            number::count(column.gaps),
            number::rows(self.rows)
        );
        Some(Warning { columns, ..Warning::new("unseen_gaps", message) })
    }

    /// Returns the columns with new category values as JSON.
    pub(crate) fn values_object(&self) -> Value {
        let object = |(name, column): &(String, Column)| {
            let Column { rows, values, examples, .. } = column;
            json!({"column": name, "rows": rows, "values": values, "at_least": self.at_least, "examples": examples})
        };
        self.with_values().map(object).collect()
    }

    /// Returns the columns that have missing cells but had none in training, as JSON.
    pub(crate) fn gaps_object(&self) -> Value {
        self.with_gaps().map(|(name, column)| json!({"column": name, "rows": column.gaps})).collect()
    }
}

/// Adds the examples to the columns, and the values that only names tell: the number of rows with these is unknown, since each may be in a
/// row of its own, or a list may contain them all.
fn add_texts(columns: &mut [Column], texts: &BTreeSet<String>, rows: u64, is_list: impl Fn(usize) -> bool) {
    let mut hidden = BTreeMap::<usize, BTreeSet<&str>>::new();
    for text in texts {
        if let Some(rest) = text.strip_prefix(HIDDEN) {
            if let Some((n, value)) = rest.split_once(' ') {
                hidden.entry(n.parse().unwrap_or(usize::MAX)).or_default().insert(value);
            }
        } else if let Some([_, _, n, example]) = text.splitn(4, ' ').collect::<Vec<_>>().first_chunk::<4>()
            && let Some(column) = n.parse().ok().and_then(|n: usize| columns.get_mut(n))
            && column.examples.len() < EXAMPLES
            && !column.examples.iter().any(|known| known == example)
        {
            column.examples.push((*example).to_owned());
        }
    }
    for (n, values) in hidden {
        let Some(column) = columns.get_mut(n) else { continue };
        column.values = column.values.max(values.len() as u64);
        column.rows = column.rows.max(if is_list(n) { 1 } else { column.values.min(rows) });
        column.examples = values.iter().take(EXAMPLES).map(|value| CellIndex::text(value)).collect();
    }
}

/// Returns a name or value for display: unprintable characters escaped, cut to 40 characters.
fn shown(text: &str) -> String {
    const WIDE: usize = 40;
    let text = printable(text);
    let cut = text.char_indices().nth(WIDE).map_or(text.len(), |(at, _)| at);
    if cut < text.len() { format!("{}...", &text[..cut]) } else { text.into_owned() }
}
