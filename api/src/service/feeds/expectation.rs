//! The forecast that continues an agenda, kept while it is good: making one reads weeks of history.

use std::sync::Arc;

use grid_feeds::feed::{Estimate, Kind};
use grid_feeds::forecast::Model;
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use crate::service::shared::{Fault, blocking};

/// A forecast is made anew after this time, or as soon as suppliers say more.
const GOOD_FOR: Seconds = Seconds::new(6 * 3600);

/// What is expected, and since when.
#[derive(Default)]
pub(super) struct Expectation {
    made: Option<MadeForecast>,
}

struct MadeForecast {
    at: Timestamp,
    known_until: Timestamp,
    estimates: Arc<Agenda<Estimate>>,
}

impl Expectation {
    /// The forecast made before, while suppliers have said no more and it is not old.
    pub(super) fn still_good(
        &self,
        known_until: Timestamp,
        now: Timestamp,
    ) -> Option<Arc<Agenda<Estimate>>> {
        let made = self.made.as_ref()?;
        let young = (Seconds::new(0)..GOOD_FOR).contains(&(now - made.at));
        // Where nothing is known ahead, this grows with the clock alone.
        let grown = known_until > made.known_until && known_until > now;
        (young && !grown && known_until >= made.known_until.min(now))
            .then(|| Arc::clone(&made.estimates))
    }

    /// Makes a forecast over `span` from what came before it.
    pub(super) async fn make(
        &mut self,
        model: &Model,
        kind: Kind,
        history: Agenda<i64>,
        span: Span,
        now: Timestamp,
    ) -> Result<Arc<Agenda<Estimate>>, Fault> {
        let model = model.clone();
        let estimates = blocking(move || model.continuation(kind, &history, span)).await?;
        let estimates = Arc::new(estimates.map_err(Fault::internal)?);
        let known_until = span.start();
        self.made = Some(MadeForecast { at: now, known_until, estimates: Arc::clone(&estimates) });
        Ok(estimates)
    }
}
