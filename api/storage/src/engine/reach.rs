//! Whether a PostgreSQL server is there for those who wait for it.
//!
//! A statement may take its time, and so may a connection for it. A server that is away answers nothing, or refuses everybody.
//! Who has waited for a while therefore looks whether it is there, on a connection of its own: all who wait share a look. The
//! server says then whether it works for this process at all. If it does not, what it said is lost.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Row};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use crate::error::StorageError;

/// How long one waits for something to happen before one looks, and looks again.
pub(crate) const LOOK_AFTER: Duration = Duration::from_millis(600);

/// A server that says nothing for so long, and again for as long, is away: one may be the load's.
const ANSWERS_WITHIN: Duration = Duration::from_millis(600);

/// A look that found it away holds for those who come so soon after it.
const HOLDS_FOR: Duration = Duration::from_secs(1);

/// A server that did so much work during a look is there. Less may have been under way when it went, or come through a network
/// that loses only long answers.
const SIGN_OF_LIFE: u64 = 4;

/// For so long after a look that found it away one looks at once.
const AWAY_FOR: Duration = Duration::from_secs(5);

/// Whether the server works for others who connect by the same name, and whether it has done for a while for one of them. One that
/// waits to hear from us, or for us to take what it says, does not. Where it does not tell since when (`track_activities`), or its
/// clock was set back, it counts as long.
const IS_AT_WORK: &str =
    "SELECT count(*) > 0, count(*) FILTER (WHERE wait_event_type IS DISTINCT FROM 'Client'
        AND (query_start BETWEEN clock_timestamp() - interval '0.3 s' AND clock_timestamp()) IS NOT TRUE) > 0
    FROM pg_stat_activity WHERE application_name = current_setting('application_name')
        AND pid <> pg_backend_pid() AND state NOT LIKE 'idle%'";

/// What a look shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reachability {
    /// It works for this process, or waits for others on its behalf.
    AtWork,
    /// It works for this process, and nothing takes it long: who has waited for long does not wait for that.
    AtShortWork,
    /// It is there, and waits for this process.
    Idle,
    /// It says nothing.
    Silent,
    /// It cannot be connected to.
    Refused,
}

/// A look at the server.
#[derive(Clone, Copy, Debug)]
struct Look {
    begun: Instant,
    ended: Instant,
    shows: Reachability,
    /// How much work had succeeded when it ended.
    succeeded: u64,
}

/// How to look whether the server is there.
#[derive(Debug)]
pub(crate) struct Reach {
    options: PgConnectOptions,
    last: Mutex<Option<Look>>,
    /// How much work of this process the server has done.
    succeeded: AtomicU64,
}

impl Reach {
    /// Looks are made by these options.
    pub(crate) fn new(options: PgConnectOptions) -> Self {
        Self { options, last: Mutex::new(None), succeeded: AtomicU64::new(0) }
    }

    /// Notes that the server did some work of this process: it is there, however long a login takes it.
    pub(crate) fn succeeded(&self) {
        self.succeeded.fetch_add(1, Ordering::AcqRel);
    }

    /// What a look shows that began after `since`, or one that ended just before and found the server away.
    pub(crate) async fn look(&self, since: Instant) -> Reachability {
        let mut last = self.last.lock().await;
        if let Some(look) = *last
            && (look.begun >= since || (self.holds(look) && look.ended + HOLDS_FOR >= since))
        {
            return look.shows;
        }
        let begun = Instant::now();
        let before = self.succeeded.load(Ordering::Acquire);
        let mut shows = self.ask_in_time().await;
        if shows.is_away() {
            shows = self.ask_in_time().await;
        }
        let succeeded = self.succeeded.load(Ordering::Acquire);
        if shows.is_away() && succeeded - before >= SIGN_OF_LIFE {
            shows = Reachability::AtWork;
        }
        *last = Some(Look { begun, ended: Instant::now(), shows, succeeded });
        shows
    }

    /// Whether a look found the server away, and nothing has shown otherwise since.
    fn holds(&self, look: Look) -> bool {
        let since = self.succeeded.load(Ordering::Acquire) - look.succeeded;
        look.shows.is_away() && since < SIGN_OF_LIFE
    }

    /// From when on one looks who begins to wait now.
    pub(crate) fn first_look(&self) -> Instant {
        let now = Instant::now();
        let last = self.last.try_lock().ok().and_then(|it| *it);
        let was_away = last.is_some_and(|it| self.holds(it) && it.ended.elapsed() < AWAY_FOR);
        if was_away { now } else { now + LOOK_AFTER }
    }

    async fn ask_in_time(&self) -> Reachability {
        timeout(ANSWERS_WITHIN, self.ask()).await.unwrap_or(Reachability::Silent)
    }

    async fn ask(&self) -> Reachability {
        let asked = async {
            let mut connection = PgConnection::connect_with(&self.options).await?;
            let row = sqlx::raw_sql(IS_AT_WORK).fetch_one(&mut connection).await?;
            let shows = match (row.try_get(0)?, row.try_get(1)?) {
                (false, _) => Reachability::Idle,
                (true, false) => Reachability::AtShortWork,
                (true, true) => Reachability::AtWork,
            };
            let _ = connection.close().await;
            Ok::<_, sqlx::Error>(shows)
        };
        let asked = asked.await;
        // It is there, and has as many clients as it takes.
        if let Err(sqlx::Error::Database(refusal)) = &asked
            && refusal.code().is_some_and(|code| code.starts_with("53"))
        {
            return Reachability::AtWork;
        }
        // This process has no file left to connect by, or the like: that says nothing of the server.
        if let Err(sqlx::Error::Io(error)) = &asked
            && !is_of_the_server(error.kind())
        {
            return Reachability::AtWork;
        }
        match asked.map_err(StorageError::from) {
            Ok(shows) => shows,
            Err(StorageError::Unavailable(_)) => Reachability::Refused,
            // It is there and lets no more in.
            Err(_) => Reachability::AtWork,
        }
    }
}

/// Whether an error of a connection is the server's, or of the way to it.
fn is_of_the_server(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::TimedOut
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::NotFound
    )
}

impl Reachability {
    /// Whether nothing can be expected of the server now.
    pub(crate) const fn is_away(self) -> bool {
        matches!(self, Self::Silent | Self::Refused)
    }
}

/// The options by which the server tells connections of this process from others, unless they have a name.
pub(crate) fn named(options: PgConnectOptions) -> PgConnectOptions {
    if options.get_application_name().is_some() {
        return options;
    }
    options.application_name(&format!("wattbook {}", Uuid::now_v7().simple()))
}
