//! Parsers of flag values other than plain numbers.

use std::time::Duration;
use surefoot_fit::Snapshot;
use surefoot_glm::{Bounds, ClassWeights, Quote};

/// Parses the interval between saves of the model: `60s` is a time, `1000` a number of rows.
pub(crate) fn snapshot(text: &str) -> Result<Snapshot, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 row".into()),
        Ok(rows) => Ok(Snapshot::Rows(rows)),
        Err(_) => duration(text).map(Snapshot::Every),
    }
}

/// Parses a duration: a number with a unit, such as `500ms`, `10s`, `1.5m` or `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let seconds = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("a number with a unit is needed: 10s, 5m, 1h".into()),
    };
    let number: f64 = number.parse().map_err(|_| "the part before the unit is no number: 10s, 5m, 1h".to_owned())?;
    if number <= 0.0 {
        return Err("more than 0 is needed".into());
    }
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "too long".into())
}

/// Number of passes over the data, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    Times(u32),
    /// `auto`: one pass for learning, then as many as the search for the optimum takes.
    Auto,
}

impl std::fmt::Display for Passes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Passes::Times(times) => times.fmt(f),
            Passes::Auto => f.write_str("auto"),
        }
    }
}

/// Parses `auto` or a number of passes of at least 1.
pub(crate) fn passes(text: &str) -> Result<Passes, String> {
    match text {
        "auto" => Ok(Passes::Auto),
        _ => at_least(text, 1).map(Passes::Times).map_err(|message| format!("{message}, or 'auto'")),
    }
}

/// Rows held out for evaluation: every K-th row for `Some(K)`, no row for `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holdout(pub(crate) Option<u32>);

/// Parses `none`, or the distance K ≥ 2 between held-out rows (every K-th row is held out).
pub(crate) fn holdout(text: &str) -> Result<Holdout, String> {
    match text {
        "none" => Ok(Holdout(None)),
        _ => at_least(text, 2).map(|period| Holdout(Some(period))).map_err(|message| format!("{message}, or 'none'")),
    }
}

fn at_least(text: &str, least: u32) -> Result<u32, String> {
    text.parse().ok().filter(|&n| n >= least).ok_or_else(|| format!("a whole number, at least {least}, is needed"))
}

/// List of columns, each given by a name, a number, a range or a glob pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns(pub(crate) Vec<String>);

/// Parses a comma-separated list of columns. A name that contains a comma is in double quotes; a double quote within it is doubled.
pub(crate) fn columns(text: &str) -> Result<Columns, String> {
    let (mut names, mut rest) = (Vec::new(), Some(text));
    while let Some(text) = rest {
        let (name, after) = match text.strip_prefix('"') {
            None => text.split_once(',').map_or((text.to_owned(), None), |(name, rest)| (name.to_owned(), Some(rest))),
            Some(quoted) => unquoted(quoted)?,
        };
        names.push(name);
        rest = after;
    }
    Ok(Columns(names))
}

/// Splits a list after a quoted item, given without its opening quote: returns the item, and the rest after the following comma (`None` at
/// the end).
fn unquoted(text: &str) -> Result<(String, Option<&str>), String> {
    let (mut name, mut rest) = (String::new(), text);
    loop {
        let (before, after) = rest.split_once('"').ok_or("a double quote is not closed")?;
        name.push_str(before);
        match after.chars().next() {
            None => return Ok((name, None)),
            Some(',') => return Ok((name, Some(&after[1..]))),
            Some('"') => name.push('"'),
            Some(_) => return Err("a comma is needed behind a closing double quote".into()),
        }
        rest = &after[1..];
    }
}

/// Parses the decimal separator of numbers: a point or a comma.
pub(crate) fn decimal(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("a decimal point is . or ,".to_owned()),
    }
}

/// Parses the delimiter of cells: one ASCII character that occurs in no number and is not the quote character.
pub(crate) fn delimiter(text: &str) -> Result<char, String> {
    let c = match text {
        "\\t" => Some('\t'),
        _ => text.chars().next().filter(|c| text.len() == c.len_utf8()),
    };
    let usable =
        |c: &char| c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '"' | '\n' | '\r' | '.' | '+' | '-');
    c.filter(usable).ok_or_else(|| "one character such as ; or \\t is needed".to_owned())
}

/// Parses the quote character of cells, or `none`.
pub(crate) fn quote(text: &str) -> Result<Quote, String> {
    let mut letters = text.chars();
    let quote = match (text, letters.next(), letters.next()) {
        ("none", ..) => Some(Quote::None),
        (_, Some(mark), None) => Some(Quote::Mark(mark)),
        _ => None,
    };
    quote.filter(|quote| quote.is_usable()).ok_or_else(|| "a mark such as ' is needed, or none".to_owned())
}

/// Parses an interaction: the names of two columns or namespaces, separated by a colon.
pub(crate) fn interaction(text: &str) -> Result<(String, String), String> {
    let two = text.split_once(':').filter(|(_, b)| !b.contains(':'));
    two.map(|(a, b)| (a.to_owned(), b.to_owned()))
        .ok_or_else(|| "two names with a colon between them are needed".into())
}

/// Parses class weights: `balanced`, or a list of labels with their weights, such as `spam=5,ham=1`.
pub(crate) fn class_weights(text: &str) -> Result<ClassWeights, String> {
    if text == "balanced" {
        return Ok(ClassWeights::Balanced);
    }
    let pairs = columns(text)?.0.into_iter().map(|pair| {
        let (label, weight) = pair.rsplit_once('=').ok_or("'balanced' or a list such as 1=5,0=1 is needed")?;
        let weight = weight.parse().ok().filter(|weight: &f64| *weight >= 0.0 && weight.is_finite());
        Ok((label.to_owned(), weight.ok_or("a weight must be a number of at least 0")?))
    });
    pairs.collect::<Result<_, &str>>().map(ClassWeights::Given).map_err(str::to_owned)
}

/// Strength of a penalty: a number, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PenaltyStrength {
    Given(f64),
    /// `auto`: the strength with the best held-out loss among several that are tried.
    Auto,
}

/// Parses `auto` or a number of at least 0.
pub(crate) fn strength(text: &str) -> Result<PenaltyStrength, String> {
    let number = text.parse().ok().filter(|x: &f64| *x >= 0.0 && x.is_finite());
    match (text, number) {
        ("auto", _) => Ok(PenaltyStrength::Auto),
        (_, Some(x)) => Ok(PenaltyStrength::Given(x + 0.0)),
        (_, None) => Err("a number of at least 0, or 'auto', is needed".to_owned()),
    }
}

/// Parses `NAME=FACTOR`: the name of a group of features and its penalty factor, a number of at least 0.
pub(crate) fn penalty_factor(text: &str) -> Result<(String, f64), String> {
    let named = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let (name, factor) = named.ok_or("a name with its factor is needed, such as age=0.5")?;
    let factor = factor.parse().ok().filter(|factor: &f64| *factor >= 0.0 && factor.is_finite());
    Ok((name.to_owned(), factor.ok_or("a factor must be a number of at least 0")? + 0.0))
}

/// Parses `[NAME=]LOW,HIGH`: the lower and the upper bound of weights, and the name of the features concerned (`None` for all). A bound
/// that is omitted or infinite does not restrict.
pub(crate) fn bounds(text: &str) -> Result<(Option<String>, Bounds), String> {
    let (name, range) = text.rsplit_once('=').map_or((None, text), |(name, range)| (Some(name.to_owned()), range));
    let (low, high) =
        range.split_once(',').ok_or("two bounds with a comma between them are needed, such as 0,1 or 0,")?;
    let number = |text: &str, none: f64| match text.trim() {
        "" => Some(none),
        text => text.parse().ok().filter(|x: &f64| !x.is_nan()),
    };
    let (low, high) = (number(low, f64::NEG_INFINITY), number(high, f64::INFINITY));
    let (low, high) = low.zip(high).ok_or("bounds must be numbers, or left out")?;
    match Bounds::new(low, high) {
        Some(bounds) => Ok((name, bounds)),
        None if low == 0.0 && high == 0.0 => Err(match name {
            Some(name) => format!("bounds of 0 on both sides leave nothing to learn: --ignore {name} leaves it out"),
            None => "bounds of 0 on both sides leave nothing to learn".into(),
        }),
        None => Err("0 must lie between the bounds: the weight of a feature that no row has is 0".into()),
    }
}

/// Parses a positive number.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| "a number above 0 is needed".to_owned())
}

/// Parses a number strictly between 0 and 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    positive(text).ok().filter(|&x| x < 1.0).ok_or_else(|| "a number between 0 and 1 is needed".to_owned())
}

/// Parses a variance power strictly between 1 (Poisson) and 2 (gamma).
pub(crate) fn power(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| *x > 1.0 && *x < 2.0);
    number.ok_or_else(|| "a number between 1 and 2 is needed (1 is --loss poisson, 2 is --loss gamma)".to_owned())
}

/// Shortens a message of the argument parser to its first paragraph, as one line without the prefix `error: `.
pub(crate) fn first_paragraph(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines = text.lines().take_while(|line| !line.is_empty());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

/// Engine that starts the workers of a fit of several processes and carries their messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Processes on this machine.
    Local,
    /// Engine of the Python package: its address, such as `ray`, `ray://HOST:PORT` or `mpi`.
    Python(String),
}

/// Parses the name or address of an engine.
pub(crate) fn engine(text: &str) -> Result<Engine, String> {
    match text {
        "local" => Ok(Engine::Local),
        "ray" | "mpi" => Ok(Engine::Python(text.to_owned())),
        _ if text.starts_with("ray://") && text.len() > "ray://".len() => Ok(Engine::Python(text.to_owned())),
        _ => Err("engines are local, ray, ray://HOST:PORT and mpi".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_rows_have_none() {
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(snapshot("60s"), Ok(Snapshot::Every(Duration::from_secs(60))));
        assert_eq!(snapshot("50"), Ok(Snapshot::Rows(50)));
        for bad in ["", "10", "s", "0s", "-1s", "nans", "infs", "1e300h", "1d", "5 parsecs"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert!(snapshot("0").is_err() && snapshot("-5").is_err());
    }

    #[test]
    fn lists_of_columns_are_taken_apart() {
        let names = |text| columns(text).map(|columns| columns.0);
        assert_eq!(names("a,b c,3").unwrap(), ["a", "b c", "3"]);
        assert_eq!(names("\"a,\"\"b\",,c").unwrap(), ["a,\"b", "", "c"]);
        assert!(names("\"a").is_err() && names("\"a\"b").is_err());
        assert_eq!((delimiter(";"), delimiter("\\t"), delimiter("\t")), (Ok(';'), Ok('\t'), Ok('\t')));
        assert!(["", ";;", "1", "é", "\"", "."].iter().all(|bad| delimiter(bad).is_err()));
        assert_eq!((quote("none"), quote("'")), (Ok(Quote::None), Ok(Quote::Mark('\''))));
        assert!(["", "no", "a", " ", "\n", ",", ";", "-", "„", "\"\""].iter().all(|bad| quote(bad).is_err()));
        assert_eq!(interaction("a:b"), Ok(("a".into(), "b".into())));
        assert!(interaction("ab").is_err() && interaction("a:b:c").is_err());
    }

    #[test]
    fn numbers_keep_to_their_range() {
        assert_eq!((positive("3"), positive("1e-300"), probability("0.05")), (Ok(3.0), Ok(1e-300), Ok(0.05)));
        for bad in ["0", "-1", "inf", "nan", "", "x"] {
            assert!(positive(bad).is_err() && probability(bad).is_err(), "{bad}");
        }
        assert!(probability("1").is_err());
        assert_eq!(power("1.9"), Ok(1.9));
        for bad in ["1", "2", "0", "3", "nan", "x"] {
            assert!(power(bad).unwrap_err().contains("between 1 and 2"), "{bad}");
        }
    }

    #[test]
    fn factors_and_bounds_have_names_and_ranges() {
        assert_eq!(penalty_factor("age=0.5"), Ok(("age".into(), 0.5)));
        assert_eq!(penalty_factor("a=b=0"), Ok(("a=b".into(), 0.0)));
        for bad in ["age", "age=", "age=-1", "age=inf", "age=nan", "0.5"] {
            assert!(penalty_factor(bad).is_err(), "{bad}");
        }
        let (free, infinity) = (f64::NEG_INFINITY, f64::INFINITY);
        for (text, name, low, high) in [
            ("0,", None, 0.0, infinity),
            ("-1,2.5", None, -1.0, 2.5),
            ("-inf,0", None, free, 0.0),
            (",inf", None, free, infinity),
            ("age=-0.5,", Some("age"), -0.5, infinity),
            ("10-20=,1e-3", Some("10-20"), free, 1e-3),
        ] {
            assert_eq!(bounds(text), Ok((name.map(str::to_owned), Bounds::new(low, high).unwrap())), "{text}");
        }
        for (bad, message) in [
            ("1", "two bounds"),
            ("age=1", "two bounds"),
            ("a,b", "must be numbers"),
            ("0,nan", "must be numbers"),
            ("0,1,2", "must be numbers"),
            ("1,2", "0 must lie between"),
            ("-2,-1", "0 must lie between"),
            ("1,-1", "0 must lie between"),
            ("x=0,0", "--ignore x"),
            ("0,0", "nothing to learn"),
        ] {
            assert!(bounds(bad).unwrap_err().contains(message), "{bad}");
        }
    }

    #[test]
    fn counts_have_a_least_value() {
        assert_eq!((passes("auto"), passes("50")), (Ok(Passes::Auto), Ok(Passes::Times(50))));
        assert_eq!((holdout("none"), holdout("10")), (Ok(Holdout(None)), Ok(Holdout(Some(10)))));
        assert!(passes("0").is_err() && holdout("1").is_err() && holdout("all").is_err());
    }
}
