//! Tests that the sample of rows is bounded and uniform, survives a pause unchanged, and is not restored from arrays
//! that do not fit together.

use super::sample::RowSample;
use crate::{
    data::rows::Batch,
    model::{
        order_alarm::OrderAlarm,
        state::{Array, Numbers, State},
    },
};
use serde_json::json;
use std::ops::Range;

fn sample(rows: u64, pairs: u64) -> RowSample {
    let mut sample = RowSample::default();
    go_on(&mut sample, 0..rows, pairs);
    sample
}

/// Offers rows with the given numbers, each with `pairs` nonzeros, to the sample.
fn go_on(sample: &mut RowSample, rows: Range<u64>, pairs: u64) {
    let mut batch = Batch::default();
    for t in rows {
        batch.clear();
        let row: Vec<_> = (0..pairs).map(|j| (j, (t + j) as f64)).collect();
        batch.push(Some((t % 2) as f64), 1.0, &row);
        sample.add(&batch.row(0), 1.0, t as f64);
    }
}

fn state(sample: &RowSample) -> State {
    State { scalars: json!({ "order": sample.scalars() }), arrays: sample.to_arrays("order").into() }
}

fn back(state: &State) -> Result<RowSample, String> {
    RowSample::from_arrays("order", &state.scalars["order"], state)
}

#[test]
fn it_is_bounded_in_rows_and_in_pairs_and_uniform() {
    for (rows, pairs, most) in [(32_768, 2, 32_768), (200_000, 1, 32_768), (40_000, 32, 8192), (3000, 1000, 262)] {
        let (scalars, arrays) = (sample(rows, pairs).scalars(), sample(rows, pairs).to_arrays("order"));
        let Numbers::U64(numbers) = &arrays[0].data else { panic!("numbers") };
        let kept = numbers.len() as u64;
        assert!(kept <= most && (kept == rows || kept > most * 2 / 3), "{kept} of {rows}");
        assert_eq!(scalars["rows_met"], rows);
        let mean = numbers.iter().sum::<u64>() as f64 / kept as f64 / rows as f64;
        assert!((mean - 0.5).abs() < 1.5 / (kept as f64).sqrt(), "{mean} of {kept}");
    }
    assert!(sample(3, 20_000).is_empty(), "a row that would fill it is passed over");
}

#[test]
fn it_comes_back_and_goes_on_as_if_never_stored() {
    for (rows, pairs) in [(0, 0), (50, 3), (30_000, 2), (900, 700)] {
        let mut whole = sample(rows, pairs);
        let mut stored = back(&state(&whole)).unwrap();
        assert_eq!(stored, whole);
        let more = rows..2 * rows + 5000;
        go_on(&mut whole, more.clone(), pairs + 1);
        go_on(&mut stored, more, pairs + 1);
        assert_eq!(stored, whole, "{rows} rows of {pairs} pairs");
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    type Spoil = fn(&mut State);
    fn numbers<'a>(state: &'a mut State, name: &str) -> &'a mut Numbers {
        &mut state.arrays.iter_mut().find(|array| array.name == format!("order.{name}")).unwrap().data
    }
    fn set(state: &mut State, name: &str, at: usize, to: f64) {
        match numbers(state, name) {
            Numbers::F64(data) => data[at] = to,
            Numbers::U64(data) => data[at] = to as u64,
            _ => panic!("another type"),
        }
    }
    let spoils: [Spoil; 12] = [
        |state| state.scalars["order"]["rows_met"] = json!(3),
        |state| state.scalars["order"]["hash_limit"] = json!(7),
        |state| state.scalars["order"]["hash_limit"] = json!(-1),
        |state| set(state, "row", 1, 0.0),
        |state| set(state, "row_end", 49, 1e18),
        |state| set(state, "row_end", 0, 100.0),
        |state| set(state, "value", 0, f64::NAN),
        |state| set(state, "row_values", 1, 0.0),
        |state| set(state, "row_values", 4, f64::INFINITY),
        |state| {
            let Some(facts) = state.arrays.iter_mut().find(|array| array.name == "order.row_values") else { return };
            *facts = Array::flat("order.row_values", vec![1.0; 5 * 50 + 1]);
        },
        |state| {
            // The last row has all 20,000 nonzeros, and a row as long as that is not kept.
            state.arrays = sample(50, 400).to_arrays("order").into();
            (0..49).for_each(|row| set(state, "row_end", row, 0.0));
        },
        |state| state.arrays.retain(|array: &Array| array.name != "order.index"),
    ];
    for (k, spoil) in spoils.into_iter().enumerate() {
        let mut state = state(&sample(50, 3));
        spoil(&mut state);
        assert!(back(&state).is_err(), "{k}");
    }
}

#[test]
fn an_alarm_has_a_cause() {
    let alarm = OrderAlarm { loss: Some(2.0), printed: 1.0, rows: 10, scored: 10 };
    assert!(alarm.is_sound() && OrderAlarm { loss: None, ..alarm }.is_sound());
    assert!(!OrderAlarm { loss: Some(0.5), ..alarm }.is_sound() && !OrderAlarm { scored: 11, ..alarm }.is_sound());
}
