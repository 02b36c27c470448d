//! Asking for what estimates rest on.

use std::sync::PoisonError;
use std::time::Duration;

use planner::agenda::Piece;
use planner::time::{Seconds, Timestamp};

use super::Client;
use crate::carbon_ahead::CarbonEstimates;
use crate::feed::{
    Accounting, FeedError, Fetched, Kind, Quality, Query, Reading, Series, assemble,
};
use crate::local_time::LocalTime;
use crate::provider::entsoe::ahead::{
    AheadSettings, Memory, Subject, Topic, estimated, traced_zone,
};
use crate::provider::entsoe::map::MARKET_ZONE;
use crate::provider::entsoe::powers::PowerKind;

const WEEK: Seconds = Seconds::new(7 * 86_400);

const HOUR: Seconds = Seconds::new(3600);

/// After so many questions in a row without an answer a poll ends.
const MOST_WITHOUT_ANSWER: usize = 3;

/// A poll with all its questions takes no longer.
const LONGEST_POLL: Duration = Duration::from_mins(10);

/// A poll while it asks.
struct AheadPoll {
    /// Whether it is of a span that is over.
    is_past: bool,
    /// What is missing.
    notes: Vec<String>,
    /// Questions without an answer, since the last that had one.
    without_answer: usize,
}

impl Client {
    /// The intensity as it was, and as it is estimated until the end of tomorrow.
    pub(super) async fn ahead_series(
        &self,
        ahead: &AheadSettings,
        query: Query<'_>,
    ) -> Result<Fetched, FeedError> {
        let is_past = query.window.end() <= query.now;
        if is_past && !ahead.imports {
            return self.revision(self.measured(query).await?, query);
        }
        // What is long past is not learnt from.
        let mut memory = if is_past { Memory::default() } else { self.remembered() };
        let told = self.ahead_of(ahead, &mut memory, query, is_past).await;
        if !is_past {
            *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = memory;
        }
        told
    }

    fn remembered(&self) -> Memory {
        std::mem::take(&mut *self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn ahead_of(
        &self,
        ahead: &AheadSettings,
        memory: &mut Memory,
        query: Query<'_>,
        is_past: bool,
    ) -> Result<Fetched, FeedError> {
        let learnt_since = query.now - Seconds::new(WEEK.get() * i64::from(ahead.weeks));
        let since = if is_past { query.window.start() } else { learnt_since };
        memory.begin(since.min(query.window.start()).ceil_to(HOUR));
        let mut poll = AheadPoll { is_past, notes: Vec::new(), without_answer: 0 };
        let collecting = self.collect(ahead, memory, query, &mut poll);
        tokio::time::timeout(LONGEST_POLL, collecting).await.map_err(|_| too_long())??;

        let mut notes = poll.notes;
        let factors = self.settings.factors;
        let until = end_of_tomorrow(query.now)?;
        let (past, estimates) = self.reckoned(ahead, memory, query, until).await?;
        let kind = Kind::Co2 { accounting: Accounting::Average, factors };
        let mut series = if ahead.imports {
            let further = match ahead.borders.len() {
                0 => "alone".to_owned(),
                count => format!("and {count} more"),
            };
            // Before what is missing, since few notes are kept.
            let counted = format!(
                "consumption in the zone; imports are traced over its own borders {further}"
            );
            notes.insert(0, counted);
            let past = past.into_iter().map(|piece| Reading {
                span: piece.span,
                value: piece.value,
                quality: Quality::Measured,
            });
            let agenda = assemble(kind, past.collect(), &mut notes)?;
            Series { kind, issued_at: None, agenda, notes }
        } else {
            let mut measured = match self.measured(query).await {
                Err(FeedError::NotPublished { message }) => {
                    let agenda = assemble(kind, Vec::new(), &mut notes)?;
                    Series { kind, issued_at: None, agenda, notes: vec![message] }
                }
                told => told?,
            };
            measured.notes.append(&mut notes);
            measured
        };
        if let Some(estimates) = estimates {
            let measured_until =
                series.span().map_or(query.window.start(), planner::time::Span::end);
            let known = series.agenda.pieces().iter().map(|piece| Reading {
                span: piece.span,
                value: piece.value.value,
                quality: piece.value.quality,
            });
            let mut readings: Vec<Reading> = known.collect();
            readings.extend(estimated(&estimates, measured_until, &mut series.notes));
            series.agenda = assemble(kind, readings, &mut series.notes)?;
        }
        if series.agenda.pieces().is_empty() {
            return Err(FeedError::not_published("no hour has all that its intensity is made of"));
        }
        self.revision(series, query)
    }

    /// What was where imports count, and what is expected until `until` of spans that are not over. It takes a while, so it is
    /// done beside other work.
    async fn reckoned(
        &self,
        ahead: &AheadSettings,
        memory: &mut Memory,
        query: Query<'_>,
        until: Timestamp,
    ) -> Result<(Vec<Piece<i64>>, Option<CarbonEstimates>), FeedError> {
        let (zone, ahead, factors) =
            (self.settings.zone.clone(), ahead.clone(), self.settings.factors);
        let (kept, window, now) = (std::mem::take(memory), query.window, query.now);
        let reckoning = tokio::task::spawn_blocking(move || {
            let traced = traced_zone(&kept, &zone, &ahead, factors, now);
            let past = if ahead.imports { traced.past(window) } else { Vec::new() };
            let estimates = (window.end() > now).then(|| traced.estimates(now, until));
            (kept, past, estimates)
        });
        let (kept, past, estimates) = reckoning.await.map_err(FeedError::transient)?;
        *memory = kept;
        Ok((past, estimates))
    }

    /// Asks for all topics. Without the zone's own generation there is nothing; what else is missing is noted.
    async fn collect(
        &self,
        ahead: &AheadSettings,
        memory: &mut Memory,
        query: Query<'_>,
        poll: &mut AheadPoll,
    ) -> Result<(), FeedError> {
        let own = self.settings.zone.as_str();
        let own_generation = Subject::of(Topic::Generation, own);
        if memory.kinds(&own_generation).is_none() {
            self.learn(memory, &own_generation, query).await?;
        } else {
            self.try_to_learn(memory, &own_generation, query, poll).await?;
        }
        for zone in std::iter::once(own).chain(ahead.other_zones()) {
            if zone != own {
                let generation = Subject::of(Topic::Generation, zone);
                self.try_to_learn(memory, &generation, query, poll).await?;
            }
            if poll.is_past {
                continue;
            }
            for topic in [Topic::WeatherForecast, Topic::GenerationForecast] {
                self.try_to_learn(memory, &Subject::of(topic, zone), query, poll).await?;
            }
            let is_level = |kind: &PowerKind| *kind == PowerKind::Generation;
            let level = memory.sum(&Subject::of(Topic::GenerationForecast, zone), is_level);
            if level.is_none_or(|hours| hours.range(query.now..).next().is_none()) {
                let load = Subject::of(Topic::LoadForecast, zone);
                self.try_to_learn(memory, &load, query, poll).await?;
            }
        }
        for subject in self.over_borders(ahead, poll.is_past) {
            self.try_to_learn(memory, &subject, query, poll).await?;
        }
        Ok(())
    }

    /// Both directions of all borders: what flowed, where imports count, and what is scheduled of hours to come.
    fn over_borders(&self, ahead: &AheadSettings, is_past: bool) -> Vec<Subject> {
        let topics = [(Topic::Flow, ahead.imports), (Topic::Exchange, !is_past)];
        let mut subjects = Vec::new();
        for (first, second) in ahead.borders_of(&self.settings.zone) {
            for (topic, _) in topics.into_iter().filter(|(_, is_asked)| *is_asked) {
                subjects.push(Subject::between(topic, second, first));
                subjects.push(Subject::between(topic, first, second));
            }
        }
        subjects
    }

    /// Asks for a subject, and notes what goes wrong, unless the poll ends with it.
    async fn try_to_learn(
        &self,
        memory: &mut Memory,
        subject: &Subject,
        query: Query<'_>,
        poll: &mut AheadPoll,
    ) -> Result<(), FeedError> {
        let told = self.learn(memory, subject, query).await;
        let is_own = *subject == Subject::of(Topic::Generation, &self.settings.zone);
        if let Some(error) = poll.missing(told, is_own)? {
            if !matches!(error, FeedError::NotPublished { .. }) {
                memory.unanswered(subject);
            }
            poll.notes.push(format!("{subject}: {error}"));
        }
        Ok(())
    }

    async fn learn(
        &self,
        memory: &mut Memory,
        subject: &Subject,
        query: Query<'_>,
    ) -> Result<(), FeedError> {
        let until = if subject.topic.is_ahead() {
            end_of_tomorrow(query.now)?
        } else {
            query.now.min(query.window.end())
        };
        let Some(window) = memory.window(subject, until) else { return Ok(()) };
        let asked = Query { window, ..query };
        let told = self.powers(asked, &subject.zone, subject.document()).await;
        if matches!(told, Ok(_) | Err(FeedError::NotPublished { .. })) {
            memory.answered(subject, until);
        }
        memory.learn(subject, &told?, query.now);
        Ok(())
    }
}

impl AheadPoll {
    /// Why a topic is missing, if it is.
    ///
    /// # Errors
    /// With which the poll ends: all failures of the zone's own generation and in a back-fill, whose values stay for good; those that
    /// hold for all questions; and three questions in a row without an answer.
    fn missing(
        &mut self,
        told: Result<(), FeedError>,
        is_own: bool,
    ) -> Result<Option<FeedError>, FeedError> {
        let is_outage = matches!(told, Err(FeedError::Transient { .. }));
        self.without_answer = if is_outage { self.without_answer + 1 } else { 0 };
        let Err(error) = told else { return Ok(None) };
        let ends = match &error {
            FeedError::NotPublished { .. } => false,
            FeedError::Busy { .. }
            | FeedError::Configuration { .. }
            | FeedError::Refused { status: 401 | 403, .. } => true,
            _ => is_own || self.is_past || self.without_answer >= MOST_WITHOUT_ANSWER,
        };
        if ends { Err(error) } else { Ok(Some(error)) }
    }
}

fn too_long() -> FeedError {
    let minutes = LONGEST_POLL.as_secs() / 60;
    FeedError::transient(format!(
        "a poll took longer than {minutes} minutes; what came is kept, and the next asks for the rest"
    ))
}

/// When the delivery day after that of an instant ends.
fn end_of_tomorrow(now: Timestamp) -> Result<Timestamp, FeedError> {
    let market = LocalTime::named(MARKET_ZONE).map_err(FeedError::calendar)?;
    let today = market.date(now).map_err(FeedError::calendar)?;
    let end = today.tomorrow().and_then(jiff::civil::Date::tomorrow);
    end.and_then(|day| market.day_start(day)).map_err(FeedError::calendar)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poll(is_past: bool) -> AheadPoll {
        AheadPoll { is_past, notes: Vec::new(), without_answer: 0 }
    }

    fn refused(status: u16) -> FeedError {
        FeedError::Refused { status, message: "no".to_owned() }
    }

    /// Three in a row end it, and an answer between counts anew, also one that says that there is nothing.
    #[test]
    fn a_poll_ends_after_three_questions_without_an_answer() {
        let mut poll = poll(false);
        let outage = || Err(FeedError::transient("away"));
        for told in [outage(), outage(), Ok(()), outage(), outage()] {
            assert!(poll.missing(told, false).is_ok());
        }
        assert!(poll.missing(Err(FeedError::not_published("none")), true).is_ok());
        assert!(poll.missing(outage(), false).is_ok() && poll.missing(outage(), false).is_ok());
        assert!(poll.missing(outage(), false).is_err());
    }

    #[test]
    fn what_holds_for_all_questions_ends_a_poll() {
        for error in [refused(401), refused(403), FeedError::configuration("no host")] {
            assert!(poll(false).missing(Err(error), false).is_err());
        }
        assert!(poll(false).missing(Err(refused(400)), false).is_ok());
        let wrong = || Err(FeedError::payload("line 1", "nonsense"));
        assert!(poll(false).missing(wrong(), false).is_ok());
        assert!(poll(false).missing(wrong(), true).is_err(), "its own generation");
        assert!(
            poll(true).missing(wrong(), false).is_err(),
            "a back-fill keeps its values for good"
        );
    }
}
