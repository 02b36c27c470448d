//! The site in memory: everything that a plan rests on, as one consistent state of the database.
//!
//! A state is never changed: what is newer makes another one, and plans keep the one they began
//! with. Cluster, agendas and outages are shared between states; a book is a list of shared bookings.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use planner::agenda::{Agenda, AgendaError, Agendas, Piece, RateAgenda};
use planner::book::{Book, Booking, RankedOutage, RankedOutages};
use planner::dialogue::{Grant, GrantState, PowerOver, raised};
use planner::identity::ReservationId;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::node_set::NodeSet;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};
use storage::{
    AgendaPieces, BookChanges, Changes, EpochId, Holding, Marks, NewOffer, Outage, ProvenPiece,
    Quantity, StoredQuotaAdjustment,
};

use super::provenance::{Provenance, ProvenanceError};
use super::{Callers, Cluster, Holders};

/// The pieces of each agenda that are in force from now on.
type ProvenAgendas = Vec<(Quantity, Vec<ProvenPiece>)>;

/// What the service knows at one state of the database.
#[derive(Clone)]
pub struct SiteState {
    /// Which state of the database it is; `None` before anything was read.
    pub(in crate::service) marks: Option<Marks>,
    /// The nodes.
    pub cluster: Arc<Cluster>,
    /// What plans rest on: what the supplier announced, the cap with what it granted to everybody.
    pub(in crate::service) agendas: Arc<Agendas>,
    /// The cap without grants.
    announced_cap: Arc<Option<Agenda<Power>>>,
    /// Grants that have yet to end and were not revoked.
    pub(in crate::service) grants: Arc<Vec<Grant>>,
    /// What the agendas rest on.
    pub(in crate::service) provenance: Arc<Provenance>,
    /// The pieces of the agendas, with the revisions that they are of.
    proven: Arc<ProvenAgendas>,
    /// Who holds what, over the cluster's reference order.
    pub(in crate::service) book: Book,
    /// Until when offers that were not chosen are held, by reservation.
    held_until: Arc<HashMap<Arc<str>, Timestamp>>,
    /// Whose the reservations in the book are, where there are quotas.
    pub(in crate::service) holders: Arc<Holders>,
    /// Outages that have yet to end.
    pub(in crate::service) outages: Arc<Vec<Outage>>,
    /// Quota adjustments, by when they were made.
    pub(in crate::service) quota_adjustments: Arc<Vec<StoredQuotaAdjustment>>,
    callers: Arc<Callers>,
    /// The reservation as if which held nothing this is.
    pub(in crate::service) left_out: Option<ReservationId>,
}

impl SiteState {
    /// A state without agendas and bookings.
    pub(in crate::service) fn of(cluster: Arc<Cluster>) -> Result<Self, AgendaError> {
        let (price, co2, proven) = (Vec::new(), Vec::new(), Vec::new());
        let none = AgendaPieces { price, co2, power_cap: None, proven };
        Ok(Self {
            marks: None,
            book: Book::new(Arc::clone(&cluster.reference)),
            cluster,
            agendas: Arc::new(agendas(none)?),
            announced_cap: Arc::default(),
            grants: Arc::default(),
            provenance: Arc::default(),
            proven: Arc::default(),
            held_until: Arc::default(),
            holders: Arc::default(),
            outages: Arc::default(),
            quota_adjustments: Arc::default(),
            callers: Arc::default(),
            left_out: None,
        })
    }

    /// The state after changes, with the cluster of its epoch.
    pub(in crate::service) fn after(
        &self,
        changes: Changes,
        cluster: Arc<Cluster>,
        now: Timestamp,
    ) -> Result<Self, ProvenanceError> {
        let mut next = Self { marks: Some(changes.marks), cluster, ..self.clone() };
        let announced = changes.agendas.is_some();
        if let Some(mut pieces) = changes.agendas {
            next.provenance = Arc::new(Provenance::new(&pieces.proven)?);
            next.proven = Arc::new(std::mem::take(&mut pieces.proven));
            let agendas = agendas(pieces)?;
            next.announced_cap = Arc::new(agendas.power_cap.clone());
            next.agendas = Arc::new(agendas);
        }
        let granted = changes.grants.is_some();
        if let Some(grants) = changes.grants {
            next.grants = Arc::new(grants);
        }
        if granted || announced {
            next.agendas = next.capped(|grant| grant.state == GrantState::InForce);
        }
        let mut ranked_outages = Arc::clone(next.book.outages());
        if let Some(outages) = changes.outages {
            ranked_outages =
                Arc::new(RankedOutages::new(outages.iter().filter_map(ranked).collect()));
            next.outages = Arc::new(outages);
        }
        if let Some(adjustments) = changes.quota_adjustments {
            next.quota_adjustments = Arc::new(adjustments);
        }
        if let Some(known) = changes.access {
            next.callers = Arc::new(Callers::new(known));
        }
        let all = matches!(changes.book, BookChanges::All(_));
        next.hold(changes.book, now);
        if all || !changes.holders.is_empty() {
            let known = if all { Arc::default() } else { Arc::clone(&next.holders) };
            next.holders = Arc::new(known.with(changes.holders, &next.book));
        }
        next.book = next.book.with_outages(ranked_outages);
        Ok(next)
    }

    /// The price and the CO2 intensity that the agendas have at an instant, each where they have one.
    pub fn rates_at(&self, at: Timestamp) -> (Option<EnergyPrice>, Option<CarbonIntensity>) {
        (self.agendas.price.agenda().at(at), self.agendas.co2.agenda().at(at))
    }

    /// How CO2 is counted from now on; `None` where that is not known, or not the same for all of it.
    pub fn co2_accounting(&self) -> Option<Co2AccountingDocument> {
        self.provenance.co2_accounting()
    }

    /// Of which spans an agenda has a value, in order; of the cap what was announced.
    pub fn announced_spans(&self, quantity: Quantity) -> Vec<Span> {
        fn spans<T>(pieces: &[Piece<T>]) -> Vec<Span> {
            pieces.iter().map(|piece| piece.span).collect()
        }
        match quantity {
            Quantity::Price => spans(self.agendas.price.agenda().pieces()),
            Quantity::Co2 => spans(self.agendas.co2.agenda().pieces()),
            Quantity::PowerCap => self
                .announced_cap
                .as_ref()
                .as_ref()
                .map_or_else(Vec::new, |cap| spans(cap.pieces())),
        }
    }

    /// The pieces in force of an agenda that touch a span from now on, trimmed to it.
    pub(in crate::service) fn proven(&self, quantity: Quantity, span: Span) -> Vec<ProvenPiece> {
        let of_quantity = self.proven.iter().filter(|(of, _)| *of == quantity);
        let trimmed = |proven: &ProvenPiece| {
            let Piece { span: of, value } = proven.piece;
            let span = Span::new(of.start().max(span.start()), of.end().min(span.end()))?;
            Some(ProvenPiece { piece: Piece { span, value }, ..proven.clone() })
        };
        of_quantity.flat_map(|(_, pieces)| pieces).filter_map(trimmed).collect()
    }

    /// The agendas under the announced cap and those of the grants.
    fn capped(&self, counts: impl Fn(&Grant) -> bool) -> Arc<Agendas> {
        let granted: Vec<PowerOver> =
            self.grants.iter().filter(|grant| counts(grant)).map(power_of).collect();
        let power_cap = self.announced_cap.as_ref().as_ref().map(|cap| raised(cap, &granted));
        Arc::new(Agendas { power_cap, ..Agendas::clone(&self.agendas) })
    }

    /// The state as it is for those who asked for extra power: what was set aside counts too.
    pub(in crate::service) fn with_all_grants(&self) -> Self {
        let all_in_force = self.grants.iter().all(|it| it.state == GrantState::InForce);
        let agendas = if all_in_force { Arc::clone(&self.agendas) } else { self.capped(|_| true) };
        Self { agendas, ..self.clone() }
    }

    /// The state as if there were no cap.
    pub(in crate::service) fn without_cap(&self) -> Self {
        let agendas = Arc::new(Agendas { power_cap: None, ..Agendas::clone(&self.agendas) });
        Self { agendas, ..self.clone() }
    }

    /// The state as if a reservation held nothing.
    pub(in crate::service) fn without(&self, id: ReservationId) -> Self {
        let (mut next, name) = (self.clone(), id.to_string());
        next.book.retain(|booking| *booking.id != name);
        next.left_out = Some(id);
        next
    }

    /// The state as if the nodes had other powers, in a cluster of as many nodes in the same order.
    pub(in crate::service) fn with_powers(&self, cluster: Arc<Cluster>) -> Self {
        let (old, new) = (&self.cluster.reference, &cluster.reference);
        let ranks = |ranks: &NodeSet| new.ranks(&old.ordinals(ranks));
        let anew = |it: &Arc<Booking>| {
            let booking = Booking::new(Arc::clone(&it.id), it.span, ranks(&it.ranks), new);
            match it.counted_slowed() {
                Some(counted) => booking.slowed(counted),
                None => booking,
            }
        };
        let bookings: Vec<Booking> = self.book.bookings().iter().map(anew).collect();
        let book = Book::new(Arc::clone(new)).with(bookings);
        Self { cluster, book, ..self.clone() }
    }

    /// The most that a reservation counts against the cap.
    pub(in crate::service) fn counted(&self, id: ReservationId) -> Power {
        let id = id.to_string();
        let own = self.book.bookings().iter().filter(|booking| *booking.id == id);
        own.map(|booking| booking.counted()).max().unwrap_or_default()
    }

    /// Bookings that are certain, and those that may lapse.
    pub(in crate::service) fn certain_and_held(&self) -> (Vec<&Booking>, Vec<&Booking>) {
        let bookings = self.book.bookings().iter().map(AsRef::as_ref);
        bookings.partition(|booking: &&Booking| !self.is_held(&booking.id))
    }

    fn hold(&mut self, changes: BookChanges, now: Timestamp) {
        let (gone, holdings) = match changes {
            BookChanges::Of(ids, _) if ids.is_empty() => return,
            BookChanges::Of(ids, holdings) => (ids, holdings),
            BookChanges::All(holdings) => {
                self.book = Book::new(Arc::clone(&self.cluster.reference));
                self.held_until = Arc::default();
                (Vec::new(), holdings)
            }
        };
        let gone: HashSet<String> = gone.iter().map(ToString::to_string).collect();
        let held_until = Arc::make_mut(&mut self.held_until);
        held_until.retain(|id, _| !gone.contains(id.as_ref()));
        self.book.retain(|it| !gone.contains(it.id.as_ref()) && it.span.end() > now);
        let mut latest: Option<Arc<str>> = None;
        let entry = |holding: Holding| {
            let id = holding.reservation_id.to_string();
            let id = latest.take().filter(|it| **it == *id).unwrap_or_else(|| id.into());
            latest = Some(Arc::clone(&id));
            if let Some(until) = holding.held_until {
                held_until.insert(Arc::clone(&id), until);
            }
            self.cluster.booking(id, holding.span, holding.ranks, holding.slowed_peak)
        };
        let bookings: Vec<Booking> = holdings.into_iter().map(entry).collect();
        self.book = self.book.clone().with(bookings);
    }

    /// Holds the offers of a reservation until an instant, as if they were written.
    pub(in crate::service) fn hold_offers(
        &mut self,
        id: ReservationId,
        offers: &[NewOffer],
        until: Timestamp,
    ) {
        if offers.is_empty() {
            return;
        }
        let id: Arc<str> = id.to_string().into();
        for NewOffer { terms, ranks, .. } in offers {
            let slowed_peak = terms.slowing.is_some().then_some(terms.peak_power);
            let id = Arc::clone(&id);
            let booking = self.cluster.booking(id, terms.span, ranks.clone(), slowed_peak);
            self.book.insert_booking(booking);
        }
        Arc::make_mut(&mut self.held_until).insert(id, until);
    }

    /// The state without the offers whose hold is over at `now`; `None` where there are none.
    pub(in crate::service) fn without_lapsed(&self, now: Timestamp) -> Option<Self> {
        if self.held_until.values().all(|&until| until > now) {
            return None;
        }
        let mut next = self.clone();
        let lapsed = |id: &Arc<str>| self.held_until.get(id).is_some_and(|&until| until <= now);
        next.book.retain(|booking| !lapsed(&booking.id) && booking.span.end() > now);
        Arc::make_mut(&mut next.held_until).retain(|_, until| *until > now);
        Some(next)
    }

    /// Whether a reservation's offers are held, and none is chosen yet.
    pub(in crate::service) fn is_held(&self, id: &str) -> bool {
        self.held_until.contains_key(id)
    }

    /// How many reservations hold nodes, and of how many the offers are only held.
    pub fn book_size(&self) -> (usize, usize) {
        let ids: HashSet<&str> = self.book.bookings().iter().map(|it| &*it.id).collect();
        (ids.len(), self.held_until.len())
    }

    /// The newest epoch of the nodes; `None` before nodes were ever put.
    pub fn epoch(&self) -> Option<EpochId> {
        self.marks.and_then(|marks| marks.epoch)
    }

    /// Who may ask.
    pub fn callers(&self) -> &Callers {
        &self.callers
    }
}

/// A grant as power over its span.
pub fn power_of(grant: &Grant) -> PowerOver {
    PowerOver { span: grant.span, power: grant.power }
}

/// As the book has it; `None` where it is over as soon as it starts.
fn ranked(outage: &Outage) -> Option<RankedOutage> {
    Some(RankedOutage { span: outage.span()?, ranks: outage.ranks.clone() })
}

fn agendas(pieces: AgendaPieces) -> Result<Agendas, AgendaError> {
    Ok(Agendas {
        price: RateAgenda::new(Agenda::new(pieces.price)?),
        co2: RateAgenda::new(Agenda::new(pieces.co2)?),
        power_cap: pieces.power_cap.map(Agenda::new).transpose()?,
    })
}
