//! What is expected now of what was offered and promised under earlier agendas.
//!
//! Whenever agendas change, every held offer and every reservation that has yet to end, and that the
//! change touches, is judged by them: what it will cost and emit, and whether the cap is kept. It is
//! told, and nothing else is done. Page by page and off the async threads: `O(offers log pieces)`,
//! and one power profile.
//!
//! Of several replicas one does it, by a lease that it takes when there is something to do. Up to
//! which revision of agendas it is done is in the database, so that a start judges nothing again,
//! and where a replica dies half-way another, or the same after a restart, begins again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use planner::agenda::RateAgenda;
use planner::book::Booking;
use planner::identity::{OfferId, ReservationId};
use planner::quantity::{CarbonIntensity, CarbonMass, EnergyPrice, Money, Power};
use planner::reservation::{
    Expectation, HeldOffer, OfferExpectation, OfferTerms, Reservation, ReservationState,
};
use planner::reserved_power::{ProfileStep, power_profile};
use planner::time::{Span, Timestamp};
use serde::Serialize;
use storage::{Filter, Quantity};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use uuid::Uuid;

use super::BookingService;
use super::drawn_parts::DrawnParts;
use crate::service::shared::{Fault, RatesError, SiteState, blocking, rates};

/// How often it is looked whether agendas changed.
pub const LOOK: Duration = Duration::from_secs(2);

/// Who judges has this lease.
pub const LEASE: &str = "outlooks";

/// Reservations that are judged together.
const PAGE: u16 = 500;

/// Amounts that differ by no more than this part of them are the same.
const SAME: i128 = 1_000_000_000;

/// What is expected now of a reservation.
#[derive(Debug, Serialize, ToSchema)]
pub struct NowExpected {
    /// When it was judged, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub evaluated_at: Timestamp,
    /// Whether the cap is kept with every offer that still counts; null where no cap is known.
    pub cap_kept: Option<bool>,
    /// The chosen offer, or all that are held.
    pub offers: Vec<ExpectedOffer>,
}

/// What is expected now of an offer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpectedOffer {
    /// Which.
    pub offer_id: Uuid,
    /// In the offer's currency; null where the price agenda has a gap now.
    pub cost: Option<f64>,
    /// Grams of CO2; null where the CO2 agenda has a gap now.
    pub co2_g: Option<f64>,
    /// Whether the cap is kept throughout; null where no cap is known for a part.
    pub cap_kept: Option<bool>,
}

impl From<&Expectation> for NowExpected {
    fn from(expectation: &Expectation) -> Self {
        let offer = |it: &OfferExpectation| ExpectedOffer {
            offer_id: it.offer.as_uuid(),
            cost: it.cost.map(Money::as_units),
            co2_g: it.co2.map(CarbonMass::as_grams),
            cap_kept: it.cap_kept,
        };
        Self {
            evaluated_at: expectation.evaluated,
            cap_kept: expectation.cap_kept(),
            offers: expectation.offers.iter().map(offer).collect(),
        }
    }
}

/// What offers are judged by.
struct Judge {
    price: RateAgenda<EnergyPrice>,
    co2: RateAgenda<CarbonIntensity>,
    /// What is reserved against the cap; `None` where the site has no cap.
    profile: Option<Vec<ProfileStep>>,
    /// What counts whatever is reserved.
    base_power: Power,
    /// What reservations draw when, where that is not evenly.
    parts: HashMap<ReservationId, DrawnParts>,
    now: Timestamp,
}

impl BookingService {
    /// Judges anew whenever agendas change, until told to stop.
    pub async fn re_evaluate(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            if let Err(error) = self.judge_anew(&stop).await {
                let error = format!("{error:#}");
                tracing::warn!(error, "could not judge reservations by the new agendas");
            }
        }
    }

    /// Judges what the agendas touch that changed since this was last done, unless another replica
    /// is about it.
    async fn judge_anew(&self, stop: &CancellationToken) -> Result<(), Fault> {
        if self.shared.database.unjudged(self.shared.now()).await?.is_none()
            || !self.shared.leases.take(LEASE).await?
        {
            return Ok(());
        }
        let judged = self.judge_all(stop).await;
        self.shared.leases.give_up(LEASE).await?;
        judged
    }

    /// All pages; what is left when told to stop or when the lease is lost is another's.
    async fn judge_all(&self, stop: &CancellationToken) -> Result<(), Fault> {
        let now = self.shared.now();
        // Who had the lease before may have been through.
        let Some(unjudged) = self.shared.database.unjudged(now).await? else { return Ok(()) };
        let mut count = 0;
        if let Some(span) = unjudged.span {
            // Everything that was committed before: these agendas too.
            let state = self.shared.state().await?;
            let states = ReservationState::LIVE;
            let (from, to) = (Some(span.start()), Some(span.end()));
            let filter = Filter { states: states.to_vec(), from, to, ..Filter::default() };
            let mut after = None;
            loop {
                let began = Instant::now();
                let page = self.shared.database.reservations(&filter, after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after = Some(last.id);
                count += page.len();
                let is_last = page.len() < usize::from(PAGE);
                self.judge_page(&state, page, now).await?;
                if stop.is_cancelled() || !self.shared.leases.take(LEASE).await? {
                    return Ok(());
                }
                if is_last {
                    break;
                }
                // Half of the time is for those who wait for an answer.
                tokio::time::sleep(began.elapsed()).await;
            }
        }
        self.shared.database.put_judged(unjudged.newest).await?;
        let revision = unjudged.newest.get();
        tracing::info!(revision, reservations = count, "judged by the new agendas");
        Ok(())
    }

    /// Writes what is expected now of reservations, where it is not what was known.
    pub(in crate::service) async fn judge_page(
        &self,
        state: &Arc<SiteState>,
        page: Vec<Reservation>,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let spans =
            page.iter().flat_map(Reservation::counting_offers).map(|offer| offer.terms.span);
        let hull = spans.fold(None, |hull: Option<Span>, span| match hull {
            Some(hull) => Span::new(hull.start().min(span.start()), hull.end().max(span.end())),
            None => Some(span),
        });
        let Some(hull) = hull else { return Ok(()) };
        let price = self.shared.database.agenda(Quantity::Price, hull).await?;
        let co2 = self.shared.database.agenda(Quantity::Co2, hull).await?;
        let ids: Vec<ReservationId> = page.iter().map(|reservation| reservation.id).collect();
        let before = self.shared.database.expectations(&ids).await?;
        let parts = self.drawn_parts(state, &page).await?;
        let state = Arc::clone(state);
        let changed = blocking(move || {
            let price = rates(price, EnergyPrice::from_millionths_per_mwh)?;
            let co2 = rates(co2, CarbonIntensity::from_millionths_g_per_kwh)?;
            let (profile, base_power) = (state.profile(hull, now), state.cluster.base_power);
            let judge = Judge { price, co2, profile, base_power, parts, now };
            let before: HashMap<ReservationId, Expectation> = before.into_iter().collect();
            let judged = page.iter().filter_map(|reservation| {
                judge.expectation(reservation, before.get(&reservation.id))
            });
            Ok::<_, RatesError>(judged.collect::<Vec<_>>())
        })
        .await?
        .map_err(Fault::internal)?;
        if !changed.is_empty() {
            tracing::info!(reservations = changed.len(), "other figures are expected now");
            self.shared.database.put_expectations(&changed).await?;
        }
        Ok(())
    }

    /// What is expected now of reservations, where that is not what was offered.
    ///
    /// # Errors
    /// The database cannot be reached, or what it keeps cannot be read.
    pub async fn expected_of(
        &self,
        reservations: &[Reservation],
    ) -> Result<HashMap<ReservationId, Expectation>, Fault> {
        let ids: Vec<ReservationId> = reservations.iter().map(|it| it.id).collect();
        let expected = self.shared.database.expectations(&ids).await?;
        let chosen: HashMap<ReservationId, OfferId> =
            reservations.iter().filter_map(|it| Some((it.id, it.chosen?.0))).collect();
        let of_counting = |(id, mut expectation): (ReservationId, Expectation)| {
            // The others may have been judged before one was chosen.
            if let Some(chosen) = chosen.get(&id) {
                expectation.offers.retain(|it| it.offer == *chosen);
            }
            (!expectation.offers.is_empty()).then_some((id, expectation))
        };
        Ok(expected.into_iter().filter_map(of_counting).collect())
    }
}

impl SiteState {
    /// Reserved power against the cap; `None` where the site has no cap.
    fn profile(&self, span: Span, now: Timestamp) -> Option<Vec<ProfileStep>> {
        let cap = self.agendas.power_cap.as_ref()?;
        let span = Span::new(span.start().max(now), span.end())?;
        let (held, confirmed): (Vec<&Booking>, Vec<&Booking>) =
            self.book.overlapping(span).partition(|booking| self.is_held(&booking.id));
        Some(power_profile(&confirmed, &held, &self.cluster.reference, cap, span))
    }
}

impl Judge {
    /// What is to be written: `None` where it is as offered, or as judged before.
    fn expectation(
        &self,
        reservation: &Reservation,
        before: Option<&Expectation>,
    ) -> Option<(ReservationId, Expectation)> {
        let judged: Vec<(OfferExpectation, bool)> = reservation
            .counting_offers()
            .map(|offer| {
                let even = vec![(offer.terms.span, offer.terms.values.energy)];
                let parts = self.parts.get(&reservation.id).unwrap_or(&even);
                self.expected(offer, parts, reservation.chosen.is_some())
            })
            .collect();
        let as_offered = judged.iter().all(|(_, same)| *same);
        let offers = match as_offered {
            true if before.is_none() => return None,
            true => Vec::new(),
            false => judged.into_iter().map(|(offer, _)| offer).collect(),
        };
        let known = before.is_some_and(|before| before.offers == offers);
        (!known).then_some((reservation.id, Expectation { evaluated: self.now, offers }))
    }

    /// What is expected of an offer that draws energy in these parts, and whether that is what was offered.
    fn expected(
        &self,
        offer: &HeldOffer,
        parts: &DrawnParts,
        chosen: bool,
    ) -> (OfferExpectation, bool) {
        let OfferTerms { span, values, .. } = offer.terms;
        let currency = values.cost.currency();
        let costs = parts.iter().map(|(span, energy)| {
            let price = self.price.integral(*span)?;
            Some(energy.times_price(span.length(), price, currency))
        });
        let fee = offer.terms.extra_power_fee.into_iter().map(Some);
        let cost = costs.chain(fee).reduce(|sum, cost| Some(sum? + cost?)).flatten();
        let co2 = parts.iter().map(|(span, energy)| {
            let intensity = self.co2.integral(*span)?;
            Some(energy.times_intensity(span.length(), intensity))
        });
        let co2 = co2.reduce(|sum, co2| Some(sum? + co2?)).flatten();
        let cap_kept = self.keeps_cap(span, chosen);
        let (was_cost, was_co2) = (offer.terms.cost().as_exact(), values.co2.as_exact());
        let as_offered = cost.is_some_and(|cost| is_same(was_cost, cost.as_exact()))
            && co2.is_some_and(|co2| is_same(was_co2, co2.as_exact()))
            && cap_kept.unwrap_or(self.profile.is_none());
        (OfferExpectation { offer: offer.id, cost, co2, cap_kept }, as_offered)
    }

    /// Whether what is reserved keeps the cap over what is left of a span: with a chosen offer what
    /// is booked for certain, with one that is held what is held beside it too.
    fn keeps_cap(&self, span: Span, chosen: bool) -> Option<bool> {
        let steps = self.profile.as_ref()?.iter().filter(|step| step.span.overlaps(span));
        let mut kept = true;
        for step in steps {
            let reserved = if chosen { step.confirmed } else { step.reserved };
            kept &= self.base_power + reserved <= step.cap?;
        }
        Some(kept)
    }
}

/// Whether two exact amounts are the same. Those of offers on nodes that were replaced are rounded.
fn is_same(was: i128, is: i128) -> bool {
    (was - is).abs() <= was.abs().max(is.abs()) / SAME
}
