//! `wattbook demo`: the service on demonstration data around today.

use std::sync::Arc;

use planner::problem::SearchMode;
use planner::time::Seconds;
use storage::{AgendaMeta, OfferSelector};

use super::Failure;
use super::serve::{log_to_standard_error, open, serve};
use crate::config::{Overrides, Settings};
use crate::service::{Access, Proposed, PutAgenda, Service, Wish};

/// Arguments of `wattbook demo`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    overrides: Overrides,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut overrides = arguments.overrides.clone();
    overrides.database.get_or_insert_with(|| "sqlite://wattbook-demo.db".to_owned());
    let settings = Settings::load(&overrides)?;
    log_to_standard_error();
    super::block_on(async {
        let service = open(settings).await?;
        furnish(&service).await?;
        Ok(serve(service).await?)
    })
}

/// Puts the demonstration's agendas around today, and its nodes and bookings the first time.
async fn furnish(service: &Arc<Service>) -> anyhow::Result<()> {
    let demonstration = grid_feeds::demonstration::demonstration(service.now())?;
    let meta = AgendaMeta {
        source: "demonstration".to_owned(),
        kind: "average".to_owned(),
        quality: "estimated".to_owned(),
        issued: Some(service.now()),
    };
    service.put_agenda(&PutAgenda::Price(demonstration.price), &meta).await?;
    service.put_agenda(&PutAgenda::Co2(demonstration.co2), &meta).await?;
    service.put_agenda(&PutAgenda::PowerCap(demonstration.power_cap), &meta).await?;
    if service.state().await?.epoch().is_some() {
        return Ok(());
    }
    service.put_nodes(demonstration.nodes).await?;
    let search = SearchMode::Slots { slot: Seconds::new(900) };
    for booking in demonstration.bookings {
        book(
            service,
            &booking.owner,
            Wish { request: booking.request, search, pareto_nodes: false, explain: false },
        )
        .await?;
    }
    tracing::info!("furnished a cluster with demonstration data around today");
    Ok(())
}

/// Books the cheapest start.
async fn book(service: &Service, owner: &str, wish: Wish) -> anyhow::Result<()> {
    let request = &wish.request;
    let body = serde_json::json!({
        "nodes": request.nodes,
        "duration_s": request.duration.get(),
        "earliest_start": request.earliest_start,
        "latest_start": request.latest_start,
    });
    if let Proposed::New(id) = service.propose(owner, &wish, &body.to_string(), None).await? {
        let cheapest = OfferSelector::Ranking(planner::ranking::Ranking::ALL[3]);
        let access = Access { owner, operator: false };
        service.choose(access, id, cheapest, None, |_| None).await?;
    }
    Ok(())
}
