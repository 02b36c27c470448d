//! Planned consumption, told to the supplier: when it changes, gathered for a while, and by the
//! clock; and the spans in which little will be consumed, with their withdrawal.

use planner::cap_scope::CapScope;
use planner::dialogue::{
    Consumer, PlannedInterval, PowerOver, mean_power, planned_consumption, quiet_spans,
};
use planner::quantity::Energy;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::json;
use storage::{Filter, NegotiationKind, NewMessage};

use super::DialogueService;
use super::document::{ForecastDocument, PowerSpan, QuietDocument, read_message, read_subject};
use crate::service::shared::{Fault, blocking};

/// The kind of messages that tell planned consumption.
pub(super) const FORECAST: &str = "forecast";

/// Forecasts are kept so long, to be compared with what was consumed.
const KEPT: Seconds = Seconds::new(35 * 86_400);

impl DialogueService {
    /// Tells planned consumption where it is time to.
    pub(super) async fn tell(&self) -> Result<(), Fault> {
        let settings = &self.shared.settings.negotiation;
        if !settings.asks {
            return Ok(());
        }
        let (now, memo) = (self.shared.now(), self.memo());
        let changes = self.shared.state().await?.marks.map_or(0, |marks| marks.changes);
        let differs_since = match memo.told {
            Some((_, told)) if told == changes => None,
            _ => Some(memo.differs_since.unwrap_or(now)),
        };
        self.remember(|memo| memo.differs_since = differs_since);
        let by_change = differs_since.is_some_and(|since| since + settings.debounce <= now);
        let by_clock = memo.told.is_none_or(|(at, _)| at + settings.tell_every <= now);
        if !by_change && !by_clock {
            return Ok(());
        }
        let Some(plan) = self.plan_of_consumption(now).await? else { return Ok(()) };
        self.tell_plan(&plan, by_clock).await?;
        self.tell_quiet(&plan, now).await?;
        self.remember(|memo| {
            memo.told = Some((now, changes));
            memo.differs_since = None;
        });
        Ok(())
    }

    /// What will be consumed as planned, by the supplier's intervals; `None` before there are nodes.
    pub(super) async fn plan_of_consumption(
        &self,
        now: Timestamp,
    ) -> Result<Option<Vec<PlannedInterval>>, Fault> {
        let settings = &self.shared.settings.negotiation;
        let (interval, ahead) = (settings.interval, settings.ahead);
        let start = now.as_unix_seconds().div_euclid(interval.get()) * interval.get();
        let Some(window) = Span::starting(Timestamp::from_unix_seconds(start), ahead) else {
            return Ok(None);
        };
        let states = vec![ReservationState::Confirmed, ReservationState::Active];
        let (from, to) = (Some(window.start()), Some(window.end()));
        let certain =
            self.booking.all_reservations(Filter { states, from, to, ..Filter::default() });
        let certain = certain.await?;
        let state = self.shared.state().await?;
        if state.epoch().is_none() {
            return Ok(None);
        }
        blocking(move || {
            let draws: std::collections::HashMap<String, Energy> = certain
                .iter()
                .filter_map(|stored| Some((stored.id.to_string(), energy_of(stored)?)))
                .collect();
            let (bookings, _) = state.certain_and_held();
            let during = bookings.into_iter().filter(|booking| booking.span.overlaps(window));
            let consumers: Vec<Consumer> = during
                .map(|booking| {
                    let (full, idle) = state.cluster.powers(&booking.ranks);
                    let max_power = match (booking.counted_slowed(), state.cluster.cap_scope) {
                        (None, _) => full,
                        (Some(counted), CapScope::ReservedNodes) => counted,
                        (Some(counted), CapScope::AllNodes) => counted + idle,
                    };
                    let energy = draws.get(&*booking.id);
                    let draw = energy.map_or(max_power, |it| mean_power(*it, booking.span));
                    Consumer { span: booking.span, max_power, draw, idle }
                })
                .collect();
            let idle = state.cluster.nodes.idle_power();
            Some(planned_consumption(&consumers, idle, window, interval))
        })
        .await
    }

    async fn tell_plan(&self, plan: &[PlannedInterval], by_clock: bool) -> Result<(), Fault> {
        let (now, forecast) = (self.shared.now(), ForecastDocument::new(plan));
        let last = self.shared.database.last_said(FORECAST, now).await?;
        let last: Option<ForecastDocument> = last.as_ref().map(read_message).transpose()?;
        if last.as_ref() == Some(&forecast) && !by_clock {
            return Ok(());
        }
        let message = self.message(now, FORECAST, &json!(forecast));
        self.say_in(NegotiationKind::PlannedConsumption, vec![message], None).await?;
        self.shared.database.forget_messages(FORECAST, now - KEPT).await?;
        metrics::counter!("wattbook_forecasts_total").increment(1);
        Ok(())
    }

    /// Announces what has become quiet, and withdraws what no longer is.
    async fn tell_quiet(&self, plan: &[PlannedInterval], now: Timestamp) -> Result<(), Fault> {
        let Some(rule) = self.shared.settings.negotiation.quiet else { return Ok(()) };
        let kind = NegotiationKind::LowConsumption;
        let open = self.shared.database.open_negotiation_of(kind).await?;
        let announced: Option<QuietDocument> = open.as_ref().map(read_subject).transpose()?;
        let announced = announced.unwrap_or_default().spans;
        let spans: Vec<Span> = announced.iter().filter_map(PowerSpan::span).collect();
        let quiet = quiet_spans(plan, rule, now, &spans);
        let told: Vec<PowerSpan> = quiet.iter().map(PowerSpan::from).collect();
        if told == announced {
            return Ok(());
        }
        let messages = self.news_of_quiet(&quiet, &announced, now);
        self.say_in(kind, messages, Some(&json!({ "spans": told }))).await
    }

    /// What is said of a change from what was announced to what is quiet now. A span that time has
    /// shortened is no news.
    fn news_of_quiet(
        &self,
        quiet: &[PowerOver],
        announced: &[PowerSpan],
        now: Timestamp,
    ) -> Vec<NewMessage> {
        let is_known = |it: &&PowerOver| {
            announced.iter().any(|before| {
                (before.start <= it.span.start() && before.start <= now
                    || before.start == it.span.start())
                    && before.end == it.span.end()
            })
        };
        let holds = |before: &&PowerSpan| {
            before.end <= now
                || quiet.iter().any(|it| {
                    it.span.end() >= before.end && it.span.start() <= before.start.max(now)
                })
        };
        let new: Vec<PowerSpan> =
            quiet.iter().filter(|it| !is_known(it)).map(PowerSpan::from).collect();
        let gone: Vec<&PowerSpan> = announced.iter().filter(|it| !holds(it)).collect();
        let mut messages = Vec::new();
        if !gone.is_empty() {
            let document = json!({ "spans": gone });
            messages.push(self.message(now, "low_consumption_withdrawn", &document));
        }
        if !new.is_empty() {
            messages.push(self.message(now, "low_consumption", &json!({ "spans": new })));
        }
        messages
    }
}

/// The energy that the chosen offer promises.
fn energy_of(reservation: &Reservation) -> Option<Energy> {
    reservation.chosen_offer().map(|offer| offer.terms.values.energy)
}
