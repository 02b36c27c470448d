//! Where logs go: standard error, without any secret of the settings.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use grid_feeds::feed::scrub;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::traces::Traces;

/// How log lines are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One object a line, for programs that collect logs
    Json,
}

/// Logs as `WATTBOOK_LOG` says (`info` unless set), and begins to export traces where the environment names a collector.
pub fn to_standard_error(format: LogFormat) -> Traces {
    let filter = EnvFilter::try_from_env("WATTBOOK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| Scrubbed)
        .with_ansi(io::stderr().is_terminal())
        // A reader of the log that has gone is no failure.
        .log_internal_errors(false);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let (traces, exporting) = Traces::open();
    tracing_subscriber::registry().with(lines.with_filter(filter)).with(exporting).init();
    traces.report();
    traces
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
