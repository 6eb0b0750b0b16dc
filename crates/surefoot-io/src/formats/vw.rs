//! Parser of the text format of Vowpal Wabbit, one row per line:
//! `[label [importance [base]]] ['tag]|namespace[:scale] feature[:value] ... |namespace ...`.
//!
//! | text | meaning |
//! | --- | --- |
//! | `\| a` | a bar followed by a space: features of the unnamed (default) namespace |
//! | `\|n:2 a:3` | the scale of a namespace multiplies the values of its features |
//! | `a` | the value is 1 |
//! | `a:0` | the feature is dropped |
//! | `a a:2` | one feature; values of equal features are added |
//! | `7` | a name like any other; `07` is a different name |
//! | `:3 :5` | features without names are called `0` and `1` |
//! | `colour:red` | text as a value: each text is a feature of value 1, whatever the scale |
//! | `'tag \|`, `tag\|` | a tag, which is written beside predictions |
//! | `\| a`, `'tag \|` | no label: the row is not learnt, as with weight 0 |
//!
//! Names consist of any bytes other than space, tab, colon and bar; there are no escapes. Blank lines are not rows. Options refer
//! to a namespace by its whole name, not by its first letter.
//!
//! The following are errors, although Vowpal Wabbit only warns or stays silent: invalid numbers, a colon without a value,
//! text before a tab, bars within values, more than three numbers before the bar, and a line without a bar. The base, from which
//! the prediction starts, is an offset.

mod features;
mod head;

use std::sync::Arc;

use surefoot_glm::{Batch, FeatureGroups, Part, Role, Schema};

use super::{
    parse_error::RecordError,
    records::{Numbers, RecordFormat},
};
use crate::{
    error::{self, Location},
    features::{
        feature_groups,
        row_builder::{RowBuilder, slot},
    },
    table::{inferred::Inferred, options::Options},
    text::number,
};
use features::Features;
use head::{Head, Token};

/// Parser of the Vowpal Wabbit text format, which has one row per line.
#[derive(Debug)]
pub(crate) struct Vw {
    builder: RowBuilder,
    used: NamespaceSelection,
    groups: FeatureGroups,
    found: Arc<Inferred>,
    unlabelled: bool,
    /// Whether the tag of a line is used as the name of its row.
    tags: bool,
    /// Whether the base of a line (the offset of its row) is ignored.
    bare: bool,
    /// Whether the importance of a line (the weight of its row) is ignored.
    unweighted: bool,
    /// Positions in the current line of the bytes that end a name (blanks, bars and colons): see [`features::marks`].
    marks: Vec<usize>,
}

/// Namespaces to keep and to ignore (`--keep`, `--ignore`); an empty `keep` keeps all.
#[derive(Debug)]
struct NamespaceSelection {
    keep: Vec<String>,
    ignore: Vec<String>,
    /// Namespaces that the user named and that have not occurred in any row so far.
    awaited: Vec<String>,
}

impl NamespaceSelection {
    fn new(Schema { keep, ignore, interact, .. }: &Schema) -> NamespaceSelection {
        let factors = interact.iter().flat_map(|(a, b)| [a, b]);
        let awaited = keep.iter().chain(ignore).chain(factors).cloned().collect();
        NamespaceSelection { keep: keep.clone(), ignore: ignore.clone(), awaited }
    }

    #[inline]
    fn meet(&mut self, namespace: &[u8], found: &Inferred) {
        if !self.awaited.is_empty() {
            self.awaited.iter().filter(|name| name.as_bytes() == namespace).for_each(|name| found.meet(name));
            self.awaited.retain(|name| name.as_bytes() != namespace);
        }
    }

    fn contains(&self, namespace: &[u8]) -> bool {
        let is_in = |names: &[String]| names.iter().any(|name| name.as_bytes() == namespace);
        (self.keep.is_empty() || is_in(&self.keep)) && !is_in(&self.ignore)
    }
}

impl Vw {
    pub(crate) fn new(options: &Options) -> Vw {
        let mut builder = RowBuilder::new(options);
        builder.expect_repeats();
        let (used, groups) = (NamespaceSelection::new(&options.reading), options.groups.clone());
        Vw {
            builder,
            used,
            groups,
            found: options.found.clone(),
            unlabelled: options.unlabelled,
            tags: options.wanted.tags,
            bare: options.wanted.does_without(Role::Offset),
            unweighted: options.wanted.does_without(Role::Weight),
            marks: Vec::new(),
        }
    }

    /// Reads the features of a line a second time, to store the feature names.
    #[cold]
    fn name(&mut self, line: &[u8], bar: usize) -> Result<(), RecordError> {
        let mut features = Features::new(line, bar, &self.marks);
        while let Some(mut namespace) = features.namespace()? {
            let used = self.used.contains(namespace.name);
            while let Some(feature) = features.feature(&mut namespace)? {
                if used && feature.value != 0.0 {
                    self.builder.name(feature.id, |to| feature.write_name(namespace.name, to));
                }
            }
        }
        Ok(())
    }

    /// Parses label, weight (the importance) and offset (the base) from the tokens before the first bar.
    fn numbers(&self, head: &Head<'_>) -> Result<Numbers, RecordError> {
        let base = head.base.filter(|_| !self.bare);
        let offset = base.map_or(Ok(0.0), |base| finite(base, "the base"))?;
        if self.unlabelled {
            return Ok(Numbers { label: f64::NAN, weight: 1.0, offset });
        }
        let label = head.label.map_or(Ok(f64::NAN), label)?;
        let importance = head.importance.filter(|_| !self.unweighted);
        Ok(Numbers { label, weight: importance.map_or(Ok(1.0), weight)?, offset })
    }
}

fn label(token: Token<'_>) -> Result<f64, RecordError> {
    if token.bytes.contains(&b':') {
        return Err(token.complaint("labels with costs are not supported; a label is a number"));
    }
    finite(token, "the label")
}

fn weight(token: Token<'_>) -> Result<f64, RecordError> {
    match number::finite(token.bytes) {
        Ok(weight) if weight >= 0.0 => Ok(weight),
        Ok(_) => Err(token.complaint("a weight must be 0 or more; leave the row out or give it weight 0")),
        Err("is not a finite number") => Err(token.complaint("a weight must be a finite number")),
        Err(message) => Err(token.complaint(format!("the weight {message}"))),
    }
}

fn finite(token: Token<'_>, what: &str) -> Result<f64, RecordError> {
    number::finite(token.bytes).map_err(|message| token.complaint(format!("{what} {message}")))
}

impl RecordFormat for Vw {
    fn record(&mut self, line: &[u8], batch: &mut Batch) -> Result<Option<Numbers>, RecordError> {
        self.builder.clear();
        let Some(head) = head::head(line)? else { return Ok(None) };
        let row = self.numbers(&head)?;
        features::marks(line, &mut self.marks);
        let mut features = Features::new(line, head.bar, &self.marks);
        while let Some(mut namespace) = features.namespace()? {
            self.used.meet(namespace.name, &self.found);
            let used = self.used.contains(namespace.name);
            self.builder.group(namespace.group);
            let rule = feature_groups::of_namespace(&self.groups, namespace.name);
            while let Some(feature) = features.feature(&mut namespace)? {
                if used {
                    self.builder.assign(feature.id, rule);
                    self.builder.add_again(feature.id, feature.value);
                }
            }
        }
        if self.builder.asks_for_names() {
            self.name(line, head.bar)?;
        }
        match self.builder.finish(batch) {
            Ok(()) => {
                self.builder.accept();
                if self.tags {
                    batch.push_name(head.tag);
                }
                Ok(Some(row))
            }
            Err(unfit) => Err(first(line).complaint(unfit.message())),
        }
    }

    fn finish(&mut self) {
        self.builder.report();
    }
}

/// Returns the first token (run of bytes without blanks) of a line, which stands for the whole row in error messages.
fn first(line: &[u8]) -> Token<'_> {
    head::tokens(line).next().unwrap_or_default()
}

/// Whether a text looks like Vowpal Wabbit: its first line has a bar (`|`), preceded only by blanks, a numeric label or a tag.
pub(crate) fn begins(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let Some(line) = lines.next() else { return false };
    let Ok(Some(head)) = head::head(line) else { return false };
    if crate::formats::csv::has_bars(text) {
        return false;
    }
    let has_number = head.label.is_some_and(|label| number::finite(label.bytes).is_ok());
    let before = line[..head.bar].trim_ascii_start();
    has_number || head.label.is_none() && (before.is_empty() || before.starts_with(b"'"))
}

/// Returns the location (line and column) and the text of a part of a row, such as the label or a feature, for error messages.
pub(crate) fn describe(options: &Options, batch: &Batch, row: usize, part: Part) -> (Location, String) {
    let place = batch.place.get(row).copied().unwrap_or_default();
    let line = batch.text.get(place.text.0..place.text.1).unwrap_or_default();
    let head = head::head(line).ok().flatten().unwrap_or_default();
    let found = match part {
        Part::Row => None,
        Part::Label => head.label,
        Part::Weight => head.importance,
        Part::Pair(pair) => {
            let id = batch.start.get(row).and_then(|start| batch.index.get(start + pair));
            id.and_then(|&id| find(line, &head, id, &options.reading))
        }
    };
    let Token { at, bytes } = found.unwrap_or_else(|| first(line));
    (Location::Text { line: place.line, column: at as u64 + 1 }, error::token(bytes))
}

/// Returns the token of the first feature with this id in a line, ignoring features of value 0 and namespaces that are not used;
/// `None` if there is none.
fn find<'a>(line: &'a [u8], head: &Head<'_>, id: u64, reading: &Schema) -> Option<Token<'a>> {
    let used = NamespaceSelection::new(reading);
    let mut marks = Vec::new();
    features::marks(line, &mut marks);
    let mut features = Features::new(line, head.bar, &marks);
    while let Some(mut namespace) = features.namespace().ok()? {
        while let Some(feature) = features.feature(&mut namespace).ok()? {
            if slot(feature.id, reading.bits) == id && feature.value != 0.0 && used.contains(namespace.name) {
                return Some(features::token(line, feature.at));
            }
        }
    }
    None
}
