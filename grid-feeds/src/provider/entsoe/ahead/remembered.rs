//! What the platform told of past weeks, so that a poll asks only for what is new.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use planner::time::{Seconds, Span, Timestamp};

use crate::carbon_ahead::{BorderHours, Hourly, hourly, is_told_around};
use crate::provider::entsoe::powers::{PlatformDocument, PowerKind, ZonePowers};

/// So far back the platform still changes what it said.
const REVISED: Seconds = Seconds::new(2 * 86_400);

/// What is not told so long after its time is not asked for any more.
const LATEST: Seconds = Seconds::new(7 * 86_400);

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::provider::entsoe) enum Topic {
    Generation,
    WeatherForecast,
    GenerationForecast,
    LoadForecast,
    Flow,
    Exchange,
}

/// What a question is about: a zone, or what goes from one zone into another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::provider::entsoe) struct Subject {
    pub topic: Topic,
    /// Of what goes over a border: the zone that it goes into.
    pub zone: Box<str>,
    /// The zone that it comes from; empty where the topic is no border's.
    from: Box<str>,
}

/// Mean powers in MW by kind and hour.
pub(in crate::provider::entsoe) type KindPowers = BTreeMap<PowerKind, Hourly>;

/// What was told, by subject.
#[derive(Clone, Debug, Default)]
pub(in crate::provider::entsoe) struct Memory {
    since: Option<Timestamp>,
    powers: BTreeMap<Subject, KindPowers>,
    /// So far all kinds of a subject were told, but no later than it was asked for.
    told_until: BTreeMap<Subject, Timestamp>,
    /// So far questions reached that had an answer, were it that there is nothing.
    answered_until: BTreeMap<Subject, Timestamp>,
    /// The subjects whose last question had no answer.
    unanswered: BTreeSet<Subject>,
}

impl Topic {
    /// Whether it is told of what is to come.
    pub const fn is_ahead(self) -> bool {
        !matches!(self, Self::Generation | Self::Flow)
    }

    /// What it is, in words.
    const fn word(self) -> &'static str {
        match self {
            Self::Generation => "generation (A75)",
            Self::WeatherForecast => "forecast of wind and solar power (A69)",
            Self::GenerationForecast => "forecast of generation (A71)",
            Self::LoadForecast => "forecast of load (A65)",
            Self::Flow => "flow (A11)",
            Self::Exchange => "scheduled exchange (A09)",
        }
    }
}

impl Subject {
    /// What is told of one zone.
    pub fn of(topic: Topic, zone: &str) -> Self {
        Self { topic, zone: zone.into(), from: "".into() }
    }

    /// What is told of one direction of a border.
    pub fn between(topic: Topic, from: &str, into: &str) -> Self {
        Self { topic, zone: into.into(), from: from.into() }
    }

    /// The document that tells it, which is asked for about the zone.
    pub fn document(&self) -> PlatformDocument<'_> {
        match self.topic {
            Topic::Generation => PlatformDocument::Generation,
            Topic::WeatherForecast => PlatformDocument::WindAndSolarForecast,
            Topic::GenerationForecast => PlatformDocument::GenerationForecast,
            Topic::LoadForecast => PlatformDocument::LoadForecast,
            Topic::Flow => PlatformDocument::PhysicalFlow { from: &self.from },
            Topic::Exchange => PlatformDocument::ScheduledExchange { from: &self.from },
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topic, zone, from } = self;
        match topic {
            Topic::Flow | Topic::Exchange => write!(f, "{} from {from} into {zone}", topic.word()),
            _ => write!(f, "{} of {zone}", topic.word()),
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

    /// What to ask for of a subject until `until`; `None` where there is nothing to ask.
    pub fn window(&self, subject: &Subject, until: Timestamp) -> Option<Span> {
        let since = self.since?;
        let told = self.told_until.get(subject);
        Span::new(told.map_or(since, |&told| (told - REVISED).max(since)), until)
    }

    /// Learns what was told at `now`.
    pub fn learn(&mut self, subject: &Subject, told: &ZonePowers, now: Timestamp) {
        let powers = self.powers.entry(subject.clone()).or_default();
        for (kind, agenda) in &told.kinds {
            powers.entry(kind.clone()).or_default().extend(hourly(agenda));
        }
        let ends = told.kinds.values().filter_map(|it| Some(it.pieces().last()?.span.end()));
        let end = ends.min().unwrap_or(now).clamp(now - LATEST, now);
        self.told_until.insert(subject.clone(), end);
    }

    /// A question about a subject until `until` had an answer.
    pub fn answered(&mut self, subject: &Subject, until: Timestamp) {
        self.unanswered.remove(subject);
        let answered = self.answered_until.entry(subject.clone()).or_insert(until);
        *answered = until.max(*answered);
    }

    /// A question about a subject had no answer.
    pub fn unanswered(&mut self, subject: &Subject) {
        self.unanswered.insert(subject.clone());
    }

    /// From when on nobody could say anything of a subject; `None` where its last question had an answer.
    fn unknown_from(&self, subject: &Subject) -> Option<Timestamp> {
        let until = || self.answered_until.get(subject).copied().unwrap_or(Timestamp::MIN);
        self.unanswered.contains(subject).then(until)
    }

    /// What is known of a subject, by kind.
    pub fn kinds(&self, subject: &Subject) -> Option<&KindPowers> {
        self.powers.get(subject).filter(|kinds| !kinds.is_empty())
    }

    /// The sum of the kinds that count, where each is known that is told of around the hour; `None` where none counts.
    pub fn sum(&self, subject: &Subject, counts: impl Fn(&PowerKind) -> bool) -> Option<Hourly> {
        let kinds = self.kinds(subject)?;
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

    /// What goes over the border of two zones, into the first and out of it: what flowed, or what is scheduled.
    pub fn border(&self, topic: Topic, first: &str, second: &str) -> BorderHours {
        let [imports, exports] =
            [Subject::between(topic, second, first), Subject::between(topic, first, second)];
        let hours = |subject| self.sum(subject, |_| true).unwrap_or_default();
        BorderHours {
            imports: hours(&imports),
            exports: hours(&exports),
            imports_unknown_from: self.unknown_from(&imports),
            exports_unknown_from: self.unknown_from(&exports),
        }
    }
}
