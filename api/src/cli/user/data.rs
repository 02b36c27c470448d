//! `wattbook user export` and `erase`: what is kept of a person, and a pseudonym in their place.

use anyhow::{anyhow, bail};
use planner::reservation::Reservation;
use serde_json::{Value, json};
use storage::{
    ApiToken, AuditEntry, AuditFilter, AuditRecord, Database, Erased, Filter, PSEUDONYM, Person,
    PersonSum, SeenBy, SeriesFilter,
};

use super::Named;
use crate::cli::audit::CommandRecord;
use crate::cli::{open, print};
use crate::clock::Clock;
use crate::http::v1::audit::AuditRecordDocument;

/// What is read together.
const PAGE: u16 = 500;

/// Random bytes of a pseudonym.
const RANDOM_BYTES: usize = 8;

/// Prints all that is kept of a person, as JSON.
pub async fn export(named: &Named) -> anyhow::Result<()> {
    let database = open(&named.overrides).await?;
    let exported = document(&database, &named.name).await;
    let done = CommandRecord {
        action: "user.export",
        object: format!("users/{}", named.name),
        owner: &named.name,
        outcome: "done",
    };
    let recorded = done.write(&database).await;
    database.close().await;
    recorded?;
    print(serde_json::to_string_pretty(&exported?)?)
}

async fn document(database: &Database, name: &str) -> anyhow::Result<Value> {
    let people = database.people().await?;
    let tokens = database.list_tokens().await?;
    let sums = database.person_sums(name).await?;
    Ok(json!({
        "name": name,
        "people": people.iter().filter(|it| it.name == name).map(person).collect::<Vec<_>>(),
        "tokens": tokens.iter().filter(|it| it.owner == name).map(token).collect::<Vec<_>>(),
        "reservations": reservations(database, name).await?,
        "series": series(database, name).await?,
        "ledger": sums.iter().map(sum).collect::<Vec<_>>(),
        "audit": audit(database, name).await?,
    }))
}

fn person(it: &Person) -> Value {
    json!({
        "issuer": it.issuer,
        "subject": it.subject,
        "first_seen": it.first_seen.to_string(),
        "signed_out": it.tokens_from.map(|at| at.to_string()),
        "blocked": it.blocked.map(|at| at.to_string()),
    })
}

/// Without its digest, which is nobody's to know.
fn token(it: &ApiToken) -> Value {
    json!({
        "id": it.id.to_string(),
        "role": it.role.word(),
        "created": it.created.to_string(),
        "revoked": it.revoked.map(|at| at.to_string()),
    })
}

fn sum(it: &PersonSum) -> Value {
    json!({
        "project": it.project,
        "currency": it.currency,
        "node_s": it.node_s,
        "energy_j": it.energy_j,
        "cost_millionths": it.cost_millionths,
        "co2_location_mg": it.co2_location_mg,
    })
}

async fn reservations(database: &Database, name: &str) -> anyhow::Result<Vec<Value>> {
    let seen_by = SeenBy { owner: name.to_owned(), ..SeenBy::default() };
    let filter = Filter { seen_by: Some(seen_by), ..Filter::default() };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = database.reservations(&filter, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(all) };
        after = Some(last.id);
        for it in &page {
            all.push(reservation(it, name)?);
        }
    }
}

/// A reservation of a person, or one that is shared with them: what its owner asked for is not theirs.
fn reservation(it: &Reservation, name: &str) -> anyhow::Result<Value> {
    let request = if it.owner == name { serde_json::from_str(&it.request)? } else { Value::Null };
    Ok(json!({
        "id": it.id.to_string(),
        "owner": it.owner,
        "shared_with": it.shared_with.iter().map(|it| it.receiver.name()).collect::<Vec<_>>(),
        "state": it.state.word(),
        "created": it.created.to_string(),
        "request": request,
        "start": it.chosen.map(|(_, span)| span.start().to_string()),
        "end": it.chosen.map(|(_, span)| span.end().to_string()),
    }))
}

async fn series(database: &Database, name: &str) -> anyhow::Result<Vec<Value>> {
    let filter = SeriesFilter { owner: Some(name.to_owned()), ..SeriesFilter::default() };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = database.list_series(&filter, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(all) };
        after = Some(last.id);
        for it in &page {
            all.push(json!({
                "id": it.id.to_string(),
                "state": it.state.word(),
                "created": it.created.to_string(),
                "request": serde_json::from_str::<Value>(&it.request)?,
                "rule": serde_json::from_str::<Value>(&it.rule)?,
            }));
        }
    }
}

/// What they did, and what others did with what is theirs.
async fn audit(database: &Database, name: &str) -> anyhow::Result<Vec<AuditRecordDocument>> {
    let (mut all, mut filter) = (Vec::new(), AuditFilter { limit: 1000, ..AuditFilter::default() });
    loop {
        let page = database.audit_records(&filter).await?;
        let Some(last) = page.last() else { return Ok(all) };
        filter.after = last.id;
        let is_theirs = |it: &AuditRecord| it.entry.actor == name || it.entry.acting_for == name;
        all.extend(page.into_iter().filter(is_theirs).map(AuditRecordDocument::from));
    }
}

/// Puts a pseudonym in place of a person's name.
pub async fn erase(named: &Named) -> anyhow::Result<()> {
    let name = &named.name;
    if name.starts_with(PSEUDONYM) {
        bail!("{name:?} is a pseudonym already");
    }
    let mut random = [0_u8; RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(|error| anyhow!("no randomness: {error}"))?;
    let pseudonym = format!("{PSEUDONYM}{}", hex::encode(random));
    let record: AuditEntry = CommandRecord {
        action: "user.erase",
        object: format!("users/{pseudonym}"),
        owner: &pseudonym,
        outcome: "done",
    }
    .entry();
    let database = open(&named.overrides).await?;
    let erased = database.erase_person(name, &pseudonym, &record, Clock::default().now()).await;
    database.close().await;
    match erased? {
        Erased::Rows(rows) => {
            print(format_args!("{pseudonym} stands in place of {name:?}: {rows} rows"))
        }
        Erased::HasReservations(count) => bail!(
            "{count} reservations of {name:?} have yet to end; cancel them (`wattbook cancel`) or wait, and erase then"
        ),
    }
}
