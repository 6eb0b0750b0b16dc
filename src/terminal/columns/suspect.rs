//! Warnings about columns that were probably given the wrong role, judged by a sample of the rows.
//!
//! Every threshold is a share (of rows, of values, or of the error to be explained) or the minimum number of rows for such a share to be
//! meaningful. No threshold depends on the units of the data.

use super::{
    Columns, element,
    leak::Labels,
    profile::{Cells, Profile},
    shown,
};
use crate::{terminal::warnings::Warning, words::number};
use surefoot_glm::{Model, Role, Trainer};
use surefoot_io::{Cell, CellIndex, Inferred, flagged, is_date, unit};

/// Minimum number of cells for a column to be examined. With fewer, even columns whose values normally recur may hold a different value in
/// each row.
const LEAST: usize = 30;
/// Unexplained part of the label, relative to the best constant prediction, up to which a column counts as revealing it: a fiftieth. Most
/// honest columns leave more: the smell of mushrooms a thirtieth of whether they are poisonous, the largest concavity of a tumour a
/// fifteenth. A few leave less, such as the petals of irises or yesterday's price; therefore the warning says "if".
const LEAK: f64 = 0.02;
/// Ratio of the number of distinct values of a category to its number of cells above which a warning is given: most values occur only once
/// and are merely memorised.
const SINGLES: f64 = 0.5;
/// Minimum mean number of words per cell for a categorical column to count as prose; names of people and addresses have fewer.
const PROSE: f64 = 5.0;
/// Share that counts as almost all: up to one in twenty may be a typing error or a coincidence.
const MOST: f64 = 0.95;
/// Critical value of the Kolmogorov–Smirnov test at level 0.001: for m uniform numbers, √m times their largest deviation from uniformity
/// exceeds it with this probability.
const EVEN: f64 = 1.95;
/// Greatest ratio of the range of a numeric column to its number of rows for its numbers to count as row ids; it may exceed 1, since some
/// ids are absent and a sample lacks the extremes.
const PLACES: f64 = 2.0;
/// Minimum mean number of distinct values per unit of measurement (such as `kg`) in a column; with fewer, a letter after a number may be
/// part of a name.
const WITH_A_UNIT: usize = 4;
/// Greatest number of columns that one warning names.
const NAMED: usize = 5;

/// Reason for suspecting that a column was given the wrong role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Leak,
    Unique,
    Codes,
    Singles,
    Prose,
    Dates,
    Units,
    Constant,
}

/// Suspected column: the reason, and a number that supports it, as text.
#[derive(Debug)]
struct Suspicion {
    kind: Kind,
    column: usize,
    figure: String,
}

/// Returns warnings about columns that the user should check, ordered by reason. O(sample · log(sample) + features).
pub(crate) fn warnings(columns: &Columns<'_>, trainer: &Trainer, model: &Model, found: &Inferred) -> Vec<Warning> {
    let profile = Profile::of(trainer, model, found);
    if profile.len() < LEAST {
        return Vec::new();
    }
    let are_classes = model.settings.loss.classifies() && !model.labels.shares;
    let labels = Labels::of(&profile.labels, are_classes);
    let (index, mut known) = (CellIndex::new(&model.settings.reading), vec![false; profile.columns.len()]);
    let cells = model.index.iter().filter_map(|&id| index.cell(id, &model.names));
    cells.filter(|(_, cell)| *cell == Cell::Number).for_each(|(n, _)| known[n] = true);
    let is_text = found.head().is_some();
    let suspect = Suspect { profile: &profile, columns, model, labels, known, is_text };
    let mut all: Vec<_> = (0..profile.columns.len()).flat_map(|n| suspect.column(n)).collect();
    all.sort_by_key(|suspicion| suspicion.kind);
    all.chunk_by(|a, b| a.kind == b.kind).map(|alike| suspect.warning(alike)).collect()
}

/// Examiner of the columns of a sample of rows for probable mistakes.
struct Suspect<'a> {
    profile: &'a Profile,
    columns: &'a Columns<'a>,
    model: &'a Model,
    /// Labels of the sample; `None` if too few of them differ from the most frequent label.
    labels: Option<Labels>,
    /// For each column, whether the model has a weight for it as a number, which means that a nonzero number occurred in training.
    known: Vec<bool>,
    /// Whether the data are CSV or TSV, whose cells cannot hold lists.
    is_text: bool,
}

impl Suspect<'_> {
    fn column(&self, n: usize) -> Vec<Suspicion> {
        let (column, cells) = (&self.columns.columns[n], &self.profile.columns[n]);
        let found = match column.role {
            Role::Number => {
                [self.constant_number(n, cells), self.ids(column.name, cells), self.leak(column.role, cells)]
            }
            Role::Category => [self.constant_category(n), self.texts(n, cells), self.leak(column.role, cells)],
            _ => return Vec::new(),
        };
        let suspicion = |(kind, figure)| Suspicion { kind, column: n, figure };
        found.into_iter().flatten().map(suspicion).collect()
    }

    /// Returns a suspicion if a column has the same number in all rows; `None` otherwise. If the number is 0, the model must not have
    /// learnt any other number outside the sample.
    fn constant_number(&self, n: usize, cells: &Cells) -> Option<(Kind, String)> {
        let rows = self.profile.len();
        let zeros = cells.zeros(rows);
        let first = cells.numbers.first().map_or(0.0, |(_, x)| *x);
        let is_constant =
            cells.gaps.is_empty() && (zeros == rows || zeros == 0 && cells.numbers.iter().all(|(_, x)| *x == first));
        // With hashed ids, features of value 0 leave no trace.
        let may_differ = !self.profile.is_whole() && self.known[n] || self.model.settings.reading.bits.is_some();
        (is_constant && !(zeros == rows && may_differ)).then(|| (Kind::Constant, number::shortest(first)))
    }

    fn constant_category(&self, n: usize) -> Option<(Kind, String)> {
        let cells = &self.profile.columns[n];
        let one = self.columns.columns[n].values == 1 && !self.columns.at_least && cells.gaps.is_empty();
        (one && cells.values.len() == self.profile.len())
            .then(|| (Kind::Constant, cells.texts.first().cloned().unwrap_or_default()))
    }

    /// Returns a suspicion if the whole numbers of a column look like unique ids or like codes of categories; `None` otherwise.
    fn ids(&self, name: &str, cells: &Cells) -> Option<(Kind, String)> {
        let whole = |x: f64| x.fract() == 0.0 && x.abs() <= 2f64.powi(53);
        let zeros = cells.zeros(self.profile.len());
        let count = cells.numbers.len() + zeros;
        if count < LEAST || !cells.numbers.iter().all(|(_, x)| whole(*x)) {
            return None;
        }
        let mut numbers: Vec<f64> = cells.numbers.iter().map(|(_, x)| *x).collect();
        numbers.extend((zeros > 0).then_some(0.0));
        numbers.sort_unstable_by(f64::total_cmp);
        let (low, high) = (*numbers.first()?, *numbers.last()?);
        let distinct = 1 + numbers.windows(2).filter(|two| two[0] != two[1]).count();
        let share = distinct as f64 / count as f64;
        let figure = format!("{} values in {}", number::count(distinct as u64), number::rows(count as u64));
        if share >= MOST && (is_name_of_ids(name) || is_counter(&numbers, self.profile.seen)) {
            return Some((Kind::Unique, figure));
        }
        // Two distinct numbers may mean yes and no. Codes with equally many digits span the range of such numbers, recur, and end in zero no more
        // often than chance.
        let digits = |x: f64| x.log10().floor();
        let ends_in_zero = || numbers.iter().filter(|x| *x % 10.0 == 0.0).count() as f64 / count as f64;
        let are_codes =
            || low >= 1e4 && digits(low) == digits(high) && high >= 4.0 * low && share >= 0.2 && ends_in_zero() <= 0.2;
        (distinct > 2 && (is_name_of_ids(name) || are_codes())).then_some((Kind::Codes, figure))
    }

    /// Returns a suspicion if a categorical column holds dates, numbers with units, prose, or values that hardly recur; `None` otherwise.
    fn texts(&self, n: usize, cells: &Cells) -> Option<(Kind, String)> {
        let count = cells.values.len();
        if count < LEAST {
            return None;
        }
        let dates = cells.texts.iter().filter(|text| is_date(text.as_bytes())).count();
        let example = cells.texts.first().map(|text| shown(text)).unwrap_or_default();
        if cells.texts.len() > 1 && dates as f64 >= MOST * cells.texts.len() as f64 {
            return Some((Kind::Dates, example));
        }
        if have_units(&cells.texts) {
            return Some((Kind::Units, example));
        }
        let (values, cells_of_all) = match (self.profile.is_whole(), self.columns.at_least) {
            // The values of all rows are compared with the cells of the sample scaled to all rows.
            (false, false) => (
                self.columns.columns[n].values as f64,
                count as f64 * (self.profile.seen as f64 / self.profile.len() as f64),
            ),
            _ => (f64::from(cells.distinct), count as f64),
        };
        if values <= SINGLES * cells_of_all {
            return None;
        }
        let words: usize = cells.texts.iter().map(|text| text.split_whitespace().count()).sum();
        let is_prose = words as f64 >= PROSE * cells.texts.len().max(1) as f64;
        let figure =
            format!("{} values in {}", number::count(values as u64), number::rows(cells_of_all.round() as u64));
        Some(if is_prose { (Kind::Prose, example) } else { (Kind::Singles, figure) })
    }

    /// Returns a suspicion if the values or the missing cells of a column reveal the label; `None` otherwise.
    fn leak(&self, role: Role, cells: &Cells) -> Option<(Kind, String)> {
        let labels = self.labels.as_ref()?;
        let left = match role {
            Role::Number => labels.unexplained_by_numbers(cells).min(labels.unexplained_by_gaps(cells)),
            _ => labels.unexplained_by_values(cells),
        };
        (left <= LEAK).then(|| (Kind::Leak, format!("{:.1}", 100.0 * (1.0 - left.max(0.0)))))
    }

    /// Returns the name or number of a column in the syntax of `--ignore`, which counts all numbers of a stored list as one column.
    fn flag(&self, column: usize) -> String {
        let names: Vec<_> = self.columns.columns.iter().map(|column| column.name).collect();
        if self.is_text {
            return flagged(column + 1, names[column]);
        }
        let goes_on = |n: usize| {
            n > 0 && element(names[n]).is_some_and(|(list, k)| element(names[n - 1]) == Some((list, k.wrapping_sub(1))))
        };
        let name = element(names[column]).map_or(names[column], |(list, _)| list);
        flagged(1 + (1..=column).filter(|&n| !goes_on(n)).count(), name)
    }

    /// Returns one warning about all columns suspected for the same reason.
    fn warning(&self, alike: &[Suspicion]) -> Warning {
        let kind = alike[0].kind;
        let name = |suspicion: &Suspicion| self.columns.columns[suspicion.column].name;
        let named: Vec<_> = alike.iter().take(NAMED).map(|suspicion| format!("'{}'", shown(name(suspicion)))).collect();
        let others = alike.len() - named.len();
        let names = match (named.as_slice(), others) {
            ([one], 0) => format!("column {one}"),
            ([first @ .., last], 0) => format!("columns {} and {last}", first.join(", ")),
            (all, others) => format!("columns {} and {others} more", all.join(", ")),
        };
        let mut flags: Vec<_> = alike.iter().take(NAMED).map(|of| self.flag(of.column)).collect();
        flags.dedup();
        let more = if others > 0 { ",…" } else { "" };
        let message = message(
            kind,
            alike.len() == 1,
            &names,
            &alike[0].figure,
            &format!("{}{more}", flags.join(",")),
            self.profile,
        );
        Warning { columns: alike.iter().map(|of| name(of).to_owned()).collect(), ..Warning::new(kind.name(), message) }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Leak => "column_leak",
            Kind::Unique => "column_ids",
            Kind::Codes => "column_codes",
            Kind::Singles => "column_values",
            Kind::Prose => "column_prose",
            Kind::Dates => "column_dates",
            Kind::Units => "column_units",
            Kind::Constant => "column_constant",
        }
    }
}

/// Returns the message about columns suspected for the same reason; `figure` is the supporting number of the first of them.
fn message(kind: Kind, is_one: bool, names: &str, figure: &str, flag: &str, profile: &Profile) -> String {
    let verb = |one: &'static str, many: &'static str| if is_one { one } else { many };
    let first = if is_one { "" } else { ", the first" };
    let counted = if profile.is_weighted { ", each row counted once" } else { "" };
    match kind {
        Kind::Leak => format!(
            "{names} {} the label almost by {}: alone{first} {figure} % of it is told{counted}; if that is known only with the label, \
             --ignore {flag} leaves it out",
            verb("tells", "tell"),
            verb("itself", "themselves"),
        ),
        Kind::Unique => format!(
            "{names} {} ids ({figure}), taken as numbers: that number rows says nothing of new rows; --ignore {flag} leaves \
             {} out",
            verb("seems to hold", "seem to hold"),
            verb("it", "them"),
        ),
        Kind::Codes => format!(
            "{names} {} codes ({figure}), taken as numbers: --categorical {flag} takes them as names, --ignore {flag} leaves \
             them out",
            verb("seems to hold", "seem to hold"),
        ),
        Kind::Singles => format!(
            "{names} {} nearly a value per row ({figure}{first}): a model learns nothing from values that do not come back; \
             --ignore {flag} leaves {} out",
            verb("holds", "hold"),
            verb("it", "them"),
        ),
        Kind::Prose => format!(
            "{names} {} prose ('{figure}'), each cell taken as one name: a model learns nothing from cells that do not come \
             back; --text {flag} takes their words, --ignore {flag} leaves {} out",
            verb("seems to hold", "seem to hold"),
            verb("it", "them"),
        ),
        Kind::Dates => format!(
            "{names} {} dates or times ('{figure}'), taken as names: those of new rows are unknown to the model; turn them \
             into numbers, or --ignore {flag} leaves them out",
            verb("holds", "hold"),
        ),
        Kind::Units => format!(
            "{names} {} numbers with a unit ('{figure}'{first}), taken as names: without the unit they are read as numbers; \
             --ignore {flag} leaves {} out",
            verb("seems to hold", "seem to hold"),
            verb("it", "them"),
        ),
        Kind::Constant => {
            let rows = number::rows(profile.len() as u64);
            let rows = match profile.is_whole() {
                true => format!("all {rows}"),
                false => format!("{rows} drawn from {}", number::count(profile.seen)),
            };
            format!(
                "{names} {} one value in {rows} ('{figure}'{first}): nothing can be learnt from {}; --ignore {flag} leaves {} out",
                verb("holds", "hold"),
                verb("it", "them"),
                verb("it", "them"),
            )
        }
    }
}

/// Whether almost all values of a category are numbers followed by a unit of measurement, with several values per unit.
fn have_units(texts: &[String]) -> bool {
    let mut units: Vec<&str> = texts.iter().filter_map(|text| unit(text)).collect();
    let with = units.len();
    units.sort_unstable();
    units.dedup();
    with > 0 && with as f64 >= MOST * texts.len() as f64 && with >= WITH_A_UNIT * units.len()
}

/// Whether sorted numbers look like row ids, counted in steps of any size: divided by the step, their range is at most [`PLACES`] times
/// the number of rows, and they are evenly spread. Measurements have a wider range or recur.
fn is_counter(numbers: &[f64], rows: u64) -> bool {
    let (Some(&low), Some(&high)) = (numbers.first(), numbers.last()) else { return false };
    let step = numbers.windows(2).fold(0.0, |step, two| common_divisor(step, two[1] - two[0]));
    let places = (high - low) / step;
    step > 0.0 && places <= PLACES * rows as f64 && is_even(numbers, low, high)
}

/// Returns the greatest common divisor of two integers.
fn common_divisor(mut a: f64, mut b: f64) -> f64 {
    while b != 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether sorted numbers are evenly spread between the smallest and the largest.
fn is_even(numbers: &[f64], low: f64, high: f64) -> bool {
    let count = numbers.len() as f64;
    let gap = |(n, x): (usize, &f64)| {
        let share = (x - low) / (high - low);
        (share - n as f64 / count).abs().max((share - (n + 1) as f64 / count).abs())
    };
    high > low && numbers.iter().enumerate().map(gap).fold(0.0, f64::max) * count.sqrt() <= EVEN
}

/// Whether the last word of a column name, such as `id` or `code`, indicates ids or codes.
fn is_name_of_ids(name: &str) -> bool {
    const WORDS: [&str; 19] = [
        "id",
        "ids",
        "uid",
        "uuid",
        "guid",
        "pk",
        "zip",
        "zipcode",
        "postcode",
        "postal",
        "plz",
        "phone",
        "telephone",
        "ssn",
        "isbn",
        "ean",
        "sku",
        "code",
        "rowid",
    ];
    let letters: Vec<char> = name.trim_end_matches(|c: char| !c.is_alphanumeric()).chars().collect();
    let starts = |n: usize| {
        let (before, c) = (letters[n - 1], letters[n]);
        !before.is_alphanumeric() || before.is_lowercase() && c.is_uppercase()
    };
    let start = (1..letters.len()).rev().find(|&n| starts(n)).unwrap_or(0);
    let last: String = letters[start..].iter().collect();
    WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ids_are_known_by_their_last_word() {
        let are = [
            "id",
            "ID",
            "PassengerId",
            "customer_id",
            "userID",
            "zip code",
            "ZipCode",
            "order-id",
            "product_sku_",
            "rowid",
        ];
        let are_not =
            ["paid", "grid", "humid", "valid", "identity", "id_count", "zips", "", "bid", "code_length", "áid"];
        for name in are {
            assert!(is_name_of_ids(name), "{name}");
        }
        for name in are_not {
            assert!(!is_name_of_ids(name), "{name}");
        }
    }

    #[test]
    fn ids_are_spread_evenly_and_measurements_are_not() {
        let even: Vec<f64> = (0..500).map(|n| f64::from(n * 7 + 3)).collect();
        assert!(is_even(&even, 3.0, 3496.0) && !is_even(&[5.0; 40], 5.0, 5.0));
        let skew: Vec<f64> = even.iter().map(|x| x * x).collect();
        assert!(!is_even(&skew, skew[0], skew[499]));
        let normal: Vec<f64> = (1..500).map(|n| (f64::from(n) / 500.0 / (1.0 - f64::from(n) / 500.0)).ln()).collect();
        assert!(!is_even(&normal, normal[0], normal[498]));
        // Ids with any start and step, a few of them absent; then numbers that are not ids, few or many.
        let counted: Vec<f64> = (0..60).filter(|n| n % 7 != 3).map(|n| f64::from(1000 + n * 10)).collect();
        assert!(is_counter(&even, 500) && is_counter(&counted, counted.len() as u64));
        assert!(is_counter(&even.iter().copied().step_by(9).collect::<Vec<_>>(), 500), "a sample of rows");
        for count in [30, 40, 90, 300] {
            let pay: Vec<f64> = (0..count).map(|n| 20_000.0 + f64::from(n * 97 % 1009 * 61)).collect();
            let mut pay = pay;
            pay.sort_unstable_by(f64::total_cmp);
            assert!(!is_counter(&pay, count as u64), "{count}");
        }
        assert!(!is_counter(&[5.0; 40], 40));
    }

    #[test]
    fn units_come_with_several_numbers() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(have_units(&texts(&["1.5 kg", "2 kg", "12 kg", "0.5 kg"])));
        assert!(have_units(&texts(&["1 g", "2 g", "3 g", "4 g", "1 kg", "2 kg", "3 kg", "4 kg"])));
        assert!(!have_units(&texts(&["1 kg", "2 kg", "3 kg"])) && !have_units(&[]));
        assert!(!have_units(&texts(&["12A", "12B", "13C", "13D", "14A", "14E"])), "seats");
        assert!(!have_units(&texts(&["10th", "11th", "9th", "12th", "1st", "5th"])), "grades");
        assert!(!have_units(&texts(&["12a", "3e", "47f", "9c", "1d", "66b"])), "codes");
    }
}
