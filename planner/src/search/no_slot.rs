//! Why a request is impossible whose window lies between two slots, so that there is no start to look at.

use super::PlanningView;
use crate::decision::{Binding, Reason, ReasonCode, Shortage};
use crate::problem::SearchMode;
use crate::request::Request;
use crate::time::{Seconds, Span};

/// The reason where the window of no shape has a slot; `None` where one has, or where no start is left in it.
pub(super) fn no_slot(view: &PlanningView<'_>, request: &Request) -> Option<Reason> {
    let SearchMode::Slots { slot } = view.search else { return None };
    let earliest = request.earliest_start_at(view.now);
    let latest = request.shapes().map(|shape| request.latest_start_for(shape.duration)).max()?;
    let after = earliest.ceil_to(slot);
    if latest < earliest || after <= latest {
        return None;
    }
    let between = Span::new(after - slot, after)?;
    // Nothing starts in the past.
    let before = Some(between.start()).filter(|before| *before >= view.now);
    let nearest = match before {
        Some(before) => format!("the nearest are {before} and {after}"),
        None => format!("the next is {after}"),
    };
    Some(Reason {
        code: ReasonCode::NoSlot,
        excluded_starts: 0,
        binding: Binding {
            start: earliest,
            span: between,
            shortage: Shortage::Slot { slot, before, after },
        },
        detail: format!(
            "reservations start every {}, and no such start lies in the window from {earliest} to \
             {latest}; {nearest}; with the search \"exact\" every second is looked at",
            in_words(slot)
        ),
    })
}

fn in_words(slot: Seconds) -> String {
    match slot.get() {
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}
