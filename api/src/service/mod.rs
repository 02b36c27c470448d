//! Use cases: read what is needed, call one pure planner function with plain values, write.
//!
//! One service for each noun, each with an error of its own that says only what it can meet. What
//! they share is in [`shared`], which knows none of them; services know each other one way only.
//!
//! Plans rest on the site in memory (`shared`). Those that book are made one at a time in this
//! process: each is written only if the book's version is still the one it was made from, so that
//! other processes on the same database are safe too, and one made while another is written would
//! always have to be made again. Quotes and choices take no part in that queue.

pub mod agendas;
pub mod audit;
pub mod book_views;
pub mod booking;
pub mod calendar;
pub mod clock_watch;
pub mod cluster;
pub mod dialogue;
pub mod events;
pub mod feeds;
pub mod ledger;
pub mod live_power;
pub mod measurements;
pub mod meters;
pub mod notifications;
pub mod other_sites;
pub mod power_management;
pub mod projects;
pub mod quotas;
pub mod readiness;
pub mod recalibration;
pub mod resource_manager;
pub mod retention;
pub mod series;
pub mod shared;
pub mod shares;
pub mod sign_in;
pub mod simulations;
pub mod start_predictions;
pub mod tokens;
pub mod upkeep;
pub mod webhooks;

use std::sync::Arc;

use storage::Database;

use crate::config::Settings;
use crate::leases::Leases;
use agendas::AgendaService;
use audit::AuditService;
use book_views::BookViewService;
use booking::BookingService;
use calendar::CalendarService;
use clock_watch::ClockWatchService;
use cluster::ClusterService;
use dialogue::DialogueService;
use events::EventService;
use feeds::FeedService;
use ledger::LedgerService;
use live_power::LivePowerService;
use measurements::MeasurementService;
use meters::MeterService;
use notifications::NotificationService;
use other_sites::OtherSiteService;
use power_management::PowerManagementService;
use projects::ProjectService;
use quotas::QuotaService;
use readiness::ReadinessService;
use recalibration::RecalibrationService;
use resource_manager::ResourceManagerService;
use retention::RetentionService;
use series::SeriesService;
use shared::Shared;
use shares::ShareService;
use sign_in::SignInService;
use simulations::SimulationService;
use start_predictions::StartPredictionService;
use tokens::TokenService;
use upkeep::UpkeepService;
use webhooks::WebhookService;

/// All services of a process.
#[derive(Clone)]
pub struct Services {
    /// What they share.
    pub shared: Arc<Shared>,
    /// Agendas as they were put and as they are in force.
    pub agendas: Arc<AgendaService>,
    /// Who did or read what.
    pub audit: Arc<AuditService>,
    /// The book as people see it.
    pub book_views: Arc<BookViewService>,
    /// Quotes, proposals and reservations.
    pub booking: Arc<BookingService>,
    /// Calendar feeds at secret addresses.
    pub calendar: Arc<CalendarService>,
    /// Nodes, their calibration, and outages.
    pub cluster: Arc<ClusterService>,
    /// What is said between site and supplier.
    pub dialogue: Arc<DialogueService>,
    /// Events as they are committed.
    pub events: Arc<EventService>,
    /// Where agendas come from beside the API.
    pub feeds: Arc<FeedService>,
    /// Whose energy each hour's was.
    pub ledger: Arc<LedgerService>,
    /// Power now.
    pub live_power: Arc<LivePowerService>,
    /// What meters measure.
    pub measurements: Arc<MeasurementService>,
    /// Meters that are asked.
    pub meters: Arc<MeterService>,
    /// Mails to users.
    pub notifications: Arc<NotificationService>,
    /// Other sites that are asked for offers.
    pub other_sites: Arc<OtherSiteService>,
    /// Nodes that are switched to save energy.
    pub power_management: Arc<PowerManagementService>,
    /// Projects and who is in them.
    pub projects: Arc<ProjectService>,
    /// What users and projects may hold, and what they have used of it.
    pub quotas: Arc<QuotaService>,
    /// Whether the clock jumps.
    pub clock_watch: Arc<ClockWatchService>,
    /// Whether bookings can be written.
    pub readiness: Arc<ReadinessService>,
    /// Calibration that follows what meters measure.
    pub recalibration: Arc<RecalibrationService>,
    /// What runs jobs on the nodes.
    pub resource_manager: Arc<ResourceManagerService>,
    /// What is old and is pruned.
    pub retention: Arc<RetentionService>,
    /// Requests that recur.
    pub series: Arc<SeriesService>,
    /// How users and projects stand by what they used.
    pub shares: Arc<ShareService>,
    /// People who sign in at an issuer.
    pub sign_in: Arc<SignInService>,
    /// Experiments in the background.
    pub simulations: Arc<SimulationService>,
    /// When jobs would start that are not booked.
    pub start_predictions: Arc<StartPredictionService>,
    /// Tokens that are used.
    pub tokens: Arc<TokenService>,
    /// What time alone changes.
    pub upkeep: Arc<UpkeepService>,
    /// Events sent to webhooks.
    pub webhooks: Arc<WebhookService>,
}

impl Services {
    /// Services on an open database.
    pub fn new(settings: Settings, database: Database) -> Self {
        let leases = Leases::new(database.clone(), settings.feeds.lease)
            .with_shorter(dialogue::LEASE, dialogue::LEASE_LASTS)
            .with_shorter(resource_manager::LEASE, resource_manager::LEASE_LASTS)
            .with_shorter(power_management::LEASE, power_management::LEASE_LASTS)
            .with_shorter(ledger::LEASE, ledger::LEASE_LASTS);
        let shared = Arc::new(Shared::new(settings, database, leases));
        let agendas = Arc::new(AgendaService::new(Arc::clone(&shared)));
        let audit = Arc::new(AuditService::new(Arc::clone(&shared)));
        let events = Arc::new(EventService::new(Arc::clone(&shared)));
        let booking = Arc::new(BookingService::new(Arc::clone(&shared)));
        let cluster = Arc::new(ClusterService::new(Arc::clone(&shared)));
        let manager = ResourceManagerService::new(Arc::clone(&shared), Arc::clone(&cluster));
        let manager = Arc::new(manager);
        let measurements = Arc::new(MeasurementService::new(Arc::clone(&shared)));
        let dialogue = DialogueService::new(Arc::clone(&shared), Arc::clone(&booking));
        let book_views = Arc::new(BookViewService::new(Arc::clone(&shared)));
        let live_power = LivePowerService::new(
            Arc::clone(&shared),
            Arc::clone(&booking),
            Arc::clone(&book_views),
        );
        let feeds = Arc::new(FeedService::new(Arc::clone(&shared), Arc::clone(&agendas)));
        let ledger =
            LedgerService::new(Arc::clone(&shared), Arc::clone(&measurements), Arc::clone(&feeds));
        let ledger = Arc::new(ledger);
        let retention = RetentionService::new(Arc::clone(&shared), Arc::clone(&ledger));
        let retention = Arc::new(retention);
        Self {
            notifications: Arc::new(NotificationService::new(
                Arc::clone(&shared),
                Arc::clone(&ledger),
            )),
            calendar: Arc::new(CalendarService::new(Arc::clone(&shared))),
            dialogue: Arc::new(dialogue),
            live_power: Arc::new(live_power),
            book_views,
            cluster,
            start_predictions: Arc::new(StartPredictionService::new(
                Arc::clone(&shared),
                Arc::clone(&manager),
            )),
            resource_manager: manager,
            feeds,
            ledger,
            meters: Arc::new(MeterService::new(Arc::clone(&shared), Arc::clone(&measurements))),
            recalibration: Arc::new(RecalibrationService::new(
                Arc::clone(&shared),
                Arc::clone(&measurements),
            )),
            measurements,
            power_management: Arc::new(PowerManagementService::new(Arc::clone(&shared))),
            other_sites: Arc::new(OtherSiteService::new(Arc::clone(&shared), Arc::clone(&booking))),
            projects: Arc::new(ProjectService::new(Arc::clone(&shared))),
            quotas: Arc::new(QuotaService::new(Arc::clone(&shared), Arc::clone(&booking))),
            clock_watch: Arc::new(ClockWatchService::new(Arc::clone(&shared))),
            readiness: Arc::new(ReadinessService::new(Arc::clone(&shared))),
            tokens: Arc::new(TokenService::new(Arc::clone(&shared))),
            series: Arc::new(SeriesService::new(Arc::clone(&shared), Arc::clone(&booking))),
            shares: Arc::new(ShareService::new(Arc::clone(&shared), Arc::clone(&booking))),
            sign_in: Arc::new(SignInService::new(Arc::clone(&shared))),
            simulations: Arc::new(SimulationService::new(
                Arc::clone(&shared),
                Arc::clone(&agendas),
            )),
            retention,
            upkeep: Arc::new(UpkeepService::new(
                Arc::clone(&shared),
                Arc::clone(&events),
                Arc::clone(&audit),
            )),
            webhooks: Arc::new(WebhookService::new(Arc::clone(&shared), Arc::clone(&events))),
            agendas,
            audit,
            booking,
            events,
            shared,
        }
    }

    /// Closes the database once nothing is in progress.
    pub async fn close(&self) {
        self.audit.settled().await;
        self.shared.database.close().await;
    }
}
