//! Fits over the rows of several processes: the coordinator and the workers, as state machines that exchange messages,
//! without an engine that starts processes and carries messages.
//!
//! Rows lie in a fixed number of *shards*. Every worker owns a range of shards and runs the same [`Program`], which at
//! times needs the sum of partial results over all shards: an *exchange*. The coordinator joins the partial results in
//! the shape of a fixed binary [tree](surefoot_glm::shards::Fold) over the shards and sends the total to all workers.
//! A program is a deterministic function of its shards and of the totals, so that
//!
//! * the number of workers, and which shards each owns, change no bit of the result;
//! * a worker that takes over shards repeats the program with the totals that the coordinator has [stored](Store), and
//!   needs nobody else to repeat anything;
//! * the stored totals are the checkpoint: a new coordinator resumes from them.
//!
//! To bound what has to be repeated, a program can hand in its [state](Exchange::reached), from which it can start.
//!
//! | part | what it does |
//! | --- | --- |
//! | [`Coordinator`] | assigns shards, joins partial results, stores totals; a pure state machine |
//! | [`Worker`] | runs the program, and turns messages into messages |
//! | [`Store`] | keeps totals and states, in [memory](MemoryStore) or in a [folder](FolderStore) |
//! | [`processes`] | an engine: worker processes on this machine, connected by pipes |
//!
//! Messages may be lost, repeated, delayed and reordered: both sides repeat what was not answered when their `tick` is
//! called, and ignore what they have seen. Messages about [progress](Progress) are for whoever watches a run, and change
//! nothing about it.

mod coordinator;
mod exchange;
mod member;
mod message;
mod payload;
pub mod processes;
mod progress;
mod status;
mod store;
mod worker;

pub use coordinator::{Action, Coordinator, Plan};
pub use exchange::{Exchange, Program};
pub use message::{FromWorker, Message, ToWorker};
pub use progress::{Progress, Pulse};
pub use status::{Status, WorkerStatus};
pub use store::{FolderStore, MemoryStore, Store};
pub use worker::Worker;
