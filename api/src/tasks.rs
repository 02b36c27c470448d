//! The background tasks of a process, in one list: what each is called, when it acts, which process
//! runs it, and who does it. They are started and ended here.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet};

use crate::recorder;
use crate::service::booking::re_evaluation;
use crate::service::feeds::{agenda_lease, source_lease};
use crate::service::meters::meter_lease;
use crate::service::shared::{Shared, stored_quantity};
use crate::service::webhooks::{OWN_LEASE, OWN_LOOK, webhook_lease};
use crate::service::{
    Services, audit, clock_watch, dialogue, events, feeds, ledger, live_power, measurements,
    notifications, other_sites, power_management, recalibration, resource_manager, retention,
    series, shares, simulations, upkeep,
};

use Acts::{Every, OnNews, OnSchedule};
use RunBy::{Each, Holder, Taker};

/// When a task acts.
enum Acts {
    /// So often, and where a bell wakes it.
    Every(Duration),
    /// When its own schedule says so.
    OnSchedule,
    /// When there is something to pass on.
    OnNews,
}

/// Which processes on a database run a task.
enum RunBy {
    /// All of them.
    Each,
    /// The one that has this lease, for as long as it keeps it.
    Holder(String),
    /// The one that takes this lease whenever there is something to do.
    Taker(&'static str),
}

/// What is done in the background.
struct Task {
    name: String,
    acts: Acts,
    run_by: RunBy,
    work: Work,
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// All tasks.
fn list(services: &Services) -> Vec<Task> {
    let Services { shared, booking, dialogue: supplier, .. } = services;
    let stop = || shared.stop.clone();
    let mut list = Vec::new();
    let mut add = |name: &str, acts: Acts, run_by: RunBy, work: Work| {
        list.push(Task { name: name.to_owned(), acts, run_by, work });
    };
    let work = recorder::keep_summing_up(stop());
    add("sum up measurements", Every(recorder::SUM_UP), Each, Box::pin(work));
    let work = Arc::clone(&services.clock_watch).watch_clock(stop());
    add("watch the clock", Every(clock_watch::LOOK), Each, Box::pin(work));
    let teller = Holder(clock_watch::LEASE.to_owned());
    let work = Arc::clone(&services.clock_watch).tell_jumps(stop());
    add("tell jumps of the clock", Every(clock_watch::LOOK), teller, Box::pin(work));
    let work = Arc::clone(&services.upkeep).move_reservations_on(stop());
    add("move reservations on", Every(upkeep::MOVE_ON), Each, Box::pin(work));
    let work = Arc::clone(&services.upkeep).clear_up(stop());
    add("clear up", Every(upkeep::CLEAR_UP), Each, Box::pin(work));
    let work = Arc::clone(&services.retention).prune_old(stop());
    let pruner = Holder(retention::LEASE.to_owned());
    add("prune what is old", Every(retention::EVERY), pruner, Box::pin(work));
    let work = Arc::clone(&services.upkeep).record_left(stop());
    add("record what was left begun", Every(audit::LOOK), Each, Box::pin(work));
    let work = Arc::clone(&services.events).hand_out(stop());
    add("hand out events", Every(events::LOOK), Each, Box::pin(work));
    let work = Arc::clone(&services.simulations).play_simulations(stop());
    add("play simulations", Every(simulations::LOOK), Each, Box::pin(work));
    let work = Arc::clone(booking).re_evaluate(stop());
    add("re-evaluate", Every(re_evaluation::LOOK), Taker(re_evaluation::LEASE), Box::pin(work));
    let speaker = || Holder(dialogue::LEASE.to_owned());
    let work = Arc::clone(supplier).negotiate(stop());
    add("speak with the supplier", Every(dialogue::LOOK), speaker(), Box::pin(work));
    let work = Arc::clone(supplier).deliver_messages(stop());
    add("deliver messages", Every(dialogue::DELIVER_EVERY), speaker(), Box::pin(work));
    #[cfg(feature = "openadr")]
    {
        let work = Arc::clone(supplier).hear_supplier(stop());
        add("hear the supplier", OnSchedule, speaker(), Box::pin(work));
    }
    let work = Arc::clone(&services.resource_manager).keep_equal(stop());
    let poll =
        shared.settings.manager.as_ref().map_or(resource_manager::LOOK_WITHOUT, |it| it.poll);
    let keeper = Holder(resource_manager::LEASE.to_owned());
    add("keep the resource manager equal", Every(poll), keeper, Box::pin(work));
    if let Some(power) = &shared.settings.power {
        let work = Arc::clone(&services.power_management).manage_power(stop());
        let switcher = Holder(power_management::LEASE.to_owned());
        add("plan and switch the power of nodes", Every(power.every), switcher, Box::pin(work));
    }
    let work = Arc::clone(&services.ledger).state_hours(stop());
    let keeper = Holder(ledger::LEASE.to_owned());
    add("state hours of the ledger", Every(ledger::LOOK), keeper, Box::pin(work));
    let work = Arc::clone(&services.series).keep_booked(stop());
    let keeper = Holder(series::LEASE.to_owned());
    add("keep series booked", Every(series::LOOK), keeper, Box::pin(work));
    if shared.settings.shares.told {
        let work = Arc::clone(&services.shares).keep_factors(stop());
        add("find how accounts stand", Every(shares::LOOK), Each, Box::pin(work));
    }
    let work = Arc::clone(&services.live_power).watch_excesses(stop());
    let watcher = Holder(live_power::LEASE.to_owned());
    add("compare power with what was planned", Every(live_power::LOOK), watcher, Box::pin(work));
    let work = Arc::clone(&services.measurements).forget_old(stop());
    let forgetter = Holder(measurements::LEASE.to_owned());
    add("forget old measurements", Every(measurements::THIN_EVERY), forgetter, Box::pin(work));
    if recalibration::follows(&shared.settings) {
        let work = Arc::clone(&services.recalibration).follow_measurements(stop());
        let every = Every(shared.settings.calibration.every);
        let judge = Holder(recalibration::LEASE.to_owned());
        list.push(Task {
            name: "judge nodes by what is measured".to_owned(),
            acts: every,
            run_by: judge,
            work: Box::pin(work),
        });
    }
    if !shared.settings.sites.is_empty() {
        list.push(Task {
            name: "go on with reservations at other sites".to_owned(),
            acts: Every(other_sites::LOOK),
            run_by: Holder(other_sites::LEASE.to_owned()),
            work: Box::pin(Arc::clone(&services.other_sites).keep_asking(stop())),
        });
    }
    list.extend(of_feeds(services));
    for (index, settings) in shared.settings.metering.meters.iter().enumerate() {
        if settings.source.is_polled() {
            let work = Arc::clone(&services.meters).poll_meter(index, stop());
            let id = &settings.meter.name;
            let (name, lease) = (format!("ask the meter {id}"), meter_lease(id));
            list.push(Task { name, acts: OnSchedule, run_by: Holder(lease), work: Box::pin(work) });
        }
    }
    list.extend(of_users(services));
    for (index, webhook) in shared.settings.webhooks.iter().enumerate() {
        let work = Arc::clone(&services.webhooks).tell_webhook(index, stop());
        let (name, lease) = (format!("tell {}", webhook.id), webhook_lease(&webhook.id));
        list.push(Task { name, acts: OnNews, run_by: Holder(lease), work: Box::pin(work) });
    }
    list
}

/// The tasks that tell users what becomes of what is theirs.
fn of_users(services: &Services) -> Vec<Task> {
    let stop = || services.shared.stop.clone();
    let mut list = vec![Task {
        name: "tell users' webhooks".to_owned(),
        acts: Every(OWN_LOOK),
        run_by: Holder(OWN_LEASE.to_owned()),
        work: Box::pin(Arc::clone(&services.webhooks).tell_own_webhooks(stop())),
    }];
    if services.notifications.sends_mails() {
        list.push(Task {
            name: "tell users by mail".to_owned(),
            acts: Every(notifications::LOOK),
            run_by: Holder(notifications::LEASE.to_owned()),
            work: Box::pin(Arc::clone(&services.notifications).tell_by_mail(stop())),
        });
    }
    list
}

/// The tasks of sources and of agendas that are composed.
fn of_feeds(services: &Services) -> Vec<Task> {
    let (Services { shared, feeds, .. }, stop) = (services, || services.shared.stop.clone());
    let settings = &shared.settings.feeds;
    let mut list = vec![Task {
        name: "look for refreshes".to_owned(),
        acts: Every(feeds::REFRESH_EVERY),
        run_by: Each,
        work: Box::pin(Arc::clone(feeds).watch_refreshes(stop())),
    }];
    // Once, at the start.
    let work = Arc::clone(feeds).end_former_disagreements(stop());
    let name = "end disagreements of sources that are gone".to_owned();
    list.push(Task { name, acts: OnSchedule, run_by: Each, work: Box::pin(work) });
    for (index, source) in settings.sources.iter().enumerate() {
        let work = Arc::clone(feeds).poll_source(index, stop());
        let (name, lease) = (format!("poll {}", source.id), source_lease(&source.id));
        list.push(Task { name, acts: OnSchedule, run_by: Holder(lease), work: Box::pin(work) });
    }
    #[cfg(feature = "openadr")]
    if let Some(source) = settings.sources.iter().find(|it| it.provider.is_openadr()) {
        let work = Arc::clone(feeds).listen_to_supplier(stop());
        let (name, lease) = ("listen to the supplier".to_owned(), source_lease(&source.id));
        list.push(Task { name, acts: OnNews, run_by: Holder(lease), work: Box::pin(work) });
    }
    for (index, rules) in settings.agendas.iter().enumerate() {
        let work = Arc::clone(feeds).compose_agenda(index, stop());
        let quantity = stored_quantity(rules.quantity);
        let (name, lease) = (format!("compose {}", quantity.word()), agenda_lease(quantity));
        let acts = Every(feeds::COMPOSE_EVERY);
        list.push(Task { name, acts, run_by: Holder(lease), work: Box::pin(work) });
    }
    if settings.other_co2().is_some() {
        let work = Arc::clone(feeds).keep_other_co2(stop());
        let name = "compose co2 by the other accounting".to_owned();
        let acts = Every(feeds::COMPOSE_EVERY);
        list.push(Task { name, acts, run_by: Each, work: Box::pin(work) });
    }
    list
}

impl fmt::Display for Acts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Every(period) => write!(f, "every {period:?}"),
            OnSchedule => f.write_str("on a schedule of its own"),
            OnNews => f.write_str("when there is something to pass on"),
        }
    }
}

impl fmt::Display for RunBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Each => f.write_str("every process"),
            Holder(lease) => write!(f, "the process that has the lease {lease}"),
            Taker(lease) => write!(f, "the process that takes the lease {lease}"),
        }
    }
}

/// The tasks at work.
pub struct Tasks {
    shared: Arc<Shared>,
    /// Takes and renews leases.
    keeping: JoinHandle<()>,
    /// Those that one of several processes runs, by a lease.
    by_lease: JoinSet<()>,
    /// Those that all processes run.
    by_all: JoinSet<()>,
}

impl Tasks {
    /// Starts all tasks. They go on until the services are told to stop.
    pub fn start(services: &Services) -> Self {
        let shared = Arc::clone(&services.shared);
        let (mut by_lease, mut by_all) = (JoinSet::new(), JoinSet::new());
        let mut names: Vec<String> = Vec::new();
        for Task { name, acts, run_by, work } in list(services) {
            tracing::debug!(name, "a task acts {acts}, run by {run_by}");
            match run_by {
                Each => _ = by_all.spawn(work),
                Taker(_) => _ = by_lease.spawn(work),
                Holder(lease) => {
                    by_lease.spawn(work);
                    if !names.contains(&lease) {
                        names.push(lease);
                    }
                }
            }
        }
        let kept = Arc::clone(&shared);
        let keeping = async move { kept.leases.keep(names, kept.stop.clone()).await };
        Self { shared, keeping: tokio::spawn(keeping), by_lease, by_all }
    }

    /// Returns when all tasks have ended what they were doing, which they do once the services are
    /// told to stop. Leases are given up as soon as nobody works by them.
    pub async fn ended(self) {
        let Self { shared, keeping, by_lease, by_all } = self;
        if let Err(error) = keeping.await {
            tracing::error!(%error, "the task that keeps leases failed");
        }
        joined(by_lease).await;
        shared.leases.give_up_all().await;
        joined(by_all).await;
    }
}

async fn joined(mut tasks: JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a task failed");
        }
    }
}
