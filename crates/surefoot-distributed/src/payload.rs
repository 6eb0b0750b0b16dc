//! Partial results of an exchange: sums for the optimum, or the work of a round of one pass.

use surefoot_glm::{
    Partial as RoundPartial,
    shards::{Join, Partial},
};

/// Partial result of some shards, or the total of all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Payload {
    /// Numbers, such as sums over rows.
    Numbers(Partial),
    /// Work of a round of one pass over shards.
    Round(Box<RoundPartial>),
    /// Partial results that do not go together, with the reason.
    Fault(String),
}

impl Join for Payload {
    fn join(&mut self, right: Payload) {
        let left = std::mem::replace(self, Payload::Fault(String::new()));
        *self = match (left, right) {
            (Payload::Numbers(mut left), Payload::Numbers(right)) => {
                left.join(right);
                Payload::Numbers(left)
            }
            (Payload::Round(left), Payload::Round(right)) => match left.join(*right) {
                Ok(joined) => Payload::Round(Box::new(joined)),
                Err(reason) => Payload::Fault(reason),
            },
            (Payload::Fault(reason), _) | (_, Payload::Fault(reason)) => Payload::Fault(reason),
            _ => Payload::Fault("the workers take different steps: are their programs of the same version?".to_owned()),
        };
    }
}

impl Payload {
    /// Returns the partial result as bytes, of which the first tells the kind.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, bytes) = match self {
            Payload::Numbers(partial) => (0, partial.to_bytes()),
            Payload::Round(partial) => (1, partial.to_bytes()),
            Payload::Fault(reason) => (2, reason.clone().into_bytes()),
        };
        [&[kind], &bytes[..]].concat()
    }

    /// Reads what [`to_bytes`](Payload::to_bytes) returned; `None` if the bytes are damaged.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Payload> {
        match bytes.split_first()? {
            (0, bytes) => Partial::from_bytes(bytes).map(Payload::Numbers),
            (1, bytes) => RoundPartial::from_bytes(bytes).ok().map(Box::new).map(Payload::Round),
            (2, bytes) => String::from_utf8(bytes.to_vec()).ok().map(Payload::Fault),
            _ => None,
        }
    }
}
