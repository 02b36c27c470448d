//! Results in a store by S3. An object appears whole or not at all, and takes the place of what had its name.
//!
//! The environment says where the store is and who asks, by the variables of the command line of AWS: `AWS_ENDPOINT_URL`,
//! `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and the like.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::{ClientConfigKey, ClientOptions, HttpClient, HttpConnector};
use object_store::path::Path as Key;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use reqwest::redirect::Policy;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{JOURNAL, STORE, folder, is_result};
use crate::cli::{Failure, parts};

/// Objects that are sent or removed at a time.
const AT_ONCE: usize = 16;

/// For how long a connection is tried for, and an answer waited for.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// What has keys that begin so in a bucket.
pub struct Store {
    address: String,
    bucket: AmazonS3,
    prefix: Key,
    runtime: Runtime,
    /// What is not sent yet, and the journal, which grows.
    written: TempDir,
}

impl Store {
    /// The store of an address, `s3://BUCKET/PREFIX`; nobody is asked yet.
    ///
    /// # Errors
    /// It names no bucket; the environment does not say how to reach it.
    pub fn open(address: &str) -> Result<Self, Failure> {
        let bad = |what: String| Failure::BadInput(vec![format!("--out {address}: {what}")]);
        let address = address.trim_end_matches('/');
        let named = address.strip_prefix(STORE).unwrap_or(address);
        let (bucket, prefix) = named.split_once('/').unwrap_or((named, ""));
        if bucket.is_empty() || prefix.is_empty() {
            return Err(bad("must be s3://BUCKET/PREFIX".to_owned()));
        }
        let prefix = Key::parse(prefix).map_err(|error| bad(error.to_string()))?;
        // An error means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let bucket = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_http_connector(WithoutRedirects)
            .build();
        Ok(Self {
            address: address.to_owned(),
            bucket: bucket.map_err(|error| bad(error.to_string()))?,
            prefix,
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
            written: tempfile::tempdir().context("cannot make a folder for what is to be sent")?,
        })
    }

    /// Where files are written before they are sent.
    pub fn folder(&self) -> &Path {
        self.written.path()
    }

    /// Sends what has been written: journals last, since they say that the rest is there.
    pub fn send(&self) -> anyhow::Result<()> {
        let names = folder::names(self.folder())?;
        let (journals, results): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| name == JOURNAL || parts::is_journal(name));
        self.put(&results)?;
        results.iter().try_for_each(|name| folder::remove(self.folder(), name))?;
        self.put(&journals)
    }

    fn put(&self, names: &[String]) -> anyhow::Result<()> {
        let put = |name: &String| {
            let (path, key) = (self.folder().join(name), self.key(name));
            async move {
                let content = fs::read(&path)?;
                self.bucket.put(&key?, PutPayload::from(content)).await?;
                anyhow::Ok(())
            }
        };
        let all = stream::iter(names.iter().map(put)).buffer_unordered(AT_ONCE);
        self.runtime
            .block_on(all.try_collect::<()>())
            .with_context(|| format!("cannot write to {self}"))
    }

    /// The names of the files of results.
    pub fn names(&self) -> anyhow::Result<Vec<String>> {
        let name = |key: &Key| {
            let rest: Vec<String> =
                key.prefix_match(&self.prefix)?.map(|part| part.as_ref().to_owned()).collect();
            Some(rest.join("/")).filter(|name| is_result(name))
        };
        let listed = self.bucket.list(Some(&self.prefix)).try_collect::<Vec<_>>();
        let listed =
            self.runtime.block_on(listed).with_context(|| format!("cannot list {self}"))?;
        Ok(listed.iter().filter_map(|object| name(&object.location)).collect())
    }

    /// What a file holds; `None` where there is none.
    pub fn read(&self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let key = self.key(name)?;
        let read = async { self.bucket.get(&key).await?.bytes().await };
        match self.runtime.block_on(read) {
            Err(Error::NotFound { .. }) => Ok(None),
            read => Ok(Some(read.with_context(|| format!("cannot read {self}/{name}"))?.to_vec())),
        }
    }

    /// Removes a file, and what is not sent of it.
    pub fn remove(&self, name: &str) -> anyhow::Result<()> {
        let _ = fs::remove_file(self.folder().join(name));
        let removed = self.runtime.block_on(self.bucket.delete(&self.key(name)?));
        removed.with_context(|| format!("cannot remove {self}/{name}"))
    }

    fn key(&self, name: &str) -> anyhow::Result<Key> {
        Ok(Key::parse(format!("{}/{name}", self.prefix))?)
    }
}

impl fmt::Display for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.address)
    }
}

/// Makes clients that follow no redirect: the headers that say who asks are for the store alone.
#[derive(Debug)]
struct WithoutRedirects;

impl HttpConnector for WithoutRedirects {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        let failed = |error: reqwest::Error| Error::Generic { store: "S3", source: error.into() };
        let mut client = reqwest::Client::builder()
            .redirect(Policy::none())
            .https_only(!plain.is_some_and(|it| is_yes(&it)))
            .connect_timeout(CONNECTS_WITHIN)
            .timeout(ANSWERS_WITHIN)
            .http1_only();
        if let Some(address) = options.get_config_value(&ClientConfigKey::ProxyUrl) {
            client = client.proxy(reqwest::Proxy::all(address).map_err(failed)?);
        }
        Ok(HttpClient::new(client.build().map_err(failed)?))
    }
}

/// Whether a word of the environment says yes.
fn is_yes(word: &str) -> bool {
    ["1", "true", "on", "yes", "y"].iter().any(|yes| word.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::thread;

    use super::*;

    /// A store that sends one question on to another address; what it was asked.
    fn redirecting(to: SocketAddr) -> (SocketAddr, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut read = [0; 4096];
            let length = stream.read(&mut read).unwrap();
            let answer = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{to}/bucket/sweep/results.csv\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&read[..length]).to_lowercase()
        });
        (address, asked)
    }

    #[tokio::test]
    async fn nothing_follows_a_redirect_of_a_store() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
        elsewhere.set_nonblocking(true).unwrap();
        let (store, asked) = redirecting(elsewhere.local_addr().unwrap());
        let bucket = AmazonS3Builder::new()
            .with_endpoint(format!("http://{store}"))
            .with_allow_http(true)
            .with_region("eu-central-1")
            .with_bucket_name("bucket")
            .with_access_key_id("key")
            .with_secret_access_key("s3cret")
            .with_http_connector(WithoutRedirects)
            .build()
            .unwrap();
        let error = bucket.get(&Key::from("sweep/results.csv")).await.unwrap_err().to_string();
        assert!(error.contains("307"), "{error}");
        let asked = asked.join().unwrap();
        assert!(asked.starts_with("get /bucket/sweep/results.csv"), "{asked}");
        assert!(asked.contains("authorization: aws4-hmac-sha256"), "{asked}");
        let followed = elsewhere.accept().map(drop).map_err(|error| error.kind());
        assert_eq!(followed, Err(ErrorKind::WouldBlock));
    }
}
