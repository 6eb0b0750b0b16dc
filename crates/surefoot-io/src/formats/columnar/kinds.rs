//! Supported column types of Parquet and Arrow, and how the cells of each are read.

use arrow_schema::DataType;
use surefoot_glm::Role;

use super::{
    nested::values_of,
    scalar_types::{has_text, is_number, is_text},
    vectors::is_vector,
};
use crate::table::column_names::{flagged, shown};

/// Kind of a column: how its cells are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    /// Lists of texts; each text is a category.
    Categories,
    /// Texts, or lists of texts; each word is a feature.
    Words,
    /// Lists of numbers, all of this length; 0 until the length is known.
    List(usize),
    /// [Vectors](super::vectors) of numbers, all of this size; 0 until the size is known.
    Vector(usize),
}

impl Kind {
    /// Whether the cells are numbers or contain numbers.
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Kind::Number | Kind::List(_) | Kind::Vector(_))
    }
}

/// Returns how to read a column, given its number (from 1), name, type and role. `asked` is true if the user or a model declared the column
/// numeric. If the column cannot be read, returns an error message with the column's name and type and the flag to use.
pub(super) fn kind(number: usize, name: &str, of: &DataType, role: Role, asked: bool) -> Result<Kind, String> {
    let (name, flag, shown) = (shown(name), flagged(number, name), type_name(of));
    match role {
        Role::Category if has_text(of) => Ok(Kind::Text),
        Role::Category if holds_texts(of) => Ok(Kind::Categories),
        Role::Text if has_text(of) || holds_texts(of) => Ok(Kind::Words),
        Role::Text => {
            Err(format!("column '{name}' ({shown}) holds no text of which words could be features; --ignore {flag}"))
        }
        Role::Category => Err(format!("column '{name}' ({shown}) cannot be categorical; --ignore {flag}")),
        Role::Label if is_text(of) => Ok(Kind::Text),
        Role::Label | Role::Weight | Role::Trials | Role::Offset | Role::Exposure if is_number(of) || is_text(of) => {
            Ok(Kind::Number)
        }
        Role::Label | Role::Weight | Role::Trials | Role::Offset | Role::Exposure => {
            let role = match role {
                Role::Label => "label",
                Role::Weight => "weight",
                Role::Trials => "trials",
                Role::Offset => "offset",
                _ => "exposure",
            };
            Err(format!("column '{name}' ({shown}) cannot be the {role}: it holds no numbers; give another --{role}"))
        }
        _ if is_number(of) || (asked && (is_text(of) || unit(of).is_some())) => Ok(Kind::Number),
        _ if asked && is_list(of) => Ok(Kind::List(0)),
        _ if is_vector(of) => Ok(Kind::Vector(0)),
        _ if holds_words(of) => Err(format!(
            "column '{name}' ({shown}) cannot be numeric, as it is to be, since it holds text; \
             --categorical {flag}, or --ignore {flag}"
        )),
        _ if is_list(of) => Err(format!(
            "column '{name}' ({shown}) holds lists; --numeric {flag} makes each of their numbers a feature, \
             --ignore {flag} passes over it"
        )),
        _ => Err(match unit(of) {
            Some(unit) => {
                let as_text = if has_text(of) { format!(", --categorical {flag} as text") } else { String::new() };
                format!(
                    "column '{name}' ({shown}) holds times; --ignore {flag} passes over it, --numeric {flag} takes it as \
                     {unit}{as_text}"
                )
            }
            None => format!("column '{name}' ({shown}) cannot be used; --ignore {flag} passes over it"),
        }),
    }
}

/// Whether cells of this type are lists whose elements are text by default.
pub(super) fn holds_words(of: &DataType) -> bool {
    values_of(of).is_some_and(|values| is_text(values.data_type()))
}

/// Whether cells of this type are lists whose elements can be written as text.
fn holds_texts(of: &DataType) -> bool {
    values_of(of).is_some_and(|values| has_text(values.data_type()))
}

/// Whether cells of this type are lists of numbers.
pub(super) fn is_list(of: &DataType) -> bool {
    values_of(of).is_some_and(|values| is_number(values.data_type()) && *values.data_type() != DataType::Null)
}

/// Returns the time unit in which cells of a temporal type are used as numbers; `None` for other types.
pub(super) fn unit(of: &DataType) -> Option<&'static str> {
    Some(match of {
        DataType::Timestamp(_, Some(_)) => "seconds since 1970 in UTC",
        DataType::Timestamp(_, None) => "seconds since 1970",
        DataType::Date32 | DataType::Date64 => "days since 1970",
        DataType::Time32(_) | DataType::Time64(_) => "seconds since midnight",
        DataType::Duration(_) => "seconds",
        _ => return None,
    })
}

/// Returns the name of a type as shown to users, without the type's parameters.
pub(super) fn type_name(of: &DataType) -> String {
    match of {
        DataType::Timestamp(..) => "timestamp".to_owned(),
        DataType::Date32 | DataType::Date64 => "date".to_owned(),
        DataType::Time32(_) | DataType::Time64(_) => "time".to_owned(),
        DataType::Duration(_) => "duration".to_owned(),
        DataType::Interval(_) => "interval".to_owned(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "binary".to_owned()
        }
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
            format!("list of {}", type_name(of.data_type()))
        }
        DataType::ListView(of) | DataType::LargeListView(of) => format!("list view of {}", type_name(of.data_type())),
        DataType::Struct(_) => "struct".to_owned(),
        DataType::Map(..) => "map".to_owned(),
        DataType::Union(..) => "union".to_owned(),
        DataType::Dictionary(_, values) => format!("dictionary of {}", type_name(values)),
        DataType::RunEndEncoded(_, values) => format!("runs of {}", type_name(values.data_type())),
        other => other.to_string().to_lowercase(),
    }
}
