//! Leases: which of several processes on a database does what only one may do at a time.
//!
//! They belong to no service: whoever has a task for one process asks for a lease by its name.
//!
//! A process makes the leases it has beat four times in the time after which it loses them. It
//! counts that time by its own watch, for itself from before the last beat that was written, for
//! others from when it saw the last: no clock takes part, and who takes a lease over does so after
//! who had it has lost it. Without the database it loses them too.

mod watch;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use storage::{Database, StorageError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use watch::LeaseWatch;

/// How often it is looked whether a lease is still held.
const LOOK: Duration = Duration::from_millis(200);

/// The leases of this process.
pub struct Leases {
    database: Database,
    watch: LeaseWatch,
    /// The names of those that this process keeps, or would keep.
    kept: OnceLock<Vec<String>>,
}

impl Leases {
    /// Nothing is held yet; leases that do not beat for `lasts` are lost.
    pub fn new(database: Database, lasts: Duration) -> Self {
        Self { database, watch: LeaseWatch::new(lasts), kept: OnceLock::new() }
    }

    /// Lets leases of a name last for no longer than `most`, whatever the settings say.
    #[must_use]
    pub fn with_shorter(self, name: &'static str, most: Duration) -> Self {
        Self { watch: self.watch.with_shorter(name, most), ..self }
    }

    /// Whether a lease is held now.
    pub fn holds(&self, name: &str) -> bool {
        self.watch.holds(name)
    }

    /// The leases that this process takes as soon as it may, and which of them it holds now.
    pub fn kept(&self) -> impl Iterator<Item = (&str, bool)> {
        let names = self.kept.get().into_iter().flatten();
        names.map(|name| (name.as_str(), self.holds(name)))
    }

    /// Waits until a lease is held.
    pub async fn wait_for(&self, name: &str) {
        self.watch.wait_for(name).await;
    }

    /// Waits until a lease is not held any more.
    pub async fn lost(&self, name: &str) {
        while self.holds(name) {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Does something for as long as a lease is held; `None` where it was lost before the end. Work
    /// takes no step after that.
    pub async fn while_held<T>(&self, name: &str, work: impl Future<Output = T>) -> Option<T> {
        let (mut lost, mut work) = (pin!(self.lost(name)), pin!(work));
        poll_fn(|context| {
            if !self.holds(name) || lost.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    }

    /// Takes and renews leases of these names until told to stop; it is called once.
    pub async fn keep(&self, names: Vec<String>, stop: CancellationToken) {
        let names = self.kept.get_or_init(|| names);
        while !stop.is_cancelled() {
            if let Err(error) = self.renew(names).await {
                tracing::warn!(error = format!("{error:#}"), "could not renew leases");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.watch.beat()) => {}
            }
        }
    }

    /// Gives up all leases, so that another process need not wait.
    pub async fn give_up_all(&self) {
        self.watch.forget_all();
        if let Err(error) = self.database.drop_leases(self.watch.holder()).await {
            tracing::warn!(error = format!("{error:#}"), "could not give up leases");
        }
    }

    /// Takes or renews a lease for something that is done now and then; `false` where another process
    /// has it.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn take(&self, name: &str) -> Result<bool, StorageError> {
        let names = [name.to_owned()];
        let wanted = self.watch.wanted(&names, &self.database.leases().await?, Instant::now());
        if wanted.is_empty() {
            return Ok(false);
        }
        Ok(!self.database.take_leases(self.watch.holder(), &wanted).await?.is_empty())
    }

    /// Gives up a lease that was taken for something that is done now and then.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn give_up(&self, name: &str) -> Result<(), StorageError> {
        self.database.drop_lease(self.watch.holder(), name).await
    }

    async fn renew(&self, names: &[String]) -> Result<(), StorageError> {
        // From before the question: an answer that took long is as old as that.
        let renewed = Instant::now();
        let rows = self.database.leases().await?;
        let mut held = self.watch.fresh(&rows, renewed);
        let due: Vec<String> =
            names.iter().filter(|name| !held.contains_key(*name)).cloned().collect();
        let wanted = self.watch.wanted(&due, &rows, renewed);
        if !wanted.is_empty() {
            let taken = self.database.take_leases(self.watch.holder(), &wanted).await?;
            held.extend(taken.into_iter().map(|name| (name, renewed)));
        }
        self.watch.now_holds(held);
        Ok(())
    }
}
