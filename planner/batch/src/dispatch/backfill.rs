//! Backfilling: who may start before the first waiting job.

use crate::policy::{About, PartKind};

/// Who may start before the first waiting job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitBackfill {
    /// Nobody, unless the order goes on.
    #[default]
    None,
    /// Jobs that leave it what it is promised.
    Easy,
    /// Jobs that leave it the whole nodes that it is promised (5.2.2 of the thesis).
    EasyPerNode,
}

/// A way of backfilling.
#[derive(Debug)]
pub struct UnitBackfillPart {
    /// The name and the rule.
    pub about: About,
    /// Who may start.
    pub backfill: UnitBackfill,
}

impl PartKind for UnitBackfillPart {
    const KIND: &'static str = "backfilling of --system";
    const ALL: &'static [&'static Self] = &[&NONE, &EASY, &EASY_PER_NODE];

    fn about(&self) -> &About {
        &self.about
    }
}

const NONE: UnitBackfillPart = UnitBackfillPart {
    about: About {
        name: "none",
        meaning: "who does not fit holds up those behind it, unless the order goes on",
        options: &[],
    },
    backfill: UnitBackfill::None,
};

const EASY: UnitBackfillPart = UnitBackfillPart {
    about: About {
        name: "easy",
        meaning: "the first waiting job has a promised start; others leave it what it needs then",
        options: &[],
    },
    backfill: UnitBackfill::Easy,
};

const EASY_PER_NODE: UnitBackfillPart = UnitBackfillPart {
    about: About {
        name: "easy_per_node",
        meaning: "the same, where others leave it whole nodes",
        options: &[],
    },
    backfill: UnitBackfill::EasyPerNode,
};
