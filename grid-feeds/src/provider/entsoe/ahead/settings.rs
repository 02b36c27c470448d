//! What a site says of estimates ahead.

use crate::feed::FeedError;

/// With more neighbours a poll would ask for too much.
const MOST_NEIGHBOURS: usize = 12;

/// With more borders, too: each has four documents, and so has each zone beyond.
const MOST_BORDERS: usize = 24;

/// Weeks to learn from: fewer show no pattern and no error, and more are another season.
const WEEKS: std::ops::RangeInclusive<u8> = 3..=12;

/// The intensity ahead of time, estimated from forecasts of generation.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AheadSettings {
    /// EIC codes of the zones that exchange power with this one.
    #[serde(default)]
    pub neighbours: Vec<String>,
    /// Pairs of zones between which power is traced as well: of neighbours, and of neighbours and zones beyond them.
    #[serde(default)]
    pub borders: Vec<[String; 2]>,
    /// Whether what flows in from neighbours counts, with their intensity. The values are then those of what the zone
    /// consumes, else of what it generates.
    #[serde(default)]
    pub imports: bool,
    /// How many weeks are learnt from.
    #[serde(default = "weeks")]
    pub weeks: u8,
    /// The intensity of zones of which nothing is known, in g/kWh; without it, hours in which power comes in from such a neighbour
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
        self.check_borders(zone).or_else(wrong)
    }

    /// What is wrong with the borders beyond the zone's own, in words.
    fn check_borders(&self, zone: &str) -> Result<(), String> {
        if !self.borders.is_empty() && !self.imports {
            return Err(
                "ahead.borders says where imports come from: it needs imports = true".into()
            );
        }
        if self.borders.len() > MOST_BORDERS {
            let count = self.borders.len();
            return Err(format!("ahead.borders has {count}; at most {MOST_BORDERS} can be asked"));
        }
        for (index, [first, second]) in self.borders.iter().enumerate() {
            let name = format!("ahead.borders has [{first:?}, {second:?}]");
            if first == zone || second == zone {
                return Err(format!(
                    "{name}: the zone's own borders are those of ahead.neighbours"
                ));
            }
            let is_same = |[one, other]: &[String; 2]| {
                (one, other) == (first, second) || (one, other) == (second, first)
            };
            if first == second || self.borders[..index].iter().any(is_same) {
                return Err(format!("{name} twice, or as one zone: leave it out"));
            }
        }
        let reached = self.reached();
        let beyond = self.borders.iter().flatten().find(|zone| !reached.contains(&zone.as_str()));
        beyond.map_or(Ok(()), |beyond| {
            Err(format!("ahead.borders has {beyond:?}, which no border joins to a neighbour"))
        })
    }

    /// All zones that have a place in the tracing but the zone itself: neighbours first.
    pub(in crate::provider::entsoe) fn other_zones(&self) -> Vec<&str> {
        if self.imports { self.reached() } else { Vec::new() }
    }

    /// All borders that are told of, the own ones of `zone` first.
    pub(in crate::provider::entsoe) fn borders_of<'a>(
        &'a self,
        zone: &'a str,
    ) -> Vec<(&'a str, &'a str)> {
        let own = self.neighbours.iter().map(|it| (zone, it.as_str()));
        let further = self.borders.iter().map(|[first, second]| (first.as_str(), second.as_str()));
        own.chain(further).collect()
    }

    /// The neighbours, and the zones that borders join to them, by whatever way.
    fn reached(&self) -> Vec<&str> {
        let mut reached: Vec<&str> = self.neighbours.iter().map(String::as_str).collect();
        // A way has at most as many steps as there are borders.
        for _ in &self.borders {
            for [first, second] in &self.borders {
                for (from, into) in [(first, second), (second, first)] {
                    if reached.contains(&from.as_str()) && !reached.contains(&into.as_str()) {
                        reached.push(into);
                    }
                }
            }
        }
        reached
    }
}
