//! Model files that are whole, and wrong: every checksum fits, but a number, a name, a size or a part is another.
//!
//! A file is taken apart into its JSON and its tensors; nothing is known here of what they mean, so whatever a later version adds is
//! changed too. Choices come from outside, as a function that gives a number below its argument: of a fuzzer, or of a generator.

use serde_json::Value;
use surefoot_io::{Archive, Dtype, Tensor};
use xxhash_rust::xxh3::xxh3_64;

/// Gives a number below its argument, which is at least 1.
pub type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// Numbers as JSON has them, some of which it has not: what is at the edge of some range.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "0.5",
    "1.5",
    "-0.5",
    "3",
    "64",
    "65",
    "255",
    "256",
    "65536",
    "65537",
    "1e-300",
    "5e-324",
    "-5e-324",
    "1e-320",
    "1e155",
    "1e160",
    "-1e200",
    "1e307",
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "1e309",
    "null",
    "4294967295",
    "4294967296",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e19",
    "0.9999999999999999",
    "1.0000000000000002",
    "2147483648",
    "true",
    "\"1\"",
    "[]",
    "{}",
];

/// Texts that mean something somewhere, or may be troublesome where they are shown.
const TEXTS: &[&str] = &[
    "",
    "logistic",
    "squared",
    "huber",
    "absolute",
    "quantile",
    "hinge",
    "squared_hinge",
    "smoothed_hinge",
    "poisson",
    "gamma",
    "tweedie",
    "softmax",
    "ovr",
    "svmlight",
    "csv",
    "tsv",
    "vw",
    "parquet",
    "arrow",
    "label",
    "weight",
    "number",
    "category",
    "ignored",
    "offset",
    "exposure",
    "refuse",
    "indicator",
    "mean",
    "trials",
    "min",
    "one_se",
    "balanced",
    "l1",
    "l2",
    "none",
    "deterministic",
    "expectation",
    "probability",
    "excess",
    "risk",
    "0",
    "1",
    "a",
    "x*",
    "\u{1b}[2J",
    "\u{202e}x",
    "a\nb",
    "\0",
    "=1+1",
    "<script>",
    "ffffffffffffffff",
];

/// The bits of numbers at the edge of some range, of 64 bits and of 32.
const WIDE: &[u64] = &[
    0,
    1,
    u64::MAX,
    1 << 63,
    (1 << 63) - 1,
    1 << 53,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x0010_0000_0000_0000,
    0xfff,
    0x7fe1_ccf3_85eb_c8a0,
    0x43e1_58e4_6091_3d00,
    0x3ff0_0000_0000_0001,
    0x3ff0_0000_0000_0fff,
    1 << 32,
    0xffff_ffff,
];
const NARROW: &[u32] = &[
    0,
    1,
    2,
    u32::MAX,
    1 << 31,
    (1 << 31) - 1,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x0080_0000,
    0x5f80_0000,
    0x2080_0000,
];

/// A mutant of an archive: one to four changes, and all checksums right.
pub fn of(archive: &Archive<'_>, choose: &mut Choose<'_>) -> Vec<u8> {
    let mut tensors: Vec<Tensor<'static>> = archive.tensors.iter().map(owned).collect();
    let mut meta: Value = serde_json::from_str(&archive.meta).unwrap_or_default();
    let mut raw = Vec::new();
    for _ in 0..1 + choose(4) {
        match choose(8) {
            0..=4 => change_json(&mut meta, &mut raw, choose),
            _ => change_tensors(&mut tensors, choose),
        }
    }
    let mut meta = meta.to_string();
    for (at, text) in raw.iter().enumerate() {
        meta = meta.replace(&format!("\"{}\"", mark(at)), text);
    }
    write(&meta, &tensors, choose)
}

fn owned(tensor: &Tensor<'_>) -> Tensor<'static> {
    Tensor {
        bytes: tensor.bytes.to_vec().into(),
        name: tensor.name.clone(),
        shape: tensor.shape.clone(),
        dtype: tensor.dtype,
    }
}

/// Placeholder for raw text in JSON until it is written.
fn mark(at: usize) -> String {
    format!("raw text {at}")
}

/// The places of all values, as paths of positions.
fn places(value: &Value, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    found.push(path.clone());
    let children: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => return,
    };
    for (at, child) in children.into_iter().enumerate() {
        path.push(at);
        places(child, path, found);
        path.pop();
    }
}

fn at<'a>(value: &'a mut Value, path: &[usize]) -> Option<&'a mut Value> {
    let Some((&first, rest)) = path.split_first() else { return Some(value) };
    match value {
        Value::Array(items) => at(items.get_mut(first)?, rest),
        Value::Object(fields) => at(fields.values_mut().nth(first)?, rest),
        _ => None,
    }
}

fn change_json(meta: &mut Value, raw: &mut Vec<String>, choose: &mut Choose<'_>) {
    let mut found = Vec::new();
    places(meta, &mut Vec::new(), &mut found);
    let (path, other) = (found[choose(found.len())].clone(), found[choose(found.len())].clone());
    let other = at(meta, &other).cloned().unwrap_or_default();
    let Some(value) = at(meta, &path) else { return };
    if choose(8) == 0 {
        *value = other;
        return;
    }
    match value {
        Value::Array(items) if !items.is_empty() && choose(4) > 0 => change_items(items, &other, choose),
        Value::Object(fields) if !fields.is_empty() && choose(4) > 0 => change_fields(fields, &other, choose),
        Value::String(text) if choose(2) == 0 => *text = change_text(text, choose),
        Value::Number(number) if choose(3) == 0 => {
            let x = number.as_f64().unwrap_or(0.0);
            let factors = [-1.0, 2.0, 0.5, 1.0 + 1e-12, 1e10, 1e-10, 1e300, 1e-300];
            let changed = if choose(3) == 0 { x + [1.0, -1.0][choose(2)] } else { x * factors[choose(factors.len())] };
            *value =
                if changed.fract() == 0.0 && changed.abs() < 1e15 { (changed as i64).into() } else { changed.into() };
        }
        _ => {
            *value = Value::String(mark(raw.len()));
            raw.push(NUMBERS[choose(NUMBERS.len())].to_owned());
        }
    }
}

fn change_text(text: &str, choose: &mut Choose<'_>) -> String {
    match choose(4) {
        0 => text.repeat(2 + choose(40)),
        1 => text.chars().skip(1).collect(),
        _ => TEXTS[choose(TEXTS.len())].to_owned(),
    }
}

fn change_items(items: &mut Vec<Value>, other: &Value, choose: &mut Choose<'_>) {
    let (one, two) = (choose(items.len()), choose(items.len()));
    match choose(6) {
        0 => drop(items.remove(one)),
        1 => items.insert(one, items[two].clone()),
        2 => items.swap(one, two),
        3 => items.push(other.clone()),
        4 => items.clear(),
        _ => {
            let times = 1 + choose(1 + 2000 / items.len());
            *items = std::iter::repeat_n(&*items, times).flatten().cloned().collect();
        }
    }
}

fn change_fields(fields: &mut serde_json::Map<String, Value>, other: &Value, choose: &mut Choose<'_>) {
    let name = |fields: &serde_json::Map<String, Value>, at: usize| fields.keys().nth(at).cloned().unwrap_or_default();
    let (one, two) = (name(fields, choose(fields.len())), name(fields, choose(fields.len())));
    match choose(5) {
        0 => drop(fields.remove(&one)),
        1 => {
            let value = fields.remove(&one).unwrap_or_default();
            fields.insert(TEXTS[choose(TEXTS.len())].to_owned(), value);
        }
        2 => {
            let (first, second) = (fields[&one].clone(), fields[&two].clone());
            fields.insert(one, second);
            fields.insert(two, first);
        }
        3 => drop(fields.insert(TEXTS[choose(TEXTS.len())].to_owned(), other.clone())),
        _ => drop(fields.insert(one, other.clone())),
    }
}

fn change_tensors(tensors: &mut Vec<Tensor<'static>>, choose: &mut Choose<'_>) {
    if tensors.is_empty() {
        return;
    }
    let (one, two) = (choose(tensors.len()), choose(tensors.len()));
    match choose(14) {
        0 => drop(tensors.remove(one)),
        1 => tensors.swap(one, two),
        2 => {
            let (first, second) = (tensors[one].name.clone(), tensors[two].name.clone());
            (tensors[one].name, tensors[two].name) = (second, first);
        }
        3 => {
            let mut more = tensors[one].clone();
            more.name = format!("state.{}", TEXTS[choose(TEXTS.len())]);
            tensors.push(more);
        }
        4 => {
            // The same bytes as numbers of another type.
            let of = match tensors[one].dtype.size() {
                8 => [Dtype::F64, Dtype::U64, Dtype::U8],
                4 => [Dtype::F32, Dtype::U32, Dtype::U8],
                _ => [Dtype::U8, Dtype::U8, Dtype::U32],
            };
            let bytes = tensors[one].bytes.to_vec();
            resize(&mut tensors[one], of[choose(3)], bytes);
        }
        5 => {
            let (dtype, mut bytes) = (tensors[one].dtype, tensors[one].bytes.to_vec());
            let rows = bytes.len() / dtype.size();
            let cut = choose(rows + 1) * dtype.size();
            if choose(2) == 0 {
                bytes.truncate(cut);
            } else {
                bytes.extend_from_within(..cut);
            }
            resize(&mut tensors[one], dtype, bytes);
        }
        6 => {
            let (dtype, bytes) = (tensors[two].dtype, tensors[two].bytes.to_vec());
            resize(&mut tensors[one], dtype, bytes);
        }
        _ => change_numbers(&mut tensors[one], choose),
    }
}

fn resize(tensor: &mut Tensor<'static>, dtype: Dtype, mut bytes: Vec<u8>) {
    bytes.truncate(bytes.len() / dtype.size() * dtype.size());
    (tensor.dtype, tensor.shape) = (dtype, vec![bytes.len() / dtype.size()]);
    tensor.bytes = bytes.into();
}

fn change_numbers(tensor: &mut Tensor<'static>, choose: &mut Choose<'_>) {
    let (size, bytes) = (tensor.dtype.size(), tensor.bytes.to_mut());
    let count = bytes.len() / size;
    if count == 0 {
        return;
    }
    for _ in 0..[1, 1, 2, count][choose(4)] {
        let at = choose(count) * size;
        match size {
            8 => bytes[at..][..8].copy_from_slice(&WIDE[choose(WIDE.len())].to_le_bytes()),
            4 => bytes[at..][..4].copy_from_slice(&NARROW[choose(NARROW.len())].to_le_bytes()),
            _ => bytes[at] = choose(256) as u8,
        }
    }
}

/// The bytes of a file with this JSON and these tensors, whose shapes are lies now and then.
fn write(meta: &str, tensors: &[Tensor<'_>], choose: &mut Choose<'_>) -> Vec<u8> {
    let sums: Vec<String> = tensors.iter().map(|tensor| format!("\"{:016x}\"", xxh3_64(&tensor.bytes))).collect();
    let lie = if choose(50) == 0 { choose(tensors.len() + 1) } else { usize::MAX };
    let render = |signature: u64, factor: usize| {
        let own = format!(
            r#"{{"format":{},"header":"{signature:016x}","tensors":[{}],"model":{meta}}}"#,
            Archive::FORMAT,
            sums.join(",")
        );
        let mut header = format!(r#"{{"__metadata__":{{"surefoot":{}}}"#, Value::String(own));
        let mut at = 0;
        for (k, tensor) in tensors.iter().enumerate() {
            let mut shape = tensor.shape.clone();
            let mut bytes = tensor.bytes.len();
            if k == lie {
                shape.push(factor);
                bytes = bytes.saturating_mul(factor);
            }
            let (name, end) = (Value::String(tensor.name.clone()), bytes.saturating_add(at));
            let dtype = tensor.dtype;
            header += &format!(
                r#",{name}:{{"dtype":"{dtype:?}","shape":{},"data_offsets":[{at},{end}]}}"#,
                serde_json::json!(shape)
            );
            at = end;
        }
        header.push('}');
        while header.len() % 8 != 0 {
            header.push(' ');
        }
        header
    };
    let factor = [1 << 20, 1 << 31, 1 << 40, usize::MAX][choose(4)];
    let header = render(xxh3_64(render(0, factor).as_bytes()), factor);
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    tensors.iter().for_each(|tensor| bytes.extend_from_slice(&tensor.bytes));
    bytes
}
