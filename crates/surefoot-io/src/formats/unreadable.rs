//! Recognition of unsupported formats by their first bytes, for error messages that name the format and a remedy.

use crate::text::number;

/// Magic bytes of unsupported formats: offset of the magic bytes in the file, magic bytes, and the name of the format with a remedy.
const MAGICS: &[(usize, &[u8], &str)] = &[
    (0, b"\xd0\xcf\x11\xe0", "an old Excel workbook (xls): save the sheet as CSV"),
    (0, b"Obj\x01", "Avro: write it as Parquet"),
    (0, b"%PDF", "a PDF: export the table as CSV"),
    (0, b"\x93NUMPY", "a NumPy array (npy): write it as CSV, or as Parquet with names of columns"),
    (0, b"\x89HDF\r\n", "HDF5: write the table as Parquet"),
    (0, b"SQLite format 3\0", "an SQLite database: export the table as CSV"),
    (0, b"RDX2\n", "an R workspace (RData): write the table as CSV or Parquet"),
    (0, b"RDX3\n", "an R workspace (RData): write the table as CSV or Parquet"),
    (0, b"X\n\0\0", "an R object (RDS): write the table as CSV or Parquet"),
    (0, b"MATLAB 5.0", "a MATLAB file: write the table as CSV"),
    (0, b"<stata_dta>", "a Stata file: export the table as CSV"),
    (0, b"$FL2@", "an SPSS file: export the table as CSV"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"),
    (0, b"Rar!\x1a", "a rar archive: unpack it"),
    (0, b"\x04\x22\x4d\x18", "compressed by lz4: decompress it, or use gzip or zstd"),
    (0, b"\xff\x06\0\0sNaPpY", "compressed by snappy: decompress it, or use gzip or zstd"),
    (0, b"\x1f\x9d", "compressed by compress (Z): decompress it, or use gzip or zstd"),
    (0, b"LZIP\x01", "compressed by lzip: decompress it, or use gzip or zstd"),
    #[cfg(not(feature = "zstd"))]
    (
        0,
        b"\x28\xb5\x2f\xfd",
        "compressed by zstd, which this build leaves out (feature zstd): decompress it, or use gzip",
    ),
    #[cfg(not(feature = "xz"))]
    (0, b"\xfd7zXZ\0", "compressed by xz, which this build leaves out (feature xz): decompress it, or use gzip"),
    #[cfg(not(feature = "bzip2"))]
    (0, b"BZh", "compressed by bzip2, which this build leaves out (feature bzip2): decompress it, or use gzip"),
    #[cfg(not(feature = "parquet"))]
    (0, b"PAR1", "Parquet, which this build leaves out (feature parquet): write it as CSV"),
    #[cfg(not(feature = "parquet"))]
    (0, b"ARROW1", "Arrow, which this build leaves out (feature parquet): write it as CSV"),
    (0, b"\x89PNG", "an image (PNG)"),
    (0, b"\xff\xd8\xff", "an image (JPEG)"),
    (0, b"GIF89a", "an image (GIF)"),
    (257, b"ustar", "a tar archive: unpack it"),
    (0, b"version https://git-lfs", "a Git LFS pointer: get the file itself with git lfs pull"),
];

/// Recognises an unsupported format by the first bytes `head` of the data; returns its name with a remedy, or `None` if the format is not
/// recognised. Text formats are recognised only if `with_text` is true.
pub(crate) fn named(head: &[u8], with_text: bool) -> Option<&'static str> {
    let begins = |&&(at, magic, _): &&(usize, &[u8], &str)| head.get(at..).is_some_and(|head| head.starts_with(magic));
    if head.starts_with(b"PK\x03\x04") {
        return Some(archive(head));
    }
    // A pickle begins with its version, followed by a frame, an object or an array.
    if let [0x80, 2..=5, 0x95 | b'c' | b'}' | b']' | b'(' | b'X', ..] = head {
        return Some("a Python pickle: write the table as CSV or Parquet");
    }
    // The name of a column may also begin with "ORC", so a control byte is required.
    if head.starts_with(b"ORC")
        && head.iter().take(64).any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
    {
        return Some("ORC: write it as Parquet");
    }
    let found = MAGICS.iter().find(begins).map(|found| found.2).or_else(|| binary(head));
    found.or_else(|| if with_text { text(head) } else { None })
}

/// Returns the error message for a zip archive, which depends on the names of the first files in it.
fn archive(head: &[u8]) -> &'static str {
    let holds = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    if holds(b"[Content_Types].xml") || holds(b"xl/") {
        "an Excel workbook (xlsx): save the sheet as CSV"
    } else if holds(b"opendocument.spreadsheet") {
        "a spreadsheet (ods): save the sheet as CSV"
    } else if holds(b".npy") {
        "NumPy arrays (npz): write them as CSV, or as Parquet with names of columns"
    } else {
        "a zip archive: unpack it"
    }
}

/// Returns an error message if the data are binary, that is, if more than a tenth of the bytes are zero but not every second byte as in
/// UTF-16; otherwise `None`.
fn binary(head: &[u8]) -> Option<&'static str> {
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let is_binary = head.len() >= 16 && even + odd > head.len() / 10 && even.min(odd) > head.len() / 100;
    is_binary.then_some("binary, of a format that is not known here: write the table as CSV or Parquet")
}

/// Returns the error message for an unsupported text format; `None` if the format is not recognised.
fn text(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.clone().find(|line| !line.starts_with(b"%"))?;
    let starts = |word: &[u8]| first.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts(b"@relation") {
        return Some("ARFF: take out the lines with @, put the names of columns before the rows, and give it as CSV");
    }
    if starts(b"<!doctype html") || starts(b"<html") {
        return Some("HTML, a page of the web: get the file itself");
    }
    if starts(b"<?xml") {
        return Some("XML: write the table as CSV");
    }
    let line = lines.next()?;
    let after = |at: usize| line.get(at..).unwrap_or_default().trim_ascii_start().first();
    match (line.first(), after(1)) {
        (Some(b'{'), Some(b'"')) if line.ends_with(b"}") => Some("JSON lines: write the table as CSV or Parquet"),
        (Some(b'{'), Some(b'"') | None) | (Some(b'['), Some(b'{' | b'[') | None) => {
            Some("JSON: write the table as CSV or Parquet")
        }
        _ => pairs(line),
    }
}

/// Returns the error message for an unsupported variant of svmlight (libffm, or several labels per row), recognised by one line; `None`
/// for other lines.
fn pairs(line: &[u8]) -> Option<&'static str> {
    let mut tokens = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|token| !token.is_empty());
    let (label, pair) = (tokens.next()?, tokens.next()?);
    let whole = |token: &[u8]| !token.is_empty() && token.iter().all(u8::is_ascii_digit);
    let parts: Vec<&[u8]> = pair.split(|&byte| byte == b':').collect();
    let is_number = |token: &[u8]| number::value(token, 0).is_some_and(|(_, end)| end == token.len());
    match parts.as_slice() {
        [field, index, value] if whole(field) && whole(index) && is_number(value) && is_number(label) => {
            Some("libffm (field:index:value): take the fields away, as in index:value")
        }
        [index, value]
            if whole(index) && is_number(value) && label.contains(&b',') && label.split(|&b| b == b',').all(whole) =>
        {
            Some("svmlight with several labels per row: make a file for each label, with 1 and 0")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::unreadable::named;

    #[test]
    fn kinds_are_named() {
        let tar = [&[b'a'; 257][..], b"ustar\0"].concat();
        let cases: &[(&[u8], &str)] = &[
            (b"PK\x03\x04\x14\0\0\0loan.csv", "a zip"),
            (b"PK\x03\x04\x14\0\0\0[Content_Types].xml", "xlsx"),
            (&tar, "a tar"),
            (b"ORC\x08\x03", "ORC"),
            (b"\x80\x04\x95\x10\0", "pickle"),
            (b"% a\n@RELATION loan\n", "ARFF"),
            (b"{\"a\":1,\"y\":0}\n{\"a\":2", "JSON lines"),
            (b"[\n {\"a\":1}]", "JSON: "),
            (b"{\n \"a\": 1}", "JSON: "),
            (b"1 0:3:0.5 1:4:1\n", "libffm"),
            (b"1,3 2:0.5\n", "several labels"),
            (b"<!DOCTYPE html>\n", "HTML"),
            (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
            (&[0, 0, 8, 3, 0, 0, 39, 16, 0, 0, 0, 28, 0, 0, 0, 28], "binary"),
        ];
        for (head, message) in cases {
            assert!(named(head, true).is_some_and(|named| named.contains(message)), "{}", head.escape_ascii());
        }
        let text: &[&[u8]] = &[
            b"y,x\n1,2\n",
            b"1 3:0.5\n",
            b"qid:1 2:0.5\n",
            b"1,3,2\n",
            b"{x},y\n1,2\n",
            b"[a],y\n1,2\n",
            b"",
            b"1 | a:1:2\n",
            b"Objective,y\n",
            b"ORC,y\n1,2\n",
            b"y,<html>\n",
            b"10:30 1:2\n",
            b"y\0,\0x\0\n\0",
        ];
        for head in text {
            assert_eq!(named(head, true), None, "{}", head.escape_ascii());
        }
        // A row with two labels may be a table if the user named a table format.
        assert_eq!(named(b"1,3 2:0.5\n", false), None);
    }
}
