//! The meters of the crate `meters`.

use std::sync::Arc;

use meters::answer::Answer as Answered;
use meters::ipmi::Ipmi;
use meters::prometheus::Prometheus;
use meters::redfish::Redfish;
use planner::time::Seconds;

use super::port::{Answer, PolledMeter, Question, Told};

/// A client of the crate `meters` as a meter of the service.
pub(super) struct Client<T>(pub Arc<T>);

impl PolledMeter for Client<Prometheus> {
    fn longest(&self) -> Option<Seconds> {
        Some(self.0.longest())
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Answer<'a> {
        let now = (question.clock)().second();
        Box::pin(async move { Ok(told(self.0.samples(question.span, now).await?)) })
    }
}

impl PolledMeter for Client<Redfish> {
    fn ask<'a>(&'a self, question: Question<'a>) -> Answer<'a> {
        Box::pin(async move { Ok(told(self.0.samples(question.nodes, question.clock).await?)) })
    }
}

impl PolledMeter for Client<Ipmi> {
    fn ask<'a>(&'a self, question: Question<'a>) -> Answer<'a> {
        Box::pin(async move { Ok(told(self.0.samples(question.nodes, question.clock).await?)) })
    }
}

fn told(answer: Answered) -> Told {
    let series = answer.series.into_iter().map(|it| (it.name, it.samples));
    Told { series: series.collect(), notes: answer.notes }
}
