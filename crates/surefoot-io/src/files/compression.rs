//! Decompression; the codec is detected by content.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// Input of a decoder: the bytes read ahead for detection, then the rest.
type PeekedInput = BufReader<Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>>;

/// A compression format; a new one is a row of [`CODECS`].
struct Codec {
    name: &'static str,
    /// The first bytes of a compressed file as ranges, one per byte.
    magic: [(u8, u8); 4],
    open: fn(PeekedInput) -> io::Result<Box<dyn Read + Send>>,
}

/// File name extensions of compressed files.
pub(crate) const EXTENSIONS: &[&str] = &["gz", "bgz", "zst", "xz", "bz2"];

const CODECS: &[Codec] = &[
    // The fourth byte holds flags, three of them reserved as 0.
    Codec { name: "gzip", magic: [(0x1f, 0x1f), (0x8b, 0x8b), (8, 8), (0, 0x1f)], open: gzip },
    Codec { name: "zstd", magic: [(0x28, 0x28), (0xb5, 0xb5), (0x2f, 0x2f), (0xfd, 0xfd)], open: zstd },
    // A skippable frame, as parallel compressors write first.
    Codec { name: "zstd", magic: [(0x50, 0x5f), (0x2a, 0x2a), (0x4d, 0x4d), (0x18, 0x18)], open: zstd },
    Codec { name: "xz", magic: [(0xfd, 0xfd), (0x37, 0x37), (0x7a, 0x7a), (0x58, 0x58)], open: xz },
    // "BZh" and the size of blocks.
    Codec { name: "bzip2", magic: [(0x42, 0x42), (0x5a, 0x5a), (0x68, 0x68), (0x31, 0x39)], open: bzip2 },
];

/// Members of a gzip file follow each other without a mark: all are read.
fn gzip(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(flate2::bufread::MultiGzDecoder::new(stored)))
}

fn zstd(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(zstd::Decoder::with_buffer(stored)?))
}

/// Streams follow each other, with zeros between; all are read.
fn xz(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    let decoder = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)?;
    Ok(Box::new(liblzma::bufread::XzDecoder::new_stream(stored, decoder)))
}

fn bzip2(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(Bzip2::Between(stored)))
}

/// Streams of bzip2, one after the other.
///
/// A decoder takes as long to make as some thousand bytes to decode. So empty streams, of which 14 bytes make one, are passed over.
enum Bzip2 {
    Between(PeekedInput),
    Within(bzip2::bufread::BzDecoder<PeekedInput>),
    /// While it changes from one to the other.
    Changing,
}

/// Content of an empty stream after "BZh" and the block size: the end marker, and the checksum of no data.
const EMPTY_STREAM: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// Passes over empty streams; whether nothing is left.
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

/// Most memory that an xz file may ask for, in bytes: four times what `xz -9` asks for.
const XZ_MEMORY: u64 = 260 << 20;

/// Bytes per read of compressed inputs.
const STORED: usize = 128 << 10;

/// Wraps `raw` into the decoder that its first bytes ask for, and names it.
///
/// Reads no more than is needed to decide: a pipe whose first byte starts no compressed file is plain at once.
/// Inputs of fewer than four bytes are plain.
pub(crate) fn decode(mut raw: Box<dyn Read + Send>) -> io::Result<(Option<&'static str>, Box<dyn Read + Send>)> {
    let mut head = vec![0; 4096];
    let mut len = 0;
    let codec = loop {
        let Some(codec) = CODECS.iter().find(|codec| codec.may_start(&head[..len])) else { break None };
        if len >= codec.magic.len() {
            break Some(codec);
        }
        match raw.read(&mut head[len..])? {
            0 => break None,
            n => len += n,
        }
    };
    head.truncate(len);
    let whole = Cursor::new(head).chain(raw);
    match codec {
        None => Ok((None, Box::new(whole))),
        Some(codec) => Ok((Some(codec.name), (codec.open)(BufReader::with_capacity(STORED, whole))?)),
    }
}

impl Codec {
    /// Whether a file of this kind may start with `head`, which may be shorter than the magic.
    fn may_start(&self, head: &[u8]) -> bool {
        self.magic.iter().zip(head).all(|(&(low, high), byte)| (low..=high).contains(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
