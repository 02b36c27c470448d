//! What a source said before, and whether what it says now fits what is composed.

use grid_feeds::compose::{ANY_AGE, Chain, KeptRevision, Link, compose};
use grid_feeds::feed::{FeedError, Kind, KnownValue, Quality};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::FeedService;
use super::answer::is_final;
use super::poll::PollError;
use super::received::{kind_of, revived};
use crate::config::feeds::Source;
use crate::service::shared::{Fault, blocking, stored_quantity};

impl FeedService {
    /// Whether what is kept of a source has the value that is awaited.
    pub(super) async fn holds_awaited(
        &self,
        source: &Source,
        awaited: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, PollError> {
        let Some(instant) = awaited else { return Ok(false) };
        let last = self.last_said(source).await?;
        let Some((_, kind)) = last else { return Ok(false) };
        let span = Span::starting(instant, Seconds::ONE);
        let held = self.held(source, kind, span, now).await?;
        Ok(is_final(source, held.at(instant)))
    }

    /// Whether all of a span is kept as the source measured it, or published it for good.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn has_measured(&self, source: &Source, span: Span) -> Result<bool, Fault> {
        let Some((_, kind)) = self.last_said(source).await? else { return Ok(false) };
        let held = self.held(source, kind, Some(span), self.shared.now()).await?;
        let all = held.overlapping(span).iter();
        let measured = all
            .map(|piece| piece.value)
            .all(|it| it.quality == Quality::Measured && it != KnownValue::TAKEN_BACK);
        Ok(measured && held.covers(span))
    }

    /// The zone and kind of what a source said last; `None` where it never said anything.
    pub(super) async fn last_said(&self, source: &Source) -> Result<Option<(String, Kind)>, Fault> {
        let last = self.shared.database.feed_revisions_page(&source.id, None, 1).await?;
        Ok(last.into_iter().next().and_then(|last| {
            let kind = kind_of(&last.kind, self.shared.settings.currency)?;
            Some((last.zone, kind))
        }))
    }

    /// Kinds do not mix in a chain: that of the site's settings, else that of the first source
    /// that has said anything.
    pub(super) async fn admit_kind(&self, source: &Source, kind: Kind) -> Result<(), PollError> {
        let settings = &self.shared.settings.feeds;
        let Some(rules) = settings.agenda(source.quantity) else { return Ok(()) };
        let is_named = |chain: &[usize]| {
            chain.iter().any(|&it| settings.sources.get(it).is_some_and(|it| it.id == source.id))
        };
        let other = rules.other.as_ref().filter(|it| is_named(&it.chain)).map(|it| it.kind);
        let wanted = match other.or(rules.kind) {
            Some(kind) => Some(kind),
            None => self.kind_of_others(source).await?,
        };
        match wanted.filter(|wanted| *wanted != kind) {
            None => Ok(()),
            Some(wanted) => Err(PollError::Source(mixed(kind, wanted))),
        }
    }

    async fn kind_of_others(&self, source: &Source) -> Result<Option<Kind>, Fault> {
        let settings = &self.shared.settings.feeds;
        let revisions = self.shared.database.latest_feed_revisions().await?;
        let chain = settings.agenda(source.quantity).map_or(&[][..], |rules| &rules.chain);
        let others = chain.iter().filter_map(|&index| settings.sources.get(index));
        let others = others.filter(|other| other.id != source.id);
        let kinds = others.filter_map(|other| {
            let revision = revisions.iter().find(|revision| revision.feed == other.id)?;
            kind_of(&revision.kind, self.shared.settings.currency)
        });
        Ok(kinds.into_iter().next())
    }

    /// What the source said before of a window.
    pub(super) async fn held(
        &self,
        source: &Source,
        kind: Kind,
        window: Option<Span>,
        now: Timestamp,
    ) -> Result<Agenda<KnownValue>, Fault> {
        let empty = || Agenda::new(Vec::new()).map_err(Fault::internal);
        let Some(window) = window else { return empty() };
        let id = &source.id;
        let quantity = stored_quantity(kind.quantity());
        let all = Timestamp::MAX;
        let kept = self.shared.database.feed_revisions_over(id, quantity, window, all).await?;
        let words = kind.to_string();
        blocking(move || {
            let of_kind = kept.into_iter().filter(|kept| kept.meta.kind == words);
            let revisions =
                of_kind.map(|kept| revived(kept, kind)).collect::<Result<Vec<_>, _>>()?;
            let held = revisions.iter().map(|(revision, received_at)| KeptRevision {
                revision,
                received_at: *received_at,
                confirmed_at: now,
            });
            let link = Link { revisions: held.collect(), fresh_for: ANY_AGE, usable_for: ANY_AGE };
            let chain = Chain::of_sources(kind, vec![link]);
            let said = compose(window, now, &chain)?.agenda;
            anyhow::Ok(said.map(|it| KnownValue { value: it.value, quality: it.quality }))
        })
        .await?
        .map_err(Fault::Internal)
    }
}

/// What came does not fit what is composed.
fn mixed(came: Kind, wanted: Kind) -> FeedError {
    match (came, wanted) {
        (Kind::Price { currency: came }, Kind::Price { currency }) => FeedError::Payload {
            place: "the currency".to_owned(),
            message: format!(
                "the site reckons in {currency}, the answer is in {came}: nothing of it is taken; \
                 choose a source in {currency}, or set `currency` for the whole site"
            ),
        },
        _ => FeedError::Configuration {
            message: format!(
                "has {came}, the chain {wanted}; they do not mix: set accounting and factors of [agendas.co2] as all of \
                 its chain is, or name what is of the other accounting in its `other`"
            ),
        },
    }
}
