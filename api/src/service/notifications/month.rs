//! What a month took: a mail once the month is over and all of it is stated in the ledger.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use planner::time::{Seconds, Span, Timestamp};
use storage::{NewMail, NotificationKind, NotificationSettings, ReportKey};

use super::NotificationService;
use super::mail_text::foot;
use crate::service::ledger::{LedgerWanted, Report, ReportWanted, common_accounting};
use crate::service::shared::reservation_text::{accounting_words, one_line};
use crate::service::shared::{Access, CallerKind, Fault, digest};

/// So long after a month its report is sent; one that is later than this is not sent any more.
const SENT_WITHIN: Seconds = Seconds::new(7 * 86_400);

/// Hours are the ledger's.
const HOUR: Seconds = Seconds::new(3600);

/// The month before the one in which an instant lies, by a time zone: its name and its hours.
fn month_before(now: Timestamp, zone: &str) -> Result<(String, Span), jiff::Error> {
    let now = jiff::Timestamp::from_second(now.as_unix_seconds())?;
    let this = now.to_zoned(TimeZone::get(zone)?).first_of_month()?.start_of_day()?;
    let before = this.checked_sub(jiff::Span::new().months(1))?.start_of_day()?;
    let hour = |zoned: &jiff::Zoned| {
        Timestamp::from_unix_seconds(zoned.timestamp().as_second()).ceil_to(HOUR)
    };
    let span = Span::new(hour(&before), hour(&this));
    let span = span.ok_or_else(|| jiff::Error::from_args(format_args!("a month has no hours")))?;
    Ok((before.strftime("%Y-%m").to_string(), span))
}

impl NotificationService {
    /// The reports of the last month for those who want them, and its name, once all of it is stated; `None` before, and
    /// where they were written.
    pub(super) async fn month_reports(
        &self,
        told: &[&NotificationSettings],
        written: Option<&str>,
    ) -> Result<Option<(Option<String>, Vec<NewMail>)>, Fault> {
        let now = self.shared.now();
        let zone = self.shared.settings.time_zone.as_deref().unwrap_or("UTC");
        let (month, span) = month_before(now, zone).map_err(Fault::internal)?;
        if written == Some(month.as_str()) || now - span.end() > SENT_WITHIN {
            return Ok(None);
        }
        let newest = self.shared.database.newest_stated_hour().await?;
        if newest.is_none_or(|hour| hour + HOUR < span.end()) {
            return Ok(None);
        }
        let mut mails = Vec::new();
        for it in told {
            let Some(address) = &it.address else { continue };
            let access = Access::of(&it.owner, CallerKind::User);
            let rows = LedgerWanted { window: span, user: Some(it.owner.clone()), project: None };
            let wanted = ReportWanted { rows, by: vec![ReportKey::Project], by_month: false };
            let report = self.ledger.report(access, wanted).await.map_err(Fault::internal)?;
            mails.push(NewMail {
                id: format!("month-{month}-{}", &digest(&it.owner)[..32]),
                owner: it.owner.clone(),
                address: address.clone(),
                subject: format!("Wattbook: what {month} took"),
                body: text(&month, &report) + &foot(NotificationKind::MonthReport),
                created: now,
            });
        }
        Ok(Some((Some(month), mails)))
    }
}

/// A report in words, a paragraph for each project and currency.
fn text(month: &str, report: &Report) -> String {
    let mut text = format!("What your reservations and jobs took in {month}:\n");
    if report.lines.is_empty() {
        text += "\nNothing.\n";
    }
    let counted = accounting_words(common_accounting(&report.co2_sources).as_ref());
    for line in &report.lines {
        let project = match line.group.project.as_str() {
            "" => "Without a project".to_owned(),
            name => one_line(&format!("Project {name}")),
        };
        let amounts = &line.amounts;
        _ = writeln!(
            text,
            "\n{project}\nReserved: {:.1} node-hours\nEnergy: {:.2} kWh",
            line.reserved_s as f64 / 3600.0,
            amounts.energy_j() as f64 / 3.6e6
        );
        if let Some(cost) = amounts.cost_millionths {
            _ = writeln!(text, "Cost: {:.2} {}", cost as f64 / 1e6, line.group.currency);
        }
        if let Some(co2) = amounts.co2_location_mg {
            _ = writeln!(text, "CO2{counted}: {:.3} kg", co2 as f64 / 1e6);
        }
    }
    text += "\nWhat to do: nothing. `wattbook report` says more.\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_before_is_the_calendar_s() {
        let at = |text| Timestamp::parse(text).unwrap();
        // An hour before midnight in UTC it is April in Paris already, which is two hours ahead in summer.
        let (month, span) = month_before(at("2026-03-31T23:00:00Z"), "Europe/Paris").unwrap();
        assert_eq!(month, "2026-03");
        assert_eq!(span.start(), at("2026-02-28T23:00:00Z"));
        assert_eq!(span.end(), at("2026-03-31T22:00:00Z"));
        let (month, span) = month_before(at("2026-01-01T00:00:00Z"), "UTC").unwrap();
        assert_eq!(month, "2025-12");
        assert_eq!(span.end(), at("2026-01-01T00:00:00Z"));
    }
}
