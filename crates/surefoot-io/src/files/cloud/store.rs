//! Clients of object stores, configured by the usual variables of the environment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, Result, RetryConfig, aws::AmazonS3Builder, azure::MicrosoftAzureBuilder,
    gcp::GoogleCloudStorageBuilder, http::HttpBuilder,
};

/// Scheme of an address: which kind of store it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    S3,
    Google,
    Azure,
    Web,
}

impl Scheme {
    /// Returns the scheme of an address, and what follows `://`; `None` for any other name.
    pub(crate) fn of(address: &str) -> Option<(Scheme, &str)> {
        let (scheme, rest) = address.split_once("://")?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "s3" => Scheme::S3,
            "gs" => Scheme::Google,
            "az" => Scheme::Azure,
            "http" | "https" => Scheme::Web,
            _ => return None,
        };
        Some((scheme, rest))
    }
}

/// Clients in use, by what they are built from, so that their connections are used again.
static CLIENTS: Mutex<Option<HashMap<String, Arc<dyn ObjectStore>>>> = Mutex::new(None);

/// Returns the client of a store: of a bucket or container, given as `s3://bucket`, or of a web server.
///
/// # Errors
/// If the environment does not say enough about the store, or contradicts itself.
pub(super) fn client(scheme: Scheme, root: &str) -> Result<Arc<dyn ObjectStore>> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let clients = clients.get_or_insert_default();
    if let Some(known) = clients.get(root) {
        return Ok(known.clone());
    }
    // Without a provider of cryptography no client can be built. An error means that the program has chosen one, which will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client: Arc<dyn ObjectStore> = match scheme {
        Scheme::S3 => Arc::new(AmazonS3Builder::from_env().with_url(root).with_retry(retries()).build()?),
        Scheme::Google => Arc::new(GoogleCloudStorageBuilder::from_env().with_url(root).with_retry(retries()).build()?),
        Scheme::Azure => Arc::new(MicrosoftAzureBuilder::from_env().with_url(root).with_retry(retries()).build()?),
        Scheme::Web => {
            let options = ClientOptions::new().with_allow_http(true);
            Arc::new(HttpBuilder::new().with_url(root).with_client_options(options).with_retry(retries()).build()?)
        }
    };
    clients.insert(root.to_owned(), client.clone());
    Ok(client)
}

/// Returns how requests are repeated that fail: after random waits, each about twice as long, for ten seconds or so.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(5),
        ..BackoffConfig::default()
    };
    RetryConfig { backoff, max_retries: 7, retry_timeout: Duration::from_secs(60) }
}
