//! The offers of all sites in one choice.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use futures_util::future::join_all;
use planner::criterion::Values;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::json::decision::DecisionDocument;
use planner::ranking::Ranking;
use planner::request::Tolerances;
use planner::rights::Action;
use planner::search::{SiteChoice, SiteStart, choose_among_sites};
use planner::time::{Seconds, Timestamp};
use tokio::time::Instant;

use super::call::{Peer, Said, SiteCall};
use super::data_transfer::DataTransfer;
use super::question::SiteQuestion;
use super::quoted::{QuoteFault, QuoteTerms, QuotedStart, SiteQuote, compared, sum};
use super::silence::Silence;
use super::{OtherSiteService, OtherSitesError};
use crate::service::booking::{BookingError, Purpose, QuoteError};
use crate::service::shared::{Access, PlanningError, SiteState, blocking};

/// What came of asking a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteOutcome {
    /// It has offers.
    Offers,
    /// Nothing is possible there.
    Impossible,
    /// Data cannot be there, or back, in time.
    DataTooLate,
    /// It did not answer in time.
    Slow,
    /// It does not answer at all, or fails.
    Unreachable,
    /// It failed before, and is not asked for a while.
    Paused,
    /// Too much is asked of it at a time.
    Busy,
    /// It does not do what it is asked.
    Refused,
    /// What it says cannot be read, or is not what was asked for.
    Unreadable,
    /// It counts in a currency that cannot be compared.
    OtherCurrency,
}

/// A start at a site, with what its data takes.
#[derive(Clone, Debug)]
pub struct SiteOffer {
    /// The position of the site.
    pub site: usize,
    /// What the site offers.
    pub quoted: QuotedStart,
    /// What the data comes to; `None` at this site.
    pub transfer: Option<Arc<DataTransfer>>,
    /// Energy, cost and CO2 with that.
    pub values: Values,
    /// From the earliest start to the start, and what the output takes on its way.
    pub delay: Seconds,
}

/// What is best, of all sites or of one: positions among offers.
#[derive(Clone, Debug, Default)]
pub struct BestOffers {
    /// Those that win rankings, in time order.
    pub winners: Vec<(usize, Vec<Ranking>)>,
    /// The one that gives up least of what is best.
    pub compromise: Option<usize>,
}

/// A site that was asked.
#[derive(Clone, Debug)]
pub struct AskedSite {
    /// What it is called.
    pub name: String,
    /// Where it is, for people.
    pub location: Option<String>,
    /// Whether it is this one.
    pub is_here: bool,
    /// What came of it.
    pub outcome: SiteOutcome,
    /// Why, and what helps; nothing where it has offers.
    pub detail: String,
    /// How long it took.
    pub took: Duration,
    /// How its CO2 is counted; `None` where it does not say that.
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// What is best there.
    pub best: BestOffers,
}

/// The offers of all sites.
#[derive(Clone, Debug)]
pub struct SiteOffers {
    /// The sites, this one first.
    pub sites: Vec<AskedSite>,
    /// Their starts.
    pub offers: Vec<SiteOffer>,
    /// What is best of all.
    pub best: BestOffers,
}

/// What a site has and how its CO2 is counted, or why it has nothing.
type Answer = Result<(Vec<QuotedStart>, Option<Co2AccountingDocument>), (SiteOutcome, String)>;

impl OtherSiteService {
    /// Asks this site and all others at once, none for longer than the settings say, and chooses among what they offer.
    ///
    /// # Errors
    /// What any service may meet.
    pub async fn offers(
        &self,
        access: Access<'_>,
        state: Arc<SiteState>,
        question: SiteQuestion,
    ) -> Result<SiteOffers, OtherSitesError> {
        let now = self.shared.now();
        let currency = self.shared.settings.currency;
        let transfers: Vec<Option<Arc<DataTransfer>>> = self
            .peers
            .iter()
            .map(|peer| DataTransfer::with(&peer.settings, question.volume, currency).map(Arc::new))
            .collect();
        let here = timed(self.ask_here(access, state, &question));
        let there = self.peers.iter().zip(&transfers).map(|(peer, transfer)| {
            timed(self.ask_there(peer, transfer.as_deref(), access.owner, &question, now))
        });
        let (here, there) = tokio::join!(here, join_all(there));
        let mut sites = vec![self.site_here(here.1)];
        let others = self.peers.iter().zip(&there);
        sites.extend(others.map(|(peer, (_, took))| asked_site(peer, *took)));
        let answers = std::iter::once(here).chain(there).map(|(answer, _)| answer);
        let transfers = std::iter::once(None).chain(transfers);
        let answers: Vec<_> = answers.zip(transfers).collect();
        Ok(blocking(move || choose(sites, answers, &question, now)).await?)
    }

    fn site_here(&self, took: Duration) -> AskedSite {
        AskedSite {
            name: self.shared.settings.location.clone(),
            location: None,
            is_here: true,
            outcome: SiteOutcome::Offers,
            detail: String::new(),
            took,
            co2_accounting: None,
            best: BestOffers::default(),
        }
    }

    /// What this site offers, by the rights and quotas of who asks, as to a quote.
    async fn ask_here(
        &self,
        access: Access<'_>,
        state: Arc<SiteState>,
        question: &SiteQuestion,
    ) -> Answer {
        let text = question.here();
        let request = self.booking.read_request(&text, Purpose::Quote, &state);
        let request = request.map_err(|errors| {
            let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
            (SiteOutcome::Refused, told.join("; "))
        })?;
        let access = Access { action: Some(Action::QuoteCreate), ..access };
        let refused = |error: BookingError| (SiteOutcome::Refused, error.to_string());
        let request = self.booking.within_rights(access, request).map_err(refused)?;
        let request = self.booking.with_learnt_utilisation(request).await;
        let request = request.map_err(|fault| (SiteOutcome::Unreachable, fault.to_string()))?;
        let written = |document: DecisionDocument| serde_json::to_string(&document);
        let told = self.booking.quote(access, state, &request, written).await;
        let text = told.map_err(|error| (outcome_of(&error), error.to_string()))?;
        let text = text.map_err(|error| (SiteOutcome::Unreadable, error.to_string()))?;
        let terms = QuoteTerms {
            request: &question.request,
            earliest: question.request.earliest_start,
            output: Seconds::new(0),
            currency: self.shared.settings.currency,
            exchange_rate: None,
        };
        told_offers(&text, &terms)
    }

    /// What another site offers.
    async fn ask_there(
        &self,
        peer: &Peer,
        transfer: Option<&DataTransfer>,
        user: &str,
        question: &SiteQuestion,
        now: Timestamp,
    ) -> Answer {
        let too_late = || {
            let told = "its data cannot be there, or its results back, in time; ask for a later start or end, or less data";
            (SiteOutcome::DataTooLate, told.to_owned())
        };
        let transfer = transfer.ok_or_else(too_late)?;
        let body = question.there(transfer, now).ok_or_else(too_late)?;
        let (method, body) = (Method::POST, Some(body));
        let asked = SiteCall { method, path: "quotes", body, key: None, user: Some(user) };
        let said = peer
            .ask(asked, now)
            .await
            .map_err(|silence| (silence.outcome(), silence.to_string()))?;
        if !said.is_success() {
            return Err((SiteOutcome::Refused, refusal(&said)));
        }
        let terms = QuoteTerms {
            request: &question.request,
            earliest: question.earliest_start(transfer, now),
            output: transfer.output,
            currency: self.shared.settings.currency,
            exchange_rate: peer.settings.exchange_rate,
        };
        told_offers(&said.text, &terms)
    }
}

/// Why a site refuses, and what helps.
pub(super) fn refusal(said: &Said) -> String {
    let (_, detail) = said.problem();
    match said.status {
        401 => format!(
            "does not know this site ({detail}); its operators make a token, which goes into token of its [[sites]]"
        ),
        403 => format!("does not let this site ({detail}); its operators can"),
        404 => format!("has no such resource ({detail}): is url of its [[sites]] right?"),
        _ => format!("refuses: {detail}"),
    }
}

/// The starts of a quote.
fn told_offers(text: &str, terms: &QuoteTerms<'_>) -> Answer {
    let fault = |fault: QuoteFault| {
        let outcome = match fault {
            QuoteFault::Currency(..) => SiteOutcome::OtherCurrency,
            QuoteFault::Unreadable(_) | QuoteFault::NotAsked(_) => SiteOutcome::Unreadable,
        };
        (outcome, fault.to_string())
    };
    let quote = SiteQuote::read(text).map_err(fault)?;
    let starts = quote.starts(terms).map_err(fault)?;
    if starts.is_empty() {
        return Err((SiteOutcome::Impossible, quote.reasons()));
    }
    Ok((starts, quote.co2_accounting()))
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let began = Instant::now();
    (work.await, began.elapsed())
}

fn asked_site(peer: &Peer, took: Duration) -> AskedSite {
    AskedSite {
        name: peer.settings.name.clone(),
        location: peer.settings.location.clone(),
        is_here: false,
        outcome: SiteOutcome::Offers,
        detail: String::new(),
        took,
        co2_accounting: None,
        best: BestOffers::default(),
    }
}

/// Puts what data takes on top of what sites offer, and chooses at each site and among all.
fn choose(
    mut sites: Vec<AskedSite>,
    answers: Vec<(Answer, Option<Arc<DataTransfer>>)>,
    question: &SiteQuestion,
    now: Timestamp,
) -> SiteOffers {
    let (mut offers, mut starts) = (Vec::new(), Vec::new());
    let earliest = question.request.earliest_start_at(now);
    let tolerances = &question.request.tolerances;
    for (position, (answer, transfer)) in answers.into_iter().enumerate() {
        let quoted = match answer {
            Ok((quoted, counted)) => {
                sites[position].co2_accounting = counted;
                quoted
            }
            Err((outcome, detail)) => {
                (sites[position].outcome, sites[position].detail) = (outcome, detail);
                continue;
            }
        };
        let first = offers.len();
        for quoted in quoted {
            let later = transfer.as_ref().map_or(Seconds::new(0), |it| it.output);
            let values = match &transfer {
                Some(transfer) => sum(quoted.values, transfer.values),
                None => quoted.values,
            };
            let counted = quoted.idle_change.map_or(values, |idle| sum(values, idle));
            let counted_start = quoted.figures.start + later;
            starts.push(compared(&counted, counted_start));
            let delay = (counted_start - earliest).max(Seconds::new(0));
            offers.push(SiteOffer {
                site: position,
                quoted,
                transfer: transfer.clone(),
                values,
                delay,
            });
        }
        sites[position].best = BestOffers::among(&starts, first, tolerances);
    }
    let best = BestOffers::among(&starts, 0, tolerances);
    SiteOffers { sites, offers, best }
}

impl BestOffers {
    /// What is best of the starts from a position on.
    fn among(starts: &[SiteStart], first: usize, tolerances: &Tolerances) -> Self {
        let SiteChoice { winners, compromise, .. } =
            choose_among_sites(&starts[first..], tolerances);
        Self {
            winners: winners.into_iter().map(|(index, won)| (first + index, won)).collect(),
            compromise: compromise.map(|index| first + index),
        }
    }

    /// The rankings that an offer wins.
    pub fn rankings_of(&self, offer: usize) -> &[Ranking] {
        let found = self.winners.iter().find(|(index, _)| *index == offer);
        found.map_or(&[], |(_, rankings)| rankings)
    }
}

/// What a quote of this site that fails is.
const fn outcome_of(error: &QuoteError) -> SiteOutcome {
    match error {
        QuoteError::Planning(PlanningError::Overloaded | PlanningError::TooManyPlans) => {
            SiteOutcome::Busy
        }
        QuoteError::Planning(_) => SiteOutcome::Unreachable,
        _ => SiteOutcome::Refused,
    }
}

impl Silence {
    /// As what people are told of it.
    const fn outcome(&self) -> SiteOutcome {
        match self {
            Self::Slow { .. } => SiteOutcome::Slow,
            Self::Unreachable(_) | Self::Lost(_) | Self::Failed { .. } => SiteOutcome::Unreachable,
            Self::Paused { .. } => SiteOutcome::Paused,
            Self::Busy => SiteOutcome::Busy,
        }
    }
}

impl SiteOutcome {
    /// The word used in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Offers => "offers",
            Self::Impossible => "impossible",
            Self::DataTooLate => "data_too_late",
            Self::Slow => "slow",
            Self::Unreachable => "unreachable",
            Self::Paused => "paused",
            Self::Busy => "busy",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
            Self::OtherCurrency => "other_currency",
        }
    }
}
