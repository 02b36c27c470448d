//! Ctrl-C in long work.

use std::thread;

/// The first interruption calls `first`, so that work stops and what is finished is kept; the second
/// ends the process at once.
pub fn on_interrupt(first: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                first();
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(130);
            }
        });
    });
}
