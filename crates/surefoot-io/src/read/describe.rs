//! Location of parts of rows (label, feature, ...) in the input, for errors that are detected after reading.

use surefoot_glm::{Batch, Part};

use super::{
    line_numbers,
    reader::{Reader, RowSource},
};
use crate::{
    error::{Located, Location},
    files::input::InputName,
    table::{format::Format, options::Options, partitions::Partitions},
};

impl Options {
    /// Locates a part of row `row` of `batch`, such as the label or a feature, in its input, for errors that are detected after reading.
    ///
    /// The batch must have been filled with these options and inputs. Scans the text of the row.
    ///
    /// ```
    /// use surefoot_glm::{Batch, Part};
    /// use surefoot_io::{InputName, Options, Svmlight};
    ///
    /// let options = Options::default();
    /// let mut batch = Batch::default();
    /// batch.clear();
    /// Svmlight::new(&options).push(b"\n151 1:0.03\n", &mut batch).unwrap();
    /// let place = options.describe(&[InputName::new("real.svm")], &batch, 0, Part::Label);
    /// assert_eq!(place.error("not a class label").to_string(), "real.svm:2:1: '151': not a class label");
    /// ```
    #[must_use]
    pub fn describe(&self, inputs: &[InputName], batch: &Batch, row: usize, part: Part) -> Located {
        let place = batch.place.get(row).copied().unwrap_or_default();
        let file = inputs.get(place.input as usize).map_or_else(|| "input".to_owned(), InputName::to_string);
        let format = self.format.or_else(|| self.found.format_of(&file)).or_else(|| self.found.format());
        let format = format.unwrap_or_else(|| Format::by_content(&batch.text));
        let partitions = Partitions::find(inputs, &self.wanted, &self.found).unwrap_or_default();
        let located = match partitions.is_empty() {
            true => self.locate(file, format, batch, row, part),
            false => Options { partitions, ..self.clone() }.locate(file, format, batch, row, part),
        };
        match inputs.get(place.input as usize) {
            Some(InputName::Part(part)) => line_numbers::of_whole(part, located),
            _ => located,
        }
    }

    /// Locates a part of a row of a batch that was read from the input `file` in the given format.
    pub(super) fn locate(&self, file: String, format: &Format, batch: &Batch, row: usize, part: Part) -> Located {
        // A row that the batch does not have yields no token, and a nonzero beyond those of the row yields the row.
        if row >= batch.len() || row >= batch.place.len() {
            let line = batch.place.get(row).map_or(0, |place| place.line);
            return Located { file, location: Location::Text { line, column: 1 }, token: String::new() };
        }
        let pairs = batch.row(row).index.len();
        let part = if matches!(part, Part::Pair(pair) if pair >= pairs) { Part::Row } else { part };
        let (location, token) = format.describe(self, batch, row, part);
        Located { file, location, token }
    }

    /// Locates a part of a row, such as the label, even if its batch no longer holds the text of the row: the input is then read again up
    /// to the row, if it can be.
    #[must_use]
    pub fn describe_again(&self, inputs: &[InputName], batch: &Batch, row: usize, part: Part) -> Located {
        let place = batch.place.get(row).copied().unwrap_or_default();
        let input = inputs
            .get(place.input as usize)
            .filter(|_| row < batch.place.len())
            .filter(|input| place.text.0 == place.text.1 && input.can_reread());
        match input.and_then(|input| self.find_again(input, batch, row)) {
            Some((found, at)) => self.describe(&inputs[place.input as usize..], &found, at, part),
            None => self.describe(inputs, batch, row, part),
        }
    }

    /// Reads an input again up to row `row` of `batch`: see [`find_again`].
    fn find_again(&self, input: &InputName, batch: &Batch, row: usize) -> Option<(Batch, usize)> {
        let mut reader = Reader::open(std::slice::from_ref(input), self.clone()).ok()?;
        find_again(&mut reader, batch, row)
    }
}

/// Reads a source of the same rows up to row `row` of `batch`; returns the new batch and the position of the row in it, or `None` if the
/// source cannot be read or the row has changed.
pub(super) fn find_again(source: &mut impl RowSource, batch: &Batch, row: usize) -> Option<(Batch, usize)> {
    let (wanted, line) = (batch.row(row), batch.place[row].line);
    let mut found = Batch::default();
    loop {
        match source.read(&mut found) {
            Ok(true) => {}
            Err(error) if error.is_row() => continue,
            Ok(false) | Err(_) => return None,
        }
        if let Some(at) = found.place.iter().position(|place| place.line >= line) {
            let it = found.row(at);
            let same = found.place[at].line == line && (it.index, it.value) == (wanted.index, wanted.value);
            return same.then_some((found, at));
        }
    }
}
