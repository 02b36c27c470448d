//! The audit trail: `[audit]`. See `docs/AUDIT.md`.

use anyhow::ensure;
use planner::time::Seconds;
use serde::Deserialize;

/// Records are kept for no longer than this where they are not kept for ever.
const LONGEST_DAYS: u32 = 36_525;

/// What is recorded of who did what.
#[derive(Clone, Debug)]
pub struct AuditSettings {
    /// How long records are kept; `None` for ever.
    pub keep: Option<Seconds>,
    /// Whether reads of others' data are recorded.
    pub reads: bool,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditFields {
    keep_days: Option<u32>,
    reads: Option<bool>,
}

impl AuditFields {
    /// How many days records are kept, which may be said elsewhere.
    pub(super) const fn kept_days(&mut self) -> &mut Option<u32> {
        &mut self.keep_days
    }
}

impl AuditSettings {
    /// Reads the section.
    ///
    /// # Errors
    /// A value out of range, by name.
    pub fn read(fields: &AuditFields) -> anyhow::Result<Self> {
        if let Some(days) = fields.keep_days {
            ensure!(
                (1..=LONGEST_DAYS).contains(&days),
                "keep_days must lie between 1 and {LONGEST_DAYS}; leave it out to keep records for ever"
            );
        }
        let keep = fields.keep_days.map(|days| Seconds::new(i64::from(days) * 86_400));
        Ok(Self { keep, reads: fields.reads.unwrap_or(true) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<AuditSettings> {
        AuditSettings::read(&toml::from_str(text)?)
    }

    #[test]
    fn records_are_kept_for_ever_unless_the_site_says_how_long() {
        let settings = read("").unwrap();
        assert_eq!((settings.keep, settings.reads), (None, true));
        let settings = read("keep_days = 90\nreads = false").unwrap();
        assert_eq!((settings.keep, settings.reads), (Some(Seconds::new(7_776_000)), false));
        for wrong in ["keep_days = 0", "keep_days = 40000", "reads = 1", "writes = true"] {
            let error = format!("{:#}", read(wrong).unwrap_err());
            assert!(error.contains(wrong.split(' ').next().unwrap()), "{wrong}: {error}");
        }
    }
}
