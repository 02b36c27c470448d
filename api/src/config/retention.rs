//! How long what grows is kept: `[retention]`. See `docs/RETENTION.md`.

use anyhow::ensure;
use planner::time::Seconds;
use serde::Deserialize;

use super::audit::AuditFields;
use super::meters::MeteringFields;

/// Nothing that is not kept for ever is kept for longer than this.
const LONGEST_DAYS: u32 = 36_525;

/// Quotas of a year and reports of the last one are of what is there.
const LEAST_RESERVATIONS_DAYS: u32 = 400;

/// For so long what is behind the ledger, or may still be asked about, is always kept.
const LEAST_DAYS: u32 = 31;

/// A mail that is forgotten could be written again before that.
const LEAST_MAIL_DAYS: u32 = 40;

/// How long each kind is kept; `None` for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Reservations of which an offer was chosen, and series, after they ended.
    pub reservations: Option<Seconds>,
    /// Offers that were not chosen, after their reservations ended.
    pub offers: Seconds,
    /// What revisions of agendas and feeds said of a time, after that.
    pub revisions: Seconds,
    /// Power states, power actions and the power log.
    pub power: Option<Seconds>,
    /// Simulations, after they ended.
    pub simulations: Option<Seconds>,
    /// Negotiations, after they were closed.
    pub negotiations: Option<Seconds>,
    /// Events.
    pub events: Seconds,
    /// Answers to requests with an idempotency key.
    pub idempotency_keys: Seconds,
    /// Mails, after they were sent or given up.
    pub mails: Seconds,
    /// API tokens, after they were revoked or ended.
    pub tokens: Seconds,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "settings have their unit in their names")]
pub struct RetentionFields {
    reservations_days: Option<u32>,
    offers_days: Option<u32>,
    revisions_days: Option<u32>,
    power_days: Option<u32>,
    simulations_days: Option<u32>,
    negotiations_days: Option<u32>,
    events_days: Option<u32>,
    idempotency_keys_days: Option<u32>,
    mails_days: Option<u32>,
    tokens_days: Option<u32>,
    audit_days: Option<u32>,
    samples_days: Option<u32>,
    quarters_days: Option<u32>,
}

impl Retention {
    /// Reads the section.
    ///
    /// # Errors
    /// A value out of range, by name.
    pub fn read(fields: &RetentionFields) -> anyhow::Result<Self> {
        let reservations_days = fields.reservations_days;
        let least = LEAST_DAYS;
        Ok(Self {
            reservations: days("reservations_days", reservations_days, LEAST_RESERVATIONS_DAYS)?,
            offers: days_or("offers_days", fields.offers_days, least, 400)?,
            revisions: days_or("revisions_days", fields.revisions_days, least, 1096)?,
            power: days("power_days", fields.power_days, least)?,
            simulations: days("simulations_days", fields.simulations_days, 1)?,
            negotiations: days("negotiations_days", fields.negotiations_days, least)?,
            events: days_or("events_days", fields.events_days, 1, 7)?,
            idempotency_keys: days_or("idempotency_keys_days", fields.idempotency_keys_days, 1, 1)?,
            mails: days_or("mails_days", fields.mails_days, LEAST_MAIL_DAYS, LEAST_MAIL_DAYS)?,
            tokens: days_or("tokens_days", fields.tokens_days, least, 400)?,
        })
    }
}

impl RetentionFields {
    /// Puts what is said here of the audit trail and of measurements where it is said in sections of their own.
    ///
    /// # Errors
    /// It is said in both.
    pub fn say_elsewhere(
        &self,
        audit: &mut AuditFields,
        metering: &mut MeteringFields,
    ) -> anyhow::Result<()> {
        let [samples_days, quarters_days] = metering.kept_days();
        for (name, here, elsewhere, there) in [
            ("audit_days", self.audit_days, "[audit] keep_days", audit.kept_days()),
            ("samples_days", self.samples_days, "[metering] keep_samples_days", samples_days),
            ("quarters_days", self.quarters_days, "[metering] keep_quarters_days", quarters_days),
        ] {
            if here.is_some() {
                let is_twice = there.is_some();
                ensure!(!is_twice, "{name} and {elsewhere} say the same; leave out one of them");
                *there = here;
            }
        }
        Ok(())
    }
}

/// The length of so many days, where there are some.
fn days(name: &str, days: Option<u32>, least: u32) -> anyhow::Result<Option<Seconds>> {
    let Some(days) = days else { return Ok(None) };
    ensure!(
        (least..=LONGEST_DAYS).contains(&days),
        "{name} must lie between {least} and {LONGEST_DAYS}; leave it out to keep them for ever"
    );
    Ok(Some(Seconds::new(i64::from(days) * 86_400)))
}

/// The length of so many days, or of others.
fn days_or(name: &str, given: Option<u32>, least: u32, unless: u32) -> anyhow::Result<Seconds> {
    let days = given.unwrap_or(unless);
    ensure!(
        (least..=LONGEST_DAYS).contains(&days),
        "{name} must lie between {least} and {LONGEST_DAYS}; it is {unless} unless given"
    );
    Ok(Seconds::new(i64::from(days) * 86_400))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::audit::AuditSettings;
    use crate::config::meters::Metering;

    fn read(text: &str) -> anyhow::Result<Retention> {
        Retention::read(&toml::from_str(text)?)
    }

    const fn length(days: i64) -> Seconds {
        Seconds::new(days * 86_400)
    }

    #[test]
    fn what_people_did_is_kept_for_ever_unless_the_site_says_how_long() {
        let kept = read("").unwrap();
        let for_ever = [kept.reservations, kept.power, kept.simulations, kept.negotiations];
        assert_eq!(for_ever, [None; 4]);
        assert_eq!((kept.offers, kept.revisions), (length(400), length(1096)));
        assert_eq!(kept.tokens, length(400));
        let brief = (kept.events, kept.idempotency_keys, kept.mails);
        assert_eq!(brief, (length(7), length(1), length(40)));
        let kept = read("reservations_days = 3650\npower_days = 90\nevents_days = 30").unwrap();
        assert_eq!(kept.reservations, Some(length(3650)));
        assert_eq!((kept.power, kept.events), (Some(length(90)), length(30)));
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        for wrong in [
            "reservations_days = 399",
            "offers_days = 30",
            "revisions_days = 0",
            "power_days = 30",
            "simulations_days = 0",
            "negotiations_days = 30",
            "events_days = 0",
            "idempotency_keys_days = 36526",
            "mails_days = 39",
            "tokens_days = 30",
            "ledger_days = 1",
        ] {
            let error = format!("{:#}", read(wrong).unwrap_err());
            assert!(error.contains(wrong.split(' ').next().unwrap()), "{wrong}: {error}");
        }
    }

    #[test]
    fn the_audit_trail_and_measurements_are_said_here_or_in_their_sections() {
        let said = |retention: &str, audit: &str, metering: &str| -> anyhow::Result<_> {
            let fields: RetentionFields = toml::from_str(retention)?;
            let mut audit: AuditFields = toml::from_str(audit)?;
            let mut metering: MeteringFields = toml::from_str(metering)?;
            fields.say_elsewhere(&mut audit, &mut metering)?;
            let metering = Metering::read(Vec::new(), &metering, None)?;
            let audit = AuditSettings::read(&audit)?;
            Ok((audit.keep, metering.keep_samples, metering.keep_quarters))
        };
        let all = "audit_days = 90\nsamples_days = 40\nquarters_days = 400";
        let expected = (Some(length(90)), length(40), length(400));
        assert_eq!(said(all, "", "").unwrap(), expected);
        let elsewhere = "keep_samples_days = 40\nkeep_quarters_days = 400";
        assert_eq!(said("", "keep_days = 90", elsewhere).unwrap(), expected);
        for (audit, metering, name) in [
            ("keep_days = 90", "", "audit_days"),
            ("", "keep_samples_days = 40", "samples_days"),
            ("", "keep_quarters_days = 400", "quarters_days"),
        ] {
            let error = said(all, audit, metering).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("leave out one"), "{error}");
        }
    }
}
