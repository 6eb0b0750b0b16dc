//! Builder of the features of a row: hashes names to ids, multiplies interacting features and records readable names.

mod several;

use std::sync::Arc;

pub(crate) use several::{FeatureProperties, MultiValueCell};
use surefoot_glm::{Batch, FeatureNames, Schema};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::feature_groups::GroupTracker;
use crate::{
    ids::{
        hyperloglog::HyperLogLog,
        id_map::{IdMap, IdSet},
        merge_duplicates::DuplicateMerger,
    },
    table::{inferred::Inferred, options::Options},
};

/// Namespace (Vowpal Wabbit) or column (tables) of features, represented by the seed with which its feature names are hashed.
///
/// A number in column `c` is feature `c` of the group with the empty name; the value `v` of a categorical column `c` is feature `v` of
/// group `c`. Hence a table has the same feature ids in every format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group(u64);

impl Group {
    /// Returns the group of features that is the namespace or column with this name.
    pub(crate) fn named(name: &[u8]) -> Group {
        Group(xxh3_64(name))
    }

    /// Returns the group whose members are the text values of `feature`, a feature in this group: for `colour:red`, `red` is a member of
    /// the group within `colour`.
    pub(crate) fn within(self, feature: &[u8]) -> Group {
        Group(self.id(feature))
    }

    /// Returns the 64-bit id of a feature: the XXH3-64 hash of its name, with the seed of this group.
    pub(crate) fn id(self, feature: &[u8]) -> u64 {
        xxh3_64_with_seed(feature, self.0)
    }
}

/// Returns the id of the feature that is 1 if the cell of a column is missing (the missing-cell indicator).
pub(crate) fn missing_id(column: &[u8]) -> u64 {
    // The seeds of two groups take the place of feature ids here, so that the id differs from those of features and products.
    product(Group::named(column).0, Group::named(b"").0)
}

/// Returns the feature id of the product of two features, given their ids.
fn product(a: u64, b: u64) -> u64 {
    xxh3_64_with_seed(&b.to_le_bytes(), a)
}

/// Returns a feature id as stored in rows: the first `bits` bits of the hash, or all 64 bits if `bits` is `None`.
pub(crate) fn slot(id: u64, bits: Option<u8>) -> u64 {
    bits.map_or(id, |bits| id >> (64 - u32::from(bits)))
}

/// Builder that collects the features of a row and appends them to a batch. If a feature id occurs repeatedly, its values are added at the
/// first occurrence. Features are otherwise kept in order, so that sums over a row are rounded equally in all formats.
///
/// O(n) per row of n features and products.
#[derive(Debug)]
pub(crate) struct RowBuilder {
    bits: Option<u8>,
    interact: Vec<(Group, Group)>,
    /// Whether a feature id may occur more than once in a row, so that duplicates must be merged.
    repeats: bool,
    index: Vec<u64>,
    value: Vec<f64>,
    /// Namespaces or columns of the current row in order, each with the position in the row of its first feature.
    groups: Vec<(Group, usize)>,
    names: NameCollector,
    distinct: HyperLogLog,
    merger: DuplicateMerger,
    /// Map from feature ids to feature group numbers; `None` if no feature groups (of penalty factors or bounds) are defined.
    grouper: Option<GroupTracker>,
}

/// Collector of the names of features that have no stored name yet; passed to [`Inferred`] when their row is accepted.
#[derive(Debug)]
struct NameCollector {
    found: Arc<Inferred>,
    /// Full (64-bit) ids of the features whose names are already stored.
    known: IdSet,
    /// New feature names in the current row, each with the full (64-bit) id, the id as stored in rows, and the name.
    new: Vec<(u64, u64, Box<str>)>,
    /// Total length of the names in `new`, in bytes.
    new_bytes: usize,
    /// Names of features that occur in products, by feature id; the names of products are composed of them.
    factors: IdMap<String>,
    full: bool,
    text: String,
}

/// Reason why a row cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidRow {
    /// A product of features, or the sum of the values of one feature id, overflows to infinity or is NaN.
    Overflow,
    /// The row has more products of features than [`MOST_PRODUCTS`].
    Products,
}

impl InvalidRow {
    /// Returns the error message, with the problem and the remedy.
    pub(crate) fn message(self) -> &'static str {
        match self {
            InvalidRow::Overflow => {
                "features that share an id, or a product, add up to more than a number of 64 bits holds"
            }
            InvalidRow::Products => {
                "more than 4194304 products of features in one row; --interact is for smaller groups"
            }
        }
    }
}

/// Maximum number of products of features per row; so many products take 64 MiB.
const MOST_PRODUCTS: usize = 1 << 22;

impl RowBuilder {
    pub(crate) fn new(options: &Options) -> RowBuilder {
        let Schema { bits, interact, .. } = &options.reading;
        let group = |name: &String| Group::named(name.as_bytes());
        RowBuilder {
            bits: *bits,
            interact: interact.iter().map(|(a, b)| (group(a), group(b))).collect(),
            repeats: bits.is_some() || !interact.is_empty(),
            index: Vec::new(),
            value: Vec::new(),
            groups: Vec::new(),
            names: NameCollector {
                found: options.found.clone(),
                known: IdSet::default(),
                new: Vec::new(),
                new_bytes: 0,
                factors: IdMap::default(),
                full: false,
                text: String::new(),
            },
            distinct: HyperLogLog::default(),
            merger: DuplicateMerger::default(),
            grouper: GroupTracker::new(&options.groups),
        }
    }

    /// Declares that feature ids may repeat within a row, even without hashing or products, so that duplicates are merged.
    pub(crate) fn expect_repeats(&mut self) {
        self.repeats = true;
    }

    /// Discards the features and new names of the current row. Must be called before each row is started.
    pub(crate) fn clear(&mut self) {
        self.forget();
        self.names.new.clear();
        self.names.new_bytes = 0;
    }

    fn forget(&mut self) {
        self.index.clear();
        self.value.clear();
        self.groups.clear();
    }

    /// Stores the new feature names of the current row, after it was finished without errors. Names from invalid rows are never stored.
    #[inline]
    pub(crate) fn accept(&mut self) {
        if !self.names.new.is_empty() {
            self.names.accept();
        }
    }

    /// Starts a namespace or column: the features added from here on belong to it when features are multiplied.
    pub(crate) fn group(&mut self, group: Group) {
        if !self.interact.is_empty() {
            self.groups.push((group, self.index.len()));
        }
    }

    /// Assigns a feature id to feature group `number` (of penalty factors or bounds). Features that are never assigned, such as products,
    /// are in no group.
    #[inline]
    pub(crate) fn assign(&mut self, id: u64, number: u32) {
        if let Some(grouper) = &mut self.grouper {
            grouper.assign(slot(id, self.bits), number);
        }
    }

    /// Adds a feature to the row. `name` writes the feature's name and is called only if the id has no stored name yet. Features of value 0
    /// are skipped.
    #[inline]
    pub(crate) fn add(&mut self, id: u64, value: f64, name: impl FnOnce(&mut String)) {
        if value != 0.0 {
            self.push(id, value);
            self.name(id, name);
        }
    }

    #[inline]
    fn push(&mut self, id: u64, value: f64) {
        self.index.push(id);
        self.value.push(value);
    }

    /// Whether interactions are configured, so that products of features are added to each row.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only columns of that feature ask"))]
    pub(crate) fn interacts(&self) -> bool {
        !self.interact.is_empty()
    }

    /// Adds features, given as ids and values, whose names are already stored in [`Inferred`]. Features of value 0 are skipped.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only columns of that feature ask"))]
    #[inline]
    pub(crate) fn add_known(&mut self, ids: &[u64], values: &[f64]) {
        if values.iter().all(|&value| value != 0.0) {
            self.index.extend_from_slice(ids);
            self.value.extend_from_slice(values);
        } else {
            ids.iter().zip(values).for_each(|(&id, &value)| self.add_again(id, value));
        }
    }

    /// Adds a feature without its name, because the name is already stored, or because the caller supplies it later [on
    /// request](RowBuilder::asks_for_names). Features of value 0 are skipped.
    #[inline]
    pub(crate) fn add_again(&mut self, id: u64, value: f64) {
        if value != 0.0 {
            self.push(id, value);
        }
    }

    /// Whether the row has features without stored names; the caller must then [name](RowBuilder::name) all features of the row. One such
    /// check per row takes a third of the time of [`add`](RowBuilder::add) if the set of named ids is larger than a CPU cache.
    pub(crate) fn asks_for_names(&self) -> bool {
        let NameCollector { full, known, .. } = &self.names;
        // Checks all ids without branches, so that the processor overlaps several look-ups.
        !full && self.index.iter().fold(false, |asks, &id| asks | !known.contains(id))
    }

    /// Stores the name of a feature, as written by the closure `name`, unless the feature already has a stored name.
    #[inline]
    pub(crate) fn name(&mut self, id: u64, name: impl FnOnce(&mut String)) {
        self.names.meet(id, slot(id, self.bits), !self.interact.is_empty(), name);
    }

    /// Appends the features of the row to the batch and clears them, but keeps their new names until [`accept`](RowBuilder::accept). The
    /// caller must append the label, the weight and the location of the row.
    pub(crate) fn finish(&mut self, batch: &mut Batch) -> Result<(), InvalidRow> {
        if let Err(unfit) = self.multiply() {
            self.forget();
            return Err(unfit);
        }
        if let Some(bits) = self.bits {
            for id in &mut self.index {
                self.distinct.add(*id);
                *id = slot(*id, Some(bits));
            }
        }
        if self.repeats {
            self.merger.merge(&mut self.index, &mut self.value, 0);
        }
        let is_finite = self.value.iter().all(|value| value.is_finite());
        if is_finite {
            let first = batch.index.len();
            batch.index.extend_from_slice(&self.index);
            batch.value.extend_from_slice(&self.value);
            self.grouper.iter().for_each(|grouper| grouper.fill(batch, first));
        }
        self.forget();
        if is_finite { Ok(()) } else { Err(InvalidRow::Overflow) }
    }

    /// Appends the products of the features of each pair of interacting namespaces or columns. A namespace paired with itself yields each
    /// unordered pair of features once, and the squares.
    fn multiply(&mut self) -> Result<(), InvalidRow> {
        let singles = self.index.len();
        let end = |k: usize| self.groups.get(k + 1).map_or(singles, |next| next.1);
        let of = |group: Group| {
            let ranges = self.groups.iter().enumerate().filter(move |(_, found)| found.0 == group);
            ranges.flat_map(|(k, found)| found.1..end(k)).collect::<Vec<_>>()
        };
        for &(a, b) in &self.interact {
            let (left, right) = (of(a), of(b));
            if self.index.len() - singles + left.len().saturating_mul(right.len()) > MOST_PRODUCTS {
                return Err(InvalidRow::Products);
            }
            for (n, &i) in left.iter().enumerate() {
                for &j in &right[if a == b { n } else { 0 }..] {
                    let (p, q) = (self.index[i], self.index[j]);
                    let id = product(p, q);
                    self.index.push(id);
                    self.value.push(self.value[i] * self.value[j]);
                    self.names.meet_product(id, slot(id, self.bits), p, q);
                }
            }
        }
        Ok(())
    }

    /// Reports the distinct feature ids (before hashing to fewer bits) to [`Inferred`], which estimates their number; must be called at the
    /// end of each input.
    pub(crate) fn report(&mut self) {
        if self.bits.is_some() {
            self.names.found.count_distinct(&std::mem::take(&mut self.distinct));
        }
    }
}

impl NameCollector {
    #[inline]
    fn meet(&mut self, id: u64, slot: u64, is_factor: bool, name: impl FnOnce(&mut String)) {
        if !self.full && !self.known.contains(id) {
            self.text.clear();
            name(&mut self.text);
            if is_factor {
                self.factors.insert(id, self.text.clone());
            }
            let name = self.text.as_str().into();
            self.wait(id, slot, name);
        }
    }

    /// Keeps the name of a new feature until its row is accepted, unless the limits on the number and size of names are reached.
    fn wait(&mut self, id: u64, slot: u64, name: Box<str>) {
        if self.new.len() < FeatureNames::MOST && self.new_bytes < FeatureNames::MOST_BYTES {
            self.new_bytes += name.len();
            self.new.push((id, slot, name));
        }
    }

    fn meet_product(&mut self, id: u64, slot: u64, p: u64, q: u64) {
        if !self.full && !self.known.contains(id) {
            let of = |id| self.factors.get(&id).map_or("", String::as_str);
            let name = format!("{}*{}", of(p), of(q));
            self.wait(id, slot, name.into());
        }
    }

    #[cold]
    fn accept(&mut self) {
        self.new_bytes = 0;
        for (id, slot, name) in self.new.drain(..) {
            if !self.full && self.known.insert(id) {
                self.full = !self.found.name(slot, &name) || self.known.len() >= FeatureNames::MOST;
            }
        }
    }
}

/// Appends a name in escaped form: characters that have a meaning in feature names, or are not printable, become `\xNN`.
pub(crate) fn escape(name: &[u8], to: &mut String) {
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '^' | '=' | '*' | '\\' => push_hex(c as u8, to),
                c if c.is_control() => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_hex(byte, to)),
                c => to.push(c),
            }
        }
        chunk.invalid().iter().for_each(|&byte| push_hex(byte, to));
    }
}

fn push_hex(byte: u8, to: &mut String) {
    use std::fmt::Write as _;
    let _ = write!(to, "\\x{byte:02X}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(options: &Options, row: impl FnOnce(&mut RowBuilder)) -> Vec<(String, f64)> {
        let mut builder = RowBuilder::new(options);
        let mut batch = Batch::default();
        builder.expect_repeats();
        row(&mut builder);
        builder.finish(&mut batch).unwrap();
        builder.accept();
        let names = options.found.names(&batch.index);
        batch.index.iter().zip(&batch.value).map(|(&id, &x)| (names.of(id).unwrap_or("").to_owned(), x)).collect()
    }

    fn feature(builder: &mut RowBuilder, group: &str, name: &str, value: f64) {
        let id = Group::named(group.as_bytes()).id(name.as_bytes());
        builder.add(id, value, |to| {
            escape(group.as_bytes(), to);
            to.push('^');
            escape(name.as_bytes(), to);
        });
    }

    #[test]
    fn features_of_one_name_add_up() {
        let mut row = built(&Options::default(), |row| {
            feature(row, "a", "x", 1.0);
            feature(row, "a", "y", 3.0);
            feature(row, "a", "x", 0.5);
            feature(row, "b", "x", 0.0);
        });
        row.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(row, [("a^x".to_owned(), 1.5), ("a^y".to_owned(), 3.0)]);
    }

    #[test]
    fn groups_interact() {
        let reading =
            Schema { interact: vec![("a".into(), "b".into()), ("a".into(), "a".into())], ..Schema::default() };
        let mut row = built(&Options { reading, ..Options::default() }, |row| {
            row.group(Group::named(b"a"));
            feature(row, "a", "x", 2.0);
            row.group(Group::named(b"b"));
            feature(row, "b", "u=v", 3.0);
            row.group(Group::named(b"a"));
            feature(row, "a", "y", 5.0);
        });
        row.sort_by(|a, b| a.0.cmp(&b.0));
        let found: Vec<_> = row.iter().map(|(name, x)| (name.as_str(), *x)).collect();
        let u = "b^u\\x3Dv";
        assert_eq!(
            found,
            [
                ("a^x", 2.0),
                (&*format!("a^x*{}", "a^x"), 4.0),
                ("a^x*a^y", 10.0),
                (&*format!("a^x*{u}"), 6.0),
                ("a^y", 5.0),
                ("a^y*a^y", 25.0),
                (&*format!("a^y*{u}"), 15.0),
                (u, 3.0)
            ]
        );
    }

    #[test]
    fn sums_that_overflow_are_refused_and_leave_nothing() {
        let mut builder = RowBuilder::new(&Options::default());
        let mut batch = Batch::default();
        builder.expect_repeats();
        (0..2).for_each(|_| feature(&mut builder, "", "x", 1e308));
        feature(&mut builder, "", "y", 1.0);
        assert_eq!(builder.finish(&mut batch), Err(InvalidRow::Overflow));
        assert!(batch.index.is_empty() && batch.value.is_empty());
    }

    #[test]
    fn there_is_an_end_to_products() {
        let reading = Schema { interact: vec![(String::new(), String::new())], ..Schema::default() };
        let mut builder = RowBuilder::new(&Options { reading, ..Options::default() });
        let mut batch = Batch::default();
        builder.group(Group::named(b""));
        (0..2049).for_each(|n| feature(&mut builder, "", &n.to_string(), 1.0));
        assert_eq!(builder.finish(&mut batch), Err(InvalidRow::Products));
        assert!(batch.index.is_empty());
    }
}
