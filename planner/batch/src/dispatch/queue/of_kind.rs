//! Jobs that wait with units of one kind, as far as it says whether any of them may start.

use crate::time::Time;

/// What is known of them together.
#[derive(Clone, Debug)]
pub(in crate::dispatch) struct OfKind {
    /// Numbers of units with how many jobs ask for so many, the least first.
    units: Vec<(u32, u32)>,
    /// The least number of units that one asks for; of none more than any.
    pub least_units: u32,
    /// None of them is taken to last less; some may have left that were.
    pub shortest: Time,
}

impl Default for OfKind {
    fn default() -> Self {
        Self { units: Vec::new(), least_units: u32::MAX, shortest: Time::FOREVER }
    }
}

impl OfKind {
    pub const fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// A job waits that asks for so many units and is taken to last so long.
    pub fn wait(&mut self, units: u32, lasts: Time) {
        match self.units.binary_search_by_key(&units, |it| it.0) {
            Ok(at) => self.units[at].1 += 1,
            Err(at) => self.units.insert(at, (units, 1)),
        }
        self.least_units = self.least_units.min(units);
        self.shortest = self.shortest.min(lasts);
    }

    /// One that asked for so many units does not wait any more.
    pub fn leave(&mut self, units: u32) {
        let Ok(at) = self.units.binary_search_by_key(&units, |it| it.0) else { return };
        self.units[at].1 -= 1;
        if self.units[at].1 == 0 {
            self.units.remove(at);
            self.least_units = self.units.first().map_or(u32::MAX, |it| it.0);
        }
        if self.units.is_empty() {
            self.shortest = Time::FOREVER;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 3, 1 and 3 units the least is 1, and 3 when that one left, also when one of the two did. Of none it is more than any.
    #[test]
    fn the_least_of_those_that_wait_is_known() {
        let seconds = Time::from_seconds;
        let mut kind = OfKind::default();
        for (units, lasts) in [(3, 9), (1, 7), (3, 8)] {
            kind.wait(units, seconds(lasts));
        }
        assert_eq!((kind.least_units, kind.shortest), (1, seconds(7)));
        kind.leave(1);
        kind.leave(3);
        assert_eq!((kind.least_units, kind.shortest), (3, seconds(7)));
        kind.leave(3);
        assert_eq!(
            (kind.is_empty(), kind.least_units, kind.shortest),
            (true, u32::MAX, Time::FOREVER)
        );
    }
}
