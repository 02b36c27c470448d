//! Where measurements are kept: counters, gauges and histograms of this process.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

/// Where counters and histograms are kept; one for the process.
static RECORDED: OnceLock<PrometheusHandle> = OnceLock::new();

/// From half a millisecond to the usual time limit.
const PLAN_SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Begins to record.
///
/// # Errors
/// Only where buckets are wrong; a recorder that is there already stays.
pub fn record() -> Result<(), BuildError> {
    let plans = Matcher::Full("wattbook_plan_duration_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(plans, &PLAN_SECONDS)?;
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_ok() {
        describe();
        RECORDED.get_or_init(|| handle);
    }
    Ok(())
}

/// How often it is summed up.
pub const SUM_UP: Duration = Duration::from_secs(1);

/// Sums up what was recorded now and again, until told to stop: histograms keep every value until
/// then, whether anybody asks for them or not.
pub async fn keep_summing_up(stop: CancellationToken) {
    loop {
        sum_up();
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SUM_UP) => {}
        }
    }
}

/// What was recorded, as Prometheus text; nothing before it is recorded.
pub fn text() -> String {
    sum_up();
    RECORDED.get().map(PrometheusHandle::render).unwrap_or_default()
}

fn sum_up() {
    if let Some(handle) = RECORDED.get() {
        handle.run_upkeep();
    }
}

fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};
    describe_counter!("wattbook_quotes_total", "Quotes asked for.");
    describe_counter!("wattbook_proposals_total", "Reservations proposed.");
    describe_counter!("wattbook_confirmations_total", "Choices that succeeded.");
    describe_counter!("wattbook_extensions_total", "Reservations that got a later end.");
    describe_counter!("wattbook_modifications_total", "Reservations that got another request.");
    describe_counter!("wattbook_releases_total", "Reservations of which nodes were given back.");
    describe_histogram!(
        "wattbook_plan_duration_seconds",
        "Time of a plan, its wait for a thread included."
    );
    describe_gauge!("wattbook_book_reservations", "Reservations that hold nodes.");
    describe_gauge!("wattbook_measured_nodes", "Nodes with a fresh sample; no partition: of all.");
    describe_gauge!("wattbook_measured_power_watts", "What measured nodes draw together.");
    describe_gauge!("wattbook_planned_power_watts", "What was planned of all nodes for now.");
    describe_gauge!("wattbook_planned_of_measured_watts", "What was planned of measured nodes.");
    describe_gauge!("wattbook_site_power_watts", "What the site's meter says.");
    describe_gauge!("wattbook_power_cap_watts", "The power cap in force.");
    describe_gauge!("wattbook_book_held", "Reservations of which no offer is chosen yet.");
    describe_counter!("wattbook_feed_requests_total", "Requests to suppliers by this process.");
    describe_counter!(
        "wattbook_feed_failures_total",
        "Polls of this process that failed, by class."
    );
    describe_gauge!("wattbook_feed_up", "Whether the source is heard of and fresh.");
    describe_gauge!("wattbook_feed_age_seconds", "Since the source last answered.");
    describe_gauge!(
        "wattbook_feed_horizon_seconds",
        "How far ahead the source reaches; negative where it ends in the past."
    );
    describe_gauge!(
        "wattbook_agenda_horizon_seconds",
        "How far ahead the agenda in force reaches."
    );
    describe_gauge!("wattbook_agenda_gap_seconds", "Time ahead without a value.");
    describe_counter!(
        "wattbook_webhook_messages_total",
        "Attempts of this process to tell webhooks events, by outcome."
    );
    describe_gauge!("wattbook_webhook_up", "Whether the last attempt went well.");
    describe_counter!(
        "wattbook_refused_total",
        "Connections and requests refused for a limit of connections, by limit."
    );
    describe_counter!(
        "wattbook_slurm_polls_total",
        "Polls of the resource manager by this process, by outcome."
    );
    describe_gauge!(
        "wattbook_slurm_reservations",
        "Managed reservations that are not settled, by state; of the process that keeps them."
    );
    describe_histogram!(
        "wattbook_slurm_push_seconds",
        "Time until a managed reservation was put and read back."
    );
    describe_gauge!(
        "wattbook_slurm_clock_difference_seconds",
        "How far the resource manager's clock is ahead of this machine's."
    );
    describe_counter!(
        "wattbook_slurm_jobs_linked_total",
        "Jobs that were linked to reservations by this process."
    );
    describe_counter!(
        "wattbook_power_actions_total",
        "Orders of this process to switch nodes on, by outcome."
    );
    describe_counter!(
        "wattbook_own_webhook_messages_total",
        "Attempts of this process to tell users' own webhooks, by outcome."
    );
    describe_counter!(
        "wattbook_mails_total",
        "Attempts of this process to send mails to users, by outcome."
    );
    describe_gauge!("wattbook_mails_waiting", "Mails to users that are yet to be sent.");
    describe_gauge!("wattbook_webhook_behind_events", "Events that the webhook has yet to pass.");
}
