//! Descriptions of labels, data formats and errors of rows for messages.

use super::number::shortest;
use surefoot_glm::{Class, Fault, FeatureKey, Labels, Part, Role, Schema};
use surefoot_io::{Options, printable};

/// Returns a label as it is written in the data: the name of its class, or the number.
pub(crate) fn label(label: f64, classes: &[Class]) -> String {
    let class = classes.iter().find(|class| class.code == label);
    class.map_or_else(|| shortest(label), |class| class.text.clone())
}

/// Describes how class labels are encoded as numbers; `None` if there are no classes.
pub(crate) fn coding(labels: &Labels, classes: &[Class]) -> Option<String> {
    let text = |number| printable(&label(number, classes)).into_owned();
    match labels.classes.as_slice() {
        [] => {}
        [only] => return Some(format!("{} is the only one seen", text(*only))),
        all => return Some(format!("{} classes: {}", all.len(), list_of(all, classes))),
    }
    match (labels.positive, labels.negative) {
        (Some(positive), Some(negative)) => {
            Some(format!("{} is positive, {} negative", text(positive), text(negative)))
        }
        (Some(only), None) | (None, Some(only)) => Some(format!("{} is the only one seen", text(only))),
        (None, None) => None,
    }
}

/// Lists labels as they are written in the data, in one line; long lists are shortened to the first few and the last.
pub(crate) fn list_of(labels: &[f64], classes: &[Class]) -> String {
    const FEW: usize = 10;
    let label = |number: f64| printable(&label(number, classes)).into_owned();
    let text = |labels: &[f64]| labels.iter().map(|&number| label(number)).collect::<Vec<_>>().join(", ");
    match labels {
        [first @ .., last] if first.len() > FEW => format!("{}, … {}", text(&first[..FEW - 1]), label(*last)),
        all => text(all),
    }
}

/// Describes the format of the data and the columns with known roles.
pub(crate) fn data(reading: &Schema) -> String {
    let by = match reading.by {
        FeatureKey::Index => return format!("features by index (svmlight), from {}", reading.index_base),
        FeatureKey::Name => return "features by name (vw)".to_owned(),
        FeatureKey::Column if reading.table.header => "table, columns by name",
        FeatureKey::Column => "table, columns by place",
    };
    let columns = &reading.table.columns;
    let count = |role| columns.iter().filter(|column| column.role == role).count();
    let of = |role| columns.iter().find(|column| column.role == role).map(|column| column.name.as_str());
    let (numbers, categories, ignored) = (count(Role::Number), count(Role::Category), count(Role::Ignored));
    let text = match count(Role::Text) {
        0 => String::new(),
        count => format!(" {count} of text,"),
    };
    let label = of(Role::Label).map_or_else(String::new, |name| format!(", label '{name}'"));
    let weight = of(Role::Weight).map_or_else(String::new, |name| format!(", weight '{name}'"));
    let weight = weight + &of(Role::Trials).map_or_else(String::new, |name| format!(", trials '{name}'"));
    let offset = columns.iter().find(|column| column.role.is_offset());
    let offset = offset.map_or_else(String::new, |column| format!(", offset '{}'", column.name));
    format!(
        "{by}{label}{weight}{offset}, columns: {numbers} of numbers, {categories} of categories,{text} {ignored} ignored"
    )
}

/// Returns the error message of a row, with class names in place of the numbers that encode them.
pub(crate) fn message(fault: &Fault, labels: &Labels, options: &Options) -> String {
    let classes = options.found.classes();
    if fault.part != Part::Label || classes.is_empty() {
        return fault.message.clone();
    }
    match (labels.negative, labels.positive) {
        (Some(negative), Some(positive)) => {
            let (first, second) = (label(negative, &classes), label(positive, &classes));
            format!("a third class beside '{first}' and '{second}': for more than two use --loss softmax")
        }
        _ => {
            let most = "too many classes of text, or too many between two others in alphabetical order";
            format!("{most}: name them by numbers")
        }
    }
}
