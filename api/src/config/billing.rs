//! What the supplier bills beside energy: `[billing]`. See `docs/LEDGER.md`.

use anyhow::{Context, ensure};
use jiff::civil::{Time, Weekday};
use planner::bill::{DemandCharge, DemandWindow};
use planner::node::{NAME_RULE, is_name};
use planner::quantity::MILLION;
use serde::Deserialize;

/// No charge has more parts than this.
const MOST: usize = 32;

/// Charges beside energy.
#[derive(Clone, Debug, Default)]
pub struct Billing {
    /// For the highest quarter-hour of a month.
    pub demand: Vec<DemandCharge>,
    /// For each month, whatever is drawn.
    pub fixed: Vec<FixedCharge>,
}

/// What is charged for each month, whatever is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedCharge {
    /// What it is called on the bill.
    pub name: Box<str>,
    /// Millionths of the currency.
    pub per_month_millionths: i64,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BillingFields {
    #[serde(default)]
    demand: Vec<DemandFields>,
    #[serde(default)]
    fixed: Vec<FixedFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DemandFields {
    name: String,
    per_kw: f64,
    #[serde(default)]
    windows: Vec<WindowFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowFields {
    #[serde(default)]
    weekdays: Vec<DayOfWeek>,
    #[serde(default)]
    months: Vec<i8>,
    from: Option<String>,
    to: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DayOfWeek {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FixedFields {
    name: String,
    per_month: f64,
}

impl Billing {
    /// Reads the section.
    ///
    /// # Errors
    /// The charge that cannot be one, by name.
    pub fn read(fields: BillingFields) -> anyhow::Result<Self> {
        let BillingFields { demand, fixed } = fields;
        ensure!(demand.len() <= MOST, "demand must have at most {MOST} charges");
        ensure!(fixed.len() <= MOST, "fixed must have at most {MOST} charges");
        Ok(Self {
            demand: demand.into_iter().map(DemandFields::read).collect::<Result<_, _>>()?,
            fixed: fixed.into_iter().map(FixedFields::read).collect::<Result<_, _>>()?,
        })
    }
}

impl DemandFields {
    fn read(self) -> anyhow::Result<DemandCharge> {
        let name = name(self.name)?;
        let per_kw_millionths = millionths("per_kw", self.per_kw, 1e6);
        ensure!(self.windows.len() <= MOST, "{name:?}: windows must be at most {MOST}");
        let windows = self.windows.into_iter().map(WindowFields::read).collect::<Result<_, _>>();
        Ok(DemandCharge {
            per_kw_millionths: per_kw_millionths.with_context(|| format!("{name:?}"))?,
            windows: windows.with_context(|| format!("{name:?}: windows"))?,
            name,
        })
    }
}

impl WindowFields {
    fn read(self) -> anyhow::Result<DemandWindow> {
        let hours = match (self.from, self.to) {
            (Some(from), Some(to)) => {
                let hours = (clock("from", &from)?, clock("to", &to)?);
                ensure!(hours.0 != hours.1, "from and to are the same; leave both out for all day");
                Some(hours)
            }
            (None, None) => None,
            _ => anyhow::bail!("from and to go together"),
        };
        if let Some(month) = self.months.iter().find(|month| !(1..=12).contains(*month)) {
            anyhow::bail!("months are 1 to 12, and one is {month}");
        }
        let weekdays = self.weekdays.into_iter().map(Weekday::from).collect();
        Ok(DemandWindow { weekdays, months: self.months, hours })
    }
}

impl From<DayOfWeek> for Weekday {
    fn from(day: DayOfWeek) -> Self {
        match day {
            DayOfWeek::Mon => Self::Monday,
            DayOfWeek::Tue => Self::Tuesday,
            DayOfWeek::Wed => Self::Wednesday,
            DayOfWeek::Thu => Self::Thursday,
            DayOfWeek::Fri => Self::Friday,
            DayOfWeek::Sat => Self::Saturday,
            DayOfWeek::Sun => Self::Sunday,
        }
    }
}

impl FixedFields {
    fn read(self) -> anyhow::Result<FixedCharge> {
        let name = name(self.name)?;
        let per_month_millionths = millionths("per_month", self.per_month, 1e9);
        let per_month_millionths = per_month_millionths.with_context(|| format!("{name:?}"))?;
        Ok(FixedCharge { name, per_month_millionths })
    }
}

fn name(name: String) -> anyhow::Result<Box<str>> {
    ensure!(is_name(&name), "name {NAME_RULE}");
    Ok(name.into())
}

#[expect(clippy::cast_possible_truncation, reason = "in range, as checked")]
fn millionths(setting: &str, amount: f64, most: f64) -> anyhow::Result<i64> {
    ensure!((0.0..=most).contains(&amount), "{setting} must lie between 0 and {most}");
    Ok((amount * MILLION as f64).round() as i64)
}

/// A time at which a quarter-hour begins, such as `08:00`.
fn clock(setting: &str, text: &str) -> anyhow::Result<Time> {
    let shape = text.len() == 5 && text.as_bytes()[2] == b':';
    let time = text.parse::<Time>().ok().filter(|time| shape && time.minute() % 15 == 0);
    time.with_context(|| format!("{setting} = {text:?} must be a quarter-hour such as \"08:00\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Billing> {
        Billing::read(toml::from_str(text).unwrap())
    }

    #[test]
    fn charges_are_read_with_their_windows() {
        let text = "[[demand]]\nname = \"peak\"\nper_kw = 9.5\n\
            windows = [{ weekdays = [\"mon\", \"sun\"], months = [12], from = \"08:00\", to = \"20:15\" }]\n\
            [[fixed]]\nname = \"connection\"\nper_month = 400.25\n";
        let billing = read(text).unwrap();
        let [charge] = billing.demand.as_slice() else { panic!("{billing:?}") };
        assert_eq!((&*charge.name, charge.per_kw_millionths), ("peak", 9_500_000));
        let window = &charge.windows[0];
        assert_eq!(window.weekdays, [Weekday::Monday, Weekday::Sunday]);
        assert_eq!(window.hours.map(|(_, to)| (to.hour(), to.minute())), Some((20, 15)));
        assert_eq!(billing.fixed[0].per_month_millionths, 400_250_000);
        assert!(read("").unwrap().demand.is_empty());
    }

    #[test]
    fn what_cannot_be_is_named() {
        let window = |rule: &str| {
            format!("[[demand]]\nname = \"a\"\nper_kw = 1.0\nwindows = [{{ {rule} }}]")
        };
        for (text, named) in [
            ("[[demand]]\nname = \"a\"\nper_kw = -1.0".to_owned(), "per_kw"),
            ("[[demand]]\nname = \"\"\nper_kw = 1.0".to_owned(), "name"),
            (window("from = \"08:00\""), "go together"),
            (window("from = \"08:10\", to = \"09:00\""), "from"),
            (window("from = \"8:00\", to = \"09:00\""), "from"),
            (window("from = \"08:00\", to = \"08:00\""), "the same"),
            (window("months = [13]"), "months"),
            ("[[fixed]]\nname = \"a\"\nper_month = 1e10".to_owned(), "per_month"),
        ] {
            let error = format!("{:#}", read(&text).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }
}
