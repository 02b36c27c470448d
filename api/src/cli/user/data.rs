//! `wattbook user export` and `erase`: what is kept of a person, and a pseudonym in their place.

use std::time::Duration;

use anyhow::{anyhow, bail};
use planner::reservation::{Reservation, Role};
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

/// Who was let in by a token that is revoked since has begun within this time.
const LET_IN: Duration = Duration::from_millis(500);

/// How often it is looked whether what was under way is over.
const LOOK: Duration = Duration::from_millis(100);

/// How long that is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

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
        "last_token": it.seen.as_ref().map(|seen| json!({
            "issued": seen.issued.to_string(),
            "role": seen.role.map(Role::word),
            "projects": seen.projects,
        })),
    })
}

/// Without its digest, which is nobody's to know.
fn token(it: &ApiToken) -> Value {
    json!({
        "id": it.id.to_string(),
        "role": it.role.word(),
        "created": it.created.to_string(),
        "revoked": it.revoked.map(|at| at.to_string()),
        "expires": it.expires.map(|at| at.to_string()),
        "used": it.used.map(|at| at.to_string()),
        "actions": it.actions.as_ref().map(|all| all.iter().map(|it| it.word()).collect::<Vec<_>>()),
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
        "other_co2_mg": it.other_co2_mg,
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
        let named = json!({ "person": name }).to_string();
        let named = named.trim_start_matches('{').trim_end_matches('}');
        let is_told = |state: &Option<String>| state.as_ref().is_some_and(|it| it.contains(named));
        let is_theirs = |it: &AuditRecord| {
            let entry = &it.entry;
            let is_own = entry.actor == name || entry.acting_for == name;
            is_own || is_told(&entry.before) || is_told(&entry.after)
        };
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
    let erased = erase_all(&database, name, &pseudonym, &record).await;
    database.close().await;
    let (rows, left) = erased?;
    print(format_args!("{pseudonym} stands in place of {name:?}: {rows} rows"))?;
    if left > 0 {
        print(format_args!(
            "{left} requests are still under way, or were cut off: erase again in a quarter of an hour to be sure"
        ))?;
    }
    Ok(())
}

/// Erases a person, waits until what was under way then is over, and erases what it wrote; in how many rows, and how much of
/// it is not over.
async fn erase_all(
    database: &Database,
    name: &str,
    pseudonym: &str,
    record: &AuditEntry,
) -> anyhow::Result<(u64, usize)> {
    let now = || Clock::default().now();
    let rows = match database.erase_person(name, pseudonym, Some(record), now()).await? {
        Erased::Rows(rows) => rows,
        Erased::HasReservations(count) => bail!(
            "{count} reservations of {name:?} have yet to end; cancel them (`wattbook cancel`) or wait, and erase then"
        ),
    };
    tokio::time::sleep(LET_IN).await;
    let mut under_way = database.audit_begun_ids().await?;
    let until = tokio::time::Instant::now() + PATIENCE;
    while !under_way.is_empty() && tokio::time::Instant::now() < until {
        tokio::time::sleep(LOOK).await;
        let now = database.audit_begun_ids().await?;
        under_way.retain(|id| now.contains(id));
    }
    match database.erase_person(name, pseudonym, None, now()).await? {
        Erased::Rows(more) => Ok((rows + more, under_way.len())),
        Erased::HasReservations(count) => bail!(
            "{pseudonym} stands in place of {name:?}, but requests that were under way made {count} reservations meanwhile; \
             cancel them (`wattbook cancel`), and erase again"
        ),
    }
}
