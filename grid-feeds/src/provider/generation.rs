//! CO2 intensity of what generates: kinds of generation, their emission factors, and their mix.
//!
//! The factors are grams of CO2 equivalent per kWh, those of the Electricity Maps open-source
//! configuration (`config/defaults.yaml` of electricitymaps-contrib), which takes the life-cycle
//! medians of IPCC AR5 WG III, Annex III, Table A.III.2, for all but oil, and their part of direct
//! emissions. They are the same for all zones: a zone's own power stations differ by some tens of
//! percent.

use std::collections::{BTreeMap, BTreeSet};

use planner::agenda::{Agenda, Piece};
use planner::time::{Span, Timestamp};

use crate::feed::{Factors, FeedError, Quality, Reading, ratio};

/// What a kind of generation may be, in millionths of a megawatt: up to a terawatt.
pub(super) const MOST_POWER: std::ops::RangeInclusive<i64> = -1_000_000_000_000..=1_000_000_000_000;

/// What power is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fuel {
    /// Biomass and waste.
    Biomass,
    /// Brown and hard coal, peat, oil shale.
    Coal,
    /// Natural gas, gas derived from coal.
    Gas,
    /// Oil and what is made of it.
    Oil,
    /// Heat of the earth.
    Geothermal,
    /// Rivers and reservoirs.
    Hydro,
    /// Fission.
    Nuclear,
    /// The sun.
    Solar,
    /// The wind, off shore and on shore.
    Wind,
    /// Anything else, or not told.
    Unknown,
    /// Gives back what was generated before: not counted.
    Storage,
}

impl Fuel {
    /// Grams per kWh; `None` for storage, which is not counted.
    pub(super) const fn factor(self, factors: Factors) -> Option<i64> {
        let (direct, lifecycle) = match self {
            Self::Biomass => (0, 230),
            Self::Coal => (760, 820),
            Self::Gas => (370, 490),
            Self::Oil => (406, 650),
            Self::Geothermal => (0, 38),
            Self::Hydro => (0, 24),
            Self::Nuclear => (0, 12),
            Self::Solar => (0, 45),
            Self::Wind => (0, 11),
            Self::Unknown => (575, 700),
            Self::Storage => return None,
        };
        Some(match factors {
            Factors::Direct => direct,
            Factors::Lifecycle => lifecycle,
        })
    }
}

/// Millionths of a megawatt over spans.
pub(super) type Powers = Vec<(Span, i64)>;

/// What a zone generates, by kind: its intensity is `sum(MW x factor) / sum(MW)`. Imports are not
/// traced.
#[derive(Debug)]
pub(super) struct Mix {
    factors: Factors,
    kinds: BTreeMap<String, (i64, Powers)>,
    impossible: usize,
}

impl Mix {
    /// Nothing yet.
    pub(super) const fn new(factors: Factors) -> Self {
        Self { factors, kinds: BTreeMap::new(), impossible: 0 }
    }

    /// Adds millionths of a megawatt of `kind`, as the supplier names it. Small negative generation, a
    /// station's own use, counts as none; storage is left out; what cannot be is a gap.
    pub(super) fn add(&mut self, kind: &str, fuel: Fuel, span: Span, power: i64) {
        let Some(grams) = fuel.factor(self.factors) else { return };
        let (_, powers) = self.kinds.entry(kind.to_owned()).or_insert_with(|| (grams, Vec::new()));
        if MOST_POWER.contains(&power) {
            powers.push((span, power.max(0)));
        } else {
            self.impossible += 1;
        }
    }

    /// The intensity between each two edges of any kind's spans. An instant at which a kind is missing
    /// that is reported elsewhere in the answer is a gap.
    ///
    /// # Errors
    /// Spans of one kind that overlap in part.
    pub(super) fn readings(
        self,
        quality: Quality,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Reading>, FeedError> {
        notes.push("production in the zone; imports are not traced".to_owned());
        if self.impossible > 0 {
            let impossible = self.impossible;
            notes.push(format!("{impossible} powers beyond a terawatt cannot be and are gaps"));
        }
        let mut agendas = Vec::new();
        for (grams, powers) in self.kinds.into_values() {
            agendas.push((grams, power_agenda(powers)?));
        }
        let (readings, incomplete) = mixed(&agendas, quality);
        if incomplete > 0 {
            notes.push(format!("{incomplete} spans lack a kind of generation and are gaps"));
        }
        Ok(readings)
    }
}

/// The mix between each two edges, and how many spans lack a kind.
fn mixed(agendas: &[(i64, Agenda<i64>)], quality: Quality) -> (Vec<Reading>, usize) {
    let pieces = agendas.iter().flat_map(|(_, agenda)| agenda.pieces());
    let edges: BTreeSet<Timestamp> =
        pieces.flat_map(|piece| [piece.span.start(), piece.span.end()]).collect();
    let mut incomplete = 0;
    let mut readings = Vec::new();
    for (&start, &end) in edges.iter().zip(edges.iter().skip(1)) {
        let powers = agendas.iter().map(|(grams, agenda)| Some((*grams, agenda.at(start)?)));
        let Some(powers) = powers.collect::<Option<Vec<_>>>() else {
            incomplete += 1;
            continue;
        };
        let total: i128 = powers.iter().map(|&(_, power)| i128::from(power)).sum();
        let emitted: i128 =
            powers.iter().map(|&(grams, power)| i128::from(grams) * i128::from(power)).sum();
        let value = ratio(emitted * 1_000_000, total);
        if let (Some(span), Some(value)) = (Span::new(start, end), value) {
            readings.push(Reading { span, value, quality });
        }
    }
    (readings, incomplete)
}

/// One kind's power in millionths of a megawatt; where one span is said twice, the larger.
pub(super) fn power_agenda(mut powers: Powers) -> Result<Agenda<i64>, FeedError> {
    powers.sort_unstable_by_key(|&(span, power)| (span, std::cmp::Reverse(power)));
    powers.dedup_by_key(|(span, _)| *span);
    let pieces = powers.into_iter().map(|(span, value)| Piece { span, value }).collect();
    Agenda::new(pieces).map_err(|error| FeedError::payload("the powers", error))
}
