//! How much power the cap leaves beside what is reserved (constraint C3).

use super::exclusion::Exclusion;
use crate::agenda::Agenda;
use crate::book::Booking;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::reserved_power::reserved_power;
use crate::time::Span;

/// Headroom as a step function over the reach of a request; absent where there is no cap value.
pub(super) struct Headroom {
    steps: Vec<(Span, Power)>,
}

impl Headroom {
    /// The cap less the reserved maximum power, over `reach`.
    pub(super) fn new(
        cap: &Agenda<Power>,
        nearby: &[&Booking],
        order: &NodeOrder,
        reach: Span,
    ) -> Self {
        let mut steps = Vec::new();
        for (span, reserved) in reserved_power(nearby, order, reach) {
            for piece in cap.overlapping(span) {
                if let Some(both) = piece.span.intersection(span) {
                    steps.push((both, piece.value - reserved));
                }
            }
        }
        Self { steps }
    }

    /// Whether `power` fits at every instant of `span`; if not, where the most is missing.
    pub(super) fn admit(&self, span: Span, power: Power) -> Result<(), Exclusion> {
        let first = self.steps.partition_point(|(step, _)| step.end() <= span.start());
        let tightest = self.steps[first..]
            .iter()
            .take_while(|(step, _)| step.start() < span.end())
            .min_by_key(|(_, headroom)| *headroom);
        match tightest {
            Some(&(step, headroom)) if headroom < power => {
                Err(Exclusion::PowerCap { missing: power - headroom, span: step })
            }
            _ => Ok(()),
        }
    }
}
