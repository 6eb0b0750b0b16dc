//! The trainer: scores each row, then learns it.

use crate::{Batch, Fault, Model, Plan, Settings, Shelf, Summary, shelf::InMemory};
use std::io;

/// Learns a generalised linear model from a stream of rows.
#[derive(Debug)]
pub struct Trainer {
    settings: Settings,
    plan: Plan,
    shelf: Box<dyn Shelf>,
}

impl Trainer {
    /// A trainer that has seen no row; with several passes it keeps held-out rows in memory.
    #[must_use]
    pub fn new(settings: Settings, plan: Plan) -> Trainer {
        Trainer::with_shelf(settings, plan, Box::<InMemory>::default())
    }

    /// The same, with held-out rows on a shelf of the caller's.
    #[must_use]
    pub fn with_shelf(settings: Settings, plan: Plan, shelf: Box<dyn Shelf>) -> Trainer {
        Trainer { settings, plan, shelf }
    }

    /// Goes on from a model that holds its state, bit for bit.
    ///
    /// # Errors
    /// If the model is slim or its state does not fit together.
    pub fn resume(model: &Model, plan: Plan, shelf: Box<dyn Shelf>) -> Result<Trainer, String> {
        Ok(Trainer { settings: model.settings.clone(), plan, shelf })
    }

    /// Puts the held-out rows among rows `from..to` of a batch on the shelf without learning anything: for a
    /// run that is resumed, whose shelf is gone. The rows are counted from the start of the data.
    ///
    /// # Errors
    /// Those of the shelf.
    pub fn reshelve(&mut self, _batch: &Batch, _from: usize, _to: usize) -> io::Result<()> {
        todo!()
    }

    /// Takes rows `from..to` of a batch in order: counts, scores, then learns (or holds out) each.
    ///
    /// # Errors
    /// The position of the first row that cannot be used and why; the rows before it are learnt, the row
    /// itself has changed nothing.
    pub fn learn(&mut self, _batch: &Batch, _from: usize, _to: usize) -> Result<(), (usize, Fault)> {
        todo!()
    }

    /// Ends a pass: with several passes, decides by hold-out loss whether this is the best model so far.
    /// To be called after the last row of each pass, the only one included.
    ///
    /// # Errors
    /// Those of the shelf.
    pub fn end_pass(&mut self) -> io::Result<()> {
        todo!()
    }

    /// Counters and losses as of now.
    #[must_use]
    pub fn summary(&self) -> Summary {
        todo!()
    }

    /// Mean loss since the previous call, and forgets it; `None` if no row was scored since.
    pub fn loss_recent(&mut self) -> Option<f64> {
        todo!()
    }

    /// The only label seen so far, if this is a classifier that has seen one label only.
    #[must_use]
    pub fn single_label(&self) -> Option<f64> {
        todo!()
    }

    /// Whether the leading lane is at an edge of the grid, and which: −1 the smallest scale, +1 the largest.
    #[must_use]
    pub fn edge(&self) -> i8 {
        todo!()
    }

    /// The model that a save stores now, with the state to go on from.
    #[must_use]
    pub fn model(&self) -> Model {
        todo!()
    }
}
