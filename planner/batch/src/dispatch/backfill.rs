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
    /// Jobs that leave everybody what they are promised; promises become earlier when jobs end.
    Conservative,
    /// Jobs that leave everybody what they are promised, where promises stay as they are.
    ConservativeNoCompression,
}

impl UnitBackfill {
    /// Whether every waiting job has a promise.
    pub(super) fn promises_all(self) -> bool {
        matches!(self, Self::Conservative | Self::ConservativeNoCompression)
    }
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
    const ALL: &'static [&'static Self] =
        &[&NONE, &EASY, &EASY_PER_NODE, &CONSERVATIVE, &CONSERVATIVE_NO_COMPRESSION];

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

const CONSERVATIVE: UnitBackfillPart = UnitBackfillPart {
    about: About {
        name: "conservative",
        meaning: "every waiting job has a promised start, which moves forward when jobs end early",
        options: &[],
    },
    backfill: UnitBackfill::Conservative,
};

const CONSERVATIVE_NO_COMPRESSION: UnitBackfillPart = UnitBackfillPart {
    about: About {
        name: "conservative_no_compression",
        meaning: "the same, where promised starts stay",
        options: &[],
    },
    backfill: UnitBackfill::ConservativeNoCompression,
};
