//! Connections on which nothing comes any more.
//!
//! A server whose machine is gone, or behind a firewall that forgot a connection, answers nothing and refuses nothing, and
//! whoever waits for it would wait for ever. PostgreSQL ends each statement in time (`statement_timeout`), so that work on
//! which nothing happens for longer waits for an answer that is lost. It is given up then: its connection is closed, and
//! the next attempt has another one.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::StorageError;

/// Wakes who waits, and notes that something happened.
struct Progress {
    happened: AtomicBool,
    waiting: Mutex<Waker>,
}

impl Wake for Progress {
    fn wake(self: Arc<Self>) {
        self.happened.store(true, Ordering::Release);
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
    }
}

/// Work of the database.
type Work<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// Does work of the database; gives it up where nothing happens for longer than `limit`.
///
/// # Errors
/// [`StorageError::Silent`] then; else those of the work.
pub(crate) async fn unless_silent<T, E: From<StorageError>>(
    limit: Option<Duration>,
    mut work: Work<'_, T, E>,
) -> Result<T, E> {
    let Some(limit) = limit else { return work.await };
    let mut timer = pin!(tokio::time::sleep(limit));
    let mut last = Instant::now();
    let (happened, waiting) = (AtomicBool::new(true), Mutex::new(Waker::noop().clone()));
    let progress = Arc::new(Progress { happened, waiting });
    let waker = Waker::from(Arc::clone(&progress));
    poll_fn(|context| {
        let mut waiting = progress.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.clone_from(context.waker());
        drop(waiting);
        // Others may wake who waits as often as they want: only what the work waited for counts.
        if progress.happened.swap(false, Ordering::AcqRel) {
            last = Instant::now();
            if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(done);
            }
        }
        while timer.as_mut().poll(context).is_ready() {
            if last.elapsed() >= limit {
                return Poll::Ready(Err(StorageError::Silent { within: limit }.into()));
            }
            timer.as_mut().reset(last + limit);
        }
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(200);

    /// However often somebody else looks at it.
    #[tokio::test]
    async fn work_on_which_nothing_happens_is_given_up() {
        let forever = std::future::pending::<Result<(), StorageError>>();
        let mut work = pin!(unless_silent(Some(LIMIT), Box::pin(forever)));
        let begun = Instant::now();
        let given_up = loop {
            tokio::select! {
                given_up = &mut work => break given_up,
                () = tokio::time::sleep(LIMIT / 20) => {}
            }
            assert!(begun.elapsed() < 100 * LIMIT, "it is waited for still");
        };
        assert!(matches!(given_up, Err(StorageError::Silent { .. })), "{given_up:?}");
        assert!(begun.elapsed() >= LIMIT);
    }

    #[tokio::test]
    async fn work_that_goes_on_may_take_longer() {
        let slow = async {
            for _ in 0..10 {
                tokio::time::sleep(LIMIT / 4).await;
            }
            Ok::<_, StorageError>("done")
        };
        assert_eq!(unless_silent(Some(LIMIT), Box::pin(slow)).await.unwrap(), "done");
    }
}
