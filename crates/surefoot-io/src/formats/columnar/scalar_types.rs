//! Classification of Arrow types into text and numbers.

use arrow_schema::DataType;

/// Whether cells of this type are used as text by default.
pub(super) fn is_text(of: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, FixedSizeBinary, LargeBinary, LargeUtf8, Utf8, Utf8View};
    match of {
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => true,
        Dictionary(_, values) => is_text(values) && !matches!(**values, Dictionary(..)),
        _ => false,
    }
}

/// Whether cells of this type can be written as text: text, numbers, booleans, dates and timestamps.
pub(super) fn has_text(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => has_text(values) && !matches!(**values, DataType::Dictionary(..)),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        _ => is_text(of) || is_number(of),
    }
}

/// Whether cells of this type can be used as numbers, which includes booleans and all-null columns.
pub(super) fn is_number(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => is_number(values) && !matches!(**values, DataType::Dictionary(..)),
        DataType::Null | DataType::Boolean => true,
        _ => of.is_integer() || of.is_floating() || of.is_decimal(),
    }
}
