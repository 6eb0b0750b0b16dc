//! Tests of the model file format, which later versions must be able to read: the names in it, and stored files of each format version.

#[allow(dead_code, missing_docs, unreachable_pub)]
#[path = "../../../fuzz/drive.rs"]
mod drive;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drive::{kinds, models};
use serde_json::{Value, json};
use surefoot_glm::{Batch, MemoryHoldout, Model, OrderAlarm, Plan, Predictor, RowMargins, Trainer};
use surefoot_io::{Archive, ErrorKind, Tensor, load_model, model_from_bytes, model_to_bytes, save_model};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/models").join(name)
}

/// Model files of the current format, each with the expected margins (one per class) of a row whose values of the model's features are 0.5,
/// 1, 1.5 …; computed from the weights in the file, in exact fractions.
const FILES: [(&str, &[f64]); 3] = [
    ("format-2.surefoot", &[7.248984617937822]),
    ("format-2-classes.surefoot", &[2.126852120508086, 2.0272987224399817, 1.884662425377316]),
    ("format-2-ball.surefoot", &[0.6349911272760568]),
];

/// Returns the margins, one per class, of a row whose values of the model's features are 0.5, 1, 1.5 ….
fn margins(model: &Model) -> Vec<f64> {
    let pairs: Vec<_> = model.index.iter().zip(1..).map(|(&id, k)| (id, 0.5 * f64::from(k))).collect();
    let (mut batch, predictor, mut scores) = (Batch::default(), Predictor::new(model), RowMargins::default());
    batch.push(None, 1.0, &pairs);
    if model.settings.loss.is_multiclass() {
        predictor.score_classes(&batch.row(0), &mut scores).unwrap();
        return scores.margins;
    }
    vec![predictor.score(&batch.row(0)).unwrap().margin]
}

fn check_margins(model: &Model, expected: &[f64], of: &str) {
    let found = margins(model);
    assert_eq!(found.len(), expected.len(), "{of}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{of}: {found} {expected}");
    }
}

#[test]
fn files_of_this_format_predict_what_they_did_and_are_written_as_they_were() {
    for (name, expected) in FILES {
        let model = load_model(&file(name)).unwrap();
        check_margins(&model, expected, name);
        let (mut again, bytes) = (Vec::new(), std::fs::read(file(name)).unwrap());
        save_model(&model, &mut again).unwrap();
        assert!(again == bytes, "{name} is written in another way");
        assert!(model_to_bytes(&model).unwrap() == bytes && model_from_bytes(name, &bytes).unwrap() == model, "{name}");
        Trainer::resume(&model, Plan { passes: 3, ..Plan::ONE_PASS }, Box::<MemoryHoldout>::default()).unwrap();
    }
}

#[test]
fn every_cut_and_every_changed_byte_of_a_model_in_memory_is_an_error() {
    let refused = |bytes: &[u8], what: &dyn std::fmt::Debug| {
        let message = model_from_bytes("pickled", bytes).expect_err(&format!("{what:?}")).to_string();
        assert!(message.starts_with("pickled: "), "{what:?}: {message}");
    };
    for (name, _) in FILES {
        let whole = std::fs::read(file(name)).unwrap();
        (0..whole.len()).for_each(|length| refused(&whole[..length], &(name, "cut", length)));
        let mut bytes = whole.clone();
        for at in 0..whole.len() {
            let change = 1 << (at % 8);
            bytes[at] ^= change;
            refused(&bytes, &(name, "changed", at, change));
            bytes[at] ^= change;
        }
        refused(&[&*whole, b" "].concat(), &(name, "longer"));
    }
}

#[test]
fn format_1_is_refused_by_its_number_with_what_to_do() {
    let error = load_model(&file("format-1.surefoot")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Version { found: 1, reads: 2, .. }), "{error}");
    let says = error.to_string();
    let in_memory =
        model_from_bytes("old", &std::fs::read(file("format-1.surefoot")).unwrap()).unwrap_err().to_string();
    assert!(says.ends_with(in_memory.strip_prefix("old").unwrap()), "{in_memory}");
    for part in ["format-1.surefoot: ", "format 1", "reads format 2", "train it anew", "the older surefoot"] {
        assert!(says.contains(part), "{says}");
    }
}

/// Tests that unknown names in a model file are ignored: names that change predictions would need a new format version.
#[test]
fn names_that_are_not_known_are_passed_over() {
    for (name, expected) in FILES {
        let mut scratch = tempfile::NamedTempFile::new().unwrap();
        let Archive { meta, mut tensors } = Archive::read(file(name)).unwrap();
        let mut meta: Value = serde_json::from_str(&meta).unwrap();
        for path in ["", "/settings", "/labels", "/summary", "/state", "/state/counts", "/state/learner"] {
            meta.pointer_mut(path).unwrap_or_else(|| panic!("{name}: {path}"))["later"] = json!({"n": 1});
        }
        tensors.push(Tensor::from_f64("later", &[1], &[1.0]));
        tensors.push(Tensor::from_f64("state.later", &[1], &[1.0]));
        Archive { meta: meta.to_string(), tensors }.write(&mut scratch).unwrap();
        let model = load_model(scratch.path()).unwrap();
        check_margins(&model, expected, name);
        Trainer::resume(&model, Plan { passes: 3, ..Plan::ONE_PASS }, Box::<MemoryHoldout>::default()).unwrap();
    }
}

/// Adds the path of each value in a JSON text to `names`; names of columns in the data are replaced by `*`.
fn walk(value: &Value, path: &str, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = if path.ends_with("table.means") { "*" } else { name };
                walk(field, &format!("{path}.{name}"), names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{path}[]"), names)),
        _ => _ = names.insert(path.trim_start_matches('.').to_owned()),
    }
}

/// Tests that the names in model files of all kinds are those listed in `format-2.names`: a file with another name for the same thing would
/// need a new format version.
#[test]
fn names_are_those_that_are_written_down() {
    let mut all = kinds::models();
    all[0].summary.order = Some(OrderAlarm { loss: Some(1.0), printed: 0.5, rows: 60, scored: 60 });
    let mut names = BTreeSet::new();
    for archive in models::archives(&all) {
        walk(&serde_json::from_str(&archive.meta).unwrap(), "", &mut names);
        names.extend(archive.tensors.iter().map(|tensor| format!("tensor {} {:?}", tensor.name, tensor.dtype)));
    }
    let listed = std::fs::read_to_string(file("format-2.names")).unwrap();
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    let differ = |a: &BTreeSet<String>, b| a.difference(b).map(|name| format!("{name}\n")).collect::<String>();
    let (new, gone) = (differ(&names, &listed), differ(&listed, &names));
    assert!(
        gone.is_empty(),
        "names of format 2 that are gone, which takes another format:\n{gone}and new ones:\n{new}"
    );
    assert!(new.is_empty(), "names that format-2.names is to list, if readers may pass them over:\n{new}");
}
