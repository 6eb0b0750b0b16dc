//! All measurements, which can be stored so that tables come without measuring again.

use super::{
    model::{Measured, median},
    passes::passes,
    sums::rounds,
    vectors::vectors,
};
use serde_json::{Value, json};

/// Measurements of all parts.
#[derive(Clone, Debug, Default)]
pub struct Measurements {
    /// Of the coordinator and a worker in an exchange of vectors, a pass of the optimum, and of a round the work, the bytes, the
    /// joins and the learning.
    pub(super) parts: [Vec<Measured>; 7],
    /// Bytes of a feature in the sums of a round: median.
    pub bytes: f64,
    /// Time of an exchange of vectors by the clock, as a share of the processor time of all processes: median.
    pub clock: f64,
}

impl Measurements {
    /// Measures everything; each exchange among processes in so many runs. Calls `progress` before each part.
    ///
    /// # Errors
    /// If workers cannot be started, or a measurement fails.
    pub fn take(runs: usize, progress: &dyn Fn(&str)) -> Result<Measurements, String> {
        progress("passes of the optimum");
        let pass = passes()?;
        progress("rounds of one pass");
        let rounds = rounds()?;
        progress("exchanges of vectors");
        let vectors = vectors(runs)?;
        let (work, send, join, absorb) = (rounds.work, rounds.send, rounds.join, rounds.absorb);
        Ok(Measurements {
            parts: [vectors.coordinator, vectors.worker, pass, work, send, join, absorb],
            bytes: median(rounds.bytes),
            clock: median(vectors.clock),
        })
    }

    /// Returns the measurements as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let one = |one: &Measured| json!([one.what, one.terms, one.seconds]);
        let parts: Vec<Value> = self.parts.iter().map(|part| part.iter().map(one).collect()).collect();
        json!({ "parts": parts, "bytes": self.bytes, "clock": self.clock }).to_string()
    }

    /// Reads what [`to_json`](Measurements::to_json) returned.
    ///
    /// # Errors
    /// A message, if the text is something else.
    pub fn from_json(text: &str) -> Result<Measurements, String> {
        let wrong = || "these are no measurements".to_owned();
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let one = |one: &Value| {
            let (what, terms, seconds) = serde_json::from_value(one.clone()).map_err(|error| error.to_string())?;
            Ok(Measured { what, terms, seconds })
        };
        let parts = value["parts"].as_array().ok_or_else(wrong)?.iter();
        let parts = parts.map(|part| part.as_array().ok_or_else(wrong)?.iter().map(one).collect());
        let parts = parts.collect::<Result<Vec<Vec<Measured>>, String>>()?.try_into().map_err(|_| wrong())?;
        let number = |name: &str| value[name].as_f64().ok_or_else(wrong);
        Ok(Measurements { parts, bytes: number("bytes")?, clock: number("clock")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_read_as_they_were_stored() {
        let one = Measured { what: "one".to_owned(), terms: vec![1.0, 0.1], seconds: 1e-7 / 3.0 };
        let mut all = Measurements { bytes: 43.0, clock: 0.9, ..Measurements::default() };
        all.parts[2] = vec![one];
        let read = Measurements::from_json(&all.to_json()).unwrap();
        assert_eq!(format!("{all:?}"), format!("{read:?}"));
        assert!(Measurements::from_json("{}").is_err() && Measurements::from_json("").is_err());
    }
}
