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
    /// Partial result of all shards, which need not be read, as bytes.
    Whole(Vec<u8>),
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
    /// Appends the partial result as bytes, of which the first tells the kind.
    pub(crate) fn append_to(&self, bytes: &mut Vec<u8>) {
        match self {
            Payload::Numbers(partial) => {
                bytes.push(0);
                bytes.extend(partial.to_bytes());
            }
            Payload::Round(partial) => {
                bytes.push(1);
                partial.append_to(bytes);
            }
            Payload::Fault(reason) => {
                bytes.push(2);
                bytes.extend(reason.as_bytes());
            }
            Payload::Whole(whole) => bytes.extend(whole),
        }
    }

    /// Returns the partial result as bytes.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        if let Payload::Whole(bytes) = self {
            return bytes;
        }
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }

    /// Takes a partial result of all shards, which nothing is joined to; `None` if the bytes are damaged.
    pub(crate) fn whole(bytes: &[u8]) -> Option<Payload> {
        let is_intact = match bytes.split_first()? {
            (0, partial) => Partial::from_bytes(partial).is_some(),
            (1, partial) => RoundPartial::are_bytes_intact(partial),
            _ => return None,
        };
        is_intact.then(|| Payload::Whole(bytes.to_vec()))
    }

    /// Reads what [`append_to`](Payload::append_to) appended; `None` if the bytes are damaged.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Payload> {
        match bytes.split_first()? {
            (0, bytes) => Partial::from_bytes(bytes).map(Payload::Numbers),
            (1, bytes) => RoundPartial::from_bytes(bytes).ok().map(Box::new).map(Payload::Round),
            (2, bytes) => String::from_utf8(bytes.to_vec()).ok().map(Payload::Fault),
            _ => None,
        }
    }
}
