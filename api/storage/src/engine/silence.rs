//! Connections on which nothing comes any more.
//!
//! A server whose machine is gone, or behind a firewall that forgot a connection, answers nothing and refuses nothing, and
//! whoever waits for it would wait for ever. So who waits looks now and then whether the server is there ([`Reach`]), and gives
//! up where it is away, or waits for this process while nothing comes: then an answer is lost. PostgreSQL ends each statement in
//! time (`statement_timeout`), so that work on which nothing happens for longer is given up in any case. Its connection is
//! closed, and the next attempt has another one.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::blocking;
use crate::engine::reach::{LOOK_AFTER, Reach, Reachability};
use crate::error::StorageError;

/// Wakes who waits, and notes that something happened.
struct Progress {
    happened: AtomicBool,
    /// Counts it among that of all who work with the server.
    moved: Arc<AtomicU64>,
    waiting: Mutex<Waker>,
}

impl Wake for Progress {
    fn wake(self: Arc<Self>) {
        self.happened.store(true, Ordering::Release);
        self.moved.fetch_add(1, Ordering::AcqRel);
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
    }
}

/// Work of the database.
type Work<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// How long one waits for a server.
#[derive(Debug)]
pub(crate) struct Patience {
    /// An answer that did not come by then is lost.
    pub(crate) limit: Duration,
    /// How to look whether the server is there.
    pub(crate) reach: Reach,
    /// How often something happened, to whoever works with the server: who waits for their turn sees nothing themselves.
    pub(crate) moved: Arc<AtomicU64>,
}

/// How soon a look that found the server idle is repeated: an answer may be on its way.
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(100);

/// Looks at the server while somebody waits.
struct Watch<'a> {
    patience: &'a Patience,
    begun: Instant,
    /// When something happened last.
    last: Instant,
    /// How often something had happened when the look before found the server idle.
    idle_at: Option<u64>,
    timer: Pin<Box<Sleep>>,
    look: Option<(Instant, Looking<'a>)>,
}

/// A look under way.
type Looking<'a> = Pin<Box<dyn Future<Output = Reachability> + Send + 'a>>;

impl<'a> Watch<'a> {
    fn new(patience: &'a Patience) -> Self {
        let (begun, first) = (Instant::now(), patience.reach.first_look());
        let timer = Box::pin(tokio::time::sleep_until(first));
        Self { patience, begun, last: begun, idle_at: None, timer, look: None }
    }

    fn happened(&mut self) {
        self.last = Instant::now();
        self.idle_at = None;
    }

    /// Ready once nothing can be expected any more, with for how long it was waited.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        loop {
            if let Some((begun, looking)) = &mut self.look {
                let Poll::Ready(shows) = looking.as_mut().poll(context) else {
                    return Poll::Pending;
                };
                let is_quiet = self.last <= *begun;
                self.look = None;
                if self.is_given_up(shows, is_quiet) {
                    return Poll::Ready(self.begun.elapsed());
                }
            }
            if self.timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            if self.last.elapsed() >= self.patience.limit {
                return Poll::Ready(self.patience.limit);
            }
            let now = Instant::now();
            self.look = Some((now, Box::pin(self.patience.reach.look(now))));
        }
    }

    /// What follows from a look; `is_quiet`: nothing has happened since it began.
    fn is_given_up(&mut self, shows: Reachability, is_quiet: bool) -> bool {
        let moved = self.patience.moved.load(Ordering::Acquire);
        let is_idle = shows == Reachability::Idle && is_quiet && !blocking::is_under_way();
        let given_up = match shows {
            // Tries to connect happen again and again.
            Reachability::Refused => true,
            Reachability::Silent => is_quiet,
            Reachability::Idle => is_idle && self.idle_at == Some(moved),
            Reachability::AtWork => false,
        };
        let pause = if is_idle { SECOND_LOOK_AFTER } else { LOOK_AFTER };
        self.idle_at = is_idle.then_some(moved);
        self.timer.as_mut().reset(Instant::now() + pause);
        given_up
    }
}

/// Does work of the database; gives it up where nothing can be expected of the server any more.
///
/// # Errors
/// [`StorageError::Silent`] then; else those of the work.
pub(crate) async fn unless_silent<T, E: From<StorageError>>(
    patience: Option<&Patience>,
    mut work: Work<'_, T, E>,
) -> Result<T, E> {
    let Some(patience) = patience else { return work.await };
    let mut watch = Watch::new(patience);
    let (happened, waiting) = (AtomicBool::new(true), Mutex::new(Waker::noop().clone()));
    let progress = Arc::new(Progress { happened, moved: Arc::clone(&patience.moved), waiting });
    let waker = Waker::from(Arc::clone(&progress));
    poll_fn(|context| {
        let mut waiting = progress.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.clone_from(context.waker());
        drop(waiting);
        // Others may wake who waits as often as they want: only what the work waited for counts.
        if progress.happened.swap(false, Ordering::AcqRel) {
            watch.happened();
            if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
                if done.is_ok() {
                    patience.reach.succeeded();
                }
                return Poll::Ready(done);
            }
        }
        let given_up = watch.poll(context);
        given_up.map(|within| Err(StorageError::Silent { within }.into()))
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::pin::pin;

    use sqlx::Connection;
    use sqlx::postgres::{PgConnectOptions, PgConnection};

    use super::*;
    use crate::left_out::postgres_server;

    /// For work at a server of these options.
    fn patience(options: PgConnectOptions, limit: Duration) -> Patience {
        Patience { limit, reach: Reach::new(options), moved: Arc::default() }
    }

    fn at(port: u16) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(port).username("ada")
    }

    fn forever<'a>() -> Work<'a, (), StorageError> {
        Box::pin(std::future::pending())
    }

    /// However often somebody else looks at it; by when it is, with a second for a busy machine.
    async fn given_up(patience: &Patience, soonest: Duration, latest: Duration) {
        let mut work = pin!(unless_silent(Some(patience), forever()));
        let begun = Instant::now();
        let given_up = loop {
            tokio::select! {
                given_up = &mut work => break given_up,
                () = tokio::time::sleep(Duration::from_millis(10)) => {}
            }
            assert!(begun.elapsed() < latest + Duration::from_secs(1), "it is waited for still");
        };
        assert!(matches!(given_up, Err(StorageError::Silent { .. })), "{given_up:?}");
        assert!(begun.elapsed() >= soonest, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn work_is_given_up_soon_where_the_server_says_nothing() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let patience = patience(at(silent.local_addr().unwrap().port()), Duration::from_mins(1));
        given_up(&patience, LOOK_AFTER, Duration::from_secs(2)).await;
        // It is known to be away: the next one looks at once.
        given_up(&patience, Duration::ZERO, Duration::from_secs(1)).await;
    }

    /// Though tries to connect happen again and again.
    #[tokio::test]
    async fn work_is_given_up_soon_where_the_server_refuses() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let patience = patience(at(port), Duration::from_mins(1));
        let tries: Work<'_, (), StorageError> = Box::pin(async {
            loop {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let begun = Instant::now();
        let given_up = unless_silent(Some(&patience), tries).await;
        assert!(matches!(given_up, Err(StorageError::Silent { .. })), "{given_up:?}");
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    }

    /// The server is there, works for nobody of this name, and nothing comes.
    #[tokio::test]
    async fn work_whose_answer_is_lost_is_given_up_soon() {
        let Some(url) = postgres_server("work_whose_answer_is_lost_is_given_up_soon") else {
            return;
        };
        let options = crate::engine::reach::named(url.parse().unwrap());
        given_up(&patience(options, Duration::from_mins(1)), LOOK_AFTER, Duration::from_secs(2))
            .await;
    }

    /// A statement takes longer than one waits for the first look.
    #[tokio::test]
    async fn work_that_the_server_does_is_waited_for() {
        let Some(url) = postgres_server("work_that_the_server_does_is_waited_for") else { return };
        let options = crate::engine::reach::named(url.parse().unwrap());
        let patience = patience(options.clone(), Duration::from_mins(1));
        let slow: Work<'_, (), StorageError> = Box::pin(async {
            let mut connection = PgConnection::connect_with(&options).await?;
            sqlx::raw_sql("SELECT pg_sleep(3)").execute(&mut connection).await?;
            Ok(())
        });
        unless_silent(Some(&patience), slow).await.unwrap();
    }

    /// The server waits for this process most of the time, and whoever waits for their turn sees nothing themselves.
    #[tokio::test]
    async fn who_waits_for_others_that_get_answers_is_not_given_up() {
        let Some(url) = postgres_server("who_waits_for_others_that_get_answers_is_not_given_up")
        else {
            return;
        };
        let options = crate::engine::reach::named(url.parse().unwrap());
        let patience = patience(options, Duration::from_mins(1));
        let turn = tokio::sync::Mutex::new(());
        let busy: Work<'_, (), StorageError> = Box::pin(async {
            let _turn = turn.lock().await;
            for _ in 0..150 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(())
        });
        let waits: Work<'_, (), StorageError> = Box::pin(async {
            let _turn = turn.lock().await;
            Ok(())
        });
        let (first, second) = tokio::join!(
            unless_silent(Some(&patience), busy),
            unless_silent(Some(&patience), waits)
        );
        first.unwrap();
        second.unwrap();
    }

    #[tokio::test]
    async fn work_that_goes_on_may_take_longer_than_the_limit() {
        let Some(url) = postgres_server("work_that_goes_on_may_take_longer_than_the_limit") else {
            return;
        };
        let patience = patience(url.parse().unwrap(), Duration::from_millis(1200));
        let slow: Work<'_, _, StorageError> = Box::pin(async {
            for _ in 0..10 {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            Ok("done")
        });
        assert_eq!(unless_silent(Some(&patience), slow).await.unwrap(), "done");
    }
}
