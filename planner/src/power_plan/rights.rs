//! What may be done to nodes: which actions, by which level of consent, in which hours.

use super::tariff::intersection;
use super::window::WeeklyWindow;
use crate::node_set::NodeSet;
use crate::time::{Span, Timestamp};

/// How an action comes to be done, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RightLevel {
    /// Not at all.
    Nothing,
    /// It is shown what it would save; people do it themselves.
    Propose,
    /// It is done once somebody who may has approved it.
    WithApproval,
    /// It is done.
    Automatic,
}

/// An action that a right may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RightAction {
    /// Switching a node off. It is woken without a right: whoever may switch it off has said so.
    Off,
    /// Limiting the power of a node, or putting it into a slower state.
    Limit,
}

/// A right: what may be done to nodes, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// The nodes, by ordinal.
    pub nodes: NodeSet,
    /// How it comes to be done.
    pub level: RightLevel,
    /// What it is about.
    pub actions: Vec<RightAction>,
    /// When the action may be begun; at any time where there is none.
    pub windows: Vec<WeeklyWindow>,
}

impl RightLevel {
    const ALL: [Self; 4] = [Self::Nothing, Self::Propose, Self::WithApproval, Self::Automatic];

    /// The word in documents and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Propose => "propose",
            Self::WithApproval => "with_approval",
            Self::Automatic => "automatic",
        }
    }

    /// The level of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

impl RightAction {
    const ALL: [Self; 2] = [Self::Off, Self::Limit];

    /// The word in documents and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Limit => "limit",
        }
    }

    /// The action of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.word() == word)
    }
}

/// When an action may be begun on nodes with the same rights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permits(Vec<(Span, RightLevel)>);

impl Permits {
    /// What rights say together of a horizon: of those in force at an instant the strictest holds, and where none is
    /// in force nothing may be done.
    pub fn of<'a>(
        rights: impl IntoIterator<Item = &'a Right>,
        action: RightAction,
        horizon: Span,
    ) -> Self {
        let rights = rights.into_iter().filter(|right| right.actions.contains(&action));
        let rights: Vec<(Vec<Span>, RightLevel)> =
            rights.map(|right| (right.in_force(horizon), right.level)).collect();
        let mut edges: Vec<Timestamp> = rights
            .iter()
            .flat_map(|(spans, _)| spans.iter().flat_map(|span| [span.start(), span.end()]))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut permits: Vec<(Span, RightLevel)> = Vec::new();
        for span in edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1])) {
            let is_in_force = |spans: &[Span]| !intersection(spans, &[span]).is_empty();
            let levels = rights.iter().filter(|(spans, _)| is_in_force(spans));
            let Some(level) = levels.map(|(_, level)| *level).min() else { continue };
            match permits.last_mut() {
                _ if level == RightLevel::Nothing => {}
                Some((last, same)) if *same == level && last.end() == span.start() => {
                    *last = Span::new(last.start(), span.end()).unwrap_or(*last);
                }
                _ => permits.push((span, level)),
            }
        }
        Self(permits)
    }

    /// The spans in which the action may be begun, in time order, and how it comes to be done.
    pub fn spans(&self) -> &[(Span, RightLevel)] {
        &self.0
    }

    /// Whether it may never be done.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the action may be begun at an instant.
    pub fn permits(&self, at: Timestamp) -> bool {
        self.level(at) != RightLevel::Nothing
    }

    /// How the action comes to be done where it is begun at an instant.
    pub fn level(&self, at: Timestamp) -> RightLevel {
        let after = self.0.partition_point(|(span, _)| span.end() <= at);
        match self.0.get(after) {
            Some((span, level)) if span.contains(at) => *level,
            _ => RightLevel::Nothing,
        }
    }
}

impl Right {
    /// The instants of a horizon at which the action may be begun, in time order and without spans that touch.
    fn in_force(&self, horizon: Span) -> Vec<Span> {
        if self.windows.is_empty() {
            return vec![horizon];
        }
        let mut spans: Vec<Span> =
            self.windows.iter().flat_map(|window| window.within(horizon)).collect();
        spans.sort_unstable();
        let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match joined.last_mut() {
                Some(last) if span.start() <= last.end() => {
                    *last = Span::new(last.start(), last.end().max(span.end())).unwrap_or(*last);
                }
                _ => joined.push(span),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Time;
    use jiff::tz::TimeZone;

    use super::*;

    fn span(start: i64, end: i64) -> Span {
        let at = |hour| Timestamp::from_unix_seconds(hour * 3600);
        Span::new(at(start), at(end)).unwrap()
    }

    fn right(level: RightLevel, hours: &[(i8, i8)]) -> Right {
        let clock = |hour| Time::new(hour, 0, 0, 0).unwrap();
        let window = |&(from, to): &(i8, i8)| WeeklyWindow {
            days: Vec::new(),
            from: clock(from),
            to: clock(to),
            zone: TimeZone::UTC,
        };
        Right {
            nodes: NodeSet::new(),
            level,
            actions: vec![RightAction::Off],
            windows: hours.iter().map(window).collect(),
        }
    }

    /// Automatic from 1 to 3 and from 3 to 6, with approval from 2 to 5, nothing from 4 to 5: 1 to 2 automatic, 2 to 4 with
    /// approval, 5 to 6 automatic. Nobody said anything of the other hours.
    #[test]
    fn the_strictest_right_in_force_holds() {
        let rights = [
            right(RightLevel::Automatic, &[(3, 6), (1, 3)]),
            right(RightLevel::WithApproval, &[(2, 5)]),
            right(RightLevel::Nothing, &[(4, 5)]),
        ];
        let permits = Permits::of(&rights, RightAction::Off, span(0, 24));
        let (automatic, approval) = (RightLevel::Automatic, RightLevel::WithApproval);
        let expected = [(span(1, 2), automatic), (span(2, 4), approval), (span(5, 6), automatic)];
        assert_eq!(permits.spans(), expected);
        let at = |hour: i64| permits.level(Timestamp::from_unix_seconds(hour * 3600));
        assert_eq!(
            [at(0), at(1), at(3), at(4)],
            [RightLevel::Nothing, automatic, approval, RightLevel::Nothing]
        );
        assert!(Permits::of(&rights, RightAction::Limit, span(0, 24)).is_empty());
    }
}
