//! Random access to an object by requests for ranges of it.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "parquet")]
use super::cache;
use super::{cache::Cache, fetch::Object, runtime, store::Scheme, stream::Ahead};
use crate::{error::Transfer, files::random_access::RandomAccess};

/// Number of bytes that are fetched at least, since a request takes as long as some of them.
const LEAST: u64 = 64 << 10;
/// Number of bytes that are fetched by one request at most.
const MOST: u64 = 8 << 20;
/// Number of bytes between ranges that are fetched rather than request the ranges apart.
#[cfg(feature = "parquet")]
const GAP: u64 = 256 << 10;
/// Number of requests at the same time.
const AT_ONCE: usize = 8;

/// Object with random access.
pub(super) struct Remote {
    object: Arc<Object>,
    scheme: Scheme,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cache: Cache,
    /// Message of the first failure. It is repeated, so that a decoder that looks again for damage finds the failure.
    failed: Option<String>,
}

impl Remote {
    pub(super) fn new(object: Arc<Object>, scheme: Scheme) -> Remote {
        Remote { object, scheme, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches ranges, several at the same time, and adds them to the cache.
    fn fetch(&self, state: &mut State, ranges: &[Range<u64>]) -> io::Result<()> {
        if let Some(message) = &state.failed {
            return Err(io::Error::other(Transfer(message.clone())));
        }
        for some in ranges.chunks(AT_ONCE) {
            let start = |range: &Range<u64>| runtime::start(self.object.clone().fetch(range.clone()));
            let coming = some.iter().map(start).collect::<io::Result<Vec<_>>>()?;
            for (range, pending) in some.iter().zip(coming) {
                match pending.wait()? {
                    Ok(bytes) => state.cache.add(range.start, bytes),
                    Err(failure) => {
                        let error = failure.error(self.scheme);
                        state.failed = Some(error.to_string());
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }
}

impl RandomAccess for Remote {
    fn size(&self) -> u64 {
        self.object.size
    }

    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        if to.is_empty() || at >= self.object.size {
            return Ok(0);
        }
        let state = &mut *self.lock();
        match state.cache.read(to, at) {
            0 => {
                let size = self.object.size;
                let length = (to.len() as u64).clamp(LEAST, MOST);
                // The index of a table is at its end, and is read from there on.
                let start = if size - at < LEAST { size.saturating_sub(LEAST) } else { at };
                let range = start..size.min(at + length);
                self.fetch(state, std::slice::from_ref(&range))?;
                Ok(state.cache.read(to, at))
            }
            n => Ok(n),
        }
    }

    fn stream(self: Arc<Self>, start: u64, end: u64) -> Box<dyn Read + Send> {
        Box::new(Ahead::new(self.object.clone(), self.scheme, start, end.min(self.object.size)))
    }

    #[cfg(feature = "parquet")]
    fn prefetch(&self, ranges: &[Range<u64>]) {
        let ranges = cache::joined(ranges, GAP);
        let size = self.object.size;
        let pieces: Vec<_> = ranges.into_iter().flat_map(|range| pieces(range.start..range.end.min(size))).collect();
        // What is not fetched here is fetched when it is read.
        if pieces.iter().map(|range| range.end - range.start).sum::<u64>() <= cache::MOST {
            let state = &mut *self.lock();
            state.cache.clear();
            let _ = self.fetch(state, &pieces);
        }
    }
}

/// Divides a range into pieces of the size of a request.
#[cfg(feature = "parquet")]
fn pieces(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let starts = (range.start..range.end.max(range.start)).step_by(MOST as usize);
    starts.map(move |start| start..range.end.min(start + MOST))
}
