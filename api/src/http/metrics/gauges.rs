//! The gauges that are read when somebody asks for the metrics: their names, their labels, and what they are.
//!
//! They are written anew each time. The recorder would keep the last value of a webhook, a source or a partition that is gone.

use super::readings::Gauge;

// The process.
pub const BUILD_INFO: Gauge<1> =
    Gauge::new("wattbook_build_info", ["version"], "1, with the version of this process.");
pub const READY: Gauge<0> = Gauge::new(
    "wattbook_ready",
    [],
    "Whether this process can write its database, as /health/ready says.",
);
pub const CLOCK_JUMP: Gauge<0> = Gauge::new(
    "wattbook_clock_jump_seconds",
    [],
    "By how much the clock jumped and is not believed; 0 where it is believed.",
);
pub const LEASE_HELD: Gauge<1> = Gauge::new(
    "wattbook_lease_held",
    ["lease"],
    "Whether this process holds a lease, of those that it may take.",
);
pub const PLANS_RUNNING: Gauge<0> =
    Gauge::new("wattbook_plans_running", [], "Plans that have a thread.");
pub const PLANS_WAITING: Gauge<0> =
    Gauge::new("wattbook_plans_waiting", [], "Plans that wait for a thread.");
pub const BOOKINGS_RUNNING: Gauge<0> =
    Gauge::new("wattbook_bookings_running", [], "Whether a booking has the turn to book.");
pub const BOOKINGS_WAITING: Gauge<0> =
    Gauge::new("wattbook_bookings_waiting", [], "Bookings that wait for the turn to book.");

// The book.
pub const BOOK_RESERVATIONS: Gauge<0> =
    Gauge::new("wattbook_book_reservations", [], "Reservations that hold nodes.");
pub const BOOK_HELD: Gauge<0> =
    Gauge::new("wattbook_book_held", [], "Reservations of which no offer is chosen yet.");

// Sources and agendas.
pub const FEED_UP: Gauge<2> = Gauge::new(
    "wattbook_feed_up",
    ["feed", "quantity"],
    "Whether the source is heard of and fresh.",
);
pub const FEED_AGE: Gauge<2> = Gauge::new(
    "wattbook_feed_age_seconds",
    ["feed", "quantity"],
    "Since the source last answered.",
);
pub const FEED_HORIZON: Gauge<2> = Gauge::new(
    "wattbook_feed_horizon_seconds",
    ["feed", "quantity"],
    "How far ahead the source reaches; negative where it ends in the past.",
);
pub const AGENDA_HORIZON: Gauge<1> = Gauge::new(
    "wattbook_agenda_horizon_seconds",
    ["quantity"],
    "How far ahead the agenda in force reaches.",
);
pub const AGENDA_DAYS_AHEAD: Gauge<1> = Gauge::new(
    "wattbook_agenda_days_ahead_seconds",
    ["quantity"],
    "How far ahead the agenda should reach.",
);
pub const AGENDA_GAP: Gauge<1> =
    Gauge::new("wattbook_agenda_gap_seconds", ["quantity"], "Time ahead without a value.");
pub const FEED_DISAGREEMENT: Gauge<1> = Gauge::new(
    "wattbook_feed_disagreement_seconds",
    ["quantity"],
    "For how long, of the last six hours and ahead, sources disagree; nothing where they agree.",
);

// Power and meters.
pub const MEASURED_NODES: Gauge<1> = Gauge::new(
    "wattbook_measured_nodes",
    ["partition"],
    "Nodes with a fresh sample; no partition: of all.",
);
pub const MEASURED_POWER: Gauge<1> = Gauge::new(
    "wattbook_measured_power_watts",
    ["partition"],
    "What measured nodes draw together.",
);
pub const PLANNED_POWER: Gauge<1> = Gauge::new(
    "wattbook_planned_power_watts",
    ["partition"],
    "What was planned of all nodes for now.",
);
pub const PLANNED_OF_MEASURED: Gauge<1> = Gauge::new(
    "wattbook_planned_of_measured_watts",
    ["partition"],
    "What was planned of measured nodes.",
);
pub const SITE_POWER: Gauge<0> =
    Gauge::new("wattbook_site_power_watts", [], "What the site's meter says.");
pub const POWER_CAP: Gauge<0> =
    Gauge::new("wattbook_power_cap_watts", [], "The power cap in force.");
pub const RESERVATION_MEASURED_NODES: Gauge<1> = Gauge::new(
    "wattbook_reservation_measured_nodes",
    ["reservation"],
    "Nodes of the reservation with a fresh sample.",
);
pub const RESERVATION_MEASURED_POWER: Gauge<1> = Gauge::new(
    "wattbook_reservation_measured_power_watts",
    ["reservation"],
    "What these draw together.",
);
pub const RESERVATION_PLANNED_OF_MEASURED: Gauge<1> = Gauge::new(
    "wattbook_reservation_planned_of_measured_watts",
    ["reservation"],
    "What was planned of these.",
);
pub const RESERVATION_PLANNED_POWER: Gauge<1> = Gauge::new(
    "wattbook_reservation_planned_power_watts",
    ["reservation"],
    "What was planned of all of its nodes for now.",
);
pub const METER_AGE: Gauge<1> = Gauge::new(
    "wattbook_meter_age_seconds",
    ["meter"],
    "Since the newest sample of the meter, whichever node it is of.",
);

// What the process that holds a lease reads.
pub const FEED_UNREAD: Gauge<1> = Gauge::new(
    "wattbook_feed_unread",
    ["feed"],
    "Events and intervals of a source that could not be read.",
);
pub const SUPPLIER_UNREAD: Gauge<0> =
    Gauge::new("wattbook_supplier_unread", [], "Words of the supplier that could not be read.");
pub const SLURM_RESERVATIONS: Gauge<1> = Gauge::new(
    "wattbook_slurm_reservations",
    ["state"],
    "Managed reservations that are not settled, by state; of the process that keeps them.",
);
pub const OTHER_SITE_UP: Gauge<1> = Gauge::new(
    "wattbook_other_site_up",
    ["site"],
    "Whether another site answers: it has not failed three times in turn.",
);
pub const OTHER_SITE_AGE: Gauge<1> =
    Gauge::new("wattbook_other_site_age_seconds", ["site"], "Since another site last answered.");
pub const SLURM_CLOCK: Gauge<0> = Gauge::new(
    "wattbook_slurm_clock_difference_seconds",
    [],
    "How far the resource manager's clock is ahead of this machine's.",
);

// The ledger, events and mails.
pub const LEDGER_AGE: Gauge<0> = Gauge::new(
    "wattbook_ledger_newest_hour_age_seconds",
    [],
    "Since the end of the newest hour that is stated, or since the ledger begins.",
);
pub const WEBHOOK_UP: Gauge<1> =
    Gauge::new("wattbook_webhook_up", ["webhook"], "Whether the last attempt went well.");
pub const WEBHOOK_BEHIND: Gauge<1> = Gauge::new(
    "wattbook_webhook_behind_events",
    ["webhook"],
    "Events that the webhook has yet to pass.",
);
pub const MAILS_WAITING: Gauge<0> =
    Gauge::new("wattbook_mails_waiting", [], "Mails to users that are yet to be sent.");
