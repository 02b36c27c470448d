//! Budgets of users from a file: energy, cost and CO2 in a period of the calendar, in the form of quotas.

use jiff::tz::TimeZone;
use planner::quota::{QuotaPeriod, date_and_time};
use planner::time::Timestamp;
use serde::Deserialize;

/// What users may take in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetFile {
    /// Whose days and months count.
    pub(super) zone: TimeZone,
    /// What instant the simulation begins at.
    pub(super) origin: Timestamp,
    pub(super) rules: Vec<BudgetRule>,
}

/// Whose budget it is, the more specific last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whose {
    /// All users together: `*`.
    All,
    /// Each user by itself: `/`.
    Each,
    /// A user.
    User(Box<str>),
}

/// A budget.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BudgetRule {
    pub whose: Whose,
    /// Energy in picojoules; cost and CO2 in millionths of the currency or g times those in the unit of the tables.
    pub most: [Option<i128>; 3],
    pub per: QuotaPeriod,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    time_zone: Option<String>,
    budgets: Vec<toml::Spanned<Row>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    user: String,
    energy_kwh: Option<f64>,
    cost: Option<f64>,
    co2_kg: Option<f64>,
    per: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

/// Picojoules in a kWh.
const KWH: i128 = 3_600_000_000_000_000_000;

impl BudgetFile {
    /// Reads budgets: `[[budgets]]` with `user`, `energy_kwh`, `cost` and `co2_kg`, and `per` or `from` and `to`, by the clock of
    /// `time_zone`, for a simulation that begins at `origin`.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn parse(text: &str, origin: Timestamp) -> Result<Self, String> {
        let document: Document = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            format!("line {line}: {}", error.message())
        })?;
        let zone = match &document.time_zone {
            Some(name) => TimeZone::get(name)
                .map_err(|_| format!("time_zone: {name:?} is no time zone such as Europe/Paris"))?,
            None => TimeZone::UTC,
        };
        let rule = |row: &toml::Spanned<Row>| {
            let line = line_of(text, row.span().start);
            rule(row.get_ref()).map_err(|what| format!("line {line}: {what}"))
        };
        let rules: Vec<BudgetRule> = document.budgets.iter().map(rule).collect::<Result<_, _>>()?;
        for (at, one) in rules.iter().enumerate() {
            let twice = |other: &BudgetRule| {
                other.whose == one.whose
                    && (0..3).any(|it| other.most[it].and(one.most[it]).is_some())
            };
            if rules[..at].iter().any(twice) {
                let line = line_of(text, document.budgets[at].span().start);
                return Err(format!("line {line}: this user has such a budget already"));
            }
        }
        Ok(Self { zone, origin, rules })
    }

    /// Whether a budget is of energy, cost and CO2.
    pub fn measures(&self) -> [bool; 3] {
        std::array::from_fn(|measure| self.rules.iter().any(|it| it.most[measure].is_some()))
    }

    /// The positions of the budgets of a user: of energy, cost and CO2 each that of the rule which is most specific.
    pub(super) fn of_user(&self, user: &str) -> [Option<usize>; 3] {
        let concerns = |rule: &BudgetRule| match &rule.whose {
            Whose::User(name) => **name == *user,
            Whose::All | Whose::Each => true,
        };
        std::array::from_fn(|measure| {
            let rules = self.rules.iter().enumerate();
            let all = rules.filter(|(_, rule)| rule.most[measure].is_some() && concerns(rule));
            all.max_by(|(_, one), (_, other)| one.whose.cmp(&other.whose)).map(|(at, _)| at)
        })
    }
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// A rule, or what is wrong with it.
fn rule(row: &Row) -> Result<BudgetRule, String> {
    let whose = match row.user.as_str() {
        "" => return Err("user must be a name, / for each user or * for all together".to_owned()),
        "*" => Whose::All,
        "/" => Whose::Each,
        name => Whose::User(name.into()),
    };
    let amount = |name: &str, said: Option<f64>, unit: i128| {
        let exact = |amount: f64| {
            let fits = (0.0..=1e9).contains(&amount);
            fits.then(|| millionths(amount) * unit)
                .ok_or(format!("{name} must be a number from 0 to 10^9"))
        };
        said.map(exact).transpose()
    };
    let most = [
        amount("energy_kwh", row.energy_kwh, KWH / 1_000_000)?,
        // Prices are per MWh, intensities in g/kWh.
        amount("cost", row.cost, KWH * 1000)?,
        amount("co2_kg", row.co2_kg, KWH * 1000)?,
    ];
    if most.iter().all(Option::is_none) {
        return Err("a budget has energy_kwh, cost or co2_kg".to_owned());
    }
    let per = match (row.per.as_deref(), &row.from, &row.to) {
        (Some("day"), None, None) => QuotaPeriod::Day,
        (Some("week"), None, None) => QuotaPeriod::Week,
        (Some("month"), None, None) => QuotaPeriod::Month,
        (Some("quarter"), None, None) => QuotaPeriod::Quarter,
        (Some("year"), None, None) => QuotaPeriod::Year,
        (None, Some(from), Some(to)) => {
            QuotaPeriod::Fixed { from: date_and_time(from)?, to: date_and_time(to)? }
        }
        _ => {
            return Err(
                "say per = \"day\", \"week\", \"month\", \"quarter\" or \"year\", or from and to"
                    .to_owned(),
            );
        }
    };
    Ok(BudgetRule { whose, most, per })
}

#[expect(clippy::cast_possible_truncation, reason = "at most 10^15")]
fn millionths(amount: f64) -> i128 {
    (amount * 1e6).round() as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<BudgetFile, String> {
        BudgetFile::parse(text, Timestamp::from_unix_seconds(0))
    }

    /// Ada's energy is limited by her own rule, her cost by that of each user, and her CO2 by that of all; eve's energy by that of
    /// each.
    #[test]
    fn the_most_specific_rule_counts() {
        let file = parse(
            "[[budgets]]\nuser = \"ada\"\nenergy_kwh = 0.5\nper = \"day\"\n\
             [[budgets]]\nuser = \"/\"\nenergy_kwh = 2\ncost = 0.25\nper = \"week\"\n\
             [[budgets]]\nuser = \"*\"\ncost = 9\nco2_kg = 3\nfrom = \"2026-01-01 00:00\"\nto = \"2026-02-01 00:00\"\n",
        )
        .unwrap();
        assert_eq!(file.of_user("ada"), [Some(0), Some(1), Some(2)]);
        assert_eq!(file.of_user("eve"), [Some(1), Some(1), Some(2)]);
        // 0.5 kWh are 1.8e18 pJ; 0.25 EUR 250,000 millionths times the picojoules of a MWh.
        assert_eq!(file.rules[0].most[0], Some(1_800_000_000_000_000_000));
        assert_eq!(file.rules[1].most[1], Some(250_000 * 3_600_000_000_000_000_000_000));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            ("[[budgets]]\nuser = \"ada\"\nper = \"day\"\n", "line 1: a budget has energy_kwh"),
            ("\n[[budgets]]\nuser = \"ada\"\ncost = 1\n", "line 2: say per = \"day\""),
            ("[[budgets]]\nuser = \"ada\"\ncost = -1\nper = \"day\"\n", "line 1: cost must be"),
            ("[[budgets]]\nuser = \"ada\"\ncosts = 1\nper = \"day\"\n", "line 3: unknown field"),
            ("time_zone = \"Mars/Olympus\"\nbudgets = []\n", "is no time zone"),
            (
                "[[budgets]]\nuser = \"/\"\ncost = 1\nper = \"day\"\n[[budgets]]\nuser = \"/\"\ncost = 1\nper = \"year\"\n",
                "line 5: this user has such a budget already",
            ),
            (
                "[[budgets]]\nuser = \"/\"\ncost = 1\nfrom = \"soon\"\nto = \"2026-02-01 00:00\"\n",
                "the time \"soon\" must be such as",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }
}
