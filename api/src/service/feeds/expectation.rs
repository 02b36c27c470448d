//! The forecast that continues an agenda, kept while it is good: making one reads weeks of history.

use std::sync::Arc;

use grid_feeds::feed::{Estimate, Kind};
use grid_feeds::forecast::{KnownInputs, Model};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::inputs::{KeptInputs, SharedInputs};
use crate::config::feeds::AgendaRules;
use crate::service::shared::{Fault, blocking};

/// A forecast is made anew after this time, or as soon as suppliers say more.
const GOOD_FOR: Seconds = Seconds::new(6 * 3600);

/// What is expected, and since when.
#[derive(Default)]
pub(super) struct Expectation {
    made: Option<MadeForecast>,
    inputs: KeptInputs,
}

struct MadeForecast {
    at: Timestamp,
    known_until: Timestamp,
    estimates: Arc<Agenda<Estimate>>,
}

impl Expectation {
    /// Takes what came of what is known ahead of time, and asks for it where it is time. Whether anything came: then a forecast made
    /// before is good no longer.
    pub(super) fn take_inputs(
        &mut self,
        rules: &AgendaRules,
        shared: &SharedInputs,
        now: Timestamp,
    ) -> bool {
        let came = self.inputs.turn(rules, shared, now);
        if came {
            self.made = None;
        }
        came
    }

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
        let (model, series) = (model.clone(), self.inputs.series());
        for input in series.iter() {
            let (hours, name) = (input.unknown_hours(span), &input.name);
            if hours > 0 {
                tracing::info!(input = %name, hours, "hours ahead of which an input says nothing are forecast without it");
            }
        }
        let estimates = blocking(move || {
            let inputs = KnownInputs { series: &series, at: now };
            model.continuation_by(kind, &history, inputs, span)
        });
        let estimates = estimates.await?;
        let estimates = Arc::new(estimates.map_err(Fault::internal)?);
        let known_until = span.start();
        self.made = Some(MadeForecast { at: now, known_until, estimates: Arc::clone(&estimates) });
        Ok(estimates)
    }
}
