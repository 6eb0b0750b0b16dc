//! Columns whose cells are lists, stored in any list type of Arrow.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::{DataType, FieldRef};

use super::cells;

/// Start and end of one row's list within the concatenated values of all lists; `None` if the list is null.
pub(super) type Span = Option<(usize, usize)>;

/// Returns the field (name and type) of the elements of a list type: of variable or fixed length, as list or list view, or as a dictionary
/// of either. Returns `None` for other types.
pub(super) fn values_of(of: &DataType) -> Option<&FieldRef> {
    use DataType::{Dictionary, FixedSizeList, LargeList, LargeListView, List, ListView};
    match of {
        List(values) | LargeList(values) | FixedSizeList(values, _) | ListView(values) | LargeListView(values) => {
            Some(values)
        }
        Dictionary(_, lists) if !matches!(**lists, Dictionary(..)) => values_of(lists),
        _ => None,
    }
}

/// Returns the elements of all lists of a column, concatenated, and the range of each row's elements. In a column that holds no lists,
/// each row has one element.
pub(super) fn spans(array: &ArrayRef) -> (ArrayRef, Vec<Span>) {
    let valid = |spans: &mut dyn Iterator<Item = (usize, usize)>| -> Vec<Span> {
        spans.enumerate().map(|(row, span)| array.is_valid(row).then_some(span)).collect()
    };
    match array.data_type() {
        DataType::List(_) => by_end::<i32>(array, valid),
        DataType::LargeList(_) => by_end::<i64>(array, valid),
        DataType::ListView(_) => by_view::<i32>(array, valid),
        DataType::LargeListView(_) => by_view::<i64>(array, valid),
        DataType::FixedSizeList(_, length) => {
            let (list, length) = (array.as_fixed_size_list(), usize::try_from(*length).unwrap_or(0));
            (list.values().clone(), valid(&mut (0..list.len()).map(|row| (row * length, (row + 1) * length))))
        }
        DataType::Dictionary(_, lists) if values_of(lists).is_some() => {
            let (values, spans) = spans(array.as_any_dictionary().values());
            (values, cells::keys(array).into_iter().map(|key| spans.get(key).copied().flatten()).collect())
        }
        _ => (array.clone(), valid(&mut (0..array.len()).map(|row| (row, row + 1)))),
    }
}

fn by_end<O: OffsetSizeTrait>(
    array: &ArrayRef,
    valid: impl Fn(&mut dyn Iterator<Item = (usize, usize)>) -> Vec<Span>,
) -> (ArrayRef, Vec<Span>) {
    let (list, offsets) = (array.as_list::<O>(), array.as_list::<O>().value_offsets());
    // Of a slice of a column, the elements of the other rows are left out.
    let (start, end) = offsets.first().zip(offsets.last()).map_or((0, 0), |(a, b)| (a.as_usize(), b.as_usize()));
    let mut spans = offsets.windows(2).map(|two| (two[0].as_usize() - start, two[1].as_usize() - start));
    (list.values().slice(start, end - start), valid(&mut spans))
}

fn by_view<O: OffsetSizeTrait>(
    array: &ArrayRef,
    valid: impl Fn(&mut dyn Iterator<Item = (usize, usize)>) -> Vec<Span>,
) -> (ArrayRef, Vec<Span>) {
    let list = array.as_list_view::<O>();
    let views =
        || list.value_offsets().iter().zip(list.value_sizes()).map(|(at, size)| (at.as_usize(), size.as_usize()));
    let held = || views().filter(|(_, size)| *size > 0);
    // Of a slice of a column, the elements of the other rows are left out. The sums cannot overflow: Arrow has rejected lists that lie
    // outside of the values.
    let start = held().map(|(at, _)| at).min().unwrap_or(0);
    let end = held().map(|(at, size)| at + size).max().unwrap_or(start);
    let mut spans = views().map(|(at, size)| if size > 0 { (at - start, at - start + size) } else { (0, 0) });
    (list.values().slice(start, end - start), valid(&mut spans))
}

/// Returns the elements of all lists of a column, concatenated and converted to numbers, and the range of each row's elements: see
/// [`spans`].
pub(super) fn numbers(array: &ArrayRef) -> (Vec<f64>, Vec<Span>) {
    let (values, spans) = spans(array);
    (cells::numbers(&values), spans)
}

/// Returns the length of the first non-null list of a column; `None` if all are null.
pub(super) fn length(array: &ArrayRef) -> Option<usize> {
    if let DataType::FixedSizeList(_, length) = array.data_type() {
        return usize::try_from(*length).ok();
    }
    spans(array).1.into_iter().flatten().map(|(start, end)| end - start).next()
}
