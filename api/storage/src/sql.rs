//! Every statement, written once for both engines, in the folder of its noun.
//!
//! Public so that a test can prepare each on both.

pub use crate::access::sql as access;
pub use crate::agendas::sql as agendas;
pub use crate::audit::sql as audit;
pub use crate::book::sql as book;
pub use crate::calendar_feeds::sql as calendar_feeds;
pub use crate::changed_hours::sql as changed_hours;
pub use crate::clock::sql as clock;
pub use crate::consumption::sql as consumption;
pub use crate::disagreements::sql as disagreements;
pub use crate::engine::sql as engine;
pub use crate::epochs::sql as epochs;
pub use crate::erasure::sql as erasure;
pub use crate::events::sql as events;
pub use crate::feeds::sql as feeds;
pub use crate::former_documents::sql as former_documents;
pub use crate::grants::sql as grants;
pub use crate::held_spans::sql as held_spans;
pub use crate::idempotency::sql as idempotency;
pub use crate::leases::sql as leases;
pub use crate::ledger::sql as ledger;
pub use crate::mails::sql as mails;
pub use crate::managed_jobs::sql as managed_jobs;
pub use crate::managed_nodes::sql as managed_nodes;
pub use crate::managed_reservations::sql as managed_reservations;
pub use crate::measurements::sql as measurements;
pub use crate::negotiations::sql as negotiations;
pub use crate::nodes::sql as nodes;
pub use crate::notifications::sql as notifications;
pub use crate::outages::sql as outages;
pub use crate::own_webhooks::sql as own_webhooks;
pub use crate::people::sql as people;
pub use crate::polled_meters::sql as polled_meters;
pub use crate::power_actions::sql as power_actions;
pub use crate::power_excesses::sql as power_excesses;
pub use crate::power_holds::sql as power_holds;
pub use crate::power_log::sql as power_log;
pub use crate::power_states::sql as power_states;
pub use crate::projects::sql as projects;
pub use crate::promises::sql as promises;
pub use crate::quota_adjustments::sql as quota_adjustments;
pub use crate::recalibration::sql as recalibration;
pub use crate::reevaluations::sql as reevaluations;
pub use crate::reservations::allocations::sql as allocations;
pub use crate::reservations::sharing::sql as sharing;
pub use crate::reservations::sql as reservations;
pub use crate::retention::sql as retention;
pub use crate::series::sql as series;
pub use crate::silent_sites::sql as silent_sites;
pub use crate::simulations::sql as simulations;
pub use crate::site_reservations::sql as site_reservations;
pub use crate::soundness::sql as soundness;
pub use crate::state::sql as state;
pub use crate::webhooks::sql as webhooks;
pub use crate::write_trials::sql as write_trials;

/// Every complete statement with its name.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    [
        access::ALL,
        agendas::ALL,
        allocations::ALL,
        audit::ALL,
        book::ALL,
        calendar_feeds::ALL,
        changed_hours::ALL,
        clock::ALL,
        consumption::ALL,
        disagreements::ALL,
        engine::ALL,
        epochs::ALL,
        erasure::ALL,
        events::ALL,
        feeds::ALL,
        former_documents::ALL,
        grants::ALL,
        held_spans::ALL,
        idempotency::ALL,
        leases::ALL,
        ledger::ALL,
        mails::ALL,
        managed_jobs::ALL,
        managed_nodes::ALL,
        managed_reservations::ALL,
        measurements::ALL,
        negotiations::ALL,
        nodes::ALL,
        notifications::ALL,
        outages::ALL,
        own_webhooks::ALL,
        people::ALL,
        polled_meters::ALL,
        power_actions::ALL,
        power_excesses::ALL,
        power_holds::ALL,
        power_states::ALL,
        projects::ALL,
        quota_adjustments::ALL,
        recalibration::ALL,
        reevaluations::ALL,
        reservations::ALL,
        retention::ALL,
        series::ALL,
        sharing::ALL,
        silent_sites::ALL,
        simulations::ALL,
        site_reservations::ALL,
        soundness::ALL,
        state::ALL,
        webhooks::ALL,
        write_trials::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
    .chain(erasure::RENAMES.iter().map(|statement| ("RENAMES", *statement)))
}
