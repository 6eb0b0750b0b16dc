//! Properties of the data that readers infer while reading.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use surefoot_glm::{Class, FeatureKey, FeatureNames, Schema, TableSchema};

use super::{dialect::Dialect, format::Format};
use crate::ids::{hyperloglog::HyperLogLog, id_map::IdMap};

/// Properties inferred by readers that a model has to store; shared by all readers of one command.
#[derive(Debug, Default)]
pub struct Inferred {
    /// The columns, once they are known.
    pub(crate) table: OnceLock<TableSchema>,
    /// The format of the first input.
    format: OnceLock<&'static Format>,
    /// How features are identified, once known.
    by: OnceLock<FeatureKey>,
    /// Whether the columns are those of a model.
    pub(crate) of_model: bool,
    /// Categories that the first rows suggest and a number further down would not fit, by name, once they are known.
    pub(crate) open: OnceLock<HashSet<String>>,
    /// Dialect and header of the first text table.
    head: OnceLock<Head>,
    /// Whether labels are text, once one was read.
    pub(crate) text_labels: OnceLock<bool>,
    /// Whether the loss takes more than two classes.
    pub(crate) many_classes: bool,
    /// Whether a reader counts missing cells.
    counted: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    classes: Vec<Class>,
    names: IdMap<Box<str>>,
    /// Names of features that share the id of another, if ids are hashed to few bits.
    shared: BTreeSet<(u64, Box<str>)>,
    /// Their bytes.
    name_bytes: usize,
    missing: BTreeMap<String, u64>,
    /// Categories whose cells may hold several values.
    lists: BTreeSet<String>,
    /// Distinct dialects and column orders of the texts: per position in the file the number of the column in the table.
    layouts: Vec<(Dialect, Arc<ColumnOrder>)>,
    distinct: Option<HyperLogLog>,
    notes: Vec<String>,
    /// Names that a user gave to namespaces or indices and that rows had.
    met: BTreeSet<String>,
    /// The formats of inputs by their names.
    formats: HashMap<String, &'static Format>,
}

/// Dialect and header of a text table, inferred from its first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Delimiter of cells; a blank stands for runs of blanks and tabs.
    pub delimiter: u8,
    /// Quote character, if cells may be quoted.
    pub quote: Option<u8>,
    /// Whether the first line names the columns.
    pub is_header: bool,
    /// Whether that was said or is clear.
    pub is_sure: bool,
    /// The number of columns.
    pub width: usize,
}

/// The columns of a file by their number in the table, from 0; `None` for one that is not there.
pub(crate) type ColumnOrder = Vec<Option<usize>>;

impl Inferred {
    /// Most notes that are kept.
    pub const NOTES: usize = 100;
    /// Labels of text that are told apart where the loss takes two: some may be those of rows that are refused.
    const SPARE_CLASSES: usize = 64;

    /// Initial state for a model that is used or trained further: its schema and names.
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

    /// For a loss that takes more than two classes, or only two.
    #[must_use]
    pub fn with_many_classes(self, many: bool) -> Inferred {
        Inferred { many_classes: many, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The format of the first input, once it is known.
    #[must_use]
    pub fn format(&self) -> Option<&'static Format> {
        self.format.get().copied()
    }

    /// The columns, once they are known.
    #[must_use]
    pub fn table(&self) -> Option<&TableSchema> {
        self.table.get()
    }

    /// Missing cells by column, in the rows of the first pass.
    #[must_use]
    pub fn missing(&self) -> BTreeMap<String, u64> {
        self.lock().missing.clone()
    }

    /// Takes note that rows have what a user calls so.
    pub(crate) fn meet(&self, name: &str) {
        self.lock().met.insert(name.to_owned());
    }

    /// Whether a row had what a user calls so: a namespace, or an index of svmlight or a range of them. Asked of those in
    /// [`Schema::keep`], [`Schema::ignore`] and [`Schema::interact`] only.
    #[must_use]
    pub fn has_met(&self, name: &str) -> bool {
        self.lock().met.contains(name)
    }

    /// Notes about the data that are not errors, one line each; the first [`Inferred::NOTES`].
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.lock().notes.clone()
    }

    /// How features are identified: by the model, or else by the first input.
    pub(crate) fn by(&self) -> Option<FeatureKey> {
        self.by.get().copied()
    }

    /// An input of this name has this format; what its features go by, if that of the inputs before is another.
    pub(crate) fn open(&self, name: &str, format: &'static Format) -> Option<FeatureKey> {
        let _ = self.format.set(format);
        self.lock().formats.insert(name.to_owned(), format);
        let by = *self.by.get_or_init(|| format.by);
        (by != format.by).then_some(by)
    }

    /// The format of an input of this name that was opened.
    pub(crate) fn format_of(&self, name: &str) -> Option<&'static Format> {
        self.lock().formats.get(name).copied()
    }

    /// Whether a feature of this number in rows has a name here.
    pub(crate) fn knows(&self, id: u64) -> bool {
        self.lock().names.contains_key(&id)
    }

    /// Notes something, once.
    pub(crate) fn note(&self, note: String) {
        let notes = &mut self.lock().notes;
        if notes.len() < Inferred::NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Names of the features among these ids.
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

    /// Shows all names of features with the features' ids, in no order.
    pub fn each_name(&self, mut show: impl FnMut(u64, &str)) {
        let kept = self.lock();
        kept.names.iter().for_each(|(id, name)| show(*id, name));
        kept.shared.iter().for_each(|(id, name)| show(*id, name));
    }

    /// Whether labels are text, as far as rows were read.
    #[must_use]
    pub fn has_text_labels(&self) -> bool {
        !self.lock().classes.is_empty()
    }

    /// Labels that are text, in their order.
    #[must_use]
    pub fn classes(&self) -> Vec<Class> {
        self.lock().classes.clone()
    }

    /// Keeps a name of an id; `false` once there is no room for more.
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

    /// How many different features were met before they were hashed to fewer bits, in the inputs that came to their end:
    /// exactly up to 4096, then to about 1 %. `None` if none were hashed so.
    #[must_use]
    pub fn distinct(&self) -> Option<u64> {
        self.lock().distinct.as_ref().map(HyperLogLog::count)
    }

    pub(crate) fn count_distinct(&self, distinct: &HyperLogLog) {
        self.lock().distinct.get_or_insert_default().merge(distinct);
    }

    /// Whether missing cells are counted by who asks: the first reader, since others read the same rows again.
    pub(crate) fn counts(&self) -> bool {
        !self.counted.swap(true, Ordering::Relaxed)
    }

    /// Keeps how a file is laid out, for faults that show later.
    pub(crate) fn lay_out(&self, dialect: Dialect, order: &Arc<ColumnOrder>) {
        let layouts = &mut self.lock().layouts;
        if !layouts.iter().any(|known| known.0 == dialect && known.1 == *order) {
            layouts.push((dialect, order.clone()));
        }
    }

    /// The layouts that were met.
    pub(crate) fn layouts(&self) -> Vec<(Dialect, Arc<ColumnOrder>)> {
        self.lock().layouts.clone()
    }

    /// Dialect and header of the first text table, once known.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.head.get().copied()
    }

    /// Tells what the first table of text turned out to be.
    pub(crate) fn tell_of_head(&self, head: Head) {
        let _ = self.head.set(head);
    }

    /// Tells of a category whose cells may hold several values.
    #[cfg(feature = "parquet")]
    pub(crate) fn tell_of_lists(&self, column: &str) {
        self.lock().lists.insert(column.to_owned());
    }

    /// Whether cells of a category may hold several values.
    #[must_use]
    pub fn holds_lists(&self, column: &str) -> bool {
        self.lock().lists.contains(column)
    }

    /// Counts missing cells of a column.
    pub(crate) fn count_missing(&self, column: &str, cells: u64) {
        *self.lock().missing.entry(column.to_owned()).or_default() += cells;
    }

    /// The number that stands for a label that is text. Numbers are in the order of the texts, whatever the order of
    /// rows: the first text is 0; one beyond all others is 1 above or below them, one between two has their mean. Where no
    /// number is left between two it is infinite, which no loss takes for a class.
    pub(crate) fn class(&self, text: &str) -> f64 {
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
        // Each stands between the last one and 2, which is 1.
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
