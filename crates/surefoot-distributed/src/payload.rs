//! Partial results of an exchange: sums for the optimum, or the work of a round of one pass.

use surefoot_glm::{
    Partial as RoundPartial,
    shards::{Join, Partial},
};

/// Message where partial results of different kinds meet.
pub(crate) const OTHER_STEPS: &str = "the workers take different steps: are their programs of the same version?";

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

/// Why bytes are no partial result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// They are not the bytes that were made.
    Damaged,
    /// They are those that were made, but their content is out of its range, with the reason.
    Refused(String),
}

impl Unreadable {
    /// Returns the message that ends the run, given whose partial result it is.
    pub(crate) fn message(&self, whose: &str) -> String {
        match self {
            Unreadable::Damaged => format!("the sums over the rows of {whose} have arrived damaged: run it again"),
            Unreadable::Refused(reason) => format!(
                "the sums over the rows of {whose} cannot be used: {reason}; look for weights, labels or offsets far \
                 beyond all others, and whether all workers run the same version"
            ),
        }
    }
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
            _ => Payload::Fault(OTHER_STEPS.to_owned()),
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

    /// Takes a partial result of all shards, which nothing is joined to. Those of rounds, which are large, are not read:
    /// whoever receives the total does, and has to check what it says.
    pub(crate) fn whole(bytes: &[u8]) -> Result<Payload, Unreadable> {
        match bytes.split_first() {
            Some((1, partial)) if RoundPartial::are_bytes_intact(partial) => {}
            Some((0, partial)) => _ = numbers(partial)?,
            _ => return Err(Unreadable::Damaged),
        }
        Ok(Payload::Whole(bytes.to_vec()))
    }

    /// Reads what [`append_to`](Payload::append_to) appended.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Payload, Unreadable> {
        match bytes.split_first() {
            Some((0, bytes)) => numbers(bytes).map(Payload::Numbers),
            Some((1, bytes)) => match RoundPartial::from_bytes(bytes) {
                Ok(partial) => Ok(Payload::Round(Box::new(partial))),
                Err(reason) if RoundPartial::are_bytes_intact(bytes) => Err(Unreadable::Refused(reason)),
                Err(_) => Err(Unreadable::Damaged),
            },
            Some((2, bytes)) => Ok(Payload::Fault(String::from_utf8_lossy(bytes).into_owned())),
            _ => Err(Unreadable::Damaged),
        }
    }
}

/// Reads numbers. They have no checksum, and nothing repairs them by sending them again: they were made like that.
fn numbers(bytes: &[u8]) -> Result<Partial, Unreadable> {
    Partial::from_bytes(bytes).ok_or_else(|| Unreadable::Refused("the numbers do not fit together".to_owned()))
}
