//! Results in a store by S3. An object appears whole or not at all, and takes the place of what had its name.
//!
//! The environment says where the store is and who asks, by the variables of the command line of AWS: `AWS_ENDPOINT_URL`,
//! `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and the like.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{JOURNAL, STORE, folder, is_result};
use crate::cli::{Failure, parts};

/// Objects that are sent or removed at a time.
const AT_ONCE: usize = 16;

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
        let bucket = AmazonS3Builder::from_env().with_bucket_name(bucket).build();
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
