//! Failures of requests, in words that say what to do.

use std::error::Error as _;
use std::io;

use object_store::{
    Error,
    client::{HttpError, HttpErrorKind},
};

use super::store::Scheme;
use crate::error::Transfer;

/// Failure of a request or of a transfer.
#[derive(Debug)]
pub(super) enum Failure {
    Request(Error),
    /// The object is not the one whose size and ETag are known.
    Changed,
    /// The server sends whole objects only.
    NoRanges,
}

/// Words of errors about a server that answers with a whole object: of the clients of web servers and of stores. No type tells this.
const NO_RANGES: [&str; 2] = ["Range request not supported", "non-partial response"];

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Precondition { .. } => Failure::Changed,
            error if NO_RANGES.iter().any(|words| error.to_string().contains(words)) => Failure::NoRanges,
            error => Failure::Request(error),
        }
    }
}

impl Failure {
    /// Whether nothing is there under the name, as far as the store tells.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Failure::Request(Error::NotFound { .. }))
    }

    /// Whether access is denied, which stores also say of what is absent to those who may not list.
    pub(super) fn is_denied(&self) -> bool {
        matches!(self, Failure::Request(Error::PermissionDenied { .. }))
    }

    /// Converts the failure to an error whose message says what to do.
    pub(super) fn error(&self, scheme: Scheme) -> io::Error {
        let message = match self {
            Failure::Changed => "the object was changed while it was read; start again".to_owned(),
            Failure::NoRanges => {
                "the server sends whole files only; fetch the file first, and name the copy".to_owned()
            }
            Failure::Request(error) => message(error, scheme),
        };
        io::Error::other(Transfer(message))
    }
}

fn message(error: &Error, scheme: Scheme) -> String {
    let texts = texts(error);
    let says = |words: &[&str]| words.iter().any(|word| texts.iter().any(|text| text.contains(word)));
    if says(&[
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
        "Error getting credentials",
        "Account must be specified",
    ]) {
        return format!("no credentials: {}", credentials(scheme));
    }
    if says(&["NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist"]) {
        return "there is no such bucket; check the address".to_owned();
    }
    if says(&["scheme is not allowed"]) {
        return "the endpoint has no TLS (http); AWS_ALLOW_HTTP=true permits this".to_owned();
    }
    if says(&["without LOCATION", "AuthorizationHeaderMalformed", "PermanentRedirect"]) {
        return "the bucket is in another region; set AWS_REGION to that".to_owned();
    }
    match error {
        Error::NotFound { .. } => return "there is no such object; check the address".to_owned(),
        Error::PermissionDenied { .. } => return format!("access is denied (403): {}", credentials(scheme)),
        Error::Unauthenticated { .. } => {
            return format!("the server wants other credentials (401): {}", credentials(scheme));
        }
        _ => {}
    }
    let last = texts.last().map_or_else(String::new, |text| without_number(text));
    match http_kind(error) {
        Some(HttpErrorKind::Timeout) => "timed out; check the network, and try again".to_owned(),
        Some(HttpErrorKind::Connect) => format!("cannot connect ({last}); check the address and the network"),
        Some(HttpErrorKind::Request | HttpErrorKind::Interrupted) => {
            format!("the connection broke off again and again ({last}); try again later")
        }
        _ => match texts.iter().find(|text| text.starts_with("Server returned")) {
            Some(answer) => format!("{}; try again later", one_line(answer)),
            None => one_line(&last),
        },
    }
}

/// Returns what to do about credentials.
fn credentials(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket",
        Scheme::Google => "set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket",
        Scheme::Azure => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_SKIP_SIGNATURE=true for a public \
             container"
        }
        Scheme::Web => "get an address that is open to you, such as a presigned one",
    }
}

/// Returns the messages of an error and of its causes.
fn texts(error: &Error) -> Vec<String> {
    let (mut texts, mut cause) = (vec![error.to_string()], error.source());
    while let Some(error) = cause {
        texts.push(error.to_string());
        cause = error.source();
    }
    texts
}

fn http_kind(error: &Error) -> Option<HttpErrorKind> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(http) = error.downcast_ref::<HttpError>() {
            return Some(http.kind());
        }
        cause = error.source();
    }
    None
}

/// Returns the message of an error of the system without its number, behind which [`reason`](crate::error::reason) would cut the rest off.
fn without_number(text: &str) -> String {
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Shortens an answer of a server, which may be a page, to its first words.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    crate::error::cut(&words.join(" "), 200, 150)
}
