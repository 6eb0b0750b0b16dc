//! The optimum over rows in shards.

use super::{
    ShardedOutcome, UnusedGroups,
    findings::{combine, names, names_of},
    one_pass::ALL,
};
use crate::{
    bad_rows::BadRows,
    data::Data,
    error::FitError,
    event::Event,
    fit::{Fit, TOLERANCE},
    rows::{Next, Rows},
};
use surefoot_glm::{
    Batch, Census, Certificate, Class, Fault, Gathered, Model, Problem, Settings,
    optimum::{Ended, Optimum},
    shards::{Interrupted, Partial, Shards},
};
use surefoot_io::{Inferred, InferredSchema, Options};

/// The reason if there is no objective to begin with.
const NOT_FINITE: &str = "the objective of the first weights is not a finite number, since an offset, a label or a weight of some row is too \
                          large for this loss: with a log link, offsets are logarithms of exposures";

/// Rows of one shard that were read: their counts and labels, and what the reader inferred from them.
struct Shard {
    number: usize,
    options: Options,
    census: Census,
    skipped: u64,
}

impl Fit<'_> {
    fn census(&self, options: &Options) -> Census {
        let mut census = Census::new(&self.settings);
        if options.wanted.trials.is_some() {
            census.treat_labels_as_proportions();
        }
        census
    }

    /// Computes the optimum over the rows of all shards, of which this process owns some, each with its number and its data, in ascending
    /// order; `schema` is that of all rows. All processes have to run the same fit, and get the same result. The events of the search come
    /// in all of them.
    ///
    /// Rows are read once and stored. No row is learnt before the search, so that the model has no progressive loss.
    ///
    /// # Errors
    /// The first row at fault, an input that cannot be read, or data without rows. Returns `None` if the run was stopped before there was a
    /// model.
    pub fn run_shards(
        mut self,
        own: &[(usize, Data)],
        schema: &InferredSchema,
        shards: &Shards,
    ) -> Result<Option<ShardedOutcome>, FitError> {
        self.settings.reading = self.options.with_schema(schema).reading();
        let mut gathered = Gathered::of_shards(shards.clone(), self.memory);
        let mut read = Vec::new();
        for (number, data) in own {
            gathered.begin_shard(*number);
            read.push(self.read(*number, data, schema, &mut gathered)?);
        }
        match self.optimum_of_shards(gathered, &read, shards) {
            Ok(found) => found,
            Err(Interrupted) => Ok(None),
        }
    }

    /// Reads and stores the rows of one shard.
    fn read(
        &mut self,
        number: usize,
        data: &Data,
        schema: &InferredSchema,
        gathered: &mut Gathered,
    ) -> Result<Shard, FitError> {
        // Each shard infers on its own, so that nothing depends on which shards a process owns.
        let options = self.options.with_schema(schema);
        let mut shard = Shard { number, census: self.census(&options), options, skipped: 0 };
        let mut bad_rows = BadRows::new(self.skip_bad_rows);
        let (mut rows, mut batch) = (Rows::open(data, &shard.options, 1)?, Batch::default());
        let (mut is_over, mut before) = (false, 0);
        while !is_over {
            let mut count = 0;
            match rows.next(&mut batch) {
                Ok(Next::End) => is_over = true,
                Ok(Next::Waiting) => {}
                Ok(Next::Rows) => {
                    self.add(data, &batch, &mut shard, gathered, &mut bad_rows)?;
                    count = batch.len() as u64;
                }
                Err(error) if error.is_row() => bad_rows.pass_over(|| error, true)?,
                Err(error) => return Err(error.into()),
            }
            let bytes = rows.bytes().0;
            self.observer.event(Event::ShardRead { rows: count, bytes: bytes.saturating_sub(before) });
            before = bytes;
        }
        shard.skipped = bad_rows.count();
        Ok(shard)
    }

    fn add(
        &self,
        data: &Data,
        batch: &Batch,
        shard: &mut Shard,
        gathered: &mut Gathered,
        bad_rows: &mut BadRows,
    ) -> Result<(), FitError> {
        if shard.options.found.has_text_labels() {
            shard.census.treat_labels_as_class_names();
        }
        let mut from = 0;
        while from < batch.len() {
            let before = shard.census.clone();
            let counted = shard.census.add(batch, from, batch.len());
            let to = counted.as_ref().map_or_else(|(row, _)| *row, |()| batch.len());
            let stored = gathered.add(batch, from, to);
            if let Err((row, _)) = stored {
                // This row is passed over, and those after it are counted when they are stored.
                shard.census = before;
                _ = shard.census.add(batch, from, row);
            }
            let Err((row, fault)) = stored.and(counted) else { break };
            bad_rows.pass_over(|| self.locate_in(data, batch, row, &fault, &shard.options), true)?;
            from = row + 1;
        }
        Ok(())
    }

    pub(super) fn locate_in(
        &self,
        data: &Data,
        batch: &Batch,
        row: usize,
        fault: &Fault,
        options: &Options,
    ) -> surefoot_io::Error {
        let explained = self.observer.explain(fault, &surefoot_glm::Labels::default(), options);
        data.locate(options, batch, row, fault.part, true).error(explained)
    }

    fn optimum_of_shards(
        mut self,
        mut gathered: Gathered,
        read: &[Shard],
        shards: &Shards,
    ) -> Result<Result<Option<ShardedOutcome>, FitError>, Interrupted> {
        let classes = classes(read, shards)?;
        for shard in read {
            let codes = codes(&shard.options.found, &classes);
            gathered.relabel(shard.number, |label| code(&codes, label));
        }
        let (total, skipped) = census_of_all(read, shards, &classes, &gathered, &self.settings)?;
        let texts = combine(
            read,
            shards,
            |shard| shard.number,
            |shard| Partial { texts: names_of(&shard.options.found), ..Partial::default() },
        )?;
        let names = names(&texts.texts);
        let mut model = match Census::model(&self.settings, &total) {
            Ok(model) => model,
            Err(reason) => return Ok(Err(FitError::Optimum { reason })),
        };
        let data = || ALL.to_owned();
        match (model.summary.rows, model.summary.rows_zero_weight) {
            (0, _) => return Ok(Err(FitError::NoRows { data: data() })),
            (rows, without) if rows == without => return Ok(Err(FitError::NoWeight { data: data() })),
            _ => {}
        }
        model.settings.reading.classes = classes;
        model.names = names.restricted_to(&model.index);
        let mut problem = match gathered.problem(&model) {
            Ok(problem) => problem,
            Err(reason) => return Ok(Err(FitError::Optimum { reason })),
        };
        let found = self.search(&mut problem, model.summary.rows);
        let optimum = match found {
            Some(found) if found.objective.is_finite() => found,
            Some(found) if found.ended != Ended::Stopped => {
                return Ok(Err(FitError::Optimum { reason: NOT_FINITE.to_owned() }));
            }
            _ => return Ok(Ok(None)),
        };
        if let Err(reason) = problem.place(&optimum, &mut model) {
            model.certificates = vec![Certificate::none(reason)];
        }
        let unused_groups = unused_groups(&model);
        model.state = None;
        if skipped > self.skip_bad_rows {
            return Ok(Err(FitError::too_many_in_shards(skipped, self.skip_bad_rows)));
        }
        let caution = problem.caution(&optimum);
        Ok(Ok(Some(ShardedOutcome {
            model,
            is_over: optimum.ended != Ended::Stopped,
            optimum: Some(optimum),
            caution,
            skipped,
            unused_groups,
        })))
    }

    /// Chooses the penalty where one is to be chosen, and searches for the optimum.
    fn search(&mut self, problem: &mut Problem, rows: u64) -> Option<Optimum> {
        let stop = || false;
        if problem.path().is_some() {
            self.observer.event(Event::ChoosingPenalty);
            let observer = &mut self.observer;
            problem.choose(self.plan.select, 1, &stop, &mut |step| observer.event(Event::PenaltyStep(step)));
        }
        let tolerance = self.plan.optimum.unwrap_or(TOLERANCE);
        self.observer.event(Event::Searching { settings: problem.settings(), tolerance });
        let (until, over) = (self.until_gap, std::sync::atomic::AtomicBool::new(false));
        let reached = || over.load(std::sync::atomic::Ordering::Relaxed);
        let observer = &mut self.observer;
        problem.search(tolerance, 1, &reached, &mut |found| {
            observer.event(Event::Iteration { found, rows });
            let is_reached = until.is_some_and(|until| found.gap.is_some_and(|gap| gap <= until));
            over.store(is_reached, std::sync::atomic::Ordering::Relaxed);
        })
    }
}

fn unused_groups(model: &Model) -> UnusedGroups {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let (factors, bounds) = model.unused_groups();
    UnusedGroups { factors: owned(factors), bounds: owned(bounds) }
}

/// Returns the classes whose labels are text in any shard, each with a number as its code, in the order of their texts.
fn classes(read: &[Shard], shards: &Shards) -> Result<Vec<Class>, Interrupted> {
    let texts = combine(
        read,
        shards,
        |shard| shard.number,
        |shard| {
            let texts = shard.options.found.classes().into_iter().map(|class| class.text);
            Partial { texts: texts.collect(), ..Partial::default() }
        },
    )?;
    let class = |(code, text): (u32, String)| Class { text, code: f64::from(code) };
    Ok((0..).zip(texts.texts).map(class).collect())
}

/// Returns the code that a reader has given to each class, with the code of all shards.
fn codes(found: &Inferred, classes: &[Class]) -> Vec<(f64, f64)> {
    let of_all = |text: &str| classes.binary_search_by(|class| class.text.as_str().cmp(text)).ok();
    let pair = |class: Class| Some((class.code, classes[of_all(&class.text)?].code));
    found.classes().into_iter().filter_map(pair).collect()
}

fn code(codes: &[(f64, f64)], label: f64) -> f64 {
    codes.iter().find(|(own, _)| *own == label).map_or(label, |(_, of_all)| *of_all)
}

/// Combines the counts, labels and features of all shards; returns them with the number of skipped rows.
fn census_of_all(
    read: &[Shard],
    shards: &Shards,
    classes: &[Class],
    gathered: &Gathered,
    settings: &Settings,
) -> Result<(Partial, u64), Interrupted> {
    let first = read.first().map(|shard| shard.number);
    let mut total = combine(
        read,
        shards,
        |shard| shard.number,
        |shard| {
            let mut partial = shard.census.partial();
            let codes = codes(&shard.options.found, classes);
            partial.list.iter_mut().for_each(|label| *label = code(&codes, *label));
            partial.sums.push(shard.skipped as f64);
            // Features are those of all rows of the process.
            if Some(shard.number) == first {
                partial.keyed = gathered.features(settings);
            }
            partial
        },
    )?;
    let skipped = total.sums.pop().unwrap_or(0.0) as u64;
    Ok((total, skipped))
}
