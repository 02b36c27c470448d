//! Where logs go: standard error, without any secret of the settings.

use std::io::{self, Write};

use grid_feeds::feed::scrub;

/// Standard error, on which no line shows a secret, whoever logs it.
pub struct Scrubbed;

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
