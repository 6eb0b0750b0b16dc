//! The table of flags: one row per flag of `fit`, `predict` and `eval`, with the data formats and losses for which the flag has an
//! effect, and the other settings that it requires.
//!
//! A flag that would have no effect is refused, with the reason and the remedy. A new flag needs a new row.

use surefoot_glm::{Loss, Plan, Settings};

/// Group of data formats that support the same flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Svmlight: pairs of indices and values.
    Svmlight,
    /// Vowpal Wabbit text: namespaces of named features.
    Vw,
    /// CSV and TSV: tables of text.
    Csv,
    /// Parquet and Arrow: tables with typed columns.
    Columnar,
}

impl Kind {
    /// Returns the group to which the format with this name belongs.
    pub(crate) fn of(format: &str) -> Kind {
        match format {
            "svmlight" => Kind::Svmlight,
            "vw" => Kind::Vw,
            "csv" | "tsv" => Kind::Csv,
            _ => Kind::Columnar,
        }
    }
}

/// Whether a flag has an effect for a group of data formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    Yes,
    /// The flag has no effect; the text gives the reason and what to do instead.
    No(&'static str),
}
use Support::{No, Yes};

/// Losses for which a flag has an effect, and the error message for all other losses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Losses {
    pub(crate) fit: fn(Loss) -> bool,
    /// End of the error message if the flag is given with any other loss; the name of the flag precedes it.
    pub(crate) message: &'static str,
}

/// Other settings that a flag requires, and the error message if they are missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) met: fn(&Settings, &Plan) -> bool,
    /// End of the error message if the required settings are missing; the name of the flag precedes it.
    pub(crate) message: &'static str,
}

/// Rule for one flag: the data formats, losses and other settings with which it has an effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Long name of the flag, without the leading hyphens.
    pub(crate) flag: &'static str,
    /// Whether the flag has an effect, for each group of data formats in the order of [`Kind`].
    pub(crate) formats: [Support; 4],
    pub(crate) losses: Losses,
    pub(crate) needs: Option<Needs>,
}

impl Rule {
    /// Returns the reason why the flag has no effect for these data formats, with the remedy; `None` if it has an effect.
    pub(crate) fn refuses_format(&self, kind: Kind) -> Option<&'static str> {
        match self.formats[kind as usize] {
            Yes => None,
            No(message) => Some(message),
        }
    }

    /// Returns the reason why the flag has no effect for this loss, with the remedy; `None` if it has an effect.
    pub(crate) fn refuses_loss(&self, loss: Loss) -> Option<&'static str> {
        (!(self.losses.fit)(loss)).then_some(self.losses.message)
    }
}

const fn rule(flag: &'static str, formats: [Support; 4], losses: Losses) -> Rule {
    Rule { flag, formats, losses, needs: None }
}

impl Rule {
    const fn needs(self, message: &'static str, met: fn(&Settings, &Plan) -> bool) -> Rule {
        Rule { needs: Some(Needs { met, message }), ..self }
    }
}

/// Value of [`Rule::formats`] for a flag that has an effect for all data formats.
const ANY: [Support; 4] = [Yes; 4];

const ALL: Losses = Losses { fit: |_| true, message: "" };
const CLASSES: Losses = Losses { fit: Loss::classifies, message: "is for losses of classes" };
const ONE_MARGIN: Losses = Losses {
    fit: |loss| !loss.is_multiclass(),
    message: "is for losses of one margin, softmax and ovr have one per class",
};
const LOG_LINK: Losses = Losses {
    fit: |loss| loss.variance_power().is_some(),
    message: "multiplies means, which takes a log link: --loss poisson, gamma or tweedie (--offset COL adds to margins \
           with any loss of one margin)",
};
const BOUNDED: Losses = Losses {
    fit: Loss::classifies,
    message: "is for losses of classes: those of numbers have no bound that is known beforehand, so that only files, which \
           are read once more, give a certificate, and one for certain",
};
const LOGISTIC: Losses = Losses {
    fit: |loss| matches!(loss, Loss::Logistic),
    message: "makes labels shares of successes, for --loss logistic",
};
const HUBER: Losses =
    Losses { fit: |loss| matches!(loss, Loss::Huber { .. }), message: "is a parameter of --loss huber" };
const QUANTILE: Losses =
    Losses { fit: |loss| matches!(loss, Loss::Quantile { .. }), message: "is a parameter of --loss quantile" };
const TWEEDIE: Losses =
    Losses { fit: |loss| matches!(loss, Loss::Tweedie { .. }), message: "is a parameter of --loss tweedie" };

const LABEL: Support = No("the label is the first number of a row");
const PAIRS: Support = No("rows have no columns beside the label and the pairs index:value; use csv or vw");
const SHARES: Support =
    No("give each row twice, with label 1 and the successes as its weight, and label 0 and the others; or use csv");
const HEAD: Support = No("the weight stands behind the label: 'label weight |features'");
const BASE: Support = No("an offset is the third number of a row: 'label weight offset |features'");
const LOG_BASE: Support = No("ln(exposure) goes before the bar as an offset: 'label weight ln(exposure) |features'");
const NUMBERS: Support = No("all values are numbers; a category is a pair index:1 for each of its values");
const TYPED: Support = No("a value is a number if it stands behind a colon, and a name else");
const WORDS: Support = No("each word behind the bar is a feature: write the text there, without its colons and bars");
const SPARSE: Support = No("what a row does not name is 0, and nothing is missing");
const NO_LINES: Support = No("columns have names in the file and nothing stands between cells");
const NO_HEADER: Support = No("no line names columns");
const BLANKS: Support = No("blanks stand between tokens");
const BARE: Support = No("blanks end a token, and quotes are part of it");
const POINTS: Support = No("numbers have a decimal point there");
const NAMES: Support = No("features go by name, not by index");
const NO_GROUPS: Support = No("features have no names that could be multiplied; use vw with namespaces, or a table");

const NO_NAMES: Support = No("rows have no names; lines are in the order of the rows");
const TAGS: Support = No("tags are written behind predictions without it");
const NO_OFFSET: Support = No("rows have no offset that could be left out");
const NO_WEIGHT: Support = No("all rows have the weight 1");

/// Table of rules: one for each flag of `fit`, `predict` and `eval`.
#[rustfmt::skip]
pub(crate) static TABLE: &[Rule] = &[
    //    flag                svmlight   vw        csv, tsv  parquet, arrow   losses
    rule("format",            ANY,                                            ALL),
    rule("label",             [LABEL,    LABEL,    Yes,      Yes],            ALL),
    rule("weight",            [PAIRS,    HEAD,     Yes,      Yes],            ALL),
    rule("trials",            [SHARES,   SHARES,   Yes,      Yes],            LOGISTIC),
    rule("offset",            [PAIRS,    BASE,     Yes,      Yes],            ONE_MARGIN),
    rule("exposure",          [PAIRS,    LOG_BASE, Yes,      Yes],            LOG_LINK),
    rule("categorical",       [NUMBERS,  TYPED,    Yes,      Yes],            ALL),
    rule("text",              [NUMBERS,  WORDS,    Yes,      Yes],            ALL),
    rule("numeric",           [NUMBERS,  TYPED,    Yes,      Yes],            ALL),
    rule("ignore",            ANY,                                            ALL),
    rule("keep",              ANY,                                            ALL),
    rule("missing",           [SPARSE,   SPARSE,   Yes,      Yes],            ALL),
    rule("na",                [SPARSE,   SPARSE,   Yes,      Yes],            ALL),
    rule("no-default-na",     [SPARSE,   SPARSE,   Yes,      Yes],            ALL),
    rule("header",            [NO_HEADER, NO_HEADER, Yes,    NO_LINES],       ALL),
    rule("delimiter",         [BLANKS,   BLANKS,   Yes,      NO_LINES],       ALL),
    rule("quote",             [BARE,     BARE,     Yes,      NO_LINES],       ALL),
    rule("decimal",           [POINTS,   POINTS,   Yes,      NO_LINES],       ALL),
    rule("interact",          [NO_GROUPS, Yes,     Yes,      Yes],            ALL),
    rule("bits",              ANY,                                            ALL),
    rule("index-base",        [Yes,      NAMES,    NAMES,    NAMES],          ALL),
    rule("skip-bad-rows",     ANY,                                            ALL),
    rule("unlabelled",        ANY,                                            ALL),
    rule("on-error",          ANY,                                            ALL),
    rule("id",                [NO_NAMES, TAGS,     Yes,      Yes],            ALL),
    rule("rates",             [NO_OFFSET, Yes,     Yes,      Yes],            ONE_MARGIN),
    rule("unweighted",        [NO_WEIGHT, Yes,     Yes,      Yes],            ALL),

    rule("loss",              ANY,                                            ALL),
    rule("delta",             ANY,                                            HUBER),
    rule("tau",               ANY,                                            QUANTILE),
    rule("power",             ANY,                                            TWEEDIE),
    rule("l1",                ANY,                                            ALL),
    rule("l2",                ANY,                                            ALL),
    rule("standardize",       ANY,                                            ALL),
    rule("nonneg",            ANY,                                            ALL),
    rule("penalty-factor",    ANY,                                            ALL),
    rule("bounds",            ANY,                                            ALL),
    rule("class-weight",      ANY,                                            CLASSES),
    rule("no-intercept",      ANY,                                            ALL),
    rule("radius",            ANY,                                            ONE_MARGIN),
    rule("row-norm",          ANY,                                            ALL),
    rule("error-probability", ANY,                                            BOUNDED)
        .needs("is how likely a certificate of --row-norm may be false: add --row-norm B",
               |settings, _| settings.ball.is_some_and(|ball| ball.row_norm.is_some())),
    rule("until-gap",         ANY,                                            ALL),

    rule("passes",            ANY,                                            ALL),
    rule("tol",               ANY,                                            ALL)
        .needs("is how near to the optimum to go: add --passes auto", |_, plan| plan.optimum.is_some()),
    rule("select",            ANY,                                            ALL)
        .needs("is which optimum of a path is taken: add --passes auto, and --l1 auto or --l2 auto",
               |settings, plan| plan.optimum.is_some() && settings.penalty.path.is_some()),
    rule("holdout",           ANY,                                            ALL)
        .needs("is for several passes, in one each row is scored before it is learnt: add --passes N, or leave it out",
               |_, plan| plan.passes > 1 || plan.holdout.is_none()),
    rule("budget",            ANY,                                            ALL),
    rule("engine",            ANY,                                            ALL),
    rule("workers",           ANY,                                            ALL),
    rule("shards",            ANY,                                            ALL),
    rule("checkpoint",        ANY,                                            ALL),
    rule("shuffle",           ANY,                                            ALL),
    rule("seed",              ANY,                                            ALL),
    rule("memory",            ANY,                                            ALL),
    rule("threads",           ANY,                                            ALL),
    rule("snapshot",          ANY,                                            ALL),

    rule("test",              ANY,                                            ALL),
    rule("resume",            ANY,                                            ALL),
    rule("output",            ANY,                                            ALL),
    rule("report",            ANY,                                            ALL),
    rule("type",              ANY,                                            ALL),
    rule("flush",             ANY,                                            ALL),
    rule("json",              ANY,                                            ALL),
    rule("quiet",             ANY,                                            ALL),
];
