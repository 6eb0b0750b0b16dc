//! Check of the sizes declared in Parquet metadata against the bytes present, before the decoder relies on them.
//!
//! The index of a file and the headers of its pages are structures of Thrift's compact protocol. The decoder recurses as deep as they
//! nest, and allocates as much memory as they declare.

use std::ops::ControlFlow;

/// Maximum accepted nesting depth of structures, lists and maps; Parquet metadata is 7 levels deep.
const DEEPEST: usize = 32;
/// Maximum accepted nesting depth of column groups in a schema.
const DEEPEST_SCHEMA: usize = 64;

/// Reader of Thrift-encoded bytes that allocates no memory, whatever sizes the bytes declare.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Reason why bytes cannot be read as a Thrift structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThriftError {
    /// The bytes end before the structure does; more bytes may complete it.
    Short,
    Says(&'static str),
}

/// Codes of the value types in Thrift's compact protocol.
mod kind {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

impl Cursor<'_> {
    fn byte(&mut self) -> Result<u8, ThriftError> {
        let byte = *self.bytes.get(self.at).ok_or(ThriftError::Short)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64, ThriftError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ThriftError::Says("a number has more than 64 bits"))
    }

    fn integer(&mut self) -> Result<i64, ThriftError> {
        let coded = self.varint()?;
        Ok((coded >> 1) as i64 ^ -((coded & 1) as i64))
    }

    fn pass(&mut self, bytes: u64) -> Result<(), ThriftError> {
        let left = (self.bytes.len() - self.at) as u64;
        if bytes > left {
            return Err(ThriftError::Short);
        }
        self.at += bytes as usize;
        Ok(())
    }

    /// Reads the head of a list: returns the type code of its elements and their number.
    fn list(&mut self) -> Result<(u8, u64), ThriftError> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        // Each value takes at least one byte.
        if count > (self.bytes.len() - self.at) as u64 {
            return Err(ThriftError::Short);
        }
        Ok((head & 15, count))
    }

    /// Skips a value, given its type code `of` and its nesting depth. A boolean takes one byte in a list and none elsewhere.
    fn skip(&mut self, of: u8, in_list: bool, depth: usize) -> Result<(), ThriftError> {
        if depth > DEEPEST {
            return Err(ThriftError::Says("its structures nest too deep"));
        }
        match of {
            kind::TRUE | kind::FALSE if !in_list => Ok(()),
            kind::TRUE | kind::FALSE | kind::BYTE => self.pass(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.pass(8),
            kind::UUID => self.pass(16),
            kind::BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            kind::LIST | kind::SET => {
                let (of, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip(of, true, depth + 1))
            }
            kind::MAP => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..count).try_for_each(|_| {
                    self.skip(kinds >> 4, true, depth + 1)?;
                    self.skip(kinds & 15, true, depth + 1)
                })
            }
            kind::STRUCT => self.fields(depth, |cursor, _, of| cursor.skip(of, false, depth + 1)),
            _ => Err(ThriftError::Says("it holds a value of no known kind")),
        }
    }

    /// Calls `read` with the field number and the type code of each field of a structure; `read` must consume the field's value.
    fn fields(
        &mut self,
        depth: usize,
        mut read: impl FnMut(&mut Self, i64, u8) -> Result<(), ThriftError>,
    ) -> Result<(), ThriftError> {
        if depth > DEEPEST {
            return Err(ThriftError::Says("its structures nest too deep"));
        }
        let mut number = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            number = match head >> 4 {
                0 => self.integer()?,
                more => number.wrapping_add(more.into()),
            };
            read(self, number, head & 15)?;
        }
    }

    /// Reads an integer into `to`, given the type code `of` of the value; skips a value that is not an integer.
    fn number(&mut self, of: u8, to: &mut i64) -> Result<(), ThriftError> {
        match of {
            kind::I16 | kind::I32 | kind::I64 => self.integer().map(|number| *to = number),
            _ => self.skip(of, false, 1),
        }
    }
}

/// Checks the index (footer) of a Parquet file: limits the nesting depth of its structures and columns, and checks that the declared counts
/// match the bytes present.
pub(super) fn check_index(bytes: &[u8]) -> Result<(), &'static str> {
    let mut cursor = Cursor { bytes, at: 0 };
    let checked = cursor.fields(1, |cursor, number, of| match (number, of) {
        (2, kind::LIST) => schema(cursor),
        _ => cursor.skip(of, false, 2),
    });
    checked.map_err(|wrong| match wrong {
        ThriftError::Short => "its index counts more than it holds",
        ThriftError::Says(message) => message,
    })
}

/// Checks the column tree of a Parquet schema, in which each element declares the number of its children.
fn schema(cursor: &mut Cursor<'_>) -> Result<(), ThriftError> {
    let (of, count) = cursor.list()?;
    if of != kind::STRUCT {
        return Err(ThriftError::Says("its columns are no structures"));
    }
    // Number of children still to come for each open group.
    let mut open: Vec<u64> = Vec::new();
    for at in 0..count {
        let mut within = 0;
        cursor.fields(3, |cursor, number, of| match number {
            5 => cursor.number(of, &mut within),
            _ => cursor.skip(of, false, 4),
        })?;
        let within = u64::try_from(within).unwrap_or(u64::MAX);
        if within > count - at - 1 {
            return Err(ThriftError::Says("a group of columns counts more than there are"));
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if within > 0 {
            open.push(within);
        }
        while open.pop_if(|left| *left == 0).is_some() {}
        if open.len() > DEEPEST_SCHEMA {
            return Err(ThriftError::Says("its columns nest more than 64 deep"));
        }
    }
    Ok(())
}

/// Header of a Parquet page; fields that are absent in the file are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// Size of the page header itself, in bytes.
    pub(super) length: usize,
    pub(super) is_dictionary: bool,
    pub(super) uncompressed: i64,
    pub(super) compressed: i64,
    pub(super) values: i64,
    /// Size in bytes of the repetition and definition levels, which precede the values and are not compressed.
    pub(super) levels: i64,
    pub(super) is_plain: bool,
}

impl PageHeader {
    /// Reads the page header at the start of `bytes`.
    pub(super) fn read(bytes: &[u8]) -> Result<PageHeader, ThriftError> {
        let (mut cursor, mut header) = (Cursor { bytes, at: 0 }, PageHeader::default());
        let mut levels = [0; 2];
        cursor.fields(1, |cursor, number, of| match (number, of) {
            (2, _) => cursor.number(of, &mut header.uncompressed),
            (3, _) => cursor.number(of, &mut header.compressed),
            (5 | 7 | 8, kind::STRUCT) => {
                header.is_dictionary = number == 7;
                let is_second = number == 8;
                cursor.fields(2, |cursor, number, of| match (number, of) {
                    (1, _) => cursor.number(of, &mut header.values),
                    (5 | 6, _) if is_second => cursor.number(of, &mut levels[number as usize - 5]),
                    (7, kind::FALSE) if is_second => {
                        header.is_plain = true;
                        Ok(())
                    }
                    _ => cursor.skip(of, false, 3),
                })
            }
            _ => cursor.skip(of, false, 2),
        })?;
        (header.length, header.levels) = (cursor.at, levels[0].saturating_add(levels[1]));
        Ok(header)
    }
}

/// Upper bound on the decompressed size of a page, which depends on the compression codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundedCodec {
    /// Snappy: the exact decompressed size is stored at the start of the data.
    Snappy,
    /// Codec that decompresses each byte to at most this many bytes.
    Times(i64),
}

impl PageHeader {
    /// Checks the sizes declared in a page header against `data` (the first bytes of the page after the levels) and against `values`, the
    /// number of values in the column.
    pub(super) fn check(&self, squeezed: BoundedCodec, data: &[u8], values: i64) -> Result<(), String> {
        let PageHeader { uncompressed, compressed, levels, .. } = *self;
        if [uncompressed, compressed, levels, self.values].iter().any(|&number| number < 0) {
            return Err("counts less than nothing".to_owned());
        }
        // The values of a dictionary are plain: each takes at least one byte, most take four.
        let most = if self.is_dictionary { uncompressed } else { values };
        if self.values > most {
            return Err(format!("claims {} values where there is room for {most}", self.values));
        }
        let (claim, stored) = (uncompressed - levels, compressed - levels);
        if self.is_plain || claim <= 0 {
            return Ok(());
        }
        let there = match squeezed {
            BoundedCodec::Times(times) => stored.saturating_mul(times).saturating_add(1 << 16),
            BoundedCodec::Snappy => {
                Cursor { bytes: data, at: 0 }.varint().map_err(|_| "has no data".to_owned())? as i64
            }
        };
        let is_true = if squeezed == BoundedCodec::Snappy { claim == there } else { claim <= there };
        if is_true { Ok(()) } else { Err(format!("claims {claim} bytes where its data make {there} at most")) }
    }
}

/// Reads the headers of all pages between two file offsets; calls `show` with each header and the file offset of the page's data. `show`
/// can end the iteration.
pub(super) fn pages(
    mut at: u64,
    end: u64,
    read: impl Fn(u64, usize) -> std::io::Result<Vec<u8>>,
    mut show: impl FnMut(PageHeader, u64) -> ControlFlow<()>,
) -> Result<(), ThriftError> {
    const FIRST: usize = 256;
    while at < end {
        let mut length = FIRST;
        let header = loop {
            let room = usize::try_from(end - at).unwrap_or(usize::MAX);
            // The decoder reports later that these bytes cannot be read.
            let Ok(bytes) = read(at, length.min(room)) else { return Ok(()) };
            match PageHeader::read(&bytes) {
                Err(ThriftError::Short) if length < room => length *= 4,
                done => break done?,
            }
        };
        let data = at + header.length as u64;
        if show(header, data).is_break() {
            return Ok(());
        }
        at = data.saturating_add(u64::try_from(header.compressed).unwrap_or(0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Vec<u8> {
        let mut bytes = vec![0x29]; // Field 2, a list.
        let count = depth + 1;
        bytes.extend([0xfc, (count & 0x7f) as u8 | 0x80, (count >> 7) as u8]);
        for at in 0..count {
            // Field 5, an integer: one child, except for the last group.
            bytes.extend([0x55, if at < depth { 2 } else { 0 }, 0]);
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn columns_may_nest_so_deep_and_no_deeper() {
        assert_eq!(check_index(&nested(60)), Ok(()));
        assert_eq!(check_index(&nested(64)), Ok(()));
        for depth in [65, 100, 10_000] {
            assert_eq!(check_index(&nested(depth)), Err("its columns nest more than 64 deep"), "{depth}");
        }
    }

    #[test]
    fn what_is_counted_must_be_there() {
        // A list of 2^28 structures; a group of 100 columns; text of 2^20 bytes.
        for (bytes, message) in [
            (&[0x29, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0][..], "its index counts more than it holds"),
            (&[0x29, 0x1c, 0x55, 0xc8, 0x01, 0, 0], "a group of columns counts more than there are"),
            (&[0x18, 0x80, 0x80, 0x40, 0], "its index counts more than it holds"),
            (&[0x1e, 0], "it holds a value of no known kind"),
        ] {
            assert_eq!(check_index(bytes), Err(message), "{bytes:?}");
        }
        // Structures nested in structures.
        let deep = [vec![0x1c; 100_000], vec![0; 100_001]].concat();
        assert_eq!(check_index(&deep), Err("its structures nest too deep"));
        let lists = [vec![0x19], vec![0x19; 100_000]].concat();
        assert_eq!(check_index(&lists), Err("its structures nest too deep"));
    }

    #[test]
    fn pages_make_no_more_than_their_data() {
        let header = PageHeader { uncompressed: 20, compressed: 10, values: 5, ..PageHeader::default() };
        let data = [20, 0, 0];
        assert_eq!(header.check(BoundedCodec::Snappy, &data, 5), Ok(()));
        assert!(header.check(BoundedCodec::Snappy, &data, 4).is_err(), "more values than its column");
        for claim in [19, 21, i64::from(i32::MAX)] {
            assert!(
                PageHeader { uncompressed: claim, ..header }.check(BoundedCodec::Snappy, &data, 5).is_err(),
                "{claim}"
            );
        }
        let squeezed = BoundedCodec::Times(255);
        assert_eq!(PageHeader { uncompressed: 2550, ..header }.check(squeezed, &[], 5), Ok(()));
        assert!(PageHeader { uncompressed: 1 << 30, ..header }.check(squeezed, &[], 5).is_err());
        assert!(PageHeader { compressed: -1, ..header }.check(squeezed, &[], 5).is_err());
        let dictionary = PageHeader { is_dictionary: true, values: 1 << 30, ..header };
        assert!(dictionary.check(squeezed, &[], 1 << 40).is_err());
        // Levels are not compressed.
        let levels = PageHeader { uncompressed: 23, levels: 3, ..header };
        assert_eq!(levels.check(BoundedCodec::Snappy, &[20], 5), Ok(()));
    }
}
