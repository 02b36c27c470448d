//! `wattbook serve`: the service, until it is told to stop.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use storage::Database;
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::Failure;
use crate::config::{Overrides, Settings};
use crate::http::{App, router};
use crate::service::Service;

/// Arguments of `wattbook serve`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    overrides: Overrides,
}

/// How often reservations are moved on.
const TICK: Duration = Duration::from_secs(1);

/// How often old records are cleared up.
const CLEAR_UP: Duration = Duration::from_hours(1);

/// How long answers in progress may take once the service is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load(&arguments.overrides)?;
    log_to_standard_error();
    super::block_on(async {
        let service = open(settings).await?;
        Ok(serve(service).await?)
    })
}

/// Logs as `WATTBOOK_LOG` says (`info` unless set).
pub fn log_to_standard_error() {
    let filter = EnvFilter::try_from_env("WATTBOOK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}

/// A service on the database that the settings name.
pub async fn open(settings: Settings) -> anyhow::Result<Arc<Service>> {
    let database = Database::connect(&settings.database).await?;
    Ok(Arc::new(Service::new(settings, database)))
}

/// Serves until a signal to stop, then ends what is in progress.
pub async fn serve(service: Arc<Service>) -> anyhow::Result<()> {
    let address = service.settings().listen;
    let local_user = !service.has_tokens().await?;
    if local_user && !address.ip().is_loopback() {
        bail!(
            "refusing to listen on {address} without API tokens: anyone could book and cancel; \
             make one with `wattbook token create`, or listen on 127.0.0.1"
        );
    }
    // A large cluster takes seconds to read: better now than in the first answer.
    service.state().await?;
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let ticking = tokio::spawn(tick(Arc::clone(&service), stop.clone()));
    let app = App { service: Arc::clone(&service), loopback: address.ip().is_loopback() };
    announce(address, local_user);
    let stopped = stop.clone();
    let serving = axum::serve(listener, router(app))
        .with_graceful_shutdown(async move { stopped.cancelled().await });
    let serving = tokio::spawn(serving.into_future());
    signalled().await?;
    tracing::info!("stopping");
    stop.cancel();
    if let Ok(served) = tokio::time::timeout(SHUTDOWN_GRACE, serving).await {
        served??;
    } else {
        tracing::warn!(grace_s = SHUTDOWN_GRACE.as_secs(), "cut off slow answers");
    }
    ticking.await?;
    service.close().await;
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

/// Moves reservations on as time passes, and clears up.
async fn tick(service: Arc<Service>, stop: CancellationToken) {
    let mut interval = tokio::time::interval(TICK);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut clearing = tokio::time::interval(CLEAR_UP);
    clearing.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let done = tokio::select! {
            () = stop.cancelled() => return,
            _ = interval.tick() => service.advance().await,
            _ = clearing.tick() => service.forget_old_keys().await,
        };
        if let Err(error) = done {
            tracing::warn!(error = format!("{error:#}"), "could not move reservations on");
        }
    }
}

/// Waits for Ctrl-C or a request to terminate.
async fn signalled() -> anyhow::Result<()> {
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
