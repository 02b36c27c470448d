//! What work of the database waits for, as far as that can be seen from within this process.
//!
//! Work that has a connection waits for an answer on it, unless it waits for its turn or for slow work of this process. Whoever
//! polls the work enters its [`Waits`] while it does, and what is called from there notes it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

thread_local! {
    /// Those of the work that this thread polls or drops.
    static ENTERED: RefCell<Option<Arc<Waits>>> = const { RefCell::new(None) };
}

/// What some work waits for.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    has_connection: AtomicBool,
    /// For how much it waits that is no answer of the server.
    elsewhere: AtomicUsize,
    given_up: AtomicBool,
}

impl Waits {
    /// Polls or drops the work.
    pub(crate) fn enter<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let before = ENTERED.replace(Some(Arc::clone(self)));
        let done = work();
        ENTERED.set(before);
        done
    }

    /// Whether it can be waiting for an answer of the server; `all_taken`: no connection is free, so that who has had none
    /// waits for one.
    pub(crate) fn may_be_for_an_answer(&self, all_taken: bool) -> bool {
        (self.has_connection() || !all_taken) && self.elsewhere.load(Ordering::Acquire) == 0
    }

    /// Whether it has, or had, a connection.
    pub(crate) fn has_connection(&self) -> bool {
        self.has_connection.load(Ordering::Acquire)
    }

    /// Notes that nothing can be expected any more on the connection that the work has.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
    }
}

fn entered() -> Option<Arc<Waits>> {
    ENTERED.with_borrow(Clone::clone)
}

/// Notes that the work that is polled has got a connection.
pub(crate) fn has_connection() {
    if let Some(waits) = entered() {
        waits.has_connection.store(true, Ordering::Release);
    }
}

/// Waits for a connection of the pool. Meanwhile the work has none, though it may have had another, until the pool notes that it
/// has found or made one: others give theirs back only as they end.
pub(crate) async fn for_a_connection<T, E>(
    acquired: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let Some(waits) = entered() else { return acquired.await };
    let had = waits.has_connection.swap(false, Ordering::AcqRel);
    let acquired = acquired.await;
    if had || acquired.is_ok() {
        waits.has_connection.store(true, Ordering::Release);
    }
    acquired
}

/// Whether the work that is dropped was given up: nobody answers on its connection.
pub(crate) fn is_given_up() -> bool {
    entered().is_some_and(|it| it.given_up.load(Ordering::Acquire))
}

/// Counts something as waited for until it is dropped.
struct Elsewhere(Option<Arc<Waits>>);

impl Drop for Elsewhere {
    fn drop(&mut self) {
        if let Some(waits) = &self.0 {
            waits.elsewhere.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Waits for something that is no answer of the server.
pub(crate) async fn elsewhere<T>(something: impl Future<Output = T>) -> T {
    let waits = entered();
    if let Some(waits) = &waits {
        waits.elsewhere.fetch_add(1, Ordering::AcqRel);
    }
    let _counted = Elsewhere(waits);
    something.await
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn who_waits_for_a_turn_or_a_connection_waits_for_no_answer() {
        let waits = Arc::new(Waits::default());
        let seen = || [false, true].map(|all_taken| waits.may_be_for_an_answer(all_taken));
        assert_eq!(seen(), [true, false]);
        waits.enter(has_connection);
        assert_eq!(seen(), [true, true]);
        let (give, turn) = tokio::sync::oneshot::channel::<()>();
        let mut waiting = pin!(elsewhere(turn));
        let mut context = Context::from_waker(Waker::noop());
        let mut poll = || waits.enter(|| waiting.as_mut().poll(&mut context));
        assert!(poll().is_pending());
        assert_eq!(seen(), [false, false]);
        give.send(()).unwrap();
        assert_eq!(poll(), Poll::Ready(Ok(())));
        assert_eq!(seen(), [true, true]);
        // Of other work nothing is noted.
        assert!(entered().is_none());
    }

    /// It has had one, gave it back, and waits until others end.
    #[test]
    fn who_waits_for_a_second_connection_waits_for_no_answer() {
        let waits = Arc::new(Waits::default());
        let seen = || [false, true].map(|all_taken| waits.may_be_for_an_answer(all_taken));
        waits.enter(has_connection);
        let (give, connection) = tokio::sync::oneshot::channel::<()>();
        let mut waiting = pin!(for_a_connection(connection));
        let mut context = Context::from_waker(Waker::noop());
        let mut poll = || waits.enter(|| waiting.as_mut().poll(&mut context));
        assert!(poll().is_pending());
        assert_eq!(seen(), [true, false]);
        // The pool has found one, and asks whether it works still.
        waits.enter(has_connection);
        assert_eq!(seen(), [true, true]);
        give.send(()).unwrap();
        assert_eq!(poll(), Poll::Ready(Ok(())));
        assert_eq!(seen(), [true, true]);
        // Where it gets none, it goes on with what it has.
        let (none, connection) = tokio::sync::oneshot::channel::<()>();
        let mut waiting = pin!(for_a_connection(connection));
        drop(none);
        assert!(matches!(waits.enter(|| waiting.as_mut().poll(&mut context)), Poll::Ready(Err(_))));
        assert_eq!(seen(), [true, true]);
    }

    #[test]
    fn work_that_was_given_up_knows_while_it_is_dropped() {
        let waits = Arc::new(Waits::default());
        assert!(!waits.enter(is_given_up));
        waits.give_up();
        assert!(waits.enter(is_given_up));
        assert!(!is_given_up());
    }
}
