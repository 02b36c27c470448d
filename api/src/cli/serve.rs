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

use super::{Failure, log};
use crate::config::{Overrides, Settings};
use crate::http::{App, metrics, server};
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
        Ok(serve(service, async { Ok(()) }).await?)
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

/// A service on the database that the settings name.
pub async fn open(settings: Settings) -> anyhow::Result<Arc<Service>> {
    let database = Database::connect(&settings.database).await?;
    Ok(Arc::new(Service::new(settings, database)))
}

/// Serves until a signal to stop, then ends what is in progress. Nobody is answered before `ready`,
/// during which feeds and simulations are at work already.
pub async fn serve(
    service: Arc<Service>,
    ready: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let address = service.settings().listen;
    let local_user = !service.has_tokens().await?;
    if local_user && !address.ip().is_loopback() {
        bail!(
            "refusing to listen on {address} without API tokens: anyone could book and cancel; \
             make one with `wattbook token create`, or listen on 127.0.0.1"
        );
    }
    if service.settings().clock.is_set() {
        if !address.ip().is_loopback() {
            bail!("refusing to listen on {address} by a clock that is set: it is for replays");
        }
        tracing::warn!(now = %service.now(), "the clock is set, for a replay");
    }
    metrics::record()?;
    // A large cluster takes seconds to read: better now than in the first answer.
    service.state().await?;
    service.open_webhooks().await?;
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let stop = service.stopping().clone();
    let ticking = tokio::spawn(tick(Arc::clone(&service), stop.clone()));
    let simulating = tokio::spawn(Arc::clone(&service).play_simulations());
    let watching = tokio::spawn(Arc::clone(&service).watch_agendas(stop.clone()));
    let negotiating = tokio::spawn(Arc::clone(&service).negotiate(stop.clone()));
    #[cfg(feature = "openadr")]
    let hearing = tokio::spawn(Arc::clone(&service).hear_supplier(stop.clone()));
    let delivering = tokio::spawn(Arc::clone(&service).deliver_messages(stop.clone()));
    let feeding = tokio::spawn(Arc::clone(&service).run_feeds(stop.clone()));
    ready.await?;
    let telling = tokio::spawn(Arc::clone(&service).tell_events(stop.clone()));
    let app = App { service: Arc::clone(&service), loopback: address.ip().is_loopback() };
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
    ticking.await?;
    simulating.await?;
    watching.await?;
    negotiating.await?;
    delivering.await?;
    #[cfg(feature = "openadr")]
    hearing.await?;
    feeding.await?;
    telling.await?;
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
            _ = interval.tick() => {
                metrics::sum_up();
                service.advance().await
            }
            _ = clearing.tick() => match service.forget_old_keys().await {
                Ok(()) => service.forget_old_events().await,
                failed => failed,
            },
        };
        if let Err(error) = done {
            tracing::warn!(error = format!("{error:#}"), "could not move reservations on");
        }
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
