//! `wattbook serve`: the service, until it is told to stop.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, bail};
use storage::Database;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::log::{self, LogFormat};
use super::{Failure, systemd};
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
    /// How log lines are written
    #[arg(long, env = "WATTBOOK_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

/// Why serving ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was told to stop.
    Stopped,
    /// It was told to go by other settings, which are in order.
    ForNewSettings,
}

/// How long answers in progress may take once the service is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let overrides = &arguments.overrides;
    let settings = Settings::load(overrides).map_err(Failure::of_settings)?;
    let traces = log::to_standard_error(arguments.log_format);
    let socket = systemd::socket()?;
    let ended = super::block_on(async {
        let services = open(settings).await?;
        let given = socket.as_ref().map(std::net::TcpListener::try_clone).transpose()?;
        let listener = given.map(TcpListener::from_std).transpose()?;
        Ok(serve(&services, listener, async { Ok(()) }, Some(overrides)).await?)
    });
    traces.close();
    match ended? {
        Ended::Stopped => Ok(()),
        Ended::ForNewSettings => match systemd::begin_anew(socket.as_ref())? {},
    }
}

/// Services on the database that the settings name.
pub async fn open(settings: Settings) -> anyhow::Result<Services> {
    let database = Database::connect(&settings.database).await?;
    if let Err(error) = database.expect_writable(settings.clock.now()).await {
        database.close().await;
        return Err(error.into());
    }
    Ok(Services::new(settings, database))
}

/// Serves at a listener that is open already, or else at the address of the settings, until a signal to stop; where
/// settings may be read anew, also until a hangup. Then ends what is in progress. Nobody is answered before `ready`,
/// during which all background tasks are at work already.
pub async fn serve(
    services: &Services,
    listener: Option<TcpListener>,
    ready: impl Future<Output = anyhow::Result<()>>,
    settings_anew: Option<&Overrides>,
) -> anyhow::Result<Ended> {
    let hangups = settings_anew.map(|_| signal(SignalKind::hangup())).transpose()?;
    let Shared { settings, database, .. } = services.shared.as_ref();
    let address = listener.as_ref().map_or(Ok(settings.listen), TcpListener::local_addr)?;
    let local_user = settings.sign_in.is_empty() && !database.has_had_users().await?;
    expect_safe(address, local_user, settings)?;
    recorder::record()?;
    services.clock_watch.read().await?;
    // A large cluster takes seconds to read: better now than in the first answer.
    services.shared.state().await?;
    services.webhooks.open_webhooks().await?;
    let listener = match listener {
        Some(listener) => listener,
        None => TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}"))?,
    };
    let address = listener.local_addr()?;
    let tasks = Tasks::start(services);
    ready.await?;
    let stop = services.shared.stop.clone();
    let app = App { services: services.clone(), loopback: address.ip().is_loopback() };
    announce(address, local_user, &stop);
    let serving = tokio::spawn(server::serve(listener, app, stop.clone()));
    let ended = told_to_end(settings_anew.zip(hangups)).await?;
    tracing::info!("stopping");
    stop.cancel();
    if let Ok(served) = tokio::time::timeout(SHUTDOWN_GRACE, serving).await {
        served?;
    } else {
        tracing::warn!(grace_s = SHUTDOWN_GRACE.as_secs(), "cut off slow answers");
    }
    tasks.ended().await;
    services.close().await;
    Ok(ended)
}

/// Refuses to let other machines in where anybody could book, or where the clock is set.
fn expect_safe(address: SocketAddr, local_user: bool, settings: &Settings) -> anyhow::Result<()> {
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
    Ok(())
}

fn announce(address: SocketAddr, local_user: bool, stop: &CancellationToken) {
    tracing::info!(%address, "listening on http://{address}");
    if local_user {
        tracing::warn!(
            "there are no API tokens: serving one local user, who may do everything, on a \
             loopback address only"
        );
    }
    systemd::is_ready(address, stop.clone());
}

/// Waits until it is told to stop or, by a hangup, to go by the settings as they are now. Where these are wrong it goes on by
/// those that it has.
async fn told_to_end(settings_anew: Option<(&Overrides, Signal)>) -> anyhow::Result<Ended> {
    // One for all turns, so that none is missed between two.
    let mut stopped = pin!(signalled());
    let Some((overrides, mut hangups)) = settings_anew else {
        stopped.await?;
        systemd::stops();
        return Ok(Ended::Stopped);
    };
    loop {
        tokio::select! {
            stopped = &mut stopped => {
                stopped?;
                systemd::stops();
                return Ok(Ended::Stopped);
            }
            _ = hangups.recv() => {}
        }
        let Err(error) = Settings::load(overrides) else { break };
        tracing::error!("the service goes on by the settings that it has: {error:#}");
    }
    tracing::info!("beginning anew, by the settings as they are now");
    systemd::reloads();
    Ok(Ended::ForNewSettings)
}

/// Waits for Ctrl-C or a request to terminate.
pub async fn signalled() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminate.recv() => {}
    }
    Ok(())
}
