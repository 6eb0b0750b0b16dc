//! Messages between the coordinator and the workers.

use crate::progress::Progress;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    io::{self, Read, Write},
    ops::Range,
};

/// Message: a head, which is stored as JSON, and a body of bytes.
///
/// ```
/// use surefoot_distributed::{FromWorker, Message};
/// let message = Message { head: FromWorker::Hello, body: vec![1, 2] };
/// assert_eq!(Message::from_bytes(&message.to_bytes()), Some(message));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<H> {
    /// Kind of the message and its numbers.
    pub head: H,
    /// Bytes that the message carries.
    pub body: Vec<u8>,
}

/// Head of a message from the coordinator to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToWorker {
    /// Run the program. The body is the job, followed by the state to start from.
    Start {
        /// Number of this assignment; later messages carry it.
        epoch: u64,
        /// Shards that the worker owns.
        own: Range<usize>,
        /// Number of all shards.
        shards: usize,
        /// Length of the job in the body.
        job: usize,
        /// Number of exchanges before the state that follows the job; without a state 0.
        first: u64,
        /// Whether a state follows the job.
        has_state: bool,
        /// Number of exchanges whose total is stored: the worker asks for these, instead of contributing to them.
        stored: u64,
    },
    /// Total of an exchange, which is the body. If the body is empty, the run is to stop at this exchange.
    Total {
        /// Number of the assignment.
        epoch: u64,
        /// Number of the exchange.
        number: u64,
    },
    /// The result has arrived; the worker may end.
    End,
}

/// Head of a message from a worker to the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromWorker {
    /// The worker is ready for shards.
    Hello,
    /// Partial results for an exchange: the body has those of the nodes, one after the other.
    Part {
        /// Number of the assignment.
        epoch: u64,
        /// Number of the exchange.
        number: u64,
        /// Shards of each partial result, and the length of its bytes.
        nodes: Vec<(Range<usize>, usize)>,
    },
    /// Question for the total of an exchange that has taken place.
    Ask {
        /// Number of the assignment.
        epoch: u64,
        /// Number of the exchange.
        number: u64,
    },
    /// State of the program after a number of exchanges, which is the body.
    State {
        /// Number of the assignment.
        epoch: u64,
        /// Number of exchanges before the state.
        number: u64,
    },
    /// How much the worker has read, for whoever watches the run.
    Progress {
        /// Number of the assignment.
        epoch: u64,
        /// Rows and bytes read so far.
        progress: Progress,
    },
    /// News of the program for whoever watches the run, which is the body.
    Report {
        /// Number of the assignment.
        epoch: u64,
    },
    /// The program has ended. The body of the worker that owns the first shard is the result.
    Done {
        /// Number of the assignment.
        epoch: u64,
        /// Digest of the result, which is the same for all workers.
        digest: u64,
    },
    /// The program has failed, with the message in the body.
    Failed {
        /// Number of the assignment.
        epoch: u64,
    },
}

/// Maximum length of a head in bytes.
const MAX_HEAD: usize = 1 << 20;

impl<H: Serialize + DeserializeOwned> Message<H> {
    /// Creates a message without a body.
    pub fn of(head: H) -> Message<H> {
        Message { head, body: Vec::new() }
    }

    /// Returns the message as bytes: the length of the head as u32 (little-endian), the head, and the body.
    ///
    /// # Panics
    /// Never: heads are always valid JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(&self.head, &self.body)
    }

    /// Reads what [`to_bytes`](Message::to_bytes) returned; `None` if the bytes are damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Message<H>> {
        let (head, body) = split(bytes)?;
        Some(Message { head, body: body.to_vec() })
    }
}

/// Returns a message as bytes: see [`Message::to_bytes`].
pub(crate) fn to_bytes(head: &impl Serialize, body: &[u8]) -> Vec<u8> {
    let head = serde_json::to_vec(head).expect("heads are valid JSON");
    let mut bytes = Vec::with_capacity(4 + head.len() + body.len());
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    bytes.extend(body);
    bytes
}

/// Returns the head of a message and its body; `None` if the bytes are damaged.
pub(crate) fn split<H: DeserializeOwned>(bytes: &[u8]) -> Option<(H, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let len = u32::from_le_bytes(*len) as usize;
    let (head, body) = rest.split_at_checked(len).filter(|_| len <= MAX_HEAD)?;
    Some((serde_json::from_slice(head).ok()?, body))
}

/// Writes a message with its length, for a stream of messages.
///
/// # Errors
/// If the stream cannot be written.
pub(crate) fn write_frame(to: &mut impl Write, message: &[u8]) -> io::Result<()> {
    to.write_all(&(message.len() as u64).to_le_bytes())?;
    to.write_all(message)?;
    to.flush()
}

/// Reads the next message of a stream; `None` at its end.
///
/// # Errors
/// If the stream cannot be read, or ends within a message.
pub(crate) fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut len = [0; 8];
    let mut filled = 0;
    while filled < len.len() {
        match from.read(&mut len[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let len = u64::from_le_bytes(len);
    let mut message = Vec::new();
    // Grows with the bytes that arrive, so that a damaged length does not exhaust the memory.
    from.take(len).read_to_end(&mut message)?;
    if message.len() as u64 == len { Ok(Some(message)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
