//! Ranges of bytes of an object, fetched in spite of broken connections.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore, path::Path};

use super::failure::Failure;

/// Object of a store, as it was when its size became known.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    pub(super) size: u64,
    /// Tag that changes with the content; `None` if the server gives none.
    pub(super) etag: Option<String>,
}

/// Number of times in a row that a transfer may break off without any byte.
const TRIES: u32 = 6;
/// First wait before a transfer is resumed, doubled each time that no byte came.
const FIRST_WAIT: Duration = Duration::from_millis(100);

impl Object {
    /// Fetches a range of bytes. A transfer that breaks off is resumed where it ended. The store's client itself repeats requests that fail.
    pub(super) async fn fetch(self: Arc<Object>, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::with_capacity(usize::try_from(range.end - range.start).unwrap_or_default());
        let (mut tries, mut wait) = (0, FIRST_WAIT);
        loop {
            let had = bytes.len();
            let at = range.start + had as u64;
            if at >= range.end {
                return Ok(bytes);
            }
            let broken = match self.get(Some(at..range.end)).await {
                Ok(answer) => read(answer, &mut bytes, range.end - range.start).await,
                Err(failure) => return Err(failure),
            };
            (tries, wait) = if bytes.len() > had { (0, FIRST_WAIT) } else { (tries + 1, 2 * wait) };
            if let Err(failure) = broken
                && tries >= TRIES
            {
                return Err(failure);
            }
            if range.start + (bytes.len() as u64) < range.end {
                tokio::time::sleep(jittered(wait)).await;
            }
        }
    }

    /// Requests a range of bytes, or the whole object, and checks that the object is the same as before.
    pub(super) async fn get(&self, range: Option<Range<u64>>) -> Result<GetResult, Failure> {
        // A weak tag never matches in a condition, but can be compared.
        let if_match = self.etag.clone().filter(|etag| !etag.starts_with("W/"));
        let options = GetOptions { range: range.map(GetRange::Bounded), if_match, ..GetOptions::default() };
        let answer = self.store.get_opts(&self.path, options).await?;
        let differs = |etag: &String| self.etag.as_ref().is_some_and(|known| known != etag);
        if answer.meta.size != self.size || answer.meta.e_tag.as_ref().is_some_and(differs) {
            return Err(Failure::Changed);
        }
        Ok(answer)
    }
}

/// Appends the body of an answer to `bytes`, up to `most` of them.
async fn read(answer: GetResult, bytes: &mut Vec<u8>, most: u64) -> Result<(), Failure> {
    let mut body = answer.into_stream();
    while let Some(next) = body.next().await {
        let next = next?;
        let left = usize::try_from(most).map_or(next.len(), |most| most.saturating_sub(bytes.len()));
        bytes.extend_from_slice(&next[..next.len().min(left)]);
    }
    Ok(())
}

/// Returns a random time of half to all of `wait`, so that readers that failed together do not come back together.
fn jittered(wait: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    wait.mul_f64(0.5 + 0.5 * random)
}
