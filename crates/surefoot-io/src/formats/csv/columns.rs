//! Names and roles of columns: what a user says and what the first record does.

use std::collections::HashMap;

use surefoot_glm::Role;

use super::cells::{self, Dialect};
use crate::{
    error::{self, Refused},
    formats::records::Complaint,
    table::options::{Options, Wanted},
};

/// The first record of an input: names, or a row like any other.
pub(super) struct First<'a> {
    /// Where it starts.
    pub(super) at: usize,
    pub(super) record: &'a [u8],
    /// The ends of its cells.
    pub(super) ends: Vec<usize>,
    pub(super) dialect: Dialect,
    /// Where what follows starts.
    pub(super) end: usize,
}

impl First<'_> {
    /// The complaint that something is wrong with all of it.
    pub(super) fn wrong(&self, says: String) -> Complaint {
        Complaint::new(self.at, self.record, says).fatal()
    }

    /// The same, about what a user asks for or the columns.
    pub(super) fn refused(&self, refused: Refused) -> Complaint {
        let Refused { says, asked } = refused;
        Complaint { asked, ..self.wrong(says) }
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, &[u8])> {
        cells::cells(self.record, &self.ends)
    }

    /// The names that it holds, or numbers from 1.
    pub(super) fn names(&self, header: bool) -> Vec<String> {
        let cells = self.cells().enumerate();
        let name = |cell| text_of(&self.dialect.text(cell));
        cells.map(|(i, (_, cell))| if header { name(cell) } else { (i + 1).to_string() }).collect()
    }

    /// Checks that no name stands twice.
    pub(super) fn check_names(&self, names: &[String]) -> Result<(), Complaint> {
        let mut first = HashMap::with_capacity(names.len());
        for (i, (name, (at, cell))) in names.iter().zip(self.cells()).enumerate() {
            if let Some(before) = first.insert(name.as_str(), i)
                && !name.is_empty()
            {
                let says = format!("the name stands at columns {} and {}: rename one of them", before + 1, i + 1);
                return Err(Complaint::new(self.at + at, &self.dialect.text(cell), says).fatal());
            }
        }
        Ok(())
    }
}

/// Text of any bytes; those that are no UTF-8 as `\xNN`.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}")));
    }
    text
}

/// A name as it is shown in a message.
pub(crate) fn shown(name: &str) -> String {
    error::cut(name, 48, 32)
}

/// A column as it is called in a message.
pub(crate) fn called(number: usize, name: &str) -> String {
    // Without names, names are numbers.
    if name == number.to_string() { format!("column {number}") } else { format!("column {number} ('{}')", shown(name)) }
}

/// A column as a flag takes it: its name if a shell and a list leave it as it is, or else its number from 1.
#[must_use]
pub fn flagged(number: usize, name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.len() <= 48 && name.starts_with(char::is_alphabetic) && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        number.to_string()
    }
}

/// The names that there are, as far as they fit into a message.
pub(crate) fn listed(names: &[String]) -> String {
    let mut list = String::new();
    for (i, name) in names.iter().enumerate() {
        if list.len() > 120 {
            return format!("{list}, ... ({} columns)", names.len());
        }
        list = if i == 0 { shown(name) } else { format!("{list}, {}", shown(name)) };
    }
    list
}

/// The numbers of the columns, from 0, that one of COLS means: that of this name, or else of this number from 1; else those
/// from one number to another (`15-40`), or whose names fit a pattern (`x*`, where `*` is any text).
///
/// ```
/// let names = ["y", "x1", "x2", "z"];
/// assert_eq!(surefoot_io::columns_meant(&names, "x*"), [1, 2]);
/// assert_eq!(surefoot_io::columns_meant(&names, "2-4"), [1, 2, 3]);
/// assert_eq!(surefoot_io::columns_meant(&names, "4"), [3]);
/// assert!(surefoot_io::columns_meant(&names, "a").is_empty());
/// ```
#[must_use]
pub fn columns_meant<S: AsRef<str>>(names: &[S], wanted: &str) -> Vec<usize> {
    match names.iter().position(|name| name.as_ref() == wanted) {
        Some(found) => vec![found],
        None => meant(names, wanted),
    }
}

/// The same where no column has this name.
fn meant<S: AsRef<str>>(names: &[S], wanted: &str) -> Vec<usize> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=names.len()).contains(number));
    let (first, last) = wanted.split_once('-').unwrap_or((wanted, wanted));
    match (number(first), number(last)) {
        (Some(first), Some(last)) => (first - 1..last).collect(),
        _ if wanted.contains('*') => (0..names.len()).filter(|&n| fits(names[n].as_ref(), wanted)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a text is a pattern with any text in place of each `*`.
fn fits(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A name without what is easily mistaken: blanks, marks between words, the case of letters.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The question whether another name was meant, if one is near: the same but for blanks, marks and case, or but for one letter
/// in four.
pub(crate) fn near<S: AsRef<str>>(names: &[S], wanted: &str) -> Option<String> {
    let meant = folded(wanted);
    let alike = |name: &&S| !meant.is_empty() && folded(name.as_ref()) == meant;
    let found = names.iter().find(alike).or_else(|| {
        let most = meant.chars().count() / 4;
        let distance = |name: &S| distance(&folded(name.as_ref()), &meant);
        // Names of many columns are not compared one by one.
        let few = names.iter().take(1000).map(|name| (distance(name), name));
        few.min_by_key(|found| found.0).filter(|found| found.0 <= most).map(|found| found.1)
    })?;
    Some(format!("did you mean '{}'?", shown(found.as_ref())))
}

/// How many letters have to be put in, taken out or changed to make one text of another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Which of the columns that no table knows are passed over: those of `--ignore`, and those not of `--keep`.
pub(crate) fn ignored(names: &[String], options: &Options) -> Vec<bool> {
    let (by_name, keep) = (by_name(names), &options.reading.keep);
    let mut ignored = vec![!keep.is_empty(); names.len()];
    keep.iter().flat_map(|wanted| find(names, &by_name, wanted)).for_each(|column| ignored[column] = false);
    options
        .wanted
        .ignore
        .iter()
        .chain(&options.wanted.id)
        .flat_map(|wanted| find(names, &by_name, wanted))
        .for_each(|column| ignored[column] = true);
    ignored
}

/// What is said of a missing cell to a model that knows none.
pub(crate) const NEVER_MISSING: &str = "which the model cannot read; predict --on-error empty writes an empty line for such a row (skip: none), and a model of \
     fit --missing mean takes the column's mean for it";

/// How rows can do without a column of a model that is missing.
pub(crate) fn remedy(role: Role, options: &Options) -> &'static str {
    match role {
        Role::Exposure if options.found.of_model => " (--rates predicts for an exposure of 1)",
        Role::Offset if options.found.of_model => " (--rates predicts for an offset of 0)",
        Role::Weight | Role::Trials if options.found.of_model => " (--unweighted gives each row the weight 1)",
        _ => "",
    }
}

/// The place of the column of what rows are called, if it is wanted.
pub(crate) fn id(names: &[String], wanted: &Wanted) -> Result<Option<usize>, Refused> {
    let Some(id) = &wanted.id else { return Ok(None) };
    match columns_meant(names, id)[..] {
        [place] => Ok(Some(place)),
        _ => {
            Err(Refused::asked(format!("--id: there is no column '{}'; the columns are {}", shown(id), listed(names))))
        }
    }
}

/// Notes `--ignore` of a column that neither this file nor the model has, which another file may have; in training [`roles`] refuses it.
pub(crate) fn note_ignored(names: &[String], options: &Options) {
    if !options.found.of_model {
        return;
    }
    let of_model: Vec<&str> = options.reading.table.columns.iter().map(|column| column.name.as_str()).collect();
    let is_known =
        |wanted: &str| !columns_meant(names, wanted).is_empty() || !columns_meant(&of_model, wanted).is_empty();
    for wrong in options.wanted.ignore.iter().filter(|wanted| !is_known(wanted)) {
        let remedy = near(names, wrong).unwrap_or_else(|| format!("the columns are {}", listed(names)));
        options.found.note(format!("--ignore: there is no column '{}'; {remedy}", shown(wrong)));
    }
}

fn by_name(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect()
}

/// [`columns_meant`], where there are many names and many that are wanted.
fn find(names: &[String], by_name: &HashMap<&str, usize>, wanted: &str) -> Vec<usize> {
    by_name.get(wanted).map_or_else(|| meant(names, wanted), |&found| vec![found])
}

/// The roles that a user gave to columns. Where some are to be kept, the others are no features.
pub(crate) fn roles(names: &[String], options: &Options, needs_label: bool) -> Result<Vec<Option<Role>>, Refused> {
    let (by_name, wanted) = (by_name(names), &options.wanted);
    let mut roles = vec![None; names.len()];
    for (flag, role, columns) in wanted.roles() {
        for column in columns {
            let single = role != Role::Ignored && !role.is_feature();
            for found in existing(flag, names, &by_name, column, single)? {
                if roles[found].is_some_and(|before| before != role) {
                    return Err(taken(flag, names, found));
                }
                roles[found] = Some(role);
            }
        }
    }
    if !options.reading.keep.is_empty() {
        keep(names, &by_name, options, &mut roles)?;
    }
    if needs_label && wanted.label.is_none() {
        let says = format!("which column is the label? say --label COL; the columns are {}", listed(names));
        return Err(Refused::asked(says));
    }
    if let Some(nameless) =
        names.iter().zip(&roles).position(|(name, role)| name.is_empty() && *role != Some(Role::Ignored))
    {
        let says = format!("column {0} has no name; give it one or leave it out with --ignore {0}", nameless + 1);
        return Err(says.into());
    }
    Ok(roles)
}

/// The columns that one of COLS means, of which there must be one.
fn existing(
    flag: &str,
    names: &[String],
    by_name: &HashMap<&str, usize>,
    wanted: &str,
    single: bool,
) -> Result<Vec<usize>, Refused> {
    let found = find(names, by_name, wanted);
    if found.is_empty() || (single && found.len() > 1) {
        let wrong = shown(wanted);
        let remedy = near(names, wanted).unwrap_or_else(|| format!("the columns are {}", listed(names)));
        let says = format!("{flag}: there is no column '{wrong}'; {remedy}");
        return Err(Refused::asked(says));
    }
    Ok(found)
}

/// The complaint that a column cannot be what this flag says.
fn taken(flag: &str, names: &[String], column: usize) -> Refused {
    let column = called(column + 1, &names[column]);
    Refused::asked(format!("{flag}: {column} has another use already; give each column one"))
}

/// Leaves out all features but those to be kept.
fn keep(
    names: &[String],
    by_name: &HashMap<&str, usize>,
    options: &Options,
    roles: &mut [Option<Role>],
) -> Result<(), Refused> {
    let mut kept = vec![false; names.len()];
    for column in &options.reading.keep {
        let found = existing("--keep", names, by_name, column, false)?;
        if found.iter().all(|&column| roles[column] == Some(Role::Ignored)) {
            return Err(taken("--keep", names, found[0]));
        }
        found.into_iter().for_each(|column| kept[column] = true);
    }
    for (flag, role, columns) in options.wanted.roles() {
        let left_out = |column: &&String| !find(names, by_name, column).iter().any(|&column| kept[column]);
        if let Some(column) = columns.iter().filter(|_| role.is_feature()).find(left_out) {
            let column = shown(column);
            let says = format!("{flag}: '{column}' is not among the columns that --keep names; add it there");
            return Err(Refused::asked(says));
        }
    }
    let left_out = |role: &Option<Role>| role.is_none_or(Role::is_feature);
    roles
        .iter_mut()
        .zip(kept)
        .filter(|(role, kept)| !kept && left_out(role))
        .for_each(|(role, _)| *role = Some(Role::Ignored));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_by_name_number_range_and_pattern() {
        let names = ["y", "x1", "x2", "2", "1-2", "a*b", "axb", "x"];
        let cases: &[(&str, &[usize])] = &[
            ("x1", &[1]),
            ("2", &[3]),
            ("3", &[2]),
            ("1-2", &[4]),
            ("1-3", &[0, 1, 2]),
            ("7-8", &[6, 7]),
            ("3-2", &[]),
            ("0-2", &[]),
            ("7-9", &[]),
            ("-2", &[]),
            ("2-", &[]),
            ("a*b", &[5]),
            ("x*", &[1, 2, 7]),
            ("*", &[0, 1, 2, 3, 4, 5, 6, 7]),
            ("**1", &[1]),
            ("*x*", &[1, 2, 6, 7]),
            ("x*x", &[]),
            ("z*", &[]),
            ("", &[]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(columns_meant(&names, wanted), *expected, "{wanted}");
        }
    }
}
