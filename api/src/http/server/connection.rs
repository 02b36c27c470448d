//! One connection: what it does, since when, and when that has lasted too long.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

use crate::config::limits::Limits;

/// How long after it has come a client is waited for that has not yet asked anything when the service stops.
const FIRST_REQUEST: Duration = Duration::from_secs(1);

/// How long each phase may last.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    header: Duration,
    idle: Duration,
    answer_idle: Duration,
}

/// What a connection does.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// It waits for a request.
    Idle(Instant),
    /// It waits for the rest of a request's headers.
    Head(Instant),
    /// A request is answered.
    Serving,
    /// It was given up: what still comes is not answered.
    Closing,
}

/// A connection as others see it.
#[derive(Debug)]
pub struct Connection {
    times: Times,
    now: Mutex<Now>,
    given_up: CancellationToken,
    opened: Instant,
    /// Whether a request has come.
    asked: CancellationToken,
}

#[derive(Debug)]
struct Now {
    phase: Phase,
    /// The instant since which the client has taken nothing of what is to be sent.
    stalled: Option<Instant>,
}

impl Times {
    /// Those of the settings.
    pub const fn new(limits: &Limits) -> Self {
        Self { header: limits.header, idle: limits.idle, answer_idle: limits.answer_idle }
    }
}

impl Connection {
    /// One that was just opened.
    pub fn new(times: Times) -> Self {
        let opened = Instant::now();
        let now = Mutex::new(Now { phase: Phase::Idle(opened), stalled: None });
        let (given_up, asked) = (CancellationToken::new(), CancellationToken::new());
        Self { times, now, given_up, opened, asked }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request came; `false` where the connection was given up.
    pub fn begin(&self) -> bool {
        let mut now = self.now();
        if matches!(now.phase, Phase::Closing) {
            return false;
        }
        now.phase = Phase::Serving;
        self.asked.cancel();
        true
    }

    /// Ends once a request has come, or none did soon after the client itself.
    pub async fn asked_first(&self) {
        let _ = tokio::time::timeout_at(self.opened + FIRST_REQUEST, self.asked.cancelled()).await;
    }

    /// The request was answered.
    pub fn end(&self) {
        let mut now = self.now();
        if matches!(now.phase, Phase::Serving) {
            now.phase = Phase::Idle(Instant::now());
        }
    }

    /// The instant since which it waits for its client; `None` where it does not.
    pub fn waits_since(&self) -> Option<Instant> {
        match self.now().phase {
            Phase::Idle(since) | Phase::Head(since) => Some(since),
            Phase::Serving | Phase::Closing => None,
        }
    }

    /// Gives it up unless a request is answered; whether it did.
    pub fn give_up(&self) -> bool {
        let mut now = self.now();
        let waits = matches!(now.phase, Phase::Idle(_) | Phase::Head(_));
        if waits {
            now.phase = Phase::Closing;
            self.given_up.cancel();
        }
        waits
    }

    /// Ends when the connection was given up or what it does has lasted too long.
    pub async fn closed(&self) {
        loop {
            let Some(next) = self.next_look() else { return };
            tokio::select! {
                () = self.given_up.cancelled() => return,
                () = tokio::time::sleep_until(next) => {}
            }
        }
    }

    /// When to look again; `None` where the time is up, and the connection is given up.
    fn next_look(&self) -> Option<Instant> {
        let Times { header, idle, answer_idle } = self.times;
        let mut now = self.now();
        let until = match now.phase {
            Phase::Idle(since) => Some(since + idle),
            Phase::Head(since) => Some(since + header),
            Phase::Serving => None,
            Phase::Closing => return None,
        };
        let stalled = now.stalled.map(|since| since + answer_idle);
        let instant = Instant::now();
        let until = until.into_iter().chain(stalled).min();
        if until.is_some_and(|until| until <= instant) {
            now.phase = Phase::Closing;
            return None;
        }
        // What begins meanwhile cannot be over before.
        let soonest = instant + header.min(idle).min(answer_idle);
        Some(until.map_or(soonest, |until| until.min(soonest)))
    }

    /// Notes that bytes came: an idle connection has begun a request.
    fn heard(&self) {
        let mut now = self.now();
        if matches!(now.phase, Phase::Idle(_)) {
            now.phase = Phase::Head(Instant::now());
        }
    }

    /// Bytes were or could not be sent.
    fn told<T>(&self, sent: &Poll<T>) {
        let mut now = self.now();
        now.stalled = match sent {
            Poll::Ready(_) => None,
            Poll::Pending => now.stalled.or_else(|| Some(Instant::now())),
        };
    }
}

/// A socket that tells its connection what happens on it.
pub struct Watched {
    stream: TcpStream,
    connection: Arc<Connection>,
}

impl Watched {
    /// A socket and its connection.
    pub const fn new(stream: TcpStream, connection: Arc<Connection>) -> Self {
        Self { stream, connection }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.connection.heard();
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.connection.told(&sent);
        sent
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.connection.told(&sent);
        sent
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        let seconds = Duration::from_secs;
        Connection::new(Times { header: seconds(10), idle: seconds(75), answer_idle: seconds(30) })
    }

    async fn lasts(connection: &Connection) -> Duration {
        let began = Instant::now();
        connection.closed().await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn headers_idleness_and_answers_not_taken_have_limits_of_their_own() {
        let seconds = |it| Duration::from_secs(it)..Duration::from_secs(it + 1);
        let idle = connection();
        assert!(seconds(75).contains(&lasts(&idle).await));
        assert!(!idle.begin(), "what comes too late is not answered");
        let half_sent = connection();
        half_sent.heard();
        half_sent.heard();
        assert!(seconds(10).contains(&lasts(&half_sent).await));
        let not_taken = connection();
        assert!(not_taken.begin());
        not_taken.told(&Poll::<()>::Pending);
        not_taken.told(&Poll::<()>::Pending);
        assert!(seconds(30).contains(&lasts(&not_taken).await));
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_just_come_may_ask() {
        let asks = async |connection: &Connection| {
            let began = Instant::now();
            connection.asked_first().await;
            began.elapsed()
        };
        let silent = connection();
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(asks(&silent).await.as_millis(), 600);
        assert_eq!(asks(&silent).await.as_millis(), 0);
        let asking = connection();
        assert!(asking.begin());
        assert_eq!(asks(&asking).await.as_millis(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_answered_lasts() {
        let stream = connection();
        stream.heard();
        assert!(stream.begin());
        assert!(!stream.give_up());
        let day = Duration::from_hours(24);
        assert!(tokio::time::timeout(day, stream.closed()).await.is_err());
        stream.end();
        assert!(lasts(&stream).await >= Duration::from_secs(75));
    }
}
