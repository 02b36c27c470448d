//! Reservations and their offers. What changes what is held notes the count of changes with it.

use crate::statements::statements;

/// What is read of reservations `r`.
macro_rules! columns {
    () => {
        "r.id, r.owner, r.state, r.degraded, r.request, r.created_s, r.expires_s, \
         r.chosen_offer_id, r.start_s, r.end_s, r.document, r.row_version, r.confirmed_s, \
         r.priority, r.replaces, r.gives_back, r.notice, r.project, r.share_factor_millionths"
    };
}

/// The nodes and amounts of offers.
macro_rules! terms_columns {
    () => {
        "node_names, node_ranges, energy_uj, cost_exact, currency, extra_power_fee_exact, \
         co2_exact, peak_power_uw, delay_s, saved_energy_uj, saved_cost_exact, saved_co2_exact, \
         cost_low_exact, cost_high_exact, co2_low_exact, co2_high_exact, basis, idle_energy_uj, \
         idle_cost_exact, idle_co2_exact, power_state, speed_millionths, later_s"
    };
}

/// What is read of offers.
macro_rules! offer_columns {
    () => {
        concat!("id, reservation_id, start_s, end_s, rankings, is_compromise, ", terms_columns!())
    };
}

statements! {
    /// One reservation.
    RESERVATION = concat!("SELECT ", columns!(), " FROM reservations AS r WHERE r.id = $1");

    /// The offers of a reservation in their order.
    OFFERS_OF_RESERVATION = concat!("SELECT ", offer_columns!(), "
        FROM offers WHERE reservation_id = $1 ORDER BY position");

    /// Whether, since a count of changes, an offer was chosen whose hold is over at an instant. What
    /// is compared with the states is no column, so that SQLite goes by the changes, which are few,
    /// and not through all that was ever chosen.
    CHOSEN_LATE = "SELECT EXISTS (SELECT 1 FROM reservations
        WHERE changed > $1 AND state || '' IN ('confirmed', 'active') AND expires_s <= $2)";

    /// Makes a reservation that waited proposed, its offers held until an instant.
    PROPOSE_AWAITING = "UPDATE reservations
        SET state = 'proposed', expires_s = $2, document = $3, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Ends a reservation in a state.
    END = "UPDATE reservations SET state = $2, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Completes a reservation at an instant before its end.
    COMPLETE_EARLY = "UPDATE reservations SET state = 'completed', end_s = $2,
            row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Gives a reservation to another owner.
    TRANSFER = "UPDATE reservations SET owner = $2, share_factor_millionths = $3,
            row_version = row_version + 1, changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Moves the end of a reservation that was chosen.
    EXTEND = "UPDATE reservations SET end_s = $2, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// What is stored beside the offers of a reservation that is extended.
    SET_SUMMARY = "UPDATE reservations SET document = $2 WHERE id = $1";

    /// Moves the end of an offer.
    EXTEND_OFFER = "UPDATE offers SET end_s = $2 WHERE id = $1";

    /// Notes that something changed of a reservation that other rows say.
    TOUCH = "UPDATE reservations SET row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// The request of a reservation, where nothing that is held depends on what is new in it.
    SET_REQUEST = "UPDATE reservations SET request = $2, project = $3, share_factor_millionths = $4, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Another request for a reservation of which no offer is chosen, whose new offers are held until
    /// an instant.
    MODIFY_PROPOSED = "UPDATE reservations SET request = $2, document = $3, priority = $4,
            gives_back = $5, project = $6, share_factor_millionths = $7, expires_s = $8, notice = NULL, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Another request for a confirmed reservation, with the offer that takes the place of the one that
    /// was chosen, its span, and the instant of the choice.
    MODIFY_CONFIRMED = "UPDATE reservations SET request = $2, document = $3, priority = $4,
            gives_back = $5, project = $6, share_factor_millionths = $7, chosen_offer_id = $8, start_s = $9,
            end_s = $10, confirmed_s = $11,
            degraded = FALSE, notice = NULL, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Whether what was promised no longer holds; whose it is and its state, where that is new.
    SET_DEGRADED = "UPDATE reservations SET degraded = $2, notice = $3,
            row_version = row_version + 1
        WHERE id = $1 AND state IN ('confirmed', 'active')
          AND (degraded <> $2 OR COALESCE(notice, '') <> COALESCE($3, ''))
        RETURNING owner, state";

    /// Other nodes for a reservation, and what its owner is to know.
    SET_NODES_REPLACED = "UPDATE reservations SET degraded = $2, notice = $3,
            row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// The nodes and amounts of an offer.
    SET_OFFER_TERMS = "UPDATE offers SET node_names = $2, node_ranges = $3, energy_uj = $4,
            cost_exact = $5, currency = $6, extra_power_fee_exact = $7, co2_exact = $8,
            peak_power_uw = $9, delay_s = $10, saved_energy_uj = $11, saved_cost_exact = $12,
            saved_co2_exact = $13, cost_low_exact = $14, cost_high_exact = $15, co2_low_exact = $16,
            co2_high_exact = $17, basis = $18, idle_energy_uj = $19, idle_cost_exact = $20,
            idle_co2_exact = $21, power_state = $22, speed_millionths = $23, later_s = $24
        WHERE id = $1";

    /// Tells the owner of a reservation something.
    SET_NOTICE = "UPDATE reservations SET notice = $2, row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1";

    /// Rejects a reservation that awaits the supplier; whose it is, and its state.
    REJECT_AWAITING = "UPDATE reservations SET state = 'rejected', notice = $2,
            row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE id = $1 AND state = 'awaiting_supplier' RETURNING owner, state";

    /// Forgets the offers of a reservation.
    DELETE_OFFERS = "DELETE FROM offers WHERE reservation_id = $1";

    /// An owner's proposals that are held at an instant, and until when; those that await the supplier
    /// too.
    HELD_BY = "SELECT id, expires_s FROM reservations
        WHERE state IN ('proposed', 'awaiting_supplier') AND expires_s > $2 AND owner = $1";

    /// Forgets an offer.
    DELETE_OFFER = "DELETE FROM offers WHERE id = $1 AND reservation_id = $2";

    /// Expires the holds that are due at an instant.
    EXPIRE_DUE = "UPDATE reservations SET state = 'expired', row_version = row_version + 1,
            changed = (SELECT changes FROM book WHERE id = 1)
        WHERE state = 'proposed' AND expires_s <= $1 RETURNING id, owner";

    /// Completes what has ended at an instant.
    COMPLETE_DUE = "UPDATE reservations SET state = 'completed', row_version = row_version + 1
        WHERE state IN ('confirmed', 'active') AND end_s <= $1 RETURNING id, owner";

    /// Starts what is due at an instant.
    ACTIVATE_DUE = "UPDATE reservations SET state = 'active', row_version = row_version + 1
        WHERE state = 'confirmed' AND start_s <= $1 RETURNING id, owner";

    /// Whether a reservation that is proposed, or awaits the supplier, may take the place of another.
    IS_BEING_REPLACED = "SELECT EXISTS (SELECT 1 FROM reservations
        WHERE replaces = $1 AND state IN ('proposed', 'awaiting_supplier') AND expires_s > $2)";

    /// Whether anything is due at an instant.
    ANY_DUE = "SELECT EXISTS (SELECT 1 FROM reservations
            WHERE state = 'proposed' AND expires_s <= $1)
        OR EXISTS (SELECT 1 FROM reservations
            WHERE state IN ('confirmed', 'active') AND end_s <= $1)
        OR EXISTS (SELECT 1 FROM reservations WHERE state = 'confirmed' AND start_s <= $1)";
}

/// Reservations that pass a filter.
pub const RESERVATIONS_WHERE: &str =
    concat!("SELECT ", columns!(), " FROM reservations AS r WHERE 1 = 1");

/// Offers of several reservations.
pub const OFFERS_WHERE: &str =
    concat!("SELECT ", offer_columns!(), " FROM offers WHERE reservation_id");

/// New reservations.
pub const RESERVATIONS_BULK: &str = "INSERT INTO reservations
    (id, owner, state, request, created_s, expires_s, document, priority, replaces,
        gives_back, project, share_factor_millionths, changed) ";

/// The count of changes of the transaction, which `changed` notes of a new reservation.
pub const CHANGES_NOW: &str = "(SELECT changes FROM book WHERE id = 1)";

/// New offers.
pub const OFFERS_BULK: &str = concat!(
    "INSERT INTO offers
    (id, reservation_id, start_s, end_s, position, rankings, is_compromise, ",
    terms_columns!(),
    ") "
);

/// Confirms the reservations of offers at an instant: the chosen offers and their spans.
pub const CONFIRM_WHERE: &str =
    "UPDATE reservations SET state = 'confirmed', chosen_offer_id = o.id,
        start_s = o.start_s, end_s = o.end_s, row_version = row_version + 1,
        changed = (SELECT changes FROM book WHERE id = 1), confirmed_s = ";

/// The offers by which reservations are confirmed.
pub const CONFIRMED_OFFERS: &str =
    " FROM offers AS o WHERE o.reservation_id = reservations.id AND o.id";
