//! `wattbook demo`: the service on demonstration data around today.

#[cfg(feature = "supplier")]
mod supply;

use grid_feeds::demonstration::{Demonstration, demonstration};
use planner::preference::Preference;
use planner::problem::SearchMode;
use planner::ranking::Ranking;
use planner::reservation::OfferSelector;
use planner::time::Seconds;
use storage::AgendaMeta;

use super::Failure;
use super::log::{self, LogFormat};
use super::serve::{open, serve};
use crate::config::{Overrides, Settings};
use crate::service::Services;
use crate::service::agendas::PutAgenda;
use crate::service::booking::{BookingRequest, Choice, Proposed};
use crate::service::shared::{Access, CallerKind};

/// Arguments of `wattbook demo`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    overrides: Overrides,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut overrides = arguments.overrides.clone();
    overrides.database.get_or_insert_with(|| "sqlite://wattbook-demo.db".to_owned());
    let settings = Settings::load(&overrides).map_err(Failure::of_settings)?;
    let traces = log::to_standard_error(LogFormat::Text);
    let ended = super::block_on(async { Ok(Box::pin(demonstrate(settings, &overrides)).await?) });
    traces.close();
    ended
}

/// On a supplier in this process, whose agendas arrive as any supplier's.
#[cfg(feature = "supplier")]
async fn demonstrate(mut settings: Settings, overrides: &Overrides) -> anyhow::Result<()> {
    let supply = supply::Supply::start(&mut settings, overrides).await?;
    let services = open(settings).await?;
    match &supply {
        Some(supply) => supply.keep_the_past(&services).await?,
        None => put_agendas(&services).await?,
    }
    let ready = async {
        if let Some(supply) = &supply {
            supply.agendas_arrived(&services).await?;
        }
        furnish(&services).await
    };
    Box::pin(serve(&services, None, ready, None)).await?;
    Ok(())
}

/// On agendas that are put.
#[cfg(not(feature = "supplier"))]
async fn demonstrate(settings: Settings, _: &Overrides) -> anyhow::Result<()> {
    let services = open(settings).await?;
    put_agendas(&services).await?;
    Box::pin(serve(&services, None, furnish(&services), None)).await?;
    Ok(())
}

/// Puts the demonstration's agendas around today.
async fn put_agendas(services: &Services) -> anyhow::Result<()> {
    let Demonstration { price, co2, power_cap, .. } = demonstration(services.shared.now())?;
    let meta = AgendaMeta {
        source: "demonstration".to_owned(),
        kind: "average".to_owned(),
        quality: "estimated".to_owned(),
        issued: Some(services.shared.now()),
    };
    services.agendas.put_agenda(&PutAgenda::Price(price), &meta).await?;
    services.agendas.put_agenda(&PutAgenda::Co2(co2), &meta).await?;
    services.agendas.put_agenda(&PutAgenda::PowerCap(power_cap), &meta).await?;
    Ok(())
}

/// Puts the demonstration's nodes and bookings the first time.
async fn furnish(services: &Services) -> anyhow::Result<()> {
    if services.shared.state().await?.epoch().is_some() {
        return Ok(());
    }
    let demonstration = demonstration(services.shared.now())?;
    services.cluster.put_nodes(demonstration.nodes).await?;
    let search = SearchMode::Slots { slot: Seconds::new(900) };
    for booking in demonstration.bookings {
        book(services, &booking.owner, BookingRequest::plain(booking.request, search)).await?;
    }
    tracing::info!("furnished a cluster with demonstration data around today");
    Ok(())
}

/// Books the cheapest start.
async fn book(services: &Services, owner: &str, request: BookingRequest) -> anyhow::Result<()> {
    let access = Access::of(owner, CallerKind::Site);
    if let Proposed::New(proposed) = services.booking.propose(access, &request, None).await? {
        let cheapest = OfferSelector::Preferred(Preference::Ranking(Ranking::ALL[3]));
        let state = services.shared.state().await?;
        let choice = Choice { selector: cheapest, expected: None };
        services.booking.choose(access, proposed.id, &choice, None, &state).await?;
    }
    Ok(())
}
