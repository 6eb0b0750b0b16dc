//! Part of an input, one of several that together hold all its rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::input::InputName;

/// Part of an input, one of several that together hold all its rows, each row once: see [`split_inputs`](crate::split_inputs).
///
/// A part is read like an input of its own. Its name is that of the whole input, and so are the columns and the numbers of lines and rows
/// in error messages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputPart {
    of: Box<InputName>,
    range: PartRange,
    size: u64,
}

/// Extent of a part in its input, in the unit by which inputs of the format are divided. Numbers are from 0, without the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRange {
    /// Bytes of uncompressed text. Both ends are at the start of a row, or at the start or end of the input.
    Bytes(Range<u64>),
    /// Row groups of a Parquet file.
    RowGroups(Range<usize>),
    /// Record batches of an Arrow file or stream.
    RecordBatches(Range<usize>),
}

impl InputPart {
    /// Builds a part that takes up about `size` stored bytes.
    pub(crate) fn new(of: &InputName, range: PartRange, size: u64) -> InputPart {
        InputPart { of: Box::new(of.clone()), range, size }
    }

    /// Returns the whole input.
    #[must_use]
    pub fn of(&self) -> &InputName {
        &self.of
    }

    /// Returns the extent of the part in the input.
    #[must_use]
    pub fn range(&self) -> &PartRange {
        &self.range
    }

    /// Returns the number of stored bytes that the part takes up, approximately where it has no range of its own.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}
