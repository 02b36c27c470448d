//! Which source of an agenda was right: by what each had said, and what came true.

use grid_feeds::agreement::{AgreementReport, SourceRecollection, judged};
use grid_feeds::feed::KnownValue;
use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span};
use storage::{FeedRevision, FeedValue, Quantity};

use super::FeedService;
use crate::config::feeds::Source;
use crate::service::shared::{Fault, blocking, stored_quantity};

/// The longest span that is judged at a time: more would keep a thread and the database for long.
pub const LONGEST_JUDGED: Seconds = Seconds::new(62 * 86_400);

/// Revisions that are read together.
const TOGETHER: u16 = 200;

/// Pieces that are read together, of more than one revision: a piece takes some 50 bytes.
const PIECES_TOGETHER: i64 = 200_000;

impl FeedService {
    /// How the sources of an agenda did over a span, by their revisions that are kept; `None` where the settings name no sources
    /// of it. One report is made at a time.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn agreement(
        &self,
        quantity: Quantity,
        span: Span,
    ) -> Result<Option<AgreementReport>, Fault> {
        let feeds = &self.shared.settings.feeds;
        let rules = feeds.agendas.iter().find(|it| stored_quantity(it.quantity) == quantity);
        let Some(rules) = rules.filter(|it| !it.chain.is_empty()) else { return Ok(None) };
        // It takes the room of a page and of a recollection, and a thread for long.
        let turn = self.judging.acquire().await;
        let _turn = turn.map_err(Fault::internal)?;
        let mut kind = rules.kind.map(|kind| kind.to_string());
        let mut recollections = Vec::with_capacity(rules.chain.len());
        for source in rules.chain.iter().filter_map(|&it| feeds.sources.get(it)) {
            recollections.push(self.recollection(source, quantity, span, &mut kind).await?);
        }
        let tolerance = rules.tolerance;
        let report = blocking(move || judged(span, recollections, &tolerance)).await?;
        Ok(Some(report.map_err(Fault::internal)?))
    }

    /// What a source had said of a span, page by page. The first source that said anything says of what kind all must be,
    /// where the settings do not.
    async fn recollection(
        &self,
        source: &Source,
        quantity: Quantity,
        span: Span,
        kind: &mut Option<String>,
    ) -> Result<SourceRecollection, Fault> {
        let database = &self.shared.database;
        let mut recollection = SourceRecollection::new(&source.id, span);
        let mut before = None;
        loop {
            let page = database.feed_revisions_touching(
                &source.id,
                quantity,
                span,
                before,
                TOGETHER,
                PIECES_TOGETHER,
            );
            let page = page.await?;
            let Some((first, last)) = page.first().zip(page.last()) else {
                return Ok(recollection);
            };
            before = Some((last.meta.received, last.meta.id));
            let kind = kind.get_or_insert_with(|| first.meta.kind.clone()).clone();
            recollection = blocking(move || remembered(recollection, page, &kind))
                .await?
                .map_err(Fault::internal)?;
        }
    }
}

/// With a page of older revisions, those of the kind.
fn remembered(
    mut recollection: SourceRecollection,
    page: Vec<FeedRevision>,
    kind: &str,
) -> Result<SourceRecollection, AgendaError> {
    for revision in page.into_iter().filter(|it| it.meta.kind == kind) {
        let known = |piece: &Piece<FeedValue>| Piece {
            span: piece.span,
            value: KnownValue { value: piece.value.value, quality: piece.value.quality },
        };
        let agenda = Agenda::new(revision.pieces.iter().map(known).collect())?;
        recollection.add_older(&agenda, revision.meta.received);
    }
    Ok(recollection)
}
