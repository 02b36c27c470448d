//! The forecast that continues an agenda, kept while it is good: making one reads weeks of history.

use std::sync::Arc;

use grid_feeds::feed::{Estimate, Kind};
use grid_feeds::forecast::{Model, Report, backtest};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use crate::service::shared::{Fault, blocking};

/// A forecast is made anew after this time, or as soon as suppliers say more.
const GOOD_FOR: Seconds = Seconds::new(6 * 3600);

/// The back-test of its bands is made anew after this time.
const TESTED_FOR: Seconds = Seconds::new(86_400);

/// From so many past days, and as far ahead.
const ORIGINS: usize = 28;
const DAYS: usize = 10;

/// What is expected, and since when.
#[derive(Default)]
pub(super) struct Expectation {
    made: Option<MadeForecast>,
    tested: Option<(Timestamp, Arc<Report>)>,
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
        let (model, tested) = (model.clone(), self.tested.clone());
        let (estimates, tested) = blocking(move || {
            let recent = tested.filter(|(at, _)| (now - *at) < TESTED_FOR);
            let tested = recent
                .unwrap_or_else(|| (now, Arc::new(backtest(&model, &history, DAYS, ORIGINS))));
            let estimates = model.continuation(kind, &history, span, &tested.1);
            estimates.map(|estimates| (Arc::new(estimates), tested))
        })
        .await?
        .map_err(Fault::internal)?;
        self.tested = Some(tested);
        let known_until = span.start();
        self.made = Some(MadeForecast { at: now, known_until, estimates: Arc::clone(&estimates) });
        Ok(estimates)
    }
}
