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
    /// Time of an exchange of vectors by the clock, as a share of the processor time of all processes: median; least of the repeats.
    pub clock: f64,
}

impl Measurements {
    /// Measures everything so many times, and keeps the least time of each measurement, which other programs on the machine
    /// have disturbed least. Calls `progress` before each part.
    ///
    /// # Errors
    /// If workers cannot be started, or a measurement fails.
    pub fn take(repeats: usize, progress: &dyn Fn(&str)) -> Result<Measurements, String> {
        let mut least: Option<Measurements> = None;
        for _ in 0..repeats.max(1) {
            let once = Measurements::once(progress)?;
            least = Some(match least {
                Some(least) => least.least(&once),
                None => once,
            });
        }
        least.ok_or_else(|| "nothing was measured".to_owned())
    }

    fn once(progress: &dyn Fn(&str)) -> Result<Measurements, String> {
        progress("passes of the optimum");
        let pass = passes()?;
        progress("rounds of one pass");
        let rounds = rounds()?;
        progress("exchanges of vectors");
        let vectors = vectors()?;
        let (work, send, join, absorb) = (rounds.work, rounds.send, rounds.join, rounds.absorb);
        Ok(Measurements {
            parts: [vectors.coordinator, vectors.worker, pass, work, send, join, absorb],
            bytes: median(rounds.bytes),
            clock: median(vectors.clock),
        })
    }

    fn least(mut self, other: &Measurements) -> Measurements {
        let pairs = self.parts.iter_mut().flatten().zip(other.parts.iter().flatten());
        pairs.for_each(|(own, other)| own.seconds = own.seconds.min(other.seconds));
        Measurements { clock: self.clock.min(other.clock), ..self }
    }

    /// Returns the measurements as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let one = |one: &Measured| json!([one.what, one.counts, one.seconds]);
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
            let (what, counts, seconds) = serde_json::from_value(one.clone()).map_err(|error| error.to_string())?;
            Ok(Measured { what, counts, seconds })
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
        let one = Measured { what: "one".to_owned(), counts: vec![1.0, 0.1], seconds: 1e-7 / 3.0 };
        let mut all = Measurements { bytes: 43.0, clock: 0.9, ..Measurements::default() };
        all.parts[2] = vec![one];
        let read = Measurements::from_json(&all.to_json()).unwrap();
        assert_eq!(format!("{all:?}"), format!("{read:?}"));
        assert!(Measurements::from_json("{}").is_err() && Measurements::from_json("").is_err());
    }
}
