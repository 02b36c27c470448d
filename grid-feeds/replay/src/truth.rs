//! What really happens: the series that are replayed.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use planner::agenda::Agenda;
use planner::time::Span;

/// The colour of a day of the Tempo contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// The colour of all other days of a season.
    Blue,
    /// 43 days of a season.
    White,
    /// 22 days of a season.
    Red,
}

/// The series; clones share them. Values are exact: millionths of the unit.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Currency per MWh.
    pub price: Arc<Agenda<i64>>,
    /// g/kWh, between 12 and 490 where generation is asked for.
    pub co2: Arc<Agenda<i64>>,
    /// By day in Paris.
    pub colours: Arc<BTreeMap<Date, Colour>>,
}

impl Colour {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Blue => "BLUE",
            Self::White => "WHITE",
            Self::Red => "RED",
        }
    }
}

/// The mean of an agenda over `span`; `None` where it has a gap.
pub(crate) fn mean(agenda: &Agenda<i64>, span: Span) -> Option<i64> {
    if !agenda.covers(span) {
        return None;
    }
    let mut sum = 0_i128;
    for piece in agenda.overlapping(span) {
        let length = piece.span.intersection(span)?.length().get();
        sum += i128::from(piece.value) * i128::from(length);
    }
    i64::try_from(sum / i128::from(span.length().get())).ok()
}
