//! "Did you mean" suggestions for unknown flags, values and commands.

use super::{cli::Cli, values};
use clap::{
    ArgAction, Command, CommandFactory,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::ffi::OsString;

/// Flags of other tools, in lower case with hyphens, each with advice on the flag to use here.
#[rustfmt::skip]
const FLAGS: &[(&[&str], &str)] = &[
    (&["learning-rate", "eta", "eta0", "lr", "alpha0", "power-t", "initial-t", "step-size", "momentum"],
        "there is no learning rate or step size to set: leave it out"),
    (&["adaptive", "normalized", "invariant", "sgd", "bfgs", "ftrl", "optimizer", "solver", "booster", "tree-method"],
        "there is one way to learn, with nothing to choose: leave it out; --passes auto goes to the optimum"),
    (&["epochs", "epoch", "n-iter", "iterations", "num-round", "num-rounds", "n-estimators", "num-iterations"],
        "--passes N goes over the data N times"),
    (&["max-iter", "maxiter", "maxit", "max-iterations"], "--passes N goes over the data N times, --passes auto to the optimum"),
    (&["tolerance", "thresh", "eps", "epsilon"], "--passes auto --tol T is how near to the optimum to go"),
    (&["lambda", "reg-lambda", "l2-regularization", "ridge", "weight-decay", "reg"], "--l2 X, or --l2 auto"),
    (&["reg-alpha", "l1-regularization", "lasso"], "--l1 X, or --l1 auto"),
    (&["alpha", "l1-ratio", "penalty", "elasticnet"], "--l1 X and --l2 X"),
    (&["c"], "--l2 X, with X = 1/(C * rows)"),
    (&["loss-function", "objective", "family", "link", "criterion"], "--loss NAME, such as logistic, squared, poisson or softmax"),
    (&["quantile-tau"], "--loss quantile --tau X"),
    (&["oaa", "ect", "num-class", "multiclass", "multi-class"], "--loss softmax, or --loss ovr"),
    (&["final-regressor", "f", "model-out", "save-model", "model", "out", "m"], "-o MODEL is where the model goes"),
    (&["initial-regressor", "i", "model-in", "warm-start", "load-model"], "--resume MODEL goes on from a model"),
    (&["data", "d", "input", "train", "training-data", "file"], "name the data without a flag: surefoot fit DATA"),
    (&["testonly", "t"], "surefoot eval MODEL DATA measures a model, surefoot predict MODEL DATA predicts"),
    (&["predictions", "p", "raw-predictions", "r", "output-file"], "surefoot predict MODEL DATA -o FILE writes predictions"),
    (&["validation", "valid", "valid-file", "eval-set", "test-data", "dev"], "--test FILE measures the model on these rows"),
    (&["validation-fraction", "validation-split", "holdout-period", "holdout-off", "early-stopping"],
        "--holdout K holds out every K-th row of several passes, --holdout none holds out none"),
    (&["cv", "nfolds", "n-folds", "folds"], "--l2 auto chooses the penalty by rows that are not learnt"),
    (&["b", "bit-precision", "hash-bits", "n-features"], "--bits B hashes features to 2^B slots"),
    (&["q", "quadratic", "interactions", "cubic"], "--interact A:B multiplies two namespaces or columns"),
    (&["random-state", "random-seed"], "--shuffle --seed N"),
    (&["order", "random-order", "randomize"], "--shuffle learns rows in random order"),
    (&["target", "y", "label-column", "label-col", "response", "class"], "--label COL"),
    (&["sep", "separator", "field-sep"], "--delimiter C"),
    (&["quoting", "quotechar", "quote-char", "quotes", "no-quoting"], "--quote C, or --quote none"),
    (&["na-values", "na-string", "na-strings", "null-values"], "--na TOKENS"),
    (&["usecols", "columns", "features", "keep-namespaces"], "--keep COLS"),
    (&["drop", "exclude", "ignore-column", "ignore-columns", "drop-columns"], "--ignore COLS"),
    (&["cat-features", "categorical-feature", "categorical-features", "categories"], "--categorical COLS"),
    (&["text-features", "text-columns", "text-column", "tokenize", "bag-of-words", "words"], "--text COLS makes features of words"),
    (&["sample-weight", "weights", "weight-column"], "--weight COL"),
    (&["class-weights", "scale-pos-weight", "is-unbalance"], "--class-weight balanced, or a list such as 1=5,0=1"),
    (&["fit-intercept", "noconstant", "no-bias", "nointercept"], "--no-intercept learns none"),
    (&["normalize", "scale", "standardise"], "columns need no scaling; --standardize yes|no says in which units --l1 and --l2 penalise"),
    (&["n-jobs", "nthread", "nthreads", "num-threads", "jobs", "j"], "--threads N"),
    (&["silent", "verbosity", "verbose", "progress", "v"], "--quiet says less, --json says it for programs"),
    (&["lower-limits", "upper-limits", "positive", "nonnegative", "non-negative"], "--nonneg, or --bounds LOW,HIGH"),
    (&["penalty-factors"], "--penalty-factor NAME=FACTOR"),
    (&["cache", "k", "kill-cache", "cache-file"], "there is no cache: leave it out"),
    (&["proba", "predict-proba", "probabilities"], "surefoot predict MODEL DATA --type probability"),
    (&["no-header", "has-header"], "--header yes|no"),
    (&["file-format", "input-format", "filetype"], "--format NAME"),
];

/// Values and commands of other tools: the flag that takes the value (empty for a command), the names used elsewhere, and the name used here.
#[rustfmt::skip]
const VALUES: &[(&str, &[&str], &str)] = &[
    ("loss", &["log", "logloss", "log_loss", "binomial", "binary", "bce", "logit", "binary:logistic", "logistic_regression"], "logistic"),
    ("loss", &["mse", "l2", "squared_error", "gaussian", "ols", "reg:squarederror", "rmse", "least_squares"], "squared"),
    ("loss", &["mae", "l1", "absolute_error", "median"], "absolute"),
    ("loss", &["multinomial", "cross_entropy", "multi:softmax", "categorical", "multiclass", "softmax_cross_entropy"], "softmax"),
    ("loss", &["oaa", "one_vs_rest", "onevsrest"], "ovr"),
    ("loss", &["svm", "l1_hinge"], "hinge"),
    ("loss", &["count", "count:poisson"], "poisson"),
    ("format", &["libsvm", "svm", "xgboost", "svmlite"], "svmlight"),
    ("format", &["vowpalwabbit", "vowpal_wabbit", "vowpal"], "vw"),
    ("format", &["pq"], "parquet"),
    ("format", &["feather", "ipc"], "arrow"),
    ("type", &["proba", "prob", "probabilities", "response"], "probability"),
    ("type", &["link", "raw", "score", "logit"], "margin"),
    ("type", &["label", "labels", "classes"], "class"),
    ("", &["train", "learn"], "fit"),
    ("", &["test", "evaluate", "score", "validate"], "eval"),
    ("", &["apply", "transform", "infer"], "predict"),
    ("", &["show", "info", "summary", "print", "describe"], "inspect"),
    ("", &["dump", "save", "convert"], "export"),
];

/// Flags given to the wrong command: the command, its unknown flag, and advice on what to use instead.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("predict", "skip-bad-rows", "--on-error skip"),
    ("fit", "on-error", "--skip-bad-rows N"),
    ("eval", "on-error", "--skip-bad-rows N"),
    ("fit", "id", "--ignore COL; surefoot predict --id COL writes the column beside predictions"),
];

/// Returns a suggestion for a command line that could not be parsed; `None` if there is no suggestion.
pub(crate) fn hint(error: &clap::Error, line: &[String]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => of_flag(text(ContextKind::InvalidArg)?, line),
        ErrorKind::InvalidSubcommand => {
            let commands = Cli::command();
            let known: Vec<_> = commands.get_subcommands().map(Command::get_name).collect();
            of_value("", text(ContextKind::InvalidSubcommand)?, &known).map(|name| format!("surefoot {name}"))
        }
        ErrorKind::InvalidValue => {
            let flag = text(ContextKind::InvalidArg)?.trim_start_matches('-');
            let flag = flag.split([' ', '=']).next().unwrap_or_default();
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            };
            of_value(flag, text(ContextKind::InvalidValue)?, &known).map(|value| format!("--{flag} {value}"))
        }
        _ => None,
    }
}

/// Returns a suggestion for an unknown flag; `None` if there is no suggestion.
fn of_flag(given: &str, line: &[String]) -> Option<String> {
    let flag = given.trim_start_matches('-').split('=').next().unwrap_or_default();
    let flag = flag.to_lowercase().replace('_', "-");
    let commands = Cli::command();
    let here = commands.get_subcommands().find(|command| line.iter().any(|word| word == command.get_name()));
    let flags = |command: &Command| long_flags(command);
    if let Some(here) = here
        && flags(here).contains(&flag)
    {
        return Some(format!("--{flag}"));
    }
    if let Some((_, message)) = FLAGS.iter().find(|(names, _)| names.contains(&flag.as_str())) {
        return Some((*message).to_owned());
    }
    let instead =
        |(command, of, _): &&(&str, &str, &str)| here.is_some_and(|here| here.get_name() == *command) && *of == flag;
    if let Some((.., message)) = INSTEAD.iter().find(instead) {
        return Some((*message).to_owned());
    }
    if let Some(other) = commands.get_subcommands().find(|command| flags(command).contains(&flag)) {
        return Some(format!("--{flag} is a flag of surefoot {}", other.get_name()));
    }
    let known = flags(here?);
    nearest(&flag, known.iter().map(String::as_str)).map(|near| format!("--{near}"))
}

fn long_flags(command: &Command) -> Vec<String> {
    let takes = |arg: &&clap::Arg| !matches!(arg.get_action(), ArgAction::Help | ArgAction::Version);
    command.get_arguments().filter(takes).filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

/// Returns the known name most likely meant by an unknown value of a flag, or by an unknown command if `flag` is empty.
fn of_value<'a>(flag: &str, given: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = given.to_lowercase();
    let other = VALUES.iter().find(|(of, names, _)| *of == flag && names.contains(&lower.replace('-', "_").as_str()));
    let meant = other.map(|(_, _, meant)| *meant);
    let is_known = |name: &str| known.iter().find(|known| **known == name).copied();
    meant.and_then(is_known).or_else(|| nearest(&lower, known.iter().copied()))
}

/// Returns the known name with the smallest edit distance from `given`; `None` if even this distance exceeds a third of its length (or 1
/// for a short name).
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|name| (distance(given, name), name)).min_by_key(|(distance, _)| *distance)?;
    (near.0 > 0 && 3 * near.0 <= given.chars().count().max(3)).then_some(near.1)
}

/// Returns the edit distance between two names: the number of letters to change, insert, delete or swap with a neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Describes a mistake in the arguments, with a suggestion if there is one; and returns the mark after which a sentence can go on.
pub(crate) fn refusal(error: &clap::Error, line: &[OsString]) -> (String, char) {
    let message = values::first_paragraph(&error.to_string());
    let line: Vec<String> = line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match hint(error, &line) {
        Some(hint) => (format!("{message}; did you mean: {hint}"), '?'),
        None => (message, ';'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(line: &str) -> String {
        let words: Vec<String> = format!("surefoot {line}").split(' ').map(str::to_owned).collect();
        let error = Cli::read(words.iter().map(Into::into)).expect_err(line);
        hint(&error, &words).unwrap_or_default()
    }

    #[test]
    fn what_was_meant_is_suggested() {
        for (line, meant) in [
            ("fit a --skip_bad_rows 1", "--skip-bad-rows"),
            ("fit a --L2 1", "--l2"),
            ("fit a --pases 3", "--passes"),
            ("fit a --lable y", "--label"),
            ("fit a --learning_rate 0.1", "no learning rate"),
            ("fit a --l2_regularization 1", "--l2 X"),
            ("fit a --epochs 5", "--passes N"),
            ("fit a --max_iter=5", "--passes"),
            ("fit a -d b", "without a flag"),
            ("fit a -f m", "-o MODEL"),
            ("fit a --final_regressor m", "-o MODEL"),
            ("fit a --lambda 1", "--l2 X"),
            ("fit a --type class", "is a flag of surefoot predict"),
            ("predict m a --passes 2", "is a flag of surefoot fit"),
            ("predict m a --skip-bad-rows 2", "--on-error skip"),
            ("eval m a --on_error skip", "--skip-bad-rows N"),
            ("fit a --id k", "--ignore COL"),
            ("fit a --order random", "--shuffle"),
            ("fit a --n_jobs 2", "--threads N"),
            ("fit a --loss hubert", "--loss huber"),
            ("fit a --loss mse", "--loss squared"),
            ("fit a --loss squared-hinge", "--loss squared_hinge"),
            ("fit a --format libsvm", "--format svmlight"),
            ("fit a --missing indicatr", "--missing indicator"),
            ("predict m a --type prob", "--type probability"),
            ("train a", "surefoot fit"),
            ("evla m a", "surefoot eval"),
            ("fit a --xyzzy", ""),
            ("fit a --loss xyzzy", ""),
        ] {
            let message = message(line);
            assert!(message.contains(meant) && message.is_empty() == meant.is_empty(), "{line}: {message}");
        }
    }

    #[test]
    fn flags_of_other_commands_are_none_of_the_command() {
        let commands = Cli::command();
        let flags = |name: &str| long_flags(commands.find_subcommand(name).unwrap());
        for (command, flag, _) in INSTEAD {
            assert!(!flags(command).iter().any(|known| known == flag), "{command} --{flag}");
            let elsewhere =
                ["fit", "predict", "eval"].iter().filter(|name| flags(name).iter().any(|known| known == flag));
            assert!(elsewhere.count() > 0, "--{flag}");
        }
    }

    #[test]
    fn names_of_other_tools_are_no_flags_here() {
        let commands = Cli::command();
        let fit = long_flags(commands.find_subcommand("fit").unwrap());
        for (names, _) in FLAGS {
            assert!(names.iter().all(|name| !fit.iter().any(|flag| flag == name)), "{names:?}");
        }
    }
}
