//! Store of held-out rows in bounded memory: rows are kept in memory up to a limit, and in an unnamed temporary file beyond it.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use surefoot_glm::{Batch, HoldoutStore, Row};

/// Maximum size of the encoded rows kept in memory, in bytes.
const MEMORY: usize = 64 << 20;

/// [`HoldoutStore`] that keeps up to 64 MiB of encoded rows in memory and writes the rest to an unnamed file in `TMPDIR`.
///
/// An invalid row ([`Row::check`]) is refused as [`InvalidInput`](io::ErrorKind::InvalidInput). The system deletes the file with the store,
/// however the process ends.
///
/// ```
/// use surefoot_glm::{Batch, HoldoutStore};
/// use surefoot_io::SpooledHoldout;
///
/// let mut batch = Batch::default();
/// batch.push(Some(1.0), 2.0, &[(3, 0.5)]);
/// let mut store = SpooledHoldout::default();
/// store.put(&batch.row(0))?;
/// store.visit(&mut |row| assert_eq!((row.weight, row.index), (2.0, &[3][..])))?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SpooledHoldout {
    limit: usize,
    /// Encoded rows that have not yet been written to the temporary file.
    memory: Vec<u8>,
    file: Option<BufWriter<std::fs::File>>,
    rows: u64,
}

impl Default for SpooledHoldout {
    fn default() -> SpooledHoldout {
        SpooledHoldout::with_limit(MEMORY)
    }
}

impl SpooledHoldout {
    fn with_limit(limit: usize) -> SpooledHoldout {
        SpooledHoldout { limit, memory: Vec::new(), file: None, rows: 0 }
    }
}

impl HoldoutStore for SpooledHoldout {
    fn put(&mut self, row: &Row<'_>) -> io::Result<()> {
        row.check().map_err(|fault| io::Error::new(io::ErrorKind::InvalidInput, fault))?;
        if self.file.is_none() && self.memory.len() > self.limit {
            let mut file = BufWriter::new(tempfile::tempfile()?);
            file.write_all(&self.memory)?;
            self.memory = Vec::new();
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => encode(row, file)?,
            None => encode(row, &mut self.memory)?,
        }
        self.rows += 1;
        Ok(())
    }

    fn visit(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()> {
        let Some(file) = &mut self.file else { return decode(self.rows, &self.memory[..], each) };
        file.flush()?;
        let file = file.get_mut();
        file.seek(SeekFrom::Start(0))?;
        decode(self.rows, BufReader::with_capacity(256 << 10, &*file), each)?;
        file.seek(SeekFrom::End(0)).map(drop)
    }
}

/// Writes a row as 8-byte numbers: label (NaN if absent), weight, offset, number of nonzeros, indices and values.
fn encode(row: &Row<'_>, to: &mut impl Write) -> io::Result<()> {
    to.write_all(&row.label.unwrap_or(f64::NAN).to_le_bytes())?;
    to.write_all(&row.weight.to_le_bytes())?;
    to.write_all(&row.offset.to_le_bytes())?;
    to.write_all(&(row.index.len() as u64).to_le_bytes())?;
    row.index.iter().try_for_each(|index| to.write_all(&index.to_le_bytes()))?;
    row.value.iter().try_for_each(|value| to.write_all(&value.to_le_bytes()))
}

fn decode(rows: u64, mut from: impl Read, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()> {
    let mut batch = Batch::default();
    for _ in 0..rows {
        batch.clear();
        batch.label.push(f64::from_bits(number(&mut from)?));
        batch.weight.push(f64::from_bits(number(&mut from)?));
        batch.offset.push(f64::from_bits(number(&mut from)?));
        let pairs = number(&mut from)? as usize;
        for _ in 0..pairs {
            batch.index.push(number(&mut from)?);
        }
        for _ in 0..pairs {
            batch.value.push(f64::from_bits(number(&mut from)?));
        }
        batch.start.push(pairs);
        each(&batch.row(0));
    }
    Ok(())
}

fn number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_glm::MemoryHoldout;

    #[derive(Debug, PartialEq)]
    struct Seen(Option<f64>, f64, Vec<u64>, Vec<f64>);

    fn all(store: &mut dyn HoldoutStore) -> Vec<Seen> {
        let mut seen = Vec::new();
        let mut each = |row: &Row<'_>| seen.push(Seen(row.label, row.weight, row.index.to_vec(), row.value.to_vec()));
        store.visit(&mut each).unwrap();
        seen
    }

    #[test]
    fn rows_come_back_in_order_from_memory_and_from_disk() {
        let mut batch = Batch::default();
        for i in 0..300u64 {
            let pairs: Vec<_> = (0..i % 7).map(|j| (i + j, 0.1 * j as f64 - 1e300)).collect();
            batch.push((i % 5 != 0).then_some(i as f64), i as f64 / 3.0, &pairs);
        }
        let mut stores =
            [SpooledHoldout::with_limit(1 << 20), SpooledHoldout::with_limit(1000), SpooledHoldout::with_limit(0)];
        let mut memory = MemoryHoldout::default();
        for r in 0..batch.len() {
            memory.put(&batch.row(r)).unwrap();
            for store in &mut stores {
                store.put(&batch.row(r)).unwrap();
                if r % 97 == 0 {
                    assert_eq!(all(store).len(), r + 1, "reading does not disturb writing");
                }
            }
        }
        let expected = all(&mut memory);
        assert_eq!(expected.len(), 300);
        for store in &mut stores {
            assert_eq!(all(store), expected);
            assert_eq!(all(store), expected, "a second time");
        }
        assert!(stores[0].file.is_none() && stores[1].file.is_some());
    }
}
