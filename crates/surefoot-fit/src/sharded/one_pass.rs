//! One pass over rows in shards, in rounds.

use super::{
    ShardedOutcome, UnusedGroups,
    findings::{combine, names, names_of},
};
use crate::{
    bad_rows::BadRows,
    data::Data,
    error::FitError,
    event::Event,
    fit::Fit,
    rows::{Next, Rows},
};
use serde::{Deserialize, Serialize};
use surefoot_glm::{
    Batch, FeatureNames, Partial as RoundPartial, Place, RefusedRow, RoundTrainer, RoundWork,
    shards::{Interrupted, Partial, Shards},
};
use surefoot_io::{InferredSchema, Options, model_from_bytes, model_to_bytes};

/// The state is handed in again when the number of rows has grown by this factor: what a worker that takes over shards has to repeat is
/// a third of the pass at most.
const GROWTH: f64 = 1.5;
/// The loss is reported again when the number of rows has grown by this factor: about eight times per doubling.
const REPORTED: f64 = 1.09;

/// Connection among the processes of a pass in rounds.
pub trait Rounds {
    /// Returns the state that the pass starts from, as it was handed in before; `None` at the beginning.
    fn start(&self) -> Option<Vec<u8>>;

    /// Joins the work of all shards in a round, given that of the shards of this process.
    ///
    /// # Errors
    /// If the run was stopped; all processes then get this error in the same round.
    fn combine(&self, own: RoundPartial) -> Result<RoundPartial, Interrupted>;

    /// Takes the state of the pass after a round, the same in all processes. Calls `state` only if it is wanted.
    fn reached(&self, state: &mut dyn FnMut() -> Vec<u8>);
}

/// Reader of the rows of one shard.
struct ShardReader<'d> {
    number: usize,
    data: &'d Data,
    options: Options,
    rows: Rows,
    batch: Batch,
    /// Position of the next row in the batch.
    next: usize,
    is_over: bool,
    /// Rows of this round that are learnt one by one at its end, with their places.
    kept: Batch,
    bad_rows: BadRows,
    /// Numbers of rows that were read since the last report, and of bytes before it.
    since: (u64, u64),
}

impl Fit<'_> {
    /// Makes one pass over the rows of all shards, of which this process owns some, each with its number and its data, in ascending order;
    /// `schema` is that of all rows. All processes have to run the same fit, and get the same result. The pass goes in rounds: see
    /// [`RoundTrainer`]. Every row is scored, before it is learnt, by the model of the start of its round.
    ///
    /// If the run was stopped, the model is that of the last round.
    ///
    /// # Errors
    /// The first row at fault, an input that cannot be read, data without rows, or settings that rounds do not take. Returns `None` if the
    /// run was stopped before a row was learnt.
    pub fn run_rounds(
        mut self,
        own: &[(usize, Data)],
        schema: &InferredSchema,
        shards: &Shards,
        rounds: &dyn Rounds,
    ) -> Result<Option<ShardedOutcome>, FitError> {
        self.settings.reading = self.options.with_schema(schema).reading();
        let (mut trainer, mut taken, mut findings) = self.replica(shards, rounds)?;
        let open =
            |(number, data)| ShardReader::open(number, data, self.options.with_schema(schema), self.skip_bad_rows);
        let own = own.iter().map(|(number, data)| open((*number, data)));
        let mut readers = own.collect::<Result<Vec<_>, FitError>>()?;
        readers.iter_mut().try_for_each(|reader| reader.skip(taken))?;
        let (mut stored, mut told, mut work) = (trainer.summary().rows, 0_u64, trainer.work());
        let is_over = loop {
            let count = trainer.rows_per_shard();
            work.restart(&trainer);
            let own = self.work(&mut readers, &mut trainer, &mut work, count)?;
            let Ok(total) = rounds.combine(own) else { break false };
            taken += count as u64;
            if total.taken() == 0 {
                let (summary, bytes) = (trainer.summary(), bytes(&readers, shards.total));
                self.observer.event(Event::Round { summary: &summary, recent: None, bytes });
                break findings.update(&mut readers, shards).is_ok();
            }
            let before = trainer.summary().rows;
            let refused = trainer.absorb(&total).map_err(|reason| FitError::Shards { reason })?;
            refused.iter().try_for_each(|refused| self.pass_over(&mut readers, refused))?;
            let summary = trainer.summary();
            let has_doubled = summary.rows.max(1).ilog2() > before.max(1).ilog2();
            if has_doubled || summary.rows as f64 >= REPORTED * told as f64 {
                told = summary.rows;
                let recent = if has_doubled { trainer.recent_loss() } else { None };
                let bytes = bytes(&readers, shards.total);
                self.observer.event(Event::Round { summary: &summary, recent, bytes });
            }
            if summary.rows as f64 >= GROWTH * stored as f64 {
                stored = summary.rows;
                if findings.update(&mut readers, shards).is_err() {
                    break false;
                }
                rounds.reached(&mut || state(&trainer, taken, &findings));
            }
        };
        finish(&trainer, &findings, is_over, self.skip_bad_rows)
    }

    /// Returns the replica of the learner at the beginning of the pass, or as it was handed in, with the rows that each shard has taken
    /// by then and what all readers had found.
    fn replica(&self, shards: &Shards, rounds: &dyn Rounds) -> Result<(RoundTrainer, u64, Findings), FitError> {
        let refused = |reason: String| FitError::Shards { reason };
        let count = u32::try_from(shards.total).map_err(|_| refused("there are too many shards".to_owned()))?;
        let Some(state) = rounds.start() else {
            let mut trainer = RoundTrainer::new(self.settings.clone(), count).map_err(refused)?;
            if self.options.wanted.trials.is_some() {
                trainer.treat_labels_as_proportions();
            }
            return Ok((trainer, 0, Findings::default()));
        };
        let model = model_from_bytes("the state of the run", &state).map_err(|error| refused(error.to_string()))?;
        let place = model.unfinished.clone().and_then(|place| serde_json::from_value(place).ok());
        let Progress { taken, skipped } = place.unwrap_or_default();
        let trainer = RoundTrainer::resume(&model, count).map_err(refused)?;
        Ok((trainer, taken, Findings { names: model.names, skipped }))
    }

    /// Passes over a row that was refused when it was to be learnt, if it is one of this process.
    fn pass_over(&self, readers: &mut [ShardReader<'_>], refused: &RefusedRow) -> Result<(), FitError> {
        let own = readers.iter_mut().find(|reader| reader.number == refused.shard as usize);
        let Some(ShardReader { data, options, kept, bad_rows, .. }) = own else { return Ok(()) };
        bad_rows.pass_over(|| self.locate_in(data, kept, refused.row, &refused.fault, options), true)
    }

    /// Sums up the work of the next rows of each shard.
    fn work(
        &mut self,
        readers: &mut [ShardReader<'_>],
        trainer: &mut RoundTrainer,
        work: &mut RoundWork,
        count: usize,
    ) -> Result<RoundPartial, FitError> {
        for reader in readers {
            work.start_shard(trainer, reader.number as u32);
            reader.add(self, work, trainer, count)?;
            self.observer.event(reader.news());
        }
        work.finish().map_err(|reason| FitError::Shards { reason })
    }
}

impl<'d> ShardReader<'d> {
    fn open(number: usize, data: &'d Data, options: Options, skip: u64) -> Result<ShardReader<'d>, FitError> {
        let (rows, bad_rows) = (Rows::open(data, &options, 1)?, BadRows::new(skip));
        let (batch, kept, since) = (Batch::default(), Batch::default(), (0, 0));
        Ok(ShardReader { number, data, options, rows, batch, next: 0, is_over: false, kept, bad_rows, since })
    }

    /// Returns what was read since the last time.
    fn news(&mut self) -> Event<'static> {
        let bytes = self.rows.bytes().0;
        let (rows, before) = std::mem::replace(&mut self.since, (0, bytes));
        Event::ShardRead { rows, bytes: bytes.saturating_sub(before) }
    }

    /// Makes the next rows available; returns `false` at the end of the shard. `counts` tells whether rows at fault count as skipped.
    fn fill(&mut self, counts: bool) -> Result<bool, FitError> {
        while self.next == self.batch.len() && !self.is_over {
            self.next = 0;
            self.batch.clear();
            match self.rows.next(&mut self.batch) {
                Ok(Next::End) => self.is_over = true,
                Ok(Next::Rows) => self.since.0 += self.batch.len() as u64,
                Ok(Next::Waiting) => {}
                Err(error) if error.is_row() => self.bad_rows.pass_over(|| error, counts)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(!self.is_over)
    }

    /// Passes over rows that were taken before.
    fn skip(&mut self, mut count: u64) -> Result<(), FitError> {
        while count > 0 && self.fill(false)? {
            let step = (self.batch.len() - self.next).min(usize::try_from(count).unwrap_or(usize::MAX));
            (self.next, count) = (self.next + step, count - step as u64);
        }
        Ok(())
    }

    /// Keeps the rows from the next one to `until`, with what is needed to find them again in their file.
    fn keep(&mut self, until: usize) {
        for r in self.next..until {
            self.kept.append(&self.batch.row(r));
            if let (Some(kept), Some(place)) = (self.kept.place.last_mut(), self.batch.place.get(r)) {
                *kept = Place { text: (0, 0), ..*place };
            }
        }
    }

    /// Adds the next rows to the work of a round.
    fn add(
        &mut self,
        fit: &Fit<'_>,
        work: &mut RoundWork,
        trainer: &mut RoundTrainer,
        mut count: usize,
    ) -> Result<(), FitError> {
        self.kept.clear();
        while count > 0 && self.fill(true)? {
            let found = &self.options.found;
            if found.has_text_labels() {
                trainer.treat_labels_as_class_names(|| found.classes());
                work.add_classes(&found.classes());
            }
            let to = self.batch.len().min(self.next + count);
            let added = work.add(trainer, &self.batch, self.next, to);
            let until = added.as_ref().map_or_else(|(row, _)| *row + 1, |()| to);
            if trainer.is_one_by_one() {
                self.keep(until - usize::from(added.is_err()));
            }
            if let Err((row, fault)) = &added {
                let error = || fit.locate_in(self.data, &self.batch, *row, fault, &self.options);
                self.bad_rows.pass_over(error, true)?;
            }
            (count, self.next) = (count - (until - self.next), until);
        }
        Ok(())
    }
}

/// Estimates the number of bytes that all processes have read, from those of this one.
fn bytes(readers: &[ShardReader<'_>], shards: usize) -> u64 {
    let own: u64 = readers.iter().map(|reader| reader.rows.bytes().0).sum();
    (own as f64 * shards as f64 / readers.len().max(1) as f64) as u64
}

/// Progress of a pass after a round.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Progress {
    /// Number of rows that each shard has taken, or would have if it had so many.
    taken: u64,
    /// Number of rows at fault that were skipped in all shards.
    skipped: u64,
}

/// Returns the state of the pass after `taken` rows of each shard. It holds all that a model of this moment has, so that a worker
/// which goes on from it ends in the same model as those that were not lost.
fn state(trainer: &RoundTrainer, taken: u64, findings: &Findings) -> Vec<u8> {
    let place = serde_json::to_value(Progress { taken, skipped: findings.skipped }).unwrap_or_default();
    let mut model = trainer.pause(place);
    model.names.clone_from(&findings.names);
    model.settings.reading.classes = trainer.classes().to_vec();
    model_to_bytes(&model).unwrap_or_default()
}

/// What the readers of all shards have found by now.
#[derive(Debug, Default)]
struct Findings {
    names: FeatureNames,
    skipped: u64,
}

impl Findings {
    /// Asks the readers of all shards. Rows that they have skipped since the last time are added.
    fn update(&mut self, readers: &mut [ShardReader<'_>], shards: &Shards) -> Result<(), Interrupted> {
        let number = |reader: &ShardReader<'_>| reader.number;
        let total = combine(readers, shards, number, |reader| Partial {
            sums: vec![reader.bad_rows.count() as f64],
            texts: names_of(&reader.options.found),
            ..Partial::default()
        })?;
        self.names = names(&total.texts);
        self.skipped += total.sums.first().map_or(0, |count| *count as u64);
        readers.iter_mut().for_each(|reader| reader.bad_rows.forget());
        Ok(())
    }
}

/// Returns the model, with what the readers of all shards have found.
fn finish(
    trainer: &RoundTrainer,
    findings: &Findings,
    is_over: bool,
    allowed: u64,
) -> Result<Option<ShardedOutcome>, FitError> {
    let mut model = trainer.model();
    let (rows, skipped) = (model.summary.rows, findings.skipped);
    match rows {
        0 if !is_over => return Ok(None),
        0 => return Err(FitError::NoRows { data: ALL.to_owned() }),
        _ if rows == model.summary.rows_zero_weight => return Err(FitError::NoWeight { data: ALL.to_owned() }),
        _ => {}
    }
    if skipped > allowed {
        return Err(FitError::too_many_in_shards(skipped, allowed));
    }
    model.names = findings.names.restricted_to(&model.index);
    model.settings.reading.classes = trainer.classes().to_vec();
    model.settings.reading.classes.retain(|class| model.labels.encode(class.code).is_some());
    Ok(Some(ShardedOutcome {
        model,
        optimum: None,
        caution: None,
        skipped,
        unused_groups: UnusedGroups::default(),
        is_over,
    }))
}

/// Name of the data in messages about all shards.
pub(super) const ALL: &str = "the rows of all shards";
