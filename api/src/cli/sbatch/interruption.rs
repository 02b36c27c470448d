//! The signals by which people, time limits and lost connections end a process.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM and SIGHUP, heard from the moment they are listened for.
pub struct Interruption {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

impl Interruption {
    /// Listens. What the process was started to ignore, as by `nohup`, goes on being ignored.
    ///
    /// # Errors
    /// Where the operating system does not let it.
    pub fn listen() -> io::Result<Self> {
        let ignored = ignored_signals();
        let listen = |kind: SignalKind| {
            let bit = kind.as_raw_value().saturating_sub(1).unsigned_abs();
            let heard = ignored.checked_shr(bit).unwrap_or_default() & 1 == 0;
            heard.then(|| signal(kind)).transpose()
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for one of them; gives the exit status of a process that it ended.
    pub async fn status(&mut self) -> u8 {
        let Self { interrupt, terminate, hangup } = self;
        let signal = tokio::select! {
            () = heard(interrupt) => SignalKind::interrupt(),
            () = heard(terminate) => SignalKind::terminate(),
            () = heard(hangup) => SignalKind::hangup(),
        };
        u8::try_from(128 + signal.as_raw_value()).unwrap_or(u8::MAX)
    }
}

async fn heard(signal: &mut Option<Signal>) {
    let heard = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if heard.is_none() {
        std::future::pending::<()>().await;
    }
}

/// The signals that this process ignores, as a mask whose lowest bit is signal 1; none where it is not known.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
