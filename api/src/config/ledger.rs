//! Settings of the ledger: `[ledger]`. See `docs/LEDGER.md`.

use anyhow::{Context, ensure};
use planner::ledger::{EmbodiedCarbon, Overheads, WaterFactors};
use planner::node::{NAME_RULE, is_name};
use planner::quantity::{CarbonIntensity, MILLION};
use planner::time::Seconds;
use serde::Deserialize;

/// Shares of overheads are at most this much of everything before.
const MAX_OVERHEAD: f64 = 10.0;

/// How hours are stated.
#[derive(Clone, Debug)]
pub struct LedgerSettings {
    /// An hour is stated so long after its end.
    pub delay: Seconds,
    /// For so long after its end it is looked at again each hour.
    pub look_again: Seconds,
    /// A month is closed so long after its end.
    pub month_closes_after: Seconds,
    /// How far back the ledger goes where it begins at a service that has run before.
    pub begin_back: Seconds,
    /// What is added to the nodes' energy for the facility.
    pub overheads: Overheads,
    /// What says the project, the first that does.
    pub project: Vec<ProjectRule>,
    /// The intensity of what the site bought, and who says so.
    pub market: Option<Market>,
    /// By how much of themselves the grid's intensities may be off, where their sources do not say; `None` where the site
    /// does not say either.
    pub location_error: Option<f64>,
    /// What water electricity takes; `None` where the site does not say.
    pub water: Option<WaterFactors>,
    /// What making nodes emitted; `None` where the site does not say.
    pub embodied: Option<EmbodiedCarbon>,
    /// Where the energy of nodes is measured, by the categories of the PUE, 1 to 3 (ISO/IEC 30134-2); `None` where the
    /// site does not say, and no PUE is told.
    pub pue_category: Option<u8>,
}

/// What says which project a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectRule {
    /// The project of the reservation; named `label`, since requests had only a label for it before.
    Label,
    /// The account that the resource manager charges a job to.
    Account,
}

/// What the site's electricity emits by what it bought: GHG Protocol, Scope 2, by market.
#[derive(Clone, Debug)]
pub struct Market {
    /// Grams a kilowatt-hour.
    pub intensity: CarbonIntensity,
    /// Where the figure is from, such as certificates or the supplier's mix.
    pub source: String,
    /// By how much of itself the figure may be off; `None` where the site does not say.
    pub error: Option<f64>,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerFields {
    delay_s: Option<u32>,
    look_again_s: Option<u32>,
    month_closes_after_s: Option<u32>,
    begin_back_s: Option<u32>,
    #[serde(default)]
    overheads: Vec<f64>,
    project: Option<Vec<ProjectRule>>,
    market: Option<MarketFields>,
    location_error: Option<f64>,
    water: Option<WaterFields>,
    embodied: Option<EmbodiedFields>,
    pue_category: Option<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaterFields {
    #[serde(default)]
    wue_l_per_kwh: f64,
    #[serde(default)]
    supplier_l_per_kwh: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbodiedFields {
    kg_per_node: f64,
    lifetime_years: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarketFields {
    g_per_kwh: f64,
    source: String,
    error: Option<f64>,
}

impl LedgerSettings {
    /// The project of a row, by the first rule that says one: that of the reservation (`label`), or the account of the job; else
    /// empty.
    pub fn project(&self, label: Option<&str>, account: Option<&str>) -> String {
        let says = |rule: &ProjectRule| {
            let said = match rule {
                ProjectRule::Label => label,
                ProjectRule::Account => account,
            };
            said.filter(|project| !project.is_empty())
        };
        self.project.iter().find_map(says).unwrap_or_default().to_owned()
    }

    /// Reads the section.
    ///
    /// # Errors
    /// A value out of range, by name.
    pub fn read(fields: LedgerFields) -> anyhow::Result<Self> {
        const DAY: u32 = 86_400;
        let seconds = |name: &str, value: Option<u32>, unless: u32, most: u32| {
            let value = value.unwrap_or(unless);
            ensure!(value <= most, "{name} must be at most {most}");
            Ok(Seconds::new(value.into()))
        };
        Ok(Self {
            delay: seconds("delay_s", fields.delay_s, 900, 7 * DAY)?,
            look_again: seconds("look_again_s", fields.look_again_s, 2 * DAY, 31 * DAY)?,
            month_closes_after: seconds(
                "month_closes_after_s",
                fields.month_closes_after_s,
                10 * DAY,
                366 * DAY,
            )?,
            begin_back: seconds("begin_back_s", fields.begin_back_s, 31 * DAY, 3660 * DAY)?,
            overheads: overheads(&fields.overheads)?,
            project: fields.project.unwrap_or(vec![ProjectRule::Label, ProjectRule::Account]),
            market: fields.market.map(market).transpose().context("market")?,
            location_error: share_of_error("location_error", fields.location_error)?,
            water: fields.water.as_ref().map(water).transpose().context("water")?,
            embodied: fields.embodied.as_ref().map(embodied).transpose().context("embodied")?,
            pue_category: fields.pue_category.map(pue_category).transpose()?,
        })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, as checked")]
fn overheads(shares: &[f64]) -> anyhow::Result<Overheads> {
    ensure!(shares.len() <= 8, "overheads must be at most 8 shares");
    let share = |share: &f64| {
        ensure!(
            (0.0..=MAX_OVERHEAD).contains(share),
            "overheads must be shares from 0 to {MAX_OVERHEAD}, such as 0.15 for 15 %, and one is {share}"
        );
        Ok((share * MILLION as f64).round() as u32)
    };
    let shares: anyhow::Result<Vec<u32>> = shares.iter().map(share).collect();
    Ok(Overheads::of_millionths(shares?))
}

#[expect(clippy::cast_possible_truncation, reason = "in range, as checked")]
fn market(fields: MarketFields) -> anyhow::Result<Market> {
    let MarketFields { g_per_kwh, source, error } = fields;
    ensure!((0.0..=1e6).contains(&g_per_kwh), "g_per_kwh must lie between 0 and 1000000");
    ensure!(is_name(&source), "source {NAME_RULE}");
    let millionths = (g_per_kwh * MILLION as f64).round() as i64;
    let intensity = CarbonIntensity::from_millionths_g_per_kwh(millionths);
    let error = share_of_error("error", error)?;
    Ok(Market { intensity: intensity.context("g_per_kwh is too large")?, source, error })
}

fn share_of_error(name: &str, share: Option<f64>) -> anyhow::Result<Option<f64>> {
    let is_share = share.is_none_or(|share| (0.0..=1.0).contains(&share));
    ensure!(is_share, "{name} must be a share from 0 to 1, such as 0.05 for 5 %");
    Ok(share)
}

#[expect(clippy::cast_possible_truncation, reason = "in range, as checked")]
fn water(fields: &WaterFields) -> anyhow::Result<WaterFactors> {
    let microlitres = |name: &str, litres: f64| {
        ensure!((0.0..=1000.0).contains(&litres), "{name} must lie between 0 and 1000");
        Ok((litres * MILLION as f64).round() as i64)
    };
    Ok(WaterFactors {
        on_site_microlitres: microlitres("wue_l_per_kwh", fields.wue_l_per_kwh)?,
        supplier_microlitres: microlitres("supplier_l_per_kwh", fields.supplier_l_per_kwh)?,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "in range, as checked")]
fn embodied(fields: &EmbodiedFields) -> anyhow::Result<EmbodiedCarbon> {
    /// Of 365.25 days.
    const YEAR_S: f64 = 31_557_600.0;
    let &EmbodiedFields { kg_per_node, lifetime_years } = fields;
    ensure!((0.0..=1e6).contains(&kg_per_node), "kg_per_node must lie between 0 and 1000000");
    ensure!((0.1..=100.0).contains(&lifetime_years), "lifetime_years must lie between 0.1 and 100");
    let lifetime = Seconds::new((lifetime_years * YEAR_S).round() as i64);
    Ok(EmbodiedCarbon { per_node_mg: (kg_per_node * MILLION as f64).round() as i64, lifetime })
}

fn pue_category(category: u8) -> anyhow::Result<u8> {
    ensure!(
        (1..=3).contains(&category),
        "pue_category must be 1, 2 or 3: where the energy of nodes is measured, at the output of the UPS, at that \
         of the PDUs, or at the nodes"
    );
    Ok(category)
}

#[cfg(test)]
mod tests {
    use planner::quantity::Energy;

    use super::*;

    fn read(text: &str) -> anyhow::Result<LedgerSettings> {
        LedgerSettings::read(toml::from_str(text).unwrap())
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let settings = read("").unwrap();
        assert_eq!(
            (settings.delay, settings.look_again),
            (Seconds::new(900), Seconds::new(172_800))
        );
        assert_eq!(settings.project, [ProjectRule::Label, ProjectRule::Account]);
        assert!(settings.overheads.is_empty() && settings.market.is_none());
    }

    /// Six years of 365.25 days are 189,345,600 s.
    #[test]
    fn factors_are_read_in_small_units() {
        let text = "water = { wue_l_per_kwh = 0.5, supplier_l_per_kwh = 1.6 }\n\
            embodied = { kg_per_node = 750.25, lifetime_years = 6 }\npue_category = 3";
        let settings = read(text).unwrap();
        let water = WaterFactors { on_site_microlitres: 500_000, supplier_microlitres: 1_600_000 };
        assert_eq!(settings.water, Some(water));
        let embodied =
            EmbodiedCarbon { per_node_mg: 750_250_000, lifetime: Seconds::new(189_345_600) };
        assert_eq!((settings.embodied, settings.pue_category), (Some(embodied), Some(3)));
    }

    /// 15 % of 100 kJ, and 10 % of the 115 kJ.
    #[test]
    fn overheads_are_shares_of_everything_before() {
        let overheads = read("overheads = [0.15, 0.1]").unwrap().overheads;
        let energy = overheads.energy(Energy::from_microjoules(100_000_000_000));
        assert_eq!(energy.as_microjoules(), 26_500_000_000);
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        for (text, named) in [
            ("delay_s = 604801", "delay_s"),
            ("overheads = [-0.1]", "overheads"),
            ("market = { g_per_kwh = -1.0, source = \"mix\" }", "g_per_kwh"),
            ("market = { g_per_kwh = 1.0, source = \"\" }", "source"),
            ("market = { g_per_kwh = 1.0, source = \"mix\", error = 1.5 }", "error"),
            ("location_error = -0.1", "location_error"),
            ("water = { wue_l_per_kwh = -1.0 }", "wue_l_per_kwh"),
            ("embodied = { kg_per_node = 1.0, lifetime_years = 0.0 }", "lifetime_years"),
            ("pue_category = 4", "pue_category"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }
}
