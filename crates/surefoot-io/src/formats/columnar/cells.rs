//! Conversion of Parquet and Arrow cells to numbers and text, by the rules that hold for all formats: see [`cell_value`].

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use super::scalar_types::is_text;
use crate::text::cell_value::{self, time};

/// Largest integer (2^53) up to which f64 represents every integer exactly.
const EXACT: u64 = 1 << 53;

/// Powers of ten from 10^0 to 10^22, all exactly representable as f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Converts a column of numbers or times to f64; missing cells become NaN.
pub(super) fn numbers(array: &dyn Array) -> Vec<f64> {
    let mut numbers = match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().map(|x| f64::from(u8::from(x))).collect(),
        DataType::Int8 => each::<Int8Type>(array, f64::from),
        DataType::Int16 => each::<Int16Type>(array, f64::from),
        DataType::Int32 => each::<Int32Type>(array, f64::from),
        DataType::Int64 => each::<Int64Type>(array, |x| x as f64),
        DataType::UInt8 => each::<UInt8Type>(array, f64::from),
        DataType::UInt16 => each::<UInt16Type>(array, f64::from),
        DataType::UInt32 => each::<UInt32Type>(array, f64::from),
        DataType::UInt64 => each::<UInt64Type>(array, |x| x as f64),
        DataType::Float16 => each::<Float16Type>(array, f64::from),
        DataType::Float32 => each::<Float32Type>(array, f64::from),
        DataType::Float64 => each::<Float64Type>(array, |x| x),
        DataType::Decimal32(_, scale) => each::<Decimal32Type>(array, |x| decimal(x.into(), *scale)),
        DataType::Decimal64(_, scale) => each::<Decimal64Type>(array, |x| decimal(x.into(), *scale)),
        DataType::Decimal128(_, scale) => each::<Decimal128Type>(array, |x| decimal(x, *scale)),
        DataType::Decimal256(_, scale) => each::<Decimal256Type>(array, |x| match x.to_i128() {
            Some(x) => decimal(x, *scale),
            None => parsed(&x, *scale),
        }),
        of if is_text(of) && !matches!(of, DataType::Dictionary(..)) => {
            let mut scratch = String::new();
            let number = |row| text(array, row, &mut scratch).and_then(cell_value::number).unwrap_or(f64::NAN);
            (0..array.len()).map(number).collect()
        }
        // Times become seconds and dates become days, whatever the unit of the writer.
        DataType::Timestamp(TimeUnit::Second, _) => each::<TimestampSecondType>(array, |x| x as f64),
        DataType::Timestamp(TimeUnit::Millisecond, _) => each::<TimestampMillisecondType>(array, |x| x as f64 / 1e3),
        DataType::Timestamp(TimeUnit::Microsecond, _) => each::<TimestampMicrosecondType>(array, |x| x as f64 / 1e6),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => each::<TimestampNanosecondType>(array, |x| x as f64 / 1e9),
        DataType::Date32 => each::<Date32Type>(array, f64::from),
        DataType::Date64 => each::<Date64Type>(array, |x| x as f64 / 86_400e3),
        DataType::Time32(TimeUnit::Second) => each::<Time32SecondType>(array, f64::from),
        DataType::Time32(_) => each::<Time32MillisecondType>(array, |x| f64::from(x) / 1e3),
        DataType::Time64(TimeUnit::Microsecond) => each::<Time64MicrosecondType>(array, |x| x as f64 / 1e6),
        DataType::Time64(_) => each::<Time64NanosecondType>(array, |x| x as f64 / 1e9),
        DataType::Duration(TimeUnit::Second) => each::<DurationSecondType>(array, |x| x as f64),
        DataType::Duration(TimeUnit::Millisecond) => each::<DurationMillisecondType>(array, |x| x as f64 / 1e3),
        DataType::Duration(TimeUnit::Microsecond) => each::<DurationMicrosecondType>(array, |x| x as f64 / 1e6),
        DataType::Duration(TimeUnit::Nanosecond) => each::<DurationNanosecondType>(array, |x| x as f64 / 1e9),
        DataType::Dictionary(..) => {
            let values = numbers(array.as_any_dictionary().values());
            keys(array).into_iter().map(|key| values.get(key).copied().unwrap_or(f64::NAN)).collect()
        }
        _ => vec![f64::NAN; array.len()],
    };
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        numbers.iter_mut().zip(nulls).filter(|(_, valid)| !valid).for_each(|(x, _)| *x = f64::NAN);
    }
    numbers
}

fn each<T: ArrowPrimitiveType>(array: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    array.as_primitive::<T>().values().iter().map(|&x| number(x)).collect()
}

/// Returns x · 10^−scale, correctly rounded.
fn decimal(x: i128, scale: i8) -> f64 {
    // Both operands are exact, so that only the division rounds.
    match usize::try_from(scale).ok().and_then(|scale| POWERS.get(scale)) {
        Some(power) if x.unsigned_abs() <= u128::from(EXACT) => x as f64 / power,
        _ => parsed(&x, scale),
    }
}

fn parsed(digits: &dyn std::fmt::Display, scale: i8) -> f64 {
    format!("{digits}e{}", -i32::from(scale)).parse().unwrap_or(f64::NAN)
}

/// Returns the position of the first cell of an integer column whose absolute value exceeds 2^53, so that f64 may not represent it exactly.
pub(super) fn first_beyond(array: &dyn Array) -> Option<usize> {
    let is_valid = |row: &usize| array.is_valid(*row);
    let beyond = |sizes: &mut dyn Iterator<Item = u64>| {
        sizes.enumerate().filter(|(_, size)| *size > EXACT).map(|(row, _)| row).find(is_valid)
    };
    match array.data_type() {
        DataType::Int64 => beyond(&mut array.as_primitive::<Int64Type>().values().iter().map(|x| x.unsigned_abs())),
        DataType::UInt64 => beyond(&mut array.as_primitive::<UInt64Type>().values().iter().copied()),
        _ => None,
    }
}

/// Returns for each cell of a dictionary-encoded column the position of its value in the dictionary; a missing cell has a position beyond
/// the end of the dictionary.
pub(super) fn keys(array: &dyn Array) -> Vec<usize> {
    let dictionary = array.as_any_dictionary();
    let none = dictionary.values().len();
    if none == 0 {
        return vec![none; array.len()];
    }
    let mut keys = dictionary.normalized_keys();
    if let Some(nulls) = array.nulls() {
        keys.iter_mut().zip(nulls).filter(|(_, valid)| !valid).for_each(|(key, _)| *key = none);
    }
    keys
}

/// Returns the number of ticks per second of a time unit of Arrow.
fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Returns the text of a cell, or `None` if the cell is missing. Cells that are not text are written to `scratch`: numbers with the fewest
/// digits that identify them within their type, dates and times as spelled by [`time`].
pub(super) fn text<'a>(array: &'a dyn Array, row: usize, scratch: &'a mut String) -> Option<&'a [u8]> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
        DataType::Binary => array.as_binary::<i32>().value(row),
        DataType::LargeBinary => array.as_binary::<i64>().value(row),
        DataType::BinaryView => array.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row),
        DataType::Null => return None,
        of => {
            scratch.clear();
            match of {
                DataType::Boolean => scratch.push_str(if array.as_boolean().value(row) { "true" } else { "false" }),
                DataType::Int8 => whole::<Int8Type>(array, row, scratch),
                DataType::Int16 => whole::<Int16Type>(array, row, scratch),
                DataType::Int32 => whole::<Int32Type>(array, row, scratch),
                DataType::Int64 => whole::<Int64Type>(array, row, scratch),
                DataType::UInt8 => whole::<UInt8Type>(array, row, scratch),
                DataType::UInt16 => whole::<UInt16Type>(array, row, scratch),
                DataType::UInt32 => whole::<UInt32Type>(array, row, scratch),
                DataType::UInt64 => whole::<UInt64Type>(array, row, scratch),
                DataType::Decimal32(..) => exact::<Decimal32Type>(array, row, scratch),
                DataType::Decimal64(..) => exact::<Decimal64Type>(array, row, scratch),
                DataType::Decimal128(..) => exact::<Decimal128Type>(array, row, scratch),
                DataType::Decimal256(..) => exact::<Decimal256Type>(array, row, scratch),
                DataType::Float16 => rounded(array.as_primitive::<Float16Type>().value(row), scratch),
                DataType::Float32 => rounded(array.as_primitive::<Float32Type>().value(row), scratch),
                DataType::Float64 => rounded(array.as_primitive::<Float64Type>().value(row), scratch),
                DataType::Date32 => {
                    scratch.push_str(&time::of_days(array.as_primitive::<Date32Type>().value(row).into()));
                }
                DataType::Date64 => {
                    scratch.push_str(&time::spelled(array.as_primitive::<Date64Type>().value(row), 1000, false));
                }
                DataType::Timestamp(unit, zone) => {
                    let ticks = match unit {
                        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row),
                        TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row),
                        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
                        TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(row),
                    };
                    scratch.push_str(&time::spelled(ticks, per_second(*unit), zone.is_some()));
                }
                _ => return None,
            }
            scratch.as_bytes()
        }
    })
}

fn whole<T: ArrowPrimitiveType>(array: &dyn Array, row: usize, to: &mut String)
where
    T::Native: std::fmt::Display,
{
    let _ = write!(to, "{}", array.as_primitive::<T>().value(row));
}

fn exact<T: DecimalType>(array: &dyn Array, row: usize, to: &mut String) {
    to.push_str(&array.as_primitive::<T>().value_as_string(row));
}

/// Appends a floating-point number to a text; -0 is written as 0.
fn rounded(number: impl std::fmt::Display, to: &mut String) {
    let _ = write!(to, "{number}");
    if to == "-0" {
        to.remove(0);
    }
}

/// Returns the text of a cell as bytes, empty if the cell is missing. Times that [`time`] cannot spell are written as numbers.
pub(super) fn spelled(array: &ArrayRef, row: usize, scratch: &mut String) -> Vec<u8> {
    let (values, at): (&dyn Array, usize) = match array.data_type() {
        DataType::Dictionary(..) => (array.as_any_dictionary().values(), keys(&array.slice(row, 1))[0]),
        _ => (array, row),
    };
    if at >= values.len() || values.is_null(at) {
        return Vec::new();
    }
    if let Some(text) = text(values, at, scratch) {
        return text.to_vec();
    }
    numbers(&values.slice(at, 1)).first().map_or_else(String::new, f64::to_string).into_bytes()
}
