//! Every command and every flag, with the help that `--help`, the man page and the completions show.
//!
//! The first line of a doc comment is the help of `-h`; the rest is added by `--help`.

pub(crate) mod data;

use super::{
    given::Given,
    values::{self, Engine, Holdout, Passes, PenaltyStrength},
};
use crate::process::memory;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use data::{DataArgs, YesNo};
use std::{ffi::OsString, time::Duration};
use surefoot_fit::Snapshot;
use surefoot_glm::{Bounds, ClassWeights, Loss, Select};

/// Linear models in one pass, with no learning rate.
///
/// Surefoot learns linear and logistic models from streams of sparse rows. There is nothing to tune, and
/// whenever it is stopped there is a good model to use.
#[derive(Debug, Parser)]
#[command(name = "surefoot", version, max_term_width = 100)]
#[command(after_help = "Start with:  surefoot fit train.svm
             surefoot eval model.surefoot test.svm
             surefoot predict model.surefoot new.svm -o predictions.txt")]
#[command(after_long_help = "Exit status: 0 done, 1 the data or a file is at fault, 2 the command line is at fault,
130 and 143 ended by Ctrl-C and SIGTERM; fit saves its model before.

Start with:  surefoot fit train.svm
             surefoot eval model.surefoot test.svm
             surefoot predict model.surefoot new.svm -o predictions.txt")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Parses a command line; its first element is the name of the program.
    pub(crate) fn read(line: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let mut definition = Cli::command();
        let matches = definition.try_get_matches_from_mut(line)?;
        let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))?;
        let given = matches
            .subcommand()
            .and_then(|(name, matches)| Some(Given::of(definition.find_subcommand(name)?, matches)))
            .unwrap_or_default();
        match &mut cli.command {
            Some(Command::Fit(args)) => args.given = given,
            Some(Command::Predict(args)) => args.given = given,
            Some(Command::Eval(args)) => args.given = given,
            _ => {}
        }
        Ok(cli)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Fit(Box<FitArgs>),
    Predict(Box<PredictArgs>),
    Eval(Box<EvalArgs>),
    Inspect(InspectArgs),
    Export(ExportArgs),
    Lab(LabArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    /// Take part in the work of several processes, over standard input and output
    #[command(hide = true)]
    Worker(WorkerArgs),
}

/// Learn a model from data.
///
/// Rows are learnt in the order of the files (or --shuffle), each scored before it is learnt: the printed loss is that of unseen rows.
/// Ctrl-C, SIGTERM and --budget save the model and end; --resume continues from there.
///
/// The table on standard error has a line at 1, 2, 4, 8 ... rows: the mean loss so far, the mean loss since the last line, and the loss of
/// the best constant. With --json the same goes to standard output, ending in a line "done" whose test_metric is the accuracy (classes), R²
/// (numbers) or D² (counts and amounts).
///
/// At the end the model is scored on a sample of the rows. If its loss there is higher than the printed one, the rows were sorted: a
/// warning says so, and --shuffle helps.
#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    /// Flags that the user gave on the command line.
    #[arg(skip)]
    pub(crate) given: Given,

    /// Files of training rows, compressed or not, folders of such files, or quoted glob patterns (- is standard input)
    ///
    /// A folder stands for its data files, those of its subfolders included, in the order of their names; names that begin with _ or . are
    /// left out. In patterns ** also matches subfolders. In tables, folders named key=value are columns.
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<OsString>,

    /// File to which the model is written, replaced atomically
    #[arg(short, long, value_name = "MODEL", default_value = "model.surefoot")]
    pub(crate) output: OsString,

    #[command(flatten)]
    pub(crate) memory: MemoryArgs,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    #[command(flatten)]
    pub(crate) reading: DataArgs,

    /// Skip up to N bad rows (rows that cannot be read or used), and report them at the end
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Data")]
    pub(crate) skip_bad_rows: u64,

    /// Number of passes over the data, or auto: minimise the objective until the duality gap is within --tol
    ///
    /// With more than one pass, every 10th row is held out (see --holdout), the printed loss is that of the held-out rows, and the saved
    /// model is that of the latest pass whose held-out loss is within the noise of the smallest; with class probabilities that of the
    /// latest pass which was better than the model before by more than the noise. At the end it learns the held-out rows
    /// too; the printed loss is from before that step. `since last` is the loss of held-out rows since the last line.
    ///
    /// With auto nothing is held out. All rows are kept, in memory or else in a temporary file (TMPDIR), and after the first pass the
    /// objective over them is minimised, from the model of that pass on, until its relative duality gap is certified to be at most --tol.
    #[arg(long, value_name = "N|auto", value_parser = values::passes, help_heading = "How long")]
    pub(crate) passes: Option<Passes>,

    /// With --passes auto: relative duality gap at which the search ends [default: 1e-6]
    #[arg(long, value_name = "T", value_parser = values::positive, help_heading = "How long")]
    pub(crate) tol: Option<f64>,

    /// With --passes auto and a penalty auto: rule that selects the penalty by its held-out loss [default: min]
    #[arg(long, value_enum, value_name = "WHICH", help_heading = "How long")]
    pub(crate) select: Option<SelectName>,

    /// Save the model and end after this time, such as 10s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "How long")]
    pub(crate) budget: Option<Duration>,

    /// Learn the rows in random order, a new one in each pass
    ///
    /// For rows that are sorted, by class, by time or by a column. The order depends only on --seed, the pass and the number of each row.
    /// All rows are read before the first is learnt, and kept: in memory up to half of the free memory or of --memory (or up to
    /// SUREFOOT_MEMORY, in bytes), beyond that in a temporary file (TMPDIR).
    #[arg(long, help_heading = "How long")]
    pub(crate) shuffle: bool,

    /// With --shuffle: seed of the random order [default: 0]
    #[arg(long, value_name = "N", requires = "shuffle", help_heading = "How long")]
    pub(crate) seed: Option<u64>,

    /// With several passes: hold out every K-th row for evaluation, or none [default: 10]
    ///
    /// Rows of weight 0 do not count; the same rows are held out in each pass.
    #[arg(long, value_name = "none|K", value_parser = values::holdout, help_heading = "How long")]
    pub(crate) holdout: Option<Holdout>,

    /// Number of threads, which does not affect the model; with 1, one thread parses and learns
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..), help_heading = "How long")]
    pub(crate) threads: u16,

    #[command(flatten)]
    pub(crate) certify: CertifyArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    /// With --engine: folder for the state of the run, with which the same command goes on after an interruption
    #[arg(long, value_name = "DIR", requires = "engine", help_heading = "Several processes")]
    pub(crate) checkpoint: Option<OsString>,

    /// File of test rows on which the finished model is evaluated
    #[arg(long, value_name = "FILE", help_heading = "Testing, resuming, saving")]
    pub(crate) test: Option<OsString>,

    /// Continue from this model: resume its interrupted run, or learn DATA as new rows
    ///
    /// A model of an interrupted run takes the same DATA again, continues at the row where it stopped and ends in the same bytes as a run
    /// that was never interrupted. A finished model takes DATA as new rows. Settings come from the model; those given here are compared
    /// with it.
    #[arg(long, value_name = "MODEL", help_heading = "Testing, resuming, saving")]
    pub(crate) resume: Option<OsString>,

    /// Interval between saves of the model during the run: a time such as 60s or 5m, or a number of rows
    #[arg(long, value_name = "TIME|ROWS", default_value = "60s", value_parser = values::snapshot, help_heading = "Testing, resuming, saving")]
    pub(crate) snapshot: Snapshot,

    /// Write one page of HTML about the run: plots, numbers, weights
    ///
    /// The page needs no network. It is written at the end, also of a run that a signal or --budget ends. Predictions are shown of the
    /// --test rows; without them of held-out rows, or of rows as each was scored before it was learnt.
    #[arg(long, value_name = "FILE.html", help_heading = "Testing, resuming, saving")]
    pub(crate) report: Option<OsString>,

    #[command(flatten)]
    pub(crate) talk: MessageArgs,
}

/// Flags of a worker process, given by its coordinator.
#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
}

/// Largest number of shards: what is kept and sent per shard is small beside its rows then.
const MOST_SHARDS: i64 = 10_000;

/// Flags about rows that are spread over several worker processes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Several processes")]
pub(crate) struct EngineArgs {
    /// Work in several processes of this engine: local, or of the Python package ray, ray://HOST:PORT or mpi
    ///
    /// The rows of DATA are divided into --shards parts of about the same size, and each worker reads those of its parts. The result does
    /// not depend on the number of workers, nor on workers that are lost and replaced on the way.
    #[arg(long, value_name = "ENGINE", value_parser = values::engine)]
    pub(crate) engine: Option<Engine>,

    /// With --engine: number of worker processes [default: one per core]
    #[arg(long, value_name = "N", requires = "engine", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    /// With --engine: number of parts that the rows are divided into, at least the number of workers
    ///
    /// Sums over rows are added up part by part, so that the last digits of the result depend on this number.
    #[arg(long, value_name = "N", requires = "engine", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=MOST_SHARDS))]
    pub(crate) shards: u16,
}

/// Flags about certificates (guaranteed bounds on how much better another model could be), which a run gives with --radius, or with a
/// penalty and --passes auto.
#[derive(Args, Debug)]
#[command(next_help_heading = "Certificates")]
pub(crate) struct CertifyArgs {
    /// With --radius: bound on the norm of rows, for certificates while rows arrive
    ///
    /// The norm is the Euclidean norm of the values and of the constant 1 of the intercept. In one pass over fresh rows with a loss of two
    /// classes, such a certificate bounds, at every moment, the loss of the model on new rows and how much better another model could be,
    /// if rows are independent draws. If the run shows that they are not (one label so far, an order that a test rejects, a bound below the
    /// possible losses, a full pass above it), the reason replaces the bound. A row with a larger norm is an error, and so is a weight
    /// above 1.
    #[arg(long, value_name = "B", value_parser = values::positive)]
    pub(crate) row_norm: Option<f64>,

    /// With --row-norm: probability with which a certificate given while rows arrive may fail [default: 0.05]
    #[arg(long, value_name = "P", value_parser = values::probability)]
    pub(crate) error_probability: Option<f64>,

    /// Save the model and end as soon as it is certified that no model is better by more than G
    ///
    /// Checked with --passes auto after each iteration; with --radius whenever the number of rows has doubled (--row-norm), and for files
    /// by an extra pass over their rows after each pass that learns. Nothing is held out unless --holdout says so.
    #[arg(long, value_name = "G", value_parser = values::positive)]
    pub(crate) until_gap: Option<f64>,
}

/// Write one prediction per row.
///
/// Each row of DATA gives one line, in order. Numbers are the shortest decimals that read back to the same
/// 64-bit float. Settings come from the model; those given here are only compared with it.
#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    /// Flags that the user gave on the command line.
    #[arg(skip)]
    pub(crate) given: Given,

    /// Model file
    pub(crate) model: OsString,

    /// Files of rows, folders or glob patterns, as for fit; - is standard input
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<OsString>,

    /// File to which predictions are written, replaced atomically; - is standard output
    ///
    /// With --engine also a folder, whose name ends in / if it is not there: each part of the rows gives a file of its own, such as
    /// part-00003-of-00016.txt, written by its worker. One after the other, they are the predictions of all rows in order.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: OsString,

    /// Kind of prediction [default: probability for classes, margin for hinge losses, else mean]
    ///
    /// With softmax and ovr there is one margin or probability per class, in ascending order of labels, separated by spaces.
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub(crate) kind: Option<Kind>,

    /// Accept rows without a label
    ///
    /// If the first token of a row contains a colon, it is then a feature; otherwise it is a label, which is ignored.
    #[arg(long)]
    pub(crate) unlabelled: bool,

    /// Write the value of this column after each prediction, separated by a tab (tables)
    ///
    /// The column is given by name or number; the model need not know it. Tags of Vowpal Wabbit text are written without this flag, after a
    /// blank. Control characters in values and tags are escaped.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,

    /// Treatment of bad rows, such as rows with a missing cell
    ///
    /// With empty and skip, bad rows are counted at the end, and the errors of the first are shown; the exit status is 0.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnError::Stop)]
    pub(crate) on_error: OnError,

    /// Predict rates, with an exposure of 1 or an offset of 0 for each row
    ///
    /// The exposure or offset column of the model may be missing from the data, and is not used.
    #[arg(long)]
    pub(crate) rates: bool,

    /// Write predictions at once instead of in blocks, for programs that exchange rows and predictions through pipes
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) flush: Option<Flush>,

    /// Print only warnings and the error, if any, to standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) memory: MemoryArgs,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    #[command(flatten)]
    pub(crate) reading: DataArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Treatments of bad rows (rows that cannot be predicted) in `predict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// End the command with the error of the row
    Stop,
    /// Write an empty line in place of the prediction
    Empty,
    /// Write no line for the row
    Skip,
}

/// Measure a model on labelled data.
///
/// Prints the weighted mean loss. Of classes: accuracy, area under the ROC curve, average precision (PR-AUC), precision, recall and F1, and
/// where there are probabilities the Brier score and the expected calibration error (ECE, ten bins of equal width); of more than two
/// classes also a confusion matrix. Of numbers: RMSE, MSE, MAE and R². Of counts and amounts: deviance and D², its explained share. With
/// --json a metric that does not apply is null. With --loss squared the loss is half the squared error; MSE is not halved. Settings come
/// from the model; those given here are only compared with it.
#[derive(Args, Debug)]
pub(crate) struct EvalArgs {
    /// Flags that the user gave on the command line.
    #[arg(skip)]
    pub(crate) given: Given,

    /// Model file
    pub(crate) model: OsString,

    /// Files of labelled rows, folders or glob patterns, as for fit; - is standard input
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<OsString>,

    /// Give each row the weight 1: the model's column of weights may be missing, and is not used
    #[arg(long)]
    pub(crate) unweighted: bool,

    /// Give each row an exposure of 1, or an offset of 0: labels are rates
    ///
    /// The exposure or offset column of the model may be missing from the data, and is not used.
    #[arg(long)]
    pub(crate) rates: bool,

    /// Write one page of HTML with plots of the predictions and the weights of the model
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<OsString>,

    /// Skip up to N bad rows (rows that cannot be read or used), and report them at the end
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) skip_bad_rows: u64,

    #[command(flatten)]
    pub(crate) memory: MemoryArgs,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    #[command(flatten)]
    pub(crate) reading: DataArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) talk: MessageArgs,
}

/// Show what is in a model.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Model file
    pub(crate) model: OsString,

    /// Number of the largest weights to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,

    /// Print one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a model's weights as text, or a model without its training state.
///
/// One line per feature: its name, its id and its weight for raw values; the intercept first. Numbers are the shortest decimals that read
/// back to the same 64-bit float. With softmax and ovr there is one column of weights per class, weight:LABEL. In names ^ = * \\ and what
/// is not printable are \\xNN.
///
/// With --bits several features may share a slot (id) and therefore a weight: each feature that occurred in training has a line of its own,
/// with that slot and weight, and the lines of a slot are consecutive. So the margin is always the intercept plus weight times value over
/// the lines whose feature a row has. A line without a name stands for features whose names were not stored.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// Model file
    pub(crate) model: OsString,

    /// File to write, replaced atomically: .csv, .json or .surefoot; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: OsString,

    /// Format of the output [default: by the extension of FILE; csv for standard output]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) to: Option<Exported>,

    /// Write a model that predicts but cannot be trained further, about a fifth of the size
    #[arg(long)]
    pub(crate) slim: bool,
}

/// Output formats of `export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Exported {
    /// CSV table of weights
    Csv,
    /// JSON object with the weights
    Json,
    /// Model file
    Surefoot,
}

/// Compare the theory with measurements.
///
/// Runs experiments that measure what the theorems behind surefoot claim: rates, bounds, certificates and their coverage. Each check is
/// also applied to rows with a planted error (a deliberate mistake), which it has to detect. The table of checks goes to standard output;
/// the folder --out receives report.html with plots, the numbers as CSV, and each plot as SVG. The exit status is 1 if a check fails.
#[derive(Args, Debug)]
pub(crate) struct LabArgs {
    /// Experiments to run, such as V4 [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// List the experiments
    #[arg(long)]
    pub(crate) list: bool,

    /// Use shorter ranges and fewer seeds: all experiments take less than a minute
    #[arg(long)]
    pub(crate) short: bool,

    /// Folder for the report, the numbers and the plots, created if absent
    #[arg(long, value_name = "DIR", default_value = "surefoot-lab")]
    pub(crate) out: OsString,

    /// Seed of the random numbers; all claims should hold for any seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Number of threads, which does not affect the results [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    #[command(flatten)]
    pub(crate) talk: MessageArgs,
}

/// Write a completion script for a shell to standard output.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Shell for which the completion script is written
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual page to standard output.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {}

/// Flags for settings that the model stores. `fit` takes them as given; where a model exists already they are compared with it, and a
/// difference is an error.
#[derive(Args, Debug)]
#[command(next_help_heading = "Settings of the model")]
pub(crate) struct SettingsArgs {
    /// Loss to minimise [default: logistic]
    ///
    /// logistic and the hinge kinds learn two classes, of which the larger label is the positive one; squared, huber, absolute
    /// and quantile learn numbers; poisson, gamma and tweedie learn counts and amounts, with a log link. softmax and
    /// ovr learn any number of classes up to 65536, whole numbers or texts, which need not be known beforehand.
    #[arg(long, value_enum, ignore_case = false)]
    pub(crate) loss: Option<LossName>,

    /// With --loss huber: absolute error, in units of the label, beyond which the loss is linear [default: 1]
    #[arg(long, value_name = "X", value_parser = values::positive)]
    pub(crate) delta: Option<f64>,

    /// With --loss quantile: share of labels that should be below the prediction [default: 0.5]
    #[arg(long, value_name = "X", value_parser = values::probability)]
    pub(crate) tau: Option<f64>,

    /// With --loss tweedie: power of the mean to which the variance is proportional, between 1 and 2 [default: 1.5]
    #[arg(long, value_name = "P", value_parser = values::power)]
    pub(crate) power: Option<f64>,

    /// Penalise the absolute values of weights: objective = mean loss + X·‖w‖₁ + ...; many become 0
    ///
    /// w contains the weights of raw values; the intercept is not penalised. In one pass the lanes (learners trained side by side) learn
    /// without the penalty, and each weight of the resulting model is shrunk by a step of a diagonal Newton method: this is near the
    /// optimum that --passes auto finds, not at it. With auto many penalties are tried side by side in the first pass, and the model with
    /// the smallest loss on unseen rows is taken.
    #[arg(long, value_name = "X|auto", value_parser = values::strength)]
    pub(crate) l1: Option<PenaltyStrength>,

    /// Penalise the squares of weights: objective = mean loss + (X/2)·‖w‖₂² + ...
    #[arg(long, value_name = "X|auto", value_parser = values::strength)]
    pub(crate) l2: Option<PenaltyStrength>,

    /// Penalise weights in units of their columns: w_j·M_j, where M_j is the largest |x_j|, in place of w_j [default: yes with auto, else
    /// no]
    ///
    /// Then --l1 and --l2 do not depend on the units of columns, and zeros stay zeros. Exported weights and --bounds remain those of raw
    /// values.
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub(crate) standardize: Option<YesNo>,

    /// Keep all weights (not the intercept) at or above 0, as --bounds 0, does
    #[arg(long)]
    pub(crate) nonneg: bool,

    /// Multiply --l1 and --l2 by a factor for some features; may be repeated
    ///
    /// NAME is a namespace (Vowpal Wabbit), a column (by its name, or by numbers and patterns as for --ignore; all values of a
    /// category and its missing cells go with it), or an index of svmlight or a range of them (10-20). 0 leaves weights
    /// unpenalised. Where a feature has several factors the last counts; products of features (--interact) have the factor 1.
    #[arg(long, value_name = "NAME=FACTOR", value_parser = values::penalty_factor)]
    pub(crate) penalty_factor: Vec<(String, f64)>,

    /// Keep weights between LOW and HIGH, all of them or those of NAME; may be repeated
    ///
    /// The intercept is unbounded. Either side may be left out; 0 has to lie between them, since a feature that occurs in no row has the
    /// weight 0. NAME is as for --penalty-factor. Where a feature has several bounds of its own the last count.
    #[arg(long, value_name = "[NAME=]LOW,HIGH", value_parser = values::bounds, allow_hyphen_values = true)]
    pub(crate) bounds: Vec<(Option<String>, Bounds)>,

    /// Multiply weights of rows by class: balanced, or a list such as spam=5,ham=1
    ///
    /// With balanced all classes have equal total weight: among the rows so far in ordinary passes, among all rows with --passes auto.
    /// Training and its printed loss use these weights, --test and eval do not.
    #[arg(long, value_name = "W", value_parser = values::class_weights)]
    pub(crate) class_weight: Option<ClassWeights>,

    /// Learn no intercept
    #[arg(long)]
    pub(crate) no_intercept: bool,

    /// Minimise over the models with ‖w‖₂ ≤ R, and certify how good the model is
    ///
    /// w contains the weights of the raw values and the intercept, which is a coordinate like any other. One learner with 64-bit numbers
    /// replaces the lanes (learners trained side by side); columns should be of similar size. At the end files are read once more: no model
    /// of the ball has a lower mean loss over all their rows (held-out ones included) by more than is printed. For rows that can be read
    /// only once see --row-norm.
    #[arg(long, value_name = "R", value_parser = values::positive)]
    pub(crate) radius: Option<f64>,
}

/// Flag for the memory limit.
#[derive(Args, Debug)]
pub(crate) struct MemoryArgs {
    /// Memory limit, such as 500M or 2G [default: the free memory]
    ///
    /// Free memory is the minimum that the machine, the control groups of the process (as in containers) and its address space limit leave.
    /// Stored rows (--passes auto, --shuffle) take at most half of it, and further rows go to a temporary file. A run that needs more ends
    /// with an error and status 1 before the system ends it; a model that was already saved stays. With --engine it is the limit of each worker.
    #[arg(long, value_name = "SIZE", value_parser = memory::size)]
    pub(crate) memory: Option<usize>,
}

/// Flags for the amount and the form of messages.
#[derive(Args, Debug)]
#[command(next_help_heading = "Messages")]
pub(crate) struct MessageArgs {
    /// Print one JSON object per line to standard output instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// Print only warnings and the error, if any, to standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Names of the losses in `--loss`: see [`Loss`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LossName {
    /// Two classes, by log loss
    Logistic,
    /// Numbers, by half the squared error
    Squared,
    /// Numbers, by half the squared error up to --delta, linear beyond
    Huber,
    /// Numbers, by the absolute error, so that medians are predicted
    Absolute,
    /// Numbers, by the pinball loss, so that the quantile --tau is predicted
    Quantile,
    /// Two classes, by the hinge loss: how far the margin is below 1
    Hinge,
    /// Two classes, by the square of the hinge loss
    #[value(name = "squared_hinge")]
    SquaredHinge,
    /// Two classes, by half the square of the hinge loss, linear for margins on the wrong side
    #[value(name = "smoothed_hinge")]
    SmoothedHinge,
    /// Counts, by the Poisson loss with a log link
    Poisson,
    /// Amounts above 0, by the gamma loss (relative errors) with a log link
    Gamma,
    /// Amounts that may be 0, by the Tweedie loss with a log link and --power
    Tweedie,
    /// Any number of classes, by log loss (multinomial)
    Softmax,
    /// Any number of classes, each against the rest by log loss
    Ovr,
}

impl LossName {
    /// Returns the loss with the default value of its parameter, if it has one.
    pub(crate) fn loss(self) -> Loss {
        let all = Loss::ALL.into_iter();
        let named = |loss: &Loss| self.to_possible_value().is_some_and(|value| value.get_name() == loss.name());
        all.into_iter().find(named).expect("every name is that of a loss")
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatName {
    /// Lines of the form label index:value ... # comment
    Svmlight,
    /// Comma-separated cells
    Csv,
    /// Tab-separated cells
    Tsv,
    /// Vowpal Wabbit lines of the form label weight |namespace feature:value ...
    Vw,
    /// Apache Parquet
    #[cfg(feature = "parquet")]
    Parquet,
    /// Apache Arrow, a file (Feather) or a stream
    #[cfg(feature = "parquet")]
    Arrow,
}

impl FormatName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            FormatName::Svmlight => "svmlight",
            FormatName::Csv => "csv",
            FormatName::Tsv => "tsv",
            FormatName::Vw => "vw",
            #[cfg(feature = "parquet")]
            FormatName::Parquet => "parquet",
            #[cfg(feature = "parquet")]
            FormatName::Arrow => "arrow",
        }
    }
}

/// Rule that selects a penalty among those tried along a regularisation path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelectName {
    /// Penalty with the smallest held-out loss
    Min,
    /// Heaviest penalty whose held-out loss is within one standard error of the smallest, for fewer or smaller weights
    #[value(name = "1se")]
    OneSe,
}

impl SelectName {
    /// Returns the rule of the library that has this name.
    pub(crate) fn select(self) -> Select {
        match self {
            SelectName::Min => Select::Min,
            SelectName::OneSe => Select::OneSe,
        }
    }
}

/// Kinds of prediction that `predict` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Linear score, intercept plus weights times values
    Margin,
    /// Probability of the positive class
    Probability,
    /// Expected label (for classes the probability, with a log link e to the margin)
    Mean,
    /// Label of the most likely class
    Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flush {
    /// After every line
    Line,
}

#[cfg(test)]
mod tests {
    use crate::flags::cli::{Cli, LossName};
    use clap::{CommandFactory, ValueEnum};
    use surefoot_glm::Loss;

    #[test]
    fn the_definitions_hold_together_and_are_documented() {
        let mut command = Cli::command();
        command.clone().debug_assert();
        command.build();
        for sub in command.get_subcommands() {
            assert!(sub.get_about().is_some(), "{}", sub.get_name());
            for arg in sub.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", sub.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn short_help_fits_a_screen() {
        assert!(Cli::command().render_help().to_string().lines().count() <= 24);
    }

    #[test]
    fn losses_have_the_names_of_the_library() {
        let names: Vec<_> = LossName::value_variants().iter().map(|name| name.loss().name()).collect();
        let known = Loss::ALL.into_iter();
        assert_eq!(names, known.map(Loss::name).collect::<Vec<_>>());
    }
}
