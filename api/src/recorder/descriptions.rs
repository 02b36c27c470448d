//! What each counter and histogram is, and each gauge that the process keeps, as monitors show it.

use metrics::{describe_counter, describe_histogram};

/// Describes them all.
pub(super) fn describe() {
    describe_requests();
    describe_bookings();
    describe_sources();
    describe_site();
    describe_messages();
}

fn describe_requests() {
    describe_counter!("wattbook_http_requests_total", "Requests, by route, method and status.");
    describe_histogram!("wattbook_http_request_duration_seconds", "Time until the answer began.");
    describe_counter!("wattbook_refused_total", "Requests refused for a limit, by limit.");
    describe_counter!("wattbook_access_token_checks_total", "Requests with a token of an issuer.");
}

fn describe_bookings() {
    describe_counter!("wattbook_quotes_total", "Quotes asked for.");
    describe_counter!("wattbook_proposals_total", "Reservations proposed.");
    describe_counter!("wattbook_confirmations_total", "Choices that succeeded.");
    describe_counter!("wattbook_extensions_total", "Reservations that got a later end.");
    describe_counter!("wattbook_modifications_total", "Reservations that got another request.");
    describe_counter!("wattbook_releases_total", "Reservations of which nodes were given back.");
    describe_counter!("wattbook_swaps_total", "Reservations of which nodes were swapped.");
    describe_counter!(
        "wattbook_sharing_changes_total",
        "Changes of with whom a reservation is shared."
    );
    describe_histogram!(
        "wattbook_plan_duration_seconds",
        "Time of a plan, its wait for a thread included."
    );
    describe_counter!(
        "wattbook_plans_refused_total",
        "Plans and bookings that were not made, by reason."
    );
    describe_counter!(
        "wattbook_quota_ledger_rows_read_total",
        "Rows of the ledger read for quotas."
    );
    describe_counter!(
        "wattbook_reservations_degraded_total",
        "Reservations that lost nodes or power."
    );
    describe_counter!(
        "wattbook_reservations_mended_total",
        "Reservations that got other nodes for lost ones."
    );
    describe_counter!(
        "wattbook_reservations_restored_total",
        "Reservations that lack nothing any more."
    );
    describe_counter!(
        "wattbook_offers_withdrawn_total",
        "Offers withdrawn since their nodes or power are lost."
    );
}

fn describe_sources() {
    describe_counter!("wattbook_feed_requests_total", "Requests to suppliers by this process.");
    describe_counter!(
        "wattbook_feed_failures_total",
        "Polls of this process that failed, by class."
    );
    describe_counter!(
        "wattbook_supplier_messages_total",
        "Attempts to tell the supplier, by outcome."
    );
    describe_counter!("wattbook_supplier_notifications_total", "Notifications from the supplier.");
    describe_counter!("wattbook_extra_power_questions_total", "Questions for extra power.");
    describe_counter!(
        "wattbook_extra_power_requests_total",
        "Requests for extra power, by outcome."
    );
    describe_counter!("wattbook_forecasts_total", "Plans of consumption told to the supplier.");
}

fn describe_site() {
    describe_counter!("wattbook_slurm_polls_total", "Polls of the resource manager, by outcome.");
    describe_histogram!(
        "wattbook_slurm_push_seconds",
        "Time until a reservation was put and read back."
    );
    describe_counter!("wattbook_slurm_jobs_linked_total", "Jobs that were linked to reservations.");
    describe_counter!("wattbook_power_actions_total", "Steps of actions on nodes, by outcome.");
    describe_counter!(
        "wattbook_other_site_requests_total",
        "Requests to other sites by this process."
    );
    describe_counter!(
        "wattbook_other_site_failures_total",
        "Requests to other sites that got no answer, or a failure of the site."
    );
    describe_counter!("wattbook_meter_polls_total", "Polls of meters by this process.");
    describe_counter!("wattbook_meter_failures_total", "Polls of meters that failed.");
    describe_counter!(
        "wattbook_meter_samples_total",
        "Samples of meters that are asked, by outcome."
    );
    describe_counter!("wattbook_ledger_hours_total", "Hours stated by this process.");
    describe_counter!("wattbook_ledger_corrections_total", "Hours stated anew by this process.");
}

fn describe_messages() {
    describe_counter!(
        "wattbook_webhook_messages_total",
        "Attempts to tell webhooks events, by outcome."
    );
    describe_counter!(
        "wattbook_own_webhook_messages_total",
        "Attempts to tell users' webhooks, by outcome."
    );
    describe_counter!("wattbook_mails_total", "Attempts to send mails to users, by outcome.");
}
