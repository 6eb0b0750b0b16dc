//! Name of an object in a store or on the web, and what is known of it.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use object_store::{ObjectStore, ObjectStoreExt, path::Path};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    access::Remote,
    failure::Failure,
    fetch::Object,
    runtime,
    store::{self, Scheme},
    stream::{Ahead, Whole},
};
use crate::{error::Transfer, files::random_access::RandomAccess};

/// Object in a store (`s3://bucket/key`, `gs://`, `az://`) or file on the web (`https://`), which is read over the network.
///
/// The size of the object and its tag are those of the first request. A change of the object is then an error, also in another process
/// that gets this name by `serde`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Stored", from = "Stored")]
pub struct ObjectName {
    address: String,
    /// Number of leading folders of the key that the user gave; the others were found by expansion.
    from: usize,
    known: Arc<Known>,
}

/// What requests have told of an object, shared by the copies of its name.
#[derive(Debug, Default)]
struct Known {
    stat: OnceLock<Stat>,
    /// Whether the server can send ranges of the object.
    has_ranges: OnceLock<bool>,
}

/// Size of an object, and its tag, which changes with the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stat {
    pub(super) size: u64,
    pub(super) etag: Option<String>,
}

/// Form of an [`ObjectName`] for other processes.
#[derive(Serialize, Deserialize)]
struct Stored {
    address: String,
    from: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stat: Option<Stat>,
}

impl From<ObjectName> for Stored {
    fn from(name: ObjectName) -> Stored {
        let stat = name.known.stat.get().cloned();
        Stored { address: name.address, from: name.from, stat }
    }
}

impl From<Stored> for ObjectName {
    fn from(stored: Stored) -> ObjectName {
        let name = ObjectName { address: stored.address, from: stored.from, known: Arc::default() };
        if let Some(stat) = stored.stat {
            let _ = name.known.stat.set(stat);
        }
        name
    }
}

impl ObjectName {
    /// Builds the name of an object from its address; `None` for any other name.
    ///
    /// ```
    /// use surefoot_io::ObjectName;
    /// assert_eq!(ObjectName::parse("s3://bucket/day=1/a.csv").unwrap().to_string(), "s3://bucket/day=1/a.csv");
    /// assert!(ObjectName::parse("a.csv").is_none());
    /// ```
    #[must_use]
    pub fn parse(address: &str) -> Option<ObjectName> {
        Scheme::of(address)?;
        Some(ObjectName { address: address.to_owned(), from: usize::MAX, known: Arc::default() })
    }

    /// Returns the address of the object.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Builds the name of an object that was found by expansion.
    pub(super) fn found(address: String, from: usize, stat: Stat) -> ObjectName {
        ObjectName::from(Stored { address, from, stat: Some(stat) })
    }

    pub(super) fn scheme(&self) -> Scheme {
        Scheme::of(&self.address).map_or(Scheme::Web, |(scheme, _)| scheme)
    }

    /// Returns the folders of the key, and how many of them the user gave.
    pub(crate) fn folders(&self) -> (impl Iterator<Item = &str>, usize) {
        let key = key(&self.address);
        let folder = key.rsplit_once('/').map_or("", |(folder, _)| folder);
        (folder.split('/').filter(|part| !part.is_empty()), self.from)
    }

    /// Returns the client of the store, and the path of the object in it.
    pub(super) fn locate(&self) -> Result<(Arc<dyn ObjectStore>, Path), Failure> {
        let scheme = self.scheme();
        if scheme == Scheme::Web {
            let unfit = |error: url::ParseError| object_store::Error::Generic { store: "web", source: error.into() };
            let mut url = Url::parse(&self.address).map_err(unfit)?;
            let path = Path::from_url_path(url.path()).map_err(object_store::Error::from)?;
            url.set_path("");
            url.set_fragment(None);
            return Ok((store::client(scheme, url.as_str())?, path));
        }
        let path = Path::parse(key(&self.address)).map_err(object_store::Error::from)?;
        Ok((store::client(scheme, root(&self.address))?, path))
    }

    /// Returns what is known of the object, after a request if there was none before.
    pub(super) fn stat(&self) -> Result<Stat, Failure> {
        if let Some(known) = self.known.stat.get() {
            return Ok(known.clone());
        }
        let (store, path) = self.locate()?;
        let is_web = self.scheme() == Scheme::Web;
        let asked = runtime::wait(async move {
            match store.head(&path).await {
                // Some servers, and presigned addresses, permit nothing but to get.
                Err(error) if is_web && !matches!(error, object_store::Error::NotFound { .. }) => {
                    store.get(&path).await.map(|answer| answer.meta)
                }
                told => told,
            }
        });
        let meta = asked.map_err(network)??;
        let stat = Stat { size: meta.size, etag: meta.e_tag };
        Ok(self.known.stat.get_or_init(|| stat).clone())
    }

    /// Checks that the object is there and may be read.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.stat().map(drop).map_err(|failure| failure.error(self.scheme()))
    }

    /// Returns the size of the object in bytes; `None` if it cannot be known.
    pub(crate) fn size(&self) -> Option<u64> {
        self.stat().ok().map(|stat| stat.size)
    }

    /// Opens the object for reading from its start.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let object = self.object()?;
        let size = object.size;
        Ok(match self.has_ranges(&object)? {
            true => Box::new(Ahead::new(object, self.scheme(), 0, size)),
            false => Box::new(Whole::new(object, self.scheme())?),
        })
    }

    /// Opens the object for random access; `None` if the server sends whole objects only.
    pub(crate) fn random_access(&self) -> io::Result<Option<Arc<dyn RandomAccess>>> {
        let object = self.object()?;
        let has_ranges = self.has_ranges(&object)?;
        Ok(has_ranges.then(|| Arc::new(Remote::new(object, self.scheme())) as Arc<dyn RandomAccess>))
    }

    fn object(&self) -> io::Result<Arc<Object>> {
        let opened = || -> Result<Object, Failure> {
            let (stat, (store, path)) = (self.stat()?, self.locate()?);
            Ok(Object { store, path, size: stat.size, etag: stat.etag })
        };
        opened().map(Arc::new).map_err(|failure| failure.error(self.scheme()))
    }

    /// Whether the server can send ranges of the object. All stores can, a web server is asked for a byte.
    fn has_ranges(&self, object: &Arc<Object>) -> io::Result<bool> {
        if self.scheme() != Scheme::Web || object.size == 0 {
            return Ok(true);
        }
        if let Some(known) = self.known.has_ranges.get() {
            return Ok(*known);
        }
        let has_ranges = match runtime::wait(object.clone().fetch(0..1))? {
            Ok(_) => true,
            Err(Failure::NoRanges) => false,
            Err(failure) => return Err(failure.error(self.scheme())),
        };
        Ok(*self.known.has_ranges.get_or_init(|| has_ranges))
    }
}

fn network(error: io::Error) -> Failure {
    Failure::Request(object_store::Error::Generic { store: "network", source: Box::new(error) })
}

/// Returns the part of an address that names the store, such as `s3://bucket`.
pub(super) fn root(address: &str) -> &str {
    let authority = address.find("://").map_or(0, |at| at + 3);
    address[authority..].find('/').map_or(address, |at| &address[..authority + at])
}

/// Returns the part of an address that names the object in its store, without a leading slash and without a query.
pub(super) fn key(address: &str) -> &str {
    let key = address[root(address).len()..].trim_start_matches('/');
    match Scheme::of(address) {
        Some((Scheme::Web, _)) => key.split(['?', '#']).next().unwrap_or_default(),
        _ => key,
    }
}

/// Displays the address, without the query of a web address, which may hold a signature.
impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = match self.scheme() {
            Scheme::Web => self.address.split(['?', '#']).next().unwrap_or_default(),
            _ => &self.address,
        };
        f.write_str(&crate::error::shown(shown.as_ref()))
    }
}

/// Returns the error about an address that cannot be used, for a reason other than a failure of the network.
pub(super) fn unfit(message: &str) -> io::Error {
    io::Error::other(Transfer(message.to_owned()))
}
