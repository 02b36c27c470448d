//! Slow work off the async threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::waits::elsewhere;

/// How much of it is under way.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Counts some of it until it is dropped.
struct Counted;

impl Counted {
    fn new() -> Self {
        UNDER_WAY.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Whether this process is at some: a database may wait for it then.
pub(crate) fn is_under_way() -> bool {
    UNDER_WAY.load(Ordering::Acquire) > 0
}

/// Runs something slow and pure off the async threads, and panics as it does.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let _counted = Counted::new();
    match elsewhere(tokio::task::spawn_blocking(work)).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}
