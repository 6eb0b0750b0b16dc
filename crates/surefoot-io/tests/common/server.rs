//! Small server of the web that is also a store of the kind of S3, with the faults that such servers have.
#![allow(dead_code, missing_docs, unreachable_pub)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server does to a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    None,
    /// Answers with this status.
    Status(u16),
    /// Closes the connection after this many bytes of the body.
    Cut(usize),
    /// Waits before the first byte.
    Slow(Duration),
    /// Sends the whole object instead of a range.
    Whole,
}

/// Request, as far as faults depend on it.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// First and last byte of the wanted range.
    pub range: Option<(usize, usize)>,
    pub if_match: Option<String>,
    /// Number of requests before this one.
    pub number: usize,
}

type Faults = Box<dyn FnMut(&Request) -> Fault + Send>;

pub struct Server {
    address: String,
    shared: Arc<Shared>,
}

struct Shared {
    /// Content by path, such as `/bucket/key`.
    files: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
    faults: Mutex<Faults>,
    requests: AtomicUsize,
    /// Whether answers have a tag.
    has_tags: bool,
}

impl Server {
    /// Starts a server of these files, given by their paths, such as `/bucket/key`.
    pub fn start(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Server {
        Server::with_tags(files, true)
    }

    pub fn with_tags(files: impl IntoIterator<Item = (String, Vec<u8>)>, has_tags: bool) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let files = files.into_iter().map(|(path, bytes)| (path, Arc::new(bytes))).collect();
        let faults: Faults = Box::new(|_| Fault::None);
        let shared = Arc::new(Shared {
            files: Mutex::new(files),
            faults: Mutex::new(faults),
            requests: AtomicUsize::new(0),
            has_tags,
        });
        let server = Server { address, shared: shared.clone() };
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let shared = shared.clone();
                thread::spawn(move || while answer(&connection, &shared).is_some() {});
            }
        });
        server
    }

    /// Returns the address, such as `http://127.0.0.1:1234`.
    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.shared.files.lock().unwrap().insert(path.to_owned(), Arc::new(bytes.into()));
    }

    pub fn faults(&self, faults: impl FnMut(&Request) -> Fault + Send + 'static) {
        *self.shared.faults.lock().unwrap() = Box::new(faults);
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Returns the variables of the environment by which a client finds the store.
    pub fn variables(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT_URL", self.address.clone()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", "test".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }
}

fn request(reader: &mut impl BufRead, number: usize) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&n| n > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut range, mut if_match) = (None, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&n| n > 0)?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let (first, last) = value.strip_prefix("bytes=")?.split_once('-')?;
                range = Some((first.parse().ok()?, last.parse().unwrap_or(usize::MAX)));
            }
            "if-match" => if_match = Some(value.to_owned()),
            _ => {}
        }
    }
    Some(Request { method, target, range, if_match, number })
}

/// Answers one request of a connection; `None` if the connection is to be closed.
fn answer(connection: &TcpStream, shared: &Shared) -> Option<()> {
    // Requests have no body, so that nothing of the next one is read.
    let mut reader = BufReader::new(connection);
    let request = request(&mut reader, shared.requests.load(Ordering::SeqCst))?;
    shared.requests.fetch_add(1, Ordering::SeqCst);
    let fault = (shared.faults.lock().unwrap())(&request);
    if let Fault::Slow(wait) = fault {
        thread::sleep(wait);
    }
    let (status, headers, body) = match fault {
        Fault::Status(status) => (status, String::new(), Vec::new()),
        _ => content(&request, fault, shared),
    };
    let mut head = format!("HTTP/1.1 {status} -\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n{headers}");
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    let sent = match (request.method.as_str(), fault) {
        ("HEAD", _) => 0,
        (_, Fault::Cut(most)) => most.min(body.len()),
        _ => body.len(),
    };
    let mut out = connection;
    out.write_all(head.as_bytes()).ok()?;
    out.write_all(&body[..sent]).ok()?;
    (sent == body.len() || request.method == "HEAD").then_some(())
}

fn content(request: &Request, fault: Fault, shared: &Shared) -> (u16, String, Vec<u8>) {
    let files = shared.files.lock().unwrap();
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    if query.contains("list-type=2") {
        return list(path.trim_end_matches('/'), query, &files);
    }
    if path.starts_with("/secret/") {
        return (403, String::new(), b"<Error><Code>AccessDenied</Code></Error>".to_vec());
    }
    let Some(bytes) = files.get(&decoded(path)) else {
        return (404, String::new(), b"<Error><Code>NoSuchKey</Code></Error>".to_vec());
    };
    let tag = format!("\"{:x}\"", bytes.iter().fold(bytes.len() as u64, |h, &b| h.wrapping_mul(31) + u64::from(b)));
    if request.if_match.as_ref().is_some_and(|wanted| *wanted != tag) {
        return (412, String::new(), Vec::new());
    }
    let headers = if shared.has_tags { format!("ETag: {tag}\r\n") } else { String::new() };
    match request.range.filter(|_| fault != Fault::Whole) {
        Some((first, last)) => {
            let end = bytes.len().min(last.saturating_add(1));
            if first >= end {
                return (416, headers, Vec::new());
            }
            let range = format!("Content-Range: bytes {first}-{}/{}\r\n", end - 1, bytes.len());
            (206, headers + &range, bytes[first..end].to_vec())
        }
        None => (200, headers, bytes.to_vec()),
    }
}

/// Number of objects on a page of a listing.
const PAGE: usize = 3;

fn list(bucket: &str, query: &str, files: &BTreeMap<String, Arc<Vec<u8>>>) -> (u16, String, Vec<u8>) {
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|pair| pair.0 == name).map(|pair| decoded(pair.1)).unwrap_or_default()
    };
    let folder = format!("{bucket}/");
    if !files.keys().any(|path| path.starts_with(&folder)) {
        return (404, String::new(), b"<Error><Code>NoSuchBucket</Code></Error>".to_vec());
    }
    let (prefix, after) = (value("prefix"), value("continuation-token"));
    let keys = files.iter().filter_map(|(path, bytes)| Some((path.strip_prefix(&folder)?, bytes.len())));
    let found: Vec<_> = keys.filter(|(key, _)| key.starts_with(&prefix) && **key > *after).collect();
    let page = &found[..found.len().min(PAGE)];
    let is_truncated = page.len() < found.len();
    let mut xml = format!("<ListBucketResult><IsTruncated>{is_truncated}</IsTruncated>");
    for (key, size) in page {
        let key = key.replace('&', "&amp;");
        xml += &format!(
            "<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
        );
    }
    if is_truncated {
        xml += &format!("<NextContinuationToken>{}</NextContinuationToken>", page[PAGE - 1].0);
    }
    (200, String::new(), (xml + "</ListBucketResult>").into_bytes())
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [a, b, tail @ ..]) => {
                let hex = [*a, *b];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}
