//! Decompression of inputs, with the codec detected from the first bytes. Each codec except gzip is a cargo feature; files of a disabled
//! codec are recognised in `formats/unreadable.rs`.

#[cfg(feature = "bzip2")]
mod bzip2_streams;

use std::io::{self, BufReader, Chain, Cursor, Read};

/// Stored bytes that are passed to a decoder: those already read to detect the codec, followed by the rest of the stream.
type PeekedInput = BufReader<Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>>;

/// Compression codec with its magic bytes and the constructor of its decoder; to add a codec, add a row to [`CODECS`].
struct Codec {
    name: &'static str,
    /// Allowed range (lowest and highest value) of each of the first four bytes of a file compressed with this codec.
    magic: [(u8, u8); 4],
    open: fn(PeekedInput) -> io::Result<Box<dyn Read + Send>>,
}

/// File name extensions of compressed files, without the dot.
pub(crate) const EXTENSIONS: &[&str] = &["gz", "bgz", "zst", "xz", "bz2"];

const CODECS: &[Codec] = &[
    // The fourth byte holds flags, three of which are reserved and must be 0.
    Codec { name: "gzip", magic: [(0x1f, 0x1f), (0x8b, 0x8b), (8, 8), (0, 0x1f)], open: gzip },
    #[cfg(feature = "zstd")]
    Codec { name: "zstd", magic: [(0x28, 0x28), (0xb5, 0xb5), (0x2f, 0x2f), (0xfd, 0xfd)], open: zstd },
    // Skippable frame, as parallel compressors write first.
    #[cfg(feature = "zstd")]
    Codec { name: "zstd", magic: [(0x50, 0x5f), (0x2a, 0x2a), (0x4d, 0x4d), (0x18, 0x18)], open: zstd },
    #[cfg(feature = "xz")]
    Codec { name: "xz", magic: [(0xfd, 0xfd), (0x37, 0x37), (0x7a, 0x7a), (0x58, 0x58)], open: xz },
    // "BZh" and the block size.
    #[cfg(feature = "bzip2")]
    Codec { name: "bzip2", magic: [(0x42, 0x42), (0x5a, 0x5a), (0x68, 0x68), (0x31, 0x39)], open: bzip2 },
];

/// Returns a decoder of a gzip file of one or more concatenated members.
fn gzip(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(flate2::bufread::MultiGzDecoder::new(stored)))
}

#[cfg(feature = "zstd")]
fn zstd(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(zstd::Decoder::with_buffer(stored)?))
}

/// Returns a decoder of an xz file of one or more concatenated streams, which may be separated by zero bytes.
#[cfg(feature = "xz")]
fn xz(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    let decoder = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)?;
    Ok(Box::new(liblzma::bufread::XzDecoder::new_stream(stored, decoder)))
}

#[cfg(feature = "bzip2")]
fn bzip2(stored: PeekedInput) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(bzip2_streams::Bzip2::Between(stored)))
}

/// Maximum memory for decoding an xz file, in bytes: four times what files written by `xz -9` need.
#[cfg(feature = "xz")]
const XZ_MEMORY: u64 = 260 << 20;

/// Maximum number of compressed bytes fetched per read.
const STORED: usize = 128 << 10;

/// Wraps `raw` in the decoder that its first bytes indicate; returns the name of the codec, or `None` for uncompressed data, with the
/// decoded stream.
///
/// Reads no more than is needed to decide: a pipe whose first byte starts no compressed file is recognised as uncompressed at once. Inputs
/// of fewer than four bytes count as uncompressed.
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
    /// Whether a file that begins with `head` may be compressed with this codec; `head` may be shorter than the magic bytes.
    fn may_start(&self, head: &[u8]) -> bool {
        self.magic.iter().zip(head).all(|(&(low, high), byte)| (low..=high).contains(byte))
    }
}
