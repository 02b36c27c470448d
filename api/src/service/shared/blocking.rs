//! Slow work off the async threads.

use super::Fault;

/// Runs something slow and pure off the async threads.
///
/// # Errors
/// [`Fault::Internal`] where it panicked.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(Fault::internal)
}
