//! Backfilling: who may start before the first waiting job.

use super::options::{Options, PolicyOption, option};
use super::part::{About, PartKind};

/// A way of backfilling.
#[derive(Debug)]
pub struct BackfillPart {
    /// The name, the rule and the options.
    pub about: About,
    /// What is guaranteed to whom.
    pub rule: Rule,
}

/// What is guaranteed to whom.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Nobody starts before the first waiting job.
    Strict,
    /// The first waiting job has a guaranteed start.
    Easy,
    /// Every waiting job has a guaranteed start; it moves forward where this says so.
    Conservative(fn(&mut Options<'_>) -> bool),
}

/// Who does not fit holds up the others.
pub const NONE: BackfillPart = BackfillPart {
    about: About {
        name: "none",
        meaning: "who does not fit holds up those behind it",
        options: &[],
    },
    rule: Rule::Strict,
};

/// EASY backfilling.
pub const EASY: BackfillPart = BackfillPart {
    about: About {
        name: "easy",
        meaning: "the first waiting job has a guaranteed start; others may start before it",
        options: &[],
    },
    rule: Rule::Easy,
};

const COMPRESSION: &[PolicyOption] = &[option(
    "compression",
    "true",
    "whether waiting jobs move to earlier places when jobs end early",
)];

/// Conservative backfilling.
pub const CONSERVATIVE: BackfillPart = BackfillPart {
    about: About {
        name: "conservative",
        meaning: "every waiting job has a guaranteed start, which moves forward when jobs end early",
        options: COMPRESSION,
    },
    rule: Rule::Conservative(|options| options.flag("compression", true)),
};

/// Conservative backfilling that plans no job twice.
pub const CONSERVATIVE_NO_COMPRESSION: BackfillPart = BackfillPart {
    about: About {
        name: "conservative_no_compression",
        meaning: "every waiting job has a guaranteed start, which does not move",
        options: &[],
    },
    rule: Rule::Conservative(|_| false),
};

impl PartKind for BackfillPart {
    const KIND: &'static str = "backfill";
    const ALL: &'static [&'static Self] =
        &[&NONE, &EASY, &CONSERVATIVE, &CONSERVATIVE_NO_COMPRESSION];

    fn about(&self) -> &About {
        &self.about
    }
}
