//! Joining of partial results of neighbouring shards.

/// Partial results of some shards that can be joined with those of the shards to the right.
pub trait Join {
    /// Joins this partial result with that of the shards to the right.
    fn join(&mut self, right: &Self);
}
