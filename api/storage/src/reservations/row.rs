//! Rows of reservations and offers, and their way into the domain.

use planner::criterion::Values;
use planner::decision::Savings;
use planner::fair_share::ShareFactor;
use planner::identity::{OfferId, ReservationId};
use planner::json::notice::read_notice;
use planner::quantity::{Currency, Power};
use planner::ranking::Ranking;
use planner::reservation::{
    HeldOffer, NamedNodes, OfferTerms, Reservation, ReservationState, SharedWith,
};
use planner::slower_states::{SlowerState, Slowing, Speed};
use planner::time::{Seconds, Timestamp};
use sqlx::FromRow;
use uuid::Uuid;

use crate::amounts::{energy, mass, money};
use crate::error::StorageError;
use crate::row::{RowPlace, instant, set_of};

#[derive(FromRow)]
pub(crate) struct ReservationRow {
    #[sqlx(try_from = "Uuid")]
    pub id: ReservationId,
    owner: String,
    state: String,
    degraded: bool,
    request: String,
    created_s: i64,
    expires_s: i64,
    chosen_offer_id: Option<Uuid>,
    start_s: Option<i64>,
    end_s: Option<i64>,
    document: String,
    row_version: i64,
    confirmed_s: Option<i64>,
    priority: i64,
    replaces: Option<Uuid>,
    gives_back: bool,
    notice: Option<String>,
    project: String,
    share_factor_millionths: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct OfferRow {
    #[sqlx(try_from = "Uuid")]
    id: OfferId,
    #[sqlx(try_from = "Uuid")]
    pub reservation_id: ReservationId,
    start_s: i64,
    end_s: i64,
    rankings: String,
    is_compromise: bool,
    node_names: Option<String>,
    node_ranges: String,
    energy_uj: String,
    cost_exact: String,
    currency: String,
    extra_power_fee_exact: Option<String>,
    co2_exact: String,
    peak_power_uw: i64,
    delay_s: i64,
    saved_energy_uj: String,
    saved_cost_exact: String,
    saved_co2_exact: String,
    cost_low_exact: Option<String>,
    cost_high_exact: Option<String>,
    co2_low_exact: Option<String>,
    co2_high_exact: Option<String>,
    basis: Option<String>,
    idle_energy_uj: Option<String>,
    idle_cost_exact: Option<String>,
    idle_co2_exact: Option<String>,
    power_state: Option<String>,
    speed_millionths: Option<i64>,
    later_s: Option<i64>,
}

impl ReservationRow {
    /// The reservation of this row with its offers.
    pub(crate) fn reservation(
        self,
        offers: Vec<HeldOffer>,
        shared_with: Vec<SharedWith>,
    ) -> Result<Reservation, StorageError> {
        let row = self;
        let place = RowPlace { table: "reservations", row: row.id };
        let chosen = match (row.chosen_offer_id, row.start_s, row.end_s) {
            (Some(offer), Some(start_s), Some(end_s)) => {
                Some((OfferId::new(offer), place.span("end_s", start_s, end_s)?))
            }
            (None, None, None) => None,
            _ => {
                let problem = "the chosen offer and its span are not all there";
                return Err(place.wrong("chosen_offer_id", problem));
            }
        };
        let share_factor = row.share_factor_millionths.map(|millionths| {
            let factor = u32::try_from(millionths).ok().and_then(ShareFactor::from_millionths);
            place.readable("share_factor_millionths", factor)
        });
        let wrong_notice = |_| place.wrong("notice", "the value cannot be read");
        let notice = row.notice.as_deref().map(read_notice).transpose();
        Ok(Reservation {
            id: row.id,
            owner: row.owner,
            project: row.project,
            state: place.word("state", &row.state, ReservationState::from_word)?,
            degraded: row.degraded,
            request: row.request,
            created: Timestamp::from_unix_seconds(row.created_s),
            expires: Timestamp::from_unix_seconds(row.expires_s),
            chosen,
            summary: row.document,
            row_version: row.row_version,
            confirmed: instant(row.confirmed_s),
            priority: row.priority,
            share_factor: share_factor.transpose()?,
            replaces: row.replaces.map(ReservationId::new),
            gives_back: row.gives_back,
            notice: notice.map_err(wrong_notice)?,
            shared_with,
            offers,
        })
    }
}

impl TryFrom<OfferRow> for HeldOffer {
    type Error = StorageError;
    fn try_from(row: OfferRow) -> Result<Self, StorageError> {
        Ok(Self { id: row.id, terms: row.terms()? })
    }
}

impl OfferRow {
    fn terms(&self) -> Result<OfferTerms, StorageError> {
        let place = RowPlace { table: "offers", row: self.id };
        let currency = place.readable("currency", Currency::parse(&self.currency).ok())?;
        let cost = |column, text: &str| place.readable(column, money(text, currency));
        let co2 = |column, text: &str| place.readable(column, mass(text));
        let rankings: Result<Vec<Ranking>, _> =
            self.rankings.split_whitespace().map(str::parse).collect();
        let fee = self.extra_power_fee_exact.as_deref();
        let numbers =
            |text: &str| text.split_whitespace().map(|it| it.parse().ok()).collect::<Option<_>>();
        let basis = self.basis.as_deref();
        Ok(OfferTerms {
            slowing: self.slowing(&place)?,
            rankings: place.readable("rankings", rankings.ok())?,
            is_compromise: self.is_compromise,
            span: place.span("end_s", self.start_s, self.end_s)?,
            nodes: NamedNodes {
                names: self.node_names.as_deref().map(names_of),
                ordinals: place.readable("node_ranges", set_of(&self.node_ranges))?,
            },
            values: Values {
                energy: place.readable("energy_uj", energy(&self.energy_uj))?,
                cost: cost("cost_exact", &self.cost_exact)?,
                co2: co2("co2_exact", &self.co2_exact)?,
            },
            idle_change: match (&self.idle_energy_uj, &self.idle_cost_exact, &self.idle_co2_exact) {
                (None, None, None) => None,
                (Some(own), Some(money), Some(mass)) => Some(Values {
                    energy: place.readable("idle_energy_uj", energy(own))?,
                    cost: cost("idle_cost_exact", money)?,
                    co2: co2("idle_co2_exact", mass)?,
                }),
                _ => {
                    return Err(
                        place.wrong("idle_energy_uj", "energy, cost and CO2 are not all there")
                    );
                }
            },
            extra_power_fee: fee.map(|fee| cost("extra_power_fee_exact", fee)).transpose()?,
            peak_power: Power::from_microwatts(self.peak_power_uw),
            delay: Seconds::new(self.delay_s),
            saves: Savings {
                energy: place.readable("saved_energy_uj", energy(&self.saved_energy_uj))?,
                cost: cost("saved_cost_exact", &self.saved_cost_exact)?,
                co2: co2("saved_co2_exact", &self.saved_co2_exact)?,
            },
            cost_band: match (&self.cost_low_exact, &self.cost_high_exact) {
                (None, None) => None,
                (Some(low), Some(high)) => {
                    Some((cost("cost_low_exact", low)?, cost("cost_high_exact", high)?))
                }
                _ => return Err(place.wrong("cost_low_exact", "the band has one end only")),
            },
            co2_band: match (&self.co2_low_exact, &self.co2_high_exact) {
                (None, None) => None,
                (Some(low), Some(high)) => {
                    Some((co2("co2_low_exact", low)?, co2("co2_high_exact", high)?))
                }
                _ => return Err(place.wrong("co2_low_exact", "the band has one end only")),
            },
            basis: basis.map(|it| place.readable("basis", numbers(it))).transpose()?,
        })
    }
}

impl OfferRow {
    fn slowing(&self, place: &RowPlace<OfferId>) -> Result<Option<Box<Slowing>>, StorageError> {
        match (&self.power_state, self.speed_millionths, self.later_s) {
            (None, None, None) => Ok(None),
            (Some(name), Some(speed), Some(later)) => {
                let speed = place.readable("speed_millionths", Speed::from_millionths(speed))?;
                let state = SlowerState { name: name.as_str().into(), speed };
                Ok(Some(Box::new(Slowing { state, later: Seconds::new(later) })))
            }
            _ => Err(place.wrong("power_state", "state, speed and delay are not all there")),
        }
    }
}

/// What stands between names in the table, and in no name.
pub(crate) const BETWEEN_NAMES: &str = "\t";

/// Names as the table keeps them.
pub(crate) fn name_text(names: &[String]) -> String {
    names.join(BETWEEN_NAMES)
}

/// Names from what the table keeps.
pub(crate) fn names_of(text: &str) -> Vec<String> {
    match text {
        "" => Vec::new(),
        text => text.split(BETWEEN_NAMES).map(str::to_owned).collect(),
    }
}
