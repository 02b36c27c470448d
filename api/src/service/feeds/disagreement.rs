//! Where sources of an agenda disagree: found with each composition, kept in the database, and told when it begins and ends.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::agreement::{
    AgreementTolerance, Disagreement, SourceValue, UsualRatio, disagreements, said_by_fresh,
    usual_ratios,
};
use grid_feeds::compose::{ANY_AGE, Chain, Composition};
use planner::decimal::format_millionths;
use planner::time::{Seconds, Span, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::{Quantity, SourceDisagreement};
use tokio_util::sync::CancellationToken;

use super::FeedService;
use super::received::PUT;
use crate::config::feeds::AgendaRules;
use crate::service::shared::{Fault, blocking, stored_quantity};

/// What is longer ago concerns nobody any more.
const BEHIND: Seconds = Seconds::new(6 * 3600);

/// What is judged begins with a full hour, so that spans do not change with each composition.
const HOUR: Seconds = Seconds::new(3600);

/// What is usual is found of so much of the past, and of what is ahead.
const WEEK: Seconds = Seconds::new(7 * 86_400);

/// Ratios that were found longer ago are found anew.
const RATIOS_LAST: Seconds = Seconds::new(6 * 3600);

/// Where sources had none yet, ratios that were found longer ago are found anew.
const PARTIAL_RATIOS_LAST: Seconds = HOUR;

/// How long it waits for a database out of reach.
const PAUSE: Duration = Duration::from_secs(2);

/// So many disagreements of an agenda are kept, the earliest.
const MOST: usize = 50;

/// The ratios that were found last, and when.
#[derive(Default)]
pub(super) struct RecentRatios(Option<(Timestamp, Vec<UsualRatio>)>);

/// How the sources of an agenda agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceAgreement {
    /// The quantity.
    pub quantity: Quantity,
    /// Since when it is told that they do not; `None` where they do.
    pub since: Option<Timestamp>,
    /// Where they do not, in time order.
    pub found: Vec<Disagreement>,
}

/// A disagreement as it is stored; instants as seconds of Unix.
#[derive(Serialize, Deserialize)]
struct DisagreementRecord {
    span: (i64, i64),
    apart_s: i64,
    sources: Vec<Box<str>>,
    widest: (i64, i64),
    values: Vec<(Box<str>, i64)>,
    taken: Option<(Box<str>, i64)>,
}

/// Where the sources of a chain disagree, of late and ahead, and nobody put what counts.
pub(super) fn find(
    chain: &Chain<'_>,
    composition: &Composition,
    ratios: &[UsualRatio],
    tolerance: &AgreementTolerance,
    window: Span,
    now: Timestamp,
) -> Result<Vec<Disagreement>, Fault> {
    let begin = (now - BEHIND).ceil_to(HOUR).max(window.start());
    let Some(window) = Span::new(begin, window.end()) else {
        return Ok(Vec::new());
    };
    let said = said_by_fresh(window, now, chain).map_err(Fault::internal)?;
    let is_put = |source: &str| source.starts_with(PUT);
    let found = disagreements(&said, ratios, tolerance, composition, is_put);
    let mut found = found.map_err(Fault::internal)?;
    found.truncate(MOST);
    Ok(found)
}

impl FeedService {
    /// How the sources of the agendas agree that have several, in the order of the settings.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn disagreements(&self) -> Result<Vec<SourceAgreement>, Fault> {
        let stored = self.shared.database.disagreements().await?;
        let rules = self.shared.settings.feeds.agendas.iter();
        let several = rules.filter(|rules| rules.chain.len() > 1);
        Ok(several.map(|rules| of(stored_quantity(rules.quantity), &stored)).collect())
    }

    /// Ends what is told of quantities of which the settings name fewer than two sources any more: nobody composes some of them.
    /// Returns when that is done, or when told to stop.
    pub async fn end_former_disagreements(self: Arc<Self>, stop: CancellationToken) {
        while let Err(error) = self.try_to_end_former().await {
            tracing::warn!(
                error = format!("{error:#}"),
                "could not end disagreements of sources that are gone"
            );
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    async fn try_to_end_former(&self) -> Result<(), Fault> {
        let database = &self.shared.database;
        let rules = self.shared.settings.feeds.agendas.iter();
        let several: Vec<Quantity> = rules
            .filter(|rules| rules.chain.len() > 1)
            .map(|rules| stored_quantity(rules.quantity))
            .collect();
        for told in database.disagreements().await? {
            if !several.contains(&told.quantity) {
                database.tell_agreement(told.quantity, self.shared.now()).await?;
            }
        }
        Ok(())
    }

    /// By which factors sources of an agenda usually differ, fresh or not; nothing of those that did not say enough yet.
    pub(super) async fn usual_ratios(
        &self,
        rules: &AgendaRules,
        recent: &mut RecentRatios,
        now: Timestamp,
    ) -> Result<Vec<UsualRatio>, Fault> {
        if !rules.tolerance.usual_ratio || rules.chain.len() < 2 {
            return Ok(Vec::new());
        }
        let is_recent = |(at, ratios): &&(Timestamp, Vec<UsualRatio>)| {
            let is_partial = ratios.len() < rules.chain.len();
            let last = if is_partial { PARTIAL_RATIOS_LAST } else { RATIOS_LAST };
            now >= *at && now - *at < last
        };
        if let Some((_, ratios)) = recent.0.as_ref().filter(is_recent) {
            return Ok(ratios.clone());
        }
        let Some(window) = Span::new((now - WEEK).max(Timestamp::MIN), now + rules.ahead) else {
            return Ok(Vec::new());
        };
        let Some(parts) = self.parts(rules, window, now).await? else { return Ok(Vec::new()) };
        let ratios = blocking(move || {
            let mut chain = parts.chain();
            // What a source said before it fell silent says as much of its method.
            for link in &mut chain.links {
                link.fresh_for = ANY_AGE;
            }
            let said = said_by_fresh(window, now, &chain);
            said.map(|said| usual_ratios(&said)).map_err(Fault::internal)
        });
        let ratios = ratios.await??;
        recent.0 = Some((now, ratios.clone()));
        Ok(ratios)
    }

    /// Keeps where sources of a quantity disagree, and tells when that begins and when it is over.
    pub(super) async fn tell_disagreements(
        &self,
        quantity: Quantity,
        found: &[Disagreement],
        now: Timestamp,
    ) -> Result<(), Fault> {
        let database = &self.shared.database;
        let noted = database.disagreements().await?.into_iter().find(|it| it.quantity == quantity);
        let Some(first) = found.first() else {
            if noted.is_some() {
                tracing::info!(quantity = quantity.word(), "the sources agree again");
                database.tell_agreement(quantity, now).await?;
            }
            return Ok(());
        };
        let records: Vec<DisagreementRecord> = found.iter().map(DisagreementRecord::from).collect();
        let text = serde_json::to_string(&records).map_err(Fault::internal)?;
        if noted.as_ref().is_none_or(|it| it.found != text) {
            if noted.is_none() {
                let (quantity, sources) = (quantity.word(), first.sources.join(", "));
                tracing::warn!(quantity, sources, span = %first.span, "sources disagree");
            }
            database.tell_disagreement(quantity, &text, about(quantity, first), now).await?;
        }
        Ok(())
    }
}

/// How the sources of a quantity agree, of what is stored.
pub(super) fn of(quantity: Quantity, stored: &[SourceDisagreement]) -> SourceAgreement {
    let stored = stored.iter().find(|it| it.quantity == quantity);
    let records = stored.and_then(|it| {
        let records: Result<Vec<DisagreementRecord>, _> = serde_json::from_str(&it.found);
        let unreadable = |error: &serde_json::Error| {
            let (quantity, error) = (quantity.word(), error.to_string());
            tracing::warn!(quantity, error, "a stored disagreement cannot be read");
        };
        records.inspect_err(unreadable).ok()
    });
    let found = records.into_iter().flatten().filter_map(DisagreementRecord::read).collect();
    SourceAgreement { quantity, since: stored.map(|it| it.since), found }
}

/// What an event says of a disagreement that began.
fn about(quantity: Quantity, it: &Disagreement) -> Value {
    let value = |said: &SourceValue| {
        let value = format_millionths(said.value).parse::<f64>().ok();
        json!({ "source": said.source, "value": value })
    };
    json!({
        "quantity": quantity.word(),
        "sources": it.sources,
        "start": it.span.start(),
        "end": it.span.end(),
        "widest_start": it.widest.start(),
        "widest_end": it.widest.end(),
        "values": it.values.iter().map(value).collect::<Vec<Value>>(),
        "taken": it.taken.as_ref().map(value),
    })
}

fn ends(span: Span) -> (i64, i64) {
    (span.start().as_unix_seconds(), span.end().as_unix_seconds())
}

fn span((start, end): (i64, i64)) -> Option<Span> {
    Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end))
}

impl From<&Disagreement> for DisagreementRecord {
    fn from(it: &Disagreement) -> Self {
        let said = |said: &SourceValue| (said.source.clone(), said.value);
        Self {
            span: ends(it.span),
            apart_s: it.apart_for.get(),
            sources: it.sources.clone(),
            widest: ends(it.widest),
            values: it.values.iter().map(said).collect(),
            taken: it.taken.as_ref().map(said),
        }
    }
}

impl DisagreementRecord {
    fn read(self) -> Option<Disagreement> {
        let said = |(source, value): (Box<str>, i64)| SourceValue { source, value };
        Some(Disagreement {
            span: span(self.span)?,
            apart_for: Seconds::new(self.apart_s),
            sources: self.sources,
            widest: span(self.widest)?,
            values: self.values.into_iter().map(said).collect(),
            taken: self.taken.map(said),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_back_and_what_cannot_be_read_is_nothing() {
        let said = |source: &str, value: i64| SourceValue { source: source.into(), value };
        let found = Disagreement {
            span: span((3600, 9000)).unwrap(),
            apart_for: Seconds::new(3600),
            sources: vec!["a".into(), "b".into()],
            widest: span((3600, 5400)).unwrap(),
            values: vec![said("a", -5), said("b", 7_500_000)],
            taken: Some(said("", 1)),
        };
        let text = serde_json::to_string(&[DisagreementRecord::from(&found)]).unwrap();
        let stored = |found: &str| SourceDisagreement {
            quantity: Quantity::Price,
            since: Timestamp::from_unix_seconds(9),
            found: found.to_owned(),
        };
        let read = of(Quantity::Price, &[stored(&text)]);
        assert_eq!((read.since, read.found), (Some(Timestamp::from_unix_seconds(9)), vec![found]));
        assert_eq!(of(Quantity::Co2, &[stored(&text)]).since, None);
        let unreadable = of(Quantity::Price, &[stored("[1]")]);
        assert_eq!((unreadable.since.is_some(), unreadable.found.len()), (true, 0));
    }
}
