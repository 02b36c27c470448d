//! What the platform told of past weeks, so that a poll asks only for what is new.

use std::collections::{BTreeMap, BTreeSet};

use planner::time::{Seconds, Span, Timestamp};

use crate::carbon_ahead::{BorderHours, Hourly, hourly, is_told_around};
use crate::provider::entsoe::powers::{PlatformDocument, PowerKind, ZonePowers};

/// So far back the platform still changes what it said.
const REVISED: Seconds = Seconds::new(2 * 86_400);

/// What is not told so long after its time is not asked for any more.
const LATEST: Seconds = Seconds::new(7 * 86_400);

/// A kind of document, of one zone or of its border with a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::provider::entsoe) enum Topic {
    Generation,
    WeatherForecast,
    GenerationForecast,
    LoadForecast,
    /// From the neighbour into our zone.
    FlowIn,
    /// From our zone into the neighbour.
    FlowOut,
    ExchangeIn,
    ExchangeOut,
}

/// Mean powers in MW by kind and hour.
pub(in crate::provider::entsoe) type KindPowers = BTreeMap<PowerKind, Hourly>;

/// What was told, by topic and zone.
#[derive(Clone, Debug, Default)]
pub(in crate::provider::entsoe) struct Memory {
    since: Option<Timestamp>,
    powers: BTreeMap<(Topic, Box<str>), KindPowers>,
    /// So far all kinds of a topic were told, but no later than it was asked for.
    told_until: BTreeMap<(Topic, Box<str>), Timestamp>,
    /// So far questions reached that had an answer, were it that there is nothing.
    answered_until: BTreeMap<(Topic, Box<str>), Timestamp>,
    /// The topics whose last question had no answer.
    unanswered: BTreeSet<(Topic, Box<str>)>,
}

impl Topic {
    /// Whether it is told of what is to come.
    pub const fn is_ahead(self) -> bool {
        !matches!(self, Self::Generation | Self::FlowIn | Self::FlowOut)
    }

    /// What it is, in words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Generation => "generation (A75)",
            Self::WeatherForecast => "forecast of wind and solar power (A69)",
            Self::GenerationForecast => "forecast of generation (A71)",
            Self::LoadForecast => "forecast of load (A65)",
            Self::FlowIn => "flow in (A11)",
            Self::FlowOut => "flow out (A11)",
            Self::ExchangeIn => "scheduled exchange in (A09)",
            Self::ExchangeOut => "scheduled exchange out (A09)",
        }
    }

    /// The document that tells it, and the zone to ask about. Of flows `other` is the neighbour, else the zone itself.
    pub const fn document<'a>(
        self,
        zone: &'a str,
        other: &'a str,
    ) -> (&'a str, PlatformDocument<'a>) {
        match self {
            Self::Generation => (other, PlatformDocument::Generation),
            Self::WeatherForecast => (other, PlatformDocument::WindAndSolarForecast),
            Self::GenerationForecast => (other, PlatformDocument::GenerationForecast),
            Self::LoadForecast => (other, PlatformDocument::LoadForecast),
            Self::FlowIn => (zone, PlatformDocument::PhysicalFlow { from: other }),
            Self::FlowOut => (other, PlatformDocument::PhysicalFlow { from: zone }),
            Self::ExchangeIn => (zone, PlatformDocument::ScheduledExchange { from: other }),
            Self::ExchangeOut => (other, PlatformDocument::ScheduledExchange { from: zone }),
        }
    }
}

impl Memory {
    /// Keeps what is told from `since` on; forgets all where less was asked for before.
    pub fn begin(&mut self, since: Timestamp) {
        if self.since.is_some_and(|before| before > since) {
            *self = Self::default();
        }
        self.since = Some(since);
        self.powers.retain(|_, kinds| {
            kinds.retain(|_, hours| {
                hours.retain(|hour, _| *hour >= since);
                !hours.is_empty()
            });
            !kinds.is_empty()
        });
    }

    /// What to ask for of a topic until `until`; `None` where there is nothing to ask.
    pub fn window(&self, topic: Topic, zone: &str, until: Timestamp) -> Option<Span> {
        let since = self.since?;
        let told = self.told_until.get(&(topic, zone.into()));
        Span::new(told.map_or(since, |&told| (told - REVISED).max(since)), until)
    }

    /// Learns what was told at `now`.
    pub fn learn(&mut self, topic: Topic, zone: &str, told: &ZonePowers, now: Timestamp) {
        let key = (topic, Box::<str>::from(zone));
        let powers = self.powers.entry(key.clone()).or_default();
        for (kind, agenda) in &told.kinds {
            powers.entry(kind.clone()).or_default().extend(hourly(agenda));
        }
        let ends = told.kinds.values().filter_map(|it| Some(it.pieces().last()?.span.end()));
        let end = ends.min().unwrap_or(now).clamp(now - LATEST, now);
        self.told_until.insert(key, end);
    }

    /// A question about a topic until `until` had an answer.
    pub fn answered(&mut self, topic: Topic, zone: &str, until: Timestamp) {
        let key = (topic, Box::<str>::from(zone));
        self.unanswered.remove(&key);
        let answered = self.answered_until.entry(key).or_insert(until);
        *answered = until.max(*answered);
    }

    /// A question about a topic had no answer.
    pub fn unanswered(&mut self, topic: Topic, zone: &str) {
        self.unanswered.insert((topic, zone.into()));
    }

    /// From when on nobody could say anything of a topic; `None` where its last question had an answer.
    fn unknown_from(&self, topic: Topic, zone: &str) -> Option<Timestamp> {
        let key = (topic, Box::<str>::from(zone));
        let until = || self.answered_until.get(&key).copied().unwrap_or(Timestamp::MIN);
        self.unanswered.contains(&key).then(until)
    }

    /// What is known of a topic, by kind.
    pub fn kinds(&self, topic: Topic, zone: &str) -> Option<&KindPowers> {
        self.powers.get(&(topic, zone.into())).filter(|kinds| !kinds.is_empty())
    }

    /// The sum of the kinds that count, where each is known that is told of around the hour; `None` where none counts.
    pub fn sum(
        &self,
        topic: Topic,
        zone: &str,
        counts: impl Fn(&PowerKind) -> bool,
    ) -> Option<Hourly> {
        let kinds = self.kinds(topic, zone)?;
        let kinds: Vec<&Hourly> =
            kinds.iter().filter(|(kind, _)| counts(kind)).map(|(_, hours)| hours).collect();
        let sum = |hour: Timestamp| {
            let told = kinds.iter().filter(|hours| is_told_around(hours, hour));
            told.map(|hours| hours.get(&hour).copied()).sum::<Option<f64>>()
        };
        let hours: BTreeSet<Timestamp> =
            kinds.iter().flat_map(|hours| hours.keys().copied()).collect();
        let sums = hours.into_iter().filter_map(|hour| Some((hour, sum(hour)?)));
        (!kinds.is_empty()).then(|| sums.collect())
    }

    /// What goes over the border with a neighbour: what flowed, or what is scheduled.
    pub fn border(&self, [imports, exports]: [Topic; 2], neighbour: &str) -> BorderHours {
        let hours = |topic| self.sum(topic, neighbour, |_| true).unwrap_or_default();
        BorderHours {
            imports: hours(imports),
            exports: hours(exports),
            imports_unknown_from: self.unknown_from(imports, neighbour),
            exports_unknown_from: self.unknown_from(exports, neighbour),
        }
    }
}
