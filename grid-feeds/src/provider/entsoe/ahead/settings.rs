//! What a site says of estimates ahead.

use crate::feed::FeedError;

/// With more neighbours a poll would ask for too much.
const MOST_NEIGHBOURS: usize = 12;

/// Weeks to learn from: fewer show no pattern and no error, and more are another season.
const WEEKS: std::ops::RangeInclusive<u8> = 3..=12;

/// The intensity ahead of time, estimated from forecasts of generation.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AheadSettings {
    /// EIC codes of the zones that exchange power with this one.
    #[serde(default)]
    pub neighbours: Vec<String>,
    /// Whether what flows in from neighbours counts, with their intensity. The values are then those of what the zone
    /// consumes, else of what it generates.
    #[serde(default)]
    pub imports: bool,
    /// How many weeks are learnt from.
    #[serde(default = "weeks")]
    pub weeks: u8,
    /// The intensity of neighbours of which nothing is known, in g/kWh; without it, hours in which power comes from one
    /// are gaps.
    pub otherwise_g_per_kwh: Option<u16>,
}

const fn weeks() -> u8 {
    6
}

impl AheadSettings {
    /// # Errors
    /// Settings that cannot work.
    pub(in crate::provider::entsoe) fn check(&self, zone: &str) -> Result<(), FeedError> {
        let wrong = |message: String| Err(FeedError::configuration(message));
        if !WEEKS.contains(&self.weeks) {
            let (least, most) = (WEEKS.start(), WEEKS.end());
            return wrong(format!(
                "ahead.weeks is {}; it must be from {least} to {most}",
                self.weeks
            ));
        }
        if self.imports && self.neighbours.is_empty() {
            return wrong("ahead.imports needs ahead.neighbours, the zones they come from".into());
        }
        if self.neighbours.len() > MOST_NEIGHBOURS {
            let count = self.neighbours.len();
            return wrong(format!(
                "ahead.neighbours has {count} zones; at most {MOST_NEIGHBOURS} can be asked"
            ));
        }
        let is_twice = |index: usize| {
            self.neighbours[..index].contains(&self.neighbours[index])
                || self.neighbours[index] == zone
        };
        if let Some(index) = (0..self.neighbours.len()).find(|&index| is_twice(index)) {
            let twice = &self.neighbours[index];
            return wrong(format!(
                "ahead.neighbours has {twice:?} twice, or as the zone itself: leave it out"
            ));
        }
        Ok(())
    }
}
