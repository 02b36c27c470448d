//! Where logs go: standard error, without any secret of the settings.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use grid_feeds::feed::scrub;
use tracing_subscriber::EnvFilter;

/// How log lines are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One object a line, for programs that collect logs
    Json,
}

/// Logs as `WATTBOOK_LOG` says (`info` unless set).
pub fn to_standard_error(format: LogFormat) {
    let filter = EnvFilter::try_from_env("WATTBOOK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Scrubbed)
        .with_ansi(io::stderr().is_terminal())
        // A reader of the log that has gone is no failure.
        .log_internal_errors(false);
    match format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}

/// Standard error, on which no line shows a secret, whoever logs it.
struct Scrubbed;

impl Write for Scrubbed {
    /// A whole line at once, as the log writes them.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        io::stderr().lock().write_all(scrub(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
