//! Rows from inputs, with an eye on the clock.

use crate::{failure::Failure, memory, session::Halt, watch::Watch};
use std::{
    ffi::OsString,
    sync::{
        Arc,
        mpsc::{self, Sender},
    },
    time::Duration,
};
use surefoot_glm::{Batch, threads::start};
use surefoot_io::{Error, InputName, Options, Order, Prefetch, Reader, RowSource, Shuffle, expand, spool};

/// How long a wait for rows lasts before the clock and the signals are looked at again.
const PATIENCE: Duration = Duration::from_millis(5);

/// Rows read on this thread or ahead on another.
#[derive(Debug)]
pub(crate) enum Rows {
    Here(Box<Reader>),
    Ahead(Prefetch),
    Shuffled(Shuffled),
}

/// Rows in another order than that of the inputs.
#[derive(Debug)]
pub(crate) struct Shuffled {
    rows: Prefetch,
    of: Arc<Shuffle>,
    /// Bytes that were read before these rows were asked for.
    before: u64,
}

/// What came of waiting for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The batch holds the next rows.
    Rows,
    /// There are none left.
    End,
    /// None came yet.
    Waiting,
}

impl Rows {
    /// Opens inputs. One thread is enough for files; what may keep us waiting, a pipe, is always read on
    /// another, so that signals are answered meanwhile.
    pub(crate) fn open(inputs: &[InputName], options: Options, threads: u16) -> Result<Rows, Error> {
        memory::reading(&names(inputs));
        let reader = Reader::open(inputs, options)?;
        let alone = threads == 1 && inputs.iter().all(InputName::can_reread);
        Ok(if alone { Rows::Here(Box::new(reader)) } else { Rows::Ahead(Prefetch::new(reader)) })
    }

    /// Always on another thread, which may have much to read and to sort before the first row comes.
    pub(crate) fn shuffled(of: &Arc<Shuffle>, order: Order) -> Rows {
        let before = of.bytes().0;
        Rows::Shuffled(Shuffled { rows: Prefetch::new(of.rows(order)), of: of.clone(), before })
    }

    pub(crate) fn next(&mut self, batch: &mut Batch) -> Result<Next, Error> {
        let more = match self {
            Rows::Here(reader) => Some(reader.read(batch)?),
            Rows::Ahead(prefetch) | Rows::Shuffled(Shuffled { rows: prefetch, .. }) => {
                prefetch.read_within(batch, PATIENCE)?
            }
        };
        if more == Some(true) {
            memory::read(batch.len());
        }
        Ok(match more {
            Some(true) => Next::Rows,
            Some(false) => Next::End,
            None => Next::Waiting,
        })
    }

    /// Bytes read so far, as stored, and how many there are if that is known.
    pub(crate) fn bytes(&self) -> (u64, Option<u64>) {
        match self {
            Rows::Here(reader) => reader.progress(),
            Rows::Ahead(prefetch) => prefetch.progress(),
            Rows::Shuffled(Shuffled { of, before, .. }) => {
                let (bytes, all) = of.bytes();
                (bytes - before, all)
            }
        }
    }

    /// How much of the work with these rows is done, in bytes: to read them, and to learn them where that comes after.
    pub(crate) fn work(&self) -> u64 {
        let (bytes, all) = self.bytes();
        match self {
            Rows::Shuffled(Shuffled { of, .. }) => bytes + (of.share() * all.unwrap_or(0) as f64) as u64,
            _ => bytes,
        }
    }
}

/// The inputs that these names, or patterns of names, stand for.
pub(crate) fn inputs(names: &[OsString]) -> Result<Vec<InputName>, Error> {
    let mut inputs = Vec::new();
    for name in names {
        inputs.extend(expand(name)?);
    }
    Ok(inputs)
}

/// The names of inputs, for a message about all of them.
pub(crate) fn names(inputs: &[InputName]) -> String {
    inputs.iter().map(InputName::to_string).collect::<Vec<_>>().join(", ")
}

/// The failure of data that turn out to hold no rows.
pub(crate) fn absent(inputs: &[InputName]) -> Failure {
    Failure::data(format!("{}: there are no rows", names(inputs)))
}

/// Copies standard input, where it is among the inputs, to where it can be read again.
pub(crate) fn spool_stdin(inputs: &mut [InputName], watch: &Watch) -> Result<(), Halt> {
    let Some(stdin) = inputs.iter_mut().find(|input| matches!(input, InputName::Stdin)) else { return Ok(()) };
    let (give, take) = mpsc::channel();
    // Where there is no thread, nothing ends it before the end of the input.
    let copy = |give: Sender<_>| _ = give.send(spool());
    start("spool", give, copy).map_or_else(copy, drop);
    loop {
        match take.recv_timeout(PATIENCE) {
            Ok(copy) => {
                *stdin = copy?;
                return Ok(());
            }
            Err(_) => watch.check()?,
        }
    }
}
