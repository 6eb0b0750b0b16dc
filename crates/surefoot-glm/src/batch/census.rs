//! Census of rows in shards: their number, their labels and their features, from which follows the model that the
//! search for the optimum starts from.

use super::gathered::Gathered;
use crate::{
    data::{
        fault::{Fault, Part},
        rows::{Batch, Row, check_weight},
    },
    labels::encoder::LabelEncoder,
    model::{group_index, settings::Settings, summary::Summary, trained_model::Model},
    numeric::check::need,
    shards::{Keyed, Partial},
};

/// Counts and labels of the rows of one shard.
///
/// ```
/// use surefoot_glm::{Batch, Census, Gathered, Loss, Settings};
/// let mut batch = Batch::default();
/// (0..10).for_each(|t| batch.push(Some(f64::from(t % 2)), 1.0, &[(t as u64 % 3, 1.0)]));
/// let settings = Settings::default();
/// let (mut census, mut gathered) = (Census::new(&settings), Gathered::default());
/// census.add(&batch, 0, batch.len()).unwrap();
/// gathered.add(&batch, 0, batch.len()).unwrap();
/// let mut partial = census.partial();
/// partial.keyed = gathered.features(&settings);
/// let model = Census::model(&settings, &partial).unwrap();
/// assert_eq!((model.summary.rows, model.labels.positive, model.index), (10, Some(1.0), vec![0, 1, 2]));
/// ```
#[derive(Clone, Debug)]
pub struct Census {
    settings: Settings,
    encoder: LabelEncoder,
    rows: u64,
    rows_zero_weight: u64,
    nonzeros: u64,
}

impl Census {
    /// Returns a census of no rows, whose labels have to suit the loss of these settings.
    #[must_use]
    pub fn new(settings: &Settings) -> Census {
        Census {
            settings: settings.clone(),
            encoder: LabelEncoder::default(),
            rows: 0,
            rows_zero_weight: 0,
            nonzeros: 0,
        }
    }

    /// Declares that labels are proportions of the positive class, between 0 and 1.
    pub fn treat_labels_as_proportions(&mut self) {
        self.encoder.shares = true;
    }

    /// Declares that label numbers are codes of class names, so that any number may be a class.
    pub fn treat_labels_as_class_names(&mut self) {
        self.encoder.texts = true;
    }

    /// Adds rows `from..to` of a batch.
    ///
    /// # Errors
    /// The index of the first row that cannot be learnt, with the reason. Rows before it have been added.
    pub fn add(&mut self, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        (from..to).try_for_each(|r| self.row(&batch.row(r)).map_err(|fault| (r, fault)))
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        row.check()?;
        group_index::check_row(&self.settings.groups, row)?;
        let loss = self.settings.loss;
        match row.label.filter(|_| row.weight > 0.0) {
            None => self.rows_zero_weight += 1,
            Some(label) if !label.is_finite() => return Err(Fault::new(Part::Label, "a label is a finite number")),
            Some(label) => {
                check_weight(row.weight)?;
                let coded = self.encoder.encode(loss, label)?;
                loss.check_offset(coded, row.offset)?;
                self.encoder.observe(loss, label);
            }
        }
        self.rows += 1;
        self.nonzeros += row.index.len() as u64;
        Ok(())
    }

    /// Returns the counts and labels as a partial result, without features.
    #[must_use]
    pub fn partial(&self) -> Partial {
        let counts = [self.rows, self.rows_zero_weight, self.nonzeros].map(|count| count as f64);
        Partial {
            sums: counts.to_vec(),
            maxima: vec![f64::from(self.encoder.shares), f64::from(self.encoder.texts)],
            list: if self.settings.loss.classifies() { self.encoder.labels().all() } else { Vec::new() },
            ..Partial::default()
        }
    }

    /// Returns the model without weights, with a state of nothing but the groups of features, that follows from the joined partial results of all shards, with the
    /// [features](Gathered::features) of their rows.
    ///
    /// # Errors
    /// A message, if the labels of all shards together do not suit the loss.
    pub fn model(settings: &Settings, total: &Partial) -> Result<Model, String> {
        let loss = settings.loss;
        let (Ok([rows, rows_zero_weight, nonzeros]), Ok([shares, texts])) =
            (<[f64; 3]>::try_from(&total.sums[..]), <[f64; 2]>::try_from(&total.maxima[..]))
        else {
            return Err("no rows".to_owned());
        };
        let mut encoder = LabelEncoder::default();
        (encoder.shares, encoder.texts) = (shares > 0.0, texts > 0.0);
        let mut labels = total.list.clone();
        labels.sort_by(f64::total_cmp);
        labels.dedup();
        for label in labels {
            encoder.encode(loss, label).map_err(|fault| fault.message)?;
            encoder.observe(loss, label);
        }
        let labels = encoder.labels();
        let width = if loss.is_multiclass() { labels.classes.len() } else { 1 };
        let index = total.keyed.ids.clone();
        need(index.len().checked_mul(width).is_some(), "there are too many features and classes")?;
        Ok(Model {
            settings: settings.clone(),
            labels,
            intercept: vec![0.0; width],
            weight: vec![0.0; index.len() * width],
            index,
            names: Default::default(),
            summary: Summary {
                rows: rows as u64,
                rows_zero_weight: rows_zero_weight as u64,
                nnz: nonzeros as u64,
                ..Summary::default()
            },
            certificates: Vec::new(),
            state: group_index::state_of(settings, &total.keyed.maxima),
            unfinished: None,
        })
    }
}

impl Gathered {
    /// Returns the ids of the features of the rows; with their group numbers, if the settings have groups of features.
    #[must_use]
    pub fn features(&self, settings: &Settings) -> Keyed {
        let group = |number: u32| self.groups.get(number as usize - 1).copied().unwrap_or(0);
        let mut features: Vec<(u64, u32)> =
            self.feature_index.features().map(|(id, number)| (id, group(number))).collect();
        features.sort_unstable();
        let ids = features.iter().map(|(id, _)| *id).collect();
        let has_groups = !settings.groups.is_empty();
        let maxima = features.iter().filter(|_| has_groups).map(|(_, group)| f64::from(*group)).collect();
        Keyed { ids, maxima, ..Keyed::default() }
    }
}
