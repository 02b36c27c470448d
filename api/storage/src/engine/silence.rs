//! Connections on which nothing comes any more.
//!
//! A server whose machine is gone, or behind a firewall that forgot a connection, answers nothing and refuses nothing, and
//! whoever waits for it would wait for ever. So who waits looks now and then whether the server is there ([`Reach`]), and gives
//! up where it is away, or waits for this process while nothing comes: then an answer is lost. Where others get answers, who has
//! heard nothing for a while on a connection gives it up once the server has nothing that it has worked on for as long.
//! PostgreSQL ends each statement in time (`statement_timeout`), so that work on which nothing happens for longer is given up in
//! any case. Its connection is closed, and the next attempt has another one.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use sqlx::{Pool, Postgres};
use tokio::time::{Instant, Sleep};

use crate::engine::blocking;
use crate::engine::reach::{LOOK_AFTER, Reach, Reachability};
use crate::engine::waits::Waits;
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
    /// Its connections.
    pub(crate) pool: Pool<Postgres>,
}

impl Patience {
    /// Whether who needs another connection waits for one.
    fn all_are_taken(&self) -> bool {
        self.pool.num_idle() == 0 && self.pool.size() >= self.pool.options().get_max_connections()
    }
}

/// How soon a look that found the server idle is repeated: an answer may be on its way.
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(100);

/// Who has a connection and has heard nothing for so long may have lost it, though others get answers.
const QUIET_FOR: Duration = Duration::from_millis(500);

/// So may who has none yet: a login takes longer.
const QUIET_AT_LOGIN_FOR: Duration = Duration::from_millis(1200);

/// For how long looks find that the server does nothing that one could wait for, before one gives up while others get answers:
/// what was said to the server may be on its way.
const UNANSWERED_FOR: Duration = Duration::from_millis(300);

/// Looks at the server while somebody waits.
struct Watch<'a> {
    patience: &'a Patience,
    begun: Instant,
    /// When something happened last.
    last: Instant,
    /// How often something had happened when the look before found the server idle.
    idle_at: Option<u64>,
    /// Since when looks find that the server does nothing that this could wait for.
    unanswered_since: Option<Instant>,
    /// What the work waits for.
    waits: Arc<Waits>,
    timer: Pin<Box<Sleep>>,
    look: Option<(Instant, Looking<'a>)>,
}

/// A look under way.
type Looking<'a> = Pin<Box<dyn Future<Output = Reachability> + Send + 'a>>;

impl<'a> Watch<'a> {
    fn new(patience: &'a Patience) -> Self {
        let (begun, first) = (Instant::now(), patience.reach.first_look());
        let timer = Box::pin(tokio::time::sleep_until(first));
        let (idle_at, unanswered_since, waits) = (None, None, Arc::default());
        Self { patience, begun, last: begun, idle_at, unanswered_since, waits, timer, look: None }
    }

    fn happened(&mut self) {
        self.last = Instant::now();
        self.idle_at = None;
        self.unanswered_since = None;
    }

    /// Ready once nothing can be expected any more, with for how long it was waited.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        loop {
            if let Some((begun, looking)) = &mut self.look {
                let Poll::Ready(shows) = looking.as_mut().poll(context) else {
                    return Poll::Pending;
                };
                let begun = *begun;
                self.look = None;
                if self.is_given_up(shows, begun) {
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

    /// What follows from what a look shows that began then.
    fn is_given_up(&mut self, shows: Reachability, begun: Instant) -> bool {
        let moved = self.patience.moved.load(Ordering::Acquire);
        let is_quiet = self.last <= begun;
        let is_idle = shows == Reachability::Idle && is_quiet && !blocking::is_under_way();
        let given_up = match shows {
            // Tries to connect happen again and again.
            Reachability::Refused => true,
            Reachability::Silent => is_quiet,
            Reachability::Idle => is_idle && self.idle_at == Some(moved),
            Reachability::AtShortWork | Reachability::AtWork => false,
        };
        self.idle_at = is_idle.then_some(moved);
        let since =
            self.is_unanswered(shows, begun).then_some(self.unanswered_since.unwrap_or(begun));
        self.unanswered_since = since;
        let now = Instant::now();
        let next = match (is_idle, since) {
            (true, _) => now + SECOND_LOOK_AFTER,
            (false, Some(_)) => now + UNANSWERED_FOR,
            (false, None) if self.last + LOOK_AFTER > now => self.last + LOOK_AFTER,
            (false, None) => now + LOOK_AFTER,
        };
        self.timer.as_mut().reset(next);
        given_up || since.is_some_and(|since| begun >= since + UNANSWERED_FOR)
    }

    /// Whether the work has waited for an answer for long, and the server does nothing that takes long.
    fn is_unanswered(&self, shows: Reachability, begun: Instant) -> bool {
        let quiet_for = if self.waits.has_connection() { QUIET_FOR } else { QUIET_AT_LOGIN_FOR };
        matches!(shows, Reachability::Idle | Reachability::AtShortWork)
            && self.last + quiet_for <= begun
            && self.waits.may_be_for_an_answer(self.patience.all_are_taken())
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
    let waits = Arc::clone(&watch.waits);
    let (happened, waiting) = (AtomicBool::new(true), Mutex::new(Waker::noop().clone()));
    let progress = Arc::new(Progress { happened, moved: Arc::clone(&patience.moved), waiting });
    let waker = Waker::from(Arc::clone(&progress));
    let done = poll_fn(|context| {
        let mut waiting = progress.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.clone_from(context.waker());
        drop(waiting);
        // Others may wake who waits as often as they want: only what the work waited for counts.
        if progress.happened.swap(false, Ordering::AcqRel) {
            watch.happened();
            let polled = waits.enter(|| work.as_mut().poll(&mut Context::from_waker(&waker)));
            if let Poll::Ready(done) = polled {
                if done.is_ok() {
                    patience.reach.succeeded();
                }
                return Poll::Ready(Ok(done));
            }
        }
        watch.poll(context).map(Err)
    });
    match done.await {
        Ok(done) => done,
        Err(within) => {
            waits.give_up();
            waits.enter(|| drop(work));
            Err(StorageError::Silent { within }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::pin::pin;

    use sqlx::Connection;
    use sqlx::postgres::{PgConnectOptions, PgConnection};

    use super::*;
    use crate::engine::dialect::Dialect;
    use crate::engine::opening::postgres_pool;
    use crate::engine::transaction::Transaction;
    use crate::engine::turns::Turns;
    use crate::engine::waits::has_connection;
    use crate::left_out::postgres_server;

    /// For work at a server of these options.
    fn patience(options: PgConnectOptions, limit: Duration) -> Patience {
        let (reach, pool) = (Reach::new(options.clone()), postgres_pool(options));
        Patience { limit, reach, moved: Arc::default(), pool }
    }

    /// Others get answers, one after another, for as long as this is polled.
    async fn others_get_answers(patience: &Patience) {
        loop {
            let answer: Work<'_, (), StorageError> = Box::pin(async {
                sqlx::raw_sql("SELECT pg_sleep(0.02)").execute(&patience.pool).await?;
                Ok(())
            });
            unless_silent(Some(patience), answer).await.unwrap();
        }
    }

    fn at(port: u16) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(port).username("ada")
    }

    fn forever<'a>() -> Work<'a, (), StorageError> {
        Box::pin(async {
            has_connection();
            std::future::pending().await
        })
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

    /// Others get answers all the time.
    #[tokio::test]
    async fn a_lost_answer_is_given_up_soon_though_others_get_theirs() {
        let Some(url) = postgres_server("a_lost_answer_is_given_up_soon_though_others_get_theirs")
        else {
            return;
        };
        let options = crate::engine::reach::named(url.parse().unwrap());
        let patience = patience(options, Duration::from_mins(1));
        tokio::select! {
            () = given_up(&patience, QUIET_FOR + UNANSWERED_FOR, Duration::from_secs(2)) => {}
            () = others_get_answers(&patience) => {}
        }
    }

    /// A statement takes longer than one waits for the first look, beside others that take no time.
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
        tokio::select! {
            done = unless_silent(Some(&patience), slow) => done.unwrap(),
            () = others_get_answers(&patience) => {}
        }
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
        let turns = Turns::default();
        let busy: Work<'_, (), StorageError> = Box::pin(async {
            let _turn = turns.wait().await?;
            for _ in 0..150 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(())
        });
        let waits: Work<'_, (), StorageError> = Box::pin(async {
            let _turn = turns.wait().await?;
            Ok(())
        });
        let (first, second) = tokio::join!(
            unless_silent(Some(&patience), busy),
            unless_silent(Some(&patience), waits)
        );
        first.unwrap();
        second.unwrap();
    }

    /// All ten are taken, by one that gets answers and by others that do nothing; the work has had one and needs another.
    #[tokio::test]
    async fn who_waits_for_a_second_connection_is_not_given_up() {
        let Some(url) = postgres_server("who_waits_for_a_second_connection_is_not_given_up") else {
            return;
        };
        let patience = patience(url.parse().unwrap(), Duration::from_mins(1));
        let pool = &patience.pool;
        let mut taken = Vec::new();
        for _ in 1..pool.options().get_max_connections() {
            taken.push(pool.acquire().await.unwrap());
        }
        let busy: Work<'_, (), StorageError> = Box::pin(async {
            let mut connection = taken.pop().unwrap();
            for _ in 0..100 {
                sqlx::raw_sql("SELECT pg_sleep(0.02)").execute(&mut *connection).await?;
            }
            Ok(())
        });
        let waits: Work<'_, (), StorageError> = Box::pin(async {
            let mut first = pool.acquire().await?;
            sqlx::raw_sql("SELECT 1").execute(&mut *first).await?;
            let second = Transaction::begin(pool, Postgres::BEGIN_READ, None, None);
            Ok(second.await?.commit().await?)
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
