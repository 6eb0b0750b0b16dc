//! Objects read from one end to the other, ahead of their use.

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use futures_util::StreamExt;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{
    failure::Failure,
    fetch::Object,
    runtime::{self, Pending},
    store::Scheme,
};
use crate::error::Transfer;

/// Size in bytes of the first range that is fetched; each next one is twice as large, up to [`LARGEST`].
const SMALLEST: u64 = 64 << 10;
const LARGEST: u64 = 4 << 20;
/// Number of ranges that are fetched at the same time, once the first one was used.
const AHEAD: usize = 4;

/// Reader of a range of an object, of which the next parts are fetched meanwhile.
pub(super) struct Ahead {
    object: Arc<Object>,
    scheme: Scheme,
    /// Offset of the next byte to be requested, and the end of the range.
    next: u64,
    end: u64,
    size: u64,
    coming: VecDeque<Pending<Result<Vec<u8>, Failure>>>,
    current: Cursor<Vec<u8>>,
    is_used: bool,
}

impl Ahead {
    pub(super) fn new(object: Arc<Object>, scheme: Scheme, start: u64, end: u64) -> Ahead {
        let (coming, current) = (VecDeque::new(), Cursor::default());
        Ahead { object, scheme, next: start, end, size: SMALLEST, coming, current, is_used: false }
    }

    /// Requests the next ranges, as many as are fetched at the same time.
    fn request(&mut self) -> io::Result<()> {
        let most = if self.is_used { AHEAD } else { 1 };
        while self.coming.len() < most && self.next < self.end {
            let range = self.next..self.end.min(self.next + self.size);
            (self.next, self.size) = (range.end, LARGEST.min(2 * self.size));
            self.coming.push_back(runtime::start(self.object.clone().fetch(range))?);
        }
        Ok(())
    }
}

impl Read for Ahead {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.current.read(to)?;
            if n > 0 || to.is_empty() {
                return Ok(n);
            }
            self.request()?;
            let Some(next) = self.coming.pop_front() else { return Ok(0) };
            let bytes = next.wait()?.map_err(|failure| failure.error(self.scheme))?;
            if bytes.is_empty() {
                return Ok(0);
            }
            self.current = Cursor::new(bytes);
            self.is_used = true;
            self.request()?;
        }
    }
}

/// Number of pieces of a body that wait for their reader.
const PIECES: usize = 16;

/// Reader of an object from a server that sends whole objects only. A transfer that breaks off cannot be resumed.
pub(super) struct Whole {
    pieces: Receiver<Result<bytes::Bytes, Failure>>,
    current: bytes::Bytes,
    scheme: Scheme,
    /// Number of bytes that are still to come.
    left: u64,
    /// Task that fetches; dropping it ends the transfer.
    _task: Pending<()>,
}

impl Whole {
    pub(super) fn new(object: Arc<Object>, scheme: Scheme) -> io::Result<Whole> {
        let (give, pieces) = channel(PIECES);
        let left = object.size;
        let task = runtime::start(async move { deliver(&object, &give).await })?;
        Ok(Whole { pieces, current: bytes::Bytes::new(), scheme, left, _task: task })
    }
}

async fn deliver(object: &Object, give: &Sender<Result<bytes::Bytes, Failure>>) {
    // If nobody reads any more, the rest is of no use.
    match object.get(None).await {
        Err(failure) => _ = give.send(Err(failure)).await,
        Ok(answer) => {
            let mut body = answer.into_stream();
            while let Some(next) = body.next().await {
                if give.send(next.map_err(Failure::from)).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl Read for Whole {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() && !to.is_empty() {
            match self.pieces.blocking_recv() {
                Some(Ok(next)) => self.current = next,
                // To resume the transfer, the store's client asked for a range.
                Some(Err(Failure::NoRanges)) => return Err(broken(self.left)),
                Some(Err(failure)) => return Err(failure.error(self.scheme)),
                None if self.left > 0 => return Err(broken(self.left)),
                None => return Ok(0),
            }
            self.left = self.left.saturating_sub(self.current.len() as u64);
        }
        let n = to.len().min(self.current.len());
        to[..n].copy_from_slice(&self.current.split_to(n));
        Ok(n)
    }
}

fn broken(left: u64) -> io::Error {
    let message =
        format!("the transfer broke off, with {left} bytes missing, and the server cannot resume it; try again");
    io::Error::other(Transfer(message))
}
