//! What callers may do: each action with its default, in one table.

use crate::reservation::Role;

/// Whose things somebody who is no operator may do something with; operators may with everybody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regard {
    /// What is theirs.
    Own,
    /// What is theirs, and what people of their projects may as `[projects]` says.
    Projects,
    /// What is theirs, and what is of the projects that they manage.
    Managed,
    /// What is the site's, and nobody's.
    Site,
}

impl Regard {
    /// The word used in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Projects => "projects",
            Self::Managed => "managed",
            Self::Site => "site",
        }
    }
}

/// What rules may say of an action beside who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionScope {
    /// Nothing.
    Whole,
    /// In which partitions.
    Partitions,
    /// Of which projects, and in which partitions.
    Reservations,
}

/// How far rules may move the default of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latitude {
    /// As they want.
    Free,
    /// To give it to others they must say that they mean it.
    Sensitive,
    /// To give it to others they must say that they mean it, and operators keep it: without it nobody sees what others do.
    Kept,
    /// Not at all: who is known needs it to know what they may.
    Fixed,
}

const ANYONE: &[Role] = &[Role::User, Role::Operator, Role::Supplier];
const BOOKERS: &[Role] = &[Role::User, Role::Operator];
const OPERATORS: &[Role] = &[Role::Operator];
const SUPPLIERS: &[Role] = &[Role::Supplier, Role::Operator];

macro_rules! actions {
    ($($name:ident $word:literal $roles:ident $regard:ident $scope:ident $latitude:ident $told:literal;)*) => {
        /// Something that callers do, whatever the route.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $(#[doc = $told] $name,)*
        }

        impl Action {
            /// All of them, in the order in which they are told.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word used in settings and documents.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// The roles that may, unless a rule says otherwise.
            pub const fn roles(self) -> &'static [Role] {
                match self { $(Self::$name => $roles,)* }
            }

            /// With whose things.
            pub const fn regard(self) -> Regard {
                match self { $(Self::$name => Regard::$regard,)* }
            }

            /// What rules may say of it.
            pub const fn scope(self) -> ActionScope {
                match self { $(Self::$name => ActionScope::$scope,)* }
            }

            /// How far rules may move its default.
            pub const fn latitude(self) -> Latitude {
                match self { $(Self::$name => Latitude::$latitude,)* }
            }

            /// What it is, in words.
            pub const fn told(self) -> &'static str {
                match self { $(Self::$name => $told,)* }
            }
        }
    };
}

actions! {
    QuoteCreate "quote.create" BOOKERS Own Reservations Free "Ask what is possible";
    EstimateCreate "estimate.create" BOOKERS Site Whole Free "Ask what services take";
    PredictionCreate "prediction.create" BOOKERS Site Whole Free "Ask when a job would start in the queue";
    ReservationCreate "reservation.create" BOOKERS Own Reservations Free "Propose a reservation";
    ReservationRead "reservation.read" BOOKERS Projects Reservations Free "See reservations and their jobs";
    ReservationChoose "reservation.choose" BOOKERS Projects Reservations Free "Confirm an offer";
    ReservationChange "reservation.change" BOOKERS Projects Reservations Free "Change a request, labels and note";
    ReservationExtend "reservation.extend" BOOKERS Projects Reservations Free "Keep nodes for longer";
    ReservationRelease "reservation.release" BOOKERS Projects Reservations Free "Give nodes back";
    ReservationSwap "reservation.swap" BOOKERS Projects Reservations Free "Get other nodes for those that failed";
    ReservationCancel "reservation.cancel" BOOKERS Projects Reservations Free "Cancel a reservation";
    ReservationShare "reservation.share" BOOKERS Projects Reservations Free "Share a reservation with others";
    ReservationGiveAway "reservation.give_away" BOOKERS Managed Reservations Free "Give a reservation to another owner";
    SiteOfferCreate "site_offer.create" BOOKERS Own Whole Free "Ask other sites what is possible there";
    SiteReservationCreate "site_reservation.create" BOOKERS Own Whole Free "Book at other sites";
    SiteReservationRead "site_reservation.read" BOOKERS Own Whole Free "See reservations at other sites";
    SiteReservationCancel "site_reservation.cancel" BOOKERS Own Whole Free "Cancel reservations at other sites";
    UserActFor "user.act_for" BOOKERS Managed Whole Sensitive "Book for somebody else, as them";
    SimulationRun "simulation.run" BOOKERS Own Whole Free "Start an experiment";
    SimulationRead "simulation.read" BOOKERS Own Whole Free "See experiments and their results";
    SimulationStop "simulation.stop" BOOKERS Own Whole Free "Cancel and remove experiments";
    ScheduleRead "schedule.read" BOOKERS Site Whole Free "See who holds which nodes when";
    EventWatch "event.watch" ANYONE Own Whole Free "Be told what happens";
    CalendarRead "calendar.read" BOOKERS Own Whole Free "See whether there is a calendar feed";
    CalendarChange "calendar.change" BOOKERS Own Whole Free "Make and end a calendar feed";
    NotificationRead "notification.read" BOOKERS Own Whole Free "See what one is told, and where";
    NotificationChange "notification.change" BOOKERS Own Whole Free "Say what one is told, and where";
    NodeRead "node.read" BOOKERS Site Whole Free "See nodes";
    NodeChange "node.change" OPERATORS Site Whole Sensitive "Say which nodes there are";
    OutageRead "outage.read" BOOKERS Site Whole Free "See outages";
    OutageDeclare "outage.declare" OPERATORS Site Partitions Free "Take nodes out of service";
    OutageEnd "outage.end" OPERATORS Site Partitions Free "Put nodes into service again";
    CalibrationRead "calibration.read" BOOKERS Site Whole Free "See calibrations and findings";
    CalibrationChange "calibration.change" OPERATORS Site Whole Free "Send samples, and judge what is proposed";
    MeasurementRead "measurement.read" OPERATORS Site Whole Free "See what meters measured";
    MeasurementSend "measurement.send" OPERATORS Site Whole Free "Send what meters measured";
    MeterRead "meter.read" OPERATORS Site Whole Free "See how meters stand";
    PowerRead "power.read" BOOKERS Site Whole Free "See power now, and idle nodes";
    PowerProfileRead "power_profile.read" ANYONE Site Whole Free "See reserved power and headroom";
    PowerActionRead "power_action.read" BOOKERS Own Whole Free "See which nodes are switched";
    PowerApprove "power.approve" BOOKERS Own Whole Sensitive "Decide on nodes that are switched, as far as the settings name one";
    AgendaRead "agenda.read" ANYONE Site Whole Free "See prices, CO2 and power caps";
    AgendaPublish "agenda.publish" SUPPLIERS Site Whole Sensitive "Announce prices, CO2 and power caps";
    FeedRead "feed.read" ANYONE Site Whole Free "See where agendas come from";
    FeedCompare "feed.compare" OPERATORS Site Whole Free "See which sources were right";
    FeedRefresh "feed.refresh" OPERATORS Site Whole Free "Ask a source now";
    NegotiationRead "negotiation.read" SUPPLIERS Site Whole Free "See the dialogue with the supplier";
    NegotiationAnswer "negotiation.answer" SUPPLIERS Site Whole Sensitive "Answer for the supplier";
    GrantRead "grant.read" ANYONE Site Whole Free "See extra power";
    GrantGive "grant.give" SUPPLIERS Site Whole Sensitive "Give and revoke extra power";
    ConsumptionRead "consumption.read" SUPPLIERS Site Whole Free "See what was consumed";
    ConsumptionSend "consumption.send" SUPPLIERS Site Whole Free "Say what was consumed";
    QuotaRead "quota.read" BOOKERS Own Whole Free "See quotas, and what is left";
    QuotaAdjust "quota.adjust" OPERATORS Site Whole Sensitive "Adjust quotas for a time, and see how they are adjusted";
    ShareRead "share.read" BOOKERS Managed Whole Free "See how accounts stand";
    LedgerRead "ledger.read" BOOKERS Managed Whole Free "See the ledger, reports and bills";
    ModelErrorRead "model_error.read" BOOKERS Own Whole Free "See what was predicted and measured";
    ProjectRead "project.read" BOOKERS Projects Whole Free "See projects and their people";
    ProjectMembers "project.members" BOOKERS Managed Whole Free "Say who is in a project";
    ProjectChange "project.change" OPERATORS Site Whole Sensitive "Make, change and remove projects";
    TokenRead "token.read" ANYONE Own Whole Free "See API tokens";
    TokenChange "token.change" ANYONE Own Whole Free "Make, renew and revoke API tokens";
    SiteRead "site.read" ANYONE Site Whole Free "See the site's name, currency and Slurm's state";
    OccupiedRead "occupied.read" OPERATORS Site Whole Free "See which jobs of others occupy nodes";
    WebhookRead "webhook.read" OPERATORS Site Whole Sensitive "See who is told events";
    MetricsRead "metrics.read" OPERATORS Site Whole Free "See the service's metrics";
    AuditRead "audit.read" OPERATORS Site Whole Kept "See who did what";
    RightsRead "rights.read" ANYONE Own Whole Fixed "See what one may do";
    MeRead "me.read" ANYONE Own Whole Fixed "See who one is";
}

impl Action {
    /// The action of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.word() == word)
    }

    /// Whether it may be done for somebody else, as them.
    pub const fn is_done_for_others(self) -> bool {
        matches!(
            self,
            Self::QuoteCreate
                | Self::ReservationCreate
                | Self::ReservationRead
                | Self::ReservationChoose
                | Self::ReservationChange
                | Self::ReservationExtend
                | Self::ReservationRelease
                | Self::ReservationSwap
                | Self::ReservationShare
                | Self::ReservationCancel
                | Self::ReservationGiveAway
        )
    }
}
