//! Ctrl-C in long work, and that a cluster ends it.

use std::io;
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

/// The first interruption calls `first`, so that work stops and what is finished is kept; the second
/// ends the process at once.
pub fn on_interrupt(first: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            if interrupted().await.is_ok() {
                first();
            }
            if interrupted().await.is_ok() {
                std::process::exit(130);
            }
        });
    });
}

/// Waits for SIGINT or SIGTERM.
async fn interrupted() -> io::Result<()> {
    let mut ended = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = ended.recv() => Ok(()),
    }
}
