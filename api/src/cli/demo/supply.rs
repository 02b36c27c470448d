//! The demonstration's supplier: the replay supplier in this process, which the service asks as it
//! would ask any other, and the settings by which it does so.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use grid_feeds::demonstration::{ContractPrice, demonstration};
use grid_feeds::http::Http;
use grid_feeds::provider::rte_tempo::Colour;
use planner::decimal::format_millionths;
use planner::quantity::{Currency, Rate};
use planner::time::{Seconds, Span};
use replay_supplier::Supplier;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::cli::back_fill::{fetch_part, parts};
use crate::cli::supplier::series::ReplayedSeries;
use crate::clock::Clock;
use crate::config::feeds::Source;
use crate::config::{Overrides, Settings};
use crate::service::Services;
use crate::service::shared::provenance::{KnownPiece, OriginKind};

/// The sources, which are polled often so that it is seen, and what becomes of them.
const SETTINGS: &str = r#"
[[feeds]]
id = "tempo"
quantity = "price"
provider = "contract"
time_zone = "Europe/Paris"
currency = "CURRENCY"
day_starts_at = "06:00"
rules = [RULES]
colours = { access = "public", base_url = "BASE/rte" }
poll = { poll_every_s = 60, catch_up_s = 0 }

[[feeds]]
id = "electricity-maps"
quantity = "co2"
provider = "electricity-maps"
zone = "FR"
token = { file = 'FOLDER/token' }
base_url = "BASE"
poll = { poll_every_s = 60, catch_up_s = 0 }

[[feeds]]
id = "energy-charts"
quantity = "co2"
provider = "energy-charts"
zone = "fr"
base_url = "BASE"
poll = { poll_every_s = 60, catch_up_s = 0 }

[[feeds]]
id = "caps"
quantity = "power-cap"
provider = "file-drop"
path = 'FOLDER/power-cap.csv'
binding = true
poll = { catch_up_s = 0 }

[agendas.price]
contract = "tempo"
days_ahead = 30

[agendas.co2]
chain = ["electricity-maps", "energy-charts"]
forecast = { time_zone = "Europe/Paris" }
days_ahead = 30

[agendas.power-cap]
days_ahead = 30
"#;

/// A demonstration that was killed and is started again need not wait for long.
const LEASE_S: i64 = 2;

/// How far back the demonstration's data goes.
const PAST: Seconds = Seconds::new(36 * 86_400);

/// How long to wait for the supplier at the most. What is late comes later.
const PATIENCE: Duration = Duration::from_secs(30);

/// After this time estimates of ours will do.
const AT_HAND: Seconds = Seconds::new(3600);

/// A supplier at work; it ends when dropped.
pub struct Supply {
    /// What it has as files.
    _folder: TempDir,
    serving: JoinHandle<()>,
}

impl Drop for Supply {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Supply {
    /// Starts the supplier on a port of its own, and reads the settings again with it as a source
    /// of all agendas. `None` where the settings have sources of their own.
    ///
    /// # Errors
    /// No port or no folder is to be had.
    pub async fn start(
        settings: &mut Settings,
        overrides: &Overrides,
    ) -> anyhow::Result<Option<Self>> {
        if !settings.feeds.agendas.is_empty() {
            return Ok(None);
        }
        let folder =
            tempfile::tempdir().context("cannot make a folder for the supplier's files")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let now = settings.clock.now();
        let demonstration = demonstration(now)?;
        let rules = rules(&demonstration.contract);
        let series = ReplayedSeries::of(demonstration);
        series.write_files(folder.path())?;
        // Any will do.
        std::fs::write(folder.path().join("token"), "any-token-will-do")?;
        let sources = sources(&base, folder.path(), settings.currency, &rules);
        let config = folder.path().join("wattbook.toml");
        std::fs::write(&config, beside(overrides.config.as_deref(), &sources)?)?;
        *settings = Settings::load(&Overrides { config: Some(config), ..overrides.clone() })?;
        let supplier = Supplier::new(series.truth(), now);
        supplier.set_rate(rate(settings.clock));
        let serving = tokio::spawn(async move {
            if let Err(error) = supplier.serve(listener).await {
                tracing::error!(%error, "the demonstration's supplier failed");
            }
        });
        tracing::info!("price, CO2 and power cap come from a replay supplier at {base}");
        Ok(Some(Self { _folder: folder, serving }))
    }

    /// Keeps what sources say of the past, once: forecasts look back at it.
    ///
    /// # Errors
    /// The database cannot be read or written, or a source refuses to answer.
    pub async fn keep_the_past(&self, services: &Services) -> anyhow::Result<()> {
        let now = services.shared.now();
        let past = Span::new(now - PAST, now).context("the clock is out of range")?;
        let known = services.feeds.feeds_status().await?.feeds;
        let feeds = &services.shared.settings.feeds;
        let silent = known.iter().filter(|feed| feed.last_revision.is_none());
        let forecast = |source: &&Source| {
            feeds.agenda(source.quantity).is_some_and(|rules| rules.forecast.is_some())
        };
        for source in silent.filter_map(|feed| feeds.source(&feed.id)).filter(forecast) {
            let http = Http::new(source.timeouts)?;
            let role = source.provider.connect(&source.id, source.quantity, &http)?;
            for part in parts(past, source.provider.longest_window()) {
                fetch_part(services, source, &role, part).await?;
            }
        }
        Ok(())
    }

    /// Waits until the agendas have no gap, and begin with what the sources said.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn agendas_arrived(&self, services: &Services) -> anyhow::Result<()> {
        let give_up = Instant::now() + PATIENCE;
        loop {
            if arrived(services).await? {
                return Ok(());
            }
            if Instant::now() > give_up {
                tracing::warn!("the agendas are not whole yet; GET /api/v1/feeds says why");
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn arrived(services: &Services) -> anyhow::Result<bool> {
    let status = services.feeds.feeds_status().await?;
    for agenda in status.agendas {
        let first = Span::starting(status.now, AT_HAND).context("the clock is out of range")?;
        let first = services.agendas.known_agenda(agenda.quantity, first, None).await?;
        let ours =
            |it: &KnownPiece| matches!(it.origin.kind, OriginKind::Contract | OriginKind::Forecast);
        if !agenda.gaps.is_empty() || first.iter().any(ours) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[expect(clippy::cast_precision_loss, reason = "at most a million")]
fn rate(clock: Clock) -> f64 {
    clock.rate() as f64
}

/// The rules of the contract, as they are written in settings.
fn rules(contract: &[ContractPrice]) -> String {
    let mut text = String::from("\n");
    for ContractPrice { colour, from, to, price } in contract {
        let colour = match colour {
            Colour::Blue => "blue",
            Colour::White => "white",
            Colour::Red => "red",
        };
        let price = format_millionths(price.as_millionths());
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    {{ colour = \"{colour}\", from = \"{from}\", to = \"{to}\", energy_per_mwh = \"{price}\" }},"
        );
    }
    text
}

fn sources(base: &str, folder: &Path, currency: Currency, rules: &str) -> String {
    let text = SETTINGS.replace("BASE", base).replace("CURRENCY", currency.code());
    text.replace("RULES", rules).replace("FOLDER", &folder.display().to_string())
}

/// The site's settings, if it has a file, with these sources; without one the dialogue with the supplier
/// is open, whom the web page answers for.
fn beside(config: Option<&Path>, sources: &str) -> anyhow::Result<String> {
    let mut whole: toml::Table = match config {
        Some(path) => std::fs::read_to_string(path)?.parse()?,
        None => "[negotiation]".parse()?,
    };
    whole.extend(sources.parse::<toml::Table>()?);
    whole.entry("feed_lease_s").or_insert(LEASE_S.into());
    Ok(toml::to_string(&whole)?)
}
