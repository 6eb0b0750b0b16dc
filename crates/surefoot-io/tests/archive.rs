//! Tests of model archives: exact copies are read back, and anything else is refused with the right error message.

use std::io::Write;
use std::path::{Path, PathBuf};

use surefoot_io::{Archive, Dtype, Error, ErrorKind, Tensor};

fn sample() -> Archive<'static> {
    Archive {
        meta: r#"{"labels":["no","yes \"ü\" \\"],"loss":"logistic","x":-0.0}"#.to_owned(),
        tensors: vec![
            Tensor::from_f64("weights", &[2, 2], &[0.5, -0.0, 1e-310, f64::MAX]),
            Tensor::from_u64("ids", &[3], &[0, 1 << 40, u64::MAX]),
            Tensor::from_f32("state/\"odd\" näme", &[3], &[1.5, f32::MIN_POSITIVE, -2.0]),
            Tensor::from_u32("empty", &[0, 7], &[]),
            Tensor::from_u32("scalar", &[], &[7]),
        ],
    }
}

fn bytes(archive: &Archive<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    archive.write(&mut bytes).unwrap();
    bytes
}

/// Temporary folder, deleted on drop, for an archive file named `m`.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("m")
    }

    /// Reads an archive from a file and from memory, which must give the same.
    fn read(&self, bytes: &[u8]) -> Result<Archive<'static>, Error> {
        std::fs::write(self.path(), bytes).unwrap();
        let result = Archive::read(self.path());
        let in_memory = Archive::from_bytes(self.path().to_str().unwrap(), bytes);
        assert_eq!(in_memory.as_ref().map_err(ToString::to_string), result.as_ref().map_err(ToString::to_string));
        if let Err(error) = &result {
            let message = error.to_string();
            assert!(message.starts_with(&*self.path().to_string_lossy()) && message.len() <= Error::LIMIT, "{message}");
        }
        result
    }
}

#[test]
fn what_is_written_is_read() {
    let scratch = Scratch::new();
    for archive in [sample(), Archive { meta: "{}".to_owned(), tensors: vec![] }] {
        assert_eq!(scratch.read(&bytes(&archive)).unwrap(), archive);
        assert_eq!(bytes(&archive), bytes(&archive.clone()), "equal archives give equal bytes");
    }
    assert_eq!(sample().tensor("weights").unwrap().to_f64().unwrap()[3], f64::MAX);
    assert_eq!(sample().tensor("weights").unwrap().to_f32(), None);
    assert_eq!(sample().tensor("ids").unwrap().to_u64().unwrap(), [0, 1 << 40, u64::MAX]);
}

#[test]
fn the_layout_is_that_of_safetensors() {
    let file = bytes(&sample());
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    assert_eq!(length % 8, 0);
    let header: serde_json::Value = serde_json::from_slice(&file[8..8 + length]).unwrap();
    assert_eq!(header["weights"], serde_json::json!({"dtype": "F64", "shape": [2, 2], "data_offsets": [0, 32]}));
    assert_eq!(header["scalar"]["data_offsets"], serde_json::json!([68, 72]));
    assert_eq!(header["__metadata__"].as_object().unwrap().len(), 1);
    let own: serde_json::Value = serde_json::from_str(header["__metadata__"]["surefoot"].as_str().unwrap()).unwrap();
    assert_eq!(own["model"]["loss"], "logistic");
    assert_eq!(own["format"], 2);
    assert_eq!(file.len(), 8 + length + 72);
}

#[test]
fn every_cut_and_every_changed_byte_is_an_error() {
    let scratch = Scratch::new();
    let whole = bytes(&sample());
    for length in 0..whole.len() {
        let error = scratch.read(&whole[..length]).unwrap_err();
        let says_so = error.to_string().contains("damaged or cut off");
        assert!(says_so || length == 0, "cut at {length}: {error}");
    }
    for at in 0..whole.len() {
        for change in [0x55, 0x01] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            let error = scratch.read(&bytes).expect_err(&format!("byte {at} ^ {change:#x}"));
            let newer = matches!(error.kind(), ErrorKind::Version { .. });
            assert!(newer || error.to_string().contains("damaged or cut off"), "byte {at} ^ {change:#x}: {error}");
        }
    }
    for extra in [&b"\0"[..], b" ", &whole] {
        let error = scratch.read(&[&whole, extra].concat()).unwrap_err();
        assert!(error.to_string().contains(&format!("something follows the end at byte {}", whole.len())), "{error}");
    }
}

#[test]
fn damage_is_said_to_be_where_it_is() {
    let scratch = Scratch::new();
    let whole = bytes(&sample());
    let start = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let mut flipped = whole.clone();
    flipped[start + 33] ^= 1;
    let error = scratch.read(&flipped).unwrap_err().to_string();
    assert!(error.contains(&format!("the checksum of tensor 'ids' does not fit at byte {}", start + 32)), "{error}");
    let error = scratch.read(&whole[..start + 3]).unwrap_err().to_string();
    assert!(error.contains(&format!("the file ends in tensor 'weights' at byte {}", start + 3)), "{error}");
}

#[test]
fn foreign_files_are_named_as_such() {
    let scratch = Scratch::new();
    let safetensors = br#"{"weights":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}    "#;
    let safetensors = [&(safetensors.len() as u64).to_le_bytes()[..], safetensors, &[0; 8]].concat();
    let cases: [&[u8]; 8] = [
        b"",
        b"1 1:0.5 2:1\n0 1:-0.25 2:0.5\n1 1:0.75\n0 2:-1\n1 1:1 2:0.25\n0 1:-1 2:-0.5\n",
        b"{\"weights\": [1, 2]}\n",
        b"\x89PNG\r\n\x1a\n\0\x01\x02\x03",
        b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xcb\xcd\xcc\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0",
        &[0xff; 100],
        &[0; 100],
        &safetensors,
    ];
    for case in cases {
        let error = scratch.read(case).unwrap_err();
        assert!(error.to_string().contains(": not a surefoot model"), "{error}");
    }
    assert!(scratch.read(b"").unwrap_err().to_string().ends_with("the file is empty"));
    let message = |path: &Path| Archive::read(path).unwrap_err().to_string();
    assert!(message(scratch.0.path()).ends_with(": Is a directory"));
    assert!(message(&scratch.0.path().join("none")).ends_with(": No such file or directory"));
}

#[test]
fn other_versions_are_named_even_if_laid_out_otherwise() {
    let scratch = Scratch::new();
    for (version, advice) in [(12, "update surefoot"), (1, "train it anew with this version")] {
        let header =
            format!(r#"{{"__metadata__":{{"surefoot":"{{\"format\":{version},\"new\":0}}"}},"columns":{{}}}}"#);
        let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
        let error = scratch.read(&file).unwrap_err().to_string();
        assert!(
            error.contains(&format!("a model in format {version}, and this surefoot reads format 2: {advice}")),
            "{error}"
        );
    }
}

#[test]
fn false_lengths_are_not_believed() {
    let scratch = Scratch::new();
    let whole = bytes(&sample());
    for length in [0, 7, 1 << 20, 1 << 40, u64::MAX] {
        let mut file = whole.clone();
        file[..8].copy_from_slice(&u64::to_le_bytes(length));
        assert!(scratch.read(&file).unwrap_err().to_string().contains("damaged or cut off"));
    }
    // A shape that is too large for the file, and one too large for any.
    for shape in ["99999999999", "99999999999,99999999999"] {
        let text = String::from_utf8_lossy(&whole).replace("\"shape\":[2,2]", &format!("\"shape\":[{shape}]"));
        assert!(scratch.read(text.as_bytes()).is_err());
    }
}

#[test]
fn a_pipe_can_be_read() {
    let whole = bytes(&sample());
    let (from, mut to) = std::io::pipe().unwrap();
    to.write_all(&whole).unwrap();
    drop(to);
    let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&from));
    assert_eq!(Archive::read(path).unwrap(), sample());
}

#[test]
fn what_cannot_be_stored_is_refused() {
    let tensor = |name: &str, shape: &[usize], bytes: usize| Tensor {
        name: name.to_owned(),
        dtype: Dtype::F32,
        shape: shape.to_vec(),
        bytes: vec![0; bytes].into(),
    };
    let bad = [
        ("{", vec![]),
        ("{}{}", vec![]),
        ("{}", vec![tensor("a", &[2], 7)]),
        ("{}", vec![tensor("a", &[usize::MAX, 3], 8)]),
        ("{}", vec![tensor("a", &[0], 0), tensor("a", &[0], 0)]),
        ("{}", vec![tensor("__metadata__", &[0], 0)]),
    ];
    for (meta, tensors) in bad {
        let archive = Archive { meta: meta.to_owned(), tensors };
        let mut bytes = Vec::new();
        assert_eq!(archive.write(&mut bytes).unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
        assert!(bytes.is_empty());
    }
}
