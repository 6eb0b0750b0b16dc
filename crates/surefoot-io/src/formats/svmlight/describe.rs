//! Location of a part of an svmlight row, such as the label or a feature, for error messages.

use surefoot_glm::{Batch, Part};

use super::{plain, rules::Rules};
use crate::{
    error::{self, Location},
    table::options::Options,
    text::number,
};

/// Returns the location (line and column) and the text of a part of a row, such as the label or a feature, for error
/// messages.
pub(crate) fn describe(options: &Options, batch: &Batch, row: usize, part: Part) -> (Location, String) {
    let place = batch.place.get(row).copied().unwrap_or_default();
    let text = batch.text.get(place.text.0..place.text.1).unwrap_or_default();
    let rules = Rules::new(options);
    let found = match part {
        Part::Pair(i) => batch.index.get(batch.start[row] + i).and_then(|&id| {
            let is_it = |token: &[u8]| {
                let index = number::index(token, 0);
                index.is_some_and(|(index, end)| token.get(end) == Some(&b':') && rules.id(index) == id)
            };
            let has_label = |token: &[u8]| !token.contains(&b':');
            plain::tokens(text).enumerate().find(|(n, (_, token))| (*n > 0 || !has_label(token)) && is_it(token))
        }),
        Part::Row | Part::Label | Part::Weight => None,
    };
    let (at, token) = found.map(|found| found.1).or_else(|| plain::tokens(text).next()).unwrap_or_default();
    (Location::Text { line: place.line, column: at as u64 + 1 }, error::token(token))
}
