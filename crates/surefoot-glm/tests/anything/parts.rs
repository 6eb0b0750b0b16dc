//! Robustness tests of settings, schemas, batches and other small types with arbitrary values.

use crate::anyone::Any;
use surefoot_glm::{
    Ball, Batch, Bounds, Certificate, Fault, FeatureGroups, FeatureNames, HoldoutStore, IdHasher, Labels, LossBounds,
    MemoryHoldout, OrderAlarm, Part, PathEnd, Penalty, Plan, Quote, Role, Row, Settings, TableSchema, threads,
};

#[test]
fn bounds_hold_zero_and_nothing_that_is_no_number() {
    let mut any = Any::new(11);
    for _ in 0..5000 {
        let (low, high, weight) = (any.number(), any.number(), any.number());
        let Some(bounds) = Bounds::new(low, high) else { continue };
        assert!(
            Bounds::low(bounds) <= 0.0 && Bounds::high(bounds) >= 0.0 && Bounds::low(bounds) < Bounds::high(bounds)
        );
        let clamped = Bounds::clamp(bounds, weight);
        assert!(weight.is_nan() == clamped.is_nan() && !(clamped < low || clamped > high), "{bounds:?} {weight}");
        assert_eq!(Bounds::is_free(&bounds), low == f64::NEG_INFINITY && high == f64::INFINITY);
    }
}

#[test]
fn groups_go_by_any_name_and_number() {
    let mut any = Any::new(12);
    for _ in 0..300 {
        let Settings { groups, .. } = any.settings();
        let wanted = any.text();
        let number = FeatureGroups::number(&groups, |name| name == wanted);
        assert_eq!(number == 0, !FeatureGroups::names(&groups).any(|name| name == wanted));
        assert_eq!(FeatureGroups::is_empty(&groups), FeatureGroups::names(&groups).next().is_none());
        // Numbers beyond those of the groups are of features without a rule of their own, or of one of the groups.
        for number in [number, 0, u32::MAX] {
            let rule = FeatureGroups::rule(&groups, number, Bounds::FREE);
            assert!(
                rule.factor == 1.0
                    || groups.factors.iter().any(|(_, factor)| factor.to_bits() == rule.factor.to_bits())
            );
        }
    }
}

#[test]
fn names_and_labels_may_be_any() {
    let mut any = Any::new(13);
    let mut names = FeatureNames::default();
    assert!(FeatureNames::is_empty(&names));
    for _ in 0..500 {
        let (id, name) = (any.id(), any.text());
        assert!(FeatureNames::insert(&mut names, id, &name));
        assert!(FeatureNames::all(&names, id).any(|known| known == name) && FeatureNames::of(&names, id).is_some());
    }
    assert!(!FeatureNames::insert(&mut names, 1, &"x".repeat(FeatureNames::MOST_BYTES)));
    let ids = [9, 0, 0, u64::MAX];
    let some = FeatureNames::restricted_to(&names, &ids);
    assert!(
        FeatureNames::iter(&some).all(|(id, _)| ids.contains(&id))
            && FeatureNames::iter(&names).count() >= FeatureNames::iter(&some).count()
    );
    for _ in 0..2000 {
        let mut two = || if any.flip() { Some(any.number()) } else { None };
        let (negative, positive) = (two(), two());
        let classes: Vec<f64> = (0..any.below(4)).map(|_| any.number()).collect();
        let labels = Labels { negative, positive, classes, shares: any.below(4) == 0 };
        let label = any.number();
        let encode = Labels::encode(&labels, label);
        assert!(encode.is_none_or(|encode| !label.is_nan() && encode.is_finite()), "{labels:?} {label}");
        assert_eq!(
            Labels::all(&labels).len(),
            labels.classes.len() + usize::from(negative.is_some()) + usize::from(positive.is_some())
        );
    }
}

#[test]
fn tables_and_marks_may_be_any() {
    let mut any = Any::new(14);
    let table = TableSchema { means: [("a".to_owned(), 2.0)].into(), ..TableSchema::default() };
    assert!(TableSchema::is_unknown(&table));
    for _ in 0..500 {
        assert!(TableSchema::fill(&table, &any.text()).is_finite());
        let mark = char::from_u32(any.below(0x11_0000) as u32).unwrap_or('\0');
        let quote = any.of(&[Quote::None, Quote::Mark(mark)]);
        assert!(!Quote::is_usable(quote) || quote == Quote::None || Quote::mark(quote).is_some());
    }
    let roles = [
        Role::Label,
        Role::Weight,
        Role::Trials,
        Role::Offset,
        Role::Exposure,
        Role::Number,
        Role::Category,
        Role::Text,
        Role::Ignored,
    ];
    assert_eq!(roles.iter().filter(|role| Role::is_feature(**role)).count(), 3);
    assert_eq!(roles.iter().filter(|role| Role::is_offset(**role)).count(), 2);
}

#[test]
fn small_parts_take_anything() {
    let mut any = Any::new(15);
    let hasher = IdHasher::default();
    for _ in 0..2000 {
        let (printed, loss) = (any.number(), any.of(&[None, Some(f64::NAN), Some(1.0)]));
        let alarm = OrderAlarm { loss, printed, rows: any.id(), scored: any.id() };
        assert!(!OrderAlarm::is_sound(&alarm) || printed.is_finite() && alarm.rows < u64::MAX);
        let settings = any.settings();
        if let Some(ball) = settings.ball.filter(|_| !settings.loss.is_multiclass()) {
            let loss_bounds = Ball::loss_bounds(&ball, settings.loss);
            let ordered = |x: &LossBounds| x.least <= x.largest && x.margin >= 0.0 || x.largest.is_nan();
            assert!(Settings::check_ranges(&settings).is_err() || loss_bounds.is_none_or(|x| ordered(&x)), "{ball:?}");
        }
        let in_range = Settings::check_ranges(&settings);
        assert!(in_range.is_err() || settings.penalty.l1 >= 0.0 && settings.penalty.l2.is_finite(), "{settings:?}");
        assert!(!Settings::is_unpenalised(&settings) || Penalty::is_none(&settings.penalty));
        assert!(Plan::period(&any.plan()).is_none_or(|period| period <= u64::from(u32::MAX)));
        let id = any.id();
        assert_eq!(IdHasher::hash(hasher, id), IdHasher::hash(hasher, id));
        let text = any.text();
        assert_eq!(Fault::new(Part::Pair(usize::MAX), text.clone()).message, text);
        assert!(Certificate::bound(&Certificate::none(text)).is_none());
    }
    for end in [PathEnd::Heaviest, PathEnd::Lightest, PathEnd::Without] {
        assert!(!PathEnd::name(end).is_empty());
    }
}

/// Checks that work is done completely for any number of threads requested, from 0 to `usize::MAX`.
#[test]
fn threads_may_be_any_number() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for asked in [0, 1, 3, usize::MAX] {
        let left = AtomicUsize::new(50);
        threads::share(asked, || {
            while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {}
        });
        assert_eq!(left.into_inner(), 0);
    }
    let thread = threads::start("é", 20, |x| x + 1);
    assert_eq!(thread.map(|thread| thread.join().unwrap()).unwrap_or(21), 21);
}

#[test]
fn batches_and_shelves_hold_any_row() {
    let mut any = Any::new(16);
    for _ in 0..300 {
        let loss = any.loss();
        let (batch, mut copy, mut store) = (any.batch(loss), Batch::default(), MemoryHoldout::default());
        assert_eq!(Batch::is_empty(&batch), Batch::len(&batch) == 0);
        for r in 0..Batch::len(&batch) {
            let row = Batch::row(&batch, r);
            Batch::append(&mut copy, &row);
            HoldoutStore::put(&mut store, &row).unwrap();
            if Row::check(&row).is_ok() {
                assert!(row.weight >= 0.0 && row.value.iter().all(|x| x.is_finite()) && row.offset.is_finite());
            }
        }
        let mut seen = 0;
        HoldoutStore::visit(&mut store, &mut |_| seen += 1).unwrap();
        assert_eq!((seen, Batch::len(&copy)), (Batch::len(&batch), Batch::len(&batch)));
        Batch::push_name(&mut copy, b"\xff");
        Batch::push_offset(&mut copy, any.number());
        Batch::truncate_pairs(&mut copy, any.below(9));
        Batch::clear(&mut copy);
        assert!(Batch::name(&copy, usize::MAX).is_none() && Batch::name(&copy, 0).is_none());
        Batch::push(&mut copy, Some(any.number()), any.number(), &[(any.id(), any.number())]);
        let _ = Row::check(&Batch::row(&copy, 0));
    }
}
