//! `wattbook serve`: the service, until it is told to stop.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use storage::Database;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use super::{Failure, log};
use crate::config::{Overrides, Settings};
use crate::http::{App, server};
use crate::recorder;
use crate::service::Services;
use crate::service::shared::Shared;
use crate::tasks::Tasks;

/// Arguments of `wattbook serve`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    overrides: Overrides,
}

/// How long answers in progress may take once the service is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load(&arguments.overrides)?;
    log_to_standard_error();
    super::block_on(async {
        let services = open(settings).await?;
        Ok(serve(&services, async { Ok(()) }).await?)
    })
}

/// Logs as `WATTBOOK_LOG` says (`info` unless set).
pub fn log_to_standard_error() {
    let filter = EnvFilter::try_from_env("WATTBOOK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| log::Scrubbed)
        .with_ansi(std::io::stderr().is_terminal())
        // A reader of the log that has gone is no failure.
        .log_internal_errors(false)
        .init();
}

/// Services on the database that the settings name.
pub async fn open(settings: Settings) -> anyhow::Result<Services> {
    let database = Database::connect(&settings.database).await?;
    Ok(Services::new(settings, database))
}

/// Serves until a signal to stop, then ends what is in progress. Nobody is answered before `ready`,
/// during which all background tasks are at work already.
pub async fn serve(
    services: &Services,
    ready: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let Shared { settings, database, .. } = services.shared.as_ref();
    let address = settings.listen;
    let local_user = settings.sign_in.is_empty() && !database.has_had_users().await?;
    if local_user && !address.ip().is_loopback() {
        bail!(
            "refusing to listen on {address} without API tokens: anyone could book and cancel; \
             make one with `wattbook token create`, or listen on 127.0.0.1"
        );
    }
    if settings.clock.is_set() {
        if !address.ip().is_loopback() {
            bail!("refusing to listen on {address} by a clock that is set: it is for replays");
        }
        tracing::warn!(now = %settings.clock.now(), "the clock is set, for a replay");
    }
    recorder::record()?;
    // A large cluster takes seconds to read: better now than in the first answer.
    services.shared.state().await?;
    services.webhooks.open_webhooks().await?;
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let tasks = Tasks::start(services);
    ready.await?;
    let stop = services.shared.stop.clone();
    let app = App { services: services.clone(), loopback: address.ip().is_loopback() };
    announce(address, local_user);
    let serving = tokio::spawn(server::serve(listener, app, stop.clone()));
    signalled().await?;
    tracing::info!("stopping");
    stop.cancel();
    if let Ok(served) = tokio::time::timeout(SHUTDOWN_GRACE, serving).await {
        served?;
    } else {
        tracing::warn!(grace_s = SHUTDOWN_GRACE.as_secs(), "cut off slow answers");
    }
    tasks.ended().await;
    services.close().await;
    Ok(())
}

fn announce(address: SocketAddr, local_user: bool) {
    tracing::info!(%address, "listening on http://{address}");
    if local_user {
        tracing::warn!(
            "there are no API tokens: serving one local user, who may do everything, on a \
             loopback address only"
        );
    }
}

/// Waits for Ctrl-C or a request to terminate.
pub async fn signalled() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    Ok(())
}
