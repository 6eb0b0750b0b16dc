//! Properties of the data that readers infer and that all readers of a command share.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use surefoot_glm::{Class, FeatureKey, FeatureNames, Schema, TableSchema};

use super::{dialect::Dialect, folder_key::FolderKey, format::Format, inferred_schema::InferredSchema};
use crate::ids::{hyperloglog::HyperLogLog, id_map::IdMap};

/// Properties of the data that readers infer and that are stored in a model. All readers that one command uses share them.
#[derive(Debug, Default)]
pub struct Inferred {
    /// Columns of the table, with their roles; set once they are determined.
    pub(crate) table: OnceLock<TableSchema>,
    /// Format of the first input.
    format: OnceLock<&'static Format>,
    /// How features are identified (by index, name or column), set by a model or the first input.
    by: OnceLock<FeatureKey>,
    /// Whether `table` was taken from a model rather than inferred from the data.
    pub(crate) of_model: bool,
    /// Columns from the names of folders; set if they were determined from more inputs than those that are read.
    folder_keys: OnceLock<Vec<FolderKey>>,
    /// Names of columns that were inferred to be categorical from the first rows; in them, a number in a later row is an error.
    pub(crate) open: OnceLock<HashSet<String>>,
    /// Delimiter, quote character and header of the first text table.
    head: OnceLock<Head>,
    /// Whether labels are text (class names) rather than numbers; set when the first label is read.
    pub(crate) text_labels: OnceLock<bool>,
    /// Whether the loss supports more than two classes of labels.
    pub(crate) many_classes: bool,
    /// Whether some reader already counts missing cells, so that others, which read the same rows again, must not.
    counted: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    classes: Vec<Class>,
    names: IdMap<Box<str>>,
    /// Ids and names of further features whose id, hashed to few bits, is already that of a named feature.
    shared: BTreeSet<(u64, Box<str>)>,
    /// Total length of all feature names in bytes.
    name_bytes: usize,
    missing: BTreeMap<String, u64>,
    /// Names of categorical columns in which a cell may hold several values (a list).
    lists: BTreeSet<String>,
    /// Distinct combinations of dialect (delimiter and quotes) and column order among the text files read.
    layouts: Vec<(Dialect, Arc<ColumnOrder>)>,
    distinct: Option<HyperLogLog>,
    notes: Vec<String>,
    /// Namespaces and svmlight indices that the user named and that occur in some row.
    met: BTreeSet<String>,
    /// Format of each opened input, by the name of the input.
    formats: HashMap<String, &'static Format>,
}

/// Delimiter, quote character and header of a text table, as inferred from its first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Delimiter of the cells; a blank stands for any run of blanks and tabs.
    pub delimiter: u8,
    /// Quote character; `None` if cells are never quoted.
    pub quote: Option<u8>,
    /// Whether the first line is a header (column names).
    pub is_header: bool,
    /// Whether `is_header` is certain: given by the user or clear from the data.
    pub is_sure: bool,
    /// Number of columns.
    pub width: usize,
}

/// Order of the columns in a file: for each of them its number (from 0) in the table schema; `None` if the schema has no such column.
pub(crate) type ColumnOrder = Vec<Option<usize>>;

impl Inferred {
    /// Maximum number of notes (messages to the user that are not errors) that are kept; later ones are discarded.
    pub const NOTES: usize = 100;
    /// Maximum number of distinct label texts if the loss allows only two classes; more than two because invalid rows may contribute some.
    const SPARE_CLASSES: usize = 64;

    /// Builds the properties known from a model, from its schema and feature names, to predict with it or to continue its training.
    #[must_use]
    pub fn of_model(reading: &Schema, names: &FeatureNames) -> Inferred {
        let found = Inferred { of_model: true, ..Inferred::default() };
        let _ = found.by.set(reading.by);
        if !reading.table.is_unknown() {
            let _ = found.table.set(reading.table.clone());
            let _ = found.text_labels.set(!reading.classes.is_empty());
        }
        found.lock().classes.clone_from(&reading.classes);
        found.lock().classes.sort_by(|a, b| a.text.cmp(&b.text));
        names.iter().for_each(|(id, name)| _ = found.name(id, name));
        found
    }

    /// Builds the properties that an inferred schema holds, to read other inputs, or parts of the same, like those that it was inferred
    /// from. `format` is the format that the schema names.
    pub(crate) fn of_schema(known: &InferredSchema, format: Option<&'static Format>) -> Inferred {
        let found = Inferred::default();
        let _ = found.by.set(known.schema.by);
        if let Some(format) = format {
            let _ = found.format.set(format);
        }
        if !known.schema.table.is_unknown() {
            let _ = found.table.set(known.schema.table.clone());
        }
        let _ = found.open.set(known.open.iter().cloned().collect());
        if let Some(text) = known.text_labels {
            let _ = found.text_labels.set(text);
        }
        let _ = found.folder_keys.set(known.folder_keys.clone());
        found.lock().classes.clone_from(&known.schema.classes);
        found
    }

    /// Returns the columns from the names of folders, if they were determined from more inputs than those that are read.
    pub(crate) fn folder_keys(&self) -> Option<&[FolderKey]> {
        self.folder_keys.get().map(Vec::as_slice)
    }

    /// Sets whether the loss supports more than two classes of labels.
    #[must_use]
    pub fn with_many_classes(self, many: bool) -> Inferred {
        Inferred { many_classes: many, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the format of the first input; `None` until it is determined.
    #[must_use]
    pub fn format(&self) -> Option<&'static Format> {
        self.format.get().copied()
    }

    /// Returns the columns of the table; `None` until they are determined.
    #[must_use]
    pub fn table(&self) -> Option<&TableSchema> {
        self.table.get()
    }

    /// Returns the number of missing cells that were counted in the first pass over the data, by column name.
    #[must_use]
    pub fn missing(&self) -> BTreeMap<String, u64> {
        self.lock().missing.clone()
    }

    /// Records that some row has features of a namespace, or of an svmlight index or range, that the user named.
    pub(crate) fn meet(&self, name: &str) {
        self.lock().met.insert(name.to_owned());
    }

    /// Whether some row had features of a namespace, or of an svmlight index or range of indices, that the user named. Only valid for names
    /// in [`Schema::keep`], [`Schema::ignore`] and [`Schema::interact`].
    #[must_use]
    pub fn has_met(&self, name: &str) -> bool {
        self.lock().met.contains(name)
    }

    /// Returns the notes about the data, that is, messages to the user that are not errors: at most [`Inferred::NOTES`], one line each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.lock().notes.clone()
    }

    /// Returns how features are identified, according to the model or, without one, the first input; `None` until it is determined.
    pub(crate) fn by(&self) -> Option<FeatureKey> {
        self.by.get().copied()
    }

    /// Records the format of the input `name`. If earlier inputs identify features in a different way (by index, name or column), returns
    /// their way; otherwise `None`.
    pub(crate) fn open(&self, name: &str, format: &'static Format) -> Option<FeatureKey> {
        let _ = self.format.set(format);
        self.lock().formats.insert(name.to_owned(), format);
        let by = *self.by.get_or_init(|| format.by);
        (by != format.by).then_some(by)
    }

    /// Returns the format of the input with this name; `None` if it was not opened yet.
    pub(crate) fn format_of(&self, name: &str) -> Option<&'static Format> {
        self.lock().formats.get(name).copied()
    }

    /// Whether a name is stored for the feature with this id (as stored in rows, that is, after hashing to fewer bits).
    pub(crate) fn knows(&self, id: u64) -> bool {
        self.lock().names.contains_key(&id)
    }

    /// Adds a note, that is, a message to the user that is not an error, unless the same note was added before.
    pub(crate) fn note(&self, note: String) {
        let notes = &mut self.lock().notes;
        if notes.len() < Inferred::NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Returns the names of the features with these ids, as far as they are stored.
    #[must_use]
    pub fn names(&self, index: &[u64]) -> FeatureNames {
        let kept = self.lock();
        let mut names = FeatureNames::default();
        for id in index {
            kept.names.get(id).iter().for_each(|name| _ = names.insert(*id, name));
            let shared = kept.shared.range((*id, Box::default())..).take_while(|(of, _)| of == id);
            shared.for_each(|(_, name)| _ = names.insert(*id, name));
        }
        names
    }

    /// Calls `show` with the id and name of every named feature, in arbitrary order.
    pub fn each_name(&self, mut show: impl FnMut(u64, &str)) {
        let kept = self.lock();
        kept.names.iter().for_each(|(id, name)| show(*id, name));
        kept.shared.iter().for_each(|(id, name)| show(*id, name));
    }

    /// Whether labels are text rather than numbers, according to the rows read so far.
    #[must_use]
    pub fn has_text_labels(&self) -> bool {
        !self.lock().classes.is_empty()
    }

    /// Returns the classes whose labels are text, sorted by text; empty if labels are numbers.
    #[must_use]
    pub fn classes(&self) -> Vec<Class> {
        self.lock().classes.clone()
    }

    /// Stores the name of the feature with this id. Returns `false` if the limits on the number and size of names are reached; no more
    /// names are then needed.
    pub(crate) fn name(&self, id: u64, name: &str) -> bool {
        let inner = &mut *self.lock();
        let count = inner.names.len() + inner.shared.len();
        if count >= FeatureNames::MOST || inner.name_bytes + name.len() > FeatureNames::MOST_BYTES {
            return false;
        }
        let known = inner.names.entry(id).or_insert_with(|| {
            inner.name_bytes += name.len();
            name.into()
        });
        if **known != *name && inner.shared.insert((id, name.into())) {
            inner.name_bytes += name.len();
        }
        true
    }

    /// Returns the number of distinct feature ids before hashing to fewer bits, over all inputs read to their end: exact up to 4096, then
    /// accurate to about 1 %. `None` if features are not hashed to fewer bits.
    #[must_use]
    pub fn distinct(&self) -> Option<u64> {
        self.lock().distinct.as_ref().map(HyperLogLog::count)
    }

    pub(crate) fn count_distinct(&self, distinct: &HyperLogLog) {
        self.lock().distinct.get_or_insert_default().merge(distinct);
    }

    /// Whether the calling reader should count missing cells: `true` only for the first reader that asks, because later ones read the same
    /// rows again.
    pub(crate) fn counts(&self) -> bool {
        !self.counted.swap(true, Ordering::Relaxed)
    }

    /// Stores the dialect (delimiter and quotes) and the column order of a text file, which are needed to locate errors detected later.
    pub(crate) fn lay_out(&self, dialect: Dialect, order: &Arc<ColumnOrder>) {
        let layouts = &mut self.lock().layouts;
        if !layouts.iter().any(|known| known.0 == dialect && known.1 == *order) {
            layouts.push((dialect, order.clone()));
        }
    }

    /// Returns the distinct combinations of dialect (delimiter and quotes) and column order of the text files read so far.
    pub(crate) fn layouts(&self) -> Vec<(Dialect, Arc<ColumnOrder>)> {
        self.lock().layouts.clone()
    }

    /// Returns delimiter, quote character and header of the first text table; `None` until they are determined.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.head.get().copied()
    }

    /// Stores delimiter, quote character and header of a text table, if it is the first one.
    pub(crate) fn tell_of_head(&self, head: Head) {
        let _ = self.head.set(head);
    }

    /// Records that cells of the categorical column with this name may hold several values.
    #[cfg(feature = "parquet")]
    pub(crate) fn tell_of_lists(&self, column: &str) {
        self.lock().lists.insert(column.to_owned());
    }

    /// Whether cells of the categorical column with this name may hold several values (lists).
    #[must_use]
    pub fn holds_lists(&self, column: &str) -> bool {
        self.lock().lists.contains(column)
    }

    /// Adds `cells` to the number of missing cells of a column.
    pub(crate) fn count_missing(&self, column: &str, cells: u64) {
        *self.lock().missing.entry(column.to_owned()).or_default() += cells;
    }

    /// Returns the numeric code of the class with this label text; a new text is assigned a code. Codes are ordered like the texts,
    /// whatever the order of rows: the first text gets 0, a text before or after all others gets 1 less or more than them, and a text
    /// between two gets the mean of their codes. The code is infinite, which no loss accepts as a class, if no number is left between two
    /// codes or there are too many texts for a loss of two classes.
    pub fn class(&self, text: &str) -> f64 {
        let classes = &mut self.lock().classes;
        let at = match classes.binary_search_by(|class| class.text.as_str().cmp(text)) {
            Ok(at) => return classes[at].code,
            Err(at) => at,
        };
        if !self.many_classes && classes.len() == Inferred::SPARE_CLASSES {
            return f64::INFINITY;
        }
        let below = at.checked_sub(1).map(|below| classes[below].code);
        let code = match (below, classes.get(at).map(|above| above.code)) {
            (None, None) => 0.0,
            (Some(below), None) => below + 1.0,
            (None, Some(above)) => above - 1.0,
            (Some(below), Some(above)) => {
                let mean = below + 0.5 * (above - below);
                if mean <= below || mean >= above {
                    return f64::INFINITY;
                }
                mean
            }
        };
        classes.insert(at, Class { text: text.to_owned(), code });
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_texts_are_in_their_order_whatever_the_order_of_rows() {
        let texts: Vec<String> = (0..200_u32).map(|k| (k.wrapping_mul(2_654_435_761) % 997).to_string()).collect();
        for step in [1, 7, 199] {
            let found = Inferred::default().with_many_classes(true);
            (0..200).for_each(|k| _ = found.class(&texts[k * step % 200]));
            let classes = found.classes();
            assert!(classes.is_sorted_by(|a, b| a.text < b.text && a.code < b.code));
            assert!(classes.iter().all(|class| found.class(&class.text) == class.code));
            let back =
                Inferred::of_model(&Schema { classes: classes.clone(), ..Schema::default() }, &FeatureNames::default());
            assert!(classes.iter().all(|class| back.class(&class.text) == class.code));
        }
    }

    #[test]
    fn a_text_that_no_number_is_left_for_is_no_class() {
        let found = Inferred::default().with_many_classes(true);
        assert_eq!((found.class("0"), found.class("2")), (0.0, 1.0));
        // Each text lies between the last one and "2", whose code is 1.
        let codes: Vec<f64> = (1..80).map(|n| found.class(&"1".repeat(n))).collect();
        let left = codes.iter().position(|code| code.is_infinite()).unwrap();
        assert!((50..60).contains(&left) && codes[..left].is_sorted_by(|a, b| a < b), "{codes:?}");
        assert_eq!(found.classes().len(), 2 + left);
    }

    #[test]
    fn a_loss_of_two_classes_tells_a_few_apart() {
        let found = Inferred::default();
        assert_eq!(["b", "a", "c", "b"].map(|text| found.class(text)), [0.0, -1.0, 1.0, 0.0]);
        (0..1000).for_each(|k| _ = found.class(&k.to_string()));
        assert_eq!(found.classes().len(), Inferred::SPARE_CLASSES);
    }
}
