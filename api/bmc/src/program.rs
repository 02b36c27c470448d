//! Programs that ask controllers: run without a shell, with little of the service's environment, for a bounded time.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use grid_feeds::feed::FeedError;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

/// No more is read of what a program prints.
const MOST_OUTPUT_BYTES: u64 = 4 << 20;

/// What a run said.
#[derive(Debug, Default)]
pub struct Output {
    /// What it printed.
    pub printed: String,
    /// What it complained of.
    pub complaints: String,
    /// Whether it was ended since it took too long.
    pub took_too_long: bool,
}

/// Runs a program to its end, or for `timeout`.
///
/// # Errors
/// Where it cannot be run.
pub async fn run(
    program: &Path,
    arguments: &[String],
    timeout: Duration,
) -> Result<Output, FeedError> {
    let mut command = Command::new(program);
    command.args(arguments);
    command.env_clear().env("LC_ALL", "C").env("TZ", "UTC");
    for kept in ["PATH", "LD_LIBRARY_PATH"] {
        command.envs(std::env::var_os(kept).map(|value| (kept, value)));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| FeedError::Configuration {
        message: format!("{} cannot be run: {error}", program.display()),
    })?;
    let (mut printed, mut complaints) = (Vec::new(), Vec::new());
    let said = said(&mut child, &mut printed, &mut complaints);
    let ended = tokio::time::timeout(timeout, said).await;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (printed, complaints) = (text(printed), text(complaints));
    Ok(Output { printed, complaints, took_too_long: ended.is_err() })
}

/// Reads what a child says until it ends; what was read so far is there where it is not waited for.
async fn said(child: &mut Child, printed: &mut Vec<u8>, complaints: &mut Vec<u8>) {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    tokio::join!(collect(out, printed), collect(err, complaints));
    // How it ended says nothing that is not said of each host.
    let _ = child.wait().await;
}

async fn collect(stream: Option<impl AsyncRead + Unpin>, bytes: &mut Vec<u8>) {
    if let Some(stream) = stream {
        let _ = stream.take(MOST_OUTPUT_BYTES).read_to_end(bytes).await;
    }
}
