//! Shows the columns of a table and how the model uses each: as a few lines of text, or as JSON.

mod group;
mod leak;
mod profile;
mod suspect;

pub(crate) use suspect::warnings;

use crate::words::number;
use serde_json::{Value, json};
use surefoot_glm::{FeatureKey, FeatureNames, Model, Role};
use surefoot_io::{CellIndex, columns_meant, list_element, printable};

/// Greatest width, in characters, of a line that lists column names.
const WIDE: usize = 90;

/// Column of the table of training data, and its role in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column<'a> {
    name: &'a str,
    role: Role,
    /// Number of distinct values seen in training if the column is a category; otherwise 0.
    values: u64,
    /// Flag, such as `--ignore`, that excludes the column from the model; `None` if the column is used.
    flag: Option<&'static str>,
}

/// All columns of the table of training data, with their roles in the model.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    columns: Vec<Column<'a>>,
    /// Whether a categorical column may have more values than were counted, because the model does not store all feature names.
    at_least: bool,
}

impl<'a> Columns<'a> {
    /// Collects the columns of the table of training data; `None` if the model was not trained on a table or its columns are unknown.
    /// O(features).
    pub(crate) fn of(model: &'a Model) -> Option<Columns<'a>> {
        let reading = &model.settings.reading;
        if reading.by != FeatureKey::Column || reading.table.is_unknown() {
            return None;
        }
        let names: Vec<&str> = reading.table.columns.iter().map(|column| column.name.as_str()).collect();
        let mut kept = vec![reading.keep.is_empty(); names.len()];
        reading.keep.iter().flat_map(|keep| columns_meant(&names, keep)).for_each(|n| kept[n] = true);
        let flag = |n: usize| if kept[n] { "--ignore" } else { "--keep" };
        let column = |(n, column): (usize, &'a surefoot_glm::Column)| {
            let flag = (column.role == Role::Ignored).then(|| flag(n));
            Column { name: &column.name, role: column.role, values: 0, flag }
        };
        let mut columns: Vec<_> = reading.table.columns.iter().enumerate().map(column).collect();
        let index = CellIndex::new(reading);
        for (n, _) in model.names.iter().filter_map(|(_, name)| index.category(name)) {
            columns[n].values += 1;
        }
        Some(Columns { columns, at_least: is_partial(model) })
    }

    fn of_role(&self, role: Role) -> impl Iterator<Item = &Column<'a>> {
        self.columns.iter().filter(move |column| column.role == role)
    }

    /// Returns up to four lines of text: numeric, categorical, text and remaining columns; names that do not fit into a line are omitted.
    pub(crate) fn short(&self) -> Vec<String> {
        self.lines(WIDE)
    }

    /// Returns up to four lines of text: numeric, categorical, text and remaining columns, with all names.
    pub(crate) fn full(&self) -> Vec<String> {
        self.lines(usize::MAX)
    }

    fn lines(&self, wide: usize) -> Vec<String> {
        let counted = |count: usize, what: &str, list: String| match count {
            0 => None,
            _ => Some(format!("{} {what}: {list}", number::count(count as u64))),
        };
        let numbers: Vec<_> = self.of_role(Role::Number).map(|column| column.name).collect();
        let more = if self.at_least { "+" } else { "" };
        let category = |column: &Column<'_>| format!("{} ({}{more})", shown(column.name), number::count(column.values));
        let categories: Vec<_> = self.of_role(Role::Category).map(category).collect();
        let texts: Vec<_> = self.of_role(Role::Text).map(|column| shown(column.name)).collect();
        let ignored: Vec<_> = self.of_role(Role::Ignored).map(|column| shown(column.name)).collect();
        let others = [
            (Role::Label, "label"),
            (Role::Weight, "weight"),
            (Role::Trials, "trials"),
            (Role::Offset, "offset"),
            (Role::Exposure, "exposure"),
        ];
        let others = others
            .iter()
            .flat_map(|(role, what)| self.of_role(*role).map(move |column| format!("{what} {}", shown(column.name))));
        let mut rest: Vec<_> = others.collect();
        rest.extend(counted(ignored.len(), "ignored", list(&ignored, wide)));
        [
            counted(numbers.len(), "of numbers", list(&with_ranges(&numbers), wide)),
            counted(categories.len(), "of categories (values)", list(&categories, wide)),
            counted(texts.len(), "of words", list(&texts, wide)),
            (!rest.is_empty()).then(|| rest.join("; ")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns all columns and their roles as a JSON array.
    pub(crate) fn object(&self) -> Value {
        let object = |column: &Column<'_>| {
            let mut object = json!({ "name": column.name, "role": column.role });
            if column.role == Role::Category {
                object["values"] = json!(column.values);
                object["at_least"] = json!(self.at_least);
            }
            if let Some(flag) = column.flag {
                object["flag"] = json!(flag);
            }
            object
        };
        self.columns.iter().map(object).collect()
    }
}

/// Whether the model has features whose names are not stored in it.
fn is_partial(model: &Model) -> bool {
    model.index.iter().any(|&id| model.names.of(id).is_none()) || model.names.iter().count() >= FeatureNames::MOST
}

/// Joins column names with commas, as many as fit into `wide` characters.
fn list(names: &[String], wide: usize) -> String {
    let (mut list, mut letters) = (String::new(), 0);
    for (i, name) in names.iter().enumerate() {
        letters += name.chars().count();
        if i > 0 && letters > wide {
            return format!("{list}, … and {} more", number::count((names.len() - i) as u64));
        }
        list += if i > 0 { ", " } else { "" };
        list += name;
        letters += 2;
    }
    list
}

/// Formats column names; consecutive numbers of the same list column, of which there may be a million, are combined to a range: `f[0…9]`.
fn with_ranges(names: &[&str]) -> Vec<String> {
    let follows = |a: &&str, b: &&str| match (element(a), element(b)) {
        (Some((list, n)), Some((other, m))) => list == other && n.checked_add(1) == Some(m),
        _ => false,
    };
    let range = |run: &[&str]| match (run, element(run[0])) {
        ([_, .., last], Some((list, first))) => {
            format!("{}[{first}…{}]", shown(list), element(last).map_or(0, |last| last.1))
        }
        _ => shown(run[0]),
    };
    names.chunk_by(follows).map(range).collect()
}

/// Splits the name of one number of a list column, such as `f[3]`, into the name of the list and the position; `None` for any other name.
fn element(name: &str) -> Option<(&str, usize)> {
    let (list, place) = list_element(name)?;
    Some((list, place.parse().ok()?))
}

/// Returns a column name for display: unprintable characters escaped, cut to 40 characters.
fn shown(name: &str) -> String {
    const WIDE: usize = 40;
    let text = printable(name);
    let cut = text.char_indices().nth(WIDE).map_or(text.len(), |(at, _)| at);
    if cut < text.len() { format!("{}…", &text[..cut]) } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_lists_are_told_and_shown_as_one() {
        assert_eq!(element("f[12]"), Some(("f", 12)));
        assert_eq!(["f", "f[]", "f[x]", "[", "f]"].map(element), [None; 5]);
        let names = ["a", "f[0]", "f[1]", "f[2]", "g[3]", "g[5]", "f[3]", "b"];
        assert_eq!(with_ranges(&names), ["a", "f[0…2]", "g[3]", "g[5]", "f[3]", "b"]);
        assert!(with_ranges(&[]).is_empty());
    }

    #[test]
    fn lists_of_names_end_where_a_line_is_full() {
        let names = ["ab", "cd", "é…", "gh"].map(str::to_owned);
        assert_eq!(
            [0, 5, 6, 14, 99].map(|wide| list(&names, wide)),
            ["ab, … and 3 more", "ab, … and 3 more", "ab, cd, … and 2 more", "ab, cd, é…, gh", "ab, cd, é…, gh"]
        );
    }
}
