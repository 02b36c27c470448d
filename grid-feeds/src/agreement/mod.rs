//! Whether sources of one quantity agree, and which of them was right.
//!
//! At each instant the values of the best quality there are compared: a forecast that differs from
//! what was measured is an error of a forecast and no disagreement. Sources that reckon CO2 by
//! different methods differ always, by about the same factor: [`usual_ratios`] finds it, and only
//! what departs from it counts. Disagreements are spans ([`disagreements`]), since nobody wants to
//! be told anew each quarter of an hour.
//!
//! Later it is known what came true: [`SourceRecollection`] gathers what each source had said by then, and
//! [`judged`] how far off each was, and who was nearest where they disagreed.

mod disagreement;
mod hindsight;
mod level;
mod overlay;
mod recollection;
#[cfg(test)]
mod tests;
mod usual_ratio;

use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

pub use self::disagreement::{Disagreement, SourceValue, disagreements};
pub use self::hindsight::{AgreementReport, SourceRecord, judged};
pub use self::recollection::SourceRecollection;
pub use self::usual_ratio::{UsualRatio, usual_ratios};
use crate::compose::{Chain, ComposeError, Sourced, fresh_sources};
use crate::feed::{KnownValue, Quantity};

/// As millionths: the same.
const ONE: i64 = 1_000_000;

/// How far apart sources may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreementTolerance {
    /// So much at least, in the exact unit of the quantity.
    pub absolute: i64,
    /// So much of the value in the middle, in millionths, where that is more.
    pub relative: i64,
    /// A disagreement that lasts for less does not count.
    pub least: Seconds,
    /// Whether a source's usual ratio to the first counts as agreement.
    pub usual_ratio: bool,
}

impl AgreementTolerance {
    /// Unless a site says otherwise. Prices of one auction are equal but for rounding: 1 for a MWh or
    /// 2 %. CO2 is reckoned in many ways and by stations that report at different times: 10 g/kWh or
    /// 10 % for an hour, beside the usual ratio. Caps are equal but for units that were rounded: 1 W
    /// or 1 %.
    pub const fn usual(quantity: Quantity) -> Self {
        match quantity {
            Quantity::Price => {
                Self { absolute: ONE, relative: 20_000, least: Seconds::ONE, usual_ratio: false }
            }
            Quantity::Co2 => Self {
                absolute: 10 * ONE,
                relative: 100_000,
                least: Seconds::new(3600),
                usual_ratio: true,
            },
            Quantity::PowerCap => {
                Self { absolute: ONE, relative: 10_000, least: Seconds::ONE, usual_ratio: false }
            }
        }
    }

    /// What is allowed around a value.
    fn around(&self, middle: i128) -> i128 {
        let relative = middle.abs() * i128::from(self.relative) / i128::from(ONE);
        relative.max(self.absolute.into())
    }
}

/// What a source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceAgenda {
    /// Its name.
    pub source: Box<str>,
    /// Its values in the exact unit.
    pub agenda: Agenda<KnownValue>,
}

/// What the fresh sources of a chain say over a window, those that say anything, in the order of the
/// chain. Where one has a value for up to an hour and another several in that time, these are their
/// mean: a price of an hour does not disagree with those of its quarter-hours.
///
/// # Errors
/// Where a source is of another kind than the chain.
pub fn said_by_fresh(
    window: Span,
    now: Timestamp,
    chain: &Chain<'_>,
) -> Result<Vec<SourceAgenda>, ComposeError> {
    let (mut sources, mut agendas) = (Vec::new(), Vec::new());
    for composition in fresh_sources(window, now, chain)? {
        let Some(first) = composition.vintages.first() else { continue };
        sources.push(first.source.clone());
        let known = |it: Sourced| KnownValue { value: it.value, quality: it.quality };
        agendas.push(composition.agenda.map(known));
    }
    let agendas = level::levelled(&agendas)?;
    let said = sources.into_iter().zip(agendas);
    Ok(said.map(|(source, agenda)| SourceAgenda { source, agenda }).collect())
}

/// The values of the best quality, with the positions of their sources.
fn best(values: &[Option<KnownValue>]) -> Vec<(usize, i64)> {
    let quality = values.iter().flatten().map(|it| it.quality).max();
    let of_best = |(index, value): (usize, &Option<KnownValue>)| {
        let value = value.filter(|it| Some(it.quality) == quality)?;
        Some((index, value.value))
    };
    values.iter().enumerate().filter_map(of_best).collect()
}
