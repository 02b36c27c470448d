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

use planner::agenda::{Agenda, Piece, RateAgenda};
use planner::book::Booking;
use planner::quantity::{CarbonIntensity, EnergyPrice, Integral, Power, Rate};
use planner::reserved_power::{ProfileStep, power_profile};
use planner::time::{Span, Timestamp};
use serde::Serialize;
use serde_json::Value;
use storage::{
    Filter, OfferId, Outlook, Quantity, ReservationId, ReservationState, StoredOffer,
    StoredReservation,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use uuid::Uuid;

use super::BookingService;
use crate::service::shared::{Fault, SiteState, blocking};

/// How often it is looked whether agendas changed.
pub const LOOK: Duration = Duration::from_secs(2);

/// Who judges has this lease.
pub const LEASE: &str = "outlooks";

/// Reservations that are judged together.
const PAGE: u16 = 500;

/// Figures that differ by less than this share are the same.
const SAME: f64 = 1e-9;

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

/// What offers are judged by.
struct Judge {
    price: RateAgenda<EnergyPrice>,
    co2: RateAgenda<CarbonIntensity>,
    /// What is reserved against the cap; `None` where the site has no cap.
    profile: Option<Vec<ProfileStep>>,
    /// What counts whatever is reserved.
    base_power: Power,
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
            let states =
                [ReservationState::Proposed, ReservationState::Confirmed, ReservationState::Active];
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
        page: Vec<StoredReservation>,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let spans = page.iter().flat_map(counting).map(|offer| offer.span);
        let hull = spans.fold(None, |hull: Option<Span>, span| match hull {
            Some(hull) => Span::new(hull.start().min(span.start()), hull.end().max(span.end())),
            None => Some(span),
        });
        let Some(hull) = hull else { return Ok(()) };
        let price = self.shared.database.agenda(Quantity::Price, hull).await?;
        let co2 = self.shared.database.agenda(Quantity::Co2, hull).await?;
        let ids: Vec<ReservationId> = page.iter().map(|reservation| reservation.id).collect();
        let before = self.shared.database.outlooks(&ids).await?;
        let state = Arc::clone(state);
        let changed = blocking(move || {
            let price = typed(price, EnergyPrice::from_millionths_per_mwh)?;
            let co2 = typed(co2, CarbonIntensity::from_millionths_g_per_kwh)?;
            let (profile, base_power) = (state.profile(hull, now), state.cluster.base_power);
            let judge = Judge { price, co2, profile, base_power, now };
            let before: HashMap<ReservationId, &Outlook> =
                before.iter().map(|outlook| (outlook.reservation_id, outlook)).collect();
            let judged = page.iter().filter_map(|reservation| {
                judge.outlook(reservation, before.get(&reservation.id).copied())
            });
            anyhow::Ok(judged.collect::<Vec<_>>())
        })
        .await?
        .map_err(Fault::Internal)?;
        if !changed.is_empty() {
            tracing::info!(reservations = changed.len(), "other figures are expected now");
            self.shared.database.put_outlooks(&changed).await?;
        }
        Ok(())
    }

    /// What is expected now of reservations, where that is not what was offered.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn expected_of(
        &self,
        reservations: &[StoredReservation],
    ) -> Result<HashMap<ReservationId, Value>, Fault> {
        let ids: Vec<ReservationId> = reservations.iter().map(|it| it.id).collect();
        let outlooks = self.shared.database.outlooks(&ids).await?;
        let chosen: HashMap<ReservationId, OfferId> =
            reservations.iter().filter_map(|it| Some((it.id, it.chosen?.0))).collect();
        let expected = outlooks.into_iter().map(|outlook| {
            let document = serde_json::from_str(&outlook.document).unwrap_or_default();
            let id = outlook.reservation_id;
            let document = match chosen.get(&id) {
                Some(offer) => of_offer(document, *offer),
                None => document,
            };
            (id, document)
        });
        Ok(expected.collect())
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
    fn outlook(&self, stored: &StoredReservation, before: Option<&Outlook>) -> Option<Outlook> {
        let judged: Vec<(ExpectedOffer, bool)> =
            counting(stored).map(|offer| self.expected(offer, stored.chosen.is_some())).collect();
        let as_offered = judged.iter().all(|(_, same)| *same);
        let offers: Vec<ExpectedOffer> = judged.into_iter().map(|(offer, _)| offer).collect();
        let kept: Option<Vec<bool>> = offers.iter().map(|offer| offer.cap_kept).collect();
        let cap_kept = kept.map(|kept| kept.iter().all(|kept| *kept));
        let expected = NowExpected { evaluated_at: self.now, cap_kept, offers };
        let document = match as_offered {
            true if before.is_none() => return None,
            true => Value::Null,
            false => serde_json::to_value(&expected).unwrap_or_default(),
        };
        let known = before.and_then(|before| serde_json::from_str::<Value>(&before.document).ok());
        let differs = |known: &Value| {
            ["offers", "cap_kept"].iter().any(|name| known.get(name) != document.get(name))
        };
        if known.as_ref().is_some_and(|known| !differs(known)) {
            return None;
        }
        let (reservation_id, evaluated) = (stored.id, self.now);
        Some(Outlook { reservation_id, evaluated, document: document.to_string() })
    }

    /// What is expected of an offer, and whether that is what was offered.
    fn expected(&self, offer: &StoredOffer, chosen: bool) -> (ExpectedOffer, bool) {
        let document: Value = serde_json::from_str(&offer.document).unwrap_or_default();
        let figure = |name: &str| document.get(name).and_then(Value::as_f64);
        let lasts = offer.span.length().get() as f64;
        let power_w = figure("energy_j").map(|energy| energy / lasts);
        // W x millionths of 1/MWh x s: 1e6 millionths and 3.6e9 Ws in a MWh.
        let over = |exact: i128, per: f64| power_w.map(|power| power * exact as f64 / 1e6 / per);
        let price = self.price.integral(offer.span).map(Integral::as_millionth_seconds);
        let co2 = self.co2.integral(offer.span).map(Integral::as_millionth_seconds);
        let fee = figure("extra_power_fee").unwrap_or_default();
        let cost = price.and_then(|exact| over(exact, 3.6e9)).map(|cost| cost + fee);
        let co2_g = co2.and_then(|exact| over(exact, 3.6e6));
        let cap_kept = self.keeps_cap(offer.span, chosen);
        let same = |was: Option<f64>, is: Option<f64>| match (was, is) {
            (Some(was), Some(is)) => (was - is).abs() <= SAME * was.abs().max(is.abs()),
            _ => false,
        };
        let as_offered = same(figure("cost"), cost)
            && same(figure("co2_g"), co2_g)
            && cap_kept.unwrap_or(self.profile.is_none());
        (ExpectedOffer { offer_id: offer.id.as_uuid(), cost, co2_g, cap_kept }, as_offered)
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

/// What is expected of one offer alone: the others may have been judged before it was chosen.
fn of_offer(mut document: Value, offer: OfferId) -> Value {
    let id = Value::from(offer.to_string());
    let Some(offers) = document.get_mut("offers").and_then(Value::as_array_mut) else {
        return document;
    };
    offers.retain(|it| it.get("offer_id") == Some(&id));
    let kept = offers.first().and_then(|it| it.get("cap_kept")).cloned();
    document["cap_kept"] = kept.unwrap_or_default();
    document
}

/// The offers of a reservation that still count.
fn counting(stored: &StoredReservation) -> impl Iterator<Item = &StoredOffer> {
    let chosen = stored.chosen.map(|(id, _)| id);
    stored.offers.iter().filter(move |offer| chosen.is_none_or(|chosen| offer.id == chosen))
}

fn typed<R: Rate>(
    pieces: Vec<Piece<i64>>,
    rate: fn(i64) -> Option<R>,
) -> anyhow::Result<RateAgenda<R>> {
    let piece = |it: Piece<i64>| Some(Piece { span: it.span, value: rate(it.value)? });
    Ok(RateAgenda::new(Agenda::new(pieces.into_iter().filter_map(piece).collect())?))
}
