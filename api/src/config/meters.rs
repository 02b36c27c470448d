//! Settings of meters: `[[meters]]`, and of how long measurements are kept: `[metering]`. See `docs/METERING.md`.

#[cfg(feature = "meters")]
mod clients;
mod connection;
mod source;

use anyhow::{Context, ensure};
use planner::metering::{ExcessRule, LARGEST_POWER, LONGEST_GAP, Meter, MeterScope, ValueKind};
use planner::quantity::{MILLION, Power};
use planner::time::Seconds;
use serde::Deserialize;
use toml::{Table, Value};

use super::slurm::ManagerSettings;
use connection::Given;
use source::ReadSource;

pub use connection::MeterConnection;
pub use source::{MeterSource, PolledSource};

const DAY: Seconds = Seconds::new(86_400);

/// The longest that anything is kept, in days.
const MOST_DAYS: u32 = 36_500;

/// The most power of a node or a part of one, unless the settings say otherwise: 100 kW.
const LARGEST_NODE: Power = Power::from_microwatts(100_000 * 1_000_000);

/// The settings that all meters have.
const OF_ALL: [&str; 9] =
    ["covers", "id", "kind", "least_w", "longest_gap_s", "most_w", "period_s", "values", "zero"];

/// The meters of the site, and how long what they say is kept.
#[derive(Clone, Debug)]
pub struct Metering {
    /// In the order of the file; where several cover a node, the earlier goes before.
    pub meters: Vec<MeterSettings>,
    /// How long samples are kept.
    pub keep_samples: Seconds,
    /// How long quarter-hours are kept.
    pub keep_quarters: Seconds,
    /// When draw above plan is told.
    pub excess: ExcessRule,
}

/// A meter of the settings.
#[derive(Clone, Debug)]
pub struct MeterSettings {
    /// What its numbers are, and which are believed.
    pub meter: Meter,
    /// Where its samples come from.
    pub source: MeterSource,
}

/// What the file says of a meter, beside where its samples come from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeterFields {
    id: String,
    kind: String,
    covers: Option<String>,
    values: Option<String>,
    period_s: Option<u32>,
    longest_gap_s: Option<u32>,
    zero: Option<String>,
    least_w: Option<f64>,
    most_w: Option<f64>,
}

/// What the file says of how long measurements are kept, and of what is told.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeteringFields {
    keep_samples_days: Option<u32>,
    keep_quarters_days: Option<u32>,
    excess_after_s: Option<u32>,
    excess_tolerance: Option<f64>,
}

impl Metering {
    /// Reads `[[meters]]` and `[metering]`.
    ///
    /// # Errors
    /// What cannot work, with the meter.
    pub fn read(
        meters: Vec<Table>,
        keeping: &MeteringFields,
        manager: Option<&ManagerSettings>,
    ) -> anyhow::Result<Self> {
        let mut all: Vec<MeterSettings> = Vec::new();
        for table in meters {
            let id = table.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let unique = all.iter().all(|it| *it.meter.name != id);
            ensure!(unique, "[[meters]]: two have the id {id:?}");
            let read = MeterFields::of(table).and_then(|(fields, rest)| fields.read(rest, manager));
            all.push(read.with_context(|| format!("[[meters]]: meter {id:?}"))?);
        }
        let days = |name: &str, given: Option<u32>, unless_given: u32| {
            let days = given.unwrap_or(unless_given);
            ensure!(
                (1..=MOST_DAYS).contains(&days),
                "[metering]: {name} must lie between 1 and {MOST_DAYS}"
            );
            Ok(Seconds::new(i64::from(days) * DAY.get()))
        };
        let keep_samples = days("keep_samples_days", keeping.keep_samples_days, 35)?;
        let keep_quarters = days("keep_quarters_days", keeping.keep_quarters_days, 3650)?;
        ensure!(
            keep_samples <= keep_quarters,
            "[metering]: keep_samples_days must not exceed keep_quarters_days: late samples would \
             restate quarter-hours that are forgotten"
        );
        let excess = keeping.excess()?;
        Ok(Self { meters: all, keep_samples, keep_quarters, excess })
    }

    /// The meter of this name.
    pub fn meter(&self, name: &str) -> Option<&MeterSettings> {
        self.meters.iter().find(|it| *it.meter.name == *name)
    }
}

impl MeteringFields {
    /// How many days samples and quarter-hours are kept, which may be said elsewhere.
    pub(super) const fn kept_days(&mut self) -> [&mut Option<u32>; 2] {
        [&mut self.keep_samples_days, &mut self.keep_quarters_days]
    }

    /// When draw above plan is told: above 110 % of it for five minutes, unless the file says otherwise.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "in range, as checked"
    )]
    fn excess(&self) -> anyhow::Result<ExcessRule> {
        let after = Seconds::new(self.excess_after_s.unwrap_or(300).into());
        ensure!(after <= DAY, "[metering]: excess_after_s must be at most {}", DAY.get());
        let tolerance = self.excess_tolerance.unwrap_or(0.1);
        ensure!(
            (0.0..=10.0).contains(&tolerance),
            "[metering]: excess_tolerance must be a share from 0 to 10, such as 0.1 for 10 %, and is {tolerance}"
        );
        let tolerance_millionths = (tolerance * MILLION as f64).round() as u32;
        Ok(ExcessRule { tolerance_millionths, after })
    }
}

impl MeterFields {
    /// What all meters have, and what is left for where its samples come from.
    fn of(mut table: Table) -> anyhow::Result<(Self, Table)> {
        let ours = OF_ALL.iter().filter_map(|&name| Some((name.to_owned(), table.remove(name)?)));
        let fields = Value::Table(ours.collect()).try_into()?;
        Ok((fields, table))
    }

    fn read(self, rest: Table, manager: Option<&ManagerSettings>) -> anyhow::Result<MeterSettings> {
        let covers = word("covers", self.covers.as_deref(), MeterScope::ALL, MeterScope::word)?;
        let values = word("values", self.values.as_deref(), ValueKind::ALL, ValueKind::word)?;
        let period = Seconds::new(self.period_s.unwrap_or(60).into());
        ensure!(
            (Seconds::ONE..=LONGEST_GAP).contains(&period),
            "period_s must lie between 1 and {}",
            LONGEST_GAP.get()
        );
        let given = Given { values, covers, period };
        let ReadSource { source, values, unit, covers } =
            source::read(&self.kind, given, rest, manager)?;
        let gap = self.longest_gap_s.map(|gap| Seconds::new(gap.into()));
        // Bridges one sample that is lost, and no more.
        let usual_gap = Seconds::new((period.get() * 5 / 2).min(LONGEST_GAP.get()));
        let zero_is_missing = match self.zero.as_deref() {
            None => values == ValueKind::Gauge,
            Some("missing") => true,
            Some("value") => false,
            Some(other) => anyhow::bail!("zero = {other:?} must be \"missing\" or \"value\""),
        };
        let largest = match covers {
            MeterScope::Node | MeterScope::Component => LARGEST_NODE,
            MeterScope::Rack | MeterScope::Site => LARGEST_POWER,
        };
        let power = |name: &str, given: Option<f64>, unless_given| match given {
            None => Ok(unless_given),
            Some(watts) => {
                Power::from_watts(watts).with_context(|| format!("{name} = {watts} is no power"))
            }
        };
        let meter = Meter {
            name: self.id.into(),
            covers,
            values,
            unit,
            period,
            longest_gap: gap.unwrap_or(usual_gap),
            zero_is_missing,
            least: power("least_w", self.least_w, Power::ZERO)?,
            most: power("most_w", self.most_w, largest)?,
        };
        let meter = meter.checked()?;
        Ok(MeterSettings { meter, source })
    }
}

/// The value that a word of the settings stands for, among those that have words.
fn word<T: Copy>(
    name: &str,
    given: Option<&str>,
    all: &[T],
    word_of: fn(T) -> &'static str,
) -> anyhow::Result<Option<T>> {
    let Some(given) = given else { return Ok(None) };
    let known = all.iter().copied().find(|it| word_of(*it) == given);
    let known = known.with_context(|| {
        let words: Vec<String> = all.iter().map(|it| format!("{:?}", word_of(*it))).collect();
        format!("{name} = {given:?} must be one of {}", words.join(", "))
    })?;
    Ok(Some(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        meters: Vec<Table>,
        #[serde(default)]
        metering: MeteringFields,
    }

    fn read(text: &str) -> Result<Metering, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        Metering::read(file.meters, &file.metering, None).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_meter_has_what_is_usual_unless_it_is_said() {
        let metering = read("[[meters]]\nid = \"bmc\"\nkind = \"push\"\n").unwrap();
        let meter = &metering.meter("bmc").unwrap().meter;
        assert_eq!((meter.covers, meter.values), (MeterScope::Node, ValueKind::Gauge));
        assert_eq!((meter.period, meter.longest_gap), (Seconds::new(60), Seconds::new(150)));
        assert!(meter.zero_is_missing && meter.least == Power::ZERO);
        assert_eq!(Some(meter.most), Power::from_watts(100_000.0));
        assert_eq!(metering.keep_samples, Seconds::new(35 * 86_400));
        assert!(metering.meter("pdu").is_none() && read("").unwrap().meters.is_empty());
        let excess = ExcessRule { tolerance_millionths: 100_000, after: Seconds::new(300) };
        assert_eq!(metering.excess, excess);
        let site = "[[meters]]\nid = \"s\"\nkind = \"push\"\ncovers = \"site\"\nvalues = \"counter\"\n\
                    period_s = 900\nlongest_gap_s = 3600\nzero = \"missing\"\nmost_w = 3e7\n";
        let site = &read(site).unwrap().meters[0].meter;
        assert_eq!((site.covers, site.values), (MeterScope::Site, ValueKind::Counter));
        assert_eq!(site.longest_gap, Seconds::new(3600));
        assert_eq!(Some(site.most), Power::from_watts(3e7));
    }

    #[test]
    fn what_cannot_work_is_named() {
        let usual = "[[meters]]\nid = \"bmc\"\nkind = \"push\"\n";
        for (text, named) in [
            ("[[meters]]\nkind = \"push\"\n".to_owned(), "id"),
            ("[[meters]]\nid = \"\"\nkind = \"push\"\n".to_owned(), "name must have 1 to 255"),
            ("[[meters]]\nid = \"a\"\nkind = \"pull\"\n".to_owned(), "\"pull\" is unknown"),
            (format!("{usual}{usual}"), "two have the id \"bmc\""),
            (format!("{usual}covers = \"room\""), "must be one of \"node\", \"component\""),
            (format!("{usual}values = \"power\""), "must be one of \"gauge\", \"counter\""),
            (format!("{usual}zero = \"none\""), "must be \"missing\" or \"value\""),
            (format!("{usual}period_s = 0"), "period_s must lie between 1 and 14400"),
            (format!("{usual}longest_gap_s = 59"), "longest_gap_s must lie between"),
            (format!("{usual}least_w = 5\nmost_w = 4"), "least_w must not be"),
            (format!("{usual}most_w = 1e300"), "most_w = "),
            (format!("{usual}unit = \"W\""), "unit"),
            ("[metering]\nkeep_samples_days = 0".to_owned(), "keep_samples_days must lie"),
            ("[metering]\nkeep_quarters_days = 9".to_owned(), "keep_samples_days must not exceed"),
            ("[metering]\nexcess_after_s = 86401".to_owned(), "excess_after_s must be at most"),
            ("[metering]\nexcess_tolerance = -0.1".to_owned(), "excess_tolerance must be a share"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }

    /// Those of each kind have a table of their own, and an example.
    #[cfg(feature = "meters")]
    #[test]
    fn the_documentation_names_the_settings_of_each_kind() {
        let text = include_str!("../../../docs/METERING.md");
        let rows =
            text.lines().skip_while(|line| !line.starts_with("| setting | of kind |")).skip(2);
        let rows = rows.take_while(|line| line.starts_with('|'));
        let cell = |row: &str, n: usize| row.split('|').nth(n).unwrap().trim().replace('`', "");
        let kinds = ["prometheus", "redfish", "ipmi", "slurm"];
        let mut named = 0;
        for row in rows {
            let (name, of) = (cell(row, 1), cell(row, 2));
            for kind in kinds {
                // Whatever is wrong with 5: a kind that has the setting does not say that it is none.
                let section = format!("[[meters]]\nid = \"m\"\nkind = \"{kind}\"\n{name} = 5\n");
                let least = match kind {
                    "prometheus" => "url = \"http://host\"\npreset = \"ipmi-exporter\"\n",
                    "redfish" | "ipmi" => "address = \"http://{node}\"\n",
                    _ => "",
                };
                let least = least.lines().filter(|line| !line.starts_with(&format!("{name} =")));
                let least = least.collect::<Vec<_>>().join("\n");
                let error = read(&format!("{section}{least}")).err().unwrap_or_default();
                let is_none = error.contains("is no setting") || error.contains("unknown field");
                let has = of.contains(kind) || (of == "all but slurm" && kind != "slurm");
                if has {
                    assert!(!is_none, "{name} of {kind}: {error}");
                    named += 1;
                } else if kind != "slurm" {
                    assert!(is_none, "{name} of {kind}: {error}");
                }
            }
        }
        assert!(named > 30, "{named}");
        let example = text.split("```toml").nth(2).and_then(|rest| rest.split("```").next());
        let error = read(example.unwrap()).unwrap_err();
        assert!(
            error.contains("ca_file /etc/wattbook/bmc-ca.pem"),
            "only the file is missing: {error}"
        );
        for preset in &meters::prometheus::PRESETS {
            let row = text.lines().find(|line| line.starts_with(&format!("| `{}` |", preset.word)));
            let row = row.unwrap().replace("&#124;", "|");
            assert!(row.contains(preset.query) && row.contains(preset.label), "{row}");
            assert!(row.contains(preset.covers.word()), "{row}");
            let numbers = format!("{}, {}", preset.values.word(), preset.unit.word());
            assert!(row.contains(&numbers), "{row}");
        }
    }

    /// The names that an error lists in backquotes after `expected`.
    fn expected(error: &str) -> Vec<String> {
        let (_, listed) = error.split_once("expected").unwrap();
        listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// The table has each setting once, and no other; the example can be read.
    #[test]
    fn the_documentation_names_each_setting() {
        let text = include_str!("../../../docs/METERING.md");
        let rows = text.lines().skip_while(|line| !line.starts_with("| setting |")).skip(2);
        let rows = rows.take_while(|line| line.starts_with('|'));
        let name = |row: &str| row.split('|').nth(1).unwrap().trim().replace('`', "");
        let mut listed: Vec<String> = rows.map(name).collect();
        let metering = read("[metering]\nnonsense = 1").unwrap_err();
        let mut known: Vec<String> = OF_ALL.map(str::to_owned).into();
        known.extend(expected(&metering).iter().map(|it| format!("[metering] {it}")));
        listed.sort();
        known.sort();
        assert_eq!(listed, known);
        let example = text.split("```toml").nth(1).and_then(|rest| rest.split("```").next());
        assert_eq!(read(example.unwrap()).unwrap().meters.len(), 2);
    }
}
