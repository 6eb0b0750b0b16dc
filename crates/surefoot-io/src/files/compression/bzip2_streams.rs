//! Decoder of bzip2 files that consist of several concatenated streams.

use super::PeekedInput;
use std::io::{self, BufRead, Read};

/// Decoder of all concatenated streams of a bzip2 file.
///
/// An empty stream (14 bytes) is skipped without creating a decoder, which would take as long as decoding several thousand bytes.
pub(super) enum Bzip2 {
    Between(PeekedInput),
    Within(bzip2::bufread::BzDecoder<PeekedInput>),
    /// Placeholder that holds the state's place while the next state is built.
    Changing,
}

/// Bytes of an empty bzip2 stream after "BZh" and the block-size digit: the end-of-stream marker, and the checksum of no data.
const EMPTY_STREAM: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// Skips empty bzip2 streams at the current position; returns true if the input then ends.
fn pass_empty(stored: &mut PeekedInput) -> io::Result<bool> {
    loop {
        match stored.fill_buf()? {
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if rest.starts_with(&EMPTY_STREAM) => {
                stored.consume(4 + EMPTY_STREAM.len());
            }
            left => return Ok(left.is_empty()),
        }
    }
}

impl Read for Bzip2 {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, Bzip2::Changing) {
                Bzip2::Between(mut stored) => match pass_empty(&mut stored) {
                    Ok(false) => Bzip2::Within(bzip2::bufread::BzDecoder::new(stored)),
                    ended => {
                        *self = Bzip2::Between(stored);
                        return ended.map(|_| 0);
                    }
                },
                Bzip2::Within(mut decoder) => {
                    let read = decoder.read(bytes);
                    if bytes.is_empty() || !matches!(read, Ok(0)) {
                        *self = Bzip2::Within(decoder);
                        return read;
                    }
                    Bzip2::Between(decoder.into_inner())
                }
                Bzip2::Changing => return Ok(0),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::files::compression::decode;
    use std::io::{Cursor, Read, Write};

    #[test]
    fn streams_of_bzip2_follow_each_other_and_may_be_empty() {
        let stream = |text: &[u8], level| {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        };
        let empty: Vec<u8> = [1, 9].into_iter().flat_map(|level| stream(b"", level)).collect();
        assert_eq!(empty.len(), 28);
        for many in [0, 1, 20_000] {
            let none = empty.repeat(many);
            let all = [&none[..], &stream(b"1 1:1\n", 9), &none, &none, &stream(b"0 2:1\n", 1), &none].concat();
            let (name, mut decoded) = decode(Box::new(Cursor::new(all))).unwrap();
            let mut text = String::new();
            decoded.read_to_string(&mut text).unwrap();
            assert_eq!((name, text.as_str()), (Some("bzip2"), "1 1:1\n0 2:1\n"));
        }
        let cut = stream(b"1 1:1\n", 9);
        for length in 5..cut.len() {
            let (_, mut decoded) = decode(Box::new(Cursor::new(cut[..length].to_vec()))).unwrap();
            assert!(decoded.read_to_end(&mut Vec::new()).is_err(), "{length} bytes");
        }
        let (_, mut decoded) = decode(Box::new(Cursor::new([&cut[..], b"more"].concat()))).unwrap();
        assert!(decoded.read_to_end(&mut Vec::new()).is_err());
    }
}
