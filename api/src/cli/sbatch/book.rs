//! The booking for a job: offers are shown, one is chosen, and the reservation is waited for.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::OwnArguments;
use super::bad;
use super::booking::Booking;
use super::interruption::Interruption;
use super::job::JobRequest;
use super::site_nodes::completed;
use super::waiting::in_force;
use crate::cli::booking::answers::{Offer, ReservationAnswer, letter, local, local_text, offers};
use crate::cli::booking::co2_words::Co2Words;
use crate::cli::booking::quote_answer::QuoteAnswer;
use crate::cli::booking::server::Server;
use crate::cli::{Failure, print, tell};

/// Where and from when on a job runs.
pub struct JobStart {
    /// The nodes that are booked for it, where some are.
    pub booking: Option<Booking>,
    /// What the reservation is called in Slurm.
    pub reservation_name: Option<String>,
    /// The job begins no earlier.
    pub at: Timestamp,
}

/// Whether somebody sits before a terminal who can be asked.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prints the offers for a job as JSON, and how sbatch would be called for the chosen one: the first unless
/// there is a ranking. Nothing is held.
pub async fn show(
    own: &OwnArguments,
    request: JobRequest,
    line: impl FnOnce(JobStart) -> String,
) -> Result<(), Failure> {
    let server = own.connection.open()?;
    let body = completed(&server, request).await?;
    let mut answer: Value = server.post("quotes", body.clone()).await?;
    let decision = read_quote(own, &answer)?;
    let index = own.ranking.as_deref().map_or(Some(0), |ranking| best(&decision.offers, ranking));
    let offer = index.and_then(|index| decision.offers.get(index));
    let line = match offer {
        Some(offer) => {
            let name = (!own.begin_only).then(|| "wattbook-ID".to_owned());
            Some(line(JobStart { booking: None, reservation_name: name, at: instant(offer)? }))
        }
        None => None,
    };
    let document = json!({
        "request": body,
        "offers": answer["offers"].take(),
        "reasons": answer["reasons"].take(),
        "sbatch": line,
    });
    print(serde_json::to_string_pretty(&document)?)?;
    if decision.offers.is_empty() { Err(Failure::Impossible) } else { Ok(()) }
}

/// Books nodes for a job, or with `--begin-only` only finds its start.
///
/// # Errors
/// As the service answers; a reservation that Slurm does not have in time, whose booking is cancelled then.
pub async fn book(own: &OwnArguments, request: JobRequest) -> Result<JobStart, Failure> {
    let server = own.connection.open()?;
    let mut body = completed(&server, request).await?;
    if own.begin_only {
        return find_start(&server, own, body).await;
    }
    if own.unused.give_back {
        body.insert("give_back".to_owned(), json!("jobs_ended"));
    }
    if own.takes_compromise() {
        body.insert("hold_compromise".to_owned(), json!(true));
    }
    let mut interruption = Interruption::listen()?;
    let held: ReservationAnswer = server.post("reservations", body).await?;
    let chosen = tokio::select! {
        chosen = choose(&server, own, &held) => chosen,
        status = interruption.status() => Err(Failure::Status(status)),
    };
    let booking = Booking::new(server, held.id, interruption, own);
    match chosen {
        Ok((name, at)) => Ok(JobStart { booking: Some(booking), reservation_name: Some(name), at }),
        Err(failure) => {
            booking.give_up().await;
            Err(failure)
        }
    }
}

async fn find_start(
    server: &Server,
    own: &OwnArguments,
    body: Map<String, Value>,
) -> Result<JobStart, Failure> {
    let answer: Value = server.post("quotes", body).await?;
    let decision = read_quote(own, &answer)?;
    if decision.offers.is_empty() {
        tell("impossible:");
        for reason in &decision.reasons {
            tell(format_args!("  {}", local_text(&reason.detail)));
        }
        return Err(Failure::Impossible);
    }
    let offer = picked(&decision.offers, &decision.co2, own.ranking.as_deref()).await?;
    tell(format_args!(
        "the job begins {} at the earliest; no nodes are booked",
        local(&offer.start)
    ));
    Ok(JobStart { booking: None, reservation_name: None, at: instant(offer)? })
}

/// Books one of the offers that are held, and waits until Slurm has the reservation: what it is called there,
/// and its start.
async fn choose(
    server: &Server,
    own: &OwnArguments,
    held: &ReservationAnswer,
) -> Result<(String, Timestamp), Failure> {
    let offer = picked(&held.offers, &held.co2, own.ranking.as_deref()).await?;
    let body = Map::from_iter([("offer_id".to_owned(), json!(offer.id))]);
    let path = format!("reservations/{}", held.id);
    let booked = server.post(&format!("{path}/choose"), body).await?;
    tell(format_args!("booked as {}:", held.id));
    tell(offers(std::slice::from_ref(offer), &held.co2));
    let name = in_force(server, &path, booked, own.patience).await?;
    Ok((name, instant(offer)?))
}

/// One of the offers: the best by a ranking, or the one that is asked for.
async fn picked<'a>(
    all: &'a [Offer],
    co2: &Co2Words,
    ranking: Option<&str>,
) -> Result<&'a Offer, Failure> {
    let index = if let Some(ranking) = ranking {
        best(all, ranking)
    } else {
        tell(offers(all, co2));
        Some(asked(all.len()).await?)
    };
    let offer = index.and_then(|index| all.get(index));
    Ok(offer.context("the service's answer has no offer for the ranking")?)
}

/// The offer that is the best by a ranking.
fn best(all: &[Offer], ranking: &str) -> Option<usize> {
    all.iter().position(|offer| offer.is_preferred_by(ranking))
}

/// The offer that somebody names at the terminal.
async fn asked(count: usize) -> Result<usize, Failure> {
    loop {
        let last = letter(count.saturating_sub(1));
        let mut terminal = io::stderr();
        let _ = write!(terminal, "Which start? A to {last}, or nothing to book none: ");
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().read_line(&mut line).map(|_| line)
        });
        let line = read.await??;
        let said = line.trim();
        if said.is_empty() {
            return Err(bad("no start was chosen".to_owned()));
        }
        let named = (0..count).find(|index| letter(*index).eq_ignore_ascii_case(said));
        if let Some(index) = named {
            return Ok(index);
        }
        tell(format_args!("there is no offer {said}"));
    }
}

fn read_quote(own: &OwnArguments, answer: &Value) -> anyhow::Result<QuoteAnswer> {
    let quote =
        QuoteAnswer::deserialize(answer).context("the answer is not one of this version")?;
    Ok(if own.takes_compromise() { quote.with_compromise() } else { quote })
}

fn instant(offer: &Offer) -> anyhow::Result<Timestamp> {
    offer.start.parse().context("the answer is not one of this version")
}
